"""A longer context than a model was trained on: what each remedy does to RoPE's hands, and to the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from manim import LEFT, RIGHT, UP, FadeIn, VGroup

from pe_math.stretching import METHODS, stretched
from scenes.counting import CountingScene
from scenes.extrapolation_race import RESCALING, LengthResults, number
from scenes.mobjects.axis import Axis
from scenes.mobjects.paths import Discs, Segments
from scenes.mobjects.stretched_hands import StretchedHands
from scenes.mobjects.trace import Scale
from scenes.mobjects.words import Readout
from scenes.parameters import Parameter
from scenes.recorded import RecordedScene

Array = npt.NDArray[np.float64]

TASK = "wikitext"
BASE = 10_000.0  # of the recorded models
TOP, PITCH = 1.62, 0.86  # the height of the first row, and from row to row
LOSS_LEFT, LOSS_WIDTH = 2.3, 3.0


class ContextStretch(RecordedScene, CountingScene):
    """The same hands as the context grows, under one remedy after another, beside recorded losses."""

    methods: Annotated[
        tuple[str, ...], Parameter("ways to slow the hands, first to last", choices=tuple(METHODS))
    ] = tuple(METHODS)

    def setup(self) -> None:
        """Put the first row on screen, at the trained length."""
        record = self.load(RESCALING)
        known = tuple(method for method in self.methods if method in record.encodings)
        # Without a recorded method the axis still needs its numbers.
        self.results = LengthResults.read(record, TASK, known or record.encodings)
        self.d = 2 * len(record.document["base"]["model"]["frequencies"])
        self.trained, self.longest = self.results.lengths[0], self.results.lengths[-1]
        super().setup()
        self.position.set_value(self.trained)
        self.counter.shift(UP * 0.15)  # clear of the words over the hands
        self.scale = self.make_scale()
        self.add(self.make_heads(), *self.make_row(self.methods[0]))

    def construct(self) -> None:
        """Tell the story."""
        for method in self.methods:
            self.stretch(method)  # a remedy: where do the hands point at the end, and what of the loss?
        self.answer()  # back to the trained length and out again, all together

    @classmethod
    def sections(cls, captioned: Iterable[str]) -> list[str]:
        """Return a section for each method, and that of all together."""
        return [*cls.methods, "answer"]

    # What the trackers say

    def hands_at(self, method: str, length: float) -> Array:
        """Return the frequencies of ``method`` for a context of ``length``."""
        values, _ = stretched(method, self.d, BASE, max(length / self.trained, 1.0), self.trained)
        return values

    def turn(self, hands: StretchedHands, method: str) -> None:
        """Show the hands of ``method`` at the length shown."""
        length, pace = self.position.get_value(), self.pace.get_value()
        hands_now, hands_next = self.hands_at(method, length), self.hands_at(method, length + 1.0)
        turned = hands_next * (length + 1.0) - hands_now * length  # by one more position of context
        hands.set_context(length, hands_now, pace * turned)

    def losses(self, method: str) -> Array:
        """Return median, lowest and highest loss of ``method`` at the length shown, a tween between tests."""
        scores = self.results.scores[self.results.modes.index(method)]
        return np.array([np.interp(self.position.get_value(), self.results.lengths, row) for row in scores])

    # What is on screen

    def make_scale(self) -> Scale:
        """Return where losses stand on screen: a small one on the left."""
        marks = self.results.ticks().values()
        low, high = min(marks), max(marks)
        return Scale((LOSS_LEFT, 0.0), (low, 0.0), (LOSS_WIDTH / (high - low), 1.0))

    def make_heads(self) -> VGroup:
        """Return what stands above the rows: the fast and the slow end, and the axis of the losses."""
        fast, slow = (self.words(key, role="dim", font_size=24) for key in ("fast", "slow"))
        first, last = self.place(0, 0), self.place(self.d // 2 - 1, 0)
        height = UP * (TOP + 0.53)
        fast.move_to(first * RIGHT + height)
        slow.move_to(last * RIGHT + height)
        marks = self.results.ticks()
        feet = self.scale.points(list(marks.values()), TOP + 0.45)
        axis = Axis(self.theme, dict(zip(marks, feet, strict=True)), side=UP)
        line = Segments(color=self.theme.color("dim"), stroke_width=2.0).set_ends(feet[:1], feet[-1:])
        name = self.words("loss", role="dim", font_size=24).move_to((6.45, 2.82, 0.0), RIGHT)
        return VGroup(fast, slow, axis, line, name).set_z_index(-1)

    def place(self, k: int, row: int) -> Array:
        """Return the middle of clock ``k`` in a row."""
        return np.array([-3.75 + 0.7 * k, TOP - PITCH * row, 0.0])

    def make_row(self, method: str) -> list[Any]:
        """Return the name of a method, its hands, and its loss if that was recorded."""
        row = self.methods.index(method)
        x, y, _ = self.place(0, row)
        name = self.words(f"names.{method}", role=method, font_size=24).move_to((-6.35, y, 0.0), LEFT)
        hands = StretchedHands(
            self.hands_at("as_trained", self.trained),
            self.trained,
            self.theme,
            left=(x, y),
            pitch=0.7,
            color=self.theme.color(method),
        )
        hands.add_updater(lambda hands: self.turn(hands, method))
        if method not in self.results.modes:
            missing = self.words("missing", role="dim", font_size=24)
            return [name, hands.update(), missing.move_to((LOSS_LEFT, y, 0.0), LEFT)]
        return [name, hands.update(), *self.make_loss(method, y)]

    def make_loss(self, method: str, y: float) -> list[Any]:
        """Return the median loss as a dot, the range over the runs as a bar, and the number."""
        color = self.theme.color(method)
        bar = Segments(color=color, stroke_width=8.0, stroke_opacity=0.4)
        dot = Discs(radius=0.08, color=color)
        loss = Readout(form="{:.2f}", font_size=28, align=1.0, color=color).place_at((6.45, y - 0.11, 0.0))
        bar.add_updater(lambda bar: bar.set_ends(*self.range_of(method, y)))
        dot.add_updater(lambda dot: dot.set_centers(self.scale.points(self.losses(method)[:1], y)))
        loss.add_updater(lambda loss: loss.set_value(self.losses(method)[0]))
        return [bar.update(), dot.update(), loss.update()]

    def range_of(self, method: str, y: float) -> tuple[Array, Array]:
        """Return where the bar of ``method`` begins and ends."""
        _, low, high = self.losses(method)
        return self.scale.points([low], y), self.scale.points([high], y)

    # The beats

    def stretch(self, method: str) -> None:
        """Bring a method's row in at the trained length, and let the context grow."""
        self.beat(method)
        if method == self.methods[0]:
            self.say("seen", length=self.trained)
        else:
            self.run_back()
            self.play(*map(FadeIn, self.make_row(method)))
        self.say(f"what.{method}")
        self.grow()
        if method in self.results.modes:
            own, score = (number(self.results.score(method, place)) for place in (0, -1))
            self.say("loss_is", name=self.named([method]), length=self.longest, own=own, score=score)
        else:
            self.say("no_record", name=self.named([method]))

    def grow(self) -> None:
        """Let the context grow to the longest that was tested."""
        self.glide_to(self.longest, pace=160.0, ramp=60)

    def run_back(self) -> None:
        """Return to the trained length."""
        self.glide_to(self.trained, pace=320.0, ramp=60)

    def answer(self) -> None:
        """Let all grow together, and say who comes first in the end."""
        self.beat("answer")
        self.run_back()
        self.play(self.idea("together"))
        self.grow()
        if set(self.results.modes) <= set(self.methods):
            first = self.named(self.results.first(-1))
            best = number(self.results.best(-1))
            self.say("best", names=first, length=self.longest, score=best)
