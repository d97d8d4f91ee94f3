"""Clips: every section of a shot as a file of its own, for somebody's slide or page.

::

    media/clips/clips.json                            all the clips that are there
    media/clips/en-dark/1080p60/ClockHands/           those of a shot, in one look and one format
        ClockHands-1-ask.mp4                          a clip, named for its shot, its place in it, its section
        ClockHands-1-ask.first.png  ….last.png        its first and its last frame
        clips.json                                    the same as above, of these clips alone

``clips.json`` is ``{"key": …, "clips": […]}``; the one of all clips has no key. A clip is

====================  =====================================================================================
``shot``              ``"ClockHands"``
``chapter``           ``"chapter_clocks"``, a name from `scenes.lecture`; null for a shot outside it
``number, section``   its place in the shot, from 1, and its name: ``1, "ask"``
``title``             the shot's title by language: ``{"en": …, "zh": …}``
``caption``           what the section says, by language
``language, theme``   those that it is drawn in: ``"en"``, ``"dark"``
``loop``              true where its last frame continues into its first
``transparent``       true where it has no background
``width, height``     in pixels
``frame_rate``        in frames a second, with ``frames`` and ``duration`` (in seconds)
``file``              the clip; like the pictures ``first`` and ``last``, relative to ``clips.json``
``size, sha256``      of the clip, in bytes and in hexadecimal digits
``parameters``        those of the shot that were changed, by name
====================  =====================================================================================
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from publish import contents, folders, video
from publish.films import Film, Section
from publish.jobs import Job, source_of
from publish.library import Library
from scenes.language import LANGUAGES, read_language
from scenes.stage import SectionType

MANIFEST = "clips.json"
CLIP_FORMATS = ("mp4", "gif", "webm", "mov")
# What a manifest that is gone, cut or of other fields raises.
_UNREADABLE = (OSError, ValueError, TypeError, KeyError)
# What clips are like is decided here, so a change of it makes them anew.
_MAKERS = source_of("clips.py", "video.py")


@dataclass(frozen=True)
class Clip:
    """A section as a file of its own; the fields are those of ``clips.json``, in the module's docstring."""

    shot: str
    chapter: str | None
    number: int
    section: str
    title: Mapping[str, str]
    caption: Mapping[str, str]
    language: str
    theme: str
    loop: bool
    transparent: bool
    width: int
    height: int
    frame_rate: float
    frames: int
    duration: float
    file: str
    first: str
    last: str
    size: int
    sha256: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def below(self, folder: str) -> Clip:
        """Return the clip as seen from further up, where its files are in ``folder``."""
        return dataclasses.replace(
            self, file=f"{folder}/{self.file}", first=f"{folder}/{self.first}", last=f"{folder}/{self.last}"
        )


