"""``docs/variants.md``: every listing is written and every command run, as somebody who follows it would."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.scenes.harness import ROOT

PAGE = ROOT / "docs" / "variants.md"
_FENCED = re.compile(r"```(?P<kind>\w+)\n(?P<body>.*?)```", re.DOTALL)
_WRITTEN = re.compile(r"Write `(?P<file>[\w.]+)`:\s*\Z")
_LINK = re.compile(r"\]\((?P<target>[^)#]+)")


def blocks() -> list[tuple[str, str, str | None]]:
    """Return each fenced block's kind, its text, and the name of the file that it is to be written to."""
    page = PAGE.read_text(encoding="utf-8")
    found = []
    for match in _FENCED.finditer(page):
        written = _WRITTEN.search(page[: match.start()])
        found.append((match["kind"], match["body"], written["file"] if written else None))
    return found


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that looks like a clone, with the listings of the page in it."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("scenes", "pe_math", "publish", "examples", ".venv", "manim.cfg"):
        (folder / name).symlink_to(ROOT / name)
    for kind, body, file in blocks():
        if kind in ("toml", "python"):
            assert file is not None, f"a listing without a file: {body}"
            (folder / file).write_text(body, encoding="utf-8")
    return folder


COMMANDS = [line for kind, body, _ in blocks() if kind == "sh" for line in body.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_works(command: str, clone: Path) -> None:
    # The picture after the first animation shows that a render works; the rest would take minutes.
    quick = command.replace("render -ql", "render -r 160,90 -s -n 0,1 --progress_bar none")
    before = set(clone.glob("media/images/**/*.png"))
    done = subprocess.run(
        quick,
        shell=True,
        cwd=clone,
        env=os.environ | {"PYTHONPATH": str(clone)},
        text=True,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if "render" in command:
        assert set(clone.glob("media/images/**/*.png")) - before, "no picture of its own"
    else:
        assert {"base", "schedule", "model"} <= set(done.stdout.split())


def test_the_page_has_five_steps_and_the_commands_of_each() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^## (\d)\.", page, re.MULTILINE) == ["1", "2", "3", "4", "5"]
    assert len(COMMANDS) >= 5


def test_every_link_of_the_page_leads_somewhere() -> None:
    targets = [match["target"] for match in _LINK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(targets) >= 8
    for target in targets:
        assert (PAGE.parent / target).exists(), target
