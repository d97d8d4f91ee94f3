"""Schedules: the frequencies that a name, numbers, a function, or a function in a file stand for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_math import frequencies, schedules
from pe_math.training.__main__ import main
from pe_math.training.configuration import ModelOptions


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file with a schedule of one's own: halving from plane to plane."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from dataclasses import dataclass\n\n\n"
        "@dataclass\nclass Ratio:\n    value: float\n\n\n"
        "def halves(d):\n    return [Ratio(2.0).value ** -k for k in range(d // 2)]\n\n\n"
        "def fails(d):\n    return 1 / 0\n\n\n"
        "def leaves(d):\n    raise SystemExit\n"
    )
    return file


def test_names_numbers_functions_and_files_stand_for_their_frequencies(mine: Path) -> None:
    assert schedules.resolve("geometric", 6) == pytest.approx([10000.0 ** (-k / 3) for k in range(3)])
    assert schedules.resolve("geometric", 6, base=8.0) == pytest.approx([1.0, 0.5, 0.25])
    assert schedules.resolve("linear", 6) == pytest.approx([1.0, 0.505, 0.01])
    assert schedules.resolve((1.0, 0.5, 0.1), 6).tolist() == [1.0, 0.5, 0.1]
    assert schedules.resolve(lambda d: np.full(d // 2, 0.25), 6).tolist() == [0.25] * 3
    assert schedules.resolve(f"{mine}:halves", 6).tolist() == [1.0, 0.5, 0.25]


class Speechless:
    """What fails when it is shown."""

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        ("geometrik", "did you mean geometric?"),
        ("", "one of geometric, mixed, linear, or FILE.py:FUNCTION"),
        ("nowhere.py:f", "nowhere.py: cannot be read"),
        ("MINE:halfs", "has no function 'halfs'; did you mean halves?"),
        ("MINE:fails", "fails for d=6: ZeroDivisionError: division by zero"),
        ("MINE:leaves", "fails for d=6: SystemExit"),
        ((1.0, 0.5), "3 finite numbers of at least 0 for an encoding of width 6"),
        ((1.0, 0.5, math.nan), "gives nan"),
        ((1.0, 0.5, -0.1), "gives -0.1"),
        ([[1.0, 0.5, 0.1]], r"shape \(1, 3\)"),
        (lambda d: "fast", "gives 'fast'"),
        (lambda d: None, "gives"),
        (lambda d: [10**400] * 3, "gives .10000"),
        (lambda d: [10**5_000] * 3, "gives a value of type list that cannot"),
        (lambda d: Speechless(), "gives a value of type Speechless that cannot"),
        (lambda d: np.full((2, 2), "fast"), "gives array"),
    ],
)
def test_what_is_no_schedule_is_refused_in_a_line(schedule: Any, said: str, mine: Path) -> None:
    schedule = schedule.replace("MINE", str(mine)) if isinstance(schedule, str) else schedule
    with pytest.raises(ValueError, match=said) as refused:
        schedules.resolve(schedule, 6)
    assert "\n" not in str(refused.value)


def test_a_file_that_fails_is_told_in_a_line(tmp_path: Path) -> None:
    for name, text, said in (
        ("syntax", "def f(d) return 1", "SyntaxError"),
        ("raises", "raise RuntimeError('first\\nsecond')", "RuntimeError: first second"),
        ("leaves", "exit()", "SystemExit"),
    ):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        with pytest.raises(ValueError, match=f"{name}.py fails: {said}") as refused:
            schedules.resolve(f"{file}:f", 4)
        assert "\n" not in str(refused.value)


def test_an_edited_file_is_read_again_at_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    for value in (0.5, 0.7):  # as long a text, within the same second
        file.write_text(f"def f(d):\n    return [{value}] * (d // 2)\n")
        assert schedules.resolve(f"{file}:f", 4).tolist() == [value] * 2


def test_a_base_is_for_those_that_have_one() -> None:
    for schedule in ("linear", (1.0, 0.5), frequencies.geometric, "mine.py:mine"):
        assert not schedules.takes_base(schedule)
        with pytest.raises(ValueError, match="base must be left out"):
            schedules.resolve(schedule, 4, base=100.0)  # type: ignore[arg-type]


@given(st.lists(st.floats(1e-12, 10.0), min_size=1, max_size=20))
def test_hands_go_from_fast_to_slow(values: list[float]) -> None:
    ordered = sorted(values, reverse=True)
    assert schedules.fast_to_slow(ordered).tolist() == ordered
    if values != ordered:
        with pytest.raises(ValueError, match="from fast to slow"):
            schedules.fast_to_slow(values)
    with pytest.raises(ValueError, match="positive"):
        schedules.fast_to_slow([*ordered, 0.0])


def test_the_lab_takes_the_same_schedules(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = (1.0, 0.5, 0.25, 0.125)
    by_file, by_name = (
        ModelOptions("rope", width=16, heads=2, frequencies=schedule)
        for schedule in (f"{mine}:halves", "linear")
    )
    assert by_file.schedules() == (numbers,)
    assert by_name.schedules() == (tuple(frequencies.linear(8).tolist()),)
    assert ModelOptions.from_description(by_file.describe()).schedules() == (numbers,)
    assert main(["train", "half_sum", "rope", "--frequencies", f"{mine}:halfs"]) == 1
    assert capsys.readouterr().err == f"error: {mine} has no function 'halfs'; did you mean halves?\n"
