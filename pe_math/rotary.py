"""Rotary position embedding (Su et al. 2021, "RoFormer"): queries and keys turn with their positions."""

from typing import Any, Literal, get_args

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks
from pe_math.angles import cos_sin

Pairing = Literal["interleaved", "half"]


def rotate(x: Any, positions: ArrayLike, frequencies: ArrayLike, pairing: Pairing = "interleaved") -> Any:
    """Return ``x`` turned counter-clockwise, row by row, by ``position * frequency`` in each plane.

    A pair ``(a, b)`` becomes ``(a cos - b sin, a sin + b cos)`` (Su et al. 2021, section 3.2.2).
    ``interleaved`` pairs the coordinates ``(2i, 2i+1)``, as the paper, GPT-J and torchtune do; ``half`` pairs
    ``(i, i + d/2)``, as GPT-NeoX and transformers' Llama do. With ``m < d/2`` frequencies the first ``2m``
    coordinates turn, paired among themselves (``half``: ``(i, i + m)``), and the rest of ``x`` stays as it
    is: partial rotary, as in GPT-J (``rotary_dim``) and GPT-NeoX (``partial_rotary_factor``).

    Where the same positions come again and again, as in training, take the tables from
    :func:`pe_math.angles.cos_sin` once and call :func:`turn`.

    Args:
        x: ``(..., n, d)``, ``d`` even: a NumPy array, a torch tensor (gradients flow through) or a list.
        positions: ``(n,)``, integers, fractions or negatives, within ±2**53.
        frequencies: ``(m,)`` radians per position, ``m <= d/2``.
        pairing: ``"interleaved"`` or ``"half"``.

    Returns:
        Like ``x``: its shape, kind, device and floating dtype; integers and lists become float64 NumPy.

    Raises:
        ValueError: an argument is not finite, real or of the shape above, or the pairing is unknown.

    >>> rotate(np.array([[1.0, 0.0]]), [1], [np.pi / 2]).round(12).tolist()
    [[0.0, 1.0]]
    >>> rotate([[1, 0, 5, 5]], [1], [np.pi / 2]).round(12).tolist()
    [[0.0, 1.0, 5.0, 5.0]]
    """
    x = _finite_floating(x)
    return turn(x, *cos_sin(positions, frequencies), pairing)


def turn(x: Any, cos: Any, sin: Any, pairing: Pairing = "interleaved") -> Any:
    """Return ``x`` turned by given tables: the inner step of :func:`rotate`.

    Only shapes are checked, not values, for this is the step that a training loop repeats.

    Args:
        x: ``(..., n, d)``, ``d`` even: a NumPy array or a torch tensor, of a floating dtype.
        cos: ``(n, m)``, ``m <= d/2``, from :func:`pe_math.angles.cos_sin`; NumPy, or already of ``x``'s kind.
        sin: as ``cos``.
        pairing: as in :func:`rotate`.

    Returns:
        Like ``x``.

    Raises:
        ValueError: the shapes do not fit together, or the pairing is unknown.

    >>> turn(np.array([[1.0, 2.0]]), cos=np.array([[0.0]]), sin=np.array([[1.0]])).tolist()
    [[-2.0, 1.0]]
    """
    _checks.choice("pairing", pairing, get_args(Pairing))
    _require_shapes(tuple(x.shape), tuple(cos.shape), tuple(sin.shape))
    xp = array_namespace(x)
    cos = xp.asarray(cos, dtype=x.dtype, device=device(x))  # float64 until here: cast after sin and cos
    sin = xp.asarray(sin, dtype=x.dtype, device=device(x))
    width = 2 * cos.shape[-1]
    turning = x[..., :width]
    a, b = _coordinates(turning, pairing)
    pair = (a * cos - b * sin, a * sin + b * cos)
    if pairing == "half":
        turned = xp.concat(pair, axis=-1)
    else:
        turned = xp.reshape(xp.stack(pair, axis=-1), turning.shape)
    return xp.concat((turned, x[..., width:]), axis=-1)


def score(
    q: ArrayLike, k: ArrayLike, offsets: ArrayLike, frequencies: ArrayLike, pairing: Pairing = "interleaved"
) -> NDArray[np.float64]:
    """Return the dot product of query and key after rotation, which depends on their offset alone.

    Su et al. 2021, section 3.2.1. ``offset = query position - key position``. The score is not divided by
    ``sqrt(d)``.

    Args:
        q: ``(d,)``, the query before rotation, ``d`` even.
        k: ``(d,)``, the key before rotation.
        offsets: ``(n,)``, integers, fractions or negatives.
        frequencies: ``(m,)`` radians per position, ``m <= d/2``.
        pairing: as in :func:`rotate`.

    Returns:
        ``(n,)`` float64.

    Raises:
        ValueError: an argument is not finite, real or of the shape above, or the pairing is unknown.

    >>> score([1, 0], [1, 0], [0, 1, 2], [np.pi / 2]).round(12).tolist()
    [1.0, 0.0, -1.0]
    """
    return np.asarray(plane_scores(q, k, offsets, frequencies, pairing).sum(axis=1))


