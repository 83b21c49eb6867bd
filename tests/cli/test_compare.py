"""``sapwood compare``: resumable, the same on any number of processes, honest intervals."""

import json
import math
import os
import signal
import time
from contextlib import closing, suppress
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from cli_tools import answer, call, process, same
from scipy import stats

from sapwood import ConfidenceTreeClassifier, evaluate
from sapwood._pool import finished
from sapwood._sources import limited
from sapwood.compare import compare, half_width, summary

TREE = "rand-cbt:leaves=4,per_leaf=800,q=0.9,seed=3"


def without_time(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_a_row_is_what_evaluate_gives(stream):
    rows = compare([stream], strategies=["full", "random"], budgets=["0.2"], seeds=[4], drift="ddm")
    tree = ConfidenceTreeClassifier()
    full = evaluate(stream, tree, drift="ddm")
    asked = evaluate(stream, tree, strategy="random", budget=0.2, random_state=4, drift="ddm")
    assert [row["strategy"] for row in rows] == ["full", "random"]
    assert same(rows[0], full.metrics())
    assert same(rows[1], asked.metrics())
    assert (rows[1]["budget"], rows[1]["B"], rows[1]["seed"]) == ("0.2", 0.2, 4)


def test_results_do_not_depend_on_the_number_of_processes(stream):
    wanted = {"learners": ["c-tree", "moa"], "strategies": ["full", "random"], "seeds": 2}
    one = compare([str(stream), TREE], **wanted, jobs=1)
    two = compare([str(stream), TREE], **wanted, jobs=2)
    assert without_time(one) == without_time(two)
    assert len(one) == 2 * 2 * (1 + 2)


def test_jobs_on_the_command_line_change_nothing_but_time(tmp_path):
    words = ("compare", TREE, "--strategy", "random,conf-tree", "--seeds", "2", "--limit", "1500")
    told = {}
    for jobs in ((), ("--jobs", "1"), ("--jobs", "2"), ("--jobs", "9")):
        folder = tmp_path / "-".join(("out", *jobs))
        told[jobs] = answer(*words, *jobs, "--out", str(folder))["summary"]
    assert all(found == told[()] for found in told.values())


def test_a_guessed_label_is_said_once(here):
    rows = "".join(f"{i},{i % 2},{i % 3}\n" for i in range(300))
    (here / "named.csv").write_text("a,y_true,score\n" + rows)
    (here / "last.csv").write_text("a,b,kind\n" + rows)
    words = ("compare", "named.csv", "last.csv", "--strategy", "full,random", "--seeds", "2")
    for jobs in ("1", "2"):
        said = call(*words, "--jobs", jobs, "--out", jobs).stderr
        assert said.count("named.csv: the label is the column 'y_true', by its name.") == 1
        assert said.count("last.csv: the last column, 'kind', is taken for the label") == 1
        assert said.count("\n") == 2


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2", True])
def test_absurd_numbers_of_jobs_are_refused(jobs):
    with pytest.raises(ValueError, match="jobs must be a whole number of at least 1"):
        compare([TREE], seeds=1, jobs=jobs)


def test_only_what_is_missing_is_done(tmp_path):
    lines, done = tmp_path / "cells.jsonl", []

    def progress(n, total, row):
        done.append((n, total, row["seed"]))

    first = compare([TREE], strategies=["random"], seeds=2, out=lines, progress=progress)
    kept = lines.read_text()
    assert done == [(1, 2, 0), (2, 2, 1)]
    done.clear()
    second = compare([TREE], strategies=["random"], seeds=3, out=lines, progress=progress)
    assert done == [(3, 3, 2)]
    assert lines.read_text().startswith(kept)
    assert second[:2] == first
    done.clear()
    compare([TREE], strategies=["random"], seeds=3, out=lines, progress=progress, drift="ddm")
    assert len(done) == 3  # other settings are other runs


def test_a_line_that_was_cut_short_is_done_again(tmp_path):
    lines, done = tmp_path / "cells.jsonl", []
    first = compare([TREE], strategies=["random"], seeds=2, out=lines)
    lines.write_text(lines.read_text()[:-20])

    def progress(n, total, row):
        done.append(row["seed"])

    again = compare([TREE], strategies=["random"], seeds=2, out=lines, progress=progress)
    assert done == [1]
    assert without_time(again) == without_time(first)
    assert without_time(compare([TREE], strategies=["random"], seeds=2, out=lines)) == (
        without_time(first)
    )
    assert sum('"key"' in line for line in lines.read_text().splitlines()) == 3


def test_a_file_that_changed_is_read_again(tmp_path):
    path, lines = tmp_path / "s.csv", tmp_path / "cells.jsonl"
    path.write_text("a,class\n" + "1,x\n" * 50)
    before = compare([path], strategies=["full"], out=lines)
    path.write_text("a,class\n" + "1,x\n" * 60)
    after = compare([path], strategies=["full"], out=lines)
    assert (before[0]["n_rows"], after[0]["n_rows"]) == (50, 60)


def test_own_models_and_streams(stream):
    X = [[float(i % 2)] for i in range(400)]
    y = [i % 2 for i in range(400)]
    models = {"tiny": ConfidenceTreeClassifier(max_leaves=1)}
    (row,) = compare({"pair": (X, y)}, models, ["full"])
    assert (row["stream"], row["learner"], row["n_leaves"]) == ("pair", "tiny", 1)


@pytest.mark.parametrize("n", [2, 5, 10, 11, 30, 200])
def test_the_interval_is_students(n):
    values = [math.sin(7 * i) for i in range(n)]
    error = stats.sem(values)
    low, high = stats.t.interval(0.95, n - 1, loc=0, scale=error)
    assert half_width(values) == pytest.approx((high - low) / 2, rel=2e-4)
    assert math.isnan(half_width(values[:1]))


def test_a_summary_is_over_the_seeds():
    rows = compare([TREE], strategies=["random", "full"], budgets=["0.1", "0.3"], seeds=3)
    found = summary(rows)
    assert [(e["strategy"], e["budget"], e["seeds"]) for e in found] == [
        ("random", "0.1", 3),
        ("random", "0.3", 3),
        ("full", None, 1),
    ]
    accuracies = [row["accuracy"] for row in rows[:3]]
    assert found[0]["accuracy"] == pytest.approx(sum(accuracies) / 3)
    assert found[0]["accuracy_half"] == half_width(accuracies)


def test_limited_cuts_both_ends():
    chunks = [([1, 2, 3], [1, 2, 3]), ([4, 5, 6], [4, 5, 6]), ([7], [7])]
    assert [y for _, y in limited(chunks, None, 4)] == [[5, 6], [7]]
    assert [y for _, y in limited(chunks, 5, 1)] == [[2, 3], [4, 5]]
    assert list(limited(chunks, 3, 3)) == []


def test_the_verb_writes_table_pictures_and_page(here, stream):
    words = ("compare", stream, TREE, "--strategy", "full,random", "--budget", "0.1,0.3")
    found = answer(*words, "--seeds", "2", "--jobs", "1", "--limit", "2000")
    assert found["runs"] == 2 * (1 + 2 * 2)
    assert found["seeds"] == [0, 1]
    table = parquet.read_table("sapwood-compare/results.parquet").to_pylist()
    assert len(table) == found["runs"]
    library = compare([stream, TREE], ["c-tree"], ["full", "random"], ["0.1", "0.3"], 2, limit=2000)
    for row, wanted in zip(table, library, strict=True):
        assert row["accuracy"] == wanted["accuracy"]
        assert row["stream"] == wanted["stream"]
    page = (here / "sapwood-compare" / "comparison.html").read_text()
    assert page.count("<svg") == 2
    assert f"{100 * found['summary'][1]['accuracy']:.2f}" in page
    pictures = list((here / "sapwood-compare").glob("*.svg"))
    assert len(pictures) == 2
    assert all(path.read_text().startswith("<svg") for path in pictures)
    assert found["summary"][0]["accuracy_half"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["-"], "once"),
        ([TREE, "--strategy", "best"], "conf-tree"),
        ([TREE, "--learner", "oak"], "corrh-tree"),
        ([TREE, "--budget", "much"], "much"),
        ([TREE, "--seeds", "none"], "none"),
        ([TREE, "--seeds", "0"], "at least 1"),
        ([TREE, "--drift", "wind"], "adwin"),
        ([TREE, "--criterion", "luck"], "entropy"),
    ],
)
def test_wrong_usage_is_said(here, words, said):
    assert said in call("compare", *words, "--jobs", "1", code=2).stderr
    assert list(here.iterdir()) == []


