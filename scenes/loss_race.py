"""The race of the encodings: what small Transformers learnt, epoch by epoch, in recorded training runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, FadeIn, FadeOut, LaggedStart, ValueTracker, VGroup, linear

from pe_math.training import records
from scenes.mobjects.held import held
from scenes.mobjects.race import LossAxes, Race
from scenes.mobjects.standings import Standings
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter
from scenes.recorded import ENCODINGS, TASKS, RecordedScene
from scenes.task_pictures import ASIDE, SumPicture, TaskPicture, picture_of, weights_of

Array = npt.NDArray[np.float64]

# Where nobody wins: that many times as far apart as at the end, the early curves are worth a warning.
FAR_APART = 5.0


@dataclass(frozen=True)
class Verdict:
    """How a race ended: the key of the sentence that says so, the modes it is about, and its numbers."""

    key: str
    modes: tuple[str, ...]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Results:
    """What a record says about one task.

    ``losses`` ``(modes, 3, epochs + 1)`` are the median of the seeds, the lowest and the highest, from epoch
    0 to the last; ``ranks`` ``(modes, epochs + 1)`` are shared while spreads overlap; ``training`` ``(modes,
    epochs)`` are the medians of the training loss; ``scores`` ``(modes,)`` tell how well each mode's median
    does at the end in the task's ``metric``.
    """

    metric: str
    modes: tuple[str, ...]
    losses: Array
    ranks: npt.NDArray[np.int64]
    training: Array
    scores: Array

    @classmethod
    def read(cls, record: records.Record, task: str, modes: tuple[str, ...]) -> Self:
        """Read what became of ``modes`` on ``task``."""
        metric = record.document["tasks"][task]["metric"]
        runs, training, tested = (
            np.stack([record.array(task, mode, part) for mode in modes])
            for part in ("validation_loss", "train_loss", "length_score")
        )
        runs = np.pad(runs, ((0, 0), (0, 0), (1, 0)), constant_values=untrained_loss(record, task))
        losses = np.stack([records.spread(seeds) for seeds in runs])
        last = losses[:, 0, -1]
        accuracy: Array = np.median(tested[:, :, 0], axis=1)
        scores = {"R²": np.asarray(1.0 - last), "accuracy": accuracy, "nats": last}[metric]
        return cls(metric, modes, losses, records.ranks(runs), np.median(training, axis=1), scores)

    @property
    def epochs(self) -> int:
        """The last epoch."""
        return int(self.ranks.shape[1]) - 1

    def leader(self, epoch: int) -> str:
        """Return the mode whose median is lowest at ``epoch``."""
        return self.modes[np.argmin(self.losses[:, 0, epoch])]

    def apart(self, epoch: int) -> float:
        """Return how far the lowest and the highest median lie apart at ``epoch``."""
        return float(np.ptp(self.losses[:, 0, epoch]))

    @property
    def first(self) -> tuple[str, ...]:
        """The modes that, at the end, no other is better than in every run."""
        unbeaten = records.unbeaten(self.losses[:, 1:, -1])
        return tuple(mode for mode, best in zip(self.modes, unbeaten, strict=True) if best)

    def verdict(self) -> Verdict:
        """Return how the race ended."""
        ranks, scores = self.ranks[:, -1], self.scores
        first = self.first
        if len(first) == len(self.modes):
            return Verdict("tie", first, range_of(scores))
        if "none" in first:
            return Verdict("unbeaten", ("none",), range_of(scores))
        if (ranks == 1).all():
            return Verdict("chain", first, {})
        (last, *others) = np.flatnonzero(ranks == ranks.max())
        if not others:
            return Verdict(
                "behind", (self.modes[last],), {"score": scores[last], **range_of(np.delete(scores, last))}
            )
        return Verdict("apart", first, {})


def range_of(scores: Array) -> dict[str, float]:
    """Return the lowest and the highest of ``scores``."""
    return {"low": float(scores.min()), "high": float(scores.max())}


def untrained_loss(record: records.Record, task: str) -> float:
    """Return the loss of a model that has not been trained: its answer is the same to everything.

    That is the mean of the sums, which leaves their whole variance, or the same chance for every class.
    """
    about = record.document["tasks"][task]
    if about["kind"] == "regression":
        return 1.0
    return float(np.log(about["outputs"]))


class LossRace(RecordedScene):
    """Encodings race on each of ``tasks``: their loss curves run, and their standings swap as they separate.

    ``record`` is `encoders`, `decoders` or the file of another, and ``tasks`` are any of its tasks. Curves,
    ranks, and every name and number in the verdict come from it; a race without a winner is told as one.
    """

    record: Annotated[str, Parameter("what is told", names_file=True, known=("encoders", "decoders"))] = (
        "encoders"
    )
    tasks: Annotated[tuple[str, ...], Parameter("tasks of the record, in order", most=4, known=TASKS)] = (
        "signal_sum",
        "half_sum",
    )
    modes: Annotated[
        tuple[str, ...],
        Parameter(
            "encodings of the record", least=2, most=9, known=(*ENCODINGS, "alibi_one_sided", "hybrid")
        ),
    ] = (
        "none",
        "sinusoidal",
        "learned",
        "shaw",
        "rope",
    )
    early: Annotated[int, Parameter("the epoch at which a plot that stops early would stop", low=1)] = 4
    seconds: Annotated[
        tuple[float, float], Parameter("of the race up to there, and of the rest", low=1, high=60)
    ] = (
        4.0,
        10.0,
    )
    example: int = 36  # seed of the numbers shown: the sum of their first half changes sign when shuffled

    picture: TaskPicture

    def check(self) -> None:
        """See that the record has what is asked for, and that its verdicts fit into a line."""
        super().check()
        self.recorded = self.load(self.record)
        self.check_chosen("tasks", self.tasks, self.recorded.tasks)
        self.check_modes(self.modes, self.recorded.encodings)
        for task in self.tasks:
            results = Results.read(self.recorded, task, self.modes)
            if self.early >= results.epochs:
                raise ValueError(f"early must be before the last epoch, {results.epochs}, got {self.early}")
            verdict = results.verdict()
            self.check_fits(verdict.key, epochs=results.epochs, **self.told(results, verdict))

    def setup(self) -> None:
        """Put a sequence of the first task on screen."""
        super().setup()
        self.epoch = ValueTracker(0.0)
        self.picture = self.make_picture(self.tasks[0])
        self.add(self.picture.row, *self.picture.headings)

    def construct(self) -> None:
        """Tell the story, once for each task."""
        for task in self.tasks:
            self.task, self.results = task, Results.read(self.recorded, task, self.modes)
            self.show_task()  # a sequence, and what is asked of it
            self.start()  # the early curves suggest a winner
            self.finish()  # the whole curves tell who has won, if anybody has
            self.explain()  # put the sequence in another order: does the answer depend on it?
        if len(self.tasks) > 1:
            self.compare()  # so no encoding is the best at everything

    @classmethod
    def sections(cls, captioned: Iterable[str]) -> list[str]:
        """Return the sections of ``tasks``, and the comparison where there are several."""
        told = [f"{task}_{part}" for task in cls.tasks for part in ("task", "start", "finish", "why")]
        return told + ["compare"] * (len(cls.tasks) > 1)

    # What is on screen

    def make_picture(self, task: str) -> TaskPicture:
        """Return a sequence of ``task``."""
        return picture_of(task, self.words, self.theme, self.example)

    def make_board(self) -> VGroup:
        """Return the race of this task at its start: curves, standings, counter and signs."""
        self.race, self.standings = self.make_race(), self.make_standings()
        for picture in (self.race, self.standings):
            picture.add_updater(lambda picture: picture.set_epoch(self.epoch.get_value()))
        untrained = untrained_loss(self.recorded, self.task)
        chance = self.race.axes.dashes_at(untrained, self.theme.color("dim"))
        kind = self.recorded.document["tasks"][self.task]["kind"]
        key = "mean" if kind == "regression" else "chance"
        guess = self.words(f"guess.{key}", font_size=24, role="dim", level=f"{untrained:.2f}")
        guess.next_to(chance, UP, buff=0.06, aligned_edge=RIGHT)
        unit = "R²" if kind == "regression" else "nats"
        loss = self.words(f"loss.{unit}", font_size=24, role="dim")
        loss.move_to((-6.4, 2.7, 0.0), aligned_edge=LEFT)
        added = self.words(f"tasks.{self.task}", font_size=26).next_to(ASIDE + DOWN * 0.35, DOWN, buff=0.2)
        runs = self.words("runs", font_size=24, role="dim", seeds=len(self.recorded.seeds))
        runs.move_to((3.0, -1.35, 0.0), aligned_edge=LEFT).align_to((0.0, -2.2, 0.0), DOWN)
        return VGroup(chance, guess, loss, added, runs, self.make_counter(), self.race, self.standings)

    def make_race(self) -> Race:
        """Return the curves on their axes."""
        results = self.results
        drawn = np.concatenate([results.losses.ravel(), results.training.ravel()])
        axes = LossAxes(
            results.epochs, (drawn.min() / 1.3, drawn.max() * 1.4), self.theme, width=5.7, height=4.05
        )
        axes.shift(LEFT * 2.7 + UP * 0.15)
        curves, training = (
            dict(zip(self.modes, each, strict=True)) for each in (results.losses, results.training)
        )
        return Race(curves, self.make_names(), axes, self.theme, first_span=self.early, behind=training)

    def make_standings(self) -> Standings:
        """Return the table of standings."""
        ranks, medians = self.results.ranks, self.results.losses[:, 0]
        pitch = min(0.48, 2.4 / len(self.modes))
        table = Standings(
            self.make_names(), records.standings(ranks), ranks, medians, self.theme, pitch=pitch
        )
        return table.shift(RIGHT * 2.95 + UP * 0.75)

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

    def make_table(self) -> VGroup:
        """Return how every mode did on every task, at the end of its race."""
        pitch = min(0.65, 3.5 / len(self.modes))
        cells = VGroup()
        gaps = len(self.tasks) - 1
        columns = np.linspace(4.2 - gaps * np.clip(5.2 / gaps, 2.3, 3.8), 4.2, len(self.tasks))
        for x, task in zip(columns, self.tasks, strict=True):
            results = Results.read(self.recorded, task, self.modes)
            cells.add(self.words(f"tasks.{task}", font_size=26).move_to((x, 2.45, 0.0)))
            cells.add(
                self.words(f"metrics.{results.metric}", font_size=24, role="dim").move_to((x, 2.0, 0.0))
            )
            for k, score in enumerate(results.scores):
                number = Readout(score, form="{:.4f}", align=0.0, color=self.theme.color(self.modes[k]))
                cells.add(number.scale(0.8).place_at((x, 1.4 - pitch * k - 0.13, 0.0)))
        for k, name in enumerate(self.make_names(font_size=28).values()):
            cells.add(name.move_to((max(columns[0] - 5.0, -6.3), 1.4 - pitch * k, 0.0), aligned_edge=LEFT))
        return cells

    # The beats

    def show_task(self) -> None:
        """Go through a sequence and show what is asked of it."""
        self.beat(f"{self.task}_task")
        if self.task != self.tasks[0]:
            self.change_task()
        count = self.picture.count
        self.play(self.idea(f"{self.task}.task", count=count), *self.picture.answer())
        self.play(self.picture.added.animate.set_value(count), run_time=5, rate_func=linear)
        self.play(self.idea(f"{self.task}.question"))

    def change_task(self) -> None:
        """Go over to the next task: with the same numbers, from one sum to another."""
        if isinstance(self.picture, SumPicture) and weights_of(self.task) is not None:
            self.play(self.clear_idea(), *self.picture.go_over_to(self.task))
            self.picture.take(self.task)
            return
        self.play(self.clear_idea(), *self.picture.leave())
        self.picture = self.make_picture(self.task)
        self.play(*self.picture.come())

    def start(self) -> None:
        """Make room and start the race; stop it where somebody seems to win."""
        self.beat(f"{self.task}_start")
        self.epoch.set_value(0.0)
        self.board = self.make_board()
        self.play(*self.picture.put_aside())
        self.play(LaggedStart(*map(FadeIn, held(self.board)), lag_ratio=0.1))
        self.add(*self.board)
        self.run_to(self.early, seconds=self.seconds[0])
        leader = self.results.leader(self.early)
        self.say("early", *self.race.speak_of(leader), epoch=self.early, name=self.named([leader]))

    def finish(self) -> None:
        """Run the race to its end, and say how it ended."""
        self.beat(f"{self.task}_finish")
        results, verdict = self.results, self.results.verdict()
        self.run_to(results.epochs, seconds=self.seconds[1])
        told = self.told(results, verdict)
        self.say(verdict.key, *self.race.speak_of(*verdict.modes), epochs=results.epochs, **told)
        before, after = results.apart(self.early), results.apart(results.epochs)
        if verdict.key in ("tie", "unbeaten") and before > FAR_APART * after:
            self.say("melted", epoch=self.early, before=f"{before:.3f}", after=f"{after:.3f}")

    def told(self, results: Results, verdict: Verdict) -> dict[str, str]:
        """Return what fills the sentence of a verdict."""
        return {name: f"{score:.3f}" for name, score in verdict.scores.items()} | {
            "names": self.named(verdict.modes),
            "metric": self.words(f"metrics.{results.metric}").text,
        }

    def explain(self) -> None:
        """Put the sequence in another order: does the answer change?"""
        self.beat(f"{self.task}_why")
        self.play(FadeOut(held(self.board)), self.idea(f"{self.task}.shuffle"))
        self.play(*self.picture.bring_back())
        if memory := self.picture.remember():
            self.play(*memory)
        self.play(self.picture.shuffle.animate.set_value(1.0), run_time=4)
        self.say(f"{self.task}.why")

    def compare(self) -> None:
        """Put the scores of all tasks side by side."""
        self.beat("compare")
        self.play(self.clear_idea(), *self.picture.leave())
        self.play(FadeIn(self.make_table()))
        firsts = {Results.read(self.recorded, task, self.modes).first for task in self.tasks}
        self.play(self.idea("compare_same" if len(firsts) == 1 else "compare"))
