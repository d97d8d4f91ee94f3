"""Hands at the end of a context that grows, read back from the picture, and losses against the record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from manim import tempconfig

from pe_math.training import records
from scenes.context_stretch import ContextStretch
from scenes.mobjects.paths import Discs
from scenes.mobjects.stretched_hands import StretchedHands
from scenes.theme import DARK
from tests.scenes.harness import construct, texts_on_screen

# In 10 positions: ten radians, which is more than a turn; one radian; a tenth.
TRAINED, LENGTH = np.array([1.0, 0.1, 0.01]), 10


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def hands() -> StretchedHands:
    return StretchedHands(TRAINED, LENGTH, DARK, left=(-1.0, 0.5), color="#ffffff")


def spans(sectors: list[object], picture: StretchedHands) -> np.ndarray:
    """Return how many radians each sector spans, clockwise."""
    found = []
    for sector, center in zip(sectors, picture.centers, strict=True):
        rim = (sector.vertices - center)[1:-1]  # type: ignore[attr-defined]
        found.append(np.diff(np.unwrap(np.arctan2(rim[:, 0], rim[:, 1]))).sum())
    return np.array(found)


def test_each_hand_shows_the_last_position_clockwise_from_twelve() -> None:
    picture = hands().set_context(20.0, TRAINED)
    for hand, center, angle in zip(picture.hands, picture.centers, 20.0 * TRAINED, strict=True):
        arm = (hand.ends[0] - center) / picture.radius
        assert arm[:2] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-9)


def test_sectors_are_what_training_showed_and_at_most_a_turn() -> None:
    assert spans(hands().seen, hands()) == pytest.approx([2.0 * np.pi, 1.0, 0.1], abs=1e-6)


def test_a_wedge_is_the_step_between_neighbours() -> None:
    picture = hands().set_context(80.0, TRAINED / 8.0)
    assert spans(picture.steps, picture) == pytest.approx(TRAINED / 8.0, abs=1e-6)


@pytest.mark.parametrize(
    ("length", "speeds", "beyond"),
    [
        (10, TRAINED, [False, False, False]),
        # A hand that went round in training has been everywhere; the others leave at once.
        (11, TRAINED, [False, True, True]),
        (80, TRAINED / 8.0, [False, False, False]),
    ],
)
def test_hands_leave_what_they_know_unless_they_are_slowed(
    length: int, speeds: np.ndarray, beyond: list[bool]
) -> None:
    assert hands().set_context(length, speeds).beyond.tolist() == beyond


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> ContextStretch:
    scene = construct(ContextStretch, tmp_path_factory.mktemp("film"))
    assert isinstance(scene, ContextStretch)
    return scene


def test_in_the_end_every_row_stands_at_the_longest_context(finished: ContextStretch) -> None:
    rows = [part for part in finished.on_screen() if isinstance(part, StretchedHands)]
    slowest = [row.angles[-1] for row in rows]
    # 16 numbers, base 10,000, trained at 64, asked at 512: the slowest of eight hands.
    alone = 10_000.0 ** (-14.0 / 16.0) * 512.0
    assert slowest == pytest.approx([alone, *[alone / 8.0] * 4])
    assert [row.beyond.any() for row in rows[:2]] == [True, False]


def test_losses_shown_are_the_medians_of_the_recorded_runs(finished: ContextStretch) -> None:
    record = records.load(records.path_of("rescaling"))
    said = {getattr(text, "text", "") for text in texts_on_screen(finished)}
    for method in ("as_trained", "interpolated", "ntk", "yarn"):
        losses = record.array("wikitext", method, "length_loss")[:, -1]
        assert finished.losses(method) == pytest.approx([np.median(losses), losses.min(), losses.max()])
        assert f"{np.median(losses):.2f}" in said
    assert "no trained run recorded" in said


def test_dots_stand_where_the_axis_says(finished: ContextStretch) -> None:
    marks = [part for part in finished.on_screen() if type(part) is Discs and part.radius == 0.08]
    shown = [finished.scale.values(mark.centers)[0, 0] for mark in marks]
    assert shown == pytest.approx([finished.losses(method)[0] for method in finished.results.modes], abs=1e-6)


def test_without_a_recorded_method_hands_are_shown_alone(tmp_path: Path) -> None:
    class Bands(ContextStretch):
        methods = ("llama3",)

    scene = construct(Bands, tmp_path)
    said = {getattr(text, "text", "") for text in texts_on_screen(scene)}
    assert "no trained run recorded" in said
