"""RoPE by rows and columns: arrows and scores read back, against rotations written out here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from manim import tempconfig

from scenes.mobjects.heatmap import Heatmap
from scenes.mobjects.plane import Plane
from scenes.rope_2d import COLUMNS, ROWS, Rope2D
from tests.scenes.harness import construct


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[np.ndarray]]:
    """Return the arrows of all planes, rows' first, as complex numbers (planes, 2), as sections end."""
    found: dict[str, list[np.ndarray]] = {}

    def look(scene: object, section: str) -> None:
        planes = [part for part in scene.on_screen() if isinstance(part, Plane)]  # type: ignore[attr-defined]
        vectors = np.array([plane.vectors for plane in planes]).reshape(-1, 2, 2)
        found[section] = [vectors[..., 0] + 1j * vectors[..., 1], scene.shares()]  # type: ignore[attr-defined]

    construct(Rope2D, tmp_path_factory.mktemp("film"), at_section_end=look)
    return found


def speeds() -> np.ndarray:
    return np.array([1.0, 1.0 / 3.0])  # base 9, two planes an axis


def test_rows_turn_the_first_planes_and_columns_the_others(states: dict[str, list[np.ndarray]]) -> None:
    # From (2, 3), where both patches are, the query goes to (4, 6): two rows on, three columns on.
    before, after = states["twice"][0], states["apart"][0]
    turned = np.exp(1j * np.concatenate([speeds() * 2.0, speeds() * 3.0]))
    assert after[:, 0] == pytest.approx(before[:, 0] * turned, abs=1e-9)
    assert after[:, 1] == pytest.approx(before[:, 1], abs=1e-9)


def test_pushing_both_turns_every_arrow_and_changes_no_share(states: dict[str, list[np.ndarray]]) -> None:
    (before, shares), (after, pushed) = states["apart"], states["push"]
    turned = np.exp(1j * np.concatenate([speeds(), speeds()]))  # a row and a column on
    assert after == pytest.approx(before * turned[:, None], abs=1e-9)
    assert pushed == pytest.approx(shares, abs=1e-9)


def test_the_score_is_the_sum_of_the_arrows_dot_products(states: dict[str, list[np.ndarray]]) -> None:
    for section in ("apart", "push", "map"):
        arrows, shares = states[section]
        dots = (arrows[:, 0] * arrows[:, 1].conj()).real
        assert shares == pytest.approx([dots[:2].sum(), dots[2:].sum()], abs=1e-9)


@pytest.mark.parametrize("query", [(3, 4), (2, 6), (5, 2)])
def test_the_loudest_patch_is_as_far_back_as_the_key_asks_for(query: tuple[int, int], tmp_path: Path) -> None:
    class Still(Rope2D):
        def construct(self) -> None:
            for part, place in zip(self.query_at, query, strict=True):
                part.set_value(place)

    scene = construct(Still, tmp_path)
    assert isinstance(scene, Rope2D)
    scores = scene.scores()
    assert scores.shape == (ROWS, COLUMNS)
    assert np.unravel_index(scores.argmax(), scores.shape) == (query[0] - 1, query[1] - 2)
    assert scores.max() == pytest.approx(1.0)


def test_the_map_shows_the_scores(tmp_path: Path) -> None:
    scene = construct(Rope2D, tmp_path)
    assert isinstance(scene, Rope2D)
    (heat,) = (part for part in scene.on_screen() if isinstance(part, Heatmap))
    assert heat.values == pytest.approx(scene.scores())


def test_numbers_read_like_text_are_a_row_apart_for_the_patch_below(tmp_path: Path) -> None:
    class Start(Rope2D):
        def construct(self) -> None:
            pass

    scene = construct(Start, tmp_path)
    assert isinstance(scene, Rope2D)
    assert scene.flat_offset() == COLUMNS
