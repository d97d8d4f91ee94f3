"""One plane of RoPE: an arrow for the query and one for the key, each turned by its own position."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup, VMobject

from pe_math import rotary
from scenes.mobjects.arrow import FilledArrow
from scenes.mobjects.paths import UNIT_CIRCLE, Points, Polyline, Segments, spatial
from scenes.theme import Theme


class Plane(VGroup):
    """Two arrows from one origin, turned counter-clockwise by ``frequency`` radians a position.

    A wedge spans the angle between them. What does not move stands apart, as `ground`, so that it can
    rest in the static picture: axes, for each arrow a faint circle, on which its tip stays, and a faint
    ray, where it stands at position 0. A plane stays where it is made.
    """

    def __init__(
        self,
        query: npt.ArrayLike,
        key: npt.ArrayLike,
        frequency: float,
        theme: Theme,
        *,
        center: npt.ArrayLike = (0.0, 0.0, 0.0),
        unit: float = 1.0,
        **kwargs: Any,
    ) -> None:
        """Take the two pairs before rotation; a vector of length 1 is ``unit`` long on screen."""
        super().__init__(**kwargs)
        self.pairs = np.array([query, key], dtype=float)
        self.frequency, self.unit = float(frequency), unit
        self.origin: Points = np.asarray(center, dtype=float)
        self.ground = self._make_ground(theme)
        self.wedge = Polyline(color=theme.color("score"), stroke_width=3.0, fill_opacity=0.3)
        thickness = unit**0.5
        self.key, self.query = (
            FilledArrow(shaft=0.06 * thickness, head=0.2 * thickness, color=theme.color(role))
            for role in ("key", "query")
        )
        self.add(self.wedge, self.key, self.query)
        self.set_positions(0.0, 0.0)

    def set_positions(self, query_position: float, key_position: float) -> Self:
        """Turn the query's arrow to ``query_position`` and the key's to ``key_position``."""
        query, key = rotary.rotate(self.pairs, [query_position, key_position], [self.frequency])
        first = np.arctan2(key[1], key[0])
        angles = np.linspace(first, first + angle_between(key, query), 33)
        rim = 0.45 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        tips = self._on_screen([query, key])
        self.query.set_ends(self.origin, tips[0])
        self.key.set_ends(self.origin, tips[1])
        self.wedge.set_vertices(self._on_screen([(0.0, 0.0), *rim, (0.0, 0.0)]))
        return self

    @property
    def vectors(self) -> npt.NDArray[np.float64]:
        """``(2, 2)``: query and key as the arrows show them."""
        tips = np.array([self.query.tip, self.key.tip])
        return np.asarray((tips - self.origin)[:, :2] / self.unit)

    def _on_screen(self, vectors: npt.ArrayLike) -> Points:
        return np.asarray(self.origin + self.unit * spatial(vectors))

    def _make_ground(self, theme: Theme) -> VGroup:
        axes = Segments(color=theme.color("grid"), stroke_width=2.0)
        axes.set_ends(*(self._on_screen(1.4 * sign * np.eye(2)) for sign in (-1.0, 1.0)))
        ground = VGroup(axes)
        for vector, role in zip(self.pairs, ("query", "key"), strict=True):
            path = VMobject(color=theme.color(role), stroke_width=1.5, stroke_opacity=0.45)
            ray = np.linspace(np.zeros(2), vector, 4)
            path.points = self._on_screen([*(UNIT_CIRCLE * np.linalg.norm(vector)), *ray])
            ground.add(path)
        return ground.set_z_index(-1)


def angle_between(key: npt.ArrayLike, query: npt.ArrayLike) -> float:
    """Return the angle from ``key`` to ``query`` in radians, counter-clockwise, in (-pi, pi].

    >>> round(angle_between((1.0, 0.0), (0.0, 2.0)) / np.pi, 12)
    0.5
    """
    (a, b), (c, d) = np.asarray(key, dtype=float), np.asarray(query, dtype=float)
    return float(np.arctan2(a * d - b * c, a * c + b * d))
