"""Every bad input is refused with a sentence that says what is wrong, and leaves the model as it
was: its bytes are the same before and after, and one that knew nothing still knows nothing."""

import decimal
import fractions
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sapwood
from sapwood import ConfidenceTreeClassifier
from sapwood._params import PARAMETERS
from sapwood.persist import to_bytes

INF, NAN = math.inf, math.nan
X = np.arange(12.0).reshape(4, 3)
Y = [0, 1, 0, 1]
ROW = {0: 1.0, 1: 2.0, 2: 3.0}


def with_value(value, dtype=float):
    bad = X.astype(dtype)
    bad[2, 1] = value
    return bad


class Sparse:
    nnz = 3

    def toarray(self):
        return X


def in_column(value):
    """A table whose middle column holds the value once."""
    return [[1.0, 2.0, 3.0], [1.0, value, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]


# What X may not be: whatever reads a table refuses it, with these words.
BAD_TABLES = {
    "None": (None, ValueError, "Expected 2D array, got scalar"),
    "scalar": (3.0, ValueError, "Expected 2D array, got scalar"),
    "text": ("abcd", ValueError, "Expected 2D array, got scalar"),
    "1-D": (np.arange(4.0), ValueError, "Expected 2D array, got 1D array instead"),
    "1-D list": ([1.0, 2.0, 3.0, 4.0], ValueError, "Reshape your data"),
    "a column of pandas": (pd.Series(np.arange(4.0)), ValueError, "got 1D array"),
    "list of dicts": ([{"a": 1}] * 4, ValueError, "got 1D array"),
    "3-D": (np.zeros((4, 3, 2)), ValueError, "Found array with dim 3"),
    "ragged": ([[1.0], [1.0, 2.0], [1.0], [1.0]], ValueError, "inhomogeneous"),
    "complex": (X + 0j, ValueError, "Complex data not supported"),
    "months": (X.astype("timedelta64[M]"), TypeError, "a duration in units of 'M' is no number"),
    "a far date": (X.astype("datetime64[Y]") + 2**50, ValueError, "too far away to be counted"),
    "structured": (np.zeros((4, 3), dtype=[("a", "f8")]), TypeError, "not supported"),
    "bytes": (X.astype("S"), TypeError, "Column 0 holds a bytes in row 0"),
    "sparse": (Sparse(), TypeError, "Sparse data was passed"),
    "mixed column": (in_column("two"), TypeError, "Column 1 mixes numbers and text (row 1)"),
    "an object": (in_column(object()), TypeError, "Column 1 holds a object in row 1"),
    "a month": (in_column(np.timedelta64(1, "M")), TypeError, "Column 1: a duration in units of"),
    "a fraction": (in_column(fractions.Fraction(1, 3)), TypeError, "holds a Fraction in row 1"),
    "a complex number": (np.array(in_column(1j), object), TypeError, "holds a complex in row 1"),
    "a number beyond all floats": (in_column(10**400), ValueError, "Column 1 holds too large"),
    "lazy frame": (pl.LazyFrame({"a": [1.0] * 4}), TypeError, "collect()"),
    "pandas, names of two types": (
        pd.DataFrame(X, columns=["a", 1, "c"]),
        TypeError,
        "only supported if all input features have string names",
    ),
    "pandas, names appear twice": (
        pd.DataFrame(X, columns=["a", "b", "a"]),
        ValueError,
        "must be unique",
    ),
    "pandas, tuples as names": (
        pd.DataFrame(X, columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("a", 3)])),
        TypeError,
        "A column name must be text or a whole number; got ('a', 1)",
    ),
    "pandas, floats as names": (
        pd.DataFrame(X, columns=[0.5, 1.5, 2.5]),
        TypeError,
        "A column name must be text or a whole number; got 0.5",
    ),
    "pandas, periods": (
        pd.DataFrame({"d": pd.period_range("2020", periods=4)}),
        TypeError,
        "Column 'd' holds a Period",
    ),
    "pandas, mixed": (
        pd.DataFrame({"d": [1, "a", 2, "b"]}, dtype=object),
        TypeError,
        "Column 'd' mixes numbers and text (row 1)",
    ),
    "pandas, intervals": (
        pd.DataFrame({"d": pd.cut(range(4), 2)}),
        TypeError,
        "A category must be a number or text; got Interval",
    ),
    "pandas, mixed categories": (
        pd.DataFrame({"d": pd.Categorical([1, "a", 1, "a"])}),
        TypeError,
        "Column 'd' mixes numbers and text among its categories",
    ),
    "polars, lists": (pl.DataFrame({"d": [[1, 2]] * 4}), TypeError, "Column 'd' has dtype List"),
    "polars, structs": (pl.DataFrame({"d": [{"a": 1}] * 4}), TypeError, "has dtype Struct"),
    "arrow, lists": (pa.table({"d": [[1, 2]] * 4}), TypeError, "has Arrow type list"),
    "arrow, binary": (pa.table({"d": [b"a"] * 4}), TypeError, "has Arrow type binary"),
    "arrow, names appear twice": (
        pa.Table.from_arrays([pa.array(Y), pa.array(Y)], names=["a", "a"]),
        ValueError,
        "must be unique",
    ),
    "+inf": (with_value(INF), ValueError, "Input X contains infinity: column 1, row 2"),
    "-inf": (with_value(-INF), ValueError, "Input X contains infinity: column 1, row 2"),
    "inf in float32": (with_value(INF, "f4"), ValueError, "infinity: column 1, row 2"),
    "inf in float16": (with_value(INF, "f2"), ValueError, "infinity: column 1, row 2"),
    "inf in Fortran order": (np.asfortranarray(with_value(INF)), ValueError, "column 1, row 2"),
    "too large for a double": (
        with_value(np.longdouble("1e400"), np.longdouble),
        ValueError,
        "infinity: column 1, row 2",
    ),
    "inf among objects": (with_value(INF, object), ValueError, "infinity: column 1, row 2"),
    "inf in pandas": (pd.DataFrame(with_value(INF)), ValueError, "infinity: column 1, row 2"),
    "inf in pandas, named": (
        pd.DataFrame({"p": [1.0, INF, 2.0, 3.0], "q": list("abcd")}),
        ValueError,
        "infinity: column 'p', row 1",
    ),
    "inf in polars": (
        pl.DataFrame({"p": [1.0, INF, 2.0, 3.0]}),
        ValueError,
        "infinity: column 'p', row 1",
    ),
    "inf in arrow": (pa.table({"p": [1.0, -INF, 2.0, 3.0]}), ValueError, "column 'p', row 1"),
}

