"""Law: the shortcut for rows of numbers is only that. Names it cannot know lead to the same bytes.

The core remembers the key and label objects of the rows it saw, if they are plain str and int. A
subclass of either is read anew in every call: the long way.
"""

import copy
import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import bytes_of, new_tree, streams, tree_params

import sapwood

SEEDS = st.integers(0, 2**32 - 1)


class Text(str):
    """Text of another type than str, so that it is not remembered."""


class Whole(int):
    """A whole number of another type than int."""


def the_long_way(thing: Any) -> Any:
    """Return an equal name or label that is read anew."""
    if isinstance(thing, str):
        return Text(thing)
    return Whole(thing) if type(thing) is int else thing


def anew(thing: Any) -> Any:
    """Return an equal name or label in another object, if it is text."""
    return "".join(list(thing)) if type(thing) is str and len(thing) > 1 else thing


def outcome(call: Any, *args: Any) -> Any:
    """Return what a call gives, or what it says of its refusal."""
    try:
        given_back = call(*args)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return given_back, type(given_back)


def same_number(value: Any, rng: Random) -> Any:
    """Write a number in one of the ways in which Python can."""
    if isinstance(value, str) or rng.random() < 0.7:
        return value
    if value == int(value):
        return rng.choice([int(value), float(value), np.float64(value)])
    return np.float64(value)


def check_alike(
    rows: list[dict[Any, Any]], labels: list[Any], weights: list[float], tree: Any
) -> None:
    """Feed rows both ways, with the keys as they are and in new objects; nothing may differ."""
    ways = [lambda thing: thing, anew, the_long_way]
    trees = [copy.deepcopy(tree) for _ in ways]
    for x, y, w in zip(rows, labels, weights, strict=True):
        given_back = []
        for way, each in zip(ways, trees, strict=True):
            row = {way(name): value for name, value in x.items()}
            given_back.append(
                [
                    outcome(each.predict_one, row),
                    outcome(each.predict_proba_one, row),
                    outcome(each.learn_one, row, way(y), w),
                    outcome(each.predict_one, row),
                ]
            )
        assert repr(given_back[0]) == repr(given_back[1]) == repr(given_back[2])
    assert bytes_of(trees[0]) == bytes_of(trees[1]) == bytes_of(trees[2])


@given(streams(max_rows=300), tree_params(), SEEDS, st.booleans())
def test_streams(stream, params, seed, names_are_text):
    rng = Random(seed)
    rows = []
    for row in stream.rows:
        order = list(row)
        if rng.random() < 0.3:
            rng.shuffle(order)
        name = (lambda j: f"column {j}") if names_are_text else int
        rows.append({name(j): same_number(row[j], rng) for j in order})
    check_alike(rows, stream.labels, stream.weights, new_tree(params))


NAMES = st.one_of(st.sampled_from(["a", "bb", "ccc", "naïve", 0, 1, 7]), st.text(max_size=2))
VALUES = st.one_of(
    st.floats(),
    st.integers(-3, 3),
    st.integers(),
    st.booleans(),
    st.none(),
    st.sampled_from(["x", "yy", math.nan, 10**400, [1], b"x", np.float32(2.5), np.int8(3), 1j]),
)
LABELS = st.one_of(st.integers(-2, 300), st.sampled_from(["u", "vv", 2**70, True, 1.0, 0.5, None]))
WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 0.0, 2.0, 0.5, -1.0, math.nan])
ROWS = st.tuples(st.dictionaries(NAMES, VALUES, max_size=5), LABELS, WEIGHTS)


@given(st.lists(ROWS, max_size=30), st.booleans())
def test_rows_good_and_bad(given_rows, some_are_categories):
    declared = ["a", 7] if some_are_categories else None
    tree = sapwood.ConfidenceTreeClassifier(grace_period=5, categorical_features=declared)
    rows, labels, weights = ([row[i] for row in given_rows] for i in range(3))
    check_alike(rows, labels, weights, tree)


@pytest.mark.parametrize("text", [True, False])
def test_many_labels(text):
    """More labels than are remembered, and some whose number is not their own object."""
    labels = [f"label {k}" if text else 1000 * k for k in range(600)] * 2
    rows = [{"a": float(k % 7)} for k in range(len(labels))]
    check_alike(rows, labels, [1.0] * len(rows), sapwood.ConfidenceTreeClassifier())


def test_a_column_that_begins_late_and_elsewhere():
    """A key stands where another one stood; a row has fewer keys, or more than any before."""
    rows = [
        {"a": 1.0, "b": 2.0},
        {"b": 1.0, "a": 2.0},
        {"b": 3.0},
        {"c": 1.0, "a": 0.0, "b": 4.0},
        {"d": None, "a": 1.0, "c": 2},
        {"d": 1.0, "c": 5.0, "b": 1.0, "a": 0.5},
        {},
    ]
    check_alike(
        rows * 20, [0, 1] * 70, [1.0] * 140, sapwood.ConfidenceTreeClassifier(grace_period=10)
    )


def test_keys_that_live_for_one_call():
    """A key whose memory another one takes over is not taken for it."""
    tree, plain = sapwood.ConfidenceTreeClassifier(), sapwood.ConfidenceTreeClassifier()
    for k in range(300):
        name = f"column {k % 3}"
        tree.learn_one({"column " + str(k % 3): float(k)}, k % 2)
        plain.learn_one({Text(name): float(k)}, Whole(k % 2))
    assert bytes_of(tree) == bytes_of(plain)
