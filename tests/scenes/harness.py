"""How the tests look at shots: construct them without a film, check their layout, read films back."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
from manim import tempconfig

from scenes.language import LANGUAGE_VARIABLE
from scenes.mobjects.words import SMALLEST_FONT, TEXT_BOTTOM, TEXT_RIGHT, TEXT_TOP, is_text
from scenes.stage import LectureScene
from scenes.theme import THEME_VARIABLE, rgb_of

ROOT = Path(__file__).parents[2]
LOOKS = tuple(itertools.product(("en", "zh"), ("dark", "light")))
DRAFT = {"pixel_width": 426, "pixel_height": 240, "frame_rate": 10}

# Boxes may touch by this much: glyphs rarely fill the corners of their boxes.
TOUCH = 0.02
# As faint as this, text is on its way in or out, and is not read.
UNSEEN = 0.05


def construct(
    shot: type[LectureScene],
    media: Path,
    language: str = "en",
    theme: str = "dark",
    at_section_end: Callable[[LectureScene, str], None] | None = None,
) -> LectureScene:
    """Run a shot through without writing a film; call ``at_section_end`` as each section ends."""

    class Watched(shot):  # type: ignore[valid-type, misc]
        def end_beat(self) -> None:
            beat = self._beat
            super().end_beat()
            if beat is not None and at_section_end is not None:
                at_section_end(self, beat.name)

    Watched.__name__ = shot.__name__
    with (
        looking(language, theme),
        tempconfig({"dry_run": True, "media_dir": str(media), "progress_bar": "none", **DRAFT}),
    ):
        scene: LectureScene = Watched(skip_animations=True)
        scene.render()
    return scene


class looking:  # noqa: N801  # reads as a phrase: with looking("zh", "light")
    """Set the language and the theme for a while."""

    def __init__(self, language: str = "en", theme: str = "dark") -> None:
        self.wanted = {LANGUAGE_VARIABLE: language, THEME_VARIABLE: theme}

    def __enter__(self) -> None:
        self.before = {name: os.environ.get(name) for name in self.wanted}
        os.environ.update(self.wanted)

    def __exit__(self, *_: object) -> None:
        for name, value in self.before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


# Layout


def texts_on_screen(scene: LectureScene) -> list[Any]:
    """Return the texts that can be read now."""
    return [mobject for mobject in scene.on_screen() if is_text(mobject) and opacity(mobject) > UNSEEN]


def opacity(text: Any) -> float:
    """Return the opacity of the most opaque part of a text."""
    return max((part.get_fill_opacity() for part in text.family_members_with_points()), default=0.0)


def label(text: Any) -> str:
    """Return what a text says, for a message."""
    return repr(getattr(text, "text", None) or getattr(text, "typst_code", text))


def box(text: Any) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top."""
    (left, bottom, _), (right, top, _) = text.get_corner([-1, -1, 0]), text.get_corner([1, 1, 0])
    return left, bottom, right, top


def layout_faults(scene: LectureScene) -> list[str]:
    """Return what is wrong with the texts on screen: place, size, contrast and overlaps."""
    faults = []
    texts = texts_on_screen(scene)
    for text in texts:
        left, bottom, right, top = box(text)
        if (
            left < -TEXT_RIGHT - TOUCH
            or right > TEXT_RIGHT + TOUCH
            or bottom < TEXT_BOTTOM - TOUCH
            or top > TEXT_TOP + TOUCH
        ):
            faults.append(
                f"{label(text)} stands outside: x {left:.2f} to {right:.2f}, y {bottom:.2f} to {top:.2f}"
            )
        if text.font_size < SMALLEST_FONT - 0.01:
            faults.append(f"{label(text)} has font size {text.font_size:.1f}")
        if opacity(text) > 0.95:
            faults += [
                f"{label(text)} has contrast {ratio:.1f} in {part.get_fill_color()}"
                for part in text.family_members_with_points()
                if (ratio := contrast(str(part.get_fill_color().to_hex()), scene.theme.background)) < 4.5
            ]
    for one, other in itertools.combinations(texts, 2):
        if overlap(box(one), box(other)):
            faults.append(f"{label(one)} and {label(other)} overlap")
    return faults


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Tell whether two boxes share more than a touch."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width > TOUCH and height > TOUCH


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2, 1 to 21, of two ``#rrggbb`` colours."""
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    srgb = rgb_of(color)
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


# Films


def manim_render(*arguments: str, media: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``manim render`` as a user does, from the root of the repository, into ``media``."""
    command = [
        sys.executable,
        "-m",
        "manim",
        "render",
        "--media_dir",
        str(media),
        "--progress_bar",
        "none",
        *arguments,
    ]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        text=True,
        capture_output=True,
        check=False,
        timeout=600,
    )


def frame_digests(film: Path) -> list[str]:
    """Return a hash of each decoded frame's pixels."""
    with av.open(str(film)) as container:
        return [
            hashlib.sha256(frame.to_ndarray().tobytes()).hexdigest() for frame in container.decode(video=0)
        ]


def frames(film: Path, numbers: set[int]) -> dict[int, np.ndarray[Any, Any]]:
    """Return the frames of these numbers as RGB arrays."""
    with av.open(str(film)) as container:
        decoded = enumerate(container.decode(video=0))
        return {number: frame.to_ndarray(format="rgb24") for number, frame in decoded if number in numbers}


def only(folder: Path, pattern: str) -> Path:
    """Return the one file below ``folder`` that matches."""
    (found,) = (file for file in folder.rglob(pattern) if "partial_movie_files" not in file.parts)
    return found


def section_index(media: Path, shot: str) -> list[dict[str, Any]]:
    """Return what Manim wrote about a shot's sections."""
    index: list[dict[str, Any]] = json.loads(only(media, f"{shot}.json").read_text())
    return index
