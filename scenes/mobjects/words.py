"""Text and numbers on screen, in the lecture's fonts."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Self

import numpy as np
from manim import DL, RIGHT, UR, MathTypst, Mobject, VGroup, VMobject

from scenes.fonts import families
from scenes.language import Phrase
from scenes.mobjects.lettering import box_of, outlines
from scenes.mobjects.paths import segment_curves
from scenes.theme import Theme

# All text stands inside; players lay captions over what is below.
TEXT_RIGHT, TEXT_TOP, TEXT_BOTTOM = 6.5, 3.6, -2.9
SMALLEST_FONT = 24.0
# Words whose points are so near to where they should be have only been moved: a hundredth of a pixel.
SAME = 1e-4


class Words(VGroup):
    """A phrase in the lecture's fonts; its marked words wear the colours of their roles.

    All letters of one colour are one path, since Manim's time goes by the number of paths. Lines break
    where the phrase has a newline. A phrase wider than ``max_width`` is an error: shrunk, it would be
    too small to read.
    """

    def __init__(
        self,
        phrase: Phrase | str,
        theme: Theme,
        *,
        role: str = "text",
        font_size: float = 30.0,
        max_width: float = 2.0 * TEXT_RIGHT,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        phrase = Phrase.parse(phrase) if isinstance(phrase, str) else phrase
        self.text = phrase.text
        glyphs = outlines(phrase.text, font_size)
        roles = [role] * len(phrase.text)
        for start, end, wears in phrase.colored:
            roles[start:end] = [wears] * (end - start)
        self.parts: dict[str, VMobject] = {}
        for wears in dict.fromkeys(roles):
            part = VMobject(color=theme.color(wears), fill_opacity=1.0, stroke_width=0.0)
            part.points = np.concatenate(
                [glyph for glyph, worn in zip(glyphs, roles, strict=True) if worn == wears]
            )
            self.parts[wears] = part
        self._shape = self._box = np.empty((0, 3))
        self.add(*self.parts.values()).center()
        # What lies over a moving thing is drawn anew with it; words lie below, so they rest.
        self.set_z_index(-1)
        self._designed_size, self._designed_width = font_size, self.width
        marks = self._marks()
        box = np.array([super(Words, self).get_critical_point(corner) for corner in (DL, UR)])
        self._shape, self._box = marks - marks[:1], box - marks[:1]
        if self.width > max_width:
            raise ValueError(
                f"{phrase.text!r} is {self.width:.1f} wide at font size {font_size}, over {max_width}; "
                "break it into lines"
            )

    @property
    def font_size(self) -> float:
        """The size at which the words stand now."""
        return float(self._designed_size * self.width / self._designed_width)

    def get_critical_point(self, direction: Any) -> np.ndarray[Any, Any]:
        """Return an edge, a corner or the middle, as every mobject does.

        Manim walks all letters for it, each time that a label follows something. As long as words have only
        been moved, their box is the one that was measured first.
        """
        marks = self._marks()
        shape = marks - marks[:1]
        if shape.shape != self._shape.shape or np.abs(shape - self._shape).max() > SAME:
            return np.asarray(super().get_critical_point(direction))
        (low, high), towards = marks[:1] + self._box, np.sign(direction)
        return np.asarray((low + high + towards * (high - low)) / 2.0)

    def off_middle(self) -> float:
        """Return how far the middle is above that of tall and deep letters on the same baseline.

        Words whose middles are level stand on one baseline once each is shifted up by this.
        """
        *letters, tall, deep = outlines(f"{self.text}dg", self._designed_size)
        (_, low, _, high), (_, bottom, _, top) = box_of(letters), box_of([tall, deep])
        scale = self.font_size / self._designed_size
        return float(scale * ((low + high) - (bottom + top)) / 2.0)

    def _marks(self) -> np.ndarray[Any, Any]:
        """Return three points of each part, ``(n, 3)``: they tell whether the words keep their shape."""
        parts = (part.points for part in self.submobjects if len(part.points))
        return np.concatenate([part[[0, len(part) // 3, len(part) // 2]] for part in parts])


class Readout(VMobject):
    """A number that changes while it is on screen, drawn as one path.

    Each glyph is laid out once; `set_value` only moves them. Digits are equally wide, so a counting
    number does not jitter. The number keeps its place however it was moved or scaled: its first curve,
    an invisible line half a digit long on the baseline, holds the place and the size.
    """

    def __init__(
        self,
        value: float = 0.0,
        *,
        form: str = "{:,.0f}",
        font_size: float = 36.0,
        align: float = -1.0,
        **kwargs: Any,
    ) -> None:
        """Take a format string; ``align`` -1 grows to the right of its place, 0 both ways, 1 to the left."""
        super().__init__(**({"stroke_width": 0.0, "fill_opacity": 1.0} | kwargs))
        self.form = form
        self.align = align
        # Towards the digits, so that the line never makes the number's box wider.
        self._rule = (_advance("0") / 2.0) * (-1.0 if align > 0.0 else 1.0)
        self.points = segment_curves(np.zeros(3), RIGHT * self._rule * font_size / 48.0)[0]
        self.set_value(value)

    def set_value(self, value: float) -> Self:
        """Show ``value``."""
        self.value = value
        self.text = self.form.format(value).replace("-", "\N{MINUS SIGN}")
        glyphs = _row(self.text, self.align, families())
        rule = self.points[:4]
        place = rule[0]
        unit = (rule[3] - place) / self._rule
        across = np.array([-unit[1], unit[0], 0.0])
        self.points = np.concatenate([rule, place + glyphs[:, :1] * unit + glyphs[:, 1:2] * across])
        return self

    def place_at(self, point: Any) -> Self:
        """Move the number's place, the point it grows from on its baseline, to ``point``."""
        return self.shift(np.asarray(point, dtype=float) - self.points[0])

    @property
    def font_size(self) -> float:
        """The size at which the digits stand now."""
        return float(np.linalg.norm(self.points[3] - self.points[0]) / abs(self._rule) * 48.0)