class ClipLibrary:
    """The clips below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, job: Job) -> Path:
        """Return where the clips of ``job`` are, or will be."""
        return self.root / job.place

    def workplace(self) -> AbstractContextManager[Path]:
        """Make a folder to work in, for a while; see `folders.workplace`."""
        return folders.workplace(self.root, "clips")

    def find(self, job: Job) -> list[Clip] | None:
        """Return the clips of ``job`` if they are there, whole, and made from what there is now.

        Their files are relative to the folder of the job.
        """
        folder = self.folder(job)
        try:
            key, clips = _read(folder)
            whole = all(
                (folder / clip.file).stat().st_size == clip.size
                and (folder / clip.first).exists()
                and (folder / clip.last).exists()
                for clip in clips
            )
        except _UNREADABLE:
            return None
        return clips if whole and key == _key(job) else None

    def make(self, job: Job, source: Job, films: Library, workplace: Path) -> list[Clip]:
        """Make the clips of ``job`` from the film of ``source``, which is there, and put them in place."""
        film, cut_from = films.borrow(source, workplace)
        made = workplace / uuid.uuid4().hex
        made.mkdir()
        maker = _ClipMaker(job, film, cut_from, made)
        clips = [maker.make(number, section) for number, section in enumerate(film.sections, 1)]
        _write(made / MANIFEST, clips, _key(job))
        folders.put(made, self.folder(job))
        return clips

    def write_index(self, workplace: Path) -> Path:
        """Write what clips there are to ``clips.json``, and return its file."""
        index, draft = self.root / MANIFEST, workplace / MANIFEST
        # Other commands put clips in place and write this file, too: whoever writes last has seen everything.
        while True:
            clips = self.all_clips()
            _write(draft, clips)
            draft.replace(index)
            if clips == self.all_clips():
                return index

    def all_clips(self) -> list[Clip]:
        """Return what clips there are; their files are relative to ``root``."""
        clips: list[Clip] = []
        for manifest in sorted(self.root.glob(f"*/*/*/{MANIFEST}")):
            place = manifest.parent.relative_to(self.root).as_posix()
            with suppress(*_UNREADABLE):
                clips += [clip.below(place) for clip in _read(manifest.parent)[1]]
        return clips


class _ClipMaker:
    """Makes clips of the sections of one film, in the folder ``made``."""

    def __init__(self, job: Job, film: Film, source: Path, made: Path) -> None:
        self.job, self.film, self.source, self.made = job, film, source, made
        shot = job.shot_class()
        chapter = contents.chapter_of(shot)
        self.chapter = chapter.name if chapter else None
        words = {code: read_language(code) for code in LANGUAGES}
        self.title = {code: language.phrase(shot.tables(), "title").text for code, language in words.items()}
        self.captions = {code: contents.sections(shot, language) for code, language in words.items()}

    def make(self, number: int, section: Section) -> Clip:
        """Write the clip of ``section`` and its pictures, and return what is to be known of it."""
        name = f"{self.job.name}-{number}-{section.name}"
        file = self.made / f"{name}.{self.job.settings['format']}"
        self._write(section, file)
        pictures = [self.made / f"{name}.{which}.png" for which in ("first", "last")]
        for picture, target in zip(video.first_and_last(self.source / section.file), pictures, strict=True):
            picture.save(target)
        step = video.gif_step(self.film.frame_rate) if file.suffix == ".gif" else 1
        return Clip(
            shot=self.film.shot,
            chapter=self.chapter,
            number=number,
            section=section.name,
            title=self.title,
            caption={code: captions.get(section.name, "") for code, captions in self.captions.items()},
            language=self.film.language,
            theme=self.film.theme,
            loop=section.type == SectionType.LOOP,
            transparent=self.job.settings["background_opacity"] < 1.0,
            width=self.film.width,
            height=self.film.height,
            frame_rate=self.film.frame_rate / step,
            frames=ceil(section.frames / step),
            duration=section.frames / self.film.frame_rate,
            file=file.name,
            first=pictures[0].name,
            last=pictures[1].name,
            size=file.stat().st_size,
            sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
            parameters=self.job.parameters,
        )

    def _write(self, section: Section, file: Path) -> None:
        source = self.source / section.file
        if file.suffix == ".gif":
            video.write_gif(source, file, loops=section.type == SectionType.LOOP)
        elif file.suffix == ".webm":
            folders.link(source, file)
        else:
            video.remux(source, file, {"title": f"{self.title[self.film.language]}: {section.name}"})


def source_format(file_format: str, transparent: bool) -> str:
    """Return the format of the films that clips are cut from: GIFs are made from video."""
    if file_format != "gif":
        return file_format
    return "mov" if transparent else "mp4"


def _key(job: Job) -> str:
    """Return a hash over everything that the clips of ``job`` depend on."""
    return hashlib.sha256(job.key.encode() + _MAKERS).hexdigest()


def _write(file: Path, clips: Iterable[Clip], key: str | None = None) -> None:
    content: dict[str, Any] = {"key": key} if key else {}
    content["clips"] = [dataclasses.asdict(clip) for clip in clips]
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _read(folder: Path) -> tuple[str, list[Clip]]:
    content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return content["key"], [Clip(**clip) for clip in content["clips"]]
