"""However the rows are held (NumPy, pandas, polars, Arrow, dicts), the same model comes out."""

import decimal
import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sapwood import ConfidenceTreeClassifier, _intake
from sapwood.persist import to_bytes

EAGER = {"c": 0.005, "grace_period": 20}
N = 600


def learned(X, y, **params):
    return ConfidenceTreeClassifier(**EAGER, **params).partial_fit(X, y)


def core(tree):
    """Bytes of the model without the constructor's parameters."""
    return tree._model.to_bytes("")


# --- numbers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 100, (N, 3)).astype(np.float64)
    y = ((X[:, 0] > 40) ^ (X[:, 1] > 70)).astype(np.int64)
    tree = learned(X, y)
    assert tree.n_leaves_ > 3
    return X, y, to_bytes(tree), tree.predict_proba(X)


DTYPES = [
    "f2",
    "f4",
    "f8",
    "longdouble",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    ">f2",
    ">f4",
    ">f8",
    ">i2",
    ">i4",
    ">i8",
    ">u2",
    ">u4",
    ">u8",
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_dtype_and_order(numbers, dtype, order):
    X, y, expected, probabilities = numbers
    given = X.astype(dtype, order=order)
    tree = learned(given, y)
    assert to_bytes(tree) == expected
    assert (tree.predict_proba(given) == probabilities).all()
    assert (tree.predict_proba_many(given) == probabilities).all()


def unaligned(X):
    held = bytearray(1 + X.shape[0] * 29)
    view = np.ndarray(X.shape, X.dtype, held, offset=1, strides=(29, 8))
    view[:] = X
    return view


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def strided(X):
    wide = np.full((2 * len(X), 3 * X.shape[1]), np.inf)
    wide[::2, ::3] = X
    return wide[::2, ::3]


class Arraylike:
    def __init__(self, X):
        self.X = X

    def __array__(self, dtype=None, copy=None):
        return np.array(self.X, dtype=dtype)


LAYOUTS = {
    "strided": strided,
    "negative strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda X: X.T.copy().T,
    "read-only": read_only,
    "unaligned": unaligned,
    "unaligned but contiguous": lambda X: np.frombuffer(
        b"\0" + X.tobytes(), np.float64, offset=1
    ).reshape(X.shape),
    "columns of a wider array": lambda X: np.hstack([X, X])[:, :3],
    "rows of a longer array": lambda X: np.vstack([X, X])[:N],
    "list of lists": lambda X: X.tolist(),
    "list of tuples": lambda X: [tuple(row) for row in X.tolist()],
    "list of arrays": list,
    "list of ints": lambda X: X.astype(int).tolist(),
    "object array": lambda X: X.astype(object),
    "object array of decimals": lambda X: np.array(
        [[decimal.Decimal(v) for v in row] for row in X.astype(int).tolist()], dtype=object
    ),
    "masked, nothing masked": lambda X: np.ma.masked_invalid(X),
    "array-like": Arraylike,
    "pandas, numbered columns": pd.DataFrame,
    "pandas, one dtype each": lambda X: pd.DataFrame(
        {0: X[:, 0].astype("i2"), 1: X[:, 1].astype("f4"), 2: X[:, 2].astype("u8")}
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout(numbers, layout):
    X, y, expected, probabilities = numbers
    given = LAYOUTS[layout](X)
    tree = learned(given, y)
    assert to_bytes(tree) == expected
    assert (tree.predict_proba(given) == probabilities).all()


def test_a_value_that_stands_in_every_row(numbers):
    _, y, _, _ = numbers
    given = np.broadcast_to(np.array([1.0, 2.0]), (N, 2))
    assert to_bytes(learned(given, y)) == to_bytes(learned(given.copy(), y))


@pytest.mark.parametrize(
    "given",
    [
        lambda X: X,
        lambda X: X.astype(np.uint8),
        lambda X: X.astype(object),
        lambda X: X.tolist(),
        pd.DataFrame,
        lambda X: pd.DataFrame(X, dtype="boolean"),
        lambda X: pd.DataFrame(X, dtype=object),
        lambda X: pd.DataFrame(
            {j: pd.Series(X[:, j], dtype=pd.ArrowDtype(pa.bool_())) for j in (0, 1)}
        ),
    ],
)
def test_booleans_are_zero_and_one(given):
    X = np.random.default_rng(1).random((N, 2)) < 0.5
    y = X[:, 0] ^ (np.arange(N) % 7 == 0)
    assert to_bytes(learned(given(X), y)) == to_bytes(learned(X.astype(float), y))


# --- numbers and text, with gaps ------------------------------------------------------------------

TYPES = {"num": float, "whole": int, "flag": bool, "text": str}


@pytest.fixture(scope="module")
def mixed():
    """Rows as dicts; the first has all its values, others have gaps."""
    rng = np.random.default_rng(8)
    rows, labels = [], []
    for i in range(N):
        row = {
            "num": float(rng.normal()),
            "whole": int(rng.integers(0, 9)),
            "flag": bool(rng.random() < 0.5),
            "text": str(rng.choice(["pear", "apple", "fig", "plum"], p=[0.1, 0.3, 0.3, 0.3])),
        }
        good = row["text"] == "fig" or (row["num"] > 0.3 and row["text"] == "plum")
        labels.append("good" if good else ("odd" if row["whole"] > 6 else "bad"))
        gaps = rng.random(4) < (0.1 if i else 0.0)
        rows.append(
            {k: (None if gap else v) for (k, v), gap in zip(row.items(), gaps, strict=True)}
        )
    return rows, labels


@pytest.fixture(scope="module")
def expected(mixed):
    rows, labels = mixed
    tree = ConfidenceTreeClassifier(**EAGER)
    for row, label in zip(rows, labels, strict=True):
        tree.learn_one(row, label)
    kinds = {s.category is None for s in tree.splits()}
    assert kinds == {True, False}, "both kinds of column should split"
    return tree


def values(rows, name, missing=None):
    return [missing if row[name] is None else row[name] for row in rows]


def pandas_frame(**dtypes):
    return lambda rows: pd.DataFrame(
        {k: pd.Series(values(rows, k), dtype=dtypes[k]) for k in TYPES}
    )


def pandas_categories(rows, order):
    frame = pandas_frame(num="float64", whole="Int8", flag="boolean", text="str")(rows)
    return frame.assign(text=pd.Categorical(values(rows, "text"), categories=order))


def polars_frame(text, null=None):
    types = {"num": pl.Float64, "whole": pl.Int16, "flag": pl.Boolean, "text": text}
    return lambda rows: pl.DataFrame(
        [pl.Series(k, values(rows, k, null), dtype=types[k]) for k in TYPES]
    )


def arrow_columns(rows, text, whole=None):
    types = {"num": pa.float64(), "whole": whole or pa.int32(), "flag": pa.bool_(), "text": text}
    return {k: pa.array(values(rows, k), types[k]) for k in TYPES}


def arrow_chunks(rows, text=None):
    """Chunks of different length, an empty one, each with a dictionary of its own."""
    text = text or pa.string()
    edges = [0, 7, 7, 100, 333, N]
    tables = []
    for begin, end in itertools.pairwise(edges):
        columns = arrow_columns(rows[begin:end], text)
        if text == pa.string():
            columns["text"] = columns["text"].dictionary_encode()
        tables.append(pa.table(columns))
    return pa.concat_tables(tables)


def arrow_sliced(rows):
    padding = [{"num": 1.0, "whole": None, "flag": None, "text": "kiwi"}] * 13
    table = pa.table(arrow_columns(padding + rows + padding, pa.string()))
    at = table.schema.get_field_index("text")
    table = table.set_column(at, "text", table["text"].dictionary_encode())
    return table.slice(13, N)


def arrow_dictionary(rows, order, index):
    codes = [None if v is None else order.index(v) for v in values(rows, "text")]
    text = pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(order))
    return pa.table(arrow_columns(rows, pa.string()) | {"text": text})


def arrow_null_in_dictionary(rows):
    order = ["fig", None, "plum", "apple", "pear"]
    codes = [order.index(v) for v in values(rows, "text")]
    text = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(order))
    return pa.table(arrow_columns(rows, pa.string()) | {"text": text})


BACKWARDS = ["unused", "plum", "pear", "fig", "apple"]
FRAMES = {
    "pandas, objects": pandas_frame(num=object, whole=object, flag=object, text=object),
    "pandas, records": lambda rows: pd.DataFrame(rows),
    "pandas, nullable": pandas_frame(num="Float64", whole="Int64", flag="boolean", text="string"),
    "pandas, small": pandas_frame(num="float64", whole="Float32", flag="Float32", text="str"),
    "pandas, arrow": pandas_frame(
        num=pd.ArrowDtype(pa.float64()),
        whole=pd.ArrowDtype(pa.int8()),
        flag=pd.ArrowDtype(pa.bool_()),
        text=pd.ArrowDtype(pa.large_string()),
    ),
    "pandas, arrow dictionary": pandas_frame(
        num="float64",
        whole="float64",
        flag="boolean",
        text=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())),
    ),
    "pandas, python strings": pandas_frame(
        num="float64", whole="float64", flag="float64", text="string[python]"
    ),
    "pandas, pyarrow strings": pandas_frame(
        num="float64", whole="float64", flag="float64", text="string[pyarrow]"
    ),
    "pandas, category": lambda rows: pandas_categories(rows, sorted(BACKWARDS)),
    "pandas, category backwards": lambda rows: pandas_categories(rows, BACKWARDS),
    "pandas, strange index": lambda rows: pd.DataFrame(rows, index=range(N, 0, -1)),
    "polars, String": polars_frame(pl.String),
    "polars, Categorical": polars_frame(pl.Categorical),
    "polars, Enum": polars_frame(pl.Enum(BACKWARDS)),
    "polars, chunks": lambda rows: pl.concat(
        [polars_frame(pl.String)(rows[:100]), polars_frame(pl.String)(rows[100:])], rechunk=False
    ),
    "polars, objects": lambda rows: pl.DataFrame(
        [pl.Series(k, values(rows, k), dtype=pl.Object) for k in TYPES]
    ),
    "arrow, string": lambda rows: pa.table(arrow_columns(rows, pa.string())),
    "arrow, large_string": lambda rows: pa.table(arrow_columns(rows, pa.large_string())),
    "arrow, string_view": lambda rows: pa.table(arrow_columns(rows, pa.string_view())),
    "arrow, decimal": lambda rows: pa.table(
        arrow_columns(rows, pa.string(), whole=pa.decimal128(5, 2))
    ),
    "arrow, dictionary": lambda rows: arrow_dictionary(rows, BACKWARDS, pa.int8()),
    "arrow, wide dictionary": lambda rows: arrow_dictionary(rows, BACKWARDS, pa.uint64()),
    "arrow, null in dictionary": arrow_null_in_dictionary,
    "arrow, chunks of dictionaries": arrow_chunks,
    "arrow, chunks of strings": lambda rows: arrow_chunks(rows, pa.large_string()),
    "arrow, sliced": arrow_sliced,
    "arrow, record batch": lambda rows: pa.RecordBatch.from_pydict(
        arrow_columns(rows, pa.string())
    ),
    "arrow, record batch of dictionaries": lambda rows: arrow_dictionary(
        rows, BACKWARDS, pa.int16()
    ).to_batches()[0],
    "arrow, sliced record batch": lambda rows: arrow_sliced(rows).combine_chunks().to_batches()[0],
}


