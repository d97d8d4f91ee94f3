"""What the camera and the renderer leave out must not be seen: against Manim's own, pixel by pixel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    AnimationGroup,
    Arc,
    Camera,
    CapStyleType,
    Circle,
    DashedLine,
    Line,
    LineJointType,
    ManimColor,
    Mobject,
    RoundedRectangle,
    Square,
    Star,
    ValueTracker,
    VGroup,
    VMobject,
    tempconfig,
)

from scenes.camera import LectureCamera
from scenes.encoder import LectureSegmentEncoder
from scenes.layer import PATIENCE
from scenes.mobjects.clock import Clock
from scenes.mobjects.heatmap import Heatmap
from scenes.mobjects.paths import Discs, Polyline, Segments, show_fill, show_stroke
from scenes.mobjects.swarm import Swarm
from scenes.mobjects.wall import Wall
from scenes.mobjects.words import Readout, Words
from scenes.renderer import LectureRenderer
from scenes.stage import LectureScene, settled
from scenes.theme import DARK
from tests.scenes.harness import DRAFT

UNTIL_COPIED = PATIENCE + 2  # frames of the same picture


@pytest.fixture(autouse=True)
def media(tmp_path: Path) -> object:
    with tempconfig({"media_dir": str(tmp_path), "progress_bar": "none"}):
        yield


def unfinished() -> VMobject:
    """A path whose last curve has only its start, as Manim's pens leave it."""
    path = VMobject(stroke_width=4).start_new_path(LEFT).add_line_to(UP)
    return path.start_new_path(DOWN)


