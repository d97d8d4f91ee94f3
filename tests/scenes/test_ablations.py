"""The proposals against their baseline: dots and bars read back, and words against records made up here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from manim import tempconfig

from pe_math.training import records
from scenes import ablations
from scenes.ablations import Ablations, changes, limits_of
from scenes.mobjects.whiskers import Whiskers, verdicts
from scenes.theme import DARK
from tests.scenes.harness import ROOT, construct, texts_on_screen

# Three rows of four runs: lower in every run, on both sides, higher in every run.
VALUES = np.array([[-0.5, -0.2, -0.4, -0.3], [0.2, -0.1, 0.3, 0.1], [0.6, 0.7, 0.9, 0.8]])


@pytest.fixture(autouse=True)
def media(tmp_path: Path) -> object:
    with tempconfig({"media_dir": str(tmp_path)}):
        yield


def panel() -> Whiskers:
    return Whiskers(VALUES, (-1.0, 1.0), DARK, left=-2.0, width=4.0, top=1.0, pitch=0.5)


def test_dots_stand_at_the_logarithms_of_their_ratios() -> None:
    picture = panel().set_state(3.0, 4.0)
    for k, row in enumerate(picture.rows):
        assert picture.values_at(row.dots.centers[:, 0]) == pytest.approx(VALUES[k])
        assert row.dots.centers[:, 1] == pytest.approx([1.0 - 0.5 * k] * 4)
    assert picture.zero.starts[0, 0] == pytest.approx(0.0)


def test_the_bar_spans_the_runs_and_the_tick_stands_on_their_median() -> None:
    picture = panel().set_state(3.0, 4.0)
    for k, row in enumerate(picture.rows):
        ends = picture.values_at([row.bar.starts[0, 0], row.bar.ends[0, 0]])
        assert ends == pytest.approx([VALUES[k].min(), VALUES[k].max()])
        assert picture.values_at(row.tick.starts[:, 0]) == pytest.approx([np.median(VALUES[k])])


def test_runs_come_out_of_the_line_of_no_change_one_after_another() -> None:
    picture = panel().set_state(1.5, 1.0)
    assert [len(row.dots.points) > 0 for row in picture.rows] == [True, True, False]
    assert picture.values_at(picture.rows[0].dots.centers[:, 0]) == pytest.approx([-0.5])
    assert picture.values_at(picture.rows[1].dots.centers[:, 0]) == pytest.approx([0.1])  # halfway
    assert len(picture.rows[0].tick.points) == 0  # one run has no median to speak of
    picture.set_state(3.0, 2.5)
    assert picture.values_at(picture.rows[2].dots.centers[:, 0]) == pytest.approx([0.6, 0.7, 0.45])


def test_a_row_beyond_the_axis_stands_at_its_end_and_says_how_far() -> None:
    values = np.array([[0.1, -0.1, 0.2], [3.0, 2.0, 4.0]])
    near, far = Whiskers(values, (-0.5, 0.5), DARK, left=0.0, width=4.0).set_state(2.0, 3.0).rows
    assert far.dots.centers[:, 0] == pytest.approx([4.0] * 3)
    assert far.factor.text == "×1,000" and far.factor in far.submobjects
    assert near.factor not in near.submobjects


def test_a_row_far_out_does_not_squeeze_the_others() -> None:
    assert limits_of(np.array([[0.3, -0.2], [3.5, 3.6]])) == pytest.approx((-0.22, 0.33))
    assert limits_of(np.array([[0.01, -0.01]])) == pytest.approx((-0.11, 0.11)), "small changes look small"


def test_the_picture_depends_on_its_state_alone() -> None:
    straight, roundabout = (
        panel().set_state(2.0, 3.0, 0.5),
        panel().set_state(3.0, 4.0, 1.0).set_state(2.0, 3.0, 0.5),
    )
    for one, other in zip(straight.get_family(), roundabout.get_family(), strict=True):
        assert one.points == pytest.approx(other.points, abs=1e-9)
        assert one.get_fill_opacity() == pytest.approx(other.get_fill_opacity())


def test_judged_rows_are_coloured_and_those_that_touch_the_line_are_dimmed() -> None:
    better, same, worse = panel().set_state(3.0, 4.0, 1.0).rows
    assert better.dots.get_fill_color().to_hex().lower() == DARK.diverging[0]
    assert worse.dots.get_fill_color().to_hex().lower() == DARK.diverging[1]
    assert same.dots.get_fill_opacity() < 0.5 < better.dots.get_fill_opacity()


def test_a_range_that_touches_zero_shows_nothing() -> None:
    assert verdicts(VALUES).tolist() == [-1, 0, 1]
    assert verdicts([[0.0, 1.0], [-1.0, 0.0], [0.1, 0.1]]).tolist() == [0, 0, 1]


@pytest.mark.parametrize("limits", [(-0.3, 0.4), (-1.0, 0.2), (-2.0, 1.5), (-0.11, 3.0)])
def test_the_axis_numbers_no_change_and_no_factor_beyond_its_ends(limits: tuple[float, float]) -> None:
    factors = Whiskers(VALUES, limits, DARK, left=0.0).marks()
    assert 1.0 in factors
    assert all(limits[0] <= np.log10(factor) <= limits[1] for factor in factors)


# What is said


def record_of(losses: dict[str, dict[str, list[float]]]) -> records.Record:
    """Return a record with these last losses, by task and encoding, after a first epoch of loss 1."""
    arrays = {
        f"{task}/{name}/{part}": np.array([[1.0, loss] for loss in row], dtype=np.float32)
        for task, rows in losses.items()
        for name, row in rows.items()
        for part in ("validation_loss", "train_loss")
    }
    names = list(next(iter(losses.values())))
    options = {"window": 8, "concatenate": 16, "width": 64}
    about = {"training": {"epochs": 2}}
    return records.Record(
        arrays,
        {"tasks": dict.fromkeys(losses, about), "encodings": dict.fromkeys(names, options), "seeds": [0, 1]},
    )


def test_a_run_is_compared_with_the_baselines_run_of_the_same_seed() -> None:
    record = record_of({"copy": {"sinusoidal": [0.1, 0.5], "hybrid": [0.2, 0.25]}})
    assert 10.0 ** changes(record, "copy", ("hybrid",), "sinusoidal") == pytest.approx(np.array([[2.0, 0.5]]))


FEW = ("hybrid", "every_layer", "fast_to_slow")
BASE = {"sinusoidal": [0.1, 0.2]}
# Hybrid is better in every run on both tasks; the schedule is better, but no better than its control.
MADE_UP = {
    "half_sum": {**BASE, "hybrid": [0.05, 0.1], "every_layer": [0.05, 0.1], "fast_to_slow": [0.04, 0.15]},
    "copy": {**BASE, "hybrid": [0.08, 0.1], "every_layer": [0.1, 0.2], "fast_to_slow": [0.2, 0.3]},
}


def test_every_sentence_follows_from_the_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ablations.records, "load", lambda path: record_of(MADE_UP))

    class Few(Ablations):
        proposals = FEW

    said: list[str] = []

    class Heard(Few):
        def say(self, key: str, *also: object, **values: object) -> None:
            super().say(key, *also, **values)
            said.append(self._idea.text)

    construct(Heard, tmp_path)
    # One run each: three on half_sum are better; on copy hybrid is, every_layer is level, the schedule worse.
    assert any("4 of 6" in sentence for sentence in said)
    # Only every_layer on copy reaches the line.
    assert any("1 of 6" in sentence for sentence in said)
    assert any("every run: 4" in sentence and "every run: 1" in sentence for sentence in said)
    (against,) = (sentence for sentence in said if "first half" in sentence)
    assert "no change" in against and "copy worse" in against
    assert "hybrid" in said[-1] and "fast" not in said[-1]


def test_the_shot_ends_with_every_proposal_named(tmp_path: Path) -> None:
    last: list[str] = []

    def keep(scene: Ablations, name: str) -> None:
        last[:] = [text.text for text in texts_on_screen(scene)]

    construct(Ablations, tmp_path, at_section_end=keep)  # type: ignore[arg-type]
    assert {"hybrid", "attention window", "mixed frequencies", "in every layer"} <= set(last)


def test_the_shot_does_without_torch() -> None:
    check = "import sys, scenes.ablations; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, check=False).returncode == 0