BAD_LABELS = {
    "None": (None, ValueError, "requires y to be passed, but the target y is None"),
    "too short": ([0, 1, 0], ValueError, "inconsistent numbers of samples: [4, 3]"),
    "too long": ([0, 1, 0, 1, 0], ValueError, "inconsistent numbers of samples: [4, 5]"),
    "scalar": (1, ValueError, "y should be a 1d array, got an array of shape ()"),
    "text": ("abcd", ValueError, "y should be a 1d array"),
    "2-D": (
        np.zeros((4, 2), int),
        ValueError,
        "y should be a 1d array, got an array of shape (4, 2)",
    ),
    "NaN": ([0.0, 1.0, NAN, 1.0], ValueError, "Input y contains NaN"),
    "inf": ([0.0, 1.0, INF, 1.0], ValueError, "Input y contains infinity"),
    "fractions": ([0.0, 1.0, 0.5, 1.0], ValueError, "Unknown label type: continuous"),
    "None inside": ([0, 1, None, 1], ValueError, "Input y contains NaN or None (row 2)"),
    "NaN among text": (["a", NAN, "b", "a"], ValueError, "NaN or None (row 1)"),
    "None among text": (["a", None, "b", "a"], ValueError, "NaN or None (row 1)"),
    "NaN among objects": (np.array([0, 1, NAN, 1], object), ValueError, "NaN or None (row 2)"),
    "NumPy NaN among objects": (
        np.array([0, 1, np.float32("nan"), 1], object),
        ValueError,
        "NaN or None (row 2)",
    ),
    "fraction among objects": (np.array([0, 1, 0.5, 1], object), ValueError, "continuous"),
    "inf among objects": (np.array([0, 1, INF, 1], object), ValueError, "contains infinity"),
    "masked": (np.ma.masked_array(Y, [0, 0, 1, 0]), ValueError, "NaN or None (row 2)"),
    "pandas NA": (pd.array([0, 1, None, 1], dtype="Int64"), ValueError, "contains NaN"),
    "pandas NA text": (pd.Series(["a", None, "b", "a"], dtype="string"), ValueError, "(row 1)"),
    "polars null": (pl.Series([0, 1, None, 1]), ValueError, "contains NaN"),
    "polars null text": (pl.Series(["a", None, "b", "a"]), ValueError, "NaN or None (row 1)"),
    "arrow null": (pa.array([0, 1, None, 1]), ValueError, "contains NaN"),
    "mixed": ([0, "a", 1, "b"], TypeError, "y mixes numbers and text"),
    "mixed objects": (np.array([0, "a", 1, "b"], object), TypeError, "y mixes numbers and text"),
    "complex": (np.array([1j] * 4), ValueError, "Complex data not supported in y"),
    "dates": (np.array(["2020"] * 4, "datetime64[Y]"), TypeError, "y has dtype datetime64"),
    "objects": ([object()] * 4, TypeError, "y holds a object in row 0"),
    "lists": (np.array([[1], [2], None, [3]], object), TypeError, "y holds a list in row 0"),
    "bytes": ([b"a"] * 4, TypeError, "y holds a bytes in row 0"),
    "too large": (np.array([0, 1, 2**63, 1], "u8"), ValueError, "label does not fit in 64 bits"),
    "far too large": ([0, 1, 2**80, 1], ValueError, "A class label does not fit in 64 bits"),
    "half a character": (["a", "b", "\ud800", "a"], ValueError, "half of a surrogate pair"),
}

