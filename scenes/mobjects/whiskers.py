"""Changes against a baseline: a row each, with a dot for every run and a bar over their range."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, ManimColor, VGroup, interpolate_color

from scenes.mobjects.axis import Axis
from scenes.mobjects.paths import Discs, Segments
from scenes.mobjects.words import SMALLEST_FONT, Readout
from scenes.theme import Theme

Array = npt.NDArray[np.float64]

HALF_TICK = np.array([0.0, 0.16])

# Factors that may be numbered on an axis that is up to so many decades long.
DECADES = 10.0 ** np.arange(-6.0, 7.0)
NUMBERED = {
    1.2: 2.0 ** np.arange(-4.0, 5.0),
    2.5: np.sort(np.outer(DECADES, [1.0, 3.0]).ravel()),
    3.5: DECADES,
    np.inf: DECADES[::2],
}


def verdicts(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return for each row of ``values`` ``(rows, seeds)`` -1, 1, or 0 where its range touches zero.

    >>> verdicts([[-2.0, -1.0], [-1.0, 1.0], [0.5, 3.0]]).tolist()
    [-1, 0, 1]
    """
    values = np.asarray(values, dtype=float)
    return np.asarray((values.min(axis=1) > 0.0).astype(int) - (values.max(axis=1) < 0.0))


class Row(VGroup):
    """One change: the runs' dots, the bar over their range and a tick on their median.

    In a ``far`` row they stand beyond the axis: the dots pile up at its end, and numbers say how far.
    """

    def __init__(self, color: str, *, far: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.far = far
        self.bar = Segments(color=color, stroke_width=9.0, stroke_opacity=0.35)
        self.dots = Discs(radius=0.06, color=color)
        self.tick = Segments(color=color, stroke_width=3.0)
        self.factor = Readout(form="×{:,.0f}", font_size=SMALLEST_FONT, color=color)
        self.add(self.bar, self.tick, self.dots, *[self.factor] * far)

    def place_dots(self, x: Array, y: float) -> Self:
        """Put a dot at each of ``x``, at height ``y``; no points, nothing is drawn."""
        ends = np.array([[x.min(), y], [x.max(), y]]) if len(x) else np.empty((0, 2))
        middle = np.array([[np.median(x), y]]) if len(x) > 1 else np.empty((0, 2))
        self.bar.set_ends(ends[:1], ends[1:])
        self.tick.set_ends(middle - HALF_TICK, middle + HALF_TICK)
        self.dots.set_centers(np.stack([x, np.full(len(x), y)], axis=-1))
        return self

    def name_factor(self, values: Array, end: tuple[float, float, float]) -> Self:
        """Write the factor that is the median of the logarithms ``values``, to the right of ``end``."""
        if self.far and len(values):
            self.factor.set_value(10.0 ** float(np.median(values))).place_at(end)
        return self

    def dye(self, color: ManimColor, opacity: float) -> Self:
        """Give every part ``color``, as opaque as ``opacity`` says."""
        # As text the factor keeps the colour that is easily read.
        self.factor.set_fill(opacity=opacity)
        self.bar.set_stroke(color, opacity=0.35 * opacity)
        self.tick.set_stroke(color, opacity=opacity)
        self.dots.set_fill(color, opacity=opacity)
        return self


class Whiskers(VGroup):
    """Rows of logarithms of a ratio to a baseline, whose line of no change stands upright.

    The state is a function of how many rows and runs have come, and of how far they have been judged.
    """

    def __init__(
        self,
        values: npt.ArrayLike,
        limits: tuple[float, float],
        theme: Theme,
        *,
        left: float,
        width: float = 3.2,
        top: float = 2.0,
        pitch: float = 0.5,
        **kwargs: Any,
    ) -> None:
        """Take decimal logarithms ``(rows, seeds)``; the axis goes from the lower to the higher limit.

        A row whose median lies beyond them has its dots at that end, and says its median in numbers.
        """
        super().__init__(**kwargs)
        self.values, self.limits = np.asarray(values, dtype=float), limits
        self.left, self.breadth, self.top, self.pitch = left, width, top, pitch
        count = len(self.values)
        floor, middle = self.height_of(count - 1) - 0.35, self.x_of(0.0)
        self.zero = Segments(color=theme.color("sinusoidal"), stroke_width=3.0)
        self.zero.set_ends([(middle, floor)], [(middle, top + 0.3)])
        self.floor = Segments(color=theme.color("dim"), stroke_width=2.0)
        self.floor.set_ends([(left, floor)], [(left + width, floor)])
        factors = {
            f"×{factor:g}": np.array([self.x_of(np.log10(factor)), floor, 0.0]) for factor in self.marks()
        }
        self.axis = Axis(theme, factors, side=DOWN)
        medians = np.median(self.values, axis=1)
        beyond = (medians < limits[0]) | (medians > limits[1])
        self.rows = [Row(theme.text, far=bool(far)) for far in beyond]
        plain, better, worse = (ManimColor(color) for color in (theme.text, *theme.diverging))
        self.plain, self.judged_colors = plain, {-1: better, 0: plain, 1: worse}
        self.verdicts = verdicts(self.values)
        self.add(self.floor, self.axis, self.zero, *self.rows)
        self.set_state(0.0, 1.0)

    def set_state(self, shown: float, runs: float, judged: float = 0.0) -> Self:
        """Let the first ``shown`` rows and ``runs`` runs of each come out from the line of no change.

        ``judged``, 0 to 1, colours the rows that are better or worse in every run and dims the others.
        """
        _, seeds = self.values.shape
        for k, (row, values, verdict) in enumerate(zip(self.rows, self.values, self.verdicts, strict=True)):
            shares = np.clip(shown - k, 0.0, 1.0) * np.clip(runs - np.arange(seeds), 0.0, 1.0)
            here, y = shares > 0.0, self.height_of(k)
            x = np.clip(self.x_of(values * shares), self.left, self.left + self.breadth)
            row.place_dots(x[here], y)
            row.name_factor(values[here], (x.max() + 0.12, y - 0.1, 0.0))
            color = interpolate_color(self.plain, self.judged_colors[int(verdict)], judged)
            row.dye(color, (1.0 if verdict else 1.0 - 0.6 * judged) * float(np.clip(shown - k, 0.0, 1.0)))
        return self

    def x_of(self, values: npt.ArrayLike) -> Any:
        """Return where logarithms stand across."""
        low, high = self.limits
        return self.left + self.breadth * (np.asarray(values) - low) / (high - low)

    def values_at(self, x: npt.ArrayLike) -> Array:
        """Return the logarithms that stand at ``x``."""
        low, high = self.limits
        return np.asarray(low + (high - low) * (np.asarray(x) - self.left) / self.breadth)

    def height_of(self, row: int) -> float:
        """Return how high a row stands."""
        return self.top - self.pitch * row

    def marks(self) -> list[float]:
        """Return the factors that are numbered: no change, and those around it that have room."""
        low, high = self.limits
        factors = next(each for longest, each in NUMBERED.items() if high - low <= longest)
        # A number at the very end of the axis would stand out beyond it.
        end = high - 0.06 * (high - low)
        return [float(factor) for factor in factors if low <= np.log10(factor) <= end]
