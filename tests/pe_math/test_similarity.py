"""What the dot products of a sinusoidal table are, each figure as the lectures state it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.linalg import toeplitz

from pe_math import similarity
from pe_math.frequencies import geometric
from pe_math.sinusoidal import table

some_frequencies = st.lists(st.floats(0, 4), min_size=1, max_size=8)
small_tables = hnp.arrays(
    np.float64, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=st.integers(-4, 4).map(float)
)


@given(st.integers(-(2**40), 2**40), st.integers(0, 12), some_frequencies)
def test_kernel_is_the_toeplitz_matrix_of_the_table(start: int, n: int, frequencies: list[float]) -> None:
    rows = table(np.arange(start, start + n), frequencies)
    expected = toeplitz(similarity.kernel(frequencies, np.arange(n)))
    np.testing.assert_allclose(rows @ rows.T, expected.reshape(n, n), rtol=0, atol=1e-14)


@given(st.integers(1, 12), some_frequencies)
def test_cosine_similarity_is_the_kernel_over_half_d(n: int, frequencies: list[float]) -> None:
    expected = toeplitz(similarity.kernel(frequencies, np.arange(n))) / len(frequencies)
    np.testing.assert_allclose(
        similarity.matrix(table(np.arange(n), frequencies)), expected, rtol=0, atol=1e-14
    )


@given(st.lists(st.floats(-1e6, 1e6), max_size=8), some_frequencies)
def test_kernel_is_even_and_largest_at_zero(offsets: list[float], frequencies: list[float]) -> None:
    values = similarity.kernel(frequencies, offsets)
    assert values.shape == (len(offsets),)
    assert (values == similarity.kernel(frequencies, -np.array(offsets))).all()
    assert (np.abs(values) <= len(frequencies) * (1 + 1e-15)).all()
    assert similarity.kernel(frequencies, [0]) == len(frequencies)


@given(hnp.arrays(np.float64, (5, 3), elements=st.floats(-10, 10)), st.floats(0.1, 100))
def test_matrix_is_symmetric_bounded_and_knows_no_length(rows: np.ndarray, factor: float) -> None:
    rows = rows + np.array([20, 0, 0])  # keep clear of zero rows
    values = similarity.matrix(rows)
    np.testing.assert_allclose(values, values.T, atol=1e-14)
    np.testing.assert_allclose(np.diag(values), 1, atol=1e-14)
    assert (np.abs(values) <= 1 + 1e-14).all()
    np.testing.assert_allclose(similarity.matrix(rows * factor), values, atol=1e-13)
    expected = rows[1] @ rows[3] / math.hypot(*rows[1]) / math.hypot(*rows[3])
    assert values[1, 3] == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(("d", "before"), [(32, 4), (128, 11), (512, 43)])
def test_the_kernel_first_rises(d: int, before: int) -> None:
    steps = np.diff(similarity.kernel(geometric(d), np.arange(100)))
    assert (steps[:before] < 0).all()
    assert steps[before] > 0


def test_202_of_512_steps_rise() -> None:
    assert (np.diff(similarity.kernel(geometric(512), np.arange(513))) > 0).sum() == 202


def test_the_kernel_at_offsets_1_10_100_1000() -> None:
    shares = similarity.kernel(geometric(512), [1, 10, 100, 1000]) / 256
    assert shares.round(3).tolist() == [0.973, 0.679, 0.437, 0.176]


@pytest.mark.parametrize(("d", "offset"), [(64, 725), (128, 1707)])
def test_the_kernel_turns_negative(d: int, offset: int) -> None:
    values = similarity.kernel(geometric(d), np.arange(offset + 1))
    assert (values[:-1] > 0).all()
    assert values[-1] < 0


@given(st.integers(-(2**31), 2**31), st.integers(2, 10), some_frequencies)
def test_the_step_between_neighbours_is_constant(start: int, n: int, frequencies: list[float]) -> None:
    steps = similarity.neighbour_distance(table(np.arange(start, start + n), frequencies))
    expected = math.sqrt(sum(2 - 2 * math.cos(w) for w in frequencies))
    assert steps.shape == (n - 1,)
    # squares, for the root of what is left after a cancellation has half the digits
    np.testing.assert_allclose(steps**2, expected**2, rtol=0, atol=5e-14)


@pytest.mark.parametrize(("d", "step"), [(32, 1.172), (512, 3.714)])
def test_neighbour_steps(d: int, step: float) -> None:
    steps = similarity.neighbour_distance(table(np.arange(2000), geometric(d)))
    assert set(steps.round(3)) == {step}
    assert np.ptp(steps) < 1e-13


def distance(frequencies: np.ndarray, offsets: np.ndarray | list[int]) -> np.ndarray:
    """Return how far apart two positions are: |a - b|² = |a|² + |b|² - 2 a·b."""
    return np.sqrt(2 * len(frequencies) - 2 * similarity.kernel(frequencies, offsets))


def test_for_d_8_neighbours_are_not_nearest() -> None:
    neighbours, six, sixty_three, hundreds, twins = distance(geometric(8), [1, 6, 63, 628, 6283])
    assert [round(float(d), 3) for d in (neighbours, six, twins)] == [0.964, 0.658, 0.186]
    assert sixty_three < neighbours
    assert hundreds < neighbours


def test_closest_pair_for_d_8_is_the_twins() -> None:
    i, j, gap = similarity.closest_pair(table(np.arange(10_000), geometric(8)))
    assert (i, j, round(gap, 3)) == (0, 6283, 0.186)


@pytest.mark.parametrize("d", [16, 32, 64])
def test_no_two_of_10_000_are_nearer_than_neighbours(d: int) -> None:
    """All pairs at once, for their distance depends on the offset alone."""
    gaps = distance(geometric(d), np.arange(1, 10_000))
    assert gaps[1:].min() > gaps[0]


@given(small_tables)
def test_closest_pair_is_the_best_of_all_pairs(rows: np.ndarray) -> None:
    pairs = {(i, j): float(np.linalg.norm(rows[i] - rows[j])) for j in range(len(rows)) for i in range(j)}
    i, j, gap = similarity.closest_pair(rows)
    assert i < j
    assert pairs[i, j] == pytest.approx(gap)
    assert gap == pytest.approx(min(pairs.values()))
    assert i == min(pair[0] for pair, d in pairs.items() if d == min(pairs.values()))


def test_closest_pair_among_equal_rows() -> None:
    assert similarity.closest_pair(np.ones((20, 4))) in [(0, j, 0.0) for j in range(1, 20)]


@pytest.mark.parametrize(("d", "share"), [(32, 0.33), (128, 0.67), (512, 0.94)])
def test_positions_read_back_from_noisy_tokens(d: int, share: float) -> None:
    """100 trials of 100 positions: the standard error is at most half a point."""
    encodings = table(np.arange(100), geometric(d))
    noise = np.random.default_rng(0).standard_normal((100, 100, d))
    right = [similarity.recover_position(encodings + tokens, encodings) == np.arange(100) for tokens in noise]
    assert np.mean(right) == pytest.approx(share, abs=0.015)


@given(hnp.arrays(np.float64, (4, 2), elements=st.floats(-5, 5)), small_tables)
def test_recover_position_is_the_nearest_row(vectors: np.ndarray, rows: np.ndarray) -> None:
    rows = np.resize(rows, (len(rows), 2))
    gaps = np.linalg.norm(vectors[:, np.newaxis] - rows, axis=2)
    found = similarity.recover_position(vectors, rows)
    assert found.dtype == np.int64
    np.testing.assert_allclose(gaps[np.arange(4), found], gaps.min(axis=1), atol=1e-7)


def test_recover_position_of_a_noiseless_table() -> None:
    encodings = table(np.arange(1000), geometric(64))
    assert (similarity.recover_position(encodings, encodings) == np.arange(1000)).all()


def test_random_projections_take_the_offset_out_of_the_score() -> None:
    """Gaussian query and key matrices over sqrt(d), d = 64, 256 positions, three seeds.

    Deviations of 2.5 to 3.8 along diagonals and 2.9 to 3.4 overall; other seeds move these by a quarter.
    """
    encodings, d = table(np.arange(256), geometric(64)), 64
    raw = encodings @ encodings.T
    assert max(np.diagonal(raw, offset).std() for offset in range(-128, 129)) < 1e-13
    for seed in range(3):
        to_query, to_key = np.random.default_rng(seed).standard_normal((2, d, d)) / math.sqrt(d)
        scores = encodings @ to_query @ (encodings @ to_key).T
        along = np.mean([np.diagonal(scores, offset).std() for offset in range(-128, 129)])
        assert 2.9 * 0.75 < scores.std() < 3.4 * 1.25
        assert 2.5 * 0.75 < along < 3.8 * 1.25
        assert along == pytest.approx(scores.std(), rel=0.2)


def test_empty_sequences() -> None:
    assert similarity.kernel(geometric(8), []).shape == (0,)
    assert similarity.matrix(np.empty((0, 8))).shape == (0, 0)
    assert similarity.neighbour_distance(np.empty((0, 8))).shape == (0,)
    assert similarity.neighbour_distance(np.ones((1, 8))).shape == (0,)
    assert similarity.recover_position(np.empty((0, 8)), np.ones((3, 8))).shape == (0,)
