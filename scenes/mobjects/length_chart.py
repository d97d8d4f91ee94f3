"""How well trained models do on sequences that grow beyond the length they were trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, VGroup

from scenes.mobjects.axis import Axis
from scenes.mobjects.number_row import Boxes
from scenes.mobjects.paths import Discs, Polyline, Segments
from scenes.mobjects.race import pushed_apart
from scenes.mobjects.trace import Scale
from scenes.mobjects.words import Readout, Words
from scenes.theme import Theme

Array = npt.NDArray[np.float64]

CELLS = 8  # of the strip, for each stretch as long as the one trained on


@dataclass(frozen=True)
class Frame:
    """Where lengths and scores stand on screen; the best score is always on top.

    ``worst`` and ``best`` are the scores at the bottom and at the top; what is worse still stands at the
    bottom.
    """

    left: float
    bottom: float
    width: float
    height: float
    longest: float
    worst: float
    best: float

    def points(self, lengths: npt.ArrayLike, scores: npt.ArrayLike) -> Array:
        """Return the points on screen, ``(n, 3)``, of scores at lengths, broadcast against each other.

        >>> Frame(-1.0, 0.0, 4.0, 2.0, 160.0, worst=3.0, best=1.0).points([40.0], [2.0]).tolist()
        [[0.0, 1.0, 0.0]]
        """
        low, high = sorted((self.worst, self.best))
        scale = Scale(
            corner=(self.left, self.bottom),
            low=(0.0, self.worst),
            units=(self.width / self.longest, self.height / (self.best - self.worst)),
        )
        return scale.points(lengths, np.clip(scores, low, high))


class LengthRunner(VGroup):
    """One encoding: its median over the lengths as a line, and where it was tested a dot and its range."""

    def __init__(
        self, lengths: Array, scores: Array, name: Words, color: str, shift: float, frame: Frame
    ) -> None:
        """Take ``scores`` ``(3, n)``: median, lowest and highest; all stands ``shift`` to the right."""
        super().__init__()
        self.lengths, self.scores, self.frame, self.aside = lengths, scores, frame, RIGHT * shift
        self.ranges = Segments(color=color, stroke_width=4.0, stroke_opacity=0.6)
        self.line = Polyline(color=color, stroke_width=2.5)
        self.dots = Discs(radius=0.07, color=color)
        self.leader = Segments(color=color, stroke_width=1.5)
        # Labels lie over the grid; words lie under everything by default.
        self.value = Readout(form="{:.2f}", font_size=24, color=color).set_z_index(1)
        self.label = name.set_z_index(1)
        self.add(self.ranges, self.line, self.leader, self.dots, self.value, self.label)

    def set_length(self, length: float, label_height: float) -> Self:
        """Draw what has been tested up to ``length``; the number is that of the last test."""
        tested = np.flatnonzero(self.lengths <= length + 1e-9)
        median, low, high = self.scores
        passed = np.append(self.lengths[tested], length)
        line = self.frame.points(passed, np.interp(passed, self.lengths, median)) + self.aside
        lows, highs = (self.frame.points(self.lengths, end)[tested] + self.aside for end in (low, high))
        self.line.set_vertices(line)
        self.dots.set_centers(line[:-1])
        self.ranges.set_ends(lows, highs)
        front = self.frame.points([length], median[:1])[0][0]
        place = np.array([front + 0.5, label_height, 0.0])
        self.leader.set_ends(line[-1], place + 0.06 * LEFT)
        # Adding 0 makes −0.00 plain 0.00.
        self.value.set_value(round(median[tested[-1]], 2) + 0.0).place_at(place + DOWN * 0.1)
        self.label.move_to(place + RIGHT * 0.95, aligned_edge=LEFT)
        return self


class LengthChart(VGroup):
    """Scores over the length of the sequence, which is drawn above as a strip of cells.

    What lies beyond the trained length is shaded. The state is a function of the length alone.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        scores: Mapping[str, Array],
        names: Mapping[str, Words],
        theme: Theme,
        *,
        ticks: Mapping[str, float],
        label_gap: float = 0.38,
        **kwargs: Any,
    ) -> None:
        """Take the tested lengths, the trained one first, and ``(3, lengths)`` scores by colour role.

        ``ticks`` are the marked scores by label, from the bottom one to the top one.
        """
        super().__init__(**kwargs)
        self.lengths = np.asarray(lengths, dtype=float)
        worst, *_, best = ticks.values()
        longest = self.lengths[-1]
        self.frame = Frame(-5.5, -1.75, 7.8, 3.4, longest, worst, best)
        self.never = Boxes(color=theme.color("grid"), fill_opacity=0.4).set_z_index(-2)
        (left, bottom, _), (right, top, _) = self.frame.points([self.lengths[0], longest], [worst, best])
        self.never.set_corners([left], [bottom], [right], [top])
        self.grid = Segments(color=theme.color("grid"), stroke_width=1.5).set_z_index(-1)
        marked = list(ticks.values())
        self.grid.set_ends(self.frame.points(0.0, marked), self.frame.points(longest, marked))
        levels = Axis(theme, dict(zip(ticks, self.frame.points(0.0, marked), strict=True)), side=LEFT)
        feet = self.frame.points(self.lengths, worst)
        below = Axis(theme, {f"{n}": foot for n, foot in zip(lengths, feet, strict=True)}, side=DOWN)
        self.trained, self.beyond = (Boxes(color=theme.text, fill_opacity=share) for share in (1.0, 0.4))
        self.front = Segments(color=theme.color("dim"), stroke_width=2.0)
        shifts = 0.07 * (np.arange(len(scores)) - (len(scores) - 1) / 2.0)
        self.runners = {
            role: LengthRunner(self.lengths, each, names[role], theme.color(role), shift, self.frame)
            for shift, (role, each) in zip(shifts, scores.items(), strict=True)
        }
        self.add(self.never, self.grid, levels, below, self.front, self.trained, self.beyond)
        self.add(*self.runners.values())
        self.label_gap = label_gap
        self.set_length(self.lengths[0])

    def set_length(self, length: float) -> Self:
        """Let the sequence be ``length`` long, from the trained length to the longest tested."""
        cell, top = self.lengths[0] / CELLS, self.frame.bottom + self.frame.height
        starts = cell * np.arange(np.ceil(length / cell))
        lefts = self.frame.points(starts, self.frame.best)[:, 0]
        rights = self.frame.points(np.minimum(starts + 0.8 * cell, length), self.frame.best)[:, 0]
        known = starts < self.lengths[0]
        for cells, seen in ((self.trained, known), (self.beyond, ~known)):
            cells.set_corners(lefts[seen], top + 0.2, rights[seen], top + 0.5)
        foot, head = self.frame.points(length, [self.frame.worst, self.frame.best])
        self.front.set_ends([foot], [head + UP * 0.6])
        for runner, height in zip(self.runners.values(), self.label_heights(length), strict=True):
            runner.set_length(length, float(height))
        return self

    def label_heights(self, length: float) -> Array:
        """Return where the labels stand: beside their lines, apart, and in the order of the scores."""
        medians = np.array(
            [np.interp(length, self.lengths, each.scores[0]) for each in self.runners.values()]
        )
        heights = self.frame.points(length, medians)[:, 1]
        # What stands at the bottom because it is worse than the worst is still in order.
        order = np.argsort(medians * np.sign(self.frame.best - self.frame.worst), kind="stable").tolist()
        top = self.frame.bottom + self.frame.height - self.label_gap
        return pushed_apart(heights, order, self.label_gap, self.frame.bottom + 0.1, top)

    def promise(self, role: str, color: str) -> Segments:
        """Return a dashed line on which ``role`` would stay if it did as well at every length."""
        ends = np.linspace(self.lengths[0], self.lengths[-1], 60)
        kept = self.runners[role].scores[0, 0]
        dashes = Segments(color=color, stroke_width=3.0)
        return dashes.set_ends(self.frame.points(ends[:-1:2], kept), self.frame.points(ends[1::2], kept))
