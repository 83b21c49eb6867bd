"""A window over a byte stream that knows the line it is at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

BLOCK_BYTES = 8 << 20
SAMPLE_BYTES = 1 << 20
RECORD_LIMIT = 64 << 20  # a record longer than this has lost its end


class Cut(Protocol):
    """A rule that says where the last whole record before ``stop`` ends."""

    def __call__(self, data: bytes, start: int, stop: int, final: bool) -> int:
        """Return the end, or ``start`` if no record is whole."""


def cut_at_newline(data: bytes, start: int, stop: int, final: bool) -> int:
    """Return the end of the last whole line."""
    if final:
        return stop
    return max(data.rfind(b"\n", start, stop) + 1, start)


class Lines:
    """Bytes from ``at`` on in ``data``, of which ``line`` is the number of the first line.

    Parameters
    ----------
    read : callable
        Returns up to so many bytes, none at the end.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self.data = b""
        self.at = 0
        self.line = 1
        self.ended = False

    def fill(self, size: int) -> int:
        """Have ``size`` bytes ready, or all that are left; return how many there are."""
        held = len(self.data) - self.at
        if held < size and not self.ended:
            parts = [self.data[self.at :]]
            while held < size and not self.ended:
                part = self._read(size - held)
                self.ended = not part
                parts.append(part)
                held += len(part)
            self.data = b"".join(parts)
            self.at = 0
        return held

    def cut(self, size: int, rule: Cut) -> int:
        """Return the end of whole records in about ``size`` bytes, or ``at`` if the first has none.

        The window grows until a record fits.
        """
        while True:
            held = self.fill(size + 1)  # the byte more tells whether the stream ends in the window
            final = held <= size
            end = rule(self.data, self.at, self.at + min(size, held), final)
            if end > self.at or final or size >= RECORD_LIMIT:
                return end
            size *= 2

    def advance(self, end: int, lines: int | None = None) -> None:
        """Go on to ``end``, a place in ``data``, past so many lines; None: count them."""
        self.line += self.data.count(b"\n", self.at, end) if lines is None else lines
        self.at = end

    def skip_line(self, stop: int | None = None) -> None:
        """Go on to the next line, or to ``stop`` if that comes first."""
        stop = len(self.data) if stop is None else stop
        end = self.data.find(b"\n", self.at, stop)
        self.advance(stop if end < 0 else end + 1)
