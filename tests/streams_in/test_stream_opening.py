"""What can be opened, how columns are found, and what can be read only once."""

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from stream_files import EXPECTED, LABELS, WRITERS, as_csv, drained, plain_rows

from sapwood import streams
from sapwood.streams import LabelError, Stream, StreamError, StreamWarning
from sapwood.streams.source import Source


@pytest.fixture
def stdin(monkeypatch):
    def pipe(data):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return pipe


# --- once and lazily ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("csv", "a.csv"),
        ("tsv", "a.tsv"),
        ("arff", "a.arff"),
        ("jsonl", "a.jsonl"),
        ("parquet", "a.parquet"),
        ("arrow", "stream.ipc"),
    ],
)
def test_standard_input(stdin, format, name):
    stdin(WRITERS[name]())
    stream = streams.open("-", format=format)
    assert (stream.name, stream.n_bytes) == ("stdin", None)
    assert drained(stream, 2) == (EXPECTED, LABELS)
    assert not sys.stdin.buffer.closed


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_standard_input_is_read_once(stdin, format):
    stdin(WRITERS[f"a.{format}"]())
    stream = streams.open("-", format=format)
    assert drained(stream) == (EXPECTED, LABELS)
    for again in (stream.chunks, stream.features):
        with pytest.raises(ValueError, match="stdin can be read once only"):
            again()


def test_standard_input_needs_a_format():
    with pytest.raises(ValueError, match="pass format="):
        streams.open("-")


def test_a_generator_is_taken_from_only_as_needed_and_once():
    taken = []

    def pairs():
        for i in range(1000):
            taken.append(i)
            yield {"i": i}, i % 2

    stream = streams.open(pairs())
    assert taken == []
    chunks = stream.chunks(rows=10)
    assert taken == []
    X, y = next(chunks)
    assert [row["i"] for row in X] == list(range(10)) == taken
    assert list(y) == [0, 1] * 5
    next(chunks)
    assert len(taken) == 20
    with pytest.raises(ValueError, match="generator can be read once only"):
        stream.chunks()


def test_a_file_is_read_only_as_needed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1, "y": 0}\n' * 1_500_000)
    stream = streams.open(path)
    next(stream.chunks(10))
    assert 0 < stream.bytes_read < stream.n_bytes / 2


def test_passes_start_from_the_beginning(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv())
    stream = streams.open(path)
    first = stream.chunks(2)
    next(first)
    assert drained(stream) == drained(stream) == (EXPECTED, LABELS)


def test_files_are_closed(tmp_path, monkeypatch):
    opened = []
    original = Source.open

    def remember(self):
        opened.append(original(self))
        return opened[-1]

    monkeypatch.setattr(Source, "open", remember)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(as_csv()))
    stream = streams.open(path)
    drained(stream)
    half = stream.chunks(1)
    next(half)
    half.close()
    assert len(opened) == 3
    assert all(reader._raw.closed for reader in opened)


# --- the label column -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "labels", "names"),
    [
        (None, ["p", "q"], ["a", "z"]),  # y is a usual name
        ("z", [7, 8], ["a", "y"]),
        ("y", ["p", "q"], ["a", "z"]),
        (0, [1, 2], ["y", "z"]),
        (-1, [7, 8], ["a", "y"]),
    ],
)
def test_the_label_of_a_csv(tmp_path, label, labels, names):
    path = tmp_path / "a.csv"
    path.write_text("a,y,z\n1,p,7\n2,q,8\n")
    xs, ys = drained(streams.open(path, label=label))
    assert ys == labels
    assert [list(x) for x in xs] == [names] * 2


def test_the_label_of_tables(tmp_path):
    frame = pd.DataFrame({"y": ["p", "q"], "a": [1.0, 2.0]})
    other = frame.rename(columns={"y": "b"})
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    for source in (frame, pa.table(frame), path):
        assert drained(streams.open(source)) == ([{"a": 1.0}, {"a": 2.0}], ["p", "q"])
    for source in (other, pa.table(other)):
        with pytest.warns(StreamWarning, match="table: the last column, 'a', is taken for the lab"):
            assert drained(streams.open(source))[1] == [1, 2]
        assert drained(streams.open(source, label="b"))[1] == ["p", "q"]
        assert drained(streams.open(source, label=0))[1] == ["p", "q"]


def as_files(tmp_path, names, rows):
    """The same columns of whole numbers in every form that names its columns."""
    frame = pd.DataFrame(rows, columns=names)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    attributes = "".join(f"@attribute {name} integer\n" for name in names)
    body = "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "a.arff").write_text(f"@relation r\n{attributes}@data\n{body}")
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    paths = [tmp_path / name for name in ("a.csv", "a.parquet", "a.arff", "a.jsonl")]
    return [*paths, frame, pa.table(frame), pl.from_pandas(frame)]


