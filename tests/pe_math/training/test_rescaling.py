import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from pe_math import frequencies, rotary
from pe_math.training import records, rescaling
from pe_math.training.__main__ import main

TEXT = "positional encodings turn the hands of many clocks, fast and slow; " * 400


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A tiny record, and what was left of the checkpoints."""
    folder = tmp_path_factory.mktemp("a rescaling")
    for part in ("valid", "test"):
        (folder / f"wiki.{part}.tokens").write_text(TEXT)
    output, runs = folder / "small.safetensors", folder / "runs"
    small = ["--epochs", "3", "--steps", "4", "--batch", "8", "--validation", "16", "--seeds", "0", "1"]
    where = ["--data", str(folder), "--checkpoints", str(runs), "--output", str(output), "--workers", "2"]
    assert main(["record", "rescaling", *small, *where]) == 0
    return records.load(output), list(runs.rglob("*.safetensors"))


def test_the_record_names_the_command_that_makes_it_again(recorded, tmp_path):
    words = shlex.split(recorded[0].document["command"])
    assert words[:5] == ["python", "-m", "pe_math.training", "record", "rescaling"]
    assert (Path(words[words.index("--data") + 1]) / "wiki.test.tokens").read_text() == TEXT


def test_at_factor_one_every_rescaling_leaves_the_frequencies_alone():
    for method in rescaling.METHODS:
        options = rescaling.rescaled(method, 1, 64)
        assert options.frequencies == pytest.approx(frequencies.geometric(16))
        assert options.rotary_scale == 1.0


def test_interpolation_at_twice_the_position_is_the_model_as_trained():
    x = np.random.default_rng(0).standard_normal((5, 16))
    options = rescaling.rescaled("interpolated", 2, 64)
    turned = rotary.rotate(x, 2 * np.arange(5), np.asarray(options.frequencies))
    assert turned == pytest.approx(rotary.rotate(x, np.arange(5), frequencies.geometric(16)))


def test_the_ends_of_the_schedules_are_as_their_papers_say():
    trained = frequencies.geometric(16)
    ntk = np.asarray(rescaling.rescaled("ntk", 4, 64).frequencies)
    assert ntk[0] == trained[0] and ntk[-1] == pytest.approx(trained[-1] / 4)
    yarn = rescaling.rescaled("yarn", 4, 64)
    assert yarn.frequencies[0] == trained[0] and yarn.frequencies[-1] == pytest.approx(trained[-1] / 4)
    assert yarn.rotary_scale == pytest.approx(0.1 * np.log(4) + 1)


def test_the_record_has_every_length_before_tuning_and_a_curve_of_tuning(recorded):
    record, left = recorded
    assert left == []
    assert record.tasks == ("wikitext",) and record.encodings == tuple(rescaling.METHODS)
    assert record.lengths("wikitext") == (64, 128, 256, 512)
    assert record.document["tuned_length"] == 256
    assert record.document["base"]["encoding"] == "rope"
    assert len(record.document["base_seconds"]) == 2 and min(record.document["base_seconds"]) > 0
    before = record.curves("wikitext", "length_loss")
    assert before.shape == (4, 2, 4)
    # At the trained length nothing is rescaled, so all four are one model; seeds are not.
    assert np.array_equal(before[:, :, 0], np.broadcast_to(before[0, :, 0], (4, 2)))
    assert before[0, 0, 0] != before[0, 1, 0]
    assert record.curves("wikitext", "validation_loss").shape == (4, 2, 3)
    # Tuning starts from the rescaled model: at first it is not far from it, and then it gets better.
    curves = record.curves("wikitext", "validation_loss")
    assert (curves[:, :, -1] < before[:, :, 2]).all()


def test_the_tracked_record_is_of_the_models_that_were_recorded():
    document = records.load(records.path_of("rescaling")).document
    assert document["command"] == "python -m pe_math.training record rescaling"
    base = json.loads(json.dumps(rescaling.RESCALING.bases()[0].describe()))
    assert document["base"] == base
    assert document["tasks"]["wikitext"]["training"] == rescaling.RESCALING.tuning.describe()
    assert document["seeds"] == [0, 1, 2, 3, 4]
