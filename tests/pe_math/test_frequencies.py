"""Frequency schedules, held against transformers and against what the papers state."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig, modeling_rope_utils

from pe_math import frequencies

widths = st.integers(1, 128).map(lambda pairs: 2 * pairs)
ntk_widths = st.integers(2, 128).map(lambda pairs: 2 * pairs)
bases = st.floats(2, 1e7)
factors = st.floats(1, 64)
lengths = st.integers(16, 1 << 20)


class DoubleTorch:
    """Torch with float64 under the names that the peer asks for, so that its own code runs in float64."""

    float = float32 = torch.float64

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def peer(
    rope_type: str, d: int, base: float, length: int | None = None, original: int = 2048, **numbers: Any
) -> tuple[np.ndarray, float]:
    """Return transformers' frequencies and attention factor."""
    config = LlamaConfig(
        hidden_size=d, num_attention_heads=1, head_dim=d, max_position_embeddings=original
    )  # given afterwards, so that its warnings about unusual numbers stay away
    config.rope_parameters = {"rope_type": rope_type, "rope_theta": base, **numbers}
    inverse, attention = modeling_rope_utils.ROPE_INIT_FUNCTIONS[rope_type](config, seq_len=length)
    return inverse.numpy(), attention


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modeling_rope_utils, "torch", DoubleTorch())


def agrees(ours: np.ndarray, theirs: np.ndarray) -> bool:
    assert theirs.dtype == np.float64, "the peer was to compute in float64"
    return bool(np.allclose(ours, theirs, rtol=1e-12, atol=0))


@pytest.mark.parametrize("d", [2, 8, 64, 128, 254])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
@pytest.mark.parametrize("factor", [1.0, 2.5, 8.0])
def test_interpolate_is_transformers_linear(double: None, d: int, base: float, factor: float) -> None:
    assert agrees(
        frequencies.interpolate(frequencies.geometric(d, base), factor),
        peer("linear", d, base, factor=factor)[0],
    )


@pytest.mark.parametrize("d", [4, 64, 128])
@pytest.mark.parametrize("factor", [1.0, 2.0, 8.0])
@pytest.mark.parametrize("length", [0, 1, 2047, 2048, 2049, 8192, 1_000_000])
def test_dynamic_ntk_is_transformers(double: None, d: int, factor: float, length: int) -> None:
    assert agrees(
        frequencies.dynamic_ntk(d, 10000.0, factor, length, 2048),
        peer("dynamic", d, 10000.0, length, factor=factor)[0],
    )


@pytest.mark.parametrize("d", [2, 8, 64, 192])
@pytest.mark.parametrize("base", [10.0, 10000.0])
@pytest.mark.parametrize("original", [4, 64, 2048])
@pytest.mark.parametrize("factor", [1.0, 40.0])
@pytest.mark.parametrize("truncate", [True, False])
def test_yarn_is_transformers(
    double: None, d: int, base: float, original: int, factor: float, truncate: bool
) -> None:
    numbers = {"factor": factor, "original_max_position_embeddings": original, "truncate": truncate}
    theirs, attention = peer("yarn", d, base, **numbers)
    ours, scale = frequencies.yarn(d, base, factor, original, truncate=truncate)
    assert agrees(ours, theirs)
    assert scale == pytest.approx(attention, rel=1e-15)


@pytest.mark.parametrize(("beta_fast", "beta_slow"), [(20.0, 2.5), (3.0, 3.0)])
@pytest.mark.parametrize("truncate", [True, False])
def test_yarn_is_transformers_with_other_betas(
    double: None, beta_fast: float, beta_slow: float, truncate: bool
) -> None:
    betas = {"beta_fast": beta_fast, "beta_slow": beta_slow, "truncate": truncate}
    ours, _ = frequencies.yarn(128, 10000.0, 16, 4096, **betas)
    theirs, _ = peer("yarn", 128, 10000.0, factor=16.0, original_max_position_embeddings=4096, **betas)
    assert agrees(ours, theirs)


@pytest.mark.parametrize("d", [2, 64, 128])
@pytest.mark.parametrize(("factor", "low", "high", "original"), [(8, 1, 4, 8192), (32, 0.5, 2.5, 2048)])
def test_llama3_is_transformers(
    double: None, d: int, factor: float, low: float, high: float, original: int
) -> None:
    numbers = {
        "factor": factor,
        "low_freq_factor": low,
        "high_freq_factor": high,
        "original_max_position_embeddings": original,
    }
    ours = frequencies.llama3(frequencies.geometric(d, 500000.0), factor, low, high, original)
    assert agrees(ours, peer("llama3", d, 500000.0, **numbers)[0])


@pytest.mark.parametrize(
    ("rope_type", "numbers"),
    [
        ("linear", {}),
        ("dynamic", {}),
        ("yarn", {"original_max_position_embeddings": 2048}),
        (
            "llama3",
            {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 2048},
        ),
    ],
)
def test_peers_as_they_run_differ_by_float32_rounding(rope_type: str, numbers: dict[str, Any]) -> None:
    ours = {
        "linear": frequencies.interpolate(frequencies.geometric(64), 4),
        "dynamic": frequencies.dynamic_ntk(64, 10000.0, 4, 4096, 2048),
        "yarn": frequencies.yarn(64, 10000.0, 4, 2048)[0],
        "llama3": frequencies.llama3(frequencies.geometric(64), 4, 1, 4, 2048),
    }[rope_type]
    theirs, _ = peer(rope_type, 64, 10000.0, 4096, factor=4.0, **numbers)
    assert theirs.dtype == np.float32
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_slowest_periods() -> None:
    assert round(2 * math.pi / frequencies.geometric(512)[-1]) == 60_611
    assert round(2 * math.pi / frequencies.geometric(32)[-1]) == 35_333


