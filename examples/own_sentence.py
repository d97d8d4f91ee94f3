"""One's own sentence: its words are the positions that the clocks count."""

from scenes.clock_hands import ClockHands


class ArrowHands(ClockHands):
    """Six words; a sentence in Chinese is divided by spaces as well."""

    sentence = "time flies like an arrow today"
