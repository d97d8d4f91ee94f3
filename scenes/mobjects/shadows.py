"""The two shadows of a clock's tip: the sine on the floor, the cosine on the wall."""

from __future__ import annotations

from typing import Any, Self

from manim import Line, VGroup

from pe_math import sinusoidal
from scenes.mobjects.clock import Clock, swept_share
from scenes.mobjects.paths import Segments, show_stroke
from scenes.theme import Theme


class Shadows(VGroup):
    """A floor below a clock and a wall to its right, with the shadow that the tip casts on each.

    The shadows are measured from the line through the hub, so that they bear the number's sign.
    """

    def __init__(self, clock: Clock, theme: Theme, *, gap: float = 0.18, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        x, y = map(float, clock.dial.get_center()[:2])
        self.frequency, self.radius = clock.frequency, clock.radius
        self.floor, self.wall = y - self.radius - gap, x + self.radius + gap
        self.hub = (x, y)
        grid = theme.color("grid")
        floor = Line(
            (x - self.radius, self.floor, 0.0),
            (x + self.radius, self.floor, 0.0),
            color=grid,
            stroke_width=2.0,
        )
        wall = Line(
            (self.wall, y - self.radius, 0.0), (self.wall, y + self.radius, 0.0), color=grid, stroke_width=2.0
        )
        self.light = Segments(color=theme.color("dim"), stroke_width=1.5, stroke_opacity=0.7)
        self.sin = Segments(color=theme.color("sin"), stroke_width=8.0)
        self.cos = Segments(color=theme.color("cos"), stroke_width=8.0)
        self.add(floor, wall, self.light, self.sin, self.cos)
        self.set_position(0.0)

    def set_position(self, position: float, pace: float = 0.0) -> Self:
        """Cast the shadows of the tip at ``position``; they fade as the hand does (see `Clock`)."""
        ((sin, cos),) = sinusoidal.table([position], [self.frequency])
        seen = 1.0 - swept_share(self.frequency * pace)
        for bar in (self.sin, self.cos):
            show_stroke(bar, seen)
        show_stroke(self.light, 0.7 * seen)
        x, y = self.hub
        tip = (x + self.radius * sin, y + self.radius * cos)
        self.sin.set_ends([(x, self.floor)], [(tip[0], self.floor)])
        self.cos.set_ends([(self.wall, y)], [(self.wall, tip[1])])
        self.light.set_ends([tip, tip], [(tip[0], self.floor), (self.wall, tip[1])])
        return self
