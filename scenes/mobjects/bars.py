"""Signed bars that add up: beside one another, or end to end."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from scenes.mobjects.arrow import FilledArrow
from scenes.mobjects.paths import Segments, show_stroke, spatial
from scenes.theme import Theme


class SignedBars(VGroup):
    """Bars that point up or down from a line of zeros, one a column, as their values' signs say.

    Stacked, each begins where the one before it ends, and the last ends at the sum.
    """

    def __init__(
        self,
        columns: int,
        theme: Theme,
        *,
        unit: float = 0.45,
        spacing: float = 1.0,
        role: str = "score",
        **kwargs: Any,
    ) -> None:
        """Take how high a value of 1 stands, ``unit``, and how far columns stand apart, ``spacing``."""
        super().__init__(**kwargs)
        self.unit, self.spacing = unit, spacing
        half = columns * spacing / 2.0
        self.zero = Segments(color=theme.color("dim"), stroke_width=2.0)
        self.zero.set_ends([(-half, 0.0)], [(half, 0.0)]).set_z_index(-1)
        self.steps = Segments(color=theme.color("dim"), stroke_width=1.5)
        self.bars = [
            FilledArrow(shaft=0.3, head=0.44, head_length=0.14, color=theme.color(role))
            for _ in range(columns)
        ]
        self.add(self.zero, self.steps, *self.bars)
        self.set_values(np.zeros(columns))

    def set_values(self, values: npt.ArrayLike, stacked: float = 0.0) -> Self:
        """Show one value a column; ``stacked`` runs from 0, all on the line, to 1, end to end."""
        values = np.asarray(values, dtype=float)
        starts = stacked * (np.cumsum(values) - values)
        columns = np.arange(len(values)) + 0.5
        feet, tips = self.points_at(columns, starts), self.points_at(columns, starts + values)
        for bar, foot, tip in zip(self.bars, feet, tips, strict=True):
            bar.set_ends(foot, tip)
        self.steps.set_ends(tips, self.points_at(columns + 1.0, starts + values))
        show_stroke(self.steps, stacked)
        return self

    def points_at(self, columns: npt.ArrayLike, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the points on screen, ``(n, 3)``, of values in columns counted from the left end."""
        shifts = np.stack([np.asarray(columns) * self.spacing, np.asarray(values) * self.unit], axis=-1)
        return np.asarray(self.zero.starts[0] + spatial(shifts))

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The values as the bars show them, from foot to tip."""
        return self.tips - self.starts

    @property
    def starts(self) -> npt.NDArray[np.float64]:
        """Where the bars begin, as values above the line of zeros."""
        return self._levels([bar.start for bar in self.bars])

    @property
    def tips(self) -> npt.NDArray[np.float64]:
        """Where the bars end, as values above the line of zeros."""
        return self._levels([bar.tip for bar in self.bars])

    def _levels(self, points: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        return np.asarray((np.array(points)[:, 1] - self.zero.starts[0, 1]) / self.unit)
