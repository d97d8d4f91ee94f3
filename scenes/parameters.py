"""Parameters: what may be changed in a shot, declared on its class.

A shot declares each as a class attribute::

    base: Annotated[float, Parameter("base of the geometric frequencies", low=1.5, high=1e12)] = 10_000.0

The types are int, float, bool, str, `Schedule` and tuples of them. A variant is a subclass that sets another
value; `settings` reads those that are set without touching code.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, get_args, get_origin

import numpy as np

from pe_math.hints import hint, shown
from pe_math.schedules import NAMED, Schedule


class ParameterError(ValueError):
    """A parameter that cannot be as it is set; the message is one line."""


@dataclass(frozen=True)
class Parameter:
    """What a parameter means, and which values give a right picture.

    Bounds and choices are those of each item where the parameter is a tuple; ``least`` and ``most`` are how
    many items it may have. Items that are chosen from ``choices`` may be named once. ``names_file`` says that
    a text may be the name of a file. ``known`` are names to tell of where only the shot can
    say which are right.
    """

    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] | None = None
    multiple_of: int = 1
    least: int = 1
    most: int | None = None
    names_file: bool = False
    known: tuple[str, ...] = ()

    @property
    def range(self) -> str:
        """What a value, or each item, must be; empty where anything may be.

        >>> Parameter("width", low=2, high=64, multiple_of=2).range
        'from 2 to 64, even'
        """
        if self.choices is not None:
            return "one of " + ", ".join(choice or '""' for choice in self.choices)
        if self.known:
            return f"one of {', '.join(self.known)}" + (", or a file" if self.names_file else "")
        bounds = {"from": self.low, "to": self.high}
        parts = [f"{word} {bound:.12g}" for word, bound in bounds.items() if bound is not None]
        even = {1: "", 2: "even"}.get(self.multiple_of, f"a multiple of {self.multiple_of}")
        return ", ".join(filter(None, (" ".join(parts), even)))


@dataclass(frozen=True)
class Declared:
    """A parameter of a shot: ``kind`` is its type and ``default`` the class attribute.

    ``own`` is what the attribute is where it was declared: a shot that varies that one may have another.
    """

    shot: str
    name: str
    kind: Any
    parameter: Parameter
    default: Any
    own: Any = None

    @property
    def type_name(self) -> str:
        """The type in words.

        >>> Declared("A", "b", tuple[int, ...], Parameter(""), (1,)).type_name
        'integers'
        """
        items, count = _items(self.kind)
        if items is None:
            return _NAMES[self.kind]
        return f"{_NAMES[items]}s" if count is None else f"{count} {_NAMES[items]}s"

    @property
    def range(self) -> str:
        """The values that are right, in words."""
        each, count = self._each, self._counts()
        return f"{count}, each {each}" if each and count else each or count

    def check(self, value: Any) -> Any:
        """Return ``value`` as the type that is declared; raise `ParameterError` where it cannot be right."""
        item, count = _items(self.kind)
        if item is None:
            return self._checked(self.kind, value)
        if isinstance(value, str) or not isinstance(value, list | tuple | np.ndarray):
            raise self.wrong(value)
        many = len(value)
        if many != count if count is not None else not self.parameter.least <= many <= self._most:
            raise self.wrong(value)
        values = tuple(self._checked(item, one) for one in value)
        if self.parameter.choices is not None and len(set(values)) < many:
            raise self.wrong(value, "; one is named twice")
        return values

    def parse(self, text: str) -> Any:
        """Return the value that ``text`` says, as in ``base=500000``; tuples are divided by commas."""
        item, _ = _items(self.kind)
        if item is None:
            return self.check(_READERS[self.kind](text))
        return self.check([_READERS[item](part.strip()) for part in text.split(",")] if text else [])

    def wrong(self, value: Any, why: str = "") -> ParameterError:
        """Return the error of a value that cannot be."""
        each, counts = self._each, self._counts()
        right = " ".join(filter(None, (counts or self._noun(), self.type_name if counts else each)))
        right += f", each {each}" if each and counts else ""
        if self.parameter.choices is not None and isinstance(value, str):
            why = why or hint(value, self.parameter.choices)
        return ParameterError(f"{self.shot}.{self.name} must be {right}, got {shown(value)}{why}")

    def _noun(self) -> str:
        """Return the type as a sentence needs it."""
        if self.kind in (str, Schedule) and self._each:
            return ""
        article = {int: "an ", float: "a "}.get(self.kind, "")
        return article + self.type_name

    @property
    def _each(self) -> str:
        """What a value, or each item, must be."""
        items, _ = _items(self.kind)
        return self.parameter.range or _ANY.get(items or self.kind, "")

    @property
    def _most(self) -> float:
        return math.inf if self.parameter.most is None else self.parameter.most

    def _counts(self) -> str:
        item, count = _items(self.kind)
        least, most = self.parameter.least, self.parameter.most
        if item is None or count is not None:
            return ""
        return f"{least} or more" if most is None else f"{least} to {most}" if least < most else f"{least}"

    def _checked(self, kind: Any, value: Any) -> Any:
        """Return one value, or one item of a tuple, as ``kind``."""
        typed = _TYPED[kind](value)
        parameter = self.parameter
        if typed is None:
            raise self.wrong(value)
        if parameter.choices is not None and typed not in parameter.choices:
            raise self.wrong(value)
        low, high = parameter.low, parameter.high
        if (low is not None and typed < low) or (high is not None and typed > high):
            raise self.wrong(value)
        if parameter.multiple_of > 1 and typed % parameter.multiple_of:
            raise self.wrong(value)
        return typed


def declared(shot: type[Any]) -> Mapping[str, Declared]:
    """Return the parameters of a shot by name, those of the shots that it varies first."""
    found: dict[str, Declared] = {}
    for owner in reversed(shot.__mro__):
        for name, (kind, parameter) in _annotated(owner).items():
            default, own = getattr(shot, name), vars(owner).get(name)
            found[name] = Declared(shot.__name__, name, kind, parameter, default, own)
    return found


def _annotated(owner: type[Any]) -> dict[str, tuple[Any, Parameter]]:
    """Return type and `Parameter` of the attributes that ``owner`` itself declares."""
    # Evaluated only where there is something to find: other classes may annotate with names that exist for
    # type checkers alone.
    if "Parameter(" not in str(inspect.get_annotations(owner)):
        return {}
    annotations = inspect.get_annotations(owner, eval_str=True)
    return {
        name: (get_args(hint)[0], parameter)
        for name, hint in annotations.items()
        for parameter in getattr(hint, "__metadata__", ())
        if isinstance(parameter, Parameter)
    }


# Types


def _items(kind: Any) -> tuple[Any, int | None]:
    """Return the type of a tuple's items and their number, None for any; None for what is no tuple."""
    if get_origin(kind) is not tuple:
        return None, None
    items = get_args(kind)
    return items[0], None if items[-1] is ... else len(items)


