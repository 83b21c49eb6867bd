"""JSON lines: one object per line."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from .._intake import as_array
from .dialect import SAMPLE_ROWS
from .errors import RowError, StreamError
from .labels import check_types, is_whole, not_a_class, whole_fault, whole_label
from .lines import BLOCK_BYTES, SAMPLE_BYTES, Lines
from .source import Source
from .stream import OBJECT_CELLS
from .textfile import TextStream
from .texts import MISSING, kind_of, number_in

_KIND_NAMES = {"numeric": "numbers", "categorical": "text"}


class JsonStream(TextStream):
    """Rows of a file of JSON objects, as lists of dicts.

    A key holds numbers (or true and false) or text, whichever is there first; null is missing. Text
    that is dates and times throughout the first rows is read as such, in seconds.

    Parameters
    ----------
    source, on_error, block_bytes
        As for the base class.
    label : str, False or None
        Key of the label; None is the one with a usual name.
    types : mapping
        Kinds of keys, where they are not what the first value says.
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
        if label is not None and label is not False and not isinstance(label, str):
            raise ValueError(f"In JSON lines the label is named by its key; got {label!r}.")
        self._types = dict(types or {})
        with self._look() as lines:
            texts = self._texts(lines)
        check_types(self.name, texts, self._types)
        self._find_label(list(texts), label, ordered=False)
        self._label = self.label
        times = [key for key, values in texts.items() if values and kind_of(values) == "time"]
        self._declared = set(self._types)
        self._types = self._found = dict.fromkeys(times, "numeric") | self._types
        if self._label in times and self._types[self._label] == "numeric":
            raise StreamError(not_a_class(self.name, self._label, texts[self._label][0]))

    def _read_as(self, kinds: Mapping[Any, str]) -> None:
        known = {key: k for key, k in kinds.items() if key not in self._declared}
        self._types = self._found | known

    def _texts(self, lines: Lines) -> dict[str, list[bytes]]:
        """Return all keys of the first rows, with the text that is there."""
        held = lines.fill(SAMPLE_BYTES + 1)
        sample = lines.data[lines.at : lines.at + SAMPLE_BYTES].split(b"\n")
        if held > SAMPLE_BYTES:
            sample.pop()
        elif not any(line.strip() for line in sample):
            raise StreamError(f"{self.name} is empty.")
        texts: dict[str, list[bytes]] = {}
        faults: list[RowError] = []
        lines_there = [line for line in sample[:SAMPLE_ROWS] if line.strip()]
        for line in lines_there:
            try:
                row = _object(line)
            except RowError as fault:
                faults.append(fault)
                continue  # reported when it is read
            for key, value in row.items():
                found = texts.setdefault(key, [])
                if isinstance(value, str) and (text := _encoded(value)) not in MISSING:
                    found.append(text)
        if faults and len(faults) == len(lines_there):
            raise StreamError(
                f"{self.name} has no JSON object in any of its first {len(faults):,} lines "
                f"({faults[0].what}). Write each row as one object, in a line of its own."
            )
        return texts

    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        kinds: dict[str, tuple[str, int]] = {key: (k, 0) for key, k in self._types.items()}
        X: list[dict[str, Any]] = []
        y: list[Any] = []
        cells = 0
        with self._lines() as lines:
            for number, line in self._numbered(lines):
                try:
                    row, label, mended = self._row(number, line, kinds, labelled)
                except RowError as fault:
                    self._bad(number, fault.column, fault.what, fault.hint)
                    continue
                self._mend(number, mended)
                X.append(row)
                y.append(label)
                cells += len(row)
                if len(X) == rows or cells >= OBJECT_CELLS:
                    yield X, as_array(y) if labelled else None
                    X, y, cells = [], [], 0
        if X:
            yield X, as_array(y) if labelled else None

    def _numbered(self, lines: Lines) -> Iterator[tuple[int, bytes]]:
        """Yield lines that are not blank, and their numbers."""
        for number, block in self._blocks(lines):
            for line in block.split(b"\n"):
                if line and not line.isspace():
                    yield number, line
                number += 1

    def _row(
        self, number: int, line: bytes, kinds: dict[str, tuple[str, int]], labelled: bool
    ) -> tuple[dict[str, Any], Any, list[RowError]]:
        row = _object(line)
        label = None if self._label is None else row.pop(self._label, None)
        found: dict[str, tuple[str, int]] = {}
        mended: list[RowError] = []
        for key, value in row.items():
            try:
                row[key] = _read(key, value, kinds, found, number)
            except RowError as fault:
                if not self._mends:
                    raise
                found.pop(key, None)
                mended.append(fault)
                row[key] = None
        if labelled and self._label is not None:
            label = self._read_label(label, kinds, found, number)
        kinds.update(found)  # only now: a bad row tells nothing
        return row, label, mended

    def _read_label(
        self,
        label: Any,
        kinds: dict[str, tuple[str, int]],
        found: dict[str, tuple[str, int]],
        number: int,
    ) -> Any:
        key = self._label or ""
        if label is None or (isinstance(label, float) and math.isnan(label)):
            raise RowError(key, "the label is missing")
        if isinstance(label, str) and kinds.get(key) == ("numeric", 0):
            whole = whole_label(_encoded(label))
            label = label if whole is None else whole
        label = _read(key, label, kinds, found, number)
        if label is None:
            raise RowError(key, "the label is missing")
        if isinstance(label, float):
            if not is_whole(label):
                raise RowError(key, whole_fault(label))
            return int(label)
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise RowError(key, whole_fault(label))
        return label


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which each key is there once: which one was meant is not known."""
    row = dict(pairs)
    if len(row) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise RowError(None, f"the key {twice!r} is there more than once")
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _object(line: bytes) -> dict[str, Any]:
    """Return the object that a line holds."""
    try:
        row = _DECODER.decode(line.decode())
    except UnicodeDecodeError:
        raise RowError(None, "the line is not valid UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise RowError(None, f"the line is not valid JSON: {error}") from None
    if not isinstance(row, dict):
        raise RowError(None, "the line is not a JSON object")
    if b"\\u" in line:
        for key in row:
            _check_text(None, key)
    return row


def _check_text(key: str | None, text: str) -> None:
    """Refuse what an escape can write, and no text can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RowError(key, f"{text!r} has half of a surrogate pair, which is no text") from None


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def _read(
    key: str,
    value: Any,
    kinds: dict[str, tuple[str, int]],
    found: dict[str, tuple[str, int]],
    line: int,
) -> Any:
    """Return a value in the kind of its key, which the first value sets."""
    if value is None:
        return None
    if isinstance(value, (dict, list)):
        raise RowError(key, "the value is nested; a row holds numbers, text, true, false and null")
    kind = "categorical" if isinstance(value, str) else "numeric"
    if isinstance(value, str) and not value.isascii():
        _check_text(key, value)
    wanted, since = kinds.get(key, (kind, -1))
    if since < 0:
        found[key] = kind, line
    if wanted != kind:
        if since > 0:
            hint = (
                f"The values were taken for {_KIND_NAMES[wanted]} from line {since}; pass "
                f"types={{{key!r}: 'categorical'}}"
            )
            what = "a number" if wanted == "numeric" else "text"
            raise RowError(key, f"{value!r} is not {what}", hint)
        if wanted == "categorical":
            return json.dumps(value)
        number, fault = number_in(_encoded(value))
        if fault is not None:
            raise RowError(key, fault, f"Pass types={{{key!r}: 'categorical'}}")
        return number if number == number else None
    if kind == "numeric" and not isinstance(value, bool):
        try:
            infinite = math.isinf(float(value))
        except OverflowError:
            infinite = True
        if infinite:
            raise RowError(key, "the number is infinite or too large")
    return value
