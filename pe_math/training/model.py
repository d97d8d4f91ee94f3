"""One small Transformer for all runs: an encoder with mean pooling, or a causal decoder."""

import math
import zlib
from typing import cast

import torch
from torch import Tensor, nn

from pe_math.training import encodings
from pe_math.training.configuration import ModelOptions
from pe_math.training.encodings import Encoding
from pe_math.training.tasks import Task


class Attention(nn.Module):
    """Multi-head self-attention (Vaswani et al. 2017, section 3.2) that lets an encoding turn and adjust."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__()
        self.heads = options.heads
        self.project = nn.Linear(options.width, 3 * options.width)
        self.output = nn.Linear(options.width, options.width)

    def weights(self, queries: Tensor, keys: Tensor, encoding: Encoding, mask: Tensor | None) -> Tensor:
        """Return the attention weights `(batch, heads, queries, keys)`; each row adds up to 1."""
        queries = encoding.turn(queries) / math.sqrt(queries.shape[-1])
        scores = encoding.adjust(queries @ encoding.turn(keys).transpose(-1, -2), queries)
        return torch.softmax(scores if mask is None else scores + mask, dim=-1)

    def split(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, each `(batch, heads, positions, d)`."""
        batch, length, width = x.shape
        projected = self.project(x).view(batch, length, 3, self.heads, width // self.heads)
        queries, keys, values = projected.permute(2, 0, 3, 1, 4)
        return queries, keys, values

    def forward(self, x: Tensor, encoding: Encoding, mask: Tensor | None) -> Tensor:
        """Return `x` `(batch, positions, width)` as attention mixes it."""
        queries, keys, values = self.split(x)
        mixed = self.weights(queries, keys, encoding, mask) @ values
        output: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return output


class Block(nn.Module):
    """Attention and feed-forward, each added to what came in, with LayerNorm before or after."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__()
        self.norm_first = options.norm == "before"
        self.attention = Attention(options)
        self.attention_norm = nn.LayerNorm(options.width)
        self.feed_forward = nn.Sequential(
            nn.Linear(options.width, options.hidden), nn.ReLU(), nn.Linear(options.hidden, options.width)
        )
        self.feed_forward_norm = nn.LayerNorm(options.width)
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, x: Tensor, encoding: Encoding, mask: Tensor | None) -> Tensor:
        """Return the block's output, `(batch, positions, width)` like `x`."""
        if self.norm_first:
            x = x + self.dropout(self.attention(self.attention_norm(x), encoding, mask))
            x = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
            return x
        x = self.attention_norm(x + self.dropout(self.attention(x, encoding, mask)))
        output: Tensor = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return output

    def attention_weights(self, x: Tensor, encoding: Encoding, mask: Tensor | None) -> Tensor:
        """Return the attention weights `(batch, heads, queries, keys)` of a block that sees `x`."""
        queries, keys, _ = self.attention.split(self.attention_norm(x) if self.norm_first else x)
        return self.attention.weights(queries, keys, encoding, mask)


class Transformer(nn.Module):
    """The model of `task` with `options`, its initial weights drawn from `seed`.

    A regression or classification task makes an encoder whose outputs are averaged over the positions; a
    language task makes a causal decoder with an output at each position. Weights that two modes share start
    equal for equal seeds.
    """

    mask: Tensor | None

    def __init__(self, task: Task, options: ModelOptions, seed: int) -> None:
        super().__init__()
        self.positions = max(task.lengths)
        self.pooled = not task.causal
        token_width = options.width - options.concatenate
        embedding = nn.Linear if task.kind == "regression" else nn.Embedding
        self.embedding: nn.Module = embedding(task.inputs, token_width)
        self.embedding_norm = nn.LayerNorm(options.width) if options.norm_embedding else nn.Identity()
        self.dropout = nn.Dropout(options.dropout)
        self.blocks = nn.ModuleList(Block(options) for _ in range(options.layers))
        self.norm = nn.LayerNorm(options.width) if options.norm == "before" else nn.Identity()
        self.head = nn.Linear(options.width, task.outputs)
        self.encodings = nn.ModuleList(encodings.build(options, self.positions, task.causal))
        self.register_buffer("mask", _mask(self.positions, task.causal, options.window), persistent=False)
        _initialise(self, seed)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return outputs `(batch, outputs)` of an encoder or `(batch, positions, outputs)` of a decoder."""
        x = self.norm(self._states(inputs)[-1])
        outputs: Tensor = self.head(x.mean(dim=1) if self.pooled else x)
        return outputs

    def attention(self, inputs: Tensor) -> Tensor:
        """Return the attention weights `(layers, batch, heads, queries, keys)` of all layers."""
        mask = self._mask(inputs)
        states = self._states(inputs)[:-1]
        weights = [
            block.attention_weights(x, encoding, mask)
            for (block, encoding), x in zip(self._layers(), states, strict=True)
        ]
        return torch.stack(weights)

    def _states(self, inputs: Tensor) -> list[Tensor]:
        """Return what each block sees, and last what leaves the last one."""
        mask = self._mask(inputs)
        (first, encoding), *others = self._layers()
        x = self.dropout(self.embedding_norm(encoding.join(self.embedding(inputs))))
        states = [x, first(x, encoding, mask)]
        for block, encoding in others:
            states[-1] = encoding.join(states[-1])
            states.append(block(states[-1], encoding, mask))
        return states

    def _layers(self) -> list[tuple[Block, Encoding]]:
        return cast("list[tuple[Block, Encoding]]", list(zip(self.blocks, self.encodings, strict=True)))

    def _mask(self, inputs: Tensor) -> Tensor | None:
        length = inputs.shape[1]
        if length > self.positions:
            raise ValueError(f"inputs must have at most {self.positions} positions, but have {length}")
        return None if self.mask is None else self.mask[:length, :length]


def _mask(positions: int, causal: bool, window: int | None) -> Tensor | None:
    """Return 0 where a query (row) may look at a key (column) and -inf elsewhere; None if it may look
    everywhere."""
    if not causal and window is None:
        return None
    offset = torch.arange(positions) - torch.arange(positions)[:, None]
    hidden = torch.zeros(positions, positions, dtype=torch.bool)
    if causal:
        hidden |= offset > 0
    if window is not None:
        hidden |= offset.abs() > window
    return torch.zeros(positions, positions).masked_fill(hidden, -math.inf)


def _initialise(model: Transformer, seed: int) -> None:
    """Draw the initial weights, each from a generator of its own, seeded by the parameter's name.

    So a parameter starts with the same numbers in every mode that has it, whatever other parameters the mode
    adds. The head starts at zero: every untrained model gives the same answer, and all loss curves leave from
    one point. A learned table starts with vectors as long as those of a sinusoidal one, sqrt(d/2) on average,
    so that their size is no difference between the two.
    """
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            generator = torch.Generator().manual_seed(zlib.crc32(f"{seed}/{name}".encode()))
            if "norm" in name:
                continue
            if parameter.ndim < 2 or name.startswith("head"):
                parameter.zero_()
            elif name.startswith("embedding"):
                parameter.normal_(0, 1, generator=generator)
            elif name.endswith("table"):
                parameter.normal_(0, 0.5**0.5, generator=generator)
            else:
                parameter.normal_(0, parameter.shape[1] ** -0.5, generator=generator)
