"""The real MOA, run on arrays: a peer for parity tests and speed comparisons.

MOA (GPL-3) is neither shipped nor linked. Its jar lies in the PyPI wheel of CapyMOA; `find_jar`
fetches that file once, and MoaRunner.java, beside this file, calls its public classes in a JVM of
its own. A JDK from 17 on is needed, since the runner is started from its source.

The stream file is little-endian: the 8 bytes ``SAPWMOA1``, int64 rows, int32 columns, int32
classes, one int32 per column (0 = numeric, else the number of nominal values), the float64 matrix
by rows (NaN = missing, a nominal value as its index), the int32 labels.

Started like this MOA cannot measure its own size (that takes a Java agent), so its memory limit,
option -m, never acts.

>>> write_stream(path, X, y, nominal={2: 7}, n_classes=2)        # doctest: +SKIP
>>> run(path, "trees.HoeffdingTree -b -l MC -g 100")[0]["accuracy"]     # doctest: +SKIP
>>> detect(errors, "DDM")                                               # doctest: +SKIP
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

__all__ = [
    "MoaUnavailable",
    "Outcome",
    "PredictPass",
    "Repetition",
    "available",
    "detect",
    "find_jar",
    "java_available",
    "pinned",
    "run",
    "write_stream",
]

CAPYMOA = "capymoa==0.15.1"  # its jar is MOA 24.07; another one may give other numbers
JAR_IN_WHEEL = "capymoa/jar/moa.jar"
RUNNER = Path(__file__).with_name("MoaRunner.java")
MAGIC = b"SAPWMOA1"
OLDEST_JAVA = 17
PREDICT_PASSES = 5


class MoaUnavailable(RuntimeError):  # noqa: N818 - it names a state to skip on
    """MOA cannot be run here; the message says what is missing."""


class Timing(TypedDict):
    """What one timed loop gave. CPU seconds leave out the JVM's compiler and collector threads."""

    index: int
    examples: int
    correct: int
    accuracy: float
    seconds: float
    cpu_seconds: float
    examples_per_second: float
    examples_per_cpu_second: float


class PredictPass(Timing):
    """One pass of predictions over all rows with the trained learner, nothing learned."""


class Outcome(Timing):
    """One test-then-train run of a fresh learner.

    `leaves` is None for a learner that reports none, and `labels`, those asked for, for one that is
    not active; `measurements` holds all that the learner, or an active one's base, reports.
    """

    leaves: int | None
    labels: int | None
    measurements: dict[str, float | None]


class _Asked(TypedDict, total=False):
    predictions: npt.NDArray[np.int32]
    predict_only: list[PredictPass]
    orders: list[Outcome]


class Repetition(Outcome, _Asked):
    """A timed run on the rows as they are.

    The last one alone has `predictions`, `predict_only` and `orders`, when they were asked for.
    """


def find_jar() -> Path:
    """Find MOA's jar: ``$SAPWOOD_MOA_JAR``, else the cached one, else download it to the cache."""
    named = os.environ.get("SAPWOOD_MOA_JAR")
    if named:
        if not Path(named).is_file():
            raise MoaUnavailable(f"SAPWOOD_MOA_JAR names no file: {named}")
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sapwood"
    jar = cache / "moa.jar"
    if not jar.is_file():
        _download(jar)
    return jar


def _download(jar: Path) -> None:
    """Take the jar out of CapyMOA's wheel, which is not installed."""
    try:
        jar.parent.mkdir(parents=True, exist_ok=True)
        # Inside the cache, so that the finished jar is moved within one file system.
        with tempfile.TemporaryDirectory(dir=jar.parent) as folder:
            wheel = _download_wheel(Path(folder))
            with zipfile.ZipFile(wheel) as archive, archive.open(JAR_IN_WHEEL) as source:
                unfinished = Path(folder) / jar.name
                with unfinished.open("wb") as target:
                    shutil.copyfileobj(source, target)
            unfinished.replace(jar)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise MoaUnavailable(f"cannot get {JAR_IN_WHEEL} of {CAPYMOA}: {error}") from error


