"""Two things must have one hash where no picture could tell them apart, and two where one could."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from manim import BLUE, RED, Circle, Square, ValueTracker, tempconfig

from scenes.digests import digest_of
from scenes.stage import LectureScene
from tests.scenes.harness import DRAFT, ROOT

SOURCE = """
import math

import helper

SPEED = 2.0


class Dial:
    size = 1.0

    def turned(self, angle):
        # The hand is turned here.
        return angle * 3.0


def doubled(angle):
    return 2.0 * angle


def updater(dial):
    return lambda angle: dial.turned(doubled(angle)) + SPEED + math.sin(angle) + helper.half(angle)
"""
HELPER = "def half(angle):\n    return angle / 2.0\n"


@dataclass(slots=True)
class Slotted:
    turns: float


class Named(Enum):
    ONE = 1
    TWO = 2


class Holder:
    def __init__(self, **held: object) -> None:
        self.__dict__.update(held)


def closing_over(value: object) -> Callable[[], object]:
    return lambda: value


def with_default(value: object) -> Callable[..., object]:
    def given(argument: object = value) -> object:
        return argument

    return given


PAIRS: dict[str, tuple[object, object]] = {
    "numbers": (1.0, 1.5),
    "a number and its words": (1, "1"),
    "words": ("a, b", "a', 'b"),
    "nested lists": ([[1], 2], [[1, 2]]),
    "order": ([1, 2], [2, 1]),
    "keys": ({"a": 1}, {"b": 1}),
    "nothing and none": ([], [None]),
    "sets": ({"a", "b"}, {"a", "c"}),
    "queues": (deque([1, 2]), deque([1, 3])),
    "values of an array": (np.zeros(3), np.array([0.0, 1.0, 0.0])),
    "shapes of an array": (np.zeros((2, 3)), np.zeros((3, 2))),
    "types of an array": (np.zeros(2, dtype=np.int64), np.zeros(2)),
    "objects in an array": (np.array([None, "a"], dtype=object), np.array([None, "b"], dtype=object)),
    "fields of an array": (np.zeros(1, dtype=[("x", "f8")]), np.zeros(1, dtype=[("y", "f8")])),
    "colors": (RED, BLUE),
    "members": (Named.ONE, Named.TWO),
    "paths": (Path("a"), Path("b")),
    "slots": (Slotted(1.0), Slotted(2.0)),
    "attributes": (Holder(turns=1), Holder(turns=2)),
    "arrays among attributes": (Holder(turns=np.ones(2)), Holder(turns=np.zeros(2))),
    "members among attributes": (Holder(kind=Named.ONE), Holder(kind=Named.TWO)),
    "empty containers": (Holder(held=[]), Holder(held=())),
    "names of attributes": (Holder(turns=1), Holder(angle=1)),
    "classes": (Circle, Square),
    "what is closed over": (closing_over(1), closing_over(2)),
    "defaults": (with_default(1), with_default(2)),
    "built-in functions": (np.sin, np.cos),
    "methods": ("a".upper, "b".upper),
    "methods of objects": (Circle(radius=1.0).get_center, Circle(radius=2.0).get_center),
    "partial functions": (partial(max, 1), partial(max, 2)),
    "trackers": (ValueTracker(1.0), ValueTracker(2.0)),
    "mobjects": (Circle(color=RED), Circle(color=BLUE)),
    "one and two alike": ([(one := Holder()), one], [Holder(), Holder()]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_differs_has_another_hash(name: str) -> None:
    first, second = PAIRS[name]
    assert digest_of(first) != digest_of(second)
    assert digest_of(first) == digest_of(first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1.5, np.float64(1.5)),
        ([1, {"a": (2,)}], [1, {"a": (2,)}]),
        (Circle(color=RED), Circle(color=RED)),
        (closing_over([1, 2]), closing_over([1, 2])),
        (Holder(turns=Slotted(1.0)), Holder(turns=Slotted(1.0))),
    ],
)
def test_what_is_alike_has_one_hash(first: object, second: object) -> None:
    assert digest_of(first) == digest_of(second)


def test_circles_end() -> None:
    circle: list[object] = [1]
    circle.append(circle)
    holder = Holder()
    holder.own = holder.method = [holder, closing_over(holder)]
    assert digest_of(circle, holder) == digest_of(circle, holder)


def test_deep_nesting_is_no_trouble() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert digest_of(deep) != digest_of(deep[0])


def test_the_hash_is_the_same_in_another_process() -> None:
    code = (
        "from scenes.digests import digest_of\n"
        "from manim import Circle\n"
        "print(digest_of({'a', 'b', 'c'}, Circle(), lambda x: x in {'d', 'e', 'f'}))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()[-1]
        for seed in ("1", "2")
    }
    assert len(said) == 1


def loaded(folder: Path, name: str, source: str) -> ModuleType:
    """Return a module of the user's own with ``source``."""
    file = folder / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def of_updater(folder: Path, source: str, helper: str) -> str:
    folder.mkdir()
    loaded(folder, "helper", helper)
    module = loaded(folder, "variant", source)
    try:
        return digest_of(module.updater(module.Dial()))
    finally:
        del sys.modules["helper"], sys.modules["variant"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+ math.sin(angle)", "- math.sin(angle)"),
        ("SPEED = 2.0", "SPEED = 3.0"),
        ("return 2.0 * angle", "return 3.0 * angle"),
        ("return angle * 3.0", "return angle * 4.0"),
        ("size = 1.0", "size = 2.0"),
        ("return angle / 2.0", "return angle / 3.0"),
    ],
)
def test_an_edit_of_what_an_updater_calls_is_seen(old: str, new: str, tmp_path: Path) -> None:
    assert old in SOURCE + HELPER
    before = of_updater(tmp_path / "before", SOURCE, HELPER)
    after = of_updater(tmp_path / "after", SOURCE.replace(old, new), HELPER.replace(old, new))
    assert before != after


def test_an_edit_of_a_comment_draws_nothing_anew(tmp_path: Path) -> None:
    before = of_updater(tmp_path / "before", SOURCE, HELPER)
    commented = SOURCE.replace("# The hand is turned here.", "# Here,\n        # the hand is turned.")
    assert commented != SOURCE
    assert of_updater(tmp_path / "after", commented, HELPER) == before


def test_a_scene_counts_by_its_class_alone() -> None:
    with tempconfig({**DRAFT, "dry_run": True}):
        first, second = LectureScene(), LectureScene()
    second.notes = "anything"
    assert digest_of(closing_over(first)) == digest_of(closing_over(second))
