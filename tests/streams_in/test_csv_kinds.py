"""What a column of a delimited file is taken for, and what is said where one may doubt it."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from stream_files import drained

from sapwood import ConfidenceTreeClassifier, evaluate, streams
from sapwood._times import from_text
from sapwood.streams import StreamError, StreamWarning, texts


def opened(tmp_path, values, header="x,class", **options):
    path = tmp_path / "a.csv"
    rows = [f'"{value}",{"pq"[i % 2]}' for i, value in enumerate(values)]
    path.write_text("\n".join([header, *rows, ""]))
    return streams.open(path, **options)


def column(stream):
    return [row["x"] for row in drained(stream)[0]]


NOON = 1772366400.0
KINDS = {
    "truth": (["true", "false", "", "true"], [1.0, 0.0, None, 1.0]),
    "truth in any spelling": (["True", " FALSE", "TRUE", "?"], [1.0, 0.0, 1.0, None]),
    "days": (["2026-03-01", "NA", "1970-01-02"], [NOON - 43200, None, 86400.0]),
    "moments": (["2026-03-01 12:00", "2026-03-01T12:00:00.5"], [NOON, NOON + 0.5]),
    "moments in a zone": (["2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"], [NOON, NOON]),
    "moments in several zones": (
        ["2026-03-01 14:00:00+0200", "2026-03-01 12:00", "2026-03-01 11:00:00 -01:00"],
        [NOON, NOON, NOON],
    ),
    "hours, and without marks": (["2026-03-01 12", "20260301T120000Z"], [NOON, NOON]),
    "nanoseconds": (["2026-03-01 12:00:00.123456789"] * 2, [NOON + 0.123456789] * 2),
    "moments in logs": (
        ["2026-03-01 12:00:00,123", "2026-03-01 12:00:01,000"],
        [NOON + 0.123, NOON + 1],
    ),
    "times of day": (["12:30:05.25", "00:00:00"], [45005.25, 0.0]),
    "days and times": (["2026-03-01", "2026-03-01 12:00:00"], [NOON - 43200, NOON]),
    "no such day": (["2026-02-30", "2026-03-01"], ["2026-02-30", "2026-03-01"]),
    "yes and no": (["yes", "no", "yes"], ["yes", "no", "yes"]),
    "years and months": (["2026-03", "2026-04"], ["2026-03", "2026-04"]),
    "numbered things": (["A12", "B7"], ["A12", "B7"]),
}  # fmt: skip


@pytest.mark.parametrize("case", KINDS)
def test_columns_are_what_their_text_says(tmp_path, case):
    values, expected = KINDS[case]
    assert column(opened(tmp_path, values)) == expected
    assert column(opened(tmp_path, values, types={"x": "categorical"}))[0] == values[0]


@pytest.mark.parametrize("case", KINDS)
def test_blocks_and_bad_rows_change_nothing(tmp_path, case):
    """Read record by record, where a row is bad, each value is what it is in a block."""
    values, expected = KINDS[case]
    stream = opened(tmp_path, [*values, *values], on_error="skip", delimiter=",")
    text = (tmp_path / "a.csv").read_text()
    (tmp_path / "a.csv").write_text(text + "1,2,3\n" + text.partition("\n")[2])
    stream = streams.open(tmp_path / "a.csv", on_error="skip")
    assert column(stream) == [*expected] * 4
    assert stream.skipped == 1


def test_a_slip_among_many_dates_is_named(tmp_path):
    values = ["2026-03-01"] * 200
    values[120] = "2026-O3-01"
    with pytest.raises(StreamError, match=r"line 122, column 'x': '2026-O3-01' is not a date or"):
        drained(opened(tmp_path, values))
    with pytest.raises(StreamError, match=r"pass types={'x': 'categorical'} or on_error"):
        drained(opened(tmp_path, values))
    assert len(column(opened(tmp_path, values, on_error="skip"))) == 199


def test_truth_values_must_all_be_so_later_too(tmp_path):
    values = ["true", "false"] * 3000
    values[5990] = "maybe"
    with pytest.raises(StreamError, match=r"line 5992, column 'x': 'maybe' is not true or false"):
        drained(opened(tmp_path, values))
    values[7] = "maybe"
    with pytest.warns(StreamWarning, match="4,999 of its first 5,000 values are numbers, booleans"):
        assert column(opened(tmp_path, values))[7] == "maybe"


def test_declared_numeric_a_column_is_what_most_of_it_is(tmp_path):
    values = ["2026-03-01", "n/a", "2026-03-02"]
    stream = opened(tmp_path, values, types={"x": "numeric"}, on_error="skip")
    assert column(stream) == [NOON - 43200, NOON + 43200]
    stream = opened(tmp_path, ["1", "n/a", "2"], types={"x": "numeric"}, on_error="skip")
    assert column(stream) == [1.0, 2.0]
    values = ["true", "n/a", "false"]
    stream = opened(tmp_path, values, types={"x": "numeric"}, on_error="missing")
    assert column(stream) == [1.0, None, 0.0]


def test_labels_may_be_true_and_false_but_no_dates(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,class\n1,true\n2,False\n3,true\n")
    assert drained(streams.open(path))[1] == [True, False, True]
    result = evaluate(path, ConfidenceTreeClassifier())
    assert result.classes == [False, True]
    path.write_text("x,class\n1,true\n2,False\n3,maybe\n")
    assert drained(streams.open(path))[1] == ["true", "False", "maybe"]
    path.write_text("x,class\n" + "1,true\n" * 5000 + "2,maybe\n")
    with pytest.raises(StreamError, match="the label 'maybe' is not true or false"):
        drained(streams.open(path))
    path.write_text("x,class\n1,2026-03-01\n2,2026-03-02\n")
    with pytest.raises(StreamError, match="labels like 2026-03-01 are times, which are no classes"):
        streams.open(path)
    assert len(drained(streams.open(path, types={"class": "categorical"}))[1]) == 2


@pytest.mark.parametrize("text", ["0001-01-01", "0000-01-01", "9999-12-31 23:59", "2026-03-01 12"])
def test_the_ends_of_time(tmp_path, text):
    seconds = from_text(text)
    assert column(opened(tmp_path, [text, text])) == [text if seconds is None else seconds] * 2


# --- what is said ---------------------------------------------------------------------------------

DOUBTS = {
    "thousands": (["1,234"] * 7 + ["12"] * 3, r"7 of its first 10 .* a comma, like '1,234'"),
    "decimals": (["3,5", "0,25", "7"], r"2 of its first 3 .* a comma, like '3,5'"),
    "both": (["1.234,5", "12,0"], r"2 of its first 2 .* a comma, like '1.234,5'"),
    "dates of the day first": (
        ["01.03.2026", "2.3.2026", "soon"],
        r"2 of .* form of their own, like '01",
    ),
    "dates with a time": (["3/1/2026 4:05 PM"] * 2, r"2 of .* Write them as year-month-day"),
    "dates of the year first": (["2026/03/01"] * 2, r"2 of .* Write them as year-month-day"),
    "one third text": (
        ["1", "n/a", "3"] * 9,
        r"18 of its first 27 .* dates, and 'n/a' is none\..*"
        r" pass types={'x': 'numeric'} with on_error=\"missing\"",
    ),
    "dates and text": (["2026-03-01", "2026-03-02", "soon"], r"2 of its first 3 .*'soon' is none"),
}


@pytest.mark.parametrize("case", DOUBTS)
def test_numbers_that_become_text_are_said(tmp_path, case):
    values, words = DOUBTS[case]
    with pytest.warns(StreamWarning, match=f"^a.csv: the column 'x' is taken for text: {words}"):
        opened(tmp_path, values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(tmp_path, values, types={"x": "categorical"})


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b", "c"],
        ["A12", "A13"],
        ["1", "a", "b"],
        ["?", "", "NA"],
        ["1,2,3", "2,3,1"],
        ["1.2.3", "1.10.2"],
        ["1/2", "3/4"],
    ],
)
def test_nothing_is_said_of_text(tmp_path, values):
    opened(tmp_path, values)  # a warning would be an error


def test_many_such_columns_are_said_together(tmp_path):
    path = tmp_path / "a.csv"
    names = [f"c{j}" for j in range(9)]
    path.write_text("\n".join([",".join([*names, "class"]), "1," * 9 + "p", "1," * 9 + "q",
                               "odd," * 9 + "q", ""]))  # fmt: skip
    with pytest.warns(StreamWarning) as said:
        streams.open(path)
    assert len(said) == 6
    assert "so are 4 more columns, for such reasons: 'c5', 'c6', 'c7', 'c8'" in str(said[5].message)


def test_text_that_pyarrow_reads_as_moments_is_what_we_read(tmp_path):
    """The fast way and the careful one know the same moments."""
    texts = ["2026-03-01", "2026-03-01 12:30", "2026-03-01T12:30:05.123456", "1600-02-29 01:00"]
    for zone in ("", "Z", "+02:00", "-0130"):
        column = pa.array([text + (zone if ":" in text else "") for text in texts])
        found = streams.arrow.read_numbers(pa.chunked_array([column]), "time").to_pylist()
        assert found == [from_text(text) for text in column.to_pylist()]


def test_dates_are_read_without_importing_pandas(tmp_path):
    """Which pyarrow's own conversions do, and it takes longer than most runs."""
    opened(tmp_path, ["2026-03-01", "", "2026-03-02 12:00"])
    code = (
        "import sys; from sapwood import streams\n"
        f"X = next(streams.open({str(tmp_path / 'a.csv')!r}).chunks())[0]\n"
        "assert X.column('x').to_pylist() == [1772323200.0, None, 1772452800.0]\n"
        "assert 'pandas' not in sys.modules"
    )
    folder = str(Path(streams.__file__).parents[2])
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": folder}
    )


def test_numbers_of_very_many_digits_are_read(tmp_path):
    path = tmp_path / "a.csv"
    many = 5000
    path.write_text(f"day,class\n2026-03-01 00:00:00.{'5' * many},{'0' * many}7\n2026-03-02,8\n")
    X, y = next(streams.open(path).chunks())
    assert X.column("day")[0].as_py() == pytest.approx(1772323200.5555556)
    assert y.tolist() == [7, 8]


def test_types_name_columns_by_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,class\n1,x\n2,y\n")
    with pytest.raises(StreamError, match="types names a column 0"):
        streams.open(path, types={0: "categorical"})


@pytest.mark.parametrize(
    "value",
    [
        *sorted(texts.MISSING),
        b"True",
        b"FALSE",
        b"inf",
        b"-Infinity",
        b"NaN(1)",
        b".5",
        b"2026-03-01",
    ],
)
def test_nothing_that_is_no_word_begins_as_words_do(value):
    for spelt in (value, value.lower(), value.upper(), b" " + value):
        known = texts.numberlike(spelt) or texts.truth_of(spelt) is not None
        assert texts.is_words(spelt) == (not known and texts.second_of(spelt) is None)
