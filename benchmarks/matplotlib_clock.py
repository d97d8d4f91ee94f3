"""The three clocks in matplotlib: a `FuncAnimation` whose artists are made once and set each frame.

``python -m benchmarks.matplotlib_clock FILM`` draws it and prints as JSON what it cost. Frames go to PyAV
with x264's default settings, as matplotlib's own writer hands them to ffmpeg, only without a pipe.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import av
import numpy as np
from matplotlib import pyplot
from matplotlib.animation import AbstractMovieWriter, FuncAnimation
from matplotlib.artist import Artist

from benchmarks.meter import Meter
from pe_math.frequencies import geometric

BEGIN_AT, PER_SECOND, FRAME_RATE = 44.0, 7.5, 60
CLOCKS = (("second hand", "gold"), ("minute hand", "hotpink"), ("hour hand", "slateblue"))


class PyAVWriter(AbstractMovieWriter):
    """Writes a film without an ffmpeg binary."""

    def setup(self, fig: Any, outfile: Any, dpi: float | None = None) -> None:
        """Open the film."""
        super().setup(fig, outfile, dpi)
        self.container = av.open(str(outfile), "w")
        self.stream = self.container.add_stream("libx264", rate=self.fps, options={"crf": "23"})
        self.stream.width, self.stream.height = self.frame_size
        self.stream.pix_fmt = "yuv420p"

    def grab_frame(self, **savefig_kwargs: Any) -> None:
        """Draw the figure and encode it."""
        self.fig.canvas.draw()
        pixels = np.asarray(self.fig.canvas.buffer_rgba())
        self.container.mux(self.stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgba")))

    def finish(self) -> None:
        """Close the film."""
        self.container.mux(self.stream.encode())
        self.container.close()


class Hands:
    """The figure: clocks in a row with their shadows, six numbers on the right."""

    def __init__(self, height: int) -> None:
        """Draw what rests, and make what moves."""
        width = 2 * round(height * 8 / 9)  # even, as x264 wants it
        figure, axes = pyplot.subplots(figsize=(10.8 * width / height, 10.8), dpi=height / 10.8)
        figure.patch.set_facecolor("black")
        axes.set_position((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(-7.11, 7.11), ylim=(-4.0, 4.0), aspect="equal")
        axes.axis("off")
        self.figure, self.axes = figure, axes
        self.frequencies = geometric(8)[: len(CLOCKS)]
        self.centers = [np.array([-4.75 + 3.55 * k, 0.45]) for k in range(len(CLOCKS))]
        axes.text(
            0.0, 3.4, "A position, told by clock hands", color="white", size=24, ha="center", va="center"
        )
        self.counter = axes.text(-6.3, 2.55, "", color="white", size=26, va="center")
        for k, (name, color) in enumerate(CLOCKS):
            self.draw_face(k, name, color)
        self.moving = [self.make_hand(k, color) for k, (_, color) in enumerate(CLOCKS)]
        self.numbers = [
            axes.text(6.3, 1.7 - 0.7 * k, "", color=("deepskyblue", "orange")[k % 2], size=22, ha="right")
            for k in range(2 * len(CLOCKS))
        ]

    def draw_face(self, k: int, name: str, color: str) -> None:
        """Draw dial, ticks, floor, wall and words of clock ``k``."""
        x, y = self.centers[k]
        self.axes.add_patch(pyplot.Circle((x, y), 1.1, fill=False, color="gray", lw=2.0))
        for angle in np.arange(12) * np.pi / 6.0:
            way = np.array([np.sin(angle), np.cos(angle)])
            self.axes.plot(*np.outer(way, (0.99, 1.1)) + self.centers[k][:, None], color="gray", lw=1.5)
        self.axes.plot([x - 1.1, x + 1.1], [y - 1.28] * 2, color="gray", lw=1.5)
        self.axes.plot([x + 1.28] * 2, [y - 1.1, y + 1.1], color="gray", lw=1.5)
        self.axes.text(x, y + 1.4, name, color=color, size=18, ha="center", va="center")
        speed = f"{self.frequencies[k]:g} rad per position\n{2 * np.pi / self.frequencies[k]:,.3g} a turn"
        self.axes.text(x, y - 1.85, speed, color="white", size=17, ha="center", va="center")

    def make_hand(self, k: int, color: str) -> list[Any]:
        """Return hand, tip, the two shadows, and the two rays that cast them."""
        styles = [
            {"color": color, "lw": 4.0},
            {"color": color, "marker": "o", "ms": 8.0},
            {"color": "deepskyblue", "lw": 6.0},
            {"color": "orange", "lw": 6.0},
            {"color": "gray", "lw": 1.2},
            {"color": "gray", "lw": 1.2},
        ]
        return [self.axes.plot([], [], **style)[0] for style in styles]

    def update(self, frame: int) -> list[Artist]:
        """Set what moves to ``frame``."""
        position = BEGIN_AT + PER_SECOND * frame / FRAME_RATE
        self.counter.set_text(f"position {position:.0f}")
        for k, (x, y) in enumerate(self.centers):
            angle = self.frequencies[k] * position
            sin, cos = np.sin(angle), np.cos(angle)
            tip, floor, wall = (x + 1.1 * sin, y + 1.1 * cos), y - 1.28, x + 1.28
            ends = [
                ((x, y), tip),
                (tip, tip),
                ((x, floor), (tip[0], floor)),
                ((wall, y), (wall, tip[1])),
                (tip, (tip[0], floor)),
                (tip, (wall, tip[1])),
            ]
            for line, pair in zip(self.moving[k], ends, strict=True):
                line.set_data(*zip(*pair, strict=True))
            self.numbers[2 * k].set_text(f"{sin:+.2f}")
            self.numbers[2 * k + 1].set_text(f"{cos:+.2f}")
        return [self.counter, *self.numbers, *(line for lines in self.moving for line in lines)]


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description="Draw the clocks with matplotlib and print what it cost.")
    parser.add_argument("film", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--height", type=int, default=1080)
    options = parser.parse_args()
    pyplot.switch_backend("agg")
    hands = Hands(options.height)
    frames = round(options.seconds * FRAME_RATE)
    animation = FuncAnimation(hands.figure, hands.update, frames=frames, blit=True)
    meter = Meter()
    meter.start()
    animation.save(str(options.film), writer=PyAVWriter(fps=FRAME_RATE), dpi=hands.figure.dpi)
    print(json.dumps({**meter.read(), "frames": frames}))


if __name__ == "__main__":
    main()
