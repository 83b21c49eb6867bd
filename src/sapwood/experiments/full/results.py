"""What came of the runs: curves, means, differences, and the best of each learner."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import curves, paper
from ..curves import Averages, Curve
from ..real import measure
from ..tasks import Found
from .runs import MAIN

BASELINES = ("h-tree", "corrh-tree")

Array = NDArray[np.float64]


def variants(found: Found) -> list[dict[str, str]]:
    """Return the variants with the Gini index, the paper's text first."""
    names = list(MAIN)
    seen = {tuple(row.values()) for row in found.table.select(names).to_pylist()}
    made = [dict(zip(names, cells, strict=True)) for cells in sorted(seen, reverse=True)]
    return [variant for variant in made if variant["criterion"] == "gini"]


def named(variant: dict[str, str]) -> str:
    """Return a variant in words."""
    return f"{variant['leaf_prediction']} leaves, {variant['numeric_splits']} splits"


def papers_leaves(dataset: str) -> Array:
    """Return the numbers of leaves at which the paper has its points."""
    return np.array([x for x, _ in paper.full(dataset, "c-tree")])


def by_order(found: Found, dataset: str, learner: str, **variant: str) -> dict[int, Curve]:
    """Return a learner's curve in each order of a dataset."""
    mine = found.where(dataset=dataset, learner=learner, **variant)
    orders, leaves, score = mine["permutation"], mine["leaves"], mine[measure(dataset)]
    return {int(k): Curve(leaves[orders == k], score[orders == k]) for k in np.unique(orders)}


def mean(found: Found, dataset: str, learner: str, leaves: Array, **variant: str) -> Averages:
    """Return a learner's performance at numbers of leaves, over the orders."""
    lines = by_order(found, dataset, learner, **variant).values()
    values = [curves.at_leaves(line, leaves) for line in lines]
    return curves.averages(np.array(values).reshape(-1, len(leaves)), leaves)


def paired(found: Found, dataset: str, other: str, leaves: Array, **variant: str) -> Averages:
    """Return how far C-Tree is ahead of another at numbers of leaves, on the same orders."""
    return curves.averages(differences(found, dataset, other, leaves, **variant), leaves)


def differences(found: Found, dataset: str, other: str, leaves: Array, **variant: str) -> Array:
    """Return a row per order: how far C-Tree is ahead of another there."""
    ours = by_order(found, dataset, "c-tree", **variant)
    theirs = by_order(found, dataset, other, **variant)
    both = sorted(ours.keys() & theirs.keys())
    return curves.differences([ours[k] for k in both], [theirs[k] for k in both], leaves)


def best(found: Found, dataset: str, learner: str, **variant: str) -> tuple[float, float]:
    """Return the best mean performance over the orders, and its leaves; NaN without runs."""
    mine = found.where(dataset=dataset, learner=learner, **variant)
    if not len(mine):
        return np.nan, np.nan
    which = np.unique(mine["value"], return_inverse=True)[1]
    n = np.bincount(which)
    score = np.bincount(which, mine[measure(dataset)]) / n
    leaves = np.bincount(which, mine["leaves"]) / n
    at = int(score.argmax())
    return float(score[at]), float(leaves[at])


def criteria(found: Found, dataset: str, learner: str, criterion: str) -> tuple[float, float]:
    """Return the best performance of a criterion minus Gini's, and its leaves for one of Gini's."""
    other = {**MAIN, "criterion": criterion}
    orders = found.where(dataset=dataset, learner=learner, **other).values("permutation")
    theirs = {k: found.where(permutation=k, dataset=dataset, learner=learner) for k in orders}
    logs: list[float] = []
    gaps: list[float] = []
    for same in theirs.values():  # the orders that both were run in
        gaps.append(
            best(same, dataset, learner, **other)[0] - best(same, dataset, learner, **MAIN)[0]
        )
        sizes = [
            dict(zip(f["value"], f["leaves"], strict=True))
            for f in (same.where(**other), same.where(**MAIN))
        ]
        pairs = [(sizes[0][value], sizes[1][value]) for value in sizes[0].keys() & sizes[1].keys()]
        logs += [float(np.log(a / b)) for a, b in pairs if a > 1 and b > 1]
    gap = float(np.mean(gaps)) if gaps else np.nan
    return gap, float(np.exp(np.mean(logs))) if logs else np.nan
