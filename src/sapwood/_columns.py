"""Which columns a table has, against those that the model knows: scikit-learn's rules and words."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._intake import Column, Name, Table


def names_of(table: Table) -> list[Name]:
    """Names of a table's columns; their positions where they have none."""
    return list(range(table.n_columns)) if table.names is None else table.names


def declared_columns(given: Any, names: list[Name] | None, *, strict: bool = True) -> list[Name]:
    """Names of the columns that ``categorical_features`` means.

    Parameters
    ----------
    given : list of names, positions or flags, or None
        The parameter.
    names : list of names, or None
        The columns; None while they are not known, and then entries are taken for names.
    strict : bool
        Refuse entries that are not among the names; otherwise such columns may come later.
    """
    if given is None:
        return []
    entries = [e.item() if isinstance(e, np.generic) else e for e in given]
    if entries and all(isinstance(e, bool) for e in entries):
        if names is None or len(names) != len(entries):
            raise ValueError(
                "categorical_features is a mask, but its length is not the number of columns."
            )
        return [name for name, flag in zip(names, entries, strict=True) if flag]
    if names is None:
        return entries
    positions = range(-len(names), len(names))
    for entry in entries if strict else ():
        if isinstance(entry, int) and entry not in positions:
            raise ValueError(f"categorical_features names column {entry}; there are {len(names)}.")
        if isinstance(entry, str) and entry not in names:
            raise ValueError(f"categorical_features names {entry!r}, which is not a column.")
    return [names[e] if e in positions else e for e in entries]


def names_in_row(table: Table, row: int) -> set[Name]:
    """Return the names of the columns that have a value in a row of a table."""
    columns, names = table.columns, names_of(table)
    if isinstance(columns, tuple):  # sparse rows
        values, places, starts, _ = columns
        stored = slice(starts[row], starts[row + 1])
        absent = {names[j] for j in places[stored][np.isnan(values[stored])].tolist()}
        return set(names) - absent
    cells = columns[row] if isinstance(columns, np.ndarray) else [_cell(c, row) for c in columns]
    return {name for name, cell in zip(names, cells, strict=True) if cell == cell}


def _cell(column: Column, row: int) -> float:
    """Return a number, or the code of a category; NaN if it is missing."""
    if not isinstance(column, tuple):
        return float(column[row])
    return float("nan") if column[0][row] < 0 else float(column[0][row])


def batch_names(
    table: Table, known: list[Name], fixed: list[Name], who: str, *, by_name: bool, learns: bool
) -> list[Name]:
    """Check a batch against the columns that the first one fixed; return the names they have.

    A column that came later, with rows by name, may be in a batch or not.

    Parameters
    ----------
    table : Table
        The rows.
    known : list of names
        The model's columns.
    fixed : list of names
        Those of the first batch or row; empty before it.
    who : str
        Name of the estimator, for the messages.
    by_name : bool
        Any columns will do.
    learns : bool
        The batch is to be learned: if it is the first, its columns need not be known.
    """
    for count, what in ((table.n_rows, "sample(s)"), (table.n_columns, "feature(s)")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape=({table.n_rows}, {table.n_columns})) while a "
                "minimum of 1 is required."
            )
    given = names_of(table)
    if given == fixed:
        return given
    if len({isinstance(name, str) for name in given}) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but "
            "your input has names of several types. Convert them all to strings."
        )
    if not known:
        return given
    has_names, knows_names = isinstance(given[0], str), isinstance((fixed or known)[0], str)
    if has_names == knows_names:
        if by_name or (not fixed and (learns or set(given) <= set(known))):
            return given
        beside = set(known).difference(fixed) if fixed else set()
        if fixed and [name for name in given if name not in beside] == fixed:
            return given
        if has_names:
            raise ValueError(_difference(fixed, known, given))
    expected = fixed or known
    if table.n_columns != len(expected):
        raise ValueError(
            f"X has {table.n_columns} features, but {who} is expecting {len(expected)} features "
            "as input."
        )
    if has_names and not knows_names:
        warnings.warn(
            f"X has feature names, but {who} was fitted without feature names", stacklevel=4
        )
    if knows_names and not has_names:
        warnings.warn(
            f"X does not have valid feature names, but {who} was fitted with feature names",
            stacklevel=4,
        )
    return expected


def _difference(fixed: list[Name], known: list[Name], given: list[Name]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(str(n) for n in set(given) - set(known))
    missing = sorted(str(n) for n in set(fixed) - set(given))
    if unseen:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n"
        message += "".join(f"- {n}\n" for n in missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message + "With columns='by-name' any columns will do, and absent ones are missing.\n"
