"""An arrow as one filled path, for vectors and for signed bars."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from scenes.mobjects.paths import Points, Polyline, spatial


class FilledArrow(Polyline):
    """A straight arrow as one filled path, set by `set_ends`; read back with `start` and `tip`.

    An arrow shorter than its head is all head, and one of no length is not seen.
    """

    def __init__(
        self, *, shaft: float = 0.06, head: float = 0.2, head_length: float | None = None, **kwargs: Any
    ) -> None:
        """Take the widths of shaft and head; unless told otherwise, the head is as long as it is wide."""
        super().__init__(**({"stroke_width": 0.0, "fill_opacity": 1.0} | kwargs))
        self.shaft, self.head = shaft, head
        self.head_length = head if head_length is None else head_length

    def set_ends(self, start: npt.ArrayLike, tip: npt.ArrayLike) -> Self:
        """Draw the arrow from ``start`` to ``tip``, each in 2 or 3 numbers."""
        (foot,), (end,) = spatial(start), spatial(tip)
        length = float(np.linalg.norm(end - foot))
        along = (end - foot) / length if length > 0.0 else np.zeros(3)
        across = np.array([-along[1], along[0], 0.0])
        neck = end - along * min(self.head_length, length)
        thin, wide = across * self.shaft / 2.0, across * self.head / 2.0
        right = [foot - thin, neck - thin, neck - wide]
        left = [neck + wide, neck + thin, foot + thin]
        return self.set_vertices([*right, end, *left, right[0]])

    @property
    def start(self) -> Points:
        """The middle of the arrow's foot."""
        return np.asarray((self.vertices[0] + self.vertices[6]) / 2.0)

    @property
    def tip(self) -> Points:
        """The arrow's point."""
        return np.asarray(self.vertices[3])
