"""Law: predict is pure. Whatever is asked, of whatever row, the model's bytes stay as they are."""

import math
import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from streams import bytes_of, grown, new_tree, streams, tree_params


def strange_rows(stream):
    """Rows that the model has not seen: new categories, nothing at all, new names, None and NaN."""
    known = dict(stream.rows[0])
    yield {}
    yield {"a new name": 1.5, 99: "text"}
    yield dict.fromkeys(known)
    yield dict.fromkeys(known, math.nan)
    yield {j: "never learned" if isinstance(v, str) else 1e300 for j, v in known.items()}
    yield {**known, "a new name": "text"}


@given(streams(), tree_params(), st.integers(0, 2**32 - 1))
def test_asking_changes_nothing(stream, params, seed):
    tree = grown(params, stream)
    X = stream.array()
    strange = X.copy()
    rng = np.random.default_rng(seed)
    for j, column in enumerate(stream.columns):
        strange[rng.random(len(X)) < 0.5, j] = f"new{j}" if column.kind == "text" else math.nan
    before, nbytes, splits = bytes_of(tree), tree.nbytes_, repr(tree.splits())

    for x in [*stream.rows[:50], *strange_rows(stream)]:
        tree.predict_one(x)
        tree.predict_proba_one(x)
        tree.explain_one(x)
    in_order = list(tree._model.columns) == list(range(X.shape[1]))
    for table in (X, strange):
        tree.predict_many(table)
        tree.predict_proba_many(table)
        if in_order:
            tree.predict(table)
            tree.predict_proba(table)
            tree.apply(table)
            tree.score(table, np.array(stream.labels))
    _ = tree.feature_importances_, tree.classes_, tree.depth_, tree.t_

    assert bytes_of(tree) == before
    assert (tree.nbytes_, repr(tree.splits())) == (nbytes, splits)


@given(streams(), tree_params())
def test_asking_between_rows_has_no_impact_on_learning(stream, params):
    asked = new_tree(params)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x, y, w in zip(stream.rows, stream.labels, stream.weights, strict=True):
            asked.predict_one(x)
            asked.predict_proba_one({**x, "a new name": 1.0})
            asked.learn_one(x, y, w)
    assert bytes_of(asked) == bytes_of(grown(params, stream))


@given(streams(), tree_params())
def test_one_row_and_many_rows_get_the_same_answer(stream, params):
    tree = grown(params, stream)
    X = stream.array()
    assert [tree.predict_one(x) for x in stream.rows] == tree.predict_many(X).tolist()
    many = tree.predict_proba_many(X)
    for x, probabilities in zip(stream.rows, many, strict=True):
        assert list(tree.predict_proba_one(x).values()) == probabilities.tolist()
        assert math.isclose(sum(probabilities), 1.0, rel_tol=1e-9)


@given(streams(), tree_params())
def test_rows_are_not_kept_or_changed(stream, params):
    mine = dict(stream.rows[0])
    tree = new_tree(params)
    tree.learn_one(mine, stream.labels[0])
    tree.predict_one(mine)
    assert mine == stream.rows[0]
    before = bytes_of(tree)
    mine.clear()
    assert bytes_of(tree) == before
