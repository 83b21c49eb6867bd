"""Labels that are whole numbers stay exact in 64 bits, however they are written, or are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from stream_files import drained

import sapwood
from sapwood import ConfidenceTreeClassifier, streams
from sapwood.streams import StreamError, libsvm
from sapwood.streams.labels import whole_label

ODD = 2**53 + 1  # its float64 is that of 2**53
LARGEST = 2**63 - 1
SVM = "{} 1:1\n"


def lines(name, labels):
    if name == "a.csv":
        return "a,class\n" + "".join(f"1,{label}\n" for label in labels)
    if name == "quoted.csv":  # pyarrow's way
        return "a,class\n" + "".join(f'"1","{label}"\n' for label in labels)
    if name == "a.arff":
        head = "@relation r\n@attribute a real\n@attribute class integer\n@data\n"
        return head + "".join(f"1,{label}\n" for label in labels)
    if name == "quoted.arff":  # line by line
        head = "@relation r\n@attribute a real\n@attribute class integer\n@data\n"
        return head + "".join(f"'1',{label}\n" for label in labels)
    if name == "a.svm":
        return "".join(f"{label} 1:1\n" for label in labels)
    return "".join(f'{{"a": 1, "class": {label}}}\n' for label in labels)


FILES = ["a.csv", "quoted.csv", "a.arff", "quoted.arff", "a.svm", "a.jsonl"]


def read(path, name, labels, **options):
    (path / name).write_text(lines(name, labels))
    stream = streams.open(path / name, **options)
    by_chunks = drained(stream)[1]
    quick = [k for _, y in stream._quick_chunks(3) for k in y.tolist()]
    assert by_chunks == quick
    return by_chunks


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("other", ["1", "+1", "1.0", "1e0", "-1"])
def test_a_large_one_is_exact_whatever_is_written_beside_it(tmp_path, name, other):
    other = "1" if name == "a.jsonl" and other == "+1" else other  # which is no JSON
    labels = [str(ODD), other, str(-ODD), str(LARGEST), str(-LARGEST - 1)]
    expected = [ODD, int(float(other)), -ODD, LARGEST, -LARGEST - 1]
    assert read(tmp_path, name, labels) == expected
    # And where the sample had none such.
    plain = ["1"] * 6000
    assert read(tmp_path, name, plain + labels) == [1] * 6000 + expected


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("large", [f"{2**53}.0", "1e16", str(2**63), str(2**64)])
def test_one_that_cannot_be_exact_is_refused(tmp_path, name, large):
    labels = ["1"] * 6000 + [large]
    with pytest.raises(StreamError, match=r"is too large to be kept exactly"):
        read(tmp_path, name, labels)
    stream_labels = read(tmp_path, name, labels, on_error="skip")
    assert stream_labels == [1] * 6000
    if name.endswith((".csv", ".svm")):  # from the first row on
        what = "numbers that are too large to be kept exactly. Pass label="
        with pytest.raises(StreamError, match=what):
            read(tmp_path, name, [large, "1"])


def test_a_json_label_in_quotes(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"a": 1, "class": "{ODD}"}}\n{{"a": 1, "class": 2}}\n')
    stream = streams.open(path, types={"class": "numeric"})
    assert drained(stream)[1] == [ODD, 2]


def test_what_is_no_whole_number():
    for text in (b"", b"1.5", b"x", b"nan", b"inf", b"1e400", b"0x10", b"1_0", b"--1", b"9" * 5000):
        assert whole_label(text) is None
    for text in (b" 7 ", b"+7", b"007", b"7.", b"70e-1", b"0" * 500 + b"7"):
        assert whole_label(text) == 7


def test_labels_of_arrow_tables():
    a = [1.0, 2.0, 3.0]
    for kind in (pa.int64(), pa.uint64(), pa.decimal128(20, 0), pa.decimal128(30, 2)):
        assert drained(streams.open(pa.table({"a": a, "y": pa.array([ODD, 1, 2], kind)})))[1] == [
            ODD,
            1,
            2,
        ]
    for labels in (
        pa.array([1, 2**63, 2], pa.uint64()),
        pa.array([1, 2**63, 2], pa.decimal128(20, 0)),
        pa.array([1.0, 2.0**53, 2.0]),
    ):
        stream = streams.open(pa.table({"a": a, "y": labels}), on_error="skip")
        assert drained(stream)[1] == [1, 2]
        assert stream.errors[0].what.endswith("is too large to be kept exactly")


def mixtures():
    yield "list", [ODD, 1.0]
    yield "column", [[ODD], [1.0]]
    yield "objects", np.array([ODD, 1.0], dtype=object)
    yield "pandas", pd.Series([ODD, 1.0], dtype=object)
    yield "polars", pl.Series([ODD, 1])
    yield "arrow", pa.array([ODD, 1])


@pytest.mark.parametrize(("name", "y"), list(mixtures()))
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_a_float_beside_a_large_one_costs_nothing(name, y):
    tree = ConfidenceTreeClassifier().partial_fit([[0.0], [1.0]], y)
    assert tree.classes_.tolist() == [1, ODD]
    assert tree.classes_.dtype == np.int64
    tree.partial_fit([[0.0]], [float(2**53)])  # another class
    assert tree.classes_.tolist() == [1, ODD - 1, ODD]


def test_a_missing_label_beside_a_large_one(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": pd.array([ODD, None, 1], dtype="Int64")})
    for source in (frame, pl.from_pandas(frame), pa.table(frame)):
        assert list(drained(streams.open(source, on_error="skip"))[1]) == [ODD, 1]


def test_pairs_with_a_float_among_their_labels():
    rows = [({"a": 1.0}, ODD), ({"a": 2.0}, 1.0)] * 3
    result = sapwood.evaluate(rows, ConfidenceTreeClassifier())
    assert result.classes == [1, ODD]
    assert result.model.classes_.tolist() == [1, ODD]
    for y in ([2**63, 1], np.array([2**63, 1], dtype=np.uint64)):
        with pytest.raises(ValueError, match="does not fit in 64 bits"):
            ConfidenceTreeClassifier().partial_fit([[0.0], [1.0]], y)


def test_libsvm_looks_once_at_a_label_that_many_rows_of_a_chunk_have(tmp_path, monkeypatch):
    path = tmp_path / "a.svm"
    path.write_text("1 1:0.5\n-1 1:2\n" * 500)
    asked = []

    def counted(text):
        asked.append(text)
        return whole_label(text)

    stream = streams.open(path)
    monkeypatch.setitem(libsvm._LABELS, "int", (counted, np.int64))
    monkeypatch.setattr(streams.labels, "whole_label", counted)
    ((_, y),) = stream.chunks()
    assert y.tolist() == [1, -1] * 500
    assert sorted(asked) == [b"-1", b"-1", b"1", b"1"]  # to check it, and to read it
