"""Schedules side by side: faces and curves read back from the pictures, against mathematics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from manim import tempconfig

from pe_math.schedules import Schedule
from scenes.mobjects.faces import ClockFaces
from scenes.mobjects.trace import Trace
from scenes.schedule_lab import Findings, ScheduleLab
from tests.scenes.harness import construct, layout_faults, texts_on_screen


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def evenly_slowed(d: int) -> list[float]:
    """Half as fast from hand to hand."""
    return [2.0**-k for k in range(d // 2)]


class Own(ScheduleLab):
    schedules: tuple[Schedule, ...] = (evenly_slowed, (np.pi / 2.0, np.pi / 4.0))
    d = 4
    positions = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScheduleLab, list[str]]:
    faults: list[str] = []
    scene = construct(
        Own,
        tmp_path_factory.mktemp("film"),
        at_section_end=lambda scene, name: faults.extend(f"{name}: {f}" for f in layout_faults(scene)),
    )
    assert isinstance(scene, ScheduleLab)
    return scene, faults


def test_functions_and_numbers_make_a_film_that_is_well_laid_out(
    finished: tuple[ScheduleLab, list[str]],
) -> None:
    scene, faults = finished
    assert not faults
    assert {"evenly_slowed", "numbers"} <= {getattr(text, "text", "") for text in texts_on_screen(scene)}


def test_every_face_shows_the_sine_and_cosine_of_its_own_speed(
    finished: tuple[ScheduleLab, list[str]],
) -> None:
    scene, _ = finished
    position = scene.position.get_value()
    first, second = (part for part in scene.on_screen() if isinstance(part, ClockFaces))
    for faces, speeds in ((first, [1.0, 0.5]), (second, [np.pi / 2.0, np.pi / 4.0])):
        angles = position * np.array(speeds)
        assert faces.numbers == pytest.approx(
            np.stack([np.sin(angles), np.cos(angles)], -1).ravel(), abs=1e-9
        )


def test_curves_are_the_mean_cosine_of_all_hands(finished: tuple[ScheduleLab, list[str]]) -> None:
    scene, _ = finished
    first, second = (part for part in scene.on_screen() if isinstance(part, Trace))
    for trace, speeds in ((first, [1.0, 0.5]), (second, [np.pi / 2.0, np.pi / 4.0])):
        offsets, heights = trace.values.T
        assert offsets[0] == pytest.approx(0.0) and offsets[-1] == pytest.approx(11.0)
        assert heights == pytest.approx(np.cos(np.outer(offsets, speeds)).mean(axis=1), abs=1e-6)


def test_hands_that_come_back_together_make_twins(finished: tuple[ScheduleLab, list[str]]) -> None:
    # A quarter and an eighth of a turn a position: after eight positions both are back.
    scene, _ = finished
    twins = scene.findings[1]
    assert (twins.offset, twins.distance) == (8, pytest.approx(0.0, abs=1e-12))
    assert scene.position.get_value() == pytest.approx(8.0)


def test_geometric_speeds_have_no_such_pair_in_a_wide_encoding() -> None:
    found = Findings.of(10000.0 ** (-np.arange(16) / 16.0), positions=300)
    assert found.offset == 1
    assert found.distance == pytest.approx(found.neighbours) == pytest.approx(1.172, abs=1e-3)


def test_more_hands_than_fit_are_shown_from_the_first_to_the_last(tmp_path: Path) -> None:
    class Wide(ScheduleLab):
        schedules: tuple[Schedule, ...] = ("geometric",)
        d = 128
        positions = 20

    scene = construct(Wide, tmp_path)
    (faces,) = (part for part in scene.on_screen() if isinstance(part, ClockFaces))
    assert len(faces.frequencies) == 8
    assert faces.frequencies[[0, -1]] == pytest.approx([1.0, 10000.0 ** (-126 / 128)])


def test_what_is_no_schedule_is_refused(tmp_path: Path) -> None:
    class Wrong(ScheduleLab):
        schedules: tuple[Schedule, ...] = ("geometrical",)

    with pytest.raises(ValueError, match="did you mean geometric"):
        construct(Wrong, tmp_path)
