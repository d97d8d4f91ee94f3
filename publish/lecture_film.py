"""The lecture as one film: its shots in order, with chapter marks and captions.

::

    media/lecture/en-dark/720p30/lecture/     the film of all shots; of some, it is named for them
        lecture-en-dark.mp4                   with a mark for every shot, and captions that players can show
        lecture-en-dark.srt  .vtt             the captions for players and browsers that want a file
        lecture-en-dark.png                   a poster
        lecture.json                          duration and marks, for programs
    media/lecture/en-dark/720p30/lecture-captions/
        …                                     the same with captions drawn into the pictures: no files of them

Pictures are taken from the films of the shots as they are; only where captions are drawn in they are encoded
anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import heapq
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, repeat
from pathlib import Path, PurePosixPath
from typing import Any

import av
from av.container import OutputContainer

from publish import captions, contents, video
from publish.burning import CaptionPainter
from publish.captions import Cue
from publish.films import Film, sizes
from publish.jobs import Job, source_of
from publish.library import Library
from scenes.language import read_language

MANIFEST = "lecture.json"
TITLE = "Clockhands"
MILLISECOND = Fraction(1, 1000)
ISO_639 = {"en": "eng", "zh": "zho"}
_MAKERS = source_of("lecture_film.py", "captions.py", "burning.py", "video.py")


@dataclass(frozen=True)
class Mark:
    """A chapter mark, from ``start`` to ``end`` in seconds."""

    title: str
    start: float
    end: float


@dataclass(frozen=True)
class Shown:
    """A shot in the film: its own film, in ``folder``, which ``start``s after so many seconds."""

    film: Film
    folder: Path
    start: Fraction

    @property
    def end(self) -> Fraction:
        """Return the time in seconds at which the next shot starts."""
        return self.start + Fraction(self.film.frames) / Fraction(self.film.frame_rate)


class LectureFilm:
    """The film ``name`` of ``jobs``, all of one look and quality, in this order."""

    def __init__(self, name: str, jobs: Sequence[Job], *, burns_captions: bool) -> None:
        self.name, self.jobs, self.burns_captions = name, jobs, burns_captions
        self.language, self.theme = jobs[0].language, jobs[0].theme
        self.file_name = f"{name}-{self.language}-{self.theme}"

    @property
    def place(self) -> str:
        """Return the folder of the film, below the folder of all such films."""
        folder = f"{self.name}-captions" if self.burns_captions else self.name
        return str(PurePosixPath(self.jobs[0].place).with_name(folder))

    def is_in(self, root: Path) -> bool:
        """Tell whether the film is there, whole, and made from what there is now."""
        folder = root / self.place
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            whole = all((folder / name).stat().st_size == size for name, size in manifest["sizes"].items())
            return bool(whole and manifest["key"] == self._key())
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return False

    def make(self, library: Library, workplace: Path) -> Path:
        """Make the film from those of its shots, which are there, and return its folder in ``workplace``."""
        made = workplace / uuid.uuid4().hex
        made.mkdir()
        shown = list(self._shown(library, workplace))
        cues = list(chain.from_iterable(map(self._cues, shown)))
        marks = [self._mark(job, shot) for job, shot in zip(self.jobs, shown, strict=True)]
        self._write_film(made / f"{self.file_name}.mp4", shown, marks, cues)
        if not self.burns_captions:
            for suffix, text in ((".srt", captions.to_srt(cues)), (".vtt", captions.to_vtt(cues))):
                (made / f"{self.file_name}{suffix}").write_text(text, encoding="utf-8")
        _, poster = video.first_and_last(shown[0].folder / shown[0].film.file)
        poster.save(made / f"{self.file_name}.png")
        manifest = {
            "key": self._key(),
            "duration": float(shown[-1].end),
            "marks": [dataclasses.asdict(mark) for mark in marks],
            "sizes": sizes(made),
        }
        (made / MANIFEST).write_text(
            json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        return made

    def _key(self) -> str:
        """Return a hash over everything that the film depends on."""
        parts = [self.file_name, str(self.burns_captions), *(job.key for job in self.jobs)]
        return hashlib.sha256("\n".join(parts).encode() + _MAKERS).hexdigest()

    def _shown(self, library: Library, workplace: Path) -> Iterator[Shown]:
        start = Fraction(0)
        for job in self.jobs:
            shot = Shown(*library.borrow(job, workplace), start)
            yield shot
            start = shot.end

    def _cues(self, shot: Shown) -> Iterator[Cue]:
        if shot.film.captions:
            text = (shot.folder / shot.film.captions).read_text(encoding="utf-8")
            yield from captions.read_srt(text, float(shot.start), float(shot.end), self.language)

    def _mark(self, job: Job, shot: Shown) -> Mark:
        """Return the mark of a shot: players list them as they are, so each names its chapter too."""
        language = read_language(self.language)
        title = language.phrase(job.shot_class().tables(), "title").text
        if chapter := contents.chapter_of(job.shot_class()):
            title = f"{language.phrase([chapter.name], 'title').text} · {title}"
        return Mark(title, float(shot.start), float(shot.end))

    def _write_film(
        self, file: Path, shown: Sequence[Shown], marks: Sequence[Mark], cues: Sequence[Cue]
    ) -> None:
        with av.open(str(file), "w", options=video.FASTSTART) as container:
            container.metadata["title"] = TITLE
            _set_marks(container, marks)
            if self.burns_captions:
                packets = self._burnt(container, shown, cues)
            else:
                packets = _copied(container, shown, cues, ISO_639[self.language])
            for packet in packets:
                container.mux(packet)

    def _burnt(
        self, container: OutputContainer, shown: Sequence[Shown], cues: Sequence[Cue]
    ) -> Iterator[av.Packet[Any]]:
        """Yield the pictures of the shots with ``cues`` drawn into them, encoded as ``manim.cfg`` says."""
        film = shown[0].film
        rate = Fraction(film.frame_rate)
        options = dict(self.jobs[0].settings["video_encoder_options"])
        stream = container.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = film.width, film.height, "yuv420p"
        painter = CaptionPainter(self.language, film.width, film.height)
        frames = chain.from_iterable(video.frames(shot.folder / shot.film.file) for shot in shown)
        for number, (frame, text) in enumerate(zip(frames, _text_by_frame(cues, rate), strict=False)):
            painted = painter.paint(frame, text) if text else frame
            painted.pts, painted.time_base = number, 1 / rate
            yield from stream.encode(painted)
        yield from stream.encode()


def _copied(
    container: OutputContainer, shown: Sequence[Shown], cues: Sequence[Cue], language: str
) -> Iterator[av.Packet[Any]]:
    """Yield the pictures of the shots as they are, and ``cues``, in the order of time."""
    with av.open(str(shown[0].folder / shown[0].film.file)) as first:
        pictures = container.add_stream_from_template(first.streams.video[0])
    if not cues:
        return _pictures(shown, pictures)
    text = container.add_mux_stream("mov_text")
    text.time_base = MILLISECOND
    text.metadata["language"] = language
    return heapq.merge(_pictures(shown, pictures), _text(cues, text), key=_time)


def _pictures(shown: Iterable[Shown], stream: av.VideoStream) -> Iterator[av.Packet[Any]]:
    """Yield the pictures of the shots for ``stream``, one shot after the other.

    Raises `OSError` where one was encoded otherwise than the first, so that players could not go on with it.
    """
    for shot in shown:
        with av.open(str(shot.folder / shot.film.file)) as container:
            pictures = container.streams.video[0]
            if pictures.codec_context.extradata != stream.codec_context.extradata:
                raise OSError(
                    f"{shot.film.shot} was encoded otherwise than the shots before; "
                    "render all of them on one machine: clockhands render --force"
                )
            offset = round(shot.start / (pictures.time_base or MILLISECOND))
            for packet in container.demux(pictures):
                if packet.dts is not None and packet.pts is not None:
                    packet.dts, packet.pts = packet.dts + offset, packet.pts + offset
                    packet.stream = stream
                    yield packet


def _text(cues: Iterable[Cue], stream: av.stream.Stream) -> Iterator[av.Packet[Any]]:
    """Yield ``cues`` for ``stream``, in the form of an mp4: the length in two bytes, then the text."""
    for cue in cues:
        content = cue.text.encode()
        packet = av.Packet(len(content).to_bytes(2, "big") + content)
        packet.stream, packet.time_base = stream, MILLISECOND
        packet.pts = packet.dts = round(cue.start / MILLISECOND)
        packet.duration = round(cue.end / MILLISECOND) - packet.pts
        yield packet


def _text_by_frame(cues: Iterable[Cue], rate: Fraction) -> Iterator[str]:
    """Yield what is to be read in each frame, without end."""
    frame = 0
    for cue in cues:
        for end, text in ((cue.start, ""), (cue.end, cue.text)):
            while frame < round(end * rate):
                yield text
                frame += 1
    yield from repeat("")


def _set_marks(container: OutputContainer, marks: Iterable[Mark]) -> None:
    container.set_chapters(
        [
            {
                "id": number,
                "start": round(mark.start / MILLISECOND),
                "end": round(mark.end / MILLISECOND),
                "time_base": MILLISECOND,
                "metadata": {"title": mark.title},
            }
            for number, mark in enumerate(marks, 1)
        ]
    )


def _time(packet: av.Packet[Any]) -> Fraction:
    return (packet.dts or 0) * packet.time_base