def _integer(value: Any) -> int | None:
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) else None


def _float(value: Any) -> float | None:
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _bool(value: Any) -> bool | None:
    return bool(value) if isinstance(value, bool | np.bool_) else None


def _str(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _schedule(value: Any) -> Any:
    """Return a name or a function as it is, and numbers as a tuple: so they can be compared."""
    if isinstance(value, str) or callable(value):
        return value
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    return tuple(numbers.tolist()) if numbers.ndim == 1 and np.isfinite(numbers).all() else None


def _number_in(text: str, kind: Callable[[str], Any]) -> Any:
    """Return the number that ``text`` says, or ``text`` if it says none."""
    try:
        return kind(text)
    except ValueError:
        return text


def _read_schedule(text: str) -> Any:
    """Return the numbers that ``text`` says, divided by commas, or the name that it is."""
    numbers = [_number_in(part, float) for part in text.split(",")]
    return text if any(isinstance(number, str) for number in numbers) else tuple(numbers)


_TYPED: dict[Any, Callable[[Any], Any]] = {
    int: _integer,
    float: _float,
    bool: _bool,
    str: _str,
    Schedule: _schedule,
}
_READERS: dict[Any, Callable[[str], Any]] = {
    int: lambda text: _number_in(text, int),
    float: lambda text: _number_in(text, float),
    bool: lambda text: {"true": True, "false": False}.get(text.lower(), text),
    str: str,
    Schedule: _read_schedule,
}
_ANY: dict[Any, str] = {Schedule: f"one of {', '.join(NAMED)}, finite numbers, or FILE.py:FUNCTION"}
_NAMES: dict[Any, str] = {
    int: "integer",
    float: "number",
    bool: "true or false",
    str: "text",
    Schedule: "schedule",
}