@pytest.mark.parametrize("frame", FRAMES)
def test_any_frame(frame, mixed, expected):
    rows, labels = mixed
    X = FRAMES[frame](rows)
    fixed = ConfidenceTreeClassifier(**EAGER).partial_fit(X, labels)
    named = ConfidenceTreeClassifier(**EAGER)
    named.learn_many(X, labels)
    assert to_bytes(fixed) == to_bytes(named) == to_bytes(expected)
    assert fixed.feature_names_in_.tolist() == list(TYPES)
    one_by_one = [expected.predict_one(row) for row in rows]
    assert expected.predict(X).tolist() == one_by_one
    assert np.asarray(expected.predict_many(X)).tolist() == one_by_one
    assert np.asarray(expected.predict_proba_many(X)).tolist() == [
        list(expected.predict_proba_one(row).values()) for row in rows
    ]


@pytest.mark.parametrize("frame", ["pandas, category", "polars, Enum", "arrow, dictionary"])
def test_frames_may_change_from_call_to_call(frame, mixed, expected):
    rows, labels = mixed
    forms = [FRAMES[frame], *FRAMES.values()]
    tree = ConfidenceTreeClassifier(**EAGER)
    for i, begin in enumerate(range(0, N, 50)):
        whole = [*rows[begin : begin + 50], *rows[: N - 50]]  # the builders make N rows
        X = forms[i % len(forms)](whole)
        head = X.head(50) if hasattr(X, "head") else X.slice(0, 50)
        tree.learn_many(head, labels[begin : begin + 50])
    assert to_bytes(tree) == to_bytes(expected)


