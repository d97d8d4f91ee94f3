"""The renderer: what is not shown is not drawn, and a drawn frame is not copied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manim import CairoRenderer, Mobject, Scene

from scenes.camera import LectureCamera
from scenes.encoder import LectureFileWriter


class LectureRenderer(CairoRenderer):
    """Manim's Cairo renderer with `LectureCamera` and `LectureFileWriter`."""

    camera: LectureCamera
    file_writer: LectureFileWriter

    def __init__(self, *, skip_animations: bool = False) -> None:
        super().__init__(
            file_writer_class=LectureFileWriter, camera_class=LectureCamera, skip_animations=skip_animations
        )

    def save_static_frame_data(self, scene: Scene, static_mobjects: Iterable[Mobject]) -> None:
        """Draw nothing: the camera finds out by itself what rests."""

    def update_frame(
        self,
        scene: Scene,
        mobjects: Iterable[Mobject] | None = None,
        include_submobjects: bool = True,
        ignore_skipping: bool = True,
        **kwargs: Any,
    ) -> None:
        """Draw a frame; Manim does so even for a play that it takes from its cache."""
        # Only the picture after the last play is asked for without naming mobjects.
        if mobjects is None or not self.skip_animations:
            self.camera.paint([*scene.mobjects, *scene.foreground_mobjects])

    def render(self, scene: Scene, time: float, moving_mobjects: Iterable[Mobject] | None = None) -> None:
        """Draw a frame and hand it to the writer."""
        self.update_frame(scene, moving_mobjects)
        self._write(1)

    def freeze_current_frame(self, duration: float) -> None:
        """Hand the frame just drawn to the writer, for ``duration`` seconds."""
        self._write(int(duration * self.camera.frame_rate))

    def _write(self, frames: int) -> None:
        """Hand the frame just drawn to the writer, and let the camera draw the next into another buffer.

        A copy and the pages for it take 1.4 ms of CPU a frame at 1080p.
        """
        if not self.skip_animations:
            frame = self.camera.pixel_array
            self.camera.pixel_array = self.file_writer.buffers.take(frame)
            self.add_frame(frame, frames)
