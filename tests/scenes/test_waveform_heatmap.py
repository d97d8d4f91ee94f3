"""The waves, their rows and the heatmap hold the numbers of the table, in memory and in the frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from manim import RIGHT, ManimColor, tempconfig

from pe_math import frequencies, sinusoidal
from scenes.camera import LectureCamera
from scenes.mobjects.axis import Axis
from scenes.mobjects.clock import Clock
from scenes.mobjects.faces import ClockFaces
from scenes.mobjects.heatmap import ColorBar, Grid, Heatmap
from scenes.mobjects.wave import Panel, Rays, Wave
from scenes.mobjects.words import Readout
from scenes.theme import DARK, LIGHT, THEMES, Theme, rgb_of
from scenes.waveform_heatmap import WaveformHeatmap, ticking
from tests.scenes.harness import construct

FREQUENCIES = frequencies.geometric(32)
TABLE = sinusoidal.table(np.arange(100), FREQUENCIES)
PANEL = Panel(left=-3.0, right=2.0, middle=0.5, amplitude=0.8, count=100)
HEIGHT, WIDTH = 480, 854


def photograph(mobjects: list[Any], theme: Theme) -> np.ndarray:
    """Return the frame ``(480, 854, 3)`` that the lecture's camera takes of ``mobjects``."""
    camera = LectureCamera(
        pixel_height=HEIGHT,
        pixel_width=WIDTH,
        frame_height=8.0,
        frame_width=8.0 * WIDTH / HEIGHT,
        background_color=ManimColor(theme.background),
    )
    camera.capture_mobjects(mobjects)
    return camera.pixel_array[..., :3].astype(int)


def pixel_at(frame: np.ndarray, point: Any) -> np.ndarray:
    scale = HEIGHT / 8.0
    return frame[int(HEIGHT / 2 - point[1] * scale), int(WIDTH / 2 + point[0] * scale)]


# Clock faces


@pytest.mark.parametrize("position", [0.0, 1.0, 42.0, 99.0, 7.25, -16.0])
def test_the_faces_show_the_encoding(position: float) -> None:
    centers = np.stack([np.arange(16.0), np.arange(16.0) % 3], axis=-1)
    faces = ClockFaces(FREQUENCIES, DARK, centers=centers, radius=0.3).set_position(position)
    expected = np.stack([np.sin(position * FREQUENCIES), np.cos(position * FREQUENCIES)], axis=-1)
    assert faces.numbers == pytest.approx(expected.reshape(-1), abs=1e-12)
    assert np.concatenate([hand.starts for hand in faces.hands])[:, :2] == pytest.approx(centers)
    assert faces.dials.centers[:, :2] == pytest.approx(centers)


def test_faces_that_turn_too_fast_become_discs_and_come_back() -> None:
    faces = ClockFaces([1.0, 0.01], DARK, centers=[[0.0, 0.0], [1.0, 0.0]], radius=0.4)
    faces.set_position(3.0, pace=100.0)
    assert [hand.get_stroke_opacity() for hand in faces.hands] == [0.0, 1.0]
    assert faces.swept[0].get_fill_opacity() > 0.2
    assert faces.swept[0].centers == pytest.approx(np.zeros((1, 3)))
    faces.set_position(3.0)
    assert [hand.get_stroke_opacity() for hand in faces.hands] == [1.0, 1.0]
    assert len(faces.swept[0].points) == 0


# Waves


@pytest.mark.parametrize(("role", "curve"), [("sin", np.sin), ("cos", np.cos)])
def test_a_wave_is_the_curve_over_the_middles_of_its_cells(role: str, curve: Callable[[Any], Any]) -> None:
    wave = Wave(0.2, role, PANEL, DARK).set_position(61.3)
    x, y, _ = wave.line.vertices.T
    positions = (x - PANEL.left) / (PANEL.right - PANEL.left) * 100 - 0.5
    assert (positions[0], positions[-1]) == pytest.approx((0.0, 61.3))
    assert y == pytest.approx(0.5 + 0.8 * curve(0.2 * positions))
    assert np.diff(positions).max() <= 0.25 + 1e-9


def test_a_pressed_wave_lies_on_its_base_line_and_is_out_of_sight() -> None:
    wave = Wave(0.2, "sin", PANEL, DARK)
    half = wave.set_position(99.0, flatness=0.5).line.vertices[:, 1] - PANEL.middle
    assert half == pytest.approx(
        0.5 * (wave.set_position(99.0).line.vertices[:, 1] - PANEL.middle), abs=1e-12
    )
    wave.set_position(99.0, flatness=1.0)
    assert wave.line.vertices[:, 1] == pytest.approx(PANEL.middle)
    assert wave.line.get_stroke_opacity() == wave.base.get_stroke_opacity() == 0.0


