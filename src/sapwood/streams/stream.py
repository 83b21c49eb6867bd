"""What all labelled streams have in common: passes over the rows, and an account of bad ones."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .errors import BadRow, RowError, StreamError, StreamWarning
from .labels import LABEL_NAMES, find_label

KEPT_ERRORS = 20
CHUNK_CELLS = 1 << 22  # a chunk of wide rows is kept to 32 MiB of numbers
OBJECT_CELLS = CHUNK_CELLS // 8  # and to fewer values where each is an object


class Stream(ABC):
    """Rows with labels that are read in chunks, from the beginning in each pass.

    Attributes
    ----------
    name : str
        For display: a file's name, "stdin" or "table".
    label : name or None
        The column that holds the labels, where it has a name.
    label_guess : {"name", "place"} or None
        What told that column, if it was not given: its usual name, or that it is the last.
    classes : list or None
        All classes, in their order, if the form of the stream declares them.
    once : bool
        Whether the rows can be read a single time, as from a generator or standard input.
    n_rows : int or None
        Number of rows, if it is known without reading them all.
    n_bytes : int or None
        Size of the file, compressed as it is.
    skipped : int
        Rows left out in the current pass.
    mended : int
        Values taken as missing in the current pass, as they were none of their column.
    errors : list of BadRow
        The first 20 of both.
    bytes_read : int
        Bytes of the file read in the current pass; 0 if not known.
    """

    def __init__(self, name: str, *, labelled: bool, on_error: str, once: bool = False) -> None:
        self.name = name
        self.label: Any = None
        self.label_guess: str | None = None
        self.classes: list[Any] | None = None
        self.n_rows: int | None = None
        self.n_bytes: int | None = None
        self.skipped = self.mended = 0
        self.errors: list[BadRow] = []
        self.bytes_read = 0
        self._labelled = labelled
        self._goes_on = on_error != "stop"
        self._mends = on_error == "missing"
        self.once = once
        self._begun = False
        self._width = 1  # columns of a chunk, as far as they are known

    def chunks(self, rows: int = 65536) -> Iterator[tuple[Any, Any]]:
        """Return an iterator over pairs (X, y), from the first row on.

        Parameters
        ----------
        rows : int
            Most rows of a chunk. There are fewer where rows are so wide that a chunk would be
            larger than 32 MiB.
        """
        if not self._labelled:
            raise ValueError(
                f"{self.name} was opened with label=False and has no labels. Use features(), or "
                "name the label column."
            )
        return self._begin(rows, labelled=True)

    def _quick_chunks(self, rows: int) -> Iterator[tuple[Any, Any]]:
        """Return what :meth:`chunks` does, for our tree: X may be in the form that it reads."""
        return self.chunks(rows)

    def _read_as(self, kinds: Mapping[Any, str]) -> None:
        """Take columns for what a model holds in them, where the rows leave it open."""
        return

    def features(self, rows: int = 65536) -> Iterator[Any]:
        """Return an iterator over X alone; labels are left out, and may be missing.

        Parameters
        ----------
        rows : int
            Most rows of a chunk.
        """
        return (X for X, _ in self._begin(rows, labelled=False))

    def require_passes(self, n: int) -> None:
        """Refuse several passes over what can be read once only."""
        if self.once and n > 1:
            raise ValueError(
                f"{self.name} can be read once only, and {n} runs need it: after the first it is "
                "used up. Save its rows to a file, or keep them in a list."
            )

    def empty(self) -> StreamError:
        """Return the error that there are no rows."""
        again = (
            " It can be read once only: if something read it before, it is used up. Make it anew, "
            "or keep its rows in a list."
        )
        nothing = f"The stream {self.name} has no rows: there is nothing to evaluate."
        return StreamError(nothing + (again if self.once else ""))

    def _find_label(self, names: Sequence[Any], label: Any, *, ordered: bool = True) -> int | None:
        """Return the place of the label column; warn if nothing but the place tells it."""
        place, self.label_guess = find_label(self.name, names, label, ordered=ordered)
        self.label = None if place is None else names[place]
        if self.label_guess == "place":
            usual = f"{', '.join(LABEL_NAMES[:-1])} or {LABEL_NAMES[-1]}"
            self._warn(
                f"the last column, {self.label!r}, is taken for the label: none is called {usual}. "
                "Pass label= to name it."
            )
        return place

    def _warn(self, what: str) -> None:
        warnings.warn(f"{self.name}: {what}", StreamWarning, stacklevel=3)

    def _begin(self, rows: int, *, labelled: bool) -> Iterator[tuple[Any, Any]]:
        return self._pass(self._count_pass(rows), labelled)

    def _count_pass(self, rows: int) -> int:
        """Begin the accounts of a pass; refuse one that cannot be. Return the rows of a chunk."""
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
            raise ValueError(f"rows must be a whole number of at least 1; got {rows!r}.")
        if self.once and self._begun:
            raise ValueError(
                f"{self.name} can be read once only, and has been. Open it again, or save its rows "
                "to a file or a list to read them several times."
            )
        self._begun = True
        self.skipped = self.mended = 0
        self.errors = []
        self.bytes_read = 0
        return fitting(rows, self._width)

    @abstractmethod
    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        """Yield (X, y) from the first row on; y is None if ``labelled`` is false."""

    def _bad(
        self, line: int, column: str | None, what: str, hint: str = "", unit: str = "line"
    ) -> None:
        """Count a bad row, or stop at it."""
        row = BadRow(self.name, line, column, what, unit)
        if not self._goes_on:
            mendable = column is not None and column != self.label
            ways = 'on_error="missing" or on_error="skip"' if mendable else 'on_error="skip"'
            advice = f"{hint} or {ways}." if hint else f"Pass {ways} to go on."
            raise StreamError(f"{row}. {advice}", row)
        self.skipped += 1
        self._keep(row)

    def _mend(self, line: int, faults: Iterable[RowError], unit: str = "line") -> None:
        """Count the values of a good row that are taken as missing."""
        for fault in faults:
            self.mended += 1
            self._keep(
                BadRow(self.name, line, fault.column, f"{fault.what}; taken as missing", unit)
            )

    def _keep(self, row: BadRow) -> None:
        if len(self.errors) < KEPT_ERRORS:
            self.errors.append(row)

    def __repr__(self) -> str:
        size = "" if self.n_rows is None else f", {self.n_rows} rows"
        return f"<{type(self).__name__} {self.name!r}{size}>"


def fitting(rows: int, width: int) -> int:
    """Return how many of so many rows a chunk may hold, which is at least one."""
    return max(1, min(int(rows), CHUNK_CELLS // max(1, width)))
