"""The core makes the splits of the plain-Python reference: the same ones, at the same moments, with
the same certificates to the last bit; and it predicts what the reference predicts.
"""

from collections import Counter
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from sapwood_reference import BOUNDS, SCALES, UNDEFINED, Certificate, ReferenceTree
from streams import PAIRS, Column, Stream, make_stream, streams

import sapwood

FIELDS = [field.name for field in fields(Certificate)]


def learn_both(params: dict[str, Any], stream: Stream, pauses: dict[int, int] | None = None):
    """Teach a tree and the reference one stream; before row i the clock advances by pauses[i]."""
    tree, reference = sapwood.ConfidenceTreeClassifier(**params), ReferenceTree(**params)
    for i, (x, y, w) in enumerate(zip(stream.rows, stream.labels, stream.weights, strict=True)):
        if pauses and i in pauses:
            tree.advance(pauses[i])
            reference.advance(pauses[i])
        tree.learn_one(x, y, w)
        reference.learn(x, y, w)
    return tree, reference


def differences(tree, reference) -> Counter:
    """Assert that all certificates are equal; return by how much each number differs at most."""
    ours, theirs = tree.splits(), reference.splits
    off: Counter = Counter()
    for a, b in zip(ours, theirs, strict=False):
        assert {f: getattr(a, f) for f in FIELDS} == {f: getattr(b, f) for f in FIELDS}
        for name in ("gap", "epsilon", "m", "t"):
            off[name] = max(off[name], abs(getattr(a, name) - getattr(b, name)))
    assert len(ours) == len(theirs)
    assert tree.n_leaves_ == reference.n_leaves
    assert tree.t_ == reference.t
    return off


def same_predictions(tree, reference, stream: Stream, seed: int, n: int = 60) -> None:
    """Ask both about fresh rows: new mixtures of values, gaps, and categories never learned."""
    rng = Random(seed)
    for _ in range(n):
        x: dict[Any, Any] = {}
        for j, column in enumerate(stream.columns):
            value, _ = column.value(rng, 10_000)
            if column.kind == "text" and rng.random() < 0.2:
                value = "never learned"
            if rng.random() < 0.8:
                x[j] = value
        assert tree.predict_one(x) == reference.predict(x)


@st.composite
def reference_params(draw: st.DrawFn) -> dict[str, Any]:
    """Draw parameters that both know, such that splits happen within a few hundred rows."""
    bound, criterion = draw(st.sampled_from(PAIRS))
    ties = [0.0, 0.0, 0.1, 0.3]
    if bound in ("theorem", "mcdiarmid"):  # these split so early only by ties
        ties = [0.0, 1.0, 5.0, 20.0]
    return {
        "criterion": criterion,
        "bound": bound,
        "c": draw(st.sampled_from([0.01, 0.02, 0.05, 0.3])),
        "delta": draw(st.sampled_from(["1/t", 0.1, 0.3, 0.5])),
        "tie_threshold": draw(st.sampled_from(ties)),
        "grace_period": draw(st.integers(5, 50)),
        "numeric_splits": draw(st.sampled_from(["exact", "histogram"])),
        "n_bins": draw(st.sampled_from([2, 3, 8, 16])),
        "max_leaves": draw(st.sampled_from([None, None, None, 1, 2, 5])),
        "max_depth": draw(st.sampled_from([None, None, None, 0, 1, 2])),
    }


PAUSES = st.dictionaries(st.integers(0, 250), st.integers(0, 5000), max_size=3)


def test_random_streams():
    seen, most = Counter(), Counter()

    @settings(max_examples=5 * settings.default.max_examples)
    @given(streams(min_rows=20, max_rows=300), reference_params(), PAUSES, st.integers(0, 999))
    def check(stream, params, pauses, seed):
        tree, reference = learn_both(params, stream, pauses)
        off = differences(tree, reference)
        same_predictions(tree, reference, stream, seed)
        seen["streams"] += 1
        seen["with splits"] += tree.n_leaves_ > 1
        for split in tree.splits():
            seen["splits"] += 1
            seen[split.reason] += 1
            seen["on categories" if split.threshold is None else "on thresholds"] += 1
        for name, value in off.items():
            most[name] = max(most[name], value)
        event("splits" if tree.n_leaves_ > 1 else "no split")

    check()
    print(f"\n{dict(seen)}; largest differences: {dict(most)}")
    assert seen["with splits"] >= 0.3 * seen["streams"]
    for kind in ("confident", "tie", "on categories", "on thresholds"):
        assert seen[kind] >= 10
    assert set(most.values()) == {0.0}


