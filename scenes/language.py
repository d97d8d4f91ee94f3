"""Words: everything on screen and in captions, by key, in English and Chinese.

``text/en.toml`` and ``text/zh.toml`` hold one table a shot, named for its class, and a table ``shared``.
A phrase may colour a word by its role, ``the <sin>shadow on the floor</sin>``, and may hold values,
``position {p}``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scenes.fonts import check_characters

LANGUAGE_VARIABLE = "CLOCKHANDS_LANG"
LANGUAGES = ("en", "zh")
TEXT_FOLDER = Path(__file__).with_name("text")
_COLORED = re.compile(r"<(?P<role>\w+)>(?P<words>.*?)</(?P=role)>", re.DOTALL)


@dataclass(frozen=True)
class Phrase:
    """Plain ``text`` and its coloured stretches as ``(start, end, role)``."""

    text: str
    colored: tuple[tuple[int, int, str], ...]

    @classmethod
    def parse(cls, marked: str) -> Phrase:
        """Take the colour marks out of ``marked``.

        >>> Phrase.parse("a <sin>wave</sin>")
        Phrase(text='a wave', colored=((2, 6, 'sin'),))
        """
        text, colored, last = "", [], 0
        for match in _COLORED.finditer(marked):
            text += marked[last : match.start()]
            colored.append((len(text), len(text) + len(match["words"]), match["role"]))
            text += match["words"]
            last = match.end()
        return cls(text + marked[last:], tuple(colored))


class Language:
    """The words of one language, checked against the fonts when they are read."""

    def __init__(self, code: str) -> None:
        file = TEXT_FOLDER / f"{code}.toml"
        self.code = code
        self.tables: Mapping[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        for key, phrase in _leaves(self.tables):
            check_characters(phrase, f"{file.name}, {key}")

    def extended(self, tables: Mapping[str, Mapping[str, Any]]) -> Language:
        """Return this language with more words in its tables, checked against the fonts as the others are."""
        for key, phrase in _leaves(tables):
            check_characters(phrase, key)
        language = copy(self)
        language.tables = {
            **self.tables,
            **{name: {**self.tables.get(name, {}), **words} for name, words in tables.items()},
        }
        return language

    def phrase(self, tables: Iterable[str], key: str, **values: object) -> Phrase:
        """Return ``key`` from the first of ``tables`` that has it, with ``values`` filled in.

        Raises `KeyError` that names the key and the tables where it was looked for.
        """
        tables = list(tables)
        for table in tables:
            found: Any = self.tables.get(table, {})
            for part in key.split("."):
                found = found.get(part) if isinstance(found, Mapping) else None
            if isinstance(found, str):
                return Phrase.parse(found.format(**values))
        raise KeyError(f"text/{self.code}.toml has no {key!r} in any of: {', '.join(tables)}")

    def reading_seconds(self, text: str) -> float:
        """Return how long it takes to read ``text`` aloud once, calmly."""
        characters_a_second = 14.0 if self.code == "en" else 4.5
        return len(text) / characters_a_second


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


@cache
def read_language(code: str) -> Language:
    """Return the words of ``code``, read and checked once."""
    return Language(code)


def chosen_language() -> Language:
    """Return the language that ``CLOCKHANDS_LANG`` names (default English)."""
    code = os.environ.get(LANGUAGE_VARIABLE, LANGUAGES[0])
    if code not in LANGUAGES:
        raise ValueError(
            f"{LANGUAGE_VARIABLE}={code!r} is not a language here; set it to one of: {', '.join(LANGUAGES)}"
        )
    return read_language(code)
