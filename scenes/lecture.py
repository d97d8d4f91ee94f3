"""The lecture: its chapters in order, each with its one idea and its shots.

``python -m scenes.lecture`` renders all of them and prints where each film is.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from manim import config, tempconfig

from scenes.ablations import Ablations
from scenes.attention_decay import AttentionDecay
from scenes.clock_hands import ClockHands, ClockSwarm, ClockWall
from scenes.context_stretch import ContextStretch
from scenes.extrapolation_race import ExtrapolationRace
from scenes.loss_race import LossRace
from scenes.model_clocks import ModelClocks
from scenes.pca_trajectories import PcaTrajectories
from scenes.rope_2d import Rope2D
from scenes.rope_rotation import RopeRotation
from scenes.rotation_fan import RotationFan
from scenes.schedule_lab import ScheduleLab
from scenes.stage import LectureScene
from scenes.waveform_heatmap import WaveformHeatmap


@dataclass(frozen=True)
class Chapter:
    """One idea and the shots that explain it. ``name`` is a table of ``text/*.toml`` with title and idea."""

    name: str
    shots: tuple[type[LectureScene], ...]


CHAPTERS = (
    Chapter("chapter_clocks", (ClockHands, ClockWall, ClockSwarm)),
    Chapter("chapter_waves", (WaveformHeatmap,)),
    Chapter("chapter_rope", (RopeRotation, RotationFan, Rope2D)),
    Chapter("chapter_models", (ScheduleLab, ModelClocks, ContextStretch)),
    Chapter("chapter_race", (LossRace, ExtrapolationRace, Ablations)),
    Chapter("chapter_learned", (PcaTrajectories,)),
    Chapter("chapter_attention", (AttentionDecay,)),
)
SHOTS = tuple(shot for chapter in CHAPTERS for shot in chapter.shots)


def source_file(shot: type[LectureScene]) -> Path:
    """Return the file that ``manim render`` takes for ``shot``."""
    return Path(sys.modules[shot.__module__].__file__ or "")


def render(shot: type[LectureScene], quality: str) -> Path:
    """Render ``shot`` where ``manim render`` would, and return its film."""
    with tempconfig({"quality": quality, "input_file": source_file(shot)}):
        scene = shot()
        scene.render()
        return scene.output_plan.primary_artifact or Path()


def main() -> None:
    """Render every shot at 480p."""
    config.verbosity = "WARNING"
    for shot in SHOTS:
        print(f"{shot.__name__}: {render(shot, 'low_quality')}", flush=True)


if __name__ == "__main__":
    main()
