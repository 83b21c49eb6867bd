"""The table in docs/kinds.md: what a column is, by the type of its values and their form."""

import csv
import datetime as dt
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from sapwood import ConfidenceTreeClassifier, evaluate, streams
from sapwood._sources import seconds_of
from sapwood.cli.app import app
from sapwood.compare import compare

ROME = dt.timezone(dt.timedelta(hours=1))
TABLE = (Path(__file__).parents[2] / "docs" / "kinds.md").read_text()
Y = [0, 1, 0, 1]


@dataclass
class Type:
    """Some values of a type, what the model should see of them, and the type's names."""

    row: str  # of the table
    values: list[Any]
    numbers: list[float] | None  # None: they are categories
    arrow: Any
    polars: Any = None
    numpy: str | None = None
    pandas: tuple[str, ...] = ()


def exact(*moments):
    """The rule for moments, said in another way."""
    since = [m - dt.datetime(1970, 1, 1, tzinfo=m.tzinfo and dt.UTC) for m in moments]
    return [s.days * 86400.0 + s.seconds + s.microseconds / 1e6 for s in since]


NUMBER, MOMENT = "whole numbers, fractions, decimals", "dates, moments"
WHOLE = [3, -7, 2**40]
DECIMALS = [Decimal("0.5"), Decimal("-7"), Decimal("12.25")]
DAYS = [dt.date(2026, 3, 1), dt.date(1969, 12, 31), dt.date(2261, 7, 4)]
MOMENTS = [
    dt.datetime(2026, 3, 1, 12, 30, 5, 250000),
    dt.datetime(1969, 12, 31, 23, 59, 59, 1),
    dt.datetime(2261, 7, 4, 1, 2, 3, 999999),
]
ZONED = [moment.replace(tzinfo=ROME) for moment in MOMENTS]
CLOCK = [dt.time(12, 30, 5, 250000), dt.time(0), dt.time(23, 59, 59, 999999)]
SPANS = [dt.timedelta(days=2, microseconds=7), dt.timedelta(0), dt.timedelta(-1)]
DATES = exact(*(dt.datetime.combine(day, dt.time()) for day in DAYS))
CLOCKED, LASTED = [45005.25, 0.0, 86399.999999], [172800.000007, 0.0, -86400.0]
WORDS = ["pear", "fig", "pear"]
TEXTS = ["12", "2026-03-01", "true"]  # text that looks like something else

TYPES = {
    "whole": Type(NUMBER, WHOLE, [3.0, -7.0, 2.0**40], pa.int64(), pl.Int64, None, ("Int64",)),
    "fraction": Type(NUMBER, [0.5, -1e9, 0.1], [0.5, -1e9, 0.1], pa.float64(), pl.Float64, "f8",
                     ("f8", "Float64")),
    "decimal": Type(NUMBER, DECIMALS, [0.5, -7.0, 12.25], pa.decimal128(9, 2), pl.Decimal(9, 2)),
    "boolean": Type("booleans", [True, False, True], [1.0, 0.0, 1.0], pa.bool_(), pl.Boolean, None,
                    ("boolean",)),
    "date": Type(MOMENT, DAYS, DATES, pa.date32(), pl.Date, "M8[D]"),
    "date of 64 bits": Type(MOMENT, DAYS, DATES, pa.date64(), None, "M8[s]"),
    "moment": Type(MOMENT, MOMENTS, exact(*MOMENTS), pa.timestamp("us"), pl.Datetime("us"),
                   "M8[us]", ("M8[us]",)),
    "moment of ns": Type(MOMENT, MOMENTS, exact(*MOMENTS), pa.timestamp("ns"), pl.Datetime("ns"),
                         "M8[ns]", ("M8[ns]",)),
    "moment in a zone": Type(MOMENT, ZONED, exact(*ZONED), pa.timestamp("us", "Europe/Rome"),
                             pl.Datetime("us", "Europe/Rome"), None,
                             ("datetime64[us, Europe/Rome]",)),
    "time of day": Type("times of day", CLOCK, CLOCKED, pa.time64("us"), pl.Time),
    "duration": Type("durations", SPANS, LASTED, pa.duration("us"), pl.Duration("us"), "m8[us]",
                     ("m8[us]",)),
    "text": Type("text", WORDS, None, pa.string(), pl.String, "O", ("str", "string", "O")),
    "text like others": Type("text", TEXTS, None, pa.large_string(), pl.String, "O", ("str",)),
    "category": Type("a category type of text", WORDS, None, pa.dictionary(pa.int8(), pa.string()),
                     pl.Categorical, None, ("category",)),
}  # fmt: skip


