"""A curve that is being drawn, with a dot where it is now, over a chart that stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, RIGHT, VGroup

from scenes.mobjects.axis import Axis
from scenes.mobjects.paths import Discs, Points, Polyline, Segments, spatial
from scenes.mobjects.words import Words
from scenes.theme import Theme


@dataclass(frozen=True)
class Scale:
    """Where values stand on screen: those of ``low`` at ``corner``, and 1 is ``units`` long.

    >>> Scale(corner=(2.0, -1.0), low=(0.0, 10.0), units=(1.0, 0.5)).points([3.0], [12.0]).tolist()
    [[5.0, 0.0, 0.0]]
    """

    corner: tuple[float, float]
    low: tuple[float, float]
    units: tuple[float, float]

    def points(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Points:
        """Return the points on screen, ``(n, 3)``, of values ``x`` and ``y``, ``(n,)`` or one for all."""
        values = np.stack(np.broadcast_arrays(np.asarray(x, dtype=float), y), axis=-1)
        return spatial((values - self.low) * self.units + self.corner)

    def values(self, points: Points) -> npt.NDArray[np.float64]:
        """Return the values, ``(n, 2)``, that stand at ``points``, ``(n, 3)``."""
        return np.asarray((points[:, :2] - self.corner) / self.units + self.low)


class Chart(VGroup):
    """The ground of a trace: an axis at the bottom, and a numbered line for each height that is marked."""

    def __init__(
        self,
        theme: Theme,
        scale: Scale,
        label: Words,
        *,
        right: float,
        x_ticks: tuple[float, ...],
        y_ticks: tuple[float, ...],
        **kwargs: Any,
    ) -> None:
        """Take what the axis shows, ``label``, the value where it ends, and the values that are marked."""
        super().__init__(**kwargs)
        left, bottom = scale.low
        axis = Segments(color=theme.color("dim"), stroke_width=2.0)
        axis.set_ends(scale.points([left], bottom), scale.points([right], bottom))
        grid = Segments(color=theme.color("grid"), stroke_width=1.5)
        grid.set_ends(scale.points(left, y_ticks), scale.points(right, y_ticks))
        below = Axis(theme, _labelled(x_ticks, scale.points(x_ticks, bottom)), side=DOWN)
        beside = Axis(theme, _labelled(y_ticks, scale.points(right, y_ticks)), side=RIGHT)
        label.move_to(scale.points([right], bottom)[0] + DOWN * 0.3, aligned_edge=RIGHT)
        self.add(axis, grid, below, beside, label).set_z_index(-1)


class Trace(VGroup):
    """A curve as far as it is drawn, and its head; a thin line leads to it from the left of the chart."""

    def __init__(self, theme: Theme, scale: Scale, *, role: str = "score", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale_of_values = scale
        color = theme.color(role)
        self.guide = Segments(color=theme.color("dim"), stroke_width=1.5)
        self.curve = Polyline(color=color, stroke_width=4.0)
        self.head = Discs(radius=0.08, color=color)
        self.add(self.guide, self.curve, self.head)

    def set_values(self, x: npt.ArrayLike, y: npt.ArrayLike, head: tuple[float, float]) -> Self:
        """Draw the curve through the values ``(x, y)`` and put its head at ``head``."""
        scale = self.scale_of_values
        point = scale.points([head[0]], head[1])
        self.curve.set_vertices(scale.points(x, y))
        self.head.set_centers(point)
        self.guide.set_ends(scale.points([scale.low[0]], head[1]), point)
        return self

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """``(n, 2)``: the curve's points as values."""
        return self.scale_of_values.values(self.curve.vertices)

    @property
    def head_values(self) -> npt.NDArray[np.float64]:
        """``(2,)``: the head's place as values."""
        return np.asarray(self.scale_of_values.values(self.head.centers)[0])


def _labelled(values: tuple[float, ...], points: Points) -> dict[str, Points]:
    texts = [f"{value:g}".replace("-", "\N{MINUS SIGN}") for value in values]
    return dict(zip(texts, points, strict=True))
