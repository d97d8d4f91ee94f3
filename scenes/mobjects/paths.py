"""Many parts drawn as one path: a thousand line segments cost Manim hardly more than one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VMobject

Points = npt.NDArray[np.float64]

# A circle of four cubic arcs is off by 0.03 % of its radius: far below a pixel for a dot.
_KAPPA = 4.0 / 3.0 * (np.sqrt(2.0) - 1.0)
_QUARTER = np.array([(1.0, 0.0), (1.0, _KAPPA), (_KAPPA, 1.0), (0.0, 1.0)])
_TURN = np.array([(0.0, -1.0), (1.0, 0.0)])
_SHARES = np.array([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])[None, :, None]
UNIT_CIRCLE = np.concatenate([_QUARTER @ np.linalg.matrix_power(_TURN, k).T for k in range(4)])


def spatial(points: npt.ArrayLike) -> Points:
    """Return ``(n, 2)`` or ``(n, 3)`` points as ``(n, 3)``."""
    array = np.atleast_2d(np.asarray(points, dtype=float))
    if array.shape[1] == 3:
        return array
    # Ten times faster than np.pad.
    flat = np.zeros((len(array), 3))
    flat[:, :2] = array
    return flat


def segment_curves(starts: npt.ArrayLike, ends: npt.ArrayLike) -> Points:
    """Return the curves ``(n, 4, 3)`` of segments from ``starts``, or from one point for all, to ``ends``."""
    to = spatial(ends)
    from_ = np.broadcast_to(spatial(starts), to.shape)
    return np.asarray(from_[:, None] + (to - from_)[:, None] * _SHARES)


def disc_curves(centers: npt.ArrayLike, radius: float) -> Points:
    """Return the curves ``(n, 16, 3)`` of circles around ``centers``, ``(n, 2)`` or ``(n, 3)``."""
    return np.asarray(spatial(centers)[:, None] + spatial(UNIT_CIRCLE * radius))


def show_stroke(path: VMobject, opacity: float) -> None:
    """Set how far the stroke of ``path`` is shown."""
    # Manim's own setter takes 30 microseconds, even where nothing changes: with many paths, milliseconds.
    if path.stroke_rgbas[0, 3] != opacity:
        path.set_stroke(opacity=opacity)


def show_fill(path: VMobject, opacity: float) -> None:
    """Set how far the inside of ``path`` is shown."""
    if path.fill_rgbas[0, 3] != opacity:
        path.set_fill(opacity=opacity)


class Segments(VMobject):
    """Straight line segments as one path.

    Set by `set_ends`; read back with `starts` and `ends`.
    """

    def set_ends(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> Self:
        """Draw segment k from ``starts[k]``, or from one point for all, to ``ends[k]``, in 2 or 3 numbers."""
        self.points = segment_curves(starts, ends).reshape(-1, 3)
        return self

    @property
    def starts(self) -> Points:
        """``(n, 3)`` first ends."""
        return np.asarray(self.points[0::4])

    @property
    def ends(self) -> Points:
        """``(n, 3)`` second ends."""
        return np.asarray(self.points[3::4])


class Discs(VMobject):
    """Filled discs as one path, set by `set_centers`; read back with `centers`."""

    def __init__(self, radius: float = 0.05, **kwargs: Any) -> None:
        super().__init__(**({"stroke_width": 0.0, "fill_opacity": 1.0} | kwargs))
        self.radius = radius

    def set_centers(self, centers: npt.ArrayLike) -> Self:
        """Draw one disc around each of ``centers``, ``(n, 2)`` or ``(n, 3)``."""
        self.points = disc_curves(centers, self.radius).reshape(-1, 3)
        return self

    @property
    def centers(self) -> Points:
        """``(n, 3)`` centres."""
        return np.asarray(self.points.reshape(-1, len(UNIT_CIRCLE), 3)[:, [0, 8]].mean(axis=1))


class Polyline(VMobject):
    """A line through given points, with corners, as one path."""

    def set_vertices(self, vertices: npt.ArrayLike) -> Self:
        """Draw the line through ``vertices``, ``(n, 2)`` or ``(n, 3)``; fewer than two draw nothing."""
        corners = spatial(vertices)
        self.points = segment_curves(corners[:-1], corners[1:]).reshape(-1, 3)
        return self

    @property
    def vertices(self) -> Points:
        """``(n, 3)`` corners."""
        return np.concatenate([self.points[:1], self.points[3::4]])
