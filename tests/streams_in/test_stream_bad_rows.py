"""A bad row is named by file, line and column, or left out and counted; the others stay."""

import gzip
import io
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import parquet
from stream_files import as_arrow, as_arrow_stream, as_csv, as_parquet, drained

from sapwood import streams
from sapwood.streams import BadRow, StreamError, StreamWarning
from sapwood.streams.delimited import CsvStream
from sapwood.streams.source import Source

CSV = b"x,city,class\n1,Bari,0\n2,Roma,1\n"
ARFF = (
    b"@relation r\n@attribute x numeric\n@attribute city {Bari,'San Remo'}\n@attribute s string\n"
    b"@attribute class {a,b}\n@data\n1,Bari,t,a\n"
)
JSON = b'{"x": 1, "city": "Bari", "class": 0}\n'
SVM = b"1 1:2 3:4\n"

# File, good beginning, bad line, column, part of the message, good line, rows that stay.
CASES = [
    ("a.csv", CSV, b"abc,Roma,1", "x", "'abc' is not a number", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Roma", None, "2 fields where 3 are expected", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Roma,1,", None, "4 fields where 3 are expected", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Ro\xffma,1", "city", "is not valid UTF-8", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Roma,", "class", "the label is missing", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Roma,?", "class", "the label is missing", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Roma,one", "class", "'one' is not a whole number", b"3,Bari,0"),
    ("a.csv", CSV, b"3,Roma,1.5", "class", "'1.5' is not a whole number", b"3,Bari,0"),
    ("a.csv", CSV, b"-inf,Roma,1", "x", "'-inf' is infinite", b"3,Bari,0"),
    ("a.csv", CSV, b"1e999,Roma,1", "x", "'1e999' is too large a number", b"3,Bari,0"),
    ("a.csv", CSV, b'3,"Roma,1', "city", "a quote is opened and never closed", b"3,Bari,0"),
    ("a.arff", ARFF, b"abc,Bari,t,a", "x", "'abc' is not a number", b"2,'San Remo',t,b"),
    ("a.arff", ARFF, b"inf,Bari,t,a", "x", "'inf' is infinite", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,Roma,t,a", "city", "'Roma' is not among the declared", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,Bari,t,c", "class", "'c' is not among the declared", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,Bari,,a", "s", "the value is empty", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,Bari,a", None, "3 values where 4 are expected", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,Bari,t,?", "class", "the label is missing", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,'Bari,t,a", None, "a quote is opened and never closed", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"1,Bari,\xff,a", None, "is not valid UTF-8", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"{0 1, 9 a}", None, "the place 9 is not above 0", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"{0 1, a}", None, "is no place and value", b"2,Bari,t,b"),
    ("a.arff", ARFF, b"{0 1, 3 a", None, "a brace is opened", b"2,Bari,t,b"),
    ("a.jsonl", JSON, b'{"x": "abc", "class": 1}', "x", "'abc' is not a number", JSON),
    ("a.jsonl", JSON, b'{"city": 12, "class": 1}', "city", "12 is not text", JSON),
    ("a.jsonl", JSON, b'{"x": [1], "class": 1}', "x", "the value is nested", JSON),
    ("a.jsonl", JSON, b'{"x": {}, "class": 1}', "x", "the value is nested", JSON),
    ("a.jsonl", JSON, b'{"x": Infinity, "class": 1}', "x", "infinite", JSON),
    ("a.jsonl", JSON, b'{"x": 1, "class": null}', "class", "the label is missing", JSON),
    ("a.jsonl", JSON, b'{"x": 1}', "class", "the label is missing", JSON),
    ("a.jsonl", JSON, b'{"x": 1, "class": "a"}', "class", "'a' is not a number", JSON),
    ("a.jsonl", JSON, b'{"x": 1, "class": 0.5}', "class", "0.5 is not a whole number", JSON),
    ("a.jsonl", JSON, b'{"x": 1', None, "not valid JSON", JSON),
    ("a.jsonl", JSON, b"[1, 2]", None, "not a JSON object", JSON),
    ("a.jsonl", JSON, b'{"x": "\xff", "class": 1}', None, "not valid UTF-8", JSON),
    ("a.jsonl", JSON, b'{"x": "\xed\xa0\x80", "class": 1}', None, "not valid UTF-8", JSON),
    ("a.jsonl", JSON, b'{"city": "\\ud800", "class": 1}', "city", "half of a surrogate", JSON),
    ("a.jsonl", JSON, b'{"\\uDC00": 1, "class": 1}', None, "half of a surrogate", JSON),
    ("a.jsonl", JSON, b'{"x": 1, "class": 0, "x": 2}', None, "the key 'x' is there more", JSON),
    ("a.jsonl", JSON, b'{"x": 1, "class": 0, "class": 0}', None, "the key 'class' is", JSON),
    ("a.jsonl", JSON, b'{"x": {"a": 1, "a": 2}, "class": 0}', None, "the key 'a' is", JSON),
    ("a.jsonl", JSON, b'{"x": ' + b"1" * 5000 + b', "class": 0}', None, "not valid JSON", JSON),
    ("a.jsonl", JSON, b'{"x": ' + b"[" * 99999, None, "not valid JSON", JSON),
    ("a.jsonl", JSON, b'{"x": -Infinity, "class": 1}', "x", "infinite", JSON),
    ("a.jsonl", JSON, b'{"x": 1, "class": NaN}', "class", "the label is missing", JSON),
    (
        "a.jsonl",
        b'{"a": 1, "class": "p"}\n',
        b'{"a": 1, "class": "\\ud83d"}',
        "class",
        "half of a surrogate",
        b'{"a": 1, "class": "p"}\n',
    ),
    ("a.arff", ARFF, b"1,Bari,'\\ud800',a", None, "half of a surrogate", b"2,Bari,t,b"),
    ("a.svm", SVM, b"1 1:x", "1", "'x' is not a number", SVM),
    ("a.svm", SVM, b"1 1:inf", "1", "'inf' is infinite", SVM),
    ("a.svm", SVM, b"1 2:1 2:1", "2", "the index 2 comes after 2", SVM),
    ("a.svm", SVM, b"1 3:1 2:1", "2", "the index 2 comes after 3", SVM),
    ("a.svm", SVM, b"1 a:1", None, "'a:1' is no feature like 3:0.5", SVM),
    ("a.svm", SVM, b"1 1:1_0", None, "'1:1_0' is no feature like 3:0.5", SVM),
    ("a.svm", SVM, b"1 7", None, "'7' is no feature like 3:0.5", SVM),
    ("a.svm", SVM, b"1:1 2:1", "label", "the label is missing", SVM),
    ("a.svm", SVM, b"x 1:1", "label", "'x' is not a whole number", SVM),
]


