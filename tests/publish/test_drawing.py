"""Films as they are drawn, in every format, decoded again."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
import srt
from PIL import Image

from publish.drawing import draw_film
from publish.films import Film
from publish.jobs import Job
from scenes.theme import DARK, LIGHT, rgb_of
from tests.publish.studio import decode, tiny_jobs
from tests.publish.tiny_lecture import Broken, Tiny


@pytest.fixture(autouse=True)
def meeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tiny_job(file_format: str = "mp4", transparent: bool = False, look: str = "en-dark") -> Job:
    (job,) = tiny_jobs(Tiny, look=look, file_format=file_format, transparent=transparent)
    return job


def drawn(job: Job, folder: Path) -> tuple[Film, Path]:
    made = draw_film(job, folder, lambda frame: None)
    film = Film.read(made)
    assert film is not None
    return film, made


def dot_column(frame: np.ndarray, background: np.ndarray) -> float:
    """Return the column of the middle of all that is not background."""
    return float(np.nonzero((abs(frame.astype(float) - background) > 60).any(axis=-1))[1].mean())


def test_an_mp4_with_its_sections_captions_and_manifest(tmp_path: Path) -> None:
    job = tiny_job()
    film, folder = drawn(job, tmp_path)
    frames = decode(folder / "Tiny.mp4")
    # Two plays of 0.4 s at 15 frames a second.
    assert len(frames) == film.frames == 12 and film.duration == pytest.approx(0.8)
    assert frames[0].shape == (480, 854, 3) and (film.width, film.height) == (854, 480)
    assert [(part.name, part.type, part.start, part.frames) for part in film.sections] == [
        ("there", "clockhands.normal", 0.0, 6),
        ("back", "clockhands.loop", 0.4, 6),
    ]
    parts = [decode(folder / part.file) for part in film.sections]
    assert [len(part) for part in parts] == [6, 6]
    # Manim's frame is 14 2/9 units wide: the dot turns at x = 1, 60 pixels to the right of the middle.
    turn = max(dot_column(frame, 255 * rgb_of(DARK.background)) for frame in frames)
    assert turn == pytest.approx(427 + 854 / (128 / 9), abs=15)
    (caption,) = srt.parse((folder / str(film.captions)).read_text())
    assert caption.content == "there, in en"
    assert film.key == job.key
    assert set(film.sizes) == {"Tiny.mp4", "Tiny.srt", *(part.file for part in film.sections)}
    assert all((folder / name).stat().st_size == size for name, size in film.sizes.items())


def test_language_and_theme_reach_the_film_and_leave_the_process_as_it_was(tmp_path: Path) -> None:
    for look, background in (("zh-light", LIGHT.background), ("en-dark", DARK.background)):
        _, folder = drawn(tiny_job(look=look), tmp_path / look)
        assert f"in {look[:2]}" in (folder / "Tiny.srt").read_text()
        corner = decode(folder / "Tiny.mp4")[0][:50, :50].mean(axis=(0, 1))
        assert np.allclose(corner, 255 * rgb_of(background), atol=4)


@pytest.mark.parametrize(("file_format", "decoder"), [("webm", "libvpx-vp9"), ("mov", None)])
def test_transparent_video_is_clear_around_the_dot(
    tmp_path: Path, file_format: str, decoder: str | None
) -> None:
    film, folder = drawn(tiny_job(file_format, transparent=True), tmp_path)
    assert film.file == f"Tiny.{file_format}" and film.frames == 12
    assert [Path(part.file).suffix for part in film.sections] == [f".{file_format}"] * 2
    picture = decode(folder / film.file, "rgba", decoder)[0]
    alpha = picture[..., 3]
    assert alpha[:50, :50].max() < 10 and alpha.max() > 245
    # The dot's radius is 0.5 of 8 units' height, 30 of 480 pixels.
    assert (alpha > 128).sum() == pytest.approx(np.pi * 30**2, rel=0.05)
    # The rim is as bright as the dot: players multiply with alpha themselves.
    rim, inner = (picture[where, :3].mean(axis=0) for where in ((alpha > 110) & (alpha < 160), alpha > 250))
    assert rim == pytest.approx(inner, abs=40)


def test_transparent_mov_is_called_what_it_is(tmp_path: Path) -> None:
    film, folder = drawn(tiny_job("mov", transparent=True), tmp_path)
    for file in (film.file, *(part.file for part in film.sections)):
        with av.open(str(folder / file)) as container:
            context = container.streams.video[0].codec_context
            assert (context.name, context.codec_tag) == ("prores", "ap4h")


def test_a_gif_has_sections_as_video(tmp_path: Path) -> None:
    film, folder = drawn(tiny_job("gif"), tmp_path)
    assert film.file == "Tiny.gif" and film.frames == 12
    with Image.open(folder / film.file) as gif:
        assert gif.n_frames == 12
    assert [Path(part.file).suffix for part in film.sections] == [".mp4"] * 2


def test_a_png_sequence_is_a_folder_of_frames_without_sections(tmp_path: Path) -> None:
    film, folder = drawn(tiny_job("png-sequence", transparent=True), tmp_path)
    pictures = sorted((folder / film.file).iterdir())
    assert len(pictures) == film.frames == 12 and film.sections == () and film.captions is None
    with Image.open(pictures[0]) as picture:
        alpha = np.asarray(picture)[..., 3]
    assert alpha[0, 0] == 0 and alpha.max() == 255


def test_the_settings_that_came_with_the_job_count_and_not_those_here(tmp_path: Path) -> None:
    (job,) = tiny_jobs(Tiny, frame_rate=5, pixel_width=320)
    film, folder = drawn(job, tmp_path)
    assert film.frame_rate == 5 and film.frames == 4
    assert decode(folder / film.file)[0].shape == (480, 320, 3)


def test_what_is_said_before_a_frame_can_end_the_film(tmp_path: Path) -> None:
    heard: list[int] = []

    class EnoughError(Exception):
        pass

    def enough(frame: int) -> None:
        heard.append(frame)
        if frame == 8:
            raise EnoughError

    with pytest.raises(EnoughError):
        draw_film(tiny_job(), tmp_path, enough)
    assert heard == list(range(9))
    assert not (tmp_path / "film").exists()


def test_a_broken_shot_raises_what_it_raised(tmp_path: Path) -> None:
    (job,) = tiny_jobs(Broken)
    with pytest.raises(ZeroDivisionError, match="a bug in the shot"):
        draw_film(job, tmp_path, lambda frame: None)
