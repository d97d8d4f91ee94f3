"""What has not changed is not drawn again, and what has is."""

from __future__ import annotations

import os
import pty
import re
import termios
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from tests.publish.conftest import EN_DARK, Checkout, ended


def read_to_end(terminal: int) -> str:
    """Return what is written to a terminal until nobody has it open any more, and close it."""
    parts = []
    with suppress(OSError):  # the end, on Linux
        while part := os.read(terminal, 4096):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()


def test_only_what_changed_is_drawn_again(checkout: Checkout) -> None:
    status, out, err = ended(checkout.render("Tiny", "--lang", "en", "zh", "--jobs", "1"))
    assert status == 0 and not err, out + err
    assert "Tiny (zh, dark): 12 frames in" in out and "2 of 2 films are in media/films" in out
    first = checkout.film("Tiny")
    assert first is not None and checkout.film("Tiny", "zh-dark/480p15") is not None
    assert len(checkout.begun("Tiny")) == 2

    # Nothing changed: nothing is drawn, nothing is written.
    status, out, _ = ended(checkout.render("Tiny", "--lang", "zh", "en"))
    assert status == 0
    assert out.count("unchanged") == 2 and len(checkout.begun("Tiny")) == 2
    assert checkout.film("Tiny") == first

    # A formula far from the shot changed: no one knows whether it matters, so it does.
    formula = checkout.root / "pe_math" / "alibi.py"
    text = formula.read_text()
    formula.write_text(text + "# changed\n")
    assert ended(checkout.render("Tiny"))[0] == 0
    second = checkout.film("Tiny")
    assert second is not None and second.key != first.key
    assert len(checkout.begun("Tiny")) == 3

    # Changed back, the film is still the one of the change.
    formula.write_text(text)
    assert ended(checkout.render("Tiny"))[0] == 0
    third = checkout.film("Tiny")
    assert third is not None and third.key == first.key and len(checkout.begun("Tiny")) == 4


def test_manim_cfg_and_force_and_what_a_terminal_shows(checkout: Checkout) -> None:
    assert ended(checkout.render("Tiny"))[0] == 0
    before = checkout.film("Tiny")
    settings = checkout.root / "manim.cfg"
    settings.write_text(re.sub("preset = .*", "preset = ultrafast", settings.read_text()))
    terminal, bar = pty.openpty()
    termios.tcsetwinsize(bar, (24, 100))
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(read_to_end, terminal)
        command = checkout.start("publish", "render", "Tiny", "-q", "l", stderr=bar)
        os.close(bar)
        assert ended(command)[0] == 0
        shown = reading.result()
    after = checkout.film("Tiny")
    assert before is not None and after is not None
    assert after.key != before.key and after.sizes["Tiny.mp4"] != before.sizes["Tiny.mp4"]
    # The last film's length is known, so the time left is, too.
    assert re.search(r"0/1 films \|.*\d frames/s, \d\d:\d\d left", shown), shown

    assert ended(checkout.render("Tiny", "--force"))[0] == 0
    forced = checkout.film("Tiny")
    assert forced is not None and forced.key == after.key and len(checkout.begun("Tiny")) == 3


def test_a_damaged_film_is_drawn_again(checkout: Checkout) -> None:
    assert ended(checkout.render("Tiny"))[0] == 0
    whole = checkout.film("Tiny")
    os.truncate(checkout.films / EN_DARK / "Tiny" / "Tiny.mp4", 1000)
    assert checkout.film("Tiny") is None
    assert ended(checkout.render("Tiny"))[0] == 0
    repaired = checkout.film("Tiny")
    assert whole is not None and repaired is not None
    assert repaired.sizes == whole.sizes
