"""Tables of numbers with a label, written to files in chunks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

LABEL = "class"
_ROWS = 65536

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Line = Callable[[list[str], str], str]


def write(path: Path, X: Floats, y: Labels, progress: Callable[[int], None]) -> None:
    """Write rows and labels in the format of the file's extension, as a whole or not at all.

    Numbers are written such that they are read back exactly.

    Parameters
    ----------
    path : Path
        Its extension is one of :data:`WRITERS`.
    X, y : arrays
        The rows, and labels that are whole numbers.
    progress : callable
        Called with the number of rows written so far.
    """
    names = [f"x{j}" for j in range(X.shape[1])]
    partial = path.with_name(path.name + ".part")
    try:
        with WRITERS[path.suffix.lower()](partial, names, sorted(set(y.tolist()))) as add:
            for start in range(0, len(y), _ROWS):
                add(X[start : start + _ROWS], y[start : start + _ROWS])
                progress(min(start + _ROWS, len(y)))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


Add = Callable[[Floats, Labels], None]


@contextmanager
def _text(path: Path, head: str, line: Line) -> Iterator[Add]:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(head)
        yield lambda X, y: _lines(file, X, y, line)


def _lines(file: TextIO, X: Floats, y: Labels, line: Line) -> None:
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        file.write(line([repr(value) for value in row], str(label)))


def _csv(path: Path, names: list[str], classes: list[int]) -> Any:
    head = ",".join([*names, LABEL]) + "\n"
    return _text(path, head, lambda row, label: ",".join([*row, label]) + "\n")


def _arff(path: Path, names: list[str], classes: list[int]) -> Any:
    about = [f"@relation {path.name.partition('.')[0]!r}", ""]
    about += [f"@attribute {name} numeric" for name in names]
    about += [f"@attribute {LABEL} {{{','.join(map(str, classes))}}}", "", "@data", ""]
    return _text(path, "\n".join(about), lambda row, label: ",".join([*row, label]) + "\n")


def _libsvm(path: Path, names: list[str], classes: list[int]) -> Any:
    def line(row: list[str], label: str) -> str:
        return f"{label} {' '.join(f'{j}:{value}' for j, value in enumerate(row, 1))}\n"

    return _text(path, "", line)


def _jsonl(path: Path, names: list[str], classes: list[int]) -> Any:
    heads = [f"{json.dumps(name)}: " for name in [*names, LABEL]]

    def line(row: list[str], label: str) -> str:
        cells = (head + value for head, value in zip(heads, [*row, label], strict=True))
        return f"{{{', '.join(cells)}}}\n"

    return _text(path, "", line)


@contextmanager
def _parquet(path: Path, names: list[str], classes: list[int]) -> Iterator[Add]:
    import pyarrow
    from pyarrow import parquet

    fields = [*((name, pyarrow.float64()) for name in names), (LABEL, pyarrow.int64())]
    schema = pyarrow.schema(fields)
    with parquet.ParquetWriter(str(path), schema) as writer:
        yield lambda X, y: writer.write_table(pyarrow.table([*X.T, y], schema=schema))


WRITERS: dict[str, Callable[[Path, list[str], list[int]], Any]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".arff": _arff,
    ".libsvm": _libsvm,
    ".jsonl": _jsonl,
}
