"""Colours can be read, and told apart by everybody."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from scenes.theme import DARK, THEMES, Theme, chosen_theme, rgb_of
from tests.scenes.harness import contrast, looking

# What must be told apart where it is shown together.
TOGETHER = (
    ("sin", "cos"),
    ("query", "key", "score"),
    ("none", "sinusoidal", "learned", "shaw", "rope"),
)

# Machado, Oliveira, Fernandes 2009, "A physiologically-based model for simulation of color vision
# deficiency", table 1, severity 1.0, for linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def oklab(color: str, seen_through: np.ndarray) -> np.ndarray:
    """Return a colour in OKLab (Ottosson 2020), as an eye with that deficiency sees it."""
    srgb = rgb_of(color)
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(seen_through @ linear, 0.0, 1.0)
    lms = np.cbrt(
        np.array(
            [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ]
        )
        @ linear
    )
    return (
        np.array(
            [
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ]
        )
        @ lms
    )


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_all_that_is_read_has_the_contrast_that_wcag_asks_of_text(theme: Theme) -> None:
    readable = {"text": theme.text, **theme.roles}
    del readable["grid"]
    low = {role: contrast(color, theme.background) for role, color in readable.items()}
    assert {role: ratio for role, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_hands_and_heatmap_ends_have_the_contrast_that_wcag_asks_of_graphics(theme: Theme) -> None:
    for color in (*theme.hand_colors(16), *theme.position_colors(16), *theme.diverging):
        assert contrast(color, theme.background) >= 3.0, color


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("roles", TOGETHER, ids="-".join)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_roles_shown_together_are_told_apart(theme: Theme, roles: tuple[str, ...], deficiency: str) -> None:
    for one, other in itertools.combinations(roles, 2):
        seen = [oklab(theme.color(role), DEFICIENCIES[deficiency]) for role in (one, other)]
        # 0.02 is about the smallest difference that can be seen side by side.
        assert np.linalg.norm(seen[0] - seen[1]) > 0.06, (one, other)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_heatmaps_zero_is_the_background_and_its_ends_are_the_themes(theme: Theme) -> None:
    low, zero, high = theme.diverging_rgb([-1.0, 0.0, 1.0])
    assert [*zero] == [round(channel * 255) for channel in rgb_of(theme.background)]
    assert [*low] == [round(channel * 255) for channel in rgb_of(theme.diverging[0])]
    assert [*high] == [round(channel * 255) for channel in rgb_of(theme.diverging[1])]
    assert theme.diverging_rgb([-5.0, 5.0]).tolist() == [low.tolist(), high.tolist()]


def test_both_themes_have_the_same_roles() -> None:
    (one, other) = THEMES.values()
    assert one.roles.keys() == other.roles.keys()


def test_hands_run_from_the_fast_end_to_the_slow_end() -> None:
    colors = DARK.hand_colors(7)
    assert (colors[0], colors[-1], len(colors)) == (DARK.hands[0], DARK.hands[-1], 7)
    assert DARK.hand_colors(1) == [DARK.hands[0]]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_positions_run_from_the_first_to_the_last_and_their_halves_differ(
    theme: Theme, deficiency: str
) -> None:
    colors = theme.position_colors(8)
    assert (colors[0], colors[-1]) == (theme.positions[0], theme.positions[-1])
    seen = [oklab(color, DEFICIENCIES[deficiency]) for color in colors]
    for first, last in itertools.product(seen[:3], seen[-3:]):
        assert np.linalg.norm(first - last) > 0.06


def test_an_unknown_theme_or_role_is_an_error_that_lists_the_right_ones() -> None:
    with looking("en", "sepia"), pytest.raises(ValueError, match=r"'sepia'.*dark, light"):
        chosen_theme()
    with pytest.raises(ValueError, match=r"'sine'.*query.*sin"):
        DARK.color("sine")