def plane_scores(
    q: ArrayLike, k: ArrayLike, offsets: ArrayLike, frequencies: ArrayLike, pairing: Pairing = "interleaved"
) -> NDArray[np.float64]:
    """Return each plane's share of the score, ``|q||k| cos(φ + w * offset)``; a row adds up to ``score``.

    ``φ`` is the angle from key to query, counter-clockwise, and the lengths are those within the plane.
    Planes without a frequency (partial rotary) come last and are the same at every offset.

    Args:
        q: as in :func:`score`.
        k: as in :func:`score`.
        offsets: as in :func:`score`.
        frequencies: as in :func:`score`.
        pairing: as in :func:`rotate`.

    Returns:
        ``(n, d//2)`` float64, one column a plane.

    Raises:
        ValueError: as :func:`score`.

    >>> plane_scores([1, 0, 2, 0], [1, 0, 1, 0], [0, 1], [np.pi, np.pi / 2]).round(12).tolist()
    [[1.0, 2.0], [-1.0, 0.0]]
    """
    q, k = _checks.reals("q", q, axes=1), _checks.reals("k", k, axes=1)
    _checks.require(q.shape == k.shape, "k.shape", k.shape, f"that of q, {q.shape}")
    d = _checks.even_dimension(len(q))
    cos, sin = cos_sin(_checks.vector("offsets", offsets), frequencies)
    products = turn(np.broadcast_to(q, (len(cos), d)), cos, sin, pairing) * k
    width = 2 * cos.shape[1]
    parts = (_coordinates(part, pairing) for part in (products[:, :width], products[:, width:]))
    return np.concatenate([a + b for a, b in parts], axis=1)


def axial_scores(
    q: ArrayLike, k: ArrayLike, offsets: ArrayLike, frequencies: ArrayLike
) -> NDArray[np.float64]:
    """Return what rows and columns contribute to the score of two patches of a picture.

    The first half of the planes turns with the row, the second half with the column, each half with the same
    frequencies (axial RoPE: Heo et al. 2024, "Rotary Position Embedding for Vision Transformer", section 3.2;
    models differ in which planes they give to which). Coordinates are paired as ``interleaved``.

    Args:
        q: ``(d,)``, the query before rotation, ``d`` a multiple of 4.
        k: ``(d,)``, the key before rotation.
        offsets: ``(n, 2)``, of rows and of columns, each the query's less the key's.
        frequencies: ``(d//4,)`` radians per row, and per column.

    Returns:
        ``(n, 2)`` float64, the rows' and the columns' share; a row adds up to the score.

    Raises:
        ValueError: an argument is not finite, real or of the shape above.

    >>> axial_scores([1, 0, 1, 0], [1, 0, 1, 0], [[0, 0], [2, 0], [0, 1]], [np.pi / 2]).round(12).tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, 0.0]]
    """
    q, k = _checks.reals("q", q, axes=1), _checks.reals("k", k, axes=1)
    offsets = _checks.reals("offsets", offsets, axes=2)
    _checks.require(len(q) > 0 and len(q) % 4 == 0, "q.shape", q.shape, "(d,) with d a multiple of 4")
    _checks.require(k.shape == q.shape, "k.shape", k.shape, f"that of q, {q.shape}")
    _checks.require(offsets.shape[1] == 2, "offsets.shape", offsets.shape, "(n, 2), rows and columns")
    count = len(_checks.vector("frequencies", frequencies))
    _checks.require(4 * count == len(q), "the number of frequencies", count, f"d/4 = {len(q) // 4}")
    halves = zip(np.split(q, 2), np.split(k, 2), offsets.T, strict=True)
    return np.stack([score(*half, frequencies) for half in halves], axis=1)


def _coordinates(x: Any, pairing: Pairing) -> tuple[Any, Any]:
    """Return the first and the second coordinate of every plane."""
    if pairing == "half":
        half = x.shape[-1] // 2
        return x[..., :half], x[..., half:]
    return x[..., 0::2], x[..., 1::2]


def _finite_floating(x: Any) -> Any:
    if not is_array_api_obj(x) or not array_namespace(x).isdtype(x.dtype, "real floating"):
        return _checks.reals("x", x)
    finite = array_namespace(x).isfinite(x)
    if not finite.all():
        raise ValueError(f"x must be finite, got {float(x[~finite][0])} in it")
    return x


def _require_shapes(x: tuple[int, ...], cos: tuple[int, ...], sin: tuple[int, ...]) -> None:
    require = _checks.require
    require(
        len(x) >= 2 and x[-1] > 0 and x[-1] % 2 == 0, "x.shape", x, "(..., n, d) with d even and positive"
    )
    require(len(cos) == 2, "cos.shape", cos, "(n, m)")
    require(cos == sin, "sin.shape", sin, f"that of cos, {cos}")
    require(cos[0] == x[-2], "the number of positions", cos[0], f"{x[-2]}, one for each row of x")
    require(2 * cos[1] <= x[-1], "the number of frequencies", cos[1], f"at most d/2 = {x[-1] // 2}")
