"""An encoding of one's own: each hand turns 1.618 times as slowly as the one before it.

The golden ratio is the number that fractions come near to most slowly: so no two of these hands are back at
the same time soon. Its race was recorded, from the folder of the clone, with:

    .venv/bin/python -m pe_math.training train half_sum sinusoidal --seeds 0 1 --epochs 12 \\
        --frequencies examples/new_encoding/golden.py:golden --output examples/new_encoding/golden.safetensors
"""

import numpy as np
from numpy.typing import NDArray

RATIO = (1.0 + np.sqrt(5.0)) / 2.0


def golden(d: int) -> NDArray[np.float64]:
    """Return ``(d//2,)`` radians per position, from 1 downwards.

    >>> golden(6).round(3).tolist()
    [1.0, 0.618, 0.382]
    """
    return RATIO ** -np.arange(d // 2)
