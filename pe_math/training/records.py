"""Recorded comparisons, and what a picture of them needs. Nothing here imports torch.

A record is one safetensors file. For each task and encoding it holds float32 arrays, first axis the seeds:

- `TASK/ENCODING/train_loss` and `TASK/ENCODING/validation_loss`, `(seeds, epochs)`, from the end of epoch 1;
- `TASK/ENCODING/length_loss`, `(seeds, lengths)`: the trained model at each of the tested lengths;
- `TASK/ENCODING/length_score`, `(seeds, lengths)`: R² (regression) or accuracy (the other kinds) there.

Regression losses are mean squared errors divided by the variance of the validation targets at the trained
length, so R² is 1 minus the loss; the others are cross entropies in nats. Where the comparison asked for them
there are, of the first seed, `…/attention` `(layers, heads, queries, keys)`, `…/table` `(snapshots,
positions, d)` and `…/weights/NAME`; and of all seeds `…/attention_by_offset` `(seeds, layers, heads,
offsets)`.

The document beside the arrays says everything else: see `Record`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math.training import storage

SCHEMA = 1
RECORDED = Path(__file__).parent / "recorded"
"""Where the records stand that come with the package."""

SEEDED = ("train_loss", "validation_loss", "length_loss", "length_score")
"""The parts whose first axis is the seeds; they are in every record."""

_KIND = "record"


@dataclass(frozen=True)
class Record:
    """A comparison of encodings over several seeds.

    `document` holds, as JSON values, `comparison` (its name), `command` (which makes it again), `seeds`,
    `tasks` (for each its `kind`, `metric`, number of `outputs`, `length`, the tested `lengths`, `source` and
    the `training` options), `encodings` (for each the `model` options), `parameters` (number of weights, for
    each task and encoding), `seconds` (of training, for each task, encoding and seed), `workers`, and
    `versions`.
    """

    arrays: Mapping[str, NDArray[np.float32]]
    document: Mapping[str, Any]

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks, in the comparison's order."""
        return tuple(self.document["tasks"])

    @property
    def encodings(self) -> tuple[str, ...]:
        """Names of the encodings, in the comparison's order."""
        return tuple(self.document["encodings"])

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, in the order of the arrays' first axis."""
        return tuple(self.document["seeds"])

    def lengths(self, task: str) -> tuple[int, ...]:
        """Lengths at which the trained models were tested, the trained one first."""
        return tuple(self.document["tasks"][task]["lengths"])

    def curves(self, task: str, part: str) -> NDArray[np.float32]:
        """Return `part`, such as `validation_loss`, of all encodings: `(encodings, seeds, …)`."""
        return np.stack([self.array(task, encoding, part) for encoding in self.encodings])

    def array(self, task: str, encoding: str, part: str) -> NDArray[np.float32]:
        """Return one array of the record, by task, encoding and part."""
        name = f"{task}/{encoding}/{part}"
        if name not in self.arrays:
            raise ValueError(f"no {name} in this record; it has {', '.join(sorted(self.arrays))}")
        return self.arrays[name]


def path_of(name: str) -> Path:
    """Return where the tracked record of a comparison stands."""
    return RECORDED / f"{name}.safetensors"


def find(name: str) -> Path:
    """Return where a record stands that comes with the package, or the file that ``name`` is.

    >>> find("encoders").name, str(find("some/mine.safetensors"))
    ('encoders.safetensors', 'some/mine.safetensors')
    """
    return Path(name) if Path(name).suffix else path_of(name)


def save(path: Path, record: Record) -> None:
    """Write a record; the file appears whole or not at all."""
    storage.write(path, record.arrays, {"kind": _KIND, "schema": SCHEMA, **record.document})


def load(path: Path) -> Record:
    """Read a record.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, damaged, foreign, of another schema version, or lacks a curve.

    Both messages name the file and say how to make it again.
    """
    words = path.stem if path == path_of(path.stem) else f"NAME --output {path}"
    remedy = f"make it again with: python -m pe_math.training record {words}"
    arrays, document = storage.read(path, _KIND, SCHEMA, remedy)
    record = Record(arrays, document)
    for task in record.tasks:
        for encoding in record.encodings:
            shape = (len(record.seeds), document["tasks"][task]["training"]["epochs"])
            for part in ("train_loss", "validation_loss"):
                curve = arrays.get(f"{task}/{encoding}/{part}")
                if curve is None or curve.shape != shape or not np.isfinite(curve).all():
                    raise ValueError(
                        f"{path}: {task}/{encoding}/{part} is not a finite {shape} array; {remedy}"
                    )
    return record


