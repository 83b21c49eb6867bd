"""Performance against leaves: the paper's way of averaging, and a comparison of like with like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..compare import half_width
from .claims import Verdict

__all__ = [
    "LEADS_RULE",
    "Averages",
    "Curve",
    "Leads",
    "at_leaves",
    "averages",
    "differences",
    "paired",
    "pooled",
]

Array = NDArray[np.float64]

#: A lead that matters: an interval that is wider on a side, and holds zero, tells nothing.
RESOLUTION = 0.01
#: How a lead in many comparisons is judged, in words.
LEADS_RULE = (
    "All comparisons are judged at once (95 % for all of them, Bonferroni). *Ahead* and *behind* "
    "are those whose interval leaves out zero, *level* those whose interval holds zero and lies "
    f"within {100 * RESOLUTION:g} point; wider ones tell nothing. Reproduced: ahead in nine tenths "
    "of those that tell; partly: in a third, and in more than behind; open: less than half tell."
)


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

    def among(self, comparisons: int) -> Averages:
        """Return the intervals that hold 95 % for so many comparisons at once (Bonferroni)."""
        from scipy.stats import t

        wider = np.full(len(self.mean), np.nan)
        free = self.n[self.n > 1] - 1
        wider[self.n > 1] = t.ppf(1 - 0.025 / max(1, comparisons), free) / t.ppf(0.975, free)
        return replace(self, half=self.half * wider)


@dataclass(frozen=True)
class Leads:
    """How many comparisons one learner wins and loses, all of them judged at once."""

    ahead: int
    behind: int
    level: int

    @classmethod
    def count(cls, differences: Averages, comparisons: int) -> Leads:
        """Count where the interval, widened for all comparisons, leaves out zero.

        Level is where it holds zero and no lead that matters; what is wider tells nothing.
        """
        here = differences.among(comparisons)
        known = np.isfinite(here.half)
        sure = known & (np.abs(here.mean) > here.half)
        small = known & ~sure & (np.abs(here.mean) + here.half <= RESOLUTION)
        return cls(
            int((sure & (here.mean > 0)).sum()),
            int((sure & (here.mean < 0)).sum()),
            int(small.sum()),
        )

    def __add__(self, other: Leads) -> Leads:
        return Leads(self.ahead + other.ahead, self.behind + other.behind, self.level + other.level)

    @property
    def told(self) -> int:
        """The comparisons that tell something."""
        return self.ahead + self.behind + self.level

    def verdict(self, comparisons: int) -> Verdict:
        """Judge the claim that the learner is ahead, by :data:`LEADS_RULE`."""
        if 2 * self.told < comparisons:
            return "open"
        if self.ahead >= 0.9 * self.told:
            return "reproduced"
        return "partly" if self.ahead > self.behind and 3 * self.ahead >= self.told else "not"

    def __str__(self) -> str:
        return f"ahead for sure in {self.ahead}, behind in {self.behind}, level in {self.level}"


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


def differences(ours: list[Curve], theirs: list[Curve], leaves: Array) -> Array:
    """Return a row per stream: how far we are ahead there at numbers of leaves."""
    pairs = zip(ours, theirs, strict=True)
    rows = [at_leaves(a, leaves) - at_leaves(b, leaves) for a, b in pairs]
    return np.array(rows).reshape(-1, len(leaves))


def paired(ours: list[Curve], theirs: list[Curve], leaves: Array) -> Averages:
    """Return the mean difference on the same streams at the same numbers of leaves."""
    return averages(differences(ours, theirs, leaves), leaves)
