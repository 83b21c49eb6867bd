"""How the figures look: one style, one colour per learner or strategy, in all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..report.palette import LIGHT

__all__ = ["COLOURS", "band", "frame", "legend", "panels", "points", "save", "style"]

_INK, _AXIS, _GRID = LIGHT["ink"], LIGHT["axis"], LIGHT["grid"]
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sapwood",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": _AXIS,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "grid.color": _GRID,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
}
#: Learners, strategies and bounds, each with its colour.
COLOURS = {
    "c-tree": LIGHT["s0"],
    "h-tree": LIGHT["s1"],
    "corrh-tree": LIGHT["s2"],
    "theorem": LIGHT["s3"],
    "hoeffding": LIGHT["s1"],
    "mcdiarmid": LIGHT["s4"],
    "random": LIGHT["s6"],
    "variable-uncertainty": LIGHT["s1"],
    "randomized-variable-uncertainty": LIGHT["s4"],
    "selective-sampling": LIGHT["s2"],
    "split": LIGHT["s3"],
    "conf-tree": LIGHT["s0"],
    "split-conf-tree": LIGHT["s5"],
}


def style() -> Any:
    """Return a context in which what is drawn looks like ours."""
    import matplotlib as mpl

    return mpl.rc_context(_STYLE)


def panels(rows: int, columns: int, *, width: float = 3.1, height: float = 2.5) -> tuple[Any, Any]:
    """Return a figure and its axes, as a matrix."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def band(
    axes: Any,
    x: Sequence[float] | Any,
    y: Sequence[float] | Any,
    half: Sequence[float] | Any,
    *,
    colour: str,
    label: str | None = None,
    **line: Any,
) -> None:
    """Draw a line of ours, and its interval behind it."""
    y, half = np.asarray(y, float), np.nan_to_num(np.asarray(half, float))
    axes.fill_between(x, y - half, y + half, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, y, color=colour, label=label, linewidth=1.5, **line)


def points(
    axes: Any, xy: Iterable[tuple[float, float]], *, colour: str, label: str | None = None
) -> None:
    """Draw points of the paper."""
    x, y = zip(*xy, strict=True)
    axes.plot(x, y, "o", markersize=5, markerfacecolor="none", color=colour, label=label)


def legend(figure: Any, axes: Any, columns: int) -> None:
    """Put one legend for all panels below them, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def frame(axes: Any) -> None:
    """Fit an axes' height to its lines and points: the interval of few runs may be very wide."""
    heights = [np.asarray(line.get_ydata(), float) for line in axes.get_lines()]
    y = np.concatenate(heights or [np.zeros(1)])
    y = y[np.isfinite(y)]
    if len(y) and y.max() > y.min():
        margin = 0.12 * (y.max() - y.min())
        axes.set_ylim(y.min() - margin, y.max() + margin)


def save(figure: Any, folder: Path, name: str) -> None:
    """Write a figure as SVG and as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for axes in figure.axes:
        empty = not any(len(line.get_xdata()) for line in axes.get_lines())
        if empty and axes.get_yscale() == "log":  # too few runs: nothing has no logarithm
            axes.set(xscale="linear", yscale="linear")
    with style():
        figure.savefig(folder / f"{name}.png", dpi=110)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    _slim(folder / f"{name}.svg")


def _slim(path: Path) -> None:
    """Make a file of matplotlib's smaller: shorter numbers, no metadata."""
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"\d+\.\d{3,}", _shorter, tag[0]), text)
    text = re.sub(r"font-family: [^;\"]+", "font-family: sans-serif", text)
    path.write_text(re.sub(r"\s*\n\s*", "\n", text).strip() + "\n")


def _shorter(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"
