import sys
from types import SimpleNamespace

import numpy as np
import pytest

from pe_math.training import tasks


def draw(name, count=64, length=32, seed=0):
    return tasks.load(name).draw(np.random.default_rng(seed), count, length)


@pytest.mark.parametrize("name", ["signal_sum", "half_sum", "weighted_sum"])
@pytest.mark.parametrize("length", [2, 32, 128])
def test_sequences_are_of_the_length_asked_for_and_seeded(name, length):
    inputs, targets = draw(name, length=length)
    assert inputs.shape == (64, length, 1) and inputs.dtype == np.float32
    assert targets.shape == (64,) and targets.dtype == np.float32
    again, other = draw(name, length=length), draw(name, length=length, seed=1)
    assert np.array_equal(again[0], inputs) and np.array_equal(again[1], targets)
    assert not np.array_equal(other[0], inputs)


def test_first_half_is_one_sine_and_second_half_is_noise():
    x = draw("half_sum", count=4000, length=64)[0][:, :, 0].astype(np.float64)
    sine, noise = x[:, :32], x[:, 32:]
    # A sine of frequency w obeys x[n-1] + x[n+1] = 2 cos(w) x[n]; solve for cos(w) over the whole half.
    neighbours, middle = sine[:, :-2] + sine[:, 2:], sine[:, 1:-1]
    cosine = (neighbours * middle).sum(1) / (middle**2).sum(1) / 2
    assert np.abs(neighbours - 2 * cosine[:, None] * middle).max() < 1e-5
    frequency = np.arccos(cosine)
    assert 0.2 - 1e-4 < frequency.min() < 0.21 and 0.99 < frequency.max() < 1.0 + 1e-4
    # Noise: mean 0, deviation 1, neighbours unrelated (128,000 numbers: five standard errors are 0.014).
    assert abs(noise.mean()) < 0.014 and abs(noise.std() - 1) < 0.01
    assert abs((noise[:, 1:] * noise[:, :-1]).mean()) < 0.015


