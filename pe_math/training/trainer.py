"""Training runs side by side: one process and one torch thread a core, a checkpoint after each epoch.

Every epoch draws fresh sequences, so no model can learn the training set by heart: the training loss
estimates the same expectation as the validation loss, and what separates two encodings is what they can
express and how fast they learn it. (The `wikitext` task has a finite text; there it is the windows that are
drawn anew.) The sequences depend on seed and epoch alone, so all encodings see the same ones, and the
validation sequences are the same in all runs of a task.

Nothing random outlives an epoch: data and dropout are seeded by seed and epoch. A checkpoint is therefore
weights, optimiser moments and the curves so far, and a run that goes on from one ends with the numbers, bit
for bit, of a run that was never disturbed, however many workers there are. That holds for one version of
torch and NumPy on one kind of machine; another may round differently, and a checkpoint of another version is
not taken up.
"""

import contextlib
import functools
import hashlib
import json
import multiprocessing
import os
import platform
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from pe_math.training import storage
from pe_math.training.configuration import SEEDS, Result, Run
from pe_math.training.model import Transformer
from pe_math.training.tasks import UNSCORED, Task, load

_KIND = "checkpoint"
_SCHEMA = 1
_LEG = 10  # epochs that a worker trains before it takes up the run that has waited longest
_TOKENS_AT_ONCE = 8192  # in evaluation; attention weights of much more would not fit the cache
_VALIDATION_SEED = SEEDS  # beyond those of all runs
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what Adam remembers of each parameter

Report = Callable[[Run, int, float], None]
"""Told after each epoch, and once when a checkpoint is taken up: run, epochs finished, validation loss."""


class StoppedError(Exception):
    """A run was asked to stop after the epoch that it had just finished."""


def train(run: Run, checkpoints: Path, report: Report, data: Path | None = None) -> Result:
    """Train one model in this process, from its checkpoint in the folder `checkpoints` if there is one.

    `data` is the folder of a task that reads files.

    Raises:
        FloatingPointError: the loss is no longer a number.
        ValueError: the checkpoint is damaged.
    """
    with one_thread():
        return Training(run, load(run.task, data)).run_to_end(checkpoints, report)


def train_all(runs: Sequence[Run], checkpoints: Path, workers: int, data: Path | None = None) -> list[Result]:
    """Train all runs in `workers` processes and return their results in that order: see `side_by_side`."""
    epochs = sum(run.training.epochs for run in runs)
    calls = [(run.describe(), checkpoints, data) for run in runs]
    return side_by_side(_train_leg, calls, epochs, workers)


def side_by_side(
    work: Callable[..., Result | None], calls: Sequence[tuple[Any, ...]], epochs: int, workers: int
) -> list[Result]:
    """Return `work(*call)` of each call, made in `workers` processes, with a bar over all their `epochs`.

    `work` tells what it does through `report_to_parent`. Where it returns None it has come part of the way,
    and is called again when its turn comes. On Ctrl-C the epochs in progress are finished and saved first.

    Raises:
        RuntimeError: a worker process died (killed, or out of memory); another call goes on from there.
    """
    context = multiprocessing.get_context("spawn")
    reports, stop = context.Queue(), context.Event()
    pool = ProcessPoolExecutor(workers, context, _prepare_worker, (reports, stop))
    with tqdm(total=epochs, unit="epoch", dynamic_ncols=True) as bar:
        try:
            return _follow(functools.partial(pool.submit, work), calls, reports, bar)
        except BrokenProcessPool as error:
            message = "a worker process died; run the same again to go on from the last epochs"
            raise RuntimeError(message) from error
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def checkpoint_name(run: Run) -> str:
    """Return the file name of a run's checkpoint; it is another for any other configuration or version."""
    identity = json.dumps([run.describe(), versions()], sort_keys=True)
    digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return f"{run.task}-{run.encoding}-{run.seed}-{digest}.safetensors"


def versions() -> dict[str, str]:
    """Return the versions that decide how numbers are rounded."""
    return {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__}


