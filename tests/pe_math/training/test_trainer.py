import dataclasses
import functools
import math
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from pe_math.training import storage, tasks, trainer
from pe_math.training.configuration import MODES, ModelOptions, Run, TrainingOptions
from pe_math.training.model import Transformer
from tests.pe_math.training.conftest import until


def ignore(run, epoch, loss):
    pass


def assert_same(results, others):
    for result, other in zip(results, others, strict=True):
        assert result.arrays.keys() == other.arrays.keys()
        for name, array in result.arrays.items():
            assert np.array_equal(array, other.arrays[name]), name


def test_the_number_of_workers_changes_no_number(make_run, tmp_path):
    several = [(encoding, seed) for encoding in ("learned", "rope") for seed in (0, 1)]
    runs = [make_run(*each, weights=True, epochs=12) for each in several]  # more than a worker trains at once
    one, two = (trainer.train_all(runs, tmp_path / str(workers), workers) for workers in (1, 2))
    here = [trainer.train(run, tmp_path / "here", ignore) for run in runs]
    assert_same(one, two)
    assert_same(one, here)
    assert [result.run.describe() for result in one] == [run.describe() for run in runs]
    assert not np.array_equal(one[0].arrays["train_loss"], one[1].arrays["train_loss"])  # the seeds differ


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_goes_on_ends_like_one_that_was_never_disturbed(mode, make_run, tmp_path):
    kept = {"weights": True, "attention": True, "snapshots": (0, 1, 3)}
    run = make_run(mode, model={"dropout": 0.2, "layers": 2}, **kept)
    whole = trainer.train(run, tmp_path / "whole", ignore)

    def stop_after_first(run, epoch, loss):
        raise trainer.StoppedError

    for _ in range(2):
        with pytest.raises(trainer.StoppedError):
            trainer.train(run, tmp_path / "cut", stop_after_first)
    reported = []
    resumed = trainer.train(run, tmp_path / "cut", lambda run, epoch, loss: reported.append(epoch))
    assert reported == [1, 2, 3]
    assert_same([resumed], [whole])


def test_sequences_are_fresh_each_epoch_and_the_same_for_all_encodings(make_run, tmp_path, monkeypatch):
    def drawn(encoding, seed):
        task = tasks.load("half_sum")
        seen = {"draw": [], "draw_held_out": []}

        def spy(name, generator, count, length):
            seen[name].append(getattr(task, name)(generator, count, length)[0])
            return task.draw(np.random.default_rng(0), count, length)

        spies = {name: functools.partial(spy, name) for name in seen}
        monkeypatch.setattr(trainer, "load", lambda *_: dataclasses.replace(task, **spies))
        trainer.train(make_run(encoding, seed), tmp_path / f"{encoding}{seed}", ignore)
        return seen

    rope, none, other_seed = drawn("rope", 0), drawn("none", 0), drawn("rope", 1)
    assert len(rope["draw"]) == 3
    different = [*rope["draw"], *other_seed["draw"]]
    assert len({array.tobytes() for array in different}) == 6
    assert np.array_equal(rope["draw"], none["draw"])
    for run in (none, other_seed):
        assert [array.tobytes() for array in run["draw_held_out"]] == [
            a.tobytes() for a in rope["draw_held_out"]
        ]
    assert rope["draw_held_out"][0].tobytes() not in {array.tobytes() for array in rope["draw"]}


TRAINING = ["--epochs", "150", "--steps", "2", "--batch", "4", "--validation", "16"]
MODEL = ["--width", "8", "--heads", "1", "--layers", "1", "--hidden", "8"]


