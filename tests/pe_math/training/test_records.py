import json
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save_file
from scipy.sparse.csgraph import connected_components

from pe_math.training import records, storage
from pe_math.training.__main__ import main
from pe_math.training.comparisons import COMPARISONS

ROOT = Path(__file__).parents[3]


def test_reading_a_record_needs_no_torch():
    modules = "pe_math.training, pe_math.training.records, pe_math.training.__main__"
    code = f"import sys, {modules}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def small_record(epochs=4):
    generator = np.random.default_rng(0)
    document = {
        "seeds": [0, 1, 2],
        "tasks": {"half_sum": {"metric": "R²", "lengths": [32, 64], "training": {"epochs": epochs}}},
        "encodings": {"rope": {}, "none": {}},
    }
    curves = {
        f"half_sum/{encoding}/{part}": generator.random((3, columns)).astype(np.float32)
        for encoding in document["encodings"]
        for part, columns in zip(records.SEEDED, (epochs, epochs, 2, 2), strict=True)
    }
    return records.Record(curves, document)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "small.safetensors"
    records.save(path, small_record())
    return path


def test_a_record_comes_back_as_it_was(saved):
    record, original = records.load(saved), small_record()
    assert record.arrays.keys() == original.arrays.keys()
    assert all(np.array_equal(record.arrays[name], array) for name, array in original.arrays.items())
    assert original.document.items() <= record.document.items()
    assert record.tasks == ("half_sum",) and record.encodings == ("rope", "none")
    assert record.seeds == (0, 1, 2)
    assert record.lengths("half_sum") == (32, 64)
    curves = record.curves("half_sum", "validation_loss")
    assert np.array_equal(curves[0], original.arrays["half_sum/rope/validation_loss"])
    with pytest.raises(ValueError, match="no half_sum/rope/attention in this record"):
        record.array("half_sum", "rope", "attention")


def test_the_same_record_gives_the_same_bytes_and_leaves_nothing_beside_it(saved):
    first = saved.read_bytes()
    records.save(saved, small_record())
    assert saved.read_bytes() == first
    assert list(saved.parent.iterdir()) == [saved]


def test_views_are_stored_as_they_look(tmp_path):
    view = np.arange(12.0).reshape(3, 4).T[::2]
    storage.write(tmp_path / "view", {"view": view}, {"kind": "test", "schema": 1})
    assert np.array_equal(storage.read(tmp_path / "view", "test", 1, "")[0]["view"], view)


def test_a_write_that_fails_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr(storage.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        records.save(saved, small_record(epochs=5))
    assert saved.read_bytes() == before and list(saved.parent.iterdir()) == [saved]


REMEDY = r"make it again with: python -m pe_math.training record NAME --output .*small\.safetensors"


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_a_truncated_record_is_refused(saved, kept):
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(ValueError, match=rf"small\.safetensors: damaged.*{REMEDY}"):
        records.load(saved)


def test_foreign_files_are_refused(saved):
    saved.write_text("epoch,loss\n1,0.5\n" * 100)
    with pytest.raises(ValueError, match=rf"small\.safetensors: damaged or not a safetensors file.*{REMEDY}"):
        records.load(saved)
    for metadata in (None, {"format": "pt"}, {"pe_math.training": "not JSON"}, {"pe_math.training": "[1]"}):
        save_file({"half_sum/none/train_loss": np.zeros((3, 4), np.float32)}, saved, metadata)
        with pytest.raises(ValueError, match=rf"small\.safetensors: .*{REMEDY}"):
            records.load(saved)
    storage.write(saved, {}, {"kind": "checkpoint", "schema": records.SCHEMA})
    with pytest.raises(ValueError, match=rf"small\.safetensors: not a record.*{REMEDY}"):
        records.load(saved)


def test_another_schema_is_refused(saved):
    storage.write(saved, {}, {"kind": "record", "schema": 99})
    with pytest.raises(ValueError, match=rf"record of schema version 99, not 1.*{REMEDY}"):
        records.load(saved)


def test_a_missing_record_says_how_to_make_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=rf"small\.safetensors: no such file; {REMEDY}"):
        records.load(tmp_path / "small.safetensors")


@pytest.mark.parametrize("spoil", ["missing", "shape", "nan"])
def test_a_record_that_lacks_a_curve_is_refused(saved, spoil):
    record = small_record()
    curves = dict(record.arrays)
    curve = curves.pop("half_sum/rope/validation_loss")
    if spoil != "missing":
        curves["half_sum/rope/validation_loss"] = curve[:, 1:] if spoil == "shape" else curve * np.nan
    records.save(saved, records.Record(curves, record.document))
    with pytest.raises(ValueError, match=rf"rope/validation_loss is not a finite \(3, 4\) array; {REMEDY}"):
        records.load(saved)


