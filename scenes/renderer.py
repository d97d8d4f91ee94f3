"""The renderer: what is not shown is not drawn, what is drawn is not copied, plays are soon named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manim import CairoRenderer, Mobject, Scene, config, logger
from manim._config.video_encoder import video_encoder_fingerprint

from scenes.camera import LectureCamera
from scenes.digests import digest_of, installed_versions, source_digest
from scenes.encoder import LectureFileWriter

# All of a camera that its pictures depend on; the rest are its tools.
_OF_THE_CAMERA = (
    "pixel_width",
    "pixel_height",
    "frame_width",
    "frame_height",
    "frame_center",
    "frame_rate",
    "background_color",
    "background_opacity",
    "background_image",
)


class LectureRenderer(CairoRenderer):
    """Manim's Cairo renderer with `LectureCamera` and `LectureFileWriter`.

    ``parameters`` is a hash of the shot's parameters. It is part of the name of each play's film, and so are
    the sources: an edited formula, or another base, never meets a film that was drawn before.
    """

    camera: LectureCamera
    file_writer: LectureFileWriter
    parameters = ""

    def __init__(self, *, skip_animations: bool = False) -> None:
        super().__init__(
            file_writer_class=LectureFileWriter, camera_class=LectureCamera, skip_animations=skip_animations
        )

    def play(self, scene: Scene, *args: Any, **kwargs: Any) -> None:
        """Play as Manim does, but name the film of each play by `digest_of`, in half of the time."""
        self.skip_animations = self._original_skipping_status
        self.update_skipping_status()
        scene.compile_animation_data(*args, **kwargs)
        name = None if self.skip_animations else self._name_of_play(scene)
        self.file_writer.add_partial_movie_file(name)
        self.animations_hashes.append(name)
        if name is not None and not config["disable_caching"] and self.file_writer.is_already_cached(name):
            logger.info("Animation %d: taken from the cache", self.num_plays)
            self.skip_animations = True
        if self.skip_animations:
            self.time += scene.duration
        self.file_writer.begin_animation(not self.skip_animations, animation_index=self.num_plays)
        scene.begin_animations()
        if scene.is_current_animation_frozen_frame():
            self.update_frame(scene, scene.moving_mobjects)
            self.freeze_current_frame(scene.duration)
        else:
            scene.play_internal()
        self.file_writer.end_animation(not self.skip_animations)
        self.num_plays += 1

    def _name_of_play(self, scene: Scene) -> str:
        """Return the name of the film of the play about to begin: the same name, the same film."""
        if config["disable_caching"]:
            return f"uncached_{self.num_plays:05}"
        return digest_of(
            source_digest(),
            installed_versions(),
            self.parameters,
            video_encoder_fingerprint(scene.session_spec.video_encoder),
            [getattr(self.camera, name) for name in _OF_THE_CAMERA],
            scene.animations,
            [*scene.mobjects, *scene.foreground_mobjects],
        )

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