UNNAMED = {
    "list of lists": lambda cells: cells,
    "list of tuples": lambda cells: [tuple(row) for row in cells],
    "object array": lambda cells: np.array(cells, dtype=object),
    "object array, NaN": lambda cells: np.array(
        [[math.nan if v is None else v for v in row] for row in cells], dtype=object
    ),
    "object array, NumPy scalars": lambda cells: np.array(
        [[np.float32("nan") if v is None else np.asarray(v)[()] for v in row] for row in cells],
        dtype=object,
    ),
    "list with NaN": lambda cells: [[math.nan if v is None else v for v in row] for row in cells],
    "pandas NA": lambda cells: np.array(
        [[pd.NA if v is None else v for v in row] for row in cells], dtype=object
    ),
    "masked": lambda cells: np.ma.masked_array(
        np.array([["?" if v is None else v for v in row] for row in cells], dtype=object),
        mask=[[v is None for v in row] for row in cells],
    ),
    "pandas, numbered columns": lambda cells: pd.DataFrame(cells),
}


@pytest.mark.parametrize("form", UNNAMED)
def test_mixed_columns_without_names_are_typed_one_by_one(form, mixed, expected):
    rows, labels = mixed
    X = UNNAMED[form]([list(row.values()) for row in rows])
    tree = ConfidenceTreeClassifier(**EAGER).partial_fit(X, labels)
    numbered = ConfidenceTreeClassifier(**EAGER)
    for row, label in zip(rows, labels, strict=True):
        numbered.learn_one(dict(enumerate(row.values())), label)
    assert to_bytes(tree) == to_bytes(numbered)
    assert tree.n_leaves_ == expected.n_leaves_
    assert tree.predict(X).tolist() == [expected.predict_one(row) for row in rows]


