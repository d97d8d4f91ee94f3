"""Folders that are whole or not there at all: made in a workplace, and moved into place in one rename."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

_WORKPLACE = ".work"


@contextmanager
def workplace(root: Path, contents: str) -> Iterator[Path]:
    """Make a folder to work in below ``root``; remove it in the end, with those that killed commands left.

    Raises `ValueError` where ``contents``, say "films", cannot be written.
    """
    name = f"{_WORKPLACE}-{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}"
    place = root.absolute() / name
    try:
        place.mkdir(parents=True)
    except OSError as error:
        raise ValueError(f"cannot write {contents} to {root}: {error.strerror}") from error
    _remove_abandoned(root)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def put(made: Path, place: Path) -> None:
    """Move the folder ``made``, in a workplace, to ``place``; a folder that is there already gives way."""
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


def link(source: str | Path, target: str | Path) -> None:
    """Give a file that never changes a second name, or copy it where the disk cannot do that."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _remove_abandoned(root: Path) -> None:
    """Remove the workplaces of commands that were killed on this machine."""
    for abandoned in root.glob(f"{_WORKPLACE}-{socket.gethostname()}-*-*"):
        pid = int(abandoned.name.split("-")[-2])
        if not psutil.pid_exists(pid):
            shutil.rmtree(abandoned, ignore_errors=True)
