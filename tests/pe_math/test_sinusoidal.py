"""The table and its shift, held against tables of transformers' models and against the paper's formula."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.speecht5.modeling_speecht5 import SpeechT5ScaledPositionalEncoding

from pe_math.frequencies import geometric
from pe_math.sinusoidal import shift, table

some_frequencies = st.lists(st.floats(0, 4), max_size=8)
some_positions = st.lists(st.integers(-(2**40), 2**40) | st.floats(-1e6, 1e6), max_size=6)


def test_split_is_marian_but_for_storing_it_in_float32() -> None:
    """Marian computes in float64 and rounds at the end: half a unit in float32's last place."""
    peer = MarianSinusoidalPositionalEmbedding(500, 64).create_weight().numpy()
    np.testing.assert_allclose(table(np.arange(500), geometric(64), "split"), peer, rtol=0, atol=3e-8)


def test_split_is_gptj_but_for_its_float32() -> None:
    peer = create_sinusoidal_positions(500, 64).numpy()
    np.testing.assert_allclose(table(np.arange(500), geometric(64), "split"), peer, rtol=0, atol=5e-5)


def test_interleaved_is_speecht5_but_for_its_float32() -> None:
    peer = SpeechT5ScaledPositionalEncoding(0.0, 64, 500).pe[0].numpy()
    np.testing.assert_allclose(table(np.arange(500), geometric(64)), peer, rtol=0, atol=5e-5)


@given(st.integers(0, 5000), st.integers(0, 255))
def test_the_papers_formula(position: int, i: int) -> None:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)) and PE(pos, 2i+1) = cos of the same."""
    (row,) = table([position], geometric(512))
    angle = position / 10000 ** (2 * i / 512)
    assert row[2 * i] == pytest.approx(math.sin(angle), abs=2e-12)
    assert row[2 * i + 1] == pytest.approx(math.cos(angle), abs=2e-12)


@given(some_positions, some_frequencies)
def test_layouts_are_permutations_of_each_other(positions: list[float], frequencies: list[float]) -> None:
    interleaved, split = table(positions, frequencies), table(positions, frequencies, layout="split")
    assert interleaved.shape == split.shape == (len(positions), 2 * len(frequencies))
    assert (interleaved[:, 0::2] == split[:, : len(frequencies)]).all()
    assert (interleaved[:, 1::2] == split[:, len(frequencies) :]).all()


@given(some_positions, some_frequencies)
def test_every_encoding_has_length_sqrt_of_half_d(positions: list[float], frequencies: list[float]) -> None:
    lengths = np.linalg.norm(table(positions, frequencies), axis=1)
    np.testing.assert_allclose(lengths, math.sqrt(len(frequencies)), atol=1e-14)


@given(st.integers(-(2**31), 2**31), st.integers(-(2**31), 2**31), some_frequencies)
def test_shift_really_shifts(position: int, offset: int, frequencies: list[float]) -> None:
    moved = table([position], frequencies) @ shift(frequencies, offset).T
    np.testing.assert_allclose(table([position + offset], frequencies), moved, rtol=0, atol=3e-15)


@given(st.floats(-1000, 1000), some_frequencies)
def test_shift_is_orthogonal_and_undone_by_the_opposite(offset: float, frequencies: list[float]) -> None:
    matrix, identity = shift(frequencies, offset), np.eye(2 * len(frequencies))
    np.testing.assert_allclose(matrix @ matrix.T, identity, atol=1e-14)
    np.testing.assert_allclose(matrix @ shift(frequencies, -offset), identity, atol=1e-14)


def test_blocks_of_shift() -> None:
    w, k = 0.3, 5
    block = [[math.cos(w * k), math.sin(w * k)], [-math.sin(w * k), math.cos(w * k)]]
    expected = np.zeros((4, 4))
    expected[:2, :2], expected[2:, 2:] = np.eye(2), block
    np.testing.assert_allclose(shift([0.0, w], k), expected, atol=1e-15)


def test_hands_start_at_twelve_and_turn_clockwise() -> None:
    """The tip is (sin, cos): a quarter turn on, a clock hand points right, and half a turn on, down."""
    tips = table([0, 1, 2, 3], [math.pi / 2])
    np.testing.assert_allclose(tips, [[0, 1], [1, 0], [0, -1], [-1, 0]], atol=1e-15)


def test_low_dimensions_are_the_fast_ones() -> None:
    first_step = np.abs(np.diff(table([0, 1], geometric(64)), axis=0))[0, 0::2]
    assert (np.diff(first_step) < 0).all()


def test_empty_positions() -> None:
    assert table([], geometric(8)).shape == (0, 8)
    assert table([], geometric(8), layout="split").shape == (0, 8)
