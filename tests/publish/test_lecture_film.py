"""The lecture as one film: its pictures, marks and captions, probed."""

from __future__ import annotations

import json
import os
import signal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
import srt
from PIL import Image

from publish import folders
from publish.lecture_film import LectureFilm
from publish.library import Library
from tests.publish.conftest import Checkout, ended, wait_until
from tests.publish.studio import boxes, decode, draw_all, tiny_jobs
from tests.publish.tiny_lecture import WORDS, Tiny, Told

DURATION = 1.6  # two shots of twice 0.4 s


class Made:
    """The film of `Tiny` and `Told` in one look, made below ``root``."""

    def __init__(self, root: Path, look: str = "en-dark", *, burns: bool = False) -> None:
        self.library = Library(root / "films")
        self.jobs = tiny_jobs(Tiny, Told, look=look)
        draw_all(self.jobs, self.library)
        self.whole = LectureFilm("lecture", self.jobs, burns_captions=burns)
        self.root = root / "lecture"
        self.make()
        self.folder = self.root / self.whole.place
        self.file = self.folder / f"lecture-{look}.mp4"

    def make(self) -> None:
        with folders.workplace(self.root, "the lecture") as workplace:
            folders.put(self.whole.make(self.library, workplace), self.root / self.whole.place)

    def shots(self) -> list[np.ndarray]:
        """Return the frames of the films of the shots, one after the other."""
        return [
            frame
            for job in self.jobs
            for frame in decode(self.library.folder(job) / f"{job.shot}.mp4", "yuv420p")
        ]


@pytest.fixture(autouse=True)
def meeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_words: None) -> None:
    monkeypatch.chdir(tmp_path)


def text_track(file: Path) -> list[tuple[int, int, str]]:
    """Return start and end, in milliseconds, and text of the captions within a film.

    Gaps, which have no text, are left out.
    """
    found = []
    with av.open(str(file)) as container:
        for packet in container.demux(subtitles=0):
            content = bytes(packet)
            length = int.from_bytes(content[:2], "big")
            if length and packet.pts is not None:
                assert packet.time_base == Fraction(1, 1000)
                text = content[2 : 2 + length].decode()
                found.append((packet.pts, packet.pts + packet.duration, text))
    return found


def check_marks(file: Path, titles: list[str]) -> None:
    with av.open(str(file)) as container:
        marks = container.chapters()
        assert float(container.duration or 0) / av.time_base == pytest.approx(DURATION, abs=0.001)
    assert [mark["metadata"]["title"] for mark in marks] == titles
    times = [tuple(float(mark[when] * mark["time_base"]) for when in ("start", "end")) for mark in marks]
    assert times == [(0.0, 0.8), (0.8, 1.6)]


@pytest.mark.parametrize("look", ["en-dark", "zh-light"])
def test_a_film_has_every_picture_marks_captions_and_a_poster(tmp_path: Path, look: str) -> None:
    made = Made(tmp_path, look)
    language = look[:2]
    frames = decode(made.file, "yuv420p")
    assert len(frames) == 24 and all(map(np.array_equal, frames, made.shots())), "nothing is encoded anew"
    assert boxes(made.file).index("moov") < boxes(made.file).index("mdat"), "it cannot begin at once"
    check_marks(made.file, [WORDS[language]["title"]] * 2)
    with av.open(str(made.file)) as container:
        assert [stream.codec_context.name for stream in container.streams.video] == ["h264"]
        (text,) = container.streams.subtitles
        assert text.codec_context.name == "mov_text"
        assert text.metadata["language"] == {"en": "eng", "zh": "zho"}[language]

    shown = text_track(made.file)
    # Each shot says "there, in …" for 0.4 s, and the second its long words to its end, in pieces.
    assert [text for *_, text in shown[:2]] == [f"there, in {language}"] * 2
    assert shown[0][:2] == (0, 400) and shown[1][:2] == (800, 1200) and shown[2][0] == 1200
    assert len(shown) > 3 and shown[-1][1] == 1600, "the last ends with the film, not after it"
    assert all(end <= start for (_, end, _), (start, _, _) in pairwise(shown))
    told = "".join(text for *_, text in shown[2:])
    assert "".join(told.split()) == "".join(WORDS[language]["told"].split())

    beside = list(srt.parse(made.file.with_suffix(".srt").read_text(encoding="utf-8")))
    for (start, end, text), caption in zip(shown, beside, strict=True):
        assert caption.content == text
        assert 1000 * caption.start.total_seconds() == pytest.approx(start, abs=1)
        assert 1000 * caption.end.total_seconds() == pytest.approx(end, abs=1)
    vtt = made.file.with_suffix(".vtt").read_text(encoding="utf-8")
    assert vtt.startswith("WEBVTT\n\n00:00:00.000 --> 00:00:00.400\nthere, in") and vtt.count("-->") == len(
        shown
    )
    with Image.open(made.file.with_suffix(".png")) as poster:
        assert poster.size == (854, 480)
    manifest = json.loads((made.folder / "lecture.json").read_text(encoding="utf-8"))
    assert manifest["duration"] == pytest.approx(DURATION) and len(manifest["marks"]) == 2


