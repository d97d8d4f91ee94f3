"""A Dask cluster on this machine whose scheduler and workers are started as anybody starts them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client

from benchmarks.bench import Bench, environment

# Those of docs/cluster.md.
SETTINGS = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON": '{"MALLOC_TRIM_THRESHOLD_": None}',
}
PATIENCE = 600  # seconds, for a machine that has much else to do


@contextmanager
def two_workers(bench: Bench) -> Iterator[str]:
    """Start a scheduler and two workers, as separate commands, and yield the scheduler's address."""
    meeting = str(bench.folder / "scheduler.json")
    here = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", meeting)
    scratch = str(bench.folder / "scratch")
    worker = ("dask_worker", *here, "--nthreads", "1", "--local-directory", scratch)
    commands = [("dask_scheduler", *here, "--port", "0"), worker, worker]
    started = [_start(bench, *command) for command in commands]
    try:
        with Client(scheduler_file=meeting, timeout=PATIENCE) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
            address: str = client.scheduler.address
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def _start(bench: Bench, program: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
        cwd=bench.folder,
        env=environment() | SETTINGS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
