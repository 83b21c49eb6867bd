"""The real datasets in the orders that the experiments use."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .. import datasets
from ..datasets import catalogue
from .settings import BY_F_MEASURE
from .tasks import Found

__all__ = ["NAMES", "length", "measure", "smaller_class", "stream"]

#: The datasets as the paper writes them.
NAMES = {
    "a9a": "A9A",
    "airlines": "AIRLINES",
    "codrna": "COD-RNA",
    "covertype": "COVERTYPE",
    "electricity": "ELECTRICITY",
}


def measure(dataset: str) -> str:
    """Return what the paper reports of a dataset: its smaller class's F-measure, or accuracy."""
    return "f_measure" if dataset in BY_F_MEASURE else "accuracy"


def length(found: Found) -> float:
    """Return how long the streams of some runs are against the paper's, by the shortest share."""
    settings = found.about["settings"]
    sizes = [catalogue.find(name).rows for name in settings["datasets"]]
    return min(min(settings["rows"] or size, size) / size for size in sizes)


def stream(dataset: str, permutation: int | None, rows: int | None = None) -> tuple[Any, Any]:
    """Return a dataset in its own order, or in the random one of a seed; the first rows of it."""
    X, y = _loaded(dataset)
    if permutation is not None:
        order = np.random.default_rng(permutation).permutation(len(y))[:rows]
        return X.take(order), y[order]
    return X.slice(0, rows), y[:rows]


def smaller_class(dataset: str) -> Any:
    """Return the rarer of the labels."""
    labels, counts = np.unique(_loaded(dataset)[1], return_counts=True)
    return labels[counts.argmin()].item()


@lru_cache(maxsize=1)
def _loaded(dataset: str) -> tuple[Any, Any]:
    """Keep the last dataset: a worker's next run is often on the same one."""
    return datasets.load(dataset)
