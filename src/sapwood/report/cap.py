"""What a budget allowed, as a line over the stream."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .sampling import Floats
from .words import counted, percent, printable


@dataclass(frozen=True)
class Cap:
    """A budget as a report shows it.

    Attributes
    ----------
    words : str
        The budget in words.
    rate : float or None
        Labels per example, if it is a share.
    total : float or None
        Labels in all, if these are counted.
    rounds_up : bool
        Whether a part of a label may be spent as a whole one.
    window : int or None
        Examples of which ``rate`` is the share, if not all so far.
    """

    words: str
    rate: float | None = None
    total: float | None = None
    rounds_up: bool = True
    window: int | None = None

    @classmethod
    def of(cls, budget: Any) -> Cap | None:
        """Read a budget: None, a share, a Budget, or its text as the command line writes it."""
        if budget is None:
            return None
        text = str(budget).strip()
        head, *rest = text.split(":")
        try:
            if head in ("rate", "strict"):
                return cls._share(float(rest[0]), "of the stream", rounds_up=head == "rate")
            if head == "window":
                words = f"{percent(float(rest[0]))} of any {counted(int(rest[1]), 'example')}"
                return cls(words, rate=float(rest[0]), window=int(rest[1]))
            if head == "estimated-window":  # an aim, and no cap
                return cls(f"about {percent(float(rest[0]))} of the stream")
            if head == "count":
                total = float(rest[0])
                return cls(f"{counted(total, 'label')} in all", total=total)
            if head == "unlimited":
                return cls("unlimited")
            if re.fullmatch(r"[0-9.eE+-]+", text):
                return cls._share(float(text), "of the stream")
        except (ValueError, IndexError):
            pass
        if "/" in head:  # by the clock, of which the curve knows nothing
            return cls(f"{printable(head.replace('/', ' labels per '))}")
        return cls(printable(text))

    @classmethod
    def _share(cls, rate: float, of: str, *, rounds_up: bool = True) -> Cap:
        return cls(f"{percent(rate)} {of}", rate=rate, rounds_up=rounds_up)

    def at(self, i: Floats) -> Floats | None:
        """Return how many labels were allowed after i examples; None if that is not known."""
        if self.rate is not None:
            if self.window:
                most = np.ceil(self.rate * self.window - 1e-9)
                allowed: Floats = np.floor(i / self.window) * most + np.minimum(
                    i % self.window, most
                )
                return allowed
            # The paper's rule rounds up; tiny excesses of the product are rounding, not labels.
            return (
                np.ceil(self.rate * i - 1e-9) if self.rounds_up else np.floor(self.rate * i + 1e-9)
            )
        if self.total is not None:
            return np.full(len(i), self.total)
        return None
