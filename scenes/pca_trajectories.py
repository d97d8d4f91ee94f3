"""Tables of positions along their principal components: a path that is built, a cloud that is learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from manim import (
    DOWN,
    RIGHT,
    UP,
    FadeIn,
    FadeOut,
    Mobject,
    ReplacementTransform,
    ValueTracker,
    VGroup,
    linear,
)

from pe_math import projection, similarity, sinusoidal
from pe_math.training import records
from scenes.hands import HandsScene
from scenes.mobjects.cloud import Cloud, PositionLegend
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter

Array = npt.NDArray[np.float64]

TASKS = ("half_sum", "weighted_sum")
COMPONENTS = 3
LEFT_HALF, RIGHT_HALF, RADIUS = (-3.3, 0.25, 0.0), (3.3, 0.25, 0.0), 1.9
SMALL = 1.1  # the radius of the pictures that stand side by side in the end
# Neighbours of a random table are as far apart as any two of its positions; those of a path are much nearer.
AS_RANDOM = 0.9
# How well the three components must tell the position (R² of a linear function of them) to be in order.
# Of random rows they tell a tenth.
IN_ORDER = 0.6


@dataclass(frozen=True)
class View:
    """A table's own three principal components: how it looks, and how much of its variance they show."""

    middle: Array
    directions: Array
    share: float

    @classmethod
    def of(cls, table: npt.ArrayLike) -> Self:
        """Fit the components of ``table`` ``(positions, d)``."""
        _, directions, shares = projection.pca(table, COMPONENTS)
        return cls(np.asarray(table, dtype=float).mean(axis=0), directions, float(shares.sum()))

    def points(self, table: npt.ArrayLike) -> Array:
        """Return where the rows of a table, this or another of as many dimensions, stand along them."""
        return np.asarray((np.asarray(table) - self.middle) @ self.directions.T)


@dataclass(frozen=True)
class Training:
    """A learned table on its way: ``tables`` ``(snapshots, positions, d)`` after the ``epochs`` of each."""

    epochs: Array
    tables: Array
    score: float

    @classmethod
    def read(cls, record: records.Record, task: str, mode: str) -> Self:
        """Read the tables of the first seed, and the R² that it reached."""
        epochs = np.asarray(record.document["tasks"][task]["training"]["snapshots"], dtype=float)
        loss = record.array(task, mode, "validation_loss")[0, -1]
        return cls(epochs, record.array(task, mode, "table").astype(float), 1.0 - float(loss))

    def at(self, snapshot: float) -> Array:
        """Return the table at a snapshot; fractions lie on the straight way between two."""
        before = min(int(snapshot), len(self.tables) - 2)
        share = snapshot - before
        return np.asarray((1.0 - share) * self.tables[before] + share * self.tables[before + 1])

    def epoch(self, snapshot: float) -> float:
        """Return the epoch of a snapshot, or between two."""
        return float(np.interp(snapshot, np.arange(len(self.epochs)), self.epochs))

    @cached_property
    def change(self) -> Array:
        """What training has changed, ``(positions, d)``."""
        return np.asarray(self.tables[-1] - self.tables[0])

    @cached_property
    def view(self) -> View:
        """The view of the trained table."""
        return View.of(self.tables[-1])

    @cached_property
    def view_of_change(self) -> View:
        """The view of what training has changed."""
        return View.of(self.change)

    @cached_property
    def zoom(self) -> float:
        """How many times the change must be enlarged to be as large as the table, rounded down."""
        whole, change = self.view.points(self.tables[-1]), self.view_of_change.points(self.change)
        return float(np.floor(reach(whole) / reach(change)))

    def points(self, snapshot: float, less: float, near: float) -> Array:
        """Return where the positions are seen, ``(positions, 3)``.

        ``less``, 0 to 1, takes away where they began; ``near``, 0 to 1, comes nearer to what is left, by
        `zoom`, and turns to its own components.
        """
        start, now = self.tables[0], self.at(snapshot)
        far = self.view.points(now) - less * self.view.points(start)
        enlarged = self.zoom * (now - start) @ self.view_of_change.directions.T
        return np.asarray((1.0 - near) * far + near * enlarged)

    @property
    def moved(self) -> float:
        """How far a position has moved on average, as a share of its vector's length at the start."""
        lengths = np.linalg.norm(self.tables[0], axis=1)
        return float((np.linalg.norm(self.change, axis=1) / lengths).mean())

    def table_verdict(self) -> str:
        """Return the key of the sentence on the trained table: still a cloud, or not."""
        return "cloud" if neighbour_ratio(self.tables[-1]) > AS_RANDOM else "ordered"

    def change_verdict(self) -> str:
        """Return the key of the sentence on the change: two halves, an order, or neither."""
        points = self.view_of_change.points(self.change)
        if splits_in_halves(points[:, 0]):
            return "halves"
        return "order" if told_position(points) >= IN_ORDER else "nothing"


