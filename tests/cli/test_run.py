"""``sapwood run``: the library's numbers, a complete folder, exit codes that scripts can use."""

import json
import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pyarrow
import pyarrow.parquet as parquet
import pytest
import typer
from cli_tools import answer, call, interrupt, process, same

import sapwood
from sapwood import ConfidenceTreeClassifier, _runner, evaluate
from sapwood._interrupts import Interrupts
from sapwood.cli.exits import told

ASKING = ["--strategy", "random", "--budget", "window:0.2:500", "--delay", "7", "--seed", "1"]
ASKING += ["--every", "333", "--positive", "1", "--c", "0.05"]
CASES = [
    ([], ConfidenceTreeClassifier.c_tree(), {}),
    (
        ["--strategy", "conf-tree", "--budget", "0.1", "--drift", "ddm", "--seed", "3"],
        ConfidenceTreeClassifier.c_tree(),
        {"strategy": "conf-tree", "budget": 0.1, "drift": "ddm", "random_state": 3},
    ),
    (
        ["--learner", "moa", "--grace-period", "50", "--param", "max-depth=3"],
        ConfidenceTreeClassifier.moa(grace_period=50, max_depth=3),
        {},
    ),
    (
        ASKING,
        ConfidenceTreeClassifier.c_tree(c=0.05),
        {"strategy": "random", "budget": "window:0.2:500", "delay": 7, "random_state": 1}
        | {"every": 333, "positive": 1},
    ),
]


@pytest.mark.parametrize(("words", "tree", "settings"), CASES)
def test_the_command_line_gives_the_numbers_of_the_library(
    drifting, tmp_path, words, tree, settings
):
    found = answer("run", drifting, *words, "--out", tmp_path / "run")
    wanted = evaluate(drifting, tree, **settings)
    assert same(found, wanted.metrics())
    kept = json.loads((tmp_path / "run" / "metrics.json").read_text())
    full = wanted.to_dict()
    assert same(kept["curve"], full["curve"])
    given = set(full["settings"]) - ({"random_state"} - settings.keys())
    assert {n: kept["settings"][n] for n in given} == {n: full["settings"][n] for n in given}


def test_the_folder_is_complete(stream, tmp_path):
    out = tmp_path / "a" / "run"
    words = ("run", stream, "--strategy", "random", "--budget", "0.1", "--seed", "5", "--out", out)
    found = answer(*words)
    assert sorted(path.name for path in out.iterdir()) == sorted(
        ["metrics.json", "curve.parquet", "model.sapwood", "report.html", "settings.json"]
    )
    assert {str(path) for path in out.iterdir()} == set(found["files"].values())
    wanted = evaluate(
        stream, ConfidenceTreeClassifier(), strategy="random", budget=0.1, random_state=5
    )
    assert parquet.read_table(out / "curve.parquet")["i"].to_pylist() == [1000, 2000, 3000, 4000]
    model = sapwood.load(out / "model.sapwood")
    X = np.random.default_rng(0).random((200, 5))
    table = pyarrow.table({f"x{j}": X[:, j] for j in range(5)})
    assert (model.predict(table) == wanted.model.predict(table)).all()
    assert json.loads((out / "settings.json").read_text())["command"] == [
        "sapwood",
        *map(str, words),
    ]
    report = (out / "report.html").read_text()
    assert "small.csv" in report
    assert "--budget 0.1" in report


def test_the_seed_that_was_drawn_is_told_and_gives_the_run_again(stream, tmp_path):
    words = ("run", stream, "--strategy", "random", "--budget", "0.1")
    drawn = answer(*words, "--out", tmp_path / "drawn")
    again = answer(*words, "--seed", drawn["seed"], "--out", tmp_path / "again")
    assert again["seed"] == drawn["seed"]
    assert same(again, {name: value for name, value in drawn.items() if name != "files"})
    assert answer("run", stream, "--out", tmp_path / "full")["seed"] is None  # nothing is drawn


def test_the_limit_is_the_beginning_of_the_stream(stream, tmp_path):
    found = answer("run", stream, "--limit", "2345", "--out", tmp_path / "run")
    X, y = next(sapwood.streams.open(stream).chunks())
    wanted = evaluate((X.slice(0, 2345), y[:2345]), ConfidenceTreeClassifier())
    assert same(found, wanted.metrics())


