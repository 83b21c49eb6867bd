"""Law: resume is exact. Save, load and go on: the same bytes as never having stopped."""

import copy
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import Column, bytes_of, grown, learn_each, make_stream, new_tree, streams, tree_params

import sapwood
from sapwood import persist


def through_a_file(tree, folder):
    path = folder / "tree.sapwood"
    tree.save(path)
    return sapwood.load(path)


WAYS = {
    "bytes": lambda tree: persist.from_bytes(persist.to_bytes(tree)),
    "pickle": lambda tree: pickle.loads(pickle.dumps(tree)),
    "deepcopy": copy.deepcopy,
}


@given(streams(), tree_params(), st.floats(0, 1), st.sampled_from(sorted(WAYS)))
def test_stopping_leaves_no_trace(stream, params, share, way):
    never_stopped = grown(params, stream)
    moment = round(share * len(stream))
    tree = learn_each(new_tree(params), stream, end=moment)
    again = WAYS[way](tree)
    assert bytes_of(again) == bytes_of(tree)
    assert (again.nbytes_, again.t_, again.n_leaves_) == (tree.nbytes_, tree.t_, tree.n_leaves_)
    learn_each(again, stream, begin=moment)
    assert bytes_of(again) == bytes_of(never_stopped)
    assert again.nbytes_ == never_stopped.nbytes_
    assert repr(again.splits()) == repr(never_stopped.splits())  # MOA's rules may give a gap of NaN
    # and the one that was saved goes on as well
    assert bytes_of(learn_each(tree, stream, begin=moment)) == bytes_of(never_stopped)


@given(streams(max_rows=200), tree_params())
def test_stopping_after_every_row_leaves_no_trace(stream, params):
    tree = new_tree(params)
    for i in range(len(stream)):
        tree = persist.from_bytes(persist.to_bytes(tree))
        learn_each(tree, stream, i, i + 1)
    assert bytes_of(tree) == bytes_of(grown(params, stream))


@given(streams(), tree_params(), st.integers(0, 1000))
def test_the_clock_is_saved(stream, params, n):
    tree = grown(params, stream)
    tree.advance(n)
    again = WAYS["bytes"](tree)
    assert again.t_ == tree.t_ == pytest.approx(sum(stream.weights) + n)
    assert bytes_of(again) == bytes_of(tree)


@pytest.mark.parametrize("classes", [None, [0, 1, 2]])
def test_a_file_keeps_fixed_classes_and_columns(tmp_path, classes):
    stream = make_stream(3, 400, (Column("continuous"), Column("text", 5)), whole_first_row=True)
    X = stream.array()
    tree = sapwood.ConfidenceTreeClassifier(grace_period=20, c=0.01)
    tree.partial_fit(X[:200], stream.labels[:200], classes=classes)
    again = through_a_file(tree, tmp_path)
    for one in (tree, again):
        one.partial_fit(X[200:], stream.labels[200:])
    assert bytes_of(again) == bytes_of(tree)
    assert again.n_leaves_ > 1
    with pytest.raises(ValueError, match="3 features"):
        again.predict([[1, 2, 3]])
    if classes:
        with pytest.raises(ValueError, match="not among the classes"):
            again.partial_fit(X[:1], [7])


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive-bayes", "adaptive"])
@pytest.mark.parametrize("numeric_splits", ["histogram", "gaussian", "exact"])
@pytest.mark.parametrize("size", [1e-320, 1e-160, 1e150, 1e160, 1.7e308])
def test_what_was_learned_from_extreme_numbers_can_be_loaded(size, numeric_splits, leaf_prediction):
    params = {"numeric_splits": numeric_splits, "leaf_prediction": leaf_prediction}
    tree = new_tree({**params, "grace_period": 50, "c": 0.01})
    rows = [{"x": (size, -size, size / 3)[i % 3]} for i in range(120)]
    for i, x in enumerate(rows[:40]):
        tree.learn_one(x, i % 2)
    again = WAYS["bytes"](tree)
    for one in (tree, again):
        for i, x in enumerate(rows):
            one.learn_one(x, i % 3 == 0)
    assert bytes_of(again) == bytes_of(tree)
    assert bytes_of(WAYS["bytes"](again)) == bytes_of(tree)
    for x in rows[:3]:
        assert math.isclose(sum(tree.predict_proba_one(x).values()), 1.0)
