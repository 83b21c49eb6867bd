"""``sapwood reproduce``: what the library gives, kept when it is interrupted, refused in words."""

import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli_tools import answer, call, process

from sapwood.experiments import reproduce

pytest.importorskip("matplotlib")


def test_the_command_is_the_library(tmp_path):
    words = ("reproduce", "synthetic", "--scale", "smoke", "--jobs", "1")
    told = answer(*words, "--out", tmp_path / "command")
    page = reproduce("synthetic", "smoke", tmp_path / "library", jobs=1)
    assert told == {
        "page": str(tmp_path / "command" / "reproduction.md"),
        "parts": ["synthetic"],
        "scale": "smoke",
    }
    tables = [
        pq.read_table(tmp_path / who / "reproduction" / "synthetic.parquet")
        for who in ("command", "library")
    ]
    assert tables[0].equals(tables[1])
    assert page.read_text(encoding="utf-8").startswith("# The paper, reproduced")


def test_what_is_wrong_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SAPWOOD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SAPWOOD_DATA", raising=False)
    out = ("--out", tmp_path / "out")
    assert "A part is one of synthetic" in call("reproduce", "figure-1", *out, code=2).stderr
    assert (
        "A scale is one of smoke" in call("reproduce", "full", "--scale", "xl", *out, code=2).stderr
    )
    missing = call("reproduce", "all", "--scale", "smoke", *out, code=1).stderr
    assert "sapwood data fetch a9a" in missing
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_goes_on(tmp_path, number):
    words = ("reproduce", "synthetic", "--scale", "smoke", "--jobs", "1", "--out", tmp_path)
    with process(*words) as started:
        tasks = tmp_path / "tasks" / "synthetic"
        deadline = time.monotonic() + 120
        while not (tasks.is_dir() and any(tasks.glob("*.parquet"))):
            assert started.poll() is None, started.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        started.send_signal(number)
        _, said = started.communicate(timeout=120)
    kept = {file: file.stat().st_mtime_ns for file in tasks.glob("*.parquet")}
    if started.returncode == 128 + number:  # unless it was done in the meantime
        assert b"the same command does the rest" in said
        page = answer(*words, "--minutes", "0")["page"]
        assert f"*{len(kept)} of the 6 runs" in Path(page).read_text(encoding="utf-8")
    assert answer(*words)["scale"] == "smoke"
    assert all(file.stat().st_mtime_ns == when for file, when in kept.items())
    assert len(list(tasks.glob("*.parquet"))) == 6
