"""Another base: five hundred thousand, as in Llama 3."""

from scenes.clock_hands import ClockSwarm


class LargeBase(ClockSwarm):
    """The hands of a wide encoding, most of them much slower."""

    base = 500_000.0
