"""The rows of a table one by one, as each kind of model takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._intake import Column, Table, read_table


def matrix_rows(X: Any) -> Iterator[NDArray[np.float64]]:
    """Return the rows of a table of numbers, each as an array of shape (1, n_features)."""
    table = read_table(X)
    columns = spread_out(table)
    if not isinstance(columns, np.ndarray):
        if any(isinstance(column, tuple) for column in columns):
            raise TypeError(
                "scikit-learn models take numbers, and the stream has categories: encode them, or "
                "pass a pandas DataFrame to a pipeline that does."
            )
        columns = np.column_stack(columns)
    return (columns[i : i + 1] for i in range(len(columns)))


def dict_rows(table: Table, *, drop_missing: bool = False) -> Iterator[dict[Any, Any]]:
    """Return the rows of a table as mappings."""
    names = table.names if table.names is not None else list(range(table.n_columns))
    columns = spread_out(table)
    if isinstance(columns, np.ndarray):
        values = columns.T.tolist()
    else:
        values = [_values(column) for column in columns]
    for row in zip(*values, strict=True):
        x = dict(zip(names, row, strict=True))
        yield {k: v for k, v in x.items() if v is not None and v == v} if drop_missing else x


def spread_out(table: Table) -> NDArray[Any] | list[Column]:
    """Return a table's columns, sparse rows with all their zeros."""
    columns = table.columns
    if not isinstance(columns, tuple):
        return columns
    values, places, starts, width = columns
    matrix = np.zeros((table.n_rows, width))
    rows = np.repeat(np.arange(table.n_rows), np.diff(starts))
    matrix[rows, places[starts[0] : starts[-1]]] = values[starts[0] : starts[-1]]
    return matrix


def _values(column: Any) -> list[Any]:
    if not isinstance(column, tuple):
        numbers: list[Any] = column.tolist()
        return numbers
    codes, categories = column
    known = [*categories, None]  # code -1 is missing
    return [known[code] for code in codes.tolist()]