SCALARS = {
    "NumPy": lambda v: np.asarray(v)[()],
    "NumPy, small": lambda v: np.int8(v) if isinstance(v, int) else v,
    "Decimal": lambda v: decimal.Decimal(v) if isinstance(v, int) else v,
    "longdouble": lambda v: np.longdouble(v) if isinstance(v, float) else v,
    "uint64": lambda v: np.uint64(v) if isinstance(v, int) else v,
    "str subclass": lambda v: type("Text", (str,), {})(v) if isinstance(v, str) else v,
}
GAPS = {
    "None": lambda row: row,
    "NaN": lambda row: {k: math.nan if v is None else v for k, v in row.items()},
    "NumPy NaN": lambda row: {k: np.float32("nan") if v is None else v for k, v in row.items()},
    "Decimal NaN": lambda row: {
        k: decimal.Decimal("nan") if v is None else v for k, v in row.items()
    },
    "pandas NA": lambda row: {k: pd.NA if v is None else v for k, v in row.items()},
    "pandas NaT": lambda row: {k: pd.NaT if v is None else v for k, v in row.items()},
    "absent": lambda row: {k: v for k, v in row.items() if v is not None},
}


@pytest.mark.parametrize("scalar", SCALARS)
def test_any_scalar_in_a_dict(scalar, mixed, expected):
    rows, labels = mixed
    turn = SCALARS[scalar]
    tree = ConfidenceTreeClassifier(**EAGER)
    for row, label in zip(rows, labels, strict=True):
        given = {k: None if v is None else turn(v) for k, v in row.items()}
        assert tree.predict_one(given) == tree.predict_one(row)
        tree.learn_one(given, label)
    assert to_bytes(tree) == to_bytes(expected)


@pytest.mark.parametrize("gap", GAPS)
def test_missing_is_missing_however_it_is_written(gap, mixed, expected):
    rows, labels = mixed
    tree = ConfidenceTreeClassifier(**EAGER)
    for row, label in zip(rows, labels, strict=True):
        tree.learn_one(GAPS[gap](row), label)
    assert to_bytes(tree) == to_bytes(expected)
    for row in rows[:50]:
        assert tree.predict_proba_one(GAPS[gap](row)) == tree.predict_proba_one(row)