def test_a_run_is_not_overwritten(stream, here):
    first = answer("run", stream)
    refused = call("run", stream, "--learner", "moa", code=2)
    assert "--force" in refused.stderr
    assert refused.stdout == ""
    assert (
        json.loads((here / "sapwood-run" / "metrics.json").read_text())["accuracy"]
        == (first["accuracy"])
    )
    second = answer("run", stream, "--learner", "moa", "--force")
    assert second["accuracy"] != first["accuracy"]


BAD = "a,b,class\n" + "".join(f"{i},{i % 7},{'yn'[i % 2]}\n" for i in range(500))


def test_a_bad_row_is_named_and_ends_the_run(here):
    lines = BAD.splitlines()
    lines[300] = "12,oops,y"
    (here / "bad.csv").write_text("\n".join(lines) + "\n")
    numeric = ("--types", "b=numeric")
    stopped = call("run", "bad.csv", *numeric, code=1)
    for part in ("bad.csv", "line 301", "'b'", "'oops'", "--on-error skip"):
        assert part in stopped.stderr
    assert stopped.stdout == ""
    assert not (here / "sapwood-run").exists()
    skipped = call("run", "bad.csv", *numeric, "--on-error", "skip", code=3)
    found = json.loads(skipped.stdout)
    assert (found["skipped"], found["n_rows"]) == (1, 499)
    assert len(found["errors"]) == 1
    assert "line 301" in found["errors"][0]
    assert "line 301" in skipped.stderr
    mended = call("run", "bad.csv", *numeric, "--on-error", "missing", "--force", code=3)
    found = json.loads(mended.stdout)
    assert (found["skipped"], found["mended"], found["n_rows"]) == (0, 1, 500)
    assert "taken as missing:\n  bad.csv, line 301, column 'b': 'oops'" in mended.stderr
    page = (here / "sapwood-run" / "report.html").read_text()
    assert "value could not be read and was taken as missing." in page
    refused = call("run", "bad.csv", "--on-error", "guess", code=2)
    assert "--on-error is stop, missing or skip; got 'guess'" in refused.stderr


def test_what_the_label_was_guessed_from_is_said(here):
    rows = "".join(f"{i},{i % 2},{i % 3}\n" for i in range(300))
    (here / "named.csv").write_text("a,y_true,score\n" + rows)
    (here / "last.csv").write_text("a,b,kind\n" + rows)
    (here / "two.csv").write_text("class,a,target\n" + rows)
    named = call("run", "named.csv", "--json", "--out", "1")
    assert named.stderr == "named.csv: the label is the column 'y_true', by its name.\n"
    assert json.loads(named.stdout)["label"] == "y_true"
    assert call("run", "named.csv", "--quiet", "--out", "2").stderr == ""
    assert call("run", "named.csv", "--label", "score", "--out", "3").stderr == ""
    last = call("run", "last.csv", "--out", "4")
    assert "sapwood: last.csv: the last column, 'kind', is taken for the label" in last.stderr
    assert last.stderr.endswith("Pass --label to name it.\n")
    two = call("run", "two.csv", "--out", "5", code=2)
    assert two.stderr.endswith("'class', 'target'. Pass --label to name it.\n")
    (here / "one.csv").write_text("class\nx\ny\n")
    one = call("run", "one.csv", "--out", "5", code=1)
    assert one.stderr == "sapwood: one.csv has a single column, 'class'.\n"
    assert not (here / "5").exists()
    call("run", "two.csv", "--out", "5", "--label", "target")


def test_a_file_without_a_header(here):
    """Its first row is learned, its columns are called by place, in the model and for predict."""
    rows = "".join(f"{i % 7},{i % 5 + 1},{'even' if i % 2 else 'odd'}\n" for i in range(300))
    (here / "bare.csv").write_text(rows)
    guessed = call("run", "bare.csv", "--out", "1")
    assert json.loads(guessed.stdout)["n_rows"] == 300
    assert "sapwood: bare.csv: the first row, '0', '1', 'odd', is taken for data" in guessed.stderr
    assert "Pass --no-header to say so, or --header if it is one." in guessed.stderr
    told = call("run", "bare.csv", "--no-header", "--label", "2", "--out", "2")
    assert told.stderr == ""
    assert json.loads(told.stdout)["n_rows"] == 300
    assert answer("run", "bare.csv", "--header", "--label", "odd", "--out", "3")["n_rows"] == 299
    (here / "new.csv").write_text("1,2\n3,4\n")
    found = call("predict", "2/model.sapwood", "new.csv", "--no-header").stdout
    assert found.count("\n") == 3
    about = json.loads((here / "2" / "settings.json").read_text())["stream"]
    assert about["header"] is False
    assert "header=False" in (here / "2" / "report.html").read_text()


