"""Hashes of all that a picture depends on: what was drawn before is used again, and nothing stale ever is.

Manim's own hash of a play reads and tokenises the source of every updater, and takes each attribute through
JSON. Here code is taken as Python has compiled it, and numbers as the bytes they are: it takes half of the
time, and what an updater calls is part of it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import sysconfig
from collections.abc import Mapping, Sequence, Set
from enum import Enum
from functools import cache, partial, singledispatch
from importlib.metadata import version
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import cairo
import manimpango
import numpy as np
from manim import ManimColor, Scene

import pe_math

_HERE = (Path(pe_math.__file__).parent, Path(__file__).parent)
_SOURCES = ("*.py", "*.toml", "*.json", "*.safetensors")
_INSTALLED = (
    "manim",
    "numpy",
    "scipy",
    "av",
    "pillow",
    "pycairo",
    "manimpango",
    "typst",
    "safetensors",
    "array-api-compat",
    "svgelements",
    "fonttools",
    "srt",
    "fontpkg-noto-sans",
    "justmytype-intl-cjk",
)
# What is in these folders changes only with an installed version, or with `source_digest`.
_FOLDERS = (*_HERE, *map(sysconfig.get_paths().__getitem__, ("stdlib", "platstdlib", "purelib", "platlib")))
_KNOWN_CODE = tuple(f"{folder}{os.sep}" for folder in _FOLDERS)
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, type(...)})
_CONTAINERS = frozenset({list, tuple, dict, set})
# Equal ones are the same; of other things it counts whether it is one or two that look alike.
_VALUES = (*_PLAIN, tuple, np.ndarray, np.generic, Enum, PurePath, ManimColor)
# What Python and Manim note on things, and no picture depends on.
_NOTES = frozenset(
    {"__dict__", "__doc__", "__firstlineno__", "__static_attributes__", "__weakref__", "original_id"}
)

# What is said of a thing, and the things it is made of.
_Described = tuple[bytes, Sequence[Any]]


@cache
def source_digest() -> str:
    """Return a hash over every source, word and record that a frame can depend on."""
    digest = hashlib.sha256()
    for package in _HERE:
        for file in sorted(file for pattern in _SOURCES for file in package.rglob(pattern)):
            digest.update(str(file.relative_to(package.parent)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


@cache
def installed_versions() -> Mapping[str, str]:
    """Return the versions of everything installed that a film can depend on."""
    return {
        "python": platform.python_version(),
        "cairo": cairo.cairo_version_string(),
        "pango": manimpango.pango_version(),
        **{package: version(package) for package in _INSTALLED},
    }


def digest_of(*things: object) -> str:
    """Return a hash over ``things`` and all that can be reached from them.

    Numbers, words, arrays and containers count by their values; other objects by their class and attributes,
    but scenes by their class alone; classes by all that they hold; functions by their code, what they close
    over and the globals they name; modules by their source. What installed code and this project's own
    calls in turn is left out, so hash `installed_versions` and `source_digest` along.

    >>> def turned(by): return lambda angle: angle + by
    >>> digest_of(turned(1.0)) == digest_of(turned(1.0))
    True
    >>> digest_of(turned(1.0)) == digest_of(turned(2.0))
    False
    """
    digest = hashlib.sha256()
    # The things along with their numbers, so that none made later can get the address of one.
    met: dict[int, tuple[int, object]] = {}
    left: list[Any] = [things]
    while left:
        thing = left.pop()
        said: bytes
        parts: Sequence[Any]
        if id(thing) in met:
            said, parts = b"met %d" % met[id(thing)][0], ()
        else:
            if not isinstance(thing, _VALUES):
                met[id(thing)] = len(met), thing
            said, parts = _described(thing)
        # With lengths, so that no two lists of things read the same.
        digest.update(b"%d %d " % (len(said), len(parts)) + said)
        left.extend(reversed(parts))
    return digest.hexdigest()


def _bytes(plain: object) -> bytes:
    return repr(plain).encode(errors="surrogatepass")


@singledispatch
def _described(thing: Any) -> _Described:
    """Return what is to be said of ``thing`` itself, and what it is made of."""
    said, parts = _attributes(thing)
    return b"object" + said, (type(thing), getattr(thing, "__name__", None), *parts)


def _say(plain: object) -> _Described:
    return _bytes(plain), ()


for _kind in (*_PLAIN, Enum, PurePath):
    _described.register(_kind, _say)


@_described.register
def _(thing: np.generic) -> _Described:
    return _bytes(thing.item()), ()


@_described.register
def _(thing: np.ndarray) -> _Described:
    said = _bytes((thing.dtype.descr if thing.dtype.names else thing.dtype.str, thing.shape))
    return (said, thing.ravel().tolist()) if thing.dtype.hasobject else (said + thing.tobytes(), ())


@_described.register
def _(thing: ManimColor) -> _Described:
    return b"color", (thing.to_rgba(),)


@_described.register(Sequence)
def _(thing: Sequence[Any]) -> _Described:
    said, parts = _attributes(thing)
    return b"sequence" + said, (*thing, *parts)


@_described.register(Mapping)
def _(thing: Mapping[Any, Any]) -> _Described:
    said, parts = _attributes(thing)
    return b"mapping" + said, (*(part for item in thing.items() for part in item), *parts)


@_described.register(Set)
def _(thing: Set[Any]) -> _Described:
    # Sets of words come in another order in every process.
    return b"set", sorted(digest_of(part) for part in thing)


@_described.register
def _(thing: Scene) -> _Described:
    return b"scene", (type(thing),)


@_described.register
def _(thing: ModuleType) -> _Described:
    file = getattr(thing, "__file__", None)
    source = () if file is None or file.startswith(_KNOWN_CODE) else (Path(file).read_bytes(),)
    return b"module", (thing.__name__, *source)


@_described.register
def _(thing: type) -> _Described:
    held = [vars(base) for base in thing.__mro__ if not _is_known(base)]
    parts = [part for one in held for item in one.items() if item[0] not in _NOTES for part in item]
    return b"class", (thing.__module__, thing.__qualname__, *parts)


@_described.register
def _(thing: FunctionType) -> _Described:
    code = thing.__code__
    known = code.co_filename.startswith(_KNOWN_CODE)
    named = () if known else [thing.__globals__.get(name) for name in _names(code)]
    held = [_content(cell) for cell in thing.__closure__ or ()]
    return b"function", (code, thing.__defaults__, thing.__kwdefaults__, *held, *named)


def _register(kind: type, *names: str) -> None:
    """Describe things of a kind by attributes that Python keeps out of their dictionaries."""
    said = kind.__name__.encode()
    _described.register(kind, lambda thing: (said, [getattr(thing, name) for name in names]))


_register(MethodType, "__self__", "__func__")
_register(BuiltinFunctionType, "__self__", "__qualname__")
_register(partial, "func", "args", "keywords")
_register(property, "fget", "fset", "fdel")
_register(staticmethod, "__func__")
_register(classmethod, "__func__")
_register(CodeType, "co_code", "co_names", "co_consts")


def _attributes(thing: object) -> tuple[bytes, Sequence[Any]]:
    """Return what ``thing`` holds that is plain, said, and the names and values of all else."""
    kind: Any = type(thing)
    held = getattr(thing, "__dict__", {})
    if slots := _slots(kind):
        held = held | {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
    plain: list[Any] = []
    arrays: list[bytes] = []
    others: list[Any] = []
    for name, value in held.items():
        kind = type(value)
        if name in _NOTES:
            continue
        if kind in _PLAIN or (not value if kind in _CONTAINERS else issubclass(kind, Enum)):
            plain += name, value
        elif kind is np.ndarray and not value.dtype.hasobject:
            plain += name, value.dtype.str, value.shape
            arrays.append(value.tobytes())
        else:
            plain.append(name)
            others.append(value)
    return _bytes(plain) + b"".join(arrays), others


@cache
def _slots(cls: type) -> tuple[str, ...]:
    """Return the names of a class's attributes that are in no dictionary."""
    slots = (vars(base).get("__slots__", ()) for base in cls.__mro__)
    names = (name for one in slots for name in ((one,) if isinstance(one, str) else one))
    return tuple(name for name in names if name not in _NOTES)


def _is_known(cls: type) -> bool:
    """Tell whether the code of a class is installed code, or this project's."""
    # A class of a notebook has no file, and one of Python's own needs none.
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return cls.__module__ in sys.builtin_module_names or (file or "").startswith(_KNOWN_CODE)


def _names(code: CodeType) -> list[str]:
    """Return the names of globals and attributes in ``code``, and in the functions that it makes."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [*code.co_names, *(name for part in inner for name in _names(part))]


def _content(cell: Any) -> Any:
    """Return what a function closes over; nothing, where that is not there yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