def test_any_mapping_is_a_row(mixed, expected):
    rows, labels = mixed
    tree = ConfidenceTreeClassifier(**EAGER)
    frame = pd.DataFrame(rows, dtype=object)
    for (_, row), label in zip(frame.iterrows(), labels, strict=True):
        tree.learn_one(row, label)
    assert to_bytes(tree) == to_bytes(expected)


def test_zeros_of_a_sparse_frame_are_zeros():
    dense = np.random.default_rng(2).integers(0, 3, (N, 2)).astype(float)
    y = (dense[:, 0] > 0).astype(int)
    sparse = pd.DataFrame({j: pd.arrays.SparseArray(dense[:, j], fill_value=0.0) for j in (0, 1)})
    assert to_bytes(learned(sparse, y)) == to_bytes(learned(dense, y))


def test_beyond_53_bits_a_dict_rounds_as_an_array_does():
    tree = ConfidenceTreeClassifier(numeric_splits="exact", **EAGER)
    table = ConfidenceTreeClassifier(numeric_splits="exact", **EAGER)
    for value in (2**53 + 1, 2**63 + 5, 2**64 - 1):
        tree.learn_one({"a": value}, 1)
        table.learn_many(pd.DataFrame({"a": np.array([value], dtype=np.uint64)}), [1])
    assert to_bytes(tree) == to_bytes(table)


# --- a column without any value yet ---------------------------------------------------------------

EMPTY = {
    "pandas object": lambda n: pd.DataFrame({"a": range(n), "b": [None] * n}),
    "pandas string": lambda n: pd.DataFrame(
        {"a": range(n), "b": pd.Series([None] * n, dtype="str")}
    ),
    "polars Null": lambda n: pl.DataFrame(
        {"a": range(n), "b": pl.Series([None] * n, dtype=pl.Null)}
    ),
    "arrow null": lambda n: pa.table({"a": range(n), "b": pa.nulls(n)}),
    "arrow string": lambda n: pa.table({"a": range(n), "b": pa.nulls(n, pa.string())}),
}


@pytest.mark.parametrize("form", EMPTY)
@pytest.mark.parametrize("later", [[1.5, 2.5], ["x", "y"]])
def test_a_column_without_values_may_become_either_kind(form, later):
    tree = ConfidenceTreeClassifier().partial_fit(EMPTY[form](6), [0, 1] * 3)
    tree.partial_fit(pd.DataFrame({"a": [1, 2], "b": later}), [0, 1])
    first = ConfidenceTreeClassifier().partial_fit(EMPTY["pandas object"](6), [0, 1] * 3)
    first.partial_fit(pd.DataFrame({"a": [1, 2], "b": later}), [0, 1])
    assert to_bytes(tree) == to_bytes(first)
    tree.partial_fit(EMPTY[form](6), [0, 1] * 3)  # and may be empty again


# --- categories -----------------------------------------------------------------------------------


def test_categories_rank_by_first_learned_appearance():
    """Two categories that split equally well: the one learned first is taken."""
    for first, second in [("z", "a"), ("a", "z")]:
        tree = ConfidenceTreeClassifier(**EAGER)
        values = [first, second] * 200
        frame = pd.DataFrame({"k": pd.Categorical(values, categories=["a", "m", "z"])})
        tree.partial_fit(frame, [v == "a" for v in values])
        assert tree.splits()[0].category == first


def test_a_row_of_weight_zero_does_not_rank_its_category():
    frame = pd.DataFrame({"k": ["never", "b", "a"] + ["a", "b"] * 200})
    y = [True, False, True] + [True, False] * 200
    w = [0.0] + [1.0] * (len(y) - 1)
    tree = ConfidenceTreeClassifier(**EAGER).partial_fit(frame, y, sample_weight=w)
    clean = ConfidenceTreeClassifier(**EAGER).partial_fit(frame[1:], y[1:])
    assert tree.splits()[0].category == "b"
    assert [s.category for s in clean.splits()] == [s.category for s in tree.splits()]