@pytest.mark.parametrize("name", ["class", "label", "target", "y", "y_true", "Class", "TARGET"])
def test_a_label_is_known_by_its_name_in_every_form(tmp_path, name):
    for source in as_files(tmp_path, ["a", name, "z"], [(1, 0, 7), (2, 1, 8)]):
        stream = streams.open(source)
        assert (stream.label, stream.label_guess) == (name, "name")
        assert drained(stream)[1] == [0, 1]
        given = streams.open(source, label="z")
        assert (given.label, given.label_guess) == ("z", None)


def test_of_two_columns_that_may_be_the_label_none_is_taken(tmp_path):
    for source in as_files(tmp_path, ["class", "a", "Target"], [(1, 0, 0), (2, 1, 1)]):
        with pytest.raises(LabelError, match=r"'class', 'Target'\. Pass label= to name") as caught:
            streams.open(source)
        assert caught.value.candidates == ["class", "Target"]
        assert drained(streams.open(source, label="Target"))[1] == [0, 1]


def test_a_column_alone_or_twice_is_refused_in_every_form(tmp_path):
    for source in as_files(tmp_path, ["class"], [(0,), (1,)]):
        if not str(source).endswith(".jsonl"):  # other keys may come
            with pytest.raises(StreamError, match="has a single column, 'class'"):
                streams.open(source)
        assert len(list(streams.open(source, label=False).features())) == 1
    (tmp_path / "a.csv").write_text("a,b,a\n1,2,3\n")
    (tmp_path / "a.arff").write_text("@attribute a real\n@attribute a real\n@data\n1,2\n")
    table = pa.table([[1], [2]], names=["a", "a"])
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for source in (tmp_path / "a.csv", tmp_path / "a.arff", table, frame):
        for label in (None, "a", False):
            with pytest.raises(StreamError, match="the column name 'a' appears 2 times"):
                streams.open(source, label=label)
    for empty in (pd.DataFrame(), pl.DataFrame(), pa.table({})):
        with pytest.raises(StreamError, match="table has no columns"):
            streams.open(empty)


def test_a_label_with_spaces_around_its_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a, class\n1, x\n")
    assert streams.open(path).label == " class"


def test_a_label_that_only_its_place_tells_is_said(tmp_path):
    for source in as_files(tmp_path, ["a", "b"], [(1, 0), (2, 1)]):
        if str(source).endswith(".jsonl"):  # its keys have no order
            with pytest.raises(StreamError, match="no column that is surely the label"):
                streams.open(source)
            continue
        with pytest.warns(StreamWarning, match="the last column, 'b', is taken for the label"):
            stream = streams.open(source)
        assert (stream.label, stream.label_guess) == ("b", "place")
        streams.open(source, label=False)
        streams.open(source, label="b")


def test_the_label_of_json_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": true, "target": false}\n{"target": true}\n')
    assert drained(streams.open(path)) == ([{"a": True}, {}], [False, True])
    xs, ys = drained(streams.open(path, label="a", on_error="skip"))
    assert (xs, ys) == ([{"target": False}], [True])


def test_a_label_that_is_not_there(tmp_path):
    for name in ("a.csv", "a.arff", "a.jsonl", "a.parquet"):
        path = tmp_path / name
        path.write_bytes(WRITERS[name]())
        with pytest.raises(StreamError, match=r"'nope'.*'size', 'city'"):
            streams.open(path, label="nope")
        with pytest.raises(StreamError, match="types names a column 'nope'"):
            streams.open(path, types={"nope": "numeric"})
    with pytest.raises(StreamError, match="none at place 9"):
        streams.open(tmp_path / "a.csv", label=9)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["1", "-2", "007"], [1, -2, 7]),
        (["1.0", "+2", "3"], [1, 2, 3]),
        (["1", "two", "3"], ["1", "two", "3"]),
        (["true", "False", "TRUE"], [True, False, True]),
    ],
)
def test_labels_are_of_one_kind(tmp_path, column, expected):
    path = tmp_path / "a.csv"
    path.write_text("x,class\n" + "".join(f"1,{label}\n" for label in column))
    _, ys = drained(streams.open(path), 1)
    assert ys == expected
    assert {type(y) for y in ys} == {type(expected[0])}
    _, ys = drained(streams.open(path, types={"class": "categorical"}))
    assert ys == column


# --- what delimited files look like ---------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found(tmp_path, delimiter):
    path = tmp_path / "a.csv"
    path.write_text("a,b,class\n1.5,x,p\n2,y,q\n".replace(",", delimiter))
    expected = [{"a": 1.5, "b": "x"}, {"a": 2.0, "b": "y"}], ["p", "q"]
    assert drained(streams.open(path)) == expected
    assert drained(streams.open(path, delimiter=delimiter)) == expected


