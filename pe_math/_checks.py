"""What every public function asks of its input, so that each refusal is worded and decided in one place."""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

EXACT_INTEGERS = 2**53
"""Float64 holds every integer up to here and skips some beyond."""


def require(condition: bool, name: str, value: object, right: str) -> None:
    """Raise the ValueError of this package, which names the argument, its value and what would be right."""
    if not condition:
        raise ValueError(f"{name} must be {right}, got {value!r}")


def choice(name: str, value: object, options: Collection[str]) -> None:
    """Refuse a word that is not one of ``options``."""
    require(
        isinstance(value, str) and value in options, name, value, "one of " + ", ".join(map(repr, options))
    )


def count(name: str, value: object, at_least: int = 0) -> int:
    """Return a whole number of things. A bool is not one, although Python says so."""
    right = f"an integer from {at_least} to 2**53"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be {right}, got {value!r}")
    require(at_least <= int(value) <= EXACT_INTEGERS, name, value, right)
    return int(value)


def even_dimension(d: object) -> int:
    """Return the width of an encoding, which is made of pairs."""
    width = count("d", d, at_least=2)
    require(width % 2 == 0, "d", d, "even: an encoding is made of pairs")
    return width


def number(name: str, value: object) -> float:
    """Return one finite real number."""
    right = "a finite real number (integers at most 2**53)"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} must be {right}, got {value!r}")
    if isinstance(value, Integral):
        require(abs(int(value)) <= EXACT_INTEGERS, name, value, right)
    require(math.isfinite(value), name, value, right)
    return float(value)


def reals(name: str, value: ArrayLike, axes: int | None = None) -> NDArray[np.float64]:
    """Return finite real numbers as float64, refusing any other number of axes if one is given."""
    array = _as_array(name, value)
    if axes is not None and array.ndim != axes:
        raise ValueError(f"{name} must be an array of {axes} dimension(s), got {value!r}")
    if array.dtype.kind in "iu":
        _refuse_beyond_exact(name, array)
    elif not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]!s} in it")
    return array.astype(np.float64)


def vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return positions, offsets or frequencies: one axis, at most 2**53, where neighbours still differ."""
    array = reals(name, value, axes=1)
    _refuse_beyond_exact(name, array)
    return array


def integers(name: str, value: ArrayLike) -> NDArray[np.int64]:
    """Return an array of integers, with any number of axes but at least one."""
    array = _as_array(name, value)
    require(array.ndim > 0, name, value, "an array, not a scalar")
    require(array.dtype.kind in "iu" or array.size == 0, name, value, "an array of integers")
    _refuse_beyond_exact(name, array)
    return array.astype(np.int64)


def _as_array(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} must be an array of real numbers, got {value!r}") from error
    require(array.dtype.kind in "iuf", name, value, "an array of real numbers (integers at most 2**53)")
    return array


def _refuse_beyond_exact(name: str, array: NDArray[Any]) -> None:
    beyond = (array > EXACT_INTEGERS) | (array < -EXACT_INTEGERS)
    if beyond.any():
        raise ValueError(
            f"{name} must lie within ±2**53, where float64 is exact, got {array[beyond][0]!s} in it"
        )