def spread(
    values: ArrayLike, quantiles: tuple[float, float] = (0.0, 1.0)
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return median, lower and upper end over the seeds, the first axis of `values`.

    The ends are the smallest and the largest value, or the `quantiles` asked for: `(0.25, 0.75)` gives the
    quartiles.

    >>> median, low, high = spread([[1.0], [2.0], [9.0]])
    >>> median.tolist(), low.tolist(), high.tolist()
    ([2.0], [1.0], [9.0])
    """
    values = np.asarray(values, dtype=np.float64)
    low, high = np.quantile(values, quantiles, axis=0)
    return np.median(values, axis=0), low, high


def ranks(values: ArrayLike, quantiles: tuple[float, float] = (0.0, 1.0)) -> NDArray[np.int64]:
    """Return the rank of each encoding, 1 for the lowest losses: `(encodings, seeds, …)` to `(encodings, …)`.

    Two encodings are separated when their ranges over the seeds, from `spread`, do not overlap. Encodings
    whose ranges overlap share a rank, and so do those that a chain of overlaps connects: if A overlaps B and
    B overlaps C, no line can be drawn between any of the three. Ranks count as in sports: after three that
    share rank 1 comes rank 4. So a different rank always means separated.

    >>> ranks([[1.0, 2.0], [1.5, 3.0], [4.0, 5.0]]).tolist()
    [1, 1, 3]
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim < 2 or 0 in values.shape[:2]:
        raise ValueError(
            f"values must be (encodings, seeds, …) with at least one of each, but have shape {values.shape}"
        )
    _, low, high = spread(values.swapaxes(0, 1), quantiles)
    order = np.argsort(low, axis=0, kind="stable")
    low, high = np.take_along_axis(low, order, 0), np.take_along_axis(high, order, 0)
    separated = low[1:] > np.maximum.accumulate(high, axis=0)[:-1]
    places = np.arange(2, len(values) + 1).reshape(-1, *[1] * (values.ndim - 2))
    first = np.ones_like(low[:1], dtype=np.int64)
    ranked = np.maximum.accumulate(np.concatenate([first, np.where(separated, places, 1)]), axis=0)
    result = np.empty_like(ranked)
    np.put_along_axis(result, order, ranked, 0)
    return result


def unbeaten(values: ArrayLike) -> NDArray[np.bool_]:
    """Tell which encodings none is better than in every run: `(encodings, seeds, …)` to `(encodings, …)`.

    The lower value is the better. So the range of each of these reaches down to the lowest upper end of all,
    and they cannot be told from the best. Unlike in `ranks`, chains of overlaps connect nothing: one encoding
    whose runs scatter widely does not lift others to first place.

    >>> unbeaten([[1.0, 2.0], [1.5, 4.0], [3.0, 5.0]]).tolist()
    [True, True, False]
    """
    values = np.asarray(values, dtype=np.float64)
    return np.asarray(values.min(axis=1) <= values.max(axis=1).min(axis=0))


def attention_by_offset(attention: NDArray[Any]) -> NDArray[Any]:
    """Return the mean attention weight at each offset: `(…, n, n)` to `(…, 2n - 1)`.

    Offsets are key position minus query position, from `1 - n` (a key far to the left) to `n - 1`. The rows
    of `attention` are queries, its columns keys.

    >>> attention_by_offset(np.array([[1.0, 0.0], [0.75, 0.25]]))
    array([0.75 , 0.625, 0.   ])
    """
    count = attention.shape[-1]
    if attention.ndim < 2 or attention.shape[-2] != count or not count:
        raise ValueError(f"attention must be (…, n, n) with n at least 1, but has shape {attention.shape}")
    diagonals = [attention.diagonal(offset, -2, -1).mean(axis=-1) for offset in range(1 - count, count)]
    return np.stack(diagonals, axis=-1)


def standings(ranks_by_epoch: ArrayLike) -> NDArray[np.int64]:
    """Return who stands where at each epoch, best first: indices `(epochs, encodings)`.

    `ranks_by_epoch` is `(encodings, epochs)`, from `ranks`. Encodings that share a rank keep the order that
    they had the epoch before (at first, the order given), so two swap only when they separate.

    >>> standings([[1, 1, 2, 1], [1, 1, 1, 1]]).tolist()
    [[0, 1], [0, 1], [1, 0], [1, 0]]
    """
    by_epoch = np.asarray(ranks_by_epoch).T
    order = np.arange(by_epoch.shape[1])
    result = np.empty(by_epoch.shape, dtype=np.int64)
    for epoch, now in enumerate(by_epoch):
        order = order[np.argsort(now[order], kind="stable")]
        result[epoch] = order
    return result


def table(record: Record) -> str:
    """Return what came out at the end of training as text, one line for each task and encoding.

    Loss is the last validation loss: its median over the seeds and, in brackets, the smallest and the
    largest.
    """
    lines = []
    for task in record.tasks:
        about = record.document["tasks"][task]
        metric = about["metric"]
        seeds = f"{len(record.seeds)} seed{'s' * (len(record.seeds) > 1)}"
        lines.append(f"{task}: {seeds}, {about['training']['epochs']} epochs")
        lengths = "".join(f"{f'{metric} at {length}':>{_WIDE}}" for length in record.lengths(task))
        lines.append(f"  {'':14}{'loss':>{_WIDE}}{lengths}")
        for encoding in record.encodings:
            loss = record.array(task, encoding, "validation_loss")[:, -1:]
            scores = record.array(task, encoding, "length_loss" if metric == "nats" else "length_score")
            cells = [_cell(loss, 5), _cell(scores, 3)]
            lines.append(f"  {encoding:14}" + "".join(f"{cell:>{_WIDE}}" for row in cells for cell in row))
        lines.append("")
    return "\n".join(lines)


def curve_table(record: Record, task: str, encoding: str) -> str:
    """Return train and validation loss after each epoch as text, medians over the seeds."""
    parts = (record.array(task, encoding, part) for part in ("train_loss", "validation_loss"))
    rows = zip(*(np.median(part, axis=0) for part in parts), strict=True)
    lines = [
        f"{epoch:5} {train:12.5f} {validation:12.5f}" for epoch, (train, validation) in enumerate(rows, 1)
    ]
    return "\n".join(["epoch        train   validation", *lines, ""])


_WIDE = 26


def _cell(values: NDArray[np.float32], digits: int) -> list[str]:
    """Return `median [smallest, largest]` of each column of `values` `(seeds, columns)`."""
    columns = zip(*spread(values), strict=True)
    return [f"{median:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]" for median, low, high in columns]
