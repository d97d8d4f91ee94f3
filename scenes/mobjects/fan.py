"""All planes of one rotated vector about one hub: arrows that fan out, and the angles that they turn by."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup, VMobject

from pe_math import rotary
from scenes.mobjects.arrow import FilledArrow
from scenes.mobjects.paths import UNIT_CIRCLE, Discs, Points, Polyline, show_fill, spatial
from scenes.theme import Theme

# An arc of one turn through so many points is off by 0.1 % of its radius: less than a line's width.
ARC_POINTS = 73


class Fan(VGroup):
    """The pairs ``(2i, 2i+1)`` of a vector as arrows from one hub, fast to slow, turned by RoPE.

    On each arrow's circle an arc shows the angle between two positions, at most one turn of it. What does not
    move stands apart, as `ground`, so that it can rest in the static picture: the circles. A fan stays where
    it is made.
    """

    def __init__(
        self,
        vector: npt.ArrayLike,
        frequencies: npt.ArrayLike,
        theme: Theme,
        *,
        center: npt.ArrayLike = (0.0, 0.0, 0.0),
        unit: float = 1.0,
        **kwargs: Any,
    ) -> None:
        """Take the vector ``(d,)`` before rotation; a pair of length 1 is ``unit`` long on screen."""
        super().__init__(**kwargs)
        self.pairs = np.reshape(np.asarray(vector, dtype=float), (-1, 2))
        self.frequencies, self.unit = np.asarray(frequencies, dtype=float), unit
        self.hub: Points = np.asarray(center, dtype=float)
        self.ground = self._make_ground(theme)
        colors = theme.hand_colors(len(self.pairs))
        self.arcs = [Polyline(color=color, stroke_width=4.0 * unit**0.5) for color in colors]
        self.arrows = [
            FilledArrow(shaft=0.03 * unit**0.5, head=0.13 * unit**0.5, color=color) for color in colors
        ]
        self.key, self.query = (
            Discs(radius=0.065 * unit**0.5, color=theme.color(role)) for role in ("key", "query")
        )
        # The slow arrows are the longest, and lie below the fast ones.
        self.add(*self.arcs, *reversed(self.arrows), self.key, self.query)
        self.set_positions(0.0, 0.0)

    def set_positions(self, query: float, key: float = 0.0, paired: float = 0.0) -> Self:
        """Turn the arrows to the position ``query``; the arcs lead there from the position ``key``.

        ``paired``, 0 to 1, says how far dots at the ends of the arcs stand in for the arrows.
        """
        tips, feet = (
            self._on_screen(rotary.rotate(self.pairs.reshape(1, -1), [position], self.frequencies))
            for position in (query, key)
        )
        for arrow, arc, tip, corners in zip(
            self.arrows, self.arcs, tips, self._ways(query, key), strict=True
        ):
            show_fill(arrow.set_ends(self.hub, tip), 1.0 - paired)
            arc.set_vertices(corners)
        show_fill(self.query.set_centers(tips), paired)
        show_fill(self.key.set_centers(feet), paired)
        return self

    @property
    def vectors(self) -> npt.NDArray[np.float64]:
        """``(d/2, 2)``: the pairs as the arrows show them."""
        return self._values([arrow.tip for arrow in self.arrows])

    @property
    def ends(self) -> npt.NDArray[np.float64]:
        """``(d/2, 2, 2)``: where each arc begins and ends."""
        return np.stack([self._values([arc.vertices[k] for arc in self.arcs]) for k in (0, -1)], axis=1)

    @property
    def spans(self) -> npt.NDArray[np.float64]:
        """``(d/2,)``: the angle of each arc in radians, counter-clockwise."""
        ways = np.array([self._values(arc.vertices) for arc in self.arcs])
        directions = ways[..., 0] + 1j * ways[..., 1]
        return np.asarray(np.angle(directions[:, 1:] / directions[:, :-1]).sum(axis=1))

    def _ways(self, query: float, key: float) -> Points:
        """Return the corners of the arcs, ``(d/2, ARC_POINTS, 3)``."""
        starts = np.maximum(key, query - 2.0 * np.pi / self.frequencies)
        angles = np.linspace(starts, query, ARC_POINTS, axis=1) * self.frequencies[:, None]
        # All in one go: as many small ones take four times as long.
        vectors = np.repeat(self.pairs, ARC_POINTS, axis=0)
        turned = self._on_screen(rotary.rotate(vectors, angles.ravel(), [1.0]))
        return turned.reshape(len(self.pairs), ARC_POINTS, 3)

    def _values(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return np.asarray((np.asarray(points) - self.hub)[:, :2] / self.unit)

    def _on_screen(self, vectors: npt.ArrayLike) -> Points:
        return np.asarray(self.hub + self.unit * spatial(np.reshape(vectors, (-1, 2))))

    def _make_ground(self, theme: Theme) -> VMobject:
        circles = VMobject(color=theme.color("grid"), stroke_width=1.5)
        lengths = np.linalg.norm(self.pairs, axis=1)
        circles.points = self._on_screen((UNIT_CIRCLE * lengths[:, None, None]).reshape(-1, 2))
        return circles.set_z_index(-1)