def test_the_clock_has_a_second_a_minute_and_an_hour_hand() -> None:
    np.testing.assert_allclose(frequencies.geometric(8), [1, 0.1, 0.01, 0.001], rtol=1e-15)


@given(widths, bases)
def test_geometric_falls_by_one_ratio_from_one(d: int, base: float) -> None:
    values = frequencies.geometric(d, base)
    assert values.shape == (d // 2,)
    assert values.dtype == np.float64
    assert values[0] == 1
    np.testing.assert_allclose(values[1:] / values[:-1], base ** (-2 / d), rtol=1e-13)
    assert 2 * np.pi / values[-1] == pytest.approx(2 * np.pi * base ** ((d - 2) / d), rel=1e-13)


@given(st.integers(2, 128), st.floats(0.01, 1), st.floats(1, 3))
def test_linear_is_evenly_spaced_between_its_ends(pairs: int, slowest: float, fastest: float) -> None:
    values = frequencies.linear(2 * pairs, fastest, slowest)
    assert values.shape == (pairs,)
    assert values[[0, -1]].tolist() == [fastest, slowest]
    np.testing.assert_allclose(np.diff(values), (slowest - fastest) / (pairs - 1), atol=1e-14)


@given(widths, bases, st.floats(0, 1))
def test_mixed_lies_between_its_two_parts(d: int, base: float, weight: float) -> None:
    parts = frequencies.linear(d, 1.5, 0.02), frequencies.geometric(d, base)
    mixed = frequencies.mixed(d, base, weight, 1.5, 0.02)
    np.testing.assert_allclose(mixed - parts[1], weight * (parts[0] - parts[1]), atol=1e-14)


@given(widths, bases)
def test_mixed_of_weight_one_or_zero_is_one_part(d: int, base: float) -> None:
    assert (frequencies.mixed(d, base, weight=1) == frequencies.linear(d)).all()
    assert (frequencies.mixed(d, base, weight=0) == frequencies.geometric(d, base)).all()


@given(ntk_widths, bases, factors)
def test_ntk_keeps_the_fastest_and_slows_the_slowest_by_factor(d: int, base: float, factor: float) -> None:
    slowed = frequencies.geometric(d, base) / frequencies.ntk(d, base, factor)
    assert slowed[0] == 1
    assert slowed[-1] == pytest.approx(factor, rel=1e-12)
    assert (np.diff(slowed) >= -1e-12 * factor).all()


@given(ntk_widths, bases, factors)
def test_ntk_is_geometric_with_the_stretched_base(d: int, base: float, factor: float) -> None:
    stretched = frequencies.geometric(d, base * factor ** (d / (d - 2)))
    np.testing.assert_allclose(frequencies.ntk(d, base, factor), stretched, rtol=1e-13)


@given(ntk_widths, bases, factors, lengths, lengths)
def test_dynamic_ntk_forgets_earlier_lengths(
    d: int, base: float, factor: float, length: int, other: int
) -> None:
    before = frequencies.dynamic_ntk(d, base, factor, length, 2048)
    frequencies.dynamic_ntk(d, base, factor, other, 2048)
    assert (frequencies.dynamic_ntk(d, base, factor, length, 2048) == before).all()


@given(ntk_widths, bases, factors, st.integers(0, 2048))
def test_dynamic_ntk_leaves_short_sequences_alone(d: int, base: float, factor: float, length: int) -> None:
    values = frequencies.dynamic_ntk(d, base, factor, length, 2048)
    np.testing.assert_allclose(values, frequencies.geometric(d, base), rtol=1e-12)


@given(widths, bases, factors, lengths, st.booleans())
def test_yarn_slows_by_nothing_to_factor(
    d: int, base: float, factor: float, original: int, truncate: bool
) -> None:
    values, scale = frequencies.yarn(d, base, factor, original, truncate=truncate)
    slowed = frequencies.geometric(d, base) / values
    assert (slowed >= 1 - 1e-12).all()
    assert (slowed <= factor * (1 + 1e-12)).all()
    assert (np.diff(slowed) >= -1e-9 * factor).all()
    assert scale == pytest.approx(1 + math.log(factor) / 10)


@given(widths, bases, factors, lengths)
def test_llama3_bands(d: int, base: float, factor: float, original: int) -> None:
    before = frequencies.geometric(d, base)
    turns = original * before / (2 * np.pi)
    slowed = before / frequencies.llama3(before, factor, 1, 4, original)
    np.testing.assert_allclose(slowed[turns > 4], 1, rtol=1e-12)
    np.testing.assert_allclose(slowed[turns < 1], factor, rtol=1e-12)
    between = slowed[(turns > 1) & (turns < 4)]
    assert ((between >= 1 - 1e-12) & (between <= factor * (1 + 1e-12))).all()


def test_yarns_code_and_paper_differ_by_80_percent() -> None:
    """Equations 17 to 20 of Peng et al. 2023 blend by the number of turns, with alpha 1 and beta 32."""
    extended = frequencies.geometric(64)
    turns = 2048 * extended / (2 * math.pi)
    kept = np.clip((turns - 1) / (32 - 1), 0, 1)
    paper = (1 - kept) * extended / 4 + kept * extended
    code, _ = frequencies.yarn(64, 10000.0, 4, 2048)
    assert np.abs(code / paper - 1).max() == pytest.approx(0.80, abs=0.005)


def test_yarns_attention_scale_at_factor_four() -> None:
    assert frequencies.yarn(64, 10000.0, 4, 2048)[1] == pytest.approx(1.1386, abs=5e-5)
    assert frequencies.yarn(64, 10000.0, 1, 2048)[1] == 1


def test_interpolate_takes_an_empty_array() -> None:
    assert frequencies.interpolate([], 2).shape == (0,)
