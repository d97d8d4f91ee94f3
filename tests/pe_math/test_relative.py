"""Relative indices, held against T5 in transformers and against the papers' formulas."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from transformers.models.t5.modeling_t5 import T5Attention

from pe_math import relative

relative_positions = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0), elements=st.integers(-100_000, 100_000)
)


@given(relative_positions, st.booleans(), st.integers(2, 128), st.integers(2, 2000))
def test_t5_bucket_is_transformers(
    positions: np.ndarray, bidirectional: bool, num_buckets: int, max_distance: int
) -> None:
    per_direction = num_buckets // 2 if bidirectional else num_buckets
    assume(per_direction >= 2 and max_distance > per_direction // 2)
    theirs = T5Attention._relative_position_bucket(
        torch.tensor(positions), bidirectional, num_buckets, max_distance
    ).numpy()
    ours = relative.t5_bucket(positions, bidirectional, num_buckets, max_distance)
    assert ours.dtype == np.int64
    different = ours != theirs
    # The peer's logarithm is float32, which may fall short at the distance where a bucket begins.
    assert np.abs(ours - theirs).max(initial=0) <= 1
    edges = [exact_bucket(int(p), bidirectional, num_buckets, max_distance) for p in positions[different]]
    assert ours[different].tolist() == edges


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 128), (64, 256), (32, 20), (8, 128)])
def test_t5_bucket_is_exact(bidirectional: bool, num_buckets: int, max_distance: int) -> None:
    positions = np.arange(-300, 301)
    expected = [exact_bucket(int(p), bidirectional, num_buckets, max_distance) for p in positions]
    ours = relative.t5_bucket(positions, bidirectional, num_buckets, max_distance)
    assert ours.tolist() == expected
    theirs = T5Attention._relative_position_bucket(
        torch.tensor(positions), bidirectional, num_buckets, max_distance
    )
    assert ours.tolist() == theirs.tolist()


def exact_bucket(position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> int:
    """Return T5's bucket without logarithms: bucket b begins at exact * (max/exact)**(b/wide)."""
    per_direction = num_buckets // 2 if bidirectional else num_buckets
    first = per_direction if bidirectional and position > 0 else 0
    distance = abs(position) if bidirectional else max(-position, 0)
    exact = per_direction // 2
    wide = per_direction - exact
    if distance < exact:
        return first + distance
    begun = [b for b in range(wide) if max_distance**b * exact ** (wide - b) <= distance**wide]
    return first + exact + begun[-1]


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 12))
def test_shaw_index_is_the_clipped_distance(queries: int, keys: int, max_distance: int) -> None:
    index = relative.shaw_index(queries, keys, max_distance)
    assert index.shape == (queries, keys)
    assert index.dtype == np.int64
    for query in range(queries):
        for key in range(keys):
            assert index[query, key] == min(max(key - query, -max_distance), max_distance) + max_distance


def test_empty_sequences() -> None:
    assert relative.shaw_index(0, 3, 2).shape == (0, 3)
    assert relative.t5_bucket([], True, 32, 128).shape == (0,)
    assert relative.t5_bucket(np.empty((0, 4), int), True, 32, 128).shape == (0, 4)
