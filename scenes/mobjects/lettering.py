"""Text as outlines, laid out by Pango through Manim and then kept in Manim's folder of texts.

Laying out a sentence takes 100 ms of CPU, nearly all of it to parse the picture that Pango draws; reading it
back takes one. A shot whose plays all come from Manim's cache would spend most of its time here.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import manimpango
import numpy as np
import numpy.typing as npt
from manim import Text, config

from scenes.fonts import check_characters, families, font_digest, register_fonts, used_files

Points = npt.NDArray[np.float64]

_STYLE: dict[str, Any] = {"disable_ligatures": True, "line_spacing": 0.6}


def outlines(text: str, font_size: float) -> tuple[Points, ...]:
    """Return the outline ``(n, 3)`` of each character of ``text``, blanks included, as Pango lays them out.

    They are shared: read them, and leave them as they are.
    """
    return _outlines(text, font_size, families())


@cache
def _outlines(text: str, font_size: float, font: str) -> tuple[Points, ...]:
    register_fonts()
    check_characters(text, repr(text))
    file = config.get_dir("text_dir") / f"{_digest(text, font_size, font)}.npy"
    try:
        table = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        table = _lay_out(text, font_size, font)
        _write(table, file)
    return tuple(np.split(table[:, 1:], np.searchsorted(table[:, 0], np.arange(1, len(text)))))


def box_of(glyphs: Iterable[Points]) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of ``glyphs``, by the ends of their curves as Manim measures."""
    ends = np.concatenate([end for glyph in glyphs for end in (glyph[0::4], glyph[3::4])])
    (left, bottom, _), (right, top, _) = ends.min(axis=0), ends.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def _lay_out(text: str, font_size: float, font: str) -> Points:
    """Return the points of all glyphs in order, ``(n, 4)``: the number of the glyph, x, y and z."""
    glyphs = Text(text, font=font, font_size=font_size, warn_missing_font=False, **_STYLE).submobjects
    numbers = np.repeat(np.arange(len(glyphs)), [len(glyph.points) for glyph in glyphs])
    return np.column_stack([numbers, np.concatenate([glyph.points for glyph in glyphs])])


def _digest(text: str, font_size: float, font: str) -> str:
    """Return a hash over everything that an outline depends on."""
    described = json.dumps([text, float(font_size), font, _STYLE, font_digest(used_files()), _programs()])
    return hashlib.sha256(described.encode()).hexdigest()


@cache
def _programs() -> list[str]:
    # Each reads a package's files, which takes as long as an outline.
    return [version("manim"), version("manimpango"), manimpango.pango_version()]


def _write(table: Points, file: Path) -> None:
    """Write ``table`` for other processes, which see all of it or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
        np.save(part, table, allow_pickle=False)
    os.replace(part.name, file)  # noqa: PTH105
