"""The core's reader of plain CSV and pyarrow's give the same rows, to the last bit, and errors."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sapwood
from sapwood import _core
from sapwood._intake import arrow_numbers, read_table
from sapwood.streams import StreamError
from sapwood.streams.delimited import CsvStream
from sapwood.streams.source import Source


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("streams") / "data.csv"


def collected(chunks, stream):
    """All rows and labels as bits, or the error, and what was skipped."""
    rows, labels, sizes = [], [], []
    try:
        for X, y in chunks:
            table = read_table(X)
            columns = [table.columns[:, j] for j in range(table.n_columns)] if isinstance(
                table.columns, np.ndarray
            ) else table.columns  # fmt: skip
            numbers = np.array([np.asarray(c, dtype=np.float64) for c in columns]).T
            numbers = np.where(np.isnan(numbers), np.nan, numbers)  # all NaN are one
            rows += numbers.view(np.int64).tolist()
            labels += y.tolist()
            sizes.append(len(y))
            assert y.dtype == np.int64
    except StreamError as error:
        return rows, labels, str(error)
    return rows, labels, sizes, stream.skipped, stream.mended, stream.errors


def assert_same(path, text, chunk, block, on_error="skip", **options):
    path.write_bytes(text.encode())

    def opened():
        return CsvStream(Source(path), block_bytes=block, on_error=on_error, **options)

    try:
        slow, quick = opened(), opened()
    except StreamError:
        return
    by_arrow = collected(slow.chunks(chunk), slow)
    by_core = collected(quick._quick_chunks(chunk), quick)
    if isinstance(by_arrow[2], str):  # how far the rows before an error came is not told
        assert by_core[2] == by_arrow[2]
    else:
        assert by_core == by_arrow


def digits(least, most):
    return st.text("0123456789", min_size=least, max_size=most)


decimals = st.builds(
    "{}{}.{}{}".format, st.sampled_from(["", "-"]), digits(0, 20), digits(0, 20),
    st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "-", "+"]),
                            digits(0, 3)),
)  # fmt: skip
plain = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.floats(-1, 1).map("{:.6f}".format)
    | st.integers(-(10**20), 10**20).map(str)
    | decimals
)
odd = st.sampled_from(
    ["", "NA", "NaN", "nan", "null", "None", "?", " ?", " NA", "  NA", " ", "  ", "+1.5", " 1.5",
     "1.5 ", "\t2", '"3"', '"3', "-", ".", "-.", "e5", "1e", "1e+", "0x10", "1_0", "inf", "-inf",
     "1e999", "1e-999", "5e-324", "1e309", "-0", "-0.0", "-nan", "NAN", "abc", "1,5", "1\r", "é",
     "9007199254740993", "1.7976931348623159e308", "0.1e-400", "00012.50", "1\x00"]
)  # fmt: skip
label = st.sampled_from(["0", "1", "2", "1"])
odd_label = st.sampled_from(
    [
        "",
        "-1",
        "007",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "1.5",
        "x",
        "?",
        "-0",
        "9" * 18,
        "9" * 19,
        "1e2",
        '"1"',
        "9007199254740993",
        "+9007199254740993",
        "9007199254740991.0",
        "9007199254740993.0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
    ]
)
ends = st.sampled_from(["\n", "\r\n"])


def table(rows, names, comma, end, last):
    lines = [comma.join(names), *(comma.join(row) for row in rows)]
    return end.join(lines) + (end if last else "")


@given(
    rows=st.lists(st.tuples(plain, plain, label), min_size=1, max_size=30),
    chunk=st.integers(1, 40), block=st.integers(20, 400), end=ends, last=st.booleans(),
    comma=st.sampled_from(",;\t| "),
)  # fmt: skip
def test_numbers(path, rows, chunk, block, end, last, comma):
    types = {"a": "numeric", "b": "numeric"}
    text = table(rows, ["a", "b", "class"], comma, end, last)
    assert_same(path, text, chunk, block, delimiter=comma, types=types)


@given(
    rows=st.lists(
        st.tuples(plain | odd, plain | odd, label | odd_label)
        | st.lists(plain | odd, max_size=5).map(tuple),
        min_size=1, max_size=12,
    ),
    chunk=st.integers(1, 9), block=st.integers(1, 200), end=ends, last=st.booleans(),
    comma=st.sampled_from(",;\t| "), on_error=st.sampled_from(["stop", "missing", "skip"]),
    place=st.integers(0, 2),
)  # fmt: skip
@example([("1", "2", "0"), ("", "", "1")], 1, 20, "\n", True, ",", "stop", 2)
def test_whatever_comes(path, rows, chunk, block, end, last, comma, on_error, place):
    names = ["a", "b"]
    names.insert(place, "class")
    types = dict.fromkeys(names, "numeric")
    moved = [
        (*row[:2][:place], row[-1], *row[:2][place:]) if len(row) == 3 else row for row in rows
    ]
    text = table(moved, names, comma, end, last)
    assert_same(path, text, chunk, block, on_error, delimiter=comma, types=types, label="class")


@given(st.lists(st.sampled_from([*'0123456789.-+eE,\n\r "nNaA?']), max_size=60).map("".join))
def test_any_characters(path, text):
    text = "a,class\n1,0\n" + text
    assert_same(path, text, 3, 1 << 20, delimiter=",", types={"a": "numeric", "class": "numeric"})


def test_the_core_reads_it_all_and_not_pyarrow(path, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3000, 4)), rng.integers(0, 3, 3000)
    rows = [",".join([*map(repr, x.tolist()), str(k)]) for x, k in zip(X, y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,class", *rows]))

    def unwanted(*_):
        raise AssertionError("pyarrow was asked")

    monkeypatch.setattr(CsvStream, "_convert", unwanted)
    stream = CsvStream(Source(path), block_bytes=5000)
    chunks = list(stream._quick_chunks(700))
    assert np.array_equal(np.vstack([t.columns for t, _ in chunks]), X)
    assert np.array_equal(np.concatenate([k for _, k in chunks]), y)
    assert chunks[0][0].names == ["a", "b", "c", "d"]
    run = sapwood.evaluate(path, sapwood.ConfidenceTreeClassifier())
    assert run.n_rows == 3000


def test_a_number_that_is_a_category(path):
    """Columns that the tree takes for categories are so however the file is read."""
    path.write_text(
        "a,b,class\n" + "".join(f"{i % 3},{i % 7},{i % 3 == 1:d}\n" for i in range(900))
    )
    tree = sapwood.ConfidenceTreeClassifier(categorical_features=["a"])
    X, y = next(sapwood.streams.open(path).chunks())
    from_file, from_table = sapwood.evaluate(path, tree), sapwood.evaluate((X, y), tree)
    assert from_file.confusion.tolist() == from_table.confusion.tolist()
    assert str(from_file.model) == str(from_table.model)


def test_wrong_places_are_refused():
    rows, labels = np.empty((3, 1)), np.empty(3, dtype=np.int64)
    with pytest.raises(ValueError, match="place"):
        _core.read_csv(b"1,1\n", 5, True, ",", 1, False, rows, labels, 0)
    with pytest.raises(ValueError, match="place"):
        _core.read_csv(b"1,1\n", 0, True, ",", 1, False, rows, labels, 4)
    with pytest.raises(ValueError, match="place"):
        _core.read_csv(b"1,1\n", 0, True, ",", 1, False, rows, labels[:2], 0)
    with pytest.raises(ValueError, match="column"):
        _core.read_csv(b"1,1\n", 0, True, ",", 2, False, rows, labels, 0)


@given(
    kind=st.sampled_from(["int8", "uint16", "int64", "uint64", "float16", "float32", "float64"]),
    chunks=st.lists(st.lists(st.none() | st.integers(0, 100), max_size=20), max_size=3),
    start=st.integers(0, 12),
)
def test_numbers_of_arrow_as_pyarrow_gives_them(kind, chunks, start):
    make = np.dtype(kind).type
    parts = [[None if x is None else make(x) for x in chunk] for chunk in chunks]
    column = pa.chunked_array(parts, pa.from_numpy_dtype(kind)).slice(start)
    expected = column.to_numpy()
    for given_column, wanted in [
        (column, expected),
        *((chunk, chunk.to_numpy(zero_copy_only=False)) for chunk in column.chunks),
    ]:
        found = arrow_numbers(given_column)
        assert np.array_equal(found, wanted, equal_nan=True)
        assert found.dtype == wanted.dtype or wanted.dtype.kind == "f"


def test_a_run_of_the_command_line_does_without_pandas(path):
    """It may be there, and takes longer to import than a run takes."""
    rows = "".join(f"{i % 3},w{i % 7},{i % 2}\n,?,0\n" for i in range(99))
    path.write_text("a,b,class\n" + rows)
    words = ["run", str(path), "--out", str(path.parent / "run")]
    code = (
        "import sys; from sapwood.cli.app import app\n"
        f"app({words!r}, standalone_mode=False)\n"
        "assert not {'pandas', 'numpy.ma', 'matplotlib', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
