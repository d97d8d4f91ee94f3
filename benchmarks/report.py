"""What was measured: a row a finding, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Goal:
    """A bound: ``at_least`` or at most."""

    bound: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        """Tell whether ``value`` keeps it."""
        return value >= self.bound if self.at_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"


@dataclass(frozen=True)
class Finding:
    """A value with its unit, whether it meets its goal, and the figures that it comes from.

    ``figures`` holds, for each thing that was measured, what came out by name: ``wall`` and ``cpu`` in
    seconds, ``memory`` in MB, ``bytes``, and ``frames``, by which the table divides.
    """

    what: str
    value: float
    unit: str
    goal: Goal | None = None
    figures: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        return self.goal.met(self.value) if self.goal else None


def table(findings: Iterable[Finding]) -> str:
    """Return the findings as a Markdown table."""
    lines = ["| what | measured | goal | met | CPU and wall, ms a frame |", "|---|---|---|---|---|"]
    for finding in findings:
        met = {True: "yes", False: "**no**", None: ""}[finding.met]
        costs = "; ".join(
            f"{name} {1e3 * figures['cpu'] / figures['frames']:.1f}, "
            f"{1e3 * figures['wall'] / figures['frames']:.1f}"
            for name, figures in finding.figures.items()
            if "frames" in figures and "cpu" in figures
        )
        value = f"{finding.value:.3g} {finding.unit}"
        lines.append(f"| {finding.what} | {value} | {finding.goal or ''} | {met} | {costs} |")
    return "\n".join(lines)


def machine() -> dict[str, object]:
    """Return what it was measured on, and how busy that was."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("manim", "numpy", "av", "pycairo", "matplotlib")},
        "load": [round(load, 1) for load in os.getloadavg()],
    }


def write(file: Path, settings: dict[str, object], findings: Iterable[Finding]) -> None:
    """Write everything as JSON."""
    document = {
        "machine": machine(),
        "settings": settings,
        "findings": [
            {**asdict(finding), "goal": finding.goal and str(finding.goal), "met": finding.met}
            for finding in findings
        ],
    }
    draft = file.with_name(f"{file.name}.draft")
    draft.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    draft.replace(file)


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()
