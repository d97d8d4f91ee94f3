"""An axis without a line: the edge of a picture, ticked and numbered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from manim import VGroup

from scenes.mobjects.paths import Segments
from scenes.mobjects.words import SMALLEST_FONT, Words
from scenes.theme import Theme


class Axis(VGroup):
    """Ticks that stand out from given points to one side, each with its label beyond it."""

    def __init__(
        self,
        theme: Theme,
        labels: Mapping[str, npt.NDArray[np.float64]],
        *,
        side: npt.NDArray[np.float64],
        tick: float = 0.09,
        **kwargs: Any,
    ) -> None:
        """Take the point on the edge for each label, and the side to which the ticks stand out."""
        super().__init__(**kwargs)
        points = np.array(list(labels.values()))
        self.ticks = Segments(color=theme.color("dim"), stroke_width=1.5).set_ends(
            points, points + tick * side
        )
        self.numbers = [Words(label, theme, role="dim", font_size=SMALLEST_FONT) for label in labels]
        for number, point in zip(self.numbers, points, strict=True):
            number.next_to(point + tick * side, side, buff=0.09)
        self.add(self.ticks, *self.numbers)
