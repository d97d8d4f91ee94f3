"""What of a picture rests from one frame to the next, and need not be drawn again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from manim import Mobject, VMobject
from manim.mobject.types.image_mobject import AbstractImageMobject

Pixels = np.ndarray[Any, Any]
Look = tuple[object, ...]
Box = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
T = TypeVar("T")

# So many frames a part must have rested; what changes more often is cheaper drawn than taken in and out.
PATIENCE = 8
# Of a line's width: so far the miter of a corner may reach, by Cairo's limit of 10, in units of the frame.
_MITER = 0.05


@dataclass
class _Seen:
    """A part as it was last time, the box ``(left, bottom, right, top)`` it is in, and for how long."""

    look: Look | None
    box: Box
    rested: int = 0


class Layer:
    """The picture of those parts that have not changed of late and lie over nothing that has.

    ``margin``, in units of the frame, is how far a part's edge may blur beyond its outline.
    """

    def __init__(self, margin: float) -> None:
        self.margin = margin
        self.pixels: Pixels = np.empty(0)
        self._background = self.pixels
        self._shown: dict[Mobject, None] = {}
        self._seen: dict[Mobject, _Seen] = {}

    def look_at(self, parts: Sequence[Mobject], background: Pixels) -> tuple[list[Mobject], list[Mobject]]:
        """Return what is to be drawn on the layer now, and what above it.

        Where the layer shows what it should not, it is cleared to the background before.
        """
        self._note(parts)
        seen = [self._seen[part] for part in parts]
        shown = np.array([part in self._shown for part in parts], dtype=bool)
        rested = np.array([one.rested for one in seen], dtype=int)
        over = _overlaps([one.box for one in seen])
        rests = _without_what_lies_over_others((rested >= PATIENCE) | (shown & (rested > 0)), over)
        added = rests & ~shown
        if (
            background is not self._background
            or _those(parts, shown) != list(self._shown)
            or (shown & ~rests).any()
            or over[np.ix_(shown, added)].any()
        ):
            self.pixels = self._background = background
            added = rests
        self._shown = dict.fromkeys(_those(parts, rests))
        # What lies over something that moves waits again, so that it is not taken in and out all the time.
        for one in _those(seen, ~rests & (rested >= PATIENCE)):
            one.rested = 0
        return _those(parts, added), _those(parts, ~rests)

    def keep(self, pixels: Pixels) -> None:
        """Take a copy of ``pixels``, the picture of the layer."""
        self.pixels = pixels.copy()

    def _note(self, parts: Sequence[Mobject]) -> None:
        """Note how ``parts`` look, and for how many frames they have looked so."""
        last, self._seen = self._seen, {}
        changed = []
        for part in parts:
            look, seen = look_of(part), last.get(part)
            if seen is not None and look is not None and look == seen.look:
                seen.rested += 1
            else:
                seen = _Seen(look, np.empty(4))
                changed.append(part)
            self._seen[part] = seen
        for part, box in zip(changed, self._boxes(changed), strict=True):
            self._seen[part].box = box

    def _boxes(self, parts: Sequence[Mobject]) -> npt.NDArray[np.float64]:
        """Return the boxes ``(n, 4)`` that the pictures of ``parts`` are in."""
        if not parts:
            return np.empty((0, 4))
        # All at once: one by one this takes as long as drawing them.
        points = np.concatenate([part.points for part in parts])[:, :2]
        firsts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
        reach = np.array([_reach(part) for part in parts])[:, None] + self.margin
        lowest, highest = (edge.reduceat(points, firsts, axis=0) for edge in (np.minimum, np.maximum))
        return np.concatenate([lowest - reach, highest + reach], axis=1)


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
        np.asarray(part.sheen_direction).tobytes(),
        part.background_image,
    )


def _reach(part: Mobject) -> float:
    """Return how far the lines of a part may reach beyond its points; without end where that is not known."""
    if isinstance(part, VMobject):
        return _MITER * max(part.stroke_width, part.background_stroke_width)
    return 0.0 if isinstance(part, AbstractImageMobject) else np.inf


def _overlaps(boxes: Sequence[Box]) -> Mask:
    """Return for each box and each box before it whether they overlap, ``(n, n)``."""
    if not boxes:
        return np.empty((0, 0), dtype=bool)
    left, bottom, right, top = np.stack(boxes, axis=1)[:, :, None]
    across, up = left < right.T, bottom < top.T
    return np.tril(across & across.T & up & up.T, -1)


def _without_what_lies_over_others(rests: Mask, over: Mask) -> Mask:
    """Return ``rests`` without those that lie over one that does not rest, or that does so itself.

    >>> over = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> _without_what_lies_over_others(np.array([False, True, True, True]), over).tolist()
    [False, False, False, True]
    """
    while (falls := rests & over[:, ~rests].any(axis=1)).any():
        rests = rests & ~falls
    return rests


def _those(things: Sequence[T], which: Mask) -> list[T]:
    return [thing for thing, wanted in zip(things, which, strict=True) if wanted]
