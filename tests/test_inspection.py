"""Looking inside a tree: its splits with their certificates, its nodes, its importances, and the
path of one row in words."""

import copy
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sapwood import Certificate, ConfidenceTreeClassifier
from sapwood.bounds import epsilon
from sapwood.persist import from_bytes, to_bytes


def stream(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"size": rng.random(n), "noise": rng.random(n), "colour": rng.choice(["red", "blue"], n)}
    )
    y = np.where(X["colour"] == "red", "warm", np.where(X["size"] > 0.5, "big", "small"))
    return X.mask(rng.random(X.shape) < 0.03), y


@pytest.fixture(scope="module")
def data():
    return stream()


@pytest.fixture(scope="module")
def tree(data):
    grown = ConfidenceTreeClassifier(c=0.01, grace_period=50).partial_fit(*data)
    assert grown.n_leaves_ > 2
    return grown


# --- certificates ---------------------------------------------------------------------------------


def test_every_split_has_its_certificate(tree):
    splits = tree.splits()
    assert len(splits) == tree.n_leaves_ - 1
    assert all(isinstance(split, Certificate) for split in splits)
    assert [s.t for s in splits] == sorted(s.t for s in splits)
    for split in splits:
        assert split.feature in ("size", "noise", "colour")
        assert (split.threshold is None) != (split.category is None)
        assert (split.category is None) == (split.feature != "colour")
        assert split.missing_side in ("left", "right")
        assert 50 <= split.m <= split.t <= tree.t_
        assert split.m % 50 == 0  # it looks every grace period
        assert split.d == 3
        assert split.bound == "c-tree"
        assert split.c == 0.01
        assert split.delta is None
        assert split.reason == "confident"
        assert split.gap > 2 * split.epsilon


@pytest.mark.parametrize(
    ("params", "factor"),
    [
        ({"bound": "c-tree", "c": 0.01}, 2),
        ({"bound": "c-tree", "c": 0.01, "criterion": "entropy"}, 2),
        ({"bound": "theorem", "delta": 0.5, "criterion": "gini"}, 2),
        ({"bound": "hoeffding", "delta": 0.1}, 1),
        ({"bound": "hoeffding", "delta": "1/t"}, 1),
        ({"bound": "hoeffding-corrected", "delta": 0.1}, 2),
        ({"bound": "hoeffding", "delta": 0.1, "tie_threshold": 0.1}, 1),
    ],
)
def test_a_certificate_can_be_checked_by_hand(params, factor):
    X, y = stream(20_000)
    # Theorem 4 counts more candidates where values are missing: here are none
    X = X.dropna().reset_index(drop=True)
    y = np.where(X["colour"] == "red", "warm", "cold")
    grown = ConfidenceTreeClassifier(grace_period=50, **params).partial_fit(X, y)
    assert grown.splits()
    for s in grown.splits():
        again = epsilon(
            s.bound,
            criterion=params.get("criterion", "gini"),
            m=s.m,
            t=s.t,
            d=s.d,
            depth=s.depth,
            delta=s.delta,
            c=s.c,
            n_classes=2,
        )
        assert s.epsilon == pytest.approx(again, rel=1e-12)
        if s.reason == "confident":
            assert s.gap > factor * s.epsilon
        else:
            assert s.epsilon <= params["tie_threshold"]
        if params.get("delta") == "1/t":
            assert s.delta == pytest.approx(1 / s.t)


def test_certificates_are_values(tree):
    split = tree.splits()[0]
    assert split == tree.splits()[0]
    assert hash(split) == hash(tree.splits()[0])
    with pytest.raises(AttributeError):
        split.gap = 0.0
    assert split.test == f"colour is {split.category!r}"
    assert f"{split.gap:.4g} > 2ε" in split.evidence


def test_a_split_without_missing_values_sends_them_to_the_heavier_side():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 1))
    y = (X[:, 0] > 0.8).astype(int)
    split = ConfidenceTreeClassifier(c=0.01).fit(X, y).splits()[0]
    assert split.missing_side == "left"
    y = (X[:, 0] > 0.2).astype(int)
    assert ConfidenceTreeClassifier(c=0.01).fit(X, y).splits()[0].missing_side == "right"


# --- nodes ----------------------------------------------------------------------------------------


