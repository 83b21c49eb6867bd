"""Law: a batch is its rows, one by one. However a stream is cut, the same bytes come out."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import Stream, bytes_of, grown, new_tree, streams, tree_params

CUTS = st.lists(st.floats(0, 1), max_size=5)


def cut(stream: Stream, shares: list[float]) -> list[tuple[int, int]]:
    edges = sorted({0, len(stream), *(round(s * len(stream)) for s in shares)})
    return list(pairwise(edges))


def learn_by_name(tree, X, stream: Stream, shares: list[float]):
    for begin, end in cut(stream, shares):
        tree.learn_many(X[begin:end], stream.labels[begin:end], stream.weights[begin:end])
    return tree


def learn_by_position(tree, X, stream: Stream, shares: list[float]):
    for begin, end in cut(stream, shares):
        w = stream.weights[begin:end]
        tree.partial_fit(X[begin:end], stream.labels[begin:end], sample_weight=w)
    return tree


@given(streams(), tree_params(), CUTS)
def test_learn_many_is_learn_one_row_after_row(stream, params, shares):
    one_by_one = bytes_of(grown(params, stream))
    assert bytes_of(learn_by_name(new_tree(params), stream.array(), stream, shares)) == one_by_one


@given(streams(whole_first_row=True), tree_params(moa=False), CUTS)
def test_partial_fit_is_learn_one_row_after_row(stream, params, shares):
    # The first row has a value in every column, so both know all columns from the start.
    one_by_one = bytes_of(grown(params, stream))
    batches = learn_by_position(new_tree(params), stream.array(), stream, shares)
    assert bytes_of(batches) == one_by_one


@given(streams(), tree_params(moa=False), CUTS)
def test_partial_fit_may_be_cut_anywhere(stream, params, shares):
    X = stream.array()
    whole = bytes_of(learn_by_position(new_tree(params), X, stream, []))
    assert bytes_of(learn_by_position(new_tree(params), X, stream, shares)) == whole
    rows = [i / len(stream) for i in range(len(stream))]
    assert bytes_of(learn_by_position(new_tree(params), X, stream, rows)) == whole


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive-bayes", "adaptive"])
def test_a_text_column_may_begin_after_its_leaf_was_closed(leaf_prediction):
    # Seen as one batch, column 1 is text from the start; cut, it is unknown until its first value.
    X = np.array([[float(i % 3), None] for i in range(60)] + [[0.0, "a"]], dtype=object)
    y = [i % 3 for i in range(60)] + [0]
    params = {"max_leaves": 3, "grace_period": 10, "c": 0.01, "leaf_prediction": leaf_prediction}
    whole = new_tree(params).partial_fit(X, y)
    parts = new_tree(params).partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    assert whole.n_leaves_ == 3
    assert bytes_of(parts) == bytes_of(whole)


@given(streams(kinds=("continuous", "discrete")), tree_params(), CUTS)
def test_the_layout_of_an_array_does_not_matter(stream, params, shares):
    X = stream.array()
    plain = bytes_of(learn_by_name(new_tree(params), X, stream, shares))
    wide = np.full((2 * len(X), 2 * X.shape[1]), np.inf)
    wide[::2, ::2] = X
    for layout in (np.asfortranarray(X), wide[::2, ::2], X[::-1, ::-1].copy()[::-1, ::-1]):
        assert bytes_of(learn_by_name(new_tree(params), layout, stream, shares)) == plain


@given(streams(), tree_params(moa=False), CUTS, st.booleans())
def test_a_frame_of_categories_is_its_rows(stream, params, shares, categorical):
    # Categories are ranked by first learned appearance, never by the dictionary's order.
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(stream.array())
    for j, column in enumerate(stream.columns):
        if column.kind != "text":
            X[j] = X[j].astype(float)
        elif categorical:
            X[j] = pandas.Categorical(X[j], categories=[f"v{v}" for v in range(60, -1, -1)])
    one_by_one = bytes_of(grown(params, stream))
    tree = new_tree(params)
    for begin, end in cut(stream, shares):
        part = X.iloc[begin:end]
        tree.learn_many(part, stream.labels[begin:end], stream.weights[begin:end])
    assert bytes_of(tree) == one_by_one


@pytest.mark.parametrize("values", [[-0.0, 0.0, 1.0, -0.0], [0.0, -0.0, 1.0, 2.0]])
@pytest.mark.parametrize("dtype", [float, np.float32, object, int, "category"])
def test_zero_is_one_category_whatever_its_sign(values, dtype):
    pandas = pytest.importorskip("pandas")
    params = {"categorical_features": [0], "grace_period": 2, "c": 0.01}
    one_by_one, whole = new_tree(params), new_tree(params)
    for x, y in zip(values, "abab", strict=True):
        one_by_one.learn_one({0: x}, y)
    whole.learn_many(pandas.DataFrame({0: values}).astype(dtype), list("abab"))
    assert bytes_of(whole) == bytes_of(one_by_one)


@pytest.mark.parametrize("labels", [[-0.0, 1.0, 0.0], [0.0, -0.0, 1.0]])
def test_zero_is_one_label_whatever_its_sign(labels):
    X = np.array([[1.0], [2.0], [3.0]])
    one_by_one, whole = new_tree({}), new_tree({})
    for x, y in zip(X, labels, strict=True):
        one_by_one.learn_one({0: x[0]}, y)
    whole.learn_many(X, labels)
    assert len(whole.classes_) == 2
    assert not np.signbit(whole.classes_).any()
    assert bytes_of(whole) == bytes_of(one_by_one)


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive-bayes"])
def test_every_form_of_nan_is_one_missing_value(leaf_prediction):
    params = {"leaf_prediction": leaf_prediction, "n_bins": 2}
    odd = np.array([0x7FF8000000000001]).view(float)[0]
    X = np.array([[1.0, 2.0], [2.0, 3.0], [math.nan, 3.0], [-math.nan, 1.0], [1.0, odd]])
    y = [0, 1, 0, 1, 1]
    one_by_one, whole = new_tree(params), new_tree(params)
    for row, label in zip(X, y, strict=True):
        one_by_one.learn_one({j: x for j, x in enumerate(row) if not math.isnan(x)}, label)
    whole.learn_many(X, y)
    assert bytes_of(whole) == bytes_of(one_by_one)
