"""The impurity that a split leaves over, and the intervals that are proved for it."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bounds import epsilon

__all__ = ["COLUMNS", "CRITERIA", "C", "phi", "theorem", "tighter", "widths"]

Array = NDArray[np.float64]

#: The criteria of Theorems 1, 2 and 3, in this order.
CRITERIA = ("entropy", "gini", "kearns-mansour")
#: The c of `c-tree`, and the columns of the tree, where a bound asks for them.
C, COLUMNS = 0.02, 5


def phi(criterion: str, p: Array) -> Array:
    """Return Φ of tables p[..., y, k] of the probabilities of class y on side k."""
    sides = p.sum(axis=-2, keepdims=True)
    if criterion == "gini":  # Σ_k P_k (1 − Σ_y (p_yk / P_k)²)
        squares = (p**2).sum(axis=-2, keepdims=True)
        left_over = sides - squares / np.where(sides > 0, sides, 1)
    elif criterion == "entropy":  # ½ [H(Y,F) − H(F)]
        left_over = 0.5 * (_entropy(p) - _entropy(sides))
    elif criterion == "kearns-mansour":  # ½ Σ_k Σ_y √(p_yk (P_k − p_yk))
        left_over = 0.5 * np.sqrt(p * np.maximum(sides - p, 0))
    else:
        left_over = sides - p.max(axis=-2, keepdims=True)
    total: Array = left_over.sum(axis=(-2, -1))
    return total


def _entropy(p: Array) -> Array:
    total: Array = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=(-2, -1), keepdims=True)
    return total


def theorem(criterion: str, m: int, delta: float, K: int) -> float:
    """Return ε of Theorem 1, 2 or 3 for one split, as the paper and docs/theory.md have them."""
    if criterion == "entropy":
        return log(m) * sqrt(2 / m * log(4 / delta)) + K / m
    if criterion == "gini":
        return sqrt(8 / m * log(2 / delta)) + 4 / sqrt(m)
    return 2 * K * sqrt(log((8 if K == 2 else 8 * K) / delta) / m)


def tighter(criterion: str, m: int, delta: float, K: int) -> float:
    """Return the smaller ε of the remarks in docs/theory.md, section 4, also proved there."""
    if criterion == "entropy":
        return (1 + log(m)) * sqrt(log(2 / delta) / (8 * m)) + (K - 1) / m
    if criterion == "gini":
        return sqrt(2 / m * log(2 / delta)) + 2 / m
    return sqrt(K / 2) * (1 + sqrt(K - 1)) * theorem(criterion, m, delta, K) / (2 * K)


def widths(criterion: str, m: int, delta: float, K: int) -> dict[str, float]:
    """Return ε of every bound that there is for the criterion."""
    given: dict[str, Any] = {"criterion": criterion, "m": m, "t": m, "d": COLUMNS}
    given |= {"delta": delta, "n_classes": K}
    found = {
        "theorem": theorem(criterion, m, delta, K),
        "theorem in the tree": epsilon("theorem", **given),
        "tighter": tighter(criterion, m, delta, K),
        "hoeffding": epsilon("hoeffding", **given),
        "c-tree": epsilon("c-tree", c=C, **given),
    }
    if criterion != "kearns-mansour":  # there is no such result
        found["mcdiarmid"] = epsilon("mcdiarmid", **given)
    return found
