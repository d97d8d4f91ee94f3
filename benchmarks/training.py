"""Time training five seeds of one ``half_sum`` configuration: as people write it, and as the trainer does it.

``python -m benchmarks.training`` from the project's folder; ``docs/experiments.md`` tells what came out.

The usual way is a loop over the seeds, each a ``torch.nn.TransformerEncoder`` trained with torch's default
threads on fresh batches, drawn one at a time. Both ways have the same width, layers, heads, steps, batch,
optimiser, learning rates, validation and tests at longer lengths, and each is a process of its own, timed
from its start to its end. They take turns, and medians are compared. At last each trains one seed more with a
stopwatch at its parts.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pe_math import frequencies, sinusoidal
from pe_math.training import trainer
from pe_math.training.configuration import ModelOptions, Run, TrainingOptions
from pe_math.training.tasks import Task, load

MODEL = ModelOptions("sinusoidal")
SEEDS, BATCH = 5, 16
WAYS = ("usual", "trainer")


class Usual(nn.Module):
    """The same model as people write it: torch's encoder, mean pooling and a linear head."""

    def __init__(self, positions: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            MODEL.width, MODEL.heads, MODEL.hidden, MODEL.dropout, batch_first=True, norm_first=True
        )
        self.embedding = nn.Linear(1, MODEL.width)
        # Without nested tensors, which norm_first does not allow anyway, there is no warning.
        self.encoder = nn.TransformerEncoder(
            layer, MODEL.layers, norm=nn.LayerNorm(MODEL.width), enable_nested_tensor=False
        )
        self.head = nn.Linear(MODEL.width, 1)
        table = sinusoidal.table(np.arange(positions), frequencies.geometric(MODEL.width))
        self.register_buffer("table", torch.from_numpy(table).float())

    def forward(self, inputs: Tensor) -> Tensor:
        """Return ``(batch, 1)`` predictions of sequences ``(batch, positions, 1)``."""
        encoded = self.encoder(self.embedding(inputs) + self.table[: inputs.shape[1]])
        return self.head(encoded.mean(dim=1))


def train_usual(seed: int, training: TrainingOptions, task: Task) -> float:
    """Train one model and return its last validation loss."""
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    model = Usual(max(task.lengths))
    optimiser = torch.optim.Adam(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimiser, training.rate)
    inputs, targets = held_out(task, training, task.length)
    unit = targets.std()
    loss = torch.tensor(0.0)
    for _ in range(training.epochs):
        model.train()
        for _ in range(training.steps):
            x, y = map(torch.from_numpy, task.draw(generator, training.batch, task.length))
            loss = functional.mse_loss(model(x)[:, 0], y / unit)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), training.clip)
            optimiser.step()
            scheduler.step()
        loss = validate(model, inputs, targets / unit)
    for length in task.lengths:
        inputs, targets = held_out(task, training, length)
        validate(model, inputs, targets / unit)
    return loss.item()


def held_out(task: Task, training: TrainingOptions, length: int) -> tuple[Tensor, Tensor]:
    """Return the held-out sequences of a length, and their targets."""
    inputs, targets = task.draw(np.random.default_rng([10**6, length]), training.validation, length)
    return torch.from_numpy(inputs), torch.from_numpy(targets)