def reach(points: Array) -> float:
    """Return how far the farthest of ``points`` ``(n, k)`` is from their middle."""
    return float(np.linalg.norm(points, axis=1).max())


def neighbour_ratio(table: npt.ArrayLike) -> float:
    """Return the mean distance of neighbours over that of all pairs of positions: near 1 for random rows.

    >>> round(neighbour_ratio([[0.0], [1.0], [2.0]]), 3)
    0.75
    """
    rows = np.asarray(table, dtype=float)
    distances = np.linalg.norm(rows[:, None] - rows, axis=-1)
    count = len(rows)
    return float(similarity.neighbour_distance(rows).mean() / (distances.sum() / (count * (count - 1))))


def splits_in_halves(values: npt.ArrayLike) -> bool:
    """Tell whether all ``values`` of the first half lie on one side of all of the second.

    >>> splits_in_halves([3.0, 4.0, 1.0, 2.0]), splits_in_halves([1.0, 3.0, 2.0, 4.0])
    (True, False)
    """
    first, second = np.array_split(np.asarray(values), 2)
    return bool(first.max() < second.min() or second.max() < first.min())


def told_position(points: npt.ArrayLike) -> float:
    """Return how well a linear function of ``points`` ``(n, k)`` tells the position, as R²: 1 is exactly.

    >>> round(told_position([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), 12)
    1.0
    """
    rows = np.asarray(points, dtype=float)
    positions = np.arange(len(rows), dtype=float)
    inputs = np.column_stack([rows, np.ones(len(rows))])
    weights, *_ = np.linalg.lstsq(inputs, positions, rcond=None)
    return float(1.0 - np.var(positions - inputs @ weights) / np.var(positions))


