"""A search as studies in Optuna: what is tried in which order, and who tries what next.

Each stage is a study of its own, `NAME/1-baseline` and so on, all in one storage. Its grid is put into the
study as waiting trials, and a worker, on whatever machine, takes one at a time, so no point is ever done
twice. (Optuna's own GridSampler may give one point to two workers.) A point is open until a trial of it is
complete or pruned; one all of whose trials failed, for their workers died or were stopped, is queued again.
Nothing here needs torch.
"""

import contextlib
import dataclasses
import functools
import itertools
import json
import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import sqlalchemy
from optuna.exceptions import ExperimentalWarning, OptunaError
from optuna.storages import BaseStorage, RDBStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from pe_math import _checks, frequencies
from pe_math.training.configuration import MODES, WITH_FREQUENCIES, ModelOptions, Run, TrainingOptions
from pe_math.training.tasks import load

Configuration = dict[str, Any]
"""What a search chooses: the keys of `BASELINE`, and the seed."""

BASELINE: Configuration = {
    "mode": "sinusoidal",
    "learning_rate": 1e-3,
    "heads": 4,
    "layers": 2,
    "dropout": 0.0,
    "norm": "before",
    "hybrid_weight": "learned",
    "base": 1e4,
}
_DONE = (TrialState.COMPLETE, TrialState.PRUNED)


@dataclass(frozen=True)
class Stage:
    """One step of the procedure: all combinations of the values in `grid`.

    Each changes the best configuration of the stages before, of those in one of the `modes`. If `pruned`,
    poor trials are given up early.
    """

    name: str
    grid: Mapping[str, Sequence[Any]]
    modes: tuple[str, ...] = MODES
    pruned: bool = True

    def points(self) -> list[dict[str, Any]]:
        """Return the combinations, the last parameter changing fastest."""
        return [
            dict(zip(self.grid, values, strict=True)) for values in itertools.product(*self.grid.values())
        ]


STAGES = (
    Stage("1-baseline", {}),
    Stage("2-learning-rate", {"learning_rate": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)}),
    Stage("3-mode", {"mode": MODES}),
    Stage("4-heads-layers", {"heads": (4, 8, 16), "layers": (2, 4, 6)}),
    Stage("5-dropout-norm", {"dropout": (0.1, 0.2, 0.3), "norm": ("before", "after")}),
    Stage("6-hybrid-weight", {"mode": ("hybrid",), "hybrid_weight": ("learned", 0.25, 0.5, 0.75)}),
    Stage("7-frequency-base", {"base": (1e2, 1e3, 1e4, 1e5)}, WITH_FREQUENCIES),
    Stage("8-repeats", {"configuration": ("baseline", "best"), "repeat": (1, 2, 3, 4, 5)}, pruned=False),
)
"""The procedure, in order. Repeats train from the seeds after the one that all stages before were tuned with:
what was chosen for doing well from one seed has been lucky with it too."""


@dataclass(frozen=True)
class Search:
    """What all trials of a search share, and how many of `STAGES` it does.

    `training.learning_rate` is left to the search.
    """

    name: str
    task: str
    training: TrainingOptions
    width: int = 64
    hidden: int = 128
    seed: int = 0
    count: int = len(STAGES)

    def __post_init__(self) -> None:
        _checks.require(bool(self.name) and "/" not in self.name, "name", self.name, "a word without slashes")
        # 16 heads of an even width each, as RoPE needs it.
        width = _checks.count("width", self.width, at_least=1)
        _checks.require(width % 32 == 0, "width", width, "a multiple of 32")
        right = f"from 1 to {len(STAGES)}"
        _checks.require(1 <= self.count <= len(STAGES), "count", self.count, right)
        self.run({**BASELINE, "seed": self.seed})

    def stages(self) -> tuple[Stage, ...]:
        """Return the stages that this search does."""
        return STAGES[: self.count]

    def settings(self, data: Path | None) -> dict[str, Any]:
        """Return what must be equal wherever this search goes on, as JSON values."""
        training = self.training.describe()
        del training["learning_rate"]
        shared = {"task": self.task, "source": load(self.task, data).source, **training}
        return {**shared, "width": self.width, "hidden": self.hidden, "seed": self.seed}

    def run(self, configuration: Configuration) -> Run:
        """Return the training run of a configuration."""
        weight, base = configuration["hybrid_weight"], configuration["base"]
        chosen = {name: configuration[name] for name in ("mode", "heads", "layers", "dropout", "norm")}
        if chosen["mode"] in WITH_FREQUENCIES:
            chosen["frequencies"] = functools.partial(frequencies.geometric, base=base)
        model = ModelOptions(
            width=self.width,
            hidden=self.hidden,
            hybrid_weight=None if weight == "learned" else weight,
            **chosen,
        )
        training = dataclasses.replace(self.training, learning_rate=configuration["learning_rate"])
        return Run(self.task, model.mode, configuration["seed"], model, training)


