"""Video files through PyAV, which brings FFmpeg's libraries: no ffmpeg command is needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

import av
from PIL import Image

# The table of contents comes first, so that a browser can play before it has everything.
FASTSTART = {"movflags": "+faststart"}
PRORES_4444 = "ap4h"


def remux(source: Path, target: Path, metadata: Mapping[str, str]) -> None:
    """Write the pictures of ``source``, an mp4 or a mov, to ``target`` as they are, with other ``metadata``.

    Manim's joined ProRes bears the tag of ProRes 422 whatever it is; here 4444 with alpha is called that.
    """
    with av.open(str(source)) as given, av.open(str(target), "w", options=FASTSTART) as made:
        made.metadata.update(metadata)
        pictures = given.streams.video[0]
        stream = made.add_stream_from_template(pictures)
        if pictures.codec_context.name == "prores" and has_alpha(pictures):
            stream.codec_context.codec_tag = PRORES_4444
        for packet in given.demux(pictures):
            if packet.dts is not None:  # the last one only says that it is the last
                packet.stream = stream
                made.mux(packet)


def has_alpha(pictures: av.VideoStream) -> bool:
    """Tell whether a video has transparency."""
    return any(component.is_alpha for component in pictures.format.components) or "1" in (
        pictures.metadata.get("alpha_mode"),
        pictures.metadata.get("ALPHA_MODE"),
    )


def frames(file: Path, *, last_ones: bool = False) -> Iterator[av.VideoFrame]:
    """Yield the frames of a video, with their transparency; only those near its end where asked for.

    FFmpeg's own decoder of VP9 leaves transparency out, so another one is taken.
    """
    with av.open(str(file)) as container:
        pictures = container.streams.video[0]
        decoder = pictures.codec_context
        if decoder.name == "vp9":
            decoder = av.VideoCodecContext.create("libvpx-vp9", "r")
        if last_ones and container.duration:
            container.seek(container.duration)
        for packet in container.demux(pictures):
            yield from decoder.decode(packet)


def first_and_last(file: Path) -> tuple[Image.Image, Image.Image]:
    """Return the first and the last picture of a video."""
    first = next(frames(file))
    (last,) = deque(frames(file, last_ones=True), maxlen=1)
    return _picture(first), _picture(last)


def _picture(frame: av.VideoFrame) -> Image.Image:
    alpha = any(component.is_alpha for component in frame.format.components)
    return Image.fromarray(frame.to_ndarray(format="rgba" if alpha else "rgb24"))
