"""Memory of a large tree: COVERTYPE grown to two thousand leaves, without and with a limit."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import subprocess
import sys
from pathlib import Path

import sapwood
from benchmarks import peers, streams
from benchmarks.part import ROOT, Data, LeftOut, Setting, Target, say, table

TITLE = "Memory"
LEAVES = 2000
LIMIT = 64_000_000
POINTS = 0.2
BATCH = 10_000


def measure(setting: Setting) -> Data:
    """Find a c that gives enough leaves; then grow that tree without and with the limit."""
    if not Path("/proc/self/statm").is_file():
        raise LeftOut("the memory of a process is read from /proc, which this system has not.")
    stream = streams.real(setting, "covertype")
    wanted = round(LEAVES * setting.scale)
    say(f"memory: c for {wanted} leaves")
    c = peers.tree_like(stream, wanted, fine=1).c
    while peers.evaluate(stream, sapwood.ConfidenceTreeClassifier(c=c)).n_leaves < wanted:
        c *= 0.95
    data: Data = {"rows": len(stream), "c": c, "wanted": wanted}
    limits = {"unlimited": None, "limited": LIMIT}
    for name, limit in limits.items():
        if limit is not None and data["unlimited"]["nbytes"] <= limit:
            continue
        say(f"memory: {name}")
        tree = sapwood.ConfidenceTreeClassifier(c=c, max_bytes=limit)
        result = peers.evaluate(stream, tree)
        data[name] = {
            "accuracy": result.accuracy,
            "leaves": result.n_leaves,
            "nbytes": result.model.nbytes_,
            "growth": _growth_in_a_process(setting.scale, c, limit),
        }
    return data


def _growth_in_a_process(scale: float, c: float, limit: int | None) -> int:
    """Return the resident bytes by which a new process grew while it learned the tree."""
    code = "import sys; from benchmarks import memory; memory.grow(*sys.argv[1:])"
    arguments = [str(scale), repr(c), str(limit or 0)]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return int(json.loads(done.stdout))


def grow(scale: str, c: str, limit: str) -> None:
    """Learn in batches with all rows already in memory, and print by how much the process grew."""
    stream = streams.real(Setting(core=None, scale=float(scale)), "covertype")
    tree = sapwood.ConfidenceTreeClassifier(c=float(c), max_bytes=int(limit) or None)
    tree.partial_fit(stream.X[:100], stream.y[:100], classes=list(range(stream.n_classes)))
    before = _resident()
    for start in range(100, len(stream), BATCH):
        tree.partial_fit(stream.X[start : start + BATCH], stream.y[start : start + BATCH])
    print(json.dumps(_resident() - before))


def _resident() -> int:
    """Return the resident bytes of this process, after free memory went back to the system."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc's: else the tree would grow into old holes
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def page(data: Data) -> list[str]:
    """Return the table."""
    rows = []
    for name, words in (("unlimited", "no limit"), ("limited", f"max_bytes={LIMIT:,}")):
        if name in data:
            of = data[name]
            sizes = [f"{of[key] / 1e6:.1f} MB" for key in ("nbytes", "growth")]
            rows.append([words, of["leaves"], *sizes, f"{of['accuracy']:.4f}"])
    lines = [
        f"COVERTYPE, {data['rows']:,} rows, c={data['c']:.3g}. The growth is that of the resident",
        "memory of a process that has the rows in memory already and learns them in batches.",
        "",
        *table(["tree", "leaves", "`nbytes_`", "growth of the process", "accuracy"], rows),
    ]
    if "limited" not in data:
        lines += ["", f"The tree stays below {LIMIT / 1e6:.0f} MB, so no limit was tried."]
    return lines


def targets(data: Data) -> list[Target]:
    """Return the targets."""
    small = data["limited" if "limited" in data else "unlimited"]
    megabytes = max(small["nbytes"], small["growth"]) / 1e6
    lost = 100 * (data["unlimited"]["accuracy"] - small["accuracy"])
    with_limit = "with the limit" if "limited" in data else "without a limit"
    found = [
        Target(f"leaves, {with_limit}", small["leaves"], data["wanted"], ""),
        Target(f"bytes, {with_limit}", megabytes, LIMIT / 1e6, "MB", at_most=True),
    ]
    if "limited" in data:
        what = "accuracy lost to the limit"
        found.append(Target(what, lost, POINTS, "points", at_most=True))
    return found
