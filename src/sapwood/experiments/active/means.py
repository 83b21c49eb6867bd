"""What selective sampling gave: means over the seeds, and three ways to choose c."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._params import DEFAULT_C
from ...compare import half_width
from .. import paper, real
from ..ranks import Ranks, rank
from ..tasks import Found

__all__ = ["NAMES", "OURS", "WAYS", "WITHOUT_CHANCE", "Mean", "Means", "Stream", "paper_ranks"]

#: The strategies as the paper names them; "full" learns every label.
NAMES = {name: short for name, (short, _) in paper.STRATEGIES.items()} | {"full": "full labelling"}
#: The paper's own strategies.
OURS = ("conf-tree", "split-conf-tree")
#: These draw no random numbers: on rows in a fixed order every seed gives the same.
WITHOUT_CHANCE = ("full", "variable-uncertainty")
#: Ways to choose c: the best for each stream, strategy and budget (as far as the paper tells, its
#: own); the default for all; the best with all labels for each stream.
WAYS = {
    "tuned": "c tuned for each point",
    "default": f"c = {DEFAULT_C}",
    "full": "c by full labels",
}

_MEASURES = ("query_rate", "drifts", "n_leaves")


class Stream(NamedTuple):
    """A dataset in an order of its rows."""

    dataset: str
    order: str

    @property
    def title(self) -> str:
        """Its name as the paper writes it."""
        name = real.NAMES[self.dataset]
        return name if self.order == "original" else f"{name}, {self.order}"

    @property
    def measure(self) -> str:
        """What the paper reports on it."""
        return "F" if real.measure(self.dataset) == "f_measure" else "accuracy"


@dataclass(frozen=True)
class Mean:
    """Runs that differ in the seed only.

    Parameters
    ----------
    performance, half : float
        Mean of the accuracy or F-measure, and half of its 95 % interval. Half is NaN for one seed;
        0 if there is no chance in the run, so that one seed tells all.
    query_rate, drifts, n_leaves : float
        Means.
    c : float
        The tree's parameter.
    seeds : int
        The number of runs.
    """

    performance: float
    half: float
    query_rate: float
    drifts: float
    n_leaves: float
    c: float
    seeds: int

    def beats(self, other: Mean) -> bool:
        """Whether it is better by more than chance: the intervals' halves, put together."""
        # NaN compares as false: without an interval nothing is said.
        return self.performance - other.performance > math.hypot(self.half, other.half)


class Means:
    """The means of all runs; the paper's measure, so F on some datasets and accuracy on others."""

    def __init__(self, found: Found) -> None:
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
        self.floors: dict[Stream, float] = {}
        for row in found.table.to_pylist():
            stream = Stream(row["dataset"], row["order"])
            self.floors[stream] = row["floor"]
            cell = (stream, row["leaves"], row["strategy"], row["budget"], row["drift"])
            groups[cell, row["c"]].append(row)
        self._cells: dict[tuple[Any, ...], dict[float, Mean]] = defaultdict(dict)
        for (cell, c), rows in groups.items():
            self._cells[cell][c] = _mean(cell[0], cell[2], rows, c)
        self.budgets: list[float] = [b for b in found.values("budget") if b < 1]
        # Majority first, which is what the text says.
        self.leaves: list[str] = sorted(found.values("leaves"), key=lambda name: name != "majority")
        self.strategies = [name for name in paper.STRATEGIES if name in found.values("strategy")]

    def streams(self, leaves: str, order: str | None = None) -> list[Stream]:
        """Return the streams that were run with a kind of leaves."""
        found = {cell[0] for cell, by_c in self._cells.items() if cell[1] == leaves and by_c}
        return sorted(stream for stream in found if order in (None, stream.order))

    def full(self, stream: Stream, leaves: str, way: str, drift: str = "ddm") -> Mean:
        """Return the mean of runs that learn every label."""
        return self._chosen(self._cells[stream, leaves, "full", 1.0, drift], stream, leaves, way)

    def at(self, stream: Stream, leaves: str, strategy: str, budget: float, way: str) -> Mean:
        """Return the mean of a strategy with a budget."""
        by_c = self._cells[stream, leaves, strategy, budget, "ddm"]
        return self._chosen(by_c, stream, leaves, way)

    def curve(self, stream: Stream, leaves: str, strategy: str, way: str) -> list[Mean]:
        """Return the means of a strategy for all budgets."""
        return [self.at(stream, leaves, strategy, budget, way) for budget in self.budgets]

    def level(self, stream: Stream, leaves: str, strategy: str, way: str) -> float:
        """Return a strategy's performance on a stream, averaged over the budgets."""
        curve = self.curve(stream, leaves, strategy, way)
        return float(np.mean([mean.performance for mean in curve]))

    def nearness(self, stream: Stream, mean: Mean, full: Mean) -> tuple[float, float]:
        """Return the share of full labelling's performance, and of its gain over no learning.

        No learning means to name the most frequent class always, whose F-measure is 0.
        """
        floor = self.floors[stream]
        gain = full.performance - floor
        share = mean.performance / full.performance if full.performance else math.nan
        return share, (mean.performance - floor) / gain if gain > 0 else math.nan

    def ranks(self, leaves: str, way: str, streams: list[Stream], *, by_budget: bool) -> Ranks:
        """Rank the strategies over streams, or over streams and budgets."""
        scores = []
        for stream in streams:
            levels = [self.level(stream, leaves, name, way) for name in self.strategies]
            points = [
                [self.at(stream, leaves, name, b, way).performance for name in self.strategies]
                for b in self.budgets
            ]
            scores += points if by_budget else [levels]
        return rank(scores, self.strategies)

    def shortfalls(self, leaves: str, way: str, streams: list[Stream]) -> dict[str, float]:
        """Return how far each strategy falls behind the best one where it does worst.

        Over the streams, each with the mean over the budgets.
        """
        worst = dict.fromkeys(self.strategies, 0.0)
        for stream in streams:
            found = {name: self.level(stream, leaves, name, way) for name in self.strategies}
            for name, level in found.items():
                worst[name] = max(worst[name], max(found.values()) - level)
        return worst

    def _chosen(self, by_c: dict[float, Mean], stream: Stream, leaves: str, way: str) -> Mean:
        if way == "default":
            return by_c[DEFAULT_C]
        if way == "full":
            return by_c[self.full(stream, leaves, "tuned").c]
        return max(by_c.values(), key=lambda mean: mean.performance)


def paper_ranks(strategies: list[str], datasets: list[str]) -> Ranks:
    """Rank the strategies by the points that the paper plots, averaged over the budgets."""
    scores = [
        [float(np.mean([y for _, y in paper.active(dataset, name)])) for name in strategies]
        for dataset in datasets
    ]
    return rank(scores, strategies)


def _mean(stream: Stream, strategy: str, rows: list[dict[str, Any]], c: float) -> Mean:
    column = "f_measure" if stream.measure == "F" else "accuracy"
    scores = [row[column] for row in rows]
    certain = strategy in WITHOUT_CHANCE and stream.order == "original"
    half = 0.0 if certain else half_width(scores)
    rest = {name: float(np.mean([row[name] for row in rows])) for name in _MEASURES}
    return Mean(float(np.mean(scores)), half, **rest, c=c, seeds=len(rows))