def _download_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    # Only the jar is wanted, so it does not matter whether the wheel suits this Python.
    command += ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python"]
    command += ["--dest", str(folder), CAPYMOA]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        raise MoaUnavailable(f"pip could not download {CAPYMOA}: {_tail(done.stderr)}")
    return wheels[0]


@functools.cache
def java_available() -> bool:
    """Whether ``java`` is a JDK recent enough to start the runner from its source."""
    java = shutil.which("java")
    if java is None:
        return False
    done = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=False)
    compiler = re.search(r"^jdk\.compiler@(\d+)", done.stdout, re.MULTILINE)
    return compiler is not None and int(compiler[1]) >= OLDEST_JAVA


@functools.cache
def available() -> bool:
    """Whether MOA can be run: there is a JDK, and the jar is here or could be fetched."""
    try:
        return java_available() and find_jar().is_file()
    except MoaUnavailable as error:
        print(f"MOA is left out: {error}", file=sys.stderr)
        return False


def write_stream(
    path: str | os.PathLike[str],
    X: npt.NDArray[np.float64],
    y: npt.NDArray[np.int32],
    nominal: Mapping[int, int] | None = None,
    n_classes: int = 2,
) -> None:
    """Write rows and labels for `run`.

    Parameters
    ----------
    path
        The file to write.
    X
        One row per example; NaN is a missing value.
    y
        Class indices, 0 to n_classes - 1.
    nominal
        Column -> number of values, for the columns that hold indices of nominal values.
    n_classes
        The number of declared classes.

    Raises
    ------
    ValueError
        If shapes do not fit, or a label or nominal value is outside its declared range.
    """
    nominal = dict(nominal or {})
    matrix = np.ascontiguousarray(X, dtype="<f8")
    labels = np.asarray(y)
    if matrix.ndim != 2 or labels.shape != matrix.shape[:1]:
        raise ValueError(f"X of shape {matrix.shape} and y of shape {labels.shape} do not fit")
    if not _are_indices(labels, n_classes):
        raise ValueError(f"labels must be whole numbers from 0 to {n_classes - 1}")
    kinds = np.zeros(matrix.shape[1], dtype="<i4")
    for column, count in nominal.items():
        if not 0 <= column < matrix.shape[1] or count < 1:
            raise ValueError(f"no such nominal column: {column} with {count} values")
        present = matrix[:, column]
        if not _are_indices(present[~np.isnan(present)], count):
            raise ValueError(f"column {column} must hold whole numbers from 0 to {count - 1}")
        kinds[column] = count
    with Path(path).open("wb") as file:
        file.write(MAGIC + struct.pack("<qii", *matrix.shape, n_classes))
        kinds.tofile(file)
        matrix.tofile(file)
        labels.astype("<i4").tofile(file)


def _are_indices(values: npt.NDArray[Any], count: int) -> bool:
    return bool(np.all((values >= 0) & (values < count) & (values == np.floor(values))))


