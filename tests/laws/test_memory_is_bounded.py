"""Law: memory is bounded. After every row nbytes_ is at most max_bytes, and the tree works on."""

import math
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from streams import Column, bytes_of, make_stream, new_tree, streams, tree_params

import sapwood


def refused(tree, x, y, w=1) -> bool:
    """Learn a row; tell whether it was refused for want of memory, leaving no trace.

    Classes, columns and nodes cannot be forgotten again, so a new one may not fit.
    """
    before = bytes_of(tree)
    try:
        tree.learn_one(x, y, w)
    except ValueError as error:
        if "max_bytes" not in str(error):
            raise
        assert bytes_of(tree) == before
        return True
    return False


@given(streams(), tree_params(moa=False), st.integers(4_000, 40_000))
def test_never_more_than_allowed(stream, params, max_bytes):
    assume(params["numeric_splits"] != "exact")
    tree = new_tree({**params, "max_bytes": max_bytes})
    learned = 0.0
    for x, y, w in zip(stream.rows, stream.labels, stream.weights, strict=True):
        learned += 0.0 if refused(tree, x, y, w) else w
        assert tree.nbytes_ <= max_bytes
    assert math.isclose(tree.t_, learned)
    assume(learned > 0)
    assert tree.predict_one(stream.rows[0]) in stream.labels
    assert math.isclose(sum(tree.predict_proba_one(stream.rows[0]).values()), 1.0)


STREAMS = {
    "numeric": ((Column("continuous"),) * 6, 2, "none"),
    "many classes": ((Column("continuous"), Column("discrete", 30)), 30, "none"),
    "weighted": ((Column("continuous"), Column("discrete", 8, missing=0.2)), 3, "fractional"),
    "categories": ((Column("discrete", 8), Column("text", 3000), Column("text", 40)), 3, "none"),
}


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive-bayes", "adaptive"])
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("numeric_splits", ["histogram", "gaussian"])
def test_a_long_stream_reaches_a_plateau(name, leaf_prediction, numeric_splits):
    columns, n_classes, weights = STREAMS[name]
    stream = make_stream(17, 6000, columns, n_classes, noise=0.2, weights=weights)
    max_bytes = 40_000
    params = {"c": 0.01, "grace_period": 50, "n_bins": 32, "numeric_splits": numeric_splits}
    params["leaf_prediction"] = leaf_prediction
    tree, free = new_tree({**params, "max_bytes": max_bytes}), new_tree(params)
    sizes, right = [], 0
    for i, (x, y, w) in enumerate(zip(stream.rows, stream.labels, stream.weights, strict=True)):
        if i >= 5000:
            right += tree.predict_one(x) == y
        tree.learn_one(x, y, w)
        free.learn_one(x, y, w)
        sizes.append(tree.nbytes_)
        assert sizes[-1] <= max_bytes
    half, late = max(sizes[:3000]), max(sizes[3000:])
    most = max(stream.labels.count(y) for y in set(stream.labels)) / len(stream)
    print(
        f"\n{name}, {numeric_splits}, {leaf_prediction}: most {half} B in the first half, {late} B "
        f"in the second, unbounded {free.nbytes_} B; {tree.n_leaves_} leaves (unbounded "
        f"{free.n_leaves_}); {right / 1000:.3f} right at the end, majority alone {most:.3f}"
    )
    assert right / 1000 > most - 0.05
    before = bytes_of(tree)
    tree.learn_one(stream.rows[0], stream.labels[0])
    assert bytes_of(tree) != before  # it goes on learning


