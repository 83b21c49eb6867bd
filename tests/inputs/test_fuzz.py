"""Whatever object is thrown at the tree, only ValueError or TypeError comes out, and then the model
is what it was; if nothing comes out, the model still works."""

import datetime
import decimal
import fractions
import math
import uuid
import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sapwood
from sapwood import ConfidenceTreeClassifier
from sapwood._params import PARAMETERS
from sapwood.persist import from_bytes, to_bytes

MORE = settings(max_examples=2 * settings().max_examples)
ANY_TEXT = st.text(st.characters(codec=None), max_size=4)  # half characters too
SENSIBLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-2, 2),
    st.just(math.nan),
    st.sampled_from(["a", "b", "red"]),
)
STRANGE = st.one_of(
    st.integers(),
    st.sampled_from([2**63, -(2**63) - 1, 2**64, 10**400, -(10**400), 2**53 + 1]),
    st.floats(),
    ANY_TEXT,
    st.binary(max_size=3),
    st.complex_numbers(),
    st.decimals(),
    st.builds(decimal.Decimal, st.sampled_from(["sNaN", "1e999", "-0"])),
    st.fractions(),
    st.dates(),
    st.timedeltas(),
    st.sampled_from(
        [pd.NA, pd.NaT, Ellipsis, NotImplemented, object(), int, len, uuid.UUID(int=3)]
    ),
    st.sampled_from([pd.Timestamp(0), pd.Timedelta(1), pd.Period("2020", "Y"), pd.Interval(0, 1)]),
    hnp.scalar_dtypes().flatmap(lambda dtype: hnp.from_dtype(dtype)),
    st.sampled_from([np.longdouble(1.5), np.void(b"ab"), np.array(1.0), np.zeros((2, 2))]),
    st.builds(datetime.datetime.fromtimestamp, st.integers(0, 10**6)),
)
SCALAR = st.one_of(SENSIBLE, SENSIBLE, STRANGE)
NESTED = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=2), st.integers(-1, 3)), inner, max_size=3),
        st.sets(st.integers(0, 5), max_size=3),
        st.just(range(3)),
        st.lists(inner, max_size=3).map(iter),
    ),
    max_leaves=12,
)
KEY = st.one_of(
    st.sampled_from(["num", "text", "new", 0, 1, 2]),
    st.sampled_from([None, 1.5, math.nan, True, b"k", (1, 2), 2**70, "\ud800", frozenset()]),
)
ROW = st.one_of(st.dictionaries(KEY, SCALAR, max_size=4), NESTED)
LABEL = st.one_of(st.sampled_from(["yes", "no", "new"]), SCALAR, NESTED)


def is_quick(w):
    """A whole weight of two thousand million is as many copies of the row: right, but not quick."""
    if isinstance(w, np.ndarray):
        w = w.ravel().tolist()
    if isinstance(w, (list, tuple, set)):
        return all(is_quick(v) for v in w)
    if isinstance(w, (complex, np.complexfloating)):
        return True
    try:
        return not 100 < abs(float(w)) < 2**31
    except (TypeError, ValueError, OverflowError):
        return True


WEIGHT = st.one_of(SCALAR, NESTED).filter(is_quick)


@st.composite
def tables(draw):
    """Tables that are nearly right, and things that are no tables."""
    n = draw(st.integers(0, 4))
    if draw(st.booleans()):
        return draw(
            st.one_of(
                NESTED,
                hnp.arrays(
                    st.one_of(hnp.scalar_dtypes(), hnp.array_dtypes(max_size=2)),
                    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
                ),
                st.lists(st.lists(SCALAR, min_size=2, max_size=2), min_size=n, max_size=n),
            )
        )
    width = draw(st.integers(0, 3))
    names = draw(
        st.lists(
            st.one_of(st.sampled_from(["num", "text", 0, 1]), KEY), min_size=width, max_size=width
        )
    )
    cells = st.one_of(SENSIBLE, SCALAR)
    columns = [draw(st.lists(cells, min_size=n, max_size=n)) for _ in range(width)]
    kind = draw(st.sampled_from(["pandas", "polars", "arrow", "batch", "object"]))
    try:
        if kind == "pandas":
            frame = pd.DataFrame({i: pd.Series(c) for i, c in enumerate(columns)}, index=range(n))
            frame.columns = pd.Index(names, dtype=object)
            return frame
        texts = [str(name).encode("utf-8", "replace").decode() for name in names]
        # polars and Arrow themselves panic or crash on some other objects
        known = (bool, int, float, str, bytes, datetime.date, datetime.timedelta, list)
        plain = [[v if isinstance(v, known) else None for v in column] for column in columns]
        if kind == "polars":
            return pl.DataFrame([pl.Series(t, c) for t, c in zip(texts, plain, strict=True)])
        arrays = [pa.array(column, from_pandas=True) for column in plain]
        if kind == "arrow":
            return pa.Table.from_arrays(arrays, names=texts)
        if kind == "batch":
            return pa.RecordBatch.from_arrays(arrays, names=texts)
    except Exception:  # these libraries take less than we are given
        pass
    return np.array(columns, dtype=object).T


