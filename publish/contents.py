"""What there is to render, and what can be changed: `clockhands list` and `clockhands params`."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from pe_math.hints import hint
from scenes.language import Language
from scenes.lecture import CHAPTERS, SHOTS, Chapter
from scenes.parameters import declared
from scenes.stage import LectureScene

# Characters of the widest cell in the table of parameters; what is longer goes on below.
WIDEST = 42


def find_shots(names: list[str]) -> list[type[LectureScene]]:
    """Return the shots of these names, all for none; raise `ValueError` that names the nearest."""
    shots = {shot.__name__: shot for shot in SHOTS}
    for name in names:
        if name not in shots:
            nearest = hint(name, shots, always=True)
            raise ValueError(f"no shot is called {name!r}{nearest} (`clockhands list` shows all)")
    return [shots[name] for name in dict.fromkeys(names)] or list(shots.values())


def lines(language: Language) -> Iterator[str]:
    """Yield chapters, shots and sections, a line each, with the words of ``language``."""
    for chapter in CHAPTERS:
        yield language.phrase([chapter.name], "title").text
        yield "  " + language.phrase([chapter.name], "idea").text
        for shot in chapter.shots:
            yield f"  {shot.__name__}: " + language.phrase(shot.tables(), "title").text
            for name, caption in sections(shot, language).items():
                yield f"    {name}: {caption}"
        yield ""


def sections(shot: type[LectureScene], language: Language) -> dict[str, str]:
    """Return the captions of a shot's sections by name, in order.

    They come from the tables of words, which list them as the shot does. To play the shot through without
    drawing it would say the same, ten seconds later.
    """
    tables = shot.tables()
    captions = (language.tables.get(table, {}).get("caption", {}) for table in reversed(tables))
    captioned = dict.fromkeys(itertools.chain.from_iterable(captions))
    return {name: language.phrase(tables, f"caption.{name}").text for name in shot.sections(captioned)}


def chapter_of(shot: type[LectureScene]) -> Chapter | None:
    """Return the chapter that holds ``shot``, or the shot that it varies; None where there is none."""
    return next((chapter for base in shot.__mro__ for chapter in CHAPTERS if base in chapter.shots), None)


def parameter_lines(shot: type[LectureScene]) -> Iterator[str]:
    """Yield the table of a shot's parameters, a line each: name, type, range, default and meaning."""
    rows = [("name", "type", "range", "default", "meaning")]
    for name, parameter in declared(shot).items():
        meaning, default = parameter.parameter.meaning, written(parameter.default)
        rows.append((name, parameter.type_name, parameter.range or "any", default, meaning))
    yield shot.__name__
    if len(rows) == 1:
        yield "  has no parameters"
        return
    wrapped = [[textwrap.wrap(cell, WIDEST) or [""] for cell in row] for row in rows]
    widths = [max(len(line) for cell in column for line in cell) for column in zip(*wrapped, strict=True)]
    for row in wrapped:
        for cells in itertools.zip_longest(*row, fillvalue=""):
            yield "  " + _aligned(cells, widths)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def written(value: Any) -> str:
    """Return a value as it is written in ``--set SHOT.NAME=VALUE``."""
    if isinstance(value, tuple | list):
        return ", ".join(map(written, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(getattr(value, "__name__", value)) or '""'