def test_a_person_is_asked_for_the_label(here):
    """Both ends of the conversation must be a terminal."""
    rows = "".join(f"{i},{i % 2},{i % 3}\n" for i in range(300))
    (here / "two.csv").write_text("class,a,target\n" + rows)
    leader, follower = os.openpty()
    with process("run", "two.csv", "--json", stdin=follower, stderr=follower) as asking:
        os.write(leader, b"neither\ntarget\n")
        found = json.loads(asking.stdout.read())
        assert asking.wait() == 0
    os.close(follower)
    said = os.read(leader, 10_000).decode()
    os.close(leader)
    assert said.count("Which column of two.csv is the label: 'class', 'target'?") == 2
    assert found["label"] == "target"
    settings = json.loads((here / "sapwood-run" / "settings.json").read_text())
    assert settings["stream"]["label"] == "target"
    assert settings["command"][-2:] == ["--label", "target"]


def test_moa_takes_the_classes_in_the_order_of_an_arff_file(here):
    rows = "".join(f"{i % 10},{'ab'[i % 2]}\n" for i in range(999))
    (here / "a.arff").write_text(
        "@relation r\n@attribute x real\n@attribute class {b,a}\n@data\n" + rows
    )
    found = answer("run", "a.arff", "--learner", "moa")
    wanted = evaluate("a.arff", ConfidenceTreeClassifier.moa(), classes=["b", "a"])
    assert same(found, wanted.metrics())
    kept = json.loads((here / "sapwood-run" / "metrics.json").read_text())
    assert kept["settings"]["classes"] == ["b", "a"]


def test_a_declared_type_is_used(here):
    (here / "codes.csv").write_text(BAD)
    call("run", "codes.csv", "--types", "b=categorical", "--label", "class")
    tree = sapwood.load(here / "sapwood-run" / "model.sapwood")
    assert dict(zip(tree._model.columns, tree._model.kinds, strict=True))["b"] == "categorical"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["nowhere"], "electricity"),
        (["-"], "--format"),
        (["codes.csv", "--budget", "0.1"], "--strategy"),
        (["codes.csv", "--strategy", "random"], "--budget"),
        (["codes.csv", "--strategy", "best", "--budget", "0.1"], "conf-tree"),
        (["codes.csv", "--strategy", "random", "--budget", "much"], "much"),
        (["codes.csv", "--strategy", "random", "--budget", "9/day:0.1"], "time"),
        (["codes.csv", "--drift", "wind"], "page-hinkley"),
        (["codes.csv", "--learner", "oak"], "corrh-tree"),
        (["codes.csv", "--c", "-1"], "positive number"),
        (["codes.csv", "--param", "leaves=3"], "max_leaves"),
        (["codes.csv", "--param", "n_bins"], "name=value"),
        (["codes.csv", "--types", "b=colour"], 'A kind in --types is "numeric" or "categorical"'),
        (["codes.csv", "--on-error", "shrug"], "skip"),
        (["codes.csv", "--resume"], "nothing to resume"),
        (["codes.csv", "--resume", "--force"], "pass one"),
        (["codes.csv", "--model", "none.sapwood"], "none.sapwood"),
        (["codes.csv", "--model", "codes.csv"], "is a stream, not a model"),
        (["codes.csv", "--model", "m", "--learner", "moa"], "without --learner"),
        (["codes.csv", "--model", "m", "--c", "0.1"], "its own parameters"),
        (["codes.csv", "--model", "sapwood-run"], "name another folder with --out"),
        (["codes.csv", "--model", "sapwood-run/model.sapwood"], "name another folder with --out"),
    ],
)
def test_wrong_usage_is_said_and_leaves_nothing(here, words, said):
    (here / "codes.csv").write_text(BAD)
    done = call("run", *words, code=2)
    assert said in done.stderr
    assert done.stdout == ""
    assert not (here / "sapwood-run").exists()


def test_a_stream_without_rows_is_an_error_of_the_data(here):
    (here / "empty.csv").write_text("a,b,class\n")
    assert "no rows" in call("run", "empty.csv", code=1).stderr


