"""``generate``, ``predict``, ``inspect`` and ``data``: files in, files out."""

import csv
import io
import json
import os

import numpy as np
import pyarrow
import pyarrow.parquet as parquet
import pytest
from cli_tools import answer, call, process

import sapwood
from sapwood import ConfidenceTreeClassifier, datasets, evaluate
from sapwood._params import of_model

FORMATS = ["csv", "parquet", "arff", "libsvm", "jsonl"]


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_generated_runs_alike_in_every_format(here, format):
    shape = ("--leaves", "3", "--features", "4", "--per-leaf", "700", "--q", "0.8", "--seed", "6")
    made = answer("generate", "rand-cbt", f"s.{format}", *shape)
    assert made["rows"] == 2100
    X, y = datasets.rand_cbt(n_leaves=3, n_features=4, per_leaf=700, q=0.8, seed=6)
    wanted = evaluate((X, y), ConfidenceTreeClassifier())
    found = answer("run", f"s.{format}")
    for name in ("accuracy", "kappa", "f_measure", "n_leaves", "n_rows"):
        assert found[name] == getattr(wanted, name)
    if format in ("csv", "parquet", "arff"):
        table, labels = next(sapwood.streams.open(f"s.{format}", label="class").chunks())
        assert table.column_names == ["x0", "x1", "x2", "x3"]
        assert np.array_equal(np.column_stack([c.to_numpy() for c in table.columns]), X)
        assert [int(label) for label in labels] == y.tolist()


def test_drift_is_generated(here):
    shape = ("--leaves", "3", "--per-leaf", "400", "--concepts", "3", "--width", "100")
    made = answer("generate", "rand-cbt", "d.parquet", *shape, "--seed", "2")
    X, y = datasets.rand_cbt_drift(n_leaves=3, per_leaf=400, concepts=3, width=100, seed=2)
    assert made["changes"] == [1200, 2400]
    assert made["seed"] == 2
    table = parquet.read_table("d.parquet")
    assert table["class"].to_pylist() == y.tolist()
    assert table["x4"].to_pylist() == X[:, 4].tolist()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["s.txt"], ".parquet"),
        (["there.csv"], "--force"),
        (["no/where.csv"], "no folder"),
        (["s.csv", "--width", "9"], "--concepts"),
        (["s.csv", "--order", "odd"], "by-leaf"),
        (["s.csv", "--concepts", "2", "--order", "by-leaf"], "--order"),
    ],
)
def test_generate_refuses(here, words, said):
    (here / "there.csv").write_text("mine")
    assert said in call("generate", "rand-cbt", *words, "--per-leaf", "5", code=2).stderr
    assert (here / "there.csv").read_text() == "mine"
    assert [path.name for path in here.iterdir()] == ["there.csv"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, stream):
    """A saved tree, with rows and what the library says about them."""
    tree = evaluate(stream, ConfidenceTreeClassifier()).model
    path = tmp_path_factory.mktemp("model") / "model.sapwood"
    tree.save(path)
    X, _ = next(sapwood.streams.open(stream).chunks())
    return path, tree, X


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_are_those_of_the_library(fitted, stream):
    model, tree, X = fitted
    rows = read_csv(call("predict", model, stream, "--label", "class", "--proba").stdout)
    assert [int(row["prediction"]) for row in rows] == tree.predict(X).tolist()
    shares = tree.predict_proba(X)
    for j, label in enumerate(tree.classes_.tolist()):
        assert [float(row[f"proba_{label}"]) for row in rows] == shares[:, j].tolist()


def test_columns_are_matched_by_name(fitted, here):
    model, tree, X = fitted
    names = ["x3", "x0", "extra", "x4", "x2", "x1"]
    columns = {name: X[name].to_pylist() for name in X.column_names} | {"extra": ["a"] * len(X)}
    with (here / "mixed.jsonl").open("w") as file:
        for i in range(len(X)):
            file.write(json.dumps({name: columns[name][i] for name in names}) + "\n")
    parquet.write_table(pyarrow.table({name: columns[name] for name in names}), "mixed.parquet")
    for given in ("mixed.jsonl", "mixed.parquet"):
        call("predict", model, given, "--proba", "--out", "said.parquet", "--force")
        said = parquet.read_table("said.parquet")
        assert said["prediction"].to_pylist() == tree.predict(X).tolist()
        assert said["proba_1"].to_pylist() == tree.predict_proba(X)[:, 1].tolist()
    assert (
        "--force" in call("predict", model, "mixed.jsonl", "--out", "said.parquet", code=2).stderr
    )


def test_predict_from_libsvm_and_standard_input(here):
    call("generate", "rand-cbt", "s.libsvm", "--leaves", "3", "--per-leaf", "500", "--q", "1")
    call("run", "s.libsvm")
    X, _ = datasets.rand_cbt(n_leaves=3, per_leaf=500, q=1.0)
    tree = sapwood.load("sapwood-run/model.sapwood")
    model = "sapwood-run/model.sapwood"
    wanted = tree.predict(X).tolist()
    assert len(set(wanted)) == 2
    rows = read_csv(call("predict", model, "s.libsvm").stdout)
    assert [int(row["prediction"]) for row in rows] == wanted
    words = ("predict", model, "-", "--format", "libsvm")
    with (here / "s.libsvm").open("rb") as file, process(*words, stdin=file) as started:
        out, err = started.communicate(timeout=60)
    assert started.returncode == 0, err
    assert [int(row["prediction"]) for row in read_csv(out.decode())] == wanted


