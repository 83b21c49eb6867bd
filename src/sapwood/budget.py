"""How many labels may be asked for, as an object apart from the strategy."""

from __future__ import annotations

import math
import numbers
import re
from typing import Any, Self

from . import _core
from ._clock import moment, require_time
from ._params import whole_number

_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}


class Budget:
    """A cap on questions, and the ledger of those that were asked.

    Make one with :meth:`rate`, :meth:`window`, :meth:`estimated_window`, :meth:`count`,
    :meth:`per_time` or :meth:`unlimited`. Every question is ``open``, ``answered``, ``expired`` or
    ``refunded``; ``spent`` is all that were asked and not refunded. The cap holds for what is
    spent, so answers that come late or never cannot break it.

    Examples
    --------
    >>> from sapwood import Budget
    >>> Budget.rate(0.1)
    Budget('rate:0.1')
    >>> Budget.parse("500/day:0.05")
    Budget('500/day:0.05')
    """

    def __init__(self, core: _core.Budget) -> None:
        self._core = core

    @classmethod
    def rate(cls, rate: float, *, strict: bool = False) -> Self:
        """Ask while spent / seen < rate, the paper's rule: spent <= ceil(rate * seen), always.

        With ``strict``, spent <= rate * seen.
        """
        return cls(_core.Budget("rate", _share(rate), strict=strict))

    @classmethod
    def window(cls, rate: float, size: int) -> Self:
        """Ask at most ceil(rate * size) times among any ``size`` consecutive examples."""
        return cls(_core.Budget("window", _share(rate), window=whole_number("size", size, 1)))

    @classmethod
    def estimated_window(cls, rate: float, size: int = 100) -> Self:
        """Use the recursive estimate of Zliobaite et al. (2014) in place of a count.

        It forgets gradually and takes one number of memory, but it is no cap: it can be exceeded,
        most of all early in the stream.
        """
        return cls(
            _core.Budget("estimated-window", _share(rate), window=whole_number("size", size, 1))
        )

    @classmethod
    def count(cls, total: int, *, rate: float) -> Self:
        """Ask at most ``total`` times in all; strategies get ``rate`` as their B."""
        return cls(_core.Budget("count", _share(rate), count=whole_number("total", total, 0)))

    @classmethod
    def per_time(cls, count: int, *, seconds: float, rate: float) -> Self:
        """Ask at most ``count`` times within any ``seconds``; strategies get ``rate`` as their B.

        The clock is that of the machine, or what is passed as ``now`` to ``decide``. It never
        runs backwards: a time that is late by up to ``seconds``, or a minute, counts as the latest
        seen. One that is earlier still, or so large that it cannot be in seconds, is refused.
        """
        n = whole_number("count", count, 0)
        return cls(_core.Budget("period", _share(rate), count=n, seconds=float(seconds)))

    @classmethod
    def unlimited(cls, rate: float = 1.0) -> Self:
        """Ask whenever the strategy wants to; strategies get ``rate`` as their B."""
        return cls(_core.Budget("none", _share(rate)))

    @classmethod
    def parse(cls, text: str | float) -> Self:
        """Read a budget as the command line writes it.

        ``0.1`` or ``rate:0.1``, ``strict:0.1``, ``window:0.1:1000``, ``estimated-window:0.1:100``,
        ``count:500:0.05`` (500 in all, B = 0.05), ``100/hour:0.05``, ``unlimited``.
        """
        given = str(text).strip()
        head, *rest = given.split(":")
        try:
            if "/" in head:
                count, unit = head.split("/")
                match = re.fullmatch(
                    r"([0-9.eE+-]*) *(second|minute|hour|day|week)s?", unit.strip()
                )
                if match is None:
                    raise ValueError(f"there is no unit of time named {unit!r}")
                seconds = float(match[1] or 1) * _SECONDS[match[2]]
                return cls.per_time(int(count), seconds=seconds, rate=_rate_in(rest))
            if head == "unlimited":
                return cls.unlimited(*map(float, rest))
            if head in ("rate", "strict"):
                return cls.rate(_rate_in(rest), strict=head == "strict")
            if head in ("window", "estimated-window"):
                make = cls.window if head == "window" else cls.estimated_window
                return make(float(rest[0]), *map(int, rest[1:]))
            if head == "count":
                return cls.count(int(rest[0]), rate=_rate_in(rest[1:]))
            return cls.rate(float(given))
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(
                f"Cannot read the budget {given!r} ({error}). Write for example 0.1, "
                "window:0.1:1000, count:500:0.05 or 100/hour:0.05."
            ) from None

    @classmethod
    def make(cls, budget: float | str | Budget) -> Budget:
        """Return a budget: a number is a rate, text is parsed, a Budget is used as it is."""
        if isinstance(budget, Budget):
            return budget
        if isinstance(budget, bool) or not isinstance(budget, (numbers.Real, str)):
            raise TypeError(
                "budget must be a share such as 0.1, text such as 'window:0.1:1000', or a Budget; "
                f"got {type(budget).__name__}."
            )
        return cls.parse(budget) if isinstance(budget, str) else cls.rate(float(str(budget)))

    def fresh(self) -> Self:
        """Return a budget with the same cap of which nothing is spent."""
        core = self._core
        kept = _core.Budget(core.cap, core.rate, core.strict, core.window, core.count, core.seconds)
        return type(self)(kept)

    def __getstate__(self) -> dict[str, Any]:
        return {"budget": str(self), "state": self._core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._core = Budget.parse(state["budget"])._core
        self._core.restore(state["state"])

    def __str__(self) -> str:
        core = self._core
        if core.cap == "rate":
            return f"{'strict' if core.strict else 'rate'}:{core.rate!r}"
        if core.cap in ("window", "estimated-window"):
            return f"{core.cap}:{core.rate!r}:{core.window:.0f}"
        if core.cap == "count":
            return f"count:{core.count:.0f}:{core.rate!r}"
        if core.cap == "period":
            return f"{core.count:.0f}/{_time(core.seconds)}:{core.rate!r}"
        return f"unlimited:{core.rate!r}"

    def __repr__(self) -> str:
        return f"Budget({str(self)!r})"

    # --- the ledger -------------------------------------------------------------------------------

    @property
    def B(self) -> float:  # noqa: N802 - the paper's symbol
        """The share that strategies aim at."""
        return self._core.rate

    @property
    def seen(self) -> int:
        """Examples decided about."""
        return self._core.seen

    @property
    def asked(self) -> int:
        """Questions asked, refunded ones included."""
        return self._core.asked

    @property
    def answered(self) -> int:
        """Questions answered."""
        return self._core.answered

    @property
    def expired(self) -> int:
        """Questions that were given up and not refunded."""
        return self._core.expired

    @property
    def refunded(self) -> int:
        """Questions whose label was given back."""
        return self._core.refunded

    @property
    def open(self) -> int:
        """Questions that wait for their answer."""
        return self._core.open

    @property
    def spent(self) -> int:
        """Questions that count against the cap."""
        return self._core.spent

    @property
    def clock(self) -> float | None:
        """Of a budget per time, the latest time seen, in seconds; None before the first."""
        clock = self._core.clock
        return clock if self._core.cap == "period" and math.isfinite(clock) else None

    def set_clock(self, now: float) -> None:
        """Go on from this time, in seconds, where the latest one seen was wrong.

        If it is earlier, nothing is asked for a whole period, so that the cap holds whatever was
        asked before the wrong time.
        """
        if self._core.cap != "period":
            raise ValueError(f"Only a budget per time has a clock; this is {self!r}.")
        seconds = moment(now)
        require_time(self._core, seconds, latest=seconds)
        self._core.set_clock(seconds)

    def _told(self) -> str:
        told = f"{self.spent} of {self.seen} examples asked about, {self}"
        wait = self._core.wait
        if not 0.0 < wait < math.inf:
            return told
        return f"{told}; the next in {f'{wait:,.0f}' if wait >= 10 else f'{wait:.2g}'} seconds"


def _share(rate: Any) -> float:
    share = float(rate) if isinstance(rate, numbers.Real) else math.nan
    if isinstance(rate, bool) or not 0.0 <= share <= 1.0:
        raise ValueError(f"The rate of a budget must lie between 0 and 1; got {rate!r}.")
    return share


def _rate_in(parts: list[str]) -> float:
    if len(parts) != 1:
        raise ValueError("it needs one rate, the share B that the strategy aims at")
    return float(parts[0])


def _time(seconds: float) -> str:
    for unit, length in reversed(_SECONDS.items()):
        if seconds == length:
            return unit
        if seconds % length == 0 and seconds / length < 1e6:
            return f"{seconds / length:.0f} {unit}s"
    return f"{seconds!r} seconds"
