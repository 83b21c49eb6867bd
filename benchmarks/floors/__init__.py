"""Floors: how fast a pass would be that only reads, only routes, or only routes and counts.

`floors.cpp`, beside this file, is built with CMake and a C++ compiler into build/floors. It takes a
stream as `benchmarks.moa.write_stream` writes it, and a grown tree as plain arrays. A floor is what
the least work costs on this machine for this tree; a learner can come near it, not below.

>>> with Floors(path, stream, tree) as floors:      # doctest: +SKIP
...     floors.run("count")                         # rows per CPU second
"""

from __future__ import annotations

import functools
import json
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Work
from benchmarks.part import ROOT, LeftOut
from benchmarks.streams import Stream

PASSES = ("read", "route", "count")
SOURCE = Path(__file__).parent
BUILD = ROOT / "build" / "floors"
CATEGORICAL, MISSING_LEFT = 1, 2


@functools.cache
def program() -> Path:
    """Build the program, once; returns its path. Raises LeftOut, with the reason, if it cannot."""
    if shutil.which("cmake") is None:
        raise LeftOut("the floors need cmake, which is not on PATH.")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    fresh = not (BUILD / "CMakeCache.txt").is_file()
    for command in (
        ["cmake", "-S", str(SOURCE), "-B", str(BUILD), *(generator if fresh else [])],
        ["cmake", "--build", str(BUILD)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LeftOut(f"{' '.join(command)} failed: {done.stderr or done.stdout}")
    return BUILD / "floors"


def write_tree(path: Path, stream: Stream, model: Any) -> NDArray[np.int64]:
    """Write a fitted tree for the program; returns the number of each node that is a leaf."""
    frame = model.to_dataframe()
    place = {name: j for j, name in enumerate(stream.names)}
    leaf = 0
    with path.open("wb") as file:
        file.write(struct.pack("<i", len(frame)))
        for node in frame.itertuples():
            if node.is_leaf:
                file.write(struct.pack("<diii", 0.0, -1, leaf, 0))
                leaf += 1
                continue
            name = node.feature
            categorical = node.threshold is None or np.isnan(node.threshold)
            key = node.threshold
            if categorical:
                codes = stream.codes.get(name)
                key = node.category if codes is None else codes[node.category]
            flags = CATEGORICAL * categorical + MISSING_LEFT * (node.missing_side == "left")
            file.write(struct.pack("<diii", float(key), place[name], int(node.left), flags))
    is_leaf = frame["is_leaf"].to_numpy(dtype=bool)
    return np.where(is_leaf, np.cumsum(is_leaf) - 1, -1)


class Floors:
    """The program at work on one stream and one tree; the passes run when they are asked for.

    Parameters
    ----------
    path
        The file of the stream.
    stream
        The same rows in memory.
    model
        The tree, grown on them.
    """

    def __init__(self, path: Path, stream: Stream, model: Any) -> None:
        self._outcome = 0.0
        self._folder = tempfile.TemporaryDirectory()
        tree = Path(self._folder.name) / "tree"
        leaf_of = write_tree(tree, stream, model)
        self._process = subprocess.Popen(
            [str(program()), str(path), str(tree)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.run("route")
        if self._outcome != leaf_of[model.apply(stream.X)].sum():
            raise RuntimeError("the floor does not route as the tree does")

    def run(self, name: str) -> float:
        """Do one pass: "read", "route" or "count"; returns its rows per CPU second."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"floors ended early, with status {self._process.wait()}")
        record = json.loads(line)
        self._outcome = record["result"]
        return float(record["rows_per_second"])

    def works(self, *names: str) -> dict[str, Work]:
        """Return passes to be measured in turns with others."""
        return {f"floor {name}": Work(functools.partial(self.run, name)) for name in names}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._folder.cleanup()