def formula(source: str, theme: Theme, *, role: str = "text", font_size: float = 40.0) -> MathTypst:
    """Return a formula in Typst's mathematical notation."""
    return MathTypst(source, color=theme.color(role), font_size=font_size)


@cache
def _measured(character: str, font: str) -> tuple[np.ndarray[Any, Any], float]:
    """Return a glyph's outline ``(n, 3)`` about its origin on the baseline, and its advance, at size 48."""
    # Between two zeros even a blank has a width, and the zeros' feet tell where the baseline is.
    zero, glyph, last = outlines(f"0{character}0", 48)
    first, second = outlines("00", 48)
    (left, foot, right, _), last_left = box_of([zero]), box_of([last])[0]
    digit = box_of([second])[0] - box_of([first])[0]
    bearing = (digit - (right - left)) / 2.0
    own = last_left - left - digit
    # In a font whose digits differ in width, each stands in the middle of a place as wide as a zero.
    aside = round((digit - own) / 2.0, 6) if character.isdigit() else 0.0
    origin = np.array([left - bearing + digit - aside, foot, 0.0])
    return glyph - origin, float(digit if character.isdigit() else own)


@lru_cache(maxsize=64)  # a sentence around a number that seldom changes is asked for in every frame
def _row(text: str, align: float, font: str) -> np.ndarray[Any, Any]:
    """Return the outlines of ``text`` ``(n, 3)`` in a row on the baseline, at size 48, about their place."""
    glyphs, advances = zip(*(_measured(character, font) for character in text), strict=True)
    lefts = np.cumsum(advances) - advances - sum(advances) * (align + 1.0) / 2.0
    return np.concatenate([glyph + RIGHT * left for glyph, left in zip(glyphs, lefts, strict=True)])


def _advance(character: str) -> float:
    return _measured(character, families())[1]


def is_text(mobject: Mobject) -> bool:
    """Tell whether ``mobject`` is something that is read: words, a number or a formula."""
    return isinstance(mobject, Words | Readout | MathTypst)
