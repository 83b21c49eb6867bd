"""What came of the runs: the paper's averages, and differences on the same streams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import curves
from ..curves import Averages, Curve
from ..tasks import Found
from .runs import LEAVES

BASELINES = ("h-tree", "corrh-tree")
RESAMPLED = 2000  # times, for the limits of a peak
WIDTH = 10  # leaves that are averaged together around each of the paper's sizes

Array = NDArray[np.float64]


def by_stream(found: Found, order: str, grid: str, learner: str) -> list[Curve]:
    """Return a learner's curve on each stream, in the order of the seeds."""
    mine = found.where(order=order, grid=grid, learner=learner, what="end")
    seeds, leaves, accuracy = mine["seed"], mine["leaves"], mine["accuracy"]
    return [Curve(leaves[seeds == s], accuracy[seeds == s]) for s in np.unique(seeds)]


def pooled(found: Found, order: str, grid: str, learner: str) -> Averages:
    """Return a learner's accuracy at the paper's sizes, averaged the paper's way."""
    return curves.pooled(by_stream(found, order, grid, learner), LEAVES, WIDTH)


def mean(found: Found, order: str, learner: str, leaves: Array) -> Averages:
    """Return a learner's accuracy at numbers of leaves, each stream counting once."""
    return curves.averages(_each(found, order, learner, leaves), leaves)


def peak(found: Found, order: str, learner: str, leaves: Array) -> tuple[float, float, float]:
    """Return the leaves of the best mean accuracy, and their 95 % limits.

    Limits are of a bootstrap over the streams; only sizes that most streams reach are compared.
    Limits are NaN for fewer than five streams, which hardly differ when drawn again; all is NaN if
    there are no such sizes.
    """
    values = _each(found, order, learner, leaves)
    common = 2 * np.isfinite(values).sum(axis=0) > len(values)
    values, leaves = values[:, common], leaves[common]
    if not len(leaves):
        return np.nan, np.nan, np.nan
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    rng = np.random.default_rng(0)  # the same page every time
    drawn = rng.multinomial(len(values), np.full(len(values), 1 / len(values)), size=RESAMPLED)
    weights = np.vstack([np.ones(len(values)), drawn])
    n = weights @ known
    means = np.where(n > 0, weights @ filled / np.maximum(n, 1), -np.inf)
    at = leaves[means.argmax(axis=1)]
    low, high = np.quantile(at[1:], [0.025, 0.975]) if len(values) >= 5 else (np.nan, np.nan)
    return float(at[0]), float(low), float(high)


def _each(found: Found, order: str, learner: str, leaves: Array) -> Array:
    """Return a row of accuracies at numbers of leaves for each stream."""
    lines = by_stream(found, order, "logarithmic", learner)
    return np.array([curves.at_leaves(line, leaves) for line in lines]).reshape(-1, len(leaves))


def paired(found: Found, order: str, baseline: str, leaves: Array) -> Averages:
    """Return how far C-Tree is ahead at numbers of leaves, on the same streams."""
    ours, theirs = (by_stream(found, order, "logarithmic", name) for name in ("c-tree", baseline))
    return curves.paired(ours, theirs, leaves)
