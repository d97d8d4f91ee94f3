"""The hands of a published model, and which of them have gone round."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from pe_math import sinusoidal
from scenes.mobjects.paths import Discs, Polyline, Segments
from scenes.mobjects.swarm import Swarm
from scenes.theme import Theme


class ModelHands(VGroup):
    """A swarm of hands, short and fast to long and slow, with a circle around those that have gone round.

    What lies outside the circle has not come back to twelve yet. A wedge shows how far the slowest hand has
    come; that of a hand which has gone round is a disc.
    """

    def __init__(
        self,
        frequencies: npt.ArrayLike,
        theme: Theme,
        *,
        hub: tuple[float, float],
        longest: float = 1.32,
        **kwargs: Any,
    ) -> None:
        """Take the frequencies, fast to slow, where the hub is and how long the slowest hand is."""
        super().__init__(**kwargs)
        self.swarm = Swarm(frequencies, theme, hub=hub, longest=longest, shortest=0.15 * longest, bands=8)
        self.periods = 2.0 * np.pi / self.swarm.frequencies
        self.slowest = self.swarm.frequencies[-1:]
        color = str(self.swarm.hands[-1].get_color().to_hex())
        self.front = Discs(color=theme.color("dim"), fill_opacity=0.16, stroke_width=2.0)
        self.twelve = Segments(color=theme.color("dim"), stroke_width=1.5).set_ends(*self._arm([0.0]))
        self.wedge = Polyline(color=color, stroke_width=2.0, fill_opacity=0.4)
        self.hand = Segments(color=color, stroke_width=4.0)
        self.add(self.front, self.twelve, self.wedge, self.swarm, self.hand)
        self.set_position(0.0)

    def set_position(self, position: float, pace: float = 0.0) -> Self:
        """Turn every hand to ``position``, while the film runs through ``pace`` positions a second."""
        self.swarm.set_position(position, pace)
        way = np.linspace(0.0, min(position, self.periods[-1]), 49)
        hub = self.swarm.hub[None]
        self.wedge.set_vertices(np.concatenate([hub, self._arm(way)[1], hub]))
        self.hand.set_ends(*self._arm([position]))
        # Between two hands the circle grows evenly, so that it never jumps.
        self.front.radius = float(np.interp(position, self.periods, self.swarm.own_lengths, left=0.0))
        self.front.set_centers(self.swarm.hub if self.front.radius else np.empty((0, 3)))
        return self

    @property
    def turns(self) -> float:
        """How many turns the wedge shows."""
        corners = (self.wedge.vertices - self.swarm.hub)[1:-1, :2]
        steps = np.diff(np.unwrap(np.arctan2(corners[:, 0], corners[:, 1])))
        return float(steps.sum() / (2.0 * np.pi))

    def _arm(self, positions: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the hub, and where the slowest hand's tip is at ``positions``."""
        directions = sinusoidal.table(positions, self.slowest) * self.swarm.own_lengths[-1]
        tips = np.column_stack([directions, np.zeros(len(directions))])
        return self.swarm.hub[None], np.asarray(self.swarm.hub + tips)
