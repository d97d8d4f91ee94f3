import contextlib
import math
import os
import re
import signal
import threading
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from optuna.trial import TrialState
from sqlalchemy.exc import OperationalError

from pe_math.training import search, studies, trainer
from pe_math.training.__main__ import main
from pe_math.training.configuration import MODES, Result, TrainingOptions
from pe_math.training.studies import STAGES, Search
from tests.pe_math.training.conftest import until

SMALL = ["--steps", "2", "--batch", "4", "--validation", "16", "--width", "32", "--hidden", "8"]


def trials_of(url, name, storage=None):
    """The trials of each stage of a search that has begun, as its storage has them."""
    storage = storage or RDBStorage(url)
    found = sorted(study for study in optuna.get_all_study_names(storage) if study.startswith(f"{name}/"))
    return [optuna.load_study(study_name=study, storage=storage).get_trials() for study in found]


def assert_each_point_was_done_once(stages, trials):
    for stage, tried in zip(stages, trials, strict=True):
        assert not any(trial.state == TrialState.RUNNING for trial in tried)
        finished = [trial for trial in tried if trial.state in (TrialState.COMPLETE, TrialState.PRUNED)]
        assert sorted(trial.user_attrs["point"] for trial in finished) == list(range(len(stage.points())))
        for trial in finished:
            assert trial.params == stage.points()[trial.user_attrs["point"]]


# The procedure, with a formula in place of training ---------------------------------------------------------

GOOD = {"learning_rate": 3e-3, "mode": "hybrid", "heads": 8, "layers": 4, "share": 0.25, "base": 1e3}


def loss_of(run):
    """A loss whose least value lies at `GOOD`, without dropout and with LayerNorm before; seeds add to it."""
    model = run.model
    wrong = [
        abs(math.log10(run.training.learning_rate / GOOD["learning_rate"])),
        model.mode != GOOD["mode"],
        abs(model.heads - GOOD["heads"]) / 8,
        abs(model.layers - GOOD["layers"]) / 4,
        model.dropout + (model.norm == "after"),
        abs((0.9 if model.hybrid_weight is None else model.hybrid_weight) - GOOD["share"]),
    ]
    if model.mode == "hybrid":
        wrong.append(abs(math.log10(slowest_base(model) / GOOD["base"])) / 10)
    return 1.0 + sum(wrong) / 10 + run.seed / 100


def slowest_base(model):
    """The base of geometric frequencies, from the second of them: `base**(-2/d)`."""
    return model.schedules()[0][1] ** (-model.encoding_width / 2)


class InProcess:
    """A crew that does one trial at a time, here."""

    def __init__(self, chosen, place, workers):
        self.chosen, self.place, self.number = chosen, place, 0
        self.storage = studies.open_storage(place.storage)

    def look_after(self):
        while studies.is_finished(
            study := studies.join(self.storage, self.chosen, self.number), self.stage()
        ):
            self.number += 1
        search._Worker(study, self.chosen, self.place, lambda: False).do_one()

    def stage(self):
        return STAGES[self.number]

    def close(self):
        pass


@contextlib.contextmanager
def training_by_formula():
    """Let searches run here and train nothing; gives the runs that were asked for."""
    runs = []

    def train(run, checkpoints, report, data=None):
        runs.append(run)
        for epoch in range(1, run.training.epochs + 1):
            report(run, epoch, loss_of(run))
        curve = np.full(run.training.epochs, loss_of(run), np.float32)
        return Result(run, {"validation_loss": curve}, 1, 0.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "train", train)
        patch.setattr(search, "_Crew", InProcess)
        patch.setattr(search, "_POLL", 0)
        yield runs


@pytest.fixture
def trained():
    with training_by_formula() as runs:
        yield runs


@pytest.fixture
def place(tmp_path):
    return search.Place(f"sqlite:///{tmp_path}/search.sqlite3", tmp_path / "runs")


