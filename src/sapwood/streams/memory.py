"""Tables in memory: arrays, lists, pandas and polars frames, with labels beside or among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._intake import is_missing, library_of, read_table
from .._labels import label_array
from .labels import find_label
from .stream import Stream


class MemoryStream(Stream):
    """Rows of a table that is already in memory, given as slices of it.

    Parameters
    ----------
    X : array, list, DataFrame or Arrow table
        The rows.
    y : array-like or None
        Their labels; None if there are none.
    on_error : {"stop", "missing", "skip"}
        What happens at a row without a label.
    """

    def __init__(self, X: Any, y: Any, *, on_error: str = "stop") -> None:
        super().__init__("table", labelled=y is not None, on_error=on_error)
        if hasattr(X, "tocsr"):  # other sparse forms cannot be cut into rows
            X = X.tocsr()
        self.n_rows = n_rows(X)
        self._X = X
        self._y = None if y is None else label_array(y)
        if self._y is not None and len(self._y) != self.n_rows:
            raise ValueError(f"X has {self.n_rows} rows and y has {len(self._y)} labels.")

    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        total = n_rows(self._X)
        for start in range(0, total, rows):
            X = rows_between(self._X, start, min(start + rows, total))
            y = self._y[start : start + rows] if labelled and self._y is not None else None
            if y is not None and (missing := _missing(y)).any():
                column = None if self.label is None else str(self.label)
                for i in np.flatnonzero(missing).tolist():
                    self._bad(start + i + 1, column, "the label is missing", unit="row")
                X, y = rows_at(X, np.flatnonzero(~missing)), y[~missing]
                if not len(y):
                    continue
            yield X, y


def frame_stream(frame: Any, *, label: Any, on_error: str) -> MemoryStream:
    """Return the stream of a pandas or polars frame that has a label column."""
    names = list(frame.columns)
    place, _ = find_label("table", names, label)
    if place is None:
        return MemoryStream(frame, None, on_error=on_error)
    rest = [j for j in range(len(names)) if j != place]
    if library_of(frame) == "pandas":
        X, y = frame.iloc[:, rest], frame.iloc[:, place]
    else:
        X, y = frame[:, rest], frame[:, place]
    stream = MemoryStream(X, y, on_error=on_error)
    stream._find_label(names, label)
    return stream


def n_rows(X: Any) -> int:
    """Return how many rows a table has."""
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        return read_table(X).n_rows  # which says what is wrong with it


def rows_between(X: Any, start: int, stop: int) -> Any:
    """Return a slice of a table's rows."""
    if library_of(X) == "pandas":
        return X.iloc[start:stop]
    if library_of(X) == "pyarrow":
        return X.slice(start, stop - start)
    return X[start:stop]


def rows_at(X: Any, places: NDArray[np.intp]) -> Any:
    """Return some of a table's rows."""
    if library_of(X) == "pandas":
        return X.iloc[places]
    if library_of(X) == "pyarrow":
        return X.take(places)
    if isinstance(X, (list, tuple)):
        return [X[i] for i in places.tolist()]
    return X[places]


def _missing(y: NDArray[Any]) -> NDArray[np.bool_]:
    if y.dtype.kind == "f":
        return np.asarray(np.isnan(y))
    if y.dtype.kind == "O":
        return np.array([is_missing(value) for value in y], dtype=bool)
    return np.zeros(len(y), dtype=bool)
