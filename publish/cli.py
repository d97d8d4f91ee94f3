"""The command line: what each command of ``clockhands`` does."""

from __future__ import annotations

import argparse
import io
import os
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dask.system import CPU_COUNT
from manim import config

from publish import contents, folders
from publish.arguments import BAD_INPUT, parser
from publish.clips import ClipLibrary, source_format
from publish.cluster import cluster_workers, local_workers
from publish.drawing import check_parameters
from publish.engine import Engine, Failure
from publish.jobs import Job, manim_settings, plan
from publish.lecture_film import LectureFilm
from publish.library import Library
from scenes import settings
from scenes.language import chosen_language, read_language
from scenes.settings import Setting
from scenes.theme import chosen_theme

FAILED, STOPPED = 1, 130
SET = "--set"
LOG_LINES = 12
MOST_NAMES = 3  # of shots in the name of a film or a deck: a file's name has at most 255 bytes


class RefusedError(Exception):
    """The command makes no sense, or something is in its way: told in a line before anything is drawn."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``clockhands`` and return its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a log file should grow film by film
    options = parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except KeyboardInterrupt:
        _say("stopped; the films that are finished are kept, and the same command goes on from here", STOPPED)
        os._exit(STOPPED)  # at once: Dask would wait for workers that are just starting
    except OSError as error:  # the scheduler is gone, the disk is full ...
        return _say(str(error), FAILED)
    except RefusedError as error:
        return _say(str(error), BAD_INPUT)


def list_shots(options: argparse.Namespace) -> int:
    """Run ``clockhands list``."""
    with _refusing():
        language = read_language(options.lang) if options.lang else chosen_language()
    return _show(contents.lines(language))


def render(options: argparse.Namespace) -> int:
    """Run ``clockhands render``."""
    library = Library(_media() / "films")
    with _refusing():
        jobs = _jobs(options)
    failures = _make_films(options, library, jobs)
    print(f"{len(jobs) - len(failures)} of {len(jobs)} films are in {library.root}")
    return _report(failures)


def clips(options: argparse.Namespace) -> int:
    """Run ``clockhands clips``."""
    library, shelf = Library(_media() / "films"), ClipLibrary(_media() / "clips")
    with ExitStack() as stack:
        with _refusing():
            jobs = _jobs(options)
            sources = _jobs(options, source_format(options.format, options.transparent))
            workplace = stack.enter_context(shelf.workplace())
        found = {job: None if options.force else shelf.find(job) for job in jobs}
        missing = [(job, source) for job, source in zip(jobs, sources, strict=True) if found[job] is None]
        failures = _make_films(options, library, [source for _, source in missing])
        failed = {failure.job for failure in failures}
        for job, source in missing:
            if source not in failed:
                found[job] = shelf.make(job, source, library, workplace)
        shelf.write_index(workplace)
    print(f"{sum(len(of_shot or []) for of_shot in found.values())} clips are in {shelf.root}")
    return _report(failures)


def film(options: argparse.Namespace) -> int:
    """Run ``clockhands film``."""
    library, root = Library(_media() / "films"), _media() / "lecture"
    with ExitStack() as stack:
        with _refusing():
            jobs = _jobs(options)
            workplace = stack.enter_context(folders.workplace(root, "films"))
        failures = _make_films(options, library, jobs)
        for of_look in _whole_looks(jobs, failures):
            whole = LectureFilm(_name(options, jobs), of_look, burns_captions=options.burn_captions)
            if options.force or not whole.is_in(root):
                if options.burn_captions:
                    print(f"{whole.file_name}: drawing captions into the pictures takes a while")
                folders.put(whole.make(library, workplace), root / whole.place)
            print(root / whole.place / f"{whole.file_name}.mp4")
    return _report(failures)


def deck(options: argparse.Namespace) -> int:
    """Run ``clockhands deck``."""
    from publish import decks, reveal  # here, for manim-slides takes seconds to load

    library, root = Library(_media() / "films"), _media() / "decks"
    with ExitStack() as stack:
        with _refusing():
            jobs = _jobs(options)
            if options.to == "html":
                reveal.folder()
            workplace = stack.enter_context(folders.workplace(root, "decks"))
        failures = _make_films(options, library, jobs)
        for of_look in _whole_looks(jobs, failures):
            made = workplace / uuid.uuid4().hex
            whole = decks.read_deck(_name(options, jobs), of_look, library, workplace)
            files = whole.write(options.to, made, options.slides)
            place = root / Path(of_look[0].place).parent / f"{_name(options, jobs)}-{options.to}"
            folders.put(made, place)
            print(*(place / file for file in files), sep="\n")
            if len(files) > 1:
                print(f"{len(files)} files of at most {options.slides} slides")
    return _report(failures)


def gallery(options: argparse.Namespace) -> int:
    """Run ``clockhands gallery``."""
    from publish.gallery import PAGE, write_gallery

    shelf, place = ClipLibrary(_media() / "clips"), _media() / "gallery"
    with ExitStack() as stack:
        with _refusing():
            workplace = stack.enter_context(folders.workplace(_media(), "the gallery"))
            count = write_gallery(shelf.all_clips(), shelf.root, workplace / place.name)
        folders.put(workplace / place.name, place)
    print(f"{count} clips are in {place / PAGE}")
    return 0


def show_parameters(options: argparse.Namespace) -> int:
    """Run ``clockhands params``."""
    with _refusing():
        shots = contents.find_shots(options.shots)
    return _show("\n".join(contents.parameter_lines(shot)) + "\n" for shot in shots)


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "list": list_shots,
    "params": show_parameters,
    "render": render,
    "film": film,
    "clips": clips,
    "deck": deck,
    "gallery": gallery,
}


@contextmanager
def _refusing() -> Iterator[None]:
    """Take a `ValueError` for a refusal; where commands work, it is a bug."""
    try:
        yield
    except ValueError as error:
        raise RefusedError(error) from error


def _media() -> Path:
    return config.get_dir("media_dir") or Path()


def _name(options: argparse.Namespace, jobs: Sequence[Job]) -> str:
    """Return what a film or a deck is called: after the shots that are named and what was changed in them."""
    if options.shots:
        names = list(dict.fromkeys(job.name for job in jobs))
        if len(names) <= MOST_NAMES:
            return "-".join(names)
        return f"{names[0]}-and-{len(names) - 1}-more-{settings.digest({'shots': names})[:6]}"
    changed = {job.name: job.parameters for job in jobs if job.parameters}
    return f"lecture-{settings.digest(changed)[:6]}" if changed else "lecture"


def _make_films(options: argparse.Namespace, library: Library, jobs: Sequence[Job]) -> list[Failure]:
    """Render those of ``jobs`` whose films are not there, and return those that failed."""
    with ExitStack() as stack:
        with _refusing():
            changed = [job for job in jobs if options.force or not library.find(job)]
            engine = stack.enter_context(_engine(options, library, len(changed))) if changed else None
        for job in jobs:
            if job not in changed:
                print(f"{job}: unchanged")
        return engine.render(changed) if engine else []


@contextmanager
def _engine(options: argparse.Namespace, library: Library, count: int) -> Iterator[Engine]:
    """Return an engine with the workers asked for; raise `ValueError` where something is in the way."""
    with library.workplace() as workplace:
        if options.scheduler:
            with cluster_workers(options.scheduler) as client:
                yield Engine(client, library, workplace, options.jobs)
        else:
            with local_workers(min(options.jobs or CPU_COUNT, count), workplace) as client:
                yield Engine(client, library, workplace)


def _jobs(options: argparse.Namespace, file_format: str | None = None) -> list[Job]:
    languages = options.lang or [chosen_language().code]
    themes = options.theme or [chosen_theme().name]
    manim = manim_settings(options.quality, file_format or options.format, options.transparent)
    shots, given = contents.find_shots(options.shots), _given(options)
    jobs = plan(shots, dict.fromkeys(languages), dict.fromkeys(themes), manim, given)
    for setting in given:
        if setting.source == SET and not any(map(setting.applies_to, shots)):
            raise ValueError(f"{SET}: {setting.shot} is not among the shots that are asked for")
    for job in jobs:
        if job.parameters:
            check_parameters(job)
    return jobs


def _given(options: argparse.Namespace) -> list[Setting]:
    """Return the parameters that are set, the strongest last."""
    from_file = settings.from_file(options.params) if options.params else []
    pairs = [settings.from_pair(pair, SET) for pair in options.set]
    return [*settings.from_environment(), *from_file, *pairs]


def _whole_looks(jobs: Sequence[Job], failures: Sequence[Failure]) -> list[list[Job]]:
    """Return the jobs of each language and theme, less those looks in which one failed."""
    looks: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        looks.setdefault((job.language, job.theme), []).append(job)
    for failure in failures:
        looks.pop((failure.job.language, failure.job.theme), None)
    return list(looks.values())


def _report(failures: Sequence[Failure]) -> int:
    for failure in failures:
        end = failure.log.read_text(encoding="utf-8").splitlines()[-LOG_LINES:]
        _say(
            f"{failure.job}: {failure.why}\n  " + "\n  ".join([*end, f"all of it is in {failure.log}"]),
            FAILED,
        )
    return FAILED if failures else 0


def _show(lines: Iterable[str]) -> int:
    """Print ``lines``; whoever reads them may stop before the end, as ``head`` does."""
    try:
        print("\n".join(lines).rstrip("\n"))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be written
    return 0


def _say(message: str, status: int) -> int:
    print(f"clockhands: {message}", file=sys.stderr)
    return status
