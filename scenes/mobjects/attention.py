"""Attention against distance: a map that slants until each distance is a column, and curves of weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, VGroup

from scenes.mobjects.axis import Axis
from scenes.mobjects.heatmap import Heatmap
from scenes.mobjects.paths import Points, Polyline, Segments, spatial
from scenes.theme import Theme

Array = npt.NDArray[np.float64]

DASH = 0.09  # how long a dash is on screen, and a gap
UNREAD = 0.3  # how far rows are shown that have not been averaged yet


class AttentionMap(Heatmap):
    """A causal map of attention weights, queries downward and keys to the right, that can slant.

    Upright, a diagonal holds the keys at one distance from their query; slanted by 1, every query stands at
    the right edge, and that distance is a column. Colours go by the root of the weight, so that small ones
    are seen.
    """

    def __init__(
        self,
        weights: npt.ArrayLike,
        theme: Theme,
        *,
        center: tuple[float, float],
        width: float,
        height: float,
        **kwargs: Any,
    ) -> None:
        weights = np.asarray(weights, dtype=float)
        # The first queries have few keys to share between; they would leave the others in the dark.
        self.brightest = float(np.quantile(weights[np.tril_indices(len(weights))], 0.98))
        super().__init__(self._brightness(weights), theme, width=width, height=height, **kwargs)
        self.corner = spatial(center)[0] + np.array([-width, height, 0.0]) / 2.0
        self.size_: tuple[float, float] = width, height
        self.set_state(0.0, len(weights))

    def set_weights(self, weights: npt.ArrayLike, theme: Theme) -> Self:
        """Colour the map anew."""
        return self.set_values(self._brightness(weights), theme)

    def set_state(self, slant: float, read: float) -> Self:
        """Slant the map, from 0 to 1, and dim the rows from number ``read`` on."""
        width, height = self.size_
        down, right, shift = height * DOWN, -width * LEFT, -slant * width * LEFT
        upper, lower = self.corner + shift, self.corner + down
        self.points = np.array([upper, upper + right, lower, lower + right])
        rows = np.arange(len(self.values))[:, None]
        causal = np.tril(np.ones_like(self.values))
        self.set_shown(causal * np.where(rows < read, 1.0, UNREAD))
        return self

    def cell(self, query: int, key: int) -> Points:
        """Return where the middle of a cell stands on screen."""
        upper, right, lower = self.points[:3]
        count = len(self.values)
        across, down = (right - upper) * (key + 0.5) / count, (lower - upper) * (query + 0.5) / count
        return np.asarray(upper + across + down)

    def _brightness(self, weights: npt.ArrayLike) -> Array:
        return np.sqrt(np.asarray(weights, dtype=float) / self.brightest)


class OffsetAxes(VGroup):
    """Offsets from ``-(count - 1)`` to 0, key less query; weights upward, each decade as high as the next."""

    def __init__(
        self,
        count: int,
        weights: tuple[float, float],
        theme: Theme,
        *,
        center: tuple[float, float],
        width: float,
        height: float,
        step: int = 20,
        numbered: str = "xy",
        **kwargs: Any,
    ) -> None:
        """Make room for weights from the lower to the higher.

        ``numbered`` names the axes that bear numbers: x each ``step``-th offset, y each decade.
        """
        super().__init__(**kwargs)
        self.count, self.logarithms = count, np.log10(weights)
        self.center_, self.size_ = spatial(center)[0], (width, height)
        low, high = self.logarithms
        powers = np.arange(np.ceil(low - 1e-9), np.floor(high + 1e-9) + 1.0)
        rules = Segments(color=theme.color("grid"), stroke_width=1.5)
        rules.set_ends(self.points_at(1 - count, 10.0**powers), self.points_at(0, 10.0**powers))
        floor = Segments(color=theme.color("dim"), stroke_width=2.0)
        floor.set_ends(self.points_at(1 - count, weights[0]), self.points_at(0, weights[0]))
        self.add(rules, floor)
        if "x" in numbered:
            ticks = -np.arange(0, count, step)
            labels = [f"{tick}".replace("-", "\N{MINUS SIGN}") for tick in ticks]
            feet = self.points_at(ticks, weights[0])
            self.add(Axis(theme, dict(zip(labels, feet, strict=True)), side=DOWN))
        if "y" in numbered:
            lefts = self.points_at(1 - count, 10.0**powers)
            labels = [f"{10.0**power:g}" for power in powers]
            self.add(Axis(theme, dict(zip(labels, lefts, strict=True)), side=LEFT))

    def points_at(self, offsets: npt.ArrayLike, weights: npt.ArrayLike) -> Points:
        """Return the points ``(n, 3)`` of ``offsets`` and ``weights``, broadcast against each other."""
        low, high = self.logarithms
        across = np.asarray(offsets, dtype=float) / (self.count - 1) + 0.5
        up = (np.log10(weights) - low) / (high - low) - 0.5
        shares = np.stack(np.broadcast_arrays(across, up), axis=-1).reshape(-1, 2)
        return np.asarray(self.center_ + spatial(shares * self.size_))

    def values_at(self, points: Points) -> tuple[Array, Array]:
        """Return the offsets and the weights that ``points`` ``(n, 3)`` stand for."""
        low, high = self.logarithms
        across, up = ((points - self.center_)[:, :2] / self.size_).T
        return (across - 0.5) * (self.count - 1), 10.0 ** (low + (up + 0.5) * (high - low))

    def seen(self, weights: npt.ArrayLike) -> int:
        """Return how many of ``weights``, from offset 0 on, come before the first below the floor."""
        below = np.asarray(weights) < 10.0 ** self.logarithms[0]
        return int(np.argmax(below)) if below.any() else len(below)


class OffsetCurve(VGroup):
    """Weights over the distance from 0 on, as a line, with their spread as a band."""

    def __init__(self, axes: OffsetAxes, color: str, *, width: float = 3.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes = axes
        self.band = Polyline(color=color, stroke_width=0.0, fill_opacity=0.25)
        self.line = Polyline(color=color, stroke_width=width)
        self.add(self.band, self.line)

    def set_weights(self, weights: Array, low: Array | None = None, high: Array | None = None) -> Self:
        """Draw ``weights`` by distance, as far as they are above the floor, and the band from low to high."""
        offsets, floor = -np.arange(len(weights)), 10.0 ** self.axes.logarithms[0]
        seen = self.axes.seen(weights)
        self.line.set_vertices(self.axes.points_at(offsets[:seen], weights[:seen]))
        if low is not None and high is not None:
            seen = self.axes.seen(high)
            lower = self.axes.points_at(offsets[:seen], np.maximum(low[:seen], floor))
            upper = self.axes.points_at(offsets[:seen], high[:seen])
            self.band.set_vertices(np.concatenate([lower, upper[::-1]]))
        return self

    @property
    def values(self) -> tuple[Array, Array]:
        """The offsets and weights of the line."""
        return self.axes.values_at(self.line.vertices)


def dashes(axes: OffsetAxes, weights: Array, color: str, *, width: float = 2.5) -> Segments:
    """Return ``weights`` by distance as a dashed line, straight on the log axis from one to the next."""
    last = axes.seen(weights) - 1
    count = 2 * max(1, round(last / (axes.count - 1) * axes.size_[0] / (2.0 * DASH)))
    distances = np.linspace(0.0, last, count)
    heights = 10.0 ** np.interp(distances, np.arange(len(weights)), np.log10(weights))
    points = axes.points_at(-distances, heights)
    return Segments(color=color, stroke_width=width).set_ends(points[0::2], points[1::2])
