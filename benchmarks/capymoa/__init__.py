"""CapyMOA, in an environment and a process of its own.

It brings its own versions of pandas and others, and a JVM inside Python, so it is installed into
build/bench/capymoa (about 560 MB; without torch, which is an extra) and `learn.py`, beside this
file, runs it there and prints JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import moa
from benchmarks.part import ROOT
from benchmarks.streams import Stream

HOME = ROOT / "build" / "bench" / "capymoa"
SCRIPT = Path(__file__).with_name("learn.py")


class CapyMoaUnavailable(RuntimeError):  # noqa: N818 - it names a state
    """CapyMOA cannot be run here; the message says why."""


def interpreter() -> Path:
    """Return the Python that has CapyMOA, which is installed first if need be."""
    python = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = HOME / "ready"
    if ready.is_file() and ready.read_text() == moa.CAPYMOA:
        return python
    if not moa.available():
        raise CapyMoaUnavailable("CapyMOA needs Java")
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(HOME)],
        [str(python), "-m", "pip", "-q", "--disable-pip-version-check", "install", moa.CAPYMOA],
        [str(python), "-c", "import capymoa.classifier"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise CapyMoaUnavailable(f"{moa.CAPYMOA} could not be installed: {last}")
    ready.write_text(moa.CAPYMOA)
    return python


def write_arff(path: Path, stream: Stream) -> None:
    """Write a stream of numbers as ARFF."""
    head = ["@relation stream"]
    head += [f"@attribute x{j} numeric" for j in range(stream.matrix.shape[1])]
    head += ["@attribute class {" + ",".join(map(str, range(stream.n_classes))) + "}", "@data"]
    with path.open("w") as file:
        file.write("\n".join(head) + "\n")
        rows = np.column_stack([stream.matrix, stream.y])
        np.savetxt(file, rows, fmt=["%.17g"] * stream.matrix.shape[1] + ["%d"], delimiter=",")


def run(
    stream: Stream, form: str, repetitions: int, warm_up: int, core: int | None, **params: Any
) -> list[dict[str, Any]]:
    """Test-then-train its HoeffdingTree with `prequential_evaluation(optimise=True)`.

    Parameters
    ----------
    stream
        The rows.
    form
        "arff", its fastest way, or "numpy".
    repetitions, warm_up
        Runs that count, and runs before them in the same process.
    core
        The core to pin to.
    params
        Of the tree.

    Returns
    -------
    list of dict
        Of each run that counts: rows per CPU second of the thread and of the whole process (with
        Java's compiler and collector), accuracy and leaves.
    """
    python = interpreter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("stream.arff" if form == "arff" else "stream.npz")
        if form == "arff":
            write_arff(path, stream)
        else:
            np.savez(path, X=stream.matrix, y=stream.y)
        numbers = [str(len(stream)), str(repetitions + warm_up)]
        command = [str(python), str(SCRIPT), str(path), *numbers]
        done = subprocess.run(
            moa.pinned([*command, json.dumps(params)], core),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise CapyMoaUnavailable(f"CapyMOA failed: {last}")
    runs: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return runs[warm_up:]