def test_bad_rows_are_an_error_or_counted(here):
    (here / "bad.csv").write_text("a,class\n" + "1,x\n2,y\n" * 50 + "oops,x\n")
    words = ("compare", "bad.csv", "--types", "a=numeric", "--strategy", "full", "--jobs", "1")
    assert "line 102" in call(*words, code=1).stderr
    done = call(*words, "--on-error", "skip", code=3)
    assert json.loads(done.stdout)["runs"] == 1
    many = (*words[:4], "--strategy", "random", "--jobs", "2", "--seeds", "3")
    assert "line 102" in call(*many, code=1).stderr  # as a worker says it


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_done(tmp_path, number):
    tree = "rand-cbt:leaves=8,per_leaf=20000,seed=3"
    words = ("compare", tree, "--strategy", "conf-tree", "--budget", "0.5", "--jobs", "2")
    words += ("--out", tmp_path)
    lines = tmp_path / "cells.jsonl"
    with process(*words, "--seeds", "400") as started:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (lines.exists() and lines.read_text()):
            time.sleep(0.02)
        started.send_signal(number)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 128 + number, err
    assert out == b""
    assert b"Interrupted" in err
    assert b"Traceback" not in err
    kept = lines.read_text()
    assert 0 < kept.count("\n") < 400
    seed = json.loads(kept.splitlines()[0])["row"]["seed"]
    found = answer(*words, "--seeds", f"{seed},", "--jobs", "1")
    assert found["runs"] == 1
    assert lines.read_text() == kept


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs a list of processes")
def test_no_worker_outlives_a_parent_that_is_killed(tmp_path):
    mark = f"SAPWOOD_TEST={tmp_path}"
    words = (
        "compare",
        "rand-cbt:leaves=8,per_leaf=20000",
        "--strategy",
        "conf-tree",
        "--jobs",
        "2",
    )
    words += ("--budget", "0.5", "--seeds", "4000", "--out", tmp_path / "out")
    lines = tmp_path / "out" / "cells.jsonl"
    with process(*words, env=dict([mark.split("=")])) as started:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (lines.exists() and lines.read_text()):
            time.sleep(0.02)
        assert len(marked(mark)) >= 3  # the parent and two workers
        started.kill()
        started.wait(60)
        until = time.monotonic() + 60
        while time.monotonic() < until and marked(mark):
            time.sleep(0.02)
        assert marked(mark) == []


def test_a_worker_that_is_killed_is_said_in_words():
    with (
        pytest.raises(ChildProcessError, match="ended from outside"),
        closing(finished(os._exit, {"a": 9, "b": 9}, 2)) as results,
    ):
        list(results)


def marked(mark):
    """Return the processes that were started with an entry of the environment."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdecimal() and mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
    return found