def test_standard_input_gives_the_same(stream, tmp_path):
    words = ("run", "-", "--format", "csv", "--out", tmp_path / "run")
    with stream.open("rb") as file, process(*words, stdin=file) as run:
        out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    assert same(json.loads(out), evaluate(stream, ConfidenceTreeClassifier()).metrics())


def test_a_run_goes_on_from_a_saved_model(stream, drifting, tmp_path):
    first = answer("run", stream, "--out", tmp_path / "first", "--c", "0.05")
    model = sapwood.load(tmp_path / "first" / "model.sapwood")
    assert (model.t_, model.c) == (first["n_rows"], 0.05)
    for name, file in (("folder", tmp_path / "first"), ("file", first["files"]["model"])):
        found = answer("run", drifting, "--model", file, "--out", tmp_path / name)
        wanted = evaluate(drifting, model, trained="continue")
        assert same(found, wanted.metrics())
        assert sapwood.load(found["files"]["model"]).t_ == wanted.model.t_ == 4000 + 8000
        noted = json.loads(Path(found["files"]["settings"]).read_text())
        assert noted["stream"]["model"] == str(file)
        assert noted["run"]["trained"] == "continue"
        assert noted["run"]["model"]["state"] == wanted.settings["model"]["state"]
        assert f"--model {file}" in Path(found["files"]["report"]).read_text()
    assert sapwood.load(tmp_path / "first" / "model.sapwood").t_ == first["n_rows"]


def test_a_run_from_a_saved_model_is_resumed(stream, drifting, tmp_path, monkeypatch):
    answer("run", stream, "--out", tmp_path / "first")
    words = ("run", drifting, "--model", tmp_path / "first")
    never = answer(*words, "--out", tmp_path / "never")
    feeds, feed = [], Interrupts.feed

    def interrupted(self, run, *rows):
        if feeds:
            raise KeyboardInterrupt
        feeds.append(run)
        feed(self, run, *rows)

    monkeypatch.setattr("sapwood.cli.running._ROWS", 1000)
    with monkeypatch.context() as patch:
        patch.setattr(Interrupts, "feed", interrupted)
        part = answer(*words, "--out", tmp_path / "run", code=130)
    assert part["n_rows"] == 1000
    answer("run", stream, "--out", tmp_path / "other", "--limit", "500")
    other = ("run", drifting, "--model", tmp_path / "other", "--out", tmp_path / "run", "--resume")
    assert "another model" in call(*other, code=2).stderr
    again = answer("run", tmp_path / "run", "--resume")
    assert same(again, {**never, "files": again["files"]})


def test_a_learners_file_is_no_model_to_go_on_from(stream, tmp_path):
    path = tmp_path / "learner.sapwood"
    sapwood.ActiveLearner(ConfidenceTreeClassifier()).save(path)
    said = call("run", stream, "--model", path, "--out", tmp_path / "run", code=2).stderr
    assert "holds an ActiveLearner" in said
    assert not (tmp_path / "run").exists()


def test_a_dataset_by_name(here, monkeypatch):
    from sapwood.datasets.catalogue import CATALOGUE

    rng = np.random.default_rng(1)
    names = list(CATALOGUE["electricity6"].columns)
    X = rng.random((1500, len(names)))
    labels = np.where(X[:, 1] > 0.5, "UP", "DOWN")
    table = pyarrow.table({**dict(zip(names, X.T, strict=True)), "class": labels})
    parquet.write_table(table, here / "electricity6.parquet")
    monkeypatch.setenv("SAPWOOD_DATA", str(here))
    found = answer("run", "electricity6")
    wanted = evaluate(sapwood.datasets.load("electricity6"), ConfidenceTreeClassifier())
    assert same(found, wanted.metrics())
    assert found["n_rows"] == 1500
    assert "label" in call("run", "electricity6", "--label", "UP", "--force", code=2).stderr


def test_a_random_tree_by_name(here):
    found = answer("run", "rand-cbt:leaves=3,per-leaf=500,seed=4")
    stream = sapwood.datasets.rand_cbt(n_leaves=3, per_leaf=500, seed=4)
    assert same(found, evaluate(stream, ConfidenceTreeClassifier()).metrics())
    drifting = answer("run", "rand-cbt:leaves=3,per_leaf=500,concepts=2,width=50", "--force")
    assert drifting["n_rows"] == 3000
    assert "per_leaf" in call("run", "rand-cbt:trees=3", code=2).stderr


