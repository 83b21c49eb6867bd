"""A run from a file, as a user starts it: `sapwood run` on CSV, MOA's command line on ARFF."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from pathlib import Path

import numpy as np

from benchmarks import cost, moa, peers, streams
from benchmarks.measure import shown
from benchmarks.part import Data, Setting, Target, bold, left_out, say, table, times
from benchmarks.streams import Stream

TITLE = "From a file"
ROWS, FEW = 5_000_000, 1_000_000
GOAL = 10
FLAT = 1.2  # peak memory at five times the rows, at most so many times as much
CSV_HEAD = "x0,x1,x2,x3,x4,class\n"
ARFF_HEAD = (
    "@relation stream\n"
    + "".join(f"@attribute x{j} numeric\n" for j in range(5))
    + "@attribute class {0,1}\n@data\n"
)


def measure(setting: Setting) -> Data:
    """Write the files once; then run each command once."""
    folder = setting.folder / "files"
    folder.mkdir(parents=True, exist_ok=True)
    stream = _stream(setting)
    n, few = len(stream), setting.rows(FEW)
    paths = _write(folder, stream, few)
    data: Data = {"rows": n, "few": few, "runs": {}, "left_out": []}
    like = 1000
    if moa.available():
        say("files: MOA")
        task = (
            f"EvaluateInterleavedTestThenTrain -l ({peers.MOA_TREE} {peers.MOA_MAJORITY}) "
            f"-s (ArffFileStream -f {paths['arff']}) -i {n} -f {n}"
        )
        output, spent = _run(["java", "-cp", str(moa.find_jar()), "moa.DoTask", task], setting)
        last = list(csv.DictReader(io.StringIO(output)))[-1]
        like = round(float(last["tree size (leaves)"]))
        outcome = {
            "accuracy": float(last["classifications correct (percent)"]) / 100,
            "leaves": like,
        }
        data["runs"]["moa"] = spent | outcome
    else:
        data["left_out"].append("MOA, which needs a Java development kit and PyPI.")
    say(f"files: c for {like} leaves")
    c = peers.tree_like(stream, like, fine=17).c
    for key, rows in (("few", few), ("sapwood", n)):
        say(f"files: sapwood run, {rows:,} rows")
        out = folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        command = [sys.executable, "-m", "sapwood", "run", str(paths[key]), "--c", repr(c)]
        output, spent = _run([*command, "--out", str(out), "--json"], setting)
        result = json.loads(output)
        outcome = {"accuracy": result["accuracy"], "leaves": result["n_leaves"]}
        data["runs"][key] = spent | outcome
    return data | {"c": c}


def _stream(setting: Setting) -> Stream:
    """RandCBT with values of six decimals, the same that stand in the files."""
    stream = streams.rand_cbt(setting, ROWS)
    return streams.of_matrix("RandCBT", np.round(stream.matrix, 6), stream.y)


def _write(folder: Path, stream: Stream, few: int) -> dict[str, Path]:
    """Write CSV, its beginning, and ARFF with the same rows; files that are there are kept."""
    n = len(stream)
    paths = {
        "sapwood": folder / f"{n}.csv",
        "few": folder / f"{n}-first-{few}.csv",
        "arff": folder / f"{n}.arff",
    }
    if all(path.is_file() for path in paths.values()):
        return paths
    say(f"files: writing {n:,} rows")
    files = {name: path.with_name(path.name + ".part").open("w") for name, path in paths.items()}
    for name, file in files.items():
        file.write(ARFF_HEAD if name == "arff" else CSV_HEAD)
    step, formatted = 100_000, ",".join(["%.6f"] * 5) + ",%d\n"
    for start in range(0, n, step):
        labels = stream.y[start : start + step].tolist()
        rows = stream.matrix[start : start + step].tolist()
        lines = [formatted % (*row, label) for row, label in zip(rows, labels, strict=True)]
        for name, file in files.items():
            file.writelines(lines[: max(0, few - start)] if name == "few" else lines)
    for name, file in files.items():
        file.close()
        Path(file.name).replace(paths[name])
    return paths


def _run(command: list[str], setting: Setting) -> tuple[str, dict[str, float]]:
    return cost.run(moa.pinned(command, setting.core), setting.folder / "output")


def page(data: Data) -> list[str]:
    """Return the table."""
    names = {
        "sapwood": (f"`sapwood run` on CSV, --c {data['c']:.3g}", data["rows"]),
        "few": ("the same, its first rows", data["few"]),
        "moa": (f"MOA `DoTask` on ARFF, HoeffdingTree {peers.MOA_MAJORITY}", data["rows"]),
    }
    ours = data["runs"]["sapwood"]
    rows = []
    for key, (name, n) in names.items():
        if key not in data["runs"]:
            continue
        run = data["runs"][key]
        cells = [name, shown(n / run["cpu"]), f"{n:,}", f"{run['cpu']:.1f}", f"{run['wall']:.1f}"]
        cells += [f"{run['peak'] / 1e6:.0f} MB", f"{run['accuracy']:.4f}", run["leaves"]]
        cells.append(times(run["cpu"], ours["cpu"]) if key == "moa" else "")
        rows.append(cells if key == "moa" else bold(cells))
    head = ["command", "rows per CPU second", "rows", "CPU seconds", "seconds", "peak memory"]
    return [
        "RandCBT with values of six decimals. The whole command counts, from its start to its end:",
        "start of the interpreter or of Java, reading, learning, and for sapwood the report; all",
        "threads' CPU seconds, run once. MOA reads no CSV, so it gets the same lines as ARFF.",
        "",
        *table([*head, "accuracy", "leaves", "sapwood is"], rows),
        *left_out(data),
    ]


def targets(data: Data) -> list[Target]:
    """Return the targets."""
    runs = data["runs"]
    found = []
    if "moa" in runs:
        ratio = runs["moa"]["cpu"] / runs["sapwood"]["cpu"]
        found.append(Target("against MOA's command line", ratio, GOAL))
    flat = runs["sapwood"]["peak"] / runs["few"]["peak"]
    what = f"peak memory, {data['rows']:,} rows against {data['few']:,}"
    return [*found, Target(what, flat, FLAT, at_most=True)]
