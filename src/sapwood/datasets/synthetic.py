"""Random trees on the unit cube, as in the paper's controlled experiments, and drifting ones."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from .._params import whole_number

__all__ = ["rand_cbt", "rand_cbt_drift"]

Leaf = tuple[NDArray[np.float64], NDArray[np.float64], float]
Stream = tuple[NDArray[np.float64], NDArray[np.int64]]


def _grow(
    n_leaves: int,
    q: float,
    rng: np.random.Generator,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    is_left: bool,
    leaves: list[Leaf],
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


def _draw(
    n_leaves: int,
    n_features: int,
    q: float,
    per_leaf: int,
    order: str,
    rng: np.random.Generator,
) -> Stream:
    """Draw one tree and its examples. The order of the draws fixes the stream of a seed."""
    leaves: list[Leaf] = []
    _grow(n_leaves, q, rng, np.zeros(n_features), np.ones(n_features), True, leaves)
    X = np.concatenate([rng.uniform(low, high, (per_leaf, n_features)) for low, high, _ in leaves])
    p = np.repeat([probability for _, _, probability in leaves], per_leaf)
    y = (rng.random(len(p)) < p).astype(np.int64)
    if order == "shuffled":
        turn = rng.permutation(len(p))
        return X[turn], y[turn]
    return X, y


def rand_cbt(
    n_leaves: int = 50,
    n_features: int = 5,
    q: float = 0.7,
    per_leaf: int = 10_000,
    order: str = "shuffled",
    seed: int = 0,
) -> Stream:
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
    return _draw(n_leaves, n_features, q, per_leaf, order, np.random.default_rng(seed))


@overload
def rand_cbt_drift(
    n_leaves: int = ...,
    n_features: int = ...,
    q: float = ...,
    per_leaf: int = ...,
    concepts: int = ...,
    width: int = ...,
    seed: int = ...,
    *,
    return_changes: Literal[False] = ...,
) -> Stream: ...


@overload
def rand_cbt_drift(
    n_leaves: int = ...,
    n_features: int = ...,
    q: float = ...,
    per_leaf: int = ...,
    concepts: int = ...,
    width: int = ...,
    seed: int = ...,
    *,
    return_changes: Literal[True],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]: ...


def rand_cbt_drift(
    n_leaves: int = 50,
    n_features: int = 5,
    q: float = 0.7,
    per_leaf: int = 10_000,
    concepts: int = 3,
    width: int = 0,
    seed: int = 0,
    *,
    return_changes: bool = False,
) -> Stream | tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Draw a stream whose law changes: independent random trees one after the other.

    Each concept is a tree as in `rand_cbt`, with its examples shuffled. Around a change the chance
    that an example belongs to the new concept rises linearly from 0 to 1 over ``width`` examples:
    the k-th example before the change and the k-th from it on are exchanged with the chance that
    this asks for. So any width gives the same examples, each once, in another order.

    Parameters
    ----------
    n_leaves, n_features, q, per_leaf
        As in `rand_cbt`, for each concept. One leaf alone could not change: at least 2.
    concepts : int
        Number of trees; 1 gives a stream without a change.
    width : int
        Examples over which a change goes on; 0 is an abrupt change. At most the length of one
        concept, ``n_leaves * per_leaf``, so that two changes do not overlap.
    seed : int
        Seed of the trees, of the examples and of the changes.
    return_changes : bool
        Also return where the changes are.

    Returns
    -------
    X : ndarray of shape (concepts * n_leaves * per_leaf, n_features)
    y : ndarray of 0 and 1
    changes : ndarray of concepts - 1 positions, if ``return_changes``
        The first row of each new concept; the middle of the change if it is gradual.

    Examples
    --------
    >>> from sapwood.datasets import rand_cbt_drift
    >>> X, y, changes = rand_cbt_drift(
    ...     n_leaves=4, per_leaf=500, concepts=3, width=200, seed=1, return_changes=True
    ... )
    >>> X.shape, changes.tolist()
    ((6000, 5), [2000, 4000])
    """
    n_leaves = whole_number("n_leaves", n_leaves, 2)
    n_features = whole_number("n_features", n_features, 1)
    per_leaf = whole_number("per_leaf", per_leaf, 1)
    concepts = whole_number("concepts", concepts, 1)
    width = whole_number("width", width, 0)
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"q is a probability; got {q!r}.")
    n = n_leaves * per_leaf
    if width > n:
        raise ValueError(f"width must be at most the {n} examples of one concept; got {width}.")
    *seeds, last = np.random.SeedSequence(seed).spawn(concepts + 1)
    parts = [
        _draw(n_leaves, n_features, q, per_leaf, "shuffled", np.random.default_rng(one))
        for one in seeds
    ]
    changes = np.arange(1, concepts, dtype=np.int64) * n
    order = _blend(np.arange(concepts * n), changes, width, np.random.default_rng(last))
    X = np.concatenate([X for X, _ in parts])[order]
    y = np.concatenate([y for _, y in parts])[order]
    return (X, y, changes) if return_changes else (X, y)


def _blend(
    order: NDArray[np.int64], changes: NDArray[np.int64], width: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Exchange rows across each change, mirrored at it, with a chance that falls to 0 linearly."""
    k = np.arange(width // 2)
    for change in changes:
        swap = k[rng.random(len(k)) < 0.5 - (k + 0.5) / max(width, 1)]
        before, after = change - 1 - swap, change + swap
        order[before], order[after] = order[after], order[before]
    return order
