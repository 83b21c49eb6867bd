"""Rows that cannot be used, and the error that names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used.

    Attributes
    ----------
    file : str
        Name of the stream.
    line : int
        Line of the file, from 1, or row of a source that has no lines.
    column : str or None
        Name of the column, if one is at fault.
    what : str
        What is wrong.
    unit : {"line", "row"}
        What ``line`` counts.
    """

    file: str
    line: int
    column: str | None
    what: str
    unit: str = "line"

    def __str__(self) -> str:
        place = f"{self.file}, {self.unit} {self.line}"
        if self.column is not None:
            place += f", column {self.column!r}"
        return f"{place}: {self.what}"


class StreamError(ValueError):
    """A stream cannot be read.

    Attributes
    ----------
    row : BadRow or None
        The row at fault, if one is.
    """

    def __init__(self, message: str, row: BadRow | None = None) -> None:
        super().__init__(message)
        self.row = row


class LabelError(StreamError):
    """Several columns may be the label, and none was named.

    Attributes
    ----------
    candidates : list
        Their names.
    """

    def __init__(self, message: str, candidates: list[Any]) -> None:
        super().__init__(message)
        self.candidates = candidates


class StreamWarning(UserWarning):
    """A stream can be read, but something about it was guessed, or is not as one would expect."""


class RowError(Exception):
    """A fault found in a row, on its way to where rows are counted.

    Parameters
    ----------
    column : str or None
        Name of the column, if one is at fault.
    what : str
        What is wrong.
    hint : str
        What to pass to change that.
    """

    def __init__(self, column: str | None, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.column = column
        self.what = what
        self.hint = hint
