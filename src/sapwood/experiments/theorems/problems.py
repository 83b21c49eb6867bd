"""Streams whose true Φ is known for every split of every node, and trees judged by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...tree import ConfidenceTreeClassifier
from .impurity import Array, phi

__all__ = ["VALUES", "Kind", "Problem", "goes_left", "share_misled"]

Mask = NDArray[np.bool_]

VALUES = 4  # an attribute is 0, 1, 2 or 3; the fifth column of its table is "missing"
_HALVES = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.25] * 4])


def goes_left(threshold: float, missing_left: bool) -> Mask:
    """Return which values of an attribute a split sends to the left."""
    return np.array([value <= threshold for value in range(VALUES)] + [missing_left])


@dataclass(frozen=True)
class Problem:
    """Classes with a prior; attributes that are independent given the class.

    A side of a split is again such a problem, so Φ is known exactly at every node of every tree.

    Parameters
    ----------
    prior : ndarray
        P(y).
    tables : tuple of ndarray
        Per attribute P(value | y), as [y, value].
    """

    prior: Array
    tables: tuple[Array, ...]

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
        """Draw n examples."""
        y = rng.choice(len(self.prior), size=n, p=self.prior)
        X = np.empty((n, len(self.tables)))
        for j, table in enumerate(self.tables):
            X[:, j] = (rng.random(n)[:, None] > table.cumsum(axis=1)[y, :-1]).sum(axis=1)
        X[X == VALUES] = np.nan
        return X, y

    def example(self) -> dict[int, float]:
        """Return a likely example."""
        values = [int((self.prior @ table).argmax()) for table in self.tables]
        return {j: np.nan if v == VALUES else float(v) for j, v in enumerate(values)}

    def side(self, j: int, values: Mask) -> tuple[float, Problem]:
        """Return the probability of these values of attribute j, and the problem they leave."""
        part = self.tables[j] * values
        share = part.sum(axis=1)
        mass = float(self.prior @ share)
        part = part / np.where(share > 0, share, 1)[:, None]
        part[share <= 0, 0] = 1.0
        tables = [part if i == j else table for i, table in enumerate(self.tables)]
        return mass, Problem(self.prior * share / max(mass, 1e-300), tuple(tables))

    def left_over(self, criterion: str, j: int, left: Mask) -> float:
        """Return Φ of the split that sends these values of attribute j to the left."""
        share = self.tables[j][:, left].sum(axis=1)
        p = np.stack([self.prior * share, self.prior * (1 - share)], axis=1)
        return float(phi(criterion, p)) if (p.sum(axis=0) > 1e-12).all() else np.inf

    def best_of(self, criterion: str, j: int) -> float:
        """Return the smallest Φ of the splits of attribute j."""
        splits = [goes_left(v, missing) for v in range(VALUES) for missing in (False, True)]
        return min(self.left_over(criterion, j, left) for left in splits)


@dataclass(frozen=True)
class Kind:
    """A kind of random problems.

    Parameters
    ----------
    classes : int
        Number of classes.
    attributes : sequence of tuple
        Of each attribute the range of its strength, (low, high), to tell two random groups of
        classes apart; or (low, high, groups) with the group of each class: 0, 1, or 2 for a class
        of which the attribute says nothing.
    missing : float
        Share of missing values.
    """

    classes: int
    attributes: Sequence[tuple[Any, ...]]
    missing: float = 0.0

    def draw(self, rng: np.random.Generator) -> Problem:
        """Return a problem of this kind."""
        K = self.classes
        prior = rng.dirichlet([20] * K)
        tables = []
        for low, high, *given in self.attributes:
            group = given[0] if given else (rng.permutation(K) < rng.integers(1, K)).astype(int)
            strength = rng.uniform(low, high)
            shares = strength * _HALVES[group]
            shares = shares + (1 - strength) * rng.dirichlet([5] * VALUES, size=K)
            gone = self.missing * rng.uniform(0.5, 1.5, size=(K, 1))
            tables.append(np.hstack([shares * (1 - gone), gone]))
        order = rng.permutation(len(tables))
        return Problem(prior, tuple(tables[i] for i in order))


def share_misled(tree: ConfidenceTreeClassifier, problem: Problem, seen: Counter[str]) -> float:
    """Return the share of examples that pass a split by which Theorem 4 is broken.

    A confident split must be by the best attribute and within 2ε of the best split, a tie within
    2τ (docs/theory.md, section 5).

    Parameters
    ----------
    tree : ConfidenceTreeClassifier
        A tree that learned from the problem's examples.
    problem : Problem
        The truth.
    seen : Counter
        Counts the splits by reason, and those of each reason that are wrong.
    """

    def visit(here: Problem, depth: int) -> float:
        steps = tree.explain_one(here.example()).steps
        if len(steps) == depth:
            return 0.0
        made = steps[depth].certificate
        assert made.threshold is not None
        left = goes_left(made.threshold, made.missing_side == "left")
        best_of = [here.best_of(tree.criterion, j) for j in range(len(here.tables))]
        excess = here.left_over(tree.criterion, made.feature, left) - min(best_of)
        slack = 2 * (made.epsilon if made.reason == "confident" else tree.tie_threshold)
        wrong_attribute = best_of[made.feature] > min(best_of) + 1e-12
        seen[made.reason] += 1
        seen[f"{made.reason}, not the best attribute"] += wrong_attribute
        seen[f"{made.reason}, too far from the best"] += excess > slack
        if excess > slack or (made.reason == "confident" and wrong_attribute):
            return 1.0
        parts = [here.side(made.feature, values) for values in (left, ~left)]
        return sum(mass * visit(part, depth + 1) for mass, part in parts if mass > 0)

    return visit(problem, 0)