@pytest.mark.parametrize("position", [0.0, 5.0, 33.3, 99.0])
def test_the_rays_lead_from_the_tip_by_a_mirror_to_the_pens(position: float) -> None:
    clock = Clock(0.2, DARK, radius=0.8).shift([-5.0, -0.9, 0.0]).set_position(position)
    sin = Panel(-3.0, 2.0, 1.6, 0.8, 100)
    cos = Panel(-3.0, 2.0, -0.9, 0.8, 100)
    rays = Rays(clock, sin, cos, DARK).set_position(position)

    tip = clock.hand.ends[0]
    up, right, level = rays.light.ends - rays.light.starts
    assert rays.light.starts[0] == pytest.approx(tip)
    assert rays.light.starts[2] == pytest.approx(tip)
    assert (up[0], right[1], level[1]) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert min(up[1], right[0], level[0]) > 0.0

    # A mirror at 45 degrees turns 'right of the hub' into 'above the base line'.
    foot, head = rays.mirror.starts[0], rays.mirror.ends[0]
    assert head[0] - foot[0] == pytest.approx(head[1] - foot[1])
    along = (rays.light.ends[0] - foot)[:2]
    assert along[0] == pytest.approx(along[1], abs=1e-12)

    for role, pen, panel in zip(("sin", "cos"), rays.pens, (sin, cos), strict=True):
        drawn = Wave(0.2, role, panel, DARK).set_position(position).line
        end = drawn.vertices[-1] if position else panel.points([0.0], float(role == "cos"))[0]
        assert pen.centers[0] == pytest.approx(end)


# The heatmap


def test_a_standing_cell_is_as_high_as_its_value_and_a_flat_one_fills_its_row() -> None:
    values = np.array([[0.0, 0.25, 1.0, -0.5, -1.0]])
    heatmap = Heatmap(values, DARK, width=5.0, height=2.0, lines=40).set_flatness(0.0)
    covered = heatmap.pixel_array[..., 3] / 255.0
    assert covered.sum(axis=0) == pytest.approx(20.0 * np.abs(values[0]))
    upper, lower = covered[:20].sum(axis=0), covered[20:].sum(axis=0)
    assert upper == pytest.approx(20.0 * np.maximum(values[0], 0.0))
    assert lower == pytest.approx(20.0 * np.maximum(-values[0], 0.0))
    assert covered[19, 2] == covered[20, 3] == 1.0  # bars stand on the middle of their row
    heatmap.set_flatness(1.0)
    assert (heatmap.pixel_array[..., 3] == 255).all()
    assert (heatmap.pixel_array[..., :3] == DARK.diverging_rgb(values)).all()


def test_each_row_of_a_heatmap_can_be_as_flat_as_it_likes_and_hidden_cells_stay_hidden() -> None:
    heatmap = Heatmap([[0.5, 0.5], [0.5, 0.5]], DARK, width=1.0, height=1.0, lines=4)
    heatmap.set_flatness([[1.0], [0.0]]).set_shown([True, False])
    covered = heatmap.pixel_array[..., 3] / 255.0
    assert covered[:, 0] == pytest.approx([1, 1, 1, 1, 0, 1, 0, 0])
    assert (covered[:, 1] == 0.0).all()


def test_a_heatmap_colours_its_cells_anew() -> None:
    heatmap = Heatmap(np.zeros((3, 1)), LIGHT, width=1.0, height=1.0)
    heatmap.set_values([[1.0], [0.0], [-1.0]], LIGHT)
    low, high = LIGHT.diverging
    expected = [rgb_of(color) * 255 for color in (high, LIGHT.background, low)]
    assert heatmap.pixel_array[:, 0, :3] == pytest.approx(np.array(expected))


