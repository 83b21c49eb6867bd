"""Which columns a table has, against those that the model knows: scikit-learn's rules and words."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._intake import Name, Table


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


def fixed_names(table: Table, known: list[Name], who: str) -> list[Name]:
    """Check a table against the columns that the first call fixed; return the names they have.

    Parameters
    ----------
    table : Table
        The rows.
    known : list of names
        The model's columns; empty before the first call.
    who : str
        Name of the estimator, for the messages.
    """
    for count, what in ((table.n_rows, "sample(s)"), (table.n_columns, "feature(s)")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape=({table.n_rows}, {table.n_columns})) while a "
                "minimum of 1 is required."
            )
    given = table.names
    if given is not None and len({isinstance(name, str) for name in given}) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but "
            "your input has names of several types. Convert them all to strings."
        )
    if not known:
        return names_of(table)
    has_names = given is not None and isinstance(given[0], str)
    knows_names = isinstance(known[0], str)
    if has_names and knows_names and given != known:
        raise ValueError(_difference(known, given or []))
    if table.n_columns != len(known):
        raise ValueError(
            f"X has {table.n_columns} features, but {who} is expecting {len(known)} features "
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
    return known


def _difference(known: list[Name], given: list[Name]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(str(n) for n in set(given) - set(known))
    missing = sorted(str(n) for n in set(known) - set(given))
    if unseen:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n"
        message += "".join(f"- {n}\n" for n in missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message
