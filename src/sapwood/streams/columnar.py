"""Arrow tables, and the files that hold them: Parquet and Arrow IPC."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._intake import arrow_seconds, is_arrow_time
from .arrow import float_column, import_arrow, not_whole, regroup, text_array
from .errors import RowError, StreamError
from .labels import check_types, label_fault, not_a_class, whole_fault, whole_label
from .source import Source
from .stream import Stream, fitting
from .texts import number_in

Faults: TypeAlias = dict[int, list[RowError]]  # by row

_BATCH_ROWS = 65536
_IPC_MAGIC = b"ARROW1"


class ArrowStream(Stream):
    """Rows of Arrow tables. Missing labels and infinite numbers make a row bad.

    Parameters
    ----------
    name : str
        For display.
    label : str, int, False or None
        The label column; None is the one with a usual name, else the last.
    types : mapping, optional
        Kinds of columns, by name; others keep the type they have.
    on_error : {"stop", "missing", "skip"}
        What happens at a bad row.
    once : bool
        Whether the rows can be read a single time.
    """

    def __init__(
        self,
        name: str,
        *,
        label: Any,
        types: Mapping[str, str] | None,
        on_error: str,
        once: bool = False,
    ) -> None:
        super().__init__(name, labelled=label is not False, on_error=on_error, once=once)
        self._arrow = import_arrow(f"Reading {name}")
        self._types = dict(types or {})
        schema = self._guarded(self._schema)
        self._names: list[str] = schema.names
        check_types(name, self._names, self._types)
        self._find_label(self._names, label)
        self._label = self.label
        self._width = len(self._names)
        self._batch_rows = fitting(_BATCH_ROWS, self._width)
        for field in schema:
            self._check_type(field.name, field.type)
            is_text = self._types.get(field.name) == "categorical"
            if field.name == self._label and is_arrow_time(field.type) and not is_text:
                raise StreamError(not_a_class(name, field.name, str(field.type)))

    @abstractmethod
    def _schema(self) -> Any:
        """Return the schema of the tables."""

    @abstractmethod
    def _tables(self) -> Iterator[Any]:
        """Yield the tables, from the first on."""

    def _guarded(self, call: Any, *args: Any) -> Any:
        """Call; let what pyarrow says of a damaged file name the file."""
        try:
            return call(*args)
        except (self._arrow.ArrowException, OSError, EOFError) as error:
            raise StreamError(f"{self.name} is damaged or of another format: {error}") from error

    def _check_type(self, name: str, kind: Any) -> None:
        types = self._arrow.types
        if types.is_dictionary(kind):
            kind = kind.value_type
        checks = [
            getattr(types, f"is_{kind}")
            for kind in ("integer", "floating", "boolean", "decimal", "null")
        ]
        if not (self._is_text(kind) or is_arrow_time(kind) or any(is_(kind) for is_ in checks)):
            raise StreamError(
                f"{self.name}, column {name!r}: values of type {kind} are neither numbers, "
                "booleans, dates nor text. Leave the column out, or convert it."
            )

    def _is_text(self, kind: Any) -> bool:
        return str(kind) in ("string", "large_string", "string_view")

    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        return regroup(self._pieces(labelled), rows)

    def _pieces(self, labelled: bool) -> Iterator[tuple[Any, NDArray[Any] | None]]:
        first = 1
        tables = self._tables()
        while (table := self._guarded(next, tables, None)) is not None:
            faults: Faults = defaultdict(list)
            columns = {name: table.column(name) for name in self._names if name != self._label}
            for name, column in columns.items():
                columns[name] = self._feature(name, column, faults)
            y = self._labels(table.column(self._label), faults) if labelled else None
            good = np.ones(table.num_rows, dtype=bool)
            for i in sorted(faults):
                good[i] = self._is_good(first + i, faults[i])
            first += table.num_rows
            features = self._arrow.table(columns)
            if not good.all():
                features = features.filter(self._arrow.array(good))
                y = None if y is None else y[good]
            if features.num_rows:
                yield features, self._whole(y)

    def _is_good(self, row: int, faults: list[RowError]) -> bool:
        """Report the faults of a row; whether it goes on without these values."""
        fatal = [fault for fault in faults if not self._mends or fault.column == self._label]
        if fatal:  # a row is reported once, for its first faulty column
            self._bad(row, fatal[0].column, fatal[0].what, unit="row")
        else:
            self._mend(row, faults, unit="row")
        return not fatal

    def _feature(self, name: str, column: Any, faults: Faults) -> Any:
        """Return a column in its declared kind; note rows that do not fit."""
        arrow = self._arrow
        declared = self._types.get(name)
        if is_arrow_time(column.type) and declared != "categorical":
            column = float_column(arrow_seconds(column))
        text = self._is_text(
            column.type.value_type if arrow.types.is_dictionary(column.type) else column.type
        )
        if declared == "categorical" and not text:
            column = self._decoded(column).cast(arrow.string()).dictionary_encode()
        elif declared == "numeric" and text:
            column = self._numbers(name, self._decoded(column).to_pylist(), faults)
        if arrow.types.is_floating(column.type):
            numbers = np.asarray(column.to_numpy(), dtype=np.float64)
            infinite = np.isinf(numbers)
            for i in np.flatnonzero(infinite).tolist():
                faults[i].append(RowError(name, "the number is infinite"))
            if infinite.any():
                column = float_column(np.where(infinite, np.nan, numbers)).cast(column.type)
        return column

    def _numbers(self, name: str, texts: list[Any], faults: Faults) -> Any:
        numbers = np.full(len(texts), np.nan)
        for i, text in enumerate(texts):
            numbers[i], fault = number_in(b"" if text is None else text.encode())
            if fault is not None:
                faults[i].append(RowError(name, fault))
        return float_column(numbers)

    def _labels(self, column: Any, faults: Faults) -> NDArray[Any]:
        """Return labels, of text or numbers; note rows that have none."""
        arrow, name = self._arrow, str(self._label)
        column = self._decoded(column)
        if self._types.get(name) == "categorical" and not arrow.types.is_null(column.type):
            column = column.cast(arrow.string())
        y: NDArray[Any]
        if self._is_text(column.type):
            y = text_array(column.cast(arrow.string()))
        elif arrow.types.is_boolean(column.type):
            y = np.asarray(column.fill_null(False).to_numpy())
        elif arrow.types.is_integer(column.type):
            y = np.asarray(column.fill_null(0).to_numpy())
            for i in np.flatnonzero(y > np.iinfo(np.int64).max).tolist():
                faults[i].append(RowError(name, whole_fault(y[i])))
        elif arrow.types.is_decimal(column.type):
            texts = [
                b"0" if v is None else str(int(v) if v == int(v) else v).encode()
                for v in column.to_pylist()
            ]
            wholes = list(map(whole_label, texts))
            y = np.array([value or 0 for value in wholes], dtype=np.int64)
            for i in (i for i, value in enumerate(wholes) if value is None):
                faults[i].append(RowError(name, str(label_fault(texts[i], "whole"))))
        else:
            y = np.asarray(column.cast(arrow.float64()).to_numpy(), dtype=np.float64)
            for i in np.flatnonzero(not_whole(y) & ~np.isnan(y)).tolist():
                faults[i].append(RowError(name, whole_fault(y[i])))
        missing = column.is_null(nan_is_null=True).to_numpy()
        for i in np.flatnonzero(missing).tolist():
            faults[i] = [RowError(name, "the label is missing")]
        return y

    def _whole(self, y: NDArray[Any] | None) -> NDArray[Any] | None:
        return y.astype(np.int64) if y is not None and y.dtype.kind == "f" else y

    def _decoded(self, column: Any) -> Any:
        kind = column.type
        return column.cast(kind.value_type) if self._arrow.types.is_dictionary(kind) else column


class ArrowTableStream(ArrowStream):
    """Rows of an Arrow table or record batch in memory."""

    def __init__(
        self, table: Any, *, label: Any, types: Mapping[str, str] | None, on_error: str
    ) -> None:
        arrow = import_arrow("Reading Arrow tables")
        batch = isinstance(table, arrow.RecordBatch)
        self._table = arrow.Table.from_batches([table]) if batch else table
        super().__init__("table", label=label, types=types, on_error=on_error)
        self.n_rows = self._table.num_rows

    def _schema(self) -> Any:
        return self._table.schema

    def _tables(self) -> Iterator[Any]:
        for start in range(0, self._table.num_rows, self._batch_rows):
            yield self._table.slice(start, self._batch_rows)


class ArrowFileStream(ArrowStream):
    """Rows of a file that holds Arrow tables."""

    def __init__(
        self, source: Source, *, label: Any, types: Mapping[str, str] | None, on_error: str
    ) -> None:
        self._where = _ArrowFile(source)
        super().__init__(source.name, label=label, types=types, on_error=on_error)
        self.n_bytes = source.n_bytes


class ParquetStream(ArrowFileStream):
    """Rows of a Parquet file. A compressed one, or standard input, is held in memory."""

    def _schema(self) -> Any:
        import pyarrow.parquet as parquet

        with parquet.ParquetFile(self._where.open()) as file:
            self.n_rows = file.metadata.num_rows
            return file.schema_arrow

    def _tables(self) -> Iterator[Any]:
        import pyarrow.parquet as parquet

        with parquet.ParquetFile(self._where.open()) as file:
            for batch in file.iter_batches(self._batch_rows):
                yield self._arrow.Table.from_batches([batch])


class IpcStream(ArrowFileStream):
    """Rows of an Arrow IPC file or stream; of a compressed one, all bytes are held in memory."""

    def _reader(self) -> Any:
        import pyarrow.ipc as ipc

        file = self._where.open()
        magic = file.read(len(_IPC_MAGIC))
        file.seek(0)
        return ipc.open_file(file) if magic == _IPC_MAGIC else ipc.open_stream(file)

    def _schema(self) -> Any:
        return self._reader().schema

    def _tables(self) -> Iterator[Any]:
        reader = self._reader()
        count = getattr(reader, "num_record_batches", None)
        batches = reader if count is None else map(reader.get_batch, range(count))
        for batch in batches:
            yield self._arrow.Table.from_batches([batch])


class _ArrowFile:
    """A file that pyarrow can move about in."""

    def __init__(self, source: Source) -> None:
        self._arrow = import_arrow(f"Reading {source.name}")
        self._path = source.path
        plain = source.path is not None and not source.once and source.compression is None
        self._data = None if plain else source.whole()

    def open(self) -> Any:
        """Return the file at its first byte."""
        if self._data is not None:
            return self._arrow.BufferReader(self._data)
        return self._arrow.OSFile(str(self._path))
