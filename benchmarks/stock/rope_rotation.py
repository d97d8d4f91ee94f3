"""Four planes in which a query turns against its key: vectors as ``Arrow``, made anew each frame."""

from typing import Any

import numpy as np
from manim import (
    DOWN,
    GRAY,
    GREEN,
    PURPLE,
    RIGHT,
    UP,
    YELLOW,
    Arrow,
    Circle,
    Line,
    Rectangle,
    Sector,
    Text,
    always_redraw,
)

from benchmarks.stock.running import Running, number
from pe_math.frequencies import geometric
from pe_math.rotary import plane_scores, rotate

QUERY = (1.2, -0.5, 0.6, 0.8, -0.2, -0.9, 0.9, -0.2)
KEY = (0.7, 0.7, 0.7, 0.8, 0.9, 0.2, 0.9, 0.4)
UNIT, KEY_POSITION = 0.85, 2.0


class Planes(Running):
    """Each plane with its share of the score below, as a bar and as a number."""

    begin_at = 2.0
    per_second = 2.0
    title = "RoPE: turn the query and the key"
    counted = "offset"

    def setup(self) -> None:
        """Put the picture on screen."""
        super().setup()
        self.frequencies = geometric(8, 100.0)
        self.add(Line((-6.4, -1.3, 0), (6.4, -1.3, 0), color=GRAY, stroke_width=2))
        for i, frequency in enumerate(self.frequencies):
            center = np.array([-4.8 + 3.2 * i, 1.25, 0])
            self.add(Text(f"w = {frequency:.2g}", font_size=24, color=GRAY).move_to(center + 1.45 * DOWN))
            self.add_plane(i, center)
            self.add_share(i, np.array([center[0], -1.3, 0]))

    def vectors(self, i: int) -> np.ndarray:
        """Return the query and the key of plane ``i`` as they stand now, ``(2, 2)``."""
        pairs = np.array([QUERY[2 * i : 2 * i + 2], KEY[2 * i : 2 * i + 2]])
        positions = (KEY_POSITION + self.now.get_value(), KEY_POSITION)
        return rotate(pairs, positions, self.frequencies[i : i + 1])

    def add_plane(self, i: int, center: np.ndarray) -> None:
        """Put axes, circles, vectors and the wedge between them on screen."""
        for way in np.eye(3)[:2]:
            ends = center - 1.4 * UNIT * way, center + 1.4 * UNIT * way
            self.add(Line(*ends, color=GRAY, stroke_width=2))
        for pair, color in ((QUERY, YELLOW), (KEY, PURPLE)):
            length = UNIT * np.hypot(*pair[2 * i : 2 * i + 2])
            self.add(Circle(length, color=color, stroke_width=1.5, stroke_opacity=0.45).move_to(center))

        def arrow(which: int, color: Any) -> Arrow:
            tip = np.append(UNIT * self.vectors(i)[which], 0)
            return Arrow(center, center + tip, buff=0, color=color, stroke_width=5)

        def wedge() -> Sector:
            query, key = (np.arctan2(y, x) for x, y in self.vectors(i))
            angle = (query - key + np.pi) % (2 * np.pi) - np.pi
            return Sector(
                0.45 * UNIT, start_angle=key, angle=angle, arc_center=center, color=GREEN, fill_opacity=0.3
            )

        self.add(always_redraw(wedge))
        self.add(always_redraw(lambda: arrow(0, YELLOW)), always_redraw(lambda: arrow(1, PURPLE)))

    def add_share(self, i: int, foot: np.ndarray) -> None:
        """Put a plane's share of the score on screen, as a bar from ``foot`` and as a number."""

        def share() -> float:
            return float(plane_scores(QUERY, KEY, [self.now.get_value()], self.frequencies)[0, i])

        def bar() -> Rectangle:
            height = 0.75 * share()
            bar = Rectangle(width=0.3, height=abs(height) + 1e-3, stroke_width=0, fill_opacity=1, color=GREEN)
            return bar.move_to(foot + UP * height / 2)

        self.add(always_redraw(bar), number(share, foot + 1.3 * RIGHT + 0.25 * UP, color=GREEN))
