"""What a part of the benchmark is: it measures, and says how its numbers are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Data = dict[str, Any]  # what a part measured, as JSON holds it
ROOT = Path(__file__).resolve().parent.parent


class LeftOut(Exception):  # noqa: N818 - it names a state
    """A part cannot be measured here; the message says why."""


@dataclass(frozen=True)
class Setting:
    """Where and how the parts run.

    Attributes
    ----------
    core
        The core that all is pinned to; None where the system cannot.
    cores
        The cores that there are, for the part that needs more than one.
    scale
        1, or less for a trial of the benchmark itself: the share of the rows to take.
    """

    core: int | None
    cores: frozenset[int] = frozenset()
    scale: float = 1.0
    folder: Path = field(default=ROOT / "build" / "bench")

    def rows(self, n: int) -> int:
        """Return how many rows to take where n are wanted."""
        return max(1000, round(n * self.scale))

    @contextmanager
    def all_cores(self) -> Iterator[None]:
        """Let this process run on every core for a while."""
        if self.core is None:
            yield
            return
        os.sched_setaffinity(0, self.cores)
        try:
            yield
        finally:
            os.sched_setaffinity(0, {self.core})


@dataclass(frozen=True)
class Target:
    """A number that a part should reach; whether it does is computed."""

    what: str
    value: float
    goal: float
    unit: str = "×"
    at_most: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    @property
    def verdict(self) -> str:
        """Met, or not met."""
        return ("met" if self.met else "**not met**") + (f" ({self.note})" if self.note else "")

    def cells(self) -> tuple[str, str, str, str]:
        """Return the cells of its row: what, goal, measured, verdict."""
        sign = "≤" if self.at_most else "≥"
        return self.what, f"{sign} {self._in_unit(self.goal)}", self.shown, self.verdict

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return self._in_unit(self.value)

    def _in_unit(self, value: float) -> str:
        if self.unit == "%":
            return f"{100 * value:.3g} %"
        space = "" if self.unit == "×" else " "
        if value >= 1000:
            return f"{value:,.0f}{space}{self.unit}".strip()
        return f"{value:.3g}{space}{self.unit}".strip()

    def __str__(self) -> str:
        what, goal, value, verdict = self.cells()
        return f"{what}: {value}; target {goal}: {verdict}."


class Part(Protocol):
    """A module that is a part."""

    TITLE: str

    def measure(self, setting: Setting) -> Data:
        """Measure; raises LeftOut where it cannot."""

    def page(self, data: Data) -> list[str]:
        """Return the lines of its section."""

    def targets(self, data: Data) -> list[Target]:
        """Return its targets with what was measured."""


def say(message: str) -> None:
    """Tell the user what is being done."""
    print(message, file=sys.stderr, flush=True)


def table(head: list[str], rows: list[list[Any]]) -> list[str]:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def bold(cells: list[Any], n: int = 2) -> list[Any]:
    """Set the first cells of a row in bold: the row is ours."""
    return [f"**{cell}**" for cell in cells[:n]] + cells[n:]


def times(ours: float, theirs: float) -> str:
    """Say how many times as fast ours is."""
    ratio = ours / theirs
    return f"{ratio:,.0f}×" if ratio >= 1000 else f"{ratio:.3g}×"


def left_out(data: Mapping[str, Any]) -> list[str]:
    """Return a line for each thing that a part had to leave out."""
    return [line for reason in data.get("left_out", []) for line in ("", f"Left out: {reason}")]
