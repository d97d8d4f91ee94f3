"""A sequence of numbers as bars, and the sum of those that count."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup, VMobject

from scenes.mobjects.paths import Segments
from scenes.theme import Theme

Numbers = npt.NDArray[np.float64]


class Boxes(VMobject):
    """Filled upright rectangles as one path, set by `set_corners`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**({"stroke_width": 0.0, "fill_opacity": 1.0} | kwargs))

    def set_corners(
        self, left: npt.ArrayLike, bottom: npt.ArrayLike, right: npt.ArrayLike, top: npt.ArrayLike
    ) -> Self:
        """Draw one box for each of the numbers, ``(n,)`` or one for all."""
        left, bottom, right, top = np.broadcast_arrays(left, bottom, right, top)
        x, y = np.stack([left, right, right, left, left]), np.stack([bottom, bottom, top, top, bottom])
        corners = np.stack([x, y, np.zeros(x.shape)], axis=-1).swapaxes(0, 1)
        shares = np.array([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])[None, None, :, None]
        self.points = (corners[:, :-1, None] + np.diff(corners, axis=1)[:, :, None] * shares).reshape(-1, 3)
        return self

    @property
    def corners(self) -> Numbers:
        """``(n, 4)``: left, bottom, right and top of each box, as they were set."""
        boxes = self.points.reshape(-1, 16, 3)
        return np.concatenate([boxes[:, 0, :2], boxes[:, 8, :2]], axis=-1)


class NumberRow(VGroup):
    """Numbers as signed bars in a row of slots, on a floor that lies where a slot's number is added up.

    The numbers of the first half are bright and those of the second half dim, wherever they move.
    ``shuffled`` is the slot that each number moves to. The floor is as high as its slot's weight in the sum.
    """

    def __init__(
        self,
        numbers: npt.ArrayLike,
        shuffled: npt.ArrayLike,
        theme: Theme,
        *,
        width: float = 10.0,
        unit: float = 0.06,
        **kwargs: Any,
    ) -> None:
        """Make the row ``width`` wide; a bar of 1 is ``unit`` times as high as the row is wide."""
        super().__init__(**kwargs)
        self.numbers, self.unit = np.asarray(numbers, dtype=float), unit
        self.home, self.away = np.arange(len(self.numbers)), np.asarray(shuffled, dtype=float)
        self.floor = Boxes(color=theme.color("grid"), fill_opacity=0.55)
        self.halves = [Boxes(color=theme.color(role)) for role in ("text", "dim")]
        self.line = Segments(color=theme.color("dim"), stroke_width=2.0)
        self.line.set_ends([(-width / 2.0, 0.0)], [(width / 2.0, 0.0)])
        self.add(self.floor, *self.halves, self.line)
        self.weigh(np.ones(len(self.numbers))).set_state()

    def weigh(self, weights: npt.ArrayLike) -> Self:
        """Let the sum take ``weights[k]`` of the number in slot k."""
        self.weights = np.asarray(weights, dtype=float)
        return self

    def slots(self, shuffle: float) -> Numbers:
        """Return each number's slot when ``shuffle``, 0 to 1, of the way to the shuffled order is done."""
        return np.asarray((1.0 - shuffle) * self.home + shuffle * self.away)

    def total(self, shuffle: float = 0.0, added: float = np.inf) -> float:
        """Return the sum over the first ``added`` slots, each by the weight of the slot nearest to it."""
        slots = np.rint(self.slots(shuffle)).astype(int)
        return float(np.sum(self.numbers * self.weights[slots] * (slots < added)))

    def set_state(self, shuffle: float = 0.0, added: float = np.inf) -> Self:
        """Move the bars ``shuffle`` of their way, and lay the floor under the first ``added`` slots."""
        (left, line, _), (right, _, _) = self.line.starts[0], self.line.ends[0]
        pitch, heights = (right - left) / len(self.numbers), self.unit * (right - left) * self.numbers
        middles = left + pitch * (self.slots(shuffle) + 0.5)
        for half, own in zip(self.halves, np.array_split(self.home, 2), strict=True):
            middle = middles[own]
            half.set_corners(middle - 0.35 * pitch, line, middle + 0.35 * pitch, line + heights[own])
        starts = left + pitch * self.home
        reach = 1.15 * np.abs(heights).max() * self.weights
        self.floor.set_corners(
            starts, line - reach, starts + pitch * np.clip(added - self.home, 0.0, 1.0), line + reach
        )
        return self
