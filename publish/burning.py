"""Captions drawn into the pictures of a film, for players that show no text track."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from scenes.fonts import font_files

# In heights of the picture. Shots leave its lowest seventh to captions, and two lines stay within it.
FONT_SIZE, LINE_GAP, PADDING, BOTTOM = 0.038, 0.01, 0.008, 0.02
BOX = 0.65  # how much the box behind the words covers
BLACK, WHITE, GREY = 16, 235, 128  # of video: the range of its brightness, and no colour

Layer = np.ndarray[Any, np.dtype[np.float32]]


class CaptionPainter:
    """Draws white captions on a dark box, which can be read on any theme, near the foot of the pictures."""

    def __init__(self, language: str, width: int, height: int) -> None:
        latin, chinese = font_files()
        self.size = (width, height)
        self.font = ImageFont.truetype(str(chinese if language == "zh" else latin), round(FONT_SIZE * height))
        self.font.set_variation_by_name("Regular")
        # A caption stands for many frames.
        self.layers = lru_cache(maxsize=1)(self._layers)

    def paint(self, frame: av.VideoFrame, text: str) -> av.VideoFrame:
        """Return ``frame`` with ``text``; what is drawn on is yuv420p, so nothing else is converted."""
        width, height = self.size
        keep, add = self.layers(text)
        planes = frame.to_ndarray(format="yuv420p").astype(np.uint8, copy=False).reshape(-1)
        brightness, *colors = np.split(planes, [width * height, width * height * 5 // 4])
        _blend(brightness.reshape(height, width), keep, add)
        keep_color = keep.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
        for color in colors:
            _blend(color.reshape(height // 2, width // 2), keep_color, GREY * (1 - keep_color))
        return av.VideoFrame.from_ndarray(planes.reshape(-1, width), format="yuv420p")

    def _layers(self, text: str) -> tuple[Layer, Layer]:
        """Return how much is kept of each point's brightness, and what is added to it."""
        width, height = self.size
        foot = (width / 2, height * (1 - BOTTOM - PADDING))
        box, ink = (Image.new("L", self.size) for _ in range(2))
        style: dict[str, Any] = {
            "font": self.font,
            "anchor": "md",
            "align": "center",
            "spacing": LINE_GAP * height,
        }
        pen = ImageDraw.Draw(ink)
        left, top, right, bottom = pen.multiline_textbbox(foot, text, **style)
        padding = PADDING * height
        ImageDraw.Draw(box).rounded_rectangle(
            (left - 2 * padding, top - padding, right + 2 * padding, bottom + padding), padding, fill=255
        )
        pen.multiline_text(foot, text, fill=255, **style)
        inked = np.asarray(ink, dtype=np.float32) / np.float32(255)
        covered = np.asarray(box, dtype=np.float32) * np.float32(BOX / 255) * (1 - inked)
        keep = 1 - covered - inked
        return keep, BLACK * covered + WHITE * inked


def _blend(plane: np.ndarray[Any, np.dtype[np.uint8]], keep: Layer, add: Layer) -> None:
    """Change ``plane`` to what is kept of it and what is added, where anything is drawn."""
    rows = np.flatnonzero((keep < 1).any(axis=1))
    drawn = slice(rows[0], rows[-1] + 1)
    plane[drawn] = (plane[drawn] * keep[drawn] + add[drawn]).round()
