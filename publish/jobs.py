"""Jobs: one shot in one language and one theme, and everything that its film depends on."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from manim import config, tempconfig
from manim.constants import QUALITIES

from pe_math.schedules import content_digest
from scenes.digests import installed_versions, source_digest
from scenes.settings import Setting, changed, files_of, suffix, variant
from scenes.stage import LectureScene

QUALITY_NAMES = {str(quality["flag"]): name for name, quality in QUALITIES.items() if quality["flag"]}
FORMATS = ("mp4", "gif", "webm", "mov", "png-sequence")

# What a film's folder holds is decided here, so a change of it makes every film anew.
_FILM_MAKERS = ("drawing.py", "films.py", "video.py")


@dataclass(frozen=True, eq=False)
class Job:
    """One shot in one language and one theme.

    ``settings`` are Manim's, without folders: they go to the worker, whose own ``manim.cfg`` may be
    another. ``origin`` is what `origin` said when the command began, and a hash of each file that a parameter
    names. ``parameters`` are those that were changed; ``name`` is the shot's, or a name of its own for what
    they make of it.
    """

    module: str
    shot: str
    language: str
    theme: str
    settings: Mapping[str, Any]
    origin: Mapping[str, str]
    name: str
    parameters: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Return the folder of the film, below the folder of all films."""
        return f"{self.language}-{self.theme}/{_kind(self.settings)}/{self.name}"

    def shot_class(self) -> type[LectureScene]:
        """Return the shot, with its parameters."""
        shot: type[LectureScene] = getattr(import_module(self.module), self.shot)
        return variant(shot, self.parameters)

    @property
    def key(self) -> str:
        """Return a hash over everything that the film depends on: the same key, the same film."""
        parts = [self.module, self.shot, self.language, self.theme, dict(self.parameters)]
        settings = {name: str(value) for name, value in self.settings.items()}
        text = json.dumps([parts, settings, dict(self.origin)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.name} ({self.language}, {self.theme})"


def plan(
    shots: Iterable[type[LectureScene]],
    languages: Iterable[str],
    themes: Iterable[str],
    settings: Mapping[str, Any],
    given: Iterable[Setting] = (),
) -> list[Job]:
    """Return a job for every shot in every language and theme, with the parameters that are ``given``.

    Raises `ValueError` where one cannot be.
    """
    given, jobs = list(given), []
    for shot in shots:
        parameters = changed(shot, given)
        name = shot.__name__ + suffix(parameters)
        whole_origin = LOADED_ORIGIN | file_origin(parameters)
        jobs += [
            Job(shot.__module__, shot.__name__, language, theme, settings, whole_origin, name, parameters)
            for language, theme in itertools.product(languages, themes)
        ]
    return jobs


def file_origin(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of each file that ``parameters`` name, as it is now."""
    return {str(file): content_digest(file) for file in files_of(parameters)}


def manim_settings(quality: str = "h", file_format: str = "mp4", transparent: bool = False) -> dict[str, Any]:
    """Return all of Manim's settings but folders, as ``manim.cfg`` and these three say.

    ``quality`` is one of l, m, h, p and k. Raises `ValueError` where the format cannot hold what is asked.

    >>> settings = manim_settings("l")
    >>> settings["pixel_height"], settings["frame_rate"]
    (480, 15)
    """
    if transparent and file_format == "mp4":
        raise ValueError(
            "--transparent: mp4 holds no transparency; take another --format, such as webm or mov"
        )
    asked = {
        "verbosity": "ERROR",  # first: Manim warns of formats that are slow
        "quality": QUALITY_NAMES[quality],
        "format": file_format,
        "transparent": transparent,
        "save_sections": file_format != "png-sequence",
        # Each job draws in a folder of its own, where there is nothing to find again.
        "disable_caching": True,
        "progress_bar": "none",
    }
    if transparent and file_format == "mov":
        # Manim takes QuickTime Animation, which neither Keynote nor Final Cut opens.
        asked |= {"video_codec": "prores_ks", "pixel_format": "yuva444p10le"}
    with tempconfig(asked):
        settings = {name: value for name, value in config.items() if not name.endswith("_dir")}
    # Pixels and frame rate say it already, and Manim applies settings in no fixed order: last, it would win.
    del settings["quality"]
    return settings


def source_of(*names: str) -> bytes:
    """Return the source of modules of this package, for hashes of what they make."""
    return b"".join(Path(__file__).with_name(name).read_bytes() for name in names)


def origin() -> dict[str, str]:
    """Return what a film depends on besides its settings: the sources and the versions, as they are now."""
    return {
        # Around their caches: a source or a package may have changed since they were asked last.
        "scenes and pe_math": source_digest.__wrapped__(),
        "publish": hashlib.sha256(source_of(*_FILM_MAKERS)).hexdigest(),
        **installed_versions.__wrapped__(),
    }


# Taken as the modules are loaded: it describes the code that this process runs, whatever is edited later.
LOADED_ORIGIN = origin()


def _kind(settings: Mapping[str, Any]) -> str:
    """Return quality and, where it is not plain mp4, format: ``1080p60``, ``480p15-webm-transparent``."""
    parts = [f"{settings['pixel_height']}p{settings['frame_rate']:g}"]
    if settings["format"] != "mp4":
        parts.append(str(settings["format"]))
    if settings["background_opacity"] < 1.0:
        parts.append("transparent")
    return "-".join(parts)