def validate(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Return the loss on the held-out sequences."""
    model.eval()
    with torch.no_grad():
        return functional.mse_loss(model(inputs)[:, 0], targets)


def train_trainer(seed: int, training: TrainingOptions, task: Task) -> float:
    """Train one model as a worker of the trainer does and return its last validation loss."""
    with TemporaryDirectory() as folder, trainer.one_thread():
        result = trainer.Training(run_of(seed, training), task).run_to_end(Path(folder), lambda *_: None)
    return float(result.arrays["validation_loss"][-1])


def run_of(seed: int, training: TrainingOptions) -> Run:
    """Return the trainer's run of a seed."""
    return Run("half_sum", MODEL.mode, seed, MODEL, training)


def losses(way: str, training: TrainingOptions, workers: int) -> list[float]:
    """Train all seeds one way and return their last validation losses."""
    if way == "usual":
        return [train_usual(seed, training, load("half_sum")) for seed in range(SEEDS)]
    with TemporaryDirectory() as folder:
        results = trainer.train_all([run_of(seed, training) for seed in range(SEEDS)], Path(folder), workers)
    return [float(result.arrays["validation_loss"][-1]) for result in results]


class Stopwatch:
    """Where the time goes: CPU seconds by part, which other programs change little.

    A part within another counts as itself alone.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.stack: list[str] = []
        self.last = time.process_time()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count what happens within as ``name``."""
        self._charge()
        self.stack.append(name)
        try:
            yield
        finally:
            self._charge()
            self.stack.pop()

    def watched(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Return the function with all its calls counted as ``name``, unless a validation makes them."""

        def timed(*arguments: Any, **options: Any) -> Any:
            with self.part("validation" if "validation" in self.stack else name):
                return function(*arguments, **options)

        return timed

    def _charge(self) -> None:
        now = time.process_time()
        name = self.stack[-1] if self.stack else "other"
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now


PARTS = (
    (torch.Tensor, "backward", "backward"),
    (torch.optim.Adam, "step", "optimiser"),
    (nn.utils, "clip_grad_norm_", "optimiser"),
    (Usual, "forward", "forward"),
    (trainer.Transformer, "forward", "forward"),
    (sys.modules[__name__], "validate", "validation"),
    (trainer.Training, "_evaluate", "validation"),
    (trainer.Training, "save", "checkpoint"),
)


def parts(way: str, training: TrainingOptions) -> dict[str, float]:
    """Train one seed here, with a stopwatch, and return the CPU milliseconds a step that each part takes."""
    train = train_usual if way == "usual" else train_trainer
    task = load("half_sum")
    train(0, dataclasses.replace(training, epochs=1, steps=2), task)  # loads what is loaded once
    watch = Stopwatch()
    for owner, attribute, name in PARTS:
        setattr(owner, attribute, watch.watched(getattr(owner, attribute), name))
    with watch.part("other"):
        train(0, training, dataclasses.replace(task, draw=watch.watched(task.draw, "data")))
    return {
        name: 1000 * seconds / (training.epochs * training.steps) for name, seconds in watch.seconds.items()
    }


def measured(way: str, options: argparse.Namespace, *more: str) -> tuple[Any, float, float]:
    """Return what a process of its own prints, and the seconds and CPU seconds from its start to its end."""
    command = [sys.executable, "-m", "benchmarks.training", "--only", way, *more]
    for name in ("epochs", "steps", "workers"):
        command += [f"--{name}", str(getattr(options, name))]
    # People do not limit torch's threads, even if whoever started this has.
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    before, started = _children_cpu(), time.perf_counter()
    result = subprocess.run(
        command, check=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    seconds = time.perf_counter() - started
    return json.loads(result.stdout), seconds, _children_cpu() - before


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Let the two ways take turns and return what came out."""
    taken: dict[str, list[tuple[Any, float, float]]] = {way: [] for way in WAYS}
    for _ in range(options.rounds):
        for way in WAYS:
            taken[way].append(measured(way, options))
    document: dict[str, Any] = {
        "epochs": options.epochs,
        "steps": options.steps,
        "workers": options.workers,
        "cores": os.cpu_count(),
        "torch": torch.__version__,
    }
    for way in WAYS:
        _, seconds, cpu = zip(*taken[way], strict=True)
        document[way] = {
            "seconds": seconds,
            "cpu_seconds": cpu,
            "losses": taken[way][0][0],
            "cpu_milliseconds_a_step": measured(way, options, "--parts")[0],
        }
    medians = [statistics.median(document[way]["seconds"]) for way in WAYS]
    return {**document, "ratio": medians[0] / medians[1]}


def table(document: dict[str, Any]) -> str:
    """Return what came out as text."""
    lengths = f"{document['epochs']} epochs of {document['steps']} steps of {BATCH} sequences"
    lines = [f"{SEEDS} seeds, {lengths}, medians"]
    lines.append(f"{'':12}{'usual':>12}{'trainer':>12}")
    for part, digits in (("seconds", 1), ("cpu_seconds", 1), ("losses", 5)):
        medians = [statistics.median(document[way][part]) for way in WAYS]
        lines.append(f"{part:12}" + "".join(f"{median:12.{digits}f}" for median in medians))
    lines += [f"{'ratio':12}{document['ratio']:12.2f}", "", "CPU milliseconds a step of one seed"]
    spent = [document[way]["cpu_milliseconds_a_step"] for way in WAYS]
    for name in sorted({**spent[0], **spent[1]}, key=lambda name: -spent[1].get(name, 0.0)):
        lines.append(f"{name:12}" + "".join(f"{way.get(name, 0.0):12.3f}" for way in spent))
    lines.append(f"{'all':12}" + "".join(f"{sum(way.values()):12.3f}" for way in spent))
    return "\n".join(lines)


def main() -> None:
    """Measure and print, or be one of the processes that are measured."""
    parser = argparse.ArgumentParser("python -m benchmarks.training", description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=40, help="of each seed (default: 40)")
    parser.add_argument(
        "--steps", type=int, default=40, help=f"of {BATCH} sequences, in each epoch (default: 40)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="turns of each way (default: 3)")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="of the trainer (default: one a core)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured there, too")
    parser.add_argument("--only", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--parts", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    training = TrainingOptions(epochs=options.epochs, steps=options.steps, batch=BATCH, validation=512)
    if options.only:
        made = (
            parts(options.only, training)
            if options.parts
            else losses(options.only, training, options.workers)
        )
        print(json.dumps(made))
        return
    document = compare(options)
    print(table(document))
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
