"""Positions as points in space, drawn by a projection of our own: a path, or a cloud."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from scenes.mobjects.paths import Discs, Points, Polyline, Segments, disc_curves, segment_curves, spatial
from scenes.mobjects.words import SMALLEST_FONT, Words
from scenes.theme import Theme

TILT = 0.35  # radians by which space leans towards the viewer, so that its third direction is seen
DISTANCE = 14.0  # from the viewer to the middle, in units of the screen; nearer parts are larger


def projected(points: npt.ArrayLike, turn: float) -> Points:
    """Return where points ``(n, 3)`` of space stand on screen, seen after a ``turn`` about the vertical.

    The first coordinate goes right, the second up, the third towards the viewer. The middle stays.

    >>> projected([(1.0, 0.0, 0.0)], turn=np.pi).round(12).tolist()
    [[-1.0, 0.0, 0.0]]
    """
    right, up, near = np.asarray(points, dtype=float).reshape(-1, 3).T
    right, near = right * np.cos(turn) + near * np.sin(turn), near * np.cos(turn) - right * np.sin(turn)
    up, near = up * np.cos(TILT) - near * np.sin(TILT), near * np.cos(TILT) + up * np.sin(TILT)
    return spatial(np.stack([right, up], axis=-1) * (DISTANCE / (DISTANCE - near))[:, None])


class Cloud(VGroup):
    """Positions of a table as dots in space, coloured from the first to the last, neighbours joined.

    Three axes, numbered unless told otherwise, show how the view turns. A cloud stays where it is made.
    """

    def __init__(
        self,
        count: int,
        theme: Theme,
        *,
        center: npt.ArrayLike = (0.0, 0.0, 0.0),
        unit: float = 1.0,
        reach: float = 2.0,
        steps: int = 1,
        bands: int = 16,
        numbered: bool = True,
        **kwargs: Any,
    ) -> None:
        """Take how many positions there are, how many points lie from one to the next, ``steps``, the length
        on screen of 1, ``unit``, and how far the points reach. ``bands`` of neighbours share a colour."""
        super().__init__(**kwargs)
        self.count, self.steps, self.unit, self.reach = count, steps, unit, reach
        self.center_: Points = np.asarray(center, dtype=float)
        self.bands = np.array_split(np.arange(count), min(bands, count))
        colors = theme.position_colors(len(self.bands))
        self.axes = Segments(color=theme.color("grid"), stroke_width=2.0)
        self.numbers = [
            Words(str(axis), theme, role="dim", font_size=SMALLEST_FONT).set_z_index(1)
            for axis in (1, 2, 3)
            if numbered
        ]
        dot = min(0.075, 0.04 * reach)
        self.joins = [Polyline(color=color, stroke_width=2.0, stroke_opacity=0.6) for color in colors]
        self.dots = [Discs(radius=dot, color=color) for color in colors]
        self.add(self.axes, *self.joins, *self.dots, *self.numbers)
        self.set_way(np.zeros((0, 3)), 0.0)

    def set_way(self, points: npt.ArrayLike, turn: float) -> Self:
        """Show the first points ``(m, 3)`` of the table's way, seen after a ``turn`` in radians.

        Every ``steps``-th of them is a position, from position 0 on.
        """
        places = self._on_screen(self.unit * np.asarray(points, dtype=float).reshape(-1, 3), turn)
        # All curves at once: done band by band, the same arithmetic takes several times as long.
        joins = segment_curves(places[:-1], places[1:])
        discs = disc_curves(places[:: self.steps], self.dots[0].radius)
        for band, join, dots in zip(self.bands, self.joins, self.dots, strict=True):
            first, end = band[0], band[-1] + 1
            join.points = joins[first * self.steps : end * self.steps].reshape(-1, 3)
            dots.points = discs[first:end].reshape(-1, 3)
        ends = 0.8 * self.reach * np.eye(3)
        self.axes.set_ends(self._on_screen(-0.5 * ends, turn), self._on_screen(ends, turn))
        for number, place in zip(self.numbers, self._on_screen(1.1 * ends, turn), strict=False):
            number.move_to(place)
        return self

    @property
    def places(self) -> Points:
        """``(n, 3)``: where the positions that are shown stand on screen, from the first on."""
        return np.concatenate([dots.centers for dots in self.dots])

    def _on_screen(self, points: npt.ArrayLike, turn: float) -> Points:
        return np.asarray(self.center_ + projected(points, turn))


class PositionLegend(VGroup):
    """A row of dots in the colours of the positions, with the first and the last number."""

    def __init__(self, count: int, label: Words, theme: Theme, *, width: float = 3.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        colors = theme.position_colors(min(16, count))
        places = np.linspace(-width / 2.0, width / 2.0, len(colors))
        self.dots = [
            Discs(radius=0.07, color=color).set_centers([(x, 0.0)])
            for x, color in zip(places, colors, strict=True)
        ]
        first, last = (
            Words(str(number), theme, role="dim", font_size=SMALLEST_FONT) for number in (0, count - 1)
        )
        first.move_to((-width / 2.0 - 0.3, 0.0, 0.0))
        last.move_to((width / 2.0 + 0.35, 0.0, 0.0))
        label.move_to((-width / 2.0 - 0.55 - label.width / 2.0, 0.0, 0.0))
        self.add(*self.dots, first, last, label)
