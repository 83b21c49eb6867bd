"""Dates, times and durations as numbers of seconds, wherever they come from.

A date or a moment is seconds since 1970 (UTC, where no zone is named), a time of day seconds since
midnight, a duration its length. Whole seconds and the rest are converted apart, so that one moment
is one number, to the last bit, whatever unit it was kept in.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Counts per second of the units that NumPy, pandas, polars and Arrow keep moments in.
PER_SECOND = {
    unit: 10 ** (3 * i) for i, unit in enumerate(["s", "ms", "us", "ns", "ps", "fs", "as"])
}
DAY = 86400

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DATE = r"\d{4}-\d\d-\d\d"
_SECOND = r"\d\d(?:[.,]\d+)?"
_ZONE = r"(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?"
#: How moments and times of day are written in text (ISO 8601, RFC 3339).
_ISO = re.compile(
    rf" *(?:{_DATE}(?:[T ]\d\d(?::\d\d(?::{_SECOND})?)?{_ZONE})?"
    rf"|\d{{8}}T\d{{4}}(?:{_SECOND})?{_ZONE}|\d\d:\d\d:{_SECOND}) *"
)
_FRACTION = re.compile(r"[.,](\d+)")


def from_counts(counts: NDArray[np.int64], per_second: int) -> NDArray[np.float64]:
    """Return seconds of whole numbers of a unit."""
    if per_second == 1:
        return counts.astype(np.float64)
    whole, rest = np.divmod(counts, per_second)
    return np.asarray(whole + rest / per_second, dtype=np.float64)


def seconds(times: NDArray[Any]) -> NDArray[np.float64]:
    """Return the seconds of an array of NumPy's datetime64 or timedelta64, NaN for NaT.

    Raises
    ------
    TypeError
        If the unit is no length of time, like a month, or there is none.
    ValueError
        If a date is more than some 10^11 years away.
    """
    missing = np.isnat(times)
    unit = np.datetime_data(times.dtype)[0]
    if missing.all():
        return np.full(times.shape, np.nan)
    if times.dtype.kind == "m" and unit in ("Y", "M", "generic"):
        raise TypeError(f"a duration in units of {unit!r} is no number of seconds")
    unit = unit if unit in PER_SECOND else "s"
    counted = times.astype(f"{times.dtype.kind}8[{unit}]")
    if ((counted.astype(times.dtype) != times) & ~missing).any():
        raise ValueError("a date is too far away to be counted in seconds")
    counts = counted.view(np.int64)
    return np.where(missing, np.nan, from_counts(counts, PER_SECOND[unit]))


def second_of(value: object) -> float | None:
    """Return the seconds of a date, time or duration, NaN for NaT; None if it is no such thing."""
    for convert in ("to_datetime64", "to_timedelta64"):  # pandas' know more than microseconds
        if hasattr(value, convert):
            value = getattr(value, convert)()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return float(seconds(np.asarray(value).reshape(1))[0])
    if isinstance(value, dt.datetime):
        value = (value if value.tzinfo else value.replace(tzinfo=dt.UTC)) - _EPOCH
    if isinstance(value, dt.timedelta):
        return value.days * DAY + value.seconds + value.microseconds / 1e6
    if isinstance(value, dt.date):
        return float((value.toordinal() - _EPOCH.toordinal()) * DAY)
    if isinstance(value, dt.time):
        whole = value.hour * 3600 + value.minute * 60 + value.second
        return whole + value.microsecond / 1e6
    return None


def from_text(text: str) -> float | None:
    """Return the seconds of a moment or time of day that is written in text; None if none is.

    Examples
    --------
    >>> from_text("2026-03-01"), from_text("1970-01-01T01:00:00.5+01:00"), from_text("March 1st")
    (1772323200.0, 0.5, None)
    """
    if not _ISO.fullmatch(text):
        return None
    fraction = _FRACTION.search(text)
    plain = _FRACTION.sub("", text).strip()
    clock = plain[2] == ":"
    try:
        whole = second_of(
            (dt.time if clock else dt.datetime).fromisoformat(plain.replace(" Z", "Z"))
        )
    except ValueError:  # such as month 13
        return None
    assert whole is not None
    return whole + (float(f".{fraction[1]}") if fraction else 0.0)