BAD_WEIGHTS = {
    "too short": ([1, 1, 1], ValueError, "sample_weight.shape == (3,), expected (4,)!"),
    "too long": ([1] * 5, ValueError, "sample_weight.shape == (5,), expected (4,)!"),
    "2-D": (np.ones((4, 1)), ValueError, "Sample weights must be 1D array or scalar"),
    "negative": ([1, 1, -1, 1], ValueError, "The weight of row 2 is negative (-1"),
    "NaN": ([1, 1, NAN, 1], ValueError, "The weight of row 2 is NaN"),
    "inf": ([1, 1, INF, 1], ValueError, "The weight of row 2 is more than 2147483647"),
    "-inf": ([1, 1, -INF, 1], ValueError, "The weight of row 2 is negative"),
    "huge": ([1, 1, 1e12, 1], ValueError, "The weight of row 2 is more than 2147483647"),
    "text": (["a"] * 4, TypeError, "sample_weight must be numbers"),
    "text of numbers": (["1"] * 4, TypeError, "sample_weight must be numbers"),
    "objects": ([object()] * 4, TypeError, "sample_weight must be numbers"),
    "None inside": ([1, 1, None, 1], ValueError, "The weight of row 2 is NaN"),
    "complex": (np.ones(4) * 1j, TypeError, "sample_weight must be numbers"),
    "dates": (np.array(["2020"] * 4, "datetime64[Y]"), TypeError, "sample_weight must be numbers"),
    "negative for all": (-1.0, ValueError, "is negative"),
}

BAD_ROWS = {
    "None": (None, TypeError, "A row must be a mapping from names to values; got NoneType"),
    "number": (3, TypeError, "A row must be a mapping"),
    "list": ([1.0, 2.0], TypeError, "A row must be a mapping from names to values; got list"),
    "pairs": ([("a", 1.0)], TypeError, "A row must be a mapping"),
    "array": (X[0], TypeError, "A row must be a mapping from names to values; got ndarray"),
    "text": ("", TypeError, "A row must be a mapping from names to values; got str"),
    "frame": (pd.DataFrame({"a": [1]}), TypeError, "is a Series"),
    "inf": ({0: 1.0, 1: INF}, ValueError, "The value of 1 is infinite"),
    "-inf": ({0: -INF}, ValueError, "The value of 0 is infinite"),
    "NumPy inf": ({0: np.float32("inf")}, ValueError, "The value of 0 is infinite"),
    "Decimal inf": ({0: decimal.Decimal("inf")}, ValueError, "The value of 0 is infinite"),
    "signaling NaN": ({0: decimal.Decimal("sNaN")}, ValueError, "signaling NaN"),
    "beyond all floats": ({0: 10**400}, ValueError, "The value of 0 is too large"),
    "list inside": ({0: [1.0]}, TypeError, "The value of 0 is a list"),
    "dict inside": ({0: {}}, TypeError, "The value of 0 is a dict"),
    "array inside": ({0: X[0]}, TypeError, "The value of 0 is a ndarray"),
    "bytes": ({0: b"a"}, TypeError, "The value of 0 is a bytes"),
    "complex": ({0: 1j}, TypeError, "The value of 0 is a complex"),
    "month": ({0: np.timedelta64(1, "M")}, TypeError, "The value of 0 is a duration in units"),
    "fraction": ({0: fractions.Fraction(1, 3)}, TypeError, "The value of 0 is a Fraction"),
    "object": ({0: object()}, TypeError, "The value of 0 is a object"),
    "half a character": ({"t": "\ud800"}, ValueError, "half of a surrogate pair"),
    "half a name": ({"\ud800": 1.0}, ValueError, "half of a surrogate pair"),
    "a name of None": ({None: 1.0}, TypeError, "A column name must be a number or text"),
    "a name of a fraction": ({1.5: 1.0}, TypeError, "A column name must be text or a whole number"),
    "a name of NaN": ({NAN: 1.0}, TypeError, "A column name must be text or a whole number"),
    "a name of a tuple": ({(1, 2): 1.0}, TypeError, "A column name must be a number or text"),
    "a name of bytes": ({b"a": 1.0}, TypeError, "A column name must be a number or text"),
    "a name too large": ({2**70: 1.0}, ValueError, "A column name does not fit in 64 bits"),
}

BAD_LABEL = {
    "None": (None, TypeError, "A class label must be a number or text; got NoneType"),
    "NaN": (NAN, ValueError, "class labels are whole numbers"),
    "inf": (INF, ValueError, "class labels are whole numbers"),
    "fraction": (0.5, ValueError, "class labels are whole numbers"),
    "pandas NA": (pd.NA, TypeError, "A class label must be a number or text; got NAType"),
    "list": ([1], TypeError, "A class label must be a number or text; got list"),
    "bytes": (b"a", TypeError, "A class label must be a number or text; got bytes"),
    "complex": (1j, TypeError, "A class label must be a number or text; got complex"),
    "date": (np.datetime64("2020"), TypeError, "A class label must be a number or text"),
    "too large": (2**63, ValueError, "A class label does not fit in 64 bits"),
    "half a character": ("\ud800", ValueError, "half of a surrogate pair"),
}