@pytest.mark.parametrize(("name", "head", "bad", "column", "what", "good"), CASES)
def test_bad_lines(tmp_path, name, head, bad, column, what, good):
    path = tmp_path / name
    good = good.strip() + b"\n"
    # Types and labels are found out from the beginning, so that must be long enough to stand alone.
    head += good * 6000 if name in ("a.csv", "a.svm") else b""
    path.write_bytes(head + good)
    rows = len(drained(streams.open(path))[0])
    path.write_bytes(head + bad + b"\n" + good)
    line = head.count(b"\n") + 1

    with pytest.raises(StreamError) as caught:
        drained(streams.open(path))
    place = f"{name}, line {line}" + ("" if column is None else f", column {column!r}") + ": "
    assert str(caught.value).startswith(place)
    assert what in str(caught.value)
    assert 'on_error="skip"' in str(caught.value)
    assert (caught.value.row.file, caught.value.row.line) == (name, line)

    stream = streams.open(path, on_error="skip")
    for _ in range(2):  # the account is of one pass
        assert len(drained(stream, 1000)[0]) == rows
        assert stream.skipped == 1
        (row,) = stream.errors
        assert isinstance(row, BadRow)
        assert (row.file, row.line, row.column) == (name, line, column)
        assert what in row.what


#: What cannot be mended by leaving a value out: labels, and rows that are none.
BROKEN = ("label", "class", None)
WHOLE_ROW = ("a quote is opened", "the index")


