"""Draw one stretch in this process, and print as JSON what it cost from the first frame on.

``python -m benchmarks.stretch MODULE CLASS FOLDER``; `benchmarks.render` starts it. Like every command of
Manim's, it takes its settings from the ``manim.cfg`` of the current folder.
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path

from manim import Scene, config, tempconfig

from benchmarks.meter import MEASURED, Meter
from publish.jobs import QUALITY_NAMES


def draw(stretch: type[Scene], seconds: float) -> dict[str, float]:
    """Draw ``seconds`` of a stretch; counted from the end of its `setup`, which no frame pays for."""
    meter = Meter()

    class Metered(stretch):  # type: ignore[valid-type, misc]
        def setup(self) -> None:
            super().setup()
            meter.start()

    Metered.__name__, Metered.lasting = stretch.__name__, seconds
    scene = Metered()
    scene.render()
    figures = meter.read()
    film = scene.output_plan.primary_artifact
    frames = round(seconds * config.frame_rate)
    return {**figures, "frames": frames, "bytes": film.stat().st_size}


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description="Draw one stretch and print what it cost.")
    parser.add_argument("module")
    parser.add_argument("stretch")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--quality", choices=QUALITY_NAMES, default="h")
    parser.add_argument("--encoder", nargs="*", metavar="NAME=VALUE", help="in place of manim.cfg's options")
    options = parser.parse_args()
    settings = {
        **MEASURED,
        "quality": QUALITY_NAMES[options.quality],
        "media_dir": str(options.folder),
    }
    if options.encoder is not None:
        settings["video_encoder_options"] = dict(option.split("=", 1) for option in options.encoder)
    with tempconfig(settings):
        stretch = getattr(import_module(options.module), options.stretch)
        print(json.dumps(draw(stretch, options.seconds)))


if __name__ == "__main__":
    main()
