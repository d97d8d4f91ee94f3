"""Settings: parameters that are set without touching code.

``CLOCKHANDS_PARAMS`` holds pairs ``ClockSwarm.base=500000``, divided by spaces or commas, or the name of a
TOML file with a table for each shot. What is set for a shot holds for those that vary it, too, as words do.

A file is data: nothing in it is run. Only ``FILE.py:FUNCTION``, given to a schedule, imports that file.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pe_math import models, schedules
from pe_math.hints import hint
from pe_math.schedules import content_digest
from scenes.parameters import ParameterError, declared

PARAMETERS_VARIABLE = "CLOCKHANDS_PARAMS"

_PAIR = re.compile(r"(?P<shot>\w+)\.(?P<name>\w+)=(?P<value>.*)", re.DOTALL)
_NEXT_PAIR = re.compile(r",(?=\s*\w+\.\w+=)")
_LONGEST_NAME, _LONGEST_VALUE = 40, 16


@dataclass(frozen=True)
class Setting:
    """One ``shot.name = value`` as somebody has set it; ``source`` says where.

    ``value`` is text that is still to be read where ``is_text``; ``folder`` is where files that it names are.
    """

    shot: str
    name: str
    value: Any
    source: str
    is_text: bool = True
    folder: Path = Path()

    def applies_to(self, shot: type[Any]) -> bool:
        """Tell whether it is for ``shot`` or for one that it varies."""
        return any(owner.__name__ == self.shot for owner in shot.__mro__)


def from_environment() -> list[Setting]:
    """Return what ``CLOCKHANDS_PARAMS`` sets: its pairs, or those of the TOML file that it names."""
    text = os.environ.get(PARAMETERS_VARIABLE, "").strip()
    if text.endswith(".toml") and ("=" not in text or Path(text).is_file()):
        return from_file(Path(text))
    return from_pairs(text, PARAMETERS_VARIABLE)


def from_pairs(text: str, source: str) -> list[Setting]:
    """Return the settings in ``text``: pairs, divided by spaces or commas.

    Quotes keep spaces together, as in a shell: ``ClockHands.sentence='the cat sat'``.

    >>> [setting.value for setting in from_pairs("ClockSwarm.base=500000, ClockWall.d=16", "test")]
    ['500000', '16']
    """
    reader = shlex.shlex(text, posix=True)
    # A backslash divides the folders of a path in Windows, and "#" may begin a value.
    reader.whitespace_split, reader.commenters, reader.escape = True, "", ""
    try:
        words = list(reader)
    except ValueError as error:
        raise ParameterError(f"{source}: {text!r} has a quote that is not closed") from error
    pairs = [pair.strip(", ") for word in words for pair in _NEXT_PAIR.split(word)]
    return [from_pair(pair, source) for pair in pairs if pair]


def from_pair(pair: str, source: str) -> Setting:
    """Return the setting that one pair is; all that follows ``=`` is its value."""
    match = _PAIR.fullmatch(pair.strip())
    if match is None:
        raise ParameterError(
            f"{source}: {pair!r} is no pair SHOT.NAME=VALUE, such as ClockSwarm.base=500000, and no TOML file"
        )
    return Setting(match["shot"], match["name"], match["value"].strip(), source)


def from_file(file: Path) -> list[Setting]:
    """Return the settings in a TOML file: a table for each shot, such as ``[ClockSwarm]``."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ParameterError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"{file}: is not a text file in UTF-8") from error
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits, say, is no TOML either
        raise ParameterError(f"{file}: is not TOML ({error})") from error
    settings = []
    for shot, table in tables.items():
        if not isinstance(table, dict):
            raise ParameterError(f"{file}: {shot!r} must be in the table of a shot, such as [ClockSwarm]")
        settings += [
            Setting(shot, name, value, str(file), False, file.parent) for name, value in table.items()
        ]
    return settings


def values(shot: type[Any], settings: Iterable[Setting]) -> dict[str, Any]:
    """Return what ``settings`` set for ``shot``, by name; later ones win, and nearer shots over those varied.

    All settings are checked, those of other shots too. Raises `ParameterError`.
    """
    names = [owner.__name__ for owner in shot.__mro__]
    found: list[tuple[int, str, Any]] = []
    for setting in settings:
        ours = setting.applies_to(shot)
        value = _value(shot if ours else _shot_called(setting), setting)
        if ours:
            found.append((names.index(setting.shot), setting.name, value))
    return {name: value for _, name, value in sorted(found, key=lambda each: -each[0])}


def changed(shot: type[Any], settings: Iterable[Setting]) -> dict[str, Any]:
    """Return those `values` that are not what ``shot`` has anyway."""
    known = declared(shot)
    return {
        name: value
        for name, value in values(shot, settings).items()
        if value != known[name].check(known[name].default)
    }