def test_the_table_of_nodes_is_the_tree(tree):
    frame = tree.to_dataframe()
    assert len(frame) == 2 * tree.n_leaves_ - 1
    assert int(frame["is_leaf"].sum()) == tree.n_leaves_
    assert frame["node"].tolist() == list(range(len(frame)))
    assert int(frame["depth"].max()) == tree.depth_
    assert np.isnan(frame["parent"][0])
    for _, row in frame[~frame["is_leaf"]].iterrows():
        for side in ("left", "right"):
            child = frame.loc[int(row[side])]
            assert child["parent"] == row["node"]
            assert child["depth"] == row["depth"] + 1
    fields = list(Certificate.__dataclass_fields__)
    assert set(fields) <= set(frame.columns)
    split = frame[~frame["is_leaf"]].sort_values("t").iloc[0]
    assert split["feature"] == tree.splits()[0].feature
    assert split["gain"] > 0
    own = float(frame["learned"].sum() + frame["m"].sum())
    assert own == tree.t_  # each row was learned at one leaf


def test_the_table_tells_what_leaves_predict(tree, data):
    frame = tree.to_dataframe().set_index("node")
    nodes = tree.apply(data[0])
    assert (frame.loc[nodes, "prediction"].to_numpy() == tree.predict(data[0])).all()
    votes = frame[[f"votes_{label}" for label in tree.classes_]].to_numpy()[nodes]
    assert votes / votes.sum(axis=1, keepdims=True) == pytest.approx(tree.predict_proba(data[0]))


def test_a_tree_without_rows_is_an_empty_table():
    assert len(ConfidenceTreeClassifier().to_dataframe()) == 0
    assert ConfidenceTreeClassifier().splits() == []


def test_a_single_leaf_is_a_table_of_one_row():
    frame = ConfidenceTreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).to_dataframe()
    assert len(frame) == 1
    assert frame["is_leaf"][0]
    assert frame["learned"][0] == 2


def test_limits_close_the_leaves(data):
    frame = ConfidenceTreeClassifier(c=0.01, max_leaves=2).partial_fit(*data).to_dataframe()
    assert set(frame.loc[frame["is_leaf"], "collecting"]) == {"closed"}
    small = ConfidenceTreeClassifier(c=0.01, grace_period=50, max_depth=1).partial_fit(*data)
    assert small.depth_ == 1
    assert small.n_leaves_ == 2


# --- importances ----------------------------------------------------------------------------------


def test_importances_sum_to_one_and_find_what_matters(tree):
    importances = tree.feature_importances_
    assert importances.shape == (3,)
    assert importances.sum() == pytest.approx(1.0)
    assert (importances >= 0).all()
    by_name = dict(zip(tree.feature_names_in_, importances, strict=True))
    assert by_name["noise"] < 0.05
    assert by_name["colour"] > 0.2
    assert by_name["size"] > 0.2


def test_importances_of_a_single_leaf_are_zero():
    tree = ConfidenceTreeClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert tree.feature_importances_.tolist() == [0.0, 0.0]
    with pytest.raises(AttributeError, match="not defined before the first row"):
        _ = ConfidenceTreeClassifier().feature_importances_


@pytest.mark.parametrize("criterion", ["gini", "entropy", "kearns-mansour", "error"])
def test_importances_of_every_criterion(criterion, data):
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=50, criterion=criterion)
    assert tree.partial_fit(*data).feature_importances_.sum() == pytest.approx(1.0)


# --- one row --------------------------------------------------------------------------------------


def test_the_path_of_one_row(tree, data):
    X, _ = data
    nodes = tree.apply(X)
    predicted = tree.predict(X)
    for i, row in enumerate(X[:100].to_dict("records")):
        told = tree.explain_one(row)
        assert told.leaf == nodes[i]
        assert told.prediction == predicted[i]
        assert told.probabilities == tree.predict_proba_one(row)
        assert told.steps == tuple(told)
        for step in told:
            assert step.certificate in tree.splits()
            value = row[step.certificate.feature]
            if pd.isna(value):
                assert step.value is None
                assert step.goes == step.certificate.missing_side
            elif step.certificate.category is not None:
                assert (step.goes == "left") == (value == step.certificate.category)
            else:
                assert (step.goes == "left") == (value <= step.certificate.threshold)


