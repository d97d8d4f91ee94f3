"""Principal components: the flat picture that shows most of a table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_math import _checks


class PrincipalComponents(NamedTuple):
    """What :func:`pca` returns.

    Attributes:
        scores: ``(n, components)``, the rows seen along the directions, with mean 0.
        directions: ``(components, d)``, orthonormal, the one that varies most first.
        explained_share: ``(components,)``, each direction's share of the whole variance, from 0 to 1.
    """

    scores: NDArray[np.float64]
    directions: NDArray[np.float64]
    explained_share: NDArray[np.float64]


def pca(x: ArrayLike, components: int) -> PrincipalComponents:
    """Return the principal components of the rows of ``x`` (Pearson 1901), by singular value decomposition.

    The sign of a direction is arbitrary; here its largest entry is positive, so that pictures do not flip.

    Args:
        x: ``(n, d)``, rows that are not all the same.
        components: from 1 to ``min(n, d)``.

    Returns:
        ``(scores, directions, explained_share)``.

    Raises:
        ValueError: ``x`` is not a finite two-dimensional array or its rows do not vary, or ``components`` is
            outside the range above.

    >>> scores, directions, explained_share = pca([[0, 1], [2, 1], [4, 1]], components=1)
    >>> scores.round(12).tolist(), directions.round(12).tolist(), explained_share.tolist()
    ([[-2.0], [0.0], [2.0]], [[1.0, 0.0]], [1.0])
    """
    rows = _checks.reals("x", x, axes=2)
    components = _checks.count("components", components, at_least=1)
    _checks.require(components <= min(rows.shape), "components", components, f"at most {min(rows.shape)}")
    _checks.require(bool(np.ptp(rows, axis=0).any()), "x", x, "rows that vary")
    centred = rows - rows.mean(axis=0)
    _, singular_values, directions = np.linalg.svd(centred, full_matrices=False)
    variances = singular_values**2
    directions = directions[:components]
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, np.newaxis], axis=1)
    directions = directions * np.sign(largest)
    return PrincipalComponents(centred @ directions.T, directions, variances[:components] / variances.sum())