SIGNAL = (Column("discrete", 6, 0.05), Column("text", 2), Column("discrete", 9))
SIGNAL += (Column("continuous"),)


@pytest.mark.parametrize("numeric_splits", ["exact", "histogram"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(("bound", "criterion"), PAIRS)
def test_planted_structure(bound, criterion, n_classes, numeric_splits):
    # `theorem` and `mcdiarmid` would need more rows than a tree in plain Python should learn: they
    # split by ties, which their epsilon allows half-way.
    delta = 0.05 if bound.startswith("hoeffding") else 0.5
    params = {"criterion": criterion, "bound": bound, "c": 0.05, "delta": delta}
    params |= {"numeric_splits": numeric_splits, "n_bins": 8, "grace_period": 250}
    if bound in ("theorem", "mcdiarmid"):
        size = {"m": 1200, "t": 1200, "d": 8, "delta": delta, "n_classes": n_classes}
        params["tie_threshold"] = sapwood.bounds.epsilon(bound, criterion=criterion, **size)
    table = [[0, 0], [1, min(2, n_classes - 1)]]  # first by column 0, then by column 1
    stream = make_stream(n_classes, 2500, SIGNAL, n_classes, noise=0.05, table=table)
    tree, reference = learn_both(params, stream)
    off = differences(tree, reference)
    same_predictions(tree, reference, stream, seed=n_classes)
    found = Counter(f"{split.reason} at {split.m:g}" for split in tree.splits())
    most = max(off.values(), default=0)
    print(f"\n{bound}, {criterion}, K={n_classes}: {dict(found)}; largest difference {most}")
    assert tree.n_leaves_ > 1


@pytest.mark.parametrize(
    ("criterion", "n_classes", "n_rows"),
    [("gini", 2, 6000), ("kearns-mansour", 2, 7000), ("gini", 4, 15_000)],
)
def test_planted_structure_passes_the_theorem(criterion, n_classes, n_rows):
    # Half of the rows are of class 0 and one text says so; the other columns say nothing.
    rng = Random(9)
    labels = [rng.choice([0, 1 + rng.randrange(n_classes - 1)]) for _ in range(n_rows)]
    rows = [{0: float(rng.randrange(3)), 1: "abcd"[y], 2: float(rng.randrange(2))} for y in labels]
    columns = (Column("discrete", 3), Column("text", 4), Column("discrete", 2))
    stream = Stream(columns, rows, labels, [1.0] * n_rows)
    params = {"criterion": criterion, "bound": "theorem", "delta": 0.5, "grace_period": 500}
    tree, reference = learn_both(params, stream)
    differences(tree, reference)
    root = tree.splits()[0]
    print(f"\n{criterion}, K={n_classes}: gap {root.gap} > 2ε = {2 * root.epsilon} at m = {root.m}")
    assert (root.feature, root.reason) == (1, "confident")
    assert root.category in ("a", "b")


@pytest.mark.parametrize("criterion", SCALES)
def test_numbers_that_are_categories(criterion):
    # The reference has no declared categories: it is given the numbers as text.
    rng = Random(4)
    params = {"criterion": criterion, "c": 0.01, "grace_period": 40, "n_bins": 16}
    tree = sapwood.ConfidenceTreeClassifier(**params, categorical_features=["code"])
    reference = ReferenceTree(**params)
    for _ in range(800):
        code, other = rng.randrange(7), rng.random()
        y = code in (2, 5) if rng.random() < 0.9 else rng.random() < 0.5
        tree.learn_one({"code": code, "other": other}, y)
        reference.learn({"code": str(code), "other": other}, y)
    assert tree.n_leaves_ == reference.n_leaves > 1
    for a, b in zip(tree.splits(), reference.splits, strict=True):
        assert (a.feature, a.threshold, a.missing_side) == (b.feature, b.threshold, b.missing_side)
        assert (a.m, a.t, a.gap, a.epsilon, a.reason) == (b.m, b.t, b.gap, b.epsilon, b.reason)
        assert a.category is None or str(int(a.category)) == b.category


def test_the_same_pairs_are_refused():
    for bound in BOUNDS:
        for criterion in SCALES:
            if (bound, criterion) in UNDEFINED:
                with pytest.raises(ValueError, match="not defined"):
                    ReferenceTree(criterion, bound)
                tree = sapwood.ConfidenceTreeClassifier(criterion, bound)
                with pytest.raises(ValueError, match="defined"):
                    tree.learn_one({"x": 1.0}, 0)
