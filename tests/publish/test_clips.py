"""Clips in every format, decoded again, and what `clips.json` says of them."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from publish.clips import Clip, ClipLibrary, source_format
from publish.jobs import Job
from publish.library import Library
from tests.publish.conftest import EN_DARK, Checkout, alive, ended, wait_until
from tests.publish.studio import boxes, decode, draw_all, tiny_jobs
from tests.publish.tiny_lecture import WORDS, Tiny

Made = tuple[list[Clip], Path]


class Studio:
    """Makes clips of `Tiny` below a folder."""

    def __init__(self, root: Path) -> None:
        self.films, self.shelf = Library(root / "films"), ClipLibrary(root / "clips")

    def jobs(self, file_format: str, transparent: bool = False, **changed: object) -> tuple[Job, Job]:
        """Return the job of the clips, and that of the film they are cut from."""
        (job,) = tiny_jobs(Tiny, file_format=file_format, transparent=transparent, **changed)
        source = source_format(file_format, transparent)
        return job, *tiny_jobs(Tiny, file_format=source, transparent=transparent, **changed)

    def clips(self, *jobs: Job) -> Made:
        job, source = jobs
        draw_all([source], self.films)
        with self.shelf.workplace() as workplace:
            clips = self.shelf.make(job, source, self.films, workplace)
            self.shelf.write_index(workplace)
        return clips, self.shelf.folder(job)


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_words: None) -> Studio:
    monkeypatch.chdir(tmp_path)
    return Studio(tmp_path)


def test_a_clip_is_its_section_with_its_pictures_and_what_is_known_of_it(studio: Studio) -> None:
    job, source = studio.jobs("mp4")
    assert studio.shelf.find(job) is None
    clips, folder = studio.clips(job, source)
    assert studio.shelf.find(job) == clips
    assert [clip.file for clip in clips] == ["Tiny-1-there.mp4", "Tiny-2-back.mp4"]
    assert [(clip.number, clip.section, clip.loop) for clip in clips] == [
        (1, "there", False),
        (2, "back", True),
    ]
    frames = decode(studio.films.folder(source) / "Tiny.mp4")
    for clip, shown in zip(clips, (frames[:6], frames[6:]), strict=True):
        file = folder / clip.file
        content = file.read_bytes()
        assert (clip.size, clip.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert boxes(file).index("moov") < boxes(file).index("mdat")
        assert np.array_equal(decode(file), shown), "the pictures are those of the film, bit by bit"
        for picture, frame in ((clip.first, shown[0]), (clip.last, shown[-1])):
            with Image.open(folder / picture) as image:
                assert np.array_equal(np.asarray(image), frame)
        assert (clip.width, clip.height, clip.frame_rate) == (854, 480, 15)
        assert clip.frames == 6 and clip.duration == pytest.approx(0.4)
        assert clip.title == {code: words["title"] for code, words in WORDS.items()}
        assert clip.caption == {code: words["caption"][clip.section] for code, words in WORDS.items()}
        assert (clip.shot, clip.language, clip.theme, clip.transparent) == ("Tiny", "en", "dark", False)


def test_the_list_of_all_clips_holds_those_of_every_folder(studio: Studio) -> None:
    for job, source in (studio.jobs("mp4"), studio.jobs("webm")):
        studio.clips(job, source)
    listed = json.loads((studio.shelf.root / "clips.json").read_text(encoding="utf-8"))["clips"]
    assert [clip["file"] for clip in listed] == [
        f"en-dark/{kind}/Tiny/Tiny-{name}"
        for kind, suffix in (("480p15", "mp4"), ("480p15-webm", "webm"))
        for name in (f"1-there.{suffix}", f"2-back.{suffix}")
    ]
    for clip in listed:
        for kind in ("file", "first", "last"):
            assert (studio.shelf.root / clip[kind]).is_file()


@pytest.mark.parametrize(("file_format", "codec", "tag"), [("webm", "vp9", None), ("mov", "prores", "ap4h")])
def test_a_transparent_clip_shows_what_is_behind_it(
    studio: Studio, file_format: str, codec: str, tag: str | None
) -> None:
    clips, folder = studio.clips(*studio.jobs(file_format, transparent=True))
    for clip in clips:
        assert clip.transparent
        with av.open(str(folder / clip.file)) as container:
            context = container.streams.video[0].codec_context
            assert context.name == codec and (tag is None or context.codec_tag == tag)
            assert float(container.duration or 0) / av.time_base == pytest.approx(clip.duration, abs=0.002)
        decoder = "libvpx-vp9" if codec == "vp9" else None
        frames = decode(folder / clip.file, "rgba", decoder)
        assert len(frames) == clip.frames == 6
        for frame in frames:
            # The dot's radius is 30 pixels of a picture of 854 × 480: it covers 0.7 % of it.
            assert 0.0062 < (frame[..., 3] > 128).mean() < 0.0076
        for picture, frame in ((clip.first, frames[0]), (clip.last, frames[-1])):
            with Image.open(folder / picture) as image:
                assert image.mode == "RGBA" and np.array_equal(np.asarray(image), frame)


@pytest.mark.parametrize("transparent", [False, True])
def test_gifs_of_loops_loop_and_others_stop(studio: Studio, transparent: bool) -> None:
    clips, folder = studio.clips(*studio.jobs("gif", transparent))
    for clip in clips:
        with Image.open(folder / clip.file) as gif:
            assert gif.format == "GIF" and gif.n_frames == clip.frames
            # 0 is for ever; without the entry a GIF plays once.
            assert gif.info.get("loop") == (0 if clip.loop else None)
            durations = []
            for number in range(gif.n_frames):
                gif.seek(number)
                durations.append(gif.info["duration"])
                alpha = np.asarray(gif.convert("RGBA"))[..., 3]
                opaque = (alpha > 128).mean()
                assert 0.0062 < opaque < 0.0076 if transparent else opaque == 1
        assert sum(durations) == pytest.approx(1000 * clip.duration, abs=20)


def test_a_gif_is_no_faster_than_browsers_play_it(studio: Studio) -> None:
    clips, folder = studio.clips(*studio.jobs("gif", frame_rate=60, pixel_width=160, pixel_height=90))
    for clip in clips:
        with Image.open(folder / clip.file) as gif:
            assert gif.n_frames == clip.frames == 12, "every second of 24 frames"
            assert clip.frame_rate == 30 and clip.duration == pytest.approx(0.4)
            for number in range(gif.n_frames):
                gif.seek(number)
                assert gif.info["duration"] >= 20


def test_colours_of_a_gif_are_those_of_the_film(studio: Studio) -> None:
    job, source = studio.jobs("gif")
    clips, folder = studio.clips(job, source)
    frames = decode(studio.films.folder(source) / "Tiny.mp4")
    with Image.open(folder / clips[0].file) as gif:
        for number, frame in enumerate(frames[:6]):
            gif.seek(number)
            difference = np.asarray(gif.convert("RGB")).astype(int) - frame
            assert abs(difference).mean() < 3


@pytest.mark.parametrize("damage", ["clip cut", "picture gone", "manifest cut", "manifest of other fields"])
def test_clips_that_are_not_whole_are_made_again(studio: Studio, damage: str) -> None:
    job, source = studio.jobs("mp4", frame_rate=5, pixel_width=160, pixel_height=90)
    clips, folder = studio.clips(job, source)
    if damage == "clip cut":
        os.truncate(folder / clips[0].file, 100)
    elif damage == "picture gone":
        (folder / clips[1].last).unlink()
    elif damage == "manifest cut":
        os.truncate(folder / "clips.json", 100)
    else:
        (folder / "clips.json").write_text('{"key": "", "clips": [{"shot": "Tiny"}]}')
    assert studio.shelf.find(job) is None


def check_clips(checkout: Checkout, shot: str) -> None:
    """Check that the clips of a shot are there and whole."""
    folder = checkout.root / "media" / "clips" / EN_DARK / shot
    clips = json.loads((folder / "clips.json").read_text(encoding="utf-8"))["clips"]
    assert [(clip["section"], clip["chapter"]) for clip in clips] == [
        ("there", "chapter_clocks"),
        ("back", "chapter_clocks"),
    ]
    for clip in clips:
        content = (folder / clip["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == clip["sha256"]
        assert len(decode(folder / clip["file"])) == clip["frames"]
    listed = json.loads((folder.parents[2] / "clips.json").read_text(encoding="utf-8"))["clips"]
    assert [clip["section"] for clip in listed if clip["shot"] == shot] == ["there", "back"]


def test_a_killed_command_leaves_whole_clips_or_none_and_another_ends_its_work(checkout: Checkout) -> None:
    clips = checkout.root / "media" / "clips"
    command = checkout.start("publish", "clips", "Long", "Tiny", "-q", "l", "--jobs", "2")
    wait_until(lambda: checkout.begun("Long") and checkout.film("Tiny"), command)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait()
    wait_until(lambda: not any(map(alive, checkout.begun("Long") + checkout.begun("Tiny"))))
    assert not list(clips.glob("*/*/*")) and not (clips / "clips.json").exists()

    # Two at once end it, and neither leaves anything behind. A shot that fails costs its own clips alone.
    checkout.let_go()
    shots = (("Long", "Tiny"), ("Long", "Tiny", "Broken"))
    commands = [checkout.start("publish", "clips", *names, "-q", "l", "--jobs", "1") for names in shots]
    said = list(map(ended, commands))
    assert [status for status, *_ in said] == [0, 1], said
    assert all("4 clips are in media/clips" in out for _, out, _ in said), said
    assert "Broken (en, dark): ZeroDivisionError: a bug in the shot" in said[1][2]
    assert len(checkout.begun("Tiny")) == 1, "its film was there"
    for shot in ("Long", "Tiny"):
        check_clips(checkout, shot)
    assert not checkout.workplaces() and not list(clips.glob(".work*"))
