"""RoPE beyond the trained length: the same models with rescaled frequencies, as they are and tuned briefly.

A model trained at one length is asked at longer ones. Its frequencies are left alone or rescaled for
`factor = length / trained length`, in ways of `pe_math.stretching`.

The record reads like a comparison's: `length_loss` and `length_score` are of the rescaled models without any
training, each length with a factor of its own, and the loss curves are of a fine-tuning at one longer length.
Its document says more: `base` is the run of the first seed before that, `base_seconds` what each seed's took,
and `tuned_length` the longer length.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_math.stretching import stretched
from pe_math.training import trainer
from pe_math.training.comparisons import DECODERS, Comparison, assemble
from pe_math.training.configuration import ModelOptions, Result, Run, TrainingOptions
from pe_math.training.records import Record
from pe_math.training.tasks import load

_BASE = 10000.0


@dataclass(frozen=True)
class Rescaling:
    """RoPE models of a task, trained with `training` and then tuned with `tuning` at `factor` times the
    length."""

    task: str
    training: TrainingOptions
    tuning: TrainingOptions
    factor: int
    seeds: tuple[int, ...]
    name: str = "rescaling"

    def bases(self) -> list[Run]:
        """Return the runs whose models are rescaled, one a seed."""
        training = replace(self.training, weights=True)
        return [Run(self.task, "rope", seed, ModelOptions("rope"), training) for seed in self.seeds]

    def checkpoints(self, folder: Path) -> list[Path]:
        """Return what lies in `folder` of them: a file for each model, and a folder for its tunings."""
        files = [folder / trainer.checkpoint_name(run) for run in self.bases()]
        return [path for file in files for path in (file, file.with_suffix(""))]


RESCALING = Rescaling(
    task="wikitext",
    training=replace(DECODERS.tasks["wikitext"], attention=False),
    # 100 steps; 64 sequences of 512 are as many characters as 512 of the trained length.
    tuning=TrainingOptions(epochs=10, steps=10, batch=16, learning_rate=1e-3, warmup=10, validation=64),
    factor=4,
    seeds=DECODERS.seeds,
)


METHODS = ("as_trained", "interpolated", "ntk", "yarn")
"""Those of `pe_math.stretching.METHODS` that are recorded."""


def rescaled(method: str, factor: float, length: int) -> ModelOptions:
    """Return the options of a RoPE model trained at `length`, with frequencies for `factor` times that."""
    values, scale = stretched(method, ModelOptions("rope").encoding_width, _BASE, factor, length)
    return ModelOptions("rope", frequencies=tuple(values.tolist()), rotary_scale=scale)


def record(
    rescaling: Rescaling,
    checkpoints: Path,
    workers: int,
    data: Path | None,
    circumstances: Mapping[str, Any],
) -> Record:
    """Train the models, ask them at longer lengths, tune them, and return the record."""
    task = load(rescaling.task, data)
    bases = trainer.train_all(rescaling.bases(), checkpoints, workers, data)
    calls = [
        (run.describe(), _weights(base), rescaling.factor, folder, data)
        for base, folder in zip(bases, rescaling.checkpoints(checkpoints)[1::2], strict=True)
        for run in _tunings(rescaling, base.run.seed, task.length)
    ]
    results = trainer.side_by_side(_rescale, calls, rescaling.tuning.epochs * len(calls), workers)
    shown = Comparison(
        rescaling.name,
        {rescaling.task: rescaling.tuning},
        {method: rescaled(method, rescaling.factor, task.length) for method in METHODS},
        rescaling.seeds,
    )
    about = {
        "base": rescaling.bases()[0].describe(),
        "base_seconds": [round(base.seconds, 1) for base in bases],
        "tuned_length": rescaling.factor * task.length,
    }
    return assemble(shown, [task], results, {**about, **circumstances})


def _tunings(rescaling: Rescaling, seed: int, length: int) -> list[Run]:
    """Return the runs that fine-tune the model of a seed, rescaled in each of the ways."""
    models = {method: rescaled(method, rescaling.factor, length) for method in METHODS}
    return [Run(rescaling.task, method, seed, model, rescaling.tuning) for method, model in models.items()]


def _weights(base: Result) -> dict[str, NDArray[np.float32]]:
    prefix = "weights/"
    return {name[len(prefix) :]: array for name, array in base.arrays.items() if name.startswith(prefix)}


def _rescale(
    description: dict[str, Any],
    start: Mapping[str, NDArray[np.float32]],
    factor: int,
    checkpoints: Path,
    data: Path | None,
) -> Result:
    """Ask a rescaled model at each length, then tune it at `factor` times the trained one, in a worker."""
    run = Run.from_description(description)
    task = trainer.load_once(run.task, data)
    with trainer.one_thread():
        tests = []
        for times in task.factors:
            model = rescaled(run.encoding, times, task.length)
            tests.append(trainer.Training(replace(run, model=model), task, start).test(times * task.length))
        longer = replace(task, length=factor * task.length, factors=(1,))
        tuned = trainer.Training(run, longer, start).run_to_end(checkpoints, trainer.report_to_parent)
    loss, score = np.asarray(tests, dtype=np.float32).T
    return replace(tuned, arrays={**tuned.arrays, "length_loss": loss, "length_score": score})
