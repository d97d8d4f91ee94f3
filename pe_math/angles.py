"""The cosine and sine of position times frequency: every clock hand, and every plane that RoPE turns."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks

_SPLITTER = 2.0**27 + 1  # cuts the 53 bits of a float64 in two halves whose products are exact


def cos_sin(positions: ArrayLike, frequencies: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the cosine and the sine of every angle ``position * frequency``.

    The angle is not rounded: at position 2**31 a float64 product would already be wrong by 1e-7. Both
    tables are float64; cast them afterwards, never the angles.

    Args:
        positions: ``(n,)``, integers, fractions or negatives, within ±2**53.
        frequencies: ``(m,)``, radians per position.

    Returns:
        Two float64 arrays of shape ``(n, m)``.

    Raises:
        ValueError: an argument is not a one-dimensional array of finite real numbers within ±2**53.

    >>> cos, sin = cos_sin([0, 1], [np.pi / 2])
    >>> cos.round(12).tolist(), sin.round(12).tolist()
    ([[1.0], [0.0]], [[0.0], [1.0]])
    """
    angles, remainders = _exact_product(
        _checks.vector("positions", positions)[:, np.newaxis], _checks.vector("frequencies", frequencies)
    )
    cos, sin = np.cos(angles), np.sin(angles)
    cos_remainder, sin_remainder = np.cos(remainders), np.sin(remainders)
    return cos * cos_remainder - sin * sin_remainder, sin * cos_remainder + cos * sin_remainder


def _exact_product(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rounded product and what rounding took away (Dekker 1971, section 4)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scaled = _SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high