def test_thousands_of_distinct_texts_leave_room_to_learn():
    # Every session has a text of its own; after 2000 rows of noise the colour tells the label.
    max_bytes = 60_000
    tree = sapwood.ConfidenceTreeClassifier(max_bytes=max_bytes, c=0.05, grace_period=100)
    rng = Random(3)
    colours = ["red", "green", "blue", "black"]
    for i in range(10_000):
        colour = rng.choice(colours)
        y = rng.random() < 0.5 if i < 2000 else colour == "red"
        tree.learn_one({"session": f"{i} " + "x" * rng.randrange(60), "colour": colour}, y)
        assert tree.nbytes_ <= max_bytes
    right = [tree.predict_one({"colour": c, "session": "new"}) == (c == "red") for c in colours]
    print(f"\n10000 distinct texts in {tree.nbytes_} B: {tree.n_leaves_} leaves, {right}")
    assert all(right)


def test_a_paused_leaf_comes_back_when_it_matters():
    # There is room for the statistics of one leaf. Both sides of "side" are leaves; the left one
    # learns noise and takes the room. Then all that comes is for the right one, and easy to learn.
    rng = Random(1)

    def row(side: int) -> dict[str, float]:
        return {"side": float(side), **{f"x{j}": rng.random() for j in range(6)}}

    tree = sapwood.ConfidenceTreeClassifier(max_bytes=12_000, c=0.05, grace_period=100, n_bins=32)
    while tree.n_leaves_ < 2:
        side = rng.randrange(2)
        tree.learn_one(row(side), side if rng.random() < 0.9 else 1 - side)
    for _ in range(6000):
        tree.learn_one(row(int(rng.random() < 0.05)), rng.randrange(2))
    assert tree.n_leaves_ == 2
    right = 0
    for _ in range(20_000):
        x = row(1)
        y = int(x["x0"] > 0.5)
        right += tree.predict_one(x) == y
        tree.learn_one(x, y)
        assert tree.nbytes_ <= 12_000
    print(f"\nafter the change {right / 20_000:.3f} right, {tree.n_leaves_} leaves")
    assert right / 20_000 > 0.8


def test_a_tree_that_splits_under_a_limit_still_gets_it_right():
    stream = make_stream(23, 8000, (Column("continuous"),) * 4, 4, noise=0.05)
    tree = new_tree({"max_bytes": 60_000, "c": 0.01, "grace_period": 50})
    for x, y in zip(stream.rows, stream.labels, strict=True):
        tree.learn_one(x, y)
    right = sum(tree.predict_one(x) == y for x, y in zip(stream.rows, stream.labels, strict=True))
    assert tree.n_leaves_ >= 3
    assert right / len(stream) > 0.85


@pytest.mark.parametrize("method", ["learn_one", "learn_many", "partial_fit", "fit"])
def test_too_small_a_limit_is_refused_with_nothing_changed(method):
    tree = sapwood.ConfidenceTreeClassifier(max_bytes=2000)
    before = bytes_of(tree)
    row = [float(j) for j in range(40)]
    arguments = (dict(enumerate(row)), 0) if method == "learn_one" else ([row] * 3, [0, 1, 2])
    with pytest.raises(ValueError, match=r"max_bytes=2000 is too small.*need \d+ bytes"):
        getattr(tree, method)(*arguments)
    assert bytes_of(tree) == before
    assert tree.predict_one({}) is None


def test_too_many_classes_are_refused_with_nothing_changed():
    tree = sapwood.ConfidenceTreeClassifier(max_bytes=6000)
    learned = 0
    while not refused(tree, {"x": float(learned)}, learned):
        learned += 1
        assert tree.nbytes_ <= 6000
    assert tree.t_ == learned
    with pytest.raises(ValueError, match="max_bytes=6000 is too small"):
        tree.learn_one({"x": 0.0}, 10_000)
    tree.learn_one({"x": 1.0}, 0)  # known classes are welcome as before
    assert tree.t_ == learned + 1
    print(f"\n6000 bytes hold {learned} classes")
    assert learned >= 2


def test_exact_splits_and_a_limit_exclude_each_other():
    tree = sapwood.ConfidenceTreeClassifier(max_bytes=100_000, numeric_splits="exact")
    with pytest.raises(ValueError, match="max_bytes cannot be kept with numeric_splits='exact'"):
        tree.learn_one({"x": 1.0}, 0)
