"""Real models: how far their hands turn within the context they are meant for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from manim import UP, VGroup

from scenes.counting import CountingScene
from scenes.hands import ROTARY_MODELS, in_positions, rotary_encoding, short_name, shortened
from scenes.mobjects.model_hands import ModelHands
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter

LONGEST = 10**9  # positions that the counter has room for
HUB = -0.1  # how high the hubs stand: clear of the counter above and of the sentence below
# Where the columns stand, by how many there are.
COLUMNS = {1: (0.0,), 2: (-3.2, 3.2), 3: (-4.3, 0.0, 4.3)}


class ModelClocks(CountingScene):
    """Two or three models' hands run through their contexts: which of them never go round?

    ``models`` are names of `pe_math.models.PUBLISHED` or paths of configurations, of models that use RoPE.
    """

    models: Annotated[
        tuple[str, ...],
        Parameter(
            "published models that use RoPE, or paths of a config.json",
            most=3,
            names_file=True,
            known=ROTARY_MODELS,
        ),
    ] = ("llama-2-7b", "mistral-7b-v0.1", "llama-3.1-8b")
    opening: int = 60  # the position to which all run first
    seconds: float = 3.5  # a run to the end of a context takes about three times as long

    def check(self) -> None:
        """Read the models; refuse those without hands, and the same one twice."""
        self.encodings = {shortened(short_name(model)): rotary_encoding(model) for model in self.models}
        if len(self.encodings) < len(self.models):
            raise ValueError(f"models must have names of their own, got {', '.join(self.models)}")
        self.contexts = {name: encoding.context or 0 for name, encoding in self.encodings.items()}
        for name, context in self.contexts.items():
            if context > LONGEST:
                raise ValueError(
                    f"models: {name} has a context of {context:,}; the counter ends at {LONGEST:,}"
                )

    def setup(self) -> None:
        """Put the models' hands on screen, all at twelve."""
        super().setup()
        places = zip(self.encodings, COLUMNS[len(self.encodings)], strict=True)
        self.columns = {name: self.make_hands(name, x) for name, x in places}
        self.counter.move_to(UP * 2.73)
        for name, hands in self.columns.items():
            self.add(hands, self.make_signs(name, hands), *self.make_readings(name, hands))

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # many hands each: how far do they get within a context?
        self.run_to_shortest()  # the shortest context ends: the slow hands have hardly moved
        self.run_to_longest()  # the same hands go on in a longer one; slower hands stay behind
        self.compare()  # what has not gone round tells every position from every other

    @classmethod
    def sections(cls, captioned: Iterable[str]) -> list[str]:
        """Return the sections; one context alone is no longer than another."""
        several = len({rotary_encoding(model).context for model in cls.models}) > 1
        return [section for section in captioned if several or section != "longest"]

    # What the trackers say

    def shown(self, name: str) -> tuple[float, float]:
        """Return position and pace of a model, which stops where its context ends."""
        position, context = self.position.get_value(), self.contexts[name]
        return (position, self.pace.get_value()) if position < context else (context, 0.0)

    def turns(self, name: str) -> float:
        """Return how often a model's slowest hand has turned."""
        return float(self.shown(name)[0] / self.encodings[name].slowest_period)

    def gone_round(self, name: str) -> int:
        """Return how many of a model's hands have turned at least once."""
        angles = np.array(self.encodings[name].frequencies) * self.shown(name)[0]
        return int(np.count_nonzero(angles >= 2.0 * np.pi))

    # What is on screen

    def make_hands(self, name: str, x: float) -> ModelHands:
        """Return a model's hands, which turn until its context ends."""
        hands = ModelHands(self.encodings[name].frequencies, self.theme, hub=(x, HUB))
        hands.add_updater(lambda hands: hands.set_position(*self.shown(name)))
        return hands.update()

    def make_signs(self, name: str, hands: ModelHands) -> VGroup:
        """Return what stands over a model's hands: its name, its base and its context."""
        encoding = self.encodings[name]
        signs = (
            Words(name, self.theme, font_size=28),
            self.words("base", font_size=24, role="dim", value=in_positions(encoding.base or 0.0)),
            self.words("context", font_size=24, role="dim", value=in_positions(encoding.context or 0)),
        )
        for words, y in zip(signs, (2.3, 1.92, 1.56), strict=True):
            words.move_to(hands.swarm.hub + UP * y)
        return VGroup(*signs)

    def make_readings(self, name: str, hands: ModelHands) -> list[Readout]:
        """Return what stands under a model's hands: how many went round, and how far the slowest came."""
        all_hands = len(self.encodings[name].frequencies)
        rounds = self.make_reading("rounds", "{:.0f}", hands, -1.72, all=all_hands)
        rounds.add_updater(lambda number: number.set_value(self.gone_round(name)))
        turns = self.make_reading("turns", "{:.3f}", hands, -2.16)
        turns.set_color(hands.hand.get_color())
        turns.add_updater(lambda number: number.set_value(self.turns(name)))
        return [rounds.update(), turns.update()]

    def make_reading(self, key: str, form: str, hands: ModelHands, y: float, **values: Any) -> Readout:
        """Return a number within the words ``key``, at height ``y`` below a model's hub."""
        words = self.words(key, number=form, **values).text
        reading = Readout(form=words, font_size=26, align=0.0, color=self.theme.text)
        return reading.place_at(hands.swarm.hub + UP * y)

    # The beats

    def ask(self) -> None:
        """Let all run a little: at first they are alike."""
        self.beat("ask")
        self.play(self.idea("question", count=len(self.models)))
        opening = min(self.opening, min(self.contexts.values()) / 4.0)
        self.glide_to(opening, pace=15.0, ramp=opening / 7.0)
        self.play(self.idea("circle"))

    def run_to_shortest(self) -> None:
        """Run to the end of the shortest context."""
        self.beat("shortest")
        self.run_on(min(self.contexts.values()))

    def run_to_longest(self) -> None:
        """Run on to the ends of the longer contexts, one after the other."""
        longer = sorted(set(self.contexts.values()))[1:]
        if longer:
            self.beat("longest")
        for context in longer:
            self.run_on(context)

    def run_on(self, context: int) -> None:
        """Run to the end of a context, and say how far the slowest hand of its model came."""
        way = context - self.position.get_value()
        self.glide_to(context, pace=way / self.seconds, ramp=0.3 * way)
        name = next(name for name, end in self.contexts.items() if end == context)
        self.play(self.idea("ended", name=name, turns=f"{self.turns(name):.3f}"))
        self.wait(1.5)

    def compare(self) -> None:
        """Say what hands that never go round are good for, and what a longer context takes."""
        self.beat("compare")
        self.play(self.idea("outside"))
        self.wait(3.0)
        name = max(self.encodings, key=lambda name: self.encodings[name].slowest_period)
        period = self.encodings[name].slowest_period
        shown = f"{period:,.0f}" if period < 1e12 else f"{period:.3g}"
        self.play(self.idea("slower", name=name, period=shown))
