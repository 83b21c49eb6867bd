"""ARFF as WEKA and MOA write it: comments after rows, dates, classes in declared order."""

import pytest
from stream_files import drained

import sapwood
from sapwood import ConfidenceTreeClassifier, evaluate, streams
from sapwood.compare import compare
from sapwood.streams import StreamError
from sapwood.streams.dateformat import reader_of

DAY = 1772323200.0  # 2026-03-01


@pytest.fixture
def write(tmp_path):
    def write(attributes, rows, label="class {a,b}"):
        path = tmp_path / "a.arff"
        head = "".join(f"@attribute {attribute}\n" for attribute in [*attributes, label])
        path.write_text(f"@relation r\n{head}@data\n" + "".join(f"{row}\n" for row in rows))
        return path

    return write


def test_comments_after_rows_and_in_the_header(write):
    rows = [
        "% a line of its own, 'with a quote",
        "1,x,a % first",
        "2,'50 % off',b%second",
        '3,"%",a%',
        "{0 4, 2 b} % sparse, {braces}",
        "5,it's,a % don't",
        "   % indented",
        "6,x,b",
    ]
    path = write(["n real % the size", "t string"], rows, "class {a,b} % and {more}")
    xs, ys = drained(streams.open(path))
    assert [x["n"] for x in xs] == [1, 2, 3, 4, 5, 6]
    assert [x["t"] for x in xs] == ["x", "50 % off", "%", None, "it's", "x"]
    assert ys == ["a", "b", "a", "b", "a", "b"]


def test_what_a_comment_cuts_short_is_said(write):
    path = write(["n real", "t string"], ["1,50%,a"])
    with pytest.raises(StreamError, match=r"line 6: 2 values .* \(without quotes, % begins a comm"):
        drained(streams.open(path))
    path = write(["share {<50%, >=50%}"], ["<50%,a"])
    with pytest.raises(StreamError, match=r"line 2: .* a brace \(without quotes, % begins a comm"):
        streams.open(path)
    path = write(["share {'<50%', \">=50%\"}"], ["'<50%',a % low", "'>=50%',b"])
    assert [x["share"] for x in drained(streams.open(path))[0]] == ["<50%", ">=50%"]


DATES = {  # as it is declared, and written
    "date": ("2026-03-01T00:00:00", "2026-03-01T00:00:01", "2026-03-01"),
    "DATE 'yyyy-MM-dd HH:mm:ss'": ("2026-03-01 00:00:00", "2026-03-01 00:00:01", "2026-03-01"),
    'date "dd.MM.yyyy HH:mm:ss"': ("01.03.2026 00:00:00", "1.3.2026 0:0:1", "2026-03-01"),
    "date 'dd.MM.yyyy\\'-\\'HH:mm:ss'": (
        "01.03.2026-00:00:00",
        "01.03.2026-00:00:01",
        "2026-03-01",
    ),
    "date yyyyMMddHHmmss": ("20260301000000", "20260301000001", "2026-03-01"),
}


@pytest.mark.parametrize("quote", ["", "'"])  # the fast way and the other
@pytest.mark.parametrize("declared", DATES)
def test_dates_are_seconds(write, declared, quote):
    rows = [f"{quote}{value}{quote},a" for value in DATES[declared]]
    path = write([f"when {declared}"], [*rows, "?,b"])
    for types in (None, {"when": "numeric"}):
        xs, ys = drained(streams.open(path, types=types))
        assert [x["when"] for x in xs] == [DAY, DAY + 1, DAY, None]
        assert ys == ["a", "a", "a", "b"]
    xs, _ = drained(streams.open(path, types={"when": "categorical"}))
    assert [x["when"] for x in xs] == [*DATES[declared], None]


def test_a_date_that_is_none_is_named(write):
    path = write(["when date 'yyyy-MM-dd'"], ["2026-03-01,a", "2026-13-01,b", "March,a"])
    with pytest.raises(StreamError, match=r"line 6, column 'when': '2026-13-01' is not a date as"):
        drained(streams.open(path))
    stream = streams.open(path, on_error="skip")
    assert [x["when"] for x in drained(stream)[0]] == [DAY]
    assert stream.skipped == 2


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("yy/M/d", "26/3/1", DAY),
        ("yy", "70", 0.0),
        ("yyyy.MM.dd G", None, None),
        ("EEE, d MMM yyyy HH:mm:ss Z", "Sun, 1 Mar 2026 01:00:00 +0100", DAY),
        ("MMMM d yyyy", "March 1 2026", DAY),
        ("hh:mm a", "12:30 AM", 1800.0),
        ("hh:mm a", "12:30 pm", 45000.0),
        ("HH:mm:ss.SSS", "00:00:01.250", 1.25),
        ("yyyy-MM-dd'T'HH:mm:ssX", "2026-03-01T00:00:00Z", DAY),
        ("yyyy-MM-dd'T'HH:mm:ssX", "2026-02-28T22:30:00-01:30", DAY),
        ("h 'o''clock' a", "3 o'clock PM", 54000.0),
        ("yyyy-MM-dd", "2026-02-30", None),
        ("MMM", "Mai", None),
    ],
)
def test_formats_of_dates(pattern, text, expected):
    if text is None:
        with pytest.raises(ValueError, match="the field 'G', which is unknown"):
            reader_of(pattern)
    else:
        assert reader_of(pattern)(text) == expected


def test_moa_takes_the_classes_in_their_declared_order(write):
    rows = [f"{i % 10},{'ba'[i % 2]}" for i in range(999)]
    results = {}
    for order in ("a,b", "b,a"):
        path = write(["x real"], rows, f"class {{{order}}}")
        tree = ConfidenceTreeClassifier.moa(grace_period=50)
        result = results[order] = evaluate(path, tree)
        given = evaluate(path, tree, classes=order.split(","))
        assert result.confusion.tolist() == given.confusion.tolist()
        assert result.settings["classes"] == order.split(",")
        assert result.model._model.classes == order.split(",")
        (row,) = compare([path], ["moa"], ["full"], params={"grace_period": 50})
        (swept,) = sapwood.sweep(path, [tree])
        assert row["accuracy"] == swept.accuracy == result.accuracy
        assert evaluate(path, ConfidenceTreeClassifier()).settings["classes"] is None
        more = write(["x real"], rows, "class {a,b,c}")
        for first, then in ((path, more), (more, path)):
            known = evaluate(first, tree).model
            gone_on = evaluate(then, known, trained="continue").model
            assert gone_on._model.classes == known._model.classes
    # The first class wins a tie, so the order is seen in what is predicted.
    assert results["a,b"].confusion.tolist() != results["b,a"].confusion.tolist()
