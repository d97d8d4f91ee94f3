"""The pictures that many shots share, set from values and read back; and how the camera draws them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from manim import DOWN, LEFT, ORIGIN, RIGHT, UP, VGroup, tempconfig

from scenes.camera import LectureCamera
from scenes.mobjects.clock import FASTEST_SEEN, Clock, swept_share
from scenes.mobjects.heatmap import Heatmap
from scenes.mobjects.paths import Discs, Polyline, Segments
from scenes.mobjects.shadows import Shadows
from scenes.mobjects.words import Readout, Words
from scenes.theme import DARK, LIGHT, rgb_of
from tests.scenes.harness import box


@pytest.fixture(autouse=True)
def media(tmp_path: Path) -> object:
    with tempconfig({"media_dir": str(tmp_path)}):
        yield


def draw(*mobjects: object) -> np.ndarray:
    """Return the frame, ``(480, 854, 4)``, that the lecture's camera takes of ``mobjects``."""
    camera = LectureCamera(pixel_height=480, pixel_width=854, frame_height=8.0, frame_width=8.0 * 854 / 480)
    camera.capture_mobjects(mobjects)
    return camera.pixel_array


def pixel_at(frame: np.ndarray, x: float, y: float) -> np.ndarray:
    return frame[round(240 - y * 60), round(427 + x * 60), :3].astype(int)


# Clocks


