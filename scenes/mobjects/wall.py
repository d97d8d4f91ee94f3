"""A wall of clocks in rows, whose rims tell which hands have turned once."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from scenes.mobjects.faces import ClockFaces
from scenes.mobjects.paths import Discs, Points, Segments
from scenes.theme import Theme


class Wall(ClockFaces):
    """Clocks in rows, fast to slow, left to right and top to bottom.

    A rim lights up in its hand's colour once that hand has turned once.
    """

    def __init__(
        self,
        frequencies: npt.ArrayLike,
        theme: Theme,
        *,
        columns: int = 8,
        radius: float = 0.66,
        pitch: tuple[float, float] = (1.62, 2.1),
        center: tuple[float, float] = (0.0, 0.0),
        **kwargs: Any,
    ) -> None:
        """Hang ``columns`` clocks in a row, ``pitch`` apart across and down, about ``center``."""
        rows, in_row = np.divmod(np.arange(len(np.asarray(frequencies))), columns)
        places = np.stack([in_row, -rows], axis=-1) * pitch
        centers = places - (places.min(axis=0) + places.max(axis=0)) / 2.0 + center
        hours = np.array([(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)]) * radius
        self.ticks = Segments(color=theme.color("grid"), stroke_width=2.0)
        self.ticks.set_ends(_around(centers, 0.85 * hours), _around(centers, hours)).set_z_index(-1)
        # Below the hands, which wear the same colour: so the rims rest while the hands move.
        self.rims = [
            Discs(radius, color=color, fill_opacity=0.0, stroke_width=4.0).set_z_index(-1)
            for color in theme.hand_colors(len(centers))
        ]
        super().__init__(frequencies, theme, centers=centers, radius=radius, hand_width=4.5, **kwargs)
        self.add_to_back(self.ticks).add(*self.rims)

    def set_position(self, position: float, pace: float = 0.0) -> Self:
        """Turn the hands to ``position``, as `ClockFaces` does, and light the rims of those back."""
        super().set_position(position, pace)
        turned = position * self.frequencies >= 2.0 * np.pi
        for k in np.flatnonzero(turned != self.lit):
            self.rims[k].set_centers(self.centers[k : k + 1] if turned[k] else np.empty((0, 3)))
        return self

    @property
    def lit(self) -> npt.NDArray[np.bool_]:
        """``(n,)``, which rims are lit."""
        return np.array([len(rim.points) > 0 for rim in self.rims])


def _around(centers: Points, offsets: Points) -> Points:
    """Return each of ``offsets`` from each of ``centers``."""
    return (centers[:, None] + offsets).reshape(-1, centers.shape[1])