def with_gap(kind):
    """The values of a type, the last but one missing: the model sees the first value first."""
    return [*kind.values[:2], None, kind.values[2]]


def seen(kind, X, said):
    """What the model should see."""
    if said == "category" and kind.numbers is not None:  # as it happens to be written
        return [row["x"] for row in X] if isinstance(X, list) else X.column("x").to_pylist()
    values = kind.values if kind.numbers is None else kind.numbers
    return [*values[:2], None, values[2]]


def arrow(kind):
    return pa.table({"x": pa.array(with_gap(kind), kind.arrow)})


def parquet(kind, folder):
    table = arrow(kind).append_column("class", [Y])
    pa.parquet.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


def ipc(kind, folder):
    pa.feather.write_feather(arrow(kind).append_column("class", [Y]), folder / "rows.arrow")
    return folder / "rows.arrow"


def written(kind, folder):
    """CSV as several libraries write it."""
    table = arrow(kind).append_column("class", [Y])
    names = [f"{n}.csv" for n in ("python", "arrow", "polars", "pandas")]
    files = [folder / name for name in names]
    with files[0].open("w", newline="") as file:
        csv.writer(file).writerows([("x", "class"), *zip(with_gap(kind), Y, strict=True)])
    if kind.row != "durations":  # which these two do not write
        pa.csv.write_csv(table, files[1])
    if kind.polars and kind.row != "durations":
        frame = pl.DataFrame({"x": pl.Series(pl.Series(with_gap(kind)).cast(kind.polars))})
        frame.with_columns(**{"class": pl.Series(Y)}).write_csv(files[2])
    for dtype in kind.pandas[:1]:
        frame = pd.DataFrame({"x": pd.Series(with_gap(kind), dtype=dtype), "class": Y})
        frame.to_csv(files[3], index=False)
    return [chunk(file) for file in files if file.exists()]


def json_lines(kind, folder):
    def plain(value):
        return float(value) if isinstance(value, Decimal) else str(value)

    rows = zip(with_gap(kind), Y, strict=True)
    lines = [json.dumps({"x": v, "class": y}, default=plain) for v, y in rows]
    (folder / "rows.jsonl").write_text("\n".join(lines))
    return [chunk(folder / "rows.jsonl")]


def arff(kind, folder):
    said = cells()[kind.row, "ARFF"]
    texts = ["?" if v is None else str(v).lower() for v in with_gap(kind)]
    declared = {
        "number": "real",
        "seconds": "date",
        "category": f"{{{','.join(sorted(set(texts) - {'?'}))}}}",
    }
    lines = [f"@attribute x {declared[said]}", "@attribute class {0,1}", "@data"] if said else []
    lines += [f"{text},{y}" for text, y in zip(texts, Y, strict=True)]
    (folder / "rows.arff").write_text("\n".join(lines))
    return [chunk(folder / "rows.arff")] if said else []


def chunk(path):
    ((X, _),) = streams.open(path).chunks()
    return X


TYPED, OBJECTS = "NumPy, pandas, polars, Arrow, Parquet", "dicts, Python objects"
#: How a type comes, by the column of the table; None where there is no such thing.
CONTAINERS = {
    "NumPy": (TYPED, lambda k, _: k.numpy and np.array(with_gap(k), k.numpy)[:, None]),
    "pandas": (TYPED, lambda k, _: [
        pd.DataFrame({"x": pd.Series(with_gap(k), dtype=d)}) for d in k.pandas
    ]),
    "pandas, Arrow's": (TYPED, lambda k, _: pd.DataFrame(
        {"x": pd.Series(arrow(k).column("x").combine_chunks(), dtype=pd.ArrowDtype(k.arrow))}
    )),
    "polars": (TYPED, lambda k, _: k.polars and pl.DataFrame(
        {"x": pl.Series(pl.Series(with_gap(k)).cast(k.polars))}
    )),
    "Arrow": (TYPED, lambda k, _: arrow(k)),
    "Arrow, a batch": (TYPED, lambda k, _: arrow(k).to_batches()[0]),
    "Parquet": (TYPED, parquet),
    "Arrow's file": (TYPED, ipc),
    "dicts": (OBJECTS, lambda k, _: [{"x": v} for v in with_gap(k)]),
    "pandas' objects": (OBJECTS, lambda k, _: pd.DataFrame({"x": with_gap(k)}, dtype=object)),
    "polars' objects": (OBJECTS, lambda k, _: pl.DataFrame(
        {"x": pl.Series(with_gap(k), dtype=pl.Object)}
    )),
    "objects": (OBJECTS, lambda k, _: np.array(with_gap(k), object)[:, None]),
    "JSON lines": ("JSON lines", json_lines),
    "CSV": ("CSV", written),
    "ARFF": ("ARFF", arff),
    "lists": (OBJECTS, lambda k, _: [[v] for v in with_gap(k)]),
}  # fmt: skip


