"""A JVM that runs MOA when it is told to, so that others can be measured between its runs."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from typing import Any, Self

from benchmarks.moa import MoaUnavailable, _runner, pinned

__all__ = ["Turns"]


class Turns:
    """Runs of one learner over one stream, all in one JVM, each started by `next`.

    Parameters
    ----------
    path
        A stream written by `write_stream`.
    learner
        The learner in MOA's notation.
    repetitions
        Test-then-train runs, each of a fresh learner.
    passes
        Passes of mere prediction that follow them, with the last learner.
    core
        The core to pin the JVM to, or None.
    """

    def __init__(
        self, path: Path, learner: str, repetitions: int, passes: int = 0, core: int | None = None
    ) -> None:
        command = [*_runner(), str(path), learner, "--paced", "1"]
        command += ["--repetitions", str(repetitions), "--predict-passes", str(passes)]
        self.last: dict[str, Any] = {}
        self._jvm = subprocess.Popen(
            pinned(command, core),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def next(self) -> float:
        """Do the next run; returns its rows per CPU second of the learning thread."""
        assert self._jvm.stdin is not None
        assert self._jvm.stdout is not None
        try:
            self._jvm.stdin.write("\n")
            self._jvm.stdin.flush()
            line = self._jvm.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise MoaUnavailable(f"MOA ended early, with status {self._jvm.wait()}")
        self.last = json.loads(line)
        return float(self.last["examples_per_cpu_second"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self._jvm.stdin, self._jvm.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._jvm.terminate()
        self._jvm.wait()
