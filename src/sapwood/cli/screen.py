"""What is shown on a terminal. Rich is imported here alone, and late."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import typer

from ..report.words import duration, percent, whole

_NARROWEST = 12  # a column of text


def is_human(as_json: bool, quiet: bool = False) -> bool:
    """Whether a person reads standard output."""
    seen = sys.stdout is not None and sys.stdout.isatty()  # None where it was closed
    return seen and not as_json and not quiet


def print_json(value: Any) -> None:
    """Print one JSON object on one line."""
    typer.echo(json.dumps(_finite(value), ensure_ascii=False, default=str))


def _finite(value: Any) -> Any:
    """Return a value without NaN, which JSON does not know."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
    """Print a table; columns whose name begins with ">" are aligned to the right.

    Text is folded where the screen is narrow, but not beyond reading: rather the lines are longer.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    table.show_header = any(columns)
    for j, column in enumerate(columns):
        right = column.startswith(">")
        name = column.removeprefix(">")
        justify: Literal["left", "right"] = "right" if right else "left"
        longest = max(len(str(cell)) for cell in [name, *(row[j] for row in rows)])
        least = longest if right else min(longest, _NARROWEST)
        table.add_column(name, justify=justify, no_wrap=right, overflow="fold", min_width=least)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console = Console()
    needed = Measurement.get(console, console.options.update(width=10_000), table).minimum
    Console(width=max(console.width, needed), height=console.height).print(table)


class Progress:
    """A bar with words beside it, on standard error; nothing at all if it is switched off.

    Parameters
    ----------
    shown : bool
        Whether there is anything to see.
    total : float or None
        What ``update`` counts to; None if it is not known.
    title : str
        What goes on.
    """

    def __init__(self, shown: bool, total: float | None, title: str) -> None:
        self._began = time.monotonic()
        self._bar: Any = None
        if not shown:
            return
        from rich import progress
        from rich.console import Console
        from rich.text import Text

        class Bar(progress.Progress):
            """A bar, and the words on a line of their own: beside it they would be cut."""

            def get_renderables(self) -> Iterator[Any]:
                yield self.make_tasks_table(self.tasks)
                yield Text(str(self.tasks[0].fields["words"]) if self.tasks else "")

        self._bar = Bar(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(title, total=total, words="", left="")
        self._total = total
        self._from = 0.0

    def begin_at(self, done: float) -> None:
        """Say what was done before, so that it does not count for the time left."""
        if self._bar is not None:
            self._from = done

    def aim_at(self, total: float | None) -> None:
        """Set what ``update`` counts to."""
        if self._bar is not None:
            self._total = total
            self._bar.update(self._task, total=total)

    def update(self, done: float, words: str) -> None:
        """Show how far it is."""
        if self._bar is None:
            return
        left = ""
        if self._total and done > self._from:
            spent = time.monotonic() - self._began
            left = f"{duration(spent * max(0.0, self._total - done) / (done - self._from))} left"
        self._bar.update(self._task, completed=done, words=words, left=left)

    @property
    def seconds(self) -> float:
        """Time since it began."""
        return time.monotonic() - self._began

    @contextmanager
    def running(self) -> Iterator[Progress]:
        """Show the bar for as long as the block lasts."""
        if self._bar is None:
            yield self
            return
        with self._bar:
            yield self


def counts(rows: int, seconds: float, accuracy: float, labels: str, leaves: int) -> str:
    """Return a run in few words."""
    speed = whole(rows / seconds) if seconds > 0 else "0"
    leaf = "leaf" if leaves == 1 else "leaves"
    return (
        f"{whole(rows)} rows, {speed}/s · accuracy {percent(accuracy)} · {labels} · {leaves} {leaf}"
    )
