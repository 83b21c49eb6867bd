"""Which column holds the labels, and whether they are whole numbers or text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._labels import WHOLE_LIMIT
from .arrow import text_array
from .errors import LabelError, StreamError
from .texts import NUMBER, second_of, shown, truth_of, utf8_fault

LABEL_NAMES = ("class", "label", "target", "y", "y_true")  # in any case of letters
KINDS = ("numeric", "categorical")

_INTEGER = re.compile(rb"[ \t]*-?\d{1,19}[ \t]*")
_SIGNED = re.compile(rb"[ \t]*[+-]?0{0,99}\d{1,19}[ \t]*")  # int() has a limit


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
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise StreamError(
            f"{file}: the column name {twice!r} appears {list(names).count(twice)} times. Column "
            "names must be unique."
        )
    if label is False:
        return None, None
    if ordered and len(names) < 2:
        only = f"a single column, {names[0]!r}" if names else "no columns"
        raise StreamError(
            f"{file} has {only}. Pass label=False if it has no labels, or delimiter= if its "
            "columns are separated in another way."
        )
    if label is None:
        return _guessed(file, names, ordered)
    if label in names:
        return list(names).index(label), None
    if isinstance(label, (int, np.integer)):
        if -len(names) <= label < len(names):
            return int(label) % len(names), None
        raise StreamError(f"{file} has {len(names)} columns; there is none at place {label}.")
    raise StreamError(f"{file} has no column {label!r} for the label. Columns: {listed(names)}.")


def is_usual(name: Any) -> bool:
    """Whether a column's name is one that labels usually have."""
    return isinstance(name, str) and name.strip().lower() in LABEL_NAMES


def _guessed(file: str, names: Sequence[Any], ordered: bool) -> tuple[int, str]:
    found = [j for j, name in enumerate(names) if is_usual(name)]
    remedy = "Pass label= to name it, or label=False if there is none."
    if len(found) > 1:
        candidates = [names[j] for j in found]
        raise LabelError(
            f"{file} has several columns that may be the label: {listed(candidates)}. {remedy}",
            candidates,
        )
    if found:
        return found[0], "name"
    if not ordered:
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
    if values and all(map(_INTEGER.fullmatch, values)) and None not in map(whole_label, values):
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
        if whole_label(value) is None:
            large = _is_large(value)
            what = "too large to be kept exactly" if large else "not whole"
            looks = "" if large else ", which looks like a regression target"
            raise StreamError(
                f"{file}, column {column!r}: labels like {value.decode()} are numbers that are "
                f"{what}{looks}. Pass label= to name another column, or "
                f"types={{{column!r}: 'categorical'}} to take them as text."
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


def whole_label(text: bytes) -> int | None:
    """Return the whole number that is written, None if there is none that is surely exact.

    Digits alone, with a sign or not, are exact in 64 bits; with a point or an exponent, in float64.
    """
    if _SIGNED.fullmatch(text):
        value = int(text)
        return value if -(2**63) <= value < 2**63 else None
    if NUMBER.fullmatch(text) and is_whole(number := float(text)):
        return int(number)
    return None


def whole_labels(column: Any) -> NDArray[np.int64] | None:
    """Return an Arrow column of text as whole numbers, None if some are none."""
    try:
        return text_array(column, lambda text: whole_label(text.encode())).astype(np.int64)
    except TypeError:
        return None


def is_whole(number: float) -> bool:
    """Whether a number is a whole one, and no other has the same float64."""
    return abs(number) < WHOLE_LIMIT and number == int(number)


def whole_fault(number: Any) -> str:
    """Return what is wrong with a numeric label that is no whole number, or may be another."""
    if abs(number) >= WHOLE_LIMIT:
        return f"the label {number} is too large to be kept exactly"
    return f"the label {number} is not a whole number"


def label_fault(text: bytes, kind: str) -> str | None:
    """Return what is wrong with a label that is there, None if nothing is."""
    if kind == "text":
        return utf8_fault(text)
    if kind == "truth":
        return (
            None if truth_of(text) is not None else f"the label {shown(text)} is not true or false"
        )
    if whole_label(text) is not None:
        return None
    what = "too large to be kept exactly" if _is_large(text) else "not a whole number"
    return f"the label {shown(text)} is {what}"


def _is_large(text: bytes) -> bool:
    return bool(NUMBER.fullmatch(text)) and abs(float(text)) >= WHOLE_LIMIT
