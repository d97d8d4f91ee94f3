"""Worker processes that do the trials of a search, and what a person sees of it.

The process that a person started queues trials and watches; its workers, one a core, train. They share
nothing but the storage, and one pipe each: so a worker that is killed can leave no lock behind. The same
command on another machine joins in through the storage.
"""

import contextlib
import multiprocessing
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import OptunaError, UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import Trial, TrialState
from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

from pe_math import _checks
from pe_math.training import studies
from pe_math.training.configuration import Run
from pe_math.training.studies import STAGES, Search, Stage

_POLL = 1.0  # seconds between two looks at the storage
_DEATHS = 10  # of worker processes, before a command gives up


@dataclass(frozen=True)
class Place:
    """Where a command's workers find what they need: the storage's URL and heartbeat in seconds, the folder
    of checkpoints, and that of a task that reads files."""

    storage: str
    checkpoints: Path
    heartbeat: int = 20
    data: Path | None = None


def run(search: Search, place: Place, workers: int) -> str:
    """Do a search, or what is left of it, in `workers` processes and return its table.

    A progress bar goes to stderr. On Ctrl-C the epochs in progress are finished and saved first, and the
    trials given back. Checkpoints are removed at the end of all stages.

    Raises:
        ValueError: the storage cannot be opened, or has this search with other settings.
        RuntimeError: workers die again and again, or the storage fails.
    """
    _checks.count("workers", workers, at_least=1)
    storage = studies.open_storage(place.storage, place.heartbeat)
    with studies.storage_errors():
        _watch(storage, search, place, workers)
        table = studies.table(storage, search.name)
    if search.stages() == STAGES:  # else another command may be at work on later ones
        shutil.rmtree(_folder(search, place), ignore_errors=True)
    return table


def _watch(storage: BaseStorage, search: Search, place: Place, workers: int) -> None:
    """Queue the trials of one stage after the other, while a crew does them."""
    stages, epochs = search.stages(), search.training.epochs
    total = epochs * sum(len(stage.points()) for stage in stages)
    found = epochs * studies.count_done(storage, search)
    bar = tqdm(total=total, initial=found, unit="epoch", dynamic_ncols=True)
    crew = _Crew(search, place, workers)
    with bar, contextlib.closing(crew):
        before = 0
        for number, stage in enumerate(stages):
            study = studies.join(storage, search, number, place.data)
            while not studies.is_finished(study, stage):
                studies.tend(study, stage)
                crew.look_after()
                time.sleep(_POLL)
                _show(bar, study, before, epochs)
            before += epochs * len(stage.points())
        bar.update(before - bar.n)


def _show(bar: Any, study: Study, before: int, epochs: int) -> None:
    """Draw what has been done. A pruned trial counts as whole: nothing of it is left to do."""
    running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    finished = studies.done(study)
    under_way = sum(trial.last_step or 0 for trial in running)
    bar.n = before + epochs * len(finished) + under_way
    losses = [studies.loss_of(trial) for trial in finished.values()]
    best = f", best loss {min(losses):.5f}" if losses else ""
    bar.set_postfix_str(study.study_name + best)


def _folder(search: Search, place: Place) -> Path:
    return place.checkpoints / f"search-{search.name}"


class _Crew:
    """The worker processes of one command; those that die are replaced."""

    def __init__(self, search: Search, place: Place, workers: int) -> None:
        self.task = search, place
        self.members: list[tuple[Any, Connection] | None] = [None] * workers
        self.deaths = 0

    def look_after(self) -> None:
        """Start the workers that are missing, and raise what one of them reported."""
        for number, member in enumerate(self.members):
            if member is None or self._is_dead(*member):
                self.members[number] = self._start()

    def close(self) -> None:
        """Ask all workers to stop after the epoch in progress and wait for that."""
        for _, pipe in filter(None, self.members):
            pipe.close()
        for process, _ in filter(None, self.members):
            process.join()

    def _start(self) -> tuple[Any, Connection]:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=work, args=(*self.task, there), daemon=True)
        # Ctrl-C reaches the whole group of processes; a worker is born deaf to it, and this one decides.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        process.start()
        signal.signal(signal.SIGINT, before)
        there.close()
        return process, here

    def _is_dead(self, process: Any, pipe: Connection) -> bool:
        if not process.exitcode:  # at work, or the search is finished
            return False
        with contextlib.suppress(EOFError, OSError):
            if pipe.poll():
                raise RuntimeError(pipe.recv())
        self.deaths += 1
        if self.deaths > _DEATHS:
            raise RuntimeError(f"{self.deaths} worker processes died; out of memory? Try --workers 1")
        return True