BAD_WEIGHT = {
    "negative": (-1, ValueError, "The weight is negative"),
    "-inf": (-INF, ValueError, "The weight is negative"),
    "NaN": (NAN, ValueError, "The weight is NaN"),
    "inf": (INF, ValueError, "The weight is more than 2147483647"),
    "huge": (1e12, ValueError, "The weight is more than 2147483647"),
    "text": ("a", TypeError, "learn_one()"),
    "None": (None, TypeError, "learn_one()"),
    "list": ([1.0], TypeError, "learn_one()"),
}


def fitted():
    """A model with unnamed columns and declared classes, and one split."""
    rng = np.random.default_rng(1)
    rows = rng.random((200, 3))
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=20)
    tree.partial_fit(rows, (rows[:, 0] > 0.5).astype(int), classes=[0, 1])
    assert tree.n_leaves_ > 1
    return tree


def named():
    """A model with a numeric and a text column, and classes that are text."""
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=20)
    frame = pd.DataFrame({"num": np.arange(200.0), "text": ["a", "b"] * 100})
    return tree.partial_fit(frame, ["even", "odd"] * 100)


def assert_refused(call, tree, error, words):
    """The call raises as told, and the model is what it was."""
    before, state, params = to_bytes(tree), tree._model, tree.get_params()
    with pytest.raises(error) as caught:
        call(tree)
    assert words in str(caught.value)
    assert isinstance(caught.value, (ValueError, TypeError))
    assert to_bytes(tree) == before
    assert tree._model is state
    assert tree.get_params() == params
    if state is None:
        assert tree.predict_one(ROW) is None
        assert tree.t_ == 0
        with pytest.raises(sapwood.NotFittedError):
            tree.predict(X)
        tree.set_params(grace_period=7).fit(X, Y)  # parameters still act: nothing has begun


def has_other_names(bad):
    frames = (pd.DataFrame, pl.DataFrame, pa.Table)
    return isinstance(bad, frames) and list(bad.columns) != [0, 1, 2]


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(case):
    bad, error, words = BAD_TABLES[case]
    for learn in (
        lambda tree: tree.fit(bad, Y),
        lambda tree: tree.partial_fit(bad, Y),
        lambda tree: tree.partial_fit(bad, Y, classes=[0, 1]),
    ):
        assert_refused(learn, ConfidenceTreeClassifier(), error, words)
    assert_refused(lambda tree: tree.fit(bad, Y), fitted(), error, words)
    if "names of two types" not in case:
        for tree in (ConfidenceTreeClassifier(), fitted()):
            assert_refused(lambda tree: tree.learn_many(bad, Y), tree, error, words)
        assert_refused(lambda tree: tree.predict_many(bad), fitted(), error, words)
        assert_refused(lambda tree: tree.predict_proba_many(bad), fitted(), error, words)
    if not has_other_names(bad):  # which would be refused first
        for call in (
            lambda tree: tree.partial_fit(bad, Y),
            lambda tree: tree.predict(bad),
            lambda tree: tree.predict_proba(bad),
            lambda tree: tree.apply(bad),
            lambda tree: tree.score(bad, Y),
        ):
            assert_refused(call, fitted(), error, words)
    if case != "list of dicts":  # which evaluate takes: rows by name
        with pytest.raises(error) as caught:
            sapwood.evaluate((bad, Y), ConfidenceTreeClassifier())
        assert words in str(caught.value)


@pytest.mark.parametrize("case", BAD_LABELS)
def test_bad_labels(case):
    bad, error, words = BAD_LABELS[case]
    for learn in (
        lambda tree: tree.fit(X, bad),
        lambda tree: tree.partial_fit(X, bad),
        lambda tree: tree.learn_many(X, bad),
    ):
        assert_refused(learn, ConfidenceTreeClassifier(), error, words)
    assert_refused(lambda tree: tree.fit(X, bad), fitted(), error, words)
    if "half" not in case:  # text does not go with the classes of this model
        assert_refused(lambda tree: tree.learn_many(X, bad), fitted(), error, words)
    with pytest.raises(error) as caught:
        sapwood.evaluate((X, bad), ConfidenceTreeClassifier())
    assert words in str(caught.value)


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights(case):
    bad, error, words = BAD_WEIGHTS[case]
    for learn in (
        lambda tree: tree.fit(X, Y, sample_weight=bad),
        lambda tree: tree.partial_fit(X, Y, sample_weight=bad),
        lambda tree: tree.learn_many(X, Y, w=bad),
    ):
        for tree in (ConfidenceTreeClassifier(), fitted()):
            assert_refused(learn, tree, error, words)


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows(case):
    bad, error, words = BAD_ROWS[case]
    for tree in (ConfidenceTreeClassifier(), fitted()):
        assert_refused(lambda tree: tree.learn_one(bad, 0), tree, error, words)
    for look in ("predict_one", "predict_proba_one", "explain_one"):
        assert_refused(lambda tree, look=look: getattr(tree, look)(bad), fitted(), error, words)


