"""The two fonts of the lecture, pinned as packages and registered before any text is drawn.

Manim keeps drawn text in a cache that does not know which font file drew it, and a missing font is only
a warning there. So the fonts are registered here first, and the cache's folder bears their versions.
"""

from __future__ import annotations

import hashlib
import unicodedata
from ctypes import CDLL, c_void_p
from ctypes.util import find_library
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
_NO_GLYPH_OF_THEIR_OWN = ("Mn", "Mc", "Me", "Cf")


def font_files() -> tuple[Path, Path]:
    """Return the Latin and the Chinese font file."""
    latin = files("fontpkg_noto_sans") / "files" / "NotoSans[wdth,wght].ttf"
    chinese = files("justmytype_intl_cjk") / "fonts" / "ofl" / "notosanssc" / "NotoSansSC[wght].ttf"
    return Path(str(latin)), Path(str(chinese))


class _Chosen:
    """The font that text is drawn with where it has the glyph: one for all that is drawn, as in a film."""

    file: Path | None = None


def choose_font(file: Path | None) -> None:
    """Draw text with the font in ``file`` where it has the glyph, or, with None, with the two alone.

    Raises `ValueError` where there is no such font.
    """
    if file is not None:
        _register(file)
    _Chosen.file = file


@cache
def _register(file: Path) -> None:
    """Make the font in ``file`` known to Pango, even if it has drawn text already; refuse what is no font."""
    if not (file.is_file() and manimpango.register_font(str(file))):
        raise ValueError(f"font {str(file)!r} is no font file; give the path of a .ttf or .otf file")
    # Pango lists the fonts when it first draws, and ManimPango has no way to make it look again. Without the
    # library under that name (Windows, macOS) a font must be chosen before any text is drawn.
    library = find_library("pangocairo-1.0")
    if library is not None:
        set_default = CDLL(library).pango_cairo_font_map_set_default
        set_default.argtypes, set_default.restype = [c_void_p], None
        set_default(None)


def families() -> str:
    """Return the families that text is drawn with, the first one that has a glyph."""
    return FAMILIES if _Chosen.file is None else f"{_family(_Chosen.file)}, {FAMILIES}"


def used_files() -> tuple[Path, ...]:
    """Return the font files that text is drawn with."""
    return font_files() if _Chosen.file is None else (_Chosen.file, *font_files())


@cache
def _family(file: Path) -> str:
    """Return the name under which Pango knows the font in ``file``."""
    with TTFont(file, lazy=True) as font:
        return str(font["name"].getBestFamilyName())


@cache
def register_fonts() -> None:
    """Make both fonts known to Pango; raise `RuntimeError` with the remedy where one is missing."""
    for file in font_files():
        if not file.is_file() or not manimpango.register_font(str(file)):
            raise RuntimeError(f"font {file.name} is missing; install it: pip install -r requirements.txt")
    config.text_dir = f"{{media_dir}}/texts/{version(LATIN_PACKAGE)}-{version(CHINESE_PACKAGE)}"


@cache
def font_digest(font_files: tuple[Path, ...]) -> str:
    """Return a hash over ``font_files``."""
    digest = hashlib.sha256()
    for file in font_files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def known_characters(font_file: Path) -> frozenset[str]:
    """Return every character that a font can draw."""
    with TTFont(font_file, lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


def check_characters(text: str, where: str) -> None:
    """Raise `ValueError` that names the characters of ``text`` which no font can draw, each with a glyph."""
    # Marks upon other letters and marks that show nothing have a glyph in the font, but Pango draws none or
    # makes one of two; letters are placed and coloured one by one.
    missing = set(text) - {"\n"}
    marks = {character for character in missing if unicodedata.category(character) in _NO_GLYPH_OF_THEIR_OWN}
    for font_file in used_files():
        # English needs no Chinese font, and reading what that can draw takes a quarter of a second.
        if missing:
            missing -= known_characters(font_file)
    unknown = sorted(missing | marks)
    if unknown:
        names = ", ".join(f"{character!r} (U+{ord(character):04X})" for character in unknown)
        raise ValueError(
            f"{where}: neither {families().replace(', ', ' nor ')} can draw {names}; use another character"
        )
