"""The race beyond the trained length: its chart read back, and its words against records made up here."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from manim import tempconfig

from pe_math.training import records
from scenes.extrapolation_race import ExtrapolationRace, LengthResults, everywhere
from scenes.mobjects.length_chart import CELLS, Frame, LengthChart
from scenes.mobjects.words import Words
from scenes.theme import DARK
from tests.scenes.harness import ROOT, box, construct, overlap, texts_on_screen

LENGTHS = (40, 80, 160)
TICKS = {"0": 0.0, "1": 1.0}


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> object:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def chart(ticks: dict[str, float] = TICKS, **medians: list[float]) -> LengthChart:
    """Return a chart of these medians, each with a range of a tenth to either side."""
    medians = medians or {"rope": [1.0, 0.6, 0.2], "alibi": [0.9, 0.8, 0.7]}
    scores = {
        mode: np.stack([np.array(row), np.array(row) - 0.1, np.array(row) + 0.1])
        for mode, row in medians.items()
    }
    names = {mode: Words(mode, DARK, font_size=24) for mode in scores}
    return LengthChart(LENGTHS, scores, names, DARK, ticks=ticks)


# The chart


def test_lengths_are_evenly_spaced_from_zero_and_the_best_score_is_on_top() -> None:
    frame = Frame(-5.0, -1.0, 8.0, 3.0, 160.0, worst=4.0, best=1.0)
    points = frame.points([0.0, 40.0, 160.0, 160.0], [4.0, 2.5, 1.0, 9.0])
    assert points[:, 0] == pytest.approx([-5.0, -3.0, 3.0, 3.0])
    assert points[:, 1] == pytest.approx([-1.0, 0.5, 2.0, -1.0])  # worse than the worst stands at the bottom


@pytest.mark.parametrize("length", [40.0, 47.0, 80.0, 120.0, 160.0])
def test_the_strip_is_as_long_as_the_sequence_and_bright_where_it_was_trained(length: float) -> None:
    picture = chart().set_length(length)
    left = picture.frame.points(0.0, 0.0)[0, 0]
    trained, front = (picture.frame.points(each, 0.0)[0, 0] for each in (40.0, length))
    assert len(picture.trained.corners) == CELLS
    assert picture.trained.corners[0, 0] == pytest.approx(left)
    assert picture.trained.corners[-1, 2] < trained
    if length > 40.0:
        assert picture.beyond.corners[0, 0] == pytest.approx(trained)
        assert front - 0.2 * (trained - left) < picture.beyond.corners[-1, 2] <= front + 1e-9
    assert picture.front.starts[0, 0] == pytest.approx(front)


def test_what_was_never_seen_is_shaded_to_the_longest_length() -> None:
    picture = chart()
    (left, _, _), (right, _, _) = picture.frame.points([40.0, 160.0], 0.0)
    assert picture.never.corners[0, [0, 2]] == pytest.approx([left, right])


@pytest.mark.parametrize(("length", "tests"), [(40.0, 1), (79.0, 1), (80.0, 2), (130.0, 2), (160.0, 3)])
def test_dots_and_ranges_stand_where_it_was_tested_and_nowhere_else(length: float, tests: int) -> None:
    runner = chart().set_length(length).runners["rope"]
    wanted = np.array([1.0, 0.6, 0.2])[:tests]
    expected = runner.frame.points(LENGTHS[:tests], wanted) + runner.aside
    assert runner.dots.centers == pytest.approx(expected)
    lows = runner.frame.points(LENGTHS[:tests], wanted - 0.1) + runner.aside
    highs = runner.frame.points(LENGTHS[:tests], np.minimum(wanted + 0.1, 1.0)) + runner.aside
    assert runner.ranges.starts == pytest.approx(lows) and runner.ranges.ends == pytest.approx(highs)
    assert runner.value.value == wanted[-1]


def test_between_two_tests_the_line_is_straight() -> None:
    runner = chart().set_length(120.0).runners["rope"]
    assert runner.line.vertices[-1] == pytest.approx((runner.frame.points(120.0, 0.4) + runner.aside)[0])


def test_the_chart_depends_on_the_length_alone() -> None:
    straight, roundabout = chart().set_length(100.0), chart().set_length(160.0).set_length(100.0)
    for one, other in zip(straight.get_family(), roundabout.get_family(), strict=True):
        assert one.points == pytest.approx(other.points, abs=1e-9)


@pytest.mark.parametrize("length", [40, 59, 80, 97, 130, 160])
def test_labels_stand_apart_in_the_order_of_their_scores(length: int) -> None:
    medians = {
        "rope": [1.0, 0.6, -9.0],
        "alibi": [0.99, 0.8, 0.7],
        "t5": [0.98, 0.55, -5.0],
        "none": [0.5] * 3,
    }
    picture = chart(**medians).set_length(length)
    now = {mode: np.interp(length, LENGTHS, row) for mode, row in medians.items()}
    labels = [picture.runners[mode].label for mode in medians]
    for one, other in itertools.combinations(labels, 2):
        assert not overlap(box(one), box(other))
    heights = {mode: picture.runners[mode].value.get_y() for mode in medians}
    assert sorted(medians, key=heights.__getitem__) == sorted(medians, key=now.__getitem__)


def test_where_less_is_better_the_least_loss_stands_on_top() -> None:
    picture = chart({"3": 3.0, "1": 1.0}, rope=[1.5, 2.0, 2.8], alibi=[1.6, 1.6, 1.6]).set_length(160.0)
    heights = {mode: runner.label.get_y() for mode, runner in picture.runners.items()}
    assert heights["alibi"] > heights["rope"]


def test_the_promise_is_a_level_line_at_the_trained_score() -> None:
    picture = chart()
    line = picture.promise("alibi", DARK.text)
    assert line.starts[:, 1] == pytest.approx(picture.frame.points(40.0, 0.9)[0, 1])
    assert line.starts[0, 0] == pytest.approx(picture.frame.points(40.0, 0.0)[0, 0])


# What is said


def record_of(metric: str, **scores: list[list[float]]) -> records.Record:
    """Return a record with these scores, or losses in nats, ``(seeds, lengths)`` by mode."""
    part = "length_loss" if metric == "nats" else "length_score"
    arrays = {f"task/{mode}/{part}": np.array(rows) for mode, rows in scores.items()}
    return records.Record(arrays, {"tasks": {"task": {"metric": metric, "lengths": list(LENGTHS)}}})


def results_of(metric: str, **scores: list[list[float]]) -> LengthResults:
    return LengthResults.read(record_of(metric, **scores), "task", tuple(scores))


def test_first_place_is_shared_while_ranges_overlap() -> None:
    results = results_of(
        "accuracy", rope=[[1.0, 0.5, 0.1], [0.9, 0.7, 0.2]], alibi=[[0.95, 0.6, 0.8], [0.97, 0.4, 0.9]]
    )
    assert [results.first(place) for place in range(3)] == [("rope", "alibi"), ("rope", "alibi"), ("alibi",)]
    assert results.best(-1) == pytest.approx(0.85)
    assert results.fell("rope") and results.fell("alibi")
    assert not results_of("accuracy", rope=[[0.9, 0.9, 0.9], [0.95, 0.9, 0.8]]).fell("rope")


def test_of_losses_the_lowest_is_the_best() -> None:
    results = results_of("nats", rope=[[1.5, 2.0, 2.9]], alibi=[[1.6, 1.6, 1.6]])
    assert [results.first(place) for place in range(3)] == [("rope",), ("alibi",), ("alibi",)]
    assert results.best(0) == 1.5 and results.score("rope", -1) == 2.9
    assert results.fell("rope") and not results.fell("alibi")


@pytest.mark.parametrize(
    ("metric", "scores", "ticks"),
    [
        ("accuracy", [[0.9, 0.5, 0.1]], [0.0, 0.5, 1.0]),
        ("nats", [[1.55, 2.1, 2.9]], [3.0, 2.5, 2.0, 1.5]),
        ("R²", [[0.9, 0.4, -0.2]], [-0.5, 0.0, 0.5, 1.0]),
        ("R²", [[0.9, 0.4, -7.0]], [-1.0, -0.5, 0.0, 0.5, 1.0]),
    ],
)
def test_ticks_go_from_the_worst_score_to_the_best(
    metric: str, scores: list[list[float]], ticks: list[float]
) -> None:
    marked = results_of(metric, rope=scores).ticks()
    assert list(marked.values()) == ticks
    assert next(iter(marked)).startswith("≤") == (np.min(scores) < -1.0)


def test_who_is_first_everywhere_is_first_in_each_place() -> None:
    assert everywhere([("a", "b"), ("b", "c"), ("b",)]) == ("b",)
    assert everywhere([("a",), ("b", "c")]) == ()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what stands on screen as each section of the shot ends."""
    seen: dict[str, list[str]] = {}
    construct(
        ExtrapolationRace,
        tmp_path_factory.mktemp("media"),
        at_section_end=lambda scene, name: seen.update(
            {name: [text.text for text in texts_on_screen(scene)]}
        ),
    )
    return seen


