"""What is trained and how: plain values that a record stores whole and a resumed run compares."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pe_math import _checks, alibi
from pe_math.schedules import Schedule, resolve

MODES = ("none", "sinusoidal", "learned", "shaw", "t5", "alibi", "rope", "hybrid")
_ABSOLUTE = ("sinusoidal", "learned", "hybrid")
WITH_FREQUENCIES = ("sinusoidal", "hybrid", "rope")
_USED_BY: dict[str, tuple[str, ...]] = {
    "concatenate": _ABSOLUTE,
    "frequencies": WITH_FREQUENCIES,
    "layer_frequencies": WITH_FREQUENCIES,
    "max_distance": ("shaw",),
    "buckets": ("t5",),
    "bucket_distance": ("t5",),
    "alibi_form": ("alibi",),
    "hybrid_weight": ("hybrid",),
    "rotary_scale": ("rope",),
}

SEEDS = 2**32
"""Seeds of runs are below this number."""


@dataclass(frozen=True)
class ModelOptions:
    """The small Transformer. Two models that differ in `mode` alone differ in nothing but the encoding.

    Attributes:
        mode: one of `MODES`.
        width: numbers in a token's vector.
        layers: blocks of attention and feed-forward.
        heads: attention heads a layer.
        hidden: feed-forward units a layer.
        dropout: share of the embedding and of each half block's output that is dropped in training.
        norm: LayerNorm `before` each half block (and once at the end), or `after` each has been added.
        norm_embedding: LayerNorm right after the encoding has joined the tokens.
        concatenate: 0 to add an absolute encoding to the token vectors, or how many of the `width` numbers it
            takes for itself, leaving the rest to the token.
        window: how many positions away attention reaches; None for all.
        frequencies: schedule of `sinusoidal`, `hybrid` and `rope`, as `pe_math.schedules.resolve` takes it: a
            name, a function of the encoding's width, ``FILE.py:FUNCTION``, or the numbers.
        layer_frequencies: one schedule a layer in place of `frequencies`; a sinusoidal table then joins in
            every layer.
        max_distance: where `shaw` clips the distance.
        buckets: number of buckets of `t5`.
        bucket_distance: distance from which all of `t5` share the last bucket.
        alibi_form: form of `pe_math.alibi.bias`; None for `causal` in a decoder, `symmetric` in an encoder.
        hybrid_weight: the sinusoidal table's share in `hybrid`, or None to learn it from one half on.
        rotary_scale: factor on RoPE's cosines and sines; YaRN's is not 1.
    """

    mode: str
    width: int = 64
    layers: int = 2
    heads: int = 4
    hidden: int = 128
    dropout: float = 0.0
    norm: str = "before"
    norm_embedding: bool = False
    concatenate: int = 0
    window: int | None = None
    frequencies: Schedule = "geometric"
    layer_frequencies: tuple[Schedule, ...] = ()
    max_distance: int = 16
    buckets: int = 32
    bucket_distance: int = 128
    alibi_form: alibi.Form | None = None
    hybrid_weight: float | None = None
    rotary_scale: float = 1.0

    def __post_init__(self) -> None:
        _checks.choice("mode", self.mode, MODES)
        _checks.choice("norm", self.norm, ("before", "after"))
        for name in ("width", "layers", "heads", "hidden"):
            _checks.count(name, getattr(self, name), at_least=1)
        require = _checks.require
        require(self.width % self.heads == 0, "heads", self.heads, f"a divisor of width, {self.width}")
        require(0 <= self.dropout < 1, "dropout", self.dropout, "at least 0 and below 1")
        share = self.hybrid_weight
        require(share is None or 0 <= share <= 1, "hybrid_weight", share, "from 0 to 1, or None")
        if self.window is not None:
            _checks.count("window", self.window)
        if self.alibi_form is not None:
            _checks.choice("alibi_form", self.alibi_form, get_args(alibi.Form))
        self._check_used()
        self._check_concatenate()
        layers = len(self.layer_frequencies)
        require(
            layers in (0, self.layers),
            "len(layer_frequencies)",
            layers,
            f"0 or that of layers, {self.layers}",
        )
        self.schedules()

    def _check_used(self) -> None:
        """Refuse options that the mode would ignore: two models would seem to differ, and be one."""
        for option in dataclasses.fields(self):
            value = getattr(self, option.name)
            changed = isinstance(value, np.ndarray) or value != option.default
            used = self.mode in _USED_BY.get(option.name, MODES)
            right = f"{option.default!r} for mode {self.mode!r}, which does not use it"
            _checks.require(used or not changed, option.name, value, right)

    def _check_concatenate(self) -> None:
        require, taken = _checks.require, _checks.count("concatenate", self.concatenate)
        require(taken < self.width, "concatenate", taken, f"at least 0 and below width, {self.width}")
        # A table that joins in every layer can only be added: above the first one no room is left.
        require(not (taken and self.layer_frequencies), "concatenate", taken, "0 with layer_frequencies")

    @property
    def encoding_width(self) -> int:
        """The `d` of the encoding: a head's width for `rope`, else that of the table."""
        return self.width // self.heads if self.mode == "rope" else self.concatenate or self.width

    def schedules(self) -> tuple[tuple[float, ...], ...]:
        """Return the frequencies as numbers: one tuple for all layers or one a layer; () for other modes."""
        if self.mode not in WITH_FREQUENCIES:
            return ()
        chosen = self.layer_frequencies or (self.frequencies,)
        return tuple(tuple(resolve(schedule, self.encoding_width).tolist()) for schedule in chosen)

    def describe(self) -> dict[str, Any]:
        """Return all options as JSON values; schedules as their numbers."""
        values = {option.name: getattr(self, option.name) for option in dataclasses.fields(self)}
        numbers = [list(schedule) for schedule in self.schedules()]
        per_layer = bool(self.layer_frequencies)
        values["frequencies"] = [] if per_layer or not numbers else numbers[0]
        values["layer_frequencies"] = numbers if per_layer else []
        return values

    @classmethod
    def from_description(cls, values: Mapping[str, Any]) -> "ModelOptions":
        """Return the options that `describe` described."""
        layers = tuple(tuple(schedule) for schedule in values["layer_frequencies"])
        numbers = tuple(values["frequencies"]) or cls.frequencies  # none where no layer uses them
        return cls(**{**values, "frequencies": numbers, "layer_frequencies": layers})


