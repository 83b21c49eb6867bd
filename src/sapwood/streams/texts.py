"""What text means, where nothing but text is there: numbers, moments, truth values, or words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .._times import from_text

MARKS = ("", "NA", "NaN", "nan", "null", "None", "?")
NULLS = [before + mark for mark in MARKS for before in ("", " ")]  # ", ?" is written often
MISSING = frozenset(text.encode() for text in NULLS)

NUMBER = re.compile(rb"[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*")
INFINITE = re.compile(rb"[ \t]*[+-]?inf(?:inity)?[ \t]*", re.IGNORECASE)
NAN = re.compile(rb"[ \t]*[+-]?nan(?:\(\w*\))?[ \t]*", re.IGNORECASE)
# The first letter tells most words: no number, date, truth value or mark begins so.
_WORD = re.compile(rb"[ \t]*[A-EGHJ-MO-SU-Za-eghj-mo-su-z\x80-\xff]")
_TRUTHS = {w: w[:1] in b"tT" for s in (b"true", b"false") for w in (s, s.title(), s.upper())}
_NUMBERS = re.compile(rb"(?:%s\n)*+" % NUMBER.pattern)
_WITH_COMMA = re.compile(
    rb"[ \t]*[+-]?(?:\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?|(?:\d+|\d{1,3}(?:[.' ]\d{3})+),\d+)[ \t]*"
)
_DATE = re.compile(
    rb"[ \t]*(?:\d{1,2}([./-])\d{1,2}\1\d{4}|\d{4}([./])\d{1,2}\2\d{1,2})(?:[T ,]+\d\d?:.*)?[ \t]*"
)
_SHOWN = 60
# Forms of numbers and dates that are not read, as one cannot tell what they mean.
_FORMS = (
    (_WITH_COMMA, "numbers with a comma", "with a point, and without separators of thousands"),
    (_DATE, "dates in a form of their own", "as year-month-day, like 2026-03-01"),
)
_SLIPS = 50  # one odd value in so many is a slip, to be named, and makes no category


def shown(text: bytes) -> str:
    """Return a value for a message, not too long."""
    value = text.decode(errors="replace")
    return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")


def numberlike(field: bytes) -> bool:
    """Whether a field can stand in a column of numbers."""
    return field in MISSING or any(pattern.fullmatch(field) for pattern in (NUMBER, INFINITE, NAN))


def truth_of(field: bytes) -> bool | None:
    """Return a truth value in one of its usual spellings; None if there is none."""
    return _TRUTHS.get(field.strip(b" \t"))


def second_of(field: bytes) -> float | None:
    """Return the seconds of a moment or time of day in ISO 8601; None if there is none."""
    word = field.strip(b" \t")
    return from_text(word.decode()) if word[:1].isdigit() and word.isascii() else None


def is_words(field: bytes) -> bool:
    """Whether a field is nothing but words."""
    if _WORD.match(field):
        return True
    return not numberlike(field) and truth_of(field) is None and second_of(field) is None


def kind_of(values: Sequence[bytes], declared: str | None = None) -> str:
    """Return what a column holds: "number", "truth", "time" or "text".

    Parameters
    ----------
    values : sequence of bytes
        The first of its values that are not missing.
    declared : {"numeric", "categorical"}, optional
        What the caller said of it.
    """
    if declared == "categorical":
        return "text"
    joined = b"\n".join([*values, b""])
    if _NUMBERS.fullmatch(joined) and joined.count(b"\n") == len(values):  # in quotes may be more
        return "number"
    # Words mostly occur again and again.
    counts = Counter(value for value in values if not _WORD.match(value)).items()
    truths = sum(n for value, n in counts if truth_of(value) is not None)
    if truths == len(values):
        return "truth"
    numbers = sum(n for value, n in counts if numberlike(value))
    times = sum(n for value, n in counts if second_of(value) is not None)
    if declared is None and max(numbers, times) < len(values) - len(values) // _SLIPS:
        return "text"
    if truths > max(numbers, times):
        return "truth"
    return "time" if times > numbers else "number"


def fault_of(field: bytes, kind: str) -> str | None:
    """Return what is wrong with a value that is there in a column of this kind, if anything is."""
    if kind == "number":
        return number_fault(field)
    if kind == "time" and second_of(field) is None:
        return f"{shown(field)} is not a date or time"
    if kind == "truth" and truth_of(field) is None:
        return f"{shown(field)} is not true or false"
    return utf8_fault(field)


def number_fault(text: bytes) -> str | None:
    """Return what is wrong with a number that is there, None if nothing is."""
    if NUMBER.fullmatch(text):
        return f"{shown(text)} is too large a number" if abs(float(text)) == float("inf") else None
    if INFINITE.fullmatch(text):
        return f"{shown(text)} is infinite"
    return None if NAN.fullmatch(text) else f"{shown(text)} is not a number"


def utf8_fault(text: bytes) -> str | None:
    """Return what is wrong with text, None if nothing is."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return f"{text[:_SHOWN]!r} is not valid UTF-8"
    return None


def number_in(field: bytes) -> tuple[float, str | None]:
    """Return a field as a number, NaN if it is missing, and what is wrong if it is none."""
    if field in MISSING:
        return float("nan"), None
    for found in (second_of(field), truth_of(field)):
        if found is not None:
            return float(found), None
    if (fault := number_fault(field)) is not None:
        return float("nan"), fault.replace("not a number", "not a number or date")
    return float(field.partition(b"(")[0]), None  # nan may have a parenthesis


def doubt(name: str, values: Sequence[bytes]) -> str | None:
    """Return what makes one doubt that a column is text; None if nothing does.

    Parameters
    ----------
    name : str
        The column's name.
    values : sequence of bytes
        The first of its values that are not missing.
    """
    words = {value for value in set(values) if is_words(value)}
    odd = [value for value in values if value in words]
    n = f"of its first {len(values):,} values"
    for pattern, what, remedy in _FORMS:
        alike = [value for value in odd if pattern.fullmatch(value)]
        if 2 * len(alike) > len(odd) > 0 and 2 * (len(odd) - len(alike)) < len(values):
            return f"{len(alike):,} {n} are {what}, like {shown(alike[0])}. Write them {remedy}"
    if odd and 2 * len(odd) < len(values):
        return (
            f"{len(values) - len(odd):,} {n} are numbers, booleans or dates, and {shown(odd[0])} "
            f"is none. Leave such fields empty, or pass types={{{name!r}: 'numeric'}} with "
            'on_error="missing" to take them so'
        )
    return None
