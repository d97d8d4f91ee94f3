"""RoPE for pictures: half of the planes turn with the row, half with the column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
import numpy.typing as npt
from manim import FadeIn, FadeOut, LaggedStart, ValueTracker, VGroup

from pe_math import frequencies, rotary
from scenes.mobjects.heatmap import Grid, Heatmap
from scenes.mobjects.paths import Segments
from scenes.mobjects.plane import Plane
from scenes.mobjects.symbol_row import SQUARE
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter
from scenes.stage import LectureScene

Array = npt.NDArray[np.float64]
Patch = tuple[int, int]

ROWS, COLUMNS = 6, 8
GRID = Grid(-5.9, -1.1, -1.4, 2.2, ROWS, COLUMNS)
PATCHES = np.stack(np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij"), axis=-1).reshape(-1, 2)


class Rope2D(LectureScene):
    """Patches of a picture are numbered twice; the score keeps the two offsets and nothing else."""

    base: Annotated[float, Parameter("of each half's two speeds", low=2.0, high=100.0)] = 9.0
    looks_back: Annotated[
        tuple[int, int], Parameter("rows and columns to the loudest key", low=-3, high=3)
    ] = (
        1,
        2,
    )
    key_patch: Patch = (2, 3)
    below: Patch = (3, 3)  # eight numbers on, and the nearest neighbour
    line_end: Patch = (2, 7)  # one number before the next, and far away from it
    line_start: Patch = (3, 0)
    query_patch: Patch = (4, 6)
    push: Patch = (1, 1)

    def setup(self) -> None:
        """Put the patches on screen, numbered as they are read."""
        super().setup()
        self.speeds = frequencies.geometric(4, self.base)
        self.query = np.tile([0.9, 0.2], 4)
        # The key is the query, turned back by the offset at which it is to be loudest.
        halves = zip(np.split(self.query, 2), self.looks_back, strict=True)
        self.key = np.concatenate([rotary.rotate([half], [by], self.speeds)[0] for half, by in halves])
        self.query_at = [ValueTracker(place) for place in self.below]
        self.key_at = [ValueTracker(place) for place in self.key_patch]
        self.numbers = self.make_numbers()
        self.marks = [self.make_mark(*mark) for mark in (("key", self.key_at), ("query", self.query_at))]
        self.add(self.make_lines(), self.numbers, *self.marks)

    def construct(self) -> None:
        """Tell the story."""
        self.number_flat()  # numbered like text: what lies below is far, a line's end is near the next
        self.number_twice()  # a row and a column: each has hands of its own
        self.move_apart()  # along a row only the columns' planes turn, down a column only the rows'
        self.push_both()  # push both patches: all turn, the score stands still
        self.map_scores()  # the score of every patch: a map that moves along with the query

    # What the trackers say

    def places(self) -> tuple[Array, Array]:
        """Return row and column of the query and of the key."""
        query, key = (np.array([part.get_value() for part in at]) for at in (self.query_at, self.key_at))
        return query, key

    def offsets(self) -> Array:
        """Return how many rows and columns the query is beyond the key."""
        query, key = self.places()
        return np.asarray(query - key)

    def whole_offsets(self) -> Array:
        """Return the offsets as they are read, in whole rows and columns."""
        # Adding 0 makes −0 plain 0.
        return np.asarray(np.round(self.offsets()) + 0.0)

    def flat_offset(self) -> float:
        """Return the offset of the numbers that patches have when they are read like text."""
        rows, columns = self.offsets()
        return float(rows * COLUMNS + columns)

    def shares(self) -> Array:
        """Return what the rows and what the columns contribute to the score."""
        return np.asarray(rotary.axial_scores(self.query, self.key, [self.offsets()], self.speeds)[0])

    def scores(self) -> Array:
        """Return the score of the query with a key at every patch, ``(rows, columns)``, at most 1."""
        query, _ = self.places()
        shares = rotary.axial_scores(self.query, self.key, query - PATCHES, self.speeds)
        return np.asarray(shares.sum(axis=1).reshape(ROWS, COLUMNS) / (self.query @ self.query))

    # What is on screen

    def make_lines(self) -> Segments:
        """Return the lines between the patches."""
        xs, ys = np.linspace(GRID.left, GRID.right, COLUMNS + 1), np.linspace(GRID.bottom, GRID.top, ROWS + 1)
        starts = [*((x, GRID.bottom) for x in xs), *((GRID.left, y) for y in ys)]
        ends = [*((x, GRID.top) for x in xs), *((GRID.right, y) for y in ys)]
        lines = Segments(color=self.theme.color("grid"), stroke_width=2.0).set_ends(starts, ends)
        return lines.set_z_index(-1)

    def make_numbers(self) -> VGroup:
        """Return the number of every patch, in the order of reading."""
        return VGroup(
            *(
                Words(f"{number}", self.theme, role="dim", font_size=24).move_to(GRID.point(row, column))
                for number, (row, column) in enumerate(PATCHES)
            )
        )

    def make_axes(self) -> VGroup:
        """Return the numbers of the rows and of the columns, beside the patches."""
        rows = [(f"{row}", GRID.point(row, -0.85)) for row in range(ROWS)]
        columns = [(f"{column}", GRID.point(-0.8, column)) for column in range(COLUMNS)]
        return VGroup(
            *(
                Words(text, self.theme, role="dim", font_size=24).move_to(point)
                for text, point in rows + columns
            )
        )

    def make_mark(self, role: str, at: list[ValueTracker]) -> Segments:
        """Return the frame around the query's or the key's patch."""
        mark = Segments(color=self.theme.color(role), stroke_width=6.0)
        # So that it can be told from every colour of the map.
        mark.set_background_stroke(color=self.theme.background, width=14.0)
        side = 0.46 if role == "query" else 0.4
        corners = side * np.array([GRID.width / COLUMNS, GRID.height / ROWS]) * SQUARE

        def frame() -> None:
            around = GRID.point(*(part.get_value() for part in at))[:2] + corners
            mark.set_ends(around, np.roll(around, -1, axis=0))

        mark.add_updater(lambda _: frame())
        return mark.update()

    def make_planes(self, axis: int, y: float) -> tuple[list[Plane], VGroup]:
        """Return the planes that turn with the row (0) or the column (1), and what rests behind them."""
        planes = []
        for i, x in enumerate((1.0, 3.1)):
            pair = slice(4 * axis + 2 * i, 4 * axis + 2 * i + 2)
            plane = Plane(
                self.query[pair],
                self.key[pair],
                self.speeds[i],
                self.theme,
                center=(x, y, 0.0),
                unit=0.66,
            )
            plane.add_updater(
                lambda plane: plane.set_positions(
                    self.query_at[axis].get_value(), self.key_at[axis].get_value()
                )
            )
            planes.append(plane.update())
        heading = self.words(("with_row", "with_column")[axis], role="dim", font_size=24)
        heading.move_to((2.05, y + 1.16, 0.0))
        return planes, VGroup(heading, *(plane.ground for plane in planes))

    def make_reading(
        self,
        key: str,
        value: Callable[[], float],
        place: tuple[float, float],
        *,
        form: str,
        role: str = "text",
    ) -> VGroup:
        """Return a word and, beside it, the number that it names."""
        word = self.words(key, role=role, font_size=26)
        word.move_to((*place, 0.0), aligned_edge=np.array([-1.0, 0.0, 0.0]))
        number = Readout(form=form, font_size=30, color=self.theme.color(role))
        number.place_at(word.get_right() + np.array([0.15, -0.11, 0.0]))
        number.add_updater(lambda number: number.set_value(value()))
        return VGroup(word, number.update())

    def make_shares(self) -> list[VGroup]:
        """Return the share of the rows, that of the columns, and the score."""
        share = {"form": "{:+.2f}"}
        return [
            self.make_reading("share", lambda: self.shares()[0], (4.25, 1.4), **share),
            self.make_reading("share", lambda: self.shares()[1], (4.25, -1.2), **share),
            self.make_reading("score", lambda: self.shares().sum(), (4.25, 0.12), role="score", **share),
        ]

    def make_offsets(self) -> list[VGroup]:
        """Return the two offsets."""
        return [
            self.make_reading("rows", lambda: self.whole_offsets()[0], (-5.9, -1.95), form="{:.0f}"),
            self.make_reading("columns", lambda: self.whole_offsets()[1], (-3.2, -1.95), form="{:.0f}"),
        ]

    def move(self, at: list[ValueTracker], to: Patch, seconds: float) -> None:
        """Move the query or the key to a patch."""
        self.play(
            *(part.animate.set_value(place) for part, place in zip(at, to, strict=True)), run_time=seconds
        )

    # The beats

    def number_flat(self) -> None:
        """Number the patches as words are: neighbours are far apart, and a line's ends are not."""
        self.beat("flat")
        self.flat = self.make_reading("flat", self.flat_offset, (-5.9, -1.95), form="{:.0f}")
        self.play(FadeIn(self.flat), self.idea("below", apart=COLUMNS))
        self.wait(2.0)
        self.move(self.query_at, self.line_start, 1.5)
        self.move(self.key_at, self.line_end, 1.5)
        self.play(self.idea("line_end"))

    def number_twice(self) -> None:
        """Give each patch a row and a column, and each of these half of the planes."""
        self.beat("twice")
        self.play(
            FadeOut(self.numbers),
            FadeOut(self.flat),
            FadeIn(self.make_axes()),
            *map(FadeIn, self.make_offsets()),
            self.idea("twice"),
        )
        self.move(self.key_at, self.key_patch, 1.0)
        self.move(self.query_at, self.key_patch, 1.0)
        for axis, y in ((0, 1.35), (1, -1.2)):
            planes, ground = self.make_planes(axis, y)
            self.play(FadeIn(ground), *map(FadeIn, planes))
            self.add(*planes)
        self.play(self.idea("halves"))

    def move_apart(self) -> None:
        """Move the query along its row, then down its column."""
        self.beat("apart")
        row, column = self.query_patch
        self.play(self.idea("along"))
        self.move(self.query_at, (self.key_patch[0], column), 3.0)
        self.wait(1.0)
        self.play(self.idea("down"))
        self.move(self.query_at, (row, column), 3.0)

    def push_both(self) -> None:
        """Push both patches on: every arrow turns, and the score stands still."""
        self.beat("push")
        self.play(LaggedStart(*map(FadeIn, self.make_shares()), lag_ratio=0.3), self.idea("push"))
        targets = [
            part.animate.increment_value(by)
            for at in (self.query_at, self.key_at)
            for part, by in zip(at, self.push, strict=True)
        ]
        self.play(*targets, run_time=4.0)
        self.play(self.idea("still"))

    def map_scores(self) -> None:
        """Colour every patch by its score as a key; the map moves along with the query."""
        self.beat("map")
        heat = Heatmap(self.scores(), self.theme, width=GRID.width, height=GRID.height)
        heat.move_to(GRID.center).set_z_index(-2)
        self.play(FadeIn(heat), self.idea("map"))
        heat.add_updater(lambda heat: heat.set_values(self.scores(), self.theme))
        self.wait(2.0)
        for patch in ((5, 2), (2, 6), (4, 4)):
            self.move(self.query_at, patch, 2.5)
        self.play(self.idea("moves_along"))
