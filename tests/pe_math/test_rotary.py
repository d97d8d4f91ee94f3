"""Rotation, held against transformers and rotary-embedding-torch, and what the score does and does not do."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rotary_embedding_torch import RotaryEmbedding
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb as apply_neox
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as apply_gptj
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as apply_llama

from pe_math import rotary, similarity
from pe_math.angles import cos_sin
from pe_math.frequencies import geometric

PAIRINGS = ["interleaved", "half"]
pairings = st.sampled_from(PAIRINGS)
far_positions = st.integers(-(2**40), 2**40)
partial_frequencies = st.lists(st.floats(0, 4), max_size=4)
vectors = hnp.arrays(np.float64, 8, elements=st.floats(-10, 10))
Peer = Callable[..., tuple[torch.Tensor, torch.Tensor]]


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(7).standard_normal((2, 3, 50, 16))


def doubled(frequencies: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Return cos and sin for positions 0 to 49 as transformers' half pairing wants them."""
    angles = torch.outer(torch.arange(50).double(), torch.tensor(frequencies)).repeat(1, 2)[None]
    return angles.cos(), angles.sin()


@pytest.mark.parametrize("apply", [apply_llama, apply_neox])
def test_half_pairing_is_llama_and_gpt_neox(x: np.ndarray, apply: Peer) -> None:
    theirs, _ = apply(torch.tensor(x), torch.tensor(x), *doubled(geometric(16)))
    ours = rotary.rotate(x, np.arange(50), geometric(16), "half")
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rotated", [4, 8, 12])
def test_partial_half_pairing_is_gpt_neox(x: np.ndarray, rotated: int) -> None:
    """partial_rotary_factor turns the first coordinates alone, in halves of their own."""
    turning, rest = torch.tensor(x)[..., :rotated], torch.tensor(x)[..., rotated:]
    theirs, _ = apply_neox(turning, turning, *doubled(geometric(rotated)))
    ours = rotary.rotate(x, np.arange(50), geometric(rotated), "half")
    np.testing.assert_allclose(ours, torch.cat((theirs, rest), -1).numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rotated", [4, 8, 16])
def test_interleaved_pairing_is_gptj(x: np.ndarray, rotated: int) -> None:
    """rotary_dim turns the first coordinates alone; GPT-J wants (batch, n, heads, d)."""
    angles = torch.outer(torch.arange(50).double(), torch.tensor(geometric(rotated)))[None]
    turning = torch.tensor(x)[..., :rotated].transpose(1, 2)
    theirs = apply_gptj(turning, angles.sin(), angles.cos()).transpose(1, 2)
    expected = torch.cat((theirs, torch.tensor(x)[..., rotated:]), -1).numpy()
    ours = rotary.rotate(x, np.arange(50), geometric(rotated))
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rotated", [4, 8, 16])
@pytest.mark.parametrize("offset", [0, 1000])
def test_interleaved_pairing_is_rotary_embedding_torch(x: np.ndarray, rotated: int, offset: int) -> None:
    peer = RotaryEmbedding(rotated, custom_freqs=torch.tensor(geometric(rotated)), cache_if_possible=False)
    theirs = peer.double().rotate_queries_or_keys(torch.tensor(x), offset=offset)
    assert theirs.dtype == torch.float64
    ours = rotary.rotate(x, np.arange(offset, offset + 50), geometric(rotated))
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=1e-12)


def test_rotary_embedding_torch_as_it_runs_differs_by_float32_rounding(x: np.ndarray) -> None:
    theirs = RotaryEmbedding(16).rotate_queries_or_keys(torch.tensor(x).float())
    ours = rotary.rotate(x, np.arange(50), geometric(16))
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=5e-5)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_a_quarter_turn_is_counter_clockwise(pairing: str) -> None:
    pair = (0, 1) if pairing == "interleaved" else (0, 2)
    x = np.zeros((1, 4))
    x[0, pair[0]] = 1
    turned = rotary.rotate(x, [1], [math.pi / 2, 0], pairing)
    expected = np.zeros((1, 4))
    expected[0, pair[1]] = 1
    np.testing.assert_allclose(turned, expected, atol=1e-15)


@given(vectors, far_positions | st.floats(-1e6, 1e6), partial_frequencies, pairings)
def test_rotation_keeps_length(
    x: np.ndarray, position: float, frequencies: list[float], pairing: str
) -> None:
    turned = rotary.rotate(x[np.newaxis], [position], frequencies, pairing)
    assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(x), rel=1e-14)


