"""A finished film: a folder with the film, its captions, its sections as clips, and `film.json`.

``film.json`` says what is there. It is part of the folder, and the folder is put in place in one rename,
so what it says is so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import av
from manim.scene.section import Section as ManimSection

MANIFEST = "film.json"


@dataclass(frozen=True)
class Section:
    """A section of a film: a beat of its shot. ``start`` is in seconds; ``file`` is the clip."""

    name: str
    type: str
    file: str
    start: float
    frames: int


@dataclass(frozen=True)
class Film:
    """What is known of a finished film. Files are named relative to its folder; times are in seconds.

    ``file`` is a folder for a PNG sequence, which has no sections. ``seconds`` is how long drawing took,
    and ``sizes`` holds every file of the film with its size in bytes.
    """

    key: str
    shot: str
    language: str
    theme: str
    file: str
    captions: str | None
    width: int
    height: int
    frame_rate: float
    frames: int
    duration: float
    sections: tuple[Section, ...]
    seconds: float
    sizes: dict[str, int]

    def write(self, folder: Path) -> None:
        """Write ``film.json`` into ``folder``."""
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Film | None:
        """Return the film in ``folder``; None where there is none, or not all of it."""
        try:
            fields: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            sections = tuple(Section(**section) for section in fields.pop("sections"))
            film = cls(sections=sections, **fields)
            whole = all((folder / name).stat().st_size == size for name, size in film.sizes.items())
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return film if whole else None


def read_sections(folder: Path, sections: Iterable[ManimSection], frame_rate: float) -> tuple[Section, ...]:
    """Return the sections that Manim wrote into ``folder / "sections"``."""
    found, start = [], 0
    for section in sections:
        if section.video is None:
            continue
        file = f"sections/{section.video}"
        frames = count_frames(folder / file)
        found.append(Section(section.name, str(section.type_), file, start / frame_rate, frames))
        start += frames
    return tuple(found)


def count_frames(film: Path) -> int:
    """Return how many frames a film, or a folder of PNG files, holds."""
    if film.is_dir():
        return len(list(film.glob("*.png")))
    with av.open(str(film)) as container:
        return sum(1 for packet in container.demux(video=0) if packet.size)


def sizes(folder: Path) -> dict[str, int]:
    """Return the size in bytes of every file below ``folder``, by its relative name."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.stat().st_size for file in files}