MANY = [f"v{i}" for i in range(1000)]
DICTIONARIES = {
    "pandas": lambda codes: pd.DataFrame({"k": pd.Categorical.from_codes(codes, MANY)}),
    "arrow": lambda codes: pa.table({"k": pa.DictionaryArray.from_arrays(pa.array(codes), MANY)}),
    "record batch": lambda codes: pa.record_batch(
        {"k": pa.DictionaryArray.from_arrays(pa.array(codes), MANY)}
    ),
}


@pytest.mark.parametrize("form", DICTIONARIES)
def test_few_rows_of_many_categories_cost_what_they_hold(form, monkeypatch):
    def hashed(_):
        raise AssertionError("the hash of a dtype is that of all its categories")

    looked_at = []
    monkeypatch.setattr(pd.CategoricalDtype, "__hash__", hashed)
    monkeypatch.setattr(_intake, "is_missing", lambda value: looked_at.append(value))
    codes, known = _intake.read_table(DICTIONARIES[form]([7, 500, 7])).columns[0]
    assert [known[code] for code in codes] == ["v7", "v500", "v7"]
    assert set(looked_at) == set(known) == {"v7", "v500"}


@pytest.mark.parametrize("make", [ConfidenceTreeClassifier, ConfidenceTreeClassifier.moa])
@pytest.mark.parametrize("form", ["pandas", "arrow"])
def test_categories_that_no_row_has_change_nothing(form, make):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 40, N) * 7
    y = codes % 3 == 0
    frame = DICTIONARIES[form](codes)
    tree, rows = (make(grace_period=20, tie_threshold=0.5) for _ in range(2))
    tree.partial_fit(frame, y, classes=[False, True])
    for i in range(N):
        rows.partial_fit(frame[i : i + 1], y[i : i + 1], classes=[False, True])
    assert tree.n_leaves_ > 1
    assert to_bytes(tree) == to_bytes(rows)


def test_a_dictionary_without_rows_says_what_the_column_holds():
    missing = pd.DataFrame({"k": pd.Categorical([None], categories=["a", "b"])})
    tree = ConfidenceTreeClassifier().partial_fit(missing, [1])
    assert tree._model.kinds == ["categorical"]
    assert _intake.read_table(arrow_null_first()).columns[0][1] == ["a"]


def arrow_null_first():
    return pa.table({"k": pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([None, "a"]))})


def test_categories_of_both_kinds_are_refused_where_both_occur():
    mixed = pd.CategoricalDtype([1, "a"])
    for size in (1, 3):
        frame = pd.DataFrame({"k": pd.Categorical(["a"] * size, dtype=mixed)})
        assert _intake.read_table(frame).columns[0][1] == ["a"]
    with pytest.raises(TypeError, match="'k' mixes numbers and text among its categories"):
        _intake.read_table(pd.DataFrame({"k": pd.Categorical(["a", 1], dtype=mixed)}))


@pytest.fixture(scope="module")
def coded():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=N), rng.integers(10, 15, N), rng.normal(size=N)])
    y = np.isin(X[:, 1], [11, 13]).astype(int)
    return X, y


CATEGORICAL = {
    "position": [1],
    "tuple": (1,),
    "set": {1},
    "negative position": [-2],
    "array of positions": np.array([1]),
    "mask": [False, True, False],
    "array mask": np.array([False, True, False]),
}


@pytest.mark.parametrize("way", CATEGORICAL)
def test_categorical_features_of_an_array(way, coded):
    X, y = coded
    tree = learned(X, y, categorical_features=CATEGORICAL[way])
    assert core(tree) == core(learned(X, y, categorical_features=[1]))
    assert {s.category for s in tree.splits()} == {11, 13}
    assert tree.score(X, y) == 1.0
    whole = abs(X).round()
    for dtype in ("f4", "i4", "u1", object):
        same = learned(whole.astype(dtype), y, categorical_features=CATEGORICAL[way])
        assert same.splits() == learned(whole, y, categorical_features=[1]).splits()


@pytest.mark.parametrize("way", [*CATEGORICAL, "name", "array of names"])
def test_categorical_features_of_a_frame(way, coded):
    X, y = coded
    given = {"name": ["b"], "array of names": np.array(["b"])}.get(way, CATEGORICAL.get(way))
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).astype({"b": int})
    by_name = learned(frame, y, categorical_features=["b"])
    for form in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        assert core(learned(form, y, categorical_features=given)) == core(by_name)
    named = ConfidenceTreeClassifier(**EAGER, categorical_features=given)
    named.learn_many(frame, y)
    assert core(named) == core(by_name)
    assert {s.category for s in by_name.splits()} == {11, 13}


