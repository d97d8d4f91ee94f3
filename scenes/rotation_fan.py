"""RoPE, all planes at once: a vector fans out with its position, and its length never changes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from manim import DOWN, LEFT, RIGHT, UP, FadeIn, FadeOut, ReplacementTransform, ValueTracker, VGroup, linear

from pe_math import rotary
from scenes.counting import CountingScene
from scenes.hands import HandsScene
from scenes.mobjects.fan import Fan
from scenes.mobjects.paths import Discs
from scenes.mobjects.words import Readout, Words
from scenes.parameters import Parameter

Point = tuple[float, float, float]

CENTER: Point = (0.0, 0.25, 0.0)


class RotationFan(HandsScene, CountingScene):
    """The planes of one vector as arrows from one hub: RoPE turns each at its own speed.

    In the end two positions are compared with two others that are as far apart: in every plane the angle
    between is the same.
    """

    d: Annotated[int, Parameter("numbers in the vector, two an arrow", low=4, high=48, multiple_of=2)] = 24
    near: Annotated[tuple[int, int], Parameter("positions of the key and of the query", low=0, high=60)] = (
        5,
        11,
    )
    push: Annotated[int, Parameter("how far both are pushed on", low=1, high=100)] = 40
    lengths = (0.4, 2.6)  # from the fastest pair's to the slowest's, to tell them apart
    gentle = 1.0
    opened = 3.0  # the position at which the fan has opened
    farther = 8.0  # the position up to which the lengths are watched
    farthest = 60.0
    slow_turns = (10.0, 45.0)  # degrees; what has turned by less, there, has barely left

    def check(self) -> None:
        """See that some arrows go round and some do not, and that the query comes after the key."""
        super().check()
        turned = np.degrees(self.frequencies * self.farthest)
        within = [degrees for degrees in self.slow_turns if turned[-1] < degrees]
        if turned[0] < 360.0 or not within:
            raise ValueError(
                f"at {self.farthest:g} the fastest arrow must have turned by 360 degrees and the slowest "
                f"by less than {self.slow_turns[-1]:g}, got {turned[0]:.3g} and {turned[-1]:.3g}; "
                "change d, base or schedule"
            )
        self.slow_turn = within[0]
        if self.near[0] >= self.near[1]:
            raise ValueError(f"near must be the key's position and a later one of the query, got {self.near}")

    def setup(self) -> None:
        """Put the vector on screen, all its arrows along one line."""
        super().setup()
        self.vector = np.zeros(self.d)
        self.vector[0::2] = np.linspace(*self.lengths, self.d // 2)
        self.key, self.paired = ValueTracker(0.0), ValueTracker(0.0)
        self.fan = self.make_fan(self.frequencies)
        self.speeds = self.make_speeds()
        self.add(self.fan.ground, self.fan, self.speeds)

    def construct(self) -> None:
        """Tell the story."""
        self.ask()  # does RoPE turn a vector as one wheel?
        self.open()  # no: each plane turns at its own speed, and the vector fans out
        self.keep_lengths()  # every tip stays on its circle
        self.run()  # the fast ones wrap, the slow ones barely leave
        self.pair()  # two positions: an arc in every plane
        self.compare()  # two others as far apart: the same arcs, elsewhere

    # What the trackers say

    def turned(self) -> npt.NDArray[np.float64]:
        """Return the vector as it stands at the position shown."""
        return np.asarray(rotary.rotate([self.vector], [self.position.get_value()], self.frequencies)[0])

    def degrees(self) -> npt.NDArray[np.float64]:
        """Return by how many degrees each plane has turned."""
        return np.asarray(np.degrees(self.frequencies * self.position.get_value()))

    # What is on screen

    def make_fan(self, speeds: npt.NDArray[np.float64], center: Point = CENTER, unit: float = 1.0) -> Fan:
        """Return the vector's fan, turning with ``speeds`` as the trackers say."""
        fan = Fan(self.vector, speeds, self.theme, center=center, unit=unit)
        fan.add_updater(
            lambda fan: fan.set_positions(
                self.position.get_value(), self.key.get_value(), self.paired.get_value()
            )
        )
        return fan.update()

    def make_speeds(self) -> VGroup:
        """Return the words to the right: how fast the innermost and the outermost arrow turn."""
        ends = (("inside", self.frequencies[0], 2.2), ("outside", self.frequencies[-1], 1.1))
        return VGroup(
            *(
                self.words(key, role="dim", font_size=26, value=f"{np.degrees(speed):.2g}").move_to(
                    (3.1, y, 0.0), aligned_edge=LEFT
                )
                for key, speed, y in ends
            )
        )

    def make_length(self) -> VGroup:
        """Return the length of the whole vector, as it is now."""
        word = self.words("length", font_size=26, role="dim").move_to((-6.3, 1.75, 0.0), aligned_edge=LEFT)
        number = Readout(form="{:.3f}", font_size=34, color=self.theme.text)
        number.place_at(word.get_right() + RIGHT * 0.25 + DOWN * 0.12)
        number.add_updater(lambda number: number.set_value(float(np.linalg.norm(self.turned()))))
        return VGroup(word, number.update())

    def make_legend(self) -> VGroup:
        """Return which dot is the key's and which the query's."""
        legend = VGroup()
        for y, role, position in zip((1.75, 1.25), ("key", "query"), self.near, strict=True):
            dot = Discs(radius=0.08, color=self.theme.color(role)).set_centers([(-6.2, y)])
            words = self.words(f"at_{role}", role=role, font_size=26, position=position)
            legend.add(VGroup(dot, words.move_to((-5.95, y, 0.0), aligned_edge=LEFT)))
        return legend

    def make_label(self, key: int, query: int, x: float) -> Words:
        """Return the words below a small fan: which positions it shows."""
        words = self.words("pair_label", font_size=28, first=key, second=query)
        return words.move_to((x, -2.1, 0.0))

    # The beats

    def ask(self) -> None:
        """Turn the vector as one wheel: the wrong idea."""
        self.beat("ask")
        wheel = self.make_fan(np.ones_like(self.frequencies))
        self.remove(self.fan)
        self.add(wheel)
        self.play(self.idea("question", d=self.d, planes=self.d // 2))
        self.wait(2.0)
        self.play(self.idea("wheel"))
        self.play(self.position.animate.set_value(2.0), run_time=2.5)
        self.wait(0.5)
        self.play(self.position.animate.set_value(0.0), run_time=1.5)
        self.remove(wheel)
        self.add(self.fan)

    def open(self) -> None:
        """Turn each plane at its own speed."""
        self.beat("open")
        self.play(self.idea("open"))
        self.play(self.position.animate.set_value(self.opened), run_time=6.0, rate_func=linear)

    def keep_lengths(self) -> None:
        """Watch the length of the whole while the position grows."""
        self.beat("keep_lengths")
        self.length = self.make_length()
        self.play(FadeIn(self.length), self.idea("lengths"))
        seconds = self.farther - self.opened
        self.play(self.position.animate.set_value(self.farther), run_time=seconds, rate_func=linear)

    def run(self) -> None:
        """Run on: the fast planes wrap round, the slow ones barely leave."""
        self.beat("run")
        self.play(self.idea("run"))
        self.glide_to(self.farthest, pace=7.5, ramp=6.0)
        degrees = self.degrees()
        counts = {"fast": int(np.sum(degrees >= 360.0)), "slow": int(np.sum(degrees < self.slow_turn))}
        self.play(
            self.idea("wrapped", position=f"{self.farthest:g}", degrees=f"{self.slow_turn:g}", **counts)
        )
        self.wait(2.5)

    def pair(self) -> None:
        """Compare two positions: in every plane an arc spans the angle between."""
        self.beat("pair")
        key, query = self.near
        self.play(FadeOut(self.length), self.idea("pair", offset=query - key))
        self.play(self.position.animate.set_value(query), run_time=2.0)
        self.legend = self.make_legend()
        self.play(FadeIn(self.legend), FadeOut(self.counter))
        self.play(self.paired.animate.set_value(1.0), self.key.animate.set_value(key), run_time=2.0)

    def compare(self) -> None:
        """Leave one pair of positions where it is, push another on: the arcs slide and keep their size."""
        self.beat("compare")
        key, query = self.near
        still, moving = self.split()
        labels = [self.make_label(key, query, x) for x in (still.hub[0], moving.hub[0])]
        planes = self.words("planes", role="dim", font_size=26, planes=self.d // 2).move_to(UP * 2.75)
        self.play(*map(FadeIn, (*labels, planes)), self.idea("push", places=self.push))
        self.play(
            self.key.animate.set_value(key + self.push),
            self.position.animate.set_value(query + self.push),
            run_time=8.0,
            rate_func=linear,
        )
        pushed = self.make_label(key + self.push, query + self.push, moving.hub[0])
        self.play(ReplacementTransform(labels[1], pushed), self.idea("answer"))

    def split(self) -> tuple[Fan, Fan]:
        """Make two small fans of the large one: the left one stays as it is, the right one follows on."""
        fans: list[Any] = [self.make_fan(self.frequencies, (x, 0.35, 0.0), 0.8) for x in (-3.1, 3.1)]
        fans[0].clear_updaters()
        old = self.fan.copy().clear_updaters(), self.fan.ground.copy()
        self.play(
            FadeOut(self.speeds, self.legend),
            ReplacementTransform(self.fan, fans[0]),
            ReplacementTransform(self.fan.ground, fans[0].ground),
            ReplacementTransform(old[0], fans[1]),
            ReplacementTransform(old[1], fans[1].ground),
            run_time=2.0,
        )
        return fans[0], fans[1]
