"""Linear biases, held against BLOOM and MPT in transformers."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from transformers.models.bloom import modeling_bloom
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from pe_math import alibi

FORMS = ["causal", "symmetric", "one_sided"]


class DoubleTorch:
    """Torch with float64 under the name that the peer asks for, so that its own code runs in float64."""

    float32 = torch.float64

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def bloom(heads: int, keys: int) -> np.ndarray:
    """Return BLOOM's bias, ``(heads, 1, keys)``: slope times key index."""
    return modeling_bloom.build_alibi_tensor(torch.ones(1, keys), heads, torch.float64).numpy()


@pytest.mark.parametrize("heads", [1, 2, 3, 6, 8, 12, 16, 20, 32, 71, 112, 128])
def test_slopes_are_bloom(monkeypatch: pytest.MonkeyPatch, heads: int) -> None:
    monkeypatch.setattr(modeling_bloom, "torch", DoubleTorch())
    np.testing.assert_allclose(alibi.slopes(heads), bloom(heads, 2)[:, 0, 1], rtol=1e-12)


@pytest.mark.parametrize("heads", [1, 2, 3, 6, 8, 12, 16, 20, 32, 71, 112, 128])
def test_bias_is_mpt_but_for_its_float32(heads: int) -> None:
    """MPT's bias is that of the last query."""
    theirs = build_mpt_alibi_tensor(heads, 50).numpy()
    np.testing.assert_allclose(alibi.bias(heads, 1, 50), theirs, rtol=1e-6)


@pytest.mark.parametrize("heads", [4, 6])
def test_blooms_bias_is_another_picture_and_the_same_softmax(heads: int) -> None:
    ours = alibi.bias(heads, 20, 20)
    causal = np.where(np.tril(np.ones((20, 20))) > 0, 0, -np.inf)
    theirs = bloom(heads, 20) + causal
    scores = np.random.default_rng(0).standard_normal((heads, 20, 20))
    np.testing.assert_allclose(softmax(scores + ours, axis=-1), softmax(scores + theirs, axis=-1), atol=1e-6)
    assert not np.allclose(ours[:, 5, :6], theirs[:, 5, :6])


@given(st.integers(0, 8))
def test_slopes_of_a_power_of_two_are_a_geometric_series(exponent: int) -> None:
    heads = 2**exponent
    slopes = alibi.slopes(heads)
    assert slopes.shape == (heads,)
    assert slopes[-1] == 1 / 256
    np.testing.assert_allclose(slopes, slopes[0] ** np.arange(1, heads + 1), rtol=1e-13)


def test_six_heads_append_a_second_series() -> None:
    assert (1 / alibi.slopes(6)).tolist() == [4, 16, 64, 256, 2, 8]


@given(st.integers(1, 9), st.integers(0, 12), st.integers(0, 12))
def test_causal_bias_is_minus_slope_times_distance(heads: int, queries: int, cached: int) -> None:
    """The last query sits on the last key, and keys after a query do not count."""
    keys = queries + cached
    bias, slopes = alibi.bias(heads, queries, keys), alibi.slopes(heads)
    assert bias.shape == (heads, queries, keys)
    for head in range(heads):
        for query in range(queries):
            for key in range(keys):
                distance = query + cached - key
                expected = -slopes[head] * distance if distance >= 0 else -np.inf
                assert bias[head, query, key] == expected


@given(st.integers(1, 9), st.integers(0, 12))
def test_symmetric_bias_cannot_tell_left_from_right(heads: int, length: int) -> None:
    bias = alibi.bias(heads, length, length, "symmetric")
    assert (bias == bias[:, ::-1, ::-1]).all()
    assert (bias == bias.transpose(0, 2, 1)).all()
    causal = alibi.bias(heads, length, length)
    assert (np.where(np.isinf(causal), bias, causal) == bias).all()
    assert np.isfinite(bias).all()


@given(st.integers(1, 5), st.integers(0, 12))
def test_one_sided_halves_are_mirror_images(half: int, length: int) -> None:
    left, right = np.split(alibi.bias(2 * half, length, length, "one_sided"), 2)
    assert (left == alibi.bias(half, length, length)).all()
    assert (right == left[:, ::-1, ::-1]).all()


@pytest.mark.parametrize("form", FORMS)
def test_empty_sequences_and_cached_keys(form: str) -> None:
    assert alibi.bias(2, 0, 0, form).shape == (2, 0, 0)
    assert alibi.bias(2, 0, 5, form).shape == (2, 0, 5)
    assert (alibi.bias(2, 2, 5, form) == alibi.bias(2, 5, 5, form)[:, -2:]).all()


def test_no_bias_is_plain_zero() -> None:
    assert not np.signbit(alibi.bias(2, 3, 3, "one_sided")[:, range(3), range(3)]).any()
