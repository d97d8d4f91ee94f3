"""Video files through PyAV, which brings FFmpeg's libraries: no ffmpeg command is needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import chain, islice
from math import ceil
from pathlib import Path

import av
from av.filter import Graph
from av.filter.context import FilterContext
from PIL import Image

from scenes.encoder import has_alpha

# The table of contents comes first, so that a browser can play before it has everything.
FASTSTART = {"movflags": "+faststart"}
PRORES_4444 = "ap4h"
# Frames a second. Browsers show a frame for a tenth of a second where a GIF asks for less than a fiftieth.
FASTEST_GIF = 50


def remux(source: Path, target: Path, metadata: Mapping[str, str]) -> None:
    """Write the pictures of ``source``, an mp4 or a mov, to ``target`` as they are, with ``metadata``."""
    with av.open(str(source)) as given, av.open(str(target), "w", options=FASTSTART) as made:
        made.metadata.update(metadata)
        pictures = given.streams.video[0]
        stream = made.add_stream_from_template(pictures)
        if pictures.codec_context.name == "prores" and has_alpha(pictures.format):
            stream.codec_context.codec_tag = PRORES_4444
        for packet in given.demux(pictures):
            if packet.dts is not None:  # the last one only says that it is the last
                packet.stream = stream
                made.mux(packet)


def name_prores(file: Path) -> None:
    """Call ProRes 4444 that; what Manim joins bears the tag of ProRes 422, whatever it is."""
    with av.open(str(file)) as container:
        codec = container.streams.video[0].codec_context.name
    if codec == "prores":
        draft = file.with_stem(f"{file.stem}-named")
        remux(file, draft, {})
        draft.replace(file)


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
    return Image.fromarray(frame.to_ndarray(format="rgba" if has_alpha(frame.format) else "rgb24"))


def gif_step(frame_rate: float | Fraction) -> int:
    """Return of how many frames one is in a GIF: of a film too fast for a GIF, every second.

    >>> gif_step(30), gif_step(60)
    (1, 2)
    """
    return ceil(frame_rate / FASTEST_GIF)


def write_gif(source: Path, target: Path, *, loops: bool) -> None:
    """Write ``source`` as a GIF, with 256 colours of its own, that plays once or for ever."""
    with av.open(str(source)) as container:
        given = container.streams.video[0]
        size, rate = (given.width, given.height), Fraction(given.average_rate or 0)
    step = gif_step(rate)
    palette = _palette(islice(frames(source), 0, None, step))
    with av.open(str(target), "w", options={"loop": "0" if loops else "-1"}) as made:
        stream = made.add_stream("gif", rate=rate / step)
        (stream.width, stream.height), stream.pix_fmt = size, "pal8"
        for number, frame in enumerate(_colored(islice(frames(source), 0, None, step), palette)):
            frame.pts, frame.time_base = number, step / rate
            made.mux(stream.encode(frame))
        made.mux(stream.encode())


def _palette(pictures: Iterator[av.VideoFrame]) -> av.VideoFrame:
    """Return the 256 colours that serve ``pictures`` best, as a picture."""
    first = next(pictures)
    graph = Graph()
    source, sink = _buffer(graph, first), graph.add("buffersink")
    graph.link_nodes(source, graph.add("palettegen"), sink).configure()
    for frame in chain([first], pictures, [None]):
        source.push(frame)
    return graph.vpull()


def _colored(pictures: Iterator[av.VideoFrame], palette: av.VideoFrame) -> Iterator[av.VideoFrame]:
    """Yield ``pictures`` in the colours of ``palette``.

    Ordered dithering keeps still what does not move, and what does not move takes no space.
    """
    first = next(pictures)
    graph = Graph()
    source, colors, sink = _buffer(graph, first), _buffer(graph, palette), graph.add("buffersink")
    use = graph.add("paletteuse", "dither=bayer:bayer_scale=5:diff_mode=rectangle")
    source.link_to(use, 0, 0)
    colors.link_to(use, 0, 1)
    use.link_to(sink)
    graph.configure()
    for frame in (palette, None):
        colors.push(frame)
    for picture in chain([first], pictures, [None]):
        source.push(picture)
        with suppress(BlockingIOError, EOFError):  # it wants more, or there is no more
            while True:
                yield graph.vpull()


def _buffer(graph: Graph, like: av.VideoFrame) -> FilterContext:
    """Return an entrance to ``graph`` for pictures like this one."""
    return graph.add_buffer(
        width=like.width, height=like.height, format=like.format, time_base=like.time_base
    )
