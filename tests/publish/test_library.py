"""The folder of films: whole films only, moved into place, whoever else writes there."""

from __future__ import annotations

import dataclasses
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from publish.films import Film, Section
from publish.jobs import Job, manim_settings, plan
from publish.library import Library
from tests.publish.tiny_lecture import Tiny

SETTINGS = manim_settings("l")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "films")


def tiny_job() -> Job:
    (job,) = plan([Tiny], ["en"], ["dark"], SETTINGS)
    return job


def make_film(folder: Path, job: Job, content: str = "pictures", seconds: float = 1.0) -> Film:
    """Write what a worker would leave: a film of two files that tell of each other."""
    (folder / "sections").mkdir(parents=True)
    for name in ("Tiny.mp4", "sections/there.mp4"):
        (folder / name).write_text(content)
    sections = (Section("there", "clockhands.normal", "sections/there.mp4", 0.0, 6),)
    size = len(content.encode())
    sizes = {"Tiny.mp4": size, "sections/there.mp4": size}
    film = Film(
        job.key, job.shot, "en", "dark", "Tiny.mp4", None, 854, 480, 15.0, 6, 0.4, sections, seconds, sizes
    )
    film.write(folder)
    return film


def test_a_film_put_in_place_is_found_and_reads_as_it_was_written(library: Library) -> None:
    job = tiny_job()
    assert library.find(job) is None
    with library.workplace() as workplace:
        film = make_film(workplace / "made", job)
        assert library.put(job, workplace / "made") == film
    assert library.find(job) == library.last(job) == film


def test_a_film_of_something_else_is_not_found_but_tells_how_long_it_took(library: Library) -> None:
    job = tiny_job()
    with library.workplace() as workplace:
        film = make_film(workplace / "made", job)
        library.put(job, workplace / "made")
    changed = dataclasses.replace(job, origin={**job.origin, "numpy": "0.1"})
    elsewhere = dataclasses.replace(job, language="zh")
    assert library.find(changed) is None and library.find(elsewhere) is None
    assert library.last(changed) == library.last(elsewhere) == film


@pytest.mark.parametrize("damage", ["film gone", "section cut", "manifest cut", "manifest of other fields"])
def test_a_film_that_is_not_whole_is_none(library: Library, damage: str) -> None:
    job = tiny_job()
    with library.workplace() as workplace:
        make_film(workplace / "made", job)
        library.put(job, workplace / "made")
    folder = library.folder(job)
    if damage == "film gone":
        (folder / "Tiny.mp4").unlink()
    elif damage == "section cut":
        (folder / "sections/there.mp4").write_text("pict")
    elif damage == "manifest cut":
        os.truncate(folder / "film.json", 100)
    else:
        (folder / "film.json").write_text('{"sections": [], "sizes": {}}')
    assert library.find(job) is None and library.last(job) is None


def test_many_at_once_leave_one_whole_film(library: Library) -> None:
    """Each writer's two files hold its own number; readers must never see two numbers, or half a film."""
    job = tiny_job()
    mixed: list[str] = []
    done = threading.Event()

    def write(number: int) -> None:
        with library.workplace() as workplace:
            for turn in range(40):
                made = workplace / f"made-{turn}"
                make_film(made, job, content=f"{number}-{turn:03}")
                library.put(job, made)

    def read() -> None:
        while not done.is_set():
            try:
                folder = os.open(library.folder(job), os.O_RDONLY)
            except FileNotFoundError:
                continue
            try:
                seen = {_read_in(folder, name) for name in ("Tiny.mp4", "sections/there.mp4")}
            except FileNotFoundError:
                continue  # the folder gave way to a newer one, and was removed
            finally:
                os.close(folder)
            if len(seen) > 1:
                mixed.append(str(seen))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    reader = threading.Thread(target=read)
    for thread in (*writers, reader):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert not mixed
    assert library.find(job) is not None
    assert sorted(path.name for path in library.root.iterdir()) == ["en-dark"]


def _read_in(folder: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY, dir_fd=folder)
    try:
        return os.read(file, 100)
    finally:
        os.close(file)


def test_a_film_that_came_incomplete_is_not_put_in_place(library: Library) -> None:
    job = tiny_job()
    with library.workplace() as workplace:
        make_film(workplace / "made", job)
        (workplace / "made" / "Tiny.mp4").unlink()
        with pytest.raises(OSError, match="incomplete"):
            library.put(job, workplace / "made")
    assert not library.folder(job).exists()


def test_films_that_came_as_bytes_are_unpacked_with_their_folders(library: Library) -> None:
    with library.workplace() as workplace:
        made = library.unpack({"film.json": b"{}", "sections/a.mp4": b"\x00\x01"}, workplace)
        assert made.parent == workplace
        assert (made / "sections" / "a.mp4").read_bytes() == b"\x00\x01"


def test_a_new_film_takes_the_log_of_the_last_failure_away(library: Library) -> None:
    job = tiny_job()
    with library.workplace() as workplace:
        log = library.write_log(job, "it broke", workplace)
        assert log == library.log(job) and log.read_text() == "it broke"
        make_film(workplace / "made", job)
        library.put(job, workplace / "made")
    assert not log.exists()


def test_what_a_dead_command_left_is_removed_and_what_a_living_one_uses_is_kept(library: Library) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    host = socket.gethostname()
    names = {
        "dead": f".work-{host}-{dead.pid}-0123",
        "living": f".work-{host}-{os.getpid()}-0123",
        "elsewhere": f".work-other{host}-{dead.pid}-0123",
    }
    for name in names.values():
        (library.root / name).mkdir(parents=True)
        (library.root / name / "half a film.mp4").touch()
    with library.workplace():
        pass
    assert {path.name for path in library.root.iterdir()} == {names["living"], names["elsewhere"]}


def test_a_folder_that_cannot_be_written_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "media").touch()
    with (
        pytest.raises(ValueError, match=r"cannot write films to .*media/films: Not a directory"),
        Library(tmp_path / "media" / "films").workplace(),
    ):
        pass