@pytest.mark.parametrize("case", BAD_LABEL)
def test_bad_label_of_one_row(case):
    bad, error, words = BAD_LABEL[case]
    for tree in (ConfidenceTreeClassifier(), fitted(), named()):
        assert_refused(lambda tree: tree.learn_one(ROW, bad), tree, error, words)


@pytest.mark.parametrize("case", BAD_WEIGHT)
def test_bad_weight_of_one_row(case):
    bad, error, words = BAD_WEIGHT[case]
    for tree in (ConfidenceTreeClassifier(), fitted()):
        assert_refused(lambda tree: tree.learn_one(ROW, 0, bad), tree, error, words)


# --- columns --------------------------------------------------------------------------------------

FRAME = pd.DataFrame({"num": [1.0, 2.0, 3.0, 4.0], "text": list("abab")})
TEXTS = ["even", "odd", "even", "odd"]
BAD_COLUMNS = {
    "too few": (FRAME[["num"]], ValueError, "yet now missing:\n- text"),
    "too many": (FRAME.assign(more=1.0), ValueError, "unseen at fit time:\n- more"),
    "renamed": (
        FRAME.rename(columns={"num": "number"}),
        ValueError,
        "unseen at fit time:\n- number\nFeature names seen at fit time, yet now missing:\n- num",
    ),
    "reordered": (
        FRAME[["text", "num"]],
        ValueError,
        "must be in the same order as they were in fit",
    ),
    "reordered polars": (
        pl.DataFrame({"text": list("abab"), "num": [1.0] * 4}),
        ValueError,
        "must be in the same order",
    ),
    "renamed arrow": (
        pa.table({"n": [1.0] * 4, "text": list("abab")}),
        ValueError,
        "The feature names should match those that were passed during fit",
    ),
    "no rows": (FRAME[:0], ValueError, "Found array with 0 sample(s) (shape=(0, 2))"),
    "names of two types": (
        FRAME.rename(columns={"num": 0}),
        TypeError,
        "only supported if all input features have string names",
    ),
    "number becomes text": (
        FRAME.assign(num=list("abcd")),
        TypeError,
        "Column 'num' is numeric, but now holds text. Pass numbers, booleans or dates, and NaN or "
        "None for missing. The value of row 0 is 'a'.",
    ),
    "number becomes category": (
        FRAME.assign(num=pd.Categorical([1, 2, 1, 2])),
        TypeError,
        "Column 'num' is numeric, but now holds categories",
    ),
    "text becomes number": (
        FRAME.assign(text=1.5),
        TypeError,
        "Column 'text' holds text, such as 'a', but now numbers. Pass text, and NaN or None "
        "for missing. The value of row 0 is 1.5.",
    ),
    "text becomes bool": (
        FRAME.assign(text=True),
        TypeError,
        "Column 'text' holds text, such as 'a', but now numbers",
    ),
    "text becomes infinite": (
        FRAME.assign(text=INF),
        ValueError,
        "Input X contains infinity in a categorical column",
    ),
}


@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_bad_columns(case):
    bad, error, words = BAD_COLUMNS[case]
    for call in (
        lambda tree: tree.partial_fit(bad, TEXTS[: len(bad)]),
        lambda tree: tree.predict(bad),
        lambda tree: tree.predict_proba(bad),
        lambda tree: tree.apply(bad),
        lambda tree: tree.score(bad, TEXTS[: len(bad)]),
    ):
        assert_refused(call, named(), error, words)
    if "becomes" in case:
        for call in (lambda tree: tree.learn_many(bad, TEXTS), lambda tree: tree.predict_many(bad)):
            assert_refused(call, named(), error, words)


@pytest.mark.parametrize("shape", [(4, 2), (4, 4), (4, 0)])
def test_wrong_number_of_columns(shape):
    bad = np.zeros(shape)
    words = "0 feature(s)" if shape[1] == 0 else f"X has {shape[1]} features, but"
    for call in (lambda tree: tree.partial_fit(bad, Y), lambda tree: tree.predict(bad)):
        assert_refused(call, fitted(), ValueError, words)


def test_a_column_of_one_row_may_not_change_its_kind():
    for row, words in (
        ({"num": "a"}, "Column 'num' is numeric, but now holds text"),
        ({"text": 1.0}, "Column 'text' holds text, such as 'a', but now numbers"),
        ({"new": 1.0, "text": True}, "Column 'text' holds text, such as 'a', but now numbers"),
    ):
        assert_refused(lambda tree, row=row: tree.learn_one(row, "odd"), named(), TypeError, words)
        assert_refused(lambda tree, row=row: tree.predict_one(row), named(), TypeError, words)