@pytest.mark.parametrize(("name", "head", "bad", "column", "what", "good"), CASES)
def test_bad_values_may_be_missing(tmp_path, name, head, bad, column, what, good):
    path = tmp_path / name
    good = good.strip() + b"\n"
    head += good * 6000 if name in ("a.csv", "a.svm") else b""
    path.write_bytes(head + good + good)
    whole, labels = drained(streams.open(path))
    path.write_bytes(head + bad + b"\n" + good)
    mendable = column not in BROKEN and not what.startswith(WHOLE_ROW)
    stream = streams.open(path, on_error="missing")
    for rows in (1000, 7):
        xs, ys = drained(stream, rows)
        assert (stream.skipped, stream.mended) == ((0, 1) if mendable else (1, 0))
        assert (len(xs), len(ys)) == (len(whole) - (not mendable), len(labels) - (not mendable))
        (fault,) = stream.errors
        assert what in fault.what
        assert (fault.line, fault.column) == (head.count(b"\n") + 1, column)
        if mendable:
            key = int(column) - 1 if name == "a.svm" else column
            value = xs[-2][key]
            assert value is None or value != value
            assert xs[-1] == whole[-1]


@pytest.mark.parametrize("block_bytes", [40, 1 << 20])
def test_a_mended_row_is_that_with_the_value_missing(tmp_path, block_bytes):
    head = "x,city,z,class\n" + '1,"Bari, old",2,0\n' * 6000
    dirty = head + 'abc,"San ""R""",inf,1\n' + "\n" + "4,Roma,,1\n" + "x,y,z,w\n" + "5,R,q,0\n"
    clean = head + 'NA,"San ""R""",NA,1\n' + "4,Roma,,1\n" + "5,R,NA,0\n"
    (tmp_path / "dirty.csv").write_text(dirty)
    (tmp_path / "clean.csv").write_text(clean)
    mended, plain = (
        CsvStream(Source(tmp_path / name), on_error="missing", block_bytes=block_bytes)
        for name in ("dirty.csv", "clean.csv")
    )
    assert drained(mended, 999) == drained(plain, 999)
    assert (mended.mended, mended.skipped) == (3, 1)
    assert [fault.line for fault in mended.errors] == [6002, 6002, 6005, 6006]
    assert (plain.mended, plain.skipped) == (0, 0)


def test_mended_values_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    x = pa.array([1.0, math.inf, 3.0, -math.inf], pa.float32())
    n = ["1.5", "x", "2", "y"]
    table = pa.table({"x": x, "n": n, "class": [0, 1, None, None]})
    pyarrow.parquet.write_table(table, path, row_group_size=3)
    stream = streams.open(path, on_error="missing", types={"n": "numeric"})
    assert drained(stream) == ([{"x": 1.0, "n": 1.5}, {"x": None, "n": None}], [0, 1])
    assert (stream.mended, stream.skipped) == (2, 2)


def test_whole_pairs_of_surrogates_are_text(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"\\u00e9": "\\ud83d\\ude00", "class": "\\u00fc"}\n')
    assert drained(streams.open(tmp_path / "a.jsonl")) == ([{"é": "😀"}], ["ü"])
    (tmp_path / "a.arff").write_bytes(ARFF + b"2,Bari,'\\u00e9\\ud83d\\ude00',b\n")
    assert drained(streams.open(tmp_path / "a.arff"))[0][1]["s"] == "é😀"