def children(process):
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not listed.exists():
        pytest.skip("needs Linux's /proc")
    return [int(child) for child in listed.read_text().split()]


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The result of the run that `train half_sum learned` with TRAINING and MODEL asks for."""
    model = ModelOptions("learned", width=8, heads=1, layers=1, hidden=8)
    training = TrainingOptions(epochs=150, steps=2, batch=4, validation=16)
    run = Run("half_sum", "learned", 0, model, training)
    return trainer.train(run, tmp_path_factory.mktemp("undisturbed"), ignore)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_or_interrupted_command_goes_on_bit_for_bit(number, tmp_path, undisturbed, start_lab):
    process = start_lab(
        "train", "half_sum", "learned", *TRAINING, *MODEL, "--checkpoints", str(tmp_path), "--workers", "1"
    )
    until(lambda: list(tmp_path.glob("train/half_sum*")))
    workers = children(process)
    # Ctrl-C reaches all processes of a terminal; a kill reaches one, and its workers must not train on alone.
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    assert process.wait(300) == (130 if number == signal.SIGINT else -number)
    until(lambda: not any(map(alive, workers)), seconds=60)
    assert ("goes on from the last finished epoch" in process.stderr.read()) == (number == signal.SIGINT)

    (checkpoint,) = tmp_path.glob("train/half_sum*")
    _, document = storage.read(checkpoint, "checkpoint", 1, "")
    assert 0 < document["epoch"] < 150
    assert len(document["validation_loss"]) == document["epoch"]
    assert document["run"] == undisturbed.run.describe()
    assert checkpoint.name == trainer.checkpoint_name(undisturbed.run)
    assert_same([trainer.train(undisturbed.run, checkpoint.parent, ignore)], [undisturbed])


def test_a_dead_worker_is_an_error_that_says_what_to_do(make_run, tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "_prepare_worker", _die)
    with pytest.raises(RuntimeError, match="a worker process died; run the same again"):
        trainer.train_all([make_run()], tmp_path, workers=1)


def _die(*arguments):
    os._exit(9)


def test_another_configuration_does_not_take_up_a_checkpoint(make_run):
    runs = [make_run(), make_run(seed=1), make_run(epochs=4), make_run(batch=9), make_run(model={"width": 8})]
    assert len({trainer.checkpoint_name(run) for run in runs}) == len(runs)


def test_a_damaged_checkpoint_is_an_error_that_names_it(make_run, tmp_path):
    run = make_run(epochs=1)
    trainer.train(run, tmp_path, ignore)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match=rf"{path.name}: damaged.*delete it"):
        trainer.train(run, tmp_path, ignore)


def test_a_loss_that_is_no_number_stops_the_run(make_run, tmp_path):
    with pytest.raises(
        FloatingPointError, match=r"half_sum, none, seed 0: .* epoch 1; try a learning_rate below"
    ):
        trainer.train(make_run("none", learning_rate=1e30, clip=1e30, warmup=0), tmp_path, ignore)


def test_losses_are_one_minus_r_squared(make_run, tmp_path):
    result = trainer.train(make_run(epochs=20, steps=20), tmp_path, ignore)
    loss, score = result.arrays["length_loss"], result.arrays["length_score"]
    assert loss[0] == pytest.approx(result.arrays["validation_loss"][-1])
    assert score[0] == pytest.approx(1 - loss[0], abs=1e-6)
    assert score.shape == (3,) and score[0] > 0.3


def test_learning_rate_rises_and_then_falls_as_a_cosine():
    options = TrainingOptions(epochs=11, steps=10, warmup=10, learning_rate=2.0)
    assert options.rate(0) == 0.2 and options.rate(9) == 2.0 and options.rate(10) == 2.0
    assert options.rate(60) == pytest.approx(1.0)
    assert options.rate(85) == pytest.approx(1 + math.cos(0.75 * math.pi))


def test_parts_asked_for_are_kept(make_run, tmp_path):
    run = make_run("learned", snapshots=(0, 2), attention=True, weights=True)
    arrays = trainer.train(run, tmp_path, ignore).arrays
    assert arrays["attention"].shape == (1, 2, 32, 32)
    assert arrays["attention"].sum(-1) == pytest.approx(np.ones((1, 2, 32)), abs=1e-5)
    # Only the trained positions are kept. Those beyond have the vectors that they started with.
    assert arrays["table"].shape == (2, 32, 16)
    assert not np.isclose(arrays["table"][0], arrays["table"][1]).all(axis=1).any()
    trained, untrained = np.split(arrays["weights/encodings.0.table"], [32])
    first = Transformer(tasks.load("half_sum"), run.model, run.seed).encodings[0].table
    assert not np.isclose(trained, first[:32].detach()).all(axis=1).any()
    assert np.array_equal(untrained, first[32:].detach())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs must be an integer from 1"),
        ({"learning_rate": -1.0}, "learning_rate must be positive, got -1.0"),
        ({"clip": math.inf}, "clip must be a finite real number"),
        ({"warmup": -1}, "warmup must be an integer from 0"),
        ({"epochs": 3, "snapshots": (4,)}, r"snapshots must be epochs from 0 to 3, got \(4,\)"),
    ],
)
def test_training_options_refuse_what_cannot_be(change, message):
    with pytest.raises(ValueError, match=message):
        TrainingOptions(**change)
