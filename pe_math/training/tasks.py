"""What the small Transformers learn: seeded tasks, each of which can be drawn at any length.

A task draws sequences from a NumPy generator, so the same seed gives the same sequences whatever the
encoding, the number of workers or the version of torch. Inputs are float32 `(count, length, 1)` for the
regression tasks and int64 `(count, length)` tokens for the others. Targets are float32 `(count,)` sums, int64
`(count,)` classes, or int64 `(count, length)` next tokens in which `UNSCORED` marks the positions that do not
count.
"""

import hashlib
import importlib
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pe_math import _checks

Kind = Literal["regression", "classification", "language"]
Batch = tuple[NDArray[Any], NDArray[Any]]
Draw = Callable[[Generator, int, int], Batch]
Weights = Callable[[int], NDArray[np.float64]]

UNSCORED = -100
"""Target of a position that has none; the value that torch's cross entropy leaves out by default."""


@dataclass(frozen=True)
class Task:
    """A task: what goes in, what must come out, and how it is drawn.

    `inputs` is the number of features a step (regression) or of tokens in the vocabulary (the other kinds),
    `outputs` the number of values or classes predicted. `length` is the length trained on and `factors` the
    multiples of it that are tested. `draw(generator, count, length)` gives training sequences and
    `draw_held_out` those for validation; for the invented tasks the two are one distribution and only the
    generator differs. `weights(length)` says how much of each position's element a sum takes; None where the
    target is no sum. `source` says where real data came from.
    """

    name: str
    kind: Kind
    inputs: int
    outputs: int
    length: int
    draw: Draw
    draw_held_out: Draw
    weights: Weights | None = None
    factors: tuple[int, ...] = (1, 2, 4)
    source: str = ""

    @property
    def causal(self) -> bool:
        """Whether the model may look only to the left: so for language tasks."""
        return self.kind == "language"

    @property
    def metric(self) -> str:
        """What a table shows: `R²`, `accuracy`, or `nats` for real text, where no answer is the right one."""
        if self.kind == "regression":
            return "R²"
        return "nats" if self.source else "accuracy"

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths tested, the trained one first."""
        return tuple(factor * self.length for factor in self.factors)


def signal(generator: Generator, count: int, length: int) -> NDArray[np.float32]:
    """Return `(count, length)` sequences: a sine in the first half, Gaussian noise in the second.

    Phase and frequency of each sine are drawn anew: the phase uniformly from the circle, the frequency
    uniformly from 0.2 to 1 radians a step. The amplitude is 1 and so is the deviation of the noise.
    """
    half = _half(length)
    phase = generator.uniform(0, 2 * np.pi, (count, 1))
    frequency = generator.uniform(0.2, 1.0, (count, 1))
    sine = np.sin(phase + frequency * np.arange(half))
    noise = generator.standard_normal((count, half))
    return np.concatenate([sine, noise], axis=1).astype(np.float32)


def _half(length: int) -> int:
    right = "positive and even, for it has two halves"
    _checks.require(length > 0 and length % 2 == 0, "length", length, right)
    return length // 2


def _weighted(weights: Weights) -> Draw:
    """Return a draw whose target is the sum of a signal's elements, each times its position's weight."""

    def draw(generator: Generator, count: int, length: int) -> Batch:
        x = signal(generator, count, length)
        return x[:, :, None], (x @ weights(length)).astype(np.float32)

    return draw


def _first_half(length: int) -> NDArray[np.float64]:
    return (np.arange(length) < _half(length)).astype(np.float64)


def _ramp(length: int) -> NDArray[np.float64]:
    return np.linspace(-1.0, 1.0, length)


def _regression(name: str, weights: Weights) -> Task:
    draw = _weighted(weights)
    return Task(name, "regression", 1, 1, length=32, draw=draw, draw_held_out=draw, weights=weights)


_FILLERS = 8


def _draw_order(generator: Generator, count: int, length: int) -> Batch:
    """Two marks among random fillers, at places drawn without preference; class 1 if mark A comes first."""
    _checks.require(length >= 2, "length", length, "at least 2, for the two marks")
    inputs = generator.integers(_FILLERS, size=(count, length))
    places = generator.random((count, length)).argsort(axis=1)[:, :2]
    np.put_along_axis(inputs, places, np.array([_FILLERS, _FILLERS + 1]), axis=1)
    return inputs, (places[:, 0] < places[:, 1]).astype(np.int64)


def _order(data: Path | None) -> Task:
    draw, tokens = _draw_order, _FILLERS + 2
    return Task("order", "classification", tokens, 2, length=20, draw=draw, draw_held_out=draw)


_SYMBOLS = 16


def _draw_copy(generator: Generator, count: int, length: int) -> Batch:
    """Random symbols in the first half, then a separator from which on the same symbols are to be
    predicted."""
    symbols = generator.integers(_SYMBOLS, size=(count, _half(length)))
    separator = np.full((count, 1), _SYMBOLS)
    unscored = np.full_like(symbols, UNSCORED)
    inputs = np.concatenate([symbols, separator, symbols[:, :-1]], axis=1)
    return inputs, np.concatenate([unscored, symbols], axis=1)


def _copy(data: Path | None) -> Task:
    draw, tokens = _draw_copy, _SYMBOLS + 1
    return Task("copy", "language", tokens, tokens, length=40, draw=draw, draw_held_out=draw)


_VOCABULARY = 128


def _draw_induction(generator: Generator, count: int, length: int) -> Batch:
    """Different tokens, repeated with a period that is drawn anew, from a quarter to a half of the length.

    What followed a token before follows it again: [A][B] … [A] → [B] (Olsson et al. 2022, "In-context
    learning and induction heads"). Scored where the token has been seen before; the period is not told, so no
    fixed offset helps.
    """
    longest = 2 * _VOCABULARY
    _checks.require(
        4 <= length <= longest, "length", length, f"from 4 to {longest}, for {_VOCABULARY} tokens"
    )
    period = generator.integers(length // 4, length // 2 + 1, size=(count, 1))
    tokens = generator.random((count, _VOCABULARY)).argsort(axis=1)
    places = np.arange(length + 1)
    repeated = np.take_along_axis(tokens, places % period, axis=1)
    return repeated[:, :-1], np.where(places[:-1] >= period, repeated[:, 1:], UNSCORED)


def _induction(data: Path | None) -> Task:
    draw = _draw_induction
    return Task("induction", "language", _VOCABULARY, _VOCABULARY, length=40, draw=draw, draw_held_out=draw)


WIKITEXT_VARIABLE = "CLOCKHANDS_WIKITEXT"
"""Environment variable with the folder of WikiText-2, where no argument gives it."""

_WIKITEXT_REMEDY = (
    f"give a folder (--data FOLDER, or {WIKITEXT_VARIABLE}) with wiki.valid.tokens and wiki.test.tokens, "
    "unpacked from https://wikitext.smerity.com/wikitext-2-v1.zip; or install the package datasets, "
    "which downloads the text"
)

_RAREST = 100  # characters that the training text has less often share one token


def _wikitext(data: Path | None) -> Task:
    """Return the causal language model of WikiText-2's characters (Merity et al. 2016)."""
    train_text, test_text, source = _wikitext_texts(data or os.environ.get(WIKITEXT_VARIABLE))
    counts = Counter(train_text)
    characters = sorted(character for character, number in counts.items() if number >= _RAREST)
    number_of = {character: number for number, character in enumerate(characters, 1)}
    train, test = (
        np.array([number_of.get(character, 0) for character in text]) for text in (train_text, test_text)
    )
    digest = hashlib.sha256((train_text + test_text).encode()).hexdigest()
    return Task(
        "wikitext",
        "language",
        inputs=len(characters) + 1,
        outputs=len(characters) + 1,
        length=64,
        draw=_windows(train),
        draw_held_out=_windows(test),
        factors=(1, 2, 4, 8),
        source=f"{source}, sha256 {digest[:16]}",
    )


def _windows(text: NDArray[np.int64]) -> Draw:
    """Return a draw of windows of a text, at any place."""

    def draw(generator: Generator, count: int, length: int) -> Batch:
        right = f"from 1 to {len(text) - 1}, within the text"
        _checks.require(1 <= length < len(text), "length", length, right)
        places = generator.integers(len(text) - length, size=(count, 1)) + np.arange(length)
        return text[places], text[places + 1]

    return draw


def _wikitext_texts(folder: str | Path | None) -> tuple[str, str, str]:
    """Return the text to train on, the text to test on, and what they are.

    A folder has `wiki.valid.tokens` to train on (1.1 MB, enough for small models) and `wiki.test.tokens`.
    Without a folder the full split comes from the package `datasets`, if that is installed.
    """
    if folder is None:
        train, test = _wikitext_splits()
        return train, test, "WikiText-2, trained on its training split"
    train, test = (_read(Path(folder) / f"wiki.{part}.tokens") for part in ("valid", "test"))
    return train, test, "WikiText-2, trained on its validation split"


def _read(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; {_WIKITEXT_REMEDY}")
    return path.read_text("utf-8")


def _wikitext_splits() -> tuple[str, str]:
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise FileNotFoundError(f"the task wikitext needs its text; {_WIKITEXT_REMEDY}") from error
    try:
        splits = datasets.load_dataset("Salesforce/wikitext", "wikitext-2-v1")
        train, test = ("".join(splits[part]["text"]) for part in ("train", "test"))
    except Exception as error:  # whatever it and what it uses raise, say without a network
        reason = " ".join(str(error).split())
        raise FileNotFoundError(
            f"the package datasets could not get WikiText-2 ({reason}); {_WIKITEXT_REMEDY}"
        ) from error
    return train, test


TASKS: dict[str, Callable[[Path | None], Task]] = {
    "signal_sum": lambda data: _regression("signal_sum", np.ones),
    "half_sum": lambda data: _regression("half_sum", _first_half),
    "weighted_sum": lambda data: _regression("weighted_sum", _ramp),
    "order": _order,
    "copy": _copy,
    "induction": _induction,
    "wikitext": _wikitext,
}


def load(name: str, data: Path | None = None) -> Task:
    """Return the task called `name`; `data` is the folder of one that reads files.

    Raises:
        ValueError: there is no such task.
        FileNotFoundError: the task's files are not there; the message says where to get them.
    """
    _checks.choice("task", name, TASKS)
    return TASKS[name](data)
