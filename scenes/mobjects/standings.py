"""A table of standings whose rows move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import LEFT, RIGHT, UP, VGroup, smooth

from scenes.mobjects.words import Readout, Words
from scenes.theme import Theme


class StandingsRow(VGroup):
    """One row: rank, name and loss."""

    def __init__(self, name: Words, theme: Theme, width: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.level = 0.0
        self.rank = Readout(1, font_size=26, align=0.0, color=theme.text).place_at((0.1, -0.1, 0.0))
        self.runner = name.move_to(0.35 * RIGHT, aligned_edge=LEFT)
        self.loss = Readout(form="{:.4f}", font_size=24, align=1.0, color=theme.color("dim"))
        self.loss.place_at((width, -0.1, 0.0))
        self.add(self.rank, self.runner, self.loss)

    def set_row(self, level: float, rank: int, loss: float) -> Self:
        """Stand ``level`` above the table's first row, and show ``rank`` and ``loss``."""
        self.shift((level - self.level) * UP)
        self.level = level
        self.rank.set_value(rank)
        self.loss.set_value(loss)
        return self


class Standings(VGroup):
    """Rows from the best down; runners that cannot be told apart bear the same rank.

    The state is a function of the epoch alone.
    """

    def __init__(
        self,
        names: Mapping[str, Words],
        order: npt.ArrayLike,
        ranks: npt.ArrayLike,
        losses: npt.ArrayLike,
        theme: Theme,
        *,
        width: float = 3.53,
        pitch: float = 0.48,
        **kwargs: Any,
    ) -> None:
        """Take the names by colour role, and for each epoch from 0 on who stands where, best first.

        ``order`` is ``(epochs + 1, n)``, ``ranks`` and ``losses`` are ``(n, epochs + 1)``. The first row
        begins at the origin.
        """
        super().__init__(**kwargs)
        self.slots = np.argsort(np.asarray(order), axis=1)
        self.ranks, self.losses = np.asarray(ranks), np.asarray(losses, dtype=float)
        self.pitch = pitch
        self.rows = {role: StandingsRow(name, theme, width) for role, name in names.items()}
        self.add(*self.rows.values())
        self.set_epoch(0.0)

    def set_epoch(self, epoch: float) -> Self:
        """Show the standings at the last whole epoch, rows already on their way to the next."""
        now = int(epoch)
        after = min(now + 1, len(self.slots) - 1)
        share = smooth(epoch - now)
        slots = (1.0 - share) * self.slots[now] + share * self.slots[after]
        for row, slot, rank, loss in zip(
            self.rows.values(), slots, self.ranks[:, now], self.losses[:, now], strict=True
        ):
            row.set_row(-self.pitch * slot, rank, loss)
        return self
