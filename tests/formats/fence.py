"""What some settings make of some streams, as hashes of saved bytes: no tree changes unseen.

A hash is of the core's own bytes, the tree with its certificates, so what Python writes around it
may grow. Of runs with a strategy, it is also of the predictions and the ledger. The streams are of
Python's own random numbers and of plain arithmetic, so they are the same everywhere; `log` and
`exp` may differ in a last bit between C libraries, so the hashes belong to the platform named.

    python tests/formats/fence.py --update     keeps what is found; the commit says why
"""

from __future__ import annotations

import hashlib
import json
import platform
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sapwood

KEPT = Path(__file__).with_name("fence.json")
HOME = f"{platform.system()} {platform.machine()} {' '.join(platform.libc_ver())}".strip()
_NAN = float("nan")

Table = tuple[np.ndarray, np.ndarray]


def numbers(seed: int, n: int = 6000, columns: int = 5, classes: int = 2) -> Table:
    """Numbers of which two tell the class, with noise."""
    rng = random.Random(seed)
    X = np.array([[rng.random() for _ in range(columns)] for _ in range(n)])
    cells = (2 * (X[:, 0] > 0.6) + (X[:, 1] > 0.3)) % classes
    noise = [rng.randrange(10 * classes) for _ in range(n)]
    return X, np.where(np.array(noise) < classes, np.array(noise) % classes, cells)


def repeating(seed: int, n: int = 6000) -> Table:
    """Numbers of few values, whole ones among them, and -0.0."""
    X, y = numbers(seed, n, classes=3)
    X[:, 0] = np.round(X[:, 0], 1)
    X[:, 2] = np.floor(9 * X[:, 2]) - 4
    X[:, 3] = np.where(X[:, 3] < 0.8, -0.0, 1.0)
    return X, y


def gaps(seed: int, n: int = 6000) -> Table:
    """Missing values that tell something, and others."""
    X, y = numbers(seed, n, classes=3)
    rng = random.Random(seed + 1)
    for j in range(X.shape[1]):
        lost = np.array([rng.random() for _ in range(n)]) < 0.05 * (1 + j + 3 * y)
        X[lost & (np.arange(n) > 0), j] = _NAN
    return X, y


def words(seed: int, n: int = 6000) -> Table:
    """Text, some of it rare, beside a number; labels are text, too."""
    X, y = numbers(seed, n, classes=4)
    table = np.empty((n, 3), dtype=object)
    table[:, 0] = [f"v{int(12 * x)}" for x in X[:, 0]]
    table[:, 1] = [None if x > 0.9 else f"w{int(200 * x * x)}" for x in X[:, 1]]
    table[:, 2] = X[:, 2]
    return table, np.array(["rood", "grün", "bleu", "白"])[y]


def sparse(seed: int, n: int = 3000) -> Table:
    """Sixty columns of mostly zeros."""
    rng = random.Random(seed)
    X = np.array([[float(rng.random() < 0.08) for _ in range(60)] for _ in range(n)])
    y = (X[:, 0] + X[:, 7] + X[:, 50] > 0).astype(int)
    return X, np.where([rng.random() < 0.05 for _ in range(n)], 1 - y, y)


def many(seed: int) -> Table:
    """Forty classes."""
    X, _ = numbers(seed)
    rng = random.Random(seed + 1)
    y = (10 * (4 * X[:, 0]).astype(int) + (10 * X[:, 1]).astype(int)) % 40
    return X, np.where([rng.random() < 0.1 for _ in y], 39 - y, y)


