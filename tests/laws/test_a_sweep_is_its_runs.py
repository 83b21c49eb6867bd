"""Law: a sweep gives what each of its trees gives by itself, whatever they share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import new_tree, streams, tree_params

import sapwood
from sapwood import ConfidenceTreeClassifier


def facts(result):
    """Everything but times, the trained model, and the seed of draws that are not made."""
    kept = result.to_dict()
    kept["curve"].pop("seconds")
    kept["settings"].pop("random_state")
    return {name: value for name, value in kept.items() if name != "seconds"}


def check(stream, trees, every, **how):
    together = sapwood.sweep(stream, trees, every=every, **how)
    alone = [sapwood.evaluate(stream, tree, every=every) for tree in trees]
    assert [facts(a) for a in together] == [facts(b) for b in alone]
    assert all(result.model is None for result in together)
    return alone


@given(
    streams(),
    tree_params(moa=False),
    st.lists(st.floats(1e-4, 0.9), min_size=1, max_size=8),
    st.integers(1, 3),
    st.integers(7, 400),
)
def test_trees_that_differ_in_c_or_delta(stream, params, values, n_jobs, every):
    varies = "c" if params["bound"] == "c-tree" else "delta"
    trees = [new_tree({**params, varies: value}) for value in values]
    check((stream.array(), stream.labels), trees, every, n_jobs=n_jobs)


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive-bayes", "adaptive"])
def test_many_settings_of_each_kind(leaf_prediction):
    stream = sapwood.datasets.rand_cbt(n_leaves=12, n_features=4, per_leaf=1000, seed=5)
    tree = ConfidenceTreeClassifier
    how = {"leaf_prediction": leaf_prediction}
    grid = np.geomspace(1e-3, 0.5, 12)
    trees = [tree(c=float(c), **how) for c in grid]
    trees += [tree.h_tree(delta=float(d), **how) for d in grid]
    trees += [tree.corrh_tree(delta=float(d), **how) for d in grid]
    trees += [tree(c=0.01, max_leaves=5, **how), tree(bound="theorem", **how), tree.moa()]
    trees += [tree(c=float(c), max_depth=2, tie_threshold=0.01, **how) for c in grid[::-1]]
    alone = check(stream, trees, 5000, n_jobs=2)
    assert len({result.n_leaves for result in alone}) > 8


def test_more_classes_than_a_table_holds():
    rng = np.random.default_rng(6)
    X = rng.uniform(size=(3000, 2))
    y = (X[:, 0] * 20 + 20 * (X[:, 1] > 0.4)).astype(int)
    trees = [ConfidenceTreeClassifier(c=c, grace_period=50) for c in (0.001, 0.01, 0.1)]
    check((X, np.sort(y)), trees, 700)  # a class after the other, so that some come late
    check((X, y * 10), trees, 700, n_jobs=2)


def test_trees_that_differ_amid_a_long_mask():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (600, 1500)).astype(float)
    masks = np.zeros((2, 1500), dtype=bool)
    masks[1, 700] = True
    trees = [ConfidenceTreeClassifier(c=0.01, categorical_features=mask) for mask in masks]
    one, other = check((X, (X[:, 700] % 2).astype(int)), trees, 600)
    assert one.accuracy != other.accuracy


def test_a_file_is_read_once_for_all(tmp_path):
    X, y = sapwood.datasets.rand_cbt(n_leaves=4, n_features=3, per_leaf=500, seed=1)
    path = tmp_path / "stream.csv"
    rows = ["a,b,c,class", *(",".join(map(str, [*x, int(k)])) for x, k in zip(X, y, strict=True))]
    path.write_text("\n".join(rows) + "\n")
    trees = [ConfidenceTreeClassifier(c=c) for c in (0.001, 0.02, 0.3)]
    together = sapwood.sweep(path, trees)
    assert [r.n_leaves for r in together] == [sapwood.evaluate(path, t).n_leaves for t in trees]


def test_what_is_no_tree_is_refused():
    with pytest.raises(TypeError, match="takes tables, not rows by name"):
        sapwood.sweep([({"a": 1.0}, 0), ({"a": 2.0}, 1)], [sapwood.ConfidenceTreeClassifier()])
    with pytest.raises(TypeError, match="trees of sapwood, not dict"):
        sapwood.sweep(([[1.0]], [0]), [{"c": 0.1}])


def test_trees_stay_untrained():
    tree = ConfidenceTreeClassifier()
    sapwood.sweep(([[1.0], [2.0]], [0, 1]), [tree])
    assert tree.predict_one({0: 1.0}) is None
