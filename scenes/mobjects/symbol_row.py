"""A sequence of symbols in a row of boxes, some of which are to be predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import VGroup

from scenes.mobjects.paths import Segments
from scenes.mobjects.words import Words
from scenes.theme import Theme

# Corners of a square of side 2, in turn.
SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


class SymbolRow(VGroup):
    """Symbols in slots. Those that are asked for wear the colour of a score and come one after another.

    ``shuffled`` is the slot that each symbol moves to.
    """

    def __init__(
        self,
        symbols: Sequence[str],
        shuffled: npt.ArrayLike,
        theme: Theme,
        *,
        asked: Sequence[int] = (),
        spoken_of: Sequence[int] = (),
        width: float = 10.5,
        **kwargs: Any,
    ) -> None:
        """Take which symbols are ``asked`` for, and which of the others are ``spoken_of`` and not dim."""
        super().__init__(**kwargs)
        self.home, self.away = np.arange(len(symbols)), np.asarray(shuffled, dtype=float)
        self.asked = frozenset(asked)
        roles = dict.fromkeys(spoken_of, "text") | dict.fromkeys(asked, "score")
        self.symbols = [
            Words(symbol, theme, role=roles.get(slot, "dim"), font_size=32).set_z_index(1)
            for slot, symbol in enumerate(symbols)
        ]
        pitch = width / len(symbols)
        middles = np.stack([pitch * (self.home - (len(symbols) - 1) / 2.0), np.zeros(len(symbols))], axis=-1)
        corners = middles[:, None] + 0.45 * pitch * SQUARE
        self.boxes = Segments(color=theme.color("grid"), stroke_width=2.5)
        self.boxes.set_ends(corners.reshape(-1, 2), np.roll(corners, -1, axis=1).reshape(-1, 2))
        self.add(self.boxes, *self.symbols)
        self.set_state()

    def slots(self, shuffle: float) -> npt.NDArray[np.float64]:
        """Return each symbol's slot when ``shuffle``, 0 to 1, of the way to the shuffled order is done."""
        return np.asarray((1.0 - shuffle) * self.home + shuffle * self.away)

    def set_state(self, shuffle: float = 0.0, added: float = np.inf) -> Self:
        """Move the symbols ``shuffle`` of their way; those asked for come as ``added`` passes their slot."""
        first, last = (side.mean(axis=0) for side in (self.boxes.starts[:4], self.boxes.starts[-4:]))
        slots = self.slots(shuffle)
        # Symbols that trade places pass above and below each other.
        lifts = np.sin(np.pi * shuffle) * np.sign(self.away - self.home) * 0.9
        for slot, (symbol, to, lift) in enumerate(zip(self.symbols, slots, lifts, strict=True)):
            symbol.move_to(first + (last - first) * to / (len(self.symbols) - 1) + np.array([0.0, lift, 0.0]))
            if slot in self.asked:
                symbol.set_fill(opacity=float(np.clip(added - slot, 0.0, 1.0)))
        return self
