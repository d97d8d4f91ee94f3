"""RoPE: the query and the key turn with their positions, and the score keeps nothing but their offset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    Animation,
    AnimationGroup,
    Arc,
    Create,
    FadeIn,
    FadeOut,
    LaggedStart,
    ReplacementTransform,
    TransformFromCopy,
    ValueTracker,
    VGroup,
    linear,
)

from pe_math import rotary, schedules
from scenes.hands import BASE, HandsScene, in_positions, in_radians
from scenes.mobjects.bars import SignedBars
from scenes.mobjects.paths import Discs
from scenes.mobjects.plane import Plane, angle_between
from scenes.mobjects.tokens import Ruler, TokenRow
from scenes.mobjects.trace import Chart, Scale, Trace
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter

Point = tuple[float, float, float]
Eight = tuple[float, float, float, float, float, float, float, float]

# Where the axis of the score stands: its numbers and name keep clear of the sentence at the foot.
CHART_FLOOR = -1.9


class RopeRotation(HandsScene):
    """A query and a key turn in one plane, then in four; their score is traced over the offset.

    The base is small unless it is set, so that even the slowest plane is seen to turn.
    """

    query: Annotated[Eight, Parameter("numbers of the query, in four pairs", low=-1.3, high=1.3)] = (
        (1.2, -0.5, 0.6, 0.8, -0.2, -0.9, 0.9, -0.2)
    )  # fmt: skip
    key: Annotated[Eight, Parameter("numbers of the key, in four pairs", low=-1.3, high=1.3)] = (
        (0.7, 0.7, 0.7, 0.8, 0.9, 0.2, 0.9, 0.4)
    )  # fmt: skip
    base: Annotated[float, Parameter(BASE, low=1.5, high=1e12)] = 100.0
    sentence: Annotated[str, Parameter("words, divided by spaces; empty for the lecture's own")] = ""
    query_word: Annotated[int, Parameter("place of the word that is the query, from 0", low=1, high=4)] = 4
    key_word: Annotated[int, Parameter("place of the word that is the key", low=0, high=2)] = 2
    push = 4  # how many places both words are pushed on
    opened = 6  # the offset to which the query moves away on the ruler
    swung = 10  # the offset at which the shares are large and of both signs
    farthest = 60  # the largest offset of the curve
    steps = 8  # points of the curve for each position
    longest, largest = 1.32, 1.35  # that an arrow may be, and that a plane's share of the score may
    least_scores, chart_height = (-2.6, 4.2), 2.72  # what the chart of the score shows at least
    along = 0.9  # the cosine from which on one arrow lies along another

    planes: list[Plane]
    fixtures: list[VGroup]

    def check(self) -> None:
        """See that vectors and sentence fit on screen, and choose the scale of the score."""
        self.frequencies = self.chosen_frequencies(len(self.query))
        lengths = [np.linalg.norm(np.reshape(vector, (-1, 2)), axis=1) for vector in (self.query, self.key)]
        if np.max(lengths) > self.longest or np.max(lengths[0] * lengths[1]) > self.largest:
            raise ValueError(
                f"pairs of query and key may be up to {self.longest:g} long, and their lengths' products "
                f"up to {self.largest:g}, got {np.max(lengths):.3g} and {np.max(lengths[0] * lengths[1]):.3g}"
            )
        scores = self.scores(np.arange(0.0, self.farthest, 1.0 / self.steps))
        low, high = min(self.least_scores[0], scores.min()), max(self.least_scores[1], scores.max())
        self.lowest, self.score_unit = float(low), float(self.chart_height / (high - low))
        self.zero_height = CHART_FLOOR - self.lowest * self.score_unit
        self.place_sentence()

    def place_sentence(self) -> None:
        """Put the words of the sentence into their places; refuse those that have no room."""
        words = (self.sentence or self.words("sentence").text).split()
        self.offset_form = f"{self.words('offset').text} {{:.0f}}"
        self.ruler = Ruler(self.theme, y=2.1)
        if not self.key_word < self.query_word < len(words) <= 5:
            raise ValueError(
                "sentence must have at most 5 words, with the key's (key_word, from 0) before the query's, "
                f"got {len(words)} words, key_word {self.key_word} and query_word {self.query_word}"
            )
        self.row = TokenRow(
            words, self.ruler, self.theme, query=self.query_word, key=self.key_word, form=self.offset_form
        )

    def setup(self) -> None:
        """Put the sentence on its ruler of positions."""
        super().setup()
        self.key_position = ValueTracker(self.key_word)
        self.offset = ValueTracker(self.query_word - self.key_word)
        self.query_turned, self.key_turned = ValueTracker(0.0), ValueTracker(0.0)
        self.others = ValueTracker(1.0)
        self.stacked, self.traced = ValueTracker(0.0), ValueTracker(0.0)
        self.row.add_updater(lambda row: row.set_positions(self.word_positions(), self.others.get_value()))
        self.definition = self.words("offset_is", font_size=40).move_to(DOWN * 0.5)
        self.add(self.ruler, self.row.update(), self.definition)

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # how can a score know how far apart two words are, and nothing else?
        self.pair_up()  # neighbouring numbers are a pair, and a pair is an arrow
        self.turn()  # each arrow turns counter-clockwise by its own position; lengths stay
        self.push_both()  # push both words on: both turn alike, the score does not move
        self.move_query()  # move the query alone: the angle between opens, the score changes
        self.add_planes()  # the other pairs turn in planes of their own, each more slowly
        self.share()  # each plane's share of the score is a signed bar
        self.stack()  # end to end, the bars add up to the score
        self.trace_score()  # as the offset grows, the sum draws the score
        self.answer()  # push both again: all arrows turn, the score stands still

    # What the trackers say

    def word_positions(self) -> npt.NDArray[np.float64]:
        """Return the position of each word: all go with the key's, but the query's keeps its offset."""
        positions = np.arange(len(self.row.tiles)) - self.key_word + self.key_position.get_value()
        positions[self.query_word] = self.query_position()
        return np.asarray(positions)

    def query_position(self) -> float:
        """Return the query's position: the key's and their offset."""
        return float(self.key_position.get_value() + self.offset.get_value())

    def arrow_positions(self) -> tuple[float, float]:
        """Return the positions to which the query's and the key's arrows have turned."""
        query = self.query_turned.get_value() * self.query_position()
        return query, self.key_turned.get_value() * self.key_position.get_value()

    def shares(self) -> npt.NDArray[np.float64]:
        """Return each plane's share of the score."""
        offset = self.offset.get_value()
        return np.asarray(rotary.plane_scores(self.query, self.key, [offset], self.frequencies)[0])

    def scores(self, offsets: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the score at each of ``offsets``."""
        return np.asarray(rotary.score(self.query, self.key, offsets, self.frequencies))

    def score(self) -> float:
        """Return the score at the offset shown."""
        return float(self.scores([self.offset.get_value()])[0])

    def angle(self) -> float:
        """Return the degrees between the arrows of the first plane."""
        pairs = np.array([self.query[:2], self.key[:2]])
        query, key = rotary.rotate(pairs, self.arrow_positions(), self.frequencies[:1])
        return float(np.degrees(abs(angle_between(key, query))))

    # What is on screen

    def make_plane(self, i: int, center: Point, unit: float) -> Plane:
        """Return plane ``i``, which turns as the trackers say."""
        pair = slice(2 * i, 2 * i + 2)
        plane = Plane(
            self.query[pair], self.key[pair], self.frequencies[i], self.theme, center=center, unit=unit
        )
        plane.add_updater(lambda plane: plane.set_positions(*self.arrow_positions()))
        return plane.update()

    def make_planes(self, first: Point, spacing: float, unit: float) -> tuple[list[Plane], list[VGroup]]:
        """Return every plane, in a row from the centre of the first, and what rests: grounds and speeds."""
        x, y, z = first
        planes = [self.make_plane(i, (x + spacing * i, y, z), unit) for i in range(len(self.frequencies))]
        speeds = [
            self.words("speed", role="dim", font_size=24, value=in_radians(w)) for w in self.frequencies
        ]
        for plane, speed in zip(planes, speeds, strict=True):
            speed.next_to(plane.ground, DOWN, buff=0.12)
        return planes, [*(plane.ground for plane in planes), *speeds]

    def make_pairs(self) -> list[VGroup]:
        """Return a table of words: which numbers make a pair, the query's pairs, and the key's."""
        count = len(self.frequencies)
        indices = [
            self.words("pair", role="dim", font_size=24, first=2 * i, second=2 * i + 1) for i in range(count)
        ]
        rows = [VGroup(*indices)]
        for role, vector in (("query", self.query), ("key", self.key)):
            texts = [f"{a:.1f}  {b:.1f}" for a, b in np.reshape(vector, (count, 2))]
            signed = [text.replace("-", "\N{MINUS SIGN}") for text in texts]
            rows.append(VGroup(*(Words(text, self.theme, role=role, font_size=26) for text in signed)))
        for y, row in zip((0.82, 0.4, 0.0), rows, strict=True):
            for i, words in enumerate(row):
                words.move_to((0.2 + 1.8 * i, y, 0.0))
        return [row.set_z_index(-1) for row in rows]

    def make_reading(
        self, key: str, value: Callable[[], float], place: Point, *, form: str = "{:+.2f}", role: str = "text"
    ) -> list[Words | Readout]:
        """Return a word, its left end at ``place``, and 4.2 from there the end of the number it names."""
        word = self.words(key, role=role, font_size=28).move_to(place, aligned_edge=LEFT)
        number = Readout(form=form, font_size=32, align=1.0, color=self.theme.color(role))
        number.place_at(np.array(place) + RIGHT * 4.2 + DOWN * 0.12)
        number.add_updater(lambda number: number.set_value(value()))
        return [word, number.update()]

    def make_first_speed(self) -> Words:
        """Return the words that say how fast the first plane turns."""
        speed = self.frequencies[0]
        values = {"radians": f"{speed:g}", "degrees": f"{np.degrees(speed):.0f}"}
        words = self.words("first_speed", role="dim", font_size=26, **values)
        return words.move_to((-0.6, -0.5, 0.0), aligned_edge=LEFT)

    def make_turned(self, key: str, index: int, y: float, role: str) -> list[Words | Readout]:
        """Return how many degrees the query's (0) or the key's (1) arrow of the first plane has turned."""
        return self.make_reading(
            key,
            lambda: float(np.degrees(self.arrow_positions()[index] * self.frequencies[0])),
            (-0.6, y, 0.0),
            form="{:.0f}°",
            role=role,
        )

    def make_bead(self, index: int, role: str) -> Discs:
        """Return a bead on the ruler where the turning of the query's (0) or the key's (1) arrow has come."""
        bead = Discs(radius=0.11, color=self.theme.color(role))
        bead.add_updater(lambda bead: bead.set_centers(self.ruler.place(self.arrow_positions()[index])))
        return bead.update()

    def make_bars(self, center: Point, spacing: float, unit: float) -> SignedBars:
        """Return a bar for each plane's share of the score, stacked as the tracker says."""
        bars = SignedBars(len(self.planes), self.theme, unit=unit, spacing=spacing).shift(center)
        bars.add_updater(lambda bars: bars.set_values(self.shares(), self.stacked.get_value()))
        return bars.update()

    def make_share(self, i: int) -> Readout:
        """Return plane ``i``'s share as a number beside its bar."""
        number = Readout(form="{:+.2f}", font_size=30, color=self.theme.color("score"))
        number.place_at(self.bars.points_at([i + 0.5], [0.0])[0] + RIGHT * 0.4 + UP * 0.12)
        number.add_updater(lambda number: number.set_value(self.shares()[i]))
        return number.update()

    def make_state(self) -> list[Words | Readout]:
        """Return the words and numbers of the two positions and their offset."""
        query, key, offset = ((1.8, y, 0.0) for y in (2.6, 2.2, 1.8))
        key_position = self.key_position.get_value
        return [
            *self.make_reading("query_position", self.query_position, query, form="{:.0f}", role="query"),
            *self.make_reading("key_position", key_position, key, form="{:.0f}", role="key"),
            *self.make_reading("offset", self.offset.get_value, offset, form="{:.0f}"),
        ]

    def make_total(self) -> SignedBars:
        """Return the bar of the whole score, to the right of the planes' stacked shares."""
        total = SignedBars(1, self.theme, unit=self.score_unit, spacing=0.6).shift(
            (1.2, self.zero_height, 0.0)
        )
        total.add_updater(lambda total: total.set_values([self.score()]))
        return total.update()

    def make_trace(self) -> tuple[Chart, Trace]:
        """Return the chart of the score over the offset, and the curve as far as it has been traced."""
        scale = Scale(corner=(1.8, CHART_FLOOR), low=(0.0, self.lowest), units=(0.068, self.score_unit))
        label = self.words("offset", font_size=26)
        chart = Chart(
            self.theme, scale, label, right=self.farthest, x_ticks=(0, 20, 40), y_ticks=(-2, 0, 2, 4)
        )
        trace = Trace(self.theme, scale)
        trace.add_updater(lambda trace: trace.set_values(*self.traced_curve(), self.traced_head()))
        return chart, trace.update()

    def traced_curve(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the offsets traced so far, and the score at each."""
        end = self.traced.get_value()
        offsets = np.append(np.arange(0.0, end, 1.0 / self.steps), end)
        return offsets, self.scores(offsets)

    def traced_head(self) -> tuple[float, float]:
        """Return the offset shown and the score there."""
        return self.offset.get_value(), self.score()

    def all_along(self, offset: int) -> bool:
        """Tell whether at ``offset`` the query lies along the key in every plane."""
        shares = rotary.plane_scores(self.query, self.key, [offset], self.frequencies)[0]
        pairs = [np.reshape(vector, (-1, 2)) for vector in (self.query, self.key)]
        most = np.prod(np.linalg.norm(pairs, axis=2), axis=0)
        return bool((shares >= self.along * most).all())

    def move_planes(self, first: Point, spacing: float, unit: float, *others: Animation) -> None:
        """Play the planes and what rests behind them to another row, together with ``others``."""
        before = [*self.planes, *self.fixtures]
        self.planes, self.fixtures = self.make_planes(first, spacing, unit)
        after = [*self.planes, *self.fixtures]
        self.play(*map(ReplacementTransform, before, after), *others, run_time=1.5)

    def fly_in(self, i: int, plane: Plane) -> Animation:
        """Return the animation in which pair ``i`` of the query and of the key become arrows."""
        _, query, key = self.pairs
        return AnimationGroup(
            FadeIn(plane.ground),
            FadeIn(plane.wedge),
            TransformFromCopy(query[i][0], plane.query),
            TransformFromCopy(key[i][0], plane.key),
        )

    def show_pairs(self, opacity: float) -> list[Any]:
        """Return the animations that show all pairs but the first so much."""
        return [words.animate.set_opacity(opacity) for row in self.pairs for words in row[1:]]

    # The beats

    def ask(self) -> None:
        """Ask how a score can know how far apart two words are, and nothing else."""
        self.beat("ask")
        self.play(self.idea("question"))
        self.play(self.key_position.animate.increment_value(self.push), run_time=3)
        self.play(self.key_position.animate.set_value(self.key_word), run_time=3)

    def pair_up(self) -> None:
        """Let the first two numbers of the query and of the key become arrows in a plane."""
        self.beat("pair_up")
        self.play(FadeOut(self.definition))
        self.pairs = self.make_pairs()
        self.play(LaggedStart(*map(FadeIn, self.pairs), lag_ratio=0.4), self.idea("pairs"))
        self.plane = self.make_plane(0, (-4.3, -0.65, 0.0), 1.2)
        self.play(self.fly_in(0, self.plane), *self.show_pairs(0.4), run_time=2)
        self.add(self.plane)

    def turn(self) -> None:
        """Turn each arrow counter-clockwise by its own position, while a bead counts the places."""
        self.beat("turn")
        way = Arc(1.75, 0.3, 0.9, arc_center=self.plane.origin, color=self.theme.color("dim"))
        way.add_tip(tip_length=0.2, tip_width=0.2)
        self.readings = [
            self.make_first_speed(),
            *self.make_turned("query_turned", 0, -0.94, "query"),
            *self.make_turned("key_turned", 1, -1.37, "key"),
        ]
        self.play(self.idea("direction"), Create(way), *map(FadeIn, self.readings))
        self.wait()
        for index, (tracker, role) in enumerate(((self.query_turned, "query"), (self.key_turned, "key"))):
            bead = self.make_bead(index, role)
            self.add(bead)
            self.play(tracker.animate.set_value(1.0), run_time=4 - 2 * index, rate_func=linear)
            self.play(FadeOut(bead, run_time=0.5))
        self.play(self.idea("lengths"), FadeOut(way))

    def push_both(self) -> None:
        """Push the sentence on and back: both arrows turn alike, the score does not move."""
        self.beat("push_both")
        score = [
            *self.make_reading("angle", self.angle, (-0.6, -1.8, 0.0), form="{:.0f}°"),
            *self.make_reading("score", lambda: self.shares()[0], (-0.6, -2.23, 0.0), role="score"),
        ]
        self.plane_bar = SignedBars(1, self.theme, unit=0.65).shift((5.0, -1.4, 0.0))
        self.plane_bar.add_updater(lambda bar: bar.set_values(self.shares()[:1]))
        self.readings += score
        self.play(
            *map(FadeIn, (*score, self.plane_bar.update())), self.idea("push_question", places=self.push)
        )
        self.wait(1.5)
        self.play(self.key_position.animate.increment_value(self.push), run_time=5)
        self.play(self.idea("push_answer"))
        self.play(self.key_position.animate.set_value(self.key_word), run_time=4)

    def move_query(self) -> None:
        """Move the query alone: the angle between the arrows changes, and the score with it."""
        self.beat("move_query")
        near = self.offset.get_value()
        self.play(self.idea("move_query"), self.others.animate.set_value(0.0))
        self.play(self.offset.animate.set_value(self.opened), run_time=5, rate_func=linear)
        self.play(self.idea("cosine"))
        self.play(self.offset.animate.set_value(near), run_time=4, rate_func=linear)

    def add_planes(self) -> None:
        """Let the other pairs become arrows in planes of their own, and push both words once more."""
        self.beat("add_planes")
        self.planes, self.fixtures = self.make_planes((-4.8, -0.4, 0.0), 3.2, 0.95)
        self.play(FadeOut(*self.readings, self.plane_bar), *self.show_pairs(1.0))
        about = "planes" if schedules.takes_base(self.schedule) else "planes_slower"
        self.play(
            ReplacementTransform(self.plane, self.planes[0]),
            ReplacementTransform(self.plane.ground, self.planes[0].ground),
            *(self.fly_in(i, plane) for i, plane in enumerate(self.planes) if i > 0),
            self.idea(about, base=in_positions(self.base)),
            run_time=2,
        )
        self.add(*self.planes)
        speeds = self.fixtures[len(self.planes) :]
        self.play(FadeOut(*self.pairs), LaggedStart(*map(FadeIn, speeds), lag_ratio=0.3))
        self.play(self.idea("planes_push"))
        self.play(self.key_position.animate.increment_value(self.push), run_time=5)
        self.play(self.key_position.animate.set_value(self.key_word), run_time=4)

    def share(self) -> None:
        """Let each plane's share of the score fly out as a signed bar, and swing as the offset changes."""
        self.beat("share")
        self.play(FadeOut(self.ruler, self.row), self.idea("share"))
        self.move_planes((-4.8, 1.25, 0.0), 3.2, 0.85)
        self.bars = self.make_bars((0.0, -1.3, 0.0), 3.2, 0.75)
        flights = [
            TransformFromCopy(plane.wedge, bar)
            for plane, bar in zip(self.planes, self.bars.bars, strict=True)
        ]
        offset = Readout(form=self.offset_form, font_size=32, align=0.0, color=self.theme.text)
        offset.place_at(UP * 2.63).add_updater(lambda offset: offset.set_value(self.offset.get_value()))
        self.numbers = [offset.update(), *(self.make_share(i) for i in range(len(self.planes)))]
        self.play(*map(FadeIn, (self.bars.zero, *self.numbers)), LaggedStart(*flights, lag_ratio=0.3))
        self.add(self.bars)
        self.play(self.offset.animate.set_value(self.swung), run_time=6, rate_func=linear)

    def stack(self) -> None:
        """Put the bars end to end: they add up to the score."""
        self.beat("stack")
        wide, self.bars = self.bars, self.make_bars((-3.05, self.zero_height, 0.0), 1.7, self.score_unit)
        self.move_planes(
            (-5.6, 1.95, 0.0), 1.7, 0.56, FadeOut(*self.numbers), ReplacementTransform(wide, self.bars)
        )
        self.play(*map(FadeIn, self.make_state()), self.idea("stack"))
        self.play(self.stacked.animate.set_value(1.0), run_time=2)
        name = self.words("score", role="score", font_size=24).move_to((1.2, 0.89, 0.0))
        reading = self.make_reading("score", self.score, (1.8, 1.4, 0.0), role="score")
        self.play(*map(FadeIn, (self.make_total(), name, *reading)))
        self.play(self.offset.animate.set_value(0.0), run_time=5, rate_func=linear)

    def trace_score(self) -> None:
        """Let the offset grow: the sum of the shares draws the score."""
        self.beat("trace_score")
        self.play(*map(FadeIn, self.make_trace()), self.idea("trace"))
        self.play(
            self.offset.animate.set_value(self.farthest),
            self.traced.animate.set_value(self.farthest),
            run_time=12,
            rate_func=linear,
        )
        loudest = int(np.argmax(self.scores(np.arange(self.farthest + 1))))
        self.play(self.idea("loudest" if self.all_along(loudest) else "highest", offset=loudest))
        self.play(self.offset.animate.set_value(loudest), run_time=6, rate_func=linear)

    def answer(self) -> None:
        """Push both words on: every arrow turns, and the score stands still."""
        self.beat("answer")
        near = self.query_word - self.key_word
        self.play(self.idea("again", offset=near))
        self.play(self.offset.animate.set_value(near), run_time=3, rate_func=linear)
        self.wait(0.5)
        self.play(self.key_position.animate.increment_value(4 * self.push), run_time=7)
        self.play(self.idea("answer"))
