"""What the small Transformers are asked, on one sequence of each task: added up, asked for, and reordered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, FadeIn, FadeOut, ValueTracker, VGroup

from pe_math.training import tasks
from scenes.mobjects.held import held
from scenes.mobjects.number_row import NumberRow
from scenes.mobjects.symbol_row import SymbolRow
from scenes.mobjects.words import Readout, Words
from scenes.theme import Theme

# Where the sequence stands while it is explained, and where numbers are put aside during the race.
LARGE, ASIDE, SHRUNK = UP * 0.5, RIGHT * 4.8 + UP * 2.2, 0.29

MakeWords = Callable[..., Words]


class TaskPicture:
    """A sequence, ``row``, and the words about it.

    Two trackers move it: ``shuffle``, 0 to 1, on the way to another order, and ``added``, the number of its
    slots that have been gone through. ``words`` makes words by key.
    """

    def __init__(self, row: NumberRow | SymbolRow, words: MakeWords, theme: Theme) -> None:
        self.words, self.theme = words, theme
        self.shuffle, self.added = ValueTracker(0.0), ValueTracker(0.0)
        row.add_updater(lambda row: row.set_state(self.shuffle.get_value(), self.added.get_value()))
        self.row = row.move_to(LARGE).update()
        self.headings, self.notes = VGroup(), VGroup()

    @property
    def count(self) -> int:
        """How many slots the sequence has."""
        return len(self.row.home)

    def come(self) -> list[Any]:
        """Return the animations that bring the sequence."""
        return [FadeIn(part) for part in (held(self.row), *self.headings)]

    def answer(self) -> list[Any]:
        """Return the animations that bring what is answered so far."""
        return []

    def put_aside(self) -> list[Any]:
        """Return the animations that make room for the race."""
        return [FadeOut(held(self.row))]

    def bring_back(self) -> list[Any]:
        """Return the animations that undo `put_aside`."""
        return [FadeIn(held(self.row))]

    def remember(self) -> list[Any]:
        """Return the animations that keep the answer beside what it will be in another order."""
        return []

    def leave(self) -> list[Any]:
        """Return the animations that take everything away."""
        return [FadeOut(part) for part in (held(self.row), *self.notes)]


class SumPicture(TaskPicture):
    """Numbers as bars on a floor as high as each one's weight in the sum, and the sum so far."""

    def __init__(self, task: str, words: MakeWords, theme: Theme, seed: int) -> None:
        generator = np.random.default_rng(seed)
        (numbers,) = tasks.signal(generator, 1, tasks.load(task).length)
        self.numbers = NumberRow(numbers, generator.permutation(len(numbers)), theme, width=10.5)
        super().__init__(self.numbers, words, theme)
        quarter = self.numbers.width / 4.0
        self.headings.add(
            words("first_half", font_size=28).move_to(UP * 2.7 + LEFT * quarter),
            words("second_half", font_size=28, role="dim").move_to(UP * 2.7 + RIGHT * quarter),
        )
        self.take(task)

    def take(self, task: str) -> None:
        """Let the sum be that of ``task``."""
        self.task = task
        weights = weights_of(task)
        if weights is None:
            raise ValueError(f"task is {task!r}, which is no sum of numbers")
        self.numbers.weigh(weights(len(self.numbers.numbers)))

    def go_over_to(self, task: str) -> list[Any]:
        """Return the animations that put the numbers back in order, not yet added up, for another sum."""
        return [
            *(FadeOut(note) for note in self.notes),
            FadeIn(self.headings),
            self.shuffle.animate.set_value(0.0),
            self.added.animate.set_value(0.0),
        ]

    def answer(self) -> list[Any]:
        """Return the animation that brings what is added up, in words, and the sum so far."""
        self.total = self.make_number(f"tasks.{self.task}", "text")
        self.total[1].add_updater(
            lambda number: number.set_value(
                self.numbers.total(self.shuffle.get_value(), self.added.get_value())
            )
        )
        self.notes = VGroup(self.total.move_to(DOWN * 1.25).update())
        return [FadeIn(self.total)]

    def make_number(self, key: str, role: str) -> VGroup:
        """Return the words ``key`` and, after them, the sum as it is now."""
        word = self.words(key, font_size=36, role=role)
        total = self.numbers.total(self.shuffle.get_value())
        number = Readout(total, form="{:+.2f}", font_size=40, color=self.theme.color(role))
        return VGroup(word, number.place_at(word.get_corner(DOWN + RIGHT) + RIGHT * 0.25))

    def put_aside(self) -> list[Any]:
        """Return the animations that shrink the numbers into a corner."""
        return [FadeOut(self.headings), FadeOut(self.total), self.row.animate.scale(SHRUNK).move_to(ASIDE)]

    def bring_back(self) -> list[Any]:
        """Return the animations that bring the numbers back from there."""
        return [self.row.animate.scale(1.0 / SHRUNK).move_to(LARGE), FadeIn(self.total)]

    def remember(self) -> list[Any]:
        """Return the animation that keeps the sum, dim, below the one that may change."""
        before = self.make_number("before", "dim").next_to(self.total, DOWN, buff=0.2)
        self.notes = VGroup(self.total, before)
        return [FadeIn(before, shift=DOWN * 0.3)]


class SymbolPicture(TaskPicture):
    """Symbols in boxes; those that must be predicted come one by one."""

    def __init__(self, task: str, words: MakeWords, theme: Theme) -> None:
        symbols, swaps, asked = EXAMPLES[task]
        spoken_of = () if asked else [slot for pair in swaps for slot in pair]
        row = SymbolRow(symbols, swapped(len(symbols), swaps), theme, asked=asked, spoken_of=spoken_of)
        super().__init__(row, words, theme)


Example = tuple[str, Sequence[tuple[int, int]], Sequence[int]]

# A short sequence of each task: its symbols, the slots that trade places when it is put in another order, and
# the slots that are to be predicted.
EXAMPLES: dict[str, Example] = {
    "order": ("eghAdfcgBehd", [(3, 8)], ()),
    "copy": ("bfadce|bfadce", [(0, 3), (7, 10)], range(7, 13)),
    "induction": ("kfncrkfncrk", [(1, 3), (6, 8)], range(6, 11)),
    "wikitext": ("dog_bites_man", [(0, 10), (1, 11), (2, 12)], range(1, 13)),
}


def picture_of(task: str, words: MakeWords, theme: Theme, seed: int) -> TaskPicture:
    """Return the picture of ``task``; ``seed`` draws the numbers of a sum."""
    if weights_of(task) is not None:
        return SumPicture(task, words, theme, seed)
    return SymbolPicture(task, words, theme)


def weights_of(task: str) -> Callable[[int], npt.NDArray[np.float64]] | None:
    """Return how much of each number the sum of ``task`` takes, by length; None where it is no sum."""
    # Real text is no sum, and its files need not be there.
    return None if task == "wikitext" else tasks.load(task).weights


def swapped(count: int, swaps: Sequence[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """Return the slot that each symbol goes to when the pairs in ``swaps`` trade places.

    >>> swapped(4, [(0, 2)]).tolist()
    [2, 1, 0, 3]
    """
    slots = np.arange(count)
    for one, other in swaps:
        slots[[one, other]] = slots[[other, one]]
    return slots
