"""How near a film is to another of the same frames."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import av
import numpy as np
from skimage.metrics import structural_similarity


def similarity(film: Path, reference: Path, every: int = 5) -> float:
    """Return the mean structural similarity (SSIM) of the luma of two films, on every ``every``-th frame."""
    with av.open(str(film)) as one, av.open(str(reference)) as other:
        pairs = zip(one.decode(video=0), other.decode(video=0), strict=True)
        scores = [
            structural_similarity(luma(frame), luma(like), data_range=255)
            for frame, like in islice(pairs, 0, None, every)
        ]
    return float(np.mean(scores))


def luma(frame: av.VideoFrame) -> np.ndarray:
    """Return the brightness of a frame, ``(height, width)`` bytes."""
    return frame.to_ndarray(format="gray")
