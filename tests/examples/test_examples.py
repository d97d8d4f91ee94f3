"""The examples: each runs in both languages and is well laid out, and the notebook runs."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from manim import tempconfig

from scenes import fonts
from scenes.mobjects.lettering import outlines
from scenes.stage import LectureScene
from scenes.theme import DARK, LIGHT
from tests.scenes.harness import ROOT, construct, contrast, layout_faults

EXAMPLES = ROOT / "examples"
FOLDERS = (EXAMPLES, EXAMPLES / "new_encoding")
SHOTS = {
    "base": "LargeBase",
    "mixed_schedule": "MixedLab",
    "real_model": "QwenClocks",
    "own_sentence": "ArrowHands",
    "brand": "BrandWall",
    "new_shot": "NewShot",
}
NEW_ENCODING = ("GoldenLab", "GoldenRace")
LONGEST = 15


@pytest.fixture(scope="module", autouse=True)
def folders() -> Iterator[None]:
    """Import from the folders of the examples, as Manim does with a file that it is given."""
    before = sys.path[:]
    sys.path[:0] = map(str, FOLDERS)
    yield
    sys.path[:] = before


@pytest.fixture(autouse=True)
def usual_fonts() -> Iterator[None]:
    """Leave no brand's font to what is drawn next."""
    yield
    fonts.choose_font(None)


def shot(module: str, name: str) -> type[LectureScene]:
    found: type[LectureScene] = getattr(importlib.import_module(module), name)
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("module", "name"), [*SHOTS.items(), *(("scene", name) for name in NEW_ENCODING)], ids=lambda part: part
)
def test_every_section_of_an_example_ends_well_laid_out(
    module: str, name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    faults: list[str] = []
    ended: list[str] = []

    def check(scene: LectureScene, section: str) -> None:
        ended.append(section)
        faults.extend(f"{section}: {fault}" for fault in layout_faults(scene))

    construct(shot(module, name), tmp_path, language, "dark", check)
    assert not faults, "\n".join(faults)
    assert len(ended) >= 2


def test_the_template_is_well_laid_out_on_light_ground_too(tmp_path: Path) -> None:
    faults: list[str] = []
    for language in ("en", "zh"):
        construct(
            shot("new_shot", "NewShot"),
            tmp_path,
            language,
            "light",
            lambda scene, _: faults.extend(layout_faults(scene)),
        )
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("speed", [0.05, 3.0])
def test_the_template_holds_at_both_ends_of_its_range(speed: float, tmp_path: Path) -> None:
    faults: list[str] = []
    variant = type("NewShot", (shot("new_shot", "NewShot"),), {"speed": speed})
    scene: Any = construct(
        variant, tmp_path, at_section_end=lambda scene, _: faults.extend(layout_faults(scene))
    )
    assert not faults
    # The hand has come round once: it points to twelve again.
    assert scene.position.get_value() == pytest.approx(2.0 * np.pi / speed)
    assert scene.clock.angle == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "file", [*(f"{name}.py" for name in SHOTS if name != "new_shot"), "new_encoding/scene.py"]
)
def test_a_worked_example_is_short(file: str) -> None:
    assert len((EXAMPLES / file).read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_the_brand_wears_its_own_ground_and_its_own_letters(tmp_path: Path) -> None:
    brand = shot("brand", "BrandWall")
    plain = outlines("clock", 30.0)
    with tempconfig({"media_dir": str(tmp_path), "dry_run": True}):
        scene = brand(skip_animations=True)
        assert scene.theme.background == "#06281f" not in (DARK.background, LIGHT.background)
        assert fonts.families().startswith("Bitter, ")
        lettered = outlines("clock", 30.0)
        assert [len(glyph) for glyph in lettered] != [len(glyph) for glyph in plain]
        # What the brand's font does not have is drawn with the usual one.
        chinese = outlines("钟", 30.0)
        fonts.choose_font(None)
        assert all(np.array_equal(a, b) for a, b in zip(chinese, outlines("钟", 30.0), strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(plain, outlines("clock", 30.0), strict=True))
    for color in (scene.theme.text, *scene.theme.hand_colors(16)):
        assert contrast(color, scene.theme.background) >= 4.5


def test_a_font_that_is_chosen_once_text_has_been_drawn_is_used(tmp_path: Path) -> None:
    # In a process of its own: here a test before may have drawn with that font, or read text back.
    code = (
        "import brand; from scenes import fonts; from scenes.mobjects.lettering import outlines\n"
        "from manim import tempconfig\n"
        "with tempconfig({'media_dir': 'media'}):\n"
        "    plain = outlines('clock', 30.0)\n"
        "    fonts.choose_font(brand.FONT)\n"
        "    lettered = outlines('clock', 30.0)\n"
        "assert [*map(len, lettered)] != [*map(len, plain)]\n"
    )
    paths = os.pathsep.join(map(str, (ROOT, *FOLDERS)))
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_a_font_that_is_none_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_text("no font")
    for file in (broken, tmp_path / "missing.ttf"):
        with pytest.raises(ValueError, match=r"is no font file; give the path of a \.ttf"):
            fonts.choose_font(file)
    assert fonts.families() == fonts.FAMILIES


def test_the_new_encoding_slows_by_the_golden_ratio() -> None:
    golden = importlib.import_module("golden").golden(64)
    # Each speed is the sum of the next two: that is what makes the ratio golden.
    assert golden[:-2] == pytest.approx(golden[1:-1] + golden[2:])
    assert golden[0] == 1.0


def test_words_in_one_language_alone_are_refused_in_the_other(tmp_path: Path) -> None:
    english = {"en": shot("new_shot", "NewShot").phrases["en"]}
    variant = type("EnglishOnly", (LectureScene,), {"phrases": english})
    with pytest.raises(ValueError, match=r"EnglishOnly\.phrases has no words in 'zh', only in en"):
        construct(variant, tmp_path, "zh")


def test_the_notebook_runs_and_shows_three_films(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    shutil.copy(EXAMPLES / "new_shot.py", tmp_path)
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace("-ql", "-r 160,90 --fps 5")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=environment)
    films = [
        output.data["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "<video" in output.get("data", {}).get("text/html", "")
    ]
    assert len(films) == 3
    written = sorted(
        path.name for path in tmp_path.glob("media/videos/**/*.mp4") if "partial" not in str(path)
    )
    assert [name.partition("-")[0].partition(".")[0] for name in written] == [
        "FastShot",
        "NewShot",
        "NewShot",
    ]