def test_numbers_declared_categorical_may_not_become_text():
    tree = ConfidenceTreeClassifier(categorical_features=["k"])
    tree.learn_one({"k": 3}, 0)
    words = "Column 'k' holds numbers as categories, such as 3, but now text. Pass numbers, and NaN"
    assert_refused(lambda tree: tree.learn_one({"k": "a"}, 0), tree, TypeError, words)
    assert_refused(
        lambda tree: tree.learn_many(pd.DataFrame({"k": ["a"]}), [0]), tree, TypeError, words
    )


# --- empty batches --------------------------------------------------------------------------------


@pytest.mark.parametrize("empty", [np.zeros((0, 3)), np.zeros((0, 0)), pd.DataFrame({"a": []})])
def test_no_rows(empty):
    words = "Found array with 0 sample(s)"
    for call in (
        lambda tree: tree.fit(empty, []),
        lambda tree: tree.partial_fit(empty, []),
        lambda tree: tree.partial_fit(empty, [], classes=[0, 1]),
    ):
        assert_refused(call, ConfidenceTreeClassifier(), ValueError, words)
    with pytest.raises(ValueError, match="has no rows: there is nothing to evaluate"):
        sapwood.evaluate((empty, []), ConfidenceTreeClassifier())
    for call in (lambda tree: tree.fit(empty, []), lambda tree: tree.predict(empty)):
        assert_refused(call, fitted(), ValueError, words)
    for tree in (ConfidenceTreeClassifier(), fitted()):
        before = to_bytes(tree)
        tree.learn_many(empty, [])  # river: nothing comes, nothing changes
        assert len(tree.predict_many(empty)) == 0
        assert len(tree.predict_proba_many(empty)) == 0
        assert to_bytes(tree) == before


def test_no_columns():
    for n in (1, 40):
        empty = np.zeros((n, 0))
        words = f"Found array with 0 feature(s) (shape=({n}, 0))"
        for call in (
            lambda tree, e=empty: tree.fit(e, np.arange(len(e)) % 2),
            lambda tree, e=empty: tree.partial_fit(e, np.arange(len(e)) % 2),
        ):
            assert_refused(call, ConfidenceTreeClassifier(), ValueError, words)


# --- classes --------------------------------------------------------------------------------------


def test_unknown_classes():
    words = "y contains the label 7, which is not among the classes [0, 1]"
    assert_refused(lambda tree: tree.partial_fit(X, [0, 1, 7, 1]), fitted(), ValueError, words)
    words = "y contains the label 'a', which is not among"
    assert_refused(lambda tree: tree.partial_fit(X, list("abab")), fitted(), ValueError, words)
    words = "y contains the label 1, which is not among the classes [0, 2]"
    assert_refused(
        lambda tree: tree.partial_fit(X, Y, classes=[0, 2]),
        ConfidenceTreeClassifier(),
        ValueError,
        words,
    )
    words = "is not the same as on last call to partial_fit"
    assert_refused(lambda t: t.partial_fit(X, Y, classes=[0, 1, 2]), fitted(), ValueError, words)


@pytest.mark.parametrize(
    ("classes", "error", "words"),
    [
        ([0, NAN], ValueError, "contains NaN"),
        ([0, None], ValueError, "NaN or None"),
        ([0, 0.5], ValueError, "continuous"),
        ([0, "a"], TypeError, "mixes numbers and text"),
        ([[0], [1, 2]], ValueError, "inhomogeneous"),
        ([object()], TypeError, "y holds a object"),
        (5, TypeError, "has no len()"),
        ([], ValueError, "not among the classes []"),
    ],
)
def test_bad_classes(classes, error, words):
    tree = ConfidenceTreeClassifier()
    assert_refused(lambda tree: tree.partial_fit(X, Y, classes=classes), tree, error, words)


def test_text_and_numbers_cannot_both_be_classes():
    frame = FRAME[["num"]]
    words = "class labels must be all numbers or all text"
    for call in (
        lambda tree: tree.partial_fit(FRAME, Y),
        lambda tree: tree.learn_many(frame, Y),
        lambda tree: tree.learn_one({"num": 1.0}, 1),
    ):
        assert_refused(call, named(), TypeError, words)
    assert_refused(lambda t: t.learn_one(ROW, "one"), fitted(), TypeError, words)
    assert_refused(lambda t: t.learn_many(X, list("abab")), fitted(), TypeError, words)


# --- scores, the clock, evaluate, files -----------------------------------------------------------


def test_bad_scores():
    for y, error, words in (
        ([0, 1], ValueError, "inconsistent numbers of samples: [4, 2]"),
        ([0], ValueError, "inconsistent numbers of samples: [4, 1]"),
        (None, ValueError, "target y is None"),
        ([0, None, 1, 1], ValueError, "NaN or None (row 1)"),
    ):
        assert_refused(lambda tree, y=y: tree.score(X, y), fitted(), error, words)
    words = "at least one non-zero"
    assert_refused(lambda tree: tree.score(X, Y, [0] * 4), fitted(), ValueError, words)


