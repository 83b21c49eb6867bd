"""A scale: from values to places on an axis, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """A range of values laid over a range of places.

    Attributes
    ----------
    low, high : float
        The values at the ends.
    start, end : float
        Their places.
    ticks : tuple of float
        Values to be labelled.
    log : bool
        Whether equal ratios, instead of equal differences, are equally far apart.
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def over(self, start: float, end: float) -> Scale:
        """Return the same scale over other places."""
        return Scale(self.low, self.high, start, end, self.ticks, self.log)


def nice(
    low: float,
    high: float,
    *,
    n: int = 5,
    integer: bool = False,
    within: tuple[float, float] = (-math.inf, math.inf),
    least: float = 0.0,
    snap: bool = True,
) -> Scale:
    """Return a scale around two values.

    Parameters
    ----------
    low, high : float
        The least and the greatest value to be shown; if not finite, 0 and 1.
    n : int
        About how many steps there should be.
    integer : bool
        Whether only whole numbers get a tick.
    within : pair of float
        What the scale must not exceed, such as (0, 1) for shares.
    least : float
        The shortest range that is shown, so that noise does not look like news.
    snap : bool
        Whether the ends move out to the next tick; otherwise they stay where the values end.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = 0.0, 1.0
    least = least or max(abs(low), abs(high)) * 1e-9 or 1.0
    if integer:
        least = max(least, 1.0)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
        low, high = low - max(high - within[1], 0.0), high + max(within[0] - low, 0.0)
        low, high = max(low, within[0]), min(high, within[1])
    step = _step((high - low) / n)
    if integer:
        step = max(1.0, float(round(step)))
    if snap:
        low = max(math.floor(low / step + 1e-9) * step, within[0])
        high = min(math.ceil(high / step - 1e-9) * step, within[1])
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(k * step for k in range(first, last + 1))
    return Scale(low, high, 0.0, 1.0, ticks)


def _step(rough: float) -> float:
    """Return the round number nearest above a step."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(s for s in _STEPS if s * power >= rough * (1 - 1e-9)) * power


def at_values(values: Iterable[float]) -> Scale:
    """Return a scale with a tick at every value; of ratios where these say more than differences.

    It suits a few settings that were chosen by hand, such as budgets of 1, 2, 5, 10 and 20 %.
    """
    ticks = tuple(sorted({v for v in map(float, values) if math.isfinite(v)})) or (0.0, 1.0)
    low, high = ticks[0], ticks[-1]
    if low == high:
        return Scale(low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2, 0.0, 1.0, ticks)
    log = low > 0 and high / low >= 8
    return Scale(low, high, 0.0, 1.0, ticks, log)


def digits_of(ticks: Iterable[float]) -> int:
    """Return how many decimals tell the ticks apart."""
    values = np.array(list(ticks))
    for digits in range(8):
        if np.allclose(np.round(values, digits), values, rtol=0, atol=10.0 ** -(digits + 3)):
            return digits
    return 8


def labels_of(scale: Scale, form: Callable[[float], str], room: float, width: float) -> list[str]:
    """Return the label of each tick; an empty one where it would touch the label before it.

    Parameters
    ----------
    scale : Scale
        The scale, laid over its places.
    form : callable
        Makes the label of a value.
    room : float
        The least distance between two labels.
    width : float
        The width of a character.
    """
    labels, free = [], -math.inf
    for tick in scale.ticks:
        label = form(tick)
        half = len(label) * width / 2
        place = scale(tick)
        if place - half < free:
            labels.append("")
            continue
        labels.append(label)
        free = place + half + room
    return labels
