"""All hands of an encoding at once, as a few paths: their tips draw one curve."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup, VMobject

from pe_math import sinusoidal
from scenes.mobjects.clock import swept_share
from scenes.mobjects.paths import (
    Discs,
    Points,
    Segments,
    disc_curves,
    segment_curves,
    show_fill,
    show_stroke,
    spatial,
)
from scenes.theme import Theme

# Neighbours that differ by more do not look as if they belonged together.
WIDEST_JOIN = np.pi / 3.0


def joined(turns: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which neighbours, that differ by ``turns`` radians, look as if they belonged together."""
    return np.abs(turns) < WIDEST_JOIN


class Swarm(VGroup):
    """Hands about one hub, fast to slow, in bands of like colour: faint, with bright dots at their tips.

    With ``spread`` 1 each hand has its own length, the fast ones short and inside, and neighbours that
    differ by less than 60 degrees are joined; with 0 all are equally long. A band too fast for the eye
    fades away.
    """

    def __init__(
        self,
        frequencies: npt.ArrayLike,
        theme: Theme,
        *,
        longest: float = 2.9,
        shortest: float = 0.35,
        equal: float = 2.1,
        bands: int = 16,
        hub: tuple[float, float] = (0.0, 0.0),
        **kwargs: Any,
    ) -> None:
        """Take the lengths of the slowest hand, of the fastest, and of all while they are equally long."""
        super().__init__(**kwargs)
        self.frequencies, self.hub = np.asarray(frequencies, dtype=float), spatial(hub)[0]
        self.own_lengths = np.linspace(shortest, longest, len(self.frequencies))
        self.equal_lengths = np.full_like(self.own_lengths, equal)
        bands = min(bands, len(self.frequencies))
        edges = [int(part[0]) for part in np.array_split(np.arange(len(self.frequencies)), bands)]
        self.bands = [slice(*ends) for ends in pairwise([*edges, len(self.frequencies)])]
        colors = theme.hand_colors(bands)
        self.hands = [Segments(color=color, stroke_width=1.5) for color in colors]
        self.joins = [VMobject(color=color, stroke_width=2.0) for color in colors]
        self.dots = [Discs(radius=0.036, color=color) for color in colors]
        self.add(*self.hands, *self.joins, *self.dots)
        self.set_position(0.0)

    def set_position(self, position: float, pace: float = 0.0, spread: float = 1.0) -> Self:
        """Turn every hand to ``position``, at ``pace`` positions a second; ``spread`` is from 0 to 1."""
        lengths = (1.0 - spread) * self.equal_lengths + spread * self.own_lengths
        directions = sinusoidal.table([position], self.frequencies).reshape(-1, 2)
        arms = spatial(directions * lengths[:, None])
        turns = np.diff(self.frequencies) * position
        near = joined(turns)
        # All curves at once: done band by band, the same arithmetic takes four times as long.
        hands = segment_curves(self.hub, self.hub + arms)
        joins = self.hub + spiral_curves(arms[:-1], arms[1:], turns)
        dots = disc_curves(self.hub + arms, self.dots[0].radius)
        for k, band in enumerate(self.bands):
            seen = 1.0 - swept_share(self.frequencies[band.start] * pace)
            self.hands[k].points = hands[band].reshape(-1, 3)
            self.joins[k].points = joins[band][near[band]].reshape(-1, 3)
            self.dots[k].points = dots[band].reshape(-1, 3)
            show_stroke(self.hands[k], (0.4 - 0.2 * spread) * seen)
            show_stroke(self.joins[k], 0.7 * spread * seen)
            show_fill(self.dots[k], seen)
        return self

    @property
    def tips(self) -> Points:
        """``(n, 3)`` tips, fast to slow."""
        return np.concatenate([dots.centers for dots in self.dots])


def spiral_curves(starts: Points, ends: Points, turns: npt.ArrayLike) -> Points:
    """Return the curves ``(n, 4, 3)`` of spirals about the origin from ``starts`` to ``ends``.

    Spiral k turns by ``turns[k]`` radians clockwise. Angle and distance from the origin change evenly along
    it: its cubic has that curve's directions and speeds at both ends.
    """
    growth = (np.linalg.norm(ends, axis=1) - np.linalg.norm(starts, axis=1))[:, None]
    leaving, arriving = (
        (growth * arms / np.linalg.norm(arms, axis=1)[:, None] + _clockwise(arms, turns)) / 3.0
        for arms in (starts, ends)
    )
    return np.stack([starts, starts + leaving, ends - arriving, ends], axis=1)


def _clockwise(arms: Points, turns: npt.ArrayLike) -> Points:
    """Return how the ends of ``arms`` move while they turn, by ``turns`` radians in unit time."""
    x, y, z = arms.T
    return np.asarray(np.stack([y, -x, z], axis=-1) * np.asarray(turns)[:, None])
