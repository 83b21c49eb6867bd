"""The three learners of the paper's full-sampling figures, over grids of what makes them grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tree import ConfidenceTreeClassifier

__all__ = ["LEARNERS", "grid", "trees"]

#: The learners by name: how each is made.
LEARNERS: dict[str, Callable[..., ConfidenceTreeClassifier]] = {
    "c-tree": ConfidenceTreeClassifier.c_tree,
    "h-tree": ConfidenceTreeClassifier.h_tree,
    "corrh-tree": ConfidenceTreeClassifier.corrh_tree,
}


def grid(kind: str, learner: str, values: int) -> NDArray[np.float64]:
    """Return the values of c (C-Tree) or of delta (the others) that a learner is run with.

    Parameters
    ----------
    kind : {"linear", "logarithmic"}
        The paper's evenly spaced values inside (0, 2) and (0, 1); or, for c, evenly spaced
        logarithms from 10⁻⁴ to 2. An epsilon of Hoeffding's grows with √ln(1/delta) as C-Tree's
        does with c: so for delta it is ln(1/delta) whose logarithms are evenly spaced, from 10⁻⁵
        to 700, which goes through all sizes of trees, too.
    learner : str
        Of :data:`LEARNERS`.
    values : int
        How many.
    """
    is_c = learner == "c-tree"
    if kind == "linear":
        return (2.0 if is_c else 1.0) * np.arange(1, values + 1) / (values + 1)
    if is_c:
        return np.geomspace(1e-4, 2.0, values)
    return np.exp(-np.geomspace(700.0, 1e-5, values))


def trees(learner: str, values: NDArray[np.float64], **params: Any) -> list[Any]:
    """Return a tree of a learner for each value; grace period 100 and no ties, as in the paper."""
    name = "c" if learner == "c-tree" else "delta"
    more = {"grace_period": 100, "tie_threshold": 0.0, **params}
    return [LEARNERS[learner](**{name: value}, **more) for value in values.tolist()]
