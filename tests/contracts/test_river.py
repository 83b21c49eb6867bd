"""The river face is a river classifier: all of river's checks pass, none skipped, and it works in
river's pipelines and evaluations."""

import copy
import pickle
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from river import (
    base,
    checks,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    imblearn,
    metrics,
    multiclass,
    preprocessing,
)

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


# --- the class itself, which is no subclass of river's --------------------------------------------

WRAPPERS = {
    "itself": lambda tree: tree,
    "pipeline": lambda tree: preprocessing.StandardScaler() | tree,
    "function": lambda tree: (lambda x: {**x, "one": 1.0}) | tree,
    "bagging": lambda tree: ensemble.BaggingClassifier(tree, 3, seed=1),
    "adwin bagging": lambda tree: ensemble.ADWINBaggingClassifier(tree, 3, seed=1),
    "leveraging": lambda tree: ensemble.LeveragingBaggingClassifier(tree, 3, seed=1),
    "adaboost": lambda tree: ensemble.AdaBoostClassifier(tree, 3, seed=1),
    "adwin boosting": lambda tree: ensemble.ADWINBoostingClassifier(tree, 3, seed=1),
    "bole": lambda tree: ensemble.BOLEClassifier(tree, 3, seed=1),
    "random patches": lambda tree: ensemble.SRPClassifier(tree, 3, seed=1),
    "voting": lambda tree: ensemble.VotingClassifier([tree, tree.clone({"c": 0.1})]),
    "stacking": lambda tree: ensemble.StackingClassifier([tree, tree.clone()], tree),
    "one against the rest": multiclass.OneVsRestClassifier,
    "one against one": multiclass.OneVsOneClassifier,
    "output code": lambda tree: multiclass.OutputCodeClassifier(tree, code_size=4, seed=1),
    "sampling": lambda tree: imblearn.RandomUnderSampler(tree, {True: 0.5, False: 0.5}, seed=1),
    "retraining": drift.DriftRetrainingClassifier,
}
EAGER = {"c": 0.01, "grace_period": 30}


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_class_itself_works_in_river_as_its_subclass_does(wrapper):
    scores = []
    for cls in (sapwood.ConfidenceTreeClassifier, ConfidenceTreeClassifier):
        model = WRAPPERS[wrapper](cls(**EAGER))
        seen = list(
            evaluate.iter_progressive_val_score(
                datasets.Phishing(), model.clone(), metrics.Accuracy(), step=100
            )
        )
        scores.append([step["Accuracy"].get() for step in seen])
    assert scores[0] == scores[1]
    assert scores[0][-1] > 0.8


def test_the_class_itself_gives_probabilities_and_its_size_to_river():
    tree = sapwood.ConfidenceTreeClassifier(**EAGER)
    steps = evaluate.iter_progressive_val_score(
        datasets.Phishing(), tree, metrics.ROCAUC(), step=500, measure_memory=True
    )
    last = list(steps)[-1]
    assert last["ROCAUC"].get() > 0.9
    assert last["Memory"] == tree.nbytes_


def test_the_class_itself_is_a_classifier_of_river_and_of_no_other_kind():
    tree = sapwood.ConfidenceTreeClassifier()
    assert isinstance(tree, base.MiniBatchClassifier)
    assert not isinstance(tree, (base.Transformer, base.Regressor, compose.Pipeline))
    fresh = tree.clone({"c": 0.5})
    assert type(fresh) is sapwood.ConfidenceTreeClassifier
    assert (fresh.c, fresh.delta) == (0.5, tree.delta)


LATE = """
import sys, sapwood
tree = sapwood.ConfidenceTreeClassifier(c=0.01, grace_period=30)
tree.learn_one({"a": 1.0}, True)
tree.clone(), repr(tree), isinstance(tree, sapwood.ActiveLearner)
assert not any(name.split(".")[0] == "river" for name in sys.modules), "river is loaded"
from river import base, datasets, evaluate, metrics
assert not isinstance(tree, base.Regressor)
assert isinstance(tree, base.Classifier)
print(evaluate.progressive_val_score(datasets.Phishing(), tree, metrics.Accuracy()))
"""


def test_river_is_not_loaded_before_it_is_used_and_knows_trees_made_before():
    child = [sys.executable, "-c", LATE]
    said = subprocess.run(child, capture_output=True, text=True, timeout=120, check=False)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("Accuracy: 8")
