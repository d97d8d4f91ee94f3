"""Sixteen clocks in two rows: a dial, a rim and a hand each, the hands made anew each frame."""

from typing import Any

import numpy as np
from manim import (
    DOWN,
    GRAY,
    LEFT,
    PINK,
    PURPLE,
    RIGHT,
    UP,
    YELLOW,
    Circle,
    Dot,
    Line,
    Text,
    always_redraw,
    color_gradient,
)

from benchmarks.stock.running import Running
from pe_math.frequencies import geometric

RADIUS = 0.66


class Wall(Running):
    """Each clock with its period below; a rim lights up after the first turn."""

    begin_at = 100.0
    per_second = 15.0
    title = "A wall of clocks, from fast to slow"

    def setup(self) -> None:
        """Put the picture on screen."""
        super().setup()
        self.add(Text("under each clock: positions a turn", font_size=24).move_to((0.6, 2.53, 0)))
        self.add(Text("time  ×1", font_size=30).move_to((4.5, 2.55, 0)))
        colors = color_gradient([YELLOW, PINK, PURPLE], 16)
        for k, (frequency, color) in enumerate(zip(geometric(32), colors, strict=True)):
            self.add_clock(frequency, color, np.array([1.62 * (k % 8 - 3.5), 1.25 - 2.1 * (k // 8), 0]))

    def add_clock(self, frequency: float, color: Any, center: np.ndarray) -> None:
        """Put a clock on screen."""
        period = 2 * np.pi / frequency
        words = Text(f"{period:,.3g}" if period < 100 else f"{period:,.0f}", font_size=24, color=color)
        self.add(words.move_to(center + DOWN * 0.94))
        for way in (UP, RIGHT, DOWN, LEFT):
            ends = center + 0.85 * RADIUS * way, center + RADIUS * way
            self.add(Line(*ends, color=GRAY, stroke_width=2))

        def tip() -> np.ndarray:
            angle = frequency * self.now.get_value()
            return center + RADIUS * np.array([np.sin(angle), np.cos(angle), 0])

        rim = Circle(RADIUS, color=GRAY, stroke_width=4).move_to(center)
        rim.add_updater(lambda rim: rim.set_color(color if self.now.get_value() >= period else GRAY))
        self.add(rim, always_redraw(lambda: Line(center, tip(), color=color, stroke_width=4.5)))
        self.add(Dot(center, radius=0.04))
