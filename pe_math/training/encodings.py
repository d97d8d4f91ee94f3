"""The encodings, by where they touch a Transformer: at its input, its queries and keys, or its scores.

Tables, angles, indices and biases are computed once by `pe_math` in float64, for the longest sequence, and
rounded to float32 buffers only then; a shorter sequence uses their first rows.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pe_math import alibi, relative, rotary, sinusoidal
from pe_math.angles import cos_sin
from pe_math.training.configuration import ModelOptions


class Encoding(nn.Module):
    """Mode `none`, and the base of the others, each of which overrides one of the three methods."""

    def join(self, tokens: Tensor) -> Tensor:
        """Return token vectors `(batch, positions, tokens)` with the encoding added or concatenated."""
        return tokens

    def turn(self, x: Tensor) -> Tensor:
        """Return queries or keys `(batch, heads, positions, d)` as their positions turn them."""
        return x

    def adjust(self, scores: Tensor, queries: Tensor) -> Tensor:
        """Return scores `(batch, heads, queries, keys)` with a bias; `queries` are divided by √d already."""
        return scores


class Absolute(Encoding):
    """An encoding that gives each position a vector, added to the token there or concatenated."""

    def __init__(self, concatenated: bool) -> None:
        super().__init__()
        self.concatenated = concatenated

    def vectors(self, length: int) -> Tensor:
        """Return the encodings `(length, d)` of the first positions."""
        raise NotImplementedError

    def join(self, tokens: Tensor) -> Tensor:
        """Add each position's vector to the token there, or concatenate the two."""
        vectors = self.vectors(tokens.shape[1])
        if not self.concatenated:
            return tokens + vectors
        return torch.cat([tokens, vectors.expand(len(tokens), -1, -1)], dim=-1)


class Sinusoidal(Absolute):
    """Fixed sines and cosines (Vaswani et al. 2017, section 3.5)."""

    table: Tensor

    def __init__(self, frequencies: Sequence[float], positions: int, concatenated: bool) -> None:
        super().__init__(concatenated)
        table = sinusoidal.table(np.arange(positions), np.asarray(frequencies))
        self.register_buffer("table", _float32(table), persistent=False)

    def vectors(self, length: int) -> Tensor:
        """Return the table's first rows, `(length, d)`."""
        return self.table[:length]


class Learned(Absolute):
    """One free vector a position (Gehring et al. 2017, section 3.1; Vaswani et al. 2017, Table 3, row E).

    Positions beyond the trained length keep the vectors that they started with.
    """

    def __init__(self, width: int, positions: int, concatenated: bool) -> None:
        super().__init__(concatenated)
        self.table = nn.Parameter(torch.empty(positions, width))

    def vectors(self, length: int) -> Tensor:
        """Return the table's first rows, `(length, d)`."""
        return self.table[:length]


class Hybrid(Absolute):
    """`share` of a sinusoidal table and `1 - share` of a learned one; the share is fixed, or learned as a
    sigmoid."""

    def __init__(self, fixed: Sinusoidal, learned: Learned, share: float | None) -> None:
        super().__init__(fixed.concatenated)
        self.fixed = fixed
        self.learned = learned
        self.fixed_share = share
        if share is None:
            self.share_logit = nn.Parameter(torch.zeros(()))

    def share(self) -> Tensor | float:
        """Return the sinusoidal table's share, from 0 to 1."""
        return torch.sigmoid(self.share_logit) if self.fixed_share is None else self.fixed_share

    def vectors(self, length: int) -> Tensor:
        """Return the weighted sum of both tables' first rows, `(length, d)`."""
        share = self.share()
        return share * self.fixed.vectors(length) + (1 - share) * self.learned.vectors(length)


class Shaw(Encoding):
    """A learned vector for each clipped distance, added to the keys (Shaw et al. 2018, equation 4).

    The vectors are shared between the heads of a layer and not between layers.
    """

    index: Tensor

    def __init__(self, head_width: int, max_distance: int, positions: int) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.empty(2 * max_distance + 1, head_width))
        index = relative.shaw_index(positions, positions, max_distance)
        self.register_buffer("index", torch.from_numpy(index.astype(np.int64)), persistent=False)

    def adjust(self, scores: Tensor, queries: Tensor) -> Tensor:
        """Add each query's dot product with the vector of its distance to the key."""
        # q·a for every distance first, then each pair picks its own: no (queries, keys, d) array is ever
        # made.
        length = queries.shape[2]
        by_distance = queries @ self.vectors.T
        index = self.index[:length, :length].expand(*queries.shape[:2], -1, -1)
        return scores + by_distance.gather(-1, index)