def test_spread_is_over_the_seeds():
    values = [[5.0, 1.0], [1.0, 2.0], [2.0, 3.0], [4.0, 4.0], [3.0, 50.0]]
    median, low, high = records.spread(values)
    assert (median.tolist(), low.tolist(), high.tolist()) == ([3, 3], [1, 1], [5, 50])
    median, low, high = records.spread(values, quantiles=(0.25, 0.75))
    assert (median.tolist(), low.tolist(), high.tolist()) == ([3, 3], [2, 2], [4, 4])


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([(1, 2), (3, 4), (5, 6)], [1, 2, 3]),
        ([(5, 6), (3, 4), (1, 2)], [3, 2, 1]),
        ([(1, 3), (2, 4), (5, 6)], [1, 1, 3]),
        ([(1, 3), (3, 4)], [1, 1]),  # touching is not separated
        ([(1, 10), (2, 3), (4, 5)], [1, 1, 1]),  # one wide range connects two that do not overlap
        ([(1, 2), (4, 9), (5, 6), (10, 11)], [1, 2, 2, 4]),
        ([(7, 8)], [1]),
    ],
)
def test_ranks_are_shared_while_spreads_overlap(ranges, expected):
    assert records.ranks(np.array(ranges, dtype=float)).tolist() == expected


@given(arrays(np.float64, (5, 3, 2), elements=st.integers(0, 30).map(float)))
def test_ranks_are_the_connected_groups_of_overlapping_ranges(losses):
    ranks = records.ranks(losses)
    low, high = losses.min(axis=1), losses.max(axis=1)
    for epoch in range(2):
        reaches = low[:, None, epoch] <= high[None, :, epoch]
        overlap = reaches & reaches.T
        _, group = connected_components(overlap)
        rank = ranks[:, epoch]
        assert np.array_equal(rank[:, None] == rank, group[:, None] == group)
        better = (high[None, :, epoch] < low[:, None, epoch]) & (group[:, None] != group)
        assert rank.tolist() == (1 + better.sum(axis=1)).tolist()


def test_ranks_refuse_what_has_no_seeds():
    with pytest.raises(ValueError, match=r"values must be \(encodings, seeds, …\)"):
        records.ranks([1.0, 2.0])


def test_standings_swap_only_when_two_separate():
    # Encoding 2 falls behind at epoch 1, and keeps its place when it shares rank 1 again.
    ranks = [[1, 1, 1, 3], [1, 1, 1, 1], [1, 3, 1, 1]]
    assert records.standings(ranks).tolist() == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 2, 0]]
    ranks = [[2, 1], [1, 1]]
    assert records.standings(ranks).tolist() == [[1, 0], [1, 0]]


def test_attention_by_offset_averages_the_diagonals():
    count = 12
    queries, keys = np.mgrid[:count, :count]
    # Uniform causal attention gives 1/(q + 1) to each key; k back, the queries from k on have one.
    uniform = np.where(keys <= queries, 1 / (queries + 1.0), 0.0)
    means = records.attention_by_offset(np.stack([uniform, uniform.T]))
    by_distance = [np.mean([1 / (query + 1) for query in range(back, count)]) for back in range(count)]
    assert means.shape == (2, 2 * count - 1)
    assert means[0, :count][::-1] == pytest.approx(by_distance)
    assert not means[0, count:].any()
    assert means[1] == pytest.approx(means[0][::-1])
    with pytest.raises(ValueError, match=r"attention must be .* but has shape \(2, 3\)"):
        records.attention_by_offset(np.ones((2, 3)))


@pytest.mark.parametrize("name", ["encoders", "ablations"])
def test_a_tracked_record_is_made_by_its_command(tmp_path, name):
    tracked = records.load(records.path_of(name))
    words = tracked.document["command"].split()
    assert words == ["python", "-m", "pe_math.training", "record", name]
    changes = {"epochs": 1, "steps": 1, "batch": 4, "validation": 16}
    flags = [word for change, value in changes.items() for word in (f"--{change}", str(value))]
    output = tmp_path / "small.safetensors"
    where = ["--output", str(output), "--checkpoints", str(tmp_path / "runs"), "--workers", "2"]
    assert main([*words[3:], *flags, *where, "--seeds", "0", "1"]) == 0
    small = records.load(output)
    assert small.arrays.keys() == tracked.arrays.keys()
    assert small.curves("half_sum", "validation_loss").shape[1:] == (2, 1)
    assert list((tmp_path / "runs").rglob("*.safetensors")) == []
    small_document, document = dict(small.document), json.loads(json.dumps(dict(tracked.document)))
    for task in document["tasks"].values():
        task["training"] |= changes
        task["training"]["snapshots"] = [epoch for epoch in task["training"]["snapshots"] if epoch <= 1]
    assert small_document.keys() == document.keys()
    assert small_document["tasks"] == document["tasks"]
    for part in ("comparison", "encodings", "parameters"):
        assert small_document[part] == document[part]


@pytest.mark.parametrize("comparison", COMPARISONS.values(), ids=COMPARISONS)
def test_a_tracked_record_is_of_the_comparison_as_it_stands(comparison):
    document = records.load(records.path_of(comparison.name)).document
    assert document["encodings"] == {name: model.describe() for name, model in comparison.encodings.items()}
    training = {name: options.describe() for name, options in comparison.tasks.items()}
    assert {name: task["training"] for name, task in document["tasks"].items()} == training
    assert document["seeds"] == list(comparison.seeds) and len(document["seeds"]) == 5


def test_the_tracked_records_are_small():
    assert sum(path.stat().st_size for path in records.RECORDED.iterdir()) < 5e6
