"""Attention against distance in trained models, beside what looking at all words alike would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from manim import LEFT, FadeIn, FadeOut, ValueTracker, VGroup, linear
from scipy.special import softmax

from pe_math import alibi
from pe_math.training import records
from scenes.mobjects.attention import AttentionMap, OffsetAxes, OffsetCurve, dashes
from scenes.mobjects.paths import Segments
from scenes.mobjects.words import Words
from scenes.parameters import Parameter
from scenes.stage import LectureScene

Array = npt.NDArray[np.float64]

RELATIVE, ABSOLUTE = ("alibi", "t5", "shaw", "rope"), ("sinusoidal", "learned")

# What is learned follows what is prescribed if no head's mean distance is off by more than this share.
ALIKE = 0.2


@dataclass(frozen=True)
class Heads:
    """Attention by distance, 0 first, of one layer's heads: ``weights`` ``(seeds, heads, distances)``.

    Head k of one seed has nothing to do with head k of another, so in each seed they are sorted by how far
    back they look: the nearest first.
    """

    weights: Array

    @classmethod
    def read(cls, record: records.Record, task: str, mode: str, layer: int) -> Self:
        """Read one mode's heads and sort them."""
        by_offset = record.array(task, mode, "attention_by_offset")[:, layer].astype(float)
        weights = by_distance(by_offset)
        order = np.argsort(mean_distance(weights), axis=1, kind="stable")
        return cls(np.take_along_axis(weights, order[..., None], axis=1))

    @property
    def spread(self) -> Array:
        """Median of the seeds, low and high ``(3, heads, distances)``."""
        return np.stack(records.spread(self.weights))

    @property
    def distances(self) -> Array:
        """How far back each head looks on average, ``(seeds, heads)``."""
        return mean_distance(self.weights)


def by_distance(by_offset: Array) -> Array:
    """Return the weights at distances 0, 1, … of offsets ``1 - n`` to ``n - 1`` in the last axis.

    >>> by_distance(np.array([0.25, 0.75, 0.0])).tolist()
    [0.75, 0.25]
    """
    count = (by_offset.shape[-1] + 1) // 2
    return np.asarray(by_offset[..., count - 1 :: -1])


def mean_distance(weights: Array) -> Array:
    """Return how far back queries look on average, from the mean weight at each distance (the last axis).

    Of ``n`` queries, ``n - k`` have a key at distance k.

    >>> float(mean_distance(np.array([0.75, 0.5])))
    0.25
    """
    count = weights.shape[-1]
    distances = np.arange(count)
    return np.asarray((weights * distances * (count - distances)).sum(axis=-1) / count)


def uniform_map(count: int) -> Array:
    """Return the attention of a head that looks at all words up to its own alike, ``(count, count)``."""
    return np.asarray(np.tril(np.ones((count, count))) / np.arange(1, count + 1)[:, None])


def averaged(attention: Array) -> Array:
    """Return a map's mean weight at each distance."""
    return by_distance(records.attention_by_offset(attention))


def prescribed(heads: int, count: int) -> Array:
    """Return the weights by distance that ALiBi's slopes alone give, ``(heads, distances)``, near to far."""
    weights = averaged(softmax(alibi.bias(heads, count, count), axis=-1))
    return np.asarray(weights[np.argsort(mean_distance(weights))])


