"""What each part of the reproduction does at each scale. `paper` is the size of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

__all__ = ["DATASETS", "SCALES", "Active", "Full", "Scale", "Synthetic", "Theorems"]

#: The real datasets of the paper.
DATASETS = ("a9a", "airlines", "codrna", "covertype", "electricity")
#: Those on which the paper reports the F-measure of the smaller class instead of the accuracy.
BY_F_MEASURE = ("a9a", "codrna")


@dataclass(frozen=True)
class Synthetic:
    """Leaves against accuracy on random trees (Section VII-A)."""

    streams: int = 1000
    values: int = 200
    n_leaves: int = 50
    n_features: int = 5
    q: float = 0.7
    per_leaf: int = 10_000
    orders: tuple[str, ...] = ("by-leaf", "shuffled")
    grids: tuple[str, ...] = ("linear", "logarithmic")


@dataclass(frozen=True)
class _OnDatasets:
    """What the parts with real datasets have in common."""

    datasets: tuple[str, ...] = DATASETS
    rows: int | None = None  # of each dataset; None for all

    def only(self, names: Sequence[str]) -> Self:
        """Return the settings for some of the datasets."""
        for name in names:
            if name not in DATASETS:
                raise ValueError(f"The paper's datasets are {', '.join(DATASETS)}; got {name!r}.")
        return replace(self, datasets=tuple(names))


@dataclass(frozen=True)
class Full(_OnDatasets):
    """Leaves against performance on the real datasets (Section VII-B)."""

    permutations: int = 10
    values: int = 200
    leaf_predictions: tuple[str, ...] = ("majority", "adaptive")
    numeric_splits: tuple[str, ...] = ("histogram", "gaussian")
    criteria: tuple[str, ...] = ("entropy", "kearns-mansour")  # besides Gini, in the first variant


@dataclass(frozen=True)
class Active(_OnDatasets):
    """Budget against performance on the real datasets (Section VIII)."""

    shuffled: tuple[str, ...] = ("codrna",)
    seeds: int = 10
    budgets: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    factors: tuple[float, ...] = (0.0025, 0.005, 0.01, 0.02, 0.05)
    leaf_predictions: tuple[str, ...] = ("majority", "adaptive")


@dataclass(frozen=True)
class Theorems:
    """What the theorems promise against what happens (Sections IV, V and VI)."""

    samples: int = 500_000  # of each law, for the coverage
    streams: int = 100
    rows: int = 1_000_000  # of each planted stream
    n_leaves: int = 50
    per_leaf: int = 10_000
    leaf_parts: int = 20  # times as many streams for single leaves


@dataclass(frozen=True)
class Scale:
    """The settings of all parts."""

    synthetic: Synthetic
    full: Full
    active: Active
    theorems: Theorems


SCALES = {
    "smoke": Scale(
        Synthetic(streams=3, values=12, n_leaves=8, per_leaf=1000),
        Full(permutations=2, values=8, rows=4000),
        Active(seeds=2, budgets=(0.1, 0.3), factors=(0.02,), rows=4000),
        Theorems(samples=1000, streams=2, rows=20_000, n_leaves=8, per_leaf=1000, leaf_parts=1),
    ),
    "quick": Scale(
        Synthetic(streams=6, values=100),
        Full(permutations=2, values=50, rows=100_000),
        Active(seeds=3, budgets=(0.1, 0.3, 0.6), factors=(0.01, 0.02, 0.05), rows=100_000),
        Theorems(samples=20_000, streams=10, rows=200_000, leaf_parts=20),
    ),
    "paper": Scale(Synthetic(), Full(), Active(), Theorems()),
}
