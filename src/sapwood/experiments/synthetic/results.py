"""What came of the runs: the paper's averages, and differences on the same streams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import curves
from ..curves import Averages, Curve
from ..tasks import Found
from .runs import LEAVES

BASELINES = ("h-tree", "corrh-tree")
WIDTH = 10  # leaves that are averaged together around each of the paper's sizes

Array = NDArray[np.float64]


def by_stream(found: Found, order: str, grid: str, learner: str) -> list[Curve]:
    """Return a learner's curve on each stream, in the order of the seeds."""
    mine = found.where(order=order, grid=grid, learner=learner, what="end")
    seeds, leaves, accuracy = mine["seed"], mine["leaves"], mine["accuracy"]
    return [Curve(leaves[seeds == s], accuracy[seeds == s]) for s in np.unique(seeds)]


def pooled(found: Found, order: str, grid: str, learner: str) -> Averages:
    """Return a learner's accuracy at the paper's sizes, averaged the paper's way."""
    return curves.pooled(by_stream(found, order, grid, learner), LEAVES, WIDTH)


def mean(found: Found, order: str, learner: str, leaves: Array) -> Averages:
    """Return a learner's accuracy at numbers of leaves, each stream counting once."""
    lines = by_stream(found, order, "logarithmic", learner)
    values = [curves.at_leaves(line, leaves) for line in lines]
    return curves.averages(np.array(values).reshape(-1, len(leaves)), leaves)


def paired(found: Found, order: str, baseline: str, leaves: Array) -> Averages:
    """Return how far C-Tree is ahead at numbers of leaves, on the same streams."""
    ours, theirs = (by_stream(found, order, "logarithmic", name) for name in ("c-tree", baseline))
    return curves.paired(ours, theirs, leaves)
