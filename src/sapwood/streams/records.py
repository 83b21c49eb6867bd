"""Records of delimited text: where they end, and what their fields are.

The rules are those of pyarrow's parser, so that both see the same records: a field that begins with
a quote lasts to the next single quote, over newlines, and a doubled quote is one quote; a quote
inside another field is a character like others. Stricter than pyarrow, text after a closing quote
is a fault: mostly, an earlier quote was not closed.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

_QUOTED = rb'"[^"]*+(?:""[^"]*+)*+"'


class Records:
    """Rules of delimited text with a given delimiter.

    Parameters
    ----------
    delimiter : str
        The character between two fields.

    Attributes
    ----------
    tidy : bool
        Whether all quotes in the window that was cut last open or close a field or are doubled.
    """

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter.encode()
        self.tidy = True
        self._beside_quote = np.zeros(256, dtype=bool)
        self._beside_quote[list(self.delimiter + b'\r\n"')] = True

    # Patterns are made when they are needed: most files have no quotes.

    @property
    def _plain(self) -> bytes:
        return rb"[^\r\n%s]*+" % re.escape(self.delimiter)

    @property
    def _fields(self) -> bytes:
        field = rb'(?:%s%s|(?!")%s)' % (_QUOTED, self._plain, self._plain)
        return rb"%s(?:%s%s)*+" % (field, re.escape(self.delimiter), field)

    @cached_property
    def _strict(self) -> re.Pattern[bytes]:
        strict = rb"(?:%s|(?!\")%s)" % (_QUOTED, self._plain)
        return re.compile(
            rb"%s(?:%s%s)*+(?:\r?\n|\r|\Z)" % (strict, re.escape(self.delimiter), strict)
        )

    @cached_property
    def _record(self) -> re.Pattern[bytes]:
        return re.compile(self._fields + rb"(?:\r?\n|\r(?!\Z))")

    @cached_property
    def _last_record(self) -> re.Pattern[bytes]:
        return re.compile(self._fields + rb"(?:\r?\n|\r|\Z)")

    @cached_property
    def _field(self) -> re.Pattern[bytes]:
        return re.compile(rb"(%s)?+(%s)" % (_QUOTED, self._plain))

    def end(self, data: bytes, start: int, stop: int, final: bool) -> int | None:
        """Return the end of the record at ``start``, or None if it is not whole."""
        newline = data.find(b"\n", start, stop)
        if (
            newline >= 0
            and max(data.rfind(b'"', start, newline), data.rfind(b"\r", start, newline)) < 0
        ):
            return newline + 1
        pattern = self._last_record if final else self._record
        match = pattern.match(data, start, stop)
        return None if match is None else match.end()

    def join(self, fields: list[bytes]) -> bytes:
        """Return a record of these fields."""
        return self.delimiter.join(b'"%s"' % field.replace(b'"', b'""') for field in fields) + b"\n"

    def split(self, data: bytes, start: int, end: int) -> list[bytes]:
        """Return the fields of a whole record, without quotes."""
        while end > start and data[end - 1] in b"\r\n":
            end -= 1
            if data[end : end + 1] == b"\r":
                break
        if data.find(b'"', start, end) < 0:
            return data[start:end].split(self.delimiter)
        fields = []
        at = start
        while True:
            match = self._field.match(data, at, end)
            assert match is not None  # it may be empty
            quoted, rest = match.groups()
            text = b"" if quoted is None else quoted[1:-1].replace(b'""', b'"')
            fields.append(text + rest)
            at = match.end() + 1
            if at > end:
                return fields

    def is_strict(self, data: bytes, start: int, stop: int) -> bool:
        """Whether in all records up to ``stop``, which are whole, no text follows a quote."""
        if data.find(b'"', start, stop) < 0:
            return True
        while start < stop:
            match = self._strict.match(data, start, stop)
            if match is None:
                return False
            start = match.end()
        return True

    def whole_before(self, data: bytes, start: int) -> int:
        """Return how many fields come before one whose quotes are wrong."""
        count = 0
        while True:
            match = self._field.match(data, start)
            assert match is not None  # it may be empty
            quoted, rest = match.groups()
            opened = bool(rest) if quoted is not None else rest.startswith(b'"')
            start = match.end()
            if opened or data[start : start + 1] != self.delimiter:
                return count
            start += 1
            count += 1

    def cut(self, data: bytes, start: int, stop: int, final: bool) -> int:
        """Return the end of the last whole record before ``stop``, or ``start``."""
        self.tidy = True
        if data.find(b'"', start, stop) < 0:
            return stop if final else max(data.rfind(b"\n", start, stop) + 1, start)
        quotes = np.frombuffer(data, np.uint8, stop - start, start) == ord('"')
        places = np.flatnonzero(quotes) + start
        self.tidy = self._is_tidy(data, places, start, stop)
        if not self.tidy:
            return self._walk(data, start, stop, final)
        if final and len(places) % 2 == 0:
            return stop
        newline = data.rfind(b"\n", start, stop)
        while newline >= 0 and (before := int(np.searchsorted(places, newline))) % 2:
            newline = data.rfind(b"\n", start, int(places[before - 1]))
        # Without a newline, a carriage return alone may still end a record.
        return newline + 1 if newline >= 0 else self._walk(data, start, stop, final)

    def _walk(self, data: bytes, start: int, stop: int, final: bool) -> int:
        """Return the end of the last whole record by going through all."""
        while start < stop and (end := self.end(data, start, stop, final)) is not None:
            start = end
        return start

    def _is_tidy(self, data: bytes, places: NDArray[np.intp], start: int, stop: int) -> bool:
        """Whether every quote opens or closes a field or is doubled, so that counting is enough.

        Quotes open and close in turn if each that opens has a delimiter, a newline or a quote
        before it, and each that closes has one after it.
        """
        values = np.frombuffer(data, np.uint8)
        opening, closing = places[0::2], places[1::2]
        opening = opening[1:] if len(opening) and opening[0] == start else opening
        closing = closing[:-1] if len(closing) and closing[-1] == stop - 1 else closing
        before, after = values[opening - 1], values[closing + 1]
        return bool(self._beside_quote[before].all() and self._beside_quote[after].all())
