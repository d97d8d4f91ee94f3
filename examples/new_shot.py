"""A shot of one's own, to copy and change: one clock, one question, one answer.

It has all that a shot needs: a parameter, words in both languages, a first picture, and two beats, each a
clip that can stand alone.
"""

from typing import Annotated

import numpy as np
from manim import ValueTracker, linear

from scenes.mobjects.clock import Clock
from scenes.parameters import Parameter
from scenes.stage import LectureScene

WORDS = {
    "en": {
        "title": "One hand",
        "question": "{speed} radians a position: how long is a turn?",
        "answer": "A turn is {period} positions.",
        "caption": {
            "ask": "One hand turns from position to position. How many positions until it is back?",
            "answer": "A whole turn is 2π radians, divided by the speed of the hand.",
        },
    },
    "zh": {
        "title": "一根指针",
        "question": "每个位置转 {speed} 弧度：转一圈要多久？",
        "answer": "转一圈是 {period} 个位置。",
        "caption": {
            "ask": "一根指针，一个位置一个位置地转。走过多少个位置，它才回来？",
            "answer": "一整圈是 2π 弧度，除以指针的速度。",
        },
    },
}


class NewShot(LectureScene):
    """One hand turns; how many positions is a turn?"""

    speed: Annotated[float, Parameter("radians a position", low=0.05, high=3.0)] = 0.5

    phrases = WORDS

    def setup(self) -> None:
        """Put the first picture on screen, so that the film does not begin empty."""
        super().setup()
        self.position = ValueTracker(0.0)
        self.clock = Clock(self.speed, self.theme, radius=1.8, color=self.theme.hand_colors(1)[0])
        # A picture reads trackers and nothing else: so every frame is a function of them.
        self.clock.add_updater(lambda clock: clock.set_position(self.position.get_value()))
        self.add(self.clock)

    def construct(self) -> None:
        """Tell the story, a beat a line."""
        self.ask()  # a hand turns: when is it back?
        self.answer()  # after a whole turn

    def ask(self) -> None:
        """Turn the hand a little."""
        self.beat("ask")
        self.play(self.idea("question", speed=f"{self.speed:g}"))
        self.play(self.position.animate.set_value(1.0 / self.speed), run_time=1.5)

    def answer(self) -> None:
        """Turn it all the way round."""
        self.beat("answer")
        period = 2.0 * np.pi / self.speed
        self.play(self.position.animate.set_value(period), run_time=3, rate_func=linear)
        self.play(self.idea("answer", period=f"{period:.1f}"))
