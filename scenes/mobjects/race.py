"""A race of loss curves: a median each, its spread as a band, a head, and a label that stays beside it.

The loss of the training, where it is given, runs behind each curve as a faint thin line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, Rectangle, VGroup
from scipy.optimize import isotonic_regression

from scenes.mobjects.axis import Axis
from scenes.mobjects.paths import Discs, Polyline, Segments, show_fill
from scenes.mobjects.words import SMALLEST_FONT, Words
from scenes.theme import Theme

Array = npt.NDArray[np.float64]

FAINT, SPOKEN_OF = 0.14, 0.4
BEHIND = 0.45  # opacity of the training loss


class LossAxes(VGroup):
    """Epochs to the right, as many as `set_span` says; losses upward, each decade as high as the next."""

    def __init__(
        self,
        epochs: int,
        losses: tuple[float, float],
        theme: Theme,
        *,
        width: float,
        height: float,
        **kwargs: Any,
    ) -> None:
        """Make room for ``epochs`` and for losses from the lower to the higher one."""
        super().__init__(**kwargs)
        self.span, self.logarithms = float(epochs), np.log10(losses)
        self.area = Rectangle(width=width, height=height, stroke_width=0.0)
        style: dict[str, Any] = {"color": theme.color("grid"), "stroke_width": 2.0}
        marked, tenths = marks(*losses), round_numbers(*losses, range(1, 10))
        lefts, between = self.points_at(0.0, marked), self.points_at(0.0, tenths)
        self.rules = Segments(**style).set_ends(lefts, self.points_at(epochs, marked))
        self.tenths = Segments(**style).set_ends(between, between + 0.1 * RIGHT)
        self.marks = Axis(
            theme, {f"{loss:g}": point for loss, point in zip(marked, lefts, strict=True)}, side=LEFT
        )
        self.floor = Segments(**style).set_ends(
            self.points_at(0.0, losses[0]), self.points_at(epochs, losses[0])
        )
        self.steps = np.array(sorted({*range(min(epochs, 12) + 1), *range(0, epochs + 1, 5)}))
        self.ticks = Segments(color=theme.color("dim"), stroke_width=1.5)
        self.counts = [Words(f"{step}", theme, role="dim", font_size=SMALLEST_FONT) for step in self.steps]
        self.add(self.area, self.rules, self.tenths, self.marks, self.floor, self.ticks, *self.counts)
        self.set_span(epochs)

    def set_span(self, epochs: float) -> Self:
        """Let the right edge stand for ``epochs``; counts fade where they get crowded."""
        self.span = float(epochs)
        feet = self.points_at(self.steps, 10.0 ** self.logarithms[0])
        room = self.area.width / self.span * coarseness(self.steps)
        seen = np.clip(5.0 * (room - 0.5), 0.0, 1.0) * (self.steps <= self.span)
        self.ticks.set_ends(feet[seen > 0.0], feet[seen > 0.0] + 0.09 * DOWN)
        for count, foot, opacity in zip(self.counts, feet, seen, strict=True):
            for part in count.next_to(foot, DOWN, buff=0.18):
                show_fill(part, opacity)
        return self

    def points_at(self, epochs: npt.ArrayLike, losses: npt.ArrayLike) -> Array:
        """Return the points ``(n, 3)`` of ``epochs`` and ``losses``, broadcast against each other."""
        corner, opposite = self._corners()
        low, high = self.logarithms
        across, up = np.asarray(epochs) / self.span, (np.log10(losses) - low) / (high - low)
        shares = np.stack(np.broadcast_arrays(across, up, 0.0), axis=-1)
        return np.atleast_2d(corner + (opposite - corner) * shares)

    def values_at(self, points: Array) -> tuple[Array, Array]:
        """Return the epochs and the losses that ``points`` ``(n, 3)`` stand for."""
        corner, opposite = self._corners()
        across, up = ((points - corner)[:, :2] / (opposite - corner)[:2]).T
        low, high = self.logarithms
        return self.span * across, 10.0 ** (low + (high - low) * up)

    def _corners(self) -> tuple[Array, Array]:
        """Return the lower left and the upper right corner of the area."""
        # Asked for forty times a frame; Manim's get_corner takes twenty times as long.
        points = self.area.points
        return points.min(axis=0), points.max(axis=0)

    def dashes_at(self, loss: float, color: str) -> Segments:
        """Return a dashed line across at ``loss``."""
        ends = np.linspace(0.0, self.span, 101)
        dashes = Segments(color=color, stroke_width=2.0)
        return dashes.set_ends(self.points_at(ends[:-1:2], loss), self.points_at(ends[1::2], loss))


class Runner(VGroup):
    """One curve, drawn as far as it has come.

    ``losses`` are its median, low and high from epoch 0 on; ``behind`` are means over each epoch, from the
    first on, and stand in the middle of theirs.
    """

    def __init__(
        self, losses: Array, behind: Array, label: Words, color: str, axes: LossAxes, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.logarithms, self.behind_logarithms, self.axes = np.log10(losses), np.log10(behind), axes
        # Labels lie over the rules of the axes; words lie under everything by default.
        self.label = label.set_z_index(1)
        self.band = Polyline(color=color, stroke_width=0.0, fill_opacity=FAINT)
        self.behind = Polyline(color=color, stroke_width=1.5, stroke_opacity=BEHIND)
        self.line = Polyline(color=color, stroke_width=4.0)
        self.head = Discs(radius=0.07, color=color)
        self.leader = Segments(color=color, stroke_width=1.5)
        self.add(self.band, self.behind, self.line, self.leader, self.head, self.label)

    def losses_at(self, epochs: Array) -> Array:
        """Return median, low and high ``(3, n)`` at ``epochs``, straight on the log axis in between."""
        known = np.arange(self.logarithms.shape[1])
        return np.stack([10.0 ** np.interp(epochs, known, row) for row in self.logarithms])

    def set_epoch(self, epoch: float, label_height: float) -> Self:
        """Draw the curve from epoch 0 to ``epoch``, and put the label at ``label_height`` beside its head."""
        passed = np.append(np.arange(np.ceil(epoch)), epoch)
        median, low, high = (self.axes.points_at(passed, losses) for losses in self.losses_at(passed))
        self.line.set_vertices(median)
        self.band.set_vertices(np.concatenate([low, high[::-1]]))
        self.behind.set_vertices(self.behind_at(epoch))
        self.head.set_centers(median[-1])
        place = np.array([median[-1, 0] + 0.35, label_height, 0.0])
        self.leader.set_ends(median[-1], place + 0.06 * LEFT)
        self.label.move_to(place, aligned_edge=LEFT)
        return self

    def behind_at(self, epoch: float) -> Array:
        """Return the points ``(n, 3)`` of the curve behind, as far as ``epoch``."""
        middles = np.arange(len(self.behind_logarithms)) + 0.5
        last = min(epoch, middles[-1]) if len(middles) else 0.0
        if last <= 0.5:
            return np.empty((0, 3))
        passed = np.append(middles[middles < last], last)
        return self.axes.points_at(passed, 10.0 ** np.interp(passed, middles, self.behind_logarithms))


class Race(VGroup):
    """Several runners on the same axes, which widen as the epochs pass.

    The state is a function of the epoch alone.
    """

    def __init__(
        self,
        losses: Mapping[str, Array],
        names: Mapping[str, Words],
        axes: LossAxes,
        theme: Theme,
        *,
        first_span: float,
        behind: Mapping[str, Array] = MappingProxyType({}),
        label_gap: float = 0.36,
        **kwargs: Any,
    ) -> None:
        """Take median, low and high ``(3, epochs + 1)`` and the name of each runner, by its colour role.

        ``behind`` may hold means over each epoch, ``(epochs,)``, to be drawn behind. The axes show
        ``first_span`` epochs, until the runners reach their right edge and push it on.
        """
        super().__init__(**kwargs)
        self.axes, self.first_span = axes, first_span
        self.runners = {
            role: Runner(curve, behind.get(role, np.empty(0)), names[role], theme.color(role), axes)
            for role, curve in losses.items()
        }
        self.add(axes, *self.runners.values())
        medians = np.stack([curve[0] for curve in losses.values()], axis=1)
        heights = np.stack([axes.points_at(0.0, row)[:, 1] for row in medians])
        orders = steady_orders(heights, label_gap / 2.0, exact=(int(first_span), len(medians) - 1))
        bottom, top = axes.area.get_bottom()[1], axes.area.get_top()[1] - label_gap
        self.label_heights = np.stack(
            [
                pushed_apart(row, order, label_gap, bottom, top)
                for row, order in zip(heights, orders, strict=True)
            ]
        )
        self.set_epoch(0.0)

    def set_epoch(self, epoch: float) -> Self:
        """Show the race as it stands at ``epoch``, from 0 to the last; fractions lie between."""
        self.axes.set_span(max(self.first_span, epoch))
        known = np.arange(len(self.label_heights))
        for runner, heights in zip(self.runners.values(), self.label_heights.T, strict=True):
            runner.set_epoch(epoch, float(np.interp(epoch, known, heights)))
        return self

    def speak_of(self, *roles: str) -> list[Any]:
        """Return the animations that bring out the spread of these runners, and of no others."""
        return [
            runner.band.animate.set_fill(opacity=SPOKEN_OF if role in roles else FAINT)
            for role, runner in self.runners.items()
        ]


def round_numbers(low: float, high: float, digits: Iterable[int]) -> Array:
    """Return the numbers from ``low`` to ``high`` that are one of ``digits`` times a power of ten.

    >>> round_numbers(0.3, 20.0, (1, 5)).tolist()
    [0.5, 1.0, 5.0, 10.0]
    """
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1.0)
    numbers = np.outer(powers, list(digits)).ravel()
    return np.asarray(numbers[(low <= numbers) & (numbers <= high)])


def marks(low: float, high: float) -> Array:
    """Return the losses to be numbered: the decades, or more where there are fewer than two.

    >>> marks(0.02, 2.0).tolist(), marks(1.2, 6.0).tolist()
    ([0.1, 1.0], [2.0, 3.0, 4.0, 5.0, 6.0])
    """
    decades, thirds = round_numbers(low, high, (1,)), round_numbers(low, high, (1, 2, 5))
    if len(decades) >= 2:
        return decades
    return thirds if len(thirds) >= 3 else round_numbers(low, high, range(1, 10))


def coarseness(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each of ``counts`` how many lie from one of its kind to the next: 1, 5, 10, 50 or 100.

    >>> coarseness(np.array([0, 3, 5, 10, 45, 150])).tolist()
    [100, 1, 5, 10, 5, 50]
    """
    kinds = np.array([1, 5, 10, 50, 100])
    return np.asarray(np.where(counts[:, None] % kinds == 0, kinds, 0).max(axis=1))


