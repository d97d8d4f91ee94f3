"""Video encoding with the copies and most of the conversion left out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, cast

import av
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter
from manim.scene.scene_file_writer import SceneFileWriter
from manim.scene.video_segment_encoder import VideoSegmentEncoder
from PIL import Image

Pixels = np.ndarray[Any, Any]


class Buffers:
    """Arrays for frames, used again once a frame has been encoded."""

    def __init__(self) -> None:
        self._free: SimpleQueue[Pixels] = SimpleQueue()

    def take(self, like: Pixels) -> Pixels:
        """Return an array of the shape of ``like``, with anything in it."""
        try:
            return self._free.get_nowait()
        except Empty:
            return np.empty_like(like)

    def give_back(self, pixels: Pixels) -> None:
        """Take back an array that nobody reads any more."""
        self._free.put(pixels)


def straighten(pixels: Pixels) -> None:
    """Take out of the colours of RGBA ``pixels``, in place, that Cairo has multiplied them by their alpha.

    Files of videos and pictures hold colours as they are; players would multiply them again, which leaves
    dark rims around everything.

    >>> edge = np.array([[[60, 30, 0, 127]]], dtype=np.uint8)
    >>> straighten(edge)
    >>> edge.tolist()
    [[[120, 60, 0, 127]]]
    """
    alpha = pixels[..., 3]
    partly = (alpha > 0) & (alpha < 255)
    mixed = pixels[partly].astype(np.uint16)
    pixels[partly, :3] = np.minimum(255, (mixed[:, :3] * 255 + mixed[:, 3:] // 2) // mixed[:, 3:])


def has_alpha(pixels: av.VideoFormat) -> bool:
    """Tell whether pixels of this format can be transparent."""
    return any(component.is_alpha for component in pixels.components)


class LectureSegmentEncoder(VideoSegmentEncoder):
    """Manim's encoder, which hands frames over without a copy and converts a still frame once.

    Colours are halved in resolution by averaging areas: quicker than PyAV's own default, and nearer to
    the drawn frame.
    """

    def __init__(self, *, give_back: Callable[[Pixels], None], **kwargs: Any) -> None:
        """Take what to do with each frame once it has been encoded."""
        super().__init__(**kwargs)
        self._give_back = give_back
        self._reformatter = VideoReformatter()
        self._has_alpha = has_alpha(av.VideoFormat(self.spec.pixel_format))

    def write_frame(self, pixels: Pixels, *, repeat: int = 1) -> None:
        """Encode ``pixels`` for ``repeat`` frames."""
        self._validate_frame(pixels, repeat)
        if self._has_alpha:
            straighten(pixels)
        stream = cast(av.VideoStream, self._stream)
        try:
            drawn = av.VideoFrame.from_numpy_buffer(pixels, format="rgba")
            frame = self._reformatter.reformat(
                drawn,
                format=self.spec.pixel_format,
                interpolation=Interpolation.AREA,
                # The frames are drawn, converted and encoded at the same time already.
                threads=1,
            )
            if frame is not drawn:
                self._give_back(pixels)
            frame.time_base = Fraction(1) / self.spec.frame_rate
            for _ in range(repeat):
                frame.pts = self._next_pts
                self._next_pts += 1
                self._container.mux(stream.encode(frame))
        except BaseException as error:
            raise self._operation_error("encode", error) from error


class LectureFileWriter(SceneFileWriter):
    """Manim's file writer with `LectureSegmentEncoder`, and sequences of pictures that keep time."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.buffers = Buffers()

    def write_frame(self, pixels: Pixels, *, repeat: int = 1) -> None:
        """Write ``pixels`` for ``repeat`` frames; Manim writes the picture of a still moment once."""
        if self.output_spec.is_image_sequence:
            straighten(pixels)
        super().write_frame(pixels, repeat=repeat)
        if self.output_spec.is_video:
            return
        if self.output_spec.is_image_sequence:
            for _ in range(repeat - 1):
                self.output_image(Image.fromarray(pixels))
        self.buffers.give_back(pixels)

    def _create_segment_encoder(self, target: Path) -> VideoSegmentEncoder:
        if self.video_encoder is None:
            raise RuntimeError("a segment is encoded only where a film is written")
        return LectureSegmentEncoder(give_back=self.buffers.give_back, target=target, spec=self.video_encoder)