def test_numbers_as_categories_are_the_same_in_every_form(coded):
    X, y = coded
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    declared = {"categorical_features": ["b"]}
    table = learned(frame, y, **declared)
    rows = ConfidenceTreeClassifier(**EAGER, **declared)
    for row, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
        rows.learn_one(row, label)
    whole = learned(frame.astype({"b": "Int16"}), y, **declared)
    typed = learned(frame.astype({"b": "category"}), y)
    assert table.splits() == rows.splits() == whole.splits() == typed.splits()
    assert to_bytes(table) == to_bytes(rows) == to_bytes(whole)
    assert to_bytes(table) == to_bytes(learned(frame.astype({"b": "uint8"}), y, **declared))
    assert (table.predict(frame) == typed.predict(frame)).all()
    assert [rows.predict_one(x) for x in frame.to_dict("records")] == table.predict(frame).tolist()


def test_a_declared_column_may_come_later(coded):
    X, y = coded
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    tree = ConfidenceTreeClassifier(**EAGER, categorical_features=["b"])
    rows = ConfidenceTreeClassifier(**EAGER, categorical_features=["b"])
    for model in (tree, rows):
        model.learn_one({"a": 0.0}, 0)
    tree.learn_many(frame, y)
    for row, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
        rows.learn_one(row, label)
    assert tree.splits() == rows.splits()
    assert {s.category for s in tree.splits()} == {11, 13}


def test_a_declared_column_stays_declared_whatever_is_told_later(coded):
    X, y = coded
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    tree = ConfidenceTreeClassifier(**EAGER, categorical_features=["b"])
    tree.learn_one({"a": 0.0}, 0)
    tree.set_params(categorical_features=None)  # acts at the next fit
    tree.learn_many(frame, y)
    assert tree._model.kinds == ["numeric", "categorical", "numeric"]
    assert {s.category for s in tree.splits()} == {11, 13}


def test_text_is_categorical_without_being_told():
    tree = ConfidenceTreeClassifier()
    tree.learn_one({"a": 1, "b": "1", "c": True}, 0)
    assert tree._model.kinds == ["numeric", "categorical", "numeric"]


# --- columns --------------------------------------------------------------------------------------


def test_scikit_methods_fix_the_columns(mixed):
    rows, labels = mixed
    frame = pd.DataFrame(rows)
    tree = ConfidenceTreeClassifier(**EAGER).partial_fit(frame, labels)
    for wrong in (frame[["text", *list(TYPES)[:3]]], frame.rename(columns={"num": "n"})):
        with pytest.raises(ValueError, match="feature names should match"):
            tree.predict(wrong)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(frame.drop(columns="num"))


def test_river_methods_go_by_name(mixed, expected):
    rows, labels = mixed
    frame = pd.DataFrame(rows)
    turned = frame[["text", "flag", "num", "whole"]]
    assert (expected.predict_many(turned) == expected.predict_many(frame)).all()
    without = frame.drop(columns="text")
    gaps = frame.assign(text=None)
    assert (expected.predict_many(without) == expected.predict_many(gaps)).all()
    more = frame.assign(unknown=1.0)
    assert (expected.predict_many(more) == expected.predict_many(frame)).all()
    assert "unknown" not in expected.feature_names_in_
    tree = ConfidenceTreeClassifier(**EAGER)
    tree.learn_many(frame.drop(columns="flag"), labels)
    assert tree.n_features_in_ == 3
    tree.learn_many(turned, labels)
    assert tree.feature_names_in_.tolist() == ["num", "whole", "text", "flag"]


