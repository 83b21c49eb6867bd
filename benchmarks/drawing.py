"""The figures of the page: small SVG files, drawn with matplotlib."""

from __future__ import annotations

import re
import statistics
from pathlib import Path
from typing import Any

from benchmarks.measure import shown
from benchmarks.part import Data

OURS, THEIRS, INK, FAINT = "#1b7a43", "#9aa3a0", "#22302a", "#d9dedb"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sapwood",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": THEIRS,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
AXIS_NAMES = {
    "columns": "columns",
    "leaves": "leaves",
    "classes": "classes",
    "categories": "categories",
    "bins": "bins",
    "missing": "share missing",
    "batch": "rows per partial_fit",
    "density": "density (CSR, d = 1,000)",
}


def draw(name: str, data: Data, folder: Path) -> list[tuple[str, str]]:
    """Draw the figures of a part; returns the name of each file with a description."""
    drawers = {"learning": _speed, "growth": _growth}
    if name not in drawers or "omitted" in data:
        return []
    import matplotlib as mpl

    mpl.use("svg")
    with mpl.rc_context(STYLE):
        figure, words = drawers[name](data)
        folder.mkdir(parents=True, exist_ok=True)
        file = "speed.svg" if name == "learning" else f"{name}.svg"
        figure.savefig(folder / file, metadata={"Date": None}, bbox_inches="tight")
    slim(folder / file)
    return [(file, words)]


def slim(path: Path) -> None:
    """Make a file of matplotlib's smaller: shorter numbers, no metadata, no blanks at line ends."""
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"\d+\.\d{2,}", _shorter, tag[0]), text)
    text = re.sub(r"font-family: [^;\"]+", "font-family: sans-serif", text)
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r"\s*\n\s*", "\n", text)
    path.write_text(text.strip() + "\n")


def _shorter(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}"


def _plain(value: float, _: object = None) -> str:
    """Format a tick: 10, 10k, 1M."""
    for factor, unit in ((1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:g}{unit}"
    return f"{value:g}"


def _speed(data: Data) -> tuple[Any, str]:
    """Bars of rows per second on RandCBT, majority leaves; floors as lines."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    lines = data["majority"]["lines"]
    short = {
        "sapwood": "sapwood",
        "moa": "MOA, in memory",
        "capymoa arff": "CapyMOA, ARFFStream",
        "capymoa numpy": "CapyMOA, NumpyStream",
        "river": "river",
    }
    bars = [
        (words, statistics.median(lines[key]["rate"]), lines[key]["leaves"], key == "sapwood")
        for key, words in short.items()
        if key in lines
    ]
    bars.sort(key=lambda bar: bar[1])
    figure = Figure(figsize=(7, 0.5 * len(bars) + 1.3))
    axes = figure.subplots()
    rates = [rate for _, rate, _, _ in bars]
    axes.barh(range(len(bars)), rates, 0.62, color=[OURS if o else THEIRS for *_, o in bars])
    for i, (_, rate, leaves, ours) in enumerate(bars):
        look: dict[str, Any] = {"ha": "right", "color": "white", "weight": "bold"} if ours else {}
        at = rate / 1.08 if ours else rate * 1.08  # inside ours: beside it are the floors
        axes.text(at, i, f"{shown(rate)} ({leaves} leaves)", va="center", **look)
    for name, words in (("count", "route and count"), ("route", "route only")):
        floor = statistics.median(data["majority"]["floors"][name])
        axes.axvline(floor, color=INK, lw=0.9, ls=(0, (3, 2)))
        axes.text(
            floor,
            len(bars) - 0.45,
            words,
            ha="right" if name == "count" else "left",
            va="bottom",
            fontsize=8,
        )
    axes.set_xscale("log")
    axes.set_xlim(min(rates) / 3, statistics.median(data["majority"]["floors"]["route"]) * 3)
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.set_yticks(range(len(bars)), [words for words, *_ in bars])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(
        f"rows per CPU second, log scale: RandCBT, {data['rows']:,} rows, test-then-train, "
        "majority leaves"
    )
    return figure, "Rows per CPU second of sapwood and its peers at about equal leaves"


def _growth(data: Data) -> tuple[Any, str]:
    """Small multiples: rows per second above, bytes below, one pair per axis, scales in common."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullLocator

    names = [name for name in AXIS_NAMES if name in data["axes"]]
    width = 4
    bands = -(-len(names) // width)
    figure = Figure(figsize=(10, 3.4 * bands), layout="constrained")
    grid = figure.subplots(2 * bands, width, squeeze=False)
    series: dict[str, list[tuple[list[float], list[float]]]] = {"rows / CPU s": [], "bytes": []}
    for name in names:
        points = data["axes"][name]
        x = [point["x"] for point in points]
        series["rows / CPU s"].append((x, [statistics.median(p["rate"]) for p in points]))
        series["bytes"].append((x, [p["bytes"] for p in points]))
    for k, (word, curves) in enumerate(series.items()):
        every = [value for _, y in curves for value in y]
        for i, (name, (x, y)) in enumerate(zip(names, curves, strict=True)):
            axes = grid[2 * (i // width) + k][i % width]
            axes.plot(x, y, color=OURS, lw=1.4, marker="o", ms=3)
            axes.set_yscale("log")
            axes.set_ylim(min(every) / 2, max(every) * 2)
            axes.set_xscale("linear" if name == "missing" else "log")
            axes.grid(axis="y", color=FAINT, lw=0.6)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FuncFormatter(_plain))
                axis.set_minor_locator(NullLocator())
            axes.tick_params(labelbottom=k == 1, labelleft=i % width == 0, length=0)
            if i % width == 0:
                axes.set_ylabel(word)
            if k == 0:
                axes.set_title(AXIS_NAMES[name], loc="left", weight="bold")
    for i in range(len(names), bands * width):
        for k in (0, 1):
            grid[2 * (i // width) + k][i % width].set_visible(False)
    return figure, "Rows per CPU second and bytes against the size of the problem"