def test_text_with_spaces_and_commas_does_not_mislead(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;name;class\n1,5;New York, NY;p\n2,5;San Remo;q\n")
    xs, _ = drained(streams.open(path, types={"a": "categorical"}))
    assert xs[0] == {"a": "1,5", "name": "New York, NY"}


def test_no_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2.5,0\n3,?,1\n")
    with pytest.warns(StreamWarning, match="'2', is taken for the label"):
        stream = streams.open(path, header=False)
    assert drained(stream) == ([{"0": 1.0, "1": 2.5}, {"0": 3.0, "1": None}], [0, 1])
    with pytest.warns(StreamWarning, match="no header"):
        assert drained(streams.open(path, label="0"))[1] == [1, 3]


def test_missing_values_and_truth_values(tmp_path):
    path = tmp_path / "a.csv"
    missing = ["", "NA", "NaN", "nan", "null", "None", "?", " ?"]
    path.write_text("x,t,b,class\n1,a,true,p\n" + "".join(f"{m},{m},{m},p\n" for m in missing))
    xs, _ = drained(streams.open(path))
    assert xs[0] == {"x": 1.0, "t": "a", "b": 1.0}
    assert xs[1:] == [{"x": None, "t": None, "b": None}] * len(missing)


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "options", "what"),
    [
        ("a.csv", {"on_error": "ignore"}, "on_error must be"),
        ("a.csv", {"format": "xls"}, "format must be one of"),
        ("a.csv", {"n_features": 3}, "n_features is for LIBSVM"),
        ("a.csv", {"types": {"size": "number"}}, "A kind in types must be"),
        ("a.csv", {"label": True}, "label must be"),
        ("a.csv", {"delimiter": ",,"}, "delimiter must be a single character"),
        ("a.jsonl", {"delimiter": ","}, "delimiter is for delimited text"),
        ("a.jsonl", {"label": 3}, "named by its key"),
        ("a.svm", {"label": "x"}, "the label is the first word"),
        ("a.svm", {"types": {"x": "numeric"}}, "all columns are numeric"),
        ("a.svm", {"n_features": 0}, "n_features must be"),
        ("a.xyz", {}, "tells no format"),
        (([[1]], [1]), {"label": 0}, "label is for files"),
        (([[1]], [1]), {"label": False}, "label=False is for rows"),
        (([[1]], [1]), {"format": "csv"}, "format is for files"),
        (([[1]], [1]), {"types": {"0": "numeric"}}, "types is for files"),
        (([[1]], [1, 2]), {}, "1 rows and y has 2 labels"),
    ],
)
def test_arguments_that_do_not_fit(tmp_path, source, options, what):
    if isinstance(source, str):
        data = {**WRITERS, "a.svm": lambda: b"1 1:1\n"}.get(source, as_csv)()
        (tmp_path / source).write_bytes(data)
        source = tmp_path / source
    with pytest.raises(ValueError, match=what):
        streams.open(source, **options)


def test_sources_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        streams.open(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="folder"):
        streams.open(tmp_path / "folder.csv")
    for source in (np.zeros((3, 2)), 7, {"a": 1}, b"bytes"):
        with pytest.raises(TypeError, match="pair"):
            streams.open(source)
    for rows in (0, True, 2.5):
        with pytest.raises(ValueError, match="rows must be"):
            streams.open(([[1]], [1])).chunks(rows)


def test_a_stream_is_returned_as_it_is(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv())
    stream = streams.open(str(path))
    assert isinstance(stream, Stream)
    assert streams.open(stream) is stream


def test_the_path_may_be_text_and_the_format_given(tmp_path):
    path = Path(tmp_path) / "data"
    path.write_bytes(as_csv())
    stream = streams.open(str(path), format="csv")
    assert drained(stream) == (EXPECTED, LABELS)
    path = Path(tmp_path) / "A.CSV"
    path.write_bytes(as_csv())
    assert drained(streams.open(path)) == (EXPECTED, LABELS)


def test_wide_rows_come_in_smaller_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("sapwood.streams.stream.CHUNK_CELLS", 100)
    monkeypatch.setattr("sapwood.streams.libsvm._MOST_FEATURES", 100)
    path = tmp_path / "a.svm"
    path.write_text("1 40:1\n0 1:1\n1 2:1\n")
    assert [X.shape for X, _ in streams.open(path).chunks()] == [(2, 40), (1, 40)]
    path.write_text("1 400:1\n")
    with pytest.raises(StreamError, match="the index 400, too many features"):
        list(streams.open(path).chunks())


def test_without_pyarrow_the_message_says_what_to_install(tmp_path, monkeypatch):
    for name in ("a.csv", "a.parquet", "a.arff"):
        (tmp_path / name).write_bytes(WRITERS[name]())
    (tmp_path / "a.jsonl").write_bytes(WRITERS["a.jsonl"]())
    (tmp_path / "a.svm").write_bytes(b"1 1:1\n0 2:1\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("a.csv", "a.parquet", "a.arff"):
        with pytest.raises(ImportError, match=r"pip install 'sapwood\[arrow\]'"):
            streams.open(tmp_path / name)
    assert len(list(streams.open(tmp_path / "a.jsonl").chunks())) == 1
    ((X, _),) = streams.open(tmp_path / "a.svm").chunks()
    assert plain_rows(X) == [{0: 1.0, 1: 0.0}, {0: 0.0, 1: 1.0}]
