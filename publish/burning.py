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

Plane = np.ndarray[Any, np.dtype[np.uint8]]
Shares = np.ndarray[Any, np.dtype[np.float32]]


class Layer:
    """What is drawn on a plane of a picture: how much of each point is ``kept``, and what is ``added``."""

    def __init__(self, kept: Shares, added: Shares) -> None:
        rows = np.flatnonzero((kept < 1).any(axis=1))
        self.rows = slice(rows[0], rows[-1] + 1)
        self.kept, self.added = kept[self.rows], added[self.rows]

    def draw(self, plane: Plane) -> None:
        """Draw on ``plane``, in place."""
        plane[self.rows] = (plane[self.rows] * self.kept + self.added).round()


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
        planes = frame.to_ndarray(format="yuv420p").astype(np.uint8, copy=False).reshape(-1)
        brightness, *colors = np.split(planes, [width * height, width * height * 5 // 4])
        on_brightness, on_color = self.layers(text)
        on_brightness.draw(brightness.reshape(height, width))
        for color in colors:
            on_color.draw(color.reshape(height // 2, width // 2))
        return av.VideoFrame.from_ndarray(planes.reshape(-1, width), format="yuv420p")

    def _layers(self, text: str) -> tuple[Layer, Layer]:
        """Return what is drawn on brightness, and on the colours, which have half as many points each way."""
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
        kept = 1 - covered - inked
        kept_color = kept.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
        return Layer(kept, BLACK * covered + WHITE * inked), Layer(kept_color, GREY * (1 - kept_color))
