"""Where a run gets its rows from: streams by name, parts of them, and the column of their times."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _times, datasets, streams
from ._intake import read_table
from ._rows import dict_rows
from .datasets import catalogue
from .persist import is_saved
from .tree import ConfidenceTreeClassifier

_SHORT = {"leaves": "n_leaves", "features": "n_features"}


def open_named(source: Any, **options: Any) -> streams.Stream:
    """Open a stream by its name.

    Parameters
    ----------
    source : str or what :func:`sapwood.streams.open` takes
        A path; or the name of a dataset, such as "electricity"; or a random tree such as
        "rand-cbt:leaves=8,per_leaf=2000,seed=1", drifting if ``concepts`` or ``width`` is among its
        parameters.
    **options
        As for :func:`sapwood.streams.open`; datasets and random trees need none.
    """
    if not isinstance(source, str) or source == "-" or Path(source).is_file():
        if isinstance(source, str) and source != "-" and is_saved(source):
            raise ValueError(
                f"{source} is a saved model or run, not a stream: `sapwood inspect` shows it."
            )
        return streams.open(source, **options)
    head, _, rest = source.partition(":")
    if head == "rand-cbt":
        pair: Any = _random_tree(rest)
    elif is_dataset(source):
        pair = datasets.load(source)
    elif Path(source).suffix or os.sep in source:
        return streams.open(source, **options)  # says that there is no such file
    else:
        listed = ", ".join(entry.name for entry in datasets.available())
        raise FileNotFoundError(
            f"There is no file {source}, and no dataset of that name. Datasets: {listed}; or "
            "rand-cbt for a random tree."
        )
    given = [n for n, value in options.items() if value not in (None, {}, "") and n != "on_error"]
    if given:
        raise ValueError(f"{', '.join(given)} cannot be set for {source}: it is no file of yours.")
    stream = streams.open(pair)
    stream.name = source
    return stream


def classes_declared(source: streams.Stream, model: Any, trained: str) -> list[Any] | None:
    """Return the classes that a stream declares, for a model to which their order means something.

    By MOA's rules the first class wins a tie; ours are learned in the order of appearance. A tree
    that goes on has its order.
    """
    if getattr(model, "compat", None) != "moa" or (trained == "continue" and model.t_ > 0):
        return None
    return source.classes


@contextmanager
def read_for(source: streams.Stream, model: Any, trained: str) -> Iterator[None]:
    """Let a stream take its columns, during a run, for what a tree that goes on holds in them."""
    if trained != "continue" or not isinstance(model, ConfidenceTreeClassifier):
        yield
        return
    source._read_as(model._kinds())
    try:
        yield
    finally:
        source._read_as({})  # the stream is the caller's


def limited(
    chunks: Iterable[tuple[Any, Any]], limit: int | None, done: int = 0
) -> Iterator[tuple[Any, Any]]:
    """Yield chunks up to ``limit`` rows, without the first ``done`` rows."""
    at = 0
    for X, y in chunks:
        start = max(0, done - at)
        stop = len(y) if limit is None else min(len(y), limit - at)
        if start < stop:
            yield _part(X, start, stop), y[start:stop]
        at += len(y)
        if limit is not None and at >= limit:
            return


def as_label(text: Any, y: Any) -> Any:
    """Return a label given as text in the type that the stream's labels have."""
    kind = np.asarray(y).dtype.kind
    if isinstance(text, str) and kind == "b" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if isinstance(text, str) and kind in "iu":
        try:
            return int(text)
        except ValueError:
            return text
    return text


def _part(X: Any, start: int, stop: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[start:stop]
    return X.slice(start, stop - start) if hasattr(X, "slice") else X[start:stop]


def is_dataset(name: str) -> bool:
    """Whether a name is that of a dataset."""
    try:
        catalogue.find(name)
    except ValueError:
        return False
    return True


def _random_tree(text: str) -> Any:
    given: dict[str, Any] = {}
    for pair in filter(None, text.split(",")):
        name, _, value = pair.partition("=")
        name = name.strip().replace("-", "_")
        try:
            given[_SHORT.get(name, name)] = value if name == "order" else json.loads(value)
        except ValueError:
            raise ValueError(f"rand-cbt: cannot read {pair!r}; write name=number.") from None
    make: Any = datasets.rand_cbt_drift if given.keys() & {"concepts", "width"} else None
    try:
        return (make or datasets.rand_cbt)(**given)
    except TypeError:
        raise ValueError(
            "rand-cbt takes leaves, features, q, per_leaf, seed, and order, or concepts and width; "
            f"got {', '.join(given)}."
        ) from None


def take_column(X: Any, name: Any, first: int = 1) -> tuple[Any, NDArray[np.float64]]:
    """Return a table without its column of times, and these in seconds; rows count from first."""
    names = X[0] if isinstance(X, list) and X else getattr(X, "columns", None)
    names = getattr(X, "column_names", names)
    if names is None or name not in list(names):
        raise ValueError(f"The stream has no column {name!r} to take times from.")
    if isinstance(X, list):
        return [{k: v for k, v in x.items() if k != name} for x in X], seconds_of(
            [x[name] for x in X], first
        )
    column = X.column(name) if hasattr(X, "column_names") else X[name]
    if hasattr(X, "drop_columns"):
        rest = X.drop_columns([name])
    else:
        rest = X.drop(columns=name) if hasattr(X, "iloc") else X.drop(name)
    return rest, seconds_of(column, first)


def seconds_of(column: Any, first: int = 1) -> NDArray[np.float64]:
    """Return times in seconds: numbers are seconds, dates without a zone are UTC."""
    times = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if times.dtype.kind == "M":
        seconds = _times.seconds(times)
    else:
        try:
            seconds = np.ascontiguousarray(times, dtype=np.float64)
        except (ValueError, TypeError):
            seconds = np.array(
                [_second_of(time, i) for i, time in enumerate(times.tolist(), first)]
            )
    wrong = np.flatnonzero(~np.isfinite(seconds))
    if len(wrong):
        raise ValueError(f"The time of row {first + wrong[0]} is missing or not finite.")
    return seconds


def _second_of(time: Any, row: int) -> float:
    second = _times.from_text(time) if isinstance(time, str) else _times.second_of(time)
    if second is None and time is not None:
        raise ValueError(
            f"The time of row {row} is {time!r}: times are seconds, dates, or text such as "
            "2026-03-01T12:30:00."
        )
    return math.nan if second is None else second


def fingerprint(X: Any, y: Any) -> str:
    """Return a text that tells the beginning of one stream from that of another."""
    head = _part(X, 0, 50)
    try:
        rows: Any = head if isinstance(head, list) else list(dict_rows(read_table(head)))
    except (TypeError, ValueError):  # a table that only its own model understands
        rows = None
    told = repr((rows, np.asarray(y[:50]).tolist()))
    return hashlib.sha256(told.encode()).hexdigest()[:16]