def test_the_message_says_how_the_type_came_about(tmp_path):
    path = tmp_path / "flights.csv"
    path.write_text("delay,class\n" + "1,0\n" * 5000 + "abc,1\n")
    with pytest.raises(StreamError) as caught:
        drained(streams.open(path))
    assert str(caught.value) == (
        "flights.csv, line 5002, column 'delay': 'abc' is not a number. The column was taken for "
        "numbers from the first 5,000 rows; pass types={'delay': 'categorical'} or "
        'on_error="missing" or on_error="skip".'
    )
    xs, _ = drained(streams.open(path, types={"delay": "categorical"}))
    assert [x["delay"] for x in xs] == ["1"] * 5000 + ["abc"]
    path.write_text("delay,class\nabc,1\n1,0\n")
    with pytest.raises(StreamError, match="taken for numbers as declared"):
        drained(streams.open(path, types={"delay": "numeric"}))


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(
        b'\xef\xbb\xbf\r\nx,t,class\r\n\r\n1,"two\r\nlines",a\r\n'
        b'bad\r\n   \r\n2,"b,c",b\r\n,\r\n3,d,a'
    )
    stream = streams.open(path, on_error="skip")
    xs, ys = drained(stream)
    assert [e.line for e in stream.errors] == [6, 9]
    assert [x["t"] for x in xs] == ["two\r\nlines", "b,c", "d"]
    assert ys == ["a", "b", "a"]


def test_a_quote_left_open_does_not_swallow_the_next_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,t,class\n1,a,p\n2,"b,p\n3,"c",q\n4,5" pipe,q\n5,"d"e,p\n6,f,q\n')
    stream = streams.open(path, on_error="skip")
    xs, ys = drained(stream)
    assert [(x["x"], x["t"]) for x in xs] == [(1, "a"), (3, "c"), (4, '5" pipe'), (6, "f")]
    assert ys == ["p", "q", "q", "q"]
    assert [(e.line, e.column) for e in stream.errors] == [(3, "t"), (6, "t")]
    assert "text follows" in stream.errors[0].what
    # Well quoted, but too few fields: its first line alone is lost.
    path.write_text('x,t,class\n1,a,p\n2,"b\n3,c,q\nd"\n4,e,q\n')
    stream = streams.open(path, on_error="skip")
    assert [x["t"] for x in drained(stream)[0]] == ["a", "c", "e"]
    assert [e.line for e in stream.errors] == [3, 5]


