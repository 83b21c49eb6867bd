"""The pictures of a run, and the picture that compares runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from . import palette
from .cap import Cap
from .plot import Plot
from .sampling import Floats, floats, spread
from .scale import Scale, at_values, digits_of, nice
from .words import brief, counted, percent, size, whole

Numbers = Sequence[float]
Series = tuple[str, Numbers, Numbers, Numbers | None, Numbers | None]

_HALF = (430.0, 230.0)  # of a page, for two pictures side by side
_LABELLED = 16  # drifts with a label each
_NOTES = 160  # places that answer to the pointer; half of them in a picture of half the width


def accuracy_chart(curve: Any) -> str:
    """Draw the accuracy over the stream: so far, and of the examples since the last record.

    Parameters
    ----------
    curve : Curve
        The records of a run.

    Returns
    -------
    str
        An SVG document, like that of every function here.
    """
    i, so_far, window = (floats(curve[c]) for c in ("i", "accuracy", "window_accuracy"))
    low, high = _range(so_far, window)
    scale = nice(low, high, n=5, within=(0.0, 1.0), least=0.05)
    about = f"Accuracy over the stream, at the end {percent(_last(so_far))}"
    plot = _over_stream(i, scale, "accuracy", _percents(scale), about)
    _mark_drifts(plot, i, curve)
    last = np.diff(i, prepend=0.0)
    if len(i) > 1:  # of one record both are the same
        name = f"last {whole(last[-1])}: {percent(_last(window))}"
        plot.line("s0", i, window, name, stroke=1.0, opacity=0.55)
    plot.line("s0", i, so_far, f"so far: {percent(_last(so_far))}", stroke=2.5)
    for k in spread(len(i), _NOTES):
        note = f"after {counted(i[k], 'example')}\nright so far: {percent(so_far[k])}\n"
        note += f"of the last {whole(last[k])}: {percent(window[k])}"
        plot.note(i[k], note, [so_far[k], window[k]])
    return plot.svg()


def labels_chart(curve: Any, cap: Cap | None) -> str:
    """Draw the labels asked for over the stream, against what the budget allowed."""
    i, labels = (np.append(0.0, floats(curve[c])) for c in ("i", "labels"))  # it begins with none
    allowed = cap.at(i) if cap is not None else None
    _, high = _range(labels) if allowed is None else _range(labels, allowed)
    scale = nice(0.0, max(high, 1.0) if math.isfinite(high) else 1.0, n=4, integer=True)
    about = f"Labels asked for over the stream, at the end {whole(_last(labels))}"
    plot = _over_stream(i, scale, "labels asked for", brief, about)
    if allowed is not None:
        plot.area("s0", i, labels, np.maximum(labels, allowed))
        plot.area("alarm", i, allowed, np.maximum(labels, allowed), opacity=0.3)
        name = f"budget: {whole(_last(allowed))}"
        plot.line("axis", i, allowed, name, stroke=1.5, dashes="5 4")
    plot.line("s0", i, labels, f"asked: {whole(_last(labels))}", stroke=2.5)
    for k in spread(len(i), _NOTES):
        note = f"after {counted(i[k], 'example')}\n{counted(labels[k], 'label')} asked for"
        note += f", {percent(labels[k] / i[k])}" if i[k] > 0 else ""
        values = [labels[k]]
        if allowed is not None:
            note += f"\nallowed: {whole(allowed[k])}"
            values.append(allowed[k])
        plot.note(i[k], note, values)
    return plot.svg()


def leaves_chart(curve: Any) -> str:
    """Draw how many leaves the tree had."""
    form: Callable[[float], str] = partial(counted, one="leaf", many="leaves")
    return _growth(curve, "leaves", "leaves", brief, form, integer=True)


def bytes_chart(curve: Any) -> str:
    """Draw how much memory the model held."""
    return _growth(curve, "bytes", "memory", size, size)


def compare_chart(
    series: Sequence[Series], x_label: str, y_label: str, *, percents: bool | None = None
) -> str:
    """Draw a line per series with an interval at each of its points, named at its end.

    Parameters
    ----------
    series : list of (name, x, y, low, high)
        ``low`` and ``high``, the ends of the intervals, may be None.
    x_label, y_label : str
        What the axes show.
    percents : bool, optional
        Whether values are shares, to be written as percentages; by default, if the values of an
        axis lie between 0 and 1.

    Returns
    -------
    str
        An SVG document that needs nothing else.

    Examples
    --------
    >>> from sapwood.report.charts import compare_chart
    >>> line = ("random", [0.01, 0.1], [0.71, 0.78], [0.69, 0.77], [0.73, 0.79])
    >>> compare_chart([line], "budget", "accuracy")[:4]
    '<svg'
    """
    low, high = _range(*(floats(v) for line in series for v in line[2:] if v is not None))
    shares = percents if percents is not None else low >= 0.0 and high <= 1.0
    y = nice(low, high, n=6, within=(0.0, 1.0) if shares else (-math.inf, math.inf))
    x = at_values(value for line in series for value in line[1])
    if len(x.ticks) > 12:
        x = Scale(x.low, x.high, 0.0, 1.0, nice(x.low, x.high, snap=False).ticks, log=False)
    x_shares = percents if percents is not None else bool(x.low >= 0.0 and x.high <= 1.0)
    tall = max(360.0, 90.0 + 17.0 * len(series))
    plot = Plot(
        x,
        y,
        x_label,
        y_label,
        _plain_percent if x_shares else brief,
        _percents(y) if shares else brief,
        f"{y_label} against {x_label}",
        (880.0, tall),
        inset=16.0,
    )
    for k, (name, at, value, lows, highs) in enumerate(series):
        part, shift = f"s{k % palette.N_SERIES}", 3.0 * (k - (len(series) - 1) / 2)
        shift = shift if len(series) <= 8 else 0.0
        if lows is not None and highs is not None:
            plot.whiskers(part, at, lows, highs, shift)
        dashes = "6 4" if k >= palette.N_SERIES else ""
        plot.line(part, at, value, name, stroke=1.8, dashes=dashes, marker=k, shift=shift)
    return plot.svg()


def _over_stream(
    i: Floats,
    y: Scale,
    y_label: str,
    form: Callable[[float], str],
    about: str,
    dimensions: tuple[float, float] = (880.0, 300.0),
) -> Plot:
    """Return an empty plot over the stream, which begins at 0."""
    n = 8 if dimensions[0] > 600 else 4
    x = nice(0.0, max(_range(i)[1], 1.0), n=n, integer=True, snap=False)
    return Plot(x, y, "examples", y_label, brief, form, about, dimensions)


def _growth(
    curve: Any,
    column: str,
    name: str,
    tick: Callable[[float], str],
    form: Callable[[float], str],
    integer: bool = False,
) -> str:
    i, values = floats(curve["i"]), floats(curve[column])
    scale = nice(0.0, max(_range(values)[1], 1.0), n=4, integer=integer)
    about = f"{name} over the stream, at the end {form(_last(values))}"
    plot = _over_stream(i, scale, name, tick, about, _HALF)
    _mark_drifts(plot, i, curve, labelled=False)
    draw = plot.step if integer else plot.line
    draw("s0", i, values, tick(_last(values)), stroke=2.0)
    for k in spread(len(i), _NOTES // 2):
        plot.note(i[k], f"after {counted(i[k], 'example')}\n{form(values[k])}", [values[k]])
    return plot.svg()


def _mark_drifts(plot: Plot, i: Floats, curve: Any, labelled: bool = True) -> None:
    """Mark the records at which the count of drifts rose."""
    drifts = np.nan_to_num(floats(curve["drifts"]))
    rises = np.diff(drifts, prepend=0.0)
    found = np.flatnonzero(rises > 0)
    many = len(found) > _LABELLED
    for k in found:
        label = "drift" if rises[k] == 1 else f"{whole(rises[k])} drifts"
        since = f"between {whole(i[k - 1] if k else 0)} and {counted(i[k], 'example')}"
        if many:  # one label says it better than a row of them
            label = f"{whole(drifts[-1])} drifts" if k == found[0] else ""
        plot.mark(i[k], label if labelled else "", f"{counted(rises[k], 'drift')} {since}")


def _range(*columns: Floats) -> tuple[float, float]:
    """Return the least and the greatest number of all; NaN if there is none."""
    numbers = np.concatenate([c[np.isfinite(c)] for c in columns]) if columns else np.zeros(0)
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (math.nan, math.nan)


def _last(values: Floats) -> float:
    """Return the last number; NaN if there is none."""
    good = values[np.isfinite(values)]
    return float(good[-1]) if len(good) else math.nan


def _percents(scale: Scale) -> Callable[[float], str]:
    """Return what writes a scale's ticks as percentages with as many decimals as they need."""
    digits = digits_of(100 * tick for tick in scale.ticks)
    return lambda share: f"{100 * share:.{digits}f}\u00a0%"


def _plain_percent(share: float) -> str:
    return f"{100 * share:.6g}\u00a0%"
