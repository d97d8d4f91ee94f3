"""Attention with linear biases (Press et al. 2022): each head subtracts its slope times the distance."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pe_math import _checks

Form = Literal["causal", "symmetric", "one_sided"]


def slopes(heads: int) -> NDArray[np.float64]:
    """Return each head's slope (Press et al. 2022, section 3, and the authors' code).

    For a power of two, ``2**(-8/heads)`` and its powers. For other numbers the authors take the series of the
    power of two below and append every second slope of the one above, so the slopes are not sorted.

    Args:
        heads: at least 1.

    Returns:
        ``(heads,)``, positive, in bias per position.

    Raises:
        ValueError: ``heads`` is not an integer or is below 1.

    >>> (1 / slopes(6)).tolist()
    [4.0, 16.0, 64.0, 256.0, 2.0, 8.0]
    """
    heads = _checks.count("heads", heads, at_least=1)
    power_of_two = 2 ** (heads.bit_length() - 1)
    finer = _geometric_slopes(2 * power_of_two)[0::2]
    return np.concatenate((_geometric_slopes(power_of_two), finer[: heads - power_of_two]))


def bias(heads: int, query_length: int, key_length: int, form: Form = "causal") -> NDArray[np.float64]:
    """Return what is added to each head's scores: ``-slope * distance``, and ``-inf`` where it does not look.

    The last query sits on the last key, so that a query that comes with cached keys gets its own row.

    - ``causal``: keys after the query are ``-inf`` (Press et al. 2022, section 3).
    - ``symmetric``: the same on both sides; it cannot tell left from right.
    - ``one_sided``: the first half of the heads is causal, the second half its mirror image with the same
      slopes, ``slopes(heads // 2)``.

    Args:
        heads: at least 1; even if ``one_sided``.
        query_length: at most ``key_length``.
        key_length: number of keys.
        form: ``"causal"``, ``"symmetric"`` or ``"one_sided"``.

    Returns:
        ``(heads, query_length, key_length)`` float64.

    Raises:
        ValueError: an argument is outside the range above, or the form is unknown.

    >>> bias(1, 2, 3).tolist() == [[[-1/256, 0.0, -np.inf], [-2/256, -1/256, 0.0]]]
    True
    """
    _checks.choice("form", form, get_args(Form))
    heads = _checks.count("heads", heads, at_least=1)
    key_length = _checks.count("key_length", key_length)
    query_length = _checks.count("query_length", query_length)
    _checks.require(
        query_length <= key_length, "query_length", query_length, f"at most key_length ({key_length})"
    )
    queries = np.arange(key_length - query_length, key_length)[:, np.newaxis]
    to_the_left = (queries - np.arange(key_length)).astype(np.float64)
    if form == "symmetric":
        return _slope_down(slopes(heads), np.abs(to_the_left))
    if form == "causal":
        return _slope_down(slopes(heads), _one_side(to_the_left))
    _checks.require(heads % 2 == 0, "heads", heads, "even: half the heads look left, half right")
    sides = (_slope_down(slopes(heads // 2), _one_side(distance)) for distance in (to_the_left, -to_the_left))
    return np.concatenate(list(sides))


def _geometric_slopes(heads: int) -> NDArray[np.float64]:
    exponents = -8 / heads * np.arange(1, heads + 1)
    return np.asarray(np.exp2(exponents))


def _one_side(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.where(distance < 0, np.inf, distance))


def _slope_down(slopes: NDArray[np.float64], distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``-slope * distance``, and 0 rather than -0 where the distance is 0."""
    return np.asarray(0.0 - slopes[:, np.newaxis, np.newaxis] * distance)