def turning(seed: int, n: int = 9000) -> Table:
    """A concept that turns over twice."""
    X, y = numbers(seed, n)
    return X, np.where((np.arange(n) // 3000) % 2, 1 - y, y)


STREAMS: dict[str, Callable[[int], Table]] = {
    made.__name__: made for made in (numbers, repeating, gaps, words, sparse, many, turning)
}

_EAGER = {"c": 0.01, "grace_period": 50, "tie_threshold": 0.02}
TREES: dict[str, dict[str, Any]] = {
    "default": {},
    "naive-bayes": {**_EAGER, "leaf_prediction": "naive-bayes"},
    "adaptive": {**_EAGER, "leaf_prediction": "adaptive"},
    "entropy": {**_EAGER, "criterion": "entropy"},
    "kearns-mansour": {**_EAGER, "criterion": "kearns-mansour"},
    "hoeffding": {"bound": "hoeffding", "delta": 0.05, "grace_period": 50, "tie_threshold": 0.1},
    "corrected": {"bound": "hoeffding-corrected", "criterion": "entropy", "delta": 0.2},
    "mcdiarmid": {"bound": "mcdiarmid", "delta": 0.9, "tie_threshold": 0.3, "grace_period": 30},
    "theorem": {"bound": "theorem", "tie_threshold": 1.0, "grace_period": 30},
    "error": {"criterion": "error", "bound": "hoeffding", "delta": 0.1, "tie_threshold": 0.05},
    "gaussian": {**_EAGER, "numeric_splits": "gaussian", "leaf_prediction": "adaptive"},
    "exact": {**_EAGER, "numeric_splits": "exact"},
    "few-bins": {**_EAGER, "n_bins": 4, "max_leaves": 6},
    "shallow": {**_EAGER, "max_depth": 2, "leaf_prediction": "adaptive"},
    "small": {**_EAGER, "max_bytes": 40_000},
}
_ON: dict[str, tuple[str, ...]] = {
    "default": tuple(STREAMS),
    "adaptive": tuple(STREAMS),
    "naive-bayes": ("repeating", "gaps", "words"),
    "gaussian": ("numbers", "gaps"),
    "small": ("numbers", "sparse"),
}


def _batches(X: np.ndarray, y: np.ndarray, size: int, tree: Any, w: Any = None) -> None:
    for at in range(0, len(y), size):
        part = slice(at, at + size)
        tree.partial_fit(X[part], y[part], sample_weight=None if w is None else w[part])


def _tree(params: dict[str, Any], stream: str, how: str = "batches") -> bytes:
    X, y = STREAMS[stream](7)
    tree = sapwood.ConfidenceTreeClassifier(**params)
    rng = random.Random(3)
    if how == "one by one":
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            tree.learn_one({f"x{j}": v for j, v in enumerate(row)}, label)
    elif how == "copies":
        _batches(X, y, 1000, tree, np.array([float(rng.randrange(4)) for _ in y]))
    elif how == "fractions":
        _batches(X, y, 1000, tree, np.array([rng.choice([0.0, 0.25, 1.0, 1.7]) for _ in y]))
    else:
        _batches(X, y, 1000, tree)
    return tree._model.to_bytes("")


def _moa(stream: str, **params: Any) -> bytes:
    return _tree(sapwood.ConfidenceTreeClassifier.moa(**params).get_params(), stream)


def _run(stream: str, **settings: Any) -> bytes:
    X, y = STREAMS[stream](7)
    tree = sapwood.ConfidenceTreeClassifier(**_EAGER)
    run = sapwood.Evaluation(tree, random_state=11, **settings)
    for at in range(0, len(y), 2500):
        run.feed(X[at : at + 2500], y[at : at + 2500])
    result = run.result()
    ledger = (result.labels, result.drifts, result.confusion.tolist(), run.learner.budget.spent)
    return repr(ledger).encode() + run.learner.model._model.to_bytes("")


def cases() -> dict[str, Callable[[], bytes]]:
    """Return each case by its name, to be run when wanted."""
    found: dict[str, Callable[[], bytes]] = {}
    for name, params in TREES.items():
        for stream in _ON.get(name, ("numbers",)):
            found[f"{name}, {stream}"] = partial(_tree, params, stream)
    for how in ("one by one", "copies", "fractions"):
        for stream in ("numbers", "gaps"):
            found[f"{how}, {stream}"] = partial(_tree, TREES["adaptive"], stream, how)
    eager = {"delta": 0.05, "grace_period": 50}
    found["moa, gaps"] = partial(_moa, "gaps", **eager)
    found["moa gini, numbers"] = partial(_moa, "numbers", criterion="gini", **eager)
    for strategy in sapwood.strategies.NAMES:
        budget = None if strategy in ("all", "none") else 0.3
        settings = {"strategy": strategy, "budget": budget, "drift": "ddm"}
        found[f"{strategy}, turning"] = partial(_run, "turning", **settings)
    for drift in ("adwin", "page-hinkley"):
        found[f"{drift}, turning"] = partial(_run, "turning", drift=drift)
    for budget in ("window:0.2:100", "count:500:0.2", "strict:0.1"):
        settings = {"strategy": "split-conf-tree", "budget": budget, "delay": 40}
        found[f"{budget}, late, words"] = partial(_run, "words", **settings)
    return found


def digest(made: bytes) -> str:
    """Return a hash that is short enough to read."""
    return hashlib.sha256(made).hexdigest()[:16]


def main() -> None:
    """Print what differs from what is kept, or keep it."""
    found = {name: digest(make()) for name, make in cases().items()}
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name in sorted(found.keys() | kept.get("hashes", {}).keys()):
        before, now = kept.get("hashes", {}).get(name, "-"), found.get(name, "-")
        if before != now:
            print(f"{name}: {before} is now {now}")
    if "--update" in sys.argv:
        KEPT.write_text(json.dumps({"home": HOME, "hashes": found}, indent=1) + "\n")
    print(f"{len(found)} cases")


if __name__ == "__main__":
    main()
