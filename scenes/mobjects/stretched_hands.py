"""A row of hands at the end of a context, over what each of them was shown in training."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from pe_math import sinusoidal
from scenes.mobjects.clock import swept_share
from scenes.mobjects.paths import Discs, Polyline, Segments, segment_curves, show_fill, show_stroke, spatial
from scenes.theme import Theme

Array = npt.NDArray[np.float64]


class StretchedHands(VGroup):
    """Small clocks, fast to slow, each with the sector that its hand went through in training.

    A hand shows the last position of the context; a wedge, from one hand's place to the next, how far it
    turns between neighbours.
    """

    def __init__(
        self,
        trained: npt.ArrayLike,
        length: float,
        theme: Theme,
        *,
        left: tuple[float, float],
        pitch: float = 0.72,
        radius: float = 0.31,
        color: str,
        **kwargs: Any,
    ) -> None:
        """Take the frequencies as trained and the trained length, and the middle of the leftmost clock."""
        super().__init__(**kwargs)
        self.trained, self.length, self.radius = np.asarray(trained, dtype=float), float(length), radius
        count = len(self.trained)
        self.centers = spatial(np.array(left) + np.outer(np.arange(count), [pitch, 0.0]))
        dials = Discs(radius, color=theme.color("grid"), fill_opacity=0.0, stroke_width=2.0)
        self.dials = dials.set_centers(self.centers).set_z_index(-1)
        self.seen = [
            Polyline(color=theme.color("dim"), fill_opacity=0.45, stroke_width=0.0).set_z_index(-1)
            for _ in range(count)
        ]
        for k, sector in enumerate(self.seen):
            sector.set_vertices(self._sector(k, 0.0, self.trained[k] * self.length))
        self.steps = [Polyline(color=color, fill_opacity=0.5, stroke_width=0.0) for _ in range(count)]
        self.swept = [Discs(radius, color=color, fill_opacity=0.0) for _ in range(count)]
        self.hands = [Segments(color=color, stroke_width=4.0) for _ in range(count)]
        self.add(self.dials, *self.seen, *self.swept, *self.steps, *self.hands)
        self.set_context(self.length, self.trained)

    def set_context(self, length: float, frequencies: npt.ArrayLike, speeds: npt.ArrayLike = 0.0) -> Self:
        """Show the last of ``length`` positions with these frequencies, ``(n,)`` radians per position.

        ``speeds`` are how many radians a second the hands go meanwhile; those too fast for the eye fade into
        the discs that they sweep.
        """
        steps = np.asarray(frequencies, dtype=float)
        self.angles = steps * length
        tips = self.centers + self.radius * spatial(_directions(self.angles))
        arms = segment_curves(self.centers, tips)
        blurs = [swept_share(speed) for speed in np.broadcast_to(np.asarray(speeds), steps.shape)]
        for k, blur in enumerate(blurs):
            self.hands[k].points = arms[k]
            self.steps[k].set_vertices(self._sector(k, self.angles[k] - steps[k], self.angles[k]))
            show_stroke(self.hands[k], 1.0 - blur)
            show_fill(self.steps[k], 0.5 * (1.0 - blur))
            # A disc that is not there costs no time.
            self.swept[k].set_centers(self.centers[k : k + 1] if blur else np.empty((0, 3)))
            show_fill(self.swept[k], 0.3 * blur)
        return self

    @property
    def beyond(self) -> npt.NDArray[np.bool_]:
        """``(n,)``, which hands point where they never pointed in training."""
        reached = self.trained * self.length
        return np.asarray((reached < 2.0 * np.pi) & (self.angles > reached * (1.0 + 1e-9)))

    def _sector(self, k: int, start: float, end: float) -> Array:
        """Return the corners of the sector of clock ``k`` between two angles, of at most one turn."""
        angles = np.linspace(start, min(end, start + 2.0 * np.pi), 25)
        rim = self.centers[k] + self.radius * spatial(_directions(angles))
        return np.concatenate([self.centers[k : k + 1], rim, self.centers[k : k + 1]])


def _directions(angles: Array) -> Array:
    """Return ``(n, 2)`` directions at ``angles``, clockwise from twelve: those of a hand of one radian."""
    return np.asarray(sinusoidal.table(angles, [1.0]))
