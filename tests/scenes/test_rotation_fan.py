"""The fan turns as RoPE says and its arcs are the angles between, read back from the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from manim import tempconfig

from scenes.mobjects.fan import Fan
from scenes.rotation_fan import RotationFan
from scenes.theme import DARK
from tests.scenes.harness import construct

VECTOR = np.array([1.0, 0.0, 0.6, 0.8, -0.5, 1.2])
FREQUENCIES = np.array([1.0, 0.25, 0.01])
PAIRS = VECTOR[0::2] + 1j * VECTOR[1::2]


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def fan() -> Fan:
    return Fan(VECTOR, FREQUENCIES, DARK, center=(1.0, -0.5, 0.0), unit=0.8)


def as_complex(pairs: Any) -> Any:
    return np.asarray(pairs)[..., 0] + 1j * np.asarray(pairs)[..., 1]


@pytest.mark.parametrize("position", [0.0, 1.0, 2.5, 60.0, -3.0])
def test_each_arrow_turns_counter_clockwise_at_its_own_speed(position: float) -> None:
    shown = as_complex(fan().set_positions(position).vectors)
    assert shown == pytest.approx(PAIRS * np.exp(1j * FREQUENCIES * position), abs=1e-9)


def test_no_position_changes_a_length() -> None:
    picture = fan()
    for position in np.linspace(-20.0, 500.0, 30):
        lengths = np.linalg.norm(picture.set_positions(position).vectors, axis=1)
        assert lengths == pytest.approx([1.0, 1.0, 1.3], abs=1e-9)


@pytest.mark.parametrize(("query", "key"), [(3.0, 0.0), (11.0, 5.0), (51.0, 45.0), (2.0, 2.0)])
def test_arcs_lead_from_the_key_to_the_query(query: float, key: float) -> None:
    picture = fan().set_positions(query, key, paired=1.0)
    begin, end = as_complex(picture.ends).T
    assert end == pytest.approx(PAIRS * np.exp(1j * FREQUENCIES * query), abs=1e-9)
    assert begin == pytest.approx(PAIRS * np.exp(1j * FREQUENCIES * key), abs=1e-9)
    assert picture.spans == pytest.approx(FREQUENCIES * (query - key), abs=1e-9)
    assert picture.query.centers == pytest.approx(np.array([arc.vertices[-1] for arc in picture.arcs]))
    assert picture.key.centers == pytest.approx(np.array([arc.vertices[0] for arc in picture.arcs]))


def test_an_arc_is_never_more_than_one_turn() -> None:
    spans = fan().set_positions(60.0).spans
    assert spans == pytest.approx([2.0 * np.pi, 2.0 * np.pi, 0.6], abs=1e-6)


def test_dots_stand_in_for_arrows() -> None:
    picture = fan()
    for paired in (0.0, 0.25, 1.0):
        picture.set_positions(3.0, 1.0, paired)
        assert picture.query.get_fill_opacity() == pytest.approx(paired)
        assert picture.arrows[0].get_fill_opacity() == pytest.approx(1.0 - paired)


# The shot


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, Any, Any]]]:
    """Return the vectors, spans and arc ends of each fan on screen at the end of each section."""
    ends: dict[str, list[tuple[Any, Any, Any]]] = {}

    def look(scene: Any, section: str) -> None:
        fans = [part for part in scene.on_screen() if isinstance(part, Fan)]
        ends[section] = [(one.vectors, one.spans, one.ends) for one in fans]

    construct(RotationFan, tmp_path_factory.mktemp("media"), at_section_end=look)
    return ends


SPEEDS = 10000.0 ** (-np.arange(12) / 12.0)
LENGTHS = np.linspace(0.4, 2.6, 12)


def test_at_position_0_all_arrows_lie_together(shown: dict[str, Any]) -> None:
    ((vectors, spans, _),) = shown["ask"]
    assert as_complex(vectors) == pytest.approx(LENGTHS, abs=1e-9)
    assert spans == pytest.approx(np.zeros(12), abs=1e-9)


@pytest.mark.parametrize(("section", "position"), [("open", 3.0), ("keep_lengths", 8.0), ("run", 60.0)])
def test_the_fan_opens_with_the_position(shown: dict[str, Any], section: str, position: float) -> None:
    ((vectors, _, _),) = shown[section]
    assert as_complex(vectors) == pytest.approx(LENGTHS * np.exp(1j * SPEEDS * position), abs=1e-6)


def test_the_counts_that_are_said_are_those_of_the_speeds() -> None:
    degrees = np.degrees(SPEEDS * 60.0)
    assert (int((degrees >= 360.0).sum()), int((degrees < 10.0).sum())) == (3, 4)


def test_two_pairs_of_positions_as_far_apart_show_the_same_angles_elsewhere(shown: dict[str, Any]) -> None:
    (_, spans, ends), (_, pushed_spans, pushed_ends) = sorted(
        shown["compare"], key=lambda fan: abs(fan[2] - shown["pair"][0][2]).max()
    )
    assert spans == pytest.approx(SPEEDS * 6.0, abs=1e-6)
    assert pushed_spans == pytest.approx(spans, abs=1e-6)
    turned = as_complex(pushed_ends) / as_complex(ends)
    assert turned == pytest.approx(np.exp(1j * SPEEDS * 40.0)[:, None] * np.ones(2), abs=1e-6)