def test_all_are_counted_and_the_first_twenty_kept(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,class\n" + "1,a\nbad\n" * 50)
    stream = streams.open(path, on_error="skip")
    assert len(drained(stream)[0]) == stream.skipped == 50
    assert [e.line for e in stream.errors] == list(range(3, 43, 2))


def test_a_larger_index_from_a_pipe_says_what_to_pass(tmp_path, monkeypatch):
    data = b"1 1:1\n" * 200_000 + b"1 2:1\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(StreamError, match=r"line 200001.*Pass a larger n_features"):
        list(streams.open("-", format="libsvm").chunks())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    chunks = list(streams.open("-", format="libsvm", n_features=2).chunks())
    assert sum(len(y) for _, y in chunks) == 200_001


# --- tables ---------------------------------------------------------------------------------------


def tables():
    data = {"x": [1.0, 2.0, math.nan, 4.0], "t": ["a", "b", None, "d"]}
    labels = ["p", None, "q", "p"]
    yield "arrow", pa.table({**data, "class": labels})
    yield "pandas", pd.DataFrame({**data, "class": labels})
    yield "polars", pl.DataFrame({**data, "class": labels})
    yield "pair", (pd.DataFrame(data), labels)
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    yield "pairs", list(zip(rows, labels, strict=True))
    yield "lists", (rows, labels)


@pytest.mark.parametrize(("name", "source"), list(tables()))
def test_a_missing_label_in_memory(name, source):
    with pytest.raises(StreamError, match=r"row 2.*the label is missing"):
        drained(streams.open(source))
    for rows in (1, 3, 10):
        stream = streams.open(source, on_error="skip")
        xs, ys = drained(stream, rows)
        assert [x["x"] for x in xs] == [1.0, None, 4.0]
        assert ys == ["p", "q", "p"]
        assert stream.skipped == 1
        assert (stream.errors[0].line, stream.errors[0].unit) == (2, "row")


def test_bad_rows_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    x = [1.0, math.inf, 3.0, 4.0, 5.0]
    labels = [0.0, 1.0, None, 0.5, 1.0]
    pyarrow.parquet.write_table(pa.table({"y": labels, "x": x}), path, row_group_size=2)
    with pytest.raises(StreamError, match=r"a.parquet, row 2, column 'x': the number is infinite"):
        drained(streams.open(path))
    stream = streams.open(path, on_error="skip")
    assert drained(stream) == ([{"x": 1.0}, {"x": 5.0}], [0, 1])
    assert [(e.line, e.column, e.what) for e in stream.errors] == [
        (2, "x", "the number is infinite"),
        (3, "y", "the label is missing"),
        (4, "y", "the label 0.5 is not a whole number"),
    ]


def test_types_of_arrow_tables():
    table = pa.table({"zip": [70121, 184], "n": ["1.5", "NA"], "class": [0, 1]})
    stream = streams.open(table, types={"zip": "categorical", "n": "numeric"})
    assert drained(stream)[0] == [{"zip": "70121", "n": 1.5}, {"zip": "184", "n": None}]
    assert drained(streams.open(table, types={"class": "categorical"}))[1] == ["0", "1"]
    with pytest.raises(StreamError, match="row 1, column 'n': 'x' is not a number"):
        drained(streams.open(pa.table({"n": ["x"], "y": [1]}), types={"n": "numeric"}))


def test_pairs_of_another_form():
    pairs = [([1, 2], 0), ([1], 0), ({"a": 1}, 0), (3, 0), "no pair", ([3, 4], 1)]
    stream = streams.open(pairs, on_error="skip")
    ((X, y),) = stream.chunks()
    assert np.array_equal(X, [[1, 2], [3, 4]])
    assert list(y) == [0, 1]
    assert [e.line for e in stream.errors] == [2, 3, 4, 5]


# --- files that are no such files -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n \n", "is empty"),
        ("a.csv", b"x,y\n", "has a header and no rows"),
        ("a.csv", b"x,x,class\n1,2,a\n", "column name 'x' appears 2 times"),
        ("a.csv", b"class\na\n", "has a single column"),
        ("a.csv", b"x,class\n1,0.5\n2,0.7\n", "looks like a regression target"),
        ("a.csv", b"\xff\xfex\x00", "UTF-16"),
        ("a.csv", b"x,class\r1,a\r", "carriage return"),
        ("a.csv", b'x,"class\n1,a\n', "the first line has no end"),
        ("a.csv", b"x\xff,class\n1,a\n", "header is not valid UTF-8"),
        ("a.arff", b"", "is empty"),
        ("a.arff", b"@relation r\n@attribute x real\n", "no @data"),
        ("a.arff", b"@relation r\n@data\n1\n", "declares no attributes"),
        ("a.arff", b"@attribute x real\n@data\n% none\n", "has a header and no rows"),
        ("a.arff", b"@attribute x relational\n@data\n1\n", "line 1: .*relational, which is not"),
        (
            "a.arff",
            b"@attribute x date 'w-yy'\n@data\n1\n",
            "line 1: .*the field 'w', which is unk",
        ),
        (
            "a.arff",
            b"@attribute x real\n@attribute y date\n@data\n1,1\n",
            "labels like those of type date are times",
        ),
        ("a.arff", b"\n@attribute x colour\n@data\n1\n", "line 2: .*unknown type 'colour'"),
        ("a.arff", b"@attribute x {a,a}\n@data\na\n", "some appear twice"),
        ("a.arff", b"@attribute x {a\n@data\na\n", "do not end with a brace"),
        ("a.arff", b"@attribute x real\nhello\n@data\n1\n", "line 2: 'hello' is no"),
        ("a.svm", b"# nothing\n", "is empty"),
        ("a.svm", b"0.5 1:1\n", "looks like a regression target"),
        ("a.jsonl", b"\n", "is empty"),
        (
            "a.jsonl",
            b'[{"a": 1, "class": 2}]',
            "no JSON object .* first 1 lines .* one object, in a",
        ),
        (
            "a.jsonl",
            b'{\n "a": 1,\n\n "class": 2\n}\n',
            "no JSON object .* first 4 lines .* one obj",
        ),
        ("a.jsonl", b'{"x": 1}\n', "no column that is surely the label"),
        (
            "a.jsonl",
            b'{"y": 1, "class": 1}\n',
            "several columns.*: 'y', 'class'",
        ),
        ("a.parquet", b"PAR1 and nothing else", "damaged or of another format"),
        ("a.arrow", b"ARROW1 and nothing else", "damaged or of another format"),
        ("a.csv.gz", b"x,y\n1,2\n", "damaged"),
        ("a.csv.zst", b"x,y\n1,2\n", "damaged"),
        ("a.csv.bz2", b"x,y\n1,2\n", "damaged"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, data, what):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(StreamError, match=what) as caught:
        drained(streams.open(path))
    assert str(caught.value).startswith(name)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv.gz", gzip.compress(as_csv() * 50, mtime=0)),
        ("a.csv.zst", pa.compress(as_csv() * 50, codec="zstd", asbytes=True)),
        ("a.parquet", as_parquet()),
        ("a.parquet.gz", gzip.compress(as_parquet(), mtime=0)),
        ("a.arrow", as_arrow()),
        ("a.ipc", as_arrow_stream()[:-8]),
    ],
)
def test_files_cut_short(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data[: len(data) - 30])
    with pytest.raises(StreamError, match=f"^{name}.*damaged"):
        drained(streams.open(path, on_error="skip"))


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_indices_from_zero_are_refused_and_never_skipped(tmp_path, on_error):
    """Only rows without the first feature would be left: a sample that nobody asked for."""
    path = tmp_path / "a.svm"
    path.write_text("1 0:2 1:3\n-1 1:1\n")
    with pytest.raises(StreamError, match=r"a.svm, line 1: the index 0 is below 1.*zero_based"):
        drained(streams.open(path, on_error=on_error))


