"""Three clocks, their shadows and their numbers: a mobject a part, those that move made anew each frame."""

from typing import Any

import numpy as np
from manim import (
    BLUE,
    DOWN,
    GRAY,
    LEFT,
    ORANGE,
    PINK,
    PURPLE,
    RIGHT,
    UP,
    YELLOW,
    Circle,
    Dot,
    Line,
    Text,
    VGroup,
    always_redraw,
)

from benchmarks.stock.running import Running, number
from pe_math.frequencies import geometric

RADIUS = 1.1


class Hands(Running):
    """Clocks in a row, a column of six numbers on the right."""

    begin_at = 44.0
    per_second = 7.5
    title = "A position, told by clock hands"

    def setup(self) -> None:
        """Put the picture on screen."""
        super().setup()
        self.add(Text("encoding", font_size=30, color=GRAY).move_to((5.6, 2.55, 0)))
        names = ("second hand", "minute hand", "hour hand")
        colors = (YELLOW, PINK, PURPLE)
        for k, (frequency, name, color) in enumerate(zip(geometric(8), names, colors, strict=False)):
            center = np.array([-4.75 + 3.55 * k, 0.45, 0])
            self.add(*self.words(frequency, name, color, center), *self.face(center))
            self.add_hand(frequency, color, center)
            self.add_numbers(frequency, 1.7 - 1.4 * k, color)

    def words(self, frequency: float, name: str, color: Any, center: np.ndarray) -> list[Any]:
        """Return a clock's name above it, and its frequency and period below."""
        lines = (f"{frequency:g} rad per position", f"{2 * np.pi / frequency:,.3g} positions a turn")
        below = VGroup(*(Text(line, font_size=24) for line in lines)).arrange(DOWN, buff=0.14)
        above = Text(name, font_size=26, color=color).move_to(center + UP * 1.4)
        return [above, below.move_to(center + DOWN * 1.85)]

    def face(self, center: np.ndarray) -> list[Any]:
        """Return dial, ticks and hub, and the floor and the wall on which the tip's shadows fall."""
        angles = np.arange(12) * np.pi / 6
        spokes = [RADIUS * np.array([np.sin(angle), np.cos(angle), 0]) for angle in angles]
        ends = [(center + 0.9 * spoke, center + spoke) for spoke in spokes]
        corner = center + 1.28 * (RIGHT + DOWN)
        ends += [
            (corner + 2.38 * LEFT, corner + 0.18 * LEFT),
            (corner + 0.18 * UP, corner + 2.38 * UP),
        ]
        lines = (Line(start, end, color=GRAY, stroke_width=2) for start, end in ends)
        dial = Circle(RADIUS, color=GRAY, stroke_width=3).move_to(center)
        return [dial, *lines, Dot(center, radius=0.052)]

    def add_hand(self, frequency: float, color: Any, center: np.ndarray) -> None:
        """Put the hand, its tip, and the tip's shadows on screen."""
        below, beside = center + 1.28 * DOWN, center + 1.28 * RIGHT

        def arm() -> np.ndarray:
            angle = frequency * self.now.get_value()
            return RADIUS * np.array([np.sin(angle), np.cos(angle), 0])

        def floor() -> np.ndarray:
            return below + arm() * (1, 0, 0)

        def wall() -> np.ndarray:
            return beside + arm() * (0, 1, 0)

        self.add(
            always_redraw(lambda: Line(center, center + arm(), color=color, stroke_width=5)),
            always_redraw(lambda: Dot(center + arm(), radius=0.068, color=color)),
            always_redraw(lambda: Line(center + arm(), floor(), color=GRAY, stroke_width=1.5)),
            always_redraw(lambda: Line(center + arm(), wall(), color=GRAY, stroke_width=1.5)),
            always_redraw(lambda: Line(below, floor(), color=BLUE, stroke_width=8)),
            always_redraw(lambda: Line(beside, wall(), color=ORANGE, stroke_width=8)),
        )

    def add_numbers(self, frequency: float, top: float, color: Any) -> None:
        """Put a clock's two numbers of the encoding on screen."""
        self.add(Line((5, top + 0.27, 0), (5, top - 0.8, 0), color=color, stroke_width=4))
        self.add(number(lambda: np.sin(frequency * self.now.get_value()), (6.3, top, 0), color=BLUE))
        self.add(number(lambda: np.cos(frequency * self.now.get_value()), (6.3, top - 0.55, 0), color=ORANGE))
