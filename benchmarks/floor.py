"""Encode films again, and nothing else: the least that any way of drawing them could take.

``python -m benchmarks.floor FILM…`` decodes them piece by piece, counts only the encoding of each piece, and
prints as JSON what it took, with the settings of ``manim.cfg`` and as many films at once as asked for.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import av
from av.video.frame import PictureType
from manim import config

from benchmarks.meter import Meter

PIECE = 100  # decoded frames that wait in memory: 300 MB at 1080p


class Film:
    """A film that is being written."""

    def __init__(self, file: Path, like: av.VideoStream) -> None:
        self.container = av.open(str(file), "w")
        options = {"crf": "23", **config.video_encoder_options}
        self.stream = self.container.add_stream("libx264", rate=like.average_rate, options=options)
        self.stream.width, self.stream.height, self.stream.pix_fmt = like.width, like.height, "yuv420p"

    def encode(self, frame: av.VideoFrame | None) -> None:
        """Encode a frame; None is the end."""
        self.container.mux(self.stream.encode(frame))
        if frame is None:
            self.container.close()


class Lane:
    """Takes one film after another."""

    def __init__(self, films: deque[Path], folder: Path) -> None:
        self.films, self.folder = films, folder
        self.coming = self._frames()
        self.piece: list[tuple[Film, av.VideoFrame | None]] = []
        self.frames = 0

    def load(self) -> None:
        """Decode the next piece."""
        self.piece = list(islice(self.coming, PIECE))
        self.frames += sum(frame is not None for _, frame in self.piece)

    def encode(self) -> None:
        """Encode the piece."""
        for film, frame in self.piece:
            film.encode(frame)

    def _frames(self) -> Iterator[tuple[Film, av.VideoFrame | None]]:
        while self.films:
            file = self.films.popleft()
            with av.open(str(file)) as source:
                stream = source.streams.video[0]
                film = Film(self.folder / f"{uuid4().hex}.mp4", stream)
                for number, frame in enumerate(source.decode(video=0)):
                    frame.pts, frame.time_base = number, 1 / stream.average_rate
                    frame.pict_type = PictureType.NONE  # as decoded, it says what kind it was in the film
                    yield film, frame
            yield film, None


def encode_again(films: list[Path], at_once: int) -> dict[str, float]:
    """Return the seconds that encoding ``films`` takes, ``at_once`` of them at the same time."""
    waiting = deque(sorted(films, key=lambda film: film.stat().st_size, reverse=True))
    spent = {"wall": 0.0, "cpu": 0.0}
    meter = Meter()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as pool:
        lanes = [Lane(waiting, Path(folder)) for _ in range(at_once)]
        while True:
            list(pool.map(Lane.load, lanes))
            if not any(lane.piece for lane in lanes):
                break
            meter.start()
            list(pool.map(Lane.encode, lanes))
            figures = meter.read()
            spent = {name: seconds + figures[name] for name, seconds in spent.items()}
    return {**spent, "frames": sum(lane.frames for lane in lanes)}


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description="Encode films again and print what it took.")
    parser.add_argument("films", nargs="+", type=Path)
    parser.add_argument("--at-once", type=int, default=2)
    options = parser.parse_args()
    print(json.dumps(encode_again(options.films, options.at_once)))


if __name__ == "__main__":
    main()
