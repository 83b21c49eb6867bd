"""Arrow tables: features and labels taken from them, and pieces joined to chunks of equal size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._intake import arrow_codes, arrow_seconds
from .._labels import WHOLE_LIMIT
from .texts import second_of, truth_of

_YEAR_2 = -62104060800.0


def import_arrow(what: str) -> Any:
    """Return pyarrow, or say what it is needed for."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{what} needs pyarrow: pip install 'sapwood[arrow]'.") from None
    return pyarrow


def float_column(numbers: NDArray[np.float64]) -> Any:
    """Return numbers as an Arrow column, NaN as missing.

    pyarrow's own conversion would import pandas if it is there, which takes longer than a run.
    """
    import pyarrow

    valid = np.packbits(~np.isnan(numbers), bitorder="little")
    buffers = [pyarrow.py_buffer(valid), pyarrow.py_buffer(np.ascontiguousarray(numbers))]
    array = pyarrow.Array.from_buffers(pyarrow.float64(), len(numbers), buffers)
    return pyarrow.chunked_array([array])


def has_infinity(table: Any) -> bool:
    """Whether a column of a table holds an infinite number."""
    import pyarrow
    import pyarrow.compute as compute

    return any(
        compute.any(compute.is_inf(column)).as_py()
        for column in table.columns
        if pyarrow.types.is_floating(column.type)
    )


def text_array(column: Any, read: Callable[[str], Any] = str) -> NDArray[Any]:
    """Return a text column as an array of str, or of what they are read as; equal ones are one."""
    import pyarrow

    if isinstance(column, pyarrow.ChunkedArray):
        parts = [text_array(chunk, read) for chunk in column.chunks]
        return np.concatenate(parts) if parts else np.empty(0, dtype=object)
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = np.array([*map(read, column.dictionary.to_pylist()), None], dtype=object)
    result: NDArray[Any] = values[arrow_codes(column)]  # -1 is the last, which is None
    return result


def read_numbers(column: Any, kind: str) -> Any:
    """Return a text column of moments or truth values as one of numbers.

    Raises
    ------
    ArrowInvalid
        If a value is no such thing.
    """
    import pyarrow

    if kind == "time":
        for zone in (None, "UTC"):
            try:
                seconds = arrow_seconds(column.cast(pyarrow.timestamp("us", zone)))
            except pyarrow.ArrowInvalid:
                continue
            if not (seconds < _YEAR_2).any():  # pyarrow also knows a year 0
                return float_column(seconds)
    read = second_of if kind == "time" else truth_of

    def number(text: str) -> float:
        found = read(text.encode())
        if found is None:
            raise pyarrow.ArrowInvalid(f"no {kind}: {text}")
        return float(found)

    return float_column(text_array(column, number).astype(np.float64))


def not_whole(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers are no whole numbers, or too large to be exact."""
    with np.errstate(invalid="ignore"):
        whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < WHOLE_LIMIT)
    result: NDArray[np.bool_] = ~whole
    return result


def regroup(
    pieces: Iterable[tuple[Any, NDArray[Any] | None]], rows: int
) -> Iterator[tuple[Any, NDArray[Any] | None]]:
    """Join and cut tables, with their labels, to chunks of ``rows`` rows; the last may be shorter.

    Nothing is read ahead of what a chunk needs.
    """
    import pyarrow

    tables: list[Any] = []
    labels: list[NDArray[Any]] = []
    held = 0
    for table, y in pieces:
        tables.append(table)
        if y is not None:
            labels.append(y)
        held += table.num_rows
        if held < rows:
            continue
        whole = pyarrow.concat_tables(tables)
        all_labels = np.concatenate(labels) if labels else None
        for start in range(0, held - rows + 1, rows):
            part = None if all_labels is None else all_labels[start : start + rows]
            yield whole.slice(start, rows), part
        done = held - held % rows
        held -= done
        tables = [whole.slice(done)] if held else []
        labels = [] if all_labels is None or not held else [all_labels[done:]]
    if held:
        yield pyarrow.concat_tables(tables), np.concatenate(labels) if labels else None
