"""Relative positions as indices of learned vectors: Shaw's clipped distances and T5's buckets."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks


def shaw_index(query_length: int, key_length: int, max_distance: int) -> NDArray[np.int64]:
    """Return which of ``2 * max_distance + 1`` relative vectors each query and key share.

    The index is ``clip(key - query, -max_distance, max_distance) + max_distance`` (Shaw et al. 2018, section
    3.2). Queries and keys are both counted from 0.

    Args:
        query_length: number of queries.
        key_length: number of keys.
        max_distance: distances beyond are clipped to it; 0 leaves one vector for all.

    Returns:
        ``(query_length, key_length)`` int64.

    Raises:
        ValueError: an argument is not an integer or is negative.

    >>> shaw_index(3, 4, max_distance=1).tolist()
    [[1, 2, 2, 2], [0, 1, 2, 2], [0, 0, 1, 2]]
    """
    queries = np.arange(_checks.count("query_length", query_length))[:, np.newaxis]
    keys = np.arange(_checks.count("key_length", key_length))
    max_distance = _checks.count("max_distance", max_distance)
    return np.asarray(np.clip(keys - queries, -max_distance, max_distance) + max_distance, dtype=np.int64)


def t5_bucket(
    relative_position: ArrayLike, bidirectional: bool, num_buckets: int, max_distance: int
) -> NDArray[np.int64]:
    """Return T5's bucket of each relative position (Raffel et al. 2020, section 2.1).

    Half the buckets of a direction hold one short distance each, the other half hold logarithmically wider
    ranges up to ``max_distance``, and all beyond shares the last.

    Args:
        relative_position: ``key - query``, integers, an array of any shape.
        bidirectional: spend half the buckets on keys after the query; else those all share bucket 0.
        num_buckets: at least 2 a direction.
        max_distance: greater than the distances that have a bucket of their own.

    Returns:
        int64 of the same shape, from 0 to ``num_buckets - 1``.

    Raises:
        ValueError: an argument is outside the range above, where T5's own code divides by zero or by a
            negative logarithm and returns nonsense.

    >>> t5_bucket([-20, -3, 0, 3, 20], bidirectional=True, num_buckets=8, max_distance=16).tolist()
    [3, 2, 0, 6, 7]
    """
    relative_position = _checks.integers("relative_position", relative_position)
    _checks.require(isinstance(bidirectional, bool), "bidirectional", bidirectional, "True or False")
    num_buckets = _checks.count("num_buckets", num_buckets, at_least=4 if bidirectional else 2)
    max_distance = _checks.count("max_distance", max_distance)
    per_direction = num_buckets // 2 if bidirectional else num_buckets
    exact = per_direction // 2
    right = f"greater than {exact}, the distances with a bucket of their own"
    _checks.require(max_distance > exact, "max_distance", max_distance, right)

    if bidirectional:
        first = np.where(relative_position > 0, per_direction, 0)
        distance = np.abs(relative_position)
    else:
        first = np.zeros_like(relative_position)
        distance = np.maximum(-relative_position, 0)
    octaves = np.log2(np.maximum(distance, exact) / exact) / math.log2(max_distance / exact)
    wide = exact + (octaves * (per_direction - exact)).astype(np.int64)
    return first + np.where(distance < exact, distance, np.minimum(wide, per_direction - 1))