@dataclass(frozen=True)
class TrainingOptions:
    """How a model is trained: Adam, a linear warm-up and then a cosine down to zero.

    Attributes:
        epochs: points on the loss curve.
        steps: optimiser steps an epoch, each on a fresh batch.
        batch: sequences a step.
        learning_rate: the highest one, reached at the end of the warm-up.
        warmup: steps over which the learning rate rises from zero.
        clip: largest norm of a gradient; larger ones are scaled down to it.
        validation: held-out sequences, the same in every run of a task.
        snapshots: epochs (0 is before training) after which a learned table is kept for the record.
        attention: whether the trained model's mean attention weights are kept for the record.
        weights: whether the trained weights are kept for the record.
    """

    epochs: int = 40
    steps: int = 100
    batch: int = 64
    learning_rate: float = 1e-3
    warmup: int = 100
    clip: float = 1.0
    validation: int = 2048
    snapshots: tuple[int, ...] = ()
    attention: bool = False
    weights: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "steps", "batch", "validation"):
            _checks.count(name, getattr(self, name), at_least=1)
        _checks.count("warmup", self.warmup)
        for name in ("learning_rate", "clip"):
            _checks.require(
                _checks.number(name, getattr(self, name)) > 0, name, getattr(self, name), "positive"
            )
        inside = all(0 <= epoch <= self.epochs for epoch in self.snapshots)
        _checks.require(inside, "snapshots", self.snapshots, f"epochs from 0 to {self.epochs}")

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0.

        >>> options = TrainingOptions(epochs=10, steps=10, warmup=10, learning_rate=1.0)
        >>> options.rate(4), options.rate(9), round(options.rate(99), 3)
        (0.5, 1.0, 0.0)
        """
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, self.epochs * self.steps - self.warmup)
        return self.learning_rate * 0.5 * (1 + math.cos(math.pi * done))

    def describe(self) -> dict[str, Any]:
        """Return all options as JSON values."""
        return {**dataclasses.asdict(self), "snapshots": list(self.snapshots)}

    @classmethod
    def from_description(cls, values: Mapping[str, Any]) -> "TrainingOptions":
        """Return the options that `describe` described."""
        return cls(**{**values, "snapshots": tuple(values["snapshots"])})


@dataclass(frozen=True)
class Run:
    """One training run. `encoding` is its name in a comparison, often just the mode."""

    task: str
    encoding: str
    seed: int
    model: ModelOptions
    training: TrainingOptions

    def __post_init__(self) -> None:
        right = f"from 0 to {SEEDS - 1}"
        _checks.require(_checks.count("seed", self.seed) < SEEDS, "seed", self.seed, right)

    def describe(self) -> dict[str, Any]:
        """Return everything that decides the run's numbers as JSON values."""
        return {
            "task": self.task,
            "encoding": self.encoding,
            "seed": self.seed,
            "model": self.model.describe(),
            "training": self.training.describe(),
        }

    @classmethod
    def from_description(cls, values: Mapping[str, Any]) -> "Run":
        """Return the run that `describe` described."""
        return cls(
            task=values["task"],
            encoding=values["encoding"],
            seed=values["seed"],
            model=ModelOptions.from_description(values["model"]),
            training=TrainingOptions.from_description(values["training"]),
        )


@dataclass(frozen=True)
class Result:
    """What a finished run hands over.

    `arrays` are named as in a record, without task and encoding and without the axis of seeds. `parameters`
    is the number of trained weights, `seconds` what the run took.
    """

    run: Run
    arrays: Mapping[str, NDArray[np.float32]]
    parameters: int
    seconds: float
