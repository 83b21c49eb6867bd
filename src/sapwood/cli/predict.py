"""``sapwood predict``: what a saved model says about new rows."""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .. import ActiveLearner, streams
from ..streams.opening import format_of
from . import options as o
from .exits import DATA, DONE, SKIPPED, USAGE, exit_codes, note_faults, told
from .helping import helped
from .saved import loaded

Add = Callable[[dict[str, Any]], None]


def predict(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A saved model or learner, or the folder of a run."),
    ],
    stream: Annotated[str, typer.Argument(metavar="STREAM", help="A file, or '-' with --format.")],
    out: Annotated[
        Path | None, typer.Option(help="A .csv or .parquet file (default: CSV on standard output).")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Also the probability of each class.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(
            help="A column to leave out, the label. In LIBSVM the first word always is.",
            rich_help_panel="Reading",
        ),
    ] = None,
    format: o.Format = None,
    types: o.Types = None,
    header: o.Header = None,
    on_error: o.OnError = "stop",
    force: o.Force = False,
) -> None:
    """Predict the rows of a stream."""
    with told():
        found = loaded(model)
        tree = found.model if isinstance(found, ActiveLearner) else found
        classes = tree.classes_.tolist()
        if out is not None and o.out_file(out, force).suffix.lower() not in (".csv", ".parquet"):
            raise ValueError(f"{out.name!r} must end with .csv or .parquet.")
        how = o.reading(label, format, types, on_error, header)
        source = _open(stream, how, tree)
        source._read_as(tree._kinds())
        with _writer(out) as add:
            for X in source.features():
                columns = {"prediction": _predictions(tree, X, source.name)}
                if proba:
                    shares = _shares(tree, X, source.name)
                    columns |= {f"proba_{k}": shares[:, j] for j, k in enumerate(classes)}
                add(columns)
        if source.skipped or source.mended:
            faults = source.skipped, source.mended, [str(row) for row in source.errors]
            note_faults(*faults, where=", and missing in the output")
            raise typer.Exit(SKIPPED)


def _open(stream: str, how: dict[str, Any], tree: Any) -> streams.Stream:
    """Open the rows; without a named label all columns are features."""
    if format_of(stream, how["format"]) == "libsvm":
        if how["label"] is not None:
            raise ValueError("In LIBSVM the first word is the label; --label is not needed.")
        return streams.open(stream, **how, n_features=tree.n_features_in_)
    return streams.open(stream, **{**how, "label": how["label"] or False})


def _predictions(tree: Any, X: Any, name: str) -> Any:
    if isinstance(X, list):  # rows of JSON, in which a name may be absent
        return np.array([tree.predict_one(x) for x in X], dtype=object)
    return _quietly(tree.predict, _by_name(X, tree, name))


def _shares(tree: Any, X: Any, name: str) -> Any:
    if isinstance(X, list):
        return np.array([[*tree.predict_proba_one(x).values()] for x in X])
    return _quietly(tree.predict_proba, _by_name(X, tree, name))


def _by_name(X: Any, tree: Any, name: str) -> Any:
    """Bring a table's columns into the model's order; others are left out."""
    known, needed = list(tree._model.columns), list(tree._first_columns)
    if not hasattr(X, "column_names") or not all(isinstance(column, str) for column in known):
        return X
    missing = [column for column in needed if column not in X.column_names]
    if missing:
        raise streams.StreamError(
            f"{name} lacks columns that the model needs: {', '.join(missing)}."
        )
    beside = [column for column in known if column not in needed and column in X.column_names]
    return X.select(needed + beside)


def _quietly(method: Callable[[Any], Any], X: Any) -> Any:
    """Call without the warning that one of file and model has no column names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return method(X)


@contextmanager
def _writer(out: Path | None) -> Iterator[Add]:
    """Write to standard output, or to a file as a whole or not at all."""
    if out is None:
        with _csv(None) as add:
            yield add
        return
    partial = out.with_name(out.name + ".part")
    try:
        with (_parquet if out.suffix.lower() == ".parquet" else _csv)(partial) as add:
            yield add
        if not partial.exists():
            raise streams.StreamError("The stream has no rows: there is nothing to predict.")
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _csv(out: Path | None) -> Iterator[Add]:
    """Write rows as CSV, to a file or to standard output."""
    file = sys.stdout if out is None else out.open("w", encoding="utf-8", newline="")
    writer = csv.writer(file, lineterminator="\n")
    begun = False

    def add(columns: dict[str, Any]) -> None:
        nonlocal begun
        if not begun:
            writer.writerow(columns)
        begun = True
        writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))

    try:
        yield add
    finally:
        if out is None:
            file.flush()
        else:
            file.close()


@contextmanager
def _parquet(out: Path) -> Iterator[Add]:
    """Write rows as Parquet, with the types of the first chunk."""
    import pyarrow
    from pyarrow import parquet

    writers: list[Any] = []

    def add(columns: dict[str, Any]) -> None:
        table = pyarrow.table({name: pyarrow.array(v.tolist()) for name, v in columns.items()})
        if not writers:
            writers.append(parquet.ParquetWriter(str(out), table.schema))
        writers[0].write_table(table)

    try:
        yield add
    finally:
        for writer in writers:
            writer.close()


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    text = helped(
        "Predict the rows of a file with a saved model. Columns are matched by name.",
        "sapwood predict sapwood-run/model.sapwood new.csv",
        "sapwood predict sapwood-run/model.sapwood old.csv --label class --out said.parquet",
        "cat new.jsonl | sapwood predict model.sapwood - --format jsonl --proba",
        more="Columns that the model does not know are left out. In CSV and JSON lines a column is "
        "read as what the model knows.\n\n" + exit_codes(DONE, DATA, USAGE, SKIPPED),
    )
    app.command("predict", help=text)(predict)
