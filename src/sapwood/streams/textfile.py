"""Streams read from text: opened for each pass, looked into before the first one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import StreamError
from .lines import BLOCK_BYTES, Lines, cut_at_newline
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
    on_error : {"stop", "missing", "skip"}
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

    def _blocks(self, lines: Lines) -> Iterator[tuple[int, bytes]]:
        """Yield blocks of whole lines, each with the number of its first; too long ones are bad."""
        while lines.fill(1):
            stop = lines.cut(self._block_bytes, cut_at_newline)
            if stop == lines.at:
                self._bad(lines.line, None, "the line is too long")
                lines.skip_line()
                continue
            number, block = lines.line, lines.data[lines.at : stop]
            lines.advance(stop)
            yield number, block

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
