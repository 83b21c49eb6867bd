"""What a comparison leaves behind: a table, pictures, a page and a Parquet file."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Rows = Sequence[dict[str, Any]]

_RESULTS, _PAGE, _CHART = "results.parquet", "comparison.html", "accuracy-"


def table_of(found: Rows) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows of a summary, for the screen; what is all the same is left out."""
    columns = ["strategy", ">budget", ">accuracy %", ">F", ">labels %", ">leaves"]
    rows = [
        [
            entry["strategy"],
            entry["budget"] or "–",
            _interval(entry, "accuracy", 100, 2),
            _interval(entry, "f_measure", 1, 3),
            _interval(entry, "query_rate", 100, 2),
            _interval(entry, "n_leaves", 1, 1),
        ]
        for entry in found
    ]
    for name in ("learner", "stream"):
        if len({entry[name] for entry in found}) > 1:
            columns = [name, *columns]
            rows = [[entry[name], *row] for entry, row in zip(found, rows, strict=True)]
    return columns, rows


def _interval(entry: dict[str, Any], name: str, scale: float, digits: int) -> str:
    mean, half = scale * entry[name], scale * entry[f"{name}_half"]
    spread = "" if math.isnan(half) else f" ± {half:.{digits}f}"
    return f"{mean:.{digits}f}{spread}"


def made_in(out: Path) -> list[Path]:
    """Return the files of a comparison in a folder, whether they are there or not."""
    return [out / _RESULTS, out / _PAGE, *out.glob(f"{_CHART}*.svg")]


def write_files(rows: Rows, found: Rows, out: Path) -> dict[str, str]:
    """Write the results, the pictures and the page; return the paths."""
    from ..report import write_comparison

    files = {"results": str(_write_rows(rows, out / _RESULTS))}
    charts = {}
    pairs = dict.fromkeys((entry["stream"], entry["learner"]) for entry in found)
    for stream, learner in pairs:
        part = [e for e in found if (e["stream"], e["learner"]) == (stream, learner)]
        svg = _chart(part)
        if svg is None:
            continue
        plain = re.sub(r"[^\w.-]+", "-", f"{stream}-{learner}").strip("-.")
        path = out / f"{_CHART}{plain}.svg"
        path.write_text(svg, encoding="utf-8")
        charts[f"{stream}, {learner}" if len(pairs) > 1 else "Accuracy against the budget"] = svg
        files[f"chart {stream} {learner}"] = str(path)
    columns, lines = table_of(found)
    names = [column.removeprefix(">") for column in columns]
    page = out / _PAGE
    table = [dict(zip(names, line, strict=True)) for line in lines]
    seeds = max(entry["seeds"] for entry in found)
    about = f"Means over up to {seeds} seeds, with 95 % intervals of Student's t."
    write_comparison(table, charts, "A comparison", page, about=about)
    files["page"] = str(page)
    return files


def _chart(part: Rows) -> str | None:
    """Draw accuracy against the budget, a line per strategy; full is a level over all budgets."""
    from ..report import compare_chart

    budgets = sorted({entry["B"] for entry in part if entry["B"] is not None})
    if not budgets:
        return None
    lines: list[tuple[str, list[float], list[float], list[float] | None, list[float] | None]] = []
    for strategy in dict.fromkeys(entry["strategy"] for entry in part):
        own = sorted((e for e in part if e["strategy"] == strategy), key=lambda e: e["B"] or 0)
        means = [entry["accuracy"] for entry in own]
        halves = [entry["accuracy_half"] for entry in own]
        if strategy == "full":
            lines.append(("full", budgets, means * len(budgets), None, None))
            continue
        known = not any(math.isnan(half) for half in halves)
        lows = [m - h for m, h in zip(means, halves, strict=True)] if known else None
        highs = [m + h for m, h in zip(means, halves, strict=True)] if known else None
        lines.append((strategy, [entry["B"] for entry in own], means, lows, highs))
    return compare_chart(lines, "budget", "accuracy")


def _write_rows(rows: Rows, path: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns["positive"] = [str(value) for value in columns["positive"]]
    parquet.write_table(pyarrow.table(columns), str(path))
    return path
