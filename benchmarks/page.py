"""The page of results: made from the JSON files of the parts that have been measured."""

from __future__ import annotations

import datetime
import functools
import importlib
import importlib.metadata
import json
import subprocess
from pathlib import Path
from typing import cast

import sapwood
from benchmarks import drawing, moa
from benchmarks.measure import machine
from benchmarks.part import ROOT, Data, Part, Setting, Target, table

HOME = Path(__file__).parent
PARTS = (
    "learning",
    "datasets",
    "predicting",
    "calls",
    "files",
    "asking",
    "memory",
    "sweep",
    "growth",
    "threads",
)
PACKAGES = ("numpy", "scikit-learn", "river", "scikit-activeml", "pyarrow")
HEAD = """# Results

Written by `make bench`. Rates are rows per CPU second of the learning thread on one pinned core:
the median of five turns with their range (or as many as stand there), after a warm-up. What is
compared is measured in turns, but for CapyMOA and the strategies of others; a turn is as many
passes as take a quarter of a second, so that a short pass does not measure how cold the one before
has left the caches. Whether a target is met is computed from the medians. Every part can be
measured alone with `python -m benchmarks PART`, and says when that was done. The absolute numbers
belong to the machine; on a shared one the ratios move between runs, too.
"""


def load(name: str) -> Part:
    """Import a part by its name."""
    return cast(Part, importlib.import_module(f"benchmarks.{name}"))


def stamp(name: str, setting: Setting, seconds: float) -> Data:
    """Say when, where and with what a part was measured."""
    return {
        "part": name,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds, 1),
        "scale": setting.scale,
        "sapwood": f"{sapwood.__version__} ({_commit()})",
        "machine": machine(),
        "versions": _versions(),
        "command": f"python -m benchmarks {name}",
    }


@functools.cache
def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=, changed since"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"


@functools.cache
def _versions() -> str:
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"no {package}")
    found.append(f"MOA from {moa.CAPYMOA}" if moa.available() else "no MOA")
    return ", ".join(found)


def write(home: Path) -> None:
    """Write RESULTS.md, and the figures, from the JSON files in `home`/results."""
    records: dict[str, Data] = {}
    for name in PARTS:
        path = home / "results" / f"{name}.json"
        if path.is_file():
            records[name] = json.loads(path.read_text())
    newest = max(records.values(), key=lambda record: str(record["date"]), default=None)
    lines = [HEAD, *_place(newest), *_summary(records)]
    for name, record in records.items():
        part, data = load(name), record["data"]
        lines += ["", f"## {part.TITLE}", ""]
        if "omitted" in data:
            lines.append(f"Left out: {data['omitted']}")
        else:
            lines += part.page(data)
        for figure, words in drawing.draw(name, data, home / "figures"):
            lines += ["", f"![{words}](figures/{figure})"]
        reached = _targets(name, record)
        lines += ["", *(f"- {target}" for target in reached)] if reached else []
        lines += ["", _measured(record, newest)]
    (home / "RESULTS.md").write_text("\n".join(lines) + "\n")


def _targets(name: str, record: Data) -> list[Target]:
    return [] if "omitted" in record["data"] else load(name).targets(record["data"])


def _summary(records: dict[str, Data]) -> list[str]:
    rows = [
        [f"{name}: {cells[0]}", *cells[1:]]
        for name, record in records.items()
        for cells in (target.cells() for target in _targets(name, record))
    ]
    without = [name for name in PARTS if name not in records]
    missing = [f"Not measured yet: {', '.join(without)}.", ""] if without else []
    return [*missing, *table(["target", "goal", "measured", "verdict"], rows)]


def _place(record: Data | None) -> list[str]:
    if record is None:
        return []
    return [f"- machine: {record['machine']}", f"- versions: {record['versions']}", ""]


def _measured(record: Data, newest: Data | None) -> str:
    words = [f"`{record['command']}`", f"{record['date']}, {record['seconds']:.0f} s"]
    words.append(f"sapwood {record['sapwood']}")
    if newest is not None:
        words += [record[key] for key in ("machine", "versions") if record[key] != newest[key]]
    if record["scale"] != 1:
        words.append(f"a trial with {record['scale']:g} of the rows")
    return f"<sub>{'; '.join(words)}</sub>"
