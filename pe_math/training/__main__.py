"""The command line of the training lab: `python -m pe_math.training train|record|search|show`, each with
`--help`."""

import argparse
import dataclasses
import functools
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pe_math import schedules
from pe_math.schedules import Schedule
from pe_math.training import records
from pe_math.training.comparisons import COMPARISONS, Comparison, assemble
from pe_math.training.configuration import MODES, ModelOptions, TrainingOptions
from pe_math.training.tasks import TASKS, load

_DESCRIPTION = """\
Train small Transformers that differ in nothing but the positional encoding, and read what came out.

  train    one task and one encoding, printed
  record   a whole comparison, written to a file that the scenes draw
  search   the baseline tuned step by step, on one machine or many
  show     a record or a search as a table
"""
_TRAIN = """\
Train one encoding on one task and print how it went.

  python -m pe_math.training train half_sum rope
  python -m pe_math.training train half_sum sinusoidal --seeds 0 1 2 --frequencies linear
  python -m pe_math.training train half_sum rope --frequencies mine.py:mine
  python -m pe_math.training train half_sum rope --frequencies mine.py:mine --output mine.safetensors
  python -m pe_math.training train copy alibi --epochs 10 --layers 1

Tasks:
  signal_sum    add up 32 numbers, first a sine and then noise (the order does not matter)
  half_sum      add up the first half of them
  weighted_sum  add them up with weights that rise from -1 to 1
  order         say which of two marks came first
  copy          repeat the symbols before a separator (the model looks to the left only, as in the next two)
  induction     go on with what followed the same token before
  wikitext      predict the next character of an encyclopedia

Encodings:
  none          nothing tells positions apart, but for looking to the left only
  sinusoidal    fixed waves, added to the tokens
  learned       a free vector for each position, added to the tokens
  hybrid        a weighted sum of these two
  shaw          a free vector for each distance, added to the keys
  t5            a free number for each head and range of distances, added to the scores
  alibi         a penalty that grows with distance, added to the scores
  rope          queries and keys turned by their positions
"""
_RECORD = """\
Train all encodings of a comparison, on all its tasks and seeds, and write the record.

  python -m pe_math.training record encoders
  python -m pe_math.training record decoders --data FOLDER

Comparisons:
  encoders     all encodings on signal_sum, half_sum, weighted_sum and order
  decoders     seven of them on copy, induction and wikitext
  ablations    what articles propose, each beside the plain sinusoidal table, on half_sum and copy
  rescaling    RoPE on wikitext beyond its length: as it is, interpolated, NTK-aware and YaRN

The runs share the cores; each has one. Press Ctrl-C at any time: the same command goes on from there.
"""
_SEARCH = """\
Tune the sinusoidal baseline step by step, each step from the best of those before.

  1  the baseline               5  dropout by LayerNorm before or after
  2  learning rates             6  hybrid, its weight learned or fixed
  3  encodings                  7  the base of the frequencies
  4  heads by layers            8  the best and the baseline from five seeds each

  python -m pe_math.training search half_sum
  python -m pe_math.training search half_sum --epochs 10 --stages 3
  python -m pe_math.training search half_sum --storage postgresql+psycopg://me@server/optuna

A trial counts by its last validation loss; a poor one is given up half-way. Press Ctrl-C at any time: the
same command goes on from there, and prints the table when all is done. The same command on other machines,
with one --storage for all, shares the work. A worker that dies loses its trial only, which is done again.
"""
_SHOW = """\
Print a record as a table, or the searches in a storage.

For each task and encoding: the last validation loss, and the score (R², accuracy or nats) at each tested
length; the median over the seeds and, in brackets, the smallest and the largest.

  python -m pe_math.training show encoders
  python -m pe_math.training show some/folder/my_record.safetensors
  python -m pe_math.training show sqlite:///runs/search.sqlite3
"""
_RESCALING = "rescaling"
_MINE = "mine"
_RECORDS = (*COMPARISONS, _RESCALING)
_TRAINING_OPTIONS = {
    "epochs": (int, "points on the loss curve"),
    "steps": (int, "optimiser steps an epoch"),
    "batch": (int, "sequences a step"),
    "learning_rate": (float, "highest learning rate"),
    "validation": (int, "held-out sequences"),
}
_SEARCHED = TrainingOptions(epochs=40, steps=40, batch=16, validation=512)  # a search that takes minutes
_TUNED = ("learning_rate",)  # what a search chooses by itself
_MODEL_OPTIONS = {
    "width": (int, "numbers in a token's vector"),
    "layers": (int, "blocks"),
    "heads": (int, "attention heads a layer"),
    "hidden": (int, "feed-forward units a layer"),
    "dropout": (float, "share that is dropped in training"),
    "norm": (str, "LayerNorm `before` or `after` each half block"),
    "concatenate": (int, "concatenate a table of this width instead of adding one"),
    "window": (int, "how many positions away attention reaches; all unless given"),
    "max_distance": (int, "where shaw clips distances"),
    "alibi_form": (str, "causal, symmetric or one_sided; as the task needs unless given"),
    "hybrid_weight": (float, "fixed share of the sinusoidal table in hybrid; learned unless given"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    options.words = shlex.join(["python", "-m", "pe_math.training", *arguments])
    try:
        options.command(options)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from the last finished epoch", file=sys.stderr)
        return 130
    except (ValueError, OSError, RuntimeError, FloatingPointError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _train(options: argparse.Namespace) -> None:
    model = ModelOptions(
        mode=options.mode,
        norm_embedding=options.norm_embedding,
        frequencies=_schedule(options.frequencies, options.base),
        **_given(options, _MODEL_OPTIONS),
    )
    training = TrainingOptions(**_given(options, _TRAINING_OPTIONS))
    seeds = tuple(options.seeds or [0])
    usual = dataclasses.replace(model, frequencies="geometric")
    beside = options.output and model != usual
    encodings = {options.mode: usual, _MINE: model} if beside else {options.mode: model}
    comparison = Comparison("train", {options.task: training}, encodings, seeds)
    record, checkpoints = _run(comparison, options)
    for encoding in encodings:
        print(records.curve_table(record, options.task, encoding))
    print(records.table(record))
    if options.output:
        records.save(options.output, record)
        print(options.output)
    _remove(checkpoints)


def _schedule(name: str, base: float | None) -> Schedule:
    if base is None:
        return name
    if not schedules.takes_base(name):
        raise ValueError(f"--base must be left out for {name} frequencies, which have none, got {base}")
    return functools.partial(schedules.resolve, name, base=base)


def _record(options: argparse.Namespace) -> None:
    make = _rescale if options.comparison == _RESCALING else _compare
    record, checkpoints = make(options, _given(options, _TRAINING_OPTIONS))
    output = options.output or records.path_of(options.comparison)
    records.save(output, record)
    print(records.table(record))
    print(output)
    _remove(checkpoints)


def _compare(options: argparse.Namespace, changes: Mapping[str, Any]) -> tuple[records.Record, list[Path]]:
    """Return the record of a comparison, with `changes` to how its runs are trained, and its checkpoints."""
    chosen = COMPARISONS[options.comparison]
    tasks = {task: _changed(training, changes) for task, training in chosen.tasks.items()}
    comparison = dataclasses.replace(chosen, tasks=tasks, seeds=tuple(options.seeds or chosen.seeds))
    return _run(comparison, options)


def _rescale(options: argparse.Namespace, changes: Mapping[str, Any]) -> tuple[records.Record, list[Path]]:
    """Return the record of rescaled models, and the checkpoints that it leaves."""
    from pe_math.training import rescaling

    chosen = rescaling.RESCALING
    training, tuning = (_changed(part, changes) for part in (chosen.training, chosen.tuning))
    chosen = dataclasses.replace(
        chosen, training=training, tuning=tuning, seeds=tuple(options.seeds or chosen.seeds)
    )
    folder = options.checkpoints / chosen.name
    record = rescaling.record(chosen, folder, options.workers, options.data, _circumstances(options))
    return record, chosen.checkpoints(folder)


def _changed(training: TrainingOptions, changes: Mapping[str, Any]) -> TrainingOptions:
    """Return `training` with `changes`, less the snapshots that it would end before."""
    epochs = changes.get("epochs", training.epochs)
    snapshots = tuple(epoch for epoch in training.snapshots if epoch <= epochs)
    return dataclasses.replace(training, **{**changes, "snapshots": snapshots})


def _search(options: argparse.Namespace) -> None:
    from pe_math.training import search, studies  # here, for the other commands work without Optuna

    training = dataclasses.replace(_SEARCHED, **_given(options, _untuned()))
    sizes = _given(options, ("width", "hidden"))
    chosen = studies.Search(
        options.study or options.task,
        options.task,
        training,
        seed=options.seed,
        count=options.stages,
        **sizes,
    )
    place = search.Place(options.storage, options.checkpoints, options.heartbeat, options.data)
    print(search.run(chosen, place, options.workers))


def _untuned() -> dict[str, tuple[type, str]]:
    return {name: option for name, option in _TRAINING_OPTIONS.items() if name not in _TUNED}


def _show(options: argparse.Namespace) -> None:
    if "://" in options.record:
        from pe_math.training import studies

        print(studies.tables(options.record))
        return
    named = options.record in _RECORDS
    print(records.table(records.load(records.path_of(options.record) if named else Path(options.record))))


def _run(comparison: Comparison, options: argparse.Namespace) -> tuple[records.Record, list[Path]]:
    """Return the record of a comparison and the checkpoints that it leaves."""
    from pe_math.training import trainer  # here, for `show` and `--help` work without torch

    folder, runs = options.checkpoints / comparison.name, comparison.runs()
    tasks = [load(task, options.data) for task in comparison.tasks]
    results = trainer.train_all(runs, folder, options.workers, options.data)
    record = assemble(comparison, tasks, results, _circumstances(options))
    return record, [folder / trainer.checkpoint_name(run) for run in runs]


def _circumstances(options: argparse.Namespace) -> dict[str, Any]:
    from pe_math.training import trainer

    return {"command": options.words, "workers": options.workers, "versions": trainer.versions()}


def _remove(checkpoints: Iterable[Path]) -> None:
    """Remove the checkpoints of runs whose record is written, so that the same command trains anew."""
    for path in checkpoints:
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)


def _given(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return those options that were given on the command line; the others keep their defaults."""
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m pe_math.training",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="train|record|search|show")

    train = _command(commands, "train", _TRAIN, _train)
    train.add_argument("task", choices=TASKS, metavar="TASK", help=", ".join(TASKS))
    train.add_argument("mode", choices=MODES, metavar="ENCODING", help=", ".join(MODES))
    model = train.add_argument_group("model")
    _add(model, _MODEL_OPTIONS, ModelOptions)
    model.add_argument("--norm-embedding", action="store_true", help="LayerNorm once the encoding has joined")
    known = f"{', '.join(schedules.NAMED)} or FILE.py:FUNCTION (default: geometric)"
    model.add_argument("--frequencies", metavar="SCHEDULE", default="geometric", help=known)
    model.add_argument("--base", type=float, help="of geometric and mixed frequencies (default: 10000)")
    beside = f"write a record; with other frequencies than geometric, as `{_MINE}` beside the same with those"
    train.add_argument("--output", type=Path, metavar="FILE", help=beside)
    _add_training(train, TrainingOptions)

    record = _command(commands, "record", _RECORD, _record)
    record.add_argument("comparison", choices=_RECORDS, metavar="NAME", help=", ".join(_RECORDS))
    record.add_argument("--output", type=Path, metavar="FILE", help=f"default: {records.path_of('NAME')}")
    _add_training(record, None)

    _add_search(_command(commands, "search", _SEARCH, _search))

    show = _command(commands, "show", _SHOW, _show)
    show.add_argument(
        "record",
        metavar="NAME|FILE|URL",
        help=", ".join(_RECORDS) + ", or any record file, or a storage of searches",
    )
    return parser


def _command(commands: Any, name: str, text: str, run: Callable[[argparse.Namespace], None]) -> Any:
    raw = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(name, description=text, help=text.partition("\n")[0], formatter_class=raw)
    parser.set_defaults(command=run)
    return parser


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", choices=TASKS, metavar="TASK", help=", ".join(TASKS))
    group = parser.add_argument_group("search")
    group.add_argument("--study", metavar="NAME", help="default: the task's name")
    storage = "sqlite:///runs/search.sqlite3"
    group.add_argument("--storage", metavar="URL", default=storage, help=f"default: {storage}")
    group.add_argument("--stages", type=int, default=8, metavar="NUMBER", help="how many (default: all 8)")
    after = "a worker silent for three times this long counts as dead (default: 20)"
    group.add_argument("--heartbeat", type=int, default=20, metavar="SECONDS", help=after)
    training = parser.add_argument_group("training")
    _add(training, _untuned(), _SEARCHED)
    _add(training, {name: _MODEL_OPTIONS[name] for name in ("width", "hidden")}, ModelOptions)
    training.add_argument(
        "--seed", type=int, default=0, help="of all stages; the last takes the five after it"
    )
    _add_running(training)


def _add_training(parser: argparse.ArgumentParser, owner: type | None) -> None:
    group = parser.add_argument_group("training")
    group.add_argument("--seeds", type=int, nargs="+", metavar="SEED", help="one run for each")
    _add(group, _TRAINING_OPTIONS, owner)
    _add_running(group)


def _add_running(group: Any) -> None:
    group.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="processes; default: one a core"
    )
    folder = Path("runs")
    group.add_argument(
        "--checkpoints", type=Path, default=folder, metavar="FOLDER", help=f"default: {folder}"
    )
    group.add_argument("--data", type=Path, metavar="FOLDER", help="where a task finds its files (wikitext)")


def _add(group: Any, options: Mapping[str, tuple[type, str]], owner: object) -> None:
    """Add options whose defaults are those of `owner`, or are the comparison's own."""
    for name, (kind, text) in options.items():
        default = getattr(owner, name) if owner else "as the comparison says"
        shown = text if default is None else f"{text} (default: {default})"
        group.add_argument(
            f"--{name.replace('_', '-')}", type=kind, metavar=kind.__name__.upper(), help=shown
        )


if __name__ == "__main__":
    sys.exit(main())
