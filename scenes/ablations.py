"""What the articles propose to change in the sinusoidal baseline, and what five runs of each can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
from manim import LEFT, FadeIn, ValueTracker, VGroup, smooth

from pe_math.training import records
from scenes.mobjects.whiskers import Whiskers, verdicts
from scenes.mobjects.words import Words
from scenes.parameters import Parameter
from scenes.recorded import RecordedScene

Array = npt.NDArray[np.float64]

# Decades from the baseline beyond which a row would squeeze all others on its axis together.
FAR = 1.0

PROPOSALS = (
    "hybrid",
    "norm_embedding",
    "concatenate",
    "window",
    "mixed",
    "every_layer",
    "fast_to_slow",
)

COUNTS = {-1: "better", 0: "same", 1: "worse"}


def changes(record: records.Record, task: str, proposals: Sequence[str], baseline: str) -> Array:
    """Return the decimal logarithm of each proposal's last validation loss over the baseline's.

    The result is ``(proposals, seeds)``; a run is compared with the baseline's run of the same seed.
    """
    last = [record.array(task, name, "validation_loss")[:, -1] for name in (*proposals, baseline)]
    logarithms = np.log10(np.asarray(last, dtype=float))
    return np.asarray(logarithms[:-1] - logarithms[-1])


def limits_of(values: Array) -> tuple[float, float]:
    """Return where an axis begins and ends that holds all rows of ``values`` but those far out."""
    near = values[np.abs(np.median(values, axis=1)) <= FAR]
    return float(min(near.min(initial=0.0), -0.1)) * 1.1, float(max(near.max(initial=0.0), 0.1)) * 1.1


class Ablations(RecordedScene):
    """Each proposal's loss against the baseline's: first one run, which tells tales, then all of them.

    Every number and every 'better' or 'worse' comes from the record ``record``.
    """

    record: str = "ablations"
    tasks: tuple[str, ...] = ("half_sum", "copy")
    baseline: str = "sinusoidal"
    proposals: Annotated[tuple[str, ...], Parameter("proposals, in order", choices=PROPOSALS, least=2)] = (
        PROPOSALS
    )
    control: tuple[str, str] = ("fast_to_slow", "every_layer")  # what the first adds to the second

    def setup(self) -> None:
        """Put the lines of no change on screen, one a task."""
        super().setup()
        self.recorded = self.load(self.record)
        self.changes = {
            task: np.concatenate(
                [
                    changes(self.recorded, task, self.proposals, self.baseline),
                    changes(self.recorded, task, self.control[:1], self.control[1]),
                ]
            )
            for task in self.tasks
        }
        self.shown, self.runs, self.judged = ValueTracker(0.0), ValueTracker(1.0), ValueTracker(0.0)
        self.panels = self.make_panels()
        self.add(*self.panels.values(), self.make_heads())

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # the articles propose changes: which of them help?
        self.show_one_run()  # one run of each: many seem to help
        self.show_all_runs()  # all runs: what spans the line shows nothing
        self.show_control()  # and one proposal is held against its own control
        self.answer()  # what helps on every task?

    # What is on screen

    def make_panels(self) -> dict[str, Whiskers]:
        """Return a panel a task, each on its own scale, that follow the trackers."""
        panels = {}
        for left, (task, values) in zip((-2.35, 2.1), self.changes.items(), strict=False):
            panel = Whiskers(values, limits_of(values), self.theme, left=left)
            panel.add_updater(
                lambda panel: panel.set_state(
                    self.shown.get_value(), self.runs.get_value(), self.judged.get_value()
                )
            )
            panels[task] = panel
        return panels

    def make_heads(self) -> VGroup:
        """Return the tasks' names above their panels, and what the axes show."""
        heads = VGroup()
        for task, panel in self.panels.items():
            middle = panel.left + panel.breadth / 2.0
            head = self.words(f"tasks.{task}", font_size=28)
            heads.add(head.move_to((middle, 2.65 + head.off_middle(), 0.0)))
        axis = self.words("axis", font_size=24, role="dim").move_to((-6.4, -2.12, 0.0), aligned_edge=LEFT)
        line = self.words("line", font_size=24, role=self.baseline)
        return heads.add(axis, line.move_to((-6.4, 2.65, 0.0), aligned_edge=LEFT))

    def make_name(self, row: int, name: str) -> Words:
        """Return the name of what stands in ``row``."""
        height = next(iter(self.panels.values())).height_of(row)
        return self.words(f"names.{name}", font_size=24).move_to((-6.4, height, 0.0), aligned_edge=LEFT)

    def counted(self) -> dict[str, int]:
        """Return how many rows of all tasks are better, worse, or the same as far as the runs can show."""
        every = np.concatenate([verdicts(values[:-1]) for values in self.changes.values()])
        return {name: int(np.sum(every == verdict)) for verdict, name in COUNTS.items()}

    # The beats

    def ask(self) -> None:
        """Ask which proposals help."""
        self.beat("ask")
        self.say("question")

    def show_one_run(self) -> None:
        """Let each proposal come with its first run."""
        self.beat("one_run")
        for row, name in enumerate(self.proposals):
            come = FadeIn(self.make_name(row, name))
            grow = self.shown.animate(run_time=1.2, rate_func=smooth).set_value(row + 1.0)  # type: ignore[operator]
            options = self.recorded.document["encodings"][name]
            values = {option: options[option] for option in ("window", "concatenate", "width")}
            self.say(f"what.{name}", come, grow, **values)
        firsts = np.concatenate([values[:-1, 0] for values in self.changes.values()])
        self.say("one_run", better=int(np.sum(firsts < 0.0)), total=len(firsts))

    def show_all_runs(self) -> None:
        """Bring the other runs, and dim what they cannot tell from no change."""
        self.beat("all_runs")
        seeds = len(self.recorded.seeds)
        self.play(self.idea("all_runs", seeds=seeds))
        self.play(self.runs.animate.set_value(float(seeds)), run_time=4)
        counts = self.counted()
        self.say(
            "same", self.judged.animate.set_value(1.0), total=sum(counts.values()), seeds=seeds, **counts
        )
        self.say("apart", **counts)

    def show_control(self) -> None:
        """Hold one proposal against the control that shares all but its idea."""
        self.beat("control")
        self.say("control")
        row = len(self.proposals)
        name = f"{self.control[0]}_alone"
        self.play(FadeIn(self.make_name(row, name)), self.shown.animate.set_value(row + 1.0))
        said = [
            self.words(
                f"found.{COUNTS[int(verdicts(values)[-1])]}", task=self.words(f"tasks.{task}").text
            ).text
            for task, values in self.changes.items()
        ]
        self.say("against", first=said[0], second=said[-1])

    def answer(self) -> None:
        """Name what is better on every task, if anything is."""
        self.beat("answer")
        every = np.stack([verdicts(values[:-1]) for values in self.changes.values()])
        better = [
            self.words(f"names.{name}").text
            for name, column in zip(self.proposals, every.T, strict=True)
            if (column == -1).all()
        ]
        self.say("helps" if better else "none_helps", names=self.listed(better))
