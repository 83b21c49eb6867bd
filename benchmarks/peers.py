"""The learners that are compared: each gives rows per CPU second, accuracy and leaves."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sapwood
from benchmarks import moa
from benchmarks.measure import Rate, rate

Stream = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True)
class Measured:
    """One line of a table."""

    name: str
    rate: Rate
    accuracy: float
    leaves: int


def sapwood_tree(
    stream: Stream, leaf_prediction: str, like: int
) -> sapwood.ConfidenceTreeClassifier:
    """Return the C-Tree whose c gives a tree of about the wanted size on this stream."""

    def leaves(c: float) -> int:
        tree = sapwood.ConfidenceTreeClassifier(c=c, leaf_prediction=leaf_prediction)
        result: sapwood.Result = sapwood.evaluate(stream, tree, every=len(stream[1]))
        return result.n_leaves

    grid = np.geomspace(0.004, 0.1, 81)
    best = min(grid, key=lambda c: abs(leaves(float(c)) - like))
    return sapwood.ConfidenceTreeClassifier(c=float(best), leaf_prediction=leaf_prediction)


def run_sapwood(stream: Stream, tree: sapwood.ConfidenceTreeClassifier) -> Measured:
    """Test-then-train on an array in memory, in one call."""
    n = len(stream[1])
    speed = rate(n, lambda: sapwood.evaluate(stream, tree, every=n))
    result = sapwood.evaluate(stream, tree, every=n)
    name = f"sapwood, c={tree.c:.3g}, {tree.leaf_prediction} leaves"
    return Measured(name, speed, result.accuracy, result.n_leaves)


def run_moa(stream: Stream, options: str, core: int | None) -> tuple[Measured, Rate]:
    """MOA's HoeffdingTree on instances in memory; the first repetitions warm its machine up."""
    X, y = stream
    warm_up, counted = 4, 5
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream"
        moa.write_stream(path, X, y.astype(np.int32), {}, 2)
        runs = moa.run(
            path,
            f"trees.HoeffdingTree {options}",
            repetitions=warm_up + counted,
            predict_only=True,
            core=core,
        )
    warm = runs[warm_up:]
    speed = Rate(tuple(r["examples_per_cpu_second"] for r in warm))
    passes = Rate(tuple(p["examples_per_cpu_second"] for p in runs[-1]["predict_only"]))
    leaves = runs[-1]["leaves"] or 0
    return Measured(f"MOA HoeffdingTree {options}", speed, runs[-1]["accuracy"], leaves), passes


def run_river(stream: Stream, **params: Any) -> Measured:
    """river's HoeffdingTreeClassifier on dicts made beforehand, once over the whole stream."""
    from river import tree

    X, y = stream
    n = len(y)
    rows = [dict(enumerate(row)) for row in X.tolist()]
    labels = y.tolist()
    right = leaves = 0

    def work() -> None:
        nonlocal right, leaves
        model = tree.HoeffdingTreeClassifier(**params)
        right = 0
        for x, label in zip(rows, labels, strict=True):
            right += model.predict_one(x) == label
            model.learn_one(x, label)
        leaves = model.n_leaves

    speed = rate(n, work, repetitions=1, warm_up=False)
    shown = ", ".join(f"{k}={v}" for k, v in params.items()) or "defaults"
    return Measured(f"river HoeffdingTreeClassifier, {shown}", speed, right / n, leaves)


def latencies(stream: Stream, n: int = 20_000) -> list[tuple[str, float, float]]:
    """Microseconds per call of learn_one and predict_one with a dict, for sapwood and river."""
    from river import tree

    X, y = stream
    names = [f"x{j}" for j in range(X.shape[1])]
    rows = [dict(zip(names, row, strict=True)) for row in X[:n].tolist()]
    labels = y[:n].tolist()
    out = []
    for name, model in (
        ("sapwood", sapwood.ConfidenceTreeClassifier(c=0.02)),
        ("river, mc leaves", tree.HoeffdingTreeClassifier(leaf_prediction="mc", grace_period=100)),
    ):
        start = time.process_time()
        for x, label in zip(rows, labels, strict=True):
            model.learn_one(x, label)
        middle = time.process_time()
        for x in rows:
            model.predict_one(x)
        end = time.process_time()
        out.append((name, 1e6 * (middle - start) / n, 1e6 * (end - middle) / n))
    return out
