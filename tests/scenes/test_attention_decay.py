"""Attention against distance: the map slants true, curves are its diagonals' means, and words follow them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from manim import tempconfig

from pe_math import alibi
from pe_math.training import records
from scenes.attention_decay import (
    AttentionDecay,
    Heads,
    averaged,
    by_distance,
    mean_distance,
    prescribed,
    uniform_map,
    widest,
)
from scenes.mobjects.attention import AttentionMap, OffsetAxes, OffsetCurve, dashes
from scenes.theme import DARK
from tests.scenes.harness import construct, texts_on_screen

COUNT = 12


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def softmaxed(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores)
    return weights / weights.sum(axis=-1, keepdims=True)


def decaying(slope: float, count: int = COUNT) -> np.ndarray:
    """Return a causal map whose scores fall by ``slope`` a place."""
    distance = np.arange(count)[:, None] - np.arange(count)
    return softmaxed(np.where(distance < 0, -np.inf, -slope * distance))


# What is measured


def test_looking_at_all_alike_falls_with_distance_by_itself() -> None:
    # At distance k the queries k to n - 1 have a key, and query i gives it 1 / (i + 1).
    expected = [np.mean([1.0 / (i + 1) for i in range(k, COUNT)]) for k in range(COUNT)]
    assert averaged(uniform_map(COUNT)) == pytest.approx(expected)
    assert (np.diff(expected) < 0.0).all()


def test_the_mean_distance_is_that_of_the_map() -> None:
    attention = decaying(0.3)
    distance = np.arange(COUNT)[:, None] - np.arange(COUNT)
    assert mean_distance(averaged(attention)) == pytest.approx((attention * distance).sum(axis=1).mean())
    # Query i looks i / 2 back when it looks at all alike.
    assert mean_distance(averaged(uniform_map(COUNT))) == pytest.approx((COUNT - 1) / 4.0)


def test_distances_are_offsets_to_the_left() -> None:
    assert by_distance(np.array([1.0, 2.0, 3.0, 0.0, 0.0])).tolist() == [3.0, 2.0, 1.0]


def test_what_slopes_prescribe_is_sorted_from_near_to_far() -> None:
    wanted = prescribed(6, COUNT)  # six slopes are not sorted: 1/4, 1/16, 1/64, 1/256, 1/2, 1/8
    steepest = np.sort(alibi.slopes(6))[::-1]
    for head, slope in zip(wanted, steepest, strict=True):
        assert head == pytest.approx(averaged(decaying(slope)))


def test_heads_are_sorted_in_each_seed_anew() -> None:
    near, far = decaying(1.0), decaying(0.1)
    arrays = {
        "copy/none/attention_by_offset": np.stack(
            [records.attention_by_offset(np.stack(heads))[None] for heads in ((near, far), (far, near))]
        )
    }
    heads = Heads.read(records.Record(arrays, {}), "copy", "none", 0)
    for seed in heads.weights:
        assert seed[0] == pytest.approx(averaged(near))
        assert seed[1] == pytest.approx(averaged(far))
    assert heads.distances[:, 0] == pytest.approx(np.full(2, mean_distance(averaged(near))))


def test_the_widest_head_looks_farthest_back() -> None:
    maps = np.stack([decaying(1.0), decaying(0.05), decaying(0.4)])
    assert widest(maps) == pytest.approx(maps[1])


# The pictures


def picture() -> AttentionMap:
    return AttentionMap(decaying(0.3), DARK, center=(0.5, 1.0), width=6.0, height=3.0)


def test_upright_keys_go_right_and_queries_down() -> None:
    shown = picture().set_state(0.0, COUNT)
    assert shown.cell(0, 0) == pytest.approx([0.5 - 3.0 + 0.25, 1.0 + 1.5 - 0.125, 0.0])
    assert shown.cell(11, 3) - shown.cell(10, 2) == pytest.approx([0.5, -0.25, 0.0])


@pytest.mark.parametrize("distance", [0, 1, 5, 11])
def test_slanted_a_distance_is_a_column_and_nearer_is_right(distance: int) -> None:
    shown = picture().set_state(1.0, COUNT)
    column = [shown.cell(query, query - distance)[0] for query in range(distance, COUNT)]
    assert np.ptp(column) == pytest.approx(0.0, abs=1e-9)
    nearest = shown.cell(COUNT - 1, COUNT - 1)[0]
    assert column[-1] == pytest.approx(nearest - 0.5 * distance)


def test_keys_after_the_query_are_not_shown_and_rows_not_read_are_dim() -> None:
    shown = picture().set_state(0.5, 4).pixel_array[..., 3]
    upper = np.triu(np.ones((COUNT, COUNT), dtype=bool), 1)
    assert (shown[upper] == 0).all()
    assert (shown[:4][~upper[:4]] == 255).all()
    assert 0 < shown[4:][~upper[4:]].max() < 128


def axes(count: int = COUNT) -> OffsetAxes:
    return OffsetAxes(count, (1e-3, 1.0), DARK, center=(1.0, 0.0), width=5.5, height=3.0, step=5)


def test_offsets_are_evenly_spaced_and_each_decade_is_as_high_as_the_next() -> None:
    points = axes().points_at([-11, -5.5, 0], [1e-3, 10**-1.5, 1.0])
    assert points == pytest.approx(np.array([[-1.75, -1.5, 0.0], [1.0, 0.0, 0.0], [3.75, 1.5, 0.0]]))
    offsets, weights = axes().values_at(points)
    assert offsets == pytest.approx([-11, -5.5, 0])
    assert weights == pytest.approx([1e-3, 10**-1.5, 1.0])


def test_a_curve_stops_where_it_falls_below_the_floor() -> None:
    weights = 10.0 ** -np.arange(0.0, 6.0, 0.5)
    curve = OffsetCurve(axes(), DARK.text).set_weights(weights, weights / 2.0, weights * 2.0)
    offsets, shown = curve.values
    assert offsets == pytest.approx(-np.arange(7.0))
    assert shown == pytest.approx(weights[:7])
    _, band = axes().values_at(curve.band.vertices)
    assert band.min() >= 1e-3 - 1e-9 and band.max() == pytest.approx(2.0)


def test_dashes_lie_on_the_curve() -> None:
    weights = averaged(uniform_map(COUNT))
    for ends in (dashes(axes(), weights, DARK.text).starts, dashes(axes(), weights, DARK.text).ends):
        offsets, heights = axes().values_at(ends)
        expected = np.interp(-offsets, np.arange(COUNT), np.log(weights))
        assert np.log(heights) == pytest.approx(expected)


# The shot on small records


def recorded(folder: Path, slopes: dict[str, tuple[float, float]]) -> str:
    """Write a record of maps that fall by these slopes a head, and return the name the shot finds it by."""
    arrays: dict[str, Any] = {}
    for mode, heads in slopes.items():
        maps = np.stack([decaying(slope) for slope in heads])
        arrays |= {f"wikitext/{mode}/{part}": np.ones((2, 3)) for part in ("train_loss", "validation_loss")}
        arrays[f"wikitext/{mode}/attention"] = maps[None]
        by_offset = records.attention_by_offset(maps)[None]
        arrays[f"wikitext/{mode}/attention_by_offset"] = np.stack([by_offset, by_offset * 1.02])
    document = {
        "seeds": [0, 1],
        "tasks": {"wikitext": {"training": {"epochs": 3}}},
        "encodings": {mode: {} for mode in slopes},
    }
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}
    records.save(folder / "small.safetensors", records.Record(arrays, document))
    return str(folder / "small")


ALIBI = (1.0 / 16.0, 1.0 / 256.0)  # the slopes of two heads


@pytest.mark.parametrize(
    ("relative", "slopes", "verdict"),
    [
        (("alibi", "rope"), {"alibi": ALIBI, "rope": (1.0, 0.1), "learned": (0.001, 0.0)}, "relative_nearer"),
        (("alibi", "rope"), {"alibi": ALIBI, "rope": (1.0, 0.1), "learned": (0.5, 0.0)}, "both"),
        (("rope",), {"rope": (0.1, 0.05), "learned": (1.0, 0.2)}, "absolute_nearer"),
    ],
)
def test_the_words_follow_from_the_record(
    relative: tuple[str, ...], slopes: dict[str, tuple[float, float]], verdict: str, tmp_path: Path
) -> None:
    said: dict[str, str] = {}
    curves: dict[str, Any] = {}
    small = type(
        "AttentionDecay",
        (AttentionDecay,),
        {
            "record": recorded(tmp_path, {"none": (0.0, 0.0), **slopes}),
            "relative": relative,
            "absolute": ("learned",),
        },
    )

    def look(scene: Any, section: str) -> None:
        said[section] = " ".join(getattr(text, "text", "") for text in texts_on_screen(scene))
        if section == "average":
            curves["line"], curves["uniform"] = scene.line.values, scene.uniform

    scene: Any = construct(small, tmp_path, at_section_end=look)
    # A model that looks at all words alike draws the very curve that it is measured against.
    offsets, weights = curves["line"]
    assert offsets == pytest.approx(-np.arange(COUNT), abs=1e-6)
    assert weights == pytest.approx(curves["uniform"], rel=1e-5)

    # The nearest head is the steepest; the second seed's weights, and so its distances, are 2 % larger.
    nearest = {
        kind: mean_distance(np.stack([averaged(decaying(max(slopes[mode]))) for mode in modes]))
        for kind, modes in (("relative", relative), ("absolute", ("learned",)))
    }
    values = {kind: f"{far.min():.1f} – {1.02 * far.max():.1f}" for kind, far in nearest.items()}
    assert str(scene.words(verdict, **values).text) in said["compare"]
    assert ("prescribe" in said) == ("alibi" in relative)
    if "alibi" in relative:
        assert "1/16" in said["prescribe"] and "1/256" in said["prescribe"]
        assert str(scene.words("follows", percent="1").text) in said["prescribe"]