def leave_checkpoint(folder):
    """Leave a checkpoint of the formula's search; returns its path."""
    path = folder / "search-formula" / "run.safetensors"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def formula_search(**options):
    return Search("formula", "half_sum", TrainingOptions(epochs=2), **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A search through all stages: the URL of its storage, its table, and the runs."""
    folder = tmp_path_factory.mktemp("whole")
    url = f"sqlite:///{folder}/search.sqlite3"
    leave_checkpoint(folder)
    with training_by_formula() as runs:
        return url, search.run(formula_search(seed=7), search.Place(url, folder), workers=1), runs


def test_each_stage_starts_from_the_best_before_and_finds_what_is_better(whole):
    url, table, runs = whole
    storage = studies.open_storage(url)
    starts = [
        optuna.load_study(study_name=f"formula/{stage.name}", storage=storage).user_attrs["start"]
        for stage in STAGES
    ]
    baseline = {**studies.BASELINE, "seed": 7}
    tuned = {**baseline, "learning_rate": 3e-3}
    hybrid = {**tuned, "mode": "hybrid"}
    sized = {**hybrid, "heads": 8, "layers": 4}
    weighted = {**sized, "hybrid_weight": 0.25}
    # Dropout is never below 0.1 in its stage, and the best has none: that stage changes nothing.
    assert starts == [baseline, baseline, tuned, hybrid, sized, sized, weighted, {**weighted, "base": 1e3}]
    assert_each_point_was_done_once(STAGES, trials_of(url, "formula"))
    assert len(runs) == 1 + 5 + len(MODES) + 9 + 6 + 4 + 4 + 10

    # The mean of 8, 9, …, 12 hundredths is 0.10 and their deviation sqrt(2.5) hundredths.
    first, best = loss_of(runs[0]) - 0.07, loss_of(runs[-1]) - 0.12
    assert best < first
    for name, least in (("baseline", first), ("best", best)):
        numbers = [least + 0.10, 0.01 * math.sqrt(2.5), least + 0.08, least + 0.12]
        cells = " +".join(re.escape(f"{number:.5f}") for number in numbers)
        assert re.search(rf"^ +{name} +5 +{cells}$", table, re.MULTILINE)


def test_checkpoints_stay_until_the_last_stage_for_commands_that_do_more_stages(whole, trained, place):
    checkpoint = leave_checkpoint(place.checkpoints)
    search.run(formula_search(count=1), place, workers=1)
    assert checkpoint.exists()
    assert not list(Path(whole[0].removeprefix("sqlite:///")).parent.glob("search-formula"))


def test_a_finished_search_started_again_prints_its_table_and_trains_nothing(trained, place):
    table = search.run(formula_search(count=1), place, workers=1)
    trained.clear()
    assert search.run(formula_search(count=1), place, workers=1) == table
    assert trained == []
    # With a stage more it goes on where it stood.
    search.run(formula_search(count=2), place, workers=1)
    assert len(trained) == len(STAGES[1].points())


def test_poor_trials_are_given_up_half_way_and_the_best_and_repeats_never(whole):
    url, table, _ = whole
    *stages, repeats = trials_of(url, "formula")
    for trials in stages:
        assert min(trials, key=lambda trial: trial.value).state == TrialState.COMPLETE
        for number, trial in enumerate(trials):
            before = [other.value for other in trials[:number] if other.state == TrialState.COMPLETE]
            poor = len(before) >= 2 and trial.value > np.median(before)
            assert (trial.state == TrialState.PRUNED) == poor
            assert trial.last_step == (1 if poor else 2)
    assert any(trial.state == TrialState.PRUNED for trials in stages for trial in trials)
    assert re.search(r"^ +16 +6 +\d\.\d{5} +1 +\d+\.\d  pruned$", table, re.MULTILINE)
    assert [trial.state for trial in repeats] == [TrialState.COMPLETE] * 10


def test_a_diverged_trial_counts_as_poor(trained, place, monkeypatch):
    train = trainer.train

    def diverging(run, *others):
        if run.training.learning_rate == 1e-2:
            raise FloatingPointError("the loss is no longer a number")
        return train(run, *others)

    monkeypatch.setattr(trainer, "train", diverging)
    table = search.run(formula_search(count=2), place, workers=1)
    assert re.search(r"^ +0.01 +inf +0 +\d+\.\d  diverged$", table, re.MULTILINE)


def test_a_run_taken_up_from_a_checkpoint_shows_its_whole_curve(trained, place, monkeypatch):
    def resumed(run, checkpoints, report, data=None):
        report(run, 2, 0.25)
        return Result(run, {"validation_loss": np.array([0.5, 0.25], np.float32)}, 1, 0.0)

    monkeypatch.setattr(trainer, "train", resumed)
    search.run(formula_search(count=1), place, workers=1)
    ((trial,),) = trials_of(place.storage, "formula")
    assert trial.intermediate_values == {1: 0.5, 2: 0.25}
    assert trial.value == 0.25


# What goes wrong --------------------------------------------------------------------------------------------


def begin(url, number=1, **options):
    """Join a stage of a search whose baseline is done."""
    storage = studies.open_storage(url, **options)
    chosen = formula_search(count=2)
    study = studies.join(storage, chosen, 0)
    if not studies.done(study):
        studies.tend(study, STAGES[0])
        study.optimize(lambda trial: 1.0, n_trials=1)
    return storage, studies.join(storage, chosen, number)


def test_a_trial_killed_at_its_very_start_is_done_again(tmp_path):
    storage, study = begin(f"sqlite:///{tmp_path}/s.sqlite3", heartbeat=1)
    studies.tend(study, STAGES[1])
    with pytest.warns(UserWarning, match="Heartbeat"):
        lost = study.ask()  # what a worker does first; and nothing after it, as if it had been killed
    assert lost.user_attrs["point"] == 0
    storage.grace_period = 1

    def queued_again():
        studies.tend(study, STAGES[1])
        return len(study.get_trials()) > 5

    until(queued_again)
    first, *_, last = study.get_trials()
    assert (first.state, last.state) == (TrialState.FAIL, TrialState.WAITING)
    assert last.user_attrs["point"] == 0


@pytest.mark.parametrize("when", ["before its first epoch", "after its last"])
def test_a_worker_whose_trial_was_given_to_another_drops_it(when, trained, place, monkeypatch):
    train = trainer.train

    def lose():  # as another process would, while this one sleeps
        storage = RDBStorage(place.storage)
        (trial,) = storage.get_all_trials(1)
        storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)

    def sleepy(*arguments):
        first = not trained
        if first and when == "before its first epoch":
            lose()
        result = train(*arguments)
        if first and when == "after its last":
            lose()
        return result

    monkeypatch.setattr(trainer, "train", sleepy)
    search.run(formula_search(count=1), place, workers=1)
    ((first, second),) = trials_of(place.storage, "formula")
    assert (first.state, second.state) == (TrialState.FAIL, TrialState.COMPLETE)


def test_a_point_queued_twice_in_the_same_moment_is_done_once(trained, place):
    studies.open_storage(place.storage)
    _, study = begin(place.storage)
    for index, point in [*enumerate(STAGES[1].points())] * 2:
        study.enqueue_trial(point, user_attrs={"point": index})
    worker = search._Worker(study, formula_search(count=2), place, lambda: False)
    for _ in range(11):  # the last finds the queue empty and gets a trial without a point
        worker.do_one()
    assert len(trained) == 5
    surplus = [trial for trial in study.get_trials() if trial.state == TrialState.FAIL]
    assert [trial.user_attrs["ended"] for trial in surplus] == ["surplus"] * 6


def test_two_workers_never_take_the_same_trial(tmp_path):
    url = f"sqlite:///{tmp_path}/s.sqlite3"
    _, study = begin(url)
    count, workers = 30, 3
    for index in range(count):
        study.enqueue_trial({"learning_rate": float(index)}, user_attrs={"point": index})
    barrier, taken = threading.Barrier(workers), []

    def take():
        own = begin(url)[1]
        for _ in range(count // workers):
            barrier.wait(300)
            own.optimize(lambda trial: taken.append(trial.number) or 1.0, n_trials=1)

    threads = [threading.Thread(target=take) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == count // workers * workers
    assert len(set(taken)) == len(taken)


def test_another_search_under_the_same_name_is_refused_with_what_differs(trained, place):
    search.run(formula_search(count=1), place, workers=1)
    other = Search("formula", "weighted_sum", TrainingOptions(epochs=5, learning_rate=3e-4), count=1)
    message = (
        r"study formula was begun with task 'half_sum', not 'weighted_sum', epochs 2, not 5; ask for the same"
    )
    with pytest.raises(ValueError, match=message):
        search.run(other, place, workers=1)
    search.run(Search("second", "half_sum", TrainingOptions(epochs=5), count=1), place, workers=1)
    assert "epochs 2" in studies.tables(place.storage) and "epochs 5" in studies.tables(place.storage)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--storage", "nonsense"], "storage must be a URL such as sqlite:///search.sqlite3, got 'nonsense'"),
        (["--storage", "sqlite://"], "storage must be a file that worker processes can share"),
        (
            ["--storage", "nosuch://host/name"],
            "storage must be one that can be opened, got 'nosuch://host/name'",
        ),
        (["--workers", "0"], "workers must be an integer from 1"),
        (["--heartbeat", "0"], "heartbeat must be an integer from 1"),
        (["--epochs", "0"], "epochs must be an integer from 1"),
        (["--width", "48"], "width must be a multiple of 32, got 48"),
        (["--stages", "9"], "count must be from 1 to 8, got 9"),
        (["--seed", "-1"], "seed must be an integer from 0"),
        (["--study", "a/b"], "name must be a word without slashes, got 'a/b'"),
    ],
)
def test_mistakes_are_told_in_one_line(words, message, tmp_path, capsys):
    command = ["search", "half_sum", "--storage", f"sqlite:///{tmp_path}/s.sqlite3"]
    assert main([*command, "--checkpoints", str(tmp_path), *words]) == 1
    assert re.match(rf"error: {re.escape(message)}.*\n$", capsys.readouterr().err)


def test_a_storage_out_of_reach_is_an_error_that_keeps_the_password(monkeypatch, capsys):
    class NoDriver(RDBStorage):
        def __init__(self, *arguments, **options):
            raise ImportError("No module named 'psycopg'")

    monkeypatch.setattr(studies, "_Storage", NoDriver)
    assert main(["search", "half_sum", "--storage", "postgresql+psycopg://me:secret@nowhere/optuna"]) == 1
    message = capsys.readouterr().err
    assert "got 'postgresql+psycopg://me:***@nowhere/optuna': No module named 'psycopg'" in message


def test_show_prints_searches_and_makes_no_storage(tmp_path, trained, place, capsys):
    missing = tmp_path / "missing.sqlite3"
    assert main(["show", f"sqlite:///{missing}"]) == 1
    assert re.match(r"error: storage must be there, got 'sqlite:///.*missing", capsys.readouterr().err)
    assert not missing.exists()
    studies.open_storage(f"sqlite:///{missing}")
    assert main(["show", f"sqlite:///{missing}"]) == 1
    assert "one with a search in it" in capsys.readouterr().err
    table = search.run(formula_search(count=1), place, workers=1)
    capsys.readouterr()
    assert main(["show", place.storage]) == 0
    assert capsys.readouterr().out == table + "\n"


def test_studies_of_others_and_one_that_is_being_made_are_passed_over(trained, place, capsys):
    storage = studies.open_storage(place.storage)
    for name in ("price", "formula/price", "later/1-baseline", "formula/2-learning-rate"):
        study = optuna.create_study(storage=storage, study_name=name)
        if name.endswith("price"):
            study.set_user_attr("settings", "theirs")
            study.optimize(lambda trial: 1.0, n_trials=1)
    assert main(["show", place.storage]) == 1
    assert "one with a search in it" in capsys.readouterr().err
    table = search.run(formula_search(count=1), place, workers=1)
    assert "price" not in table and "2-learning-rate" not in table
    assert main(["show", place.storage]) == 0
    assert capsys.readouterr().out == table + "\n"


@pytest.mark.parametrize(
    "error", [StorageInternalError("gone"), OperationalError("SELECT", {}, OSError("gone"))]
)
@pytest.mark.parametrize("ours", ["tables", "table"])
def test_a_storage_that_fails_in_the_end_is_an_error_too(ours, error, trained, place, monkeypatch):
    begin(place.storage)

    def fail(*arguments):
        raise error

    if ours == "tables":
        monkeypatch.setattr(studies._Storage, "get_all_studies", fail)
    else:
        monkeypatch.setattr(studies, "table", fail)
    with pytest.raises(RuntimeError, match=r"the storage failed, and the same command .*gone"):
        studies.tables(place.storage) if ours == "tables" else search.run(formula_search(count=1), place, 1)


# Commands, with processes -----------------------------------------------------------------------------------


@pytest.fixture
def start(tmp_path, start_lab):
    """Start a search."""

    def start(*arguments, name="killed"):
        place = ["--storage", f"sqlite:///{tmp_path}/search.sqlite3", "--checkpoints", str(tmp_path)]
        return start_lab("search", "half_sum", "--study", name, *place, *SMALL, *arguments)

    return start


def wait_for_a_trial_under_way(url, name, process):
    """Return a trial of the second stage of which some epochs are done and some to come."""
    storage = studies.open_storage(url)
    found = []

    def under_way():
        assert process.poll() is None, process.communicate()
        tried = [trial for stage in trials_of(url, name, storage)[1:] for trial in stage]
        found.extend(trial for trial in tried if trial.state == TrialState.RUNNING and trial.last_step)
        return found

    until(under_way)
    return found[0]


def test_a_killed_worker_loses_its_trial_and_another_does_it_again(tmp_path, start):
    url = f"sqlite:///{tmp_path}/search.sqlite3"
    process = start("--stages", "2", "--workers", "2", "--epochs", "30", "--heartbeat", "5")
    lost = wait_for_a_trial_under_way(url, "killed", process)
    os.kill(int(lost.user_attrs["worker"].partition(":")[2]), signal.SIGKILL)
    table, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors

    trials = trials_of(url, "killed")
    assert_each_point_was_done_once(STAGES[:2], trials)
    assert trials[1][lost.number].state == TrialState.FAIL
    assert "ended" not in trials[1][lost.number].user_attrs
    assert all(re.search(rf"^ +{rate:g} +\d\.\d+", table, re.MULTILINE) for rate in (1e-4, 3e-4, 3e-3, 1e-2))


def test_two_commands_on_one_study_share_it_and_print_the_same_table(tmp_path, start):
    options = ["--stages", "2", "--workers", "1", "--epochs", "8"]
    processes = [start(*options, name="shared") for _ in range(2)]
    outputs = [process.communicate(timeout=600) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0] != ""
    assert_each_point_was_done_once(STAGES[:2], trials_of(f"sqlite:///{tmp_path}/search.sqlite3", "shared"))


def test_an_interrupted_search_goes_on_and_does_nothing_twice(tmp_path, start):
    url = f"sqlite:///{tmp_path}/search.sqlite3"
    options = ["--stages", "2", "--workers", "1", "--epochs", "30"]
    process = start(*options, name="stopped")
    wait_for_a_trial_under_way(url, "stopped", process)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "the same command goes on" in errors and "Traceback" not in errors
    before = trials_of(url, "stopped")
    stopped = [trial for trial in before[1] if trial.state == TrialState.FAIL]
    assert [trial.user_attrs["ended"] for trial in stopped] == ["stopped"]
    assert len(list(tmp_path.glob("search-stopped/*.safetensors"))) >= 2

    process = start(*options, name="stopped")
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    after = trials_of(url, "stopped")
    assert_each_point_was_done_once(STAGES[:2], after)
    for tried, known in zip(after, before, strict=True):
        for trial in known:
            if trial.state.is_finished():
                assert tried[trial.number] == trial


def test_what_a_worker_cannot_do_is_an_error_of_the_command(tmp_path, start):
    chosen = Search("bad", "half_sum", TrainingOptions(2, 2, 4, validation=16), width=32, hidden=8)
    run = chosen.run({**studies.BASELINE, "seed": 0})
    folder = tmp_path / "search-bad"
    folder.mkdir()
    (folder / trainer.checkpoint_name(run)).write_bytes(b"no checkpoint")
    process = start("--stages", "1", "--epochs", "2", name="bad")
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 1
    assert re.search(r"error: ValueError: .*damaged or not a safetensors file", errors)