def test_the_path_in_words(tree):
    text = str(tree.explain_one({"colour": "red", "size": 0.25}))
    first = tree.splits()[0]
    side = "left" if first.category == "red" else "right"
    assert f"{first.test}? 'red': {side}" in text
    assert "> 2ε =" in text
    assert "predicts 'warm'" in text
    missing = str(tree.explain_one({}))
    assert "? missing:" in missing
    for gap in (None, float("nan"), pd.NA, np.float32("nan")):
        assert str(tree.explain_one({"colour": gap, "size": gap})) == missing


def test_the_path_of_an_unnamed_row():
    X = np.random.default_rng(0).random((1000, 2))
    tree = ConfidenceTreeClassifier(c=0.01).fit(X, (X[:, 1] > 0.5).astype(int))
    told = tree.explain_one({0: 0.1, 1: 0.9})
    assert told.prediction == 1
    assert str(told).startswith("x[1] <= ")


@pytest.mark.parametrize("make", [ConfidenceTreeClassifier, ConfidenceTreeClassifier.moa])
def test_a_path_is_that_of_the_tree(make, data):
    X, y = data
    tree = make(grace_period=30, tie_threshold=1.0).partial_fit(X, y)
    nodes, splits = tree.to_dataframe().to_dict("records"), tree.splits()
    assert tree.depth_ > 2
    for row in X[:200].to_dict("records"):
        told, at = tree.explain_one(row), 0
        for step in told:
            assert step.certificate == splits[int(nodes[at]["left"] - 1) // 2]
            at = int(nodes[at][step.goes])
        assert told.leaf == at
        assert told.learned == (nodes[at]["learned"] if nodes[at]["is_leaf"] else 0)


def test_a_path_costs_its_steps():
    """And not the tree: what Python makes of it is counted."""
    X = np.random.default_rng(0).random((60_000, 3))
    y = (X * 8).astype(int).sum(axis=1) % 2
    tree = ConfidenceTreeClassifier(c=1e-4, grace_period=20, tie_threshold=1.0).partial_fit(X, y)
    assert tree.n_leaves_ > 500
    row = dict(enumerate(X[0].tolist()))
    tree.explain_one(row)
    tracemalloc.start()
    try:
        told = tree.explain_one(row)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5000 * (len(told.steps) + 2)


# --- presets --------------------------------------------------------------------------------------

PRESETS = ["c_tree", "h_tree", "corrh_tree", "moa"]


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_survive(preset, data):
    made = getattr(ConfidenceTreeClassifier, preset)(grace_period=30, tie_threshold=0.1)
    params = made.get_params()
    grown = to_bytes(clone(made).partial_fit(*data))
    told = ConfidenceTreeClassifier().set_params(**params)
    for same in (
        clone(made),
        told,
        copy.copy(made),
        copy.deepcopy(made),
        pickle.loads(pickle.dumps(made)),
        from_bytes(to_bytes(made)),
    ):
        assert same.get_params() == params
        assert to_bytes(same.partial_fit(*data)) == grown
    after = pickle.loads(pickle.dumps(clone(made).partial_fit(*data)))
    assert after.get_params() == params
    assert to_bytes(after.partial_fit(*data)) == to_bytes(from_bytes(grown).partial_fit(*data))


def test_presets_of_a_subclass_are_of_the_subclass():
    class Mine(ConfidenceTreeClassifier):
        pass

    for preset in PRESETS:
        assert type(getattr(Mine, preset)()) is Mine


# --- sizes ----------------------------------------------------------------------------------------


def test_the_clock_counts_rows_weights_and_advances():
    tree = ConfidenceTreeClassifier()
    assert tree.t_ == 0
    tree.advance(10)
    assert tree.t_ == 10
    tree.learn_one({"a": 1.0}, 0)
    tree.learn_one({"a": 1.0}, 0, 3)
    tree.learn_one({"a": 1.0}, 0, 0)
    assert tree.t_ == 14
    assert isinstance(tree.t_, int)
    tree.learn_one({"a": 1.0}, 0, 0.5)
    assert tree.t_ == 14.5
    tree.advance()
    tree.advance(np.int64(2))
    assert from_bytes(to_bytes(tree)).t_ == tree.t_ == 17.5


def test_bytes_grow_with_what_is_held(data):
    new = ConfidenceTreeClassifier()
    assert new.nbytes_ == 0
    sizes = []
    for n_bins in (4, 64):
        tree = ConfidenceTreeClassifier(n_bins=n_bins, max_leaves=1000).partial_fit(*data)
        sizes.append(tree.nbytes_)
    assert 0 < sizes[0] < sizes[1]
