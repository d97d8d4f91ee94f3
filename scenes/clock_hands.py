"""Clock hands: a position is read off many hands, each with its own speed."""

from __future__ import annotations

import unicodedata
from typing import Annotated

import numpy as np
import numpy.typing as npt
from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    FadeIn,
    FadeOut,
    LaggedStart,
    Line,
    ReplacementTransform,
    TransformFromCopy,
    ValueTracker,
    VGroup,
    linear,
    smooth,
)

from pe_math import schedules, sinusoidal
from scenes.counting import CountingScene
from scenes.fonts import check_characters
from scenes.hands import BASE, MODEL, ROTARY_MODELS, HandsScene, in_positions, rotary_encoding, short_name
from scenes.mobjects.clock import Clock, swept_share
from scenes.mobjects.paths import Segments
from scenes.mobjects.shadows import Shadows
from scenes.mobjects.swarm import Swarm, joined
from scenes.mobjects.wall import Wall
from scenes.mobjects.words import TEXT_RIGHT, Readout, Words
from scenes.parameters import Parameter


class ClockHands(HandsScene, CountingScene):
    """Three clocks count a position; the shadows of their tips are six numbers of its encoding.

    They show the three fastest hands. The story needs a first one of one radian a position, and each of the
    others so much slower than the one before that it tells time where that one is a blur.
    """

    d: Annotated[int, Parameter("numbers in the encoding; six are shown", low=6, high=24, multiple_of=2)] = 8
    sentence: Annotated[str, Parameter("words to count, divided by spaces; empty for the lecture's own")] = ""
    clocks_shown = 3
    names = ("second_hand", "minute_hand", "hour_hand")
    look_alike = 44  # seven turns of the fast hand are 43.98 positions
    slower = (3.5, 30.0)  # how many times slower than the one before a hand may be
    told_apart = 0.5  # radians by which a hand at `look_alike` must differ from where it was at 0
    enlarged = 1.5

    def check(self) -> None:
        """See that the hands and the sentence fit the story."""
        super().check()
        self.frequencies = self.frequencies[: self.clocks_shown]
        self.periods = 2.0 * np.pi / self.frequencies
        self.check_story()
        # Typed on some keyboards é is two characters, which have one glyph.
        sentence = unicodedata.normalize("NFC", self.sentence or self.words("sentence").text)
        check_characters("".join(sentence.split()), "sentence")
        self.texts = sentence.split()
        self.spoken = self.make_sentence()
        if not 2 <= len(self.texts) <= 12 or self.spoken.width > 2.0 * TEXT_RIGHT:
            raise ValueError(f"sentence must be 2 to 12 words that fit into a line, got {self.sentence!r}")

    def check_story(self) -> None:
        """Refuse hands of which the sentences would not be true."""
        first, ratios = self.frequencies[0], self.frequencies[:-1] / self.frequencies[1:]
        if abs(first - 1.0) > 1e-9:
            raise ValueError(f"the first hand must turn one radian a position, as is said, got {first:g}")
        low, high = self.slower
        if not (low <= ratios.min() and ratios.max() <= high):
            raise ValueError(
                f"each hand must be {low:g} to {high:g} times slower than the one before, "
                f"got {' and '.join(f'{ratio:.3g}' for ratio in ratios)}; change d, base or schedule"
            )
        apart = 1.0 - np.cos(self.frequencies[1:] * self.look_alike)
        if apart.max() < 1.0 - np.cos(self.told_apart):
            raise ValueError(f"a slower hand must tell {self.look_alike} from 0; change d, base or schedule")

    def setup(self) -> None:
        """Put the fast clock on screen, alone and large, at position 0, above a sentence."""
        super().setup()
        self.colors = self.theme.hand_colors(self.clocks_shown)
        self.clocks = [
            Clock(frequency, self.theme, radius=1.1, color=color).move_to(self.place(k))
            for k, (frequency, color) in enumerate(zip(self.frequencies, self.colors, strict=True))
        ]
        self.clocks[0].scale(self.enlarged).move_to(UP * 0.75)
        self.follow(self.clocks[0])
        self.mark_words()
        self.add(self.clocks[0], self.spoken)

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # how can a hand say where a word stands? one radian a word
        self.turn_once()  # a turn of the fast hand is 6.28 positions
        self.look_alike_again()  # so one hand is not enough: 44 reads like 0
        self.add_slower_hands()  # a minute and an hour hand tell 44 from 0
        self.cast_shadows()  # a tip's two shadows are its sine and its cosine
        self.read_numbers()  # six shadows, six numbers: the encoding
        self.let_hours_pass()  # time runs faster until the hour hand has turned once

    # What is on screen

    def follow(self, *pictures: Clock | Shadows) -> None:
        """Let clocks or shadows show the position from now on.

        Those that fade in must not do so before: an updater that sets opacities would undo the fade.
        """
        for picture in pictures:
            picture.add_updater(
                lambda picture: picture.set_position(self.position.get_value(), self.pace.get_value())
            )

    def place(self, k: int) -> npt.NDArray[np.float64]:
        """Return the centre of clock ``k`` in the row of clocks."""
        return np.array([-4.75 + 3.55 * k, 0.45, 0.0])

    def make_sentence(self) -> VGroup:
        """Return the words of the sentence in a row, on one baseline."""
        words = VGroup(*(Words(text, self.theme, font_size=34) for text in self.texts))
        for word in words.arrange(RIGHT, buff=0.45):
            word.shift(UP * word.off_middle())
        return words.move_to(DOWN * 1.75)

    def mark_words(self) -> None:
        """Put a line under the word at the position shown."""
        words = list(self.spoken)
        middles, halves = [word.get_x() for word in words], [word.width / 2.0 for word in words]
        floor = self.spoken.get_bottom()[1] - 0.12
        mark = Segments(color=self.colors[0], stroke_width=5.0)

        def underline() -> None:
            position = self.position.get_value()
            middle, half = (np.interp(position, range(len(words)), values) for values in (middles, halves))
            mark.set_ends((middle - half, floor), (middle + half, floor))

        mark.add_updater(lambda _: underline()).update()
        self.spoken = VGroup(self.spoken, mark)

    def make_name(self, k: int) -> VGroup:
        """Return the name of hand ``k``, above its clock."""
        name = self.words(self.names[k], font_size=26).set_color(self.colors[k])
        return name.move_to(self.place(k) + UP * 1.4)

    def make_speed(self, k: int) -> VGroup:
        """Return the words under clock ``k``: its frequency and its period."""
        frequency, period = f"{self.frequencies[k]:.2g}", in_positions(self.periods[k])
        lines = VGroup(
            self.words("frequency", font_size=24, value=frequency).set_color(self.colors[k]),
            self.words("period", font_size=24, role="dim", value=period),
        )
        return lines.arrange(DOWN, buff=0.14).move_to(self.place(k) + DOWN * 1.85)

    def make_column(self) -> VGroup:
        """Return the heading of the numbers, and a bar in each hand's colour beside its two numbers."""
        heading = self.words("encoding", font_size=30, role="dim").move_to(
            (6.3, 2.55, 0.0), aligned_edge=RIGHT
        )
        bars = [
            Line((5.0, y + 0.27, 0.0), (5.0, y - 0.6, 0.0), color=color, stroke_width=4.0)
            for y, color in zip((self.number_place(2 * k)[1] for k in range(3)), self.colors, strict=True)
        ]
        return VGroup(heading, *bars)

    def number_place(self, k: int) -> npt.NDArray[np.float64]:
        """Return where number ``k`` of the encoding stands, its lower right corner."""
        return np.array([6.3, 1.7 - 0.55 * k - 0.3 * (k // 2), 0.0])

    def make_number(self, k: int) -> Readout:
        """Return number ``k`` of the encoding, in the column on the right."""
        readout = Readout(
            form="{:+.2f}", font_size=32, align=1.0, color=self.theme.color(("sin", "cos")[k % 2])
        )
        readout.place_at(self.number_place(k))
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

    # The beats

    def ask(self) -> None:
        """Ask how a hand can say where a word stands; it turns one radian a word, then back to the start."""
        self.beat("ask")
        self.play(self.idea("question"))
        for position in range(1, len(self.texts)):
            self.play(self.position.animate.set_value(position), run_time=0.9)
        self.wait(0.6)
        self.play(
            self.position.animate.set_value(0.0),
            FadeOut(self.spoken),
            self.clocks[0].animate.move_to(UP * 0.1),
            run_time=1.5,
        )
        self.speeds = [self.make_speed(k) for k in range(self.clocks_shown)]
        self.first_speed = self.speeds[0].copy().next_to(self.clocks[0], RIGHT, buff=0.7)
        self.play(FadeIn(self.first_speed))

    def turn_once(self) -> None:
        """Turn the fast hand once: it comes back to where it began, so this loops."""
        self.beat("turn_once", loops=True)
        self.play(self.position.animate.set_value(self.periods[0]), run_time=5, rate_func=linear)

    def look_alike_again(self) -> None:
        """Count to a position at which the fast hand reads as it did at 0."""
        self.beat("look_alike")
        self.run_to(self.look_alike, pace=self.gentle)
        self.play(self.idea("look_alike", position=self.look_alike))

    def add_slower_hands(self) -> None:
        """Bring in the minute and the hour hand: together they tell the two positions apart."""
        self.beat("slower_hands")
        self.play(
            self.clocks[0].animate.scale(1.0 / self.enlarged).move_to(self.place(0)),
            ReplacementTransform(self.first_speed, self.speeds[0], path_arc=-np.pi / 5.0),
        )
        names = [self.make_name(k) for k in range(self.clocks_shown)]
        for clock in self.clocks[1:]:
            clock.set_position(self.look_alike)
        self.play(LaggedStart(*map(FadeIn, (*self.clocks[1:], *self.speeds[1:], *names)), lag_ratio=0.2))
        self.follow(*self.clocks[1:])
        self.play(self.idea("slower_hands", position=self.look_alike))

    def cast_shadows(self) -> None:
        """Cast each tip's shadow on the floor, its sine, and on the wall, its cosine."""
        self.beat("shadows")
        self.shadows = [Shadows(clock, self.theme).set_position(self.look_alike) for clock in self.clocks]
        self.play(LaggedStart(*map(FadeIn, self.shadows), lag_ratio=0.3), self.idea("shadows"))
        self.follow(*self.shadows)
        self.play(self.position.animate.set_value(self.look_alike + 8), run_time=7, rate_func=linear)

    def read_numbers(self) -> None:
        """Let each shadow's length fly out as a number of the encoding."""
        self.beat("numbers")
        numbers = [self.make_number(k) for k in range(2 * self.clocks_shown)]
        bars = [bar for shadow in self.shadows for bar in (shadow.sin, shadow.cos)]
        flights = [TransformFromCopy(bar, number) for bar, number in zip(bars, numbers, strict=True)]
        self.play(FadeIn(self.make_column()), self.idea("numbers"))
        self.play(LaggedStart(*flights, lag_ratio=0.3))

    def let_hours_pass(self) -> None:
        """Run as fast as the minute hand can still be followed, until the slowest hand has turned once."""
        self.beat("hours")
        self.play(self.idea("hours"))
        pace = self.gentle / self.frequencies[1]
        self.glide_to(self.periods[-1], pace=pace, ramp=0.8 * pace)


class ClockWall(HandsScene, CountingScene):
    """Sixteen clocks from fast to slow; time speeds up until even the slowest has turned once."""

    d: Annotated[int, Parameter("two a clock, in two rows of eight", low=18, high=32, multiple_of=2)] = 32
    base: Annotated[float, Parameter(BASE, low=120, high=3e6)] = 10_000.0
    slowest = (500.0, 9e6)  # positions in which the slowest clock may turn
    slower = 60.0  # how many times slower than the first it must be for all that is said
    turn = 23.5  # seconds in which it turns at a hundred times the first speed of time

    def check(self) -> None:
        """Choose the first speed of time."""
        super().check()
        self.periods = 2.0 * np.pi / self.frequencies
        low, high = self.slowest
        if not low <= self.periods[-1] <= high:
            raise ValueError(
                f"the slowest clock must take from {low:,.0f} to {high:,.0f} positions a turn, "
                f"but takes {self.periods[-1]:,.0f}; change d, base or schedule"
            )
        if self.periods[-1] < self.slower * self.periods[0]:
            raise ValueError(f"the slowest clock must be {self.slower:g} times slower than the first")
        self.real_time = float(self.periods[-1] / (100.0 * self.turn))
        self.gentle = min(type(self).gentle, self.real_time)

    def setup(self) -> None:
        """Put the wall on screen, all hands at twelve, with each clock's period under it."""
        super().setup()
        self.wall = Wall(self.frequencies, self.theme, center=(0.0, 0.2))
        self.wall.add_updater(
            lambda wall: wall.set_position(self.position.get_value(), self.pace.get_value())
        )
        self.add(self.wall, self.make_periods(), self.make_speed())

    def construct(self) -> None:
        """Tell the story."""
        self.start_together()  # at first the slow hands look dead: are they broken?
        self.speed_up_tenfold()  # no: ten times faster, more of them wake
        self.speed_up_again()  # and again: the top row is a blur, and the slowest turns once

    # What is on screen

    def make_periods(self) -> VGroup:
        """Return the period under each clock, and the words that say so."""
        heading = self.words("periods", font_size=24, role="dim").move_to(UP * 2.53 + RIGHT * 0.85)
        periods = [
            self.words("period", font_size=24, value=in_positions(period))
            .set_color(hand.get_color())
            .move_to(center + DOWN * (self.wall.radius + 0.28))
            for period, center, hand in zip(self.periods, self.wall.centers, self.wall.hands, strict=True)
        ]
        return VGroup(heading, *periods)

    def make_speed(self) -> VGroup:
        """Return the number, at the upper right, that says how many times faster than at first time runs."""
        word = self.words("speed", font_size=30, role="dim")
        word.move_to(RIGHT * 4.5 + UP * 2.55, aligned_edge=RIGHT)
        self.speed = Readout(form="×{:,.0f}", font_size=44, color=self.theme.color("accent"))
        self.speed.place_at(RIGHT * 4.75 + UP * 2.39)
        self.speed.add_updater(
            lambda speed: speed.set_value(max(1.0, self.pace.get_value() / self.real_time))
        )
        return VGroup(word, self.speed.update())

    # The beats

    def start_together(self) -> None:
        """Start all hands from twelve; after a while the slow ones still seem to stand there."""
        self.beat("together")
        self.play(self.idea("together", clocks=len(self.periods)))
        last = self.periods[-1]
        self.glide_to(np.rint(last / 353.0), pace=self.real_time, ramp=last / 3_530.0)
        self.play(self.idea("broken"))

    def speed_up_tenfold(self) -> None:
        """Run ten times faster: slow hands come alive, and the fastest are a blur."""
        self.beat("tenfold")
        self.play(self.idea("tenfold"))
        last = self.periods[-1]
        self.glide_to(np.rint(last / 29.44), pace=10.0 * self.real_time, ramp=last / 442.0)
        turned = np.count_nonzero(self.periods <= self.position.get_value())
        self.play(self.idea("awake", turned=turned, clocks=len(self.periods)))

    def speed_up_again(self) -> None:
        """Run ten times faster again, until the slowest hand has turned once."""
        self.beat("hundredfold")
        last, fast = np.ceil(self.periods[-1]), 100.0 * self.real_time
        self.play(self.idea("hundredfold"))
        self.run_to(last / 17.7, pace=fast)
        self.run_to(last / 5.0, pace=fast)
        self.run_to(last * (1.0 - 1.0 / 44.0), self.idea("rows"), pace=fast)
        self.run_to(last, pace=self.gentle)
        self.play(self.idea("turned", position=f"{last:,.0f}"))


class ClockSwarm(HandsScene, CountingScene):
    """All hands of a wide encoding at once: their tips draw one curve, which winds up.

    With ``model`` they are those of a published model that uses RoPE, and it is said what its slowest needs.
    """

    d: Annotated[int, Parameter("numbers in the encoding, two a hand", low=8, high=4096, multiple_of=2)] = 512
    model: Annotated[str, Parameter(MODEL, names_file=True, known=ROTARY_MODELS)] = ""
    gentle: float = 1.5
    rests = (100, 30, 1_000)  # of the hairball, of the spiral, and far along
    crowd = 64  # so many hands of equal length are a hairball
    still = 0.1  # radians a word, below which a hand does not seem to move
    room = 2.2  # below the hub, down to the sentence at the foot

    def check(self) -> None:
        """Take the hands of the model, if there is one."""
        if not self.model:
            return super().check()
        for name in ("d", "base", "schedule"):
            if self.changed(name):
                raise ValueError(f"model {self.model!r} has speeds of its own; leave {name} out")
        self.encoding = rotary_encoding(self.model)
        self.frequencies = schedules.fast_to_slow(self.encoding.frequencies)
        return None

    def setup(self) -> None:
        """Put all hands on screen, equally long and on top of each other at twelve."""
        super().setup()
        self.spread = ValueTracker(0.0)
        self.swarm = self.make_swarm()
        self.swarm.add_updater(
            lambda swarm: swarm.set_position(
                self.position.get_value(), self.pace.get_value(), self.spread.get_value()
            )
        )
        self.add(self.swarm.update())
        if self.model:
            self.add(self.make_model())

    def construct(self) -> None:
        """Tell the story."""
        self.tangle()  # equally long, they are a hairball
        self.give_lengths()  # each with its own length, they draw a spiral
        self.unwind()  # at 0 it is one straight line
        self.wind_up()  # it winds up from the inside
        self.wind_on()  # every position has a figure of its own
        self.step_by_word()  # one word on, only the inside moves

    def stays_a_line(self, position: float) -> bool:
        """Tell whether most hands are still joined to their neighbours at ``position``."""
        return bool(joined(np.diff(self.frequencies) * position).mean() > 0.5)

    # What is on screen

    def make_swarm(self) -> Swarm:
        """Return the hands, shorter where long ones would come round to the sentence at the foot."""
        hub = (0.0, -0.2)
        swarm = Swarm(self.frequencies, self.theme, hub=hub)
        farthest = np.minimum(self.frequencies * self.rests[-1], np.pi)
        if np.max(-np.cos(farthest) * swarm.own_lengths) <= self.room:
            return swarm
        return Swarm(self.frequencies, self.theme, hub=hub, longest=self.room)

    def make_names(self) -> VGroup:
        """Return the names of the fast end and of the slow end, in their colours."""
        fast, slow = (self.words(key, font_size=26) for key in ("fast_end", "slow_end"))
        fast.set_color(self.swarm.dots[0].get_color()).next_to(self.swarm.hub + RIGHT * 3.1, RIGHT)
        slow.set_color(self.swarm.dots[-1].get_color()).next_to(
            self.swarm.hub + UP * 2.9 + RIGHT * 0.53, RIGHT
        )
        # Slow hands stay beside their name; a line leads to the fast end, among all the others.
        line = Line(fast.get_left() + LEFT * 0.1, self.swarm.hub + RIGHT * 0.5, stroke_width=1.5)
        return VGroup(fast, slow, line.set_color(fast.get_color()).set_z_index(-1))

    def make_model(self) -> VGroup:
        """Return what is shown: the model's name, its number of hands, and how slow the slowest is."""
        values = {"hands": len(self.frequencies), "period": f"{self.encoding.slowest_period:,.0f}"}
        name = Words(short_name(self.model), self.theme, font_size=30)
        facts = VGroup(
            name,
            *(self.words(key, font_size=24, role="dim", **values) for key in ("model_hands", "model_period")),
        )
        return facts.arrange(DOWN, buff=0.16, aligned_edge=LEFT).move_to((-6.3, 1.9, 0.0), UP + LEFT)

    # The beats

    def tangle(self) -> None:
        """Fan the hands out while they are equally long: the wrong picture."""
        self.beat("hairball")
        self.play(self.idea("question", hands=len(self.swarm.frequencies)))
        self.glide_to(self.rests[0], pace=40.0, ramp=40)
        self.play(self.idea("hairball" if len(self.frequencies) >= self.crowd else "crossed"))

    def give_lengths(self) -> None:
        """Give each hand its own length, at the same position: the same hands are a spiral."""
        self.beat("lengths")
        self.play(self.idea("lengths", position=self.rests[0]))
        self.play(self.spread.animate.set_value(1.0), run_time=3, rate_func=smooth)
        self.play(FadeIn(self.make_names()))

    def unwind(self) -> None:
        """Run back to position 0."""
        self.beat("unwind")
        self.play(self.idea("unwind"))
        self.glide_to(0, pace=40.0, ramp=40)

    def wind_up(self) -> None:
        """Wind the line up, from the inside; where speeds differ too much, it falls apart."""
        self.beat("wind_up")
        self.play(self.idea("wind_up" if self.stays_a_line(self.rests[1]) else "scatter"))
        self.glide_to(self.rests[1], pace=10.0, ramp=12)

    def wind_on(self) -> None:
        """Go on until the fast hands are scattered and only the slow ones still form a line."""
        self.beat("wind_on")
        self.play(self.idea("wind_on"))
        self.run_to(self.rests[2] - 150, pace=500.0)
        self.run_to(self.rests[2], pace=self.gentle)

    def step_by_word(self) -> None:
        """Go on word by word: only the inside moves."""
        self.beat("next_words")
        self.play(self.idea("next_words" if np.median(self.frequencies) < self.still else "all_move"))
        for _ in range(4):
            self.play(self.position.animate.increment_value(1), run_time=0.9)
            self.wait(0.3)
        if self.model:
            self.say_period()

    def say_period(self) -> None:
        """Say how often the model's slowest hand turns within its context."""
        context, period = self.encoding.context or 0, self.encoding.slowest_period
        self.play(self.idea("context", context=in_positions(context), turns=f"{context / period:.2g}"))
