"""The race beyond the trained length: the same trained models, asked about longer and longer sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, Create, FadeIn, FadeOut, ValueTracker, VGroup, smooth

from pe_math.training import records
from scenes.mobjects.length_chart import LengthChart
from scenes.mobjects.paths import Discs
from scenes.mobjects.words import Readout
from scenes.parameters import Parameter
from scenes.recorded import ENCODINGS, TASKS, RecordedScene

Array = npt.NDArray[np.float64]

RESCALING = "rescaling"


@dataclass(frozen=True)
class LengthResults:
    """What a record says about one task at each tested length.

    ``scores`` ``(modes, 3, lengths)`` are the median of the seeds, the lowest and the highest, in the task's
    ``metric``; ``unbeaten`` ``(modes, lengths)`` are those that no mode surpasses in every run.
    """

    metric: str
    lengths: tuple[int, ...]
    modes: tuple[str, ...]
    scores: Array
    unbeaten: npt.NDArray[np.bool_]

    @classmethod
    def read(cls, record: records.Record, task: str, modes: tuple[str, ...]) -> Self:
        """Read what became of ``modes`` on ``task``."""
        metric = record.document["tasks"][task]["metric"]
        part = "length_loss" if metric == "nats" else "length_score"
        runs = np.stack([record.array(task, mode, part) for mode in modes])
        unbeaten = records.unbeaten(runs if metric == "nats" else -runs)
        scores = np.stack([records.spread(seeds) for seeds in runs])
        return cls(metric, record.lengths(task), modes, scores, unbeaten)

    def score(self, mode: str, place: int) -> float:
        """Return the median of ``mode`` at the tested length number ``place``."""
        return float(self.scores[self.modes.index(mode), 0, place])

    def first(self, place: int) -> tuple[str, ...]:
        """Return the modes that share first place there."""
        return tuple(mode for mode, best in zip(self.modes, self.unbeaten[:, place], strict=True) if best)

    def best(self, place: int) -> float:
        """Return the best median there."""
        medians = self.scores[:, 0, place]
        return float(medians.min() if self.metric == "nats" else medians.max())

    def fell(self, mode: str) -> bool:
        """Tell whether every run of ``mode`` does worse at the longest length than all did when trained."""
        _, low, high = self.scores[self.modes.index(mode)]
        return bool(low[-1] > high[0] if self.metric == "nats" else high[-1] < low[0])

    def ticks(self) -> dict[str, float]:
        """Return the marked scores by label, from the worst to the best."""
        if self.metric == "accuracy":
            return {f"{score:g}": score for score in (0.0, 0.5, 1.0)}
        low, high = np.floor(2.0 * self.scores.min()) / 2.0, np.ceil(2.0 * self.scores.max()) / 2.0
        if self.metric == "nats":
            return {f"{loss:g}": float(loss) for loss in np.arange(high, low - 0.25, -0.5)}
        # Far below zero it no longer matters how far: the chart ends at −1, and what lies below stands there.
        marked = np.arange(max(low, -1.0), 1.25, 0.5)
        cut = "≤ " if low < -1.0 else ""
        texts = [f"{cut if k == 0 else ''}{score:g}" for k, score in enumerate(marked)]
        return {text.replace("-", "\N{MINUS SIGN}"): float(s) for text, s in zip(texts, marked, strict=True)}


def number(score: float) -> str:
    """Return ``score`` as it is read in a sentence.

    >>> number(-0.147), number(-0.001)
    ('−0.15', '0.00')
    """
    return f"{round(float(score), 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")


def everywhere(leaders: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return who is among all of ``leaders``.

    >>> everywhere([("alibi", "rope"), ("alibi",)]), everywhere([("rope",), ("alibi",)])
    (('alibi',), ())
    """
    return tuple(mode for mode in leaders[0] if all(mode in first for first in leaders))