def test_predict_names_what_is_wrong(fitted, here):
    model, _, _ = fitted
    (here / "few.csv").write_text("x0,x1\n1,2\n")
    lacking = call("predict", model, "few.csv", "--out", "said.csv", code=1)
    assert "x2, x3, x4" in lacking.stderr
    rows = "x0,x1,x2,x3,x4\n" + "0.1,0.2,0.3,0.4,0.5\n" * 3 + "0.1,0.2,oops,0.4,0.5\n"
    (here / "bad.csv").write_text(rows)
    words = ("predict", model, "bad.csv", "--types", "x2=numeric")
    assert "line 5" in call(*words, "--out", "said.csv", code=1).stderr
    assert not (here / "said.csv").exists()
    assert not (here / "said.csv.part").exists()
    skipped = call(*words, "--on-error", "skip", code=3)
    assert len(read_csv(skipped.stdout)) == 3
    assert "line 5" in skipped.stderr
    mended = call(*words, "--on-error", "missing", code=3)
    assert len(read_csv(mended.stdout)) == 4
    assert "value taken as missing" in mended.stderr
    assert "a stream, not a model" in call("predict", "bad.csv", "bad.csv", code=2).stderr
    (here / "model.bin").write_text(rows)
    assert "Not a readable" in call("predict", "model.bin", "bad.csv", code=2).stderr


def test_a_closed_pipe_is_no_traceback(fitted, stream):
    model, _, _ = fitted
    with process("predict", model, stream, "--label", "class", "--proba") as started:
        started.stdout.readline()
        started.stdout.close()
        said = started.stderr.read()
        started.wait(60)
    assert b"Traceback" not in said
    assert b"Exception" not in said


def test_inspect_shows_the_tree_and_its_certificates(fitted, here):
    model, tree, _ = fitted
    text = call("inspect", model).stdout
    assert tree.export_text() in text
    assert f"{tree.n_leaves_} leaves" in text
    table = call("inspect", model, "--splits").stdout
    for split in tree.splits():
        assert split.test in table
    found = answer("inspect", model, "--json", "--svg", "tree.svg")
    assert found["leaves"] == tree.n_leaves_
    assert found["params"] == of_model(tree.get_params())
    assert [(s["feature"], s["gap"]) for s in found["splits"]] == [
        (split.feature, split.gap) for split in tree.splits()
    ]
    assert (here / "tree.svg").read_text() == tree.to_svg()
    assert "nothing.sapwood" in call("inspect", "nothing.sapwood", code=2).stderr


def test_inspect_tells_what_a_learner_has_spent(here):
    learner = sapwood.ActiveLearner(ConfidenceTreeClassifier(), "all", 0.5, random_state=1)
    asked = [d for d in (learner.decide({"a": i}) for i in range(10)) if d.ask]
    learner.label(asked[0].id, "yes")
    learner.save("learner.sapwood")
    found = answer("inspect", "learner.sapwood", "--json")["learner"]
    assert found["asked"] == len(asked) == 5
    assert (found["open"], found["spent"], found["answered"]) == (4, 5, 1)
    assert found["questions"] == [d.id for d in asked[1:]]
    text = call("inspect", "learner.sapwood").stdout
    assert "4 open" in text
    assert "5 spent" in text


def test_data_list_tells_where_each_is(monkeypatch, here):
    monkeypatch.setenv("SAPWOOD_CACHE", str(here))
    monkeypatch.delenv("SAPWOOD_DATA", raising=False)
    found = {entry["name"]: entry for entry in answer("data", "list")}
    assert set(found) == {entry.name for entry in datasets.available()}
    assert found["airlines"]["rows"] == 539383
    assert {entry["where"] for entry in found.values()} == {"not here"}


def test_fetch_without_a_network_says_what_to_do(here):
    lost = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
    lost |= {"no_proxy": "", "NO_PROXY": "", "SAPWOOD_CACHE": str(here), "SAPWOOD_DATA": ""}
    with process("data", "fetch", "airlines", env=lost) as started:
        out, err = started.communicate(timeout=60)
    assert started.returncode == 1
    assert out == b""
    assert b"By hand" in err
    assert b"Traceback" not in err
    assert "electricity" in call("data", "fetch", "nothing", code=2).stderr


def test_fetch_tells_the_path(monkeypatch, here):
    told = []

    def fetch(name, *, force, progress):
        progress(10, None)
        progress(20, 40)
        told.append((name, force))
        return here / f"{name}.parquet"

    monkeypatch.setattr(datasets, "fetch", fetch)
    found = answer("data", "fetch", "codrna", "a9a", "--force")
    assert told == [("codrna", True), ("a9a", True)]
    assert found == {name: f"{here}{os.sep}{name}.parquet" for name in ("codrna", "a9a")}
