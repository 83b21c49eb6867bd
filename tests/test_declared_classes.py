"""Declared classes bind every way of learning: another label is an error that changes nothing."""

import pickle

import numpy as np
import pytest
from river.naive_bayes import GaussianNB as RiverBayes
from sklearn.linear_model import SGDClassifier

import sapwood
from sapwood import ActiveLearner, Answer, ConfidenceTreeClassifier
from sapwood.persist import from_bytes, to_bytes

X = [[1.0], [2.0]]
CLASSES = ["ok", "Fraud"]
REFUSED = r"label 'Fruad', which is not among the classes \['Fraud', 'ok'\].*Did you mean 'Fraud'\?"

DECLARED = {
    "partial_fit": lambda: ConfidenceTreeClassifier().partial_fit(X, ["ok", "ok"], CLASSES),
    "fit": lambda: ConfidenceTreeClassifier().fit(X, CLASSES),
    "loaded": lambda: from_bytes(to_bytes(ConfidenceTreeClassifier().fit(X, CLASSES))),
    "pickled": lambda: pickle.loads(pickle.dumps(ConfidenceTreeClassifier().fit(X, CLASSES))),
    "max_bytes": lambda: ConfidenceTreeClassifier(max_bytes=2**16).fit(X, CLASSES),
    "begun anew": lambda: ConfidenceTreeClassifier().fit(X, CLASSES)._fresh(),
    "declared late": lambda: (
        ConfidenceTreeClassifier().partial_fit(X, ["ok", "ok"]).partial_fit(X, CLASSES, CLASSES)
    ),
}
LEARNING = {
    "learn_one": lambda tree, y: tree.learn_one({0: 1.0}, y),
    "learn_one, text": lambda tree, y: tree.learn_one({"new": "a"}, y),
    "learn_one, not a dict": lambda tree, y: tree.learn_one(Row({0: 1.0}), y),
    "learn_one, weight 0": lambda tree, y: tree.learn_one({0: 1.0}, y, 0.0),
    "learn_many": lambda tree, y: tree.learn_many([[1.0], [3.0]], ["ok", y]),
    "partial_fit": lambda tree, y: tree.partial_fit([[1.0], [3.0]], ["ok", y]),
}


class Row(dict):
    """A mapping that is not a plain dict."""


@pytest.mark.parametrize("how", DECLARED)
@pytest.mark.parametrize("learning", LEARNING)
def test_every_way_of_learning_refuses_another_class(how, learning):
    tree = DECLARED[how]()
    before = to_bytes(tree)
    with pytest.raises(ValueError, match=REFUSED):
        LEARNING[learning](tree, "Fruad")
    assert to_bytes(tree) == before
    LEARNING[learning](tree, "Fraud")
    assert tree.classes_.tolist() == ["Fraud", "ok"]


@pytest.mark.parametrize("learning", LEARNING)
def test_without_a_declaration_classes_are_learned_as_they_appear(learning):
    tree = ConfidenceTreeClassifier().partial_fit(X, CLASSES)
    LEARNING[learning](tree, "Fruad")
    known = 2 if learning == "learn_one, weight 0" else 3
    assert len(tree.classes_) == known


MODELS = {
    "tree": ConfidenceTreeClassifier,
    "learned tree": lambda: ConfidenceTreeClassifier().partial_fit(X, ["ok", "ok"]),
    "river": RiverBayes,
    "scikit-learn": SGDClassifier,
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("drift", [None, "ddm"])
def test_a_question_with_another_class_stays_open(model, drift, tmp_path):
    learner = ActiveLearner(MODELS[model](), "all", 1.0, drift, classes=CLASSES, random_state=1)
    first = learner.decide({0: 1.0})
    assert learner.label(first.id, "ok") is Answer.LEARNED
    d = learner.decide({0: 2.0})
    if "tree" in model:
        learner.save(tmp_path / "learner")
        learner = sapwood.load(tmp_path / "learner")
        before = to_bytes(learner.model)
    with pytest.raises(ValueError, match=r"label 'Fruad'.*Did you mean 'Fraud'"):
        learner.label(d.id, "Fruad")
    assert list(learner.questions) == [d.id]
    if "tree" in model:
        assert to_bytes(learner.model) == before
    assert learner.label(d.id, "Fraud") is Answer.LEARNED


def test_a_learned_tree_keeps_to_what_it_knows():
    def tree():
        return ConfidenceTreeClassifier().partial_fit(X, ["b", "b"])

    for declare in (
        lambda tree, classes: ActiveLearner(tree, classes=classes).model,
        lambda tree, classes: tree.partial_fit(X, ["b", "b"], classes=classes),
    ):
        assert declare(tree(), ["c", "b", "a"]).classes_.tolist() == ["a", "b", "c"]
        refusing = tree()
        before = to_bytes(refusing)
        with pytest.raises(ValueError, match="has learned the class 'b', which is not among"):
            declare(refusing, ["a", "c"])
        assert to_bytes(refusing) == before
        told = tree().partial_fit(X, ["b", "b"], classes=["a", "b"])
        before = to_bytes(told)
        with pytest.raises(ValueError, match="not the same as on last call"):
            declare(told, ["a", "b", "c"])
        assert to_bytes(told) == before
        assert declare(told, ["b", "a"]).classes_.tolist() == ["a", "b"]


def test_a_batch_that_fails_declares_nothing():
    tree = ConfidenceTreeClassifier().partial_fit(X, ["b", "b"])
    before = to_bytes(tree)
    with pytest.raises(ValueError, match=r"(?i)infini"):
        tree.partial_fit([[1.0], [np.inf]], ["a", "b"], classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="'d', which is not among the classes"):
        tree.partial_fit(X, ["a", "d"], classes=["a", "b", "c"])
    assert to_bytes(tree) == before
    tree.learn_one({0: 1.0}, "d")


@pytest.mark.parametrize("classes", [["a", 1.5], [0.5, 1.5], [None, "a"]])
def test_what_cannot_be_classes_is_refused(classes):
    for declare in (
        lambda: ActiveLearner(ConfidenceTreeClassifier(), classes=classes),
        lambda: ConfidenceTreeClassifier().partial_fit(
            X, ["a", "a"], classes=np.array(classes, dtype=object)
        ),
    ):
        with pytest.raises((ValueError, TypeError)):
            declare()


def test_no_classes_are_no_declaration():
    with pytest.raises(ValueError, match=r"not among the classes \[\]"):
        ConfidenceTreeClassifier().partial_fit(X, ["a", "a"], classes=[])
    assert ActiveLearner(ConfidenceTreeClassifier(), classes=[])._classes is None


def test_a_run_refuses_a_label_that_is_not_declared():
    for model in (ConfidenceTreeClassifier(), RiverBayes()):
        with pytest.raises(ValueError, match="label 2, which is not among the classes"):
            sapwood.evaluate((np.zeros((3, 1)), [0, 1, 2]), model, classes=[0, 1])


def test_only_the_first_classes_are_listed():
    tree = ConfidenceTreeClassifier().fit(np.zeros((30, 1)), np.arange(30))
    with pytest.raises(ValueError, match=r"\[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 20 more\]"):
        tree.learn_one({0: 0.0}, 30)
