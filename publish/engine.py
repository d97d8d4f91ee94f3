"""The render engine: hands jobs to workers, the longest first, and puts the films in place."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from publish.drawing import Drawn, draw
from publish.films import Film
from publish.jobs import Job
from publish.library import Library
from publish.progress import Progress

LOOK_EVERY = 0.5
_GONE = "the scheduler is gone; films that are finished are kept, and the same command goes on from here"


@dataclass(frozen=True)
class Failure:
    """A job without a film: why, in a line, and the file with its log."""

    job: Job
    why: str
    log: Path


class Engine:
    """Renders jobs with the workers of ``client``, ``at_once`` of them at the same time.

    Where ``at_once`` is None it is one a worker, since a worker draws one film at a time however many
    threads it has. No more are handed out, so that no job waits at a worker that another job kills.
    """

    def __init__(self, client: Client, library: Library, workplace: Path, at_once: int | None = None) -> None:
        self.client, self.library, self.workplace, self.at_once = client, library, workplace, at_once
        self.topic = f"clockhands-{uuid.uuid4().hex}"
        self.running: dict[Future[Drawn], Job] = {}
        self.finished: SimpleQueue[Future[Drawn]] = SimpleQueue()
        self.failures: list[Failure] = []

    def render(self, jobs: Iterable[Job]) -> list[Failure]:
        """Render ``jobs``, all of one format, and return those that failed.

        Raises `ConnectionError` where the scheduler is gone.
        """
        jobs = list(jobs)
        last = {job.place: self.library.last(job) for job in jobs}
        waiting = deque(sorted(jobs, key=lambda job: _seconds(last[job.place]), reverse=True))
        self.progress = Progress({place: film.frames if film else None for place, film in last.items()})
        self.client.subscribe_topic(self.topic, self.progress.hear)
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self._room():
                    self._start(waiting.popleft())
                self._take_one()
                self.progress.show()
        finally:
            self.progress.close()
        return self.failures

    def _room(self) -> int:
        try:
            return self.at_once or max(1, len(self.client.nthreads()))
        except OSError as error:
            raise ConnectionError(_GONE) from error

    def _start(self, job: Job) -> None:
        future = self.client.submit(
            draw, job, self.workplace, self.topic, key=f"draw-{uuid.uuid4().hex}", pure=False
        )
        self.running[future] = job
        future.add_done_callback(self.finished.put)

    def _take_one(self) -> None:
        """Wait a moment for a job to end, and put its film in place."""
        try:
            future = self.finished.get(timeout=LOOK_EVERY)
        except Empty:
            return
        job = self.running.pop(future)
        drawn = _result(future)
        # Held any longer, it would be drawn again when the worker that has it dies.
        future.release()
        try:
            if drawn.error is not None:
                self._fail(job, drawn.error)
            else:
                self.progress.done(job, self.library.put(job, self._made(drawn)))
        except OSError as error:
            self._fail(job, f"the film cannot be put in place: {error}")

    def _made(self, drawn: Drawn) -> Path:
        if drawn.folder is not None:
            return self.workplace / drawn.folder
        return self.library.unpack(drawn.files or {}, self.workplace)

    def _fail(self, job: Job, why: str) -> None:
        log = self.library.write_log(job, "".join(self.progress.logs[job.place]), self.workplace)
        self.failures.append(Failure(job, why, log))
        self.progress.failed(job, why)


def _seconds(film: Film | None) -> float:
    return film.seconds if film else inf


def _result(future: Future[Drawn]) -> Drawn:
    """Return what came of a job, however it ended."""
    try:
        drawn: Drawn = future.result()
    except KilledWorker as error:
        return Drawn(error=f"its worker died {error.allowed_failures + 1} times")
    except CancelledError as error:
        raise ConnectionError(_GONE) from error
    except Exception as error:  # nothing of ours has run, say because the worker lacks the package
        return Drawn(error=f"{type(error).__name__}: {error}")
    return drawn
