"""Schedules: frequencies by name, as numbers, by a function, or by a function in a file of one's own."""

import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, MappingProxyType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks, frequencies
from pe_math.hints import hint, shown

Function = Callable[[int], ArrayLike]
"""From the width `d` of an encoding to its ``(d//2,)`` angular frequencies, in radians per position."""

Schedule = str | Function | Sequence[float] | NDArray[np.float64]
"""A name in `NAMED`, ``FILE.py:FUNCTION``, a function, or the numbers themselves."""

NAMED: MappingProxyType[str, Callable[..., NDArray[np.float64]]] = MappingProxyType(
    {"geometric": frequencies.geometric, "mixed": frequencies.mixed, "linear": frequencies.linear}
)
"""The functions of `pe_math.frequencies` that need to know nothing but the width."""

_WITH_BASE = ("geometric", "mixed")
_IN_FILE = re.compile(r"(?P<file>.+\.py):(?P<function>\w+)")


def resolve(schedule: Schedule, d: int, base: float | None = None) -> NDArray[np.float64]:
    """Return the frequencies of ``schedule`` for an encoding of width ``d``.

    Args:
        schedule: a name in `NAMED`, ``FILE.py:FUNCTION`` (which imports that file), a function of ``d``, or
            the numbers.
        d: width of the encoding, even.
        base: of those named schedules that have one (see `takes_base`); None for their own.

    Returns:
        ``(d//2,)`` radians per position.

    Raises:
        ValueError: there is no such schedule, it takes no base, it fails, or what it returns is not ``d//2``
            finite numbers of at least 0.

    >>> resolve("geometric", 4, base=100.0).round(12).tolist()
    [1.0, 0.1]
    >>> resolve([1.0, 0.25], 4).tolist()
    [1.0, 0.25]
    """
    d = _checks.even_dimension(d)
    if base is not None:
        _checks.require(takes_base(schedule), "base", base, f"left out for {_name(schedule)}, which has none")
    chosen = find(schedule) if isinstance(schedule, str) else schedule
    if callable(chosen):
        chosen = _called(chosen, d, base, _name(schedule))
    return _numbers(chosen, d, _name(schedule))


def fast_to_slow(values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` if they are the frequencies of hands in order: positive, none faster than the last.

    Raises:
        ValueError: they are not.

    >>> fast_to_slow([1.0, 0.5]).tolist()
    [1.0, 0.5]
    """
    array = _checks.vector("frequencies", values)
    if array.size and array.min() <= 0:
        raise ValueError(f"frequencies must be positive for every hand to turn, got {array.min():g} in it")
    wrong = np.flatnonzero(np.diff(array) > 0)
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(
            f"frequencies must go from fast to slow, got {array[i + 1]:g} after {array[i]:g} (index {i + 1})"
        )
    return array


def find(schedule: str) -> Callable[..., ArrayLike]:
    """Return the function that a name in `NAMED`, or ``FILE.py:FUNCTION``, stands for.

    The latter runs the file, as importing it would.

    Raises:
        ValueError: there is no such name, file or function, or the file fails.
    """
    if schedule in NAMED:
        return NAMED[schedule]
    match = _IN_FILE.fullmatch(schedule)
    if match is None:
        known = ", ".join(NAMED)
        raise ValueError(
            f"frequencies must be one of {known}, or FILE.py:FUNCTION, got {schedule!r}"
            + hint(schedule, NAMED)
        )
    file, name = Path(match["file"]), match["function"]
    module = _import(file.absolute(), content_digest(file))
    function = getattr(module, name, None)
    if not callable(function):
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise ValueError(f"{file} has no function {name!r}{hint(name, own)}")
    chosen: Callable[..., ArrayLike] = function
    return chosen


def file_of(schedule: object) -> Path | None:
    """Return the file that a schedule names, if it names one.

    >>> file_of("mine.py:mine"), file_of("geometric")
    (PosixPath('mine.py'), None)
    """
    match = _IN_FILE.fullmatch(schedule) if isinstance(schedule, str) else None
    return Path(match["file"]) if match else None


def content_digest(file: Path) -> str:
    """Return a hash over what is in ``file``; raise `ValueError` where it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise ValueError(f"{file}: cannot be read ({error.strerror})") from error


def takes_base(schedule: object) -> bool:
    """Tell whether a schedule is one that is made from a base."""
    return isinstance(schedule, str) and schedule in _WITH_BASE


class _FreshLoader(SourceFileLoader):
    """A loader that always compiles: an edit within the clock's tick must not meet yesterday's bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


@cache
def _import(file: Path, digest: str) -> ModuleType:
    """Run ``file``, once for each state of its contents."""
    name = f"{file.stem}_{digest[:16]}"
    loader = _FreshLoader(name, str(file))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    # Where dataclasses, among others, look for the module that they are defined in.
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    # A file that calls exit() must not end the program without a word.
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ValueError(f"{file} fails: {_told(error)}") from error
    return module


def _called(function: Callable[..., Any], d: int, base: float | None, name: str) -> Any:
    """Return what ``function`` returns for ``d``."""
    if base is not None:
        return function(d, base=base)
    try:
        return function(d)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{name} fails for d={d}: {_told(error)}") from error


def _numbers(values: Any, d: int, name: str) -> NDArray[np.float64]:
    right = f"frequencies must be {d // 2} finite numbers of at least 0 for an encoding of width {d}"
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{right}, but {name} gives {shown(values)}") from error
    if array.shape != (d // 2,):
        raise ValueError(f"{right}, but {name} gives shape {array.shape}")
    strange = array[~(np.isfinite(array) & (array >= 0))]
    if strange.size:
        raise ValueError(f"{right}, but {name} gives {strange[0]}")
    return array


def _name(schedule: object) -> str:
    if isinstance(schedule, str):
        return schedule
    return getattr(schedule, "__name__", type(schedule).__name__ if callable(schedule) else "the array")


def _told(error: BaseException) -> str:
    """Return an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
