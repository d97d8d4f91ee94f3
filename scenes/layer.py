"""What of a picture rests from one frame to the next, and need not be drawn again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import numpy as np
from manim import Mobject, VMobject
from manim.mobject.types.image_mobject import AbstractImageMobject

Pixels = np.ndarray[Any, Any]
Look = tuple[object, ...]


class Layer:
    """The picture of those parts, from the lowest up, that have not changed of late."""

    def __init__(self) -> None:
        self.pixels: Pixels = np.empty(0)
        self._background = self.pixels
        self.depth = 0
        self._last: list[tuple[Mobject, Look | None]] = []

    def look_at(self, parts: Iterable[Mobject], background: Pixels) -> int:
        """Return how many of ``parts``, from the lowest up, look as they did last time.

        If they are fewer than the layer shows, it is cleared to the background.
        """
        last, self._last = self._last, [(part, look_of(part)) for part in parts]
        resting = sum(takewhile(bool, map(_is_same, self._last, last)))
        if resting < self.depth or background is not self._background:
            self.pixels = self._background = background
            self.depth = 0
        return resting

    def keep(self, pixels: Pixels, depth: int) -> None:
        """Take a copy of ``pixels``, the picture of the lowest ``depth`` parts."""
        self.pixels, self.depth = pixels.copy(), depth


def look_of(part: Mobject) -> Look | None:
    """Return everything that a part's picture depends on; None if that is not known."""
    if isinstance(part, AbstractImageMobject):
        pixels = part.get_pixel_array()
        return part.points.tobytes(), pixels.shape, pixels.tobytes()
    if not isinstance(part, VMobject):
        return None
    return (
        part.points.tobytes(),
        part.fill_rgbas.tobytes(),
        part.stroke_rgbas.tobytes(),
        part.background_stroke_rgbas.tobytes(),
        part.stroke_width,
        part.background_stroke_width,
        part.joint_type,
        part.cap_style,
        tuple(part.sheen_direction),
        part.background_image,
    )


def _is_same(now: tuple[Mobject, Look | None], then: tuple[Mobject, Look | None]) -> bool:
    return now[0] is then[0] and now[1] is not None and now[1] == then[1]
