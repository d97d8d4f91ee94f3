"""What ``clockhands`` takes: its commands, their options and their help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

from publish.clips import CLIP_FORMATS
from publish.jobs import FORMATS, QUALITY_NAMES
from scenes.language import LANGUAGES
from scenes.theme import THEMES

BAD_INPUT = 2

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
CLIPS_DESCRIPTION = """\
Make a file of its own of every beat of the shots, for a slide or a web page: with its first and its last
frame as pictures, and a list of all clips for programs. Films that are missing are rendered first."""
CLIPS_EXAMPLES = """\
examples:
  clockhands clips ClockHands -q m                    for PowerPoint, Keynote, Google Slides, a web page
  clockhands clips ClockHands --format webm --transparent    without a background, for a browser
  clockhands clips ClockHands --format mov --transparent     without a background, for Keynote and Final Cut
  clockhands clips RotationFan --format gif -q l      where no video can be shown

where clips go (media_dir in manim.cfg is where, media/ if it says nothing):
  media/clips/clips.json               all clips: titles, captions, lengths, sizes
  media/clips/LANGUAGE-THEME/QUALITY/SHOT/
    SHOT-1-BEAT.mp4                    the first beat of the shot
    SHOT-1-BEAT.first.png  .last.png   its first and its last frame
    clips.json                         the clips of this shot
  QUALITY is 480p15, 720p30, 1080p60 ..., and names the format if it is not mp4: 720p30-webm-transparent."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help keeps its lines."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of ``clockhands``; what it parses has the name of the ``command`` asked for."""
    whole = _Parser(prog="clockhands", description=DESCRIPTION)
    commands = whole.add_subparsers(required=True, metavar="COMMAND", dest="command")

    listing = commands.add_parser(
        "list",
        help="show the chapters, their shots and the shots' sections",
        description="Show what there is.",
    )
    listing.add_argument(
        "--lang", type=_one_of(LANGUAGES), metavar="LANG", help=f"language: {', '.join(LANGUAGES)}"
    )

    rendering = commands.add_parser(
        "render", help="render shots as films", description=RENDER_DESCRIPTION, epilog=RENDER_EXAMPLES
    )
    _add_shots(rendering)
    _add_looks(rendering)
    _add_quality(rendering)
    _add_format(rendering, FORMATS)
    _add_workers(rendering)

    clips = commands.add_parser(
        "clips",
        help="make a clip of every beat of the shots",
        description=CLIPS_DESCRIPTION,
        epilog=CLIPS_EXAMPLES,
    )
    _add_shots(clips)
    _add_looks(clips)
    _add_quality(clips)
    _add_format(clips, CLIP_FORMATS)
    _add_workers(clips)
    return whole


def _add_shots(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shots", nargs="*", metavar="SHOT", help="names of shots, before the options (default: all)"
    )


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


def _add_quality(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-q",
        "--quality",
        choices=tuple(QUALITY_NAMES),
        default="h",
        help="l 480p15, m 720p30, h 1080p60 (default), p 1440p60, k 2160p60",
    )
    parser.add_argument("--force", action="store_true", help="make what is there and unchanged, too")


def _add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    parser.add_argument("--format", choices=formats, default="mp4", help="kind of file (default: mp4)")
    parser.add_argument("--transparent", action="store_true", help="without a background; not in mp4")


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
