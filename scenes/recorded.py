"""Shots that tell what a record of trained models says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scenes.stage import LectureScene


class RecordedScene(LectureScene):
    """A shot whose sentences are filled in from a record."""

    def named(self, modes: Iterable[str]) -> str:
        """Return the names of ``modes``, each marked with its colour."""
        return self.listed(f"<{mode}>{self.words(f'names.{mode}').text}</{mode}>" for mode in modes)

    def listed(self, phrases: Iterable[str]) -> str:
        """Return ``phrases`` one after another, with what stands between them in this language."""
        return self.language.phrase(["shared"], "comma").text.join(phrases)

    def say(self, key: str, *also: Any, **values: Any) -> None:
        """Put the sentence ``key`` at the foot, while ``also`` plays, and hold until it has been read."""
        self.play(self.idea(key, **values), *also)
        self.wait(self.language.reading_seconds(self.language.phrase(self.tables(), key, **values).text))
