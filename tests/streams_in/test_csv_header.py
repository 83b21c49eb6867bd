"""The first row of a delimited file: names, data, or a row of which it is said what was taken."""

import warnings

import pytest
from stream_files import drained

import sapwood
from sapwood import streams
from sapwood.streams import StreamError, StreamWarning

IRIS = "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n6.1,2.8,virginica\n"
CARS = "vhigh,2,small,unacc\nhigh,2,small,acc\nvhigh,4,big,acc\nhigh,4,big,unacc\n"

SURE = {  # with their names
    "text above numbers": ("a,b,class\n1,2,x\n3,4,y\n", ["a", "b", "class"]),
    "one row": ("a,class\n1,x\n", ["a", "class"]),
    "an index": (",a,class\n0,1,x\n1,2,y\n", ["", "a", "class"]),
    "whole numbers and a usual name": ("0,1,Target\n5,6,0\n7,8,1\n", ["0", "1", "Target"]),
    "quoted": ('"a b","class"\n"1","x"\n', ["a b", "class"]),
    "missing below": ("a,b,class\n?,,x\n3,?,x\n", ["a", "b", "class"]),
    "values that repeat": ("size,kind\n" + 3 * "big,p\nsmall,q\n", ["size", "kind"]),
    "a usual name": ("text,class\nsome words,p\nothers,q\n", ["text", "class"]),
    "a BOM": ("\ufeffa,class\n1,x\n", ["a", "class"]),
    "places": ("0,1,2,species\n5,3,1,setosa\n4,3,1,virginica\n", ["0", "1", "2", "species"]),
    "places after an index": (",0,1,2,kind\n0,5,3,1,p\n1,4,3,1,q\n", ["", "0", "1", "2", "kind"]),
    "places from 1": ("id,1,2,3\nu1,5,3,1\nu2,4,3,1\n", ["id", "1", "2", "3"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SURE)
def test_a_row_that_cannot_be_data_is_the_header(tmp_path, case):
    text, names = SURE[case]
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    assert opened_names(path) == names
    assert opened_names(path, header=True) == names


DATA = {  # with the number of columns
    "numbers": ("1,2.5,0\n3,?,1\n", 3),
    "numbers and text": (IRIS, 3),
    "only its text occurs again": (CARS, 4),
    "one row of numbers": ("1,2,0\n", 3),
    "a missing value": ("?,x,a\nw,x,b\nw,y,a\n", 3),
    "a BOM": ("\ufeff" + IRIS, 3),
    "numbers that count up, and a class": ("0,1,2,x\n3,1,2,y\n4,1,2,x\n", 4),
    "two numbers that count up": ("0,1,x\n3,1,y\n4,1,y\n", 3),
    "twice the same": ("u,u,v\np,q,r\ns,t,w\n", 3),
}


@pytest.mark.parametrize("case", DATA)
def test_a_row_of_data_is_kept_and_that_is_said(tmp_path, case):
    text, width = DATA[case]
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.warns(StreamWarning, match="is taken for data: there is no header"):
        names = opened_names(path)
    assert names == [str(j) for j in range(width)]
    assert opened_names(path, header=False) == names
    _, ys = drained(streams.open(path, header=False, label=width - 1))
    assert len(ys) == text.count("\n")


OPEN = {  # with whether the row is taken for the header
    "all different text": ("name,word\nanna,x\nberta,y\n", True),
    "places alone": ("0,1,2\n5,3,1\n4,3,1\n", True),
    "years": ("2019,2020,class\n1,2,a\n3,4,b\n5,6,a\n", True),
    "a number that is none": ("l2,3,4\n1,3,4\n2,5,6\n", True),
    "a class that is rare": ("1,2,rare\n3,4,often\n5,6,often\n", False),
}


@pytest.mark.parametrize("case", OPEN)
def test_where_both_can_be_it_is_said(tmp_path, case):
    text, taken = OPEN[case]
    path = tmp_path / "a.csv"
    path.write_text(text)
    said = "could be data, and is taken for the header" if taken else "taken for data"
    with pytest.warns(StreamWarning, match=said):
        names = opened_names(path)
    first = text.split("\n")[0].split(",")
    assert names == (first if taken else [str(j) for j in range(len(first))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*is taken for text")
        assert opened_names(path, header=True) == first
        assert opened_names(path, header=False) == [str(j) for j in range(len(first))]


def opened_names(path, **options):
    (X,) = streams.open(path, label=False, **options).features()
    return X.column_names


def test_what_the_caller_names_is_a_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,word\nanna,x\nberta,y\n")
    assert drained(streams.open(path, label="word"))[1] == ["x", "y"]
    streams.open(path, types={"name": "categorical"}, label=False)


def test_the_warning_names_the_row_and_the_remedies(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("5.1,3.5,1.4,.2,setosa\n4.9,3.0,1.4,.2,setosa\n")
    with pytest.warns(StreamWarning) as said:
        streams.open(path, label=-1)
    assert str(said[0].message) == (
        "a.csv: the first row, '5.1', '3.5', '1.4', '.2', …, is taken for data: there is no header,"
        " and the columns are called '0', '1' and so on. Pass header=False to say so, or "
        "header=True if it is one."
    )


def test_a_file_of_one_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n")
    with pytest.raises(
        StreamError, match=r"a header and no rows\. Pass header=False if its one row"
    ):
        streams.open(path)
    assert drained(streams.open(path, header=False, label=1)) == ([{"0": "a"}], ["b"])
    path.write_text("1,2\n")
    with pytest.raises(StreamError, match="has a header and no rows"):
        streams.open(path, header=True)


def test_a_header_is_for_delimited_text(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x": 1, "y": 0}\n')
    with pytest.raises(ValueError, match="header is for delimited text; the format is jsonl"):
        streams.open(tmp_path / "a.jsonl", header=False)
    with pytest.raises(ValueError, match="header is for files"):
        streams.open(([[1]], [1]), header=False)


def test_a_run_without_a_header_has_all_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(IRIS * 50)
    stream = streams.open(path, header=False, label=2)
    run = sapwood.evaluate(stream, sapwood.ConfidenceTreeClassifier(grace_period=20))
    assert (run.n_rows, run.classes) == (200, ["setosa", "virginica"])
    assert run.model.feature_names_in_.tolist() == ["0", "1"]
