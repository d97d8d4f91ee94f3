"""The benchmark of training runs, small and unjudged: times on a busy machine say nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.bench import ROOT

PARTS = {"data", "forward", "backward", "optimiser", "validation", "other"}


def test_the_benchmark_runs(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    small = ["--epochs", "1", "--steps", "2", "--rounds", "1", "--workers", "1", "--json", str(file)]
    command = [sys.executable, "-m", "benchmarks.training", *small]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "5 seeds, 1 epochs of 2 steps of 16 sequences" in done.stdout
    document = json.loads(file.read_text())
    seconds = {way: document[way]["seconds"][0] for way in ("usual", "trainer")}
    assert document["ratio"] == seconds["usual"] / seconds["trainer"]
    for way, parts in (("usual", PARTS), ("trainer", PARTS | {"checkpoint"})):
        assert len(document[way]["losses"]) == 5 and min(document[way]["losses"]) > 0
        spent = document[way]["cpu_milliseconds_a_step"]
        assert spent.keys() == parts and min(spent.values()) > 0
