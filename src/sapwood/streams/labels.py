"""Which column holds the labels, and whether they are whole numbers or text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrow import WHOLE_LIMIT
from .errors import LabelError, StreamError
from .texts import NUMBER, second_of, shown, truth_of, utf8_fault

LABEL_NAMES = ("class", "label", "target", "y", "y_true")  # in any case of letters
KINDS = ("numeric", "categorical")

_INTEGER = re.compile(rb"[ \t]*-?\d{1,19}[ \t]*")


def listed(names: Iterable[Any]) -> str:
    """Return names for a message, not too many."""
    names = [repr(name) for name in names]
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def find_label(
    file: str, names: Sequence[Any], label: Any, *, ordered: bool = True
) -> tuple[int | None, str | None]:
    """Return the place of the label column, None if there is none, and how it was guessed.

    Parameters
    ----------
    file : str
        For messages.
    names : sequence
        Names of the columns.
    label : str, int, False or None
        Name or place; False: there is no label; None: the only column with a usual name, else the
        last.
    ordered : bool
        Whether there is a last column.

    Returns
    -------
    place : int or None
        The place.
    guess : {"name", "place"} or None
        What told the label; None if it was given, or there is none.
    """
    if label is False:
        return None, None
    if label is None:
        return _guessed(file, names, ordered)
    if label in names:
        return list(names).index(label), None
    if isinstance(label, (int, np.integer)):
        if -len(names) <= label < len(names):
            return int(label) % len(names), None
        raise StreamError(f"{file} has {len(names)} columns; there is none at place {label}.")
    raise StreamError(f"{file} has no column {label!r} for the label. Columns: {listed(names)}.")


def _guessed(file: str, names: Sequence[Any], ordered: bool) -> tuple[int, str]:
    found = [
        j for j, name in enumerate(names) if isinstance(name, str) and name.lower() in LABEL_NAMES
    ]
    remedy = "Pass label= to name it, or label=False if there is none."
    if len(found) > 1:
        candidates = [names[j] for j in found]
        raise LabelError(
            f"{file} has several columns that may be the label: {listed(candidates)}. {remedy}",
            candidates,
        )
    if found:
        return found[0], "name"
    if not ordered or not len(names):
        raise StreamError(
            f"{file} has no column that is surely the label. Columns: {listed(names)}. {remedy}"
        )
    return len(names) - 1, "place"


def check_types(file: str, names: Iterable[Any], types: Mapping[Any, str]) -> None:
    """Refuse types of columns that are not there."""
    names = list(names)
    for name in types:
        if name not in names:
            raise StreamError(
                f"types names a column {name!r}, which {file} does not have. "
                f"Columns: {listed(names)}."
            )


def label_kind(file: str, column: str, values: Iterable[bytes], declared: str | None) -> str:
    """Return what labels in text are: "int", "whole" (like 1.0 or +1), "truth" or "text".

    Numbers that are not whole look like a regression target and are refused, and so are times.
    """
    if declared == "categorical":
        return "text"
    values = list(values)
    if values and all(map(_is_integer, values)):
        return "int"
    if declared == "numeric":
        return "whole"
    if values and all(truth_of(value) is not None for value in values):
        return "truth"
    if values and all(second_of(value) is not None for value in values):
        raise StreamError(not_a_class(file, column, values[0]))
    if not values or not all(NUMBER.fullmatch(value) for value in values):
        return "text"
    for value in values:
        if not is_whole(float(value)):
            raise StreamError(
                f"{file}, column {column!r}: labels like {value.decode()} are numbers that are not "
                "whole, which looks like a regression target. Pass label= to name another column, "
                f"or types={{{column!r}: 'categorical'}} to take them as text."
            )
    return "whole"


def not_a_class(file: str, column: Any, time: bytes | str) -> str:
    """Return what is to be said of labels that are times, of which one or their type is given."""
    like = time.decode() if isinstance(time, bytes) else f"those of type {time}"
    return (
        f"{file}, column {column!r}: labels like {like} are times, which are no classes. Pass "
        f"label= to name another column, or types={{{column!r}: 'categorical'}} to take them as "
        "text."
    )


def _is_integer(text: bytes) -> bool:
    return bool(_INTEGER.fullmatch(text)) and -(2**63) <= int(text) < 2**63


def is_whole(number: float) -> bool:
    """Whether a number is a whole one that float64 holds exactly."""
    return abs(number) <= WHOLE_LIMIT and number == int(number)


def label_fault(text: bytes, kind: str) -> str | None:
    """Return what is wrong with a label that is there, None if nothing is."""
    if kind == "text":
        return utf8_fault(text)
    if kind == "truth" and truth_of(text) is None:
        return f"the label {shown(text)} is not true or false"
    if kind == "int" and not _is_integer(text):
        return f"the label {shown(text)} is not a whole number"
    if kind == "whole" and not (NUMBER.fullmatch(text) and is_whole(float(text))):
        return f"the label {shown(text)} is not a whole number"
    return None
