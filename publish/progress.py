"""What a command says while films are drawn: a line for each, and a bar with speed and time left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from tqdm import tqdm

from publish.films import Film
from publish.jobs import Job

LOG_LENGTH = 5_000  # pieces of text; a shot that prints without end must not fill the memory


class Progress:
    """Counts films and frames, and keeps what workers print.

    ``expected`` holds how many frames each job's film had last time, None where that is unknown, by the
    place of the job. `hear` is called in another thread than the rest.
    """

    def __init__(self, expected: Mapping[str, int | None]) -> None:
        self.expected = dict(expected)
        self.drawn: dict[str, int] = {}
        self.logs: dict[str, deque[str]] = {place: deque(maxlen=LOG_LENGTH) for place in expected}
        self.began = time.monotonic()
        self.bar = tqdm(
            total=len(expected),
            bar_format="{n}/{total} films |{bar:24}| {elapsed}{postfix}",
            disable=None,
            leave=False,
        )

    def hear(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """Take what a worker says of a job."""
        _, message = event
        place, value = message["place"], message["value"]
        if message["what"] == "log":
            self.logs[place].append(value)
        elif message["what"] == "frames":
            self.drawn[place] = value
        else:
            if place in self.drawn:
                self.say(f"{place}: its worker died, so it begins again on {value}")
            self.drawn[place] = 0

    def show(self) -> None:
        """Bring the bar up to date."""
        rate = sum(self.drawn.values()) / (time.monotonic() - self.began)
        postfix = f"{rate:.0f} frames/s"
        left = frames_left(self.expected, self.drawn)
        if left is not None and rate > 0:
            postfix += f", {tqdm.format_interval(left / rate)} left"
        self.bar.set_postfix_str(postfix)

    def done(self, job: Job, film: Film) -> None:
        """Say that a film is there."""
        self.expected[job.place] = self.drawn[job.place] = film.frames
        speed = film.frames / film.seconds
        self._end(f"{job}: {film.frames} frames in {film.seconds:.1f} s, {speed:.0f} frames/s")

    def failed(self, job: Job, why: str) -> None:
        """Say that there will be no film."""
        self.expected[job.place] = self.drawn[job.place] = 0
        self._end(f"{job}: FAILED: {why}")

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.bar.write(line)

    def close(self) -> None:
        """Take the bar away."""
        self.bar.close()

    def _end(self, line: str) -> None:
        self.say(line)
        self.bar.update()
        self.show()


def frames_left(expected: Mapping[str, int | None], drawn: Mapping[str, int]) -> int | None:
    """Return how many frames are still to be drawn; None where no job's frames are known.

    A job whose frames are unknown is taken for as long as the others are on average.

    >>> frames_left({"a": 100, "b": 300, "c": None}, {"a": 100, "b": 50})
    450
    """
    known = [frames for frames in expected.values() if frames]
    if not known:
        return None
    average = round(sum(known) / len(known))
    return sum(
        max(0, (average if frames is None else frames) - drawn.get(place, 0))
        for place, frames in expected.items()
    )
