"""Many small clock faces as a few paths."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from pe_math import sinusoidal
from scenes.mobjects.clock import swept_share
from scenes.mobjects.paths import Discs, Segments, segment_curves, spatial
from scenes.theme import Theme


class ClockFaces(VGroup):
    """One face for each frequency, fast to slow in the colours of the hands; all dials are one path.

    Each hand turns as that of `Clock` does, and fades into the disc that it sweeps where it is too fast.
    """

    def __init__(
        self,
        frequencies: npt.ArrayLike,
        theme: Theme,
        *,
        centers: npt.ArrayLike,
        radius: float,
        hand_width: float = 3.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.frequencies = np.asarray(frequencies, dtype=float)
        self.centers = spatial(centers)
        self.radius = radius
        self.dials = Discs(radius, color=theme.color("grid"), fill_opacity=0.0, stroke_width=2.0)
        # Below the words: so the dials rest in Manim's static picture, and only what moves is drawn anew.
        self.dials.set_centers(self.centers).set_z_index(-1)
        self.hubs = Discs(0.05 * radius**0.5, color=theme.text).set_centers(self.centers)
        colors = theme.hand_colors(len(self.frequencies))
        self.hands = [Segments(color=color, stroke_width=hand_width) for color in colors]
        self.swept = [Discs(radius, color=color, fill_opacity=0.0) for color in colors]
        self._blurs = [0.0] * len(colors)
        self.add(self.dials, *self.swept, *self.hands, self.hubs)
        self.set_position(0.0)

    def set_position(self, position: float, pace: float = 0.0) -> Self:
        """Turn the hands to ``position``; ``pace`` is how many positions a second the film runs through."""
        tips = self.centers + spatial(
            self.radius * sinusoidal.table([position], self.frequencies).reshape(-1, 2)
        )
        hands = segment_curves(self.centers, tips)
        for k, hand in enumerate(self.hands):
            hand.points = hands[k]
            self._set_blur(k, swept_share(self.frequencies[k] * pace))
        return self

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """``(d,)``, what the hands show now: each tip's x and y over the radius, sin, cos, sin, cos …"""
        tips = np.concatenate([hand.ends - hand.starts for hand in self.hands])
        return np.asarray(tips[:, :2].reshape(-1) / self.radius)

    def _set_blur(self, k: int, blur: float) -> None:
        """Fade hand ``k`` into its disc by ``blur``, 0 to 1."""
        # Opacities are left alone while nothing blurs, so that the faces can fade in and out.
        if blur == self._blurs[k]:
            return
        self._blurs[k] = blur
        self.hands[k].set_stroke(opacity=1.0 - blur)
        # A disc that is not there costs no time.
        self.swept[k].set_centers(self.centers[k : k + 1] if blur else np.empty((0, 3)))
        self.swept[k].set_fill(opacity=0.3 * blur)
