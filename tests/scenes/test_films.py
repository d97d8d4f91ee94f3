"""The films themselves, opened with PyAV: rendered as a user renders them, with and without Manim's cache."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import av
import pytest
import srt

from scenes.lecture import SHOTS, source_file
from scenes.stage import LectureScene
from tests.scenes.harness import frame_digests, frames, manim_render, only, section_index

SMALL = ("-r", "426,240", "--fps", "10", "--save_sections")


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.__name__)
def test_a_film_is_the_same_rendered_again_and_holds_its_sections_and_captions(
    shot: type[LectureScene], tmp_path: Path
) -> None:
    name, source = shot.__name__, str(source_file(shot))
    fresh, uncached = tmp_path / "fresh", tmp_path / "uncached"

    first = manim_render(*SMALL, source, name, media=fresh)
    assert first.returncode == 0, first.stdout + first.stderr
    film = only(fresh, f"{name}.mp4")
    frames_of_first, captions_of_first = frame_digests(film), only(fresh, f"{name}.srt").read_text()
    segments = when_written(fresh)

    again = manim_render(*SMALL, source, name, media=fresh)
    assert again.returncode == 0, again.stdout + again.stderr
    assert when_written(fresh) == segments, "the second render drew again what it had"
    assert frame_digests(film) == frames_of_first
    assert only(fresh, f"{name}.srt").read_text() == captions_of_first

    without = manim_render(*SMALL, "--disable_caching", source, name, media=uncached)
    assert without.returncode == 0, without.stdout + without.stderr
    assert frame_digests(only(uncached, f"{name}.mp4")) == frames_of_first
    assert only(uncached, f"{name}.srt").read_text() == captions_of_first

    check_stream(film, len(frames_of_first))
    check_sections(fresh, name, len(frames_of_first))
    check_captions(
        captions_of_first, sections=len(section_index(fresh, name)), seconds=len(frames_of_first) / 10
    )
    check_first_frame(film)


def when_written(media: Path) -> dict[str, int]:
    """Return when each of Manim's cached segments was written."""
    segments = media.rglob("partial_movie_files/*/*.mp4")
    written = {segment.name: segment.stat().st_mtime_ns for segment in segments}
    assert len(written) > 5
    return written


def check_stream(film: Path, frame_count: int) -> None:
    with av.open(str(film)) as container:
        (stream,) = container.streams
        assert (stream.codec_context.width, stream.codec_context.height) == (426, 240)
        assert stream.average_rate == 10
        assert float(stream.duration * stream.time_base) == pytest.approx(frame_count / 10, abs=0.05)
    assert frame_count > 100


def check_sections(media: Path, name: str, frame_count: int) -> None:
    sections = section_index(media, name)
    assert sections[0]["name"] != "autocreated", "something was played before the first beat"
    assert {section["type"] for section in sections} <= {"clockhands.normal", "clockhands.loop"}
    assert sum(int(section["nb_frames"]) for section in sections) == frame_count
    for section in sections:
        count = int(section["nb_frames"])
        clip = frames(only(media, Path(section["video"]).name), set(range(count - 5, count)))
        assert count >= 10 and len(clip) == 5
        if section["type"] == "clockhands.normal":
            moved = max(abs(clip[count - 1].astype(int) - frame).mean() for frame in clip.values())
            assert moved < 0.5, f"{section['name']} does not settle before it ends"


def check_captions(captions: str, sections: int, seconds: float) -> None:
    cues = list(srt.parse(captions))
    assert len(cues) == sections
    for cue, after in itertools.pairwise(cues):
        assert cue.end <= after.start
    assert cues[0].start.total_seconds() == 0.0
    assert math.isclose(cues[-1].end.total_seconds(), seconds, abs_tol=0.11)


def check_first_frame(film: Path) -> None:
    first = frames(film, {0})[0].astype(int)
    background = first[0, 0]
    drawn = (abs(first - background).max(axis=-1) > 40).mean()
    assert drawn > 0.005, "the first frame is as good as empty"