def test_a_grid_knows_where_the_cells_of_its_heatmap_are() -> None:
    grid = Grid(left=-1.0, right=4.0, bottom=0.0, top=3.0, rows=3, columns=10)
    heatmap = Heatmap(np.zeros((3, 10)), DARK, width=grid.width, height=grid.height).move_to(grid.center)
    for row, column in ((0, 0), (2, 9), (1, 4.5)):
        assert grid.point(row, column) == pytest.approx(heatmap.cell_center(row, column))
    assert grid.point(0, 0) == pytest.approx([-0.75, 2.5, 0.0])


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_a_colour_bar_shows_its_numbers_at_their_colours(theme: Theme, tmp_path: Path) -> None:
    with tempconfig({"media_dir": str(tmp_path)}):
        bar = ColorBar(theme, height=2.0, width=0.4)
        frame = photograph([bar], theme)
    low, high = theme.diverging
    for number, color in zip(bar.axis.numbers, (high, theme.background, low), strict=True):
        y = float(number.get_y()) * 0.98  # a pixel inside, at the ends
        assert pixel_at(frame, (bar.ramp.get_x(), y)) == pytest.approx(rgb_of(color) * 255, abs=6)
    assert [number.text for number in bar.axis.numbers] == ["+1", "0", "\N{MINUS SIGN}1"]


def test_an_axis_ticks_where_it_is_told_and_labels_beyond(tmp_path: Path) -> None:
    points = {"0": np.array([0.0, 1.0, 0.0]), "99": np.array([0.0, -1.0, 0.0])}
    with tempconfig({"media_dir": str(tmp_path)}):
        axis = Axis(DARK, points, side=RIGHT)
    assert axis.ticks.starts == pytest.approx(np.array(list(points.values())))
    for number, point, end in zip(axis.numbers, points.values(), axis.ticks.ends, strict=True):
        assert number.get_y() == pytest.approx(point[1])
        assert number.get_left()[0] > end[0] > point[0]


