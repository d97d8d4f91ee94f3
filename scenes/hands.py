"""Shots of hands whose frequencies may be chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt

from pe_math import schedules
from pe_math.models import PUBLISHED, ModelEncoding, from_config
from pe_math.schedules import Schedule
from scenes.parameters import Parameter, declared
from scenes.stage import LectureScene

BASE = "base of geometric and mixed speeds"
MODEL = "a published model with RoPE, or the path of a config.json; empty for none"
ROTARY_MODELS = tuple(name for name in PUBLISHED if from_config(name).kind == "rope")
SCHEDULE = "speeds: geometric, mixed, linear, FILE.py:FUNCTION, or the numbers in radians a position"


class HandsScene(LectureScene):
    """A shot that shows hands: ``frequencies`` are those that its parameters choose, fast to slow.

    How many there are, ``d // 2``, is for each shot to declare.
    """

    base: Annotated[float, Parameter(BASE, low=1.5, high=1e12)] = 10_000.0
    schedule: Annotated[Schedule, Parameter(SCHEDULE)] = "geometric"

    d: int
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


def in_positions(period: float) -> str:
    """Return how many positions a turn takes, in few characters.

    >>> in_positions(6.2832), in_positions(628.32), in_positions(35332.9), in_positions(123_456_789.0)
    ('6.28', '628', '35,333', '1.23e8')
    """
    if period < 100.0:
        return f"{period:.3g}"
    return f"{period:,.0f}" if period < 1e7 else f"{period:.3g}".replace("e+0", "e").replace("e+", "e")


def in_radians(frequency: float) -> str:
    """Return a frequency in few characters.

    >>> in_radians(1.0), in_radians(0.0316), in_radians(0.000316)
    ('1', '0.032', '3.2e-4')
    """
    return f"{frequency:.2g}" if frequency >= 1e-3 else f"{frequency:.1e}".replace("e-0", "e-")


def rotary_encoding(model: str) -> ModelEncoding:
    """Return the encoding of a published model that has hands; raise `ValueError` for any other.

    >>> rotary_encoding("llama-2-7b").context
    4096
    """
    try:
        encoding = from_config(model)
    except OSError as error:
        raise ValueError(f"model {error}") from error
    if encoding.kind != "rope":
        raise ValueError(f"model {model!r} has no hands: it uses {encoding.kind}; take one with RoPE")
    return encoding


def shortened(name: str, longest: int = 20) -> str:
    """Return ``name``, cut where it has more than ``longest`` characters.

    >>> shortened("golden"), shortened("a_schedule_with_a_long_name")
    ('golden', 'a_schedule_with_a_l…')
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def short_name(model: str) -> str:
    """Return the name of a model, or of the folder that its configuration is in.

    >>> short_name("llama-2-7b"), short_name("models/mine/config.json")
    ('llama-2-7b', 'mine')
    """
    path = Path(model)
    return path.parent.name if path.name == "config.json" else path.name