def test_the_numbers_on_screen_are_the_records(told: dict[str, list[str]]) -> None:
    for name in ExtrapolationRace.sources:
        record = records.load(records.path_of(name))
        for task in set(record.tasks) & set(ExtrapolationRace.tasks):
            part = "length_loss" if record.document["tasks"][task]["metric"] == "nats" else "length_score"
            for mode in ExtrapolationRace.modes:
                first, *_, last = np.median(record.array(task, mode, part).astype(float), axis=0)
                shown = {
                    key: f"{round(score, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
                    for key, score in {"trained": first, "longer": last}.items()
                }
                assert all(number in told[f"{task}_{key}"] for key, number in shown.items())


def test_the_table_names_who_is_first(told: dict[str, list[str]]) -> None:
    named = {"none": "no encoding", "shaw": "Shaw", "t5": "T5", "alibi": "ALiBi", "rope": "RoPE"}
    wanted: dict[str, int] = {}
    for name in ExtrapolationRace.sources:
        record = records.load(records.path_of(name))
        for task in set(record.tasks) & set(ExtrapolationRace.tasks):
            results = LengthResults.read(record, task, ExtrapolationRace.modes)
            for first in map(results.first, range(3)):
                words = (
                    [named.get(mode, mode) for mode in first]
                    if len(first) <= 2
                    else [f"{len(first)} share it"]
                )
                for word in words:
                    wanted[word] = wanted.get(word, 0) + 1
    assert {word: told["answer"].count(word) for word in wanted} == wanted