class AttentionDecay(LectureScene):
    """A map of attention slants and averages into a curve; then trained models' curves, head by head.

    Every name and number that is said comes from the record ``record``, and is measured against the curve of
    a head that looks at all words alike.
    """

    record: str = "decoders"
    task: str = "wikitext"
    relative: Annotated[tuple[str, ...], Parameter("relative kinds, in order", choices=RELATIVE)] = RELATIVE
    absolute: Annotated[tuple[str, ...], Parameter("absolute kinds, in order", choices=ABSOLUTE)] = ABSOLUTE
    without: str = "none"
    layer: int = 0  # where absolute encodings have just joined the words
    floor: float = 1e-4  # weights below are not drawn

    def setup(self) -> None:
        """Put the attention map of a model without an encoding on screen."""
        super().setup()
        recorded = records.load(records.path_of(self.record))
        self.heads = {
            mode: Heads.read(recorded, self.task, mode, self.layer)
            for mode in (*self.relative, self.without, *self.absolute)
        }
        maps = recorded.array(self.task, self.without, "attention")[self.layer]
        self.seeds = len(recorded.seeds)
        self.attention = widest(maps.astype(float))
        self.count = len(self.attention)
        self.uniform = averaged(uniform_map(self.count))
        self.slant, self.read, self.leveled = ValueTracker(0.0), ValueTracker(self.count), ValueTracker(0.0)
        self.map = self.make_map()
        self.sides = VGroup(
            self.words("queries", role="dim", font_size=24).move_to((-5.2, 1.45, 0.0)),
            self.words("keys", role="dim", font_size=24).move_to((1.6, 2.35, 0.0)),
        )
        self.add(self.map, self.sides)

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # attention falls with distance: is it the encoding's doing?
        self.tilt()  # slant the map: each distance becomes a column
        self.average()  # average the columns: a curve that falls
        self.level()  # it falls even if all words are looked at alike
        if "alibi" in self.relative:
            self.prescribe()  # what ALiBi's slopes ask for, and what was learned
        self.compare()  # all kinds, head by head

    # What the trackers say

    def weights(self) -> Array:
        """Return the map that is shown: the recorded one, or on its way to looking at all alike."""
        share = self.leveled.get_value()
        return np.asarray((1.0 - share) * self.attention + share * uniform_map(self.count))

    def curve(self) -> Array:
        """Return the mean weight at each distance over the queries that have been read."""
        rows = int(self.read.get_value() + 1e-9)
        return averaged(self.weights()[:rows, :rows]) if rows else np.zeros(0)

    # What is on screen

    def make_map(self) -> AttentionMap:
        """Return the map, slanted and read as the trackers say."""
        picture = AttentionMap(self.attention, self.theme, center=(0.0, 1.45), width=6.4, height=2.5)
        picture.add_updater(
            lambda picture: picture.set_weights(self.weights(), self.theme).set_state(
                self.slant.get_value(), self.read.get_value()
            )
        )
        return picture.update()

    def make_axes(
        self, center: tuple[float, float], width: float, height: float, **options: Any
    ) -> OffsetAxes:
        """Return axes of offsets and weights."""
        weights = (self.floor, 1.0)
        return OffsetAxes(
            self.count, weights, self.theme, center=center, width=width, height=height, **options
        )

    def make_curve(self, axes: OffsetAxes) -> OffsetCurve:
        """Return the curve of the map, as far as it has been read."""
        curve = OffsetCurve(axes, self.theme.color(self.without), width=4.0)
        curve.add_updater(lambda curve: curve.set_weights(self.curve()))
        return curve.update()

    def make_dashes(self, axes: OffsetAxes) -> Segments:
        """Return the curve of a head that looks at all words alike."""
        return dashes(axes, self.uniform, self.theme.text)

    def make_heads(self, mode: str, axes: OffsetAxes, width: float = 2.5) -> VGroup:
        """Return the curves of a mode's heads, each with its spread over the seeds."""
        medians, lows, highs = self.heads[mode].spread
        color = self.theme.color(mode)
        return VGroup(
            *(
                OffsetCurve(axes, color, width=width).set_weights(*head)
                for head in zip(medians, lows, highs, strict=True)
            )
        )

    def make_panel(self, mode: str, row: int, column: int) -> VGroup:
        """Return a small chart of one mode: its heads, the dashes, its name and how far its heads look."""
        x, y = -4.1 + 2.95 * column, (1.55, -1.0)[row]
        numbered = "y" * (column == 0) + "x" * (row == 1)
        axes = self.make_axes((x, y), 2.5, 1.6, step=30, numbered=numbered)
        # Above a tenth there is room: no far key ever gets so much.
        name = self.words(f"names.{mode}", role=mode, font_size=26)
        name.move_to((x - 1.2, y + 0.62, 0.0), aligned_edge=LEFT)
        reach = np.median(self.heads[mode].distances, axis=0)
        numbers = Words(" · ".join(f"{distance:.0f}" for distance in reach), self.theme, font_size=24)
        numbers.move_to((x, y + 1.05, 0.0))
        return VGroup(axes, self.make_dashes(axes), self.make_heads(mode, axes), name, numbers)

    def make_table(self, wanted: Array) -> VGroup:
        """Return how far back ALiBi's heads look: as their slopes prescribe, and as was learned."""
        learned = np.median(self.heads["alibi"].distances, axis=0)
        slopes = np.sort(alibi.slopes(len(wanted)))[::-1]
        columns = {
            "slope": [f"1/{1.0 / slope:.0f}" for slope in slopes],
            "asked": [f"{distance:.1f}" for distance in mean_distance(wanted)],
            "learned": [f"{distance:.1f}" for distance in learned],
        }
        table = VGroup(self.words("looks_back", role="dim", font_size=24).move_to((4.2, 2.3, 0.0)))
        for x, (key, cells) in zip((2.7, 4.2, 5.75), columns.items(), strict=True):
            table.add(self.words(key, role="dim", font_size=24).move_to((x, 1.75, 0.0)))
            for row, cell in enumerate(cells):
                table.add(Words(cell, self.theme, font_size=28).move_to((x, 1.2 - 0.5 * row, 0.0)))
        return table

    # The beats

    def ask(self) -> None:
        """Ask whether it is the encoding that makes attention fall with distance."""
        self.beat("ask")
        self.play(self.idea("question"))
        self.wait(2.5)
        self.play(self.idea("map", names=self.named(self.without)))

    def tilt(self) -> None:
        """Slant the map: its diagonals become columns."""
        self.beat("tilt")
        self.play(FadeOut(self.sides), self.idea("tilt"))
        self.play(self.slant.animate.set_value(1.0), run_time=4.0)

    def average(self) -> None:
        """Average each column, row by row: the curve."""
        self.beat("average")
        self.axes = self.make_axes((0.0, -0.95), 6.4, 1.8)
        self.signs = VGroup(
            self.words("weight", role="dim", font_size=24).move_to((-5.2, -0.9, 0.0)),
            self.words("offset", role="dim", font_size=24).move_to((4.75, -1.85, 0.0)),
        )
        self.read.set_value(0.0)
        self.line = self.make_curve(self.axes)
        self.play(FadeIn(self.axes, self.signs), self.idea("average"))
        self.add(self.line)
        self.play(self.read.animate.set_value(self.count), run_time=6.0, rate_func=linear)
        self.play(self.idea("falls"))
        self.wait(2.0)

    def level(self) -> None:
        """Let the map look at all words alike: the curve falls as well."""
        self.beat("level")
        self.play(self.idea("level"))
        self.play(self.leveled.animate.set_value(1.0), run_time=3.0)
        self.alike = self.make_dashes(self.axes)
        self.play(FadeIn(self.alike))
        self.wait(2.0)
        self.play(self.leveled.animate.set_value(0.0), self.idea("baseline"), run_time=2.0)
        self.wait(2.5)

    def prescribe(self) -> None:
        """Compare what ALiBi's slopes ask for with what was learned."""
        self.beat("prescribe")
        self.play(FadeOut(self.map, self.line, self.axes, self.signs, self.alike))
        axes = self.make_axes((-1.8, 0.45), 6.9, 4.2)
        wanted = prescribed(self.heads["alibi"].weights.shape[1], self.count)
        lines = VGroup(*(dashes(axes, head, self.theme.color("dim")) for head in wanted))
        self.play(FadeIn(axes, lines), self.idea("prescribed", names=self.named("alibi")))
        self.wait(3.0)
        curves, table = self.make_heads("alibi", axes, width=3.0), self.make_table(wanted)
        learned = np.median(self.heads["alibi"].distances, axis=0)
        off = np.abs(learned / mean_distance(wanted) - 1.0).max()
        self.play(FadeIn(curves, table), run_time=1.5)
        self.play(self.idea("follows" if off <= ALIKE else "departs", percent=f"{100.0 * off:.0f}"))
        self.wait(2.0)
        self.chart = [axes, lines, curves, table]

    def compare(self) -> None:
        """Put all kinds side by side."""
        self.beat("compare")
        before = (
            self.chart
            if "alibi" in self.relative
            else [self.map, self.line, self.axes, self.signs, self.alike]
        )
        panels = [
            self.make_panel(mode, row, column)
            for row, modes in enumerate((self.relative, (self.without, *self.absolute)))
            for column, mode in enumerate(modes)
        ]
        alike = f"{float(mean_distance(self.uniform)):.0f}"
        note = self.words("note", role="dim", font_size=24, seeds=self.seeds, alike=alike)
        note.move_to((4.8, -1.0, 0.0))
        self.play(FadeOut(*before), self.clear_idea())
        self.play(*map(FadeIn, (*panels, note)), run_time=1.5)
        self.play(self.nearest())
        self.wait(2.5)

    def nearest(self) -> Any:
        """Return the sentence on how far back the nearest heads of both kinds look."""
        values: dict[str, Any] = {}
        ranges: dict[str, tuple[float, float]] = {}
        for kind, modes in (("relative", self.relative), ("absolute", self.absolute)):
            nearest = np.array([self.heads[mode].distances[:, 0] for mode in modes])
            ranges[kind] = float(nearest.min()), float(nearest.max())
            values[kind] = f"{nearest.min():.1f} – {nearest.max():.1f}"
        if ranges["relative"][1] < ranges["absolute"][0]:
            return self.idea("relative_nearer", **values)
        if ranges["absolute"][1] < ranges["relative"][0]:
            return self.idea("absolute_nearer", **values)
        return self.idea("both", **values)

    def named(self, mode: str) -> str:
        """Return the name of ``mode``, marked with its colour."""
        return f"<{mode}>{self.words(f'names.{mode}').text}</{mode}>"


def widest(maps: Array) -> Array:
    """Return of ``maps`` ``(heads, n, n)`` the one that looks farthest back on average."""
    return np.asarray(maps[np.argmax([mean_distance(averaged(attention)) for attention in maps])])
