"""How things are measured: each in a process of its own, in turn, the median of several rounds."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
Figures = dict[str, float]


@dataclass(frozen=True)
class Bench:
    """A folder to measure in, and how.

    ``folder`` has a copy of ``manim.cfg``, so what runs there runs as in the project's folder, but for the
    films that are there: none. ``folder / "stock"`` has no settings, which is how Manim comes.
    """

    folder: Path
    quality: str
    rounds: int
    seconds: float

    def prepare(self) -> None:
        """Make the folders."""
        self.stock.mkdir(parents=True)
        shutil.copy(ROOT / "manim.cfg", self.folder)

    @property
    def stock(self) -> Path:
        """The folder without settings."""
        return self.folder / "stock"

    def ours(self, stretch: str, *arguments: str, seconds: float = 1.0) -> Figures:
        """Draw a stretch of ours, ``seconds`` times as long as usual."""
        return self._draw(self.folder, "benchmarks.stretches", stretch, seconds, arguments)

    def usual(self, module: str, stretch: str, *, seconds: float = 1.0) -> Figures:
        """Draw one of ``benchmarks/stock``."""
        return self._draw(self.stock, f"benchmarks.stock.{module}", stretch, seconds, ())

    def program(self, module: str, *arguments: str) -> Figures:
        """Run a module that prints its figures as the last line."""
        figures: Figures = json.loads(_run(["-m", module, *arguments], self.folder).splitlines()[-1])
        return figures

    def command(self, *command: str) -> Figures:
        """Run a Python command from start to end, and count all of it, with all processes that it starts."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        with _watched_memory() as memory:
            _run(list(command), self.folder)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return {"wall": wall, "cpu": cpu, "memory": memory[0]}

    def in_turn(self, measured: Mapping[str, Callable[[], Figures]]) -> dict[str, Figures]:
        """Measure each in every round, and return the medians."""
        rounds = [{name: measure() for name, measure in measured.items()} for _ in range(self.rounds)]
        return {name: medians([figures[name] for figures in rounds]) for name in measured}

    def film(self, stretch: str) -> Path:
        """Return the film of the stretch of ours that was drawn last."""
        return next((self.folder / "media").rglob(f"{stretch}.mp4"))

    def _draw(
        self, folder: Path, module: str, stretch: str, times: float, arguments: tuple[str, ...]
    ) -> Figures:
        length = ("--quality", self.quality, "--seconds", f"{times * self.seconds:g}")
        command = ["-m", "benchmarks.stretch", module, stretch, str(folder / "media"), *length, *arguments]
        figures: Figures = json.loads(_run(command, folder).splitlines()[-1])
        return figures


def medians(rounds: Sequence[Figures]) -> Figures:
    """Return the median of each figure.

    >>> medians([{"cpu": 1.0}, {"cpu": 9.0}, {"cpu": 2.0}])
    {'cpu': 2.0}
    """
    return {name: statistics.median(figures[name] for figures in rounds) for name in rounds[0]}


def per_frame(figures: Figures, name: str) -> float:
    """Return what one frame takes of ``name``."""
    return figures[name] / figures["frames"]


def environment() -> dict[str, str]:
    """Return the environment of all that is measured: it finds the project from every folder."""
    return os.environ | {"PYTHONPATH": str(ROOT)}


def _run(command: list[str], folder: Path) -> str:
    """Run Python in ``folder`` and return what it prints; raise `RuntimeError` with its words if it fails."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment(),
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = f"{done.stdout}{done.stderr}" or "it said nothing"
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{said}")
    return done.stdout


@contextmanager
def _watched_memory() -> Iterator[list[float]]:
    """Yield a list of one number: the most memory, in MB, that any process below this one had meanwhile."""
    most, done, here = [0.0], threading.Event(), psutil.Process()

    def watch() -> None:
        while not done.wait(0.5):
            for process in here.children(recursive=True):
                try:
                    most[0] = max(most[0], process.memory_info().rss / 2**20)
                except psutil.NoSuchProcess:
                    continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()
