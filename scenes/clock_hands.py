"""Clock hands: a position is read off many hands, each with its own speed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    FadeIn,
    LaggedStart,
    ReplacementTransform,
    TransformFromCopy,
    ValueTracker,
    VGroup,
    linear,
)

from pe_math import frequencies, sinusoidal
from scenes.mobjects.clock import Clock, swept_share
from scenes.mobjects.shadows import Shadows
from scenes.mobjects.words import Readout
from scenes.stage import LectureScene


class ClockHands(LectureScene):
    """Three clocks count a position; the shadows of their tips are six numbers of its encoding."""

    d: int = 8
    base: float = 10_000.0
    clocks_shown: int = 3
    look_alike: int = 44  # seven turns of the fast hand are 43.98 positions
    enlarged: float = 1.7

    def setup(self) -> None:
        """Put the fast clock on screen, alone and large, at position 0."""
        super().setup()
        self.frequencies = frequencies.geometric(self.d, self.base)[: self.clocks_shown]
        self.periods = 2.0 * np.pi / self.frequencies
        self.colors = self.theme.hand_colors(self.clocks_shown)
        self.position, self.pace = ValueTracker(0.0), ValueTracker(0.0)
        self.clocks = [
            Clock(frequency, self.theme, radius=1.1, color=color).move_to(self.place(k))
            for k, (frequency, color) in enumerate(zip(self.frequencies, self.colors, strict=True))
        ]
        self.clocks[0].scale(self.enlarged).move_to(UP * 0.1)
        for clock in self.clocks:
            clock.add_updater(
                lambda clock: clock.set_position(self.position.get_value(), self.pace.get_value())
            )
        self.counter = self.make_counter()
        self.add(self.clocks[0], self.counter)

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # how can a hand say where a word stands?
        self.turn_once()  # the fast hand turns one radian a word: a turn is 6.28 positions
        self.look_alike_again()  # so one hand is not enough: 44 reads like 0
        self.add_slower_hands()  # a minute and an hour hand tell 44 from 0
        self.cast_shadows()  # a tip's two shadows are its sine and its cosine
        self.read_numbers()  # six shadows, six numbers: the encoding
        self.let_hours_pass()  # time runs faster until the hour hand has turned once

    # What is on screen

    def place(self, k: int) -> npt.NDArray[np.float64]:
        """Return the centre of clock ``k`` in the row of clocks."""
        return np.array([-4.9 + 3.35 * k, 0.6, 0.0])

    def make_counter(self) -> VGroup:
        """Return the word 'position' and the number that counts, at the upper left."""
        word = self.words("position", font_size=30, role="dim")
        word.move_to(LEFT * 6.3 + UP * 2.55, aligned_edge=LEFT)
        number = Readout(font_size=44, color=self.theme.text)
        number.place_at(word.get_right() + RIGHT * 0.3 + DOWN * 0.16)
        number.add_updater(lambda number: number.set_value(np.floor(self.position.get_value() + 1e-9)))
        return VGroup(word, number)

    def make_speed(self, k: int) -> VGroup:
        """Return the words under clock ``k``: its frequency and its period."""
        frequency, period = f"{self.frequencies[k]:g}", f"{self.periods[k]:,.3g}"
        lines = VGroup(
            self.words("frequency", font_size=24, value=frequency).set_color(self.colors[k]),
            self.words("period", font_size=24, role="dim", value=period),
        )
        return lines.arrange(DOWN, buff=0.14).move_to(self.place(k) + DOWN * 2.0)

    def make_number(self, k: int) -> Readout:
        """Return number ``k`` of the encoding, in the column on the right."""
        readout = Readout(
            form="{:+.2f}", font_size=32, align=1.0, color=self.theme.color(("sin", "cos")[k % 2])
        )
        readout.place_at((6.3, 1.9 - 0.55 * k - 0.25 * (k // 2), 0.0))
        readout.add_updater(lambda number: self.read(number, k))
        return readout.update()

    def read(self, number: Readout, k: int) -> None:
        """Let ``number`` show number ``k`` of the encoding, faint while it changes too fast to read."""
        blur = swept_share(self.frequencies[k // 2] * self.pace.get_value())
        number.set_value(self.encoding()[k]).set_fill(opacity=1.0 - 0.75 * blur)

    def encoding(self) -> npt.NDArray[np.float64]:
        """Return the numbers of the encoding at the position shown."""
        (numbers,) = sinusoidal.table([self.position.get_value()], self.frequencies)
        return np.asarray(numbers)

    def count_to(self, position: float, *, seconds: float) -> None:
        """Let the position run to ``position`` at a constant pace."""
        self.pace.set_value((position - self.position.get_value()) / seconds)
        self.play(self.position.animate.set_value(position), run_time=seconds, rate_func=linear)
        self.pace.set_value(0.0)
        self.update_mobjects(0.0)

    # The beats

    def ask(self) -> None:
        """Ask how a hand can say where a word stands, and show how fast this one turns."""
        self.beat("ask")
        self.play(self.idea("question"))
        self.speeds = [self.make_speed(k) for k in range(self.clocks_shown)]
        self.play(FadeIn(self.speeds[0].copy().next_to(self.clocks[0], RIGHT, buff=0.7)))
        self.first_speed = self.mobjects[-1]

    def turn_once(self) -> None:
        """Turn the fast hand once: it comes back to where it began, so this loops."""
        self.beat("turn_once", loops=True)
        self.play(self.position.animate.set_value(self.periods[0]), run_time=5, rate_func=linear)

    def look_alike_again(self) -> None:
        """Count to a position at which the fast hand reads as it did at 0."""
        self.beat("look_alike")
        self.count_to(self.look_alike, seconds=6)
        self.play(self.idea("look_alike", position=self.look_alike))

    def add_slower_hands(self) -> None:
        """Bring in the minute and the hour hand: together they tell the two positions apart."""
        self.beat("slower_hands")
        self.play(
            self.clocks[0].animate.scale(1.0 / self.enlarged).move_to(self.place(0)),
            ReplacementTransform(self.first_speed, self.speeds[0]),
        )
        self.play(LaggedStart(*map(FadeIn, (*self.clocks[1:], *self.speeds[1:])), lag_ratio=0.2))
        self.play(self.idea("slower_hands", position=self.look_alike))

    def cast_shadows(self) -> None:
        """Cast each tip's shadow on the floor, its sine, and on the wall, its cosine."""
        self.beat("shadows")
        self.shadows = [Shadows(clock, self.theme) for clock in self.clocks]
        for shadow in self.shadows:
            shadow.add_updater(
                lambda shadow: shadow.set_position(self.position.get_value(), self.pace.get_value())
            )
        self.play(LaggedStart(*map(FadeIn, self.shadows), lag_ratio=0.3), self.idea("shadows"))
        self.count_to(self.look_alike + 8, seconds=7)

    def read_numbers(self) -> None:
        """Let each shadow's length fly out as a number of the encoding."""
        self.beat("numbers")
        numbers = [self.make_number(k) for k in range(2 * self.clocks_shown)]
        bars = [bar for shadow in self.shadows for bar in (shadow.sin, shadow.cos)]
        flights = [TransformFromCopy(bar, number) for bar, number in zip(bars, numbers, strict=True)]
        self.play(LaggedStart(*flights, lag_ratio=0.3), self.idea("numbers"))

    def let_hours_pass(self) -> None:
        """Run faster, until the slowest hand has turned once."""
        self.beat("hours")
        self.play(self.idea("hours"))
        self.count_to(self.periods[-1], seconds=12)