class _Storage(RDBStorage):
    """A database in which no trial can run without being watched over."""

    def set_trial_state_values(
        self, trial_id: int, state: TrialState, values: Sequence[float] | None = None
    ) -> bool:
        # Optuna records the first heartbeat after a trial was set running, and takes a trial without one for
        # alive: killed between the two, it would run for ever. So the heartbeat comes first.
        if state == TrialState.RUNNING:
            self.record_heartbeat(trial_id)
        return super().set_trial_state_values(trial_id, state, values)


def open_storage(url: str, heartbeat: int = 20, must_exist: bool = False) -> RDBStorage:
    """Return the storage at an Optuna URL. A file that is not there is made, unless it `must_exist`.

    A running trial gives a sign of life each `heartbeat` seconds, and counts as dead after three without.

    Raises:
        ValueError: there is no such storage, its driver is missing, or it cannot be shared.
    """
    _checks.count("heartbeat", heartbeat, at_least=1)
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)  # the bar and the table say it all
    try:
        address = sqlalchemy.make_url(url)
    except ArgumentError as error:
        raise ValueError(f"storage must be a URL such as sqlite:///search.sqlite3, got {url!r}") from error
    shown = address.render_as_string()  # without the password
    arguments: dict[str, Any] = {}
    if address.get_backend_name() == "sqlite":
        if address.database in (None, "", ":memory:"):
            raise ValueError(f"storage must be a file that worker processes can share, got {shown!r}")
        _checks.require(not must_exist or Path(address.database).is_file(), "storage", shown, "there")
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
        # Wait for another's transaction instead of failing; and let no transaction begin unasked (see below).
        arguments = {"connect_args": {"timeout": 120, "isolation_level": None}}
    try:
        storage = _opened(url, arguments, heartbeat)
    except (ImportError, OptunaError, SQLAlchemyError) as error:
        reason = str(error.__cause__ or error).partition("\n")[0]
        raise ValueError(f"storage must be one that can be opened, got {shown!r}: {reason}") from error
    if arguments:
        sqlalchemy.event.listen(storage.engine, "begin", _lock)
    return storage


