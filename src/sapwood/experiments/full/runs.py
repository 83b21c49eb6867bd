"""The runs: every dataset, order, variant and learner, over all values of c or delta."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ... import datasets
from ...sweeping import sweep
from ...tree import ConfidenceTreeClassifier
from ..learners import LEARNERS, grid, trees
from ..real import smaller_class, stream
from ..settings import Full
from ..tasks import Row, Task

#: What the paper's text says: the variant that is run first.
MAIN = {"leaf_prediction": "majority", "numeric_splits": "histogram", "criterion": "gini"}


# How much longer a row takes than on electricity, and against the paper's variant, as measured: for
# the estimate of the time left.
_WIDTHS = {"a9a": 1.0, "airlines": 2.0, "codrna": 1.0, "covertype": 7.0, "electricity": 1.0}
_SLOWER = {
    ("majority", "histogram"): 1.0,
    ("majority", "gaussian"): 2.0,
    ("adaptive", "histogram"): 4.5,
    ("adaptive", "gaussian"): 3.0,
}
_LEARNERS = {"c-tree": 1.0, "h-tree": 1.0, "corrh-tree": 0.5, "mcdiarmid": 0.05}


def plan(settings: Full) -> list[Task]:
    """Return a task per order, dataset, variant and learner.

    First the paper's variant in all orders, then the others order by order.
    """
    sizes = {entry.name: entry.rows for entry in datasets.available()}
    splits = product(settings.leaf_predictions, settings.numeric_splits)
    variants = [{**MAIN, "leaf_prediction": leaf, "numeric_splits": how} for leaf, how in splits]
    variants += [{**MAIN, "criterion": other} for other in settings.criteria]
    orders = range(settings.permutations)
    cells = [(order, MAIN) for order in orders]
    cells += [(order, variant) for order in orders for variant in variants if variant != MAIN]
    tasks = []
    for (order, variant), dataset in product(cells, settings.datasets):
        for learner in (*LEARNERS, "mcdiarmid"):
            if variant["criterion"] != "gini" and learner in ("corrh-tree", "mcdiarmid"):
                continue  # one is made for the error, the other is tried once
            if learner == "mcdiarmid" and (variant != MAIN or order > 0):
                continue
            rows = min(settings.rows or sizes[dataset], sizes[dataset])
            slower = _SLOWER[variant["leaf_prediction"], variant["numeric_splits"]]
            what = {"dataset": dataset, "permutation": order, "learner": learner, **variant}
            what |= {"values": settings.values, "rows": settings.rows}
            cost = rows * _WIDTHS[dataset] * slower * _LEARNERS[learner]
            tasks.append(Task(what, cost))
    return tasks


def run(
    dataset: str,
    permutation: int,
    learner: str,
    values: int,
    rows: int | None,
    criterion: str,
    **variant: Any,
) -> list[Row]:
    """Learn one order of a dataset with every value of a learner's parameter."""
    pair = stream(dataset, permutation, rows)
    if learner == "mcdiarmid":  # "even when the confidence is set to a very low value"
        numbers = np.array([1e-7, 0.05, 0.5, 0.9, 0.99, 0.999])
        kinds = ("gini", "entropy")
        models: list[Any] = [
            ConfidenceTreeClassifier(
                criterion=kind, bound="mcdiarmid", delta=delta, grace_period=100
            )
            for kind, delta in product(kinds, numbers.tolist())
        ]
        numbers = np.tile(numbers, len(kinds))
    else:
        numbers = grid("logarithmic", learner, values)
        more = variant if learner == "corrh-tree" else {**variant, "criterion": criterion}
        models = trees(learner, numbers, **more)
    results = sweep(pair, models, every=len(pair[1]), positive=smaller_class(dataset))
    about = {"dataset": dataset, "permutation": permutation, "learner": learner}
    about |= {"criterion": criterion, **variant}
    return [
        {
            **about,
            "value": value,
            "leaves": result.n_leaves,
            "accuracy": result.accuracy,
            "f_measure": result.f_measure,
        }
        for value, result in zip(numbers.tolist(), results, strict=True)
    ]
