"""Delimited text (CSV)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._intake import Table, arrow_numbers, read_table
from .arrow import has_infinity, read_numbers, text_array
from .blocks import BlockStream, Piece
from .dialect import DELIMITERS, inspect
from .errors import RowError
from .filling import Filling
from .labels import label_fault, whole_labels
from .lines import BLOCK_BYTES, Lines
from .source import Source
from .texts import MISSING, NULLS, fault_of

_ARROW_BLOCK_BYTES = 1 << 20  # what one of pyarrow's threads takes at a time
_COLUMN_BYTES = 256
_WINDOW_BYTES = 1 << 18  # what the core takes at a time: it stays in a cache


class CsvStream(BlockStream):
    """Rows of a delimited file, as Arrow tables.

    Columns of numbers, dates (as seconds), and ``true`` and ``false`` (as 1 and 0) are float64,
    others text by dictionary. A value is missing if it is empty, ``NA``, ``NaN``, ``nan``,
    ``null``, ``None`` or ``?``, in quotes or not. A bad record over several lines costs its first
    line only: reading goes on at the next.

    Parameters
    ----------
    source, on_error, block_bytes
        As for the base class.
    label : str, int, False or None
        The label column; None is the one with a usual name, else the last.
    types : mapping
        Kinds of columns, by name.
    delimiter : str, optional
        The character between fields; found out if not given.
    header : bool, optional
        Whether the first row names the columns; found out if not given. Without names, columns are
        called "0", "1" and so on.
    """

    def __init__(
        self,
        source: Source,
        *,
        label: Any = None,
        types: Mapping[str, str] | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
        on_error: str = "stop",
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        super().__init__(
            source, labelled=label is not False, on_error=on_error, block_bytes=block_bytes
        )
        self._types = dict(types or {})
        with self._look() as lines:
            self._dialect = self._found = inspect(
                self.name,
                lines,
                find_label=partial(self._find_label, label=label),
                warn=self._warn,
                named=[name for name in [*self._types, label] if isinstance(name, str)],
                types=self._types,
                delimiter=delimiter,
                header=header,
            )
        self._cut = self._dialect.records.cut
        self._start = self._dialect.start
        self._width = len(self._dialect.names)
        # A column costs in each of pyarrow's blocks, so those of wide rows are longer.
        self._arrow_block = max(_ARROW_BLOCK_BYTES, _COLUMN_BYTES * self._width)

    def _read_as(self, kinds: Mapping[Any, str]) -> None:
        found = list(self._found.kinds)
        for j, name in enumerate(self._found.names):
            wanted = None if name in self._types else kinds.get(name)
            if wanted == "categorical":
                found[j] = "text"
            elif wanted == "numeric" and found[j] == "text":
                found[j] = "number"
        self._dialect = replace(self._found, kinds=found)

    def _fast(self, data: bytes, start: int, stop: int, labelled: bool) -> Piece:
        records = self._dialect.records
        if not records.tidy and not records.is_strict(data, start, stop):
            raise self._arrow.ArrowInvalid("text after a quote")
        return self._convert(
            data, start, stop, labelled, self._arrow_block, self._dialect.label_kind
        )

    def _convert(
        self, data: bytes, start: int, stop: int, labelled: bool, block: int, kind: str
    ) -> Piece:
        """Parse whole records, with labels of a kind; raise ArrowInvalid if one of them is bad."""
        import pyarrow.csv as csv

        arrow, dialect = self._arrow, self._dialect
        label = None if dialect.label is None else dialect.names[dialect.label]
        by_dictionary = arrow.dictionary(arrow.int32(), arrow.string())
        kinds = dict(zip(dialect.names, dialect.kinds, strict=True))
        if label is not None:
            kinds[label] = kind
        as_arrow = {"int": arrow.int64(), "time": arrow.string(), "number": arrow.float64()}
        types = {name: as_arrow.get(kind, by_dictionary) for name, kind in kinds.items()}
        keep = [name for name in dialect.names if labelled or name != label]
        table = csv.read_csv(
            arrow.BufferReader(arrow.py_buffer(memoryview(data)[start:stop])),
            read_options=csv.ReadOptions(column_names=dialect.names, block_size=block),
            parse_options=csv.ParseOptions(
                delimiter=dialect.records.delimiter.decode(),
                newlines_in_values=data.find(b'"', start, stop) >= 0,
            ),
            convert_options=csv.ConvertOptions(
                column_types=types,
                null_values=NULLS,
                strings_can_be_null=True,
                include_columns=keep,
            ),
        )
        y: NDArray[Any] | None = None
        if labelled and label is not None:
            y = self._labels(table.column(label), kind)
            table = table.drop_columns([label])
        if not {"time", "truth"}.isdisjoint(dialect.kinds):
            columns = [
                self._read(c, kinds[n])
                for n, c in zip(table.column_names, table.columns, strict=True)
            ]
            table = arrow.table(columns, names=table.column_names)
        if has_infinity(table):
            raise arrow.ArrowInvalid("infinite")
        return table, y

    def _read(self, column: Any, kind: str) -> Any:
        return read_numbers(column, kind) if kind in ("time", "truth") else column

    def _labels(self, column: Any, kind: str) -> NDArray[Any]:
        if column.null_count:
            raise self._arrow.ArrowInvalid("missing label")
        if kind == "text":
            return text_array(column)
        if kind == "truth":
            return arrow_numbers(read_numbers(column, "truth")).astype(np.bool_)
        if kind == "int":
            return arrow_numbers(column)
        numbers = whole_labels(column)
        if numbers is None:
            raise self._arrow.ArrowInvalid("label not whole")
        return numbers

    # --- the shortest way: rows of plain numbers --------------------------------------------------

    def _quick_chunks(self, rows: int) -> Iterator[tuple[Any, Any]]:
        dialect = self._dialect
        place = dialect.label
        is_plain = all(kind == "number" for j, kind in enumerate(dialect.kinds) if j != place)
        is_plain = is_plain and place is not None and dialect.label_kind in ("int", "whole")
        if not is_plain or dialect.records.delimiter.decode() not in DELIMITERS:
            return self.chunks(rows)
        return self._matrices(self._count_pass(rows))

    def _matrices(self, rows: int) -> Iterator[tuple[Table, NDArray[np.int64]]]:
        """Yield the rows as matrices, lines that are not plain read as elsewhere."""
        dialect = self._dialect
        names: list[Any] = [name for j, name in enumerate(dialect.names) if j != dialect.label]
        comma, whole = dialect.records.delimiter.decode(), dialect.label_kind == "whole"
        window = min(_WINDOW_BYTES, self._block_bytes)
        with self._rows_of_text() as lines:
            pieces = self._pieces(lines, True)
            batch = Filling(rows, names)
            while lines.fill(1):
                lines.fill(window)
                n, at, odd = _core.read_csv(
                    lines.data, lines.at, lines.ended, comma, dialect.label, whole,
                    batch.matrix, batch.y, batch.n,
                )  # fmt: skip
                moved = at > lines.at
                lines.advance(at, n)
                batch.n += n
                if batch.n == rows:
                    yield batch.taken()
                elif not (odd or moved or lines.ended or window >= self._block_bytes):
                    window *= 2  # the row is longer
                elif odd or not moved:
                    for table, y in islice(pieces, 1):
                        assert y is not None
                        yield from batch.add(read_table(table), y)
            if batch.n:
                yield batch.taken()

    # --- the careful way --------------------------------------------------------------------------

    def _careful(self, lines: Lines, stop: int, labelled: bool) -> Piece | None:
        """Go on record by record, up to ``stop``; parse those that are good."""
        records = self._dialect.records
        final = lines.ended and stop == len(lines.data)
        good: list[tuple[int, bytes]] = []
        while lines.at < stop:
            # All before "stop" is whole, be it the end of the file or not.
            end = records.end(lines.data, lines.at, stop, True)
            if end is None:  # begun inside a bad record, it lasts beyond the window
                if not final:
                    break
                self._unclosed(lines)
                continue
            if not records.is_strict(lines.data, lines.at, end):
                self._unclosed(lines, end)
                continue
            text = lines.data[lines.at : end]
            fields = records.split(lines.data, lines.at, end)
            if not self._is_blank(text, fields):
                mended = self._faults(lines.line, fields, labelled)
                if mended is None:
                    lines.skip_line(end)
                    continue
                if mended:
                    text = records.join([b"NA" if j in mended else f for j, f in enumerate(fields)])
                good.append((lines.line, text if text.endswith((b"\n", b"\r")) else text + b"\n"))
            lines.advance(end)
        try:
            return self._convert_all([text for _, text in good], labelled)
        except self._arrow.ArrowInvalid:
            return self._convert_all(self._accepted(good, labelled), labelled)

    def _convert_all(self, texts: list[bytes], labelled: bool) -> Piece | None:
        if not texts:
            return None
        data = b"".join(texts)
        # Where labels are whole numbers, one may be written +1 or 1.0.
        kind = self._dialect.label_kind.replace("int", "whole")
        block = max(len(data), self._arrow_block)
        return self._convert(data, 0, len(data), labelled, block, kind)

    def _accepted(self, good: list[tuple[int, bytes]], labelled: bool) -> list[bytes]:
        """Return the records that pyarrow parses; report others in its words."""
        texts = []
        for line, text in good:
            try:
                self._convert_all([text], labelled)
                texts.append(text)
            except self._arrow.ArrowInvalid as error:
                self._bad(line, None, str(error))
        return texts

    def _is_blank(self, text: bytes, fields: list[bytes]) -> bool:
        if len(fields) > 1:
            return False
        return not text.strip(b" \t\r\n" if len(self._dialect.names) > 1 else b"\r\n")

    def _faults(self, line: int, fields: list[bytes], labelled: bool) -> set[int] | None:
        """Report a bad record, and return None; else the places of values to take as missing."""
        dialect = self._dialect
        expected = len(dialect.names)
        if len(fields) != expected:
            found = f"{len(fields)} field" + "s" * (len(fields) != 1)
            self._bad(line, None, f"{found} where {expected} are expected")
            return None
        mended: dict[int, RowError] = {}
        for j, field in enumerate(fields):
            if j == dialect.label:
                if not labelled:
                    continue
                if field in MISSING:
                    fault: str | None = "the label is missing"
                else:
                    fault = label_fault(field, dialect.label_kind)
            elif field in MISSING:
                fault = None
            else:
                fault = fault_of(field, dialect.kinds[j])
            if fault is None:
                continue
            if self._mends and j != dialect.label:
                mended[j] = RowError(dialect.names[j], fault)
                continue
            self._bad(line, dialect.names[j], fault, self._hint(j, fault))
            return None
        self._mend(line, mended.values())
        return set(mended)

    def _hint(self, j: int, fault: str) -> str:
        """Return how a column came to be of its kind, and how that is changed."""
        name = self._dialect.names[j]
        if fault.endswith("is not a whole number"):
            what = "The labels were taken for whole numbers"
        elif fault.endswith("is not a number"):
            what = "The column was taken for numbers"
        elif fault.endswith("is not a date or time"):
            what = "The column was taken for dates"
        elif fault.endswith("is not true or false"):
            what = "The column was taken for truth values"
        else:
            return ""
        sampled = f"from the first {self._dialect.sampled:,} rows"
        basis = "as declared" if name in self._types else sampled
        return f"{what} {basis}; pass types={{{name!r}: 'categorical'}}"

    def _unclosed(self, lines: Lines, end: int | None = None) -> None:
        """Report the record ahead, whose quotes are wrong, and go on to the next line."""
        place = self._dialect.records.whole_before(lines.data, lines.at)
        names = self._dialect.names
        column = names[place] if place < len(names) else None
        never = "a quote is opened and never closed"
        self._bad(lines.line, column, never if end is None else f"{never}, or text follows it")
        lines.skip_line(end)