def variant(shot: type[Any], values: Mapping[str, Any]) -> type[Any]:
    """Return ``shot`` with other ``values`` of its parameters."""
    return type(shot.__name__, (shot,), dict(values)) if values else shot


def take(scene: Any) -> dict[str, Any]:
    """Give a shot the values that ``CLOCKHANDS_PARAMS`` sets, and return those that are not its class's.

    All parameters are checked, wherever their values came from, each and together. Raises `ParameterError`.
    """
    different = changed(type(scene), from_environment())
    for name, parameter in declared(type(scene)).items():
        setattr(scene, name, different.get(name, parameter.check(parameter.default)))
    try:
        scene.check()
    except ValueError as error:
        raise ParameterError(f"{type(scene).__name__}: {error}") from error
    return different


def all_of(scene: Any) -> dict[str, Any]:
    """Return every parameter of a shot as it stands."""
    return {name: getattr(scene, name) for name in declared(type(scene))}


def _value(shot: type[Any], setting: Setting) -> Any:
    """Return the checked value of a setting for ``shot``."""
    known = declared(shot)
    if setting.name not in known:
        raise ParameterError(
            f"{setting.source}: {setting.shot} has no parameter {setting.name!r}"
            + hint(setting.name, known, always=True)
            + f" (`clockhands params {shot.__name__}` lists them)"
        )
    parameter = known[setting.name]
    try:
        value = parameter.parse(setting.value) if setting.is_text else parameter.check(setting.value)
    except ParameterError as error:
        raise ParameterError(f"{setting.source}: {error}") from error
    names_file = parameter.parameter.names_file
    if isinstance(value, tuple):
        return tuple(_anchored(item, setting.folder, names_file) for item in value)
    return _anchored(value, setting.folder, names_file)


def _anchored(value: Any, folder: Path, names_file: bool) -> Any:
    """Return ``value``; if it is the name of a file in ``folder``, so that it is one from here, too."""
    is_file = schedules.file_of(value) is not None or (names_file and _named(str(folder / value)) is not None)
    return str(folder / value) if is_file else value


def _shot_called(setting: Setting) -> type[Any]:
    """Return the shot that a setting names, one that is loaded or one of the lecture."""
    from scenes.lecture import SHOTS  # here, for the lecture imports every shot, and each imports this
    from scenes.stage import LectureScene

    shots = {shot.__name__: shot for shot in (*SHOTS, *_subclasses(LectureScene))}
    if setting.shot not in shots:
        raise ParameterError(
            f"{setting.source}: no shot is called {setting.shot!r}{hint(setting.shot, shots, always=True)}"
        )
    return shots[setting.shot]


def _subclasses(shot: type[Any]) -> Iterator[type[Any]]:
    subclass: type[Any]
    for subclass in shot.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


# Names and hashes


def suffix(changed: Mapping[str, Any]) -> str:
    """Return what a film's name gets from the parameters that were changed: readable, and unlike any other's.

    >>> suffix({}), suffix({"base": 500000.0})
    ('', '-base500000-1059e1')
    """
    if not changed:
        return ""
    readable = ""
    for name, value in sorted(changed.items()):
        shown = f"-{name}{_slug(value)}"
        if len(shown) <= 1 + len(name) + _LONGEST_VALUE and len(readable + shown) <= _LONGEST_NAME:
            readable += shown
    return f"{readable}-{digest(changed)[:6]}"


def digest(values: Mapping[str, Any]) -> str:
    """Return a hash over values by name, and over the files that they name."""
    files = {str(file): content_digest(file) for file in files_of(values)}
    text = json.dumps([dict(values), files], sort_keys=True, default=_described)
    return hashlib.sha256(text.encode()).hexdigest()


def files_of(values: Mapping[str, Any]) -> list[Path]:
    """Return the files that are named among ``values``."""
    every = [item for value in values.values() for item in (value if isinstance(value, tuple) else (value,))]
    files = (_named(text) for text in every if isinstance(text, str) and text)
    return sorted({file for file in files if file is not None})


def _named(text: str) -> Path | None:
    """Return the file that ``text`` names, of a schedule, a record or a model, if there is one."""
    try:
        file = schedules.file_of(text) or models.file_of(text)
        return file if file.is_file() else None
    except OSError:  # too long, say
        return None


def _described(function: Any) -> str:
    """Return a text for a function: its source, where that can be had."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return repr(function)


def _slug(value: Any) -> str:
    """Return a value in letters, digits and underscores."""
    if isinstance(value, tuple):
        return "_".join(map(_slug, value))
    shown = f"{value:.12g}" if isinstance(value, float) else str(value)
    return re.sub(r"\W+", "_", shown).strip("_")
