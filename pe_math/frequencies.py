"""Angular frequencies in radians per position, index 0 the fastest, and how longer contexts slow them."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks


def geometric(d: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Return ``base**(-2i/d)`` for ``i = 0 … d/2 - 1`` (Vaswani et al. 2017, section 3.5).

    Args:
        d: width of the encoding, even.
        base: greater than 1; the period of the slowest is ``2π * base**((d-2)/d)`` positions.

    Returns:
        ``(d//2,)`` radians per position, from 1 downwards.

    Raises:
        ValueError: ``d`` is odd or not positive, or ``base`` is not a finite number above 1.

    >>> geometric(8).round(12).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """
    d, base = _checks.even_dimension(d), _base(base)
    return np.asarray(base ** (-np.arange(0, d, 2) / d))


def linear(d: int, fastest: float = 1.0, slowest: float = 0.01) -> NDArray[np.float64]:
    """Return evenly spaced frequencies, a contrast to the geometric ones.

    Args:
        d: width of the encoding, even.
        fastest: frequency of index 0, radians per position.
        slowest: frequency of the last index, positive and at most ``fastest``; unused when ``d`` is 2.

    Returns:
        ``(d//2,)`` radians per position.

    Raises:
        ValueError: ``d`` is odd or not positive, or not ``0 < slowest <= fastest``.

    >>> linear(6, fastest=1.0, slowest=0.5).tolist()
    [1.0, 0.75, 0.5]
    """
    d = _checks.even_dimension(d)
    fastest, slowest = _checks.number("fastest", fastest), _checks.number("slowest", slowest)
    _checks.require(0 < slowest <= fastest, "slowest", slowest, f"positive and at most fastest ({fastest})")
    return np.linspace(fastest, slowest, d // 2)


def mixed(
    d: int, base: float = 10000.0, weight: float = 0.5, fastest: float = 1.0, slowest: float = 0.01
) -> NDArray[np.float64]:
    """Return ``weight * linear + (1 - weight) * geometric``.

    Args:
        d: width of the encoding, even.
        base: of the geometric share.
        weight: of the linear share, from 0 to 1.
        fastest: of the linear share, radians per position.
        slowest: of the linear share, radians per position.

    Returns:
        ``(d//2,)`` radians per position.

    Raises:
        ValueError: ``weight`` is outside 0 to 1, or ``linear`` or ``geometric`` refuses its arguments.

    >>> mixed(4, base=100.0, weight=0.5, fastest=1.0, slowest=0.3).round(12).tolist()
    [1.0, 0.2]
    """
    weight = _checks.number("weight", weight)
    _checks.require(0 <= weight <= 1, "weight", weight, "from 0 to 1")
    return weight * linear(d, fastest, slowest) + (1 - weight) * geometric(d, base)


def interpolate(frequencies: ArrayLike, factor: float) -> NDArray[np.float64]:
    """Return all frequencies slowed by ``factor`` (Chen et al. 2023, "Position Interpolation", section 2.3).

    Args:
        frequencies: ``(m,)`` radians per position.
        factor: how many times longer the context becomes, at least 1.

    Returns:
        ``(m,)`` radians per position.

    Raises:
        ValueError: ``frequencies`` is not a finite one-dimensional array, or ``factor`` is below 1.

    >>> interpolate([1.0, 0.1], factor=4).tolist()
    [0.25, 0.025]
    """
    return _checks.vector("frequencies", frequencies) / _factor(factor)


def ntk(d: int, base: float, factor: float) -> NDArray[np.float64]:
    """Return geometric frequencies whose base is stretched to ``base * factor**(d/(d-2))``.

    The fastest stays as it is and the slowest is slowed by exactly ``factor`` (NTK-aware scaling: Peng et al.
    2023, "YaRN", section 3.1).

    Args:
        d: width of the encoding, even and at least 4: with one frequency alone the exponent has no value.
        base: of the model as it was trained, greater than 1.
        factor: how many times longer the context becomes, at least 1.

    Returns:
        ``(d//2,)`` radians per position.

    Raises:
        ValueError: an argument is outside the range above.

    >>> (geometric(4, 100.0) / ntk(4, 100.0, factor=8)).round(12).tolist()
    [1.0, 8.0]
    """
    d, base, factor = _checks.even_dimension(d), _base(base), _factor(factor)
    _checks.require(d >= 4, "d", d, "at least 4 for NTK-aware scaling")
    return geometric(d, base * factor ** (d / (d - 2)))


def dynamic_ntk(d: int, base: float, factor: float, length: int, original_length: int) -> NDArray[np.float64]:
    """Return NTK-aware frequencies for a sequence of ``length``, untouched up to ``original_length``.

    As transformers defines it (``rope_type="dynamic"``): ``ntk`` with the factor
    ``factor * length / original_length - (factor - 1)``. A pure function of ``length``: a longer sequence
    seen before leaves no trace.

    Args:
        d: width of the encoding, even and at least 4.
        base: of the model as it was trained, greater than 1.
        factor: at least 1.
        length: positions in the sequence at hand.
        original_length: positions that the model was trained on, positive.

    Returns:
        ``(d//2,)`` radians per position.

    Raises:
        ValueError: an argument is outside the range above.

    >>> bool(np.all(dynamic_ntk(4, 100.0, 2, length=10, original_length=512) == geometric(4, 100.0)))
    True
    """
    factor = _factor(factor)
    length = _checks.count("length", length)
    original_length = _checks.count("original_length", original_length, at_least=1)
    return ntk(d, base, factor * max(length, original_length) / original_length - (factor - 1))


def yarn(
    d: int,
    base: float,
    factor: float,
    original_length: int,
    beta_fast: float = 32,
    beta_slow: float = 1,
    truncate: bool = True,
) -> tuple[NDArray[np.float64], float]:
    """Return YaRN's frequencies and its attention scale (Peng et al. 2023, sections 3.2 to 3.4).

    As the reference code and transformers have it: the ramp runs over the index of the pair, with its ends
    rounded outwards. The paper's formula ramps over the number of turns instead, and single frequencies of
    the two differ by up to 80 %; models run the code.

    Args:
        d: width of the encoding, even.
        base: of the model as it was trained, greater than 1.
        factor: how many times longer the context becomes, at least 1.
        original_length: positions that the model was trained on, positive.
        beta_fast: pairs that turn more often than this within ``original_length`` keep their frequency.
        beta_slow: pairs that turn less often than this are slowed by ``factor``; at most ``beta_fast``.
        truncate: round the ends of the ramp outwards to whole pairs.

    Returns:
        ``(d//2,)`` radians per position, and the number that models multiply both cos and sin by.

    Raises:
        ValueError: an argument is outside the range above.

    >>> frequencies, attention_scale = yarn(64, 10000.0, factor=4, original_length=2048)
    >>> round(attention_scale, 4)
    1.1386
    """
    d, base, factor = _checks.even_dimension(d), _base(base), _factor(factor)
    original_length = _checks.count("original_length", original_length, at_least=1)
    beta_fast, beta_slow = _checks.number("beta_fast", beta_fast), _checks.number("beta_slow", beta_slow)
    _checks.require(0 < beta_slow <= beta_fast, "beta_slow", beta_slow, f"in 0 to beta_fast ({beta_fast})")
    _checks.require(isinstance(truncate, bool), "truncate", truncate, "True or False")

    def index_turning(times: float) -> float:
        return d * math.log(original_length / (times * 2 * math.pi)) / (2 * math.log(base))

    low, high = index_turning(beta_fast), index_turning(beta_slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)  # d - 1, not d/2 - 1: so has the reference code
    if low == high:
        high += 0.001
    slowed = np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
    return _slow_in_part(geometric(d, base), factor, slowed), 0.1 * math.log(factor) + 1


def llama3(
    frequencies: ArrayLike,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_length: int,
) -> NDArray[np.float64]:
    """Return frequencies slowed in bands (Llama 3.1; ``rope_type="llama3"`` of transformers).

    Those that turn more than ``high_freq_factor`` times within ``original_length`` stay, those that turn less
    than ``low_freq_factor`` times are slowed by ``factor``, and those between are blended.

    Args:
        frequencies: ``(m,)`` radians per position.
        factor: how many times longer the context becomes, at least 1.
        low_freq_factor: in turns, positive.
        high_freq_factor: in turns, greater than ``low_freq_factor``.
        original_length: positions that the model was trained on, positive.

    Returns:
        ``(m,)`` radians per position.

    Raises:
        ValueError: an argument is outside the range above.

    >>> turns = np.array([8.0, 2.5, 0.5])
    >>> slowed = llama3(turns * 2 * np.pi / 8192, 8, 1, 4, 8192)
    >>> (slowed * 8192 / (2 * np.pi)).round(12).tolist()
    [8.0, 1.40625, 0.0625]
    """
    frequencies = _checks.vector("frequencies", frequencies)
    factor = _factor(factor)
    low = _checks.number("low_freq_factor", low_freq_factor)
    high = _checks.number("high_freq_factor", high_freq_factor)
    _checks.require(0 < low < high, "low_freq_factor", low, f"positive and below high_freq_factor ({high})")
    original_length = _checks.count("original_length", original_length, at_least=1)
    turns = original_length * frequencies / (2 * math.pi)
    slowed = np.clip((high - turns) / (high - low), 0, 1)
    return _slow_in_part(frequencies, factor, slowed)


def _slow_in_part(
    frequencies: NDArray[np.float64], factor: float, slowed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Blend each frequency with the one ``factor`` times slower; ``slowed`` is the share of the latter."""
    return frequencies * (1 - slowed) + frequencies / factor * slowed


def _base(base: float) -> float:
    base = _checks.number("base", base)
    _checks.require(base > 1, "base", base, "greater than 1")
    return base


def _factor(factor: float) -> float:
    factor = _checks.number("factor", factor)
    _checks.require(factor >= 1, "factor", factor, "at least 1")
    return factor
