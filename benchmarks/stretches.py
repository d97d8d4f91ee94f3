"""A stretch of each headline shot: the shot's own picture, moving from the first frame to the last.

``benchmarks/stock`` draws the same pictures in the same motion the usual way.
"""

from __future__ import annotations

import numpy as np
from manim import UP, ValueTracker, linear

from pe_math import frequencies, sinusoidal
from scenes.clock_hands import ClockHands, ClockSwarm, ClockWall
from scenes.loss_race import LossRace, Results
from scenes.mobjects.heatmap import ColorBar, Heatmap
from scenes.mobjects.shadows import Shadows
from scenes.mobjects.words import Readout
from scenes.rope_rotation import RopeRotation
from scenes.stage import LectureScene
from scenes.waveform_heatmap import WaveformHeatmap


class Stretch(LectureScene):
    """Lets one tracker run evenly for ``lasting`` seconds; `setup` has put the picture on screen."""

    lasting: float = 2.0
    begin_at: float = 44.0
    per_second: float = 7.5  # of the tracker, a second
    tracker: ValueTracker

    def construct(self) -> None:
        """Let the tracker run."""
        end = self.begin_at + self.per_second * self.lasting
        self.play(self.tracker.animate.set_value(end), run_time=self.lasting, rate_func=linear)


class Hands(Stretch, ClockHands):
    """Three clocks with their shadows and the six numbers of the encoding."""

    def setup(self) -> None:
        """Put the clocks, shadows and numbers on screen."""
        super().setup()
        self.tracker = self.position.set_value(self.begin_at)
        self.remove(self.sentence)
        self.clocks[0].scale(1.0 / self.enlarged).move_to(self.place(0))
        shadows = [Shadows(clock, self.theme) for clock in self.clocks]
        self.follow(*self.clocks[1:], *shadows)
        words = [make(k) for make in (self.make_name, self.make_speed) for k in range(self.clocks_shown)]
        numbers = [self.make_number(k) for k in range(2 * self.clocks_shown)]
        self.add(*self.clocks, *words, *shadows, self.make_column(), *numbers)


class Wall(Stretch, ClockWall):
    """Sixteen clocks with their periods."""

    begin_at = 100.0
    per_second = 15.0

    def setup(self) -> None:
        """Put the wall on screen."""
        super().setup()
        self.tracker = self.position.set_value(self.begin_at)


class Swarm(Stretch, ClockSwarm):
    """256 hands, joined to a spiral."""

    begin_at = 10.0
    per_second = 10.0

    def setup(self) -> None:
        """Put the spiral on screen."""
        super().setup()
        self.tracker = self.position.set_value(self.begin_at)
        self.spread.set_value(1.0)


class FewHands(Swarm):
    """The same with 8 hands."""

    d = 16


class Map(Stretch, WaveformHeatmap):
    """The heatmap of 100 positions, running on to later ones, and the clocks of its rows."""

    begin_at = 0.0
    per_second = 20.0

    def setup(self) -> None:
        """Put the map, its clocks and its colours on screen."""
        super().setup()
        self.remove(self.wall, self.fast, self.slow)
        self.tracker = self.position.set_value(self.begin_at)
        faces = self.make_faces(self.column_centers(), radius=0.25, hand_width=2.5)
        table = Heatmap(self.shown_table(), self.theme, width=self.grid.width, height=self.grid.height)
        table.move_to(self.grid.center)
        table.add_updater(lambda table: table.set_values(self.shown_table(), self.theme))
        bar = ColorBar(self.theme, height=3.0).move_to((self.bar_x, self.grid.center[1], 0.0))
        self.add(faces, table, bar, self.make_counter())

    def shown_table(self) -> np.ndarray:
        """Return the encodings ``(d, positions)`` from the position shown on."""
        positions = self.position.get_value() + np.arange(self.positions)
        return sinusoidal.table(positions, self.frequencies).T


class Cells(Stretch, WaveformHeatmap):
    """A heatmap alone, of similarities that glide through a wide range of offsets."""

    begin_at = 0.0
    per_second = 20.0
    cells: tuple[int, int] = (32, 100)

    def setup(self) -> None:
        """Put the heatmap on screen."""
        super().setup()
        self.remove(self.wall, self.fast, self.slow)
        self.tracker = self.position
        self.waves = frequencies.geometric(2 * self.cells[0])[:, None]
        table = Heatmap(self.shown_table(), self.theme, width=9.0, height=4.5)
        table.add_updater(lambda table: table.set_values(self.shown_table(), self.theme))
        self.add(table)

    def shown_table(self) -> np.ndarray:
        """Return a smooth table of ``cells``: each row a wave of its own, 16 of them to a row's width."""
        rows, columns = (np.linspace(0.0, 1.0, count) for count in self.cells)
        phase = self.position.get_value() / 10.0
        return np.asarray(np.sin(4.0 * rows[:, None] + phase) * np.cos(9.0 * columns - phase))


class ManyCells(Cells):
    """The same with 512 by 512 cells."""

    cells = (512, 512)


class Planes(Stretch, RopeRotation):
    """Four planes in which the query turns, each plane's share of the score, and the shares as numbers."""

    begin_at = 2.0
    per_second = 2.0

    def setup(self) -> None:
        """Put the planes, the bars and the numbers on screen."""
        super().setup()
        self.remove(self.ruler, self.row, self.definition)
        self.tracker = self.offset.set_value(self.begin_at)
        self.query_turned.set_value(1.0)
        self.key_turned.set_value(1.0)
        self.planes, self.fixtures = self.make_planes((-4.8, 1.25, 0.0), 3.2, 0.85)
        self.bars = self.make_bars((0.0, -1.3, 0.0), 3.2, 0.75)
        offset = Readout(form=self.offset_form, font_size=32, align=0.0, color=self.theme.text)
        offset.place_at(UP * 2.63).add_updater(lambda offset: offset.set_value(self.offset.get_value()))
        shares = [self.make_share(i) for i in range(len(self.planes))]
        self.add(*self.fixtures, *self.planes, self.bars.zero, self.bars, offset.update(), *shares)


class Race(Stretch, LossRace):
    """The race of the loss curves with its standings."""

    begin_at = 5.0
    per_second = 5.0

    def setup(self) -> None:
        """Put the board on screen."""
        super().setup()
        self.clear()
        self.tracker = self.epoch.set_value(self.begin_at)
        self.task = self.tasks[0]
        self.results = Results.read(self.recorded, self.task, self.modes)
        self.add(self.title, *self.make_board())
