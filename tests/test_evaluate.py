"""`evaluate` is test-then-train: it gives what a loop of predict_one and learn_one gives."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest

import sapwood
import sapwood.river
from sapwood import ConfidenceTreeClassifier, evaluate
from sapwood._labels import class_order
from sapwood.persist import to_bytes

COLUMNS = (
    *("i", "accuracy", "window_accuracy", "f_measure", "kappa", "leaves", "labels"),
    *("query_rate", "drifts", "bytes", "seconds"),
)
VARIANTS = {
    "default": {"c": 0.01, "grace_period": 20},
    "adaptive": {"c": 0.01, "grace_period": 20, "leaf_prediction": "adaptive"},
    "naive-bayes": {"c": 0.01, "grace_period": 20, "leaf_prediction": "naive-bayes"},
    "max_bytes": {"c": 0.01, "grace_period": 20, "max_bytes": 12_000},
    "moa": ConfidenceTreeClassifier.moa(grace_period=20).get_params(),
}


def stream(n=700, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 9, n).astype(float),
            "c": rng.choice(["x", "y", "z"], n),
        }
    )
    y = np.where(X["c"] == "x", "left", np.where(X["a"] > 0, "right", "up"))
    X = X.mask(rng.random(X.shape) < 0.03)
    return X.assign(a=X["a"].fillna(0.0)), y  # the first column is there from the first row


def by_hand(X, y, tree):
    """The same by dicts: what was right, and the leaves after each row."""
    right, leaves, sizes = [], [], []
    for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
        right.append(tree.predict_one(row) == label)
        tree.learn_one(row, label)
        leaves.append(tree.n_leaves_)
        sizes.append(tree.nbytes_)
    return np.array(right), np.array(leaves), np.array(sizes)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("every", [1, 100, 130, 10_000])
def test_it_equals_a_loop_by_hand(variant, every):
    X, y = stream()
    X.iloc[0] = [0.0, 1.0, "x"]  # all columns begin with the first row, in both
    result = evaluate((X, y), ConfidenceTreeClassifier(**VARIANTS[variant]), every=every)
    tree = ConfidenceTreeClassifier(**VARIANTS[variant])
    right, leaves, sizes = by_hand(X, y, tree)
    assert result.accuracy == right.mean()
    assert result.n_leaves == tree.n_leaves_
    assert result.n_leaves > 1 or variant == "moa"
    assert result.model.splits() == tree.splits()
    assert to_bytes(result.model) == to_bytes(tree)

    n = len(y)
    at = np.array([*range(every, n, every), n]) if every < n else np.array([n])
    assert result.curve["i"].tolist() == at.tolist()
    assert result.curve["accuracy"] == pytest.approx(np.cumsum(right)[at - 1] / at)
    edges = [0, *at.tolist()]
    windows = [right[a:b].mean() for a, b in itertools.pairwise(edges)]
    assert result.curve["window_accuracy"] == pytest.approx(windows)
    assert result.curve["leaves"].tolist() == leaves[at - 1].tolist()
    if variant != "moa":  # by MOA's rules a table's categories are all known from the start
        assert result.curve["bytes"].tolist() == sizes[at - 1].tolist()
    assert (np.diff(result.curve["seconds"]) >= 0).all()
    assert result.seconds >= result.curve["seconds"][-1] >= 0


def test_the_first_prediction_is_none_and_counts_as_an_error():
    X, y = np.zeros((4, 1)), [1, 1, 1, 1]
    assert evaluate((X, y), ConfidenceTreeClassifier()).accuracy == 0.75
    assert evaluate((X[:1], y[:1]), ConfidenceTreeClassifier()).accuracy == 0.0


def test_a_class_that_is_new_counts_as_an_error():
    X = np.zeros((6, 1))
    result = evaluate((X, ["a", "a", "b", "b", "b", "a"]), ConfidenceTreeClassifier(), every=1)
    #  says:                None a   a    a    a(tie) b
    assert result.curve["window_accuracy"].tolist() == [0, 1, 0, 0, 0, 0]
    assert result.model.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("face", [ConfidenceTreeClassifier, sapwood.river.ConfidenceTreeClassifier])
def test_the_model_that_is_given_is_left_as_it_is(face):
    X, y = stream()
    new, learned = face(c=0.01), face(c=0.01)
    learned.learn_many(X[:50], y[:50])
    before, state = to_bytes(learned), learned._model
    results = [evaluate((X, y), model, trained="fresh") for model in (new, learned)]
    assert new._model is None
    assert learned._model is state
    assert to_bytes(learned) == before
    assert [type(r.model) for r in results] == [face, face]
    assert results[0].accuracy == results[1].accuracy  # it starts anew
    assert results[0].model is not new
    assert results[0].model.get_params() == new.get_params()
    assert results[0].model.t_ == len(y)


def test_the_trained_model_goes_on():
    X, y = stream()
    result = evaluate((X, y), ConfidenceTreeClassifier(c=0.01, grace_period=20))
    result.model.partial_fit(X, y)
    assert result.model.t_ == 2 * len(y)
    again = evaluate((X, y), result.model, trained="fresh")
    assert again.accuracy == result.accuracy


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: y == "left",
        lambda y: (y == "left").astype(int),
        lambda y: (y == "left").astype(float),
        lambda y: np.where(y == "left", 10**15, -5),
        lambda y: pd.Series(y == "left"),
        lambda y: np.where(y == "left", "yes", "no"),
    ],
)
def test_any_labels(labels):
    X, y = stream()
    model = ConfidenceTreeClassifier(c=0.01, grace_period=20)
    expected = evaluate((X, (y == "left").astype(int)), model)
    assert evaluate((X, labels(y)), model).accuracy == expected.accuracy


def test_categorical_features_and_arrays():
    X, y = stream()
    numbers = X[["a", "b"]].to_numpy()
    result = evaluate((numbers, y), ConfidenceTreeClassifier(categorical_features=[1]))
    assert result.model._model.kinds == ["numeric", "categorical"]
    assert evaluate((numbers.tolist(), y.tolist()), ConfidenceTreeClassifier()).accuracy == (
        evaluate((numbers, y), ConfidenceTreeClassifier()).accuracy
    )


def test_the_curve_is_a_table():
    X, y = stream()
    curve = evaluate((X, y), ConfidenceTreeClassifier(), every=200).curve
    assert len(curve) == 4
    assert curve.columns == COLUMNS
    rows = list(curve)
    assert [row["i"] for row in rows] == [200, 400, 600, 700]
    assert all(tuple(row) == curve.columns for row in rows)
    frame = curve.to_pandas()
    assert frame["accuracy"].tolist() == [row["accuracy"] for row in rows]
    assert tuple(frame.columns) == COLUMNS
    assert repr(curve) == f"<Curve of 4 records: {', '.join(COLUMNS)}>"
    with pytest.raises(KeyError):
        curve["regret"]


def test_the_result_introduces_itself():
    X, y = stream()
    result = evaluate((X, y), ConfidenceTreeClassifier())
    assert repr(result) == (
        f"<Result: accuracy {result.accuracy:.4f} over 700 rows, 700 labels (100.0%), "
        f"{result.n_leaves} leaves, 0 drifts>"
    )
    with pytest.raises(AttributeError):
        result.accuracy = 1.0


def test_every_may_be_a_numpy_number_or_larger_than_the_stream():
    X, y = stream()
    for every in (np.int64(350), 700, 701, 10**30):
        curve = evaluate((X, y), ConfidenceTreeClassifier(), every=every).curve
        assert curve["i"][-1] == 700


@pytest.mark.parametrize("rows", [1, 2, 999, 1000, 4321])
def test_what_a_run_says_is_the_end_of_its_curve(rows):
    X, y = sapwood.datasets.rand_cbt(n_leaves=8, per_leaf=600, seed=3)
    for positive in (None, 1, 0):
        run = sapwood.Evaluation(sapwood.ConfidenceTreeClassifier(c=0.05), positive=positive)
        run.feed(X[:rows], y[:rows])
        if positive is not None and positive not in y[:rows]:
            continue
        result = run.result()
        again = pickle.loads(pickle.dumps(result.curve))
        for name in ("accuracy", "f_measure", "kappa", "query_rate", "labels", "drifts"):
            assert getattr(result, name) == result.curve[name][-1] == again[name][-1]
        assert len(again) == len(result.curve) == -(-rows // 1000)


def test_a_mixture_of_classes_goes_by_the_types_name_then_the_value():
    assert [[2, "b", 1.5, "a", 1][k] for k in class_order([2, "b", 1.5, "a", 1])] == [
        1.5, 1, 2, "a", "b",
    ]  # fmt: skip
    assert class_order([2, True, 1.5, 0]) == [3, 1, 2, 0]
    assert class_order([]) == []
