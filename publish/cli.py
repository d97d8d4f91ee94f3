"""The command line: ``clockhands list`` and ``clockhands render``."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn

from dask.system import CPU_COUNT
from manim import config

from publish import contents
from publish.cluster import cluster_workers, local_workers
from publish.engine import Engine, Failure
from publish.jobs import FORMATS, QUALITY_NAMES, Job, manim_settings, plan
from publish.library import Library
from scenes.language import LANGUAGES, chosen_language, read_language
from scenes.theme import THEMES, chosen_theme

FAILED, BAD_INPUT, STOPPED = 1, 2, 130
LOG_LINES = 12

DESCRIPTION = "Render the lecture on positional encodings: films of its shots, each beat as a clip."
RENDER_DESCRIPTION = """\
Render shots as films. Without names it renders all of them; `clockhands list` shows what there is.

A film that is there and would come out the same is kept, so after Ctrl-C, or a change, run the same
command again: it goes on where it stood. What failed is tried again, too."""
RENDER_EXAMPLES = """\
examples:
  clockhands render -q l                              a quick look at every shot
  clockhands render ClockHands ClockWall -q h         two shots at 1080p
  clockhands render --lang en zh --theme dark light   everything, in every look
  clockhands render RopeRotation --format webm --transparent

where films go (media_dir in manim.cfg is where, media/ if it says nothing):
  media/films/LANGUAGE-THEME/QUALITY/SHOT/
    SHOT.mp4        the film
    SHOT.srt        its captions
    sections/       each beat of the shot as a clip of its own
    film.json       lengths, sections, sizes, for programs
  QUALITY is 480p15, 720p30, 1080p60 ..., and names the format if it is not mp4: 720p30-webm-transparent.
  Sections of a gif are mp4, or mov where it is transparent; a PNG sequence has no sections.
  A shot that fails leaves SHOT.log there.

clusters:
  --scheduler tcp://HOST:8786 sends the shots to the workers of a Dask cluster (dask scheduler, dask worker,
  dask-jobqueue, Kubernetes). They need this package at the same version; they need not share a disk.

exit status: 0 all films are there, 1 some are not, 2 the command makes no sense, 130 stopped by Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``clockhands`` and return its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a log file should grow film by film
    options = _parser().parse_args(arguments)
    try:
        run: Callable[[argparse.Namespace], int] = options.run
        return run(options)
    except KeyboardInterrupt:
        _say("stopped; the films that are finished are kept, and the same command goes on from here", STOPPED)
        os._exit(STOPPED)  # at once: Dask would wait for workers that are just starting
    except ConnectionError as error:
        return _say(str(error), FAILED)


def list_shots(options: argparse.Namespace) -> int:
    """Run ``clockhands list``."""
    try:
        language = read_language(options.lang) if options.lang else chosen_language()
    except ValueError as error:
        return _say(str(error), BAD_INPUT)
    print("\n".join(contents.lines(language)))
    return 0


def render(options: argparse.Namespace) -> int:
    """Run ``clockhands render``."""
    library = Library((config.get_dir("media_dir") or Path()) / "films")
    with ExitStack() as stack:
        try:
            jobs = _jobs(options)
            changed = [job for job in jobs if options.force or not library.find(job)]
            engine = stack.enter_context(_engine(options, library, len(changed))) if changed else None
        except ValueError as error:
            return _say(str(error), BAD_INPUT)
        for job in jobs:
            if job not in changed:
                print(f"{job}: unchanged")
        failures = engine.render(changed) if engine else []
    print(f"{len(jobs) - len(failures)} of {len(jobs)} films are in {library.root}")
    return _report(failures)


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


def _jobs(options: argparse.Namespace) -> list[Job]:
    languages = options.lang or [chosen_language().code]
    themes = options.theme or [chosen_theme().name]
    settings = manim_settings(options.quality, options.format, options.transparent)
    return plan(contents.find_shots(options.shots), dict.fromkeys(languages), dict.fromkeys(themes), settings)


def _report(failures: Sequence[Failure]) -> int:
    for failure in failures:
        end = failure.log.read_text(encoding="utf-8").splitlines()[-LOG_LINES:]
        _say(
            f"{failure.job}: {failure.why}\n  " + "\n  ".join([*end, f"all of it is in {failure.log}"]),
            FAILED,
        )
    return FAILED if failures else 0


def _say(message: str, status: int) -> int:
    print(f"clockhands: {message}", file=sys.stderr)
    return status


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="clockhands", description=DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser(
        "list",
        help="show the chapters, their shots and the shots' sections",
        description="Show what there is.",
    )
    listing.add_argument(
        "--lang", type=_one_of(LANGUAGES), metavar="LANG", help=f"language: {', '.join(LANGUAGES)}"
    )
    listing.set_defaults(run=list_shots)

    rendering = commands.add_parser(
        "render",
        help="render shots as films",
        description=RENDER_DESCRIPTION,
        epilog=RENDER_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    rendering.add_argument(
        "shots", nargs="*", metavar="SHOT", help="names of shots, before the options (default: all)"
    )
    _add_looks(rendering)
    _add_output(rendering)
    _add_workers(rendering)
    rendering.set_defaults(run=render)
    return parser


def _add_looks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang",
        nargs="+",
        type=_one_of(LANGUAGES),
        metavar="LANG",
        help=f"languages: {', '.join(LANGUAGES)}",
    )
    parser.add_argument(
        "--theme", nargs="+", type=_one_of(THEMES), metavar="THEME", help=f"themes: {', '.join(THEMES)}"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-q",
        "--quality",
        choices=tuple(QUALITY_NAMES),
        default="h",
        help="l 480p15, m 720p30, h 1080p60 (default), p 1440p60, k 2160p60",
    )
    parser.add_argument("--format", choices=FORMATS, default="mp4", help="kind of file (default: mp4)")
    parser.add_argument("--transparent", action="store_true", help="without a background; not in mp4")
    parser.add_argument("--force", action="store_true", help="render what is there and unchanged, too")


def _add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", type=_count, metavar="N", help="films drawn at once (default: one a core, or worker)"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster to send the shots to")


def _one_of(known: Collection[str]) -> Callable[[str], str]:
    def name(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(
                f"{text!r} is none of {', '.join(known)} (names of shots go before the options)"
            )
        return text

    return name


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs; give 1 or more")
    return int(text)
