"""Drawing one film. This runs on a worker, which may be on another machine."""

from __future__ import annotations

import gc
import io
import os
import shutil
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from distributed import Worker, get_worker
from manim import config, tempconfig

from publish import video
from publish.films import Film, count_frames, read_sections, sizes
from publish.jobs import LOADED_ORIGIN, Job, file_origin, origin
from scenes.fonts import register_fonts
from scenes.language import LANGUAGE_VARIABLE
from scenes.settings import PARAMETERS_VARIABLE
from scenes.stage import LectureScene
from scenes.theme import THEME_VARIABLE

REPORT_EVERY = 0.5
# Manim's settings belong to the process, so a worker with several threads draws one film at a time.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Drawn:
    """What came of a job.

    A worker that sees the command's folder leaves the film there, in ``folder``; from elsewhere the film
    comes back as ``files``. ``error`` is one line.
    """

    error: str | None = None
    folder: str | None = None
    files: Mapping[str, bytes] | None = None


def draw(job: Job, workplace: Path, topic: str) -> Drawn:
    """Draw ``job`` on a Dask worker; what happens meanwhile is sent to ``topic``."""
    report = _Report(get_worker(), topic, job.place)
    with _ONE_AT_A_TIME, redirect_stdout(report), redirect_stderr(report):
        report.send("worker", report.worker.address)
        try:
            return _draw(job, workplace, report)
        # A shot that calls exit() must not take its worker with it.
        except (Exception, SystemExit) as error:
            report.write(traceback.format_exc())
            return Drawn(error=f"{type(error).__name__}: {error}".splitlines()[0])
        finally:
            # A scene holds itself in circles, and with it a hundred megabytes of frames.
            gc.collect()


def draw_film(job: Job, folder: Path, on_frame: Callable[[int], None]) -> Path:
    """Draw ``job`` below ``folder`` and return the folder of the finished film.

    ``on_frame`` is called before each frame with the number of frames so far; what it raises ends the job.
    """
    start = time.perf_counter()
    scene = _play(job, folder / "manim", on_frame)
    plan = scene.output_plan
    if plan.primary_artifact is None or not plan.primary_artifact.exists():
        raise RuntimeError(f"{job.shot} plays nothing, so there is no film")
    film = folder / "film"
    film.mkdir()
    if plan.section_index is not None:
        plan.section_index.unlink()  # film.json says the same, and more
    for made in (plan.primary_artifact, plan.subcaption_file, plan.sections_dir):
        if made is not None and made.exists():
            made.rename(film / made.name)
    for movie in film.rglob("*.mov"):
        video.name_prores(movie)
    captions = plan.subcaption_file and film / plan.subcaption_file.name
    frame_rate = float(job.settings["frame_rate"])
    frames = count_frames(film / plan.primary_artifact.name)
    Film(
        key=job.key,
        shot=job.shot,
        language=job.language,
        theme=job.theme,
        file=plan.primary_artifact.name,
        captions=captions.name if captions and captions.exists() else None,
        width=job.settings["pixel_width"],
        height=job.settings["pixel_height"],
        frame_rate=frame_rate,
        frames=frames,
        duration=frames / frame_rate,
        sections=read_sections(film, scene.renderer.file_writer.sections, frame_rate),
        seconds=time.perf_counter() - start,
        sizes=sizes(film),
    ).write(film)
    return film


def check_parameters(job: Job) -> None:
    """Raise `ValueError` where the parameters of ``job`` do not go together."""
    with _look(job), tempconfig({"dry_run": True}):
        job.shot_class()()


class NotWantedError(Exception):
    """The command that asked for a film is gone."""


class _Report(io.TextIOBase):
    """Sends the command what a job does; what the job prints may be written to it."""

    def __init__(self, worker: Worker, topic: str, place: str) -> None:
        self.worker, self.topic, self.place = worker, topic, place
        self.task = worker.get_current_task()
        self.sent_at = 0.0

    def send(self, what: str, value: object) -> None:
        """Send one value: the ``worker``, how many ``frames`` are drawn, or text for the ``log``."""
        self.worker.log_event(self.topic, {"place": self.place, "what": what, "value": value})

    def write(self, text: str) -> int:
        """Send ``text`` for the log."""
        self.send("log", text)
        return len(text)

    def frame(self, number: int) -> None:
        """Send how many frames are drawn, now and then; end a job that nobody waits for any more."""
        if time.monotonic() - self.sent_at < REPORT_EVERY:
            return
        self.sent_at = time.monotonic()
        self.send("frames", number)
        task = self.worker.state.tasks.get(self.task)
        if task is None or task.state != "executing":
            raise NotWantedError(f"{self.place} is not wanted any more")


class _Watched(LectureScene):
    """A shot that calls `on_frame` before each frame."""

    on_frame: Callable[[int], None]

    def update_to_time(self, t: float) -> None:
        self.on_frame(round(self.time * config.frame_rate))
        super().update_to_time(t)


def _draw(job: Job, workplace: Path, report: _Report) -> Drawn:
    _check_origin(job, LOADED_ORIGIN | file_origin(job.parameters))
    shared = os.access(workplace, os.W_OK)
    with TemporaryDirectory(dir=workplace if shared else report.worker.local_directory) as folder:
        film = draw_film(job, Path(folder), _while_wanted(Path(folder), report.frame))
        _check_origin(job, origin() | file_origin(job.parameters))
        if shared:
            kept = film.rename(workplace / uuid.uuid4().hex)
            return Drawn(folder=kept.name)
        files = (file for file in film.rglob("*") if file.is_file())
        return Drawn(files={file.relative_to(film).as_posix(): file.read_bytes() for file in files})


def _while_wanted(folder: Path, on_frame: Callable[[int], None]) -> Callable[[int], None]:
    """Return ``on_frame``, which ends the job once the command that has ended has removed ``folder``.

    Manim makes it again with its next file, so something in it tells; and what Manim has made is removed.
    """
    mark = folder / "wanted"
    mark.touch()

    def watched(frame: int) -> None:
        if not mark.exists():
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):
                folder.parent.rmdir()
            raise NotWantedError(f"{folder} is not wanted any more")
        on_frame(frame)

    return watched


def _check_origin(job: Job, here: Mapping[str, str]) -> None:
    """Raise `RuntimeError` that names the differences where this is not what ``job`` was planned with."""
    different = [name for name, value in job.origin.items() if here.get(name) != value]
    if different:
        raise RuntimeError(
            f"{', '.join(different)}: changed since the command began, or other on this worker than there; "
            "run the command again, on a cluster after restarting its workers"
        )


def _play(job: Job, folder: Path, on_frame: Callable[[int], None]) -> LectureScene:
    """Play the shot of ``job`` and return it; all that Manim writes is below ``folder``."""
    folders = {
        "media_dir": str(folder),
        "video_dir": "{media_dir}/film",
        "images_dir": "{media_dir}/images",
        "sections_dir": "{media_dir}/sections",
        "partial_movie_dir": "{media_dir}/parts",
    }
    register_fonts()  # before its setting could be undone with the others
    watched = type(job.shot, (_Watched, job.shot_class()), {"on_frame": staticmethod(on_frame)})
    with _look(job), tempconfig({**job.settings, **folders, "output_file": job.name}):
        scene: LectureScene = watched()
        scene.render()
    return scene


@contextmanager
def _look(job: Job) -> Iterator[None]:
    """Set the language and the theme of ``job`` for a while; its parameters it has already."""
    wanted = {LANGUAGE_VARIABLE: job.language, THEME_VARIABLE: job.theme, PARAMETERS_VARIABLE: ""}
    before: dict[str, Any] = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
