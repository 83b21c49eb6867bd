"""The learners that are compared, as works to be measured in turns."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import sapwood
from benchmarks.measure import Work, timed
from benchmarks.streams import Stream, nearest_c

MOA_MAJORITY = "-b -l MC -g 100 -t 0.05"
MOA_ADAPTIVE = "-b -l NBAdaptive -g 200 -t 0.05"
MOA_TREE = "trees.HoeffdingTree"
RIVER_MAJORITY = {"leaf_prediction": "mc", "grace_period": 100}
CAPYMOA_MAJORITY = {
    "leaf_prediction": "MajorityClass",
    "grace_period": 100,
    "confidence": 1e-7,
    "tie_threshold": 0.05,
    "binary_split": True,
}


def evaluate(stream: Stream, tree: sapwood.ConfidenceTreeClassifier) -> sapwood.Result:
    """Test-then-train on rows in memory, in one call."""
    result: sapwood.Result = sapwood.evaluate(stream.pair, tree, every=len(stream))
    return result


def tree_like(
    stream: Stream, like: int, leaf_prediction: str = "majority", fine: int = 41
) -> sapwood.ConfidenceTreeClassifier:
    """Return the tree whose c gives about as many leaves on this stream.

    How leaves predict does not change how the tree grows, so it is sought with majority leaves.
    """

    def leaves(c: float) -> int:
        return evaluate(stream, sapwood.ConfidenceTreeClassifier(c=c)).n_leaves

    c = nearest_c(leaves, like, fine)
    return sapwood.ConfidenceTreeClassifier(c=c, leaf_prediction=leaf_prediction)


def tree_as_good(
    stream: Stream, like: int, accuracy: float, settings: int = 60
) -> sapwood.ConfidenceTreeClassifier:
    """Return the tree nearest in leaves among those of no lower accuracy, or nearest of all."""
    trees = [
        sapwood.ConfidenceTreeClassifier(c=float(c)) for c in np.geomspace(5e-4, 0.2, settings)
    ]
    results = sapwood.sweep(stream.pair, trees, every=len(stream))
    pairs = list(zip(trees, results, strict=True))
    good = [pair for pair in pairs if pair[1].accuracy >= accuracy] or pairs
    return min(good, key=lambda pair: abs(pair[1].n_leaves - like))[0]


def sapwood_work(stream: Stream, tree: sapwood.ConfidenceTreeClassifier) -> Work:
    """Measure sapwood on the stream."""
    return Work(timed(len(stream), functools.partial(evaluate, stream, tree)), warm_up=2)


class River:
    """river's HoeffdingTreeClassifier on dicts made beforehand, row by row."""

    def __init__(self, stream: Stream, **params: Any) -> None:
        self.rows = [dict(enumerate(row)) for row in stream.matrix.tolist()]
        self.labels = stream.y.tolist()
        self.params = params
        self.accuracy = 0.0
        self.leaves = 0

    @property
    def name(self) -> str:
        """The name of its line."""
        params = ", ".join(f"{k}={v}" for k, v in self.params.items()) or "defaults"
        return f"river HoeffdingTreeClassifier, {params}"

    def learn(self) -> None:
        """Test-then-train a fresh tree."""
        from river import tree

        model = tree.HoeffdingTreeClassifier(**self.params)
        right = 0
        for x, label in zip(self.rows, self.labels, strict=True):
            right += model.predict_one(x) == label
            model.learn_one(x, label)
        self.accuracy, self.leaves = right / len(self.labels), model.n_leaves

    def work(self, repetitions: int) -> Work:
        """Measure it; it needs no warm-up."""
        return Work(timed(len(self.labels), self.learn), repetitions, warm_up=0)
