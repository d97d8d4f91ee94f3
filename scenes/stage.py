"""The base of every shot: theme, language, beats, a clean first frame and a settled last one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Any, ClassVar

import click
import numpy as np
import numpy.typing as npt
from manim import (
    DOWN,
    UP,
    Animation,
    AnimationGroup,
    FadeIn,
    FadeOut,
    ManimColor,
    Mobject,
    Scene,
    Wait,
    config,
    tempconfig,
)
from manim.utils.exceptions import EndSceneEarlyException

from scenes import settings
from scenes.fonts import choose_font, register_fonts
from scenes.language import Language, chosen_language
from scenes.mobjects.words import TEXT_BOTTOM, TEXT_TOP, Words, is_text
from scenes.renderer import LectureRenderer
from scenes.theme import Theme, chosen_theme

SHORTEST_HOLD = 1.2
# Decimals of a unit of the frame: a hundred-thousandth of a pixel.
WORDS_ROUNDED_TO = 7
GOLDEN = (5.0**0.5 - 1.0) / 2.0


class SectionType(StrEnum):
    """What a section is to a player: played once, or a loop whose last frame continues into its first."""

    NORMAL = "clockhands.normal"
    LOOP = "clockhands.loop"


@dataclass(frozen=True)
class Beat:
    """An open section: its name, when it began, and whether it loops."""

    name: str
    start: float
    loops: bool


class LectureScene(Scene):
    """A shot of the lecture.

    A subclass declares its parameters as typed class attributes (see `parameters`), builds what it shows in
    `setup`, and tells its story in `construct` as a list of beats: short methods that each begin with `beat`.
    Words come from the tables of ``text/*.toml`` named for the class or one of its bases, so a variant keeps
    the words of the shot it varies.

    `setup` puts the title on screen, so that no film begins with an empty frame.

    A class with a ``theme`` of its own wears it, whatever theme is chosen for the others. One with
    ``phrases`` brings its words along, a table a language: ``phrases = {"en": {"title": "Mine"}, "zh": …}``.
    """

    phrases: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    theme: Theme
    language: Language

    def __init__(self, renderer: None = None, *, skip_animations: bool = False, **kwargs: Any) -> None:
        """Make the shot; it has a renderer of its own, whatever Manim's notebook magic hands over."""
        with _refusing_in_a_line():
            self.theme = getattr(type(self), "theme", None) or chosen_theme()
            register_fonts()
            choose_font(self.theme.font)
            language = chosen_language()
            self.language = language.extended(self.own_words(language.code))
            changed = settings.take(self)
        own_renderer = LectureRenderer(skip_animations=skip_animations)
        own_renderer.camera.background_color = ManimColor(self.theme.background)
        own_renderer.parameters = settings.digest(settings.all_of(self))
        output = _folders(self.language.code, self.theme.name)
        if changed and not config.output_file:
            output["output_file"] = type(self).__name__ + settings.suffix(changed)
        with tempconfig(output):
            super().__init__(renderer=own_renderer, skip_animations=skip_animations, **kwargs)
        self._beat: Beat | None = None
        self._idea: Words | None = None

    def check(self) -> None:
        """Refuse parameters that do not go together, by a `ValueError`; each alone is right already.

        A shot computes here what they decide, so that what cannot be is refused before the first frame.
        """

    def setup(self) -> None:
        """Put the shot's title on screen."""
        self.title = self.words("title", font_size=36)
        self.title.move_to(UP * (TEXT_TOP - self.title.height / 2.0))
        self.add(self.title)

    # Words

    def words(self, key: str, *, role: str = "text", font_size: float = 30.0, **values: Any) -> Words:
        """Return the words under ``key``, with ``values`` filled in."""
        phrase = self.language.phrase([*self.tables(), "shared"], key, **values)
        return Words(phrase, self.theme, role=role, font_size=font_size)

    @classmethod
    def tables(cls) -> list[str]:
        """Return the tables of words of this shot: its own, then those of the shots it varies."""
        return [shot.__name__ for shot in cls.__mro__ if issubclass(shot, LectureScene)]

    @classmethod
    def own_words(cls, language: str) -> dict[str, Mapping[str, Any]]:
        """Return the tables that this shot and those it varies bring; refuse a language that one lacks."""
        tables = {}
        for shot in reversed(cls.__mro__):
            phrases = vars(shot).get("phrases")
            if phrases and language not in phrases:
                raise ValueError(
                    f"{shot.__name__}.phrases has no words in {language!r}, only in {', '.join(phrases)}"
                )
            if phrases:
                tables[shot.__name__] = phrases[language]
        return tables

    @classmethod
    def sections(cls, captioned: Iterable[str]) -> list[str]:
        """Return which of the ``captioned`` sections this shot plays, in its order.

        They are all of them, in the order of the tables; a shot whose parameters choose among them says so.
        """
        return list(captioned)

    def idea(self, key: str, *, font_size: float = 28.0, **values: Any) -> Animation:
        """Return the animation that puts the sentence ``key`` at the foot, in place of the last one."""
        words = self.words(key, font_size=font_size, **values)
        words.move_to(UP * (TEXT_BOTTOM + words.height / 2.0))
        changes: list[Animation] = [FadeIn(words, shift=UP * 0.15)]
        if self._idea is not None:
            changes.insert(0, FadeOut(self._idea, shift=UP * 0.15, run_time=0.4))
        self._idea = words
        return AnimationGroup(*changes, lag_ratio=0.5)

    def clear_idea(self) -> Animation:
        """Return the animation that takes the sentence at the foot away."""
        if self._idea is None:
            raise RuntimeError("clear_idea() before any idea() of this shot")
        words, self._idea = self._idea, None
        return FadeOut(words, shift=DOWN * 0.15)

    # Beats

    def beat(self, name: str, *, loops: bool = False) -> None:
        """End the beat before and open the next: a section of the film with the caption ``caption.NAME``.

        A beat that loops is not held at its end: its last frame must continue into its first.
        """
        self.end_beat()
        self.next_section(name, SectionType.LOOP if loops else SectionType.NORMAL)
        self._beat = Beat(name, self.whole_frames(), loops)

    def end_beat(self) -> None:
        """Hold the picture until its caption has been read aloud once, and write the caption."""
        if self._beat is None:
            return
        beat, self._beat = self._beat, None
        caption = self.language.phrase(self.tables(), f"caption.{beat.name}").text
        if not beat.loops:
            unread = self.language.reading_seconds(caption) - (self.whole_frames() - beat.start)
            self.wait(max(SHORTEST_HOLD, unread))
        self.add_subcaption(caption, duration=self.whole_frames() - beat.start, offset=beat.start - self.time)

    def whole_frames(self) -> float:
        """Return the time in seconds, cleared of what Manim's sums of frames are off by."""
        return round(self.time * config.frame_rate) / float(config.frame_rate)

    def tear_down(self) -> None:
        """End the last beat."""
        # With `manim render -n` the film may end before its last beat is held.
        with suppress(EndSceneEarlyException):
            self.end_beat()

    # The same times and pictures with and without Manim's cache

    def get_run_time(self, animations: list[Animation]) -> float:
        """Round a play up to whole frames, so that captions and films agree to the frame."""
        frames = ceil(super().get_run_time(animations) * config.frame_rate - 1e-6)
        # Manim rounds a still wait's frames down and a moving play's up; both must meet here.
        still = len(animations) == 1 and isinstance(animations[0], Wait)
        return (frames + (1e-4 if still else -1e-4)) / float(config.frame_rate)

    def play(self, *args: Any, **kwargs: Any) -> None:
        """Play as Manim does, then settle every picture on its trackers' last values.

        A play taken from the cache does not run the updaters after its last step; this does. Manim's cache
        compares every bit of what is on screen, so two traces that the way there leaves are wiped out: words
        that an updater moves frame by frame end elsewhere, by a few last bits, than those moved at once; and
        the target that `animate` leaves on a mobject stands where the updaters saw it last.
        """
        super().play(*args, **kwargs)
        self.update_mobjects(0.0)
        for text in filter(is_text, self.on_screen()):
            for part in text.family_members_with_points():
                part.points = settled(part.points)
        for animation in _with_parts(self.animations or []):
            animation.mobject.target = None

    def on_screen(self) -> list[Mobject]:
        """Return every mobject that is drawn now, parts included."""
        return [part for mobject in self.mobjects for part in mobject.get_family()]


@contextmanager
def _refusing_in_a_line() -> Iterator[None]:
    """End Manim's command with the one line of what is wrong; the command itself would print a traceback."""
    try:
        yield
    except ValueError as error:
        if click.get_current_context(silent=True) is None:
            raise
        raise SystemExit(f"clockhands: {error}") from None


def settled(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return ``points`` rounded: the same to the last bit, whether words came there in one step or in many.

    Outlines stand on sixteenths and thirds, so often midway between two round numbers, where the last bit
    would decide. No fraction of small numbers stands midway when the golden ratio is added to it.

    >>> settled(np.array([-5.05890625, -5.05890625000001])).tolist()
    [-5.0589062, -5.0589062]
    """
    aside = (GOLDEN - 0.5) * 10.0**-WORDS_ROUNDED_TO
    # Adding 0 makes -0 and 0 one.
    return np.asarray(np.round(points + aside, WORDS_ROUNDED_TO) + 0.0)


def _folders(language: str, theme: str) -> dict[str, str]:
    """Return Manim's folders for films and stills; each language and theme but the default has its own."""
    if (language, theme) == ("en", "dark"):
        return {}
    return {name: f"{config[name]}/{language}-{theme}" for name in ("video_dir", "images_dir")}


def _with_parts(animations: Iterable[Animation]) -> Iterator[Animation]:
    """Yield ``animations`` and those that groups among them play."""
    for animation in animations:
        yield animation
        if isinstance(animation, AnimationGroup):
            yield from _with_parts(animation.animations)