@pytest.mark.parametrize(
    ("position", "x", "y"), [(0.0, 0.0, 1.0), (1.0, 1.0, 0.0), (2.0, 0.0, -1.0), (3.0, -1.0, 0.0)]
)
def test_a_hand_starts_at_twelve_and_turns_clockwise(position: float, x: float, y: float) -> None:
    clock = Clock(np.pi / 2.0, DARK, radius=1.5).set_position(position)
    assert clock.hand.ends[0] == pytest.approx([1.5 * x, 1.5 * y, 0.0], abs=1e-12)
    assert clock.hand.starts[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert clock.tip.centers[0] == pytest.approx(clock.hand.ends[0], abs=1e-9)


def test_a_moved_and_scaled_clock_keeps_its_hand_on_its_hub() -> None:
    clock = Clock(0.1, DARK).scale(0.4).move_to(LEFT * 3 + UP).set_position(10.0)
    assert clock.hand.starts[0] == pytest.approx(clock.hub.centers[0], abs=1e-9)
    assert clock.hand.ends[0] == pytest.approx([-3 + 0.4 * np.sin(1.0), 1 + 0.4 * np.cos(1.0), 0.0], abs=1e-9)
    assert clock.angle == pytest.approx(1.0)


def test_a_hand_too_fast_for_the_eye_fades_into_its_disc() -> None:
    assert swept_share(FASTEST_SEEN / 2.0) == 0.0
    assert swept_share(FASTEST_SEEN) == 1.0
    assert swept_share(0.75 * FASTEST_SEEN) == pytest.approx(0.5)
    clock = Clock(1.0, DARK).set_position(0.0, pace=1000.0)
    assert clock.hand.get_stroke_opacity() == 0.0
    assert clock.swept.get_fill_opacity() > 0.2


def test_shadows_are_the_tips_coordinates() -> None:
    clock = Clock(0.5, DARK, radius=2.0).move_to(RIGHT)
    shadows = Shadows(clock, DARK).set_position(3.0)
    sine, cosine = np.sin(1.5), np.cos(1.5)
    assert (shadows.sin.ends - shadows.sin.starts)[0] == pytest.approx([2.0 * sine, 0.0, 0.0], abs=1e-12)
    assert (shadows.cos.ends - shadows.cos.starts)[0] == pytest.approx([0.0, 2.0 * cosine, 0.0], abs=1e-12)


# Words


@pytest.mark.parametrize(
    "change",
    [
        lambda words: words.shift(3 * RIGHT + UP),
        lambda words: words.scale(0.7),
        lambda words: words.rotate(0.4),
        lambda words: words.stretch(2.0, 1).shift(LEFT),
        lambda words: words[1].shift(UP),
        lambda words: words.add(Discs().set_centers([(9.0, 9.0)])),
        lambda words: words.remove(words[0]),
    ],
    ids=["moved", "scaled", "turned", "stretched", "a part moved", "a part more", "a part less"],
)
def test_the_edges_of_words_are_those_that_manim_finds(change: Callable[[Words], object]) -> None:
    words = Words("the <sin>sine</sin> rises", DARK).move_to(LEFT + UP)
    change(words)
    for towards in (ORIGIN, LEFT, RIGHT, UP, DOWN, LEFT + UP, 2 * RIGHT + DOWN):
        expected = VGroup.get_critical_point(words, towards)
        assert words.get_critical_point(towards) == pytest.approx(expected, abs=1e-8)


# Paths


def test_paths_read_back_what_they_were_set_to() -> None:
    rng = np.random.default_rng(0)
    starts, ends = rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
    segments = Segments().set_ends(starts, ends)
    assert segments.starts == pytest.approx(starts) and segments.ends == pytest.approx(ends)
    assert Discs(radius=0.1).set_centers(starts).centers == pytest.approx(starts)
    assert Polyline().set_vertices(starts).vertices == pytest.approx(starts)


def test_a_disc_is_round_to_a_hundredth_of_a_pixel() -> None:
    disc = Discs(radius=1.0).set_centers([[0.0, 0.0]])
    curves = disc.points.reshape(-1, 4, 3)
    t = np.linspace(0.0, 1.0, 50)[:, None, None]
    on_curve = (
        (1 - t) ** 3 * curves[:, 0]
        + 3 * t * (1 - t) ** 2 * curves[:, 1]
        + 3 * t**2 * (1 - t) * curves[:, 2]
        + t**3 * curves[:, 3]
    )
    assert np.linalg.norm(on_curve, axis=-1) == pytest.approx(1.0, abs=3e-4)


def test_separate_segments_are_drawn_separately() -> None:
    frame = draw(Segments(color="#ffffff", stroke_width=6).set_ends([[-2, 0], [1, 0]], [[-1, 0], [2, 0]]))
    assert pixel_at(frame, -1.5, 0.0).min() > 200
    assert pixel_at(frame, 1.5, 0.0).min() > 200
    assert pixel_at(frame, 0.0, 0.0).max() < 30


# Heatmaps


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_every_cell_is_drawn_in_its_colour_and_place(theme: object) -> None:
    values = np.random.default_rng(0).uniform(-1.0, 1.0, size=(5, 9))
    heatmap = Heatmap(values, theme, width=6.0, height=3.0).shift(RIGHT * 0.5 + UP * 0.25)
    frame = draw(heatmap)
    for row in range(5):
        for column in range(9):
            x, y, _ = heatmap.cell_center(row, column)
            assert pixel_at(frame, x, y) == pytest.approx(
                theme.diverging_rgb(values[row, column]).astype(int), abs=1
            )


def test_neighbouring_cells_do_not_blend() -> None:
    frame = draw(Heatmap([[-1.0, 1.0]], DARK, width=6.0, height=3.0))
    low, high = (np.rint(rgb_of(color) * 255) for color in DARK.diverging)
    assert pixel_at(frame, -0.05, 0.0) == pytest.approx(low, abs=1)
    assert pixel_at(frame, 0.05, 0.0) == pytest.approx(high, abs=1)


def test_cells_not_shown_are_clear_and_faded_ones_are_blended() -> None:
    background = np.array([17, 21, 29])
    heatmap = Heatmap([[1.0, 1.0, 1.0]], DARK, width=6.0, height=2.0).set_shown([[0.0, 0.5, 1.0]])
    camera = LectureCamera(
        pixel_height=480, pixel_width=854, frame_width=8.0 * 854 / 480, background_color=DARK.background
    )
    camera.capture_mobjects([heatmap])
    full = np.rint(rgb_of(DARK.diverging[1]) * 255)
    assert pixel_at(camera.pixel_array, -2.0, 0.0) == pytest.approx(background, abs=1)
    assert pixel_at(camera.pixel_array, 0.0, 0.0) == pytest.approx((background + full) / 2.0, abs=2)
    assert pixel_at(camera.pixel_array, 2.0, 0.0) == pytest.approx(full, abs=1)


def test_a_heatmap_stands_where_it_is_told_to_however_it_came_there() -> None:
    def pressed(*heights: float) -> Heatmap:
        heatmap = Heatmap(np.zeros((2, 3)), DARK, width=6.0, height=2.0).shift(RIGHT * 0.1 + UP * 0.3)
        for height in heights:
            heatmap.stand(1.1, height)
        return heatmap

    at_once, by_steps = pressed(0.4), pressed(1.7, 1.3, 0.9, 0.4)
    assert at_once.get_top()[1] == pytest.approx(1.3) and at_once.get_bottom()[1] == pytest.approx(0.9)
    assert at_once.width == pytest.approx(6.0) and at_once.get_x() == pytest.approx(0.1)
    assert by_steps.points.tobytes() == at_once.points.tobytes()


# Words and numbers


def test_marked_words_wear_the_colour_of_their_role() -> None:
    words = Words("a <sin>sine</sin> here", DARK)
    assert words.parts["sin"].get_fill_color().to_hex().lower() == DARK.color("sin")
    assert words.parts["text"].get_fill_color().to_hex().lower() == DARK.text
    # Four letters, in the middle of the phrase.
    assert (
        words.get_left()[0]
        < words.parts["sin"].get_left()[0]
        < words.parts["sin"].get_right()[0]
        < words.get_right()[0]
    )


def test_words_too_wide_to_read_are_refused() -> None:
    with pytest.raises(ValueError, match="break it into lines"):
        Words("word " * 40, DARK)


def test_words_know_their_size_after_scaling() -> None:
    assert Words("abc", DARK, font_size=40).scale(0.5).font_size == pytest.approx(20.0)


def test_chinese_is_drawn_and_not_boxed() -> None:
    """Two different characters that no font had would be drawn as the same box."""
    one, other = (Words(character, DARK).parts["text"].points for character in "位置")
    assert one.shape != other.shape or not np.allclose(one, other)


@pytest.mark.parametrize("value", [0.0, -1.0, 12345.0, 0.42])
def test_a_number_shows_what_it_was_set_to(value: float) -> None:
    readout = Readout(form="{:+,.2f}").set_value(value)
    assert readout.text == f"{value:+,.2f}".replace("-", "\N{MINUS SIGN}")


def test_a_number_is_drawn_as_the_same_words_would_be() -> None:
    number, words = Readout(3.14, form="{:.2f}", font_size=48), Words("3.14", DARK, font_size=48)
    assert number.width == pytest.approx(words.width, abs=0.03)
    assert number.height == pytest.approx(words.height, abs=0.01)


def test_digits_are_equally_wide_and_counting_does_not_jitter() -> None:
    readout = Readout(form="{:.0f}", font_size=48).place_at([1.0, 2.0, 0.0])
    lefts = [box(readout.set_value(value))[0] for value in (200, 300, 500, 600)]
    assert max(lefts) - min(lefts) < 0.03


@pytest.mark.parametrize("align", [-1.0, 0.0, 1.0])
def test_a_number_stays_in_its_place_moved_and_scaled(align: float) -> None:
    readout = Readout(8.0, form="{:.0f}", font_size=40, align=align).place_at([1.0, 2.0, 0.0])
    readout.set_value(88888.0).scale(0.7, about_point=np.array([1.0, 2.0, 0.0])).shift(RIGHT).set_value(8.0)
    assert readout.font_size == pytest.approx(28.0)
    left, bottom, right, _ = box(readout)
    assert bottom == pytest.approx(2.0, abs=0.02)
    edges = {-1.0: left, 0.0: (left + right) / 2.0, 1.0: right}
    assert edges[align] == pytest.approx(2.0, abs=0.03)
