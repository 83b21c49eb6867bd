"""Law: weight equals repetition. A whole weight w is w consecutive copies, and 0 is nothing."""

import numpy as np
from hypothesis import given
from streams import Stream, bytes_of, grown, new_tree, streams, tree_params


def repeated(stream: Stream) -> Stream:
    """Write every copy out as a row of weight 1."""
    copies = [i for i, w in enumerate(stream.weights) for _ in range(int(w))]
    rows = [stream.rows[i] for i in copies]
    return Stream(stream.columns, rows, [stream.labels[i] for i in copies], [1.0] * len(copies))


@given(streams(weights=("whole",)), tree_params())
def test_a_weight_is_that_many_copies(stream, params):
    assert bytes_of(grown(params, stream)) == bytes_of(grown(params, repeated(stream)))


@given(streams(weights=("whole",)), tree_params())
def test_a_weight_in_a_batch_is_that_many_copies(stream, params):
    weighted, copied = new_tree(params), new_tree(params)
    weighted.learn_many(stream.array(), stream.labels, np.array(stream.weights))
    copies = repeated(stream)
    copied.learn_many(copies.array(), copies.labels)
    assert bytes_of(weighted) == bytes_of(copied)


@given(streams(weights=("whole",), whole_first_row=True), tree_params(moa=False))
def test_sample_weight_is_that_many_copies(stream, params):
    weighted, copied = new_tree(params), new_tree(params)
    weighted.partial_fit(stream.array(), stream.labels, sample_weight=stream.weights)
    copies = repeated(stream)
    copied.partial_fit(copies.array(), copies.labels)
    assert bytes_of(weighted) == bytes_of(copied)


@given(streams(), tree_params())
def test_weight_zero_changes_nothing(stream, params):
    tree = grown(params, stream)
    before = bytes_of(tree)
    tree.learn_one({**stream.rows[0], "a new name": 3.0}, stream.labels[0], 0)
    tree.learn_one(stream.rows[-1], "z" if isinstance(stream.labels[0], str) else 77, 0.0)
    tree.learn_many(stream.array(), stream.labels, np.zeros(len(stream)))
    assert bytes_of(tree) == before


@given(streams(weights=("none",)), tree_params())
def test_weight_one_is_the_default(stream, params):
    tree = new_tree(params)
    for x, y in zip(stream.rows, stream.labels, strict=True):
        tree.learn_one(x, y)
    assert bytes_of(tree) == bytes_of(grown(params, stream))
