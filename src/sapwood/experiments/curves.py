"""Performance against leaves: the paper's way of averaging, and a comparison of like with like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compare import half_width

__all__ = ["Averages", "Curve", "at_leaves", "averages", "paired", "pooled"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """The runs of one learner on one stream: a point for each value of its parameter."""

    leaves: Array
    score: Array


@dataclass(frozen=True)
class Averages:
    """Means at numbers of leaves, half of each one's 95 % interval, and how many they are of."""

    leaves: Array
    mean: Array
    half: Array
    n: NDArray[np.int64]

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Where the interval leaves out zero."""
        sure: NDArray[np.bool_] = np.abs(self.mean) > self.half
        return sure


def pooled(curves: Iterable[Curve], leaves: Iterable[float], width: float) -> Averages:
    """Average, as the paper seems to do, all runs whose trees have about a number of leaves.

    Runs of many streams and settings are thrown together, and a stream counts as often as it has
    runs of that size: learners are thus compared on different streams. The interval is over the
    streams' own means, which is as many as there are independent ones.
    """
    at = np.array(list(leaves), float)
    every = list(curves)
    means, halves, counts = [], [], []
    for centre in at:
        chosen = [c.score[np.abs(c.leaves - centre) <= width / 2] for c in every]
        runs = np.concatenate([*chosen, np.empty(0)])
        means.append(runs.mean() if len(runs) else np.nan)
        halves.append(half_width([scores.mean() for scores in chosen if len(scores)]))
        counts.append(len(runs))
    return Averages(at, np.array(means), np.array(halves), np.array(counts))


def at_leaves(curve: Curve, leaves: Array) -> Array:
    """Return the score of a learner at numbers of leaves; NaN where its trees were never so.

    Runs with the same number of leaves are averaged. Between two numbers the score goes evenly
    with the logarithm of the leaves, but nothing is said between two of which one is more than
    twice the other.
    """
    if not len(curve.leaves):
        return np.full(len(leaves), np.nan)
    sizes, which = np.unique(curve.leaves, return_inverse=True)
    scores = np.bincount(which, curve.score) / np.bincount(which)
    right = np.searchsorted(sizes, leaves).clip(0, len(sizes) - 1)
    left = np.where(sizes[right] == leaves, right, right - 1).clip(0)
    reached = (leaves >= sizes[0]) & (leaves <= sizes[-1])
    near = sizes[right] <= 2 * sizes[left]
    between = np.interp(np.log(np.maximum(leaves, 1e-9)), np.log(sizes), scores)
    found: Array = np.where(reached & near, between, np.nan)
    return found


def averages(values: Array, leaves: Array) -> Averages:
    """Return means and intervals of a matrix with a row per stream; NaN is left out."""
    n = np.isfinite(values).sum(axis=0)
    columns = [column[np.isfinite(column)] for column in values.T]
    mean = np.array([column.mean() if len(column) else np.nan for column in columns])
    half = np.array([half_width(column.tolist()) for column in columns])
    return Averages(leaves, mean, half, n)


def paired(ours: list[Curve], theirs: list[Curve], leaves: Array) -> Averages:
    """Return the mean difference on the same streams at the same numbers of leaves."""
    pairs = zip(ours, theirs, strict=True)
    return averages(
        np.array([at_leaves(a, leaves) - at_leaves(b, leaves) for a, b in pairs]), leaves
    )
