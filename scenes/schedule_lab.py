"""Schedules side by side: how the hands' speeds are spaced decides which positions look alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from manim import LEFT, UP, FadeIn, LaggedStart, ValueTracker, VGroup

from pe_math import similarity, sinusoidal
from pe_math.schedules import NAMED, Schedule, fast_to_slow, resolve
from scenes.counting import CountingScene
from scenes.hands import shortened
from scenes.mobjects.faces import ClockFaces
from scenes.mobjects.trace import Chart, Scale, Trace
from scenes.mobjects.words import Words
from scenes.parameters import Parameter

Array = npt.NDArray[np.float64]

FACES, PITCH, RADIUS = 8, 0.68, 0.31  # of a row of clocks: how many at most, how far apart, how large
LEFT_EDGE, CHART_LEFT, CHART_WIDTH, VERDICT_LEFT = -6.3, -0.6, 3.2, 3.1
STEPS = 4  # points of a curve for each position


@dataclass(frozen=True)
class Findings:
    """What there is to say about a schedule, over so many positions.

    ``kernel`` is how alike two positions are that are ``offsets`` apart, at most 1; ``offset`` and
    ``distance`` are those of the two most alike, ``neighbours`` is the distance from each to the next.
    """

    frequencies: Array
    offsets: Array
    kernel: Array
    offset: int
    distance: float
    neighbours: float

    @classmethod
    def of(cls, frequencies: Array, positions: int) -> Self:
        """Find out about a schedule.

        >>> twins = Findings.of(np.array([np.pi / 2.0]), positions=10)
        >>> twins.offset, round(twins.distance, 12), round(twins.neighbours, 6)
        (4, 0.0, 1.414214)
        """
        table = sinusoidal.table(np.arange(positions), frequencies)
        first, second, distance = similarity.closest_pair(table)
        offsets = np.arange(STEPS * (positions - 1) + 1) / STEPS
        kernel = similarity.kernel(frequencies, offsets) / len(frequencies)
        step = float(similarity.neighbour_distance(table)[0])
        return cls(frequencies, offsets, kernel, second - first, distance, step)


class ScheduleLab(CountingScene):
    """Any schedules side by side: their hands, how alike positions are, and the two most alike."""

    schedules: Annotated[tuple[Schedule, ...], Parameter("names, numbers, or FILE.py:FUNCTION", most=3)] = (
        "geometric",
        "linear",
        "mixed",
    )
    d: Annotated[int, Parameter("width of the encoding", low=2, high=512, multiple_of=2)] = 16
    positions: Annotated[int, Parameter("positions compared", low=8, high=2_000)] = 200
    first_steps: int = 5

    def check(self) -> None:
        """Find out about each schedule; refuse what is none."""
        self.findings = [
            Findings.of(fast_to_slow(resolve(schedule, self.d)), self.positions)
            for schedule in self.schedules
        ]

    def setup(self) -> None:
        """Put the clocks of every schedule on screen, all hands at twelve."""
        super().setup()
        self.drawn = ValueTracker(0.0)
        self.counter.move_to(UP * 2.78)
        self.names = [self.name_of(schedule) for schedule in self.schedules]
        self.heights = 0.2 + 1.62 * ((len(self.findings) - 1) / 2.0 - np.arange(len(self.findings)))
        for name, found, y in zip(self.names, self.findings, self.heights, strict=True):
            title = Words(name, self.theme, font_size=26).move_to((LEFT_EDGE, y + 0.5, 0.0), LEFT)
            self.add(title, self.make_faces(found, y))

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # same number of hands, other speeds: what is lost?
        self.draw_kernels()  # where all tips stand high again, positions look alike
        self.show_twins()  # evenly spaced speeds come back together
        self.answer()  # the two most alike of each, against neighbours

    # What is on screen

    def name_of(self, schedule: Schedule) -> str:
        """Return what a schedule is called."""
        if isinstance(schedule, str) and schedule in NAMED:
            return self.words(f"names.{schedule}").text
        if isinstance(schedule, str):
            return shortened(schedule.rpartition(":")[2])
        return shortened(getattr(schedule, "__name__", "")) or self.words("names.numbers").text

    def make_faces(self, found: Findings, y: float) -> VGroup:
        """Return a schedule's clocks, at most so many as fit, from the first to the last."""
        chosen = np.unique(np.linspace(0, len(found.frequencies) - 1, FACES).round().astype(int))
        centers = [(LEFT_EDGE + RADIUS + PITCH * k, y - 0.15) for k in range(len(chosen))]
        faces = ClockFaces(found.frequencies[chosen], self.theme, centers=centers, radius=RADIUS)
        faces.add_updater(lambda faces: faces.set_position(self.position.get_value(), self.pace.get_value()))
        return faces.update()

    def make_chart(self, found: Findings, y: float) -> tuple[Chart, Trace]:
        """Return the chart of how alike positions are by offset, and the curve as far as it is drawn."""
        last = self.positions - 1
        # All charts have one scale, down to the next half below every curve.
        low = min(0.0, np.floor(2.0 * min(each.kernel.min() for each in self.findings)) / 2.0)
        scale = Scale((CHART_LEFT, y - 0.28), (0.0, low), (CHART_WIDTH / last, 0.78 / (1.0 - low)))
        ticks = tuple(float(tick) for tick in np.arange(3) * round(self.positions / 4))
        label = self.words("offset", font_size=24, role="dim")
        chart = Chart(self.theme, scale, label, right=last, x_ticks=ticks, y_ticks=(0.0, 1.0))
        trace = Trace(self.theme, scale)
        trace.add_updater(lambda trace: self.draw(trace, found))
        return chart, trace.update()

    def draw(self, trace: Trace, found: Findings) -> None:
        """Draw the curve as far as the trackers say, its head at the position shown."""
        position = self.position.get_value()
        end = max(position, self.drawn.get_value())
        known = found.offsets <= end
        height = float(np.interp(position, found.offsets, found.kernel))
        trace.set_values(found.offsets[known], found.kernel[known], (position, height))

    def make_verdict(self, found: Findings, y: float) -> VGroup:
        """Return which two positions are most alike, and how far neighbours are from each other."""
        values = {
            "offset": f"{found.offset:,}",
            "distance": f"{found.distance:.2f}",
            "neighbours": f"{found.neighbours:.2f}",
        }
        lines = [self.words(f"verdict.{key}", font_size=24, value=value) for key, value in values.items()]
        for k, line in enumerate(lines):
            line.move_to((VERDICT_LEFT, y + 0.4 - 0.4 * k, 0.0), LEFT)
        return VGroup(*lines)

    def rows(self) -> list[tuple[Findings, float]]:
        """Return what was found about each schedule, and the height at which it stands."""
        return list(zip(self.findings, self.heights, strict=True))

    def named(self) -> list[tuple[str, Findings]]:
        """Return each schedule's name, and what was found about it."""
        return list(zip(self.names, self.findings, strict=True))

    def travel(self, position: int, *, seconds: float) -> None:
        """Go to ``position`` in about so many seconds, speeding up and slowing down on the way."""
        way = abs(position - self.position.get_value())
        if way:
            self.glide_to(position, pace=1.2 * way / seconds, ramp=0.1 * way)

    # The beats

    def ask(self) -> None:
        """Count some positions: the hands part."""
        self.beat("ask")
        self.play(self.idea("question", hands=self.d // 2))
        for position in range(1, self.first_steps + 1):
            self.play(self.position.animate.set_value(position), run_time=0.9)
        self.play(self.idea("which"))

    def draw_kernels(self) -> None:
        """Run through all offsets: the mean height of the tips draws how alike two positions are."""
        self.beat("kernel")
        self.play(self.idea("height"), self.position.animate.set_value(0.0), run_time=2)
        charts = [part for found, y in self.rows() for part in self.make_chart(found, y)]
        self.play(LaggedStart(*map(FadeIn, charts), lag_ratio=0.2))
        last = self.positions - 1
        self.travel(last, seconds=16.0)
        self.drawn.set_value(last)
        self.play(self.idea("high"))

    def show_twins(self) -> None:
        """Go to where the hands of one schedule stand most nearly as at the start."""
        self.beat("twins")
        name, found = min(self.named(), key=lambda each: each[1].distance - each[1].neighbours)
        self.travel(found.offset, seconds=8.0)
        self.play(self.idea("twins", name=name, offset=found.offset))
        self.wait(1.5)

    def answer(self) -> None:
        """Say for each schedule which two positions are most alike."""
        self.beat("answer")
        verdicts = [self.make_verdict(found, y) for found, y in self.rows()]
        self.play(LaggedStart(*map(FadeIn, verdicts), lag_ratio=0.3))
        twins = sum(found.offset > 1 for found in self.findings)
        self.play(self.idea("some_twins" if twins else "no_twins", twins=twins, all=len(self.findings)))