@given(vectors, far_positions, partial_frequencies, pairings)
def test_rotation_is_undone_by_the_opposite(
    x: np.ndarray, position: int, frequencies: list[float], pairing: str
) -> None:
    turned = rotary.rotate(x[np.newaxis], [position], frequencies, pairing)
    back = rotary.rotate(turned, [-position], frequencies, pairing)
    np.testing.assert_allclose(back[0], x, atol=1e-13)


@given(vectors, vectors, far_positions, far_positions, partial_frequencies, pairings)
def test_the_score_depends_on_the_offset_alone(
    q: np.ndarray, k: np.ndarray, m: int, n: int, frequencies: list[float], pairing: str
) -> None:
    turned_q = rotary.rotate(q[np.newaxis], [m], frequencies, pairing)[0]
    turned_k = rotary.rotate(k[np.newaxis], [n], frequencies, pairing)[0]
    score = rotary.score(q, k, [m - n], frequencies, pairing)
    bound = 1e-14 * (1 + np.linalg.norm(q) * np.linalg.norm(k))
    assert score.item() == pytest.approx(turned_q @ turned_k, abs=bound)


@given(vectors, vectors, st.lists(st.integers(-5000, 5000), max_size=5), partial_frequencies, pairings)
def test_plane_scores_add_up_and_turn_from_their_own_angle(
    q: np.ndarray, k: np.ndarray, offsets: list[int], frequencies: list[float], pairing: str
) -> None:
    """Each is |q||k| cos(φ + w·offset), with φ the angle from key to query."""
    shares = rotary.plane_scores(q, k, offsets, frequencies, pairing)
    assert shares.shape == (len(offsets), 4)
    scores = rotary.score(q, k, offsets, frequencies, pairing)
    np.testing.assert_allclose(shares.sum(axis=1), scores, atol=1e-12)
    m = len(frequencies)
    for plane, w in enumerate([*frequencies, *[0.0] * (4 - m)]):
        first, second = pair_of(plane, m, pairing)
        q_plane, k_plane = complex(q[first], q[second]), complex(k[first], k[second])
        phi = math.atan2(q_plane.imag, q_plane.real) - math.atan2(k_plane.imag, k_plane.real)
        expected = [abs(q_plane) * abs(k_plane) * math.cos(phi + w * offset) for offset in offsets]
        np.testing.assert_allclose(shares[:, plane], expected, atol=1e-9)


def pair_of(plane: int, turning: int, pairing: str) -> tuple[int, int]:
    """Return which of eight coordinates make a plane, when only the first planes turn."""
    if pairing == "interleaved":
        return 2 * plane, 2 * plane + 1
    if plane < turning:
        return plane, plane + turning
    return plane + turning, plane + 4


def test_pairings_give_the_same_scores_only_after_permuting() -> None:
    q, k = np.random.default_rng(0).standard_normal((2, 16))
    offsets, w = np.arange(-5, 20), geometric(16)
    permutation = np.concatenate((np.arange(0, 16, 2), np.arange(1, 16, 2)))
    interleaved = rotary.score(q, k, offsets, w)
    permuted = rotary.score(q[permutation], k[permutation], offsets, w, "half")
    np.testing.assert_allclose(permuted, interleaved, atol=1e-13)
    assert np.abs(rotary.score(q, k, offsets, w, "half") - interleaved).max() > 1


def test_a_query_equal_to_its_key_scores_the_kernel() -> None:
    """Length sqrt(2) in every plane: then the score is twice the kernel, ripples included."""
    ones, offsets, w = np.ones(64), np.arange(1000), geometric(64)
    np.testing.assert_allclose(
        rotary.score(ones, ones, offsets, w), 2 * similarity.kernel(w, offsets), atol=1e-12
    )


@pytest.mark.parametrize("distance", [1, 4096])
def test_scores_of_random_vectors_do_not_fall_with_distance(distance: int) -> None:
    """Mean |q·k|/sqrt(d) of 20,000 pairs, whose standard error is 0.004, and mean q·k 0 within 4 errors."""
    q, k = np.random.default_rng(0).standard_normal((2, 20_000, 1, 128))
    scores = (rotary.rotate(q, [distance], geometric(128)) * k).sum(axis=-1) / math.sqrt(128)
    assert np.abs(scores).mean() == pytest.approx(0.79, abs=0.013)
    assert abs(scores.mean()) < 4 / math.sqrt(20_000)


