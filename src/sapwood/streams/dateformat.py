"""Formats of dates in ARFF, which are those of Java's SimpleDateFormat."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from .._times import from_text, second_of

DEFAULT = "yyyy-MM-dd'T'HH:mm:ss"

_TOKEN = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|(.)", re.DOTALL)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WORD = r"([A-Za-z]+)\.?"
_ZONE = r"(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)"
# A letter's pattern where it is a word; None: digits, as many as there are letters.
_FIELDS = {
    **dict.fromkeys("yMdHhmsS"),
    **{"E": _WORD, "a": r"([AaPp][Mm])", "z": _ZONE, "Z": _ZONE, "X": _ZONE},
}


def reader_of(pattern: str) -> Callable[[str], float | None]:
    """Return what reads a date in a format, or else in ISO 8601, as seconds; None if it is none.

    Raises
    ------
    ValueError
        If the format has a field that is not known.

    Examples
    --------
    >>> read = reader_of("dd.MM.yyyy HH:mm")
    >>> read("01.03.2026 00:00"), read("2026-03-01"), read("spring")
    (1772323200.0, 1772323200.0, None)
    """
    letters: list[str] = []
    parts: list[str] = []
    tokens = list(_TOKEN.finditer(pattern))
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        quoted, run, letter, other = token.groups()
        if run is None:
            text = other if quoted is None else quoted.replace("''", "'") or "'"
            parts.append(re.escape(text))
            continue
        if letter not in _FIELDS:
            raise ValueError(f"the date format {pattern!r} has the field {run!r}, which is unknown")
        letters.append(letter)
        pressed = following is not None and following.group(2) is not None
        parts.append(_FIELDS[letter] or _digits(run, pressed))
    regex = re.compile("".join(parts))

    def read(text: str) -> float | None:
        match = regex.fullmatch(text.strip())
        if match is None:
            return from_text(text)
        try:
            return _seconds(dict(zip(letters, match.groups(), strict=True)))
        except ValueError:  # such as month 13
            return None

    return read


def _digits(run: str, pressed: bool) -> str:
    """Return the pattern of a number; one that another follows at once has a fixed width."""
    if run[0] == "M" and len(run) > 2:
        return _WORD
    if pressed:
        return rf"(\d{{{len(run)}}})"
    return r"(\d{2}|\d{4})" if run == "yy" else r"(\d{4})" if run[0] == "y" else r"(\d{1,3})"


def _seconds(found: dict[str, str]) -> float | None:
    year = int(found.get("y", 1970))
    if len(found.get("y", "1970")) == 2:
        year += 2000 if year < 69 else 1900
    month = found.get("M", "1")
    hour = int(found.get("H", found.get("h", 0)))
    if "h" in found:
        hour = hour % 12 + 12 * (found.get("a", "am").lower() == "pm")
    whole = second_of(
        dt.datetime(
            year,
            int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1,
            int(found.get("d", 1)),
            hour,
            int(found.get("m", 0)),
            int(found.get("s", 0)),
            tzinfo=dt.UTC,
        )
    )
    zone = found.get("z") or found.get("Z") or found.get("X") or "Z"
    east = 0
    if zone[0] in "+-":
        digits = zone[1:].replace(":", "").ljust(4, "0")
        east = int(zone[0] + "1") * (3600 * int(digits[:2]) + 60 * int(digits[2:]))
    assert whole is not None
    return whole - east + int(found.get("S", 0)) / 1000
