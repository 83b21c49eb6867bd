"""Text parsed by pyarrow in blocks of whole records.

A block that is refused is parsed again in small windows, and a window that is refused record by
record, so that a bad row is named exactly and costs little.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from numpy.typing import NDArray

from .arrow import import_arrow, regroup
from .lines import BLOCK_BYTES, Cut, Lines
from .source import Source
from .textfile import TextStream

Piece: TypeAlias = tuple[Any, NDArray[Any] | None]

WINDOW_BYTES = 1 << 16


class BlockStream(TextStream):
    """A stream of text that becomes Arrow tables.

    Parameters
    ----------
    source, labelled, on_error, block_bytes
        As for the base class.
    """

    _cut: Cut
    _start: int  # bytes before the first row

    def __init__(
        self, source: Source, *, labelled: bool, on_error: str, block_bytes: int = BLOCK_BYTES
    ) -> None:
        super().__init__(source, labelled=labelled, on_error=on_error, block_bytes=block_bytes)
        self._arrow = import_arrow(f"Reading {source.name}")

    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        with self._rows_of_text() as lines:
            yield from regroup(self._pieces(lines, labelled), rows)

    @contextmanager
    def _rows_of_text(self) -> Iterator[Lines]:
        """Give the text from its first row on."""
        with self._lines() as lines:
            lines.fill(self._start)
            lines.advance(lines.at + self._start)
            yield lines

    def _pieces(self, lines: Lines, labelled: bool) -> Iterator[Piece]:
        suspect = 0  # bytes ahead among which there is a bad row
        while lines.fill(1):
            size = min(WINDOW_BYTES, self._block_bytes) if suspect > 0 else self._block_bytes
            stop = lines.cut(size, self._cut)
            start = lines.at
            piece = None
            if stop == start:
                self._unclosed(lines)
            else:
                try:
                    piece = self._fast(lines.data, start, stop, labelled)
                    lines.advance(stop)
                except self._arrow.ArrowInvalid:
                    if suspect <= 0 and stop - start > WINDOW_BYTES:
                        suspect = stop - start
                        continue
                    piece = self._careful(lines, stop, labelled)
            suspect -= lines.at - start
            if piece is not None and piece[0].num_rows:
                yield piece

    @abstractmethod
    def _fast(self, data: bytes, start: int, stop: int, labelled: bool) -> Piece:
        """Parse whole records; raise ArrowInvalid if one of them is bad or unusual."""

    @abstractmethod
    def _careful(self, lines: Lines, stop: int, labelled: bool) -> Piece | None:
        """Go on record by record, up to ``stop`` or before; report bad ones."""

    @abstractmethod
    def _unclosed(self, lines: Lines) -> None:
        """Report the record ahead, which has no end, and go on to the next line."""