@pytest.mark.parametrize("distance", [37, 500])
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_a_key_can_be_loudest_at_any_distance(distance: int, pairing: str) -> None:
    q = np.random.default_rng(0).standard_normal(128)
    (k,) = rotary.rotate(q[np.newaxis], [distance], geometric(128), pairing)
    scores = rotary.score(q, k, np.arange(4096), geometric(128), pairing)
    assert scores.argmax() == distance
    assert scores.max() == pytest.approx(q @ q)


def test_no_frequencies_leave_x_as_it_is(x: np.ndarray) -> None:
    assert (rotary.rotate(x, np.arange(50), []) == x).all()


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_empty_sequences(pairing: str) -> None:
    assert rotary.rotate(np.empty((3, 0, 8)), [], geometric(8), pairing).shape == (3, 0, 8)
    assert rotary.rotate(np.empty((0, 2, 8)), [0, 1], geometric(8), pairing).shape == (0, 2, 8)
    assert rotary.score(np.ones(8), np.ones(8), [], geometric(8), pairing).shape == (0,)
    assert rotary.plane_scores(np.ones(8), np.ones(8), [], geometric(8), pairing).shape == (0, 4)


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_torch_tensors_turn_like_arrays(x: np.ndarray, pairing: str, dtype: torch.dtype) -> None:
    """Far positions too: the angles stay in float64 whatever the tensor's type."""
    positions, tensor = np.arange(2**31, 2**31 + 50), torch.tensor(x).to(dtype)
    turned = rotary.rotate(tensor, positions, geometric(16), pairing)
    assert turned.dtype == dtype
    expected = rotary.rotate(tensor.double().numpy(), positions, geometric(16), pairing)
    tolerance = 4 * torch.finfo(dtype).eps * np.abs(x).max()
    np.testing.assert_allclose(turned.double().numpy(), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_gradients_turn_back(pairing: str) -> None:
    """The derivative of a rotation is the rotation: what comes back is the opposite turn of what went in."""
    x = torch.randn(2, 5, 8, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(2, 5, 8, dtype=torch.float64)
    rotary.rotate(x, np.arange(5), geometric(8)[:3], pairing).backward(upstream)
    back = rotary.rotate(upstream, -np.arange(5), geometric(8)[:3], pairing)
    assert x.grad is not None
    torch.testing.assert_close(x.grad, back, rtol=0, atol=1e-14)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_turn_by_tables_handed_over_once_is_rotate(pairing: str) -> None:
    x = torch.randn(2, 5, 8)
    tables = cos_sin(np.arange(5), geometric(8))
    expected = rotary.rotate(x, np.arange(5), geometric(8), pairing)
    assert torch.equal(rotary.turn(x, *tables, pairing), expected)
    assert torch.equal(rotary.turn(x, *(torch.tensor(t).float() for t in tables), pairing), expected)


def test_kind_and_type_of_x_are_kept() -> None:
    for x, dtype in [(np.ones((1, 2), np.float32), np.float32), (np.ones((1, 2), int), np.float64)]:
        assert rotary.rotate(x, [1], [1.0]).dtype == dtype
    assert rotary.rotate([[1, 0]], [1], [1.0]).dtype == np.float64


def test_axial_scores_are_dot_products_of_halves_turned_by_row_and_column() -> None:
    q, k = np.random.default_rng(3).standard_normal((2, 8))
    speeds = geometric(4)
    for query, key in (((5, 2), (1, 7)), ((0, 0), (3, 3)), ((-4, 6), (-4, 6))):
        dots = [
            float(rotary.rotate([q[half]], [at], speeds)[0] @ rotary.rotate([k[half]], [other], speeds)[0])
            for half, at, other in zip((slice(4), slice(4, 8)), query, key, strict=True)
        ]
        shares = rotary.axial_scores(q, k, [np.subtract(query, key)], speeds)
        assert shares == pytest.approx(np.array([dots]), abs=1e-12)


def test_axial_scores_refuse_what_does_not_fit() -> None:
    four, speeds = np.ones(4), [1.0]
    with pytest.raises(ValueError, match=r"q.shape must be \(d,\) with d a multiple of 4"):
        rotary.axial_scores(np.ones(6), np.ones(6), [[0, 0]], speeds)
    with pytest.raises(ValueError, match=r"k.shape must be that of q"):
        rotary.axial_scores(four, np.ones(8), [[0, 0]], speeds)
    with pytest.raises(ValueError, match=r"offsets.shape must be \(n, 2\)"):
        rotary.axial_scores(four, four, [[0, 0, 0]], speeds)
    with pytest.raises(ValueError, match=r"number of frequencies must be d/4 = 1"):
        rotary.axial_scores(four, four, [[0, 0]], [1.0, 0.1])