def test_fit_needs_a_weight_that_counts():
    words = "Sample weights must contain at least one non-zero number"
    for tree in (ConfidenceTreeClassifier(), fitted()):
        assert_refused(lambda tree: tree.fit(X, Y, sample_weight=0), tree, ValueError, words)


@pytest.mark.parametrize("n", [-1, 1.5, NAN, "1", None, True, 2**60, 10**400, np.float64(2)])
def test_bad_advance(n):
    for tree in (ConfidenceTreeClassifier(), fitted()):
        assert_refused(lambda tree: tree.advance(n), tree, ValueError, "n must be a whole number")


@pytest.mark.parametrize("every", [0, -1, 1.5, "10", None, True, NAN])
def test_bad_every(every):
    words = "every must be a whole number of at least 1"
    for tree in (ConfidenceTreeClassifier(), fitted()):
        call = lambda tree: sapwood.evaluate((X, Y), tree, every=every)  # noqa: E731
        assert_refused(call, tree, ValueError, words)


@pytest.mark.parametrize(
    ("stream", "error", "words"),
    [
        (None, TypeError, "A stream is a path, a pair (X, y)"),
        ({"X": X}, TypeError, "A stream is a path, a pair (X, y)"),
        (X, TypeError, "An array has no label column"),
        ([X, Y], ValueError, "row 1: a ndarray is no pair (x, y)"),
        ((X,), ValueError, "row 1: a ndarray is no pair (x, y)"),
        ((X, Y, Y), ValueError, "row 1: a ndarray is no pair (x, y)"),
        ("XY", ValueError, "The extension of 'XY' tells no format"),
    ],
)
def test_bad_streams(stream, error, words):
    assert_refused(lambda tree: sapwood.evaluate(stream, tree), fitted(), error, words)


@pytest.mark.parametrize("model", [None, "tree", ConfidenceTreeClassifier, object()])
def test_bad_models(model):
    with pytest.raises(TypeError, match="model must be a ConfidenceTreeClassifier"):
        sapwood.evaluate((X, Y), model)


def test_bad_paths(tmp_path):
    tree = fitted()
    with pytest.raises(FileNotFoundError):
        tree.save(tmp_path / "no such folder" / "tree.sapwood")
    with pytest.raises(FileNotFoundError):
        sapwood.load(tmp_path / "no such file")


# --- parameters -----------------------------------------------------------------------------------

NOT_WHOLE = [0, -1, 1.5, "3", NAN, True, 2**40, 10**400, [1], None]
NOT_POSITIVE = [0, -1.0, NAN, INF, -INF, "0.1", None, True, 10**400, 1j, [1.0], np.array([1.0])]
NOT_A_CHOICE = ["", "GINI", "none", 1, None, True, b"gini", ["gini"], NAN]
ABSURD = {
    "criterion": NOT_A_CHOICE,
    "bound": NOT_A_CHOICE,
    "c": NOT_POSITIVE,
    "delta": [0, 1, -0.1, 2, NAN, INF, "1/m", "0.1", None, True, [0.1]],
    "tie_threshold": [-0.1, NAN, INF, "0", None, True, 10**400],
    "grace_period": NOT_WHOLE,
    "leaf_prediction": [*NOT_A_CHOICE, "bayes"],
    "numeric_splits": NOT_A_CHOICE,
    "n_bins": [*NOT_WHOLE, 1, 2**30],
    "categorical_features": [
        3,
        "age",
        b"age",
        {"age": 1},
        [None],
        [1.5],
        [object()],
        [True, 1],
        [True, "age"],
        [[1, 2]],
        np.eye(2),
        iter([1]),
        True,
    ],
    "max_leaves": [v for v in NOT_WHOLE if v is not None],
    "max_depth": [v for v in NOT_WHOLE if v not in (0, None)],
    "max_bytes": [0, -1, 1.5, "1", NAN, True, 10**400, [1]],
    "compat": ["", "weka", 1, True, ["moa"]],
    "on_error": NOT_A_CHOICE,
    "columns": NOT_A_CHOICE,
    "n_jobs": [0, 1.5, "1", NAN, True, [1]],
}
CASES = [(name, i) for name, values in ABSURD.items() for i in range(len(values))]


def test_every_parameter_has_its_absurdities():
    assert list(ABSURD) == list(PARAMETERS)


@pytest.mark.parametrize(("name", "i"), CASES)
def test_absurd_parameters(name, i):
    value = ABSURD[name][i]
    tree = ConfidenceTreeClassifier(**{name: value})  # as scikit-learn wants it, it is no error yet
    for call in (
        lambda: tree.fit(X, Y),
        lambda: tree.partial_fit(X, Y),
        lambda: tree.learn_one(ROW, 0),
        lambda: tree.learn_many(X, Y),
        lambda: tree.advance(1),
        lambda: sapwood.evaluate((X, Y), tree),
    ):
        with pytest.raises(ValueError, match=rf"{name} must be .*; got "):
            call()
        assert tree._model is None


