"""Timing in CPU seconds, in turns; and what machine it was."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

REPETITIONS = 5
#: Seconds that a turn takes at least: a pass of a few milliseconds would mostly measure how cold
#: the work before it has left the caches. A shorter work is repeated, and no more than so often.
TURN, MOST_PASSES = 0.25, 100


@dataclass(frozen=True)
class Rate:
    """Rows per CPU second over repetitions."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float]) -> Rate:
        """Make a rate of what a JSON file holds."""
        return cls(tuple(values))

    @property
    def median(self) -> float:
        """The median repetition."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        if len(self.values) == 1:
            return f"{shown(self.median)} (once)"
        spread = f"{shown(min(self.values))}–{shown(max(self.values))}"
        few = "" if len(self.values) >= REPETITIONS else f", {len(self.values)} runs"
        return f"{shown(self.median)} ({spread}{few})"


def shown(rate: float) -> str:
    """Format a rate as 12.3 M, 31.0 k or 5."""
    for factor, unit in ((1e6, " M"), (1e3, " k")):
        if rate >= factor:
            return f"{rate / factor:.3g}{unit}"
    return f"{rate:.3g}"


@dataclass(frozen=True)
class Work:
    """Something to measure: `run` does it once and returns its rows per second."""

    run: Callable[[], float]
    repetitions: int = REPETITIONS
    warm_up: int = 1


def timed(
    n: int, work: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> Callable[[], float]:
    """Return a function that does the work and gives its n rows per second of this process."""

    def run() -> float:
        start = clock()
        work()
        return n / max(clock() - start, 1e-9)

    return run


def in_turns(works: Mapping[str, Work]) -> dict[str, Rate]:
    """Measure all, one repetition of each after the other: what slows one down slows down all."""
    for work in works.values():
        for _ in range(work.warm_up):
            work.run()
    values: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(max(work.repetitions for work in works.values())):
        for name, work in works.items():
            if turn < work.repetitions:
                values[name].append(_turn(work))
    return {name: Rate.of(of) for name, of in values.items()}


def _turn(work: Work) -> float:
    """Run a work for one turn; returns its rate over all passes."""
    paces: list[float] = []  # seconds per row
    start = time.perf_counter()
    while not paces or (time.perf_counter() - start < TURN and len(paces) < MOST_PASSES):
        paces.append(1 / work.run())
    return 1 / statistics.mean(paces)


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
