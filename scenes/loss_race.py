"""The race of the encodings: what small Transformers learnt, epoch by epoch, in recorded training runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, FadeIn, FadeOut, LaggedStart, ValueTracker, VGroup, linear

from pe_math.training import records, tasks
from scenes.mobjects.number_row import NumberRow
from scenes.mobjects.race import LossAxes, Race
from scenes.mobjects.standings import Standings
from scenes.mobjects.words import Readout, Words
from scenes.stage import LectureScene

Array = npt.NDArray[np.float64]

# The row of numbers: where it stands while it is explained, and where it is put aside during the race.
LARGE, ASIDE, SHRUNK = UP * 0.5, RIGHT * 4.8 + UP * 2.2, 0.29

# Losses are recorded as shares of the sums' variance. An untrained model answers with their mean: all of it.
UNTRAINED = 1.0


@dataclass(frozen=True)
class Verdict:
    """How a race ended: the key of the sentence that says so, the modes it is about, and its numbers."""

    key: str
    modes: tuple[str, ...]
    scores: dict[str, str]


@dataclass(frozen=True)
class Results:
    """What a record says about one task, from epoch 0 to the last.

    ``losses`` ``(modes, 3, epochs + 1)`` are the median of the seeds, the lowest and the highest; ``ranks``
    ``(modes, epochs + 1)`` are shared while spreads overlap.
    """

    modes: tuple[str, ...]
    losses: Array
    ranks: npt.NDArray[np.int64]

    @classmethod
    def read(cls, record: records.Record, task: str, modes: tuple[str, ...]) -> Self:
        """Read the validation losses of ``modes`` on ``task``."""
        runs = np.stack([record.array(task, mode, "validation_loss") for mode in modes])
        runs = np.pad(runs, ((0, 0), (0, 0), (1, 0)), constant_values=UNTRAINED)
        return cls(modes, np.stack([records.spread(seeds) for seeds in runs]), records.ranks(runs))

    @property
    def epochs(self) -> int:
        """The last epoch."""
        return int(self.ranks.shape[1]) - 1

    @property
    def scores(self) -> Array:
        """R² of each mode's median at the end, ``(modes,)``."""
        return np.asarray(1.0 - self.losses[:, 0, -1])

    def leader(self, epoch: int) -> str:
        """Return the mode whose median is lowest at ``epoch``."""
        return self.modes[np.argmin(self.losses[:, 0, epoch])]

    def verdict(self) -> Verdict:
        """Return how the race ended."""
        ranks, scores = self.ranks[:, -1], self.scores
        first = tuple(mode for mode, rank in zip(self.modes, ranks, strict=True) if rank == 1)
        range_ = {"low": f"{scores.min():.4f}", "high": f"{scores.max():.4f}"}
        if len(first) == len(self.modes):
            return Verdict("tie", first, range_)
        if "none" in first:
            return Verdict("unbeaten", ("none",), range_)
        last = np.flatnonzero(ranks == ranks.max())
        if len(last) == 1:
            values = {"score": f"{scores[last[0]]:.2f}", "low": f"{np.delete(scores, last).min():.2f}"}
            return Verdict("behind", (self.modes[last[0]],), values)
        return Verdict("apart", first, {})


