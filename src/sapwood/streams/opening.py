"""Opening whatever holds a stream."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._intake import is_dataframe, library_of
from .._params import ON_ERROR
from .arff import ArffStream
from .columnar import ArrowTableStream, IpcStream, ParquetStream
from .delimited import CsvStream
from .jsonlines import JsonStream
from .labels import KINDS
from .libsvm import LibsvmStream
from .memory import MemoryStream, frame_stream
from .pairs import PairStream
from .source import COMPRESSIONS, Source
from .stream import Stream

FORMATS = {
    "csv": (".csv", ".tsv", ".txt"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "arff": (".arff",),
    "libsvm": (".libsvm", ".svm", ".svmlight"),
    "jsonl": (".jsonl", ".ndjson"),
}
_ALIASES = {
    suffix.removeprefix("."): name for name, suffixes in FORMATS.items() for suffix in suffixes
}


def open(
    source: Any,
    *,
    label: str | int | None = None,
    format: str | None = None,
    types: Mapping[str, str] | None = None,
    n_features: int | None = None,
    on_error: str = "stop",
    delimiter: str | None = None,
    header: bool | None = None,
) -> Stream:
    """Open a labelled stream.

    Parameters
    ----------
    source : path, "-", pair (X, y), DataFrame, Arrow table, iterable of pairs (x, y), or Stream
        What holds the rows. "-" is standard input, for which ``format`` must be given. Files may be
        compressed: ``.gz``, ``.bz2``, ``.zst``. A Stream is returned as it is.
    label : str, int or False, optional
        Name or place of the label column; False if there is none. By default the only column
        called ``class``, ``label``, ``target``, ``y`` or ``y_true``, in any case of letters; where
        none is, the last, with a warning; where several are, an error. JSON lines have no last
        key. In LIBSVM the label is the first word.
    format : {"csv", "parquet", "arrow", "arff", "libsvm", "jsonl"}, optional
        By default the file's extension tells.
    types : mapping, optional
        "numeric" or "categorical" for some of a file's columns, by name.
    n_features : int, optional
        Number of features of a LIBSVM file; by default found by reading it once more.
    on_error : {"stop", "missing", "skip"}
        What happens at a bad row: reading ends with an error, or the row is left out and counted.
        With "missing", a value of a file that is none of its column is taken as missing, and
        counted, and only rows that cannot be mended so are left out.
    delimiter : str, optional
        Character between the fields of a delimited file; by default found out.
    header : bool, optional
        Whether the first row of a delimited file names its columns; by default found out, with a
        warning where the row could be data. Without names, columns are called "0", "1" and so on.

    Returns
    -------
    Stream
        To be read with ``chunks()`` or ``features()``.

    Examples
    --------
    >>> from sapwood import streams
    >>> stream = streams.open([({"age": 41}, "yes"), ({"age": 38}, "no")])
    >>> next(stream.chunks())[0]
    [{'age': 41}, {'age': 38}]
    """
    if isinstance(source, Stream):
        return source
    if on_error not in ON_ERROR:
        raise ValueError(f'on_error must be "stop", "missing" or "skip"; got {on_error!r}.')
    if label is True:
        raise ValueError("label must be a column's name or place, or False if there is none.")
    for kind in (types or {}).values():
        if kind not in KINDS:
            raise ValueError(f'A kind in types must be "numeric" or "categorical"; got {kind!r}.')
    if isinstance(source, (str, os.PathLike)):
        return _open_file(
            os.fspath(source),
            format,
            delimiter,
            n_features,
            header,
            {"label": label, "types": types, "on_error": on_error},
        )
    for_files = {"format": format, "delimiter": delimiter, "n_features": n_features}
    for name, given in (for_files | {"header": header}).items():
        if given is not None:
            raise ValueError(f"{name} is for files; the source is a {type(source).__name__}.")
    return _open_memory(source, label, types, on_error)


def _open_file(
    path: str,
    format: str | None,
    delimiter: str | None,
    n_features: int | None,
    header: bool | None,
    options: dict[str, Any],
) -> Stream:
    name = format_of(path, format)
    for option, given in {"delimiter": delimiter, "header": header}.items():
        if given is not None and name != "csv":
            raise ValueError(f"{option} is for delimited text; the format is {name}.")
    if n_features is not None and name != "libsvm":
        raise ValueError(f"n_features is for LIBSVM files; the format is {name}.")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(f"delimiter must be a single character; got {delimiter!r}.")
    source = Source(None if path == "-" else Path(path))
    if name == "csv":
        stem = Path(path).stem if source.compression else path
        if delimiter is None and (stem.lower().endswith(".tsv") or format == "tsv"):
            delimiter = "\t"
        return CsvStream(source, delimiter=delimiter, header=header, **options)
    if name == "libsvm":
        return LibsvmStream(source, n_features=n_features, **options)
    if name == "arff":
        return ArffStream(source, **options)
    if name == "jsonl":
        return JsonStream(source, **options)
    return ParquetStream(source, **options) if name == "parquet" else IpcStream(source, **options)


def format_of(path: str, format: str | None) -> str:
    """Return the format of a file: the given one, or that of its extension."""
    known = ", ".join(f'"{name}"' for name in FORMATS)
    if format is not None:
        name = format if format in FORMATS else _ALIASES.get(format)
        if name is None:
            raise ValueError(f"format must be one of {known}; got {format!r}.")
        return name
    if path == "-":
        raise ValueError(f"Standard input has no extension: pass format=, one of {known}.")
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    name = _ALIASES.get(suffixes[-1].removeprefix(".")) if suffixes else None
    if name is None:
        raise ValueError(
            f"The extension of {Path(path).name!r} tells no format: pass format=, one of {known}."
        )
    return name


def _open_memory(source: Any, label: Any, types: Mapping[str, str] | None, on_error: str) -> Stream:
    if library_of(source) == "pyarrow" and is_dataframe(source):
        return ArrowTableStream(source, label=label, types=types, on_error=on_error)
    if types:
        raise ValueError(
            "types is for files and Arrow tables; set the type of the column in the data itself."
        )
    if is_dataframe(source):
        return frame_stream(source, label=label, on_error=on_error)
    if label is not None and label is not False:
        raise ValueError("label is for files and DataFrames; rows and labels are separate here.")
    if isinstance(source, tuple) and len(source) == 2:
        if label is False:
            raise ValueError("label=False is for rows without labels; the source is a pair (X, y).")
        if hasattr(source[0], "collect") and library_of(source[0]) == "polars":
            raise TypeError("A lazy frame has no rows yet. Use '.collect()' first.")
        return MemoryStream(source[0], source[1], on_error=on_error)
    if isinstance(source, np.ndarray) or hasattr(source, "toarray"):
        if label is False:
            return MemoryStream(source, None, on_error=on_error)
        raise TypeError("An array has no label column. Pass a pair (X, y), or label=False.")
    if isinstance(source, (bytes, Mapping)) or not isinstance(source, Iterable):
        raise TypeError(
            "A stream is a path, a pair (X, y), a DataFrame or an iterable of pairs (x, y); "
            f"got a {type(source).__name__}."
        )
    return PairStream(source, labelled=label is not False, on_error=on_error)