class T5(Encoding):
    """A learned number for each head and bucket of distances, the same in all layers (Raffel et al. 2020,
    section 2.1)."""

    buckets: Tensor

    def __init__(self, options: ModelOptions, positions: int, causal: bool) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(options.heads, options.buckets))
        offsets = np.arange(positions)[None, :] - np.arange(positions)[:, None]
        buckets = relative.t5_bucket(offsets, not causal, options.buckets, options.bucket_distance)
        self.register_buffer("buckets", torch.from_numpy(buckets.astype(np.int64)), persistent=False)

    def adjust(self, scores: Tensor, queries: Tensor) -> Tensor:
        """Add the learned number of each pair's bucket."""
        length = queries.shape[2]
        return scores + self.bias[:, self.buckets[:length, :length]]


class Alibi(Encoding):
    """A fixed penalty that grows with distance, at a slope of its own in each head (Press et al. 2022,
    section 3)."""

    bias: Tensor

    def __init__(self, heads: int, positions: int, form: alibi.Form) -> None:
        super().__init__()
        self.register_buffer(
            "bias", _float32(alibi.bias(heads, positions, positions, form)), persistent=False
        )

    def adjust(self, scores: Tensor, queries: Tensor) -> Tensor:
        """Add the penalty of each pair's distance."""
        length = queries.shape[2]
        return scores + self.bias[:, :length, :length]


class Rope(Encoding):
    """Queries and keys rotated by angles proportional to their positions (Su et al. 2021, section 3)."""

    cos: Tensor
    sin: Tensor

    def __init__(self, frequencies: Sequence[float], positions: int, scale: float) -> None:
        super().__init__()
        cos, sin = cos_sin(np.arange(positions), np.asarray(frequencies))
        self.register_buffer("cos", _float32(scale * cos), persistent=False)
        self.register_buffer("sin", _float32(scale * sin), persistent=False)

    def turn(self, x: Tensor) -> Tensor:
        """Rotate each vector by its position's angles, a plane at a time."""
        length = x.shape[2]
        turned: Tensor = rotary.turn(x, self.cos[:length], self.sin[:length], "half")
        return turned


def build(options: ModelOptions, positions: int, causal: bool) -> list[Encoding]:
    """Return the encoding of each layer, for sequences of up to `positions`; a layer without its own is
    `Encoding()`."""
    if options.mode == "rope":
        schedules = options.schedules()
        per_layer = schedules if len(schedules) > 1 else schedules * options.layers
        return [Rope(schedule, positions, options.rotary_scale) for schedule in per_layer]
    if options.mode == "shaw":
        head_width = options.width // options.heads
        return [Shaw(head_width, options.max_distance, positions) for _ in range(options.layers)]
    if options.mode == "t5":
        return [T5(options, positions, causal)] * options.layers
    if options.mode == "alibi":
        form = options.alibi_form or ("causal" if causal else "symmetric")
        return [Alibi(options.heads, positions, form)] * options.layers
    joined = _absolute(options, positions)
    return joined + [Encoding()] * (options.layers - len(joined))


def _absolute(options: ModelOptions, positions: int) -> list[Encoding]:
    """Return the absolute encodings, of the first layer alone or, with a schedule for each, of all layers."""
    width, concatenated = options.encoding_width, options.concatenate > 0
    if options.mode == "learned":
        return [Learned(width, positions, concatenated)]
    fixed = [Sinusoidal(schedule, positions, concatenated) for schedule in options.schedules()]
    if options.mode == "hybrid":
        return [
            Hybrid(table, Learned(width, positions, concatenated), options.hybrid_weight) for table in fixed
        ]
    return list(fixed)


def _float32(values: NDArray[np.float64]) -> Tensor:
    return torch.from_numpy(values.astype(np.float32))
