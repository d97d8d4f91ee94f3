"""Fonts that a page carries with it: those of the lecture, cut down to the characters that the page shows.

A bare machine has no Chinese font, and a page that fetches one works only where there is a network.
"""

from __future__ import annotations

import io
import logging
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from scenes.fonts import FAMILIES, font_files

# The characters of programs and of the reveal.js controls, whatever the page says.
_ALWAYS = "".join(map(chr, range(0x20, 0x7F)))
_WEIGHTS = "100 900"

# Manim shows what every library logs, and fontTools logs every glyph.
logging.getLogger("fontTools").setLevel(logging.WARNING)


def font_faces(text: str) -> str:
    """Return CSS that defines the lecture's two fonts, holding what is needed to show ``text``.

    A rule of the page says ``font-family: "Noto Sans", "Noto Sans SC"``; the second has only what the
    first lacks.
    """
    rules = []
    wanted = set(text + _ALWAYS)
    for family, file in zip(FAMILIES.split(", "), font_files(), strict=True):
        with TTFont(file, lazy=True) as font:
            held = {character for character in wanted if ord(character) in font.getBestCmap()}
        wanted -= held
        if held:
            rules.append(_font_face(family, subset(file, held)))
    return "\n".join(rules)


def subset(file: Path, characters: Iterable[str]) -> bytes:
    """Return the font in ``file`` as WOFF, with no glyphs but those that ``characters`` need."""
    cut = Subsetter(Options(notdef_outline=True))
    cut.populate(unicodes=map(ord, characters))
    with TTFont(file, lazy=True) as font, io.BytesIO() as made:
        cut.subset(font)
        font.flavor = "woff"
        font.save(made)
        return made.getvalue()


def _font_face(family: str, font: bytes) -> str:
    data = b64encode(font).decode()
    return (
        f'@font-face {{ font-family: "{family}"; font-weight: {_WEIGHTS}; font-display: block; '
        f'src: url("data:font/woff;base64,{data}") format("woff"); }}'
    )