def work(search: Search, place: Place, parent: Connection) -> None:
    """Do one trial after the other in this process, until all stages are finished or the parent is gone."""
    from pe_math.training.trainer import StoppedError  # torch, which the parent does without

    try:
        storage = studies.open_storage(place.storage, place.heartbeat)
        for number, stage in enumerate(search.stages()):
            study = studies.join(storage, search, number, place.data)
            _finish(study, stage, _Worker(study, search, place, parent.poll))
    except StoppedError:
        pass
    except (ValueError, OSError, RuntimeError, OptunaError, SQLAlchemyError) as error:
        with contextlib.suppress(OSError):
            parent.send(f"{type(error).__name__}: {error}")
        raise SystemExit(1) from error


def _finish(study: Study, stage: Stage, worker: "_Worker") -> None:
    """Take waiting trials until a stage is finished, by this worker or by others."""
    while not studies.is_finished(study, stage):
        worker.stop_if_asked()
        if study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
            worker.do_one()
        else:
            time.sleep(_POLL)


class _SurplusError(Exception):
    """A trial need not be done."""


class _Worker:
    """What does the trials of a stage; `asked` tells whether to stop."""

    def __init__(self, study: Study, search: Search, place: Place, asked: Callable[[], bool]) -> None:
        self.study, self.search, self.place, self.asked = study, search, place, asked
        self.failed = False

    def do_one(self) -> None:
        """Do the next trial of the queue.

        When this machine slept, others may have taken the trial for dead and done it again. Then it is
        dropped: Optuna refuses whatever is still to be said of it, in one of two ways.
        """
        try:
            self.study.optimize(self._objective, n_trials=1, catch=(_SurplusError,))
        except (ValueError, UpdateFinishedTrialError):
            if self.failed:
                raise

    def stop_if_asked(self) -> None:
        """Raise what ends a worker, if its parent has asked for that or is gone."""
        from pe_math.training.trainer import StoppedError

        if self.asked():
            raise StoppedError

    def _objective(self, trial: Trial) -> float:
        try:
            return self._train(trial)
        except ValueError:
            self.failed = True
            raise

    def _train(self, trial: Trial) -> float:
        """Train a trial's configuration and return its last validation loss."""
        from pe_math.training import trainer

        if studies.is_surplus(self.study, trial):
            raise self._ended(trial, "surplus", _SurplusError())
        trial.set_user_attr("worker", f"{socket.gethostname()}:{os.getpid()}")
        grid = self.study.user_attrs["settings"]["grid"]
        point = {name: trial.suggest_categorical(name, values) for name, values in grid.items()}
        run = self.search.run(studies.configuration(self.study, point))
        losses: dict[int, float] = {}

        def report(run: Run, epoch: int, loss: float) -> None:
            losses[epoch] = loss
            self._report(trial, epoch, loss)

        try:
            result = trainer.train(run, _folder(self.search, self.place), report, self.place.data)
        except trainer.StoppedError as stopped:
            raise self._ended(trial, "stopped", stopped) from None
        except FloatingPointError as error:  # as poor as a trial can be
            raise self._ended(trial, "diverged", optuna.TrialPruned(str(error))) from None
        # A run that went on from a checkpoint has not reported its first epochs; others are judged by them.
        for epoch, loss in enumerate(result.arrays["validation_loss"].tolist(), 1):
            if epoch not in losses:
                trial.report(loss, epoch)
        # Also the last chance to hear that the trial was given to another, for Optuna 5.0 fails an
        # assertion where it sees that itself.
        trial.set_user_attr("parameters", result.parameters)
        return losses[run.training.epochs]

    def _report(self, trial: Trial, epoch: int, loss: float) -> None:
        trial.report(loss, epoch)
        if epoch < self.search.training.epochs and trial.should_prune():
            raise self._ended(trial, "pruned", optuna.TrialPruned())
        self.stop_if_asked()

    def _ended(self, trial: Trial, why: str, error: Exception) -> Exception:
        """Note why a trial did not come to its end; one that failed without a note died with its worker."""
        trial.set_user_attr("ended", why)
        return error
