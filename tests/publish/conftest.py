"""A small checkout of its own for each test that runs commands, with a lecture of tiny shots."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser

from publish.films import Film
from scenes.language import read_language
from tests.publish.browser import open_browser
from tests.publish.tiny_lecture import WORDS

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds, for a machine that has much else to do
EN_DARK = "en-dark/480p15"


class Checkout:
    """A copy of the sources in ``root``, where commands run as they would in the project's folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.started: list[subprocess.Popen[str]] = []
        for package in ("pe_math", "scenes", "publish"):
            shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("recorded"))
        shutil.copy(ROOT / "manim.cfg", root)
        shutil.copy(Path(__file__).with_name("tiny_lecture.py"), root / "scenes" / "lecture.py")
        for code, words in WORDS.items():
            with (root / "scenes" / "text" / f"{code}.toml").open("a", encoding="utf-8") as file:
                file.write("".join(_toml("Tiny", words)))
        (root / "meeting").mkdir()

    @property
    def films(self) -> Path:
        return self.root / "media" / "films"

    def start(self, *command: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start a Python module in a process group of its own, as a terminal does."""
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": str(self.root)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
            # The shell or the test runner may ignore Ctrl-C, and its children would too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.started.append(process)
        return process

    def render(self, *arguments: str) -> subprocess.Popen[str]:
        """Start ``clockhands render`` at 480p."""
        return self.start("publish", "render", *arguments, "-q", "l")

    def film(self, shot: str, look: str = EN_DARK) -> Film | None:
        return Film.read(self.films / look / shot)

    def begun(self, shot: str) -> list[int]:
        """Return the processes that have begun to draw ``shot``, one for each time."""
        file = self.root / "meeting" / shot
        return [int(line) for line in file.read_text().splitlines()] if file.exists() else []

    def let_go(self) -> None:
        """Let the shots that play for minutes come to their end."""
        (self.root / "meeting" / "go").touch()

    def workplaces(self) -> list[Path]:
        return list(self.films.glob(".work*"))

    def kill_all(self) -> None:
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # A process that got away may hold the pipes open.
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=10)


def _toml(name: str, table: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a table of words, and of the tables within it."""
    yield f"\n[{name}]\n"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _toml(f"{name}.{key}", value)
        else:
            yield f"{key} = {json.dumps(value)}\n"


def give_words(patch: pytest.MonkeyPatch) -> None:
    """Give the tiny shots their words in this process."""
    for code, words in WORDS.items():
        patch.setitem(read_language(code).tables, "Tiny", words)


@pytest.fixture
def tiny_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words for the tiny shots."""
    give_words(monkeypatch)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; not for longer than a module, for its event loop stands in the way of others."""
    with open_browser() as opened:
        yield opened


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    made = Checkout(tmp_path / "checkout")
    yield made
    made.kill_all()


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for a command to end; return its exit status and what it said."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def wait_until(condition: Callable[[], object], *running: subprocess.Popen[str]) -> None:
    """Wait until ``condition()`` is true, while the commands ``running`` run."""
    until = time.monotonic() + PATIENCE
    while not condition():
        for process in running:
            assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that is dead and not yet collected does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