def test_targets_are_the_sums_they_claim():
    for length in (32, 64):
        for name, expected in [
            ("signal_sum", lambda row: sum(row)),
            ("half_sum", lambda row: sum(row[: len(row) // 2])),
            (
                "weighted_sum",
                lambda row: sum((2 * p / (len(row) - 1) - 1) * value for p, value in enumerate(row)),
            ),
        ]:
            inputs, targets = draw(name, count=5, length=length)
            rows = inputs[:, :, 0].astype(np.float64)
            assert targets == pytest.approx([expected(list(row)) for row in rows], abs=1e-5)


def test_only_the_sum_of_all_forgets_the_order():
    order = np.random.default_rng(3).permutation(32)
    inputs, targets = draw("signal_sum")
    assert targets == pytest.approx(inputs[:, order, 0].sum(1), abs=1e-4)
    inputs, targets = draw("half_sum")
    assert np.abs(targets - inputs[:, order, 0][:, :16].sum(1)).max() > 1


@pytest.mark.parametrize("name", ["order", "copy", "induction"])
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_token_tasks_have_their_lengths_tokens_and_seeds(name, factor):
    task = tasks.load(name)
    length = factor * task.length
    inputs, targets = draw(name, count=500, length=length)
    assert inputs.shape == (500, length) and inputs.dtype == targets.dtype == np.int64
    assert set(np.unique(inputs)) == set(range(task.inputs))
    scored = targets[targets != tasks.UNSCORED]
    assert scored.min() >= 0 and scored.max() < task.outputs
    assert targets.shape == ((500, length) if task.causal else (500,))
    again = draw(name, count=500, length=length)
    assert np.array_equal(again[0], inputs) and np.array_equal(again[1], targets)


def test_order_asks_which_mark_came_first():
    inputs, targets = draw("order", count=2000, length=20)
    for row, target in zip(inputs.tolist(), targets, strict=True):
        assert row.count(8) == row.count(9) == 1
        assert target == (row.index(8) < row.index(9))
    assert 0.45 < targets.mean() < 0.55
    first_places = np.minimum((inputs == 8).argmax(1), (inputs == 9).argmax(1))
    assert first_places.min() == 0 and (inputs[:, -1] >= 8).any()


def test_copy_repeats_the_first_half_after_the_separator():
    inputs, targets = draw("copy", length=40)
    symbols = inputs[:, :20]
    assert symbols.max() == 15 and (inputs[:, 20] == 16).all()
    assert np.array_equal(inputs[:, 21:], symbols[:, :-1])
    assert (targets[:, :20] == tasks.UNSCORED).all() and np.array_equal(targets[:, 20:], symbols)


def test_induction_continues_as_it_went_before_at_a_period_that_varies():
    inputs, targets = draw("induction", count=300, length=40)
    periods = set()
    for row, target in zip(inputs.tolist(), targets.tolist(), strict=True):
        period = next(p for p in range(1, 40) if row[p] == row[0])
        periods.add(period)
        assert len(set(row[:period])) == period
        for place in range(40):
            if place < period:
                assert target[place] == tasks.UNSCORED
            else:
                earlier = row[:place].index(row[place])
                assert target[place] == row[earlier + 1]
    assert periods == set(range(10, 21))


@pytest.fixture
def folder(tmp_path):
    """A small WikiText: `z` is rare, `é` is in the test text alone."""
    (tmp_path / "wiki.valid.tokens").write_text("ab c" * 200 + "z" * 3, encoding="utf-8")
    (tmp_path / "wiki.test.tokens").write_text("cab é" * 30, encoding="utf-8")
    return tmp_path


def test_wikitext_is_windows_of_characters_each_with_the_next_one(folder):
    task = tasks.load("wikitext", folder)
    assert (task.inputs, task.outputs, task.lengths) == (5, 5, (64, 128, 256, 512))
    inputs, targets = task.draw(np.random.default_rng(0), 50, 64)
    assert inputs.shape == targets.shape == (50, 64) and np.array_equal(inputs[:, 1:], targets[:, :-1])
    text = " abc"  # tokens 1 to 4 in the order of their code points; 0 is all that is rare
    decoded = ["".join(text[token - 1] if token else "?" for token in row) for row in inputs]
    assert all(row in "ab c" * 200 + "???" for row in decoded)
    held_out, _ = task.draw_held_out(np.random.default_rng(0), 50, 60)
    assert all("".join(text[t - 1] if t else "?" for t in row) in "cab ?" * 30 for row in held_out)


def test_wikitext_takes_its_folder_from_the_environment(folder, monkeypatch):
    monkeypatch.setenv("CLOCKHANDS_WIKITEXT", str(folder))
    assert tasks.load("wikitext").source == tasks.load("wikitext", folder).source
    assert tasks.load("wikitext").source.startswith("WikiText-2, trained on its validation split, sha256 ")


def test_wikitext_takes_the_full_split_from_the_datasets_package(monkeypatch):
    rows = {"train": {"text": ["abc\n"] * 200}, "test": {"text": ["cba\n"] * 20}}
    monkeypatch.delenv("CLOCKHANDS_WIKITEXT", raising=False)
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=lambda name, kind: rows))
    task = tasks.load("wikitext")
    assert task.inputs == 5 and task.source.startswith("WikiText-2, trained on its training split")


def offline(name, kind):
    raise LookupError("no way\nto the hub")


@pytest.mark.parametrize("missing", ["folder", "file", "package", "network"])
def test_a_missing_text_says_where_to_get_it(missing, folder, monkeypatch):
    monkeypatch.delenv("CLOCKHANDS_WIKITEXT", raising=False)
    package = SimpleNamespace(load_dataset=offline) if missing == "network" else None
    monkeypatch.setitem(sys.modules, "datasets", package)
    (folder / "wiki.test.tokens").unlink()
    data = {"folder": folder / "none", "file": folder}.get(missing)
    with pytest.raises(FileNotFoundError, match=r"--data FOLDER.*https://wikitext\.smerity\.com/") as error:
        tasks.load("wikitext", data)
    named = {"file": str(folder / "wiki.test.tokens"), "network": "(no way to the hub)"}
    assert named.get(missing, "") in str(error.value)


def test_refusals_say_what_would_be_right():
    with pytest.raises(ValueError, match=r"length must be positive and even.* got 7"):
        draw("half_sum", length=7)
    with pytest.raises(ValueError, match=r"task must be one of 'signal_sum', 'half_sum'.* got 'sum'"):
        tasks.load("sum")
    for name, length in [("order", 1), ("copy", 7), ("induction", 257)]:
        with pytest.raises(ValueError, match=rf"length must be .* got {length}"):
            draw(name, length=length)
