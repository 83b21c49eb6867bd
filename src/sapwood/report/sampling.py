"""Fewer points that draw the same line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MAX_POINTS = 2000
_COLUMNS = 450  # of at most four points each


def floats(values: Any) -> Floats:
    """Return numbers as an array in which everything that cannot be drawn is NaN."""
    array = np.array(values, dtype=np.float64).reshape(-1)
    array[~np.isfinite(array)] = np.nan
    return array


def thinned(x: Floats, y: Floats, max_points: int = MAX_POINTS) -> tuple[Floats, Floats]:
    """Leave out points that cannot be told apart in a picture.

    The range of x is cut into columns. Of each, the first, the lowest, the highest and the last
    point stay, so that no peak is lost, wherever it is.

    Parameters
    ----------
    x, y : ndarray
        Points in order of x, without NaN.
    max_points : int
        Up to so many points are left as they are.

    Returns
    -------
    x, y : ndarray
        The points that stay, in their order.
    """
    if len(x) <= max_points:
        return x, y
    columns = max(1, min(_COLUMNS, max_points // 4))
    span = float(x[-1] - x[0]) or 1.0
    column = np.minimum(((x - x[0]) / span * columns).astype(np.int64), columns - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(starts[1:], len(x))
    order = np.lexsort((y, column))  # within a column from its lowest point to its highest
    keep = np.unique(np.concatenate([starts, ends - 1, order[starts], order[ends - 1]]))
    return x[keep], y[keep]


def runs(x: Floats, *others: Floats) -> Iterator[tuple[Floats, ...]]:
    """Yield the stretches in which all values are numbers: a line is broken where one is not."""
    columns = (x, *others)
    good = np.all(np.isfinite(np.stack(columns)), axis=0)
    edges = np.flatnonzero(np.diff(good, prepend=False, append=False))
    for start, end in edges.reshape(-1, 2):
        yield tuple(column[start:end] for column in columns)


def spread(n: int, most: int) -> list[int]:
    """Return at most ``most`` positions of n, evenly spread, with the first and the last."""
    if n <= most:
        return list(range(n))
    return [int(k) for k in np.unique(np.linspace(0, n - 1, most).round())]
