"""The loss race: its pictures read back against mathematics, and its words against the record."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manim import FadeOut, config, tempconfig
from manim.animation.animation import prepare_animation

from pe_math.training import records, tasks
from scenes.loss_race import LossRace, Results, Verdict, untrained_loss
from scenes.mobjects.held import held
from scenes.mobjects.number_row import NumberRow
from scenes.mobjects.race import LossAxes, Race, marks, pushed_apart, steady_orders
from scenes.mobjects.standings import Standings
from scenes.mobjects.symbol_row import SymbolRow
from scenes.mobjects.words import Words
from scenes.task_pictures import EXAMPLES, swapped, weights_of
from scenes.theme import DARK
from tests.scenes.harness import ROOT, box, construct, overlap, texts_on_screen

MODES = ("none", "rope", "shaw")


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> object:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def names() -> dict[str, Words]:
    return {mode: Words(mode, DARK, font_size=24) for mode in MODES}


def axes() -> LossAxes:
    return LossAxes(20, (0.001, 1.0), DARK, width=6.0, height=3.0)


def curves() -> dict[str, np.ndarray]:
    """Return median, low and high of three runners: two that run together, and one that stays behind."""
    epochs = np.arange(21.0)
    medians = {
        "none": np.maximum(0.5, 1.0 - 0.1 * epochs),
        "rope": 0.75**epochs,
        "shaw": 0.75**epochs * (1.0 + 0.05 * np.cos(np.pi * epochs)),
    }
    return {mode: np.stack([median, median / 1.2, median * 1.2]) for mode, median in medians.items()}


def race(first_span: float = 5.0) -> Race:
    return Race(curves(), names(), axes(), DARK, first_span=first_span)


# The axes


def test_each_decade_is_as_high_as_the_next_and_epochs_are_evenly_spaced() -> None:
    points = axes().points_at([0, 5, 10, 20], [1.0, 0.1, 0.01, 0.001])
    assert points[:, 1] == pytest.approx([1.5, 0.5, -0.5, -1.5])
    assert points[:, 0] == pytest.approx([-3.0, -1.5, 0.0, 3.0])


@pytest.mark.parametrize(
    ("span", "counts"), [(4.0, range(5)), (8.0, range(9)), (14.9, (0, 5, 10)), (20.0, (0, 5, 10, 15, 20))]
)
def test_the_right_edge_stands_for_the_span_and_counts_have_room(span: float, counts: range) -> None:
    picture = axes().set_span(span)
    assert picture.points_at(span, 1.0)[0, 0] == pytest.approx(3.0)
    seen = {count.text: count for count in picture.counts if count[0].get_fill_opacity() > 0.0}
    assert set(seen) == {str(count) for count in counts}
    for text, count in seen.items():
        assert count.get_x() == pytest.approx(-3.0 + 6.0 * int(text) / span)


def test_points_on_moved_axes_are_read_back_as_the_values_they_stand_for() -> None:
    moved = axes().shift([1.0, 2.0, 0.0]).set_span(7.0)
    epochs, losses = np.array([0.0, 3.5, 7.0]), np.array([0.9, 0.02, 0.001])
    read_epochs, read_losses = moved.values_at(moved.points_at(epochs, losses))
    assert read_epochs == pytest.approx(epochs)
    assert read_losses == pytest.approx(losses)


@pytest.mark.parametrize("losses", [(0.9, 1.1), (1.3, 6.0), (0.5, 0.7), (1e-4, 5.0)])
def test_however_narrow_the_range_the_numbered_losses_lie_in_it(losses: tuple[float, float]) -> None:
    numbered = marks(*losses)
    assert all(losses[0] <= loss <= losses[1] for loss in numbered)
    assert [words.text for words in LossAxes(3, losses, DARK, width=6.0, height=3.0).marks.numbers] == [
        f"{loss:g}" for loss in numbered
    ]


# The runners


@pytest.mark.parametrize("epoch", [0.0, 1.0, 2.5, 7.0, 20.0])
def test_a_curve_goes_through_its_medians_as_far_as_it_has_come(epoch: float) -> None:
    picture = race().set_epoch(epoch)
    known = np.arange(21)
    for mode, losses in curves().items():
        line = picture.runners[mode].line.vertices
        if epoch > 0.0:
            epochs, medians = picture.axes.values_at(line)
            assert epochs == pytest.approx([*range(int(np.ceil(epoch))), epoch])
            whole = epochs == np.rint(epochs)
            assert medians[whole] == pytest.approx(losses[0][np.rint(epochs[whole]).astype(int)])
        head_epoch, head_loss = picture.axes.values_at(picture.runners[mode].head.centers)
        assert head_epoch == pytest.approx([epoch])
        assert np.log(head_loss) == pytest.approx([np.interp(epoch, known, np.log(losses[0]))])


def test_halfway_between_two_epochs_the_head_is_at_their_geometric_mean() -> None:
    picture = race().set_epoch(2.5)
    _, loss = picture.axes.values_at(picture.runners["rope"].head.centers)
    assert loss == pytest.approx([np.sqrt(0.75**2 * 0.75**3)])


def test_the_band_runs_from_the_lowest_run_to_the_highest() -> None:
    picture = race().set_epoch(4.0)
    epochs, losses = picture.axes.values_at(picture.runners["rope"].band.vertices)
    assert epochs == pytest.approx([0, 1, 2, 3, 4, 4, 3, 2, 1, 0])
    assert losses[:5] == pytest.approx(0.75 ** np.arange(5.0) / 1.2)
    assert losses[:4:-1] == pytest.approx(0.75 ** np.arange(5.0) * 1.2)


@pytest.mark.parametrize("epoch", [0.0, 0.5, 0.8, 3.5, 7.25, 20.0])
def test_the_training_loss_of_an_epoch_stands_in_the_middle_of_it(epoch: float) -> None:
    training = 0.8 ** np.arange(1.0, 21.0)
    picture = Race(curves(), names(), axes(), DARK, first_span=20.0, behind={"rope": training})
    behind = picture.set_epoch(epoch).runners["rope"].behind.vertices
    if epoch <= 0.5:
        assert len(behind) == 0
        return
    epochs, losses = picture.axes.values_at(behind)
    middles = np.arange(20) + 0.5
    assert epochs == pytest.approx([*middles[middles < min(epoch, 19.5)], min(epoch, 19.5)])
    assert losses[:-1] == pytest.approx(training[: len(losses) - 1])


def test_a_board_that_is_held_fades_out_with_its_counts() -> None:
    picture = race()
    picture.add_updater(lambda picture: picture.set_epoch(20.0)).update()
    (count,) = (count for count in picture.axes.counts if count.text == "20")
    fade = FadeOut(held(picture))
    fade.begin()
    for share in (0.25, 0.5, 0.75):
        fade.update_mobjects(0.1)
        fade.interpolate(share)
        assert count[0].get_fill_opacity() < 1.0
    assert count[0].get_fill_opacity() < 0.5
    fade.finish()
    assert not picture.updating_suspended


def test_the_axes_widen_only_when_the_heads_reach_their_edge() -> None:
    picture = race(first_span=5.0)
    assert [picture.set_epoch(epoch).axes.span for epoch in (1.0, 5.0, 12.5)] == [5.0, 5.0, 12.5]


def test_the_picture_depends_on_the_epoch_alone() -> None:
    straight, roundabout = race().set_epoch(3.3), race().set_epoch(20.0).set_epoch(3.3)
    for one, other in zip(straight.get_family(), roundabout.get_family(), strict=True):
        assert one.points == pytest.approx(other.points, abs=1e-9)


def test_labels_never_overlap_and_stand_beside_the_heads() -> None:
    picture = race()
    labels = [runner.label for runner in picture.runners.values()]
    heads = [runner.head for runner in picture.runners.values()]
    for epoch in range(21):
        picture.set_epoch(epoch)
        for one, other in itertools.combinations(labels, 2):
            assert not overlap(box(one), box(other)), epoch
        assert min(label.get_left()[0] for label in labels) > max(head.get_right()[0] for head in heads)


@pytest.mark.parametrize("rest", [5, 20])
def test_where_the_race_rests_the_labels_stand_in_the_order_of_the_heads(rest: int) -> None:
    runners = race(first_span=5.0).set_epoch(rest).runners.values()
    heads, labels = ([getattr(runner, part).get_y() for runner in runners] for part in ("head", "label"))
    assert np.argsort(heads).tolist() == np.argsort(labels).tolist()


def test_speaking_of_a_runner_brings_out_its_band_and_no_other() -> None:
    picture = race()
    for animation in map(prepare_animation, picture.speak_of("rope")):
        animation.begin()
        animation.finish()
    opacity = {mode: runner.band.get_fill_opacity() for mode, runner in picture.runners.items()}
    assert opacity["rope"] > 2.0 * max(opacity["none"], opacity["shaw"])


# Labels that make room for each other

# No deadline: the machine may be busy rendering. No database: a test run leaves nothing behind.
calmly = settings(deadline=None, database=None, derandomize=True)
heights_ = st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=6).map(np.array)


def test_two_labels_on_one_spot_share_the_way_they_are_pushed() -> None:
    assert pushed_apart(np.array([1.0, 1.0]), [0, 1], 0.4, -9.0, 9.0) == pytest.approx([0.8, 1.2])


@calmly
@given(heights_)
def test_pushed_labels_keep_their_order_their_distance_and_their_mean(heights: np.ndarray) -> None:
    order = np.argsort(heights, kind="stable").tolist()
    placed = pushed_apart(heights, order, 0.3, -99.0, 99.0)
    assert (np.diff(placed[order]) >= 0.3 - 1e-9).all()
    assert placed.mean() == pytest.approx(heights.mean())
    if (np.diff(heights[order]) >= 0.3).all():
        assert placed == pytest.approx(heights)


@calmly
@given(heights_)
def test_pushed_labels_stay_inside_where_there_is_room(heights: np.ndarray) -> None:
    order = np.argsort(heights, kind="stable").tolist()
    placed = pushed_apart(heights, order, 0.3, -1.0, 1.0)
    assert placed.min() >= -1.0 - 1e-9 and placed.max() <= 1.0 + 1e-9


def test_labels_swap_only_when_their_curves_are_clearly_apart() -> None:
    together = np.array([[0.0, 1.0], [0.5, 0.4], [0.4, 0.5], [0.6, 0.4], [1.0, 0.0], [0.4, 0.5]])
    assert steady_orders(together, 0.3) == [[0, 1]] * 4 + [[1, 0]] * 2
    assert steady_orders(together, 0.3, exact=(1,))[:4] == [[0, 1], [1, 0], [1, 0], [1, 0]]


# The standings


def standings_of(runs: np.ndarray) -> Standings:
    """Return the table of ``runs`` (modes, seeds, epochs)."""
    ranks = records.ranks(runs)
    return Standings(names(), records.standings(ranks), ranks, np.median(runs, axis=1), DARK)


# Three seeds of each mode: at first the ranges overlap; then none falls behind; then it meets shaw again.
RUNS = np.array(
    [
        [[0.9, 0.8, 0.5], [1.0, 0.9, 0.6], [1.1, 1.0, 0.7]],
        [[0.9, 0.1, 0.1], [1.0, 0.2, 0.2], [1.2, 0.3, 0.3]],
        [[0.8, 0.4, 0.4], [1.0, 0.5, 0.5], [1.1, 0.6, 0.6]],
    ]
)


def test_spreads_that_overlap_share_a_rank_and_separated_ones_do_not() -> None:
    table = standings_of(RUNS)
    shown = [
        [row.rank.text for row in table.set_epoch(epoch).rows.values()] for epoch in (0.0, 0.9, 1.0, 2.0)
    ]
    assert shown == [["1", "1", "1"], ["1", "1", "1"], ["3", "1", "2"], ["2", "1", "2"]]


def test_rows_swap_when_their_runners_separate_and_stay_when_they_meet_again() -> None:
    table = standings_of(RUNS)
    first = table.rows["none"].get_y()
    orders = []
    for epoch in (0.0, 1.0, 2.0):
        rows = table.set_epoch(epoch).rows
        orders.append(sorted(MODES, key=lambda mode: -rows[mode].rank.points[0, 1]))
    assert orders == [["none", "rope", "shaw"], ["rope", "shaw", "none"], ["rope", "shaw", "none"]]
    assert table.set_epoch(0.0).rows["none"].get_y() == pytest.approx(first)


def test_a_row_is_halfway_down_when_the_epoch_is_halfway_over() -> None:
    table = standings_of(RUNS)
    tops = [table.set_epoch(epoch).rows["none"].rank.points[0, 1] for epoch in (0.0, 0.5, 1.0)]
    assert tops[0] - tops[2] == pytest.approx(2 * table.pitch)
    assert tops[1] == pytest.approx((tops[0] + tops[2]) / 2.0)


def test_rows_show_the_median_of_the_seeds() -> None:
    rows = standings_of(RUNS).set_epoch(1.0).rows
    assert [rows[mode].loss.text for mode in MODES] == ["0.9000", "0.2000", "0.5000"]


# The numbers and their sum

ORDER = np.random.default_rng(5).permutation(32)


def numbers_and_target(task: str) -> tuple[np.ndarray, float]:
    """Return one sequence as the models see it, and what they are to answer."""
    inputs, (target,) = tasks.load(task).draw(np.random.default_rng(5), 1, 32)
    return inputs[0, :, 0], float(target)


@pytest.mark.parametrize("task", ["signal_sum", "half_sum", "weighted_sum"])
def test_the_sum_shown_is_what_the_models_are_to_answer(task: str) -> None:
    numbers, target = numbers_and_target(task)
    row = NumberRow(numbers, ORDER, DARK).weigh(weights_of(task)(32))
    assert row.total() == pytest.approx(target, abs=1e-5)


def test_shuffling_keeps_the_sum_of_all_and_changes_the_sum_of_the_first_half() -> None:
    numbers, _ = numbers_and_target("signal_sum")
    row = NumberRow(numbers, ORDER, DARK)
    for shuffle in (0.0, 0.3, 0.7, 1.0):
        assert row.total(shuffle) == pytest.approx(numbers.sum(), abs=1e-5)
    row.weigh(weights_of("half_sum")(32))
    assert row.total(1.0) == pytest.approx(
        sum(n for n, slot in zip(numbers, ORDER, strict=True) if slot < 16)
    )


def test_the_sum_so_far_takes_the_slots_in_turn() -> None:
    row = NumberRow([1.0, 2.0, 4.0, 8.0], [0, 1, 2, 3], DARK).weigh([1.0, 1.0, 0.0, 1.0])
    assert [row.total(added=added) for added in (0, 1, 2, 3, 4)] == [0.0, 1.0, 3.0, 3.0, 11.0]


@pytest.mark.parametrize(
    ("shuffle", "slots"), [(0.0, [0, 1, 2, 3]), (0.5, [1, 2, 1, 2]), (1.0, [2, 3, 0, 1])]
)
def test_bars_are_as_high_as_their_numbers_and_stand_in_their_slots(shuffle: float, slots: list[int]) -> None:
    numbers = [1.0, -2.0, 0.5, 3.0]
    row = NumberRow(numbers, [2, 3, 0, 1], DARK, width=8.0, unit=0.1).set_state(shuffle)
    corners = np.concatenate([half.corners for half in row.halves])
    assert corners[:, [0, 2]].mean(axis=1) == pytest.approx([-3.0 + 2.0 * slot for slot in slots])
    assert corners[:, 3] - corners[:, 1] == pytest.approx([0.8 * number for number in numbers])


def test_the_floor_lies_under_the_slots_that_have_been_added_up() -> None:
    row = NumberRow(np.ones(4), [0, 1, 2, 3], DARK, width=8.0).weigh([1.0, 1.0, 0.0, 0.0])
    corners = row.set_state(added=1.5).floor.corners
    assert corners[:, 2] - corners[:, 0] == pytest.approx([2.0, 1.0, 0.0, 0.0])
    assert (corners[2:, 3] == corners[2:, 1]).all()


def test_a_scaled_row_keeps_its_bars_in_proportion() -> None:
    row = NumberRow([1.0, -1.0], [0, 1], DARK, width=4.0, unit=0.1).scale(0.5).move_to([3, 2, 0]).set_state()
    corners = np.concatenate([half.corners for half in row.halves])
    assert corners[:, 3] == pytest.approx([2.2, 1.8])


@pytest.mark.parametrize("task", ["order", "copy", "induction", "wikitext"])
def test_a_task_that_is_no_sum_has_no_weights(task: str) -> None:
    assert weights_of(task) is None


# Symbols


def symbols_in(order: list[float], task: str) -> str:
    """Return the symbols of the example of ``task`` as they are read from left to right."""
    symbols, _, _ = EXAMPLES[task]
    return "".join(symbols[k] for k in np.argsort(order))


@pytest.mark.parametrize("task", EXAMPLES)
@pytest.mark.parametrize("shuffle", [0.0, 1.0])
def test_each_example_is_a_sequence_of_its_task_in_either_order(task: str, shuffle: float) -> None:
    symbols, swaps, asked = EXAMPLES[task]
    row = SymbolRow(symbols, swapped(len(symbols), swaps), DARK).set_state(shuffle)
    read = symbols_in([symbol.get_x() for symbol in row.symbols], task)
    assert (read == symbols) == (shuffle == 0.0)
    assert sorted(read) == sorted(symbols)
    if task == "order":
        assert (read.index("A") < read.index("B")) == (shuffle == 0.0)
    if task == "copy":
        first, second = read.split("|")
        assert first == second and list(asked) == list(range(len(first) + 1, len(read)))
    if task == "induction":
        period = read.index(read[0], 1)
        assert len(set(read[:period])) == period
        assert all(read[slot] == read[slot - period] for slot in range(period, len(read)))
        assert list(asked) == list(range(period + 1, len(read)))


def test_what_is_asked_for_comes_when_its_turn_has_come() -> None:
    row = SymbolRow("ab|ab", range(5), DARK, asked=(3, 4))
    shown = [
        [symbol[0].get_fill_opacity() for symbol in row.set_state(added=added).symbols]
        for added in (0.0, 3.5, 5.0)
    ]
    assert shown == [[1, 1, 1, 0, 0], [1, 1, 1, 0.5, 0], [1, 1, 1, 1, 1]]


def test_symbols_stand_in_their_boxes_wherever_the_row_is_moved() -> None:
    row = SymbolRow("abcd", [0, 3, 2, 1], DARK, width=8.0).shift([1.0, 2.0, 0.0]).set_state(1.0)
    assert [symbol.get_x() for symbol in row.symbols] == pytest.approx([-2.0, 4.0, 2.0, 0.0])
    assert [symbol.get_y() for symbol in row.symbols] == pytest.approx([2.0] * 4)


# What the shot says


def results_of(metric: str = "R²", **runs: list[list[float]]) -> Results:
    """Return the results of a task with these validation losses, ``(seeds, epochs)`` by mode."""
    return Results.read(record_of(metric, **runs), "copy", tuple(runs))


def record_of(metric: str, **runs: list[list[float]]) -> records.Record:
    arrays: dict[str, np.ndarray] = {}
    for mode, losses in runs.items():
        arrays[f"copy/{mode}/validation_loss"] = np.array(losses)
        arrays[f"copy/{mode}/train_loss"] = 2.0 * np.array(losses)
        arrays[f"copy/{mode}/length_score"] = np.exp(-np.array(losses)[:, -1:])
    kind = "regression" if metric == "R²" else "language"
    about: dict[str, Any] = {"kind": kind, "metric": metric, "outputs": 17}
    return records.Record(arrays, {"tasks": {"copy": about}})


def approximately(**scores: float) -> Any:
    return pytest.approx(scores)


def test_every_race_starts_where_an_untrained_model_stands() -> None:
    results = results_of(none=[[0.5, 0.2], [0.6, 0.2], [1.0, 0.4]], rope=[[0.1, 0.3]] * 3)
    assert results.losses[:, :, 0] == pytest.approx(np.ones((2, 3)))
    assert results.losses[0, :, 1] == pytest.approx([0.6, 0.5, 1.0])  # median, low, high
    assert results.ranks.tolist() == [[1, 2, 1], [1, 1, 1]]
    assert results.epochs == 2
    assert results.training[0] == pytest.approx([1.2, 0.4])


def test_an_untrained_classifier_gives_every_answer_the_same_chance() -> None:
    results = results_of("accuracy", none=[[0.5], [0.6]])
    assert results.losses[:, :, 0] == pytest.approx(np.full((1, 3), np.log(17)))
    assert untrained_loss(record_of("nats", none=[[0.5]]), "copy") == pytest.approx(np.log(17))
    assert untrained_loss(record_of("R²", none=[[0.5]]), "copy") == 1.0


@pytest.mark.parametrize(("metric", "score"), [("R²", 0.8), ("accuracy", np.exp(-0.2)), ("nats", 0.2)])
def test_scores_are_told_in_the_tasks_own_metric(metric: str, score: float) -> None:
    assert results_of(metric, rope=[[0.5, 0.2], [0.6, 0.2], [1.0, 0.2]]).scores == pytest.approx([score])


def test_the_leader_has_the_lowest_median() -> None:
    results = results_of(none=[[0.5, 0.2], [0.7, 0.2]], rope=[[0.1, 0.9], [0.2, 0.1]])
    assert [results.leader(epoch) for epoch in (1, 2)] == ["rope", "none"]


def test_a_race_whose_spreads_overlap_is_told_as_one_that_nobody_wins() -> None:
    results = results_of(none=[[0.5, 0.002], [0.5, 0.004]], rope=[[0.1, 0.003], [0.1, 0.001]])
    assert results.verdict() == Verdict("tie", ("none", "rope"), approximately(low=0.997, high=0.998))


def test_having_no_encoding_is_unbeaten_while_none_separates_from_it() -> None:
    results = results_of(none=[[0.002], [0.004]], rope=[[0.003], [0.001]], shaw=[[0.01], [0.02]])
    assert results.verdict() == Verdict("unbeaten", ("none",), approximately(low=0.985, high=0.998))


def test_one_that_falls_behind_is_named_with_its_score() -> None:
    results = results_of(rope=[[0.01], [0.03]], none=[[0.2], [0.3]], shaw=[[0.1], [0.1]])
    assert results.verdict() == Verdict("behind", ("none",), approximately(score=0.75, low=0.9, high=0.98))


def test_runs_that_scatter_widely_lift_nobody_to_first_place() -> None:
    results = results_of(rope=[[0.01], [0.02]], shaw=[[0.015], [0.7]], none=[[0.69], [0.69]])
    assert results.ranks[:, -1].tolist() == [1, 1, 1]
    assert results.verdict() == Verdict("chain", ("rope", "shaw"), {})


def test_a_race_without_one_loser_names_those_in_first_place() -> None:
    results = results_of(rope=[[0.01], [0.02]], none=[[0.2], [0.3]], shaw=[[0.25], [0.35]])
    assert results.verdict() == Verdict("apart", ("rope",), {})


# The tracked record, and what the shot says of it


@pytest.fixture(scope="module")
def recorded() -> records.Record:
    return records.load(records.path_of(LossRace.record))


def test_on_the_sum_of_all_nobody_wins_though_the_early_curves_lie_apart(recorded: records.Record) -> None:
    results = Results.read(recorded, "signal_sum", LossRace.modes)
    assert results.verdict().key in ("tie", "unbeaten")
    assert results.scores.min() > 0.997
    assert results.leader(LossRace.early) != "none"
    assert results.apart(LossRace.early) > 10.0 * results.apart(results.epochs)


def test_on_the_sum_of_the_first_half_having_no_encoding_loses(recorded: records.Record) -> None:
    results = Results.read(recorded, "half_sum", LossRace.modes)
    verdict = results.verdict()
    assert (verdict.key, verdict.modes) == ("behind", ("none",))
    assert verdict.scores["score"] == pytest.approx(0.75, abs=0.05)
    assert verdict.scores["low"] > 0.9
    scores = dict(zip(results.modes, results.scores, strict=True))
    assert min(scores[mode] for mode in ("sinusoidal", "learned", "rope")) > 0.99


def test_the_end_of_the_race_shows_what_the_record_holds() -> None:
    record = records.load(records.path_of(LossRace.record))
    seen: dict[str, list[str]] = {}
    construct(
        LossRace,
        Path(config.media_dir),
        at_section_end=lambda scene, name: seen.update(
            {name: [text.text for text in texts_on_screen(scene)]}
        ),
    )
    for task in LossRace.tasks:
        losses = np.stack([record.array(task, mode, "validation_loss") for mode in LossRace.modes])
        medians = np.median(losses, axis=1)
        assert {f"{median:.4f}" for median in medians[:, -1]} <= set(seen[f"{task}_finish"])
        assert str(medians.shape[1]) in seen[f"{task}_finish"]
        assert {f"{1.0 - median:.4f}" for median in medians[:, -1]} <= set(seen["compare"])


def test_a_variant_is_a_subclass_of_a_few_lines() -> None:
    class HalfRace(LossRace):
        tasks = ("half_sum",)
        modes = ("none", "rope")

    sections: list[str] = []
    scene = construct(HalfRace, Path(config.media_dir), at_section_end=lambda _, name: sections.append(name))
    assert sections == [
        "half_sum_task",
        "half_sum_start",
        "half_sum_finish",
        "half_sum_why",
    ]  # nothing to compare
    assert set(scene.race.runners) == {"none", "rope"}  # type: ignore[attr-defined]


def test_the_shot_does_without_torch() -> None:
    check = "import sys, scenes.loss_race; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, check=False).returncode == 0
