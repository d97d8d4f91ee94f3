"""The comparisons that are recorded: which encodings meet on which tasks, and how long they train."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_math import _checks
from pe_math.training.configuration import ModelOptions, Result, Run, TrainingOptions
from pe_math.training.records import SEEDED, Record
from pe_math.training.tasks import Task


@dataclass(frozen=True)
class Comparison:
    """Encodings, by name, that each learn each of the tasks, from each of the seeds."""

    name: str
    tasks: Mapping[str, TrainingOptions]
    encodings: Mapping[str, ModelOptions]
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        _checks.require(len(set(self.seeds)) == len(self.seeds), "seeds", self.seeds, "all different")

    def runs(self) -> list[Run]:
        """Return all runs, seed by seed, so that each task and encoding has been seen early on."""
        return [
            Run(task, encoding, seed, model, training)
            for seed in self.seeds
            for task, training in self.tasks.items()
            for encoding, model in self.encodings.items()
        ]


def modes(*names: str, **options: Any) -> dict[str, ModelOptions]:
    """Return models that differ in the mode alone and are named for it."""
    return {name: ModelOptions(mode=name, **options) for name in names}


# 1,600 steps of 16 sequences: long enough for every encoding on the sum of all, and for those that tell
# positions apart to pass R² 0.99 on the sum of the first half. A point each 40 steps shows the start too.
LOSS_RACE = Comparison(
    name="loss_race",
    tasks={
        name: TrainingOptions(epochs=40, steps=40, batch=16, validation=512)
        for name in ("signal_sum", "half_sum")
    },
    encodings=modes("none", "sinusoidal", "learned", "shaw", "rope"),
)

COMPARISONS = {comparison.name: comparison for comparison in (LOSS_RACE,)}


def assemble(
    comparison: Comparison, tasks: Sequence[Task], results: Sequence[Result], circumstances: Mapping[str, Any]
) -> Record:
    """Return the record of a comparison whose runs have all finished.

    `tasks` are the comparison's, loaded, `results` those of `comparison.runs()`, in any order;
    `circumstances` (versions, workers, command) joins the document as it is.
    """
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in sorted(results, key=lambda result: comparison.seeds.index(result.run.seed)):
        groups.setdefault((result.run.task, result.run.encoding), []).append(result)
    arrays = {
        f"{task}/{encoding}/{part}": array
        for (task, encoding), group in groups.items()
        for part, array in _joined(group).items()
    }
    return Record(arrays, {**_document(comparison, tasks), **_measured(groups), **circumstances})


def _joined(group: Sequence[Result]) -> dict[str, NDArray[np.float32]]:
    """Return the curves of all seeds stacked, and the first seed's other arrays."""
    stacked = {part: np.stack([result.arrays[part] for result in group]) for part in SEEDED}
    return {**group[0].arrays, **stacked}


def _measured(groups: Mapping[tuple[str, str], Sequence[Result]]) -> dict[str, Any]:
    parameters: dict[str, dict[str, int]] = {}
    seconds: dict[str, dict[str, list[float]]] = {}
    for (task, encoding), group in groups.items():
        parameters.setdefault(task, {})[encoding] = group[0].parameters
        seconds.setdefault(task, {})[encoding] = [round(result.seconds, 1) for result in group]
    return {"parameters": parameters, "seconds": seconds}


def _document(comparison: Comparison, tasks: Sequence[Task]) -> dict[str, Any]:
    return {
        "comparison": comparison.name,
        "seeds": list(comparison.seeds),
        "tasks": {
            task.name: {
                "kind": task.kind,
                "metric": task.metric,
                "length": task.length,
                "lengths": list(task.lengths),
                "source": task.source,
                "training": comparison.tasks[task.name].describe(),
            }
            for task in tasks
        },
        "encodings": {name: model.describe() for name, model in comparison.encodings.items()},
    }
