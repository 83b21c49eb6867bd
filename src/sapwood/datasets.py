"""Streams to learn from: the random trees of the paper's controlled experiments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["rand_cbt"]


def _grow(
    n_leaves: int,
    q: float,
    rng: np.random.Generator,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    is_left: bool,
    leaves: list[tuple[NDArray[np.float64], NDArray[np.float64], float]],
) -> None:
    """RandCBT (De Rosa 2016, Algorithm 2): collect each leaf's region and P(Y = 1)."""
    if n_leaves == 1:
        leaves.append((low, high, q if is_left else 1.0 - q))
        return
    n_left = max(1, int(n_leaves * rng.random()))
    attribute = int(rng.integers(len(low)))
    value = low[attribute] + (high[attribute] - low[attribute]) * rng.random()
    left_high, right_low = high.copy(), low.copy()
    left_high[attribute] = right_low[attribute] = value
    _grow(n_left, q, rng, low, left_high, True, leaves)
    _grow(n_leaves - n_left, q, rng, right_low, high, False, leaves)


def rand_cbt(
    n_leaves: int = 50,
    n_features: int = 5,
    q: float = 0.7,
    per_leaf: int = 10_000,
    order: str = "shuffled",
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw a stream from a random complete binary tree on the unit cube.

    Parameters
    ----------
    n_leaves, n_features : int
        Size of the tree.
    q : float
        P(Y = 1) in left leaves; 1 - q in right ones.
    per_leaf : int
        Examples drawn uniformly from the region of each leaf.
    order : {"shuffled", "by-leaf"}
        "by-leaf" gives the leaves one after the other, depth first.
    seed : int
        Seed of the tree and of the examples.

    Returns
    -------
    X : ndarray of shape (n_leaves * per_leaf, n_features)
    y : ndarray of 0 and 1

    Examples
    --------
    >>> from sapwood.datasets import rand_cbt
    >>> X, y = rand_cbt(n_leaves=3, per_leaf=10, seed=1)
    >>> X.shape, y.shape
    ((30, 5), (30,))
    """
    if order not in ("shuffled", "by-leaf"):
        raise ValueError(f"order must be 'shuffled' or 'by-leaf'; got {order!r}.")
    if n_leaves < 1 or n_features < 1 or per_leaf < 1:
        raise ValueError("n_leaves, n_features and per_leaf must be at least 1.")
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"q is a probability; got {q!r}.")
    rng = np.random.default_rng(seed)
    leaves: list[tuple[NDArray[np.float64], NDArray[np.float64], float]] = []
    _grow(n_leaves, q, rng, np.zeros(n_features), np.ones(n_features), True, leaves)
    X = np.concatenate([rng.uniform(low, high, (per_leaf, n_features)) for low, high, _ in leaves])
    p = np.repeat([probability for _, _, probability in leaves], per_leaf)
    y = (rng.random(len(p)) < p).astype(np.int64)
    if order == "shuffled":
        turn = rng.permutation(len(p))
        return X[turn], y[turn]
    return X, y
