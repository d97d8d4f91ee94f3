"""Parameters on the command line: their table, what is refused, and films with places of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from manim import LEFT, RIGHT

from publish.arguments import parser
from publish.cli import _jobs, main
from publish.drawing import draw_film
from publish.films import Film
from publish.jobs import Job, manim_settings, plan
from publish.library import Library
from scenes.clock_hands import ClockSwarm
from scenes.lecture import SHOTS
from scenes.parameters import Parameter, Schedule, declared
from scenes.settings import PARAMETERS_VARIABLE, from_pairs
from tests.publish.test_drawing import decode, dot_column
from tests.publish.tiny_lecture import Tiny


class Reaching(Tiny):
    """A dot that goes as far as it is told."""

    reach: Annotated[float, Parameter("how far the dot goes", low=0.5, high=3.0)] = 1.0
    speeds: Annotated[Schedule, Parameter("speeds")] = "geometric"

    def construct(self) -> None:
        self.next_section("there")
        self.move(RIGHT * self.reach)
        self.next_section("back")
        self.move(LEFT)

    def check(self) -> None:
        if self.reach == 2.5:
            raise ValueError("reach must not be 2.5 here")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def job(pairs: str = "", **settings: object) -> Job:
    (made,) = plan([Reaching], ["en"], ["dark"], manim_settings("l") | settings, from_pairs(pairs, "test"))
    return made


# The table


def test_the_table_has_a_row_for_each_parameter_under_aligned_headings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["params", "ClockSwarm"]) == 0
    name, headings, *rows = capsys.readouterr().out.splitlines()
    assert name == "ClockSwarm"
    columns = [headings.index(heading) for heading in ("name", "type", "range", "default", "meaning")]
    for parameter in declared(ClockSwarm).values():
        (row,) = (row for row in rows if row.split()[:1] == [parameter.name])
        cells = [row[start:end].strip() for start, end in zip(columns, [*columns[1:], None], strict=True)]
        assert cells[:2] == [parameter.name, parameter.type_name]
        assert parameter.parameter.meaning.startswith(cells[4]) and cells[4]
    base = next(row for row in rows if row.split()[0] == "base")
    assert base.split()[:6] == ["base", "number", "from", "1.5", "to", "1e+12"]
    assert base.split()[6] == "10000"


def test_every_shot_has_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["params"]) == 0
    told = capsys.readouterr().out
    for shot in SHOTS:
        assert f"\n{shot.__name__}\n" in f"\n{told}"
        for name in declared(shot):
            assert f"\n  {name} " in told


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["params", "ClockSwam"], "no shot is called 'ClockSwam'; did you mean ClockSwarm?"),
        (["--set", "ClockSwarm.bse=5"], "--set: ClockSwarm has no parameter 'bse'; did you mean base?"),
        (
            ["--set", "ClockSwarm.base=0"],
            "--set: ClockSwarm.base must be a number from 1.5 to 1e+12, got 0.0",
        ),
        (["--set", "ClockSwarm.base"], "is no pair SHOT.NAME=VALUE"),
        (["--set", "RotationFan.d=8"], "--set: RotationFan is not among the shots that are asked for"),
        (["--set", "ClockSwarm.schedule=linear", "--set", "ClockSwarm.base=5"], "schedule 'linear' has none"),
        (["--set", "ClockSwarm.model=llama-3.1-8"], "did you mean llama-3.1-8b?"),
        (["--set", "ClockSwarm.model=bloom-7b1"], "has no hands: it uses alibi; take one with RoPE"),
        (["--set", "ClockSwarm.schedule=nowhere.py:f"], "nowhere.py: cannot be read"),
        (["--params", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--params", "broken.toml"], "broken.toml: is not TOML"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line_before_anything_is_drawn(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.toml").write_text("[ClockSwarm")
    command = arguments if arguments[0] == "params" else ["render", "ClockSwarm", *arguments]
    with pytest.raises(SystemExit) as refused:
        raise SystemExit(main(command))
    assert refused.value.code == 2
    out, err = capsys.readouterr()
    assert said in err and err.startswith("clockhands: ") and err.count("\n") == 1 and not out
    assert not list(Path().rglob("*.mp4"))


# Jobs


def test_the_stronger_setting_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("swarm.toml").write_text("[ClockSwarm]\nbase = 200.0\nd = 32\n")
    monkeypatch.setenv(PARAMETERS_VARIABLE, "ClockSwarm.base=100 ClockSwarm.d=16 ClockSwarm.schedule=mixed")
    command = ["render", "ClockSwarm", "--set", "ClockSwarm.base=300", "--params", "swarm.toml"]
    (made,) = _jobs(parser().parse_args(command))
    assert made.parameters == {"schedule": "mixed", "d": 32, "base": 300.0}


def test_a_variant_has_a_name_a_place_and_a_key_of_its_own() -> None:
    plain, same, far, farther = (
        job(pairs)
        for pairs in ("", "Reaching.reach=1", "Reaching.reach=2", "Reaching.reach=3 ClockSwarm.base=5")
    )
    assert (plain.name, plain.place, plain.key) == (same.name, same.place, same.key)
    assert plain.name == "Reaching" and far.name.startswith("Reaching-reach2-")
    for name in ("name", "place", "key"):
        assert len({getattr(each, name) for each in (plain, far, farther)}) == 3
    library = Library(Path("films"))
    assert library.log(far) != library.log(plain) and library.folder(far) != library.folder(plain)
    assert far.shot_class().reach == 2.0 and plain.shot_class() is Reaching  # type: ignore[attr-defined]


def test_another_file_is_another_film() -> None:
    keys = set()
    for text in ("def f(d): ...", "def f(d): return 1"):
        Path("mine.py").write_text(text)
        made = job("Reaching.speeds=mine.py:f")
        assert "mine.py" in made.origin
        keys.add((made.key, made.name))
    assert len({key for key, _ in keys}) == len({name for _, name in keys}) == 2


def test_a_variant_is_drawn_with_its_parameters_whatever_the_worker_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PARAMETERS_VARIABLE, "Reaching.reach=0.5")
    background, columns = np.array([0x11, 0x15, 0x1D]), []
    for pairs in ("Reaching.reach=2", "Reaching.reach=3"):
        made = job(pairs)
        folder = draw_film(made, tmp_path / made.name, lambda frame: None)
        film = Film.read(folder)
        assert film is not None and film.file == f"{made.name}.mp4" and film.key == made.key
        assert all(made.name in section.file for section in film.sections)
        columns.append(dot_column(decode(folder / film.file)[5], background))
    # A frame is 14.2 units wide and 854 pixels; the sixth frame of the play is 5/6 of the way from -1.
    assert columns == pytest.approx(
        [427 + 854 / 14.222 * (-1 + 5 / 6 * (reach + 1)) for reach in (2, 3)], abs=3
    )
