"""Cosines and sines, held against exact arithmetic, and the precision that other choices would lose."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_math.angles import cos_sin
from pe_math.frequencies import geometric

TWO_PI = 2 * Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")

everywhere = st.integers(-(2**53), 2**53) | st.floats(-(2.0**31), 2.0**31)


def exact_cos_sin(position: float, frequency: float) -> tuple[float, float]:
    """Return cos and sin of the exact product of two floats, brought near 0 by rational arithmetic."""
    turns = Fraction(position) * Fraction(frequency) / TWO_PI
    angle = float((turns - round(turns)) * TWO_PI)
    return math.cos(angle), math.sin(angle)


@given(everywhere, st.floats(0, 4))
def test_any_position_is_as_accurate_as_float64_allows(position: float, frequency: float) -> None:
    cos, sin = cos_sin([position], [frequency])
    assert (cos.item(), sin.item()) == pytest.approx(exact_cos_sin(position, frequency), abs=5e-16)


@pytest.mark.parametrize("position", [1, 4096, 16_777_217, 2**31 - 1, 2**31, 1 - 2**31, 2**31 - 0.7])
def test_positions_to_two_to_the_31_keep_float64_accuracy(position: float) -> None:
    frequencies = geometric(128)
    cos, sin = cos_sin([position], frequencies)
    exact = np.array([exact_cos_sin(position, frequency) for frequency in frequencies])
    np.testing.assert_allclose(np.stack((cos[0], sin[0]), axis=1), exact, rtol=0, atol=5e-16)


def test_rounding_the_product_would_lose_nine_digits_near_two_to_the_31() -> None:
    position, frequency = 2**31 - 1, geometric(128)[1]
    assert abs(math.sin(position * frequency) - exact_cos_sin(position, frequency)[1]) > 1e-8


@given(st.lists(everywhere, max_size=4), st.lists(st.floats(-4, 4), max_size=4))
def test_shape_type_and_the_unit_circle(positions: list[float], frequencies: list[float]) -> None:
    cos, sin = cos_sin(positions, frequencies)
    assert cos.shape == sin.shape == (len(positions), len(frequencies))
    assert cos.dtype == sin.dtype == np.float64
    np.testing.assert_allclose(cos**2 + sin**2, 1, atol=1e-15)


def test_position_zero_is_exact() -> None:
    cos, sin = cos_sin([0], geometric(512))
    assert (cos == 1).all()
    assert (sin == 0).all()


@pytest.mark.parametrize(("position", "error"), [(4096, 1e-4), (131_072, 2e-3), (1_000_000, 5e-2)])
def test_float32_angles(position: int, error: float) -> None:
    frequencies = geometric(128)
    rough = np.sin(np.float32(position) * frequencies.astype(np.float32))
    worst = np.abs(rough - cos_sin([position], frequencies)[1]).max()
    assert worst == pytest.approx(error, rel=0.25)  # the figures have one digit


def test_float32_cannot_hold_16_777_217() -> None:
    assert np.float32(16_777_217) == 16_777_216
    assert not np.array_equal(cos_sin([16_777_217], [1.0]), cos_sin([16_777_216], [1.0]))


@pytest.mark.parametrize(("position", "error"), [(512, 0.46), (4096, 1.85)])
def test_bfloat16_angles(position: int, error: float) -> None:
    frequencies = geometric(128)
    angles = torch.tensor([position]).bfloat16() * torch.tensor(frequencies).bfloat16()
    worst = np.abs(torch.sin(angles).double().numpy() - cos_sin([position], frequencies)[1]).max()
    assert worst == pytest.approx(error, abs=0.005)


def test_bfloat16_tells_769_of_4096_positions_apart() -> None:
    assert len(torch.arange(4096).bfloat16().unique()) == 769
    sines = cos_sin(np.arange(4096), [1.0])[1]
    assert len(np.unique(sines)) == 4096


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_cast_after_sin_and_cos_loses_only_the_last_digit(dtype: torch.dtype) -> None:
    """Half a unit in the last place of a number near 1, wherever the position is."""
    exact = torch.tensor(cos_sin([2**31 - 1], geometric(128))[1])
    worst = (exact.to(dtype).double() - exact).abs().max().item()
    assert 0 < worst <= torch.finfo(dtype).eps / 4 + 1e-15
