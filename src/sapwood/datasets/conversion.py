"""Tables from the sources' own files: LIBSVM text, CSV in a wheel, and OpenML's Parquet."""

from __future__ import annotations

import zipfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .catalogue import LABEL, NOMINAL, Dataset
from .fingerprint import arrow, codes_of

__all__ = ["convert", "nominal", "read_libsvm"]


def convert(dataset: Dataset, files: Sequence[Path]) -> Any:
    """Read the source's files as the table of a dataset: its columns, its types, label last.

    Parameters
    ----------
    dataset : Dataset
        What to expect.
    files : sequence of Path
        The files of ``dataset.urls``.

    Returns
    -------
    pyarrow.Table
    """
    pa = arrow()
    if dataset.form == "libsvm":
        parts = [read_libsvm(file, len(dataset.columns)) for file in files]
        X = np.concatenate([X for X, _ in parts])
        columns = [pa.array(X[:, j]) for j in range(X.shape[1])]
        labels = pa.array([label for _, labels in parts for label in labels])
    else:
        read = _read_member if dataset.form == "wheel" else _read_parquet
        table = read(dataset, files[0])
        names = dataset.taken or (*dataset.columns, LABEL)
        *columns, labels = [table.column(name) for name in names]
    made = {
        name: _typed(column, kind, dataset.decimals)
        for (name, kind), column in zip(dataset.columns.items(), columns, strict=True)
    }
    return pa.table(made | {LABEL: _classes(dataset, labels)})


def read_libsvm(path: Path, n_features: int) -> tuple[NDArray[np.float64], list[str]]:
    r"""Read a LIBSVM file: rows with zeros where nothing is said, and labels as whole numbers.

    Examples
    --------
    >>> import tempfile
    >>> from sapwood.datasets.conversion import read_libsvm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "two_rows"
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1 2:1\n")
    ...     X, y = read_libsvm(path, n_features=3)
    >>> X.tolist(), y
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], ['1', '-1'])
    """
    labels: list[str] = []
    rows, indices, values = array("q"), array("q"), array("d")
    with path.open("rb") as file:
        for line in file:
            label, *pairs = line.partition(b"#")[0].split() or [b""]
            if not label:
                continue
            for pair in pairs:
                index, _, value = pair.partition(b":")
                rows.append(len(labels))
                indices.append(int(index))
                values.append(float(value))
            labels.append(str(int(float(label))))
    X = np.zeros((len(labels), n_features))
    j = np.frombuffer(indices, dtype=np.int64) - 1 if indices else np.zeros(0, np.int64)
    if len(j) and not 0 <= j.min() <= j.max() < n_features:
        raise ValueError(f"{path.name} has indices outside 1 to {n_features}")
    X[np.array(rows, dtype=np.int64), j] = np.array(values)
    return X, labels


def _read_member(dataset: Dataset, wheel: Path) -> Any:
    from pyarrow import csv

    with zipfile.ZipFile(wheel) as archive, archive.open(dataset.member) as file:
        return csv.read_csv(file)


def _read_parquet(dataset: Dataset, file: Path) -> Any:
    from pyarrow import parquet

    return parquet.read_table(file)


def _typed(column: Any, kind: str, decimals: int | None) -> Any:
    """Cast a column to its type; Arrow refuses a cast that would lose something."""
    pa = arrow()
    if kind == NOMINAL:
        return nominal(_texts(column))
    if decimals is not None and kind == "float64":
        column = pa.array(np.round(column.cast(pa.float64()).to_numpy(), decimals))
    return column.cast(kind)


def _texts(column: Any) -> Any:
    """Categories as texts; a category that a source holds as the number 3.0 is "3"."""
    pa = arrow()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = column.cast(pa.int64())
    return column.cast(pa.string())


def nominal(column: Any) -> Any:
    """Encode texts by the sorted list of those that occur, in the narrowest codes."""
    codes, categories = codes_of(column)
    order = np.argsort(np.array(categories, dtype=object), kind="stable")
    rank = np.argsort(order)
    return _encoded(rank[codes], [categories[i] for i in order])


def _classes(dataset: Dataset, labels: Any) -> Any:
    """Map the source's labels to the classes, whose order is the dataset's."""
    codes, found = codes_of(_texts(labels))
    unknown = sorted(set(found) - set(dataset.labels))
    if unknown:
        raise ValueError(f"labels that {dataset.name} does not have: {', '.join(unknown[:5])}")
    classes = list(dataset.classes)
    turn = np.array([classes.index(dataset.labels[label]) for label in found], dtype=np.int64)
    return _encoded(turn[codes], classes)


def _encoded(codes: NDArray[np.int64], categories: list[str]) -> Any:
    pa = arrow()
    width = "int8" if len(categories) <= 127 else "int16" if len(categories) <= 32767 else "int32"
    return pa.DictionaryArray.from_arrays(pa.array(codes, width), pa.array(categories, "string"))
