"""Bad input is a ValueError that names the argument; nothing keeps state; importing brings no torch."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from pe_math import alibi, frequencies, projection, relative, rotary, similarity, sinusoidal
from pe_math.angles import cos_sin

Function = Callable[..., Any]

W = [1.0, 0.1]
X = np.ones((3, 4))

BAD_VECTORS: list[Any] = [
    3,  # never a count
    2.5,
    np.float64(3),
    "012",
    ["0", "1"],
    [True, False, True],
    [1j, 0, 0],
    [None, 0, 0],
    [np.nan, 0, 0],
    [0, np.inf, 0],
    [2**53 + 1, 0, 0],
    [-(2**53) - 1, 0, 0],
    [2**63, 0, 0],
    [2**70, 0, 0],
    [1e300, 0, 0],
    [[0, 1, 2]],
    [[0], [1, 2]],
    np.array(["2026-01-01"], dtype="datetime64[D]"),
]
BAD_TABLES: list[Any] = [
    3, [1, 2], [[[1, 2]]], [[1, np.nan]], [[np.inf, 1]], [[True, False]], [["a", "b"]], [[1j, 1]],
    [[1], [1, 2]], [[2**53 + 1, 1]],
]  # fmt: skip
BAD_NUMBERS: list[Any] = [np.nan, np.inf, -np.inf, "2", True, None, [2.0], 1j, 2**53 + 1]
BAD_COUNTS: list[Any] = [-1, 2.0, 2.5, "2", True, None, np.nan, [2], np.array(2.0), 2**53 + 1]
BAD_WIDTHS: list[Any] = [*BAD_COUNTS, 0, -2, 1, 3, 511]
BAD_WORDS: list[Any] = ["", "Interleaved", "both", None, 1, True, ["half"]]

VECTORS: list[tuple[str, Function]] = [
    ("positions", lambda bad: cos_sin(bad, W)),
    ("frequencies", partial(cos_sin, [0, 1, 2])),
    ("positions", lambda bad: sinusoidal.table(bad, W)),
    ("frequencies", partial(sinusoidal.table, [0, 1, 2])),
    ("frequencies", lambda bad: sinusoidal.shift(bad, 1)),
    ("frequencies", lambda bad: similarity.kernel(bad, [1])),
    ("offsets", partial(similarity.kernel, W)),
    ("positions", lambda bad: rotary.rotate(X, bad, W)),
    ("frequencies", lambda bad: rotary.rotate(X, [0, 1, 2], bad)),
    ("offsets", lambda bad: rotary.score([1, 2], [3, 4], bad, [1.0])),
    ("frequencies", lambda bad: rotary.plane_scores([1, 2], [3, 4], [0], bad)),
    ("frequencies", lambda bad: frequencies.interpolate(bad, 2)),
    ("frequencies", lambda bad: frequencies.llama3(bad, 8, 1, 4, 8192)),
]
TABLES: list[tuple[str, Function]] = [
    ("table", similarity.matrix),
    ("table", similarity.neighbour_distance),
    ("table", similarity.closest_pair),
    ("table", lambda bad: similarity.recover_position([[1, 2]], bad)),
    ("vectors", lambda bad: similarity.recover_position(bad, [[1, 2]])),
    ("x", lambda bad: projection.pca(bad, 1)),
]
NUMBERS: list[tuple[str, Function]] = [
    ("base", partial(frequencies.geometric, 8)),
    ("fastest", lambda bad: frequencies.linear(8, fastest=bad)),
    ("slowest", lambda bad: frequencies.linear(8, slowest=bad)),
    ("base", lambda bad: frequencies.mixed(8, base=bad)),
    ("weight", lambda bad: frequencies.mixed(8, weight=bad)),
    ("factor", partial(frequencies.interpolate, W)),
    ("base", lambda bad: frequencies.ntk(8, bad, 2)),
    ("factor", partial(frequencies.ntk, 8, 10.0)),
    ("base", lambda bad: frequencies.dynamic_ntk(8, bad, 2, 100, 50)),
    ("factor", lambda bad: frequencies.dynamic_ntk(8, 10.0, bad, 100, 50)),
    ("base", lambda bad: frequencies.yarn(8, bad, 2, 100)),
    ("factor", lambda bad: frequencies.yarn(8, 10.0, bad, 100)),
    ("beta_fast", lambda bad: frequencies.yarn(8, 10.0, 2, 100, beta_fast=bad)),
    ("beta_slow", lambda bad: frequencies.yarn(8, 10.0, 2, 100, beta_slow=bad)),
    ("factor", lambda bad: frequencies.llama3(W, bad, 1, 4, 100)),
    ("low_freq_factor", lambda bad: frequencies.llama3(W, 8, bad, 4, 100)),
    ("high_freq_factor", lambda bad: frequencies.llama3(W, 8, 1, bad, 100)),
    ("offset", partial(sinusoidal.shift, W)),
]
COUNTS: list[tuple[str, Function]] = [
    ("length", lambda bad: frequencies.dynamic_ntk(8, 10.0, 2, bad, 50)),
    ("original_length", lambda bad: frequencies.dynamic_ntk(8, 10.0, 2, 100, bad)),
    ("original_length", lambda bad: frequencies.yarn(8, 10.0, 2, bad)),
    ("original_length", lambda bad: frequencies.llama3(W, 8, 1, 4, bad)),
    ("query_length", lambda bad: relative.shaw_index(bad, 3, 2)),
    ("key_length", lambda bad: relative.shaw_index(3, bad, 2)),
    ("max_distance", lambda bad: relative.shaw_index(3, 3, bad)),
    ("num_buckets", lambda bad: relative.t5_bucket([1], True, bad, 128)),
    ("max_distance", lambda bad: relative.t5_bucket([1], True, 32, bad)),
    ("heads", alibi.slopes),
    ("heads", lambda bad: alibi.bias(bad, 3, 3)),
    ("query_length", lambda bad: alibi.bias(2, bad, 3)),
    ("key_length", lambda bad: alibi.bias(2, 0, bad)),
    ("components", partial(projection.pca, X + np.eye(3, 4))),
]
WIDTHS: list[tuple[str, Function]] = [
    ("d", frequencies.geometric),
    ("d", frequencies.linear),
    ("d", frequencies.mixed),
    ("d", lambda bad: frequencies.ntk(bad, 10.0, 2)),
    ("d", lambda bad: frequencies.dynamic_ntk(bad, 10.0, 2, 100, 50)),
    ("d", lambda bad: frequencies.yarn(bad, 10.0, 2, 100)),
]
WORDS: list[tuple[str, Function]] = [
    ("layout", partial(sinusoidal.table, [0], W)),
    ("pairing", partial(rotary.rotate, X, [0, 1, 2], W)),
    ("pairing", partial(rotary.turn, X, np.ones((3, 2)), np.ones((3, 2)))),
    ("pairing", partial(rotary.score, [1, 2], [3, 4], [0], [1.0])),
    ("pairing", partial(rotary.plane_scores, [1, 2], [3, 4], [0], [1.0])),
    ("form", partial(alibi.bias, 2, 3, 3)),
]


@pytest.mark.parametrize(
    ("calls", "bads"),
    [
        (VECTORS, BAD_VECTORS),
        (TABLES, BAD_TABLES),
        (NUMBERS, BAD_NUMBERS),
        (COUNTS, BAD_COUNTS),
        (WIDTHS, BAD_WIDTHS),
        (WORDS, BAD_WORDS),
    ],
    ids=["vectors", "tables", "numbers", "counts", "widths", "words"],
)
def test_bad_input_is_refused_by_name(calls: list[tuple[str, Function]], bads: list[Any]) -> None:
    for name, call in calls:
        for bad in bads:
            with pytest.raises(ValueError, match=rf"(?s)\b{name} must .*got "):
                call(bad)
                pytest.fail(f"{name} took {bad!r}")


REFUSED: dict[str, tuple[str, Function]] = {
    "base of one": ("base", lambda: frequencies.geometric(8, 1.0)),
    "negative base": ("base", lambda: frequencies.geometric(8, -10.0)),
    "slowest above fastest": ("slowest", lambda: frequencies.linear(8, 0.1, 0.2)),
    "slowest of zero": ("slowest", lambda: frequencies.linear(8, 0.1, 0)),
    "weight above one": ("weight", lambda: frequencies.mixed(8, weight=1.1)),
    "negative weight": ("weight", lambda: frequencies.mixed(8, weight=-0.1)),
    "factor below one": ("factor", lambda: frequencies.interpolate(W, 0.5)),
    "ntk of one pair": ("d", lambda: frequencies.ntk(2, 10.0, 2)),
    "dynamic ntk of one pair": ("d", lambda: frequencies.dynamic_ntk(2, 10.0, 2, 100, 50)),
    "no original length": ("original_length", lambda: frequencies.yarn(8, 10.0, 2, 0)),
    "betas in the wrong order": ("beta_slow", lambda: frequencies.yarn(8, 10.0, 2, 100, 1, 32)),
    "beta of zero": ("beta_slow", lambda: frequencies.yarn(8, 10.0, 2, 100, 32, 0)),
    "truncate of one": ("truncate", lambda: frequencies.yarn(8, 10.0, 2, 100, truncate=1)),
    "bands in the wrong order": ("low_freq_factor", lambda: frequencies.llama3(W, 8, 4, 1, 100)),
    "bands of no width": ("low_freq_factor", lambda: frequencies.llama3(W, 8, 4, 4, 100)),
    "odd x": ("x.shape", lambda: rotary.rotate(np.ones((3, 5)), [0, 1, 2], W)),
    "x without width": ("x.shape", lambda: rotary.rotate(np.ones((3, 0)), [0, 1, 2], [])),
    "x of one axis": ("x.shape", lambda: rotary.rotate(np.ones(4), [0], W)),
    "x with NaN": ("x", lambda: rotary.rotate(np.full((3, 4), np.nan), [0, 1, 2], W)),
    "x with infinity": ("x", lambda: rotary.rotate(torch.full((3, 4), torch.inf), [0, 1, 2], W)),
    "bool x": ("x", lambda: rotary.rotate(np.ones((3, 4), bool), [0, 1, 2], W)),
    "complex x": ("x", lambda: rotary.rotate(X * 1j, [0, 1, 2], W)),
    "words x": ("x", lambda: rotary.rotate([["a", "b"]], [0], [1.0])),
    "too few positions": ("positions", lambda: rotary.rotate(X, [0, 1], W)),
    "one position for all": ("positions", lambda: rotary.rotate(X, [0], W)),
    "too many frequencies": ("frequencies", lambda: rotary.rotate(X, [0, 1, 2], [1, 1, 1])),
    "tables that differ": ("sin", lambda: rotary.turn(X, np.ones((3, 2)), np.ones((3, 1)))),
    "a table of one axis": ("cos", lambda: rotary.turn(X, np.ones(2), np.ones(2))),
    "q and k that differ": ("k", lambda: rotary.score([1, 2], [1, 2, 3, 4], [0], [1.0])),
    "odd q and k": ("d", lambda: rotary.score([1, 2, 3], [1, 2, 3], [0], [1.0])),
    "q of two axes": ("q", lambda: rotary.score([[1, 2]], [1, 2], [0], [1.0])),
    "NaN in k": ("k", lambda: rotary.plane_scores([1, 2], [1, np.nan], [0], [1.0])),
    "too many planes": ("frequencies", lambda: rotary.score([1, 2], [1, 2], [0], [1.0, 0.1])),
    "a zero row": ("table", lambda: similarity.matrix([[1, 0], [0, 0]])),
    "one row has no pair": ("table", lambda: similarity.closest_pair([[1, 0]])),
    "nothing to match": ("table", lambda: similarity.recover_position(np.ones((2, 2)), np.ones((0, 2)))),
    "widths that differ": ("vectors", lambda: similarity.recover_position(np.ones((2, 3)), np.ones((2, 2)))),
    "one bucket a direction": ("num_buckets", lambda: relative.t5_bucket([1], True, 3, 128)),
    "one bucket": ("num_buckets", lambda: relative.t5_bucket([1], False, 1, 128)),
    "max_distance is exact": ("max_distance", lambda: relative.t5_bucket([1], True, 32, 8)),
    "max_distance within exact": ("max_distance", lambda: relative.t5_bucket([1], False, 32, 15)),
    "half a position": ("relative_position", lambda: relative.t5_bucket([0.5], True, 32, 128)),
    "one relative position": ("relative_position", lambda: relative.t5_bucket(3, True, 32, 128)),
    "bool relative position": ("relative_position", lambda: relative.t5_bucket([True], True, 32, 128)),
    "huge relative position": ("relative_position", lambda: relative.t5_bucket([2**53 + 1], True, 32, 128)),
    "bidirectional of one": ("bidirectional", lambda: relative.t5_bucket([1], 1, 32, 128)),
    "no heads": ("heads", lambda: alibi.slopes(0)),
    "odd heads, one sided": ("heads", lambda: alibi.bias(3, 4, 4, "one_sided")),
    "more queries than keys": ("query_length", lambda: alibi.bias(2, 4, 3)),
    "more components than rows": ("components", lambda: projection.pca(np.eye(3, 5), 4)),
    "no components": ("components", lambda: projection.pca(np.eye(3), 0)),
    "rows that do not vary": ("x", lambda: projection.pca(np.full((3, 4), 0.1), 1)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "call"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_combinations_are_refused(name: str, call: Function) -> None:
    with pytest.raises(ValueError, match=rf"\b{name}\b.*, got "):
        call()


def test_the_last_exact_integer_is_welcome() -> None:
    assert sinusoidal.table([2**53, -(2**53)], W).shape == (2, 4)
    assert relative.t5_bucket([2**53], True, 32, 128).tolist() == [31]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32])
def test_any_real_type_of_positions(dtype: type) -> None:
    assert (sinusoidal.table(np.arange(5, dtype=dtype), W) == sinusoidal.table(range(5), W)).all()


PURE: dict[str, Callable[[np.ndarray], Any]] = {
    "cos_sin": lambda a: cos_sin(a, a)[0],
    "table": lambda a: sinusoidal.table(a, a),
    "shift": lambda a: sinusoidal.shift(a, 2),
    "kernel": lambda a: similarity.kernel(a, a),
    "matrix": lambda a: similarity.matrix(a[:, np.newaxis]),
    "neighbour_distance": lambda a: similarity.neighbour_distance(a[:, np.newaxis]),
    "recover_position": lambda a: similarity.recover_position(a[:, np.newaxis], a[:, np.newaxis]),
    "rotate": lambda a: rotary.rotate(np.outer(a, a), a, a[:2]),
    "rotate nothing": lambda a: rotary.rotate(np.broadcast_to(a, (4, 4)), a, []),
    "plane_scores": lambda a: rotary.plane_scores(a, a, a, a[:2]),
    "interpolate": lambda a: frequencies.interpolate(a, 1),
    "llama3": lambda a: frequencies.llama3(a, 1, 1, 4, 8192),
    "t5_bucket": lambda a: relative.t5_bucket(a.astype(int), True, 32, 128),
    "slopes": lambda a: alibi.slopes(8),
    "bias": lambda a: alibi.bias(2, 3, 3),
    "shaw_index": lambda a: relative.shaw_index(3, 3, 2),
    "pca": lambda a: projection.pca(np.outer(a, a), 1).scores,
}


@pytest.mark.parametrize("call", PURE.values(), ids=PURE.keys())
def test_functions_are_pure(call: Callable[[np.ndarray], Any]) -> None:
    """The answer stays the same after a call of the same shape and after it was overwritten; input stays."""
    values, others = np.array([0.5, 1.0, 2.0, 3.0]), np.array([0.25, 3.0, 0.5, 1.0])
    values.flags.writeable = False
    first = call(values)
    expected = first.copy()
    call(others)
    first[...] = 99
    assert (call(values) == expected).all()
    assert values.tolist() == [0.5, 1.0, 2.0, 3.0]


def test_importing_brings_neither_torch_nor_scipy_nor_manim() -> None:
    program = (
        "import sys\n"
        "from pe_math import alibi, angles, frequencies, projection\n"
        "from pe_math import relative, rotary, similarity, sinusoidal\n"
        "print(sorted({'torch', 'scipy', 'manim', 'transformers'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
