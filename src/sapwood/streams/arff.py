"""ARFF files: plain blocks are parsed by pyarrow, others line by line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arff_header import COMMENT_HINT, Attribute, Value, read_header, split_values, without_comment
from .arrow import float_column, has_infinity, text_array
from .blocks import BlockStream, Piece
from .errors import RowError, StreamError
from .labels import check_types, label_fault, not_a_class, whole_label, whole_labels
from .lines import BLOCK_BYTES, Lines, cut_at_newline
from .source import Source
from .stream import fitting
from .texts import number_fault

_UNUSUAL = re.compile(rb"['\"{%\\]")
_SPARSE = re.compile(r"(\d+)\s+(.+)", re.DOTALL)
_SPARSE_ENTRY = re.compile(r"""\s*(?:[^,'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*""")


class ArffStream(BlockStream):
    """Rows of an ARFF file, as Arrow tables with nominal values in their declared order.

    In a sparse row, what is absent is 0, the first declared value, or missing text or date.

    Parameters
    ----------
    source, on_error, block_bytes
        As for the base class.
    label : str, int, False or None
        The label; None is the attribute with a usual name, else the last.
    types : mapping
        Kinds of attributes, by name, instead of the declared ones.
    """

    def __init__(
        self,
        source: Source,
        *,
        label: Any = None,
        types: Mapping[str, str] | None = None,
        on_error: str = "stop",
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        super().__init__(
            source, labelled=label is not False, on_error=on_error, block_bytes=block_bytes
        )
        self._cut = cut_at_newline
        with self._look() as lines:
            self._attributes, self._start = read_header(self.name, lines, types or {})
            rows = lines.data[lines.at + self._start :].split(b"\n")
            if lines.ended and all(_is_blank(row) for row in rows):
                raise StreamError(f"{self.name} has a header and no rows.")
        names = [attribute.name for attribute in self._attributes]
        check_types(self.name, names, types or {})
        self._label = self._find_label(names, label)
        if self._label is not None:
            attribute = self._attributes[self._label]
            if attribute.kind == "date":
                raise StreamError(not_a_class(self.name, self.label, attribute.kind))
            if attribute.kind == "nominal":
                self.classes = list(attribute.values)
        self._names = names
        self._width = len(names)

    def _fast(self, data: bytes, start: int, stop: int, labelled: bool) -> Piece:
        import pyarrow.csv as csv

        arrow = self._arrow
        if _UNUSUAL.search(data, start, stop):
            raise arrow.ArrowInvalid("quotes, braces or comments")
        by_dictionary = arrow.dictionary(arrow.int32(), arrow.string())
        types = {
            attribute.name: arrow.float64()
            if attribute.kind == "numeric" and j != self._label
            else by_dictionary
            for j, attribute in enumerate(self._attributes)
        }
        table = csv.read_csv(
            arrow.BufferReader(arrow.py_buffer(memoryview(data)[start:stop])),
            read_options=csv.ReadOptions(column_names=self._names),
            parse_options=csv.ParseOptions(quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types=types, null_values=["?", " ?"], strings_can_be_null=True
            ),
        )
        columns: dict[str, Any] = {}
        y: NDArray[Any] | None = None
        for j, attribute in enumerate(self._attributes):
            if j == self._label and not labelled:
                continue
            column = table.column(j)
            if attribute.kind != "numeric":
                column = self._trimmed(column, attribute)
            if j == self._label:
                y = self._fast_labels(column, attribute.kind)
            elif attribute.kind == "date":
                columns[attribute.name] = self._moments(column, attribute)
            else:
                columns[attribute.name] = column
        features = arrow.table(columns)
        if has_infinity(features):
            raise arrow.ArrowInvalid("infinite")
        return features, y

    def _trimmed(self, column: Any, attribute: Attribute) -> Any:
        """Return a column of text without spaces around it, with the declared values."""
        import pyarrow.compute as compute

        arrow = self._arrow
        declared = arrow.array(list(attribute.values), arrow.string())
        chunks = []
        for chunk in column.chunks:
            values = compute.utf8_trim_whitespace(chunk.dictionary)
            if attribute.kind != "nominal":
                kept = values.take(chunk.indices).dictionary_encode()
                unusual = {"", "?"}.intersection(kept.dictionary.to_pylist())
            else:
                codes = compute.index_in(values, value_set=declared)
                unusual = codes.null_count > 0
                kept = arrow.DictionaryArray.from_arrays(codes.take(chunk.indices), declared)
            if unusual:
                raise arrow.ArrowInvalid("a value that is not declared")
            chunks.append(kept)
        return arrow.chunked_array(chunks, arrow.dictionary(arrow.int32(), arrow.string()))

    def _moments(self, column: Any, attribute: Attribute) -> Any:
        def read(text: str) -> float:
            second = attribute.read(text)
            if second is None:
                raise self._arrow.ArrowInvalid("no date")
            return second

        return float_column(text_array(column, read).astype(np.float64))

    def _fast_labels(self, column: Any, kind: str) -> NDArray[Any]:
        if column.null_count:
            raise self._arrow.ArrowInvalid("missing label")
        if kind != "numeric":
            return text_array(column)
        numbers = whole_labels(column)
        if numbers is None:
            raise self._arrow.ArrowInvalid("label not whole")
        return numbers

    # --- the careful way --------------------------------------------------------------------------

    def _careful(self, lines: Lines, stop: int, labelled: bool) -> Piece | None:
        rows: list[list[Any]] = []
        most = fitting(stop, self._width)  # sparse rows are short, but held with all their zeros
        while lines.at < stop and len(rows) < most:
            number = lines.line
            start = lines.at
            lines.skip_line(stop)
            line = lines.data[start : lines.at]
            if not _is_blank(line):
                mended: list[RowError] = []
                try:
                    rows.append(self._row(line, labelled, mended))
                except RowError as fault:
                    self._bad(number, fault.column, fault.what)
                else:
                    self._mend(number, mended)
        if not rows:
            return None
        columns: dict[str, Any] = {}
        y: NDArray[Any] | None = None
        for j, (attribute, values) in enumerate(
            zip(self._attributes, zip(*rows, strict=True), strict=True)
        ):
            if j != self._label:
                columns[attribute.name] = self._column(attribute, values)
            elif labelled and attribute.kind == "numeric":
                y = np.array(values, dtype=np.int64)
            elif labelled:
                y = np.array(values, dtype=object)
        return self._arrow.table(columns), y

    def _row(self, line: bytes, labelled: bool, mended: list[RowError]) -> list[Any]:
        """Return the values of a row: numbers, text, and None where they are missing."""
        try:
            text = line.decode().strip()
        except UnicodeDecodeError:
            raise RowError(None, f"{line.strip()[:60]!r} is not valid UTF-8") from None
        try:
            text = without_comment(text).rstrip()
            values = self._sparse(text) if text.startswith("{") else split_values(text)
        except ValueError as error:
            raise RowError(None, str(error)) from None
        if len(values) != len(self._attributes):
            found = f"{len(values)} value" + "s" * (len(values) != 1)
            hint = COMMENT_HINT if b"%" in line else ""
            raise RowError(None, f"{found} where {len(self._attributes)} are expected{hint}")
        row: list[Any] = []
        for j, (attribute, value) in enumerate(zip(self._attributes, values, strict=True)):
            if j == self._label:
                row.append(self._label_value(attribute, value) if labelled else None)
                continue
            try:
                row.append(_read(attribute, value))
            except RowError as fault:
                if not self._mends:
                    raise
                mended.append(fault)
                row.append(None)
        return row

    def _sparse(self, text: str) -> list[Value]:
        if not text.endswith("}"):
            raise ValueError("a brace is opened and never closed")
        values = [_absent(attribute) for attribute in self._attributes]
        last = -1
        at, inner = 0, text[1:-1]
        while inner.strip() and at <= len(inner):
            entry = _SPARSE_ENTRY.match(inner, at)
            assert entry is not None  # it may be empty
            match = _SPARSE.fullmatch(entry.group().strip())
            if match is None:
                raise ValueError(f"{inner[at : at + 40]!r} is no place and value")
            place, field = int(match.group(1)), match.group(2)
            if not last < place < len(values):
                raise ValueError(
                    f"the place {place} is not above {last} and below {len(values)}, as in a "
                    "sparse row"
                )
            (values[place],) = split_values(field)
            last = place
            at = entry.end() + 1
        return values

    def _label_value(self, attribute: Attribute, value: Value) -> Any:
        if value.missing:
            raise RowError(attribute.name, "the label is missing")
        if attribute.kind != "numeric":
            return _read(attribute, value)
        text = value.text.encode()
        fault = label_fault(text, "whole")
        if fault is not None:
            raise RowError(attribute.name, fault)
        return whole_label(text)

    def _column(self, attribute: Attribute, values: tuple[Any, ...]) -> Any:
        arrow = self._arrow
        if attribute.kind in ("numeric", "date"):
            return arrow.array(values, arrow.float64())
        if attribute.kind == "string":
            return arrow.array(values, arrow.string()).dictionary_encode()
        codes = arrow.array([attribute.values.get(value) for value in values], arrow.int32())
        declared = arrow.array(list(attribute.values), arrow.string())
        return arrow.DictionaryArray.from_arrays(codes, declared)

    def _unclosed(self, lines: Lines) -> None:
        self._bad(lines.line, None, "the line is too long")
        lines.skip_line()


def _is_blank(line: bytes) -> bool:
    line = line.strip()
    return not line or line.startswith(b"%")


def _absent(attribute: Attribute) -> Value:
    """Return what an attribute that a sparse row leaves out has for its value."""
    if attribute.kind == "nominal":
        return Value(next(iter(attribute.values)), True)
    return Value("0" if attribute.kind == "numeric" else "?", False)


def _read(attribute: Attribute, value: Value) -> Any:
    if value.missing:
        return None
    if attribute.kind == "numeric":
        fault = number_fault(value.text.encode())
        if fault is not None:
            raise RowError(attribute.name, fault)
        number = float(value.text.strip().partition("(")[0])
        return number if number == number else None
    if attribute.kind == "date":
        second = attribute.read(value.text)
        if second is None:
            raise RowError(attribute.name, f"{value.text!r} is not a date as declared, or ISO 8601")
        return second
    if attribute.kind == "nominal" and value.text not in attribute.values:
        raise RowError(attribute.name, f"{value.text!r} is not among the declared values")
    if not value.text and not value.quoted:
        raise RowError(attribute.name, "the value is empty; a missing one is written ?")
    return value.text