# The tracked records


def test_whoever_is_best_at_the_trained_length_need_not_be_at_a_longer_one() -> None:
    results = LengthResults.read(
        records.load(records.path_of("encoders")), "half_sum", ExtrapolationRace.modes
    )
    assert {"sinusoidal", "learned"} <= set(results.first(0)) and "alibi" not in results.first(0)
    assert "alibi" in results.first(1) and not {"sinusoidal", "learned"} & set(results.first(1))
    assert results.fell("rope") and results.score("rope", 0) > 0.99 > 0.5 > results.score("rope", 1)
    assert results.score("sinusoidal", 1) < 0.15 < results.score("none", 1)


def test_one_sided_slopes_know_at_every_length_which_mark_comes_first() -> None:
    record = records.load(records.path_of("encoders"))
    results = LengthResults.read(record, "order", ("none", "sinusoidal", "alibi", "alibi_one_sided", "rope"))
    assert all(results.score("alibi_one_sided", place) > 0.99 for place in range(3))
    assert all(abs(results.score(mode, 0) - 0.5) < 0.1 for mode in ("none", "alibi"))
    assert results.first(2) == ("alibi_one_sided",)


def test_copying_far_beyond_the_trained_length_is_kept_by_slopes_and_lost_by_rope() -> None:
    record = records.load(records.path_of("decoders"))
    results = LengthResults.read(record, "copy", ExtrapolationRace.modes)
    assert results.score("alibi", 2) > 0.9 and "alibi" in results.first(2)
    assert results.fell("rope") and results.score("rope", 0) > 0.99 > 0.5 > results.score("rope", 2)
    assert all(results.score(mode, 2) < 0.5 for mode in ("none", "sinusoidal", "learned", "t5"))


def test_longer_text_raises_the_loss_of_tables_and_rope_and_not_of_slopes() -> None:
    record = records.load(records.path_of("decoders"))
    results = LengthResults.read(record, "wikitext", ExtrapolationRace.modes)
    assert abs(results.score("alibi", 3) - results.score("alibi", 0)) < 0.1
    assert all(
        results.score(mode, 3) > results.score(mode, 0) + 0.4 for mode in ("sinusoidal", "learned", "rope")
    )
    assert results.score("rope", 0) < results.score("alibi", 0) < results.score("rope", 3)


def test_the_shot_does_without_torch() -> None:
    check = "import sys, scenes.extrapolation_race; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, check=False).returncode == 0
