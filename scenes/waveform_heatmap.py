"""The heatmap of an encoding: waves that clock hands draw, pressed flat, so that height becomes colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    ApplyMethod,
    FadeIn,
    FadeOut,
    LaggedStart,
    Mobject,
    Rectangle,
    ReplacementTransform,
    Square,
    ValueTracker,
    VGroup,
    linear,
    smooth,
)

from pe_math import sinusoidal
from scenes.hands import HandsScene, in_positions
from scenes.mobjects.axis import Axis
from scenes.mobjects.clock import Clock
from scenes.mobjects.faces import ClockFaces
from scenes.mobjects.heatmap import ColorBar, Grid, Heatmap
from scenes.mobjects.wave import Panel, Rays, Wave
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter
from scenes.theme import hex_color

Numbers = npt.NDArray[np.float64]


class WaveformHeatmap(HandsScene):
    """One hand draws two waves, each wave becomes a row, and the rows of all hands become the heatmap."""

    d: Annotated[int, Parameter("rows of the map, two a hand", low=12, high=32, multiple_of=2)] = 32
    positions: Annotated[int, Parameter("columns of the map", low=40, high=400)] = 100
    drawn_hand: Annotated[int, Parameter("the hand that is seen to draw, from 0", low=0, high=15)] = 3
    stop: Annotated[int, Parameter("the position whose numbers are read in the end", low=0, high=399)] = 42
    hands_read = 4  # from fast to slow, whose numbers run along with the cursor
    waves_drawn = (
        0.5,
        15.0,
    )  # turns of the drawn hand: neither too slow to make a wave nor too fast to follow
    barely = 0.25  # turns; what turns by less over all positions barely changes

    wave_amplitude = 0.88
    row_height = 0.4
    map_edges = (-5.25, 2.65, -1.9, 2.6)  # left, right, bottom, top
    strip_x = 3.44
    strip_width = 0.32
    bar_x = 5.93

    def check(self) -> None:
        """See that the drawn hand makes waves, that slow rows are slow, and that the column read is there."""
        super().check()
        hands, last = len(self.frequencies), self.positions - 1
        if self.stop > last:
            raise ValueError(f"stop must be at most {last}, the last of positions, got {self.stop}")
        if self.drawn_hand >= hands:
            raise ValueError(f"drawn_hand must be at most {hands - 1}, the last hand, got {self.drawn_hand}")
        turns = self.frequencies * last / (2.0 * np.pi)
        low, high = self.waves_drawn
        if not low <= turns[self.drawn_hand] <= high:
            raise ValueError(
                f"drawn_hand must turn {low:g} to {high:g} times over all positions, but hand "
                f"{self.drawn_hand} turns {turns[self.drawn_hand]:.2g} times; choose another"
            )
        if not turns[-1] < self.barely < 1.0 < turns[0]:
            raise ValueError(
                f"over all positions the fastest hand must turn once and the slowest by less than "
                f"{self.barely:g} of a turn, got {turns[0]:.3g} and {turns[-1]:.3g}; change base, schedule "
                "or positions"
            )

    def setup(self) -> None:
        """Put all clocks on screen, as they stand some positions before 0."""
        super().setup()
        self.table = sinusoidal.table(np.arange(self.positions), self.frequencies)
        self.grid = Grid(*self.map_edges, self.d, self.positions)
        self.colors = self.theme.hand_colors(len(self.frequencies))
        self.make_trackers()
        centers = self.wall_centers()
        self.wall = self.make_faces(centers, radius=0.68, hand_width=4.0)
        self.fast, self.slow = self.make_ends()
        self.fast.move_to((*(centers[0] + (0.0, 1.0)), 0.0))
        self.slow.move_to((*(centers[-1] - (0.0, 1.0)), 0.0))
        self.add(self.wall, self.fast, self.slow)

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # what do 16 hands look like over 100 positions?
        self.draw_waves()  # take one: its tip draws a sine and a cosine
        self.color_heights()  # every height has a colour, and zero has none
        self.flatten()  # pressed flat, a wave is a row of colours
        self.draw_all_waves()  # all hands draw their waves, fast on top
        self.flatten_all()  # pressed flat they are the heatmap
        self.compare_rows()  # low rows vary fast, high rows barely change
        self.sweep()  # a column, the hands and the strip show the same numbers
        self.read_column()  # one column is the encoding of one position

    # What moves and where

    def make_trackers(self) -> None:
        """Make all numbers that the pictures follow."""
        self.position, self.pace = ValueTracker(-16.0), ValueTracker(0.0)
        self.colored = ValueTracker(-1.0)  # the last position at which the two waves are filled
        self.flat = {role: ValueTracker(0.0) for role in ("sin", "cos")}
        self.drawn = ValueTracker(-1.0)  # the last position of the map that is drawn
        self.all_flat = ValueTracker(0.0)
        self.fast_lit, self.slow_lit, self.others_lit = (ValueTracker(1.0) for _ in range(3))

    def count_to(
        self,
        position: float,
        *others: Any,
        seconds: float,
        rate_func: Callable[[float], float] = linear,
    ) -> None:
        """Let the position run to ``position``, and play ``others`` meanwhile."""
        self.pace.set_value((position - self.position.get_value()) / seconds)
        run = ApplyMethod(self.position.set_value, position, run_time=seconds, rate_func=rate_func)
        self.play(run, *others)
        self.pace.set_value(0.0)
        self.update_mobjects(0.0)

    def column(self) -> Numbers:
        """Return the encoding at the position shown, as one column ``(d, 1)``."""
        return sinusoidal.table([self.position.get_value()], self.frequencies).T

    def shown(self) -> Numbers:
        """Return how far each cell of the map is shown, ``(d, positions)``."""
        rows, columns = np.arange(self.d)[:, None], np.arange(self.positions)
        drawn = np.clip(self.drawn.get_value() + 1.0 - columns, 0.0, 1.0)
        drawn = np.where(rows // 2 == self.drawn_hand, 1.0, drawn)
        lit = np.where(rows < self.d // 2, self.fast_lit.get_value(), self.slow_lit.get_value())
        return drawn * lit * np.where(columns == self.stop, 1.0, self.others_lit.get_value())

    def flatness(self) -> Numbers:
        """Return how flat each row of the map is, ``(d, 1)``: those of the first hand already are."""
        hand = np.arange(self.d)[:, None] // 2
        return np.where(hand == self.drawn_hand, 1.0, self.all_flat.get_value())

    # What is on screen

    def wall_centers(self) -> Numbers:
        """Return the centres ``(hands, 2)`` of the large faces, in two rows from fast to slow."""
        columns = -(-len(self.frequencies) // 2)
        row, column = np.divmod(np.arange(len(self.frequencies)), columns)
        return np.stack([1.62 * (column - (columns - 1) / 2.0), 1.3 - 2.0 * row], axis=-1)

    def column_centers(self) -> Numbers:
        """Return the centres ``(hands, 2)`` of the small faces: each as high as its two rows of the map."""
        k = np.arange(len(self.frequencies))
        return np.stack([np.where(k % 2, -5.78, -6.3), self.grid.y(2 * k + 0.5)], axis=-1)

    def make_faces(self, centers: Numbers, *, radius: float, hand_width: float) -> ClockFaces:
        """Return the faces of all hands, which follow the position."""
        faces = ClockFaces(
            self.frequencies, self.theme, centers=centers, radius=radius, hand_width=hand_width
        )
        faces.add_updater(lambda faces: faces.set_position(self.position.get_value(), self.pace.get_value()))
        return faces.update()

    def make_ends(self) -> tuple[Words, Words]:
        """Return the words 'fast' and 'slow' in the colours of the first and the last hand."""
        fast, slow = self.words("fast"), self.words("slow")
        fast.set_color(self.colors[0])
        slow.set_color(self.colors[-1])
        return fast, slow

    def make_clock(self) -> Clock:
        """Return the clock that draws, which follows the position."""
        hand = self.drawn_hand
        clock = Clock(self.frequencies[hand], self.theme, radius=self.wave_amplitude, color=self.colors[hand])
        clock.add_updater(lambda clock: clock.set_position(self.position.get_value()))
        return clock

    def make_counter(self) -> VGroup:
        """Return the word 'position' and the number that counts, at the upper left."""
        word = self.words("position", font_size=28, role="dim")
        word.move_to(LEFT * 6.5 + UP * 3.35, aligned_edge=LEFT)
        number = Readout(font_size=36, color=self.theme.text)
        number.place_at(word.get_right() + RIGHT * 0.25 + DOWN * 0.13)
        number.add_updater(lambda number: number.set_value(np.floor(self.position.get_value() + 1e-9)))
        return VGroup(word, number)

    def position_axis(self, points: Callable[[int], Numbers]) -> VGroup:
        """Return an axis of positions below a picture, and its title at its right end."""
        last = self.positions - 1
        step = next(step for step in (10, 20, 50, 100) if last < 6 * step)
        # The last one needs room beside the one before it.
        shown = [*range(0, last - step // 2 + 1, step), last]
        axis = Axis(self.theme, {str(position): points(position) for position in shown}, side=DOWN)
        name = self.words("position", font_size=24, role="dim")
        return VGroup(axis, name.next_to(axis.numbers[-1], RIGHT, buff=0.28))

    def dimension_axis(self) -> VGroup:
        """Return the axis of dimensions on the right of the map."""
        shown = [*range(0, self.d - 4, 8), self.d - 1]
        edge = self.positions - 0.5
        axis = Axis(self.theme, {str(row): self.grid.point(row, edge) for row in shown}, side=RIGHT)
        name = self.words("dimension", font_size=24, role="dim")
        corner = np.array([self.grid.right, self.grid.top + 0.25, 0.0])
        return VGroup(axis, name.move_to(corner, aligned_edge=LEFT))

    # The beats

    def ask(self) -> None:
        """Let all hands turn up to position 0, and ask what they look like over 100 positions."""
        self.beat("ask")
        hands = len(self.frequencies)
        self.count_to(0.0, self.idea("question", hands=hands, positions=self.positions), seconds=5.0)

    def draw_waves(self) -> None:
        """Take one clock out of the wall; light from its tip draws its sine and its cosine."""
        self.beat("draw")
        self.take_clock()
        self.put_panels()
        self.count_to(self.positions - 1.0, seconds=9.0)
        self.play(FadeOut(self.rays))

    def take_clock(self) -> None:
        """Let one face of the wall grow into the clock that draws; the others leave."""
        self.clock = self.make_clock()
        share = self.wall.radius / self.wave_amplitude
        self.clock.scale(share).move_to(self.wall.centers[self.drawn_hand])
        self.add(self.clock.update())
        place = np.array([-5.4, -0.78, 0.0])
        self.play(
            FadeOut(self.wall, self.fast, self.slow),
            self.idea("draw"),
            self.clock.animate.scale(1.0 / share).move_to(place),
            run_time=1.5,
        )

    def put_panels(self) -> None:
        """Put the base lines of the two waves, their names and their axis on screen."""
        middles = {"sin": 1.5, "cos": self.clock.get_y()}
        self.panels = {
            role: Panel(-3.9, 4.7, middle, self.wave_amplitude, self.positions)
            for role, middle in middles.items()
        }
        frequency = self.frequencies[self.drawn_hand]
        self.waves = {role: Wave(frequency, role, panel, self.theme) for role, panel in self.panels.items()}
        for role, wave in self.waves.items():
            wave.add_updater(
                lambda wave, flat=self.flat[role]: wave.set_position(
                    self.position.get_value(), flat.get_value()
                )
            )
        self.rays = Rays(self.clock, self.panels["sin"], self.panels["cos"], self.theme)
        self.rays.add_updater(lambda rays: rays.set_position(self.position.get_value()))
        bottom = self.panels["cos"]
        self.panel_axis = self.position_axis(lambda position: bottom.points([position], -1.1)[0])
        self.labels = {
            role: self.words(role, role=role, font_size=26).move_to(
                self.panels[role].points([-0.5], 1.31)[0], aligned_edge=LEFT
            )
            for role in self.panels
        }
        self.counter = self.make_counter()
        pictures = [*self.waves.values(), self.rays, self.panel_axis, *self.labels.values(), self.counter]
        self.play(LaggedStart(*map(FadeIn, pictures), lag_ratio=0.1))

    def color_heights(self) -> None:
        """Fill each wave with the colours of its heights, which colour bars as high as the waves explain."""
        self.beat("color")
        self.bars = {role: ColorBar(self.theme, height=2.0 * self.wave_amplitude) for role in self.panels}
        for role, bar in self.bars.items():
            bar.shift(self.panels[role].points([self.positions + 3.0], 0.0)[0] - bar.ramp.get_center())
        self.play(*map(FadeIn, self.bars.values()), self.idea("color"))
        self.rows = {role: self.make_row(role) for role in self.panels}
        self.add(*self.rows.values(), *self.waves.values())
        # From here on blue and orange are heights, so the lines give up the colours of their roles.
        neutral = [wave.line.animate.set_color(self.theme.text) for wave in self.waves.values()]
        fill = self.colored.animate.set_value(self.positions - 1.0)
        self.play(fill, *neutral, run_time=3.0, rate_func=linear)

    def make_row(self, role: str) -> Heatmap:
        """Return one wave as bars that can be pressed into a row of the heatmap."""
        panel, dimension = self.panels[role], 2 * self.drawn_hand + ("sin", "cos").index(role)
        row = Heatmap(
            self.table[:, dimension],
            self.theme,
            width=panel.right - panel.left,
            height=2.0 * panel.amplitude,
            lines=200,
        ).move_to((0.5 * (panel.left + panel.right), panel.middle, 0.0))
        columns = np.arange(self.positions)
        row.add_updater(lambda row: row.set_shown(self.colored.get_value() + 1.0 > columns))
        row.add_updater(lambda row: self.press(row, role))
        return row.update()

    def press(self, row: Heatmap, role: str) -> None:
        """Press a wave of bars to the height of a row."""
        flatness, tall = self.flat[role].get_value(), 2.0 * self.wave_amplitude
        row.set_flatness(flatness)
        row.stand(self.panels[role].middle, tall + flatness * (self.row_height - tall))

    def flatten(self) -> None:
        """Press first the sine flat, then the cosine."""
        self.beat("flatten")
        self.play(self.idea("flatten"))
        for role, flat in self.flat.items():
            down = DOWN * (self.wave_amplitude - self.row_height / 2.0)
            self.play(flat.animate.set_value(1.0), self.labels[role].animate.shift(down), run_time=2.5)
        self.remove(*self.waves.values())

    def draw_all_waves(self) -> None:
        """Put the two rows into their place in the map; then all hands draw theirs."""
        self.beat("all_waves")
        self.go_to_map()
        last = self.positions - 1.0
        draw = ApplyMethod(self.drawn.set_value, last, run_time=10.0, rate_func=linear)
        self.count_to(last, draw, seconds=10.0)

    def go_to_map(self) -> None:
        """Turn back to 0; the clock joins the small faces and its rows go where they belong."""
        self.count_to(0.0, FadeOut(*self.labels.values()), seconds=1.0)
        for row in self.rows.values():
            row.clear_updaters()
        radius = 0.88 * self.grid.height / len(self.frequencies)  # as its zigzag neighbours let it
        self.faces = self.make_faces(self.column_centers(), radius=radius, hand_width=2.5)
        place, bar = self.faces.centers[self.drawn_hand], self.bars["sin"]
        self.play(
            self.idea("all_waves", rows=self.d, hands=len(self.frequencies)),
            self.clock.animate.scale(radius / self.wave_amplitude).move_to(place),
            *(self.fly_to_map(row, 2 * self.drawn_hand + k) for k, row in enumerate(self.rows.values())),
            bar.animate.shift((self.bar_x, self.grid.center[1], 0.0) - bar.ramp.get_center()),
            FadeOut(self.bars["cos"], self.panel_axis),
            run_time=2.0,
        )
        self.put_map()

    def fly_to_map(self, row: Heatmap, dimension: int) -> Any:
        """Return the animation that takes a flat row to its place in the map."""
        place = self.grid.point(dimension, (self.positions - 1) / 2.0)
        row_height = self.grid.height / self.d
        flight = row.animate.stretch_to_fit_width(self.grid.width).stretch_to_fit_height(row_height)
        return flight.move_to(place)

    def put_map(self) -> None:
        """Put the faces, the axes and the map on screen: only the rows that flew here are drawn."""
        axes = VGroup(
            self.position_axis(lambda position: self.grid.point(self.d - 0.5, position)),
            self.dimension_axis(),
        )
        self.fast, self.slow = self.make_ends()
        left = self.strip_x + 0.04
        self.fast.move_to((left, self.grid.top, 0.0), aligned_edge=UP + LEFT)
        self.slow.move_to((left, self.grid.bottom + 0.1, 0.0), aligned_edge=DOWN + LEFT)
        self.play(FadeIn(self.faces, axes, self.fast, self.slow), FadeOut(self.clock))
        size = {"width": self.grid.width, "height": self.grid.height}
        self.map = Heatmap(self.table.T, self.theme, lines=16, **size).move_to(self.grid.center)
        self.map.add_updater(lambda table: table.set_flatness(self.flatness()).set_shown(self.shown()))
        self.remove(*self.rows.values())
        self.add(self.map.update())

    def flatten_all(self) -> None:
        """Press all waves flat at once."""
        self.beat("heatmap")
        self.play(self.idea("heatmap", rows=self.d, positions=self.positions))
        self.play(self.all_flat.animate.set_value(1.0), run_time=3.0)

    def compare_rows(self) -> None:
        """Light the fast half of the map, then the slow one, and say how long a turn takes."""
        self.beat("rows")
        periods = 2.0 * np.pi / self.frequencies
        self.turns = top, bottom = [
            self.words("turn", font_size=24, periods=in_positions(period))
            for period in (periods[0], periods[-1])
        ]
        top.next_to(self.fast, DOWN, buff=0.15, aligned_edge=LEFT)
        bottom.next_to(self.slow, UP, buff=0.15, aligned_edge=LEFT)
        self.play(self.slow_lit.animate.set_value(0.2), FadeIn(top), self.idea("low_rows"))
        self.wait(2.5)
        self.play(
            self.slow_lit.animate.set_value(1.0),
            self.fast_lit.animate.set_value(0.2),
            FadeIn(bottom),
            self.idea("high_rows"),
        )
        self.wait(2.5)
        self.play(self.fast_lit.animate.set_value(1.0))

    def sweep(self) -> None:
        """Sweep a cursor over the map: column, strip and clocks show the same numbers."""
        self.beat("sweep")
        self.count_to(0.0, FadeOut(self.fast, self.slow, *self.turns), self.idea("sweep"), seconds=2.0)
        self.put_cursor()
        self.count_to(4.0, seconds=4.0, rate_func=ticking(4))
        self.count_to(self.positions - 1.0, seconds=13.0, rate_func=ticking(self.positions - 5))

    def put_cursor(self) -> None:
        """Put a frame around the first column, and let the column come out as a wide strip."""
        column_width = self.grid.width / self.positions
        self.cursor = Rectangle(
            width=column_width + 0.06,
            height=self.grid.height + 0.12,
            color=self.theme.color("accent"),
            stroke_width=2.5,
        )
        middle = (self.d - 1) / 2.0
        self.cursor.add_updater(
            lambda cursor: cursor.move_to(self.grid.point(middle, self.position.get_value()))
        )
        self.strip = Heatmap(self.column(), self.theme, width=column_width, height=self.grid.height)
        self.strip.move_to(self.cursor.update())
        self.play(FadeIn(self.cursor))
        self.play(self.strip.animate.stretch_to_fit_width(self.strip_width).set_x(self.strip_x), run_time=1.5)
        self.strip.add_updater(lambda strip: strip.set_values(self.column(), self.theme))
        self.read(self.rows_read(), seconds=2.0)

    def rows_read(self) -> list[int]:
        """Return the rows whose numbers run along with the cursor, two of each hand that is read."""
        hands = np.linspace(0, len(self.frequencies) - 1, self.hands_read).round().astype(int)
        return [int(row) for hand in hands for row in (2 * hand, 2 * hand + 1)]

    def read(self, rows: Sequence[int], *, seconds: float) -> None:
        """Let cells of the strip fly out as the numbers that they stand for."""
        numbers = [self.make_number(row) for row in rows]
        flights = [
            ReplacementTransform(self.cell(row), number) for row, number in zip(rows, numbers, strict=True)
        ]
        self.play(LaggedStart(*flights, lag_ratio=0.1, run_time=seconds))
        # Not before the flight: it needs numbers whose outlines stay as they are.
        for row, number in zip(rows, numbers, strict=True):
            number.add_updater(lambda number, row=row: number.set_value(self.column()[row, 0]))

    def read_column(self) -> None:
        """Go back to one column; its colours become the numbers of its encoding."""
        self.beat("column")
        self.count_to(
            self.stop, self.idea("column", position=self.stop, rows=self.d), seconds=2.0, rate_func=smooth
        )
        self.play(self.others_lit.animate.set_value(0.25))
        self.read([row for row in range(self.d) if row not in self.rows_read()], seconds=4.0)

    def cell(self, row: int) -> Mobject:
        """Return one cell of the strip as a square that can fly."""
        color = hex_color(self.theme.diverging_rgb(self.column()[row, 0]) / 255.0)
        cell = Square(0.13, stroke_width=0.0, fill_opacity=1.0, color=color)
        return cell.move_to(self.strip.cell_center(row, 0))

    def make_number(self, row: int) -> Readout:
        """Return one number of the column, on the line of its hand: the sine left, the cosine right."""
        number = Readout(
            self.column()[row, 0], form="{:+.2f}", font_size=24, align=1.0, color=self.theme.text
        )
        line = float(self.grid.y(row // 2 * 2 + 0.5))
        return number.place_at((self.strip_x + (1.16, 2.19)[row % 2], line - 0.09, 0.0))


def ticking(steps: int) -> Callable[[float], float]:
    """Return a pace that moves in ``steps`` equal steps and rests on each for half of its time.

    >>> [ticking(2)(time) for time in (0.0, 0.25, 0.4, 0.5, 1.0)]
    [0.0, 0.5, 0.5, 0.5, 1.0]
    """

    def pace(time: float) -> float:
        step = min(np.floor(time * steps), steps - 1)
        return float((step + smooth(min(1.0, 2.0 * (time * steps - step)))) / steps)

    return pace