def test_one_odd_value_in_many_numbers_is_named_and_makes_no_category(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{i}.5,{'yes' if i % 2 else 'no'}" for i in range(200)]
    rows[120] = "12O.5,no"
    path.write_text("amount,class\n" + "\n".join(rows) + "\n")
    with pytest.raises(StreamError, match=r"a.csv, line 122, column 'amount': '12O.5' is not"):
        drained(streams.open(path))
    taken = streams.open(path, types={"amount": "categorical"})
    assert len(drained(taken)[0]) == 200
    rows[40:60] = ["many,no"] * 20  # too many to be slips
    path.write_text("amount,class\n" + "\n".join(rows) + "\n")
    with pytest.warns(StreamWarning, match="'amount' is taken for text: 179 of its first 200"):
        assert len(drained(streams.open(path))[0]) == 200


def test_dates_in_parquet_are_seconds(tmp_path):
    dates = ["2026-03-01T12:00:00", "2026-03-01T12:00:01", None]
    times = pa.array(np.array(dates, dtype="datetime64[us]"))
    table = pa.table(
        {"at": times, "on": times.cast(pa.date32(), safe=False), "class": ["a", "b", "a"]}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    ((X, _),) = streams.open(tmp_path / "a.parquet").chunks()
    at = X.column("at").to_pylist()
    assert at[1] - at[0] == 1.0
    assert at[2] is None
    assert X.column("on").to_pylist()[0] == 1772323200.0
