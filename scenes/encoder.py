"""Video encoding with two copies and most of the conversion left out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter
from manim.scene.scene_file_writer import SceneFileWriter
from manim.scene.video_segment_encoder import VideoSegmentEncoder
from PIL import Image


class LectureSegmentEncoder(VideoSegmentEncoder):
    """Manim's encoder, which hands frames over without a copy and converts a still frame once.

    Colours are halved in resolution by averaging areas: quicker than PyAV's own default, and nearer to
    the drawn frame.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._reformatter = VideoReformatter()

    def write_frame(self, pixels: np.ndarray[Any, Any], *, repeat: int = 1) -> None:
        """Encode ``pixels`` for ``repeat`` frames."""
        self._validate_frame(pixels, repeat)
        stream = cast(av.VideoStream, self._stream)
        try:
            frame = self._reformatter.reformat(
                av.VideoFrame.from_numpy_buffer(pixels, format="rgba"),
                format=self.spec.pixel_format,
                interpolation=Interpolation.AREA,
                # The frames are drawn, converted and encoded at the same time already.
                threads=1,
            )
            frame.time_base = Fraction(1) / self.spec.frame_rate
            for _ in range(repeat):
                frame.pts = self._next_pts
                self._next_pts += 1
                self._container.mux(stream.encode(frame))
        except BaseException as error:
            raise self._operation_error("encode", error) from error


class LectureFileWriter(SceneFileWriter):
    """Manim's file writer with `LectureSegmentEncoder`, and sequences of pictures that keep time."""

    def write_frame(self, pixels: np.ndarray[Any, Any], *, repeat: int = 1) -> None:
        """Write ``pixels`` for ``repeat`` frames; Manim writes the picture of a still moment once."""
        super().write_frame(pixels, repeat=repeat)
        if self.output_spec.is_image_sequence:
            for _ in range(repeat - 1):
                self.output_image(Image.fromarray(pixels))

    def _create_segment_encoder(self, target: Path) -> VideoSegmentEncoder:
        if self.video_encoder is None:
            raise RuntimeError("a segment is encoded only where a film is written")
        return LectureSegmentEncoder(target=target, spec=self.video_encoder)
