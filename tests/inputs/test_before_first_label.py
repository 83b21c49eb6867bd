"""Before the first label: scikit-learn's methods raise, river's say nothing; with declared classes
the one are uniform and the other still silent."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sapwood
from sapwood import ConfidenceTreeClassifier
from sapwood.persist import from_bytes, to_bytes

X = np.arange(6.0).reshape(3, 2)
FRAME = pd.DataFrame(X, columns=["a", "b"], index=["p", "q", "r"])


def unlearned():
    """Models that have not seen a label, and how they came to be."""
    yield "new", ConfidenceTreeClassifier()
    clocked = ConfidenceTreeClassifier()
    clocked.advance(100)
    yield "clocked", clocked
    looked = ConfidenceTreeClassifier()
    looked.predict_one({"a": 1.0})
    looked.predict_many(X)
    yield "looked at", looked
    weightless = ConfidenceTreeClassifier()
    weightless.learn_one({"a": 1.0}, "x", 0)
    weightless.learn_many(X, [0, 1, 0], w=0)
    yield "weightless", weightless
    yield "loaded", from_bytes(to_bytes(ConfidenceTreeClassifier()))
    yield "loaded clocked", from_bytes(to_bytes(clocked))
    yield "pickled clocked", pickle.loads(pickle.dumps(clocked))
    failed = ConfidenceTreeClassifier()
    with pytest.raises(TypeError):
        failed.learn_one({"a": 1.0}, None)
    yield "failed", failed


@pytest.fixture(params=list(range(8)))
def tree(request):
    return list(unlearned())[request.param][1]


def test_scikit_methods_raise(tree):
    for call in (
        lambda: tree.predict(X),
        lambda: tree.predict_proba(X),
        lambda: tree.apply(X),
        lambda: tree.score(X, [0, 1, 0]),
        lambda: tree.classes_,
        lambda: tree.n_features_in_,
        lambda: tree.explain_one({}),
    ):
        with pytest.raises(sapwood.NotFittedError):
            call()
    with pytest.raises(AttributeError):
        _ = tree.feature_importances_


def test_river_methods_say_nothing(tree):
    assert tree.predict_one({"a": 1.0}) is None
    assert tree.predict_one({}) is None
    assert tree.predict_proba_one({"a": 1.0}) == {}
    assert tree.predict_many(X).tolist() == [None] * 3
    assert tree.predict_proba_many(X).shape == (3, 0)
    series = tree.predict_many(FRAME)
    assert series.tolist() == [None] * 3
    assert series.index.equals(FRAME.index)
    frame = tree.predict_proba_many(FRAME)
    assert frame.shape == (3, 0)
    assert frame.index.equals(FRAME.index)
    assert tree.predict_many(pl.from_pandas(FRAME)).tolist() == [None] * 3


def test_it_can_be_looked_at(tree):
    assert tree.n_leaves_ == 1
    assert tree.depth_ == 0
    assert tree.splits() == []
    assert tree.nbytes_ >= 0
    assert isinstance(tree.export_text(), str)
    assert repr(tree) == "ConfidenceTreeClassifier()"


def test_looking_changes_nothing(tree):
    before = to_bytes(tree)
    test_river_methods_say_nothing(tree)
    test_scikit_methods_raise(tree)
    test_it_can_be_looked_at(tree)
    assert to_bytes(tree) == before
    assert to_bytes(from_bytes(before)) == before


@pytest.mark.parametrize("learn", ["fit", "partial_fit", "classes", "learn_one", "learn_many"])
def test_it_learns_as_a_new_one_does(tree, learn):
    clock = tree.t_
    if learn == "fit":
        tree.fit(X, ["u", "v", "u"])
        clock = 0  # fit forgets
    elif learn == "partial_fit":
        tree.partial_fit(X, ["u", "v", "u"])
    elif learn == "classes":
        tree.partial_fit(X, ["u", "v", "u"], classes=["u", "v", "w"])
    elif learn == "learn_many":
        tree.learn_many(X, ["u", "v", "u"])
    else:
        for row, label in zip(X.tolist(), ["u", "v", "u"], strict=True):
            tree.learn_one(dict(enumerate(row)), label)
    assert tree.t_ == clock + 3
    assert tree.n_features_in_ == 2
    assert tree.predict(X).tolist() == ["u"] * 3
    assert tree.predict_one({0: 1.0}) == "u"


def test_parameters_may_change_until_it_learns():
    for name, tree in list(unlearned()):
        tree.set_params(max_depth=0, leaf_prediction="adaptive")
        again = ConfidenceTreeClassifier(max_depth=0, leaf_prediction="adaptive")
        again.advance(100 if "clocked" in name else 0)
        for one in (tree, again):
            one.learn_one({"a": 1.0}, "x")
        assert to_bytes(tree) == to_bytes(again), name


def test_declared_classes_are_uniform_for_scikit_and_silent_for_river():
    tree = ConfidenceTreeClassifier()
    tree.partial_fit(X, [5, 5, 5], classes=[9, 5], sample_weight=0)
    assert tree.classes_.tolist() == [5, 9]
    assert tree.predict_proba(X).tolist() == [[0.5, 0.5]] * 3
    assert tree.predict(X).tolist() == [5] * 3
    assert tree.predict_one({0: 1.0}) is None
    assert tree.predict_proba_one({0: 1.0}) == {}
    assert tree.predict_many(X).tolist() == [None] * 3
    assert tree.predict_proba_many(X).shape == (3, 0)
    again = from_bytes(to_bytes(tree))
    assert again.predict_proba(X).tolist() == [[0.5, 0.5]] * 3
    tree.learn_one({0: 1.0}, 9)
    assert tree.predict_one({}) == 9
    assert tree.predict_proba_one({}) == {5: 0.0, 9: 1.0}


def test_rows_of_probabilities_sum_to_one_from_the_first_label():
    for leaves in ("majority", "naive-bayes", "adaptive"):
        tree = ConfidenceTreeClassifier(leaf_prediction=leaves, grace_period=5, c=0.01)
        rng = np.random.default_rng(0)
        for i in range(60):
            row = dict(enumerate(rng.normal(size=2)))
            tree.learn_one(row, int(rng.integers(0, 1 + i // 15)))
            given = tree.predict_proba_one(row)
            assert set(given) == set(tree.classes_.tolist())
            assert sum(given.values()) == pytest.approx(1.0)
            assert tree.predict_proba(X).shape == (3, len(given))
            assert tree.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(3))


def test_evaluate_counts_the_silent_first_prediction_as_an_error():
    result = sapwood.evaluate((X, ["u", "u", "u"]), ConfidenceTreeClassifier(), every=1)
    assert result.accuracy == pytest.approx(2 / 3)
    assert result.curve["window_accuracy"].tolist() == [0.0, 1.0, 1.0]


def test_rows_without_any_value_are_rows():
    tree = ConfidenceTreeClassifier()
    for label in ["x", "y", "x"]:
        tree.learn_one({}, label)
    assert tree.t_ == 3
    assert tree.n_features_in_ == 0
    assert tree.predict_one({"a": 1.0}) == "x"
    assert tree.predict_proba_one({}) == {"x": 2 / 3, "y": 1 / 3}


def test_many_rows_without_any_value_are_rows():
    nothing = pd.DataFrame(index=range(50))
    tree = ConfidenceTreeClassifier()
    tree.learn_many(nothing, ["x", "y"] * 25)
    one = ConfidenceTreeClassifier()
    for label in ["x", "y"] * 25:
        one.learn_one({}, label)
    assert to_bytes(tree) == to_bytes(one)
    assert tree.predict_many(nothing).tolist() == ["x"] * 50
    assert tree.predict_proba_many(nothing).to_numpy().tolist() == [[0.5, 0.5]] * 50
    late = pd.DataFrame({"a": [np.nan] * 40 + [1.0] * 10})
    tree.learn_many(late, ["x", "y"] * 25)
    for value, label in zip(late["a"], ["x", "y"] * 25, strict=True):
        one.learn_one({"a": value}, label)
    assert to_bytes(tree) == to_bytes(one)
