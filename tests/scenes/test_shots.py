"""Every shot, in every language and theme: it runs through, and each section ends well laid out."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenes.language import LANGUAGES, read_language
from scenes.lecture import CHAPTERS, SHOTS
from scenes.stage import LectureScene
from tests.scenes.harness import LOOKS, construct, layout_faults, texts_on_screen


@pytest.mark.parametrize(("language", "theme"), LOOKS)
@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.__name__)
def test_every_section_ends_well_laid_out(
    shot: type[LectureScene], language: str, theme: str, tmp_path: Path
) -> None:
    faults: list[str] = []
    sections: list[str] = []

    def check(scene: LectureScene, section: str) -> None:
        sections.append(section)
        faults.extend(f"{section}: {fault}" for fault in layout_faults(scene))
        if len(texts_on_screen(scene)) < 2:
            faults.append(
                f"{section}: nothing but the title can be read, so the clip does not explain itself"
            )

    scene = construct(shot, tmp_path, language, theme, check)
    assert not faults, "\n".join(faults)
    assert len(sections) >= 2
    assert len(set(sections)) == len(sections), "two sections of one shot bear the same name"
    captions = scene.renderer.file_writer.subcaptions
    assert len(captions) == len(sections)


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.__name__)
def test_the_first_frame_is_not_empty(shot: type[LectureScene], tmp_path: Path) -> None:
    first: list[int] = []

    class FirstFrame(shot):  # type: ignore[valid-type, misc]
        def construct(self) -> None:
            first.append(len(self.mobjects))

    FirstFrame.__name__ = shot.__name__
    construct(FirstFrame, tmp_path)
    assert first[0] >= 2, "the shot should begin with more than its title"


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_chapter_has_a_title_and_one_idea(code: str) -> None:
    language = read_language(code)
    for chapter in CHAPTERS:
        assert language.phrase([chapter.name], "title").text
        assert language.phrase([chapter.name], "idea").text