class PcaTrajectories(HandsScene):
    """The sinusoidal table's path through its first three principal components, and learned tables' clouds.

    The learned tables are recorded from training on ``tasks``. Axes are fitted once, to the trained table (or
    to all that training has changed), so whatever moves is the table. What is said is computed from them.
    """

    record: str = "encoders"
    mode: str = "learned"
    tasks: Annotated[tuple[str, ...], Parameter("tasks of the trainings, in order", choices=TASKS)] = TASKS
    pace: Annotated[float, Parameter("radians a second by which the view turns", low=0, high=0.5)] = 0.12
    seconds: Annotated[float, Parameter("of each training", low=1, high=60)] = 7.0
    steps = 8  # points of the smooth path for each position
    resting = 0.5  # where the view rests in the end

    def check(self) -> None:
        """Read the trainings, whose tables say how many frequencies there are."""
        recorded = records.load(records.path_of(self.record))
        self.trainings = {task: Training.read(recorded, task, self.mode) for task in self.tasks}
        self.training = self.trainings[self.tasks[0]]
        self.count, d = self.training.tables[0].shape
        self.frequencies = self.chosen_frequencies(d)

    def setup(self) -> None:
        """Put the axes on screen, with position 0 alone."""
        super().setup()
        self.fixed = sinusoidal.table(np.arange(self.count), self.frequencies)
        fine = np.linspace(0, self.count - 1, (self.count - 1) * self.steps + 1)
        self.way = sinusoidal.table(fine, self.frequencies)
        self.view, self.drawn, self.snapshot = ValueTracker(0.3), ValueTracker(0.0), ValueTracker(0.0)
        self.less, self.near = ValueTracker(0.0), ValueTracker(0.0)
        self.legend = PositionLegend(
            self.count, self.words("position", role="dim", font_size=24), self.theme
        ).move_to(UP * 2.85)
        self.path = self.make_path((0.0, 0.25, 0.0), RADIUS)
        self.add(self.legend, self.path)

    def construct(self) -> None:
        """Tell the story."""
        self.draw_path()  # the sinusoidal table is a smooth path, as it is built
        self.ask()  # a learned table starts as a cloud: will training make a path of it?
        self.train()  # it hardly moves
        self.subtract()  # take away where it began: what did training change?
        for task in self.tasks[1:]:
            self.train_again(task)  # on another task, it changes something else
        self.compare()  # all side by side

    # What the trackers say

    def table(self) -> Array:
        """Return the learned table now."""
        return self.training.at(self.snapshot.get_value())

    def unit(self, radius: float) -> float:
        """Return the length on screen of 1, the same for all whole tables, that lets them fill ``radius``."""
        tables = [self.fixed, *(training.tables[-1] for training in self.trainings.values())]
        return radius / max(reach(View.of(table).points(table)) for table in tables)

    # What is on screen

    def make_path(self, center: Any, radius: float) -> Cloud:
        """Return the sinusoidal table's path, as far as it is drawn."""
        cloud = Cloud(
            self.count,
            self.theme,
            center=center,
            unit=self.unit(radius),
            reach=radius,
            steps=self.steps,
        )
        points = View.of(self.fixed).points(self.way)
        cloud.add_updater(
            lambda cloud: cloud.set_way(
                points[: int(self.drawn.get_value() * self.steps + 1e-9) + 1], self.view.get_value()
            )
        )
        return cloud.update()

    def make_cloud(self, training: Training) -> Cloud:
        """Return a learned table's cloud on the right, as the trackers say."""
        cloud = Cloud(self.count, self.theme, center=RIGHT_HALF, unit=self.unit(RADIUS), reach=RADIUS)
        cloud.add_updater(
            lambda cloud: cloud.set_way(
                training.points(self.snapshot.get_value(), self.less.get_value(), self.near.get_value()),
                self.view.get_value(),
            )
        )
        return cloud.update()

    def make_small(self, points: Array, center: Any, steps: int = 1) -> Cloud:
        """Return a small cloud of points that nothing but the view moves."""
        cloud = Cloud(
            self.count,
            self.theme,
            center=center,
            unit=self.unit(SMALL),
            reach=SMALL,
            steps=steps,
            numbered=False,
        )
        cloud.add_updater(lambda cloud: cloud.set_way(points, self.view.get_value()))
        return cloud.update()

    def make_ratio(self, x: float, ratio: Callable[[], float]) -> VGroup:
        """Return in words and as a number how near neighbours are; ``ratio`` is asked each frame."""
        word = self.words("neighbours", role="dim", font_size=24).move_to((x - 0.35, -1.9, 0.0))
        number = Readout(form="{:.2f}", font_size=30, color=self.theme.text)
        number.place_at(word.get_right() + RIGHT * 0.15 + DOWN * 0.11)
        number.add_updater(lambda number: number.set_value(ratio()))
        return VGroup(word, number.update())

    def make_share(self, x: float, share: float) -> Words:
        """Return the words that say how much of the variance the three components show."""
        words = self.words("share", role="dim", font_size=24, share=f"{100.0 * share:.0f}")
        return words.move_to((x, -2.3, 0.0))

    def make_heading(self, key: str, x: float, **values: Any) -> Words:
        """Return the words above a picture."""
        return self.words(key, font_size=28, **values).move_to((x, 2.35, 0.0))

    def make_epoch(self, training: Training) -> VGroup:
        """Return the words above the learned table, with the epoch that counts."""
        word = self.make_heading("learned_epoch", RIGHT_HALF[0] - 0.2)
        number = Readout(font_size=34, color=self.theme.color(self.mode))
        number.place_at(word.get_right() + RIGHT * 0.2 + DOWN * 0.13)
        number.add_updater(
            lambda number: number.set_value(int(training.epoch(self.snapshot.get_value()) + 1e-9))
        )
        return VGroup(word, number.update())

    def make_grid(self) -> list[Mobject]:
        """Return all tables beside each other, small, and what their numbers mean."""
        first = self.trainings[self.tasks[0]]
        cells = [
            ("small.sinusoidal", self.fixed, View.of(self.fixed).points(self.way), self.steps),
            ("small.start", first.tables[0], first.points(0.0, 0.0, 0.0), 1),
            ("small.end", first.tables[-1], first.points(len(first.tables) - 1.0, 0.0, 0.0), 1),
        ]
        for task, training in self.trainings.items():
            seen = training.points(len(training.tables) - 1.0, 1.0, 1.0)
            cells.append((f"small.{task}", training.change, seen, 1))
        places = [(x, y, 0.0) for y in (1.2, -1.35) for x in (-4.25, 0.0, 4.25)]
        grid: list[Mobject] = []
        for (key, table, points, steps), place in zip(cells, places, strict=False):
            words = self.words(key, font_size=24, ratio=f"{neighbour_ratio(table):.2f}")
            grid += [self.make_small(points, place, steps), words.move_to(place + UP * 1.22)]
        note = self.words("small.note", role="dim", font_size=24).move_to(places[len(cells)])
        return [*grid, note]

    def turning(self, *animations: Any, seconds: float) -> None:
        """Play ``animations`` for so long while the view turns on."""
        turn = self.view.animate(rate_func=linear).increment_value(self.pace * seconds)  # type: ignore[operator]
        self.play(*animations, turn, run_time=seconds)

    def run_training(self, seconds: float) -> None:
        """Run through the epochs of the training that is shown, from where it is to its end."""
        end = len(self.training.tables) - 1
        self.turning(self.snapshot.animate(rate_func=linear).set_value(end), seconds=seconds)  # type: ignore[operator]

    # The beats

    def draw_path(self) -> None:
        """Draw the sinusoidal table's path, position by position."""
        self.beat("draw_path")
        self.play(self.idea("question", count=self.count, d=len(self.fixed[0])))
        self.turning(self.drawn.animate(rate_func=linear).set_value(self.count - 1), seconds=self.seconds)  # type: ignore[operator]
        self.about_path = VGroup(
            self.make_heading("sinusoidal", 0.0),
            self.make_ratio(0.0, lambda: neighbour_ratio(self.fixed)),
            self.make_share(0.0, View.of(self.fixed).share),
        )
        self.turning(FadeIn(self.about_path), self.idea("path"), seconds=3.0)

    def ask(self) -> None:
        """Put a learned table beside it, as it is before training."""
        self.beat("ask")
        self.cloud, self.heading = self.make_cloud(self.training), self.make_epoch(self.training)
        self.about = VGroup(
            self.make_ratio(RIGHT_HALF[0], lambda: neighbour_ratio(self.table())),
            self.make_share(RIGHT_HALF[0], self.training.view.share),
        )
        aside = self.make_path(LEFT_HALF, RADIUS)
        self.play(
            ReplacementTransform(self.path, aside),
            self.about_path.animate.shift(RIGHT * LEFT_HALF[0]),
            run_time=1.5,
        )
        self.path = aside
        self.play(FadeIn(self.cloud, self.heading, self.about))
        self.turning(self.idea("ask"), seconds=3.0)

    def train(self) -> None:
        """Train: does the cloud become a path?"""
        self.beat("train")
        self.play(self.idea(f"train.{self.tasks[0]}", count=self.count))
        self.run_training(self.seconds)
        values: dict[str, Any] = {
            "moved": f"{100.0 * self.training.moved:.0f}",
            "score": f"{self.training.score:.3f}",
        }
        self.turning(self.idea(self.training.table_verdict(), **values), seconds=3.0)

    def subtract(self) -> None:
        """Take away where the positions began, come nearer, and train once more."""
        self.beat("subtract")
        self.turning(self.idea("subtract"), FadeOut(self.about), seconds=2.0)
        self.turning(self.less.animate.set_value(1.0), seconds=3.0)
        zoom = f"{self.training.zoom:.0f}"
        near = self.make_heading("change", RIGHT_HALF[0], zoom=zoom)
        self.turning(self.idea("enlarge", zoom=zoom), self.near.animate.set_value(1.0), seconds=3.0)
        self.play(FadeOut(self.heading), FadeIn(near))
        self.heading = near
        self.turning(self.snapshot.animate.set_value(0.0), seconds=1.5)
        self.run_training(self.seconds)
        self.say_change(self.tasks[0])

    def train_again(self, task: str) -> None:
        """Train on another task, and see what that changes."""
        self.beat("other_task")
        self.training = self.trainings[task]
        zoom = f"{self.training.zoom:.0f}"
        self.play(
            FadeOut(self.cloud, self.heading, self.share_of_change),
            self.idea(f"train.{task}", count=self.count),
        )
        self.snapshot.set_value(0.0)
        self.cloud = self.make_cloud(self.training)
        self.heading = self.make_heading("change", RIGHT_HALF[0], zoom=zoom)
        self.play(FadeIn(self.cloud, self.heading))
        self.run_training(self.seconds)
        self.say_change(task)

    def say_change(self, task: str) -> None:
        """Say what training has changed."""
        self.share_of_change = self.make_share(RIGHT_HALF[0], self.training.view_of_change.share)
        told = f"{told_position(self.training.view_of_change.points(self.training.change)):.2f}"
        verdict = self.idea(f"{self.training.change_verdict()}.{task}", told=told)
        self.turning(verdict, FadeIn(self.share_of_change), seconds=3.0)

    def compare(self) -> None:
        """Put all side by side."""
        self.beat("compare")
        shown = [self.path, self.about_path, self.cloud, self.heading, self.share_of_change]
        self.play(FadeOut(*shown), self.clear_idea())
        self.view.set_value(self.resting)
        verdicts = {training.table_verdict() for training in self.trainings.values()}
        verdict = "cloud" if verdicts == {"cloud"} else "ordered"
        self.play(*map(FadeIn, self.make_grid()), self.idea(f"compare.{verdict}"), run_time=1.5)
