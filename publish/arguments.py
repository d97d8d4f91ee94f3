"""What ``clockhands`` takes: its commands, their options and their help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NoReturn

from publish.clips import CLIP_FORMATS
from publish.jobs import FORMATS, QUALITY_NAMES
from scenes.language import LANGUAGES
from scenes.theme import THEMES

BAD_INPUT = 2
LONGEST_SHOWN = 12  # characters of a number: there are no more films and no more slides

DESCRIPTION = "Render the lecture on positional encodings: films of its shots, each beat as a clip."
LIST_DESCRIPTION = """\
Show the chapters of the lecture, each with its idea, the shots of each with their titles, and the sections
of each shot with what they say."""
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
  clockhands render ClockSwarm --set ClockSwarm.base=500000
  clockhands render ClockSwarm --params llama.toml    which holds [ClockSwarm] and model = "llama-3.1-8b"

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
FILM_DESCRIPTION = """\
Join the shots to one film: mp4, with a chapter mark for every shot, captions that players can show, the same
captions as .srt and .vtt, and a poster. Shots whose films are missing are rendered first.

VLC, mpv and QuickTime show marks and captions when they are asked to; YouTube takes the .srt. Where nothing
shows captions, such as in PowerPoint, take --burn-captions."""
FILM_EXAMPLES = """\
examples:
  clockhands film -q m                                  the whole lecture, 720p
  clockhands film -q m --lang en zh --theme dark light  four films
  clockhands film RopeRotation RotationFan -q m         two shots as one film
  clockhands film -q m --burn-captions                  for players that show no captions; takes a while

where films go (media_dir in manim.cfg is where, media/ if it says nothing):
  media/lecture/LANGUAGE-THEME/QUALITY/
    lecture/lecture-en-dark.mp4           the film; beside it .srt, .vtt, .png (poster)
    lecture/lecture.json                  its length and its marks, for programs
    lecture-captions/...                  with captions in the pictures, and no files of captions
    RopeRotation-RotationFan/...          those shots that are named"""
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

PARAMS_DESCRIPTION = """\
Show what can be changed in a shot without touching code: names, types, ranges, defaults and meanings.

A value is set by --set or --params of the commands that render, or by CLOCKHANDS_PARAMS for them and for
`manim render`. What is set for a shot holds for those that vary it, too. Of several, --set wins over
--params, --params over CLOCKHANDS_PARAMS, and the last over those before.

A film with parameters of its own has a name of its own, such as ClockSwarm-base500000-1059e1."""
PARAMS_EXAMPLES = """\
examples:
  clockhands params ClockSwarm
  clockhands render ClockSwarm --set ClockSwarm.base=500000 --set ClockSwarm.d=128
  clockhands render LossRace --set LossRace.tasks=copy,half_sum
  clockhands render ClockHands --set 'ClockHands.sentence=time flies like an arrow'
  clockhands render ClockSwarm --set ClockSwarm.schedule=mine.py:mine
  CLOCKHANDS_PARAMS="ClockSwarm.base=500000 ClockSwarm.d=128" manim render scenes/clock_hands.py ClockSwarm
  CLOCKHANDS_PARAMS=llama.toml manim render scenes/clock_hands.py ClockSwarm

where llama.toml holds
  [ClockSwarm]
  model = "llama-3.1-8b"

  A file is data: nothing in it is run. Only a schedule FILE.py:FUNCTION imports that file and calls the
  function with d, the numbers in the encoding; it returns d/2 speeds in radians a position, fast to slow."""
DECK_FORMATS = ("html", "pptx")
# PowerPoint stops playing in files with many more videos.
MOST_SLIDES = 30
DECK_DESCRIPTION = """\
Make slides of shots, a slide of each beat, to show in a browser or in PowerPoint. Films that are missing are
rendered first.