LABELS = st.one_of(
    st.lists(st.sampled_from(["yes", "no"]), max_size=4),
    st.lists(st.sampled_from([0, 1]), max_size=4),
    st.lists(LABEL, max_size=4),
    st.lists(SCALAR, max_size=4).map(lambda y: np.array(y, dtype=object)),
    hnp.arrays(hnp.scalar_dtypes(), st.integers(0, 4)),
    NESTED,
)
WEIGHTS = st.one_of(
    st.none(),
    st.lists(st.floats(-1, 3), max_size=4),
    st.lists(WEIGHT, max_size=4),
    WEIGHT,
).filter(lambda w: not isinstance(w, (bytes, bytearray)))


def models():
    new = ConfidenceTreeClassifier(grace_period=1, c=0.001)
    frame = pd.DataFrame({"num": np.arange(60.0), "text": ["a", "b", "c"] * 20})
    named = ConfidenceTreeClassifier(grace_period=5, c=0.001, leaf_prediction="adaptive")
    named.partial_fit(frame, ["yes", "no"] * 30)
    fixed = ConfidenceTreeClassifier(grace_period=5, c=0.001, max_bytes=10**5)
    fixed.partial_fit(np.arange(120.0).reshape(60, 2), [0, 1] * 30, classes=[0, 1])
    declared = ConfidenceTreeClassifier.moa(grace_period=5, categorical_features=[0, "text"])
    declared.learn_one({"num": 1.0, 0: 3, "text": 4}, "yes")
    return [new, named, fixed, declared]


MODELS = [to_bytes(tree) for tree in models()]
TREE = st.sampled_from(MODELS)


def throw(data, call, *, pure=False):
    """Make a call on the model; only our two errors may come out, and they change nothing."""
    tree = from_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(tree)
        except (ValueError, TypeError):
            pure = True
        if pure:
            assert to_bytes(tree) == data
        else:
            assert to_bytes(from_bytes(to_bytes(tree))) == to_bytes(tree)
        tree.predict_one({})
        if tree._model is not None and tree._model.classes:
            assert len(tree.predict_proba_many(pd.DataFrame(index=range(9)))) == 9
            assert len(tree.classes_) == len(set(tree.classes_.tolist()))
        assert len(tree.splits()) == tree.n_leaves_ - 1


@given(TREE, ROW, LABEL, WEIGHT)
@MORE
def test_learn_one(data, x, y, w):
    throw(data, lambda tree: tree.learn_one(x, y, w))
    throw(data, lambda tree: tree.learn_one(x, "yes"))
    throw(data, lambda tree: tree.learn_one({"num": 1.0}, y))


@given(TREE, ROW)
@MORE
def test_looks_at_one_row(data, x):
    for look in ("predict_one", "predict_proba_one", "explain_one"):
        throw(data, lambda tree, look=look: getattr(tree, look)(x), pure=True)


@given(TREE, tables(), LABELS, WEIGHTS)
@MORE
def test_learn_tables(data, X, y, w):
    throw(data, lambda tree: tree.learn_many(X, y, w))
    throw(data, lambda tree: tree.partial_fit(X, y, sample_weight=w))
    throw(data, lambda tree: tree.fit(X, y))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "warn", lambda *_, **__: None)
        throw(data, lambda tree: sapwood.evaluate((X, y), tree), pure=True)


@given(TREE, tables())
@MORE
def test_learn_tables_with_good_labels(data, X):
    try:
        n = len(X)
    except TypeError:
        n = 2
    for y in (["yes", "no"] * n, [0, 1] * n):
        throw(data, lambda tree, y=y: tree.partial_fit(X, y[:n]))
        throw(data, lambda tree, y=y: tree.learn_many(X, y[:n]))


@given(TREE, tables(), LABELS)
@MORE
def test_look_at_tables(data, X, y):
    for look in ("predict", "predict_proba", "apply", "predict_many", "predict_proba_many"):
        throw(data, lambda tree, look=look: getattr(tree, look)(X), pure=True)
    throw(data, lambda tree: tree.score(X, y), pure=True)


@given(TREE, LABELS, LABELS)
def test_classes(data, classes, y):
    X = np.zeros((4, 2))
    throw(data, lambda tree: tree.partial_fit(X, y, classes=classes))


@given(TREE, NESTED)
def test_numbers(data, n):
    throw(data, lambda tree: tree.advance(n))
    stream = (np.arange(8.0).reshape(4, 2), [0, 1, 0, 1])
    throw(data, lambda tree: sapwood.evaluate(stream, tree, every=n), pure=True)
    throw(data, lambda tree: sapwood.evaluate(n, tree), pure=True)


@given(st.sampled_from(list(PARAMETERS)), NESTED)
@MORE
def test_parameters(name, value):
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    for learn in (
        lambda tree: tree.fit(X, y),
        lambda tree: tree.learn_many(X, y),
        lambda tree: tree.learn_one({0: 1.0, 1: 2.0}, 1),
    ):
        tree = ConfidenceTreeClassifier(**{name: value})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                learn(tree)
            except (ValueError, TypeError):
                assert tree._model is None
            else:
                assert from_bytes(to_bytes(tree)).t_ == tree.t_


@given(st.binary(max_size=200))
def test_bytes_are_no_model(data):
    with pytest.raises(ValueError, match="Not a readable sapwood model"):
        from_bytes(data)


@given(NESTED)
def test_things_are_no_model(thing):
    with pytest.raises((ValueError, TypeError)):
        from_bytes(thing)


def test_fractions_are_no_numbers_of_ours():
    with pytest.raises(TypeError, match="is a Fraction"):
        ConfidenceTreeClassifier().learn_one({"a": fractions.Fraction(1, 2)}, 0)
