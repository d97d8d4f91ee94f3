"""Films of tiny shots drawn in this process, for tests of what is made from films."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import numpy as np

from publish.drawing import draw_film
from publish.jobs import Job, manim_settings, plan
from publish.library import Library
from scenes.stage import LectureScene


def tiny_jobs(
    *shots: type[LectureScene],
    look: str = "en-dark",
    file_format: str = "mp4",
    transparent: bool = False,
    **changed: Any,
) -> list[Job]:
    """Return jobs at 480p15, with some of Manim's settings ``changed``."""
    language, theme = look.split("-")
    return plan(shots, [language], [theme], manim_settings("l", file_format, transparent) | changed)


def draw_all(jobs: list[Job], library: Library) -> None:
    """Put the films of ``jobs`` into ``library``."""
    with library.workplace() as workplace:
        for number, job in enumerate(jobs):
            library.put(job, draw_film(job, workplace / str(number), lambda frame: None))


def decode(file: Path, pixel_format: str = "rgb24", decoder: str | None = None) -> list[np.ndarray]:
    """Return the frames of a video."""
    with av.open(str(file)) as container:
        stream = container.streams.video[0]
        context = av.CodecContext.create(decoder, "r") if decoder else stream.codec_context
        packets = container.demux(stream)
        return [
            frame.to_ndarray(format=pixel_format) for packet in packets for frame in context.decode(packet)
        ]


def boxes(file: Path) -> list[str]:
    """Return the names of the outermost boxes of an mp4 or mov, in order."""
    content, names, start = file.read_bytes(), [], 0
    while start < len(content):
        length = int.from_bytes(content[start : start + 4], "big")
        names.append(content[start + 4 : start + 8].decode())
        start += length or len(content)
    return names
