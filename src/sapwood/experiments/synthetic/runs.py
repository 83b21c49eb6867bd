"""The runs: every random tree in both orders, all learners and values in one sweep."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...datasets import rand_cbt
from ...sweeping import sweep
from ..learners import LEARNERS, grid, trees
from ..settings import Synthetic
from ..tasks import Row, Task

LEAVES = (25, 50, 75, 100, 125)  # where the paper has its points


RECORDS = 50  # looks at a tree while the stream goes by, for averages of what was logged
_LOG_WIDTH = 5  # leaves that are averaged together there


def plan(settings: Synthetic) -> list[Task]:
    """Return a task per stream and order: any beginning is some streams, with all settings."""
    shape = {name: getattr(settings, name) for name in ("n_leaves", "n_features", "q", "per_leaf")}
    shape |= {"values": settings.values, "grids": list(settings.grids)}
    return [
        Task({"seed": seed, "order": order, **shape}, 1.0)
        for seed, order in product(range(settings.streams), settings.orders)
    ]


def run(seed: int, order: str, values: int, grids: list[str], **shape: Any) -> list[Row]:
    """Learn one stream with every learner and value, in one sweep."""
    stream = rand_cbt(order=order, seed=seed, **shape)
    who = [
        (kind, learner, value)
        for kind, learner in product(grids, LEARNERS)
        for value in grid(kind, learner, values).tolist()
    ]
    models = [trees(learner, np.array([value]))[0] for _, learner, value in who]
    results = sweep(stream, models, every=max(1, len(stream[1]) // RECORDS))
    rows: list[Row] = []
    logged: dict[tuple[str, str, int], list[float]] = {}
    for (kind, learner, value), result in zip(who, results, strict=True):
        about = {"seed": seed, "order": order, "grid": kind, "learner": learner}
        end = {"value": value, "leaves": result.n_leaves, "accuracy": result.accuracy}
        rows.append({**about, "what": "end", **end, "records": 1})
        sizes = np.round(result.curve["leaves"] / _LOG_WIDTH).astype(int) * _LOG_WIDTH
        for size, accuracy in zip(sizes.tolist(), result.curve["accuracy"].tolist(), strict=True):
            if size <= max(LEAVES):
                logged.setdefault((kind, learner, size), []).append(accuracy)
    for (kind, learner, size), scores in logged.items():
        about = {"seed": seed, "order": order, "grid": kind, "learner": learner}
        mean = {"value": None, "leaves": size, "accuracy": float(np.mean(scores))}
        rows.append({**about, "what": "log", **mean, "records": len(scores)})
    return rows
