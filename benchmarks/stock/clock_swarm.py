"""256 hands about one hub: a line and a dot each, made anew each frame, and a curve through the tips."""

import numpy as np
from manim import (
    PINK,
    PURPLE,
    YELLOW,
    Dot,
    Line,
    VGroup,
    VMobject,
    always_redraw,
    color_gradient,
)

from benchmarks.stock.running import Running
from pe_math.frequencies import geometric

HUB = np.array([0, -0.2, 0])


class Swarm(Running):
    """Fast hands are short and inside, slow ones long and outside."""

    begin_at = 10.0
    per_second = 10.0
    title = "All the hands at once"

    def setup(self) -> None:
        """Put the picture on screen."""
        super().setup()
        self.frequencies = geometric(512)
        self.lengths = np.linspace(0.35, 2.9, 256)
        self.colors = color_gradient([YELLOW, PINK, PURPLE], 256)
        self.add(*map(always_redraw, (self.hands, self.joins, self.dots)))

    def tips(self) -> np.ndarray:
        """Return where the tips are, ``(256, 3)``."""
        angles = self.frequencies * self.now.get_value()
        arms = np.stack([np.sin(angles), np.cos(angles), 0 * angles], axis=1)
        return HUB + arms * self.lengths[:, None]

    def hands(self) -> VGroup:
        """Return all hands as they stand now."""
        pairs = zip(self.tips(), self.colors, strict=True)
        return VGroup(
            *(Line(HUB, tip, color=color, stroke_width=1.5, stroke_opacity=0.2) for tip, color in pairs)
        )

    def joins(self) -> VMobject:
        """Return a curve through the tips of those that stand less than 60 degrees apart."""
        near = np.abs(np.diff(self.frequencies) * self.now.get_value()) < np.pi / 3
        tips = self.tips()[np.append(near, True)]
        return VMobject(color=PINK, stroke_width=2, stroke_opacity=0.7).set_points_smoothly(tips)

    def dots(self) -> VGroup:
        """Return a dot at each tip."""
        pairs = zip(self.tips(), self.colors, strict=True)
        return VGroup(*(Dot(tip, radius=0.036, color=color) for tip, color in pairs))
