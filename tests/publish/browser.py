"""A browser that opens pages, and notes what they ask for and complain of."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

# As root, without a graphics card, and without asking its maker for anything.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 300_000.0  # milliseconds, for a machine that has much else to do


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start Chromium for a while."""
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    assert program, "the tests of decks and pages need Chromium; on Debian: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()


class Visit:
    """A page, open; ``options`` are those of `Browser.new_context`."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page: Page = browser.new_context(**options).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true.

        Playwright's own way of waiting is forbidden on pages that forbid what they do not need.
        """
        last = time.monotonic() + PATIENCE / 1000.0
        while not self.says(f"Boolean({condition})"):
            assert time.monotonic() < last, f"waited in vain until {condition}"
            self.page.wait_for_timeout(50.0)

    def says(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        return self.page.evaluate(expression)

    def serious_violations(self) -> list[str]:
        """Return what somebody who cannot see, or has no mouse, would be stopped by."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{violation['id']}: {[node['target'] for node in violation['nodes']]}"
            for violation in found
            if violation["impact"] in ("serious", "critical")
        ]


def visit(browser: Browser, page: Path, **options: Any) -> Visit:
    """Open a file."""
    return Visit(browser, page.as_uri(), **options)
