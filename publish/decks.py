"""Decks: the sections of shots as slides, in one HTML file or in PowerPoint files.

::

    media/decks/en-dark/1080p60/lecture-html/lecture.html           every shot
    media/decks/zh-light/720p30/RopeRotation-pptx/RopeRotation.pptx one shot
    media/decks/en-dark/1080p60/lecture-pptx/lecture-1-of-3.pptx …  more slides than PowerPoint can take

manim-slides converts them. Its own scenes do not run on this version of Manim, but what it makes of them, a
list of videos with notes, can be made of the sections of any film.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pptx
from manim_slides.config import PresentationConfig, SlideConfig
from manim_slides.convert import PowerPoint, RevealJS

from publish import contents, reveal
from publish.jobs import Job
from publish.lecture_film import TITLE
from publish.library import Library
from publish.webfonts import font_faces
from scenes.language import read_language
from scenes.stage import SectionType
from scenes.theme import THEMES

MOST_TITLES = 3  # of shots in the title of a page; of more it is the lecture's
# What the buttons of a page are called, for those who cannot see them.
_BUTTONS = {
    "en": {"pause": "Pause", "play": "Play", "captions": "Captions"},
    "zh": {"pause": "暂停", "play": "播放", "captions": "字幕"},
}


@dataclass(frozen=True)
class Deck:
    """What a deck shows: the slides of each shot, in one look; ``title`` is in its language."""

    name: str
    title: str
    language: str
    theme: str
    shots: Sequence[PresentationConfig]

    def write(self, kind: str, folder: Path, most_slides: int) -> list[str]:
        """Write the deck into ``folder`` and return the names of its files.

        ``kind`` is ``html``, for one file that holds everything, or ``pptx``, for PowerPoint files of at most
        ``most_slides``. Raises `ValueError` where HTML is asked for and reveal.js cannot be had.
        """
        if kind == "html":
            self._page().convert_to(folder / f"{self.name}.html")
            return [f"{self.name}.html"]
        parts = split(self.shots, most_slides)
        numbers = [f"-{number}-of-{len(parts)}" for number in range(1, len(parts) + 1)] if parts[1:] else [""]
        names = [f"{self.name}{number}.pptx" for number in numbers]
        for name, part in zip(names, parts, strict=True):
            PowerPoint.model_validate({"presentation_configs": part}).convert_to(folder / name)
            _describe_clips(folder / name)
        return names

    def _page(self) -> _Page:
        theme, scripts = THEMES[self.theme], reveal.folder()
        notes = [slide.notes for shot in self.shots for slide in shot.slides]
        return _Page.model_validate(
            {
                "presentation_configs": self.shots,
                "title": escape(self.title),
                "language": self.language,
                "words": _BUTTONS[self.language],
                "background_color": theme.background,
                "text": theme.text,
                "fonts": font_faces("".join(notes)),
                "reveal_style": (scripts / reveal.STYLE).read_text(encoding="utf-8"),
                "reveal_scripts": [(scripts / name).read_text(encoding="utf-8") for name in reveal.SCRIPTS],
            }
        )


class _Page(RevealJS):
    """An HTML deck; the fields are what our template shows beyond what manim-slides knows."""

    template: Path | str | None = Path(__file__).with_name("deck.html")
    one_file: bool = True
    # In pixels of the browser; a slide is scaled to the screen.
    width: int = 1280
    height: int = 720
    language: str
    words: Mapping[str, str]
    text: str
    fonts: str
    reveal_style: str
    reveal_scripts: list[str]


def _describe_clips(file: Path) -> None:
    """Give each clip its caption as the text that screen readers read, in place of the name of its file."""
    presentation = pptx.Presentation(str(file))
    for slide in presentation.slides:
        for properties in slide.shapes.element.xpath(".//p:nvPicPr/p:cNvPr"):
            properties.set("descr", slide.notes_slide.notes_text_frame.text)
    presentation.save(str(file))


def read_deck(name: str, jobs: Sequence[Job], films: Library, workplace: Path) -> Deck:
    """Return the deck of ``jobs``, which are all in one look and have their films in ``films``."""
    language = read_language(jobs[0].language)
    titles = dict.fromkeys(language.phrase(job.shot_class().tables(), "title").text for job in jobs)
    title = " · ".join(titles) if len(titles) <= MOST_TITLES else TITLE
    shots = [_presentation(job, films, workplace) for job in jobs]
    return Deck(name, title, language.code, jobs[0].theme, shots)


def split(shots: Sequence[PresentationConfig], most: int) -> list[list[PresentationConfig]]:
    """Return ``shots`` in order, in parts of at most ``most`` slides; only a longer shot is cut."""
    parts: list[list[PresentationConfig]] = [[]]
    room = most
    for piece in (piece for shot in shots for piece in _pieces(shot, most)):
        if len(piece.slides) > room:
            parts.append([])
            room = most
        parts[-1].append(piece)
        room -= len(piece.slides)
    return parts


def _pieces(shot: PresentationConfig, most: int) -> Iterator[PresentationConfig]:
    for start in range(0, len(shot.slides), most):
        yield shot.model_copy(update={"slides": shot.slides[start : start + most]})


def _presentation(job: Job, films: Library, workplace: Path) -> PresentationConfig:
    """Return the sections of one film as manim-slides would have them."""
    film, source = films.borrow(job, workplace)
    captions = contents.sections(job.shot_class(), read_language(job.language))
    slides = [
        SlideConfig(
            file=source / section.file,
            rev_file=source / section.file,  # which only its own player would show
            loop=section.type == SectionType.LOOP,
            notes=captions.get(section.name, ""),
        )
        for section in film.sections
    ]
    return PresentationConfig(slides=slides, resolution=(film.width, film.height))
