"""The comparisons that are recorded: which encodings meet on which tasks, and how long they train."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_math import _checks, frequencies
from pe_math.training.configuration import ModelOptions, Result, Run, TrainingOptions
from pe_math.training.records import SEEDED, Record, attention_by_offset
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


# 1,600 steps of 16 sequences are enough for those that tell positions apart to pass R² 0.99 on the sum of the
# first half; the easier tasks need less. A point each 40 steps shows the start too.
_SHORT = TrainingOptions(epochs=40, steps=40, batch=16, validation=256)
_LANGUAGE = replace(_SHORT, epochs=24, learning_rate=3e-3)
_SNAPSHOTS = (0, 1, 2, 4, 8, 16, 40)

ENCODERS = Comparison(
    name="encoders",
    tasks={
        "signal_sum": replace(_SHORT, epochs=20, learning_rate=2e-3),
        "half_sum": replace(_SHORT, snapshots=_SNAPSHOTS, attention=True),
        "weighted_sum": replace(_SHORT, snapshots=_SNAPSHOTS),
        "order": replace(_SHORT, epochs=24, learning_rate=2e-3, attention=True),
    },
    encodings={
        **modes("none", "sinusoidal", "learned", "hybrid", "shaw", "t5", "alibi"),
        "alibi_one_sided": ModelOptions("alibi", alibi_form="one_sided"),
        **modes("rope"),
    },
)

DECODERS = Comparison(
    name="decoders",
    tasks={
        "copy": _LANGUAGE,
        "induction": replace(_LANGUAGE, attention=True),
        "wikitext": replace(_LANGUAGE, attention=True),
    },
    encodings=modes("none", "sinusoidal", "learned", "shaw", "t5", "alibi", "rope"),
)


def _fast_half(d: int) -> NDArray[np.float64]:
    return frequencies.geometric(2 * d)[: d // 2]


def _slow_half(d: int) -> NDArray[np.float64]:
    return frequencies.geometric(2 * d)[d // 2 :]


# What the articles propose, one change at a time to the sinusoidal baseline. A schedule for each layer means
# that the table joins in each, so `every_layer` tells what that alone does. Concatenation takes 16 of the 64
# numbers for the position; the models differ by less than half a percent in parameters.
ABLATIONS = Comparison(
    name="ablations",
    tasks={"half_sum": replace(_SHORT, epochs=20), "copy": replace(_LANGUAGE, epochs=20)},
    encodings={
        **modes("sinusoidal", "hybrid"),
        "norm_embedding": ModelOptions("sinusoidal", norm_embedding=True),
        "concatenate": ModelOptions("sinusoidal", concatenate=16),
        "window": ModelOptions("sinusoidal", window=8),
        "mixed": ModelOptions("sinusoidal", frequencies=frequencies.mixed),
        "every_layer": ModelOptions("sinusoidal", layer_frequencies=(frequencies.geometric,) * 2),
        "fast_to_slow": ModelOptions("sinusoidal", layer_frequencies=(_fast_half, _slow_half)),
    },
)

COMPARISONS = {comparison.name: comparison for comparison in (ENCODERS, DECODERS, ABLATIONS)}


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
    joined = {**group[0].arrays, **{part: _stacked(group, part) for part in SEEDED}}
    if "attention" in joined:
        joined["attention_by_offset"] = attention_by_offset(_stacked(group, "attention"))
    return joined


def _stacked(group: Sequence[Result], part: str) -> NDArray[np.float32]:
    return np.stack([result.arrays[part] for result in group])


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
                "outputs": task.outputs,
                "length": task.length,
                "lengths": list(task.lengths),
                "source": task.source,
                "training": comparison.tasks[task.name].describe(),
            }
            for task in tasks
        },
        "encodings": {name: model.describe() for name, model in comparison.encodings.items()},
    }
