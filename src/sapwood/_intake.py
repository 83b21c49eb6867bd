"""Tables as users have them, brought into the one form that the core takes.

NumPy arrays, pandas and polars frames, Arrow tables, record batches and SciPy's sparse matrices
become a ``Table``: a numeric matrix, sparse rows, or one entry per column that is a numeric array
or a pair (codes, categories). No library is imported here that the caller has not imported already.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._times import DAY, PER_SECOND, from_counts, second_of, seconds

Name: TypeAlias = str | int
Codes: TypeAlias = tuple[NDArray[np.int32], list[Any]]
Column: TypeAlias = NDArray[Any] | Codes
#: Gives the entries of a dictionary that have these codes.
Take: TypeAlias = Callable[[NDArray[Any]], list[Any]]
#: Values, their columns, where each row begins, and the number of columns; what is absent is 0.
Stored: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64], int]

_COLUMN_HELP = (
    "A column holds numbers, booleans, dates or text, and None or NaN where a value is missing."
)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as columns. ``names`` is None where the input had none."""

    n_rows: int
    columns: NDArray[Any] | list[Column] | Stored
    names: list[Name] | None

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        if isinstance(self.columns, tuple):
            return self.columns[3]
        return len(self.columns) if isinstance(self.columns, list) else self.columns.shape[1]

    def slice(self, start: int, n_rows: int) -> Table:
        """Return some of the rows of a matrix, which are not copied."""
        assert isinstance(self.columns, np.ndarray)
        part = self.columns[start : start + n_rows]
        return Table(len(part), part, self.names)


def library_of(data: object) -> str:
    """Name of the top-level package that a table's type comes from."""
    return type(data).__module__.partition(".")[0]


def is_dataframe(data: object) -> bool:
    """Whether the input is a table with named columns."""
    library = library_of(data)
    if library == "polars":
        return hasattr(data, "get_columns")
    return library in ("pandas", "pyarrow") and hasattr(data, "columns")


def read_table(X: Any, categorical: Collection[Name] = (), *, unused: bool = False) -> Table:
    """Bring any accepted table into the core's form.

    Parameters
    ----------
    X : array, DataFrame, Arrow table or record batch, or Table of a matrix
        The rows.
    categorical : collection of names
        Columns whose numbers are categories.
    unused : bool
        Read also the categories of a dictionary that no row has, which may be far more.
    """
    if isinstance(X, Table):
        return _read_matrix(X, categorical)
    library = library_of(X)
    if library == "pandas" and hasattr(X, "dtypes") and hasattr(X, "columns"):
        return _read_pandas(X, categorical, unused)
    if library == "polars" and hasattr(X, "get_columns"):
        return _read_named(X.columns, X.get_columns(), X.height, _polars_column, categorical)
    if library == "polars" and hasattr(X, "collect"):
        raise TypeError("A lazy frame has no rows yet. Use '.collect()' to make it a DataFrame.")
    if library == "pyarrow" and hasattr(X, "schema") and hasattr(X, "columns"):
        read = functools.partial(_arrow_column, unused=unused)
        return _read_named(X.schema.names, X.columns, X.num_rows, read, categorical)
    return _read_array(X, categorical)


def _read_named(
    names: Iterable[Name],
    columns: Iterable[Any],
    n_rows: int,
    read: Callable[[Any, Name], Column],
    categorical: Collection[Name],
) -> Table:
    names = _checked_names(names)
    parts = [
        _as_declared(read(c, n), n in categorical) for n, c in zip(names, columns, strict=True)
    ]
    return Table(n_rows, parts, names)


def _read_matrix(table: Table, categorical: Collection[Name]) -> Table:
    names, matrix = table.names or [], table.columns
    if not isinstance(matrix, np.ndarray) or not any(name in categorical for name in names):
        return table
    parts = [_as_declared(matrix[:, j], name in categorical) for j, name in enumerate(names)]
    return Table(table.n_rows, parts, table.names)


def _checked_names(names: Iterable[Name]) -> list[Name]:
    names = list(names)
    for name in names:
        if not isinstance(name, (str, int, np.integer)):
            raise TypeError(f"A column name must be text or a whole number; got {name!r}.")
    if len(set(names)) != len(names):
        raise ValueError("Column names must be unique; some appear twice.")
    return names


