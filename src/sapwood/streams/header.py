"""Whether the first row of a delimited file names its columns or is one of its rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .labels import is_usual
from .texts import is_words, shown

_SHOWN_FIELDS = 4
_COUNTED = 3  # fewer numbers may well be 0, 1 and so on by chance


def tell_header(
    first: Sequence[bytes],
    below: Sequence[Sequence[bytes]],
    numeric: Sequence[bool],
    named: Collection[str],
) -> tuple[bool, str | None]:
    """Return whether the first row names the columns, and what to say of it if one should know.

    Words above a column of numbers are a name. Otherwise the row could be data, and its fields
    vote: a number, a date, a mark of a missing value and what occurs below again are data; what
    never occurs below, where values repeat, is a name. Numbers that count up from 0 or 1 are the
    places of columns, and names.

    Parameters
    ----------
    first : sequence of bytes
        The fields of the first row.
    below : sequence of sequences of bytes
        For each column, the values in the rows below that are not missing.
    numeric : sequence of bool
        Whether these are numbers, dates or truth values.
    named : collection of str
        Columns that the caller named.
    """
    if any(field in first and is_words(field) for field in map(str.encode, named)):
        return True, None
    columns = list(zip(first, below, numeric, strict=True))
    text = [column for column in columns if is_words(column[0])]
    others = [field for field in first if field.strip() and not is_words(field)]
    again = [field in column for field, column, _ in text]
    if _count_up(others) and not any(again):
        return True, None if text else _doubt(first)
    values = len(others)  # numbers, and marks like "?"
    if any(numbers and column for _, column, numbers in text):
        sure = not values or any(_is_usual(field) for field, *_ in text)
        return True, None if sure else _doubt(first)
    values += sum(again) + (len({field for field, *_ in text}) < len(text))
    names = sum(
        not seen and (_is_usual(field) or 2 * len(set(column)) <= len(column))
        for (field, column, _), seen in zip(text, again, strict=True)
    )
    if not values and text:
        return True, None if names else _doubt(first)
    usual = any(
        _is_usual(field) and not seen for (field, *_), seen in zip(text, again, strict=True)
    )
    if usual or names > values:
        return True, _doubt(first)
    return False, (
        f"the first row, {_fields(first)}, is taken for data: there is no header, and the columns "
        "are called '0', '1' and so on. Pass header=False to say so, or header=True if it is one."
    )


def _count_up(fields: Sequence[bytes]) -> bool:
    """Whether fields are the places of columns, which are names to who has no others."""
    first = fields[0] if fields else b""
    return (
        len(fields) >= _COUNTED
        and first in (b"0", b"1")
        and all(field == b"%d" % i for i, field in enumerate(fields, int(first)))
    )


def _is_usual(field: bytes) -> bool:
    return is_usual(field.decode(errors="replace"))


def _doubt(first: Sequence[bytes]) -> str:
    return (
        f"the first row, {_fields(first)}, could be data, and is taken for the header. Pass "
        "header=True to say so, or header=False if it is data."
    )


def _fields(first: Sequence[bytes]) -> str:
    more = ", …" if len(first) > _SHOWN_FIELDS else ""
    return ", ".join(map(shown, first[:_SHOWN_FIELDS])) + more
