"""Law: keys may come and go. Absent, None and NaN are the same; the order of keys has no impact."""

import math
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from streams import Stream, bytes_of, grown, new_tree, streams, tree_params

import sapwood

SEEDS = st.integers(0, 2**32 - 1)


def with_gaps(stream: Stream, rng: Random) -> Stream:
    """Write what is missing as None, NaN or nothing, at random."""
    rows = []
    for row in stream.rows:
        gaps = [j for j in range(len(stream.columns)) if j not in row and rng.random() < 0.7]
        rows.append({**row, **{j: rng.choice([None, math.nan, np.nan]) for j in gaps}})
    return Stream(stream.columns, rows, stream.labels, stream.weights)


def shuffled(stream: Stream, rng: Random) -> Stream:
    """Shuffle the keys of every row; those never learned before keep their order."""
    known: set = set()
    rows = []
    for row, w in zip(stream.rows, stream.weights, strict=True):
        keys = list(row)
        rng.shuffle(keys)
        fresh = iter([j for j in row if j not in known])
        order = [j if j in known else next(fresh) for j in keys]
        rows.append({j: row[j] for j in order})
        if w > 0:
            known.update(row)
    return Stream(stream.columns, rows, stream.labels, stream.weights)


@given(streams(), tree_params(), SEEDS)
def test_absent_is_none_is_nan(stream, params, seed):
    other = with_gaps(stream, Random(seed))
    assert bytes_of(grown(params, other)) == bytes_of(grown(params, stream))


@given(streams(), tree_params(), SEEDS)
def test_the_order_of_keys_has_no_impact(stream, params, seed):
    tree = grown(params, stream)
    other = shuffled(stream, Random(seed))
    assert bytes_of(grown(params, other)) == bytes_of(tree)
    for x, same in zip(stream.rows[:100], other.rows[:100], strict=True):
        assert tree.predict_proba_one(x) == tree.predict_proba_one(same)


@given(streams(), tree_params(), SEEDS)
def test_predictions_read_gaps_alike(stream, params, seed):
    tree = grown(params, stream)
    other = with_gaps(stream, Random(seed))
    for x, same in zip(stream.rows[:100], other.rows[:100], strict=True):
        assert tree.predict_proba_one(x) == tree.predict_proba_one(same)
        assert tree.predict_proba_one({**x, "never learned": 1.0}) == tree.predict_proba_one(x)


@given(streams(max_columns=6), tree_params(), SEEDS)
def test_columns_may_vanish_and_return(stream, params, seed):
    # Half of the columns are gone for long stretches; what remains is learned as ever.
    rng = Random(seed)
    tree = new_tree(params)
    absent: set = set()
    for i, (x, y) in enumerate(zip(stream.rows, stream.labels, strict=True)):
        if i % 50 == 0:
            absent = {j for j in range(len(stream.columns)) if rng.random() < 0.5}
        x = {j: v for j, v in x.items() if j not in absent}
        tree.predict_one(x)
        tree.learn_one(x, y)
        assert tree.predict_one(x) in stream.labels
    assert tree.t_ == len(stream)
    assert math.isclose(sum(tree.predict_proba_one({}).values()), 1.0)


def test_a_column_that_comes_late_can_be_split_on():
    # 300 rows know nothing of "late"; then it tells the label.
    tree = sapwood.ConfidenceTreeClassifier(grace_period=50, c=0.1)
    rng = Random(5)
    for _ in range(300):
        tree.learn_one({"noise": rng.random()}, rng.randrange(2))
    assert tree.n_leaves_ == 1
    for _ in range(1500):
        y = rng.randrange(2)
        tree.learn_one({"noise": rng.random(), "late": y + rng.random() / 2}, y)
    assert tree.splits()[0].feature == "late"
    assert tree.predict_one({"late": 0.2}) == 0
    assert tree.predict_one({"late": 1.2}) == 1
    assert tree.predict_one({}) in (0, 1)


def test_rows_without_any_value_are_learned():
    nothing = np.full((50, 3), np.nan)
    labels = [0, 1, 1] * 16 + [1, 1]
    one_by_one = sapwood.ConfidenceTreeClassifier(grace_period=5)
    for y in labels:
        one_by_one.learn_one({}, y)
    assert one_by_one.predict_one({}) == 1
    many = sapwood.ConfidenceTreeClassifier(grace_period=5)
    many.learn_many(nothing, labels)
    assert bytes_of(many) == bytes_of(one_by_one)
    assert many.predict_many(nothing).tolist() == [1] * 50
    assert many.n_leaves_ == 1
    fixed = sapwood.ConfidenceTreeClassifier(grace_period=5).partial_fit(nothing, labels)
    assert fixed.predict(nothing).tolist() == [1] * 50
    assert fixed.n_leaves_ == 1