class ExtrapolationRace(RecordedScene):
    """Trained models meet sequences that grow beyond what they have seen: their scores hold, or fall.

    ``tasks`` are any of those of the two ``sources``. Every name and number in a verdict comes from the
    records.
    """

    sources: tuple[str, ...] = ("encoders", "decoders")
    tasks: Annotated[tuple[str, ...], Parameter("tasks, in order", most=4, known=TASKS)] = (
        "copy",
        "half_sum",
        "wikitext",
    )
    modes: Annotated[
        tuple[str, ...], Parameter("encodings of the records", least=2, most=9, known=ENCODINGS)
    ] = ENCODINGS
    rescalings: tuple[str, ...] = ("as_trained", "interpolated", "ntk", "yarn")
    seconds: float = 3.0  # from one tested length to the next

    def check(self) -> None:
        """See that the records have what is asked for."""
        super().check()
        sources = [self.load(name) for name in self.sources]
        recorded = {task: record for record in sources for task in record.tasks}
        self.check_chosen("tasks", self.tasks, recorded)
        for task in self.tasks:
            self.check_modes(self.modes, recorded[task].encodings)
        self.by_task = {task: LengthResults.read(recorded[task], task, self.modes) for task in self.tasks}
        self.always = everywhere([each.first(place) for each in self.by_task.values() for place in range(3)])
        self.check_fits("everywhere", names=self.named(self.always))

    def setup(self) -> None:
        """Put the first task's chart on screen, at the trained length."""
        super().setup()
        self.length, self.tuned = ValueTracker(0.0), ValueTracker(0.0)
        self.take(self.tasks[0])
        self.add(self.board)

    def construct(self) -> None:
        """Tell the story, once for each task."""
        for task in self.tasks:
            self.show_trained(task)  # at the trained length many do well; so an article promises more
            self.grow(task)  # the sequence grows into what nobody has seen: who holds?
        if "wikitext" in self.tasks:
            self.rescale()  # RoPE's remedies: slower turns, without training
            self.tune()  # and with a little
        self.answer()  # no ranking without both task and length

    @classmethod
    def sections(cls, captioned: Iterable[str]) -> list[str]:
        """Return the sections of ``tasks``, RoPE's remedies with a language model, and the answer."""
        told = [f"{task}_{part}" for task in cls.tasks for part in ("trained", "longer")]
        return [*told, *["rescale", "tune"] * ("wikitext" in cls.tasks), "answer"]

    # What is on screen

    def take(self, task: str) -> None:
        """Make the board of ``task``."""
        self.results = self.by_task[task]
        self.board = self.make_board(self.results, task)

    def make_board(self, results: LengthResults, task: str) -> VGroup:
        """Return the chart at the trained length, with its signs."""
        self.length.set_value(results.lengths[0])
        names = {mode: self.words(f"names.{mode}", role=mode, font_size=24) for mode in results.modes}
        scores = dict(zip(results.modes, results.scores, strict=True))
        self.chart = LengthChart(results.lengths, scores, names, self.theme, ticks=results.ticks())
        self.chart.add_updater(lambda chart: chart.set_length(self.length.get_value()))
        name, unit = self.words(f"tasks.{task}").text, self.words(f"axis.{results.metric}").text
        sign = self.words("sign", font_size=26, task=name, unit=unit)
        sign.move_to((-6.3, 2.72, 0.0), aligned_edge=LEFT)
        never = self.words("never", font_size=24, role="dim")
        never.next_to(self.chart.never, UP, buff=0.58).align_to(self.chart.never, RIGHT)
        return VGroup(self.chart, sign, never, self.make_counter())

    def make_counter(self) -> VGroup:
        """Return the word 'length' and the number that counts."""
        word = self.words("length", font_size=28, role="dim").move_to((3.1, 2.72, 0.0), aligned_edge=LEFT)
        number = Readout(font_size=36, color=self.theme.text)
        number.place_at(word.get_right() + RIGHT * 0.2 + DOWN * 0.13)
        number.add_updater(lambda number: number.set_value(self.length.get_value()))
        return VGroup(word, number.update())

    def told(self, first: tuple[str, ...]) -> str:
        """Return who comes first, as the beginning of a sentence; of more than two the number."""
        key = "alone" if len(first) == 1 else "joined" if len(first) == 2 else "several"
        return self.marked(key, names=self.named(first), count=len(first))

    def marked(self, key: str, **values: Any) -> str:
        """Return the phrase ``key`` with the marks of its colours, for use inside another."""
        phrase = self.language.phrase([*self.tables(), "shared"], key, **values)
        text, done = "", 0
        for start, end, role in phrase.colored:
            text += f"{phrase.text[done:start]}<{role}>{phrase.text[start:end]}</{role}>"
            done = end
        return text + phrase.text[done:]

    def make_rings(self, record: records.Record, results: LengthResults) -> VGroup:
        """Return a ring for each rescaling: its loss while it is trained on at a longer length."""
        length = record.document["tuned_length"]
        place = results.lengths.index(length)
        rings = VGroup()
        for mode in results.modes:
            curve = np.median(record.array("wikitext", mode, "validation_loss"), axis=0)
            losses = np.append(results.score(mode, place), curve)
            ring = Discs(radius=0.12, color=self.theme.color(mode), fill_opacity=0.0, stroke_width=3.5)
            ring.add_updater(lambda ring, mode=mode, losses=losses: self.set_ring(ring, mode, length, losses))
            rings.add(ring.update())
        return rings

    def set_ring(self, ring: Discs, mode: str, length: int, losses: Array) -> None:
        """Put a ring where the loss stands after as many stretches of training as the tracker says."""
        loss = np.interp(self.tuned.get_value(), range(len(losses)), losses)
        runner = self.chart.runners[mode]
        ring.set_centers(self.chart.frame.points([length], loss) + runner.aside)

    def make_table(self) -> VGroup:
        """Return who comes first on each task at each multiple of the trained length."""
        cells = VGroup(
            self.words("heading", font_size=26, role="dim").move_to((-6.3, 2.4, 0.0), aligned_edge=LEFT)
        )
        columns = (-1.6, 1.5, 4.6)
        for x, factor in zip(columns, (1, 2, 4), strict=True):
            cells.add(self.words("times", font_size=26, role="dim", factor=factor).move_to((x, 2.4, 0.0)))
        for y, task in zip(np.linspace(1.3, -1.3, len(self.tasks)), self.tasks, strict=True):
            name = self.words(f"tasks.{task}", font_size=28)
            cells.add(name.move_to((-6.3, y, 0.0), aligned_edge=LEFT))
            results = self.by_task[task]
            for place, x in enumerate(columns):
                first = results.first(place)
                if len(first) > 2:
                    cells.add(self.words("share", font_size=26, role="dim", count=len(first)))
                    cells[-1].move_to((x, y, 0.0))
                    continue
                for k, mode in enumerate(first):
                    word = self.words(f"names.{mode}", role=mode, font_size=28)
                    cells.add(word.move_to((x, y + 0.22 * (len(first) - 1) - 0.44 * k, 0.0)))
        return cells

    # The beats

    def show_trained(self, task: str) -> None:
        """Show what has been learnt at the trained length; the first time, what an article promises."""
        self.beat(f"{task}_trained")
        opening = task == self.tasks[0]
        if not opening:
            old = self.board.clear_updaters()  # it stays as it is while it fades
            self.take(task)
            self.play(FadeOut(old), FadeIn(self.board), self.clear_idea())
        lengths = self.results.lengths
        self.say(f"task.{task}")
        self.say("trained", trained=lengths[0], first=self.told(self.results.first(0)))
        if opening:
            self.say("question", trained=lengths[0], longest=lengths[-1])
        if opening and "rope" in self.modes:
            promise = self.chart.promise("rope", self.theme.color("rope"))
            self.board.add(promise)
            self.play(Create(promise, run_time=2.0), self.idea("claim"))

    def grow(self, task: str) -> None:
        """Let the sequence grow from one tested length to the next; say who holds."""
        self.beat(f"{task}_longer")
        results = self.results
        for length in results.lengths[1:]:
            self.play(self.length.animate.set_value(length), run_time=self.seconds, rate_func=smooth)
            self.wait(0.6)
        if "rope" in self.modes:
            before, after = (number(results.score("rope", place)) for place in (0, -1))
            key = "fell" if results.fell("rope") else "kept"
            self.say(key, before=before, after=after, length=results.lengths[-1])
        self.say_first("lead", results, -1)

    def say_first(self, key: str, results: LengthResults, place: int, **values: Any) -> None:
        """Say who comes first at the tested length number ``place``, and how well."""
        first = self.told(results.first(place))
        self.say(key, length=results.lengths[place], first=first, score=number(results.best(place)), **values)

    def rescale(self) -> None:
        """Ask the RoPE models again with slower turns, and no training."""
        self.beat("rescale")
        self.rescaled = self.load(RESCALING)
        self.results = results = LengthResults.read(self.rescaled, "wikitext", self.rescalings)
        old = self.board.clear_updaters()  # it stays as it is while it fades
        self.board = self.make_board(results, "wikitext")
        self.play(FadeOut(old), FadeIn(self.board), self.clear_idea())
        self.say("rescale")
        self.play(self.length.animate.set_value(results.lengths[-1]), run_time=2.0 * self.seconds)
        own = number(results.score(self.rescalings[0], -1))
        self.say_first("rescaled", results, -1, own=own)

    def tune(self) -> None:
        """Let them train a little at a longer length."""
        self.beat("tune")
        training = self.rescaled.document["tasks"]["wikitext"]["training"]
        length = self.rescaled.document["tuned_length"]
        rings = self.make_rings(self.rescaled, self.results)
        self.board.add(rings)
        self.play(
            FadeIn(rings),
            self.idea("tune", steps=training["epochs"] * training["steps"], length=length),
        )
        self.play(self.tuned.animate.set_value(training["epochs"]), run_time=4.0)
        runs = np.stack(
            [self.rescaled.array("wikitext", mode, "validation_loss")[:, -1] for mode in self.rescalings]
        )
        medians = np.median(runs, axis=1)
        first = tuple(np.array(self.rescalings)[records.unbeaten(runs)])
        self.say("tuned", first=self.told(first), score=number(medians.min()), own=number(medians[0]))

    def answer(self) -> None:
        """Put side by side who came first, by task and length."""
        self.beat("answer")
        self.play(FadeOut(self.board), FadeIn(self.make_table()), self.clear_idea())
        self.play(self.idea("everywhere" if self.always else "nobody", names=self.named(self.always)))
