"""The benchmark runs, small and unjudged: times on a busy machine say nothing."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path

import pytest
from manim import Scene, tempconfig

from benchmarks import stretches
from benchmarks.bench import ROOT, medians
from benchmarks.breakdown import STEPS, break_down
from benchmarks.meter import MEASURED
from benchmarks.render import HEADLINES
from benchmarks.report import Finding, Goal, table
from benchmarks.stretch import draw
from scenes.clock_hands import ClockHands
from tests.publish.conftest import Checkout, checkout, ended
from tests.scenes.harness import DRAFT

__all__ = ["checkout"]  # a fixture

OURS = ["FewHands", "Cells", "ManyCells", *(stretch for stretch, _ in HEADLINES.values())]
USUAL = [("waveform_heatmap", "ImageMap"), *((module, stretch) for stretch, module in HEADLINES.values())]


def check_frames(stretch: type[Scene], media: Path) -> None:
    """Check that two frames can be drawn, and that they were counted."""
    with tempconfig({**MEASURED, "media_dir": str(media), **DRAFT}):
        figures = draw(stretch, 0.2)
    assert figures["frames"] == 2
    assert min(figures[name] for name in ("wall", "cpu", "memory", "bytes")) > 0


@pytest.mark.parametrize("stretch", OURS)
def test_a_stretch_of_ours_can_be_drawn(stretch: str, tmp_path: Path) -> None:
    check_frames(getattr(stretches, stretch), tmp_path)


@pytest.mark.parametrize(("module", "stretch"), USUAL)
def test_a_stretch_can_be_drawn_the_usual_way(module: str, stretch: str, tmp_path: Path) -> None:
    check_frames(getattr(import_module(f"benchmarks.stock.{module}"), stretch), tmp_path)


@pytest.mark.parametrize(
    ("sections", "found"),
    [
        (("stock", "matplotlib"), ("the usual way", "ImageMobject", "matplotlib")),
        (("sizes", "memory"), ("256 hands against 8", "times the CPU", "Map, ", "times the memory")),
        (("picture",), ("SSIM", "bytes")),
        (("again",), ("importing", "a second time")),
        (("jobs",), ("two jobs against one", "two separate Dask workers", "cores in use")),
        (("films",), ("of their playing time", "encoding alone", "MB")),
    ],
    ids=lambda names: names[0],
)
def test_the_benchmark_runs(checkout: Checkout, sections: tuple[str, ...], found: tuple[str, ...]) -> None:
    shutil.copytree(ROOT / "benchmarks", checkout.root / "benchmarks")
    file = checkout.root / "figures.json"
    command = checkout.start("benchmarks.render", "--smoke", "--json", str(file), "--only", *sections)
    status, out, err = ended(command)
    assert status == 0, out + err
    assert all(words in out for words in found)
    document = json.loads(file.read_text())
    assert document["machine"]["cores"] > 0 and document["settings"]["quality"] == "l"
    values = [finding["value"] for finding in document["findings"]]
    assert len(values) > 1 and all(value > 0 for value in values)
    assert not list(checkout.root.glob("media")), "films were left where the user keeps his"


def test_a_median_is_that_of_each_figure_alone() -> None:
    rounds = [{"wall": 1.0, "cpu": 5.0}, {"wall": 9.0, "cpu": 4.0}, {"wall": 2.0, "cpu": 6.0}]
    assert medians(rounds) == {"wall": 2.0, "cpu": 5.0}


def test_the_table_tells_what_meets_its_goal_and_what_a_frame_costs() -> None:
    figures = {"ours": {"wall": 2.0, "cpu": 1.0, "frames": 100.0}}
    findings = [
        Finding("a", 3.2, "times less CPU", Goal(3.0, at_least=True), figures),
        Finding("b", 1.4, "times", Goal(1.3)),
        Finding("c", 7.0, "s"),
    ]
    assert table(findings).splitlines()[2:] == [
        "| a | 3.2 times less CPU | ≥ 3 | yes | ours 10.0, 20.0 |",
        "| b | 1.4 times | ≤ 1.3 | **no** |  |",
        "| c | 7 s |  |  |  |",
    ]


def test_the_steps_of_drawing_are_part_of_all(tmp_path: Path) -> None:
    with tempconfig({**MEASURED, "media_dir": str(tmp_path), **DRAFT, "upto_animation_number": 3}):
        spent = break_down(ClockHands)
    assert set(spent) == {*STEPS, "all"}
    assert min(spent.values()) > 0.0
    assert sum(spent[step] for step in STEPS) <= spent["all"]
