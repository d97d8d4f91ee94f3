"""A race of loss curves on Manim's ``Axes``: curves, bands and labels made anew each frame."""

from typing import Any

import numpy as np
from manim import (
    BLUE,
    GRAY,
    GREEN,
    LEFT,
    ORANGE,
    PINK,
    RIGHT,
    UP,
    Axes,
    DashedLine,
    Dot,
    LogBase,
    Polygon,
    Text,
    VGroup,
    VMobject,
    always_redraw,
)

from benchmarks.stock.running import Running, number
from pe_math.training import records

NAMES = {"none": GRAY, "sinusoidal": BLUE, "learned": ORANGE, "shaw": GREEN, "rope": PINK}


class Race(Running):
    """Curves on a logarithmic axis, and the standings beside them. The axes stay as they are."""

    begin_at = 5.0
    per_second = 5.0
    title = "Which encoding wins?"
    counted = "epoch"

    def setup(self) -> None:
        """Put the picture on screen."""
        super().setup()
        record = records.load(records.path_of("encoders"))
        runs = {name: record.array("signal_sum", name, "validation_loss") for name in NAMES}
        self.curves = {name: np.stack(records.spread(seeds)) for name, seeds in runs.items()}
        self.axes = self.make_axes(self.curves)
        self.add(self.axes, self.make_counts(), self.make_guess())
        for place, (name, color) in enumerate(NAMES.items()):
            self.add_runner(self.curves[name], name, color)
            self.add_standing(self.curves[name][0], name, color, 1.13 - 0.48 * place)

    def make_axes(self, curves: dict[str, np.ndarray]) -> Axes:
        """Return axes for all epochs and losses."""
        low, high = (np.log10(end(list(curves.values()))) for end in (np.min, np.max))
        epochs = next(iter(curves.values())).shape[1]
        return Axes(
            x_range=(0, epochs, 5),
            y_range=(np.floor(low), np.ceil(high), 1),
            x_length=5.7,
            y_length=4.05,
            y_axis_config={"scaling": LogBase(10)},
            axis_config={"color": GRAY, "include_tip": False},
        ).move_to((-2.7, 0.15, 0))

    def make_counts(self) -> VGroup:
        """Return the numbers at the axes."""
        epochs, losses = self.axes.x_range, self.axes.y_range
        numbers = VGroup()
        for epoch in np.arange(0, epochs[1], 10):
            numbers.add(
                Text(f"{epoch:g}", font_size=24).move_to(self.axes.c2p(epoch, 10 ** losses[0]) - UP * 0.25)
            )
        for power in np.arange(losses[0], losses[1] + 1):
            place = self.axes.c2p(0, 10**power) + LEFT * 0.15
            numbers.add(Text(f"{10**power:g}", font_size=24).move_to(place, aligned_edge=RIGHT))
        return numbers

    def make_guess(self) -> DashedLine:
        """Return the line of always guessing the mean."""
        return DashedLine(self.axes.c2p(0, 1), self.axes.c2p(self.axes.x_range[1], 1), color=GRAY)

    def add_runner(self, losses: np.ndarray, name: str, color: Any) -> None:
        """Put a curve with its band, its head and its label on screen."""
        known = np.arange(1, losses.shape[1] + 1)

        def points(row: int) -> list[np.ndarray]:
            epochs = np.append(np.arange(1, np.ceil(self.now.get_value())), self.now.get_value())
            passed = 10 ** np.interp(epochs, known, np.log10(losses[row]))
            return [self.axes.c2p(epoch, loss) for epoch, loss in zip(epochs, passed, strict=True)]

        def line() -> VMobject:
            return VMobject(color=color, stroke_width=4).set_points_as_corners(points(0))

        def band() -> Polygon:
            return Polygon(
                *points(1), *reversed(points(2)), stroke_width=0, fill_opacity=0.14, fill_color=color
            )

        label = Text(name, font_size=24, color=color)
        label.add_updater(lambda label: label.next_to(points(0)[-1], RIGHT, buff=0.35))
        self.add(always_redraw(band), always_redraw(line), label)
        self.add(always_redraw(lambda: Dot(points(0)[-1], radius=0.07, color=color)))

    def add_standing(self, median: np.ndarray, name: str, color: Any, y: float) -> None:
        """Put a row of the standings on screen: a name and the loss at the last whole epoch."""
        self.add(Text(name, font_size=24, color=color).move_to((3.3, y, 0), aligned_edge=LEFT))
        loss = number(lambda: median[int(self.now.get_value()) - 1], (6.4, y, 0), 4, color=GRAY, font_size=24)
        self.add(loss)
