"""A Dask scheduler and two workers, started as processes of their own on this machine."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import dask
import pytest
from distributed import Client
from distributed.comm import CommClosedError

from benchmarks.bench import ROOT
from benchmarks.cluster import SETTINGS
from publish.cluster import _DASK_SETTINGS
from publish.engine import Engine
from publish.jobs import manim_settings, plan
from publish.library import Library
from tests.publish.conftest import Checkout, ended, wait_until
from tests.publish.tiny_lecture import Tiny

# Draws a film on a worker that does not see the command's folder, so that the film comes back as bytes.
FROM_AFAR = """
import sys
from pathlib import Path
from distributed import Client
from publish.drawing import draw
from publish.jobs import manim_settings, plan
from publish.library import Library
from scenes.lecture import Other

(job,) = plan([Other], ["en"], ["dark"], manim_settings("l"))
library = Library(Path("media/films"))
if __name__ == "__main__":
    with Client(sys.argv[1]) as client, library.workplace() as workplace:
        drawn = client.submit(draw, job, Path("/not/here/at/all"), "nobody listens").result()
        assert drawn.error is None and drawn.folder is None, drawn.error
        library.put(job, library.unpack(drawn.files, workplace))
"""


class Cluster:
    """A scheduler and some workers that run in ``checkout``."""

    def __init__(self, checkout: Checkout, workers: int, threads: int = 1) -> None:
        found = checkout.root / "scheduler.json"
        options = ["--no-dashboard", "--host", "127.0.0.1"]
        self.scheduler = checkout.start(
            "distributed.cli.dask_scheduler", *options, "--port", "0", "--scheduler-file", str(found)
        )
        wait_until(lambda: found.exists() and found.read_text().endswith("}"), self.scheduler)
        self.address: str = json.loads(found.read_text())["address"]
        scratch = str(checkout.root / "scratch")
        more = ["--nthreads", str(threads), "--local-directory", scratch]
        self.worker = ["distributed.cli.dask_worker", self.address, *options, *more]
        for _ in range(workers):
            checkout.start(*self.worker)


def test_a_cluster_renders_as_this_machine_does(checkout: Checkout) -> None:
    cluster = Cluster(checkout, workers=2)
    scheduler = ("--scheduler", cluster.address)

    # Two shots at once, on two workers; what cannot be drawn is told with its log.
    status, out, err = ended(checkout.render("Tiny", "Broken", "--lang", "en", "zh", *scheduler))
    assert status == 1, out + err
    assert "Broken (zh, dark): ZeroDivisionError: a bug in the shot" in err
    assert (checkout.films / "zh-dark/480p15/Broken.log").read_text().startswith("about to break")
    assert "2 of 4 films" in out
    drawers = checkout.begun("Tiny") + checkout.begun("Broken")
    assert len(drawers) == 4 and len(set(drawers)) == 2, "both workers should have had something to do"

    # A worker that sees no common folder sends the film itself.
    program = checkout.root / "from_afar.py"
    program.write_text(FROM_AFAR)
    status, out, err = ended(checkout.start("from_afar", cluster.address))
    assert status == 0, err
    film = checkout.film("Other")
    assert film is not None and film.frames == 12

    # A shot that nobody waits for any more leaves its worker to others.
    command = checkout.render("Long", "--lang", "en", "zh", *scheduler)
    wait_until(lambda: len(checkout.begun("Long")) == 2, command)
    os.killpg(command.pid, signal.SIGINT)
    assert ended(command)[0] == 130
    status, out, err = ended(checkout.render("Tiny", "--force", *scheduler))
    assert status == 0, out + err

    # A worker that has loaded other sources than there are now is told apart.
    with (checkout.root / "scenes" / "text" / "en.toml").open("a") as words:
        words.write("# changed\n")
    status, out, err = ended(checkout.render("Tiny", *scheduler))
    assert status == 1 and "scenes and pe_math: changed" in err


def test_workers_elsewhere_are_told_the_settings_of_those_here() -> None:
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    exports = re.findall(r"^export (DASK_\w+)=(.*)$", page, re.M)
    told = {name: value.strip("'") for name, value in exports}
    assert told == SETTINGS
    elsewhere = dask.config.collect_env(told)
    with dask.config.set(_DASK_SETTINGS):
        for name in (
            "distributed.worker.profile.enabled",
            "distributed.admin.tick.interval",
            "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_",
        ):
            assert dask.config.get(name, config=elsewhere) == dask.config.get(name)


def test_a_worker_of_many_threads_is_given_one_film_at_a_time(checkout: Checkout) -> None:
    """Films that waited at a worker would be counted as failed whenever another one kills it."""
    cluster = Cluster(checkout, workers=1, threads=4)
    status, out, err = ended(checkout.render("Deadly", "Tiny", "Other", "--scheduler", cluster.address))
    assert status == 1 and "2 of 3 films" in out, out + err
    assert "Deadly (en, dark): its worker died 4 times" in err
    assert [len(checkout.begun(shot)) for shot in ("Deadly", "Tiny", "Other")] == [4, 1, 1]


def test_a_command_says_that_it_waits_for_workers(checkout: Checkout) -> None:
    cluster = Cluster(checkout, workers=0)
    command = checkout.render("Tiny", "--scheduler", cluster.address)
    assert command.stdout is not None
    assert command.stdout.readline() == f"{cluster.address}: no workers yet; waiting for them\n"
    checkout.start(*cluster.worker)
    status, out, err = ended(command)
    assert status == 0 and checkout.film("Tiny") is not None, out + err


def test_a_command_ends_when_its_scheduler_is_gone(checkout: Checkout) -> None:
    cluster = Cluster(checkout, workers=1)
    shots = ("Tiny", "Long", "Other")  # the last is still to be given out
    command = checkout.render(*shots, "--scheduler", cluster.address)
    wait_until(lambda: checkout.film("Tiny") and checkout.begun("Long"), command)
    os.killpg(cluster.scheduler.pid, signal.SIGKILL)
    status, _, err = ended(command)
    assert status == 1 and err.startswith("clockhands: the scheduler is gone") and err.count("\n") == 1
    assert [checkout.film(shot) is not None for shot in shots] == [True, False, False]
    wait_until(lambda: not checkout.workplaces())  # the worker has begun a file at that very moment


def test_a_scheduler_that_goes_while_its_workers_are_counted_is_gone_too(tmp_path: Path) -> None:
    def count() -> None:
        raise CommClosedError("ConnectionPool closing.")  # as a client does that has tried for some seconds

    client = SimpleNamespace(nthreads=count, subscribe_topic=lambda topic, hear: None)
    jobs = plan([Tiny], ["en"], ["dark"], manim_settings("l"))
    engine = Engine(cast(Client, client), Library(tmp_path), tmp_path)
    with pytest.raises(ConnectionError, match="the scheduler is gone"):
        engine.render(jobs)