PICTURES: dict[str, Callable[[], Mobject]] = {
    "clock": lambda: Clock(1.0, DARK, radius=2.0).set_position(1.0, pace=12.0),
    "wall": lambda: Wall(10.0 ** -np.arange(8.0), DARK, columns=4).set_position(30.0, pace=12.0),
    "swarm": lambda: Swarm(10_000.0 ** -np.linspace(0.0, 1.0, 40), DARK).set_position(30.0, spread=0.7),
    "words": lambda: Words("a <sin>sine</sin> 位置", DARK, font_size=60),
    "number": lambda: Readout(-12.34, form="{:.2f}", font_size=90),
    "discs and lines": lambda: VGroup(
        Discs(0.3, color="#ff0000").set_centers([(0, 0), (0.4, 0), (2, 1)]),
        Segments(stroke_width=9).set_ends([(0, 0), (1, 1)], [(1, 1), (2, 0)]),
        Polyline(stroke_width=12, fill_opacity=0.5).set_vertices([(-3, 0), (-2, 2), (-1, 0), (-3, 0)]),
    ),
    "shapes of Manim's own": lambda: VGroup(
        Circle(1.0, fill_opacity=0.4), Arc(2.0, 0.3, 2.0), DashedLine(LEFT, RIGHT), RoundedRectangle(), Star()
    ).arrange(RIGHT),
    "unfinished": unfinished,
    "stroke behind": lambda: Square(fill_opacity=0.5).set_stroke("#00ff00", 20, background=True),
    "gradient": lambda: Square(fill_opacity=1.0).set_fill(color=["#ff0000", "#0000ff"]),
    "hidden": lambda: VGroup(Square(stroke_opacity=0.0), Circle(stroke_width=0.0), VMobject()),
    "not finite": lambda: Polyline().set_vertices([(0.0, 0.0), (np.nan, 1.0)]),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_drawn_as_manim_draws_it(name: str) -> None:
    picture = PICTURES[name]()
    drawn = [camera(**DRAFT) for camera in (Camera, LectureCamera)]
    for camera in drawn:
        camera.capture_mobjects([Square(), picture])
    expected, found = (camera.pixel_array for camera in drawn)
    assert (expected != drawn[0].background).any()
    np.testing.assert_array_equal(found, expected)


def test_parts_are_drawn_in_manims_order_each_once() -> None:
    one, other, below, empty = Square(), Circle(), Star().set_z_index(-1), VMobject()
    group = VGroup(one, VGroup(other, below), empty)
    for mobjects in ([group], [group, one], [other, group, below, other], [below, group, group]):
        expected = Camera().get_mobjects_to_display(mobjects)
        assert LectureCamera().get_mobjects_to_display(mobjects) == expected
        assert len(expected) == 3


# What may happen to the pictures of `still_life` from one frame to the next, in place or not.
CHANGES: dict[str, Callable[[list[Any]], object]] = {
    "points in place": lambda parts: np.add(parts[1].points, 0.1, out=parts[1].points),
    "the lowest moves": lambda parts: parts[0].shift(UP * 0.3),
    "the topmost moves": lambda parts: parts[-1].shift(UP * 0.3),
    "another fill": lambda parts: parts[2].set_fill("#00ff00", opacity=0.5),
    "another stroke": lambda parts: parts[1].set_stroke("#ff00ff", width=15.0, opacity=0.5),
    "a stroke behind": lambda parts: parts[2].set_stroke("#0000ff", width=30.0, background=True),
    "round corners": lambda parts: setattr(parts[0], "joint_type", LineJointType.ROUND),
    "round ends": lambda parts: parts[5].set_cap_style(CapStyleType.ROUND),
    "pixels in place": lambda parts: parts[3].pixel_array[1].fill(70),
    "another image": lambda parts: setattr(parts[3], "pixel_array", parts[3].pixel_array[:, :2] // 2),
    "below all": lambda parts: parts[2].set_z_index(-1),
    "another order": lambda parts: parts.reverse(),
    "one less": lambda parts: parts.pop(0),
    "one more": lambda parts: parts.insert(1, Star(fill_opacity=1.0)),
    "points gone": lambda parts: parts[0].clear_points(),
    "a gradient turns": lambda parts: parts[4].set_sheen_direction(UP),
}


def still_life() -> list[Any]:
    """Return pictures that overlap, each of another kind."""
    return [
        Square(2.0, stroke_width=25.0),
        Circle(stroke_width=8.0),
        Square(0.8, fill_opacity=0.7).shift(RIGHT * 0.8),
        Heatmap(np.linspace(-1.0, 1.0, 12).reshape(3, 4), DARK, width=3.0, height=0.5),
        Square().set_fill(color=["#ff0000", "#0000ff"], opacity=1.0).shift(LEFT * 3),
        Line(DOWN, DOWN + RIGHT, stroke_width=30.0),
    ]


@pytest.mark.parametrize("change", CHANGES)
def test_a_picture_shows_its_parts_as_they_are_now(change: str) -> None:
    camera, parts = LectureCamera(**DRAFT), still_life()
    for _ in range(UNTIL_COPIED):
        camera.paint(parts)
    before = camera.pixel_array.copy()
    CHANGES[change](parts)
    for _ in range(UNTIL_COPIED):
        camera.paint(parts)
        np.testing.assert_array_equal(camera.pixel_array, seen_for_the_first_time(parts))
    assert (camera.pixel_array != before).any()


def test_what_changes_now_and_then_is_drawn_as_it_is() -> None:
    camera, parts = LectureCamera(**DRAFT), still_life()
    random = np.random.default_rng(0)
    for frame in range(120):
        for part, every in zip(parts, (31, 13, 2, 17, 1, 40), strict=True):
            if frame % every == 0:
                # To and fro, over one another and apart.
                part.shift(random.normal(scale=0.4) * RIGHT)
        if frame % 25 == 24:
            parts.append(parts.pop(0))
        camera.paint(parts)
        np.testing.assert_array_equal(camera.pixel_array, seen_for_the_first_time(parts))


def test_a_new_background_shows_at_once() -> None:
    camera, parts = LectureCamera(**DRAFT), still_life()
    for color in ("#102030", "#102030", "#102030", "#ffffff"):
        camera.background_color = ManimColor(color)
        camera.paint(parts)
        assert ManimColor.from_rgba(camera.pixel_array[0, 0]).to_hex() == color.upper()


def test_what_rests_below_or_beside_what_moves_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    camera, drawn = LectureCamera(**DRAFT), []
    monkeypatch.setattr(LectureCamera, "display_vectorized", lambda self, part, context: drawn.append(part))
    below, moving, above, tracker = Square(), Circle(), Star(), ValueTracker()
    beside, changed = Star().shift(LEFT * 4), Square().shift(RIGHT * 4)
    for frame in range(3 * PATIENCE):
        camera.paint([below, tracker, moving, above, beside, changed])
        moving.rotate(0.1)
        tracker.increment_value(0.1)
        if frame % (PATIENCE // 2) == 0:
            changed.rotate(0.1)
    assert drawn.count(moving) == drawn.count(above) == drawn.count(changed) == 3 * PATIENCE
    # Until it has been seen to rest; once more for the copy.
    assert drawn.count(below) == drawn.count(beside) == PATIENCE + 1


def test_a_corner_that_reaches_far_beyond_its_points_is_seen_to_lie_over_what_moves() -> None:
    spike = VMobject(stroke_width=40.0).set_points_as_corners(
        [(-0.5, -0.6, 0), (0, -0.6, 0), (-0.5, -0.5, 0)]
    )
    moving = Square(side_length=0.4, fill_opacity=1.0).shift(RIGHT * 0.6 + DOWN * 0.55)
    assert spike.get_right()[0] < moving.get_left()[0]
    camera = LectureCamera(**DRAFT)
    for _ in range(UNTIL_COPIED):
        moving.shift(UP * 0.01)
        camera.paint([moving, spike])
        np.testing.assert_array_equal(camera.pixel_array, seen_for_the_first_time([moving, spike]))


def seen_for_the_first_time(parts: list[Any]) -> np.ndarray[Any, Any]:
    """Return the picture of ``parts`` that a new camera draws."""
    camera = LectureCamera(**DRAFT)
    camera.capture_mobjects(parts)
    return camera.pixel_array


def test_an_opacity_is_set_whether_or_not_it_changes() -> None:
    for opacity in (0.3, 0.3, 1.0, 0.0):
        path = Square(fill_opacity=1.0)
        show_fill(path, opacity)
        show_stroke(path, opacity)
        assert (path.get_fill_opacity(), path.get_stroke_opacity()) == (opacity, opacity)


class Turning(LectureScene):
    """A clock that turns, and rests."""

    def setup(self) -> None:
        self.position = ValueTracker(0.0)
        self.clock = Clock(1.0, self.theme)
        self.clock.add_updater(lambda clock: clock.set_position(self.position.get_value()))
        self.add(self.clock)

    def construct(self) -> None:
        for _ in range(3):
            self.play(self.position.animate.increment_value(1.0), run_time=1.0)
            self.wait(0.5)


def test_no_frame_is_drawn_over_before_it_is_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    handed, encoded = [], []
    hand, encode = LectureRenderer.add_frame, LectureSegmentEncoder.write_frame

    def note_handed(self: Any, frame: Any, frames: int = 1) -> None:
        handed.append(hash(frame.tobytes()))
        hand(self, frame, frames)

    def note_encoded(self: Any, pixels: Any, *, repeat: int = 1) -> None:
        encoded.append(hash(pixels.tobytes()))
        encode(self, pixels, repeat=repeat)

    monkeypatch.setattr(LectureRenderer, "add_frame", note_handed)
    monkeypatch.setattr(LectureSegmentEncoder, "write_frame", note_encoded)
    with tempconfig({**DRAFT, "max_inflight_encoders": 1}):
        Turning().render()
    assert len(handed) == 33
    assert encoded == handed
    assert len(set(handed)) > 25


def test_a_play_from_the_cache_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    paint = LectureCamera.paint
    monkeypatch.setattr(LectureCamera, "paint", lambda self, mobjects: drawn.append(paint(self, mobjects)))
    with tempconfig(DRAFT):
        Turning().render()
        assert len(drawn) >= 33
        drawn.clear()
        Turning().render()
    assert drawn == []


def test_without_the_cache_each_play_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    paint = LectureCamera.paint
    monkeypatch.setattr(LectureCamera, "paint", lambda self, mobjects: drawn.append(paint(self, mobjects)))
    with tempconfig({**DRAFT, "disable_caching": True}):
        Turning().render()
        once = len(drawn)
        Turning().render()
    assert len(drawn) == 2 * once >= 66


def test_a_play_leaves_no_target_behind_for_the_cache_to_trip_over() -> None:
    class Moved(Turning):
        def construct(self) -> None:
            turn = self.position.animate.increment_value(1.0)
            self.play(AnimationGroup(self.clock.animate.shift(RIGHT)), turn, run_time=0.5)
            self.wait(0.2)

    names = []
    with tempconfig(DRAFT):
        for _ in range(2):
            scene = Moved()
            scene.render()
            names.append(scene.renderer.animations_hashes)
    assert names[0] == names[1]
    assert scene.clock.target is None


@pytest.mark.parametrize("parts", [256, 3, 48, 75, 1000])
def test_words_settle_in_one_place_whatever_way_they_came(parts: int) -> None:
    # Outlines stand on such fractions, and halves of the last decimal are where rounding turns.
    numbers = np.arange(-1000, 1001)[:, None] / parts + np.array([0.0, 5e-8, 3.0])
    expected = settled(numbers)
    assert np.abs(expected - numbers).max() <= 1e-7
    for error in (-1e-12, -1e-15, 1e-15, 1e-12):
        np.testing.assert_array_equal(settled(numbers + error), expected)
    np.testing.assert_array_equal(settled(expected), expected)


def test_the_last_picture_is_drawn_even_if_no_play_was(tmp_path: Path) -> None:
    with tempconfig({**DRAFT, "save_last_frame": True, "format": "png"}):
        scene = Turning()
        scene.render()
    assert scene.camera.pixel_array.std() > 5.0
