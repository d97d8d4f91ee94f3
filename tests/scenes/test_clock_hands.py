"""The clock shots: set to a position, their hands, rims, numbers and dots are where mathematics puts them."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, log, pi, sin
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from manim import tempconfig

from scenes.clock_hands import ClockHands, ClockSwarm, ClockWall
from scenes.counting import CountingScene, exponential, logarithmic_mean
from scenes.mobjects.swarm import Swarm, spiral_curves
from scenes.mobjects.wall import Wall
from scenes.mobjects.words import TEXT_BOTTOM
from scenes.settings import variant
from scenes.theme import DARK
from tests.scenes.harness import DRAFT, construct

Shot = TypeVar("Shot", bound=CountingScene)


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("media")
    with tempconfig({"media_dir": str(folder), "dry_run": True, "progress_bar": "none", **DRAFT}):
        yield folder


def set_up(shot: type[Shot]) -> Shot:
    scene = shot(skip_animations=True)
    scene.setup()
    return scene


@pytest.fixture(scope="module")
def three_clocks(media: Path) -> ClockHands:
    scene = set_up(ClockHands)
    scene.follow(*scene.clocks[1:])
    scene.add(*scene.clocks)
    return scene


@pytest.fixture(scope="module")
def sixteen_clocks(media: Path) -> ClockWall:
    return set_up(ClockWall)


def at(scene: Shot, position: float, pace: float = 0.0) -> Shot:
    scene.position.set_value(position)
    scene.pace.set_value(pace)
    scene.update_mobjects(0.0)
    return scene


def geometric(d: int) -> list[float]:
    return [10_000.0 ** (-2 * i / d) for i in range(d // 2)]


# Time


@pytest.mark.parametrize(("start", "end"), [(7.5, 1_500.0), (500.0, 1.5), (20.0, 20.0)])
def test_the_pace_told_is_the_pace_run(start: float, end: float) -> None:
    way = 900.0
    seconds, rate = way / logarithmic_mean(start, end), exponential(end / start)
    for time in (0.01, 0.3, 0.5, 0.99):
        step = 1e-6
        speed = way * (rate(time + step) - rate(time - step)) / (2.0 * step * seconds)
        assert speed == pytest.approx(start + (end - start) * rate(time), rel=1e-6)
        assert speed == pytest.approx(start * (end / start) ** time, rel=1e-6)


def test_time_glides_to_a_position_and_slows_down_again(sixteen_clocks: ClockWall) -> None:
    scene = at(sixteen_clocks, 0.0, pace=7.5)
    start = scene.time
    scene.glide_to(500.0, pace=150.0, ramp=80.0)
    assert scene.position.get_value() == 500.0
    assert scene.pace.get_value() == 7.5
    # 80 positions at (150 - 7.5) / log(20) = 47.57 a second, twice, and 340 at 150.
    assert scene.time - start == pytest.approx(2 * 80 / 47.57 + 340 / 150, abs=3 / DRAFT["frame_rate"])
    scene.glide_to(0.0, pace=150.0, ramp=80.0)
    assert scene.position.get_value() == 0.0


def test_the_counter_tells_the_position(sixteen_clocks: ClockWall) -> None:
    assert at(sixteen_clocks, 35_333.0).number.text == "35,333"


# Three clocks


@pytest.mark.parametrize("position", [0.0, 1.0, 4.0, 44.0, 52.0, 200 * pi])
def test_three_hands_and_six_numbers(three_clocks: ClockHands, position: float) -> None:
    scene = at(three_clocks, position)
    numbers = [scene.make_number(k) for k in range(6)]
    for k, frequency in enumerate((1.0, 0.1, 0.01)):
        angle = position * frequency
        assert cos(scene.clocks[k].angle - angle) == pytest.approx(1.0)
        assert numbers[2 * k].value == pytest.approx(sin(angle), abs=1e-12)
        assert numbers[2 * k + 1].value == pytest.approx(cos(angle), abs=1e-12)
    assert numbers[1].text == f"{cos(position):+.2f}".replace("-", "\N{MINUS SIGN}")


def test_seven_turns_of_the_fast_hand_end_at_the_position_that_looks_alike(three_clocks: ClockHands) -> None:
    assert abs(ClockHands.look_alike - 7 * 2 * pi) < 0.02
    fast, middle, _ = (clock.angle for clock in at(three_clocks, ClockHands.look_alike).clocks)
    assert abs(fast) < 0.02
    assert abs(middle) > 1.0


def test_the_word_at_the_position_is_underlined(three_clocks: ClockHands) -> None:
    words, mark = three_clocks.spoken
    assert [word.text for word in words] == ["the", "dog", "chased", "another", "dog"]
    for position, word in enumerate(words):
        at(three_clocks, position)
        assert mark.starts[0, 0] == pytest.approx(word.get_left()[0])
        assert mark.ends[0, 0] == pytest.approx(word.get_right()[0])


# The wall


@pytest.mark.parametrize("position", [0.0, 100.0, 35_333.0])
def test_the_walls_hands(position: float) -> None:
    wall = Wall(geometric(32), DARK, radius=0.5, pitch=(2.0, 3.0)).set_position(position)
    for k, (hand, frequency) in enumerate(zip(wall.hands, geometric(32), strict=True)):
        hub = np.array([-7.0 + 2.0 * (k % 8), 1.5 - 3.0 * (k // 8), 0.0])
        angle = position * frequency
        assert hand.starts[0] == pytest.approx(hub)
        assert hand.ends[0] == pytest.approx(hub + 0.5 * np.array([sin(angle), cos(angle), 0.0]), abs=1e-8)


@pytest.mark.parametrize(
    ("position", "lit"), [(6.28, 0), (6.29, 1), (628.31, 8), (628.32, 9), (35_332.0, 15), (35_333.0, 16)]
)
def test_a_rim_lights_up_once_its_hand_has_turned_once(position: float, lit: int) -> None:
    wall = Wall(geometric(32), DARK).set_position(position)
    assert wall.lit.tolist() == [True] * lit + [False] * (16 - lit)


def test_a_hundred_times_faster_the_top_row_is_a_blur_and_the_bottom_row_tells_time(
    sixteen_clocks: ClockWall,
) -> None:
    scene = at(sixteen_clocks, 5_000.0, pace=100.0 * sixteen_clocks.real_time)
    opacities = [hand.get_stroke_opacity() for hand in scene.wall.hands]
    assert opacities[:8] == [0.0] * 8
    assert opacities[10:] == [1.0] * 6


@pytest.mark.parametrize(("times", "told"), [(0.5, "×1"), (1.0, "×1"), (10.0, "×10"), (100.0, "×100")])
def test_the_speed_of_time_is_told(sixteen_clocks: ClockWall, times: float, told: str) -> None:
    scene = at(sixteen_clocks, 0.0, pace=times * sixteen_clocks.real_time)
    assert scene.speed.text == told


def test_the_wall_stops_when_the_slowest_hand_has_turned_once(media: Path) -> None:
    ends: dict[str, tuple[float, int]] = {}
    construct(
        ClockWall,
        media,
        at_section_end=lambda scene, section: ends.update(
            {section: (scene.position.get_value(), int(scene.wall.lit.sum()))}
        ),
    )
    # Periods 2 pi 10**(i/4): five are below 100, ten below 1,200, and the last is 35,332.95.
    assert ends == {"together": (100.0, 5), "tenfold": (1_200.0, 10), "hundredfold": (35_333.0, 16)}


# The swarm


def test_at_position_0_the_tips_lie_on_one_line_fast_inside() -> None:
    swarm = Swarm(geometric(512), DARK, shortest=0.5, longest=2.5, hub=(1.0, -1.0)).set_position(0.0)
    assert swarm.tips[:, 0] == pytest.approx(np.ones(256), abs=1e-9)
    assert swarm.tips[:, 1] + 1.0 == pytest.approx(0.5 + 2.0 * np.arange(256) / 255, abs=1e-9)


@pytest.mark.parametrize("position", [30.0, 100.0, 1_000.0])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_every_tip_of_the_swarm(position: float, spread: float) -> None:
    swarm = Swarm(geometric(512), DARK, shortest=0.5, longest=2.5, equal=2.0)
    swarm.set_position(position, spread=spread)
    hands = np.concatenate([band.ends for band in swarm.hands])
    for i, frequency in enumerate(geometric(512)):
        length = 0.5 + 2.0 * i / 255 if spread else 2.0
        tip = length * np.array([sin(position * frequency), cos(position * frequency), 0.0])
        assert swarm.tips[i] == pytest.approx(tip, abs=1e-9)
        assert hands[i] == pytest.approx(tip, abs=1e-9)


@pytest.mark.parametrize("position", [1.0, 30.0, 100.0, 1_000.0])
def test_only_neighbours_within_60_degrees_are_joined(position: float) -> None:
    # Neighbours differ by w (1 - q) p, where w = q**i: from some index on that is below 60 degrees.
    q = 10_000.0 ** (-1 / 256)
    first = max(0, int(np.ceil(log(pi / 3 / (position * (1 - q))) / log(q))))
    swarm = Swarm(geometric(512), DARK).set_position(position)
    assert sum(len(joins.points) // 4 for joins in swarm.joins) == 255 - first
    drawn = np.concatenate([joins.points for joins in swarm.joins])
    assert drawn[0::4] == pytest.approx(swarm.tips[first:-1], abs=1e-9)
    assert drawn[3::4] == pytest.approx(swarm.tips[first + 1 :], abs=1e-9)


def test_dots_too_fast_for_the_eye_fade_and_their_joins_with_them() -> None:
    swarm = Swarm(geometric(512), DARK).set_position(500.0, pace=300.0)
    assert swarm.dots[0].get_fill_opacity() == swarm.joins[0].get_stroke_opacity() == 0.0
    assert swarm.dots[-1].get_fill_opacity() == 1.0
    swarm.set_position(500.0)
    assert [dots.get_fill_opacity() for dots in swarm.dots] == [1.0] * 16


def test_a_swarm_of_fewer_hands_than_bands() -> None:
    swarm = Swarm([pi / 2, pi / 4], DARK, shortest=1.0, longest=2.0).set_position(1.0)
    assert swarm.tips == pytest.approx(np.array([[1.0, 0.0, 0.0], [2**0.5, 2**0.5, 0.0]]), abs=1e-9)


def test_a_spiral_winds_evenly_about_the_origin() -> None:
    start, end = 1.0 * np.array([[0.0, 1.0, 0.0]]), 1.2 * np.array([[sin(pi / 3), cos(pi / 3), 0.0]])
    (corners,) = spiral_curves(start, end, [pi / 3])
    middle = np.array([1.0, 3.0, 3.0, 1.0]) / 8.0 @ corners
    assert np.linalg.norm(middle) == pytest.approx(1.1, rel=0.01)
    assert np.arctan2(middle[0], middle[1]) == pytest.approx(pi / 6, abs=0.01)


def test_the_swarm_rests_where_it_is_told_to(media: Path) -> None:
    ends: dict[str, tuple[float, float]] = {}
    construct(
        ClockSwarm,
        media,
        at_section_end=lambda scene, section: ends.update(
            {section: (scene.position.get_value(), scene.spread.get_value())}
        ),
    )
    assert ends == {
        "hairball": (100.0, 0.0),
        "lengths": (100.0, 1.0),
        "unwind": (0.0, 1.0),
        "wind_up": (30.0, 1.0),
        "wind_on": (1_000.0, 1.0),
        "next_words": (1_004.0, 1.0),
    }


@pytest.mark.parametrize(
    ("parameters", "longest"),
    [({}, 2.9), ({"base": 100.0}, 2.2), ({"schedule": "linear", "d": 32}, 2.2), ({"d": 8}, 2.9)],
)
def test_no_hand_of_the_swarm_comes_round_to_the_sentence_at_the_foot(
    parameters: dict[str, Any], longest: float, media: Path
) -> None:
    scene = construct(variant(ClockSwarm, parameters), media)
    assert max(scene.swarm.own_lengths) == longest
    sentence = TEXT_BOTTOM + scene._idea.height
    for position in range(0, 1005, 4):
        assert scene.swarm.set_position(position).tips[:, 1].min() > sentence + 0.05


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, {"hairball", "wind_up", "next_words"}),
        # Sixteen hands, each a sixteenth slower than the one before: far apart after thirty positions.
        ({"schedule": "linear", "d": 32}, {"crossed", "scatter", "all_move"}),
        ({"schedule": "linear", "d": 4096}, {"hairball", "wind_up", "all_move"}),
        ({"d": 8}, {"crossed", "scatter", "next_words"}),
    ],
)
def test_the_swarms_sentences_say_what_its_hands_do(
    parameters: dict[str, Any], said: set[str], media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, idea = [], ClockSwarm.idea
    monkeypatch.setattr(
        ClockSwarm, "idea", lambda self, key, **values: (keys.append(key), idea(self, key, **values))[1]
    )
    scene = construct(variant(ClockSwarm, parameters), media)
    choices = {"hairball", "crossed", "wind_up", "scatter", "next_words", "all_move"}
    assert choices & set(keys) == said
    turns = np.abs(np.diff(scene.frequencies)) * scene.rests[1]
    assert ("wind_up" in said) == (np.median(turns) < pi / 3)


def test_the_words_of_a_sentence_stand_on_one_baseline(media: Path) -> None:
    scene = variant(ClockHands, {"sentence": "time an arrow today 1"})()
    scene.setup()
    words = dict(zip(scene.texts, scene.make_sentence(), strict=True))
    feet = {text: word.get_bottom()[1] for text, word in words.items()}
    # Round letters and figures reach a little below the line that straight ones stand on.
    assert feet["time"] == pytest.approx(feet["an"], abs=0.03)
    assert feet["arrow"] == pytest.approx(feet["1"], abs=0.03)
    assert feet["today"] < feet["time"] - 0.05
