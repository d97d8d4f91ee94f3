"""Shots of hands whose frequencies may be chosen."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from pe_math import schedules
from pe_math.schedules import Schedule
from scenes.parameters import Parameter, declared
from scenes.stage import LectureScene

NUMBERS = "numbers in an encoding, two a hand"
SCHEDULE = "speeds: geometric, mixed, linear, FILE.py:FUNCTION, or the numbers in radians a position"


class HandsScene(LectureScene):
    """A shot that shows hands: ``frequencies`` are those that its parameters choose, fast to slow."""

    d: Annotated[int, Parameter(NUMBERS, low=2, high=4096, multiple_of=2)] = 512
    base: Annotated[float, Parameter("base of geometric and mixed speeds", low=1.5, high=1e12)] = 10_000.0
    schedule: Annotated[Schedule, Parameter(SCHEDULE)] = "geometric"

    frequencies: npt.NDArray[np.float64]

    def check(self) -> None:
        """Compute the frequencies."""
        super().check()
        self.frequencies = self.chosen_frequencies(self.d)

    def chosen_frequencies(self, d: int) -> npt.NDArray[np.float64]:
        """Return the ``(d//2,)`` frequencies that schedule and base make, fast to slow."""
        has_base = schedules.takes_base(self.schedule)
        if not has_base and self.changed("base"):
            raise ValueError(f"base is {self.base:g}, but schedule {self.schedule!r} has none; leave it out")
        values = schedules.resolve(self.schedule, d, self.base if has_base else None)
        return schedules.fast_to_slow(values)

    def changed(self, name: str) -> bool:
        """Tell whether a parameter is another than where it was declared."""
        return bool(getattr(self, name) != declared(type(self))[name].own)
