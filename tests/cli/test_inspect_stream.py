"""``sapwood inspect`` of a stream, and models and streams taken for one another."""

import json

import pyarrow
import pyarrow.parquet as parquet
import pytest
from cli_tools import answer, call

import sapwood
from sapwood import streams

ROWS = [
    {"amount": 3.5, "kind": "cash", "fraud": "no"},
    {"amount": None, "kind": "card", "fraud": "yes"},
    {"amount": 2.0, "kind": "card", "fraud": "no"},
]
CSV = "amount,kind,fraud\n3.5,cash,no\n,card,yes\n2,card,no\n"
ARFF = """@relation r
@attribute amount numeric
@attribute kind {cash, card}
@attribute class {no, yes}
@data
3.5,cash,no
?,card,yes
2,card,no
"""


def write_all(folder):
    (folder / "s.csv").write_text(CSV)
    (folder / "s.tsv").write_text(CSV.replace(",", "\t"))
    (folder / "s.data").write_text(CSV)
    (folder / "s.arff").write_text(ARFF)
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), folder / "s.parquet")


@pytest.mark.parametrize(
    "words",
    [
        ["s.csv", "--label", "fraud"],
        ["s.tsv", "--label", "fraud"],
        ["s.data", "--label", "fraud", "--format", "csv"],
        ["s.arff"],
        ["s.jsonl", "--label", "fraud"],
        ["s.parquet", "--label", "fraud"],
    ],
)
def test_the_columns_of_every_form_are_shown(here, words):
    write_all(here)
    look = answer("inspect", *words, "--json")
    amount, kind = look["columns"]
    assert (amount["column"], amount["kind"], amount["missing"]) == ("amount", "numeric", 1)
    assert amount["examples"] == [3.5, 2.0]
    assert (kind["column"], kind["kind"], kind["values"]) == ("kind", "categorical", 2)
    assert look["classes"] == [{"class": "no", "rows": 2}, {"class": "yes", "rows": 1}]
    assert look["label"] in ("fraud", "class")
    assert look["rows_read"] == 3
    text = call("inspect", *words).stdout.replace("\u00a0", " ")
    for part in ("a stream, not a model", "amount", "numeric", "33.3 %", "categorical", "cash"):
        assert part in text
    assert f"label {look['label']}" in text
    assert "66.7 %" in text


def test_kinds_are_those_of_the_model(stream, here):
    (here / "mixed.csv").write_text("a,b,c,class\n1,x,true,1\n2,3,false,0\n" * 20)
    for path in (stream, "mixed.csv"):
        look = answer("inspect", path, "--json")
        call("run", path, "--force")
        model = sapwood.load("sapwood-run/model.sapwood")._model
        learned = dict(zip(model.columns, model.kinds, strict=True))
        assert {column["column"]: column["kind"] for column in look["columns"]} == learned


def test_only_the_beginning_is_read(here):
    (here / "long.csv").write_text("a,class\n" + "1,x\n2,y\n" * 20_000)
    assert answer("inspect", "long.csv", "--json")["rows_read"] == 10_000


def test_columns_are_shown_where_no_label_is_known(here):
    (here / "two.csv").write_text("class,target,a\n" + "1,2,3\n" * 5)
    done = call("inspect", "two.csv", "--json")
    look = json.loads(done.stdout)
    assert "--label" in done.stderr
    assert [column["column"] for column in look["columns"]] == ["class", "target", "a"]
    assert look["classes"] == []
    assert "nix" in call("inspect", "two.csv", "--label", "nix", code=1).stderr


def test_bad_rows_are_left_out_and_said(here):
    (here / "bad.jsonl").write_text('{"a": 1, "class": 0}\n{"a": 1, "class": 0\n')
    look = answer("inspect", "bad.jsonl", "--json")
    assert (look["rows_read"], look["skipped"]) == (1, 1)
    assert "line 2" in call("inspect", "bad.jsonl").stdout


def test_a_model_is_no_stream_and_a_stream_no_model(stream, here):
    call("run", stream)
    model = "sapwood-run/model.sapwood"
    assert "a saved model" in call("run", model, "--out", "other", code=2).stderr
    assert "a saved model" in call("compare", model, "--jobs", "1", code=2).stderr
    assert "a stream, not a model" in call("predict", stream, model, code=2).stderr
    assert "no tree" in call("inspect", stream, "--splits", code=2).stderr
    assert "nowhere.csv" in call("inspect", "nowhere.csv", code=2).stderr
    assert "no dataset" in call("inspect", "nowhere", code=2).stderr
    assert "No such file" in call("predict", "nowhere", stream, code=2).stderr
    assert "no file" in call("run", "", code=2).stderr


def test_the_folder_of_a_run_stands_for_its_model(stream, here):
    call("run", stream)
    assert answer("inspect", "sapwood-run", "--json") == answer(
        "inspect", "sapwood-run/model.sapwood", "--json"
    )
    rows = next(streams.open(stream).chunks())[1]
    assert len(call("predict", "sapwood-run", stream).stdout.splitlines()) == 1 + len(rows)
    (here / "empty").mkdir()
    assert "model.sapwood" in call("inspect", "empty", code=2).stderr
