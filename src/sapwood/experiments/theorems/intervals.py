"""What a finite number of runs says: limits of a share, and of a median."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MANY", "median", "share_limits"]

#: The level for verdicts that look at many cases at once.
MANY = 0.999


def share_limits(count: float, of: float, level: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson limits of a probability.

    A count that is a sum of shares varies less than one of whole cases, so they hold for it, too.

    Examples
    --------
    >>> low, high = share_limits(0, 1000)
    >>> low, round(high, 4)
    (0.0, 0.0037)
    """
    from scipy.stats import beta

    if not of:
        return 0.0, 1.0
    rest = (1 - level) / 2
    low = float(beta.ppf(rest, count, of - count + 1)) if count > 0 else 0.0
    high = float(beta.ppf(1 - rest, count + 1, of - count)) if count < of else 1.0
    return low, high


def median(
    values: Sequence[float] | NDArray[Any], level: float = 0.95
) -> tuple[float, float, float]:
    """Return the median and its limits; values may be infinite.

    The limits are two of the values themselves, whatever their law; NaN where there are too few.

    Examples
    --------
    >>> median([5, 1, 2, 4, 3, math.inf])
    (3.0, 1.0, inf)
    """
    from scipy.stats import binom

    found = np.sort(np.asarray(values, float))
    n = len(found)
    if not n:
        return math.nan, math.nan, math.nan
    middle = float(found[(n - 1) // 2])
    skipped = int(binom.ppf((1 - level) / 2, n, 0.5))  # the largest k with P(B < k) small enough
    if skipped < 1:
        return middle, math.nan, math.nan
    return middle, float(found[skipped - 1]), float(found[n - skipped])
