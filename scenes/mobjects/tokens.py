"""A row of words on a ruler of positions, with the query's and the key's word marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, RIGHT, UP, RoundedRectangle, VGroup

from scenes.mobjects.paths import Points, Polyline, Segments
from scenes.mobjects.words import Readout, Words
from scenes.theme import Theme


class Ruler(VGroup):
    """A line of numbered places ``0, 1, 2, …``. It stays where it is made, centred at height ``y``."""

    def __init__(
        self, theme: Theme, *, places: int = 9, spacing: float = 1.48, y: float = 0.0, **kwargs: Any
    ) -> None:
        """Take how many places there are and how far apart they stand on screen."""
        super().__init__(**kwargs)
        self.spacing = spacing
        self.start = np.array([-(places - 1) / 2.0 * spacing, y, 0.0])
        marks = np.array([self.place(place) for place in range(places)])
        self.line = Segments(color=theme.color("grid"), stroke_width=2.0).set_ends(
            [marks[0], *(marks + DOWN * 0.08)], [marks[-1], *(marks + UP * 0.08)]
        )
        self.numbers = [
            Words(str(place), theme, role="dim", font_size=24).move_to(mark + DOWN * 0.3)
            for place, mark in enumerate(marks)
        ]
        self.add(self.line, *self.numbers).set_z_index(-1)

    def place(self, position: float) -> Points:
        """Return the point of the ruler at ``position``."""
        return np.asarray(self.start + RIGHT * self.spacing * position)


class Tile(VGroup):
    """A word in a box."""

    def __init__(self, word: str, theme: Theme, *, width: float, role: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        color = theme.color("dim" if role == "text" else role)
        self.box = RoundedRectangle(0.1, width=width, height=0.56, color=color, stroke_width=2.5)
        # Words rest in the static picture unless they are raised; these move.
        self.word = Words(word, theme, role=role, font_size=24, max_width=width).set_z_index(1)
        # All words of a row share one baseline, whether or not their letters reach below it.
        self.word.shift(UP * self.word.off_middle())
        self.add(self.box, self.word)
        self.middle: Points = np.zeros(3)
        self._outline = self.box.points.copy()

    def stand_at(self, point: Points) -> Self:
        """Move the tile, whose size stays as it is, so that the middle of its box is at ``point``."""
        # Not by steps, whose last bits would add up: Manim's cache compares them.
        self.box.points = self._outline + point
        self.word.shift(point - self.middle)
        self.middle = point
        return self

    def reveal(self, share: float) -> Self:
        """Show the tile in part, from 0, not at all, to 1."""
        self.box.set_stroke(opacity=share)
        self.word.set_fill(opacity=share)
        return self


class TokenRow(VGroup):
    """Words that stand at places of a ruler and can be pushed along it.

    One word wears the query's colour, one the key's; a bracket below spans their offset, query position
    less key position, and a number tells it.
    """

    def __init__(
        self,
        words: Sequence[str],
        ruler: Ruler,
        theme: Theme,
        *,
        query: int,
        key: int,
        form: str = "{:.0f}",
        **kwargs: Any,
    ) -> None:
        """Take the words, which of them are the query's and the key's, and the format of the offset."""
        super().__init__(**kwargs)
        self.query, self.key, self.place, self.spacing = query, key, ruler.place, ruler.spacing
        roles = {query: "query", key: "key"}
        self.tiles = [
            Tile(word, theme, width=ruler.spacing - 0.08, role=roles.get(i, "text"))
            for i, word in enumerate(words)
        ]
        self.bracket = Polyline(color=theme.text, stroke_width=2.5)
        self.offset = Readout(form=form, font_size=30, align=0.0, color=theme.text)
        self.add(*self.tiles, self.bracket, self.offset)
        self.set_positions(np.arange(len(words)))

    def set_positions(self, positions: npt.ArrayLike, others: float = 1.0) -> Self:
        """Stand word i at ``positions[i]``, a number that may lie between places.

        ``others``, 0 to 1, says how far the words are shown that are neither the query's nor the key's.
        """
        places = np.asarray(positions, dtype=float)
        for i, (tile, position) in enumerate(zip(self.tiles, places, strict=True)):
            tile.stand_at(self.place(position) + UP * 0.42)
            if i not in (self.query, self.key):
                tile.reveal(others)
        query, key = self.place(places[self.query]), self.place(places[self.key])
        low, high = DOWN * 0.66, DOWN * 0.54
        self.bracket.set_vertices([key + high, key + low, query + low, query + high])
        self.offset.set_value(places[self.query] - places[self.key])
        self.offset.place_at((query + key) / 2.0 + DOWN * 1.02)
        return self

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """The positions at which the words stand."""
        start = self.place(0.0)[0]
        return np.array([(tile.box.get_center()[0] - start) / self.spacing for tile in self.tiles])
