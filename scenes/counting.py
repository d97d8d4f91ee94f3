"""Shots in which a position counts: the trackers that drive them, the counter, and time that changes pace."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Animation, ApplyMethod, ValueTracker, VGroup

from scenes.mobjects.words import Readout
from scenes.stage import LectureScene


class CountingScene(LectureScene):
    """A shot that runs through positions, shown by a counter at the upper left.

    Its pictures read two trackers: ``position``, and ``pace``, the positions a second at which time runs.
    A subclass adds them to the stage in `setup`. Time starts and stops at the pace ``gentle``, at which
    even a hand of one radian a position can be followed, so that no hand pops into a blur or out of it.
    """

    gentle: float = 7.5

    def setup(self) -> None:
        """Put the counter on screen, at position 0."""
        super().setup()
        self.position, self.pace = ValueTracker(0.0), ValueTracker(self.gentle)
        word = self.words("position", font_size=30, role="dim")
        word.move_to(LEFT * 6.3 + UP * 2.55, aligned_edge=LEFT)
        self.number = Readout(font_size=44, color=self.theme.text)
        self.number.place_at(word.get_right() + RIGHT * 0.3 + DOWN * 0.16)
        self.number.add_updater(lambda number: number.set_value(self.position.get_value()))
        self.counter = VGroup(word, self.number)
        self.add(self.counter)

    def run_to(self, position: float, *also: Animation, pace: float) -> None:
        """Let time run to ``position``, changing smoothly from the present pace to ``pace``.

        The pace grows or falls by equal factors in equal times, as speeds that differ tenfold must for the
        eye to follow; so the way that is left decides how long this takes. ``also`` plays meanwhile.
        """
        now = self.pace.get_value()
        seconds = abs(position - self.position.get_value()) / logarithmic_mean(now, pace)
        # When speed grows exponentially, so does the distance: both trackers follow the same curve.
        rate = exponential(pace / now)
        self.play(
            ApplyMethod(self.position.set_value, position, run_time=seconds, rate_func=rate),
            ApplyMethod(self.pace.set_value, pace, run_time=seconds, rate_func=rate),
            *also,
        )

    def glide_to(self, position: float, *, pace: float, ramp: float) -> None:
        """Run to ``position`` at ``pace``, after speeding up over ``ramp`` positions; brake over the last."""
        start = self.position.get_value()
        ramp = float(np.copysign(min(ramp, abs(position - start) / 2.0), position - start))
        self.run_to(start + ramp, pace=pace)
        if abs(position - start) > 2.0 * abs(ramp):
            self.run_to(position - ramp, pace=pace)
        self.run_to(position, pace=self.gentle)


def logarithmic_mean(a: float, b: float) -> float:
    """Return the mean speed of something that speeds up from ``a`` to ``b`` by equal factors in equal times.

    >>> logarithmic_mean(3.0, 3.0), round(logarithmic_mean(1.0, 10.0), 3)
    (3.0, 3.909)
    """
    return a if a == b else (b - a) / log(b / a)


def exponential(ratio: float) -> Callable[[float], float]:
    """Return the share of the way covered at each share of the time, when speed grows by ``ratio`` in all.

    >>> halfway = exponential(9.0)(0.5)
    >>> halfway, exponential(1.0)(0.5)
    (0.25, 0.5)
    """
    return lambda time: time if ratio == 1.0 else float((ratio**time - 1.0) / (ratio - 1.0))
