"""Paths and clouds: what is said of a learned table follows from it, and the pictures show its components."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from manim import tempconfig

from pe_math import frequencies, sinusoidal
from pe_math.training import records
from scenes.mobjects.cloud import Cloud, projected
from scenes.pca_trajectories import (
    PcaTrajectories,
    Training,
    View,
    neighbour_ratio,
    splits_in_halves,
    told_position,
)
from scenes.theme import DARK
from tests.scenes.harness import construct, texts_on_screen

COUNT, D = 16, 12
EPOCHS = np.array([0.0, 1.0, 4.0, 10.0])


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def random_table() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((COUNT, D))


def trained(change: np.ndarray) -> Training:
    """Return a training that adds ``change`` to a random table step by step."""
    return Training(EPOCHS, random_table() + np.linspace(0.0, 1.0, 4)[:, None, None] * change, 0.99)


def along(values: np.ndarray) -> np.ndarray:
    """Return a change in which each position moves along one direction by its value, and a little noise."""
    direction = np.eye(D)[2]
    return 0.2 * values[:, None] * direction + 0.005 * np.random.default_rng(4).standard_normal((COUNT, D))


HALVES = np.repeat([-1.0, 1.0], COUNT // 2)
LINE = np.linspace(-1.0, 1.0, COUNT)
SCATTERED = np.random.default_rng(8).permutation(LINE)


# What is measured


def test_neighbours_of_a_path_are_near_and_those_of_random_rows_are_not() -> None:
    path = sinusoidal.table(np.arange(64), frequencies.geometric(64))
    random = np.random.default_rng(0).standard_normal((64, 64))
    assert neighbour_ratio(path) < 0.4
    assert neighbour_ratio(random) == pytest.approx(1.0, abs=0.02)


def test_neighbours_on_a_line_are_a_third_of_its_length_nearer() -> None:
    # The mean distance of two of n equal steps is (n + 1) / 3 steps.
    assert neighbour_ratio(np.arange(8.0)[:, None]) == pytest.approx(3.0 / 9.0)


def test_a_linear_function_tells_a_line_but_not_noise() -> None:
    assert told_position(np.stack([LINE, SCATTERED], axis=1)) == pytest.approx(1.0)
    # Two groups tell the half: of the variance of n even steps, 3/4 (1 - 1/n²)⁻¹ lies between the halves.
    assert told_position(HALVES[:, None]) == pytest.approx(0.75 / (1.0 - 1.0 / COUNT**2))
    noise = np.random.default_rng(1).standard_normal((400, 3))
    assert told_position(noise) < 0.05


@pytest.mark.parametrize(
    ("values", "split"), [(HALVES, True), (-HALVES, True), (LINE, True), (SCATTERED, False)]
)
def test_halves_are_split_where_no_value_crosses(values: np.ndarray, split: bool) -> None:
    assert splits_in_halves(values) is split


@pytest.mark.parametrize(
    ("values", "verdict"),
    [(HALVES, "halves"), (np.abs(np.linspace(-0.4, 1.0, COUNT)), "order"), (SCATTERED, "nothing")],
)
def test_what_training_changed_is_told_from_the_change(values: np.ndarray, verdict: str) -> None:
    assert trained(along(values)).change_verdict() == verdict


def test_a_table_that_hardly_moves_is_still_a_cloud_and_one_that_becomes_a_path_is_not() -> None:
    assert trained(along(HALVES)).table_verdict() == "cloud"
    path = 3.0 * sinusoidal.table(np.arange(COUNT), frequencies.geometric(D))
    assert trained(path - random_table()).table_verdict() == "ordered"


def test_how_far_a_table_moved_is_a_share_of_its_vectors() -> None:
    assert trained(0.25 * random_table()).moved == pytest.approx(0.25)


def test_between_two_snapshots_a_table_and_its_epoch_lie_between() -> None:
    training = trained(along(LINE))
    middle = (training.tables[1] + training.tables[2]) / 2.0
    assert training.at(1.5) == pytest.approx(middle)
    assert training.epoch(1.5) == pytest.approx(2.5)
    assert training.at(3.0) == pytest.approx(training.tables[-1])


def test_axes_are_fitted_once_so_a_snapshot_is_seen_along_the_last_ones_components() -> None:
    training = trained(along(LINE))
    last = training.tables[-1] - training.tables[-1].mean(axis=0)
    _, _, directions = np.linalg.svd(last)
    for snapshot in (0.0, 2.0):
        seen = training.points(snapshot, less=0.0, near=0.0)
        expected = (training.at(snapshot) - training.tables[-1].mean(axis=0)) @ directions[:3].T
        assert np.abs(seen) == pytest.approx(np.abs(expected))


def test_less_the_start_nothing_is_left_at_first_and_the_change_at_last() -> None:
    training = trained(along(LINE))
    for near in (0.0, 1.0):
        assert training.points(0.0, less=1.0, near=near) == pytest.approx(np.zeros((COUNT, 3)))
    seen = training.points(3.0, less=1.0, near=1.0) / training.zoom
    assert np.abs(np.corrcoef(seen[:, 0], LINE)[0, 1]) > 0.99
    # Enlarged, the change is as large as the table, within the rounding down.
    whole, change = (np.linalg.norm(training.points(3.0, k, k), axis=1).max() for k in (0.0, 1.0))
    assert change <= 1.5 * whole


def test_a_view_shows_the_share_of_the_variance_that_lies_in_it() -> None:
    table = np.diag([3.0, 2.0, 1.0, 0.0]) @ np.eye(4)
    centred = table - table.mean(axis=0)
    variances = np.sort(np.linalg.eigvalsh(centred.T @ centred))[::-1]
    assert View.of(table).share == pytest.approx(variances[:3].sum() / variances.sum())


# The picture


def test_seen_from_the_front_the_first_component_goes_right_and_the_second_up() -> None:
    right, up, near = projected(0.01 * np.eye(3), turn=0.0)
    assert right == pytest.approx([0.01, 0.0, 0.0], rel=1e-2, abs=1e-6)
    assert up[0] == pytest.approx(0.0) and up[1] > 0.009
    assert near[0] == pytest.approx(0.0) and near[1] < 0.0


def test_a_quarter_turn_brings_the_third_component_to_the_right() -> None:
    near, right = projected([(0.0, 0.0, 0.01), (0.01, 0.0, 0.0)], turn=np.pi / 2.0)
    assert near == pytest.approx([0.01, 0.0, 0.0], abs=1e-5)
    assert abs(right[0]) < 1e-5


def test_a_whole_turn_changes_nothing_and_nearer_is_larger() -> None:
    points = np.random.default_rng(5).standard_normal((6, 3))
    assert projected(points, 0.7) == pytest.approx(projected(points, 0.7 + 2.0 * np.pi))
    far, near = projected([(1.0, 0.0, -2.0), (1.0, 0.0, 2.0)], turn=0.0)
    assert near[0] > 1.0 > far[0]


def test_a_cloud_shows_every_position_and_a_finer_way_between() -> None:
    points = np.random.default_rng(6).standard_normal((13, 3))
    cloud = Cloud(7, DARK, center=(1.0, 2.0, 0.0), unit=0.5, steps=2, bands=3).set_way(points, 0.4)
    assert cloud.places == pytest.approx(np.array([1.0, 2.0, 0.0]) + projected(0.5 * points[::2], 0.4))
    assert sum(max(0, len(join.vertices) - 1) for join in cloud.joins if len(join.points)) == 12


def test_a_path_is_shown_as_far_as_it_is_drawn() -> None:
    points = np.random.default_rng(6).standard_normal((13, 3))
    cloud = Cloud(7, DARK, steps=2, bands=3).set_way(points[:6], 0.0)
    assert cloud.places == pytest.approx(projected(points[:6:2], 0.0))


# The shot on small records


def recorded(folder: Path, **changes: np.ndarray) -> str:
    """Write a record of the two tasks, and return the name under which the shot finds it."""
    arrays: dict[str, Any] = {}
    for task, change in changes.items():
        losses = np.geomspace(1.0, 0.002, 10)[None]
        arrays |= {f"{task}/learned/{part}": losses for part in ("train_loss", "validation_loss")}
        arrays[f"{task}/learned/table"] = trained(change).tables
    training = {"epochs": 10, "snapshots": [0, 1, 4, 10]}
    document = {
        "seeds": [0],
        "tasks": {task: {"training": training} for task in changes},
        "encodings": {"learned": {}},
    }
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}
    records.save(folder / "small.safetensors", records.Record(arrays, document))
    return str(folder / "small")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_words_follow_from_the_record(language: str, tmp_path: Path) -> None:
    path = 3.0 * sinusoidal.table(np.arange(COUNT), frequencies.geometric(D)) - random_table()
    said: dict[str, str] = {}

    class Small(PcaTrajectories):
        record = recorded(tmp_path, half_sum=along(SCATTERED), weighted_sum=path)

    def look(scene: Any, section: str) -> None:
        said[section] = " ".join(getattr(text, "text", "") for text in texts_on_screen(scene))

    scene: Any = construct(Small, tmp_path, language, at_section_end=look)

    def phrase(key: str, **values: str) -> str:
        return str(scene.words(key, **values).text)

    moved = f"{100.0 * trained(along(SCATTERED)).moved:.0f}"
    assert phrase("cloud", moved=moved, score="0.998") in said["train"]
    assert phrase("nothing.half_sum") in said["subtract"]
    assert phrase("compare.ordered") in said["compare"]
    other = trained(path)
    told = f"{told_position(other.view_of_change.points(other.change)):.2f}"
    assert phrase(f"{other.change_verdict()}.weighted_sum", told=told) in said["other_task"]


# The tracked record


@pytest.mark.parametrize(
    ("task", "changed"), [("half_sum", {"halves"}), ("weighted_sum", {"order", "nothing"})]
)
def test_in_the_tracked_record_the_task_is_learned_while_the_table_stays_a_cloud(
    task: str, changed: set[str]
) -> None:
    training = Training.read(records.load(records.path_of("encoders")), task, "learned")
    assert training.score > 0.99
    assert training.table_verdict() == "cloud"
    assert training.moved < 0.1
    # Only the sum of the first half asks for two groups.
    assert training.change_verdict() in changed
