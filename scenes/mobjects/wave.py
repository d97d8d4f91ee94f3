"""Waves that a clock hand's tip draws as it turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from pe_math import sinusoidal
from scenes.mobjects.clock import Clock
from scenes.mobjects.paths import Discs, Polyline, Segments, show_stroke
from scenes.theme import Theme

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """Where a wave is drawn: ``count`` equally wide positions from left to right, and how high it goes."""

    left: float
    right: float
    middle: float
    amplitude: float
    count: int

    def points(self, positions: npt.ArrayLike, values: npt.ArrayLike) -> Points:
        """Return the points ``(n, 3)`` of ``values`` in [-1, 1] over the centres of the cells."""
        across = (np.asarray(positions, dtype=float) + 0.5) / self.count
        x = self.left + across * (self.right - self.left)
        y = self.middle + self.amplitude * np.asarray(values, dtype=float)
        return np.stack(np.broadcast_arrays(x, y, 0.0), axis=-1)


class Wave(VGroup):
    """The sine or the cosine of a hand over its positions, on a base line, drawn as far as a position."""

    STEP = 0.25

    def __init__(self, frequency: float, role: str, panel: Panel, theme: Theme, **kwargs: Any) -> None:
        """Take ``role`` ``"sin"`` or ``"cos"``, which is what the wave shows and the colour it wears."""
        super().__init__(**kwargs)
        self.frequency, self.role, self.panel = frequency, role, panel
        self.line = Polyline(color=theme.color(role), stroke_width=4.0)
        ends = panel.points([-0.5, panel.count - 0.5], 0.0)
        self.base = Segments(color=theme.color("grid"), stroke_width=1.5).set_ends(ends[0], ends[1])
        self.add(self.base, self.line)
        self.set_position(0.0)

    def set_position(self, position: float, flatness: float = 0.0) -> Self:
        """Draw the wave from 0 to ``position``; ``flatness`` 1 presses it out of sight on its base line."""
        positions = np.append(np.arange(0.0, position, self.STEP), position)
        sines_and_cosines = sinusoidal.table(positions, [self.frequency])
        values = sines_and_cosines[:, ("sin", "cos").index(self.role)]
        self.line.set_vertices(self.panel.points(positions, (1.0 - flatness) * values))
        for part in (self.base, self.line):
            show_stroke(part, 1.0 - flatness)
        return self


class Rays(VGroup):
    """Light that carries a tip to the pens of its two waves, which stand right of the clock.

    The cosine is the tip's height, so its ray goes straight to the right. The sine is how far right the
    tip is: its ray goes up to a mirror at 45 degrees above the clock, and from there to the right.
    """

    def __init__(self, clock: Clock, sin: Panel, cos: Panel, theme: Theme, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.clock_x, self.frequency, self.sin, self.cos = (
            float(clock.get_x()),
            clock.frequency,
            sin,
            cos,
        )
        diagonal = sin.amplitude * np.array([1.0, 1.0, 0.0])
        center = np.array([self.clock_x, sin.middle, 0.0])
        self.mirror = Segments(color=theme.color("dim"), stroke_width=3.0).set_ends(
            center - diagonal, center + diagonal
        )
        self.light = Segments(color=theme.color("dim"), stroke_width=1.5, stroke_opacity=0.7)
        self.pens = [Discs(0.075, color=theme.color(role)) for role in ("sin", "cos")]
        self.add(self.mirror, self.light, *self.pens)
        self.set_position(0.0)

    def set_position(self, position: float) -> Self:
        """Let the light fall from where the tip is at ``position``."""
        ((sin, cos),) = sinusoidal.table([position], [self.frequency])
        (sin_pen,), (cos_pen,) = self.sin.points([position], sin), self.cos.points([position], cos)
        on_mirror = (self.clock_x + self.sin.amplitude * sin, sin_pen[1], 0.0)
        tip = (on_mirror[0], cos_pen[1], 0.0)
        self.light.set_ends([tip, on_mirror, tip], [on_mirror, sin_pen, cos_pen])
        for pen, center in zip(self.pens, (sin_pen, cos_pen), strict=True):
            pen.set_centers(center)
        return self
