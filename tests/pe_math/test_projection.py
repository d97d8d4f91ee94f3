"""Principal components, held against the eigenvectors of the covariance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pe_math.frequencies import geometric
from pe_math.projection import pca
from pe_math.sinusoidal import table


@pytest.mark.parametrize("shape", [(50, 6), (6, 50), (6, 6)])
def test_pca_is_the_eigenvectors_of_the_covariance(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).standard_normal(shape) * np.linspace(3, 1, shape[1]) + 5
    scores, directions, share = pca(x, 3)
    values, vectors = np.linalg.eigh(np.cov(x, rowvar=False))
    np.testing.assert_allclose(share, values[::-1][:3] / values.sum(), rtol=1e-10)
    np.testing.assert_allclose(np.abs(directions @ vectors[:, ::-1][:, :3]), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(scores, (x - x.mean(axis=0)) @ directions.T, atol=1e-12)


@given(hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 8)), elements=st.floats(-9, 9)))
def test_all_components_give_the_rows_back(x: np.ndarray) -> None:
    x = x + np.outer(np.arange(len(x)), np.ones(x.shape[1])) * 20  # rows that vary
    scores, directions, share = pca(x, min(x.shape))
    np.testing.assert_allclose(scores @ directions + x.mean(axis=0), x, atol=1e-11)
    np.testing.assert_allclose(directions @ directions.T, np.eye(len(directions)), atol=1e-12)
    assert share.sum() == pytest.approx(1)
    assert (np.diff(share) <= 1e-12).all()


def test_sign_is_fixed_by_the_largest_entry() -> None:
    x = np.random.default_rng(0).standard_normal((30, 5))
    _, directions, _ = pca(x, 5)
    _, mirrored, _ = pca(-x, 5)
    np.testing.assert_allclose(directions, mirrored, atol=1e-12)
    assert (directions[range(5), np.abs(directions).argmax(axis=1)] > 0).all()


def test_whole_turns_of_one_hand_are_a_circle() -> None:
    """A table of one frequency over its whole period: two equal components that hold everything."""
    scores, _, share = pca(table(np.arange(100), [2 * np.pi / 100]), 2)
    np.testing.assert_allclose(share, 0.5, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*scores.T), 1, atol=1e-12)


def test_shares_are_those_of_all_components() -> None:
    x = table(np.arange(200), geometric(16))
    np.testing.assert_allclose(pca(x, 2).explained_share, pca(x, 16).explained_share[:2])