An HTML deck is one file that needs no network: open it in a browser. Arrow keys or a clicker go on and back,
Space pauses, R plays a clip again, C hides the captions, S opens the speaker's view, F fills the screen,
Esc shows all slides. In the upper left corner are buttons that pause and that hide the captions.

In a PowerPoint file each clip plays when its slide comes up, and its caption is in the speaker's notes."""
DECK_EXAMPLES = """\
examples:
  clockhands deck --to html -q m RopeRotation RotationFan    one deck of two shots
  clockhands deck --to pptx -q m --lang zh --theme light     the whole lecture for PowerPoint, in Chinese

where decks go (media_dir in manim.cfg is where, media/ if it says nothing):
  media/decks/LANGUAGE-THEME/QUALITY/
    lecture-html/lecture.html                 every shot
    RopeRotation-html/RopeRotation.html       those shots that are named
    lecture-pptx/lecture-1-of-3.pptx ...      in parts, where there are more slides than PowerPoint plays"""
GALLERY_DESCRIPTION = """\
Make a page on which to find a clip, play it and take it to a slide: media/gallery/index.html. It shows the
clips that `clockhands clips` has made, in every look and format, and works from a disk and from any web
server: copy the folder."""


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
        description=LIST_DESCRIPTION,
    )
    listing.add_argument(
        "--lang", type=_one_of(LANGUAGES), metavar="LANG", help=f"language: {', '.join(LANGUAGES)}"
    )

    parameters = commands.add_parser(
        "params",
        help="show what can be changed in a shot",
        description=PARAMS_DESCRIPTION,
        epilog=PARAMS_EXAMPLES,
    )
    parameters.add_argument("shots", nargs="*", metavar="SHOT", help="names of shots (default: all)")

    rendering = commands.add_parser(
        "render", help="render shots as films", description=RENDER_DESCRIPTION, epilog=RENDER_EXAMPLES
    )
    _add_making(rendering)
    _add_format(rendering, FORMATS)

    film = commands.add_parser(
        "film",
        help="join the shots to one film with chapters and captions",
        description=FILM_DESCRIPTION,
        epilog=FILM_EXAMPLES,
    )
    _add_making(film)
    film.add_argument("--burn-captions", action="store_true", help="draw the captions into the pictures")
    film.set_defaults(format="mp4", transparent=False)

    clips = commands.add_parser(
        "clips",
        help="make a clip of every beat of the shots",
        description=CLIPS_DESCRIPTION,
        epilog=CLIPS_EXAMPLES,
    )
    _add_making(clips)
    _add_format(clips, CLIP_FORMATS)

    deck = commands.add_parser(
        "deck", help="make slides of the shots", description=DECK_DESCRIPTION, epilog=DECK_EXAMPLES
    )
    _add_making(deck)
    deck.add_argument("--to", choices=DECK_FORMATS, required=True, help="kind of deck")
    deck.add_argument(
        "--slides",
        type=_count,
        default=MOST_SLIDES,
        metavar="N",
        help=f"most slides in a PowerPoint file (default: {MOST_SLIDES}, which PowerPoint plays)",
    )
    deck.set_defaults(format="mp4", transparent=False)

    commands.add_parser("gallery", help="make a page of the clips", description=GALLERY_DESCRIPTION)
    return whole


def _add_making(parser: argparse.ArgumentParser) -> None:
    """Add what every command takes that renders shots."""
    parser.add_argument(
        "shots", nargs="*", metavar="SHOT", help="names of shots, before the options (default: all)"
    )
    _add_parameters(parser)
    _add_looks(parser)
    _add_quality(parser)
    _add_workers(parser)


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SHOT.NAME=VALUE",
        help="set a parameter of a shot (clockhands params SHOT lists them); may be given many times",
    )
    parser.add_argument(
        "--params", type=Path, metavar="FILE", help="a TOML file with parameters: a table for each shot"
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
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
    if not text.isdecimal() or shown != text or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{shown!r} is no number here; give 1 or more")
    return int(text)
