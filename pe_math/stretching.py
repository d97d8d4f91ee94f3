"""How RoPE's frequencies are slowed for a context longer than the one a model was trained on, by name.

- `as_trained`: not at all;
- `interpolated`: all alike (Chen et al. 2023);
- `ntk`: the slow ones (NTK-aware scaling: Peng et al. 2023, section 3.1);
- `yarn`: by how often they turn, with a factor on the scores (Peng et al. 2023, sections 3.2 to 3.4);
- `llama3`: in bands, by how often they turn (Llama 3.1).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pe_math import _checks, frequencies

Stretched = tuple[NDArray[np.float64], float]
"""Frequencies ``(d//2,)``, and what models multiply both cos and sin by."""


def _as_trained(d: int, base: float, factor: float, length: int) -> Stretched:
    return frequencies.geometric(d, base), 1.0


def _interpolated(d: int, base: float, factor: float, length: int) -> Stretched:
    return frequencies.interpolate(frequencies.geometric(d, base), factor), 1.0


def _ntk(d: int, base: float, factor: float, length: int) -> Stretched:
    return frequencies.ntk(d, base, factor), 1.0


def _yarn(d: int, base: float, factor: float, length: int) -> Stretched:
    return frequencies.yarn(d, base, factor, length)


def _llama3(d: int, base: float, factor: float, length: int) -> Stretched:
    trained = frequencies.geometric(d, base)
    return frequencies.llama3(
        trained, factor, low_freq_factor=1, high_freq_factor=4, original_length=length
    ), 1.0


METHODS: Mapping[str, Callable[[int, float, float, int], Stretched]] = MappingProxyType(
    {
        "as_trained": _as_trained,
        "interpolated": _interpolated,
        "ntk": _ntk,
        "yarn": _yarn,
        "llama3": _llama3,
    }
)


def stretched(method: str, d: int, base: float, factor: float, length: int) -> Stretched:
    """Return the frequencies of a model trained at ``length``, for ``factor`` times that.

    Bands and ramps are those that the methods' authors use: 1 and 4 turns for `llama3`, 1 and 32 for `yarn`.

    Args:
        method: a name in `METHODS`.
        d: numbers of a head that are turned, even.
        base: of the geometric series that the model was trained with, greater than 1.
        factor: how many times longer the context becomes, at least 1.
        length: positions that the model was trained on, positive.

    Returns:
        ``(d//2,)`` radians per position, and the number that models multiply both cos and sin by.

    Raises:
        ValueError: there is no such method, or it refuses its arguments.

    >>> values, scale = stretched("interpolated", 4, 100.0, factor=2, length=64)
    >>> values.round(12).tolist(), scale
    ([0.5, 0.05], 1.0)
    """
    _checks.choice("method", method, tuple(METHODS))
    return METHODS[method](d, base, factor, length)
