"""A page that compares runs: a table and its pictures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..results import plain
from .page import figure, name_cell, page, section, table
from .words import NONE, escaped, whole


def comparison_html(
    rows: Sequence[Mapping[str, Any]],
    charts: Sequence[str] | Mapping[str, str],
    title: str,
    *,
    about: str = "",
) -> str:
    """Return a page that compares runs.

    Parameters
    ----------
    rows : list of dict
        The table: a row per run, a value per column. Text and numbers are written as they are,
        numbers with four digits; a column missing in a row stays empty.
    charts : list of str, or dict of str by heading
        SVG documents, such as those of :func:`sapwood.report.compare_chart`.
    title : str
        The heading.
    about : str, optional
        A sentence below it.

    Returns
    -------
    str
        The page. It loads nothing from elsewhere.

    Examples
    --------
    >>> from sapwood.report import comparison_html
    >>> page = comparison_html([{"strategy": "random", "accuracy": 0.7824}], [], "Two strategies")
    >>> "0.7824" in page
    True
    """
    said = f'<p class="lede">{escaped(about)}</p>' if about else ""
    body = ["<header>", f"<h1>{escaped(title, 200)}</h1>", said, "</header>"]
    if isinstance(charts, Mapping):
        body += (section(heading, figure(chart)) for heading, chart in charts.items())
    else:
        body += (figure(chart) for chart in charts)
    if rows:
        body.append(section("The numbers", _table(rows)))
    return page(title, [part for part in body if part])


def write_comparison(
    rows: Sequence[Mapping[str, Any]],
    charts: Sequence[str] | Mapping[str, str],
    title: str,
    path: str | os.PathLike[str],
    *,
    about: str = "",
) -> None:
    """Write a comparison to a file; the parameters are those of :func:`comparison_html`."""
    text = comparison_html(rows, charts, title, about=about)
    Path(path).write_text(text, encoding="utf-8", newline="\n")


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    values = {name: [plain(row.get(name)) for row in rows] for name in names}
    numeric = {
        name: all(v is None or _is_number(v) for v in column) for name, column in values.items()
    }
    head = [
        f"<th>{escaped(name, 40)}</th>" if numeric[name] else name_cell(name, "th")
        for name in names
    ]
    cells = [
        [_number(values[n][k]) if numeric[n] else _words(values[n][k]) for n in names]
        for k in range(len(rows))
    ]
    return table(head, cells, "full")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any) -> str:
    if value is None or value != value:
        return f"<td>{NONE}</td>"
    shown = whole(value) if isinstance(value, int) else f"{value:,.4g}"
    return f"<td>{shown.replace('-', '−')}</td>"


def _words(value: Any) -> str:
    return "<td></td>" if value is None else name_cell(value)
