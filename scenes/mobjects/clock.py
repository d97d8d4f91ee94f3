"""Clock faces whose hands turn as the encoding says."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import Circle, VGroup

from pe_math import sinusoidal
from scenes.mobjects.paths import Discs, Segments, show_fill, show_stroke
from scenes.theme import Theme

# A hand that turns more than 60 degrees a frame looks as if it ran backwards. At the 15 frames a second
# of a draft that is 15.7 radians a second; from half of it on, the hand fades into the disc it sweeps.
FASTEST_SEEN = np.pi / 3.0 * 15.0


class Clock(VGroup):
    """One clock: a dial, a hub, and a hand that turns with ``frequency`` radians a position.

    The hand's tip stands at (sin wp, cos wp) of the dial, at twelve for position 0 and clockwise from
    there: its shadow on the floor is the sine, its shadow on the wall the cosine.
    """

    def __init__(
        self,
        frequency: float,
        theme: Theme,
        *,
        radius: float = 1.0,
        color: str | None = None,
        hand_width: float = 5.0,
        ticks: int = 12,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.frequency = float(frequency)
        hand_color = theme.text if color is None else color
        self.dial = Circle(radius, color=theme.color("grid"), stroke_width=3.0)
        angles = np.arange(ticks) * 2.0 * np.pi / max(ticks, 1)
        spokes = np.stack([np.sin(angles), np.cos(angles)], axis=-1) * radius
        self.ticks = Segments(color=theme.color("grid"), stroke_width=2.0).set_ends(spokes * 0.9, spokes)
        self.hand = Segments(color=hand_color, stroke_width=hand_width)
        self.tip = Discs(color=hand_color)
        self.hub = Discs(radius=0.05 * radius**0.5, color=theme.text).set_centers([[0.0, 0.0]])
        self.swept = Circle(radius, color=hand_color, stroke_width=0.0, fill_opacity=0.0)
        self.add(self.swept, self.dial, self.ticks, self.hand, self.tip, self.hub)
        self.set_position(0.0)

    @property
    def radius(self) -> float:
        """The dial's radius as it stands on screen."""
        return float(self.dial.width) / 2.0

    def get_critical_point(self, direction: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return an edge or the centre of the dial: a clock is placed by its dial, not by its hand."""
        return np.asarray(self.dial.get_critical_point(np.asarray(direction)))

    def tip_at(self, position: float) -> npt.NDArray[np.float64]:
        """Return the point on screen where the hand's tip is at ``position``."""
        (pair,) = sinusoidal.table([position], [self.frequency])
        return np.asarray(self.dial.get_center() + self.radius * np.array([pair[0], pair[1], 0.0]))

    def set_position(self, position: float, pace: float = 0.0) -> Self:
        """Turn the hand to ``position``; ``pace`` is how many positions a second the film runs through.

        A hand too fast for the eye at that pace fades into the disc that it sweeps.
        """
        tip = self.tip_at(position)
        blur = swept_share(self.frequency * pace)
        self.hand.set_ends(self.dial.get_center(), tip)
        self.tip.radius = 0.065 * self.radius**0.5
        self.tip.set_centers(tip)
        show_stroke(self.hand, 1.0 - blur)
        show_fill(self.tip, 1.0 - blur)
        show_fill(self.swept, 0.3 * blur)
        return self

    @property
    def angle(self) -> float:
        """The hand's angle in radians, clockwise from twelve, in (-pi, pi]."""
        x, y, _ = self.hand.ends[0] - self.hand.starts[0]
        return float(np.arctan2(x, y))


def swept_share(angular_speed: float) -> float:
    """Return how far a hand of ``angular_speed`` radians a second has faded into its disc, 0 to 1.

    >>> swept_share(1.0), swept_share(100.0)
    (0.0, 1.0)
    """
    return min(max(2.0 * abs(float(angular_speed)) / FASTEST_SEEN - 1.0, 0.0), 1.0)
