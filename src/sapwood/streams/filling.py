"""Matrices of a given number of rows, filled piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._intake import Name, Table


class Filling:
    """A matrix and its labels, filled up to row ``n``.

    Parameters
    ----------
    rows : int
        Rows of a full matrix.
    names : list of names
        Its columns.
    """

    def __init__(self, rows: int, names: list[Name]) -> None:
        self._rows = rows
        self._names = names
        self._renew()

    def _renew(self) -> None:
        self.matrix: NDArray[np.float64] = np.empty((self._rows, len(self._names)))
        self.y: NDArray[np.int64] = np.empty(self._rows, dtype=np.int64)
        self.n = 0

    def taken(self) -> tuple[Table, NDArray[np.int64]]:
        """Return the rows, and begin anew."""
        n, matrix, y = self.n, self.matrix, self.y
        self._renew()
        return Table(n, matrix[:n], self._names), y[:n]

    def add(self, table: Table, y: NDArray[Any]) -> Iterator[tuple[Table, NDArray[np.int64]]]:
        """Take rows of numbers in; yield whenever there is no room for more."""
        at = 0
        while at < table.n_rows:
            n = min(table.n_rows - at, self._rows - self.n)
            here = slice(self.n, self.n + n)
            for j, column in enumerate(table.columns):
                self.matrix[here, j] = column[at : at + n]
            self.y[here] = y[at : at + n]
            self.n += n
            at += n
            if self.n == self._rows:
                yield self.taken()