@pytest.mark.parametrize("look", ["en-dark", "zh-light"])
def test_burnt_captions_are_at_the_foot_of_the_pictures_while_they_are_said(
    tmp_path: Path, look: str
) -> None:
    made = Made(tmp_path, look, burns=True)
    check_marks(made.file, [WORDS[look[:2]]["title"]] * 2)
    with av.open(str(made.file)) as container:
        assert not container.streams.subtitles, "players would show them twice"
    assert not list(made.folder.glob("*.srt")) and not list(made.folder.glob("*.vtt"))
    frames = [frame[:480].astype(int) for frame in decode(made.file, "yuv420p")]
    plain = [frame[:480].astype(int) for frame in made.shots()]
    # Shots leave what is below y = -2.9, of 8 units, to captions.
    foot = round(480 * (4 + 2.9) / 8)
    assert len(frames) == 24
    for number, (frame, without) in enumerate(zip(frames, plain, strict=True)):
        difference = abs(frame - without)
        assert difference[:foot].max() < 60 and difference[:foot].mean() < 1, "only the encoding differs"
        said = not 6 <= number < 12  # nothing is said in the second half of the first shot
        assert (difference[foot:].max() > 100) == said
        if said:
            columns = np.flatnonzero(difference[foot:].max(axis=0) > 60)
            assert (columns[0] + columns[-1]) / 2 == pytest.approx(427, abs=8), "centred"


def test_a_film_is_made_again_when_it_is_damaged_or_a_shot_has_changed(tmp_path: Path) -> None:
    made = Made(tmp_path)
    assert made.whole.is_in(made.root)
    os.truncate(made.file, 1000)
    assert not made.whole.is_in(made.root)
    made.make()
    assert made.whole.is_in(made.root)
    other = tiny_jobs(Tiny, Told, frame_rate=30)
    for job in other:
        assert job.key not in {job.key for job in made.jobs}
    assert not LectureFilm("lecture", [made.jobs[0], other[1]], burns_captions=False).is_in(made.root)


def test_shots_that_players_could_not_go_on_with_are_refused(tmp_path: Path) -> None:
    made = Made(tmp_path)
    other = tiny_jobs(Told, pixel_width=640)
    draw_all(other, made.library)
    mixed = LectureFilm("mixed", [made.jobs[0], *other], burns_captions=False)
    with (
        folders.workplace(made.root, "the lecture") as workplace,
        pytest.raises(OSError, match="Told was encoded otherwise"),
    ):
        mixed.make(made.library, workplace)


def test_a_killed_command_leaves_no_film_and_another_makes_it(checkout: Checkout) -> None:
    lecture = checkout.root / "media" / "lecture"
    arguments = ("film", "Tiny", "Long", "-q", "l", "--jobs", "2")
    command = checkout.start("publish", *arguments)
    wait_until(lambda: checkout.begun("Long") and checkout.film("Tiny"), command)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait()
    assert not list(lecture.glob("*/*"))
    checkout.let_go()
    status, out, err = ended(checkout.start("publish", *arguments))
    file = lecture / "en-dark/480p15/Tiny-Long/Tiny-Long-en-dark.mp4"
    assert status == 0 and out.endswith(f"{file.relative_to(checkout.root)}\n"), out + err
    assert len(decode(file)) > 12 and not list(lecture.glob(".work*"))
    with av.open(str(file)) as container:
        assert [mark["metadata"]["title"] for mark in container.chapters()] == ["Clock hands · A dot"] * 2

    # Without one of its shots there is no film.
    status, out, err = ended(checkout.start("publish", "film", "Tiny", "Broken", "-q", "l"))
    assert status == 1 and "a bug in the shot" in err and not list(lecture.glob("*/*/*Broken*"))
