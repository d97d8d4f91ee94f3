"""Heatmaps: a table of numbers as coloured cells, one image however many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, Group, ImageMobject, Rectangle

from scenes.mobjects.axis import Axis
from scenes.theme import Theme


@dataclass(frozen=True)
class Grid:
    """Where a heatmap's cells are on screen: a plain value, so that updaters may read it."""

    left: float
    right: float
    bottom: float
    top: float
    rows: int
    columns: int

    def x(self, column: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return where the middle of a column is; fractions lie between columns."""
        return self.left + (np.asarray(column, dtype=float) + 0.5) / self.columns * self.width

    def y(self, row: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return where the middle of a row is, row 0 on top; fractions lie between rows."""
        return self.top - (np.asarray(row, dtype=float) + 0.5) / self.rows * self.height

    def point(self, row: float, column: float) -> npt.NDArray[np.float64]:
        """Return the middle of a cell; fractions lie between cells."""
        return np.array([self.x(column), self.y(row), 0.0])

    @property
    def width(self) -> float:
        """How wide all columns are together."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """How high all rows are together."""
        return self.top - self.bottom

    @property
    def center(self) -> npt.NDArray[np.float64]:
        """The middle of the whole."""
        return np.array([(self.left + self.right) / 2.0, (self.bottom + self.top) / 2.0, 0.0])


class Heatmap(ImageMobject):
    """A table ``(rows, columns)`` of values in [-1, 1] as cells, row 0 on top.

    Zero has the colour of the background. Cells that have not been shown yet are clear. With several
    pixel ``lines`` a row, a cell can also stand as a bar of its value's height, so that a row is a wave:
    see `set_flatness`.
    """

    def __init__(
        self,
        values: npt.ArrayLike,
        theme: Theme,
        *,
        width: float,
        height: float,
        lines: int = 1,
        **kwargs: Any,
    ) -> None:
        self.values = np.atleast_2d(np.asarray(values, dtype=float))
        self.lines = lines
        self.opacity = np.ones_like(self.values)
        self.flatness = np.ones((len(self.values), 1))
        rows, columns = self.values.shape
        super().__init__(np.full((rows * lines, columns, 4), 255, dtype=np.uint8), **kwargs)
        self.set_values(self.values, theme)
        self.stretch_to_fit_width(width).stretch_to_fit_height(height)

    def set_values(self, values: npt.ArrayLike, theme: Theme) -> Self:
        """Colour the cells anew, for a table of the same shape."""
        self.values = np.asarray(values, dtype=float).reshape(self.values.shape)
        self.pixel_array[..., :3] = np.repeat(theme.diverging_rgb(self.values), self.lines, axis=0)
        # Filled rows are covered whatever their values: a third of the time where there are many cells.
        return self if np.all(self.flatness == 1.0) else self._paint_opacity()

    def set_shown(self, shown: npt.ArrayLike) -> Self:
        """Show the cells where ``shown``, broadcast to the table, is true; numbers from 0 to 1 fade them."""
        self.opacity = np.broadcast_to(np.asarray(shown, dtype=float), self.values.shape)
        return self._paint_opacity()

    def set_flatness(self, flatness: npt.ArrayLike) -> Self:
        """Let cells stand as bars of their values' height (0), fill their rows (1), or anything between.

        ``flatness`` is one number or ``(rows, 1)``.
        """
        self.flatness = np.broadcast_to(np.asarray(flatness, dtype=float), (len(self.values), 1))
        return self._paint_opacity()

    def stand(self, middle: float, height: float) -> Self:
        """Make an upright heatmap ``height`` high, its middle at the height ``middle``.

        Stretched from frame to frame instead, it would end where the number of frames takes it, in the last
        bits, and Manim's cache would miss.
        """
        self.points[:, 1] = middle + height * np.array([0.5, 0.5, -0.5, -0.5])
        return self

    def cell_center(self, row: float, column: float) -> npt.NDArray[np.float64]:
        """Return the point at the centre of a cell; fractions lie between cells."""
        rows, columns = self.values.shape
        corner = self.get_corner(UP + LEFT)
        right = RIGHT * self.width * (column + 0.5) / columns
        return np.asarray(corner + right + DOWN * self.height * (row + 0.5) / rows)

    def _paint_opacity(self) -> Self:
        opacity = self._covered() * self.opacity[:, None]
        self.pixel_array[..., 3] = np.rint(opacity * 255.0).reshape(self.pixel_array.shape[:2])
        return self

    def _covered(self) -> npt.NDArray[np.float64]:
        """Return which share of each pixel ``(rows, lines, columns)`` the bars cover."""
        standing = 1.0 - self.flatness
        low = (np.minimum(self.values, 0.0) * standing - self.flatness)[:, None]
        high = (np.maximum(self.values, 0.0) * standing + self.flatness)[:, None]
        edges = np.linspace(1.0, -1.0, self.lines + 1)[:, None]
        covered = np.minimum(edges[:-1], high) - np.maximum(edges[1:], low)
        return np.asarray(np.clip(covered * self.lines / 2.0, 0.0, 1.0))


class ColorBar(Group):
    """The colours of a heatmap from +1 on top to -1, with their numbers."""

    def __init__(self, theme: Theme, *, height: float, width: float = 0.16, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ramp = Heatmap(np.linspace(1.0, -1.0, 201)[:, None], theme, width=width, height=height)
        outline = Rectangle(width=width, height=height, color=theme.color("grid"), stroke_width=1.5)
        right = self.ramp.get_right()
        heights = {"+1": UP * height / 2.0, "0": np.zeros(3), "\N{MINUS SIGN}1": DOWN * height / 2.0}
        self.axis = Axis(theme, {label: right + up for label, up in heights.items()}, side=RIGHT)
        self.add(self.ramp, outline, self.axis)