def test_names_and_numbers_of_columns_are_two_things(numbers):
    X, y, _, _ = numbers
    named = pd.DataFrame(X, columns=["0", "1", "2"])
    tree = learned(named, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (tree.predict(X) == tree.predict(named)).all()
    unnamed = learned(X, y)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        assert (unnamed.predict(named) == unnamed.predict(X)).all()


def test_results_of_pandas_keep_its_index(mixed, expected):
    rows, _ = mixed
    frame = pd.DataFrame(rows, index=[f"r{i}" for i in range(N)])
    assert expected.predict_many(frame).index.equals(frame.index)
    probabilities = expected.predict_proba_many(frame)
    assert probabilities.index.equals(frame.index)
    assert probabilities.columns.tolist() == expected.classes_.tolist()


# --- labels and weights ---------------------------------------------------------------------------

LABELS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object array": lambda y: np.array(y, dtype=object),
    "pandas": pd.Series,
    "pandas category": lambda y: pd.Series(y, dtype="category"),
    "pandas object": lambda y: pd.Series(y, dtype=object),
    "polars": lambda y: pl.Series(y),
    "arrow": lambda y: pa.array(y),
    "arrow chunks": lambda y: pa.chunked_array([y[:10], y[10:]]),
    "arrow dictionary": lambda y: pa.array(y).dictionary_encode(),
}
CLASSES = {"text": ["no", "yes"], "whole": [7, -3], "bool": [True, False]}


@pytest.mark.parametrize("form", LABELS)
@pytest.mark.parametrize("kind", CLASSES)
def test_any_form_of_labels(form, kind, numbers):
    X, y, _, _ = numbers
    labels = [CLASSES[kind][i] for i in y]
    tree = learned(X, LABELS[form](labels))
    assert to_bytes(tree) == to_bytes(learned(X, labels))
    assert tree.predict(X).dtype == np.array(labels).dtype
    fitted = ConfidenceTreeClassifier(**EAGER).fit(X, LABELS[form](labels))
    assert fitted.classes_.tolist() == sorted(CLASSES[kind])
    assert fitted.score(X, LABELS[form](labels)) > 0.9


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", "Int64"])
def test_any_whole_dtype_of_labels(dtype, numbers):
    X, y, expected, _ = numbers
    given = pd.array(y, dtype=dtype) if dtype == "Int64" else y.astype(dtype)
    assert to_bytes(learned(X, given)) == expected


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "longdouble", object])
def test_whole_numbers_as_floats_are_labels(dtype, numbers):
    X, y, _, probabilities = numbers
    tree = learned(X, y.astype(float).astype(dtype))
    assert (tree.predict_proba(X) == probabilities).all()
    assert (tree.predict(X) == learned(X, y).predict(X)).all()


def test_labels_far_apart(numbers):
    X, y, _, _ = numbers
    far = np.array([-(2**63), 2**63 - 1])[y]
    tree = learned(X, far)
    assert set(tree.classes_.tolist()) == {-(2**63), 2**63 - 1}
    assert (tree.predict(X) == far).mean() > 0.9


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pl.Series, np.float32, np.int8])
def test_any_form_of_weights(form, numbers):
    X, y, _, _ = numbers
    w = np.arange(N) % 3
    by_hand = learned(np.repeat(X, w, axis=0), np.repeat(y, w))
    weighted = ConfidenceTreeClassifier(**EAGER).partial_fit(X, y, sample_weight=form(w))
    assert to_bytes(weighted) == to_bytes(by_hand)
    same = ConfidenceTreeClassifier(**EAGER)
    same.learn_many(pd.DataFrame(X), y, w=form(w))
    assert same.splits() == by_hand.splits()


def test_one_weight_for_all_rows(numbers):
    X, y, _, _ = numbers
    twice = ConfidenceTreeClassifier(**EAGER).partial_fit(X, y, sample_weight=2)
    assert to_bytes(twice) == to_bytes(learned(np.repeat(X, 2, axis=0), np.repeat(y, 2)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_a_complete_table_may_lack_columns_that_the_model_knows(dtype):
    # What the table lacks is missing, though the table itself has no gap.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (4000, 3)).astype(dtype)
    y = (X[:, 0] > 20).astype(int) + (X[:, 1] > 30)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    trees = [ConfidenceTreeClassifier(c=0.005) for _ in range(2)]
    rest = frame[["c", "b"]]
    for tree in trees:
        tree.learn_many(frame, y)
    assert trees[0].n_leaves_ > 3
    said = [trees[0].predict_one(row) for row in rest[:64].to_dict("records")]
    assert trees[0].predict_many(rest[:64]).tolist() == said
    trees[0].learn_many(rest, y)
    for row, label in zip(rest.to_dict("records"), y.tolist(), strict=True):
        trees[1].learn_one(row, label)
    assert to_bytes(trees[0]) == to_bytes(trees[1])