def _opened(url: str, arguments: dict[str, Any], heartbeat: int) -> RDBStorage:
    grace = 3 * heartbeat
    make = functools.partial(_Storage, url, arguments, heartbeat_interval=heartbeat, grace_period=grace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        for _ in range(5):
            with contextlib.suppress(DBAPIError, OptunaError):  # another process is making the same tables
                return make()
            time.sleep(0.5)
        return make()


def _lock(connection: sqlalchemy.Connection) -> None:
    """Begin a transaction on SQLite, which knows no row locks, by locking the file.

    Otherwise two workers may both read that a trial waits and both set it running.
    """
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def join(storage: BaseStorage, search: Search, number: int, data: Path | None = None) -> Study:
    """Return the study of a stage (counted from 0) whose predecessors are finished, made if it is not there.

    Raises:
        ValueError: it was begun with other settings.
    """
    stage = STAGES[number]
    # A trial that is worse than the median of the others at the same epoch is given up, but not in the first
    # half: a high learning rate may start badly and end well.
    median = optuna.pruners.MedianPruner(n_startup_trials=2, n_warmup_steps=search.training.epochs // 2)
    study = optuna.create_study(
        storage=storage,
        study_name=f"{search.name}/{stage.name}",
        load_if_exists=True,
        sampler=optuna.samplers.RandomSampler(seed=0),  # never asked: a queued trial has its parameters
        pruner=median if stage.pruned else optuna.pruners.NopPruner(),
    )
    settings = {**search.settings(data), "grid": {name: list(values) for name, values in stage.grid.items()}}
    _agree(study, json.loads(json.dumps(settings)))
    if "start" not in study.user_attrs:
        study.set_user_attr("start", _start(storage, search, number))
    return study


def _agree(study: Study, settings: dict[str, Any]) -> None:
    if "settings" not in study.user_attrs:
        study.set_user_attr("settings", settings)
    begun = study.user_attrs["settings"]
    names = [name for name in {**begun, **settings} if begun.get(name) != settings.get(name)]
    if names:
        differences = ", ".join(f"{name} {begun.get(name)!r}, not {settings.get(name)!r}" for name in names)
        name = study.study_name.partition("/")[0]
        raise ValueError(f"study {name} was begun with {differences}; ask for the same or for another study")


def _start(storage: BaseStorage, search: Search, number: int) -> Configuration:
    """Return the configuration that a stage changes: the best one before it, in one of the stage's modes."""
    if number == 0:
        return {**BASELINE, "seed": search.seed}
    found = []
    for study in _begun(storage, search.name)[:number]:
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            found.append((loss_of(trial), configuration(study, trial.params)))
    found = [(loss, chosen) for loss, chosen in found if chosen["mode"] in STAGES[number].modes]
    if not found:
        raise RuntimeError(f"study {search.name}: no trial trained to its end; try another width or batch")
    return min(found, key=lambda pair: pair[0])[1]


def configuration(study: Study, point: Mapping[str, Any]) -> Configuration:
    """Return the whole configuration of a point of a stage."""
    start: Configuration = study.user_attrs["start"]
    if "repeat" not in point:
        return {**start, **point}
    chosen = BASELINE if point["configuration"] == "baseline" else start
    return {**chosen, "seed": start["seed"] + point["repeat"]}


def tend(study: Study, stage: Stage) -> None:
    """Queue the points of a stage that nobody does: all at first, later those whose workers died."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        optuna.storages.fail_stale_trials(study)
    trials = study.get_trials(deepcopy=False)
    cared_for = {trial.user_attrs.get("point") for trial in trials if trial.state != TrialState.FAIL}
    for index, point in enumerate(stage.points()):
        if index not in cared_for:
            study.enqueue_trial(point, user_attrs={"point": index})


def is_finished(study: Study, stage: Stage) -> bool:
    """Return whether all points of a stage are done."""
    return len(done(study)) == len(stage.points())


def done(study: Study) -> dict[int, FrozenTrial]:
    """Return the complete and pruned trials of a stage, by the index of their points."""
    trials = study.get_trials(deepcopy=False, states=_DONE)
    return {trial.user_attrs["point"]: trial for trial in sorted(trials, key=lambda trial: -trial.number)}


def count_done(storage: BaseStorage, search: Search) -> int:
    """Return how many trials of a search's stages are complete or pruned."""
    return sum(len(done(study)) for study in _begun(storage, search.name)[: search.count])


def _begun(storage: BaseStorage, name: str) -> list[Study]:
    """Return the studies of a search, in the order of its stages."""
    names = [study for study in _names(storage) if study.partition("/")[0] == name]
    return [optuna.load_study(study_name=study, storage=storage) for study in names]


def _names(storage: BaseStorage) -> list[str]:
    """Return the names of the studies that searches have begun, in order.

    A database may hold studies of others as well, and one of ours that is just being made.
    """
    stages = {stage.name for stage in STAGES}
    return sorted(
        study.study_name
        for study in storage.get_all_studies()
        if study.study_name.partition("/")[2] in stages and "settings" in study.user_attrs
    )


def loss_of(trial: FrozenTrial) -> float:
    """Return a finished trial's last validation loss; infinity if it diverged before there was one."""
    return math.inf if trial.value is None else trial.value


def is_surplus(study: Study, trial: Trial) -> bool:
    """Return whether a trial need not be done, for an earlier one of the same point counts.

    Two commands that tend a study in the same moment queue a point twice; and a worker that finds the queue
    empty gets a trial without a point.
    """
    point = trial.user_attrs.get("point")
    return point is None or any(
        other.user_attrs.get("point") == point
        for other in study.get_trials(deepcopy=False)
        if other.number < trial.number and other.state != TrialState.FAIL
    )


@contextlib.contextmanager
def storage_errors() -> Iterator[None]:
    """Raise RuntimeError, with what to do, in place of what a storage raises."""
    try:
        yield
    except (OptunaError, SQLAlchemyError) as error:
        raise RuntimeError(f"the storage failed, and the same command goes on from there: {error}") from error


@storage_errors()
def tables(url: str) -> str:
    """Return all searches in a storage as text.

    Raises:
        ValueError: there is no such storage, or no search in it.
        RuntimeError: the storage fails.
    """
    storage = open_storage(url, must_exist=True)
    names = sorted({name.partition("/")[0] for name in _names(storage)})
    _checks.require(bool(names), "storage", url, "one with a search in it")
    return "\n".join(table(storage, name) for name in names)


def table(storage: BaseStorage, name: str) -> str:
    """Return all stages of a search as text: what was tried and what came out."""
    studies = _begun(storage, name)
    settings = {key: value for key, value in studies[0].user_attrs["settings"].items() if key != "grid"}
    lines = [_words(settings), ""]
    for study in studies:
        rows = _repeats(study) if study.study_name.endswith("repeats") else _trials(study)
        lines += [study.study_name, f"  from {_words(study.user_attrs.get('start', {}))}", *rows, ""]
    return "\n".join(lines)


def _words(values: Mapping[str, Any]) -> str:
    shown = ((name, value) for name, value in values.items() if value is not False and value not in ("", []))
    return ", ".join(f"{name} {_shown(value)}" for name, value in shown)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _line(*cells: object) -> str:
    return "".join(f"{_shown(cell):>15}" for cell in cells)


def _trials(study: Study) -> Iterator[str]:
    """Give a line for each finished trial of a stage, in the grid's order."""
    grid = study.user_attrs["settings"]["grid"]
    finished = [trial for _, trial in sorted(done(study).items())]
    best = min(finished, key=loss_of, default=None)
    yield _line(*grid, "loss", "epochs", "seconds")
    for trial in finished:
        seconds = trial.duration.total_seconds() if trial.duration else 0.0
        cells = (f"{loss_of(trial):.5f}", trial.last_step or 0, f"{seconds:.1f}")
        note = trial.user_attrs.get("ended", "best" if trial is best else "")
        yield f"{_line(*(trial.params[name] for name in grid), *cells)}  {note}".rstrip()


def _repeats(study: Study) -> Iterator[str]:
    """Give a line for each configuration that was repeated: its losses over the seeds."""
    yield _line("configuration", "seeds", "mean", "deviation", "smallest", "largest")
    for name in study.user_attrs["settings"]["grid"]["configuration"]:
        chosen = [trial for trial in done(study).values() if trial.params["configuration"] == name]
        losses = np.array([loss_of(trial) for trial in chosen])
        if len(losses) > 1:
            numbers = (losses.mean(), losses.std(ddof=1), losses.min(), losses.max())
            yield _line(name, len(losses), *(f"{number:.5f}" for number in numbers))