def test_an_image_leaves_what_was_drawn_before_it_as_it_was(tmp_path: Path) -> None:
    with tempconfig({"media_dir": str(tmp_path)}):
        number = Readout(88, font_size=96, color=DARK.text).shift(RIGHT * -4.0)
    image = Heatmap([[1.0]], DARK, width=1.0, height=1.0).shift(RIGHT * 4.0)
    left = slice(0, WIDTH // 2)
    alone, with_image = photograph([number], DARK)[:, left], photograph([number, image], DARK)[:, left]
    assert (alone.max(axis=-1) > 200).any()
    assert (alone == with_image).all()


# The shot


@pytest.fixture(scope="module", params=THEMES)
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the shot shows at the end of each of its sections."""
    ends: dict[str, Any] = {}

    def look(scene: WaveformHeatmap, section: str) -> None:
        parts = ("clock", "map", "faces", "strip", "cursor")
        ends[section] = SimpleNamespace(
            theme=scene.theme,
            position=scene.position.get_value(),
            numbers={
                row: part.value
                for part in scene.on_screen()
                if isinstance(part, Readout) and part.form == "{:+.2f}"
                for row in [row_of(scene, part)]
            },
            frame=photograph(scene.mobjects, scene.theme) if section in ("heatmap", "column") else None,
            **{part: getattr(scene, part).copy() for part in parts if hasattr(scene, part)},
            rows={role: row.copy() for role, row in getattr(scene, "rows", {}).items()},
            waves={role: wave.copy() for role, wave in getattr(scene, "waves", {}).items()},
        )

    media = tmp_path_factory.mktemp("media")
    construct(WaveformHeatmap, media, "en", request.param, look)
    return ends


def row_of(scene: WaveformHeatmap, number: Readout) -> int:
    """Return which row a number belongs to, by its place: sines left, cosines right, a line a hand."""
    x, y, _ = number.points[0]
    hand = round((scene.grid.top - y) / scene.grid.height * scene.d / 2 - 0.5 - 0.3)
    return 2 * hand + int(x > scene.strip_x + 1.7)


def test_the_hand_draws_its_waves_up_to_where_it_stands(seen: dict[str, Any]) -> None:
    end, angle = seen["draw"], 99 * 10_000.0 ** (-2 * 3 / 32)
    assert np.exp(1j * end.clock.angle) == pytest.approx(np.exp(1j * angle))
    for role, value in (("sin", np.sin(angle)), ("cos", np.cos(angle))):
        wave = end.waves[role]
        assert wave.line.vertices[-1] == pytest.approx(wave.panel.points([99.0], value)[0])
        assert str(wave.line.get_stroke_color().to_hex()).lower() == end.theme.color(role)


def test_the_two_rows_are_those_of_the_hand_that_drew_them(seen: dict[str, Any]) -> None:
    theme, positions = seen["flatten"].theme, np.arange(100)
    frequency = 10_000.0 ** (-2 * 3 / 32)
    for role, curve in (("sin", np.sin), ("cos", np.cos)):
        row = seen["flatten"].rows[role]
        assert (row.pixel_array[..., :3] == theme.diverging_rgb(curve(frequency * positions))).all()
        assert (row.pixel_array[..., 3] == 255).all()
        assert row.height < 0.5
        standing = seen["color"].rows[role]
        share = standing.pixel_array[..., 3].mean(axis=0) / 255.0
        assert share == pytest.approx(0.5 * np.abs(curve(frequency * positions)), abs=0.002)


def test_the_map_is_the_table_with_the_fast_hand_on_top(seen: dict[str, Any]) -> None:
    heatmap, theme = seen["heatmap"].map, seen["heatmap"].theme
    pixels = heatmap.pixel_array.reshape(32, -1, 100, 4)
    expected = theme.diverging_rgb(TABLE.T)
    assert (pixels[..., :3] == expected[:, None]).all()
    assert (pixels[..., 3] == 255).all()
    # Row 0 is the sine of the fastest hand, which turns one radian a position.
    assert (pixels[0, 0, :, :3] == theme.diverging_rgb(np.sin(np.arange(100)))).all()


def test_before_it_is_pressed_the_map_stands_as_waves(seen: dict[str, Any]) -> None:
    lines = seen["all_waves"].map.pixel_array[..., 3].reshape(32, -1, 100) / 255.0
    share = lines.mean(axis=1)
    others = np.arange(32) // 2 != 3
    assert share[others] == pytest.approx(0.5 * np.abs(TABLE.T[others]), abs=0.002)
    assert (share[~others] == 1.0).all()


def test_the_pixels_of_the_frame_are_the_colours_of_the_table(seen: dict[str, Any]) -> None:
    heatmap, frame, theme = seen["heatmap"].map, seen["heatmap"].frame, seen["heatmap"].theme
    for row, position in ((0, 2), (1, 3), (5, 50), (12, 99), (15, 0), (24, 60), (30, 97), (31, 98)):
        drawn = pixel_at(frame, heatmap.cell_center(row, position))
        assert drawn == pytest.approx(theme.diverging_rgb(TABLE[position, row]), abs=1), (row, position)


def test_the_column_under_the_cursor_the_clocks_and_the_numbers_agree(seen: dict[str, Any]) -> None:
    end = seen["column"]
    expected = TABLE[42]
    assert end.position == 42
    assert end.faces.numbers == pytest.approx(expected, abs=1e-12)
    assert end.strip.values[:, 0] == pytest.approx(expected, abs=1e-12)
    assert end.cursor.get_x() == pytest.approx(end.map.cell_center(0, 42)[0])
    assert [end.numbers[row] for row in range(32)] == pytest.approx(list(expected), abs=1e-12)
    for row in range(32):
        color = pixel_at(end.frame, end.map.cell_center(row, 42))
        assert color == pytest.approx(pixel_at(end.frame, end.strip.cell_center(row, 0)), abs=1)
        assert color == pytest.approx(end.theme.diverging_rgb(expected[row]), abs=1)


def test_while_the_cursor_sweeps_some_hands_are_read(seen: dict[str, Any]) -> None:
    end = seen["sweep"]
    assert end.position == 99
    assert end.numbers == {row: pytest.approx(TABLE[99, row]) for row in (0, 1, 10, 11, 20, 21, 30, 31)}


def test_each_face_is_as_high_as_its_two_rows(seen: dict[str, Any]) -> None:
    end = seen["heatmap"]
    for hand, center in enumerate(end.faces.centers):
        assert center[1] == pytest.approx(end.map.cell_center(2 * hand + 0.5, 0)[1])


def test_a_variant_with_fewer_dimensions_runs_through(tmp_path: Path) -> None:
    class Smaller(WaveformHeatmap):
        d = 16
        positions = 50
        drawn_hand = 1
        stop = 7

    scene = construct(Smaller, tmp_path)
    assert isinstance(scene, WaveformHeatmap)
    expected = sinusoidal.table(np.arange(50), frequencies.geometric(16))
    assert scene.map.values == pytest.approx(expected.T)
    assert scene.faces.numbers == pytest.approx(expected[7], abs=1e-12)


def test_ticking_rests_on_every_step() -> None:
    pace = ticking(4)
    for step in range(4):
        for rest in (0.5, 0.75, 0.99):
            assert pace((step + rest) / 4) == pytest.approx((step + 1) / 4)
    times = np.linspace(0.0, 1.0, 200)
    assert (np.diff([pace(time) for time in times]) >= 0.0).all()
    assert (pace(0.0), pace(1.0)) == (0.0, 1.0)
