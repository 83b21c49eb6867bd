"""Random trees: the same seed gives the same stream, and the streams follow their law."""

import doctest
import importlib
import itertools
import pkgutil

import numpy as np
import pytest

import sapwood
from sapwood import datasets
from sapwood.datasets import rand_cbt, rand_cbt_drift

MODULES = ["sapwood.datasets"] + [
    f"sapwood.datasets.{module.name}" for module in pkgutil.iter_modules(datasets.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    pytest.importorskip("pyarrow")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0


def test_rand_cbt_of_a_seed_stays_the_same():
    X, y = rand_cbt(n_leaves=7, per_leaf=50, seed=3)
    first = [0.8733590524348931, 0.03591837338725126, 0.3400139278696791]
    assert X[0, :3] == pytest.approx(first, rel=1e-14)
    assert X.sum() == pytest.approx(907.2156809022006)
    assert y.sum() == 204
    assert y[:10].tolist() == [0, 1, 0, 1, 1, 1, 1, 0, 0, 0]


def test_rand_cbt_by_leaf_has_one_law_per_leaf():
    n_leaves, per_leaf, q = 12, 4000, 0.8
    X, y = rand_cbt(n_leaves, 3, q, per_leaf, order="by-leaf", seed=5)
    assert X.shape == (n_leaves * per_leaf, 3)
    assert set(y) == {0, 1}
    rates = y.reshape(n_leaves, per_leaf).mean(axis=1)
    assert np.minimum(abs(rates - q), abs(rates - (1 - q))).max() < 0.03  # 4.7 deviations
    assert abs(rates[0] - q) < 0.03  # the first leaf, depth first, is a left one
    assert abs(rates[-1] - (1 - q)) < 0.03  # the last one a right one
    boxes = X.reshape(n_leaves, per_leaf, 3)
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    for i in range(n_leaves):
        for j in range(i):
            assert ((high[i] <= low[j]) | (high[j] <= low[i])).any(), "regions overlap"


def test_rand_cbt_shuffled_is_a_permutation():
    by_leaf = rand_cbt(5, 2, per_leaf=100, order="by-leaf", seed=2)
    shuffled = rand_cbt(5, 2, per_leaf=100, seed=2)
    rows = [sorted(map(tuple, np.column_stack(stream))) for stream in (by_leaf, shuffled)]
    assert rows[0] == rows[1]
    assert not np.array_equal(by_leaf[0], shuffled[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_leaves": 0}, "at least 1"),
        ({"q": 1.5}, "q is a probability"),
        ({"order": "sorted"}, "order must be"),
    ],
)
def test_rand_cbt_refuses(arguments, words):
    with pytest.raises(ValueError, match=words):
        rand_cbt(**arguments)


def accuracies(width, seed):
    """Train on the first half of each concept; test on the second half of it and of the next."""
    X, y, changes = rand_cbt_drift(
        8, 3, 0.95, 1000, concepts=3, width=width, seed=seed, return_changes=True
    )
    parts = np.split(np.arange(len(y)), changes)
    here, there = [], []
    for part, later in itertools.pairwise(parts):
        n = len(part) // 2
        tree = sapwood.ConfidenceTreeClassifier().fit(X[part[:n]], y[part[:n]])
        here.append((tree.predict(X[part[n:]]) == y[part[n:]]).mean())
        there.append((tree.predict(X[later]) == y[later]).mean())
    return np.array(here), np.array(there)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_change_is_a_change(seed):
    here, there = accuracies(0, seed)
    assert (here - there > 0.1).all(), (here, there)


def test_drift_shapes_and_default():
    stream = rand_cbt_drift(4, 3, per_leaf=50, seed=1)
    assert isinstance(stream, tuple)
    X, y = stream
    assert X.shape == (600, 3)
    assert y.shape == (600,)
    assert y.dtype == np.int64
    again = rand_cbt_drift(4, 3, per_leaf=50, seed=1)
    assert np.array_equal(X, again[0])
    assert np.array_equal(y, again[1])
    assert not np.array_equal(X, rand_cbt_drift(4, 3, per_leaf=50, seed=2)[0])
    assert sapwood.evaluate(stream, sapwood.ConfidenceTreeClassifier()).curve["i"][-1] == 600
    *_, changes = rand_cbt_drift(4, 3, per_leaf=50, concepts=1, seed=1, return_changes=True)
    assert changes.tolist() == []


def origins(width, seed):
    """For each row of a gradual stream, its concept: where the same row is in the abrupt one."""
    arguments = {"n_leaves": 2, "n_features": 2, "per_leaf": 1000, "concepts": 3, "seed": seed}
    abrupt, labels = rand_cbt_drift(**arguments)
    gradual, y = rand_cbt_drift(**arguments, width=width)
    place = {tuple(row): i for i, row in enumerate(abrupt)}
    found = np.array([place[tuple(row)] for row in gradual])
    assert sorted(found) == list(range(len(abrupt))), "each row once"
    assert np.array_equal(labels[found], y)
    return found // 2000


def test_gradual_change_is_linear():
    width = 1000
    new = np.mean([origins(width, seed) for seed in range(60)], axis=0)
    for change, before in ((2000, 0), (4000, 1)):
        inside = new[change - width // 2 : change + width // 2] - before
        expected = (np.arange(width) + 0.5) / width
        # Means over 60 streams and 50 neighbours: a deviation of at most 0.5 / sqrt(3000).
        off = (inside - expected).reshape(-1, 50).mean(axis=1)
        assert abs(off).max() < 0.04
        assert (new[change - 1000 : change - width // 2] == before).all()
        assert (new[change + width // 2 : change + 1000] == before + 1).all()


@pytest.mark.parametrize("width", [1, 7, 2000])
def test_any_width_keeps_the_examples(width):
    assert np.bincount(origins(width, 3)).tolist() == [2000, 2000, 2000]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_leaves": 1}, "n_leaves must be a whole number of at least 2; got 1"),
        ({"n_leaves": 2.5}, "n_leaves must be a whole number"),
        ({"n_features": 0}, "n_features must be a whole number of at least 1"),
        ({"per_leaf": -3}, "per_leaf must be"),
        ({"concepts": 0}, "concepts must be"),
        ({"concepts": True}, "concepts must be"),
        ({"concepts": "3"}, "concepts must be"),
        ({"width": -1}, "width must be a whole number of at least 0"),
        ({"n_leaves": 2, "per_leaf": 10, "width": 21}, "at most the 20 examples"),
        ({"q": float("nan")}, "q is a probability"),
        ({"seed": -1}, "non-negative"),
    ],
)
def test_drift_refuses(arguments, words):
    with pytest.raises(ValueError, match=words):
        rand_cbt_drift(**arguments)
