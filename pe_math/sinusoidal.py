"""The sinusoidal table of "Attention Is All You Need", and the matrix that moves along it."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks
from pe_math.angles import cos_sin

Layout = Literal["interleaved", "split"]


def table(
    positions: ArrayLike, frequencies: ArrayLike, layout: Layout = "interleaved"
) -> NDArray[np.float64]:
    """Return the encoding of each position: its clock hands' tips ``(sin wp, cos wp)``.

    Vaswani et al. 2017, section 3.5, is ``interleaved``: sin, cos, sin, cos …; tensor2tensor, Marian and
    GPT-J are ``split``: all sines, then all cosines. Every row has length ``sqrt(d/2)``.

    Args:
        positions: ``(n,)``, integers, fractions or negatives, within ±2**53.
        frequencies: ``(d//2,)`` radians per position.
        layout: ``"interleaved"`` or ``"split"``.

    Returns:
        ``(n, d)`` float64, one row a position.

    Raises:
        ValueError: an argument is not a one-dimensional array of finite real numbers, or the layout is
            unknown.

    >>> table([0], [1.0, 0.1]).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    >>> table([0], [1.0, 0.1], layout="split").tolist()
    [[0.0, 0.0, 1.0, 1.0]]
    """
    _checks.choice("layout", layout, get_args(Layout))
    cos, sin = cos_sin(positions, frequencies)
    if layout == "split":
        return np.concatenate((sin, cos), axis=1)
    return np.stack((sin, cos), axis=2).reshape(len(sin), 2 * sin.shape[1])


def shift(frequencies: ArrayLike, offset: float) -> NDArray[np.float64]:
    """Return the matrix that moves every encoding by ``offset``: ``table(p + offset) == table(p) @ shift.T``.

    It is the same for all positions (Vaswani et al. 2017, section 3.5). Each ``(sin, cos)`` pair of the
    interleaved layout has its block ``[[cos wk, sin wk], [-sin wk, cos wk]]``, which turns its clock hand
    clockwise.

    Args:
        frequencies: ``(d//2,)`` radians per position.
        offset: in positions; fractions and negatives too.

    Returns:
        ``(d, d)`` float64, orthogonal.

    Raises:
        ValueError: ``frequencies`` is not a finite one-dimensional array or ``offset`` not a finite number.

    >>> shift([np.pi / 2], 1).round(12).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    (cos,), (sin,) = cos_sin([_checks.number("offset", offset)], frequencies)
    even = np.arange(0, 2 * len(cos), 2)
    matrix = np.zeros((2 * len(cos), 2 * len(cos)))
    matrix[even, even] = matrix[even + 1, even + 1] = cos
    matrix[even, even + 1] = sin
    matrix[even + 1, even] = -sin
    return matrix
