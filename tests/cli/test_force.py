"""``--force`` replaces a run when there is something to put in its place, and not before."""

import errno
import json
import os
import shutil
import time
from pathlib import Path
from subprocess import PIPE

import pytest
from cli_tools import answer, call, interrupt, process

import sapwood.cli.run as run_verb
import sapwood.compare as compared
from sapwood import _runner, report


def held(folder):
    """Return what lies in a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def many_rows(stream):
    """Return text that is longer than the reader takes at a time: 8 MiB are learned before more."""
    head, _, rows = stream.read_bytes().partition(b"\n")
    return head + b"\n" + rows * 30


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device", "report.html")


def interrupted(*_, **__):
    raise KeyboardInterrupt


BROKEN = {
    "a bad row": ({}, 1, "line 302"),
    "a bad row, after a checkpoint": ({"_SECONDS_BETWEEN_SAVES": -1.0}, 1, "line 302"),
    "a full disk": ({"write_report": full_disk}, 1, "No space left on device"),
    "Ctrl-C": ({"go": interrupted}, 130, "Interrupted"),
}


@pytest.mark.parametrize("why", BROKEN)
def test_a_run_that_fails_gives_back_what_it_put_aside(here, monkeypatch, why):
    lines = ["a,b,class", *(f"{i},{i % 7},{'yn'[i % 2]}" for i in range(40_000))]
    Path("good.csv").write_text("\n".join(lines[:600]) + "\n")
    Path("bad.csv").write_text("\n".join([*lines, "oops,1,y"]) + "\n")
    call("run", "good.csv")
    Path("sapwood-run/notes.txt").write_text("mine")
    before = held(here / "sapwood-run")
    changes, code, said = BROKEN[why]
    for name, value in changes.items():
        owner = next(part for part in (run_verb, _runner, report) if hasattr(part, name))
        monkeypatch.setattr(owner, name, value)
    stream = "bad.csv" if "row" in why else "good.csv"
    done = call("run", stream, "--types", "a=numeric", "--force", code=code)
    assert said.replace("302", "40002") in done.stderr
    assert held(here / "sapwood-run") == before


def test_a_failure_leaves_a_checkpoint_where_it_replaces_nothing(here, monkeypatch):
    lines = ["a,class", *(f"{i},{'yn'[i % 2]}" for i in range(40_000)), "oops,y"]
    Path("bad.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(_runner, "_SECONDS_BETWEEN_SAVES", -1.0)
    words = ("run", "bad.csv", "--types", "a=numeric")
    call(*words, code=1)
    assert set(held(here / "sapwood-run")) == {"checkpoint.sapwood", "settings.json"}
    assert answer(*words, "--resume", "--on-error", "skip", code=3)["n_rows"] == 40_000


def test_what_cannot_be_given_back_is_named_with_the_reason(stream, here, monkeypatch):
    call("run", stream)
    before = held(here / "sapwood-run")
    replace = Path.replace

    def stuck(path, target):
        if path.parent.name.startswith(".replaced"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", stuck)
    monkeypatch.setattr(report, "write_report", full_disk)
    said = call("run", stream, "--force", code=1).stderr
    aside = Path("sapwood-run/.replaced-1")
    assert str(aside) in said
    assert "Permission denied" in said
    assert "No space left on device" in said
    assert held(aside) == before


@pytest.mark.skipif(os.name == "nt", reason="there a process cannot be killed so")
def test_what_a_killed_run_put_aside_is_told_of_and_kept(stream, here):
    call("run", stream)
    before = held(here / "sapwood-run")
    words = ("run", "-", "--format", "csv", "--force")
    aside = here / "sapwood-run" / ".replaced-1"
    with process(*words, stdin=PIPE) as started:
        started.stdin.write(many_rows(stream)[:-100])
        started.stdin.flush()
        until = time.monotonic() + 60
        while time.monotonic() < until and not (aside / "settings.json").exists():
            time.sleep(0.02)
        started.kill()
        started.wait(60)
    assert held(aside) == before
    done = call("run", stream, "--force")
    assert "sapwood-run/.replaced-1" in done.stderr
    assert held(aside) == before
    assert not (here / "sapwood-run" / ".replaced-2").exists()


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process there")
def test_an_interrupted_run_replaces_when_it_is_done(stream, here):
    call("run", stream)
    before = held(here / "sapwood-run")
    many = many_rows(stream)
    words = ("run", "-", "--format", "csv")
    with process(*words, "--force", stdin=PIPE) as started:
        started.stdin.write(many[:-100])
        interrupt(started)
        assert started.wait(60) == 130
        said = started.stderr.read().decode()
    assert "sapwood-run/.replaced-1" in said
    assert held(here / "sapwood-run" / ".replaced-1") == before
    (here / "mine").mkdir()
    settings = Path("sapwood-run/settings.json")
    crafted = settings.read_text().replace('".replaced-1"', '"../mine"')
    shutil.copytree("sapwood-run", "other")
    (here / "other" / "settings.json").write_text(crafted)
    answer("run", "other", "--resume", text=many)
    assert (here / "mine").is_dir()  # only what a run has put aside is ever removed
    kept = set(held_files(here / "sapwood-run"))
    assert {"checkpoint.sapwood", "report.html"} <= kept
    assert answer(*words, "--resume", text=many)["n_rows"] == 30 * 4000
    assert sorted(path.name for path in (here / "sapwood-run").iterdir()) == sorted(before)
    assert json.loads(Path("sapwood-run/settings.json").read_text())["replaced"] is None


def held_files(folder):
    return [path.name for path in folder.iterdir() if path.is_file()]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nowhere.csv"], 2, "nowhere.csv"),
        (["bad.csv"], 1, "line 52"),
        (["--budget", "much"], 2, "much"),
    ],
)
def test_a_comparison_that_fails_gives_back_its_folder(here, words, code, said):
    Path("good.csv").write_text("a,class\n" + "1,x\n2,y\n" * 25)
    Path("bad.csv").write_text("a,class\n" + "1,x\n2,y\n" * 25 + "oops,x\n")
    usual = ("compare", "good.csv", "--strategy", "random", "--seeds", "2", "--jobs", "1")
    usual += ("--types", "a=numeric", "--budget", "0.1")
    call(*usual)
    before = held(here / "sapwood-compare")
    done = call(*usual, *words, "--force", code=code)
    assert said in done.stderr
    assert held(here / "sapwood-compare") == before
    again = answer(*usual, "--force")
    assert again["runs"] == 2
    assert sorted(held(here / "sapwood-compare")) == sorted(before)
    assert (here / "sapwood-compare" / "cells.jsonl").read_bytes() != before["cells.jsonl"]


def test_a_comparison_interrupted_says_where_the_other_lies(stream, here, monkeypatch):
    usual = ("compare", stream, "--strategy", "random", "--budget", "0.1", "--jobs", "1")
    call(*usual, "--seeds", "1")
    before = held(here / "sapwood-compare")
    runs = iter([compared._run, interrupted])
    monkeypatch.setattr(compared, "_run", lambda task: next(runs)(task))
    done = call(*usual, "--seeds", "2", "--force", code=130)
    assert "without --force" in done.stderr
    assert "sapwood-compare/.replaced-1" in done.stderr
    assert held(here / "sapwood-compare" / ".replaced-1") == before
    assert held_files(here / "sapwood-compare") == ["cells.jsonl"]
    runs = iter([interrupted])
    again = call(*usual, "--seeds", "2", "--force", code=130)
    assert ".replaced-1" in again.stderr  # of the run before, and told once more
    assert held_files(here / "sapwood-compare") == ["cells.jsonl"]
    assert not (here / "sapwood-compare" / ".replaced-2").exists()
