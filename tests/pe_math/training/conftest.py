import numpy as np
import pytest
import torch

from pe_math.training import tasks
from pe_math.training.configuration import ModelOptions, Run, TrainingOptions
from pe_math.training.model import Transformer

torch.set_num_threads(1)


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
