"""The same rows come out of every format, in chunks of any size, and compressed or not."""

import bz2
import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from stream_files import EXPECTED, LABELS, NAMES, ROWS, WRITERS, as_table, drained, plain_rows

from sapwood import ConfidenceTreeClassifier, streams


def zstd(data):
    return pa.compress(data, codec="zstd", asbytes=True)


COMPRESSORS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd}


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_rows(write, name, rows):
    stream = streams.open(write(name, WRITERS[name]()))
    assert drained(stream, rows) == (EXPECTED, LABELS)
    sizes = [len(y) for _, y in stream.chunks(rows)]
    assert sizes[:-1] == [rows] * (len(sizes) - 1)
    assert (stream.name, stream.skipped, stream.errors) == (name, 0, [])
    assert [row for X in stream.features(rows) for row in plain_rows(X)] == EXPECTED


@pytest.mark.parametrize("suffix", COMPRESSORS)
@pytest.mark.parametrize("name", WRITERS)
def test_compressed_files(write, name, suffix):
    path = write(name + suffix, COMPRESSORS[suffix](WRITERS[name]()))
    stream = streams.open(path)
    assert drained(stream, 2) == (EXPECTED, LABELS)
    assert stream.n_bytes == path.stat().st_size
    if name.endswith((".csv", ".arff", ".jsonl")):
        assert stream.bytes_read == stream.n_bytes
        next(stream.chunks(1))
        assert 0 < stream.bytes_read <= stream.n_bytes


@pytest.mark.parametrize("name", [name for name in WRITERS if "stream" not in name])
def test_number_of_rows_where_it_is_known(write, name):
    stream = streams.open(write(name, WRITERS[name]()))
    assert stream.n_rows == (len(ROWS) if name.endswith((".parquet", ".pq")) else None)


def in_memory():
    frame = pd.DataFrame(ROWS, columns=NAMES).assign(**{"class": LABELS})
    yield "arrow", as_table()
    yield "record batch", as_table().to_batches()[0]
    yield "pandas", frame
    yield "polars", pl.from_arrow(as_table())
    yield "pair of pandas", (frame[NAMES], frame["class"])
    yield "pair of polars", (pl.from_arrow(as_table())[NAMES], pl.Series(LABELS))
    yield "pair of arrow", (as_table().select(NAMES), pa.array(LABELS))
    yield "pair of lists", (EXPECTED, LABELS)
    yield "pairs", list(zip(EXPECTED, LABELS, strict=True))


@pytest.mark.parametrize(("name", "source"), list(in_memory()))
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_tables_in_memory(name, source, rows):
    stream = streams.open(source)
    for _ in range(2):
        assert drained(stream, rows) == (EXPECTED, LABELS)
    assert stream.n_rows == (None if name == "pairs" else len(ROWS))


def test_pairs_of_sequences():
    X = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    expected = [{0: 1.0, 1: 2.0}, {0: 3.0, 1: None}, {0: 5.0, 1: 6.0}]
    for source in ((X, [0, 1, 0]), list(zip(X, [0, 1, 0], strict=True)), (X.tolist(), [0, 1, 0])):
        assert drained(streams.open(source), 2) == (expected, [0, 1, 0])
    mixed = [([1.0, "a"], "x"), ([None, "b"], "y")]
    assert drained(streams.open(mixed)) == ([{0: 1.0, 1: "a"}, {0: None, 1: "b"}], ["x", "y"])


def test_rows_without_labels(write):
    for name, data in {
        "a.csv": b"a,b\n1,x\n2,y\n",
        "a.jsonl": b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
        "a.arff": b"@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n",
    }.items():
        stream = streams.open(write(name, data), label=False)
        rows = [row for X in stream.features(1) for row in plain_rows(X)]
        assert rows == [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}]
        with pytest.raises(ValueError, match="label=False"):
            stream.chunks()
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    for table in (frame, pa.table(frame), pl.from_pandas(frame), frame.to_numpy()):
        (X,) = streams.open(table, label=False).features()
        assert [list(row.values()) for row in plain_rows(X)] == [[1.0], [2.0]]
    (X,) = streams.open(iter([{"a": 1}]), label=False).features()
    assert X == [{"a": 1}]


def test_features_do_not_need_labels(write):
    path = write("a.csv", b"a,class\n1,x\n2,\n3,y\n")
    (X,) = streams.open(path).features()
    assert plain_rows(X) == [{"a": 1.0}, {"a": 2.0}, {"a": 3.0}]


@pytest.mark.parametrize("name", ["a.csv", "a.arff", "a.parquet"])
def test_a_tree_learns_the_same_in_chunks(write, name):
    path = write(name, WRITERS[name]())
    stream = streams.open(path)
    whole, parts = ConfidenceTreeClassifier(), ConfidenceTreeClassifier()
    for X, y in stream.chunks():
        whole.partial_fit(X, y)
    for X, y in stream.chunks(2):
        parts.partial_fit(X, y)
    (X,) = stream.features()
    np.testing.assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))
    assert sorted(whole.classes_) == sorted(set(LABELS))


def test_libsvm(write):
    data = b"+1 1:0.5 3:-2 # first\n\n# only a comment\n-1 2:1e3\r\n1.0\n-1 4:nan"
    expected = [[0.5, 0, -2, 0], [0, 1000, 0, 0], [0, 0, 0, 0], [0, 0, 0, None]]
    for rows in (1, 2, 10):
        xs, ys = drained(streams.open(write("a.svm", data)), rows)
        assert [list(x.values()) for x in xs] == expected
        assert ys == [1, -1, 1, -1]
        assert all(isinstance(y, int) for y in ys)
    X, y = next(streams.open(write("a.libsvm", data), n_features=6).chunks())
    assert X.shape == (4, 6)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    X, y = next(streams.open(write("b.svm", b"spam 1:1\n2 2:1\n")).chunks())
    assert y.tolist() == ["spam", "2"]
    (X,) = streams.open(write("c.svm", b"1:1 2:4\n2:1\n"), label=False).features()
    assert X.tolist() == [[1, 4], [0, 1]]


def test_sparse_arff(write):
    data = (
        b"@relation r\n@attribute a real\n@attribute b {x,'y z'}\n@attribute c string\n"
        b"@attribute class {no,yes}\n@data\n{}\n{0 1.5, 1 'y z', 3 yes}\n"
        b'{2 "q, r" , 0 ?}\n1,x,t,no\n'
    )
    stream = streams.open(write("a.arff", data), on_error="skip")
    xs, ys = drained(stream)
    assert xs == [
        {"a": 0.0, "b": "x", "c": None},
        {"a": 1.5, "b": "y z", "c": None},
        {"a": 1.0, "b": "x", "c": "t"},
    ]
    assert ys == ["no", "yes", "no"]
    assert [e.line for e in stream.errors] == [9]  # its places do not ascend


def test_arff_keeps_declared_values_in_order(write):
    head = (
        b"@relation r\n@attribute b {z, x, y}\n@attribute class {n,p}\n@attribute a real\n@data\n"
    )
    for row in (b" x ,n, 1\n", b"'x',n,1\n"):  # the fast way and the other
        ((X, y),) = streams.open(write("a.arff", head + row)).chunks()
        assert y.tolist() == ["n"]
        column = X.column("b").combine_chunks()
        assert column.dictionary.to_pylist() == ["z", "x", "y"]
        assert column.to_pylist() == ["x"]
        assert X.column("a").to_pylist() == [1.0]
