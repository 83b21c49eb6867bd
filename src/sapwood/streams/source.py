"""Where bytes come from: a file, compressed or not, or standard input."""

from __future__ import annotations

import bz2
import gzip
import sys
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from .arrow import import_arrow
from .errors import StreamError

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


class Source:
    """A file by its path, or standard input.

    Parameters
    ----------
    path : Path or None
        None is standard input.

    Attributes
    ----------
    once : bool
        Whether it can be read a single time, like a pipe.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.name = "stdin" if path is None else path.name
        self.compression: str | None = None
        self.n_bytes: int | None = None
        self.once = True
        if path is not None:
            if path.is_dir():
                raise IsADirectoryError(f"{path} is a folder; pass a file in it.")
            if not path.exists():
                raise FileNotFoundError(f"There is no file {path}.")
            self.compression = COMPRESSIONS.get(path.suffix.lower())
            self.once = not path.is_file()
            self.n_bytes = None if self.once else path.stat().st_size

    def open(self) -> Reader:
        """Return a reader at the first byte."""
        return Reader(self)

    def whole(self) -> bytes:
        """Return all bytes, decompressed."""
        reader = self.open()
        try:
            return b"".join(iter(lambda: reader.read(1 << 20), b""))
        finally:
            reader.close()


class Reader:
    """Decompressed bytes of a source, and how far the compressed ones are read."""

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._own = source.path is not None
        self._raw: BinaryIO = sys.stdin.buffer if source.path is None else source.path.open("rb")
        self._plain: Any = self._raw
        self._count = 0
        if source.compression == "gzip":
            self._plain = gzip.GzipFile(fileobj=self._raw)
        elif source.compression == "bz2":
            self._plain = bz2.BZ2File(self._raw)
        elif source.compression == "zstd":
            try:
                arrow = import_arrow("Reading zstd files")
            except ImportError:
                self._raw.close()
                raise
            self._plain = arrow.CompressedInputStream(arrow.PythonFile(self._raw, "r"), "zstd")

    @property
    def bytes_read(self) -> int:
        """Bytes of the source read so far, compressed as they are."""
        if self._plain is self._raw or self._raw.closed:
            return self._count
        return self._raw.tell()

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, none only at the end."""
        try:
            data: bytes = self._plain.read(size)
        except (EOFError, OSError, ValueError, zlib.error) as error:
            raise StreamError(
                f"{self._name} is damaged, cut short or cannot be read any more: {error}"
            ) from error
        self._count += len(data)
        return data

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._own:
            if self._plain is not self._raw:
                self._plain.close()
            self._raw.close()
