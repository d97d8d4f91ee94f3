"""Where a job's CPU time goes: draws the first plays of a shot, and prints what each step takes a frame.

``python -m benchmarks.breakdown SHOT… [--plays N]``, with the settings of ``manim.cfg``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from manim import tempconfig

from benchmarks.meter import MEASURED
from publish.contents import find_shots
from publish.jobs import QUALITY_NAMES
from scenes.camera import LectureCamera
from scenes.encoder import LectureSegmentEncoder
from scenes.layer import Layer
from scenes.stage import LectureScene

# The calls that make up a step; what they call in turn is counted with them.
STEPS: Mapping[str, Sequence[tuple[type, str]]] = {
    "updating": [(LectureScene, "update_to_time")],
    "finding what rests": [(LectureCamera, "get_mobjects_to_display"), (Layer, "look_at")],
    "copying what rests": [(LectureCamera, "set_pixel_array"), (Layer, "keep")],
    "drawing": [(LectureCamera, "_display")],
    "conversion and x264": [(LectureSegmentEncoder, "write_frame"), (LectureSegmentEncoder, "finish")],
}


def break_down(shot: type[LectureScene]) -> dict[str, float]:
    """Draw ``shot`` with the present settings; return the milliseconds of CPU a frame that each step takes.

    Times are those of the thread that takes the step. Under "all" is what the process has taken.
    """
    spent = dict.fromkeys(STEPS, 0.0)
    start = time.process_time()
    with _timed(spent):
        scene = shot()
        scene.render()
    spent["all"] = time.process_time() - start
    frames = scene.whole_frames() * scene.camera.frame_rate
    return {step: 1e3 * seconds / frames for step, seconds in spent.items()}


@contextmanager
def _timed(spent: dict[str, float]) -> Iterator[None]:
    """Count meanwhile what each step takes."""
    with ExitStack() as stack:
        for step, calls in STEPS.items():
            for owner, name in calls:
                stack.enter_context(patch.object(owner, name, _counting(getattr(owner, name), spent, step)))
        yield


def _counting(call: Callable[..., Any], spent: dict[str, float], step: str) -> Callable[..., Any]:
    def counted(*args: Any, **kwargs: Any) -> Any:
        start = time.thread_time()
        try:
            return call(*args, **kwargs)
        finally:
            spent[step] += time.thread_time() - start

    return counted


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(
        description="Print what each step of drawing takes, in ms of CPU a frame."
    )
    parser.add_argument("shots", nargs="+", metavar="SHOT")
    parser.add_argument("--plays", type=int, default=14, help="draw the first N (default: 14)")
    parser.add_argument("-q", "--quality", choices=QUALITY_NAMES, default="h", help="default: h, 1080p60")
    options = parser.parse_args()
    print(f"| ms of CPU a frame | {' | '.join([*STEPS, 'all'])} |\n|---|{'---|' * (len(STEPS) + 1)}")
    for shot in find_shots(options.shots):
        with TemporaryDirectory() as folder:
            settings = {
                **MEASURED,
                "quality": QUALITY_NAMES[options.quality],
                "upto_animation_number": options.plays - 1,
                "media_dir": folder,
            }
            with tempconfig(settings):
                figures = break_down(shot)
        print(f"| {shot.__name__} | {' | '.join(f'{value:.1f}' for value in figures.values())} |", flush=True)


if __name__ == "__main__":
    main()
