"""The two fonts of the lecture, pinned as packages and registered before any text is drawn.

Manim keeps drawn text in a cache that does not know which font file drew it, and a missing font is only
a warning there. So the fonts are registered here first, and the cache's folder bears their versions.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import manimpango
from fontTools.ttLib import TTFont
from manim import config

LATIN_PACKAGE = "fontpkg-noto-sans"
CHINESE_PACKAGE = "justmytype-intl-cjk"
FAMILIES = "Noto Sans, Noto Sans SC"


def font_files() -> tuple[Path, Path]:
    """Return the Latin and the Chinese font file."""
    latin = files("fontpkg_noto_sans") / "files" / "NotoSans[wdth,wght].ttf"
    chinese = files("justmytype_intl_cjk") / "fonts" / "ofl" / "notosanssc" / "NotoSansSC[wght].ttf"
    return Path(str(latin)), Path(str(chinese))


@cache
def register_fonts() -> None:
    """Make both fonts known to Pango; raise `RuntimeError` with the remedy where one is missing."""
    for file in font_files():
        if not file.is_file() or not manimpango.register_font(str(file)):
            raise RuntimeError(f"font {file.name} is missing; install it: pip install -r requirements.txt")
    config.text_dir = f"{{media_dir}}/texts/{version(LATIN_PACKAGE)}-{version(CHINESE_PACKAGE)}"


@cache
def font_digest() -> str:
    """Return a hash over both font files."""
    digest = hashlib.sha256()
    for file in font_files():
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def known_characters() -> frozenset[str]:
    """Return every character that one of the two fonts can draw."""
    codes: set[int] = set()
    for file in font_files():
        with TTFont(file, lazy=True) as font:
            codes.update(font.getBestCmap())
    return frozenset(map(chr, codes))


def check_characters(text: str, where: str) -> None:
    """Raise `ValueError` that names the characters of ``text`` which neither font can draw."""
    unknown = sorted(set(text) - known_characters() - {"\n"})
    if unknown:
        names = ", ".join(f"{character!r} (U+{ord(character):04X})" for character in unknown)
        raise ValueError(
            f"{where}: neither {FAMILIES.replace(', ', ' nor ')} can draw {names}; use another character"
        )
