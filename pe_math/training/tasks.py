"""What the small Transformers learn: seeded tasks, each of which can be drawn at any length.

A task draws sequences from a NumPy generator, so the same seed gives the same sequences whatever the
encoding, the number of workers or the version of torch. Inputs are float32 `(count, length, 1)` for the
regression tasks and int64 `(count, length)` tokens for the others. Targets are float32 `(count,)` sums, int64
`(count,)` classes, or int64 `(count, length)` next tokens in which `UNSCORED` marks the positions that do not
count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pe_math import _checks

Kind = Literal["regression", "classification", "language"]
Batch = tuple[NDArray[Any], NDArray[Any]]
Draw = Callable[[Generator, int, int], Batch]
Weights = Callable[[int], NDArray[np.float64]]

UNSCORED = -100
"""Target of a position that has none; the value that torch's cross entropy leaves out by default."""


@dataclass(frozen=True)
class Task:
    """A task: what goes in, what must come out, and how it is drawn.

    `inputs` is the number of features a step (regression) or of tokens in the vocabulary (the other kinds),
    `outputs` the number of values or classes predicted. `length` is the length trained on and `factors` the
    multiples of it that are tested. `draw(generator, count, length)` gives training sequences and
    `draw_held_out` those for validation; for the invented tasks the two are one distribution and only the
    generator differs. `weights(length)` says how much of each position's element a sum takes; None where the
    target is no sum. `source` says where real data came from.
    """

    name: str
    kind: Kind
    inputs: int
    outputs: int
    length: int
    draw: Draw
    draw_held_out: Draw
    weights: Weights | None = None
    factors: tuple[int, ...] = (1, 2, 4)
    source: str = ""

    @property
    def causal(self) -> bool:
        """Whether the model may look only to the left: so for language tasks."""
        return self.kind == "language"

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths tested, the trained one first."""
        return tuple(factor * self.length for factor in self.factors)


def signal(generator: Generator, count: int, length: int) -> NDArray[np.float32]:
    """Return `(count, length)` sequences: a sine in the first half, Gaussian noise in the second.

    Phase and frequency of each sine are drawn anew: the phase uniformly from the circle, the frequency
    uniformly from 0.2 to 1 radians a step. The amplitude is 1 and so is the deviation of the noise.
    """
    _checks.require(
        length > 0 and length % 2 == 0, "length", length, "positive and even, for it has two halves"
    )
    half = length // 2
    phase = generator.uniform(0, 2 * np.pi, (count, 1))
    frequency = generator.uniform(0.2, 1.0, (count, 1))
    sine = np.sin(phase + frequency * np.arange(half))
    noise = generator.standard_normal((count, half))
    return np.concatenate([sine, noise], axis=1).astype(np.float32)


def _weighted(weights: Weights) -> Draw:
    """Return a draw whose target is the sum of a signal's elements, each times its position's weight."""

    def draw(generator: Generator, count: int, length: int) -> Batch:
        x = signal(generator, count, length)
        return x[:, :, None], (x @ weights(length)).astype(np.float32)

    return draw


def _first_half(length: int) -> NDArray[np.float64]:
    return (np.arange(length) < length // 2).astype(np.float64)


def _ramp(length: int) -> NDArray[np.float64]:
    return np.arange(1, length + 1) / length


def _regression(name: str, weights: Weights) -> Task:
    draw = _weighted(weights)
    return Task(name, "regression", 1, 1, length=32, draw=draw, draw_held_out=draw, weights=weights)


TASKS: dict[str, Callable[[Path | None], Task]] = {
    "signal_sum": lambda data: _regression("signal_sum", np.ones),
    "half_sum": lambda data: _regression("half_sum", _first_half),
    "weighted_sum": lambda data: _regression("weighted_sum", _ramp),
}


def load(name: str, data: Path | None = None) -> Task:
    """Return the task called `name`; `data` is the folder of one that reads files.

    Raises:
        ValueError: there is no such task.
    """
    _checks.choice("task", name, TASKS)
    return TASKS[name](data)
