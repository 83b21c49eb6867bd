"""Which times a budget per time takes: one wrong time must not end asking, nor give labels away."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

_FARTHEST = 1e11  # seconds: the year 5138; milliseconds passed it in 1973
_UNITS = {"milliseconds": 1e14, "microseconds": 1e17, "nanoseconds": math.inf}  # at most
_DISORDER = 60.0  # seconds by which machines and threads may differ, however short the period


def moment(now: Any) -> float:
    """Return a time in seconds, if it is one."""
    try:
        seconds = float(now)
    except (TypeError, ValueError):
        raise TypeError(f"now must be a time in seconds; got {now!r}.") from None
    if not math.isfinite(seconds):
        raise ValueError(f"now must be a finite time in seconds; got {now!r}.")
    return seconds


def require_time(budget: _core.Budget, now: float, latest: float | None = None) -> None:
    """Raise ValueError if a time cannot follow the latest one."""
    if budget.cap != "period":
        return
    latest = budget.clock if latest is None else latest
    if abs(now) >= _FARTHEST:
        after = f"; the latest was {_told(latest)}" if math.isfinite(latest) else ""
        unit = next(name for name, most in _UNITS.items() if abs(now) < most)
        raise ValueError(
            f"The time {now:.16g} is no time in seconds{after}. It looks like {unit}: "
            "times are in seconds."
        )
    if now < latest - _patience(budget):
        raise ValueError(
            f"The time {_told(now)} is {latest - now:.16g} seconds before the latest, "
            f"{_told(latest)}. A budget per time takes times in order, but for those late by up to "
            "its period or a minute. If the latest is the wrong one, set it right with "
            "budget.set_clock(...)."
        )


def require_times(budget: _core.Budget, times: NDArray[np.float64], first: int) -> None:
    """Raise ValueError for the first row, counted from ``first``, whose time cannot follow."""
    if budget.cap != "period" or not len(times):
        return
    latest = np.maximum.accumulate(np.concatenate([[budget.clock], times[:-1]]))
    wrong = (np.abs(times) >= _FARTHEST) | (times < latest - _patience(budget))
    for i in np.flatnonzero(wrong)[:1].tolist():
        try:
            require_time(budget, float(times[i]), float(latest[i]))
        except ValueError as error:
            raise ValueError(f"Row {first + i}: {error}") from None


def _patience(budget: _core.Budget) -> float:
    return max(budget.seconds, _DISORDER)


def _told(time: float) -> str:
    """Return a time as a number, and as a date where it may be one."""
    if not 1e8 <= time < _FARTHEST:
        return f"{time:.16g}"
    return f"{time:.16g} ({datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S} UTC)"
