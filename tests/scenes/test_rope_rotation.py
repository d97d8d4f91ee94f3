"""The arrows turn, the bars add up and the curve runs as RoPE says, read back from the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from manim import DOWN, LEFT, RIGHT, UP, ValueTracker, tempconfig

from pe_math import rotary
from scenes.mobjects.arrow import FilledArrow
from scenes.mobjects.bars import SignedBars
from scenes.mobjects.plane import Plane, angle_between
from scenes.mobjects.tokens import Ruler, TokenRow
from scenes.mobjects.trace import Chart, Scale, Trace
from scenes.mobjects.words import Readout, Words
from scenes.rope_rotation import RopeRotation
from scenes.theme import DARK
from tests.scenes.harness import construct

POSITIONS = [(0.0, 0.0), (4.0, 2.0), (8.0, 6.0), (1.0, 5.0), (62.5, 2.0), (-3.0, 0.25)]


def as_complex(vector: Any) -> Any:
    """Return pairs ``(2i, 2i+1)`` as complex numbers: turning is multiplying by exp(i angle)."""
    pairs = np.reshape(vector, (-1, 2))
    return pairs[:, 0] + 1j * pairs[:, 1]


@pytest.fixture(autouse=True)
def media(tmp_path: Path) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path)}):
        yield


# The pictures


def test_an_arrow_reads_back_its_ends() -> None:
    arrow = FilledArrow().set_ends((1.0, -2.0), (3.0, 0.5, 0.0))
    assert arrow.start == pytest.approx([1.0, -2.0, 0.0])
    assert arrow.tip == pytest.approx([3.0, 0.5, 0.0])


@pytest.mark.parametrize("length", [0.0, 0.01, 5.0])
def test_a_short_arrow_is_no_longer_than_it_should_be(length: float) -> None:
    arrow = FilledArrow(head=0.3).set_ends((0.0, 0.0), (0.0, length))
    assert arrow.height == pytest.approx(length)
    assert arrow.width == pytest.approx(0.3 if length else 0.0)


@pytest.mark.parametrize(("query_position", "key_position"), POSITIONS)
def test_arrows_turn_counter_clockwise_by_position_times_frequency(
    query_position: float, key_position: float
) -> None:
    plane = Plane((1.2, -0.5), (0.7, 0.9), 0.3, DARK, center=LEFT * 2 + UP, unit=0.8)
    shown = as_complex(plane.set_positions(query_position, key_position).vectors)
    turn = np.exp(0.3j * np.array([query_position, key_position]))
    assert shown == pytest.approx(np.array([1.2 - 0.5j, 0.7 + 0.9j]) * turn, abs=1e-9)
    assert plane.query.start == pytest.approx([-2.0, 1.0, 0.0])


def test_lengths_stay_whatever_the_position() -> None:
    plane = Plane((1.2, -0.5), (0.7, 0.9), 1.0, DARK, unit=1.3)
    for position in np.linspace(-50.0, 1000.0, 40):
        lengths = np.linalg.norm(plane.set_positions(position, 0.3 * position).vectors, axis=1)
        assert lengths == pytest.approx([1.3, np.hypot(0.7, 0.9)], abs=1e-9)


def test_one_position_on_is_a_left_turn() -> None:
    plane = Plane((1.0, 0.0), (1.0, 0.0), np.pi / 2.0, DARK).set_positions(1.0, 0.0)
    assert plane.vectors == pytest.approx(np.array([[0.0, 1.0], [1.0, 0.0]]), abs=1e-12)
    assert plane.query.tip == pytest.approx(UP, abs=1e-12)


@pytest.mark.parametrize(("query_position", "key_position"), POSITIONS)
def test_the_wedge_leads_from_the_key_to_the_query_the_short_way(
    query_position: float, key_position: float
) -> None:
    plane = Plane((1.2, -0.5), (0.7, 0.9), 0.3, DARK).set_positions(query_position, key_position)
    query, key = as_complex(plane.vectors)
    rim = plane.wedge.vertices[1:-1, 0] + 1j * plane.wedge.vertices[1:-1, 1]
    assert rim[0] / abs(rim[0]) == pytest.approx(key / abs(key))
    assert rim[-1] / abs(rim[-1]) == pytest.approx(query / abs(query))
    steps = np.angle(rim[1:] / rim[:-1])
    assert abs(steps.sum()) <= np.pi
    assert steps.sum() == pytest.approx(np.angle(query / key))


def test_an_angle_between_is_counter_clockwise_from_key_to_query() -> None:
    assert angle_between((2.0, 0.0), (0.0, 3.0)) == pytest.approx(np.pi / 2.0)
    assert angle_between((0.0, 3.0), (2.0, 0.0)) == pytest.approx(-np.pi / 2.0)
    assert angle_between((1.0, 1.0), (-2.0, 0.0)) == pytest.approx(0.75 * np.pi)


def test_bars_show_signed_values_and_stack_up_to_their_sum() -> None:
    values = np.array([1.5, -2.0, 0.25, -0.5])
    bars = SignedBars(4, DARK, unit=0.4, spacing=1.7).shift(DOWN + RIGHT).set_values(values)
    assert bars.values == pytest.approx(values)
    assert bars.starts == pytest.approx(np.zeros(4))
    bars.set_values(values, stacked=1.0)
    assert bars.values == pytest.approx(values)
    assert bars.starts == pytest.approx([0.0, 1.5, -0.5, -0.25])
    assert bars.tips == pytest.approx([1.5, -0.5, -0.25, -0.75])
    # Columns stand evenly about the middle, and a line leads from each tip to the next column.
    assert [bar.tip[0] for bar in bars.bars] == pytest.approx(1.0 + 1.7 * np.array([-1.5, -0.5, 0.5, 1.5]))
    assert bars.steps.ends[:-1] == pytest.approx(np.array([bar.start for bar in bars.bars[1:]]))


def test_words_stand_at_their_places_and_a_bracket_spans_the_offset() -> None:
    ruler = Ruler(DARK, places=9, spacing=1.5, y=1.0)
    row = TokenRow(("a", "b", "c"), ruler, DARK, query=2, key=0)
    row.set_positions([1.0, 2.0, 6.5])
    assert row.positions == pytest.approx([1.0, 2.0, 6.5])
    assert row.tiles[1].box.get_x() == pytest.approx(ruler.numbers[2].get_x())
    assert ruler.place(4.0) == pytest.approx(UP)
    assert row.bracket.vertices[[0, -1], 0] == pytest.approx([ruler.place(1.0)[0], ruler.place(6.5)[0]])
    assert row.offset.value == 5.5


SCALE = Scale(corner=(1.0, -1.0), low=(10.0, -1.0), units=(0.1, 0.5))


def test_a_trace_reads_back_its_curve_and_its_head() -> None:
    x, y = np.array([10.0, 12.5, 30.0]), np.array([0.0, 3.0, -1.0])
    trace = Trace(DARK, SCALE).set_values(x, y, (12.5, 3.0))
    assert trace.values == pytest.approx(np.stack([x, y], axis=-1))
    assert trace.head_values == pytest.approx([12.5, 3.0])
    # 2.5 values right and 4 up of the corner.
    assert trace.head.centers[0] == pytest.approx([1.25, 1.0, 0.0])
    assert trace.guide.starts[0] == pytest.approx([1.0, 1.0, 0.0])


def test_a_charts_numbers_stand_at_their_values() -> None:
    chart = Chart(
        DARK, SCALE, Words("x", DARK, font_size=24), right=30.0, x_ticks=(10.0, 20.0), y_ticks=(-1.0, 2.0)
    )
    places = {words.text: words.get_center() for words in chart.get_family() if isinstance(words, Words)}
    assert (places["10"][0], places["20"][0]) == pytest.approx((1.0, 2.0))
    assert (places["\N{MINUS SIGN}1"][1], places["2"][1]) == pytest.approx((-1.0, 0.5))
    assert places["x"][0] < 3.0


# The shot


QUERY, KEY = as_complex(RopeRotation.query), as_complex(RopeRotation.key)
FREQUENCIES = 100.0 ** (-np.arange(4) / 4.0)


def shares_at(offset: float) -> Any:
    """Return ``|q||k| cos(φ + w offset)`` of each plane: φ is the angle from key to query."""
    return np.abs(QUERY) * np.abs(KEY) * np.cos(np.angle(QUERY / KEY) + FREQUENCIES * offset)


@contextmanager
def set_to(scene: RopeRotation, **values: float) -> Iterator[None]:
    """Set trackers for a while."""
    trackers: dict[str, ValueTracker] = {name: getattr(scene, name) for name in values}
    before = {name: tracker.get_value() for name, tracker in trackers.items()}
    for name, value in values.items():
        trackers[name].set_value(value)
    scene.update_mobjects(0.0)
    yield
    for name, value in before.items():
        trackers[name].set_value(value)
    scene.update_mobjects(0.0)


def seen(scene: RopeRotation) -> SimpleNamespace:
    """Return what the pictures on screen show now."""
    parts = scene.on_screen()
    return SimpleNamespace(
        vectors=[plane.vectors for plane in parts if isinstance(plane, Plane)],
        bars=[
            np.array([bars.values, bars.starts, bars.tips]) for bars in parts if isinstance(bars, SignedBars)
        ],
        words=[row.positions for row in parts if isinstance(row, TokenRow)],
        curves=[(trace.values, trace.head_values) for trace in parts if isinstance(trace, Trace)],
        numbers=[part.text for part in parts if isinstance(part, Readout)],
    )


STATES = {"as it is": {}} | {
    f"key at {key}, offset {offset}": {"key_position": key, "offset": offset}
    for key, offset in [(0.0, 0.0), (2.0, 2.0), (5.5, 2.0), (40.0, 2.0), (2.0, 5.0), (2.0, 20.0), (7.0, -3.0)]
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, SimpleNamespace]]:
    """Return what the shot shows at the end of each section, as it is and with its trackers set anew."""
    ends: dict[str, dict[str, SimpleNamespace]] = {}

    def look(scene: Any, section: str) -> None:
        ends[section] = {}
        for name, values in STATES.items():
            with set_to(scene, **values):
                ends[section][name] = seen(scene)

    construct(RopeRotation, tmp_path_factory.mktemp("media"), at_section_end=look)
    return ends


def test_the_sections_tell_the_story(shown: dict[str, Any]) -> None:
    assert list(shown) == [
        *("ask", "pair_up", "turn", "push_both", "move_query"),
        *("add_planes", "share", "stack", "trace_score", "answer"),
    ]
    assert [len(states["as it is"].vectors) for states in shown.values()] == [0, 1, 1, 1, 1, 4, 4, 4, 4, 4]


def test_before_they_turn_the_arrows_are_the_first_pairs(shown: dict[str, Any]) -> None:
    for state in shown["pair_up"].values():
        assert state.vectors[0] == pytest.approx(np.array([RopeRotation.query[:2], RopeRotation.key[:2]]))


@pytest.mark.parametrize("name", list(STATES)[1:])
@pytest.mark.parametrize("section", ["turn", "push_both", "move_query", "add_planes", "share", "answer"])
def test_each_plane_shows_its_pair_turned_to_its_position(
    shown: dict[str, Any], section: str, name: str
) -> None:
    key, offset = STATES[name]["key_position"], STATES[name]["offset"]
    vectors = shown[section][name].vectors
    turned = rotary.rotate([RopeRotation.query, RopeRotation.key], [key + offset, key], FREQUENCIES)
    for i, plane in enumerate(vectors):
        assert plane == pytest.approx(turned[:, 2 * i : 2 * i + 2], abs=1e-9)
        rotation = np.exp(1j * FREQUENCIES[i] * np.array([key + offset, key]))
        assert as_complex(plane) == pytest.approx(np.array([QUERY[i], KEY[i]]) * rotation, abs=1e-9)


def test_pushing_both_turns_every_arrow_and_leaves_the_score(shown: dict[str, Any]) -> None:
    near, far = (shown["answer"][f"key at {key}, offset 2.0"] for key in (2.0, 40.0))
    for before, after in zip(near.vectors, far.vectors, strict=True):
        assert np.abs(before - after).max() > 0.1
        assert before[0] @ before[1] == pytest.approx(after[0] @ after[1], abs=1e-9)
    for before, after in zip(near.bars, far.bars, strict=True):
        assert before == pytest.approx(after, abs=1e-9)
    (curve, head), (later_curve, later_head) = near.curves[0], far.curves[0]
    assert head == pytest.approx(later_head, abs=1e-9)
    assert curve == pytest.approx(later_curve, abs=1e-9)
    score = f"{shares_at(2.0).sum():+.2f}"
    assert score in near.numbers
    assert score in far.numbers


def test_another_offset_is_another_score(shown: dict[str, Any]) -> None:
    heads = {
        float(shown["answer"][f"key at 2.0, offset {offset}"].curves[0][1][1]) for offset in (2.0, 5.0, 20.0)
    }
    assert len(heads) == 3


@pytest.mark.parametrize("name", list(STATES)[1:])
def test_bars_are_the_planes_shares_and_add_up_to_the_score(shown: dict[str, Any], name: str) -> None:
    key, offset = STATES[name]["key_position"], STATES[name]["offset"]
    shares = rotary.plane_scores(RopeRotation.query, RopeRotation.key, [offset], FREQUENCIES)[0]
    (score,) = rotary.score(RopeRotation.query, RopeRotation.key, [offset], FREQUENCIES)
    assert shares == pytest.approx(shares_at(offset), abs=1e-12)

    ((first, _, _),) = shown["push_both"][name].bars
    assert first == pytest.approx(shares[:1], abs=1e-9)
    ((beside, starts, _),) = shown["share"][name].bars
    assert beside == pytest.approx(shares, abs=1e-9)
    assert starts == pytest.approx(np.zeros(4), abs=1e-9)
    (stacked, starts, tips), (total, foot, _) = shown["answer"][name].bars
    assert stacked == pytest.approx(shares, abs=1e-9)
    assert starts == pytest.approx([0.0, *np.cumsum(shares)[:-1]], abs=1e-9)
    assert (tips[-1], total[0], foot[0]) == pytest.approx((score, score, 0.0), abs=1e-9)
    assert f"{key + offset:.0f}".replace("-", "\N{MINUS SIGN}") in shown["answer"][name].numbers


@pytest.mark.parametrize("name", list(STATES))
def test_the_curve_is_the_score_over_the_offset(shown: dict[str, Any], name: str) -> None:
    ((curve, (head_x, head_y)),) = shown["answer"][name].curves
    offsets, scores = curve.T
    assert (offsets[0], offsets[-1]) == pytest.approx((0.0, 60.0))
    assert np.diff(offsets).max() <= 0.125 + 1e-9
    assert scores == pytest.approx(np.array([shares_at(offset).sum() for offset in offsets]), abs=1e-9)
    expected = rotary.score(RopeRotation.query, RopeRotation.key, offsets, FREQUENCIES)
    assert scores == pytest.approx(expected, abs=1e-9)
    if name in STATES and "offset" in STATES[name]:
        assert head_x == pytest.approx(STATES[name]["offset"], abs=1e-9)
    assert head_y == pytest.approx(shares_at(head_x).sum(), abs=1e-9)


def test_the_words_stand_where_the_arrows_have_turned_to(shown: dict[str, Any]) -> None:
    assert shown["ask"]["as it is"].words[0] == pytest.approx([0, 1, 2, 3, 4])
    assert shown["push_both"]["key at 5.5, offset 2.0"].words[0] == pytest.approx([3.5, 4.5, 5.5, 6.5, 7.5])
    assert shown["move_query"]["key at 2.0, offset 5.0"].words[0][[2, 4]] == pytest.approx([2, 7])


def test_at_the_loudest_offset_every_query_lies_along_its_key(shown: dict[str, Any]) -> None:
    offsets = np.arange(61)
    scores = np.array([shares_at(offset).sum() for offset in offsets])
    assert offsets[scores.argmax()] == 20
    assert scores.max() == pytest.approx(np.abs(QUERY * KEY).sum(), rel=0.01)
    for query, key in shown["trace_score"]["as it is"].vectors:
        assert abs(np.degrees(angle_between(key, query))) < 15.0


def test_words_of_a_row_share_a_baseline() -> None:
    row = TokenRow(("the", "dog"), Ruler(DARK), DARK, query=1, key=0)
    the, dog = (tile.word for tile in row.tiles)
    # The letters of 'the' and the 'd' of 'dog' are equally high; the 'g' reaches below.
    assert the.get_top()[1] == pytest.approx(dog.get_top()[1], abs=0.01)
    assert the.get_bottom()[1] > dog.get_bottom()[1] + 0.03
