"""Shots that tell what a record of trained models says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pe_math.hints import hint
from pe_math.training import records, tasks
from pe_math.training.comparisons import COMPARISONS
from scenes.stage import LectureScene

TASKS = tuple(tasks.TASKS)
ENCODINGS = tuple(COMPARISONS["decoders"].encodings)
"""What the records `encoders` and `decoders` hold; of encodings, those that both have."""


class RecordedScene(LectureScene):
    """A shot whose sentences are filled in from a record."""

    def load(self, name: str) -> records.Record:
        """Return a record by name or file; raise `ValueError` where there is none."""
        try:
            return records.load(records.find(name))
        except OSError as error:
            raise ValueError(f"record {name}: {error}") from error

    def check_chosen(self, name: str, chosen: Sequence[str], known: Iterable[str]) -> None:
        """Refuse what the parameter ``name`` chooses twice, or chooses and no record has."""
        known = list(known)
        for each in chosen:
            if each not in known:
                raise ValueError(f"{name} must be among {', '.join(known)}, got {each!r}{hint(each, known)}")
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"{name} must not name one twice, got {', '.join(chosen)}")

    def check_modes(self, modes: Sequence[str], known: Iterable[str]) -> None:
        """Refuse encodings that no record has, or that have no name or no colour."""
        self.check_chosen("modes", modes, known)
        for mode in modes:
            try:
                self.words(f"names.{mode}", role=mode)
            except KeyError as error:
                raise ValueError(f"modes: {mode!r} has no name to show; {error.args[0]}") from error

    def check_fits(self, key: str, **values: Any) -> None:
        """Refuse a sentence that names too many encodings for a line."""
        try:
            self.words(key, font_size=28, **values)
        except ValueError as error:
            raise ValueError(f"a sentence names too many for a line; choose fewer modes ({error})") from error

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