def test_quiet_says_nothing(stream, here):
    done = call("run", stream, "--quiet")
    assert done.output == ""
    assert (here / "sapwood-run" / "report.html").exists()


def test_a_terminal_gets_a_table_and_the_way_to_the_report(stream, tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {"COLUMNS": "100", "TERM": "xterm"}
    words = ("run", stream, "--strategy", "random", "--budget", "0.1", "--out", tmp_path / "run")
    shown = b""
    with process(*words, stdout=theirs, stderr=theirs, env=env) as started:
        os.close(theirs)
        with suppress(OSError):  # the other side is closed
            while piece := os.read(ours, 65536):
                shown += piece
        os.close(ours)
        assert started.wait(60) == 0
    text = shown.decode()
    for part in ("accuracy", "labels", "budget rate:0.1", "rows/s", "left", "report.html"):
        assert part in text
    drawn = json.loads((tmp_path / "run" / "metrics.json").read_text())["settings"]["random_state"]
    assert re.search(rf"seed +{drawn}\b", text)
    assert "{" not in text


@pytest.fixture(scope="module")
def long_stream(tmp_path_factory):
    """Text that is longer than the reader takes at a time."""
    from sapwood.cli.writers import write

    path = tmp_path_factory.mktemp("streams") / "long.csv"
    X, y = sapwood.datasets.rand_cbt(n_leaves=5, per_leaf=22_000, q=0.9, seed=1)
    write(path, X, y, lambda done: None)
    return path


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_kept_and_resumed_exactly(long_stream, tmp_path, number):
    out = tmp_path / "run"
    words = ("run", "-", "--format", "csv", "--strategy", "conf-tree", "--budget", "0.1")
    words += ("--drift", "ddm", "--seed", "9", "--out", out)
    data = long_stream.read_bytes()
    assert len(data) > 10_000_000
    # A job in the background ignores Ctrl-C, and is ended by SIGTERM.
    ignored = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    with process(*words, stdin=PIPE, **(ignored if number == signal.SIGTERM else {})) as started:
        # 8 MiB are learned before more is read: that these bytes are taken says: rows are done.
        started.stdin.write(data[:9_500_000])
        interrupt(started, number)
        assert started.wait(60) == 128 + number
        stdout, said = started.stdout.read(), started.stderr.read().decode()
    part = json.loads(stdout)
    assert part["complete"] is False
    assert 0 < part["n_rows"] < 110_000
    assert "--resume" in said
    assert (out / "checkpoint.sapwood").exists()
    assert "report.html" in part["files"]["report"]
    assert sapwood.load(out / "model.sapwood").n_leaves_ == part["n_leaves"]
    assert f"{part['n_rows']:,} rows" in said.replace("\u00a0", " ")

    assert f"sapwood run {out} --resume" in said
    other = call("run", out, "--resume", "--seed", "8", "--learner", "moa", code=2).stderr
    assert "--seed" in other
    assert "--learner" in other
    short = ("run", out, "--resume", "--seed", "9")  # the same as before, so no other
    with long_stream.open("rb") as file, process(*short, stdin=file) as again:
        stdout, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    tree = ConfidenceTreeClassifier()
    settings = {"strategy": "conf-tree", "budget": 0.1, "drift": "ddm", "random_state": 9}
    wanted = evaluate(long_stream, tree, **settings)
    assert same(json.loads(stdout), wanted.metrics())
    assert json.loads(stdout)["complete"] is True
    assert not (out / "checkpoint.sapwood").exists()
    whole = json.loads((out / "metrics.json").read_text())
    assert whole["curve"]["accuracy"] == wanted.curve["accuracy"].tolist()
    assert "complete" in call(*words, "--resume", code=2, text="").stderr
    assert "complete" in call(*short, code=2, text="").stderr


def test_a_folder_goes_on_with_all_that_its_settings_say(here, monkeypatch):
    lines = [f"{i},{i % 7},{i % 3},{i / 2},{'yn'[i % 2]}" for i in range(40_000)]
    lines[30_000] = "oops,1,1,15000,y"
    Path("some where").mkdir()
    Path("some where/odd name.txt").write_text("a,b,c,when,kind\n" + "\n".join(lines) + "\n")
    words = ["run", "some where/odd name.txt", "--label", "kind", "--format", "csv"]
    words += ["--types", "c=categorical", "--types", "a=numeric", "--learner", "moa"]
    words += ["--delta=0.01", "--param", "max_depth=9"]
    words += ["--strategy", "random", "--budget", "500/hour:0.2"]
    words += ["--times", "when", "--drift", "ddm", "--delay", "5", "--every", "700"]
    words += ["--positive", "n", "--limit", "35000"]
    wanted = answer(*words, "--seed", "4", "--on-error", "skip", "--out", "whole", code=3)
    monkeypatch.setattr(_runner, "_SECONDS_BETWEEN_SAVES", -1.0)
    call(*words, "--seed", "4", "--out", "x/the run", code=1)
    assert Path("x/the run/checkpoint.sapwood").exists()
    found = answer("run", "x/the run", "--resume", "--on-error", "skip", code=3)
    assert same({**found, "files": 0, "errors": 0}, {**wanted, "files": 0, "errors": 0})
    again, whole = (
        json.loads(Path(out, "metrics.json").read_text()) for out in ("x/the run", "whole")
    )
    assert {**again["settings"], "command": 0} == {**whole["settings"], "command": 0}
    kept = Path("x/the run/settings.json")
    assert json.loads(kept.read_text())["command"][:3] == ["sapwood", "run", words[1]]


@pytest.mark.parametrize(
    ("settings", "resume", "said"),
    [
        (None, ["--resume"], "no settings.json"),
        (None, [], "a folder, not a stream"),
        ('{"command": ["sapwood", "run", "x.csv"], "str', ["--resume"], "cut short"),
        ("[]", ["--resume"], "cut short, or not what a run wrote"),
        ('{"command": ["sapwood", "run", "x.csv"], "stream": {}}', ["--resume"], "anew"),
        ('{"command": ["sapwood", "run", "x.csv"], "stream": {}}', [], "--resume"),
    ],
)
def test_a_folder_that_cannot_go_on_says_why(here, settings, resume, said):
    folder = here / "folder"
    folder.mkdir()
    if settings is not None:
        (folder / "settings.json").write_text(settings)
    before = [path.name for path in folder.iterdir()]
    assert said in call("run", "folder", *resume, code=2).stderr
    assert [path.name for path in folder.iterdir()] == before


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_before_the_first_row_leaves_nothing(tmp_path, number):
    words = ("run", "-", "--format", "csv", "--out", tmp_path / "run")
    with process(*words, stdin=PIPE) as started:
        started.stdin.write(b"a,b,class\n1,2,y\n" + b" " * 70_000)
        interrupt(started, number)  # those are more than a pipe holds, so it reads by now
        assert started.wait(60) == 128 + number
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_chunk_is_learned_as_a_whole_when_the_interrupt_comes(number):
    class Slow:
        fed = 0

        def feed(self, X, y, times=None, *, stop):
            assert not stop()
            os.kill(os.getpid(), number)
            for _ in range(1000):  # where Python would hear the signal
                pass
            assert stop()  # which a long call would ask between rows
            self.fed += len(y)

    run = Slow()
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(typer.Exit) as end, told(), Interrupts() as interrupts:
        interrupts.feed(run, [1, 2], [1, 2])
    assert end.value.exit_code == 128 + number
    assert run.fed == 2
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_positive_class_that_never_comes_is_said(stream, here):
    done = call("run", stream, "--positive", "maybe")
    assert "'maybe' has not occurred" in done.stderr
    assert json.loads(done.stdout)["f_measure"] == 0.0


def test_another_stream_is_not_resumed(stream, drifting, here):
    from sapwood._sources import fingerprint
    from sapwood.evaluation import Evaluation
    from sapwood.streams import open as open_stream

    call("run", stream)
    run = Evaluation(ConfidenceTreeClassifier.c_tree(), name=stream.name)
    run.feed([[0.0] * 5] * 5000, [1] * 5000)
    first = next(open_stream(stream).chunks())
    run.label, run.fingerprint = "class", fingerprint(*first)
    run.save(here / "sapwood-run" / "checkpoint.sapwood")
    assert "ends before" in call("run", stream, "--resume", code=1).stderr
    assert "another source" in call("run", drifting, "--resume", code=2).stderr
    different = call("run", stream, "--c", "0.5", "--resume", code=2)
    assert "another model" in different.stderr
