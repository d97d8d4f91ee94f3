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

import errno
import os
import shutil
import socket
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from publish.films import Film
from publish.jobs import Job

_WORKPLACE = ".work"


class Library:
    """The films below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, job: Job) -> Path:
        """Return where the film of ``job`` is, or will be."""
        return self.root / job.place

    def log(self, job: Job) -> Path:
        """Return where the log of ``job`` is, if it failed last time."""
        return self.folder(job).with_name(f"{job.shot}.log")

    def find(self, job: Job) -> Film | None:
        """Return the film of ``job`` if it is there, whole, and made from what there is now."""
        film = Film.read(self.folder(job))
        return film if film and film.key == job.key else None

    def last(self, job: Job) -> Film | None:
        """Return the last film of the same shot in its place or, failing that, in any other."""
        others = sorted(self.root.glob(f"*/*/{job.shot}"))
        return next(filter(None, map(Film.read, [self.folder(job), *others])), None)

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        """Make a folder to work in, and remove it in the end, with those that killed commands left.

        Raises `ValueError` where films cannot be written.
        """
        name = f"{_WORKPLACE}-{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}"
        workplace = self.root.absolute() / name
        try:
            workplace.mkdir(parents=True)
        except OSError as error:
            raise ValueError(f"cannot write films to {self.root}: {error.strerror}") from error
        self._remove_abandoned()
        try:
            yield workplace
        finally:
            shutil.rmtree(workplace, ignore_errors=True)

    def put(self, job: Job, made: Path) -> Film:
        """Move the finished film in ``made`` to its place; a film that is there already gives way."""
        film = Film.read(made)
        if film is None:
            raise OSError(f"the film of {job} came incomplete")
        place = self.folder(job)
        place.parent.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                made.rename(place)
                break
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            # Another command may do the same at this moment: whoever comes last stays.
            with suppress(FileNotFoundError):
                place.rename(made.with_name(uuid.uuid4().hex))
        self.log(job).unlink(missing_ok=True)
        return film

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

    def _remove_abandoned(self) -> None:
        """Remove the workplaces of commands that were killed on this machine."""
        for workplace in self.root.glob(f"{_WORKPLACE}-{socket.gethostname()}-*-*"):
            pid = int(workplace.name.split("-")[-2])
            if not psutil.pid_exists(pid):
                shutil.rmtree(workplace, ignore_errors=True)