def steady_orders(heights: Array, slack: float, exact: tuple[int, ...] = ()) -> list[list[int]]:
    """Return for each row of ``heights`` ``(epochs, n)`` the order of its columns from the lowest up.

    Neighbours swap only when they stand more than ``slack`` the wrong way round, so that curves which run
    together do not make their labels dance. In the rows ``exact``, where a race rests, the order is true.

    >>> steady_orders(np.array([[1.0, 2.0], [2.1, 2.0], [3.0, 2.0]]), 0.5)
    [[0, 1], [0, 1], [1, 0]]
    """
    order, orders = np.argsort(heights[0], kind="stable").tolist(), []
    for epoch, row in enumerate(heights):
        wrong, allowed = True, 0.0 if epoch in exact else slack
        while wrong:
            wrong = False
            for k in range(len(order) - 1):
                if row[order[k]] > row[order[k + 1]] + allowed:
                    order[k], order[k + 1], wrong = order[k + 1], order[k], True
        orders.append(list(order))
    return orders


def pushed_apart(heights: Array, order: list[int], gap: float, bottom: float, top: float) -> Array:
    """Return ``heights`` moved as little as can be (least squares) to stand ``gap`` apart in ``order``.

    They stay between ``bottom`` and ``top`` where there is room.

    >>> pushed_apart(np.array([1.0, 1.0, 5.0]), [0, 1, 2], 1.0, 0.0, 9.0).tolist()
    [0.5, 1.5, 5.0]
    """
    steps = gap * np.arange(len(order))
    # Less its place in the queue, each height must not fall below the one before: isotonic regression.
    apart = isotonic_regression(heights[order] - steps).x
    placed = np.empty(len(order))
    placed[order] = np.clip(apart, bottom, max(bottom, top - steps[-1])) + steps
    return placed
