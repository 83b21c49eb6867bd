"""Whatever the order in which classes come, and by which method, the public order is sorted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood import ConfidenceTreeClassifier
from sapwood.persist import from_bytes, to_bytes

LABELS = {
    "text": ["b", "B", "a", "ä", "z", "", "10", "9"],
    "whole": [3, -1, 10, 2, 0, 2**53 + 1, 2**53, -(2**63)],
    "mixed numbers": [True, 0, 2.0, -3, 7],
}


def learn(tree, how, rows, labels):
    X = np.array(rows, dtype=float).reshape(-1, 1)
    if how == "partial_fit":
        tree.partial_fit(X, labels)
    elif how == "learn_many":
        tree.learn_many(X, labels)
    else:
        for x, y in zip(rows, labels, strict=True):
            tree.learn_one({0: x}, y)


@st.composite
def streams(draw):
    kind = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    how = st.sampled_from(["partial_fit", "learn_many", "learn_one"])
    row = st.tuples(st.integers(0, 3).map(float), st.sampled_from(kind))
    return draw(st.lists(st.tuples(how, st.lists(row, min_size=1, max_size=12)), min_size=1))


@given(stream=streams(), leaves=st.sampled_from(["majority", "naive-bayes", "adaptive"]))
@settings(deadline=None)
def test_classes_are_sorted(stream, leaves):
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=5, leaf_prediction=leaves)
    appeared = {}
    for how, batch in stream:
        rows, labels = ([pair[i] for pair in batch] for i in range(2))
        learn(tree, how, rows, np.array(labels, dtype=object))
        appeared |= {label: None for label in labels if label not in appeared}
        assert tree._model.classes == list(appeared)
        for same in (tree, from_bytes(to_bytes(tree))):
            check(same, list(appeared))


def check(tree, appeared):
    X = np.arange(4.0).reshape(-1, 1)
    classes = tree.classes_.tolist()
    assert classes == sorted(appeared)
    shares, predicted = tree.predict_proba(X), tree.predict(X)
    assert shares.sum(axis=1) == pytest.approx(np.ones(4))
    frame = tree.to_dataframe()
    for i, x in enumerate(X[:, 0]):
        row = {0: float(x)}
        one = tree.predict_proba_one(row)
        assert list(one) == list(tree.learned_at(row)) == classes
        assert list(one.values()) == shares[i].tolist()
        assert tree.explain_one(row).probabilities == one
        assert predicted[i] == tree.predict_one(row)
        best = [label for label in appeared if one[label] == shares[i].max()]
        assert predicted[i] == best[0], "of equals, the class that appeared first"
    leaf = frame.iloc[tree.apply(X)[0]]
    votes = np.array([leaf[f"votes_{y}"] for y in tree._model.sorted_classes], dtype=float)
    if tree.leaf_prediction == "majority" and votes.sum():
        assert (votes / votes.sum()).tolist() == pytest.approx(shares[0].tolist())
