"""What a stream looks like: columns and classes of its first rows, as a model would take them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import typer

from .._intake import Column, object_column, read_table
from .._rows import spread_out
from .._sources import open_named
from ..report.words import counted, percent, printable, shortened, whole
from ..results import plain
from ..streams import Stream, StreamError
from ..streams.memory import rows_between
from .exits import in_options, note
from .screen import print_table

_ROWS = 10_000
_CELLS = 4_000_000  # of a wide stream fewer rows are looked at
_EXAMPLES, _EXAMPLE_WIDTH, _SHOWN = 3, 20, 100


def look_at(stream: str, how: dict[str, Any]) -> dict[str, Any]:
    """Return what the first rows of a stream hold.

    Parameters
    ----------
    stream : str
        Its name, as for the other verbs.
    how : dict
        Options of :func:`sapwood.streams.open`.
    """
    try:
        source = open_named(stream, **how)
        X, y = _first(source.chunks(_ROWS), source)
    except StreamError as error:
        if how["label"] is not None or stream == "-":
            raise
        source = open_named(stream, **{**how, "label": False})  # the columns alone
        X, y = _first(((X, None) for X in source.features(_ROWS)), source)
        note(f"sapwood: {in_options(str(error))}")
    columns, n_rows = _columns(X)
    labels = Counter([] if y is None else plain(y[:n_rows].tolist()))
    return {
        "stream": stream,
        "rows_read": n_rows,
        "rows": source.n_rows,
        "skipped": source.skipped,
        "mended": source.mended,
        "errors": [str(row) for row in source.errors],
        "label": source.label,
        "classes": [{"class": label, "rows": n} for label, n in labels.most_common()],
        "columns": [_about(name, column) for name, column in columns],
    }


def print_look(look: dict[str, Any]) -> None:
    """Print what a stream looks like."""
    n_rows, all_rows = look["rows_read"], look["rows"]
    of = f" of {whole(all_rows)}" if all_rows and all_rows > n_rows else ""
    typer.echo(
        f"{look['stream']} is a stream, not a model. In its first {counted(n_rows, 'row')}{of}:"
    )
    rows = [
        (
            printable(column["column"]),
            column["kind"],
            percent(column["missing"] / n_rows) if column["missing"] else "–",
            whole(column["values"]),
            ", ".join(map(_in_short, column["examples"])),
        )
        for column in look["columns"][:_SHOWN]
    ]
    print_table(["column", "kind", ">missing", ">values", "such as"], rows)
    if len(look["columns"]) > _SHOWN:
        typer.echo(f"… {len(look['columns']) - _SHOWN} more columns (--json has all)\n")
    if look["classes"]:
        title = "classes" if look["label"] is None else f"label {printable(look['label'])}"
        shown = look["classes"][:_SHOWN]
        rest = len(look["classes"]) - len(shown)
        lines = [
            (printable(c["class"]), whole(c["rows"]), percent(c["rows"] / n_rows)) for c in shown
        ]
        print_table([title, ">rows", ">share"], lines)
        if rest:
            typer.echo(f"… {counted(rest, 'more class', 'more classes')} (--json has all)\n")
    if look["skipped"]:
        typer.echo(f"{counted(look['skipped'], 'bad row')} left out, such as")
        for error in look["errors"][:_EXAMPLES]:
            typer.echo(f"  {error}")


def _first(chunks: Any, source: Stream) -> tuple[Any, Any]:
    chunk: tuple[Any, Any] | None = next(iter(chunks), None)
    if chunk is None:
        raise source.empty()
    return chunk


def _columns(X: Any) -> tuple[list[tuple[Any, Column]], int]:
    """Return the columns of a chunk by name, and how many of its rows were looked at."""
    if isinstance(X, list):  # rows as mappings
        names = list(dict.fromkeys(name for x in X for name in x))
        values = ([x.get(name) for x in X] for name in names)
        return [
            (name, object_column(np.array([*column], dtype=object), name))
            for name, column in zip(names, values, strict=True)
        ], len(X)
    n_columns = max(1, read_table(rows_between(X, 0, 1)).n_columns)
    table = read_table(rows_between(X, 0, max(1, _CELLS // n_columns)))
    columns: Any = spread_out(table)
    if isinstance(columns, np.ndarray):
        columns = columns.T
    return [*zip(table.names or range(len(columns)), columns, strict=True)], table.n_rows


def _about(name: Any, column: Column) -> dict[str, Any]:
    if isinstance(column, tuple):
        codes, categories = column
        used = np.unique(codes[codes >= 0])
        missing, kind = int((codes < 0).sum()), "categorical" if len(used) else "unknown"
        values: list[Any] = [categories[code] for code in used.tolist()]
    else:
        absent = np.isnan(column)
        missing, kind = int(absent.sum()), "numeric"
        values = [*dict.fromkeys(column[~absent].tolist())]
    return {
        "column": name,
        "kind": kind,
        "missing": missing,
        "values": len(values),
        "examples": values[:_EXAMPLES],
    }


def _in_short(value: Any) -> str:
    is_number = isinstance(value, float)
    return f"{value:.6g}" if is_number else shortened(printable(value), _EXAMPLE_WIDTH)
