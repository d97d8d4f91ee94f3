"""What makes two films the same, and where they go."""

from __future__ import annotations

import dataclasses

import pytest
from manim import tempconfig

from publish.jobs import Job, manim_settings, origin, plan
from tests.publish.tiny_lecture import Other, Tiny


def job(**settings: object) -> Job:
    (made,) = plan([Tiny], ["en"], ["dark"], manim_settings("l") | settings)
    return made


def test_every_shot_in_every_language_and_theme_is_one_job_with_its_own_place() -> None:
    jobs = plan([Tiny, Other], ["en", "zh"], ["dark", "light"], manim_settings("l"))
    assert len({job.place for job in jobs}) == len({job.key for job in jobs}) == len(jobs) == 8
    assert "zh-light/480p15/Other" in {job.place for job in jobs}


@pytest.mark.parametrize(
    ("quality", "file_format", "transparent", "folder"),
    [
        ("h", "mp4", False, "1080p60"),
        ("m", "webm", True, "720p30-webm-transparent"),
        ("k", "png-sequence", False, "2160p60-png-sequence"),
    ],
)
def test_the_place_names_quality_and_format(
    quality: str, file_format: str, transparent: bool, folder: str
) -> None:
    (made,) = plan([Tiny], ["en"], ["dark"], manim_settings(quality, file_format, transparent))
    assert made.place == f"en-dark/{folder}/Tiny"


def test_the_key_is_the_same_for_the_same_and_other_for_anything_else() -> None:
    one = job()
    assert one.key == job().key
    others = [
        dataclasses.replace(one, shot="Other"),
        dataclasses.replace(one, module="elsewhere"),
        dataclasses.replace(one, language="zh"),
        dataclasses.replace(one, theme="light"),
        *(job(**{name: "other"}) for name in ("frame_rate", "video_encoder_options", "seed", "video_codec")),
        *(dataclasses.replace(one, origin={**one.origin, name: "other"}) for name in one.origin),
    ]
    assert len({one.key, *(other.key for other in others)}) == 1 + len(others)


def test_settings_come_from_manim_cfg_and_leave_folders_out() -> None:
    with tempconfig({"video_encoder_options": {"crf": "12"}}):
        settings = manim_settings("l")
    assert settings["video_encoder_options"] == {"crf": "12"}
    assert settings["save_sections"] is True and not manim_settings("l", "png-sequence")["save_sections"]
    assert not [name for name in settings if name.endswith("_dir")]


def test_the_origin_names_what_pictures_depend_on() -> None:
    packages = {"manim", "numpy", "pycairo", "manimpango", "typst", "array-api-compat"}
    assert packages | {"scenes and pe_math", "python", "cairo", "pango"} <= set(origin())


def test_a_package_that_is_replaced_meanwhile_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = origin()
    monkeypatch.setattr("scenes.digests.version", lambda package: f"another {package}")
    assert origin()["manim"] == "another manim" != before["manim"]


def test_mp4_cannot_be_transparent() -> None:
    with pytest.raises(ValueError, match="take another --format, such as webm or mov"):
        manim_settings("l", "mp4", transparent=True)