class Training:
    """A model on its way, and what has been measured so far.

    `start` has the weights that it starts with, by name, in place of those that the seed draws.
    """

    def __init__(self, run: Run, task: Task, start: Mapping[str, NDArray[np.float32]] | None = None) -> None:
        self.run = run
        self.task = task
        self.epoch = 0
        self.seconds = 0.0
        self.curves: dict[str, list[float]] = {"train_loss": [], "validation_loss": []}
        self.tables: list[NDArray[np.float32]] = []
        self.model = Transformer(task, run.model, run.seed)
        if start is not None:
            self.model.load_state_dict({name: _tensor(array) for name, array in start.items()})
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=run.training.learning_rate, fused=True)
        self.validation = self._held_out(task.length)
        # A regression model predicts targets in units of their deviation, so that its loss is 1 - R².
        self.unit = float(np.std(self.validation[1])) if task.kind == "regression" else 1.0
        self._keep_table()

    def run_to_end(self, checkpoints: Path, report: Report) -> Result:
        """Train from the checkpoint in the folder `checkpoints`, if there is one, to the last epoch."""
        self.run_on(checkpoints, report, self.run.training.epochs)
        return self.result()

    def run_on(self, checkpoints: Path, report: Report, epochs: int) -> None:
        """Train `epochs` more, but not beyond the last, from the checkpoint if there is one."""
        path = checkpoints / checkpoint_name(self.run)
        if path.exists():
            self.restore(path)
            report(self.run, self.epoch, self.curves["validation_loss"][-1])
        for _ in range(min(epochs, self.run.training.epochs - self.epoch)):
            self.next_epoch()
            self.save(path)
            report(self.run, self.epoch, self.curves["validation_loss"][-1])

    def next_epoch(self) -> None:
        """Take the steps of one epoch and measure."""
        started = time.perf_counter()
        losses = self._steps()
        validation_loss, _ = self._evaluate(*self.validation)
        self.epoch += 1
        if not np.isfinite([*losses, validation_loss]).all():
            raise FloatingPointError(
                f"{self.run.task}, {self.run.encoding}, seed {self.run.seed}: the loss is no longer a number "
                f"in epoch {self.epoch}; try a learning_rate below {self.run.training.learning_rate}"
            )
        self.curves["train_loss"].append(float(np.mean(losses)))
        self.curves["validation_loss"].append(validation_loss)
        self._keep_table()
        self.seconds += time.perf_counter() - started

    def result(self) -> Result:
        """Return what was measured, with the tests at all lengths."""
        arrays = {name: np.asarray(curve, dtype=np.float32) for name, curve in self.curves.items()}
        tested = [self.test(length) for length in self.task.lengths]
        arrays["length_loss"], arrays["length_score"] = np.asarray(tested, dtype=np.float32).T
        if self.tables:
            arrays["table"] = np.stack(self.tables)
        if self.run.training.attention:
            arrays["attention"] = self._mean_attention()
        if self.run.training.weights:
            arrays |= {f"weights/{name}": array for name, array in self._weights().items()}
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        return Result(self.run, arrays, parameters, self.seconds)

    def test(self, length: int) -> tuple[float, float]:
        """Return the loss, and R² or the accuracy, on held-out sequences of `length`."""
        return self._evaluate(*self._held_out(length))

    def save(self, path: Path) -> None:
        """Write the checkpoint."""
        arrays = {f"weight/{name}": array for name, array in self._weights().items()}
        for name, parameter in self.model.named_parameters():
            moments = self.optimiser.state[parameter]
            arrays |= {f"{key}/{name}": moments[key].numpy() for key in _MOMENTS}
        arrays |= {f"table/{number}": table for number, table in enumerate(self.tables)}
        document = {
            "kind": _KIND,
            "schema": _SCHEMA,
            "run": self.run.describe(),
            "epoch": self.epoch,
            "seconds": self.seconds,
            **self.curves,
        }
        storage.write(path, arrays, document)

    def restore(self, path: Path) -> None:
        """Go back to where a checkpoint was written."""
        arrays, document = storage.read(
            path, _KIND, _SCHEMA, "delete it, and the run starts from the beginning"
        )
        self.epoch, self.seconds = document["epoch"], document["seconds"]
        self.curves = {name: document[name] for name in self.curves}
        self.tables = [
            arrays[f"table/{number}"] for number in range(sum(name.startswith("table/") for name in arrays))
        ]
        for name, parameter in self.model.named_parameters():
            parameter.data.copy_(torch.from_numpy(arrays[f"weight/{name}"]))
            self.optimiser.state[parameter] = {key: _tensor(arrays[f"{key}/{name}"]) for key in _MOMENTS}

    def _steps(self) -> list[float]:
        """Take the steps of one epoch and return their losses."""
        options, seed = self.run.training, self.run.seed
        generator = np.random.default_rng([seed, self.epoch])
        drawn = self.task.draw(generator, options.steps * options.batch, self.task.length)
        inputs, targets = map(_tensor, drawn)
        losses = []
        self.model.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(generator.integers(2**63)))
            for step in range(options.steps):
                batch = slice(step * options.batch, (step + 1) * options.batch)
                rate = options.rate(self.epoch * options.steps + step)
                losses.append(self._step(inputs[batch], targets[batch], rate))
        return losses

    def _step(self, inputs: Tensor, targets: Tensor, rate: float) -> float:
        loss = self._loss(self.model(inputs), targets)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.run.training.clip)
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        return loss.item()

    def _loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        if self.task.kind == "regression":
            return functional.mse_loss(outputs[:, 0], targets / self.unit)
        return functional.cross_entropy(outputs.flatten(0, -2), targets.flatten(), ignore_index=UNSCORED)

    def _outputs(self, inputs: NDArray[Any]) -> Tensor:
        """Return the model's outputs, computed in pieces that fit the cache."""
        at_once = max(1, _TOKENS_AT_ONCE // inputs.shape[1])
        self.model.eval()
        with torch.inference_mode():
            return torch.cat([self.model(piece) for piece in torch.split(_tensor(inputs), at_once)])

    def _evaluate(self, inputs: NDArray[Any], targets: NDArray[Any]) -> tuple[float, float]:
        """Return the loss, and R² or the accuracy."""
        outputs, wanted = self._outputs(inputs), _tensor(targets)
        loss = self._loss(outputs, wanted).item()
        if self.task.kind == "regression":
            return loss, 1 - loss * self.unit**2 / float(np.var(targets))
        scored = wanted != UNSCORED
        return loss, (outputs.argmax(-1) == wanted)[scored].double().mean().item()

    def _held_out(self, length: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the validation sequences of a length, the same in all runs of a task."""
        generator = np.random.default_rng([_VALIDATION_SEED, length])
        return self.task.draw_held_out(generator, self.run.training.validation, length)

    def _mean_attention(self) -> NDArray[np.float32]:
        """Return the attention weights `(layers, heads, queries, keys)`, averaged over validation
        sequences."""
        inputs = _tensor(self.validation[0][: _TOKENS_AT_ONCE // self.task.length])
        self.model.eval()
        with torch.inference_mode():
            return self.model.attention(inputs).mean(dim=1).numpy()

    def _weights(self) -> dict[str, NDArray[np.float32]]:
        return {name: parameter.detach().numpy() for name, parameter in self.model.named_parameters()}

    def _keep_table(self) -> None:
        weights = self._weights()
        name = next(
            (name for name in weights if name.startswith("encodings.") and name.endswith("table")), None
        )
        if name and self.epoch in self.run.training.snapshots:
            self.tables.append(weights[name][: self.task.length].copy())


def _tensor(array: NDArray[Any]) -> Tensor:
    """Return a tensor in memory of torch's own: products may round by where in memory their factors start."""
    return torch.from_numpy(array).clone()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one torch thread: sums are then added in one order, whatever the machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _follow(
    submit: Callable[..., Future[Result | None]], calls: Sequence[tuple[Any, ...]], reports: Any, bar: Any
) -> list[Result]:
    """Submit the calls, again while they return None, and draw the bar; return the results in order."""
    pending = {submit(*call): place for place, call in enumerate(calls)}
    results: dict[int, Result] = {}
    finished: dict[str, int] = {}
    while pending:
        with contextlib.suppress(queue.Empty):
            name, epoch, loss = reports.get(timeout=0.2)
            bar.set_postfix_str(f"{name}: {loss:.4f}", refresh=False)
            bar.update(epoch - finished.get(name, 0))
            finished[name] = epoch
        for future in [future for future in pending if future.done()]:
            place, result = pending.pop(future), future.result()
            if result is None:
                pending[submit(*calls[place])] = place
            else:
                results[place] = result
    return [results[place] for place in range(len(calls))]


load_once = functools.cache(load)
"""`tasks.load` for a worker process, which trains many runs: a text takes long to read, or to download."""

_to_parent: Any = None  # in a worker process: the queue of reports and the event that asks to stop


def _prepare_worker(reports: Any, stop: Any) -> None:
    global _to_parent
    _to_parent = reports, stop
    # Ctrl-C reaches the whole group of processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent is killed, lest it trains on beside the rerun."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _train_leg(description: dict[str, Any], checkpoints: Path, data: Path | None) -> Result | None:
    """Train some epochs in a worker, and return what came out if they were the last.

    Five runs on two workers would otherwise leave one idle while the other trains the fifth. A description
    travels where a run could not: its schedules may be anybody's functions.
    """
    run = Run.from_description(description)
    with one_thread():
        training = Training(run, load_once(run.task, data))
        training.run_on(checkpoints, report_to_parent, _LEG)
        return training.result() if training.epoch == run.training.epochs else None


def report_to_parent(run: Run, epoch: int, loss: float) -> None:
    """Tell the parent of this worker process, and stop if it wants to."""
    reports, stop = _to_parent
    reports.put((f"{run.task} {run.encoding} {run.seed}", epoch, loss))
    if stop.is_set():
        raise StoppedError
