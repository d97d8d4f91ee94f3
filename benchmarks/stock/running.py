"""What the stock scenes share: a title, a counter, and a tracker that runs evenly."""

from collections.abc import Callable
from typing import Any

from manim import RIGHT, UP, WHITE, DecimalNumber, Scene, Text, ValueTracker, linear


class Running(Scene):
    """Lets ``now`` run evenly for ``lasting`` seconds; a subclass adds its pictures in `setup`."""

    lasting: float = 2.0
    begin_at: float
    per_second: float
    title: str
    counted: str = "position"
    counter_height: float = 2.6

    def setup(self) -> None:
        """Put title and counter on screen."""
        self.now = ValueTracker(self.begin_at)
        self.add(Text(self.title, font_size=36).move_to(UP * 3.4))
        self.add(Text(self.counted, font_size=30).move_to((-5.7, self.counter_height, 0)))
        self.add(number(self.now.get_value, (-3.9, self.counter_height, 0), 0, font_size=44))

    def construct(self) -> None:
        """Let the tracker run."""
        end = self.begin_at + self.per_second * self.lasting
        self.play(self.now.animate.set_value(end), run_time=self.lasting, rate_func=linear)


def number(
    value: Callable[[], float], right_end: Any, places: int = 2, color: Any = WHITE, font_size: float = 32
) -> DecimalNumber:
    """Return a number that follows ``value()``; Manim's, drawn without LaTeX."""
    shown = DecimalNumber(
        value(), places, include_sign=places > 0, mob_class=Text, font_size=font_size, color=color
    )
    shown.add_updater(lambda shown: shown.set_value(value()).move_to(right_end, aligned_edge=RIGHT))
    return shown.update()
