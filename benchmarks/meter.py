"""What a process uses while it works."""

from __future__ import annotations

import resource
import sys
import time

# Manim's settings for a drawing that is measured: nothing comes from a cache, and nothing is told on the way.
MEASURED = {"disable_caching": True, "progress_bar": "none", "verbosity": "ERROR"}


class Meter:
    """Counts what this process and its threads use from `start` on."""

    def start(self) -> None:
        """Begin to count."""
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """Return wall and CPU seconds since the start, and the most memory ever in use, in MB."""
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # Linux counts kilobytes, macOS bytes.
        return {"wall": wall, "cpu": cpu, "memory": peak / (2**20 if sys.platform == "darwin" else 2**10)}