def test_a_learned_model_outlives_absurd_parameters():
    tree = fitted()
    before = tree.predict_proba(X).tolist()
    tree.set_params(c=-1)
    with pytest.raises(ValueError, match="c must be a positive number"):
        tree.fit(X, Y)
    with pytest.raises(ValueError, match="c must be a positive number"):
        to_bytes(tree)  # what could not be loaded is not saved
    assert tree.predict_proba(X).tolist() == before
    tree.set_params(c=0.01).partial_fit(X, Y)


COMBINATIONS = {
    "theorem of error": ({"bound": "theorem", "criterion": "error"}, "error"),
    "mcdiarmid of error": ({"bound": "mcdiarmid", "criterion": "error"}, "mcdiarmid"),
    "mcdiarmid of kearns-mansour": (
        {"bound": "mcdiarmid", "criterion": "kearns-mansour"},
        "mcdiarmid",
    ),
    "exact with max_bytes": (
        {"numeric_splits": "exact", "max_bytes": 10**6},
        "max_bytes cannot be kept with numeric_splits='exact'",
    ),
    "moa with another bound": (
        {"compat": "moa", "numeric_splits": "gaussian"},
        "compat='moa' needs bound='hoeffding'",
    ),
    "moa with histograms": (
        {"compat": "moa", "bound": "hoeffding"},
        "compat='moa' needs numeric_splits='gaussian'",
    ),
    "moa with another criterion": (
        {"compat": "moa", "bound": "hoeffding", "numeric_splits": "gaussian", "criterion": "error"},
        "compat='moa' needs criterion='entropy' or 'gini'",
    ),
    "moa with max_bytes": (
        {
            "compat": "moa",
            "bound": "hoeffding",
            "numeric_splits": "gaussian",
            "criterion": "gini",
            "max_bytes": 10**6,
        },
        "compat='moa' has no max_bytes",
    ),
    "max_bytes far too small": ({"max_bytes": 10}, "max_bytes=10 is too small"),
}


@pytest.mark.parametrize("case", COMBINATIONS)
def test_parameters_that_do_not_go_together(case):
    params, words = COMBINATIONS[case]
    for learn in (
        lambda tree: tree.fit(X, Y),
        lambda tree: tree.partial_fit(X, Y),
        lambda tree: tree.learn_one(ROW, 0),
        lambda tree: tree.learn_many(X, Y),
    ):
        tree = ConfidenceTreeClassifier(**params)
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            learn(tree)
        assert words in str(caught.value)
        assert tree._model is None
        tree.set_params(**{name: PARAMETERS[name].default for name in params}).fit(X, Y)


def test_a_model_that_is_full_refuses_new_names_and_keeps_what_it_has():
    tree = ConfidenceTreeClassifier(max_bytes=20_000)
    tree.learn_many(X, Y)
    words = "max_bytes=20000 is too small"
    many = pd.DataFrame(np.zeros((2, 500)), columns=[f"column {j}" for j in range(500)])
    assert_refused(lambda tree: tree.learn_many(many, [0, 1]), tree, ValueError, words)
    row = dict.fromkeys(many.columns, 1.0)
    assert_refused(lambda tree: tree.learn_one(row, 0), tree, ValueError, words)
    labels = [f"label {i}" for i in range(1000)]
    fresh = ConfidenceTreeClassifier(max_bytes=20_000)
    for call in (
        lambda tree: tree.partial_fit(np.zeros((1, 3)), labels[:1], classes=labels),
        lambda tree: tree.partial_fit(np.zeros((1000, 3)), labels),
        lambda tree: tree.learn_many(np.zeros((1000, 3)), labels),
    ):
        with pytest.raises(ValueError, match="max_bytes=20000 is too small"):
            call(fresh)
        assert fresh._model is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([3], "categorical_features names column 3; there are 3"),
        ([-4], "categorical_features names column -4; there are 3"),
        (["b"], "categorical_features names 'b', which is not a column"),
        ([True, False], "categorical_features is a mask, but its length"),
        ([True] * 4, "categorical_features is a mask, but its length"),
    ],
)
def test_categorical_features_that_are_not_there(given, words):
    for call in (
        lambda tree: tree.fit(X, Y),
        lambda tree: tree.partial_fit(X, Y),
        lambda tree: sapwood.evaluate((X, Y), tree),
    ):
        tree = ConfidenceTreeClassifier(categorical_features=given)
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            call(tree)
        assert words in str(caught.value)
        assert tree._model is None


def test_a_mask_needs_a_table():
    tree = ConfidenceTreeClassifier(categorical_features=[True, False, False])
    with pytest.raises(ValueError, match="categorical_features is a mask"):
        tree.learn_one(ROW, 0)
    assert tree._model is None
    to_bytes(tree)


def test_a_preset_is_checked_as_any_parameters():
    with pytest.raises(TypeError, match="unexpected keyword"):
        ConfidenceTreeClassifier.h_tree(depth=3)
    tree = ConfidenceTreeClassifier.moa(max_bytes=10**6)
    with pytest.raises(ValueError, match="has no max_bytes"):
        tree.fit(X, Y)
