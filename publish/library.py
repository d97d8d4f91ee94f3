"""The folder of finished films, ``media/films``.

::

    media/films/zh-light/1080p60/ClockHands/          one film: Chinese, on a light background, mp4
        ClockHands.mp4  ClockHands.srt  film.json
        sections/ClockHands_0000_ask.mp4 …            its beats, each as a clip
    media/films/en-dark/720p30-webm-transparent/…     another format has a folder of its own

Nothing is written in place. A command works in a folder of its own beside the films, and each film is
moved to its place in one rename when it is complete.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from publish import folders
from publish.films import Film
from publish.jobs import Job

BORROW_ATTEMPTS = 4


class Library:
    """The films below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, job: Job) -> Path:
        """Return where the film of ``job`` is, or will be."""
        return self.root / job.place

    def log(self, job: Job) -> Path:
        """Return where the log of ``job`` is, if it failed last time."""
        return self.folder(job).with_name(f"{job.name}.log")

    def find(self, job: Job) -> Film | None:
        """Return the film of ``job`` if it is there, whole, and made from what there is now."""
        film = Film.read(self.folder(job))
        return film if film and film.key == job.key else None

    def last(self, job: Job) -> Film | None:
        """Return the last film of the same shot in its place or, failing that, in any other."""
        others = sorted(folder for name in (job.name, job.shot) for folder in self.root.glob(f"*/*/{name}"))
        return next(filter(None, map(Film.read, [self.folder(job), *others])), None)

    def workplace(self) -> AbstractContextManager[Path]:
        """Make a folder to work in, for a while; see `folders.workplace`."""
        return folders.workplace(self.root, "films")

    def put(self, job: Job, made: Path) -> Film:
        """Move the finished film in ``made`` to its place; a film that is there already gives way."""
        film = Film.read(made)
        if film is None:
            raise OSError(f"the film of {job} came incomplete")
        folders.put(made, self.folder(job))
        self.log(job).unlink(missing_ok=True)
        return film

    def borrow(self, job: Job, workplace: Path) -> tuple[Film, Path]:
        """Return the film of ``job``, which is there, and a folder with it that nobody else touches.

        Another command may put a new film in its place at any moment.
        """
        for attempt in range(BORROW_ATTEMPTS):
            time.sleep(attempt)
            copy = workplace / uuid.uuid4().hex
            with suppress(OSError):
                shutil.copytree(self.folder(job), copy, copy_function=folders.link)
            film = Film.read(copy)
            if film and film.key == job.key:
                return film, copy
        raise OSError(f"the film of {job} is gone from {self.folder(job)}, or is of other sources by now")

    def unpack(self, files: Mapping[str, bytes], workplace: Path) -> Path:
        """Write the files of a film that was drawn elsewhere, and return their folder."""
        made = workplace / uuid.uuid4().hex
        for name, content in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_bytes(content)
        return made

    def write_log(self, job: Job, text: str, workplace: Path) -> Path:
        """Write the log of a job that failed, and return its file."""
        draft, log = workplace / f"{uuid.uuid4().hex}.log", self.log(job)
        log.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text or "nothing was printed\n", encoding="utf-8")
        return draft.replace(log)
