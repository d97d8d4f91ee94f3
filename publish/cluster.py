"""Workers: processes on this machine, or those of any Dask cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed import Client, LocalCluster
from distributed.utils import LoopRunner
from tornado.ioloop import IOLoop

# A job whose worker dies is tried again this often.
RETRIES = 3
PATIENCE = "10s"
_DASK_SETTINGS = {
    "distributed.scheduler.allowed-failures": RETRIES,
    # After that long Dask gives up a worker that died. On a busy machine a new one takes longer than the
    # usual 15 seconds to start.
    "distributed.deploy.lost-worker-timeout": "1h",
    # What follows leaves the cores to drawing; `docs/cluster.md` sets the same for workers elsewhere.
    # Dask looks in every 10 and 20 ms at what its processes do: a tenth of two cores, while they draw.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    # With the usual 65,536 every frame's memory is asked of the system anew: a tenth of the time.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}

# What matters of workers' lives and deaths is said by us, in the words of films.
for _name in ("distributed", "distributed.client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


@contextmanager
def local_workers(count: int, workplace: Path) -> Iterator[Client]:
    """Start ``count`` worker processes, each of which draws one film at a time, and kill them in the end."""
    # Python's tracker of semaphores complains of each worker that was killed, and cleans up after it.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    with dask.config.set(_DASK_SETTINGS):
        try:
            cluster = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                # How much memory a film takes is not known here; Dask would stop workers on a guess.
                memory_limit=0,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # or two commands want one port
                local_directory=str(workplace),
                loop=_loop_deaf_to_ctrl_c(),
            )
            client = Client(cluster)
        except BaseException:
            _kill_workers()
            raise
        try:
            yield client
        finally:
            for nanny in cluster.workers.values():
                nanny.close_gracefully()  # so that it starts no new worker
            _kill_workers()
            client.close()
            cluster.close()


@contextmanager
def cluster_workers(address: str) -> Iterator[Client]:
    """Connect to the Dask scheduler at ``address``; raise `ValueError` where none answers.

    Workers may come later; where there are none yet, a line says so.
    """
    try:
        client = Client(address, timeout=PATIENCE)
        workers = client.nthreads()
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--scheduler {address}: no Dask scheduler answers there; "
            "start one with `dask scheduler`, which prints its address (tcp://HOST:8786)"
        ) from error
    with client:
        if not workers:
            print(f"{address}: no workers yet; waiting for them", flush=True)
        yield client


def _loop_deaf_to_ctrl_c() -> IOLoop:
    """Return Dask's event loop, in a thread that blocks Ctrl-C.

    A terminal sends Ctrl-C to every process. Workers inherit that it is blocked from the thread that starts
    them, and so leave it to the command.
    """
    runner = LoopRunner()
    if sys.platform == "win32":  # which has no such thing
        runner.start()
    else:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            runner.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    loop: IOLoop = runner.loop
    return loop


def _kill_workers() -> None:
    """Kill every worker process, in the midst of a job if need be."""
    for process in multiprocessing.active_children():
        process.kill()
