"""What there is to render: `clockhands list`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from difflib import get_close_matches

from scenes.language import Language
from scenes.lecture import CHAPTERS, SHOTS, Chapter
from scenes.stage import LectureScene


def find_shots(names: list[str]) -> list[type[LectureScene]]:
    """Return the shots of these names, all for none; raise `ValueError` that names the nearest."""
    shots = {shot.__name__: shot for shot in SHOTS}
    by_lower_case = {name.lower(): name for name in shots}
    for name in names:
        if name not in shots:
            nearest = get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.0)
            hint = by_lower_case[nearest[0]]
            raise ValueError(f"no shot is called {name!r}; did you mean {hint}? `clockhands list` shows all")
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
    return next((chapter for chapter in CHAPTERS if issubclass(shot, chapter.shots)), None)