def run(
    stream_path: str | os.PathLike[str],
    learner_cli: str,
    repetitions: int = 1,
    predictions: bool = False,
    predict_only: bool = False,
    core: int | None = None,
    orders: npt.ArrayLike | None = None,
) -> list[Repetition]:
    """Test-then-train a learner of MOA on a stream written by `write_stream`.

    Every repetition has a fresh learner; all share one JVM, so the first is cold (its time holds
    the interpreter and the compiler) and a speed should be taken from the later ones.

    Parameters
    ----------
    stream_path
        The stream.
    learner_cli
        The learner in MOA's notation: ``trees.HoeffdingTree -b -l MC -g 100 -c 1e-7 -t 0.05``.
    repetitions
        How many times the whole stream is learned.
    predictions
        Add the predicted class index of every row to the last repetition.
    predict_only
        Add the timings of some passes of mere prediction with the trained learner to it.
    core
        Pin the JVM to this core with taskset. Its compiler then shares the core, so compare CPU
        seconds; it also takes the serial garbage collector where it would have taken G1.
    orders
        Orders of the rows, one per row of this array: what a fresh learner gives on each is added
        to the last repetition. Take no timing from these: their rows lie scattered in memory.

    Returns
    -------
    list of Repetition
        In the order they ran.

    Raises
    ------
    MoaUnavailable
        If Java, the jar or taskset is missing.
    RuntimeError
        If MOA fails, for instance on a learner it does not know.
    """
    command = [*_runner(), str(stream_path), learner_cli, "--repetitions", str(repetitions)]
    if predict_only:
        command += ["--predict-passes", str(PREDICT_PASSES)]
    command = pinned(command, core)
    with tempfile.TemporaryDirectory() as folder:
        predicted = Path(folder) / "predictions"
        if predictions:
            command += ["--predictions", str(predicted)]
        if orders is not None:
            listed = Path(folder) / "orders"
            np.asarray(orders, dtype="<i4").tofile(listed)
            command += ["--orders", str(listed)]
        records = _records(_output(command, learner_cli))
        if predictions:
            records[-1]["predictions"] = np.fromfile(predicted, dtype="<i4").astype(np.int32)
    return records


def detect(values: npt.ArrayLike, detector_cli: str) -> npt.NDArray[np.uint8]:
    """Feed numbers to a drift detector of MOA, for instance ``DDM -n 30``.

    Returns
    -------
    array of 0, 1 and 2
        After each number: in control, warning, change. If both flags are up it is a warning.

    Raises
    ------
    MoaUnavailable
        If Java or the jar is missing.
    RuntimeError
        If MOA fails, for instance on a detector it does not know.
    """
    with tempfile.TemporaryDirectory() as folder:
        inputs, levels = Path(folder) / "inputs", Path(folder) / "levels"
        np.asarray(values, dtype="<f8").tofile(inputs)
        _output([*_runner(), "detect", str(inputs), detector_cli, str(levels)], detector_cli)
        return np.fromfile(levels, dtype=np.uint8)


def pinned(command: list[str], core: int | None) -> list[str]:
    """Return the command pinned to a core with taskset; None leaves it as it is."""
    if core is None:
        return command
    if shutil.which("taskset") is None:
        raise MoaUnavailable("taskset, needed to pin a core, is not on PATH")
    return ["taskset", "-c", str(core), *command]


def _runner() -> list[str]:
    if not java_available():
        raise MoaUnavailable(f"no JDK from {OLDEST_JAVA} on: `java` must be on PATH")
    return ["java", "-cp", str(find_jar()), str(RUNNER)]


def _output(command: list[str], cli: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"MOA failed on {cli!r}: {_failure(done.stderr)}")
    return done.stdout


def _records(output: str) -> list[Repetition]:
    """Sort the runner's lines into repetitions; what follows them belongs to the last."""
    repetitions: list[Repetition] = []
    passes: list[PredictPass] = []
    orders: list[Outcome] = []
    kinds: dict[str, list[Any]] = {"learn": repetitions, "predict": passes, "order": orders}
    for line in output.splitlines():
        record = json.loads(line)
        kinds[record.pop("kind")].append(record)
    if passes:
        repetitions[-1]["predict_only"] = passes
    if orders:
        repetitions[-1]["orders"] = orders
    return repetitions


def _failure(text: str, lines: int = 5) -> str:
    """Cut the runner's message off before MOA's page of usage or a long trace."""
    _, marker, message = text.partition("MoaRunner: ")
    return "\n".join(message.splitlines()[:lines]) if marker else _tail(text)


def _tail(text: str, lines: int = 5) -> str:
    return "\n".join(text.strip().splitlines()[-lines:]) or "no message"
