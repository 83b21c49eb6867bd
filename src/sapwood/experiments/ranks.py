"""Methods ranked over several datasets: Friedman's test, and Nemenyi's critical difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ranks", "rank"]

#: Random orders of the ranks that the test draws.
PERMUTATIONS = 20_000


@dataclass(frozen=True)
class Ranks:
    """How methods rank over blocks such as datasets; 1 is the best.

    Parameters
    ----------
    names : list of str
        The methods.
    each : ndarray of shape (n_blocks, n_methods)
        Their ranks in every block; equal scores share the mean of their ranks.
    p : float
        Friedman's test that all methods are alike: the share of random orders within the blocks
        whose mean ranks lie as far apart. NaN for fewer than two blocks.
    critical : float
        Nemenyi's critical difference: mean ranks that lie further apart differ at 5 %, all pairs
        taken together. NaN for fewer than two blocks.
    """

    names: list[str]
    each: NDArray[np.float64]
    p: float
    critical: float

    @property
    def n(self) -> int:
        """The number of blocks."""
        return len(self.each)

    @property
    def mean(self) -> dict[str, float]:
        """The mean rank of each method, the best one first."""
        found = dict(zip(self.names, self.each.mean(axis=0).tolist(), strict=True))
        return dict(sorted(found.items(), key=lambda item: item[1]))

    @property
    def agreement(self) -> float:
        """Kendall's W: 1 if all blocks order the methods alike, near 0 if each does otherwise."""
        n, k = self.each.shape
        sums = self.each.sum(axis=0)
        _, ties = np.unique(self.each + (k + 1) * np.arange(n)[:, np.newaxis], return_counts=True)
        most = n**2 * (k**3 - k) - n * float(np.sum(ties**3 - ties))
        return float(12 * np.sum((sums - sums.mean()) ** 2) / most) if most else math.nan

    def foremost(self, names: Sequence[str]) -> float:
        """Return p of the test that these methods, named in advance, rank before the others.

        It is the share of random orders within the blocks in which the sum of their ranks is as
        low: one question instead of all pairs, so few blocks can answer it. NaN for fewer than two
        blocks.
        """
        if self.n < 2:
            return math.nan
        sums = _shuffled(self.each)
        chosen = [self.names.index(name) for name in names]
        as_low = sums[:, chosen].sum(axis=1) <= self.each[:, chosen].sum() + 1e-9
        return float((1 + as_low.sum()) / (1 + PERMUTATIONS))

    def first(self) -> list[str]:
        """Return the best method of each block; the first named of equals."""
        return [self.names[k] for k in self.each.argmin(axis=1)]


def rank(scores: Sequence[Sequence[float]] | NDArray[Any], names: Sequence[str]) -> Ranks:
    """Rank methods by their scores.

    Parameters
    ----------
    scores : array of shape (n_blocks, n_methods)
        Higher is better.
    names : list of str
        The methods.

    Returns
    -------
    Ranks
        With a p-value by permutation: unlike that of the chi-squared distribution it holds for few
        blocks, too.

    Examples
    --------
    >>> found = rank([[0.9, 0.8, 0.7], [0.6, 0.5, 0.5]], ["a", "b", "c"])
    >>> found.mean
    {'a': 1.0, 'b': 2.25, 'c': 2.75}
    """
    from scipy.stats import rankdata, studentized_range

    each = rankdata(-np.asarray(scores, dtype=float), axis=1)
    n, k = each.shape
    if n < 2:
        return Ranks(list(names), each, math.nan, math.nan)
    quantile = float(studentized_range.ppf(0.95, k, np.inf)) / math.sqrt(2)
    critical = quantile * math.sqrt(k * (k + 1) / (6 * n))
    return Ranks(list(names), each, _friedman(each), critical)


def _friedman(each: NDArray[np.float64]) -> float:
    """Return the share of random orders in which the sums of the ranks lie as far apart."""
    as_far = _shuffled(each).var(axis=1) >= each.sum(axis=0).var() - 1e-9
    return float((1 + as_far.sum()) / (1 + PERMUTATIONS))


def _shuffled(each: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of the ranks for random orders within the blocks."""
    rng = np.random.default_rng(0)  # the same page every time
    sums = np.zeros((PERMUTATIONS, each.shape[1]))
    for ranks in each:
        sums += rng.permuted(np.tile(ranks, (PERMUTATIONS, 1)), axis=1)
    return sums
