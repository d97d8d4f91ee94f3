"""The gallery: a page on which to find a clip, play it, and take it to a slide.

::

    media/gallery/index.html       the page, with its words, its fonts and its program in it
    media/gallery/clips/…          the clips and their pictures, as in media/clips

The page is plain HTML, CSS and JavaScript and asks nobody for anything, so that the folder works from a
disk, a USB stick or any web server. Without JavaScript it is a list of pictures that lead to clips.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader

from pe_math import frequencies, sinusoidal
from publish import contents, folders
from publish.clips import Clip
from publish.webfonts import font_faces
from scenes.language import LANGUAGES, read_language
from scenes.lecture import CHAPTERS
from scenes.theme import THEMES

HERE = Path(__file__).parent
PAGE = "index.html"
# What every browser plays; clips in other formats are there to be taken.
PLAYED = "mp4"


@dataclass(frozen=True)
class Card:
    """One section of a shot: the clips of it, in every look, quality and format."""

    clips: Sequence[Clip]

    @property
    def sample(self) -> Clip:
        """Return a clip, for what is the same in all."""
        return self.clips[0]

    @property
    def id(self) -> str:
        """Return the name of the card, which is that of its files."""
        return Path(self.sample.file).stem

    @property
    def film(self) -> str:
        """Return the name of the film that it is cut from: the shot's, or its own where parameters differ."""
        return self.id.removesuffix(f"-{self.sample.number}-{self.sample.section}")

    @property
    def changes(self) -> str:
        """Return the parameters that were changed, as in ``base 500000, d 128``."""
        changed = self.sample.parameters.items()
        return ", ".join(f"{name} {contents.written(value)}" for name, value in sorted(changed))

    def looks(self) -> dict[str, dict[str, Any]]:
        """Return what the page needs to know of each look in which there is a clip to play."""
        looks: dict[str, dict[str, Any]] = {}
        for clip in sorted(filter(_plays, self.clips), key=lambda clip: (clip.height, clip.frame_rate)):
            looks[f"{clip.language}-{clip.theme}"] = {  # the best comes last and stays
                **{name: f"clips/{getattr(clip, name)}" for name in ("file", "first", "last")},
                **{name: getattr(clip, name) for name in ("width", "height", "duration", "loop", "language")},
                "background": THEMES[clip.theme].background,
                "downloads": [_download(other) for other in self.clips if _same_look(clip, other)],
            }
        return looks


@dataclass(frozen=True)
class Shot:
    """A shot, or one with parameters of its own, with the cards of its sections."""

    name: str
    cards: Sequence[Card]

    @property
    def changes(self) -> str:
        """Return the parameters that were changed."""
        return self.cards[0].changes


@dataclass(frozen=True)
class Chapter:
    """A chapter with its title and its idea by language, and its shots."""

    name: str
    title: dict[str, str]
    idea: dict[str, str]
    shots: Sequence[Shot]


def write_gallery(clips: Iterable[Clip], source: Path, folder: Path) -> int:
    """Write the gallery of ``clips``, whose files are below ``source``, into ``folder``.

    Return how many clips it shows; those that are in several looks count once. Raises `ValueError` where
    there are none that a browser plays.
    """
    clips = list(clips)
    chapters = list(arrange(clips))
    if not chapters:
        raise ValueError(f"there are no clips in {PLAYED} yet; `clockhands clips -q m` makes them")
    for file in {name for clip in clips for name in (clip.file, clip.first, clip.last)}:
        (folder / "clips" / file).parent.mkdir(parents=True, exist_ok=True)
        folders.link(source / file, folder / "clips" / file)
    (folder / PAGE).write_text(_page(chapters), encoding="utf-8")
    return sum(len(shot.cards) for chapter in chapters for shot in chapter.shots)


def arrange(clips: Iterable[Clip]) -> Iterator[Chapter]:
    """Yield chapters in the order of the lecture, and what belongs to none in the end."""
    cards: dict[tuple[str, int, str], list[Clip]] = {}
    for clip in clips:
        cards.setdefault((Card([clip]).film, clip.number, clip.section), []).append(clip)
    shown = [Card(same) for _, same in sorted(cards.items()) if any(map(_plays, same))]
    names = [*(shot.__name__ for chapter in CHAPTERS for shot in chapter.shots)]
    names += sorted({card.sample.shot for card in shown} - set(names))
    for chapter in [*(chapter.name for chapter in CHAPTERS), None]:
        of_chapter = [card for card in shown if card.sample.chapter == chapter]
        if of_chapter:
            yield _chapter(chapter, [shot for name in names for shot in _variants(name, of_chapter)])


def _variants(name: str, cards: Iterable[Card]) -> Iterator[Shot]:
    """Yield the shot of this name, as it is and then with each of its sets of parameters."""
    of_shot = (card for card in cards if card.sample.shot == name)
    for _, of_film in groupby(of_shot, key=lambda card: card.film):
        yield Shot(name, list(of_film))


def _chapter(name: str | None, shots: Sequence[Shot]) -> Chapter:
    if name is None:
        words = _words()
        return Chapter(
            "other",
            {code: words[code]["other_chapter"] for code in LANGUAGES},
            {code: words[code]["other_idea"] for code in LANGUAGES},
            shots,
        )
    title, idea = (
        {code: read_language(code).phrase([name], key).text for code in LANGUAGES}
        for key in ("title", "idea")
    )
    return Chapter(name, title, idea, shots)


def _page(chapters: Sequence[Chapter]) -> str:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    looks = {
        card.id: {
            "title": card.sample.title,
            "changes": card.changes,
            "caption": card.sample.caption,
            "looks": card.looks(),
        }
        for chapter in chapters
        for shot in chapter.shots
        for card in shot.cards
    }
    values = {
        "chapters": chapters,
        "cards": looks,
        "words": _words(),
        "themes": THEMES,
        "languages": LANGUAGES,
        "logo": _logo(),
        "style": (HERE / "page.css").read_text(encoding="utf-8"),
        "program": (HERE / "page.js").read_text(encoding="utf-8"),
    }
    page = environment.get_template("page.html")
    # Once to see which characters it shows, and once with the fonts for them.
    return page.render(values, fonts=font_faces(page.render(values, fonts="")))


def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))


def _logo(hands: int = 12, position: float = 7.2) -> list[tuple[float, float]]:
    """Return the tips of clock hands at ``position``, each longer than the next faster one, up to 1."""
    table = sinusoidal.table([position], frequencies.geometric(2 * hands, base=6.0))
    tips = table.reshape(hands, 2) * np.linspace(0.3, 1.0, hands)[:, None]
    return [(float(x), float(y)) for x, y in tips]


def _plays(clip: Clip) -> bool:
    return clip.file.endswith(f".{PLAYED}")


def _same_look(clip: Clip, other: Clip) -> bool:
    return (clip.language, clip.theme) == (other.language, other.theme)


def _download(clip: Clip) -> dict[str, Any]:
    return {
        "file": f"clips/{clip.file}",
        "format": Path(clip.file).suffix[1:],
        "quality": f"{clip.height}p{clip.frame_rate:g}",
        "transparent": clip.transparent,
        "size": clip.size,
    }
