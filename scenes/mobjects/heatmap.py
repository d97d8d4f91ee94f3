"""Heatmaps: a table of numbers as coloured cells, one image however many there are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, ImageMobject

from scenes.theme import Theme


class Heatmap(ImageMobject):
    """A table ``(rows, columns)`` of values in [-1, 1] as cells, row 0 on top.

    Zero has the colour of the background. Cells that have not been shown yet are clear.
    """

    def __init__(
        self, values: npt.ArrayLike, theme: Theme, *, width: float, height: float, **kwargs: Any
    ) -> None:
        self.values = np.atleast_2d(np.asarray(values, dtype=float))
        rgb = theme.diverging_rgb(self.values)
        opaque = np.full((*self.values.shape, 1), 255, dtype=np.uint8)
        super().__init__(np.concatenate([rgb, opaque], axis=-1), **kwargs)
        self.stretch_to_fit_width(width).stretch_to_fit_height(height)

    def set_shown(self, shown: npt.ArrayLike) -> Self:
        """Show the cells where ``shown``, broadcast to the table, is true; numbers from 0 to 1 fade them."""
        opacity = np.broadcast_to(np.asarray(shown, dtype=float), self.values.shape)
        self.pixel_array[..., 3] = np.rint(opacity * 255.0).astype(np.uint8)
        return self

    def cell_center(self, row: float, column: float) -> npt.NDArray[np.float64]:
        """Return the point at the centre of a cell; fractions lie between cells."""
        rows, columns = self.values.shape
        corner = self.get_corner(UP + LEFT)
        right = RIGHT * self.width * (column + 0.5) / columns
        return np.asarray(corner + right + DOWN * self.height * (row + 0.5) / rows)
