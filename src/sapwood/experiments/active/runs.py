"""The runs: every stream, seed, c and kind of leaves, with all strategies and budgets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import datasets
from ..._params import DEFAULT_C
from ...compare import compare
from .. import paper
from ..settings import Active
from ..tasks import Row, Task
from .means import WITHOUT_CHANCE, Stream

__all__ = ["plan", "run"]

#: What a run's row keeps of its metrics.
_KEPT = ("accuracy", "f_measure", "query_rate", "labels", "drifts", "n_leaves", "n_rows")
# How the time of a row grows with the columns, and with naive Bayes in the leaves.
_PER_COLUMN, _ADAPTIVE = 0.02, 2.5


def plan(settings: Active) -> list[Task]:
    """Return a task for each seed, c, kind of leaves and stream.

    The default c comes first, and seed goes after seed, so that every beginning has something of
    all datasets, strategies and budgets.
    """
    streams = [(name, "original") for name in settings.datasets]
    streams += [(name, "shuffled") for name in settings.shuffled if name in settings.datasets]
    sizes = {entry.name: entry for entry in datasets.available()}
    tasks = []
    for seed in range(settings.seeds):
        for c in sorted(settings.factors, key=lambda c: (c != DEFAULT_C, c)):
            for leaves in settings.leaf_predictions:
                for dataset, order in streams:
                    what = {
                        "dataset": dataset,
                        "order": order,
                        "leaves": leaves,
                        "c": c,
                        "seed": seed,
                        "strategies": _strategies(order, seed),
                        "budgets": list(settings.budgets),
                        "rows": settings.rows,
                    }
                    size = sizes[dataset]
                    rows = min(size.rows, settings.rows or size.rows)
                    slow = _ADAPTIVE if leaves == "adaptive" else 1.0
                    tasks.append(Task(what, slow * rows * (1 + _PER_COLUMN * size.features)))
    return tasks


def run(
    dataset: str,
    order: str,
    leaves: str,
    c: float,
    seed: int,
    strategies: list[str],
    budgets: list[float],
    rows: int | None,
) -> list[Row]:
    """Run the strategies with all budgets on one stream, with one seed and one c.

    Parameters
    ----------
    dataset, order : str
        The rows; the seed also shuffles them if the order is "shuffled".
    leaves, c
        The tree's ``leaf_prediction`` and ``c``.
    seed : int
        Of the strategies' draws.
    strategies, budgets : list
        All pairs are run; "full" learns every label, with the drift detector and without.
    rows : int or None
        How many rows to use, at equal distances.
    """
    X, y, rarer = _stream(dataset, rows)
    if order == "shuffled":
        places = np.random.default_rng(seed).permutation(len(y))
        X, y = X.take(places), y[places]
    shared: dict[str, Any] = {
        "seeds": [seed],
        "params": {"c": c, "leaf_prediction": leaves},
        "positive": rarer,
    }
    found = compare(
        {dataset: (X, y)}, strategies=strategies, budgets=budgets, drift="ddm", **shared
    )
    each = [("ddm", result) for result in found]
    if "full" in strategies:
        each += [
            ("none", result) for result in compare({dataset: (X, y)}, strategies=["full"], **shared)
        ]
    _, counts = np.unique(y, return_counts=True)
    by_f = Stream(dataset, order).measure == "F"
    setting = {
        "dataset": dataset,
        "order": order,
        "leaves": leaves,
        "c": c,
        "seed": seed,
        # What always naming the most frequent class gives.
        "floor": 0.0 if by_f else float(counts.max() / len(y)),
    }
    return [
        {
            **setting,
            "strategy": result["strategy"],
            "budget": 1.0 if result["B"] is None else result["B"],
            "drift": drift,
            **{name: result[name] for name in _KEPT},
        }
        for drift, result in each
    ]


def _strategies(order: str, seed: int) -> list[str]:
    """Return what to run with a seed: what draws nothing would only repeat itself."""
    again = order == "original" and seed > 0
    every = ["full", *paper.STRATEGIES]
    return [name for name in every if not (again and name in WITHOUT_CHANCE)]


@lru_cache(maxsize=1)
def _stream(dataset: str, rows: int | None) -> tuple[Any, NDArray[np.str_], str]:
    """Return a dataset, or rows of it at equal distances, and its rarer class.

    At equal distances, and not the first: the order stays, and with it the drifts, and of a file
    that is sorted by class there are both.
    """
    X, y = datasets.load(dataset)
    if rows is not None and rows < len(y):
        places = np.arange(rows) * len(y) // rows
        X, y = X.take(places), y[places]
    names, counts = np.unique(y, return_counts=True)
    return X, y, str(names[counts.argmin()])
