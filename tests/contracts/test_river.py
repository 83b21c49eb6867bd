"""The river face is a river classifier: all of river's checks pass, none skipped, and it works in
river's pipelines and evaluations."""

import copy
import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import base, checks, compose, datasets, ensemble, evaluate, metrics, preprocessing

import sapwood
from sapwood.persist import from_bytes, to_bytes
from sapwood.river import ConfidenceTreeClassifier

VARIANTS = {
    "default": ConfidenceTreeClassifier(),
    "eager": ConfidenceTreeClassifier(c=0.01, grace_period=10),
    "h-tree": ConfidenceTreeClassifier.h_tree(grace_period=20, tie_threshold=0.2),
    "naive-bayes": ConfidenceTreeClassifier(leaf_prediction="naive-bayes"),
    "adaptive": ConfidenceTreeClassifier(c=0.01, grace_period=20, leaf_prediction="adaptive"),
    "max_bytes": ConfidenceTreeClassifier(max_bytes=2**16, c=0.01, grace_period=20),
    # MOA multiplies probabilities until they underflow, so with its Bayes leaves the order of the
    # features shows in numbers below 1e-290, which river's check of shuffled features compares.
    "moa": ConfidenceTreeClassifier.moa(leaf_prediction="majority", grace_period=20),
}
CASES = [
    pytest.param(variant, i, id=f"{variant}-{check.__name__}-{i}")
    for variant, model in VARIANTS.items()
    for i, check in enumerate(checks.yield_checks(model))
]


@pytest.mark.parametrize(("variant", "i"), CASES)
def test_check_of_river(variant, i):
    random.seed(i)
    model = VARIANTS[variant]
    check = list(checks.yield_checks(model))[i]  # its dataset can be read once only
    check(model.clone())


def test_no_check_is_skipped():
    assert ConfidenceTreeClassifier()._unit_test_skips() == set()
    assert len(CASES) > 40 * len(VARIANTS)


def test_it_is_a_river_classifier():
    tree = ConfidenceTreeClassifier()
    assert isinstance(tree, base.Classifier)
    assert isinstance(tree, base.MiniBatchClassifier)
    assert isinstance(tree, sapwood.ConfidenceTreeClassifier)


def test_progressive_validation_equals_our_own():
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=50)
    metric = evaluate.progressive_val_score(datasets.Phishing(), tree, metrics.Accuracy())
    rows = list(datasets.Phishing())
    X = pd.DataFrame([x for x, _ in rows])
    y = np.array([y for _, y in rows])
    result = sapwood.evaluate((X, y), sapwood.ConfidenceTreeClassifier(c=0.01, grace_period=50))
    # river does not count a prediction of None; we count it as an error
    assert metric.get() * (len(y) - 1) == pytest.approx(result.accuracy * len(y))
    assert tree.n_leaves_ == result.n_leaves > 1


def test_in_a_pipeline_of_scaler_and_one_hot():
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=30)
    numbers = compose.SelectType(float, int) | preprocessing.StandardScaler()
    texts = compose.SelectType(str) | preprocessing.OneHotEncoder()
    model = (numbers + texts) | tree
    rng = np.random.default_rng(0)
    right = n = 0
    for _ in range(1500):
        colour = str(rng.choice(["red", "green", "blue"]))
        x = {"a": float(rng.normal()), "b": float(rng.normal()), "colour": colour}
        y = bool(x["a"] > 0) if colour == "red" else colour == "blue"
        right += model.predict_one(x) == y
        n += 1
        model.learn_one(x, y)
    assert right / n > 0.8
    assert tree.n_leaves_ > 1
    assert set(model.predict_proba_one(x)) == {True, False}


def test_in_a_pipeline_by_batches():
    model = preprocessing.StandardScaler() | ConfidenceTreeClassifier(c=0.02, grace_period=30)
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(1000, 3)), columns=["a", "b", "c"])
    y = pd.Series(X["a"] > 0)
    for at in range(0, 1000, 100):
        model.learn_many(X[at : at + 100], y[at : at + 100])
    predicted = model.predict_many(X)
    assert (predicted == y).mean() > 0.9
    assert predicted.index.equals(X.index)
    assert model.predict_proba_many(X).shape == (1000, 2)


def test_in_an_ensemble_of_river():
    forest = ensemble.BaggingClassifier(
        ConfidenceTreeClassifier(c=0.01, grace_period=30), n_models=3, seed=1
    )
    metric = evaluate.progressive_val_score(datasets.Phishing(), forest, metrics.Accuracy())
    assert metric.get() > 0.75


def test_clone_is_fresh_and_takes_new_parameters():
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=10)
    for x, y in datasets.Phishing().take(300):
        tree.learn_one(x, y)
    fresh = tree.clone()
    assert type(fresh) is ConfidenceTreeClassifier
    assert fresh.get_params() == tree.get_params()
    assert fresh.predict_one(x) is None
    changed = tree.clone({"c": 0.5})
    assert changed.c == 0.5
    assert changed.grace_period == 10
    whole = tree.clone(include_attributes=True)
    assert to_bytes(whole) == to_bytes(tree)
    whole.learn_one(x, y)
    assert to_bytes(whole) != to_bytes(tree)


def test_it_saves_and_loads_as_itself(tmp_path):
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=10)
    for x, y in datasets.Phishing().take(300):
        tree.learn_one(x, y)
    tree.save(tmp_path / "river.sapwood")
    for again in (
        sapwood.load(tmp_path / "river.sapwood"),
        from_bytes(to_bytes(tree)),
        pickle.loads(pickle.dumps(tree)),
        copy.deepcopy(tree),
    ):
        assert type(again) is ConfidenceTreeClassifier
        assert to_bytes(again) == to_bytes(tree)
        assert again.predict_proba_one(x) == tree.predict_proba_one(x)


def test_a_subclass_is_saved_as_the_face_it_extends():
    class Mine(ConfidenceTreeClassifier):
        pass

    tree = Mine()
    tree.learn_one({"a": 1.0}, True)
    assert type(from_bytes(to_bytes(tree))) is ConfidenceTreeClassifier


def test_both_faces_learn_the_same():
    ours, theirs = sapwood.ConfidenceTreeClassifier(c=0.01), ConfidenceTreeClassifier(c=0.01)
    for x, y in datasets.Phishing().take(500):
        assert ours.predict_proba_one(x) == theirs.predict_proba_one(x)
        ours.learn_one(x, y)
        theirs.learn_one(x, y)
    assert ours.splits() == theirs.splits()


def test_repr_can_be_read_back():
    for tree in VARIANTS.values():
        again = eval(repr(tree), {"ConfidenceTreeClassifier": ConfidenceTreeClassifier})
        assert again.get_params() == tree.get_params()
