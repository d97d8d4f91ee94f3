import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from pe_math.training import tasks
from pe_math.training.configuration import ModelOptions, Run, TrainingOptions
from pe_math.training.model import Transformer

torch.set_num_threads(1)

ROOT = Path(__file__).parents[3]


def until(condition, seconds=600):  # patient: the machine may be busy rendering
    """Wait until `condition()` is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture
def start_lab():
    """Start the lab's command line in a process group of its own, all of which ends with the test."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "pe_math.training", *arguments],
            cwd=ROOT,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whatever started the tests may ignore Ctrl-C, as shells do for what runs in the background.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def make_model():
    """Make a small model whose head is not zero, so that what happens below shows in its outputs."""

    def make(task_name="half_sum", seed=0, task=None, **options):
        options = {"width": 16, "heads": 2, "hidden": 16, **options}
        model = Transformer(task or tasks.load(task_name), ModelOptions(**options), seed).eval()
        generator = torch.Generator().manual_seed(1)
        torch.nn.init.normal_(model.head.weight, generator=generator)
        return model

    return make


@pytest.fixture
def make_run():
    """Make a run that takes about a second."""

    def make(encoding="rope", seed=0, task="half_sum", epochs=3, model=None, **training):
        small = {"epochs": epochs, "steps": 3, "batch": 8, "warmup": 2, "validation": 32, **training}
        options = {"width": 16, "heads": 2, "hidden": 16, "layers": 1, **(model or {})}
        return Run(task, encoding, seed, ModelOptions(encoding, **options), TrainingOptions(**small))

    return make


@pytest.fixture
def sequences():
    """Inputs `(4, 32, 1)` of the regression tasks."""
    return torch.from_numpy(tasks.load("half_sum").draw(np.random.default_rng(5), 4, 32)[0])
