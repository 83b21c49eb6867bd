"""Timing in CPU seconds of this process, repeated; and what machine it was."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Rate:
    """Rows per CPU second over repetitions."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median repetition."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        return f"{shown(self.median)} ({shown(min(self.values))}–{shown(max(self.values))})"


def shown(rate: float) -> str:
    """Format a rate as 12.3 M, 31.0 k or 5."""
    for factor, unit in ((1e6, " M"), (1e3, " k")):
        if rate >= factor:
            return f"{rate / factor:.3g}{unit}"
    return f"{rate:.3g}"


def rate(n: int, work: Callable[[], object], repetitions: int = 5, *, warm_up: bool = True) -> Rate:
    """Rows per CPU second of `work`, which handles n rows; a first run does not count."""
    if warm_up:
        work()
    values = []
    for _ in range(repetitions):
        start = time.process_time()
        work()
        values.append(n / (time.process_time() - start))
    return Rate(tuple(values))


def rates(
    n: int, works: Mapping[str, Callable[[], object]], repetitions: int = 5
) -> dict[str, Rate]:
    """Measure each as `rate` does, but in turns: what slows the machine down slows down all."""
    for work in works.values():
        work()
    turns = [
        {name: rate(n, work, 1, warm_up=False) for name, work in works.items()}
        for _ in range(repetitions)
    ]
    return {name: Rate(tuple(turn[name].median for turn in turns)) for name in works}


def pin_to_one_core() -> int | None:
    """Stay on one core, where the system can do that; returns it."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def machine() -> str:
    """The processor, the system and the compiler in one line."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False)
    first = compiler.stdout.splitlines()[0] if compiler.stdout else "unknown compiler"
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {first}"