def cells():
    """The table: (type, form) -> what it says."""
    lines = [line for line in TABLE.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {
        (row[0], form): cell
        for row in rows[2:]
        for form, cell in zip(rows[0][1:], row[1:], strict=True)
    }


def learned(X, y=Y):
    tree = ConfidenceTreeClassifier(c=0.001, grace_period=1, numeric_splits="exact")
    if isinstance(X, list) and isinstance(X[0], dict):
        for x, label in zip(X, y, strict=True):
            tree.learn_one(x, label)
        return tree
    return tree.partial_fit(X, y)


def predicted(tree, X):
    if isinstance(X, list) and isinstance(X[0], dict):
        return [list(tree.predict_proba_one(x).values()) for x in X]
    return tree.predict_proba(X).tolist()


def tables(given):
    """Tables of a form: those of its dtypes, or the chunk of a file."""
    if given is None:
        return []
    if isinstance(given, Path):
        return [chunk(given)]
    first = given[0] if isinstance(given, list) and given else None
    is_several = isinstance(given, list) and not isinstance(first, dict)
    is_several = is_several and not (isinstance(first, list) and not isinstance(first[0], dict))
    return given if is_several else [given]


@pytest.mark.parametrize("form", CONTAINERS)
@pytest.mark.parametrize("name", TYPES)
def test_a_column_means_the_same_wherever_it_comes_from(name, form, tmp_path):
    kind = TYPES[name]
    column, make = CONTAINERS[form]
    for X in tables(make(kind, tmp_path)):  # there may be no such thing
        said = cells()[kind.row, column]
        assert said in ("category", "number", "0 and 1", "seconds")
        is_named = hasattr(X, "columns") or isinstance(X[0], dict)
        rows = [{"x" if is_named else 0: v} for v in seen(kind, X, said)]
        expected, tree = learned(rows), learned(X)
        assert tree._model.kinds == ["categorical" if said == "category" else "numeric"]
        assert tree._model.to_bytes("") == expected._model.to_bytes("")
        assert predicted(expected, X) == predicted(expected, rows)


def test_the_table_has_no_row_without_a_test():
    assert {row for row, _ in cells()} == {kind.row for kind in TYPES.values()} | {
        "nothing but missing values",
        "bytes, lists, structs",
    }


ODD = {
    "nothing": (pa.array([None, None, None, None]), [None, None, None, None]),
    "bytes": (pa.array([b"a", b"b", None, b"c"]), [b"a", b"b", None, b"c"]),
    "lists": (pa.array([[1], [2], None, [3]]), [[1], [2], None, [3]]),
    "structs": (pa.array([{"a": 1}] * 4), [{"a": 1}] * 4),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_column(what, tmp_path):
    array, values = ODD[what]
    table = pa.table({"x": array, "class": Y})
    pa.parquet.write_table(table, tmp_path / "rows.parquet")
    forms = [
        lambda: learned(table.select(["x"])),
        lambda: learned(pl.from_arrow(table.select(["x"]))),
        lambda: learned(pd.DataFrame({"x": values}, dtype=object)),
        lambda: learned([{"x": v} for v in values]),
        lambda: next(learned(X) for X in tables(tmp_path / "rows.parquet")),
    ]
    for form in forms:
        if what == "nothing":
            assert form()._model.kinds in ([], ["unknown"])
            continue
        with pytest.raises(
            (TypeError, streams.StreamError), match=r"'x'.*numbers, booleans, dates"
        ):
            form()


# --- labels ---------------------------------------------------------------------------------------

LABELS = {
    "boolean": ([True, False, False, True], pa.bool_(), [False, True]),
    "whole": ([7, -3, -3, 7], pa.int32(), [-3, 7]),
    "fraction": ([7.0, -3.0, -3.0, 7.0], pa.float64(), [-3, 7]),
    "text": (["b", "a", "a", "b"], pa.string(), ["a", "b"]),
    "category": (["b", "a", "a", "b"], pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
}


def label_files(table, folder):
    names = ("a.parquet", "a.arrow", "a.csv", "b.csv", "a.jsonl", "a.svm")
    files = [folder / name for name in names]
    pa.parquet.write_table(table, files[0])
    pa.feather.write_feather(table, files[1])
    pl.from_arrow(table).write_csv(files[2])
    table.to_pandas().to_csv(files[3], index=False)
    files[4].write_text("\n".join(map(json.dumps, table.to_pylist())))
    files[5].write_text("".join(f"{row['class']} 1:{row['x']}\n" for row in table.to_pylist()))
    return files


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_the_same_wherever_they_come_from(name, tmp_path):
    values, arrow_type, classes = LABELS[name]
    x = [1.0, 2.0, 2.0, 1.0]
    table = pa.table({"x": x, "class": pa.array(values, arrow_type)})
    sources = [
        table,
        table.to_pandas(),
        pl.from_arrow(table),
        (table.select(["x"]), values),
        (table.select(["x"]), table.column("class")),
        ([[v] for v in x], np.array(values)),
        [({"x": v}, label) for v, label in zip(x, values, strict=True)],
        *label_files(table, tmp_path),
    ]
    for source in sources:
        result = evaluate(source, ConfidenceTreeClassifier())
        assert result.classes == classes
        if name != "fraction":  # an array of floats keeps its type, as in scikit-learn
            assert [type(c) for c in result.classes] == [type(c) for c in classes]
        assert result.model.predict_one({"x": 1.0}) in classes


def test_missing_boolean_labels_are_bad_rows(tmp_path):
    table = pa.table({"x": [1, 2, 3], "class": [True, None, False]})
    stream = streams.open(table, on_error="skip")
    ((_, y),) = stream.chunks()
    assert y.tolist() == [True, False]
    assert [row.line for row in stream.errors] == [2]


def test_dates_are_no_classes_unless_taken_as_text(tmp_path):
    table = pa.table({"x": [1, 2], "class": DAYS[:2]})
    with pytest.raises(streams.StreamError, match=r"column 'class': .*times, which are no classes"):
        streams.open(table)
    ((_, y),) = streams.open(table, types={"class": "categorical"}).chunks()
    assert y.tolist() == ["2026-03-01", "1969-12-31"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_beyond_a_unit_that_others_have_stop_no_run(unit):
    """2^62 counts of any unit are a moment, also where it is none of nanoseconds or of Python."""
    counts = np.array([2**62, -(2**62), 1], dtype=np.int64)
    table = pa.table({"x": pa.array(counts).cast(pa.timestamp(unit)), "class": [0, 1, 0]})
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    ((X, _),) = streams.open(table).chunks()
    expected = [2**62 / per_second, -(2**62) / per_second, 1 / per_second]
    assert X.column("x").to_pylist() == pytest.approx(expected, rel=1e-15)
    assert evaluate(table, ConfidenceTreeClassifier()).n_rows == 3


# --- what does not suit ---------------------------------------------------------------------------


def test_a_model_says_what_it_expected_and_what_it_got():
    tree = learned(pd.DataFrame({"flag": ["True", "False"] * 2, "n": [1.0, 2.0, 3.0, 4.0]}))
    frame = pd.DataFrame({"flag": [None, True], "n": [1.0, 2.0]})
    for flags in (frame, frame.assign(flag=[np.nan, 1.0]), pa.Table.from_pandas(frame)):
        with pytest.raises(TypeError) as caught:
            tree.predict(flags)
        assert str(caught.value) == (
            "Column 'flag' holds text, such as 'True', but now numbers. Pass text, and NaN or None "
            "for missing. The value of row 1 is 1."
        )
    with pytest.raises(TypeError, match=r"'n' is numeric, but now holds text.* row 0 is 'ééé"):
        tree.predict(pd.DataFrame({"flag": ["True"], "n": ["é" * 1000]}))


def test_a_column_of_missing_values_suits_any_column():
    frame = pd.DataFrame({"text": ["a", "b"] * 2, "n": [1.0, 2.0, 3.0, 4.0]})
    tree = learned(frame)
    for gaps in (np.nan, None, pd.NaT, pd.NA):
        there_is_none = pd.DataFrame({"text": [gaps] * 2, "n": [gaps] * 2})
        assert tree.predict(there_is_none).tolist() == [tree.predict_one({})] * 2
    assert tree.predict(pd.DataFrame({"text": [np.nan], "n": ["x"]})[:0].reindex([0])).shape == (1,)


@pytest.mark.parametrize("name", [n for n, kind in TYPES.items() if kind.row == MOMENT])
def test_the_times_of_rows_are_read_by_the_same_rule(name):
    kind = TYPES[name]
    columns = [
        kind.values,
        np.array(kind.values, dtype=object),
        pa.chunked_array([pa.array(kind.values, kind.arrow)]),
        *(pd.Series(kind.values, dtype=dtype) for dtype in kind.pandas),
        *([pl.Series(kind.values).cast(kind.polars)] if kind.polars else []),
        [str(value) for value in kind.values],
    ]
    for column in columns:
        assert seconds_of(column).tolist() == kind.numbers


# --- what a model knows ---------------------------------------------------------------------------

#: Rows whose text alone would say something else, as a file of types and as text.
KNOWN = pa.table({
    "zip": ["00184", "70121", "00184", "20121"],
    "day": ["2026-03-01", "2026-03-02", "2026-03-01", "2026-03-03"],
    "flag": ["true", "false", "true", "true"],
    "n": [1.0, 2.0, 3.0, 4.0],
    "class": ["a", "b", "a", "b"],
})  # fmt: skip


def text_files(table, folder):
    rows = table.to_pylist()
    table.to_pandas().to_csv(folder / "rows.csv", index=False)
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return [folder / "rows.csv", folder / "rows.jsonl"]


def test_a_model_of_typed_rows_takes_the_same_rows_from_text(tmp_path):
    tree = evaluate(KNOWN, ConfidenceTreeClassifier()).model
    for path in text_files(KNOWN, tmp_path):
        stream = streams.open(path)
        result = evaluate(stream, tree, trained="continue")
        assert result.n_rows == 4
        assert result.model._model.kinds == tree._model.kinds
        (row,) = compare([str(path)], {"known": tree}, ["full"], trained="continue")
        assert (row["n_rows"], row["accuracy"]) == (4, result.accuracy)
        alone = evaluate(streams.open(path), ConfidenceTreeClassifier()).model._model.kinds
        assert evaluate(stream, ConfidenceTreeClassifier()).model._model.kinds == alone
        assert alone != tree._model.kinds
        stream = streams.open(path, types={"n": "categorical"})
        stream._read_as(tree._kinds())
        X, _ = next(stream.chunks())
        kinds = learned(X)._model.kinds
        assert dict(zip(["zip", "day", "flag", "n"], kinds, strict=True))["n"] == "categorical"


def test_the_command_line_reads_text_as_what_the_model_knows(tmp_path):
    tree = evaluate(KNOWN, ConfidenceTreeClassifier()).model
    saved = str(tmp_path / "tree.sapwood")
    tree.save(saved)
    for path in text_files(KNOWN, tmp_path):
        told = CliRunner().invoke(app, ["predict", saved, str(path)])
        assert told.exit_code == 0, told.output
        assert len(told.stdout.split()) == 5
        out = ["--out", str(tmp_path / f"run-{path.suffix}")]
        told = CliRunner().invoke(app, ["run", str(path), "--model", saved, *out])
        assert told.exit_code == 0, told.output


def test_numbers_as_categories_are_left_to_the_model(tmp_path):
    tree = ConfidenceTreeClassifier(categorical_features=["zip"])
    tree.learn_one({"zip": 184, "n": 1.0, "t": "a", "none": None}, 0)
    assert tree._kinds() == {"n": "numeric", "t": "categorical"}
    assert ConfidenceTreeClassifier()._kinds() == {}
