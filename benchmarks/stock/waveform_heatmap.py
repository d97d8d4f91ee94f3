"""The heatmap of 100 positions and 32 dimensions: a square a cell, or an ``ImageMobject``."""

from typing import Any

import numpy as np
from manim import (
    BLACK,
    BLUE,
    DOWN,
    GRAY,
    LEFT,
    ORANGE,
    PINK,
    PURPLE,
    RIGHT,
    UP,
    YELLOW,
    Circle,
    ImageMobject,
    Line,
    Rectangle,
    Text,
    VGroup,
    always_redraw,
    color_gradient,
)
from PIL.Image import Resampling

from benchmarks.stock.running import Running
from pe_math.frequencies import geometric
from pe_math.sinusoidal import table

WIDTH, HEIGHT, CENTER = 7.9, 4.5, np.array([-1.3, 0.35, 0])
COLORS = color_gradient([BLUE, BLACK, ORANGE], 255)
PIXELS = np.array([color.to_int_rgba() for color in COLORS], dtype=np.uint8)


class Map(Running):
    """The map runs on to later positions, cell by cell; the clocks of its rows turn."""

    begin_at = 0.0
    per_second = 20.0
    title = "From clock hands to a heatmap"
    counter_height = 3.4

    def setup(self) -> None:
        """Put the picture on screen."""
        super().setup()
        self.frequencies = geometric(32)
        colors = color_gradient([YELLOW, PINK, PURPLE], 16)
        for k, (frequency, color) in enumerate(zip(self.frequencies, colors, strict=True)):
            y = CENTER[1] + (0.5 - (k + 0.5) / 16) * HEIGHT
            self.add_clock(frequency, color, np.array([-5.78 if k % 2 else -6.3, y, 0]))
        self.add(self.color_bar(), self.make_map())

    def levels(self) -> np.ndarray:
        """Return the numbers of all cells' colours, ``(32, 100)``."""
        values = table(self.now.get_value() + np.arange(100), self.frequencies).T
        return np.rint((values + 1) * 127).astype(int)

    def make_map(self) -> Any:
        """Return 3,200 squares, recoloured each frame."""
        width, height = WIDTH / 100, HEIGHT / 32
        corner = CENTER + (WIDTH - width) / 2 * LEFT + (HEIGHT - height) / 2 * UP
        squares = VGroup()
        for row, column in np.ndindex(32, 100):
            square = Rectangle(width=width, height=height, stroke_width=0, fill_opacity=1)
            squares.add(square.move_to(corner + column * width * RIGHT + row * height * DOWN))

        def recolor(squares: VGroup) -> None:
            for square, level in zip(squares, self.levels().flat, strict=True):
                square.set_fill(COLORS[level])

        return squares.add_updater(recolor, call_updater=True)

    def add_clock(self, frequency: float, color: Any, center: np.ndarray) -> None:
        """Put a small clock beside its two rows on screen."""

        def tip() -> np.ndarray:
            angle = frequency * self.now.get_value()
            return center + 0.25 * np.array([np.sin(angle), np.cos(angle), 0])

        self.add(Circle(0.25, color=GRAY, stroke_width=2).move_to(center))
        self.add(always_redraw(lambda: Line(center, tip(), color=color, stroke_width=2.5)))

    def color_bar(self) -> VGroup:
        """Return the colours from +1 on top to -1, with their numbers."""
        bar = Rectangle(width=0.16, height=3, stroke_width=1.5, fill_opacity=1).move_to((5.93, 0.35, 0))
        bar.set_fill([BLUE, BLACK, ORANGE]).set_sheen_direction(UP)
        numbers = [
            Text(f"{value:+d}", font_size=24).move_to((6.3, 0.35 + 1.5 * value, 0)) for value in (1, -1)
        ]
        return VGroup(bar, *numbers)


class ImageMap(Map):
    """The same, with one image whose pixels are the cells."""

    def make_map(self) -> Any:
        """Return an image, recoloured each frame."""
        image = ImageMobject(PIXELS[self.levels()]).set_resampling_algorithm(Resampling.NEAREST)
        image.stretch_to_fit_width(WIDTH).stretch_to_fit_height(HEIGHT).move_to(CENTER)

        def recolor(image: ImageMobject) -> None:
            image.pixel_array = PIXELS[self.levels()]

        return image.add_updater(recolor)
