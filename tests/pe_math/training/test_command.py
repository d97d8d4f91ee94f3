import re
import shlex

import numpy as np
import pytest

from pe_math.training import records
from pe_math.training.__main__ import main
from pe_math.training.comparisons import COMPARISONS
from pe_math.training.configuration import MODES
from pe_math.training.tasks import TASKS

TRAINING = ["--epochs", "2", "--steps", "2", "--batch", "4", "--validation", "16", "--workers", "1"]
MODEL = ["--width", "8", "--heads", "1", "--layers", "1", "--hidden", "8"]


def test_help_names_the_commands_the_tasks_and_the_encodings(capsys):
    for words, expected in [
        ([], ["train", "record", "show"]),
        (
            ["train"],
            [*TASKS, *MODES, "train half_sum rope", "--learning-rate", "(default: 0.001)", "one a core"],
        ),
        (["record"], ["record encoders", *COMPARISONS, "rescaling", "Ctrl-C", "as the comparison says"]),
        (["show"], ["median", "show encoders"]),
    ]:
        with pytest.raises(SystemExit) as stop:
            main([*words, "--help"])
        assert stop.value.code == 0
        printed = capsys.readouterr().out
        assert all(word in printed for word in expected)


def test_train_prints_the_curve_and_what_came_out_and_starts_anew_next_time(tmp_path, capsys):
    command = ["train", "half_sum", "hybrid", *TRAINING, *MODEL, "--checkpoints", str(tmp_path)]
    assert main([*command, "--frequencies", "mixed", "--base", "100"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^ +1 +\d\.\d{5} +\d\.\d{5}\n +2 +\d\.\d{5} +\d\.\d{5}\n\n", printed, re.MULTILINE)
    assert "half_sum: 1 seed, 2 epochs" in printed and re.search(r"hybrid .*\[", printed)
    assert not list(tmp_path.rglob("*.safetensors"))


def test_train_writes_a_record_of_a_schedule_of_ones_own_beside_the_usual_one(tmp_path, capsys):
    (tmp_path / "mine.py").write_text("def halving(d):\n    return [0.5**k for k in range(d // 2)]\n")
    output = tmp_path / "mine.safetensors"
    own = ["--frequencies", f"{tmp_path / 'mine.py'}:halving", "--output", str(output)]
    command = ["train", "half_sum", "sinusoidal", *TRAINING, *MODEL, "--checkpoints", str(tmp_path / "runs")]
    assert main([*command, *own]) == 0
    assert capsys.readouterr().out.endswith(f"{output}\n")
    record = records.load(output)
    usual, mine = (dict(record.document["encodings"][name]) for name in ("sinusoidal", "mine"))
    assert usual.pop("frequencies") == pytest.approx([1.0, 0.1, 0.01, 0.001])
    assert mine.pop("frequencies") == [1.0, 0.5, 0.25, 0.125]
    assert usual == mine
    losses = record.curves("half_sum", "train_loss")
    assert losses.shape == (2, 1, 2) and np.isfinite(losses).all()

    # The command that the record names makes it again.
    words = shlex.split(record.document["command"])
    assert words[:3] == ["python", "-m", "pe_math.training"]
    output.unlink()
    assert main(words[3:]) == 0
    again = records.load(output)
    assert again.document["encodings"] == record.document["encodings"]
    assert np.array_equal(again.curves("half_sum", "train_loss"), losses)


def test_a_record_of_the_usual_schedule_has_it_once(tmp_path):
    output = tmp_path / "usual.safetensors"
    command = ["train", "half_sum", "learned", *TRAINING, *MODEL, "--checkpoints", str(tmp_path / "runs")]
    assert main([*command, "--output", str(output)]) == 0
    assert records.load(output).encodings == ("learned",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "half_sum", "rope", "--heads", "3"], "heads must be a divisor of width, 64, got 3"),
        (["train", "half_sum", "rope", "--epochs", "0"], "epochs must be an integer from 1"),
        (["train", "half_sum", "rope", "--seeds", "1", "1"], r"seeds must be all different, got \(1, 1\)"),
        (["train", "half_sum", "rope", "--seeds", "-1"], "seed must be an integer from 0"),
        (["train", "half_sum", "rope", "--frequencies", "linear", "--base", "9"], "--base must be left out"),
        (
            ["train", "half_sum", "learned", "--frequencies", "linear", "--output", "x.safetensors"],
            "frequencies must be 'geometric' for mode 'learned', which does not use it, got 'linear'",
        ),
        (["train", "half_sum", "rope", "--alibi-form", "causal"], "alibi_form must be None for mode 'rope'"),
        (
            ["train", "wikitext", "rope", "--data", "/nowhere"],
            "wiki.valid.tokens: no such file; give a folder",
        ),
        (["show", "/nowhere/x.safetensors"], "/nowhere/x.safetensors: no such file; make it again with"),
    ],
)
def test_mistakes_are_told_in_one_line(words, message, capsys):
    assert main(words) == 1
    assert re.match(rf"error: .*{message}.*\n$", capsys.readouterr().err)


def test_show_prints_median_and_spread(tmp_path, capsys):
    loss = np.array([[9, 0.5], [9, 0.25], [9, 0.125]], np.float32)
    score = np.array([[0.5, 0.1], [0.75, 0.2], [0.875, 0.3]], np.float32)
    parts = {"train_loss": loss, "validation_loss": loss, "length_loss": loss, "length_score": score}
    document = {
        "seeds": [0, 1, 2],
        "tasks": {"half_sum": {"metric": "R²", "lengths": [32, 64], "training": {"epochs": 2}}},
        "encodings": {"rope": {}},
    }
    path = tmp_path / "small.safetensors"
    records.save(
        path, records.Record({f"half_sum/rope/{part}": array for part, array in parts.items()}, document)
    )
    assert main(["show", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "half_sum: 3 seeds, 2 epochs" in printed and "R² at 32" in printed and "R² at 64" in printed
    cells = [r"0\.25000 \[0\.12500, 0\.50000\]", r"0\.750 \[0\.500, 0\.875\]", r"0\.200 \[0\.100, 0\.300\]"]
    assert re.search("rope +" + " +".join(cells), printed)
