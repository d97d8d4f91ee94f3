"""The pictures of the article, from the last frames of the shots.

``python -m scenes.figures`` draws them at 1080p, in the language and the theme that ``CLOCKHANDS_LANG`` and
``CLOCKHANDS_THEME`` name.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manim import config, tempconfig

from scenes.attention_decay import AttentionDecay
from scenes.lecture import source_file
from scenes.loss_race import LossRace, Results
from scenes.pca_trajectories import PcaTrajectories
from scenes.rotation_fan import RotationFan
from scenes.stage import LectureScene


class LossCurves(LossRace):
    """The race on one task, up to its end: a figure shows the curves, not what they lead to."""

    tasks = ("half_sum",)

    def construct(self) -> None:
        """Run the race."""
        (self.task,) = self.tasks
        self.results = Results.read(self.recorded, self.task, self.modes)
        self.show_task()
        self.start()
        self.finish()


FIGURES: dict[str, type[LectureScene]] = {
    "loss_vs_epoch.png": LossCurves,
    "pe_pca.png": PcaTrajectories,
    "attn_vs_pos.png": AttentionDecay,
    "rope_rotation.png": RotationFan,
}


def draw(shot: type[LectureScene], figure: Path, **settings: Any) -> None:
    """Draw the last frame of ``shot``, as ``manim render -s`` does; the file appears whole or not at all.

    ``settings`` are Manim's, such as ``quality``.
    """
    figure.parent.mkdir(parents=True, exist_ok=True)
    with (
        # In the same folder, so that the finished picture only changes its name.
        tempfile.TemporaryDirectory(dir=figure.parent, prefix=".") as folder,
        tempconfig(
            {"save_last_frame": True, "images_dir": folder, "input_file": source_file(shot), **settings}
        ),
    ):
        shot().render()
        (picture,) = Path(folder).rglob("*.png")
        picture.replace(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw every figure, and print where it is."""
    parser = argparse.ArgumentParser(
        prog="python -m scenes.figures", description=f"Draw {', '.join(FIGURES)} at 1080p."
    )
    default = Path(config.media_dir) / "figures"
    parser.add_argument(
        "--folder", type=Path, default=default, help="where to put them (default: %(default)s)"
    )
    folder = parser.parse_args(arguments).folder
    config.verbosity = "WARNING"
    for name, shot in FIGURES.items():
        draw(shot, folder / name, quality="high_quality")
        print(folder / name, flush=True)


if __name__ == "__main__":
    main()
