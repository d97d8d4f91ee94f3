"""How alike two encodings are, and what can be read back from them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks
from pe_math.angles import cos_sin


def kernel(frequencies: ArrayLike, offsets: ArrayLike) -> NDArray[np.float64]:
    """Return ``sum(cos(w * offset))``, the dot product of two sinusoidal encodings that far apart.

    It is even in the offset, largest (``d/2``) at 0, and neither monotone nor positive. It is exact: the dot
    product of the encodings of Vaswani et al. 2017, section 3.5, depends on nothing but the offset.

    Args:
        frequencies: ``(d//2,)`` radians per position.
        offsets: ``(n,)`` in positions, within ±2**53.

    Returns:
        ``(n,)`` float64.

    Raises:
        ValueError: an argument is not a one-dimensional array of finite real numbers.

    >>> kernel([np.pi, np.pi / 2], [0, 1, 2]).round(12).tolist()
    [2.0, -1.0, 0.0]
    """
    cos, _ = cos_sin(_checks.vector("offsets", offsets), frequencies)
    return np.asarray(cos.sum(axis=1))


def matrix(table: ArrayLike) -> NDArray[np.float64]:
    """Return the cosine similarity of every two rows.

    Args:
        table: ``(n, d)``, no row all zero.

    Returns:
        ``(n, n)`` float64, symmetric, 1 on the diagonal.

    Raises:
        ValueError: ``table`` is not a finite two-dimensional array, or has a row of zeros, which has no
            direction.

    >>> matrix([[2, 0], [0, 3]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = _checks.reals("table", table, axes=2)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"table must have no row of zeros, got one at index {int(lengths.argmin())}")
    directions = rows / lengths
    return np.asarray(directions @ directions.T)


def neighbour_distance(table: ArrayLike) -> NDArray[np.float64]:
    """Return the Euclidean step from each row to the next.

    For a sinusoidal table of consecutive positions it is the same everywhere, ``sqrt(sum(2 - 2 cos w))``.

    Args:
        table: ``(n, d)``.

    Returns:
        ``(n-1,)`` float64, empty for fewer than two rows.

    Raises:
        ValueError: ``table`` is not a finite two-dimensional array.

    >>> neighbour_distance([[0, 0], [3, 4], [3, 4]]).tolist()
    [5.0, 0.0]
    """
    return np.asarray(np.linalg.norm(np.diff(_checks.reals("table", table, axes=2), axis=0), axis=1))


def closest_pair(table: ArrayLike) -> tuple[int, int, float]:
    """Return the two rows that are most alike, and their Euclidean distance.

    Of pairs that differ in rounding only (below 1e-12 of the largest entry) the first is returned: in a
    sinusoidal table all pairs with the same offset tie.

    Args:
        table: ``(n, d)`` with at least two rows.

    Returns:
        ``(i, j, distance)`` with ``i < j``.

    Raises:
        ValueError: ``table`` is not a finite two-dimensional array or has fewer than two rows.

    >>> closest_pair([[0, 0], [5, 0], [0, 1], [5, 1]])
    (0, 2, 1.0)
    """
    from scipy.spatial import KDTree  # slow to import, and nothing else here needs it

    rows = _checks.reals("table", table, axes=2)
    _checks.require(len(rows) >= 2, "the number of rows of table", len(rows), "at least 2")
    distances, neighbours = KDTree(rows).query(rows, k=2)
    itself = neighbours == np.arange(len(rows))[:, np.newaxis]
    nearest = np.where(itself[:, 0], 1, 0)  # among equal rows, a row need not be first of its own neighbours
    distance = np.take_along_axis(distances, nearest[:, np.newaxis], axis=1)[:, 0]
    i = int(np.flatnonzero(distance <= distance.min() + 1e-12 * np.abs(rows).max())[0])
    j = int(neighbours[i, nearest[i]])
    return min(i, j), max(i, j), float(distance[i])


def recover_position(vectors: ArrayLike, table: ArrayLike) -> NDArray[np.int64]:
    """Return, for each vector, the row of ``table`` nearest to it.

    A vector that is an encoding plus a token is read back this way: the rows of a sinusoidal table are all
    equally long, so the nearest is the one with the largest dot product.

    Args:
        vectors: ``(m, d)``.
        table: ``(n, d)`` with at least one row.

    Returns:
        ``(m,)`` int64, indices of rows of ``table``.

    Raises:
        ValueError: an argument is not a finite two-dimensional array, the widths differ or ``table`` is
            empty.

    >>> recover_position([[0.9, 0.2], [5.0, 8.0]], [[1, 0], [0, 1]]).tolist()
    [0, 1]
    """
    vectors = _checks.reals("vectors", vectors, axes=2)
    rows = _checks.reals("table", table, axes=2)
    _checks.require(len(rows) >= 1, "the number of rows of table", len(rows), "at least 1")
    _checks.require(
        vectors.shape[1] == rows.shape[1], "the width of vectors", vectors.shape[1], f"{rows.shape[1]}"
    )
    # |vector - row|² = |vector|² - 2 (vector·row - |row|²/2), and the first term is the same for all rows
    return np.asarray((vectors @ rows.T - np.sum(rows**2, axis=1) / 2).argmax(axis=1))