class LossRace(LectureScene):
    """Encodings race on each of ``tasks``: their loss curves run, and their standings swap as they separate.

    Curves, ranks, and every name and number in the verdict come from the record ``record``; a race without a
    winner is told as one.
    """

    record: str = "loss_race"
    tasks: tuple[str, ...] = ("signal_sum", "half_sum")
    modes: tuple[str, ...] = ("none", "sinusoidal", "learned", "shaw", "rope")
    early: int = 4  # where a plot that stops early would stop
    seconds: tuple[float, float] = (4.0, 10.0)  # of the race up to there, and of the rest
    example: int = 36  # seed of the sequence shown: its first half changes sign when it is shuffled

    def setup(self) -> None:
        """Put a sequence of numbers on screen."""
        super().setup()
        self.recorded = records.load(records.path_of(self.record))
        self.epoch, self.shuffle, self.added = ValueTracker(0.0), ValueTracker(0.0), ValueTracker(0.0)
        self.row = self.make_row()
        self.halves = self.make_halves()
        self.add(self.row, self.halves)

    def construct(self) -> None:
        """Tell the story, once for each task."""
        for task in self.tasks:
            self.task, self.results = task, Results.read(self.recorded, task, self.modes)
            self.show_task()  # 32 numbers, and which of them are added up
            self.start()  # the early curves suggest a winner
            self.finish()  # the whole curves tell who has won, if anybody has
            self.explain()  # shuffle the numbers: does the sum depend on their order?
        if len(self.tasks) > 1:
            self.compare()  # so no encoding is the best at everything

    # What is on screen

    def named(self, *modes: str) -> str:
        """Return the names of ``modes``, each marked with its colour."""
        return ", ".join(f"<{mode}>{self.words(f'names.{mode}').text}</{mode}>" for mode in modes)

    def make_row(self) -> NumberRow:
        """Return a sequence as bars, which the trackers add up and shuffle."""
        (length, *_) = self.recorded.lengths(self.tasks[0])
        generator = np.random.default_rng(self.example)
        (numbers,) = tasks.signal(generator, 1, length)
        row = NumberRow(numbers, generator.permutation(length), self.theme, width=10.5)
        row.add_updater(lambda row: row.set_state(self.shuffle.get_value(), self.added.get_value()))
        return row.move_to(LARGE).update()

    def make_halves(self) -> VGroup:
        """Return the words above the row: what its halves are."""
        quarter = self.row.width / 4.0
        return VGroup(
            self.words("first_half", font_size=28).move_to(UP * 2.7 + LEFT * quarter),
            self.words("second_half", font_size=28, role="dim").move_to(UP * 2.7 + RIGHT * quarter),
        )

    def make_total(self) -> VGroup:
        """Return what is added up, in words, and the sum so far."""
        total = self.make_number(f"{self.task}.sum", "text")
        total[1].add_updater(
            lambda number: number.set_value(self.row.total(self.shuffle.get_value(), self.added.get_value()))
        )
        return total.move_to(DOWN * 1.25).update()

    def make_number(self, key: str, role: str) -> VGroup:
        """Return the words ``key`` and, after them, the sum as it is now."""
        word = self.words(key, font_size=36, role=role)
        total = self.row.total(self.shuffle.get_value())
        number = Readout(total, form="{:+.2f}", font_size=40, color=self.theme.color(role))
        return VGroup(word, number.place_at(word.get_corner(DOWN + RIGHT) + RIGHT * 0.25))

    def make_board(self) -> VGroup:
        """Return the race of this task at its start: curves, standings, counter and signs."""
        self.race, self.standings = self.make_race(), self.make_standings()
        for picture in (self.race, self.standings):
            picture.add_updater(lambda picture: picture.set_epoch(self.epoch.get_value()))
        chance = self.race.axes.dashes_at(UNTRAINED, self.theme.color("dim"))
        guess = self.words("guess", font_size=24, role="dim")
        guess.next_to(chance, UP, buff=0.06, aligned_edge=RIGHT)
        loss = self.words("loss", font_size=24, role="dim").move_to((-6.4, 2.7, 0.0), aligned_edge=LEFT)
        added = self.words(f"{self.task}.sum", font_size=26).next_to(ASIDE + DOWN * 0.35, DOWN, buff=0.2)
        runs = self.words("runs", font_size=24, role="dim", seeds=len(self.recorded.seeds))
        runs.move_to((3.0, -2.0, 0.0), aligned_edge=LEFT)
        return VGroup(chance, guess, loss, added, runs, self.make_counter(), self.race, self.standings)

    def make_race(self) -> Race:
        """Return the curves on their axes."""
        results = self.results
        losses = results.losses.min() / 1.3, results.losses.max() * 1.4
        axes = LossAxes(results.epochs, losses, self.theme, width=5.7, height=4.05)
        axes.shift(LEFT * 2.7 + UP * 0.15)
        curves = dict(zip(self.modes, results.losses, strict=True))
        return Race(curves, self.make_names(), axes, self.theme, first_span=self.early)

    def make_standings(self) -> Standings:
        """Return the table of standings."""
        ranks, medians = self.results.ranks, self.results.losses[:, 0]
        table = Standings(self.make_names(), records.standings(ranks), ranks, medians, self.theme)
        return table.shift(RIGHT * 2.95 + UP * 0.65)

    def make_names(self, font_size: float = 24.0) -> dict[str, Words]:
        """Return the name of each mode in its colour."""
        return {mode: self.words(f"names.{mode}", role=mode, font_size=font_size) for mode in self.modes}

    def make_counter(self) -> VGroup:
        """Return the word 'epoch' and the number that counts."""
        word = self.words("epoch", font_size=30, role="dim").move_to((-1.75, 2.7, 0.0), aligned_edge=LEFT)
        number = Readout(font_size=40, color=self.theme.text)
        number.place_at(word.get_right() + RIGHT * 0.2 + DOWN * 0.14)
        number.add_updater(lambda number: number.set_value(int(self.epoch.get_value() + 1e-9)))
        return VGroup(word, number)

    def run_to(self, epoch: int, *, seconds: float) -> None:
        """Let the epochs count to ``epoch``."""
        self.play(self.epoch.animate.set_value(epoch), run_time=seconds, rate_func=linear)

    def say(self, key: str, *also: Any, **values: Any) -> None:
        """Put the sentence ``key`` at the foot, while ``also`` plays, and hold until it has been read."""
        self.play(self.idea(key, **values), *also)
        self.wait(self.language.reading_seconds(self.language.phrase(self.tables(), key, **values).text))

    def make_table(self) -> VGroup:
        """Return the R² of every mode on every task, at the end of its race."""
        columns = {task: 1.0 + 3.2 * k for k, task in enumerate(self.tasks)}
        cells = VGroup(
            *(self.words(f"{task}.sum", font_size=28).move_to((x, 2.0, 0.0)) for task, x in columns.items())
        )
        for task, x in columns.items():
            for k, score in enumerate(Results.read(self.recorded, task, self.modes).scores):
                number = Readout(score, form="{:.4f}", align=0.0, color=self.theme.color(self.modes[k]))
                cells.add(number.place_at((x, 1.1 - 0.65 * k - 0.13, 0.0)))
        for k, name in enumerate(self.make_names(font_size=30).values()):
            cells.add(name.move_to((-4.6, 1.1 - 0.65 * k, 0.0), aligned_edge=LEFT))
        return cells.add(
            self.words("score", font_size=28, role="dim").move_to((-4.6, 2.0, 0.0), aligned_edge=LEFT)
        )

    # The beats

    def show_task(self) -> None:
        """Add up the numbers that count."""
        self.beat(f"{self.task}_task")
        count = len(self.row.numbers)
        if self.task != self.tasks[0]:
            self.put_in_order()
        self.row.weigh(weights_of(self.task, count))
        self.total = self.make_total()
        self.play(self.idea(f"{self.task}.task", count=count), FadeIn(self.total))
        self.play(self.added.animate.set_value(count), run_time=5, rate_func=linear)
        self.play(self.idea(f"{self.task}.question"))

    def put_in_order(self) -> None:
        """Move the numbers back to where they were, not yet added up."""
        self.play(FadeOut(self.before), FadeOut(self.total), self.clear_idea())
        self.play(self.shuffle.animate.set_value(0.0), self.added.animate.set_value(0.0), FadeIn(self.halves))

    def start(self) -> None:
        """Put the numbers aside and start the race; stop it where somebody seems to win."""
        self.beat(f"{self.task}_start")
        self.epoch.set_value(0.0)
        self.board = self.make_board()
        self.play(FadeOut(self.halves), FadeOut(self.total), self.row.animate.scale(SHRUNK).move_to(ASIDE))
        self.play(LaggedStart(*map(FadeIn, self.board), lag_ratio=0.1))
        self.add(*self.board)
        self.run_to(self.early, seconds=self.seconds[0])
        leader = self.results.leader(self.early)
        self.say("early", *self.race.speak_of(leader), epoch=self.early, name=self.named(leader))

    def finish(self) -> None:
        """Run the race to its end, and say how it ended."""
        self.beat(f"{self.task}_finish")
        self.run_to(self.results.epochs, seconds=self.seconds[1])
        verdict = self.results.verdict()
        values: dict[str, Any] = {"epochs": self.results.epochs, "names": self.named(*verdict.modes)}
        self.say(verdict.key, *self.race.speak_of(*verdict.modes), **values | verdict.scores)

    def explain(self) -> None:
        """Shuffle the numbers: only a sum that depends on their order changes."""
        self.beat(f"{self.task}_why")
        self.play(FadeOut(self.board), self.idea("shuffle"))
        self.play(self.row.animate.scale(1.0 / SHRUNK).move_to(LARGE), FadeIn(self.total))
        self.before = self.make_number("before", "dim").next_to(self.total, DOWN, buff=0.2)
        self.play(FadeIn(self.before, shift=DOWN * 0.3))
        self.play(self.shuffle.animate.set_value(1.0), run_time=4)
        self.say(f"{self.task}.why")

    def compare(self) -> None:
        """Put the scores of all tasks side by side."""
        self.beat("compare")
        self.play(FadeOut(self.row), FadeOut(self.total), FadeOut(self.before), self.clear_idea())
        self.play(FadeIn(self.make_table()))
        self.play(self.idea("compare"))


def weights_of(task: str, length: int) -> npt.NDArray[np.float64]:
    """Return how much of each number the sum of ``task`` takes, ``(length,)``."""
    weights = tasks.load(task).weights
    if weights is None:
        raise ValueError(f"tasks holds {task!r}, which is no sum of numbers; a race here needs one that is")
    return weights(length)
