"""What the command line says, and what it refuses before anything is drawn."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from publish import cluster, contents
from publish.arguments import parser
from publish.cli import _jobs, _name, main
from publish.clips import CLIP_FORMATS
from publish.jobs import FORMATS
from publish.progress import frames_left
from scenes.language import LANGUAGES, read_language
from scenes.lecture import CHAPTERS, SHOTS
from scenes.stage import LectureScene
from tests.publish.conftest import ROOT
from tests.scenes.harness import construct


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Films go to ``media`` below the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_list_shows_chapters_shots_and_sections(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--lang", language]) == 0
    listed = capsys.readouterr().out
    words = read_language(language)
    places = []
    for chapter in CHAPTERS:
        places += [listed.index(words.phrase([chapter.name], key).text) for key in ("title", "idea")]
        places += [listed.index(f"  {shot.__name__}: ") for shot in chapter.shots]
    assert places == sorted(places)


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.__name__)
def test_the_sections_listed_are_those_played(shot: type[LectureScene], tmp_path: Path) -> None:
    played: list[str] = []
    construct(shot, tmp_path, at_section_end=lambda _, name: played.append(name))
    assert list(contents.sections(shot, read_language("en"))) == played
    assert list(contents.sections(shot, read_language("zh"))) == played


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["render", "ClockHand"], "no shot is called 'ClockHand'; did you mean ClockHands?"),
        (["render", "clockwall"], "did you mean ClockWall?"),
        (["render", "ClockHands", "--transparent"], "mp4 holds no transparency"),
        (["clips", "ClockHands", "--transparent"], "mp4 holds no transparency"),
        (["clips", "ClockHandz", "--format", "gif"], "did you mean ClockHands?"),
        (["film", "ClockHandz"], "did you mean ClockHands?"),
        (["film", "--scheduler", "nonsense://"], "no Dask scheduler answers there"),
        (["render", "ClockHands", "--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers there"),
        (["render", "ClockHands", "--scheduler", "nonsense://"], "no Dask scheduler answers there"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", "1s")
    assert main(arguments) == 2
    check_refusal(said, capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["render", "--lang", "en", "de"], "'de' is none of en, zh"),
        (["render", "--lang", "en", "ClockHands"], "names of shots go before the options"),
        (["render", "--theme", "grey"], "'grey' is none of dark, light"),
        (["render", "-q", "x"], "invalid choice: 'x'"),
        (["render", "--format", "avi"], "invalid choice: 'avi'"),
        (["render", "--jobs", "0"], "--jobs: '0' is no number here; give 1 or more"),
        (["render", "--jobs", "many"], "--jobs: 'many' is no number here"),
        (["render", "--jobs", 5000 * "9"], f"'{12 * '9'}…' is no number here"),
        (["deck", "--to", "pptx", "--slides", "0"], "--slides: '0' is no number here; give 1 or more"),
        (["clips", "--format", "png-sequence"], "invalid choice: 'png-sequence'"),
        (["film", "--transparent"], "unrecognized arguments: --transparent"),
        (["rendr"], "invalid choice: 'rendr'"),
        ([], "COMMAND"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refusal:
        main(arguments)
    assert refusal.value.code == 2
    check_refusal(said, capsys)


def check_refusal(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = capsys.readouterr()
    assert said in err and err.count("\n") == 1 and not out
    assert not list(Path("media").rglob("*.mp4")) and not list(Path("media").rglob(".work*"))


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("render", "films to media/films"),
        ("clips", "clips to media/clips"),
        ("film", "films to media/lecture"),
    ],
)
def test_a_folder_that_cannot_be_written_is_refused_in_a_line(
    command: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("media").touch()
    assert main([command, "ClockHands"]) == 2
    out, err = capsys.readouterr()
    assert err == f"clockhands: cannot write {what}: Not a directory\n" and not out


def test_a_language_chosen_wrongly_in_the_environment_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCKHANDS_LANG", "de")
    assert main(["render", "ClockHands"]) == 2
    check_refusal("CLOCKHANDS_LANG='de' is not a language here", capsys)
    assert main(["list"]) == 2
    check_refusal("CLOCKHANDS_LANG='de' is not a language here", capsys)


@pytest.mark.parametrize("command", ["list", "params"])
def test_whoever_has_read_enough_may_leave(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        process = [sys.executable, "-m", "publish", command]
        ended = subprocess.run(process, cwd=ROOT, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(("command", "formats"), [("render", FORMATS), ("clips", CLIP_FORMATS)])
def test_a_format_that_is_advised_is_one_that_the_command_takes(
    command: str, formats: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "ClockHands", "--transparent"]) == 2
    advised = set(re.findall(r"\w+(?:-\w+)*", capsys.readouterr().err.partition("--format")[2]))
    assert advised & set(FORMATS) and advised & set(FORMATS) <= set(formats)


def test_the_frames_left_are_known_as_far_as_they_can_be() -> None:
    assert frames_left({"a": None, "b": None}, {}) is None
    assert frames_left({"a": 100, "b": 200}, {"a": 100, "b": 80}) == 120
    assert frames_left({"a": 100, "b": 200, "c": None}, {"a": 100, "b": 200}) == 150
    assert frames_left({"a": 100}, {"a": 130}) == 0, "a film may come out longer than last time"


def test_a_film_of_any_shots_has_a_name_of_its_own_that_every_disk_takes() -> None:
    names = [shot.__name__ for shot in SHOTS]
    asked = [names[:count] for count in range(len(names) + 1)] + [names[1:], names[::-1]]
    called = []
    for shots in asked:
        options = parser().parse_args(["film", *shots])
        called.append(_name(options, _jobs(options)))
    assert len(set(called)) == len(asked)
    assert max(len(name.encode()) for name in called) < 200, (
        "most disks take 255 bytes, with what is added to it"
    )
