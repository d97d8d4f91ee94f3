"""Captions: text cut into lines that players can show, and the files that hold it.

A line holds at most 42 Latin or 18 Chinese characters, and two lines show at a time; text that needs more is
shown in pieces, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from itertools import accumulate, pairwise
from math import ceil

import srt

LINE_LENGTH = {"en": 42, "zh": 18}
LINES = 2

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # Chinese characters and full-width punctuation
_OPENING = "（《「『【〔“‘"  # ends no line
_CLOSING = "，。、：；？！）》」』】〕”’…—～·％"  # begins no line
_MARKS = _CLOSING + ",.;:!?)]}\"'"  # begin no line where a word is cut
_WORD = rf"[^\s{_WIDE}{_OPENING}{_CLOSING}]+"
# Text is broken in front of these pieces only: a word, or one Chinese character, with its punctuation.
_PIECE = re.compile(rf"\s*[{_OPENING}]*(?:[{_WIDE}]|{_WORD}(?:’{_WORD})*)?[{_CLOSING}]*")
_SENTENCE_END = re.compile(r"[.?!。？！][”’)）」』]*$")
_CLAUSE_END = re.compile(r"[,;:，；：、—][”’)）」』]*$")


@dataclass(frozen=True)
class Cue:
    """Text of one or two lines and when it is shown, from ``start`` to ``end`` in seconds."""

    start: float
    end: float
    text: str


def cues(text: str, start: float, end: float, language: str) -> list[Cue]:
    """Return the cues that show ``text`` from ``start`` to ``end``; long ones get more of the time.

    >>> shown = cues("They are only slow. When time runs ten times faster, more come alive.", 0.0, 5.0, "en")
    >>> [(cue.start, cue.end) for cue in shown]
    [(0.0, 5.0)]
    >>> print(shown[0].text)
    They are only slow. When time runs
    ten times faster, more come alive.
    """
    length = LINE_LENGTH[language]
    parts = _split(_pieces(text, length), length, LINES)
    read = list(accumulate((len("".join(part)) for part in parts), initial=0))
    times = [start + (end - start) * count / max(1, read[-1]) for count in read]
    return [
        Cue(begins, ends, "\n".join("".join(line).strip() for line in _split(part, length, 1)))
        for part, (begins, ends) in zip(parts, pairwise(times), strict=True)
    ]


def read_srt(text: str, offset: float, end: float, language: str) -> Iterator[Cue]:
    """Yield the cues of an .srt file, cut anew, ``offset`` seconds later.

    None lasts beyond the next, or beyond ``end``.
    """
    captions = list(srt.parse(text))
    starts = [caption.start.total_seconds() + offset for caption in captions]
    for caption, start, following in zip(captions, starts, [*starts[1:], end], strict=True):
        last = min(caption.end.total_seconds() + offset, following, end)
        if start < last:
            yield from cues(" ".join(caption.content.split()), start, last, language)


def to_srt(shown: Iterable[Cue]) -> str:
    """Return an .srt file, which most players read."""
    captions = (
        srt.Subtitle(None, timedelta(seconds=cue.start), timedelta(seconds=cue.end), cue.text)
        for cue in shown
    )
    return str(srt.compose(captions))


def to_vtt(shown: Iterable[Cue]) -> str:
    """Return a .vtt file, which browsers read.

    >>> print(to_vtt([Cue(0.0, 61.5, "1 < 2")]), end="")
    WEBVTT
    <BLANKLINE>
    00:00:00.000 --> 00:01:01.500
    1 &lt; 2
    """
    blocks = [
        f"{_clock(cue.start)} --> {_clock(cue.end)}\n{escape(cue.text, quote=False)}\n" for cue in shown
    ]
    return "\n".join(["WEBVTT\n", *blocks])


def _clock(seconds: float) -> str:
    return str(srt.timedelta_to_srt_timestamp(timedelta(seconds=seconds))).replace(",", ".")


def _pieces(text: str, length: int) -> list[str]:
    """Return ``text`` in pieces, with the blanks in front of them; what is longer than a line is cut."""
    pieces: list[str] = []
    for piece in filter(None, _PIECE.findall(text.strip())):
        word = piece.lstrip()
        first, *rest = _cut(word, length)
        pieces += [piece.removesuffix(word) + first, *rest]
    return pieces


def _cut(word: str, length: int) -> list[str]:
    """Return ``word`` in parts of at most ``length`` characters; marks stay with a letter, if one is near."""
    if len(word) <= length:
        return [word]
    good = (end for end in range(length, 0, -1) if word[end] not in _MARKS and word[end - 1] not in _OPENING)
    end = next(good, length)
    return [word[:end], *_cut(word[end:], length)]


def _split(pieces: Sequence[str], length: int, lines: int) -> list[Sequence[str]]:
    """Return ``pieces`` in as few parts of at most ``lines`` lines as can be, about as long as each other.

    A part ends where a sentence or a clause does, if that is near enough.
    """
    count = _parts(pieces, length, lines)
    if count == 1:
        return [pieces]
    even = len("".join(pieces)) / count

    def badness(end: int) -> float:
        part = "".join(pieces[:end])
        return abs(len(part) - even) + length * _roughness(part)

    ends = (
        end
        for end in range(1, len(pieces))
        if _parts(pieces[:end], length, lines) == 1 and _parts(pieces[end:], length, lines) == count - 1
    )
    best = min(ends, key=badness)
    return [pieces[:best], *_split(pieces[best:], length, lines)]


def _parts(pieces: Sequence[str], length: int, lines: int) -> int:
    """Return how many parts of ``lines`` lines ``pieces`` fill, each line as full as it can be."""
    count, line = 1, ""
    for piece in pieces:
        if len((line + piece).strip()) > length:
            count, line = count + 1, ""
        line += piece
    return ceil(count / lines)


def _roughness(text: str) -> float:
    """Return how much a break after ``text`` disturbs: how many lines farther off a smooth one may be."""
    if _SENTENCE_END.search(text):
        return 0.0
    return 0.4 if _CLAUSE_END.search(text) else 1.0