def _as_declared(column: Column, categorical: bool) -> Column:
    if not categorical or isinstance(column, tuple):
        return column
    values, inverse = np.unique(column, return_inverse=True)
    if np.isinf(values).any():
        raise ValueError("Input X contains infinity in a categorical column. Use NaN for missing.")
    codes = np.ascontiguousarray(inverse, dtype=np.int32)
    keep = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    codes[codes >= len(keep)] = -1  # NaN sorts last
    return codes, keep.tolist()


def _no_value(n_rows: int) -> Codes:
    """Return a column of missing values, which may turn out to be of either kind."""
    return np.full(n_rows, -1, dtype=np.int32), []


# --- NumPy ----------------------------------------------------------------------------------------


def _read_array(X: Any, categorical: Collection[Name]) -> Table:
    is_array = type(X) is np.ndarray
    if not is_array and hasattr(X, "tocsr") and hasattr(X, "nnz"):
        return _read_sparse(X, categorical)
    if not is_array and hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError(
            "Sparse data was passed, but dense data is required. Use '.toarray()' to convert it."
        )
    array = as_array(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead:\narray={array}.")
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    n_rows, n_columns = array.shape
    if array.dtype.kind in "biufmM":
        plain = _plain(array)
        if not categorical or not any(j in categorical for j in range(n_columns)):
            return Table(n_rows, plain, None)
        parts = [_as_declared(plain[:, j], j in categorical) for j in range(n_columns)]
        return Table(n_rows, parts, None)
    if array.dtype.kind not in "OUST":
        raise TypeError(f"Arrays of dtype {array.dtype} are not supported. {_COLUMN_HELP}")
    parts = [
        _as_declared(object_column(array[:, j].astype(object), j), j in categorical)
        for j in range(n_columns)
    ]
    return Table(n_rows, parts, None)


def _read_sparse(X: Any, categorical: Collection[Name]) -> Table:
    """Read SciPy's sparse rows; other sparse forms become rows first."""
    if len(X.shape) != 2:
        raise ValueError(f"Expected 2D array, got 1D array instead:\narray={X}.")
    n_rows, n_columns = X.shape
    if X.dtype.kind not in "biuf":
        raise TypeError(f"Sparse matrices of dtype {X.dtype} are not supported; pass numbers.")
    if any(j in categorical for j in range(n_columns)):
        raise TypeError(
            "A sparse matrix holds numbers only, and some of its columns are categorical. "
            "Use '.toarray()', or leave them out of categorical_features."
        )
    rows = X.tocsr()
    if not rows.has_canonical_format:  # one value per place
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    stored = (
        np.ascontiguousarray(rows.data, dtype=np.float64),
        np.ascontiguousarray(rows.indices, dtype=np.int32),
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        int(n_columns),
    )
    return Table(int(n_rows), stored, None)


def as_array(data: Any) -> NDArray[Any]:
    """Return an array in which missing values and the types of a list's items are kept."""
    if type(data) is np.ndarray:
        return data
    # There is no masked array where NumPy's module of them, which is slow to import, is not.
    if "numpy.ma" in sys.modules and isinstance(data, np.ma.MaskedArray):
        array = np.array(data.data, dtype=object)
        array[np.ma.getmaskarray(data)] = None
        return array
    array = np.asarray(data)
    if array.dtype.kind in "US" and not isinstance(data, np.ndarray):
        return np.asarray(data, dtype=object)  # numbers and NaN in a list would have become text
    return array


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Numbers in a dtype, byte order and layout that the core reads."""
    dtype = array.dtype
    if dtype.kind == "b":
        return array.view(np.uint8)
    if dtype.kind in "mM":
        return seconds(array)
    if dtype.itemsize not in (4, 8) and dtype.kind == "f":
        with np.errstate(over="ignore"):  # a value too large becomes infinite, and is refused
            return array.astype(np.float64)
    if not dtype.isnative:
        return array.astype(dtype.newbyteorder("="))
    if not array.flags.aligned:
        return array.copy()
    for step in array.strides:
        if step % dtype.itemsize:
            return array.copy()
    return array


def is_missing(value: object) -> bool:
    """Whether a value stands for a missing one."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating, Decimal)):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def is_number(value: object) -> bool:
    """Whether a value is a real number or a truth value."""
    return isinstance(value, (int, float, Decimal, np.number, np.bool_)) and not isinstance(
        value, (np.complexfloating, np.timedelta64)
    )


def _second(value: object, name: Name) -> float | None:
    """Return the seconds of a date, time or duration; None if it is no such thing."""
    try:
        return second_of(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Column {name!r}: {error}.") from None


def object_column(values: NDArray[Any], name: Name) -> Column:
    """Type a column of Python objects: numbers and times, or text; not both, nothing else."""
    numbers = np.full(len(values), np.nan)
    codes = np.full(len(values), -1, dtype=np.int32)
    ranks: dict[str, int] = {}
    has_number = False
    for i, value in enumerate(values):
        if isinstance(value, str):
            codes[i] = ranks.setdefault(str(value), len(ranks))
        elif is_missing(value):
            continue
        elif is_number(value):
            try:
                numbers[i] = value
            except OverflowError:
                raise ValueError(f"Column {name!r} holds too large a number in row {i}.") from None
            has_number = True
        elif (second := _second(value, name)) is not None:
            numbers[i] = second
            has_number = True
        else:
            raise TypeError(
                f"Column {name!r} holds a {type(value).__name__} in row {i}. {_COLUMN_HELP}"
            )
        if has_number and ranks:
            raise TypeError(f"Column {name!r} mixes numbers and text (row {i}). {_COLUMN_HELP}")
    return numbers if has_number else (codes, list(ranks))


# --- pandas ---------------------------------------------------------------------------------------


def _read_pandas(X: Any, categorical: Collection[Name], unused: bool) -> Table:
    names = _checked_names(X.columns)
    dtypes = list(X.dtypes)  # not a set: the hash of a dtype is that of all its categories
    if dtypes and isinstance(dtypes[0], np.dtype) and dtypes[0].kind in "biufmM":
        plain = all(isinstance(dtype, np.dtype) and dtype == dtypes[0] for dtype in dtypes)
        if plain and not any(name in categorical for name in names):
            return Table(len(X), _plain(X.to_numpy()), names)
    columns = [X.iloc[:, j] for j in range(len(names))]
    read = functools.partial(_pandas_column, unused=unused)
    return _read_named(names, columns, len(X), read, categorical)


def _pandas_column(series: Any, name: Name, *, unused: bool) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories") and hasattr(series, "cat"):
        known = series.cat.categories
        return _categories(
            series.cat.codes, len(known), lambda at: known.take(at).tolist(), name, unused
        )
    if isinstance(dtype, np.dtype) and dtype.kind in "biufmM":
        return _plain(series.to_numpy())
    kind = getattr(dtype, "kind", "O")
    if hasattr(dtype, "pyarrow_dtype"):
        return _arrow_column(series.array.__arrow_array__(), name, unused=unused)
    if kind == "M":  # in a time zone
        return seconds(series.to_numpy(dtype=f"M8[{dtype.unit}]"))
    if kind in "biuf" and not isinstance(dtype, np.dtype):
        numbers: NDArray[Any] = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers
    if kind in "OUST":
        return object_column(series.to_numpy(dtype=object), name)
    raise TypeError(f"Column {name!r} has dtype {dtype}. {_COLUMN_HELP}")


def _categories(given: Any, size: int, take: Take, name: Name, unused: bool) -> Codes:
    """Check the entries of a dictionary that occur; one that is missing makes its rows missing.

    ``take`` gives entries by their codes, so that few rows of a large dictionary need few. With
    ``unused`` all are wanted, in their order.
    """
    codes: NDArray[np.int32] = np.ascontiguousarray(given, dtype=np.int32)
    used: NDArray[Any] = np.arange(size)
    if not unused:
        codes, used = _used(codes, size)
    values = take(used)
    kept = [i for i, value in enumerate(values) if not is_missing(value)]
    if len(kept) < len(values):
        ranks = np.full(len(values) + 1, -1, dtype=np.int32)  # the last is that of code -1
        ranks[kept] = np.arange(len(kept))
        codes, values = ranks[codes], [values[i] for i in kept]
    if len({isinstance(value, str) for value in values}) > 1:
        raise TypeError(f"Column {name!r} mixes numbers and text among its categories.")
    if not values:  # any entry says that the column holds categories, and of which kind
        entries = (take(np.array([i]))[0] for i in range(size))
        values = next(([entry] for entry in entries if not is_missing(entry)), [])
    if any(not (isinstance(value, str) or is_number(value)) for value in values):
        times = [_second(value, name) for value in values]
        values = [v if time is None else time for v, time in zip(values, times, strict=True)]
    return codes, values


def _used(codes: NDArray[np.int32], size: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Number the entries of a dictionary that occur, in its order; return also which they are."""
    if len(codes) < size:
        ordered = np.sort(codes)  # np.unique would import NumPy's masked arrays
        ordered = ordered[np.diff(ordered, prepend=-1) > 0]  # each once, and no code -1
        return np.where(codes < 0, -1, np.searchsorted(ordered, codes)).astype(np.int32), ordered
    seen = np.zeros(size + 1, dtype=np.bool_)  # the last is that of code -1
    seen[codes] = True
    used = np.flatnonzero(seen[:-1])
    if len(used) == size:
        return codes, used
    ranks = np.full(size + 1, -1, dtype=np.int32)
    ranks[used] = np.arange(len(used))
    return ranks[codes], used


# --- polars ---------------------------------------------------------------------------------------


def _polars_column(series: Any, name: Name) -> Column:
    polars, dtype = sys.modules["polars"], series.dtype  # of an Enum, made anew each time
    if dtype.is_numeric() or dtype == polars.Boolean:
        plain = dtype.is_integer() or dtype.is_float()
        if plain and "128" not in str(dtype) and series.null_count() == 0:
            return _plain(series.to_numpy())
        numbers: NDArray[Any] = series.cast(polars.Float64).to_numpy()
        return numbers
    if dtype.is_temporal():
        return _polars_seconds(series)
    if dtype == polars.Null:
        return _no_value(len(series))
    if dtype == polars.Object:
        return object_column(np.array(series.to_list(), dtype=object), name)
    if dtype not in (polars.String, polars.Categorical, polars.Enum):
        raise TypeError(f"Column {name!r} has dtype {dtype}. {_COLUMN_HELP}")
    text = series.cast(polars.String)
    values = text.drop_nulls().unique(maintain_order=True)
    ranks = polars.Series(range(len(values)), dtype=polars.Int32)
    codes = text.replace_strict(values, ranks, default=None, return_dtype=polars.Int32)
    return np.ascontiguousarray(codes.fill_null(-1).to_numpy(), dtype=np.int32), values.to_list()


def _polars_seconds(series: Any) -> NDArray[np.float64]:
    unit = getattr(series.dtype, "time_unit", "ns")  # that of a time of day
    physical = series.to_physical()
    counts = physical.fill_null(0).to_numpy().astype(np.int64, copy=False)
    is_date = series.dtype == sys.modules["polars"].Date
    times = counts * float(DAY) if is_date else from_counts(counts, PER_SECOND[unit])
    return np.where(physical.is_null().to_numpy(), np.nan, times)


# --- Arrow ----------------------------------------------------------------------------------------


@functools.cache
def _arrow_dtypes() -> dict[int, np.dtype[Any]]:
    """NumPy's types of the Arrow types that the core reads as they are."""
    arrow = sys.modules["pyarrow"]
    names = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    kinds = {name: arrow.type_for_alias(name) for name in [*names, "float32", "float64"]}
    return {kind.id: np.dtype(name) for name, kind in kinds.items()}


def _arrow_column(column: Any, name: Name, *, unused: bool) -> Column:
    arrow = sys.modules["pyarrow"]
    kind = column.type
    if kind.id in _arrow_dtypes():
        return _plain(arrow_numbers(column))
    types = arrow.types
    if str(kind) in ("string", "large_string", "string_view"):
        column = column.cast(arrow.string()).dictionary_encode()
        kind = column.type
    if types.is_dictionary(kind):
        if isinstance(column, arrow.ChunkedArray):
            column = column.unify_dictionaries().combine_chunks()
        if isinstance(column, arrow.ChunkedArray):  # no chunk at all
            return _no_value(0)
        known = column.dictionary

        def take(at: NDArray[Any]) -> list[Any]:
            # Its own "take" wants an Arrow array, and to make one would import pandas. All entries
            # at once are had faster than many one by one.
            if len(at) > len(known) // 10:
                entries = known.to_pylist()
                return [entries[i] for i in at.tolist()]
            return [known[i].as_py() for i in at.tolist()]

        return _categories(arrow_codes(column), len(known), take, name, unused)
    if types.is_null(kind):
        return _no_value(len(column))
    if is_arrow_time(kind):
        return arrow_seconds(column)
    if types.is_boolean(kind) or types.is_decimal(kind):
        column = column.cast(arrow.float64())
    elif not (types.is_integer(kind) or types.is_floating(kind)):
        raise TypeError(f"Column {name!r} has Arrow type {kind}. {_COLUMN_HELP}")
    return _plain(arrow_numbers(column))


def is_arrow_time(kind: Any) -> bool:
    """Whether values of an Arrow type are dates, times or durations."""
    types = sys.modules["pyarrow"].types
    return bool(types.is_temporal(kind) and not types.is_interval(kind))


def arrow_seconds(column: Any) -> NDArray[np.float64]:
    """Return a column of dates, times or durations in seconds, NaN where one is missing."""
    arrow = sys.modules["pyarrow"]
    kind = column.type
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    parts = [_arrow_counts(chunk) for chunk in chunks]
    counts = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    unit = getattr(kind, "unit", "ms")  # that of a date of 64 bits
    is_date = arrow.types.is_date32(kind)
    times = counts * float(DAY) if is_date else from_counts(counts, PER_SECOND[unit])
    missing = arrow_numbers(column.is_null().cast(arrow.uint8()))
    return np.where(missing.view(np.bool_), np.nan, times)


def _arrow_counts(chunk: Any) -> NDArray[np.int64]:
    """Return the whole numbers that dates or times are kept as, any where one is missing."""
    data, n = chunk.buffers()[1], len(chunk)
    if data is None or not data.size:
        return np.zeros(n, dtype=np.int64)
    dtype = np.dtype(f"i{chunk.type.bit_width // 8}")
    counts = np.frombuffer(data, dtype, n, chunk.offset * dtype.itemsize)
    return counts.astype(np.int64, copy=False)


def arrow_numbers(column: Any) -> NDArray[Any]:
    """Return a column of whole numbers or floats, NaN where one is missing; it may be a view.

    pyarrow's own conversions would import pandas if it is there, which takes longer than a run.
    """
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    dtype = _arrow_dtypes().get(column.type.id) or np.dtype(column.type.to_pandas_dtype())
    parts = [_arrow_chunk(chunk, dtype) for chunk in chunks if len(chunk)]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


def arrow_codes(array: Any) -> NDArray[np.int32]:
    """Return the codes of a dictionary array, -1 where a value is missing."""
    codes = arrow_numbers(array.indices)
    if codes.dtype.kind == "f":
        codes = np.where(np.isnan(codes), -1, codes)
    return np.ascontiguousarray(codes, dtype=np.int32)


def _arrow_chunk(chunk: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    valid, data = chunk.buffers()
    n, offset = len(chunk), chunk.offset
    if data is None or not data.size:  # all are missing, perhaps
        return np.full(n, np.nan)
    numbers: NDArray[Any] = np.frombuffer(data, dtype, n, offset * dtype.itemsize)
    if chunk.null_count == 0:
        return numbers
    bits = np.frombuffer(valid, np.uint8)[offset // 8 :]
    here = np.unpackbits(bits, count=offset % 8 + n, bitorder="little")[offset % 8 :]
    wide = numbers if dtype.kind == "f" else numbers.astype(np.float64)
    return np.where(here.view(np.bool_), wide, np.asarray(np.nan, wide.dtype))


# --- weights, and results in the caller's form ----------------------------------------------------


def read_weights(weights: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Bring sample weights, one for all rows or one each, into the core's form."""
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"sample_weight must be numbers; got dtype {array.dtype}.")
    try:
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"sample_weight must be numbers: {error}") from None
    if array.ndim == 0:
        array = np.full(n_rows, float(array))
    if array.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(array) != n_rows:
        raise ValueError(f"sample_weight.shape == {array.shape}, expected ({n_rows},)!")
    return np.ascontiguousarray(array)


def like_series(X: Any, values: NDArray[Any]) -> Any:
    """Give one value per row in the form of the caller's table."""
    if library_of(X) != "pandas":
        return values
    import pandas

    return pandas.Series(values, index=X.index)


def like_frame(X: Any, values: NDArray[Any], columns: list[Any]) -> Any:
    """Give several values per row in the form of the caller's table."""
    if library_of(X) != "pandas":
        return values
    import pandas

    return pandas.DataFrame(values, index=X.index, columns=columns)
