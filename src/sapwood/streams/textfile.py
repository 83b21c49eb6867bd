"""Streams read from text: opened for each pass, looked into before the first one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import StreamError
from .lines import BLOCK_BYTES, Lines
from .source import Reader, Source
from .stream import Stream

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class TextStream(Stream):
    """A stream of lines of text in UTF-8.

    Parameters
    ----------
    source : Source
        Where the text comes from.
    labelled : bool
        Whether the rows have labels.
    on_error : {"stop", "skip"}
        What happens at a bad row.
    block_bytes : int
        Bytes that are parsed at a time; the rows are the same whatever it is.
    """

    def __init__(
        self, source: Source, *, labelled: bool, on_error: str, block_bytes: int = BLOCK_BYTES
    ) -> None:
        super().__init__(source.name, labelled=labelled, on_error=on_error, once=source.once)
        self.n_bytes = source.n_bytes
        self._source = source
        self._block_bytes = block_bytes
        self._kept: tuple[Lines, Reader] | None = None

    @contextmanager
    def _lines(self) -> Iterator[Lines]:
        """Give the text from its beginning, and close it afterwards."""
        lines, reader = self._kept or self._open()
        self._kept = None
        try:
            yield lines
        finally:
            reader.close()

    @contextmanager
    def _look(self) -> Iterator[Lines]:
        """Give the beginning of the text; it must not be advanced if it can be read only once."""
        lines, reader = self._open()
        try:
            yield lines
        except BaseException:
            reader.close()
            raise
        if self._source.once:
            self._kept = lines, reader
        else:
            reader.close()
            self.bytes_read = 0

    def _open(self) -> tuple[Lines, Reader]:
        reader = self._source.open()

        def read(size: int) -> bytes:
            data = reader.read(size)
            self.bytes_read = reader.bytes_read
            return data

        lines = Lines(read)
        try:
            lines.fill(len(_BOM))
            if lines.data.startswith(_UTF16):
                raise StreamError(f"{self.name} is not in UTF-8 but in UTF-16. Convert it first.")
        except BaseException:
            reader.close()
            raise
        if lines.data.startswith(_BOM):
            lines.advance(len(_BOM))
        return lines, reader
