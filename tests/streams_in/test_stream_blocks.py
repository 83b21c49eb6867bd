"""Rows, labels and bad rows do not depend on the size of chunks or blocks."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stream_files import drained

from sapwood import streams
from sapwood.streams import StreamError
from sapwood.streams import blocks as blocks_module
from sapwood.streams.arff import ArffStream
from sapwood.streams.delimited import CsvStream
from sapwood.streams.jsonlines import JsonStream
from sapwood.streams.libsvm import LibsvmStream
from sapwood.streams.source import Source

MISSING = {"", "NA", "NaN", "nan", "null", "None", "?"}
SIZES = st.integers(1, 60)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("streams") / "data.txt"


def outcome(make, path, rows, block_bytes, **options):
    """All that can be told from outside, or the error."""
    try:
        stream = make(Source(path), on_error="skip", block_bytes=block_bytes, **options)
        return drained(stream, rows), stream.skipped, stream.errors
    except StreamError as error:
        return str(error)


texts = st.text(alphabet=st.sampled_from('ab1 ,;"\n\té東?'), max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    rows=st.lists(
        st.tuples(numbers | st.none(), texts, st.sampled_from(["p", "q", "1"])), min_size=1
    ),
    chunk=st.integers(1, 9),
    block=SIZES,
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read(path, rows, chunk, block, end):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=end)
    writer.writerow(["x", "text, quoted", "class"])
    writer.writerows([("" if x is None else repr(x), t, y) for x, t, y in rows])
    path.write_bytes(out.getvalue().encode())
    kinds = {"text, quoted": "categorical", "x": "numeric", "class": "categorical"}
    stream = CsvStream(Source(path), delimiter=",", types=kinds, block_bytes=block)
    expected = [
        {"x": x, "text, quoted": None if t.removeprefix(" ") in MISSING else t} for x, t, _ in rows
    ]
    assert drained(stream, chunk) == (expected, [y for _, _, y in rows])


@pytest.mark.parametrize(
    ("alphabet", "head", "make", "options"),
    [
        ('a1,"\n', b"x,t,class\n", CsvStream, {"delimiter": ","}),
        ('a1,"\r\n \xff', b"x,t,class\n", CsvStream, {"types": {"x": "numeric"}}),
        (
            "a1,'{}% ?\n\\",
            b"@relation r\n@attribute x real\n@attribute t string\n@attribute class {a,1}\n@data\n"
            b"1,a,a\n",
            ArffStream,
            {},
        ),
        ("12:# .\n", b"1 1:1\n", LibsvmStream, {"n_features": 12}),
        ('{}"a:1,\n', b'{"a": 1, "class": 1}\n', JsonStream, {}),
    ],
)
def test_any_text_gives_the_same_in_blocks_of_any_size(path, alphabet, head, make, options):
    seen = set()

    # Latin-1, so that a letter of the alphabet may be a byte that is not UTF-8.
    @given(text=st.text(alphabet=alphabet, max_size=60), chunk=st.integers(1, 5), block=SIZES)
    @example(text='1,a,1\n1,"a,1\n"1",a,1\n1,1"1,a\n', chunk=1, block=1)
    @example(text='1"\r1\r"', chunk=1, block=1)
    @example(text="1 1:.\n:", chunk=1, block=1)
    def check(text, chunk, block):
        path.write_bytes(head + text.encode("latin-1"))
        expected = outcome(make, path, 1000, 1 << 20, **options)
        assert outcome(make, path, chunk, block, **options) == expected
        seen.add(isinstance(expected, tuple) and (bool(expected[0][0]), bool(expected[1])))

    check()
    assert (True, True) in seen  # some had good rows and bad ones


def test_a_bad_row_in_a_large_block_is_found_in_small_windows(path, monkeypatch):
    calls = []
    careful = CsvStream._careful

    def counted(self, lines, stop, labelled):
        calls.append(stop - lines.at)
        return careful(self, lines, stop, labelled)

    monkeypatch.setattr(CsvStream, "_careful", counted)
    lines = [f"{i},text {i % 7},{i % 3}" for i in range(60_000)]
    lines[41_000] = "41000,oops"
    path.write_text("i,text,class\n" + "\n".join(lines))
    stream = CsvStream(Source(path), on_error="skip")
    xs, ys = drained(stream, 10_000)
    assert [e.line for e in stream.errors] == [41_002]
    assert [x["i"] for x in xs] == [i for i in range(60_000) if i != 41_000]
    assert ys == [i % 3 for i in range(60_000) if i != 41_000]
    assert len(calls) == 1
    assert calls[0] <= blocks_module.WINDOW_BYTES


def test_a_long_record_is_no_bad_row(path):
    long = "x" * (3 << 20)
    path.write_text(f'a,b,class\n1,"{long}",y\n2,"short\nlines",n\n')
    for stream in (CsvStream(Source(path)), CsvStream(Source(path), block_bytes=1000)):
        xs, ys = drained(stream)
        assert [len(x["b"]) for x in xs] == [len(long), 11]
        assert ys == ["y", "n"]


def test_a_quote_that_is_never_closed_costs_one_line(path, monkeypatch):
    monkeypatch.setattr("sapwood.streams.lines.RECORD_LIMIT", 1000)
    rows = [f"{i},t,{i % 2}\n" for i in range(2000)]
    rows[700] = '700,"t,0\n'
    path.write_text("i,t,class\n" + "".join(rows))
    for block in (100, 1 << 20):
        stream = CsvStream(Source(path), on_error="skip", block_bytes=block)
        xs, _ = drained(stream, 100)
        assert [x["i"] for x in xs] == [i for i in range(2000) if i != 700]
        assert [(e.line, e.column) for e in stream.errors] == [(702, "t")]
        assert "never closed" in stream.errors[0].what


def test_fast_and_careful_ways_agree(path):
    values = ["1", "-2.5", "1e5", " 7", "+3", ".5", "5.", "NA", " ?", "nan", "NAN", "1e-400", ""]
    path.write_text("x,t,class\n" + "".join(f"{v},{v}x,a\n" for v in values))
    clean = drained(CsvStream(Source(path)))
    path.write_text("x,t,class\n" + "".join(f"{v},{v}x,a\n" for v in values) + "bad\n")
    stream = CsvStream(Source(path), on_error="skip")
    assert drained(stream) == clean
    assert stream.skipped == 1
    assert len(clean[0]) == len(values)


def test_chunks_are_arrow_tables_with_fixed_columns(path):
    path.write_text("x,t,class\n" + "1,a,p\n" * 3 + ",,p\n" * 3)
    tables = [X for X, _ in CsvStream(Source(path)).chunks(2)]
    text = pa.dictionary(pa.int32(), pa.string())
    assert [X.schema.names for X in tables] == [["x", "t"]] * 3
    assert all(X.schema.types == [pa.float64(), text] for X in tables)


def test_a_stray_quote_before_a_quoted_newline(path):
    path.write_text("a,b,class\n" + '5" pipe,"two\nlines",p\n' * 20)
    for block in range(1, 80):
        stream = CsvStream(Source(path), delimiter=",", block_bytes=block)
        xs, ys = drained(stream)
        assert xs == [{"a": '5" pipe', "b": "two\nlines"}] * 20
        assert ys == ["p"] * 20


# --- wide rows ------------------------------------------------------------------------------------


def wide(name, width, rows):
    """A file of wide rows, in short."""
    names = [f"c{j}" for j in range(width)]
    values = [[float(j % 7) for j in range(width)]] * rows
    if name == "a.csv":
        lines = [",".join([*names, "class"]), *(",".join([*map(str, v), "1"]) for v in values)]
    elif name == "text.csv":
        lines = [
            ",".join([*names, "class"]),
            *(",".join(["a", *map(str, v[1:]), "b"]) for v in values),
        ]
    elif name == "sparse.arff":
        lines = [*(f"@attribute {n} real" for n in names), "@attribute class {a,b}", "@data"]
        lines += ["{1 2}"] * rows
    else:
        lines = [json.dumps({**dict(zip(names, v, strict=True)), "class": 1}) for v in values]
    return "\n".join([*lines, ""])


@pytest.mark.parametrize(
    "name", ["a.csv", "text.csv", "sparse.arff", "a.jsonl", "a.parquet", "pairs"]
)
def test_a_chunk_is_no_larger_than_its_cells_may_be(tmp_path, monkeypatch, name):
    """However wide the rows: a CSV of 10^5 columns must not ask for 65,536 rows of them."""
    monkeypatch.setattr("sapwood.streams.stream.CHUNK_CELLS", 4000)
    for module in ("jsonlines", "pairs"):
        monkeypatch.setattr(f"sapwood.streams.{module}.OBJECT_CELLS", 4000)
    width, n = 1000, 41
    path = tmp_path / name
    if name == "a.parquet":
        table = pa.table({f"c{j}": [1.0] * n for j in range(width)} | {"class": [0] * n})
        pa.parquet.write_table(table, path)
    elif name == "pairs":
        path = [(dict.fromkeys(range(width), 1.0), 0)] * n
    else:
        path.write_text(wide(name, width, n))
    for chunks in (streams.open(path).chunks(), streams.open(path)._quick_chunks(65536)):
        rows = [len(y) for _, y in chunks]
        assert sum(rows) == n
        assert max(rows) <= 4
        assert len(rows) <= n // 3 + 1


def test_a_row_longer_than_the_window_is_read_by_the_core(tmp_path, monkeypatch):
    monkeypatch.setattr("sapwood.streams.delimited._WINDOW_BYTES", 64)
    path = tmp_path / "a.csv"
    path.write_text(wide("a.csv", 300, 9))
    stream = streams.open(path)
    monkeypatch.setattr(stream, "_pieces", lambda *_: iter(()))  # what the core does not read
    ((X, y),) = stream._quick_chunks(65536)
    assert X.columns.shape == (9, 300)
    assert (X.columns == np.arange(300) % 7).all()
    assert (y == 1).all()
