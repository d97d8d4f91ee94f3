"""A lecture of tiny shots. A test's checkout has it as ``scenes/lecture.py``.

Shots meet the test in ``meeting``, in the current folder: each leaves a line with its process there when it
begins, in a file of its name.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manim import LEFT, RIGHT, Dot, linear

from scenes.stage import LectureScene, SectionType

MEETING = Path("meeting")

# The words of the shots, for ``text/*.toml``: a test says when they are there.
WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "title": "A dot",
        "told": "A dot has gone to the right. It has come back to where it was before it went, "
        "and nobody can tell how often it has been there.",
        "caption": {"there": "It goes to the right.", "back": "It comes back."},
    },
    "zh": {
        "title": "一个点",
        "told": "一个点走到了右边，又回到了它出发以前所在的地方。谁也说不清，它到底去过那里多少次。",
        "caption": {"there": "它向右走。", "back": "它走回来。"},
    },
}


class Tiny(LectureScene):
    """A dot goes to the right and comes back: two sections of six frames at 480p15."""

    def setup(self) -> None:
        MEETING.mkdir(exist_ok=True)
        with (MEETING / type(self).__name__).open("a") as begun:
            begun.write(f"{os.getpid()}\n")
        self.dot = Dot(LEFT, radius=0.5, color=self.theme.color("sin"))
        self.add(self.dot)

    def construct(self) -> None:
        self.next_section("there", SectionType.NORMAL)
        self.move(RIGHT)
        self.add_subcaption(f"there, in {self.language.code}", duration=0.4, offset=-0.4)
        self.next_section("back", SectionType.LOOP)
        self.move(LEFT)

    def move(self, where: object) -> None:
        self.play(self.dot.animate.move_to(where), run_time=0.4, rate_func=linear)


class Second(Tiny):
    """As tiny as the first."""


class Other(Second):
    """As tiny, and only drawn by processes that have not loaded torch."""

    def construct(self) -> None:
        assert "torch" not in sys.modules
        super().construct()


class Told(Tiny):
    """Says more than two lines hold, for longer than it plays."""

    def construct(self) -> None:
        super().construct()
        told = self.language.phrase(self.tables(), "told").text
        self.add_subcaption(told, duration=1.0, offset=-0.4)


class Long(Tiny):
    """Plays for minutes, unless the test leaves a file ``go``."""

    def construct(self) -> None:
        until = time.monotonic() + 300
        while not (MEETING / "go").exists() and time.monotonic() < until:
            self.move(RIGHT)
        super().construct()


class Deadly(Tiny):
    """Kills the process that draws it, every time."""

    def construct(self) -> None:
        print("about to die")
        time.sleep(0.2)  # for the words to leave
        os.kill(os.getpid(), signal.SIGKILL)


class Broken(Tiny):
    """Has a bug."""

    def construct(self) -> None:
        print("about to break")
        self.move(RIGHT)
        raise ZeroDivisionError("a bug in the shot")


@dataclass(frozen=True)
class Chapter:
    name: str
    shots: tuple[type[LectureScene], ...]


CHAPTERS = (Chapter("chapter_clocks", (Tiny, Other, Long)), Chapter("chapter_waves", (Told, Deadly, Broken)))
SHOTS = tuple(shot for chapter in CHAPTERS for shot in chapter.shots)
