"""The report of one run, as one page that needs nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..results import Result
from .cap import Cap
from .charts import accuracy_chart, bytes_chart, labels_chart, leaves_chart
from .classes import classes_section
from .headline import asked_all, headline, stream_name
from .page import figure, page, section
from .sampling import floats
from .settings import settings_section
from .treeview import tree_section
from .words import counted, escaped, percent, whole


def report_html(result: Result, *, title: str | None = None, budget: Any = None) -> str:
    """Return the report of a run as an HTML page.

    Parameters
    ----------
    result : Result
        What :func:`sapwood.evaluate` gave.
    title : str, optional
        The heading; the name of the stream if not given.
    budget : float, str or Budget, optional
        What the labels are compared with; that of the settings if not given.

    Returns
    -------
    str
        The page. It loads nothing from elsewhere.
    """
    cap = Cap.of(budget if budget is not None else result.settings.get("budget"))
    heading = title or stream_name(result.settings) or "A run over a stream"
    body = [
        "<header>",
        f"<h1>{escaped(heading, 200)}</h1>",
        *headline(result, cap),
        "</header>",
    ]
    if len(result.curve):
        body += [_accuracy(result), _labels(result, cap), _growth(result)]
    body += [
        classes_section(result),
        tree_section(result.model),
        settings_section(result.settings),
    ]
    return page(heading, [part for part in body if part])


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    budget: Any = None,
) -> None:
    """Write the report of a run to a file; the parameters are those of :func:`report_html`."""
    text = report_html(result, title=title, budget=budget)
    Path(path).write_text(text, encoding="utf-8", newline="\n")


def _accuracy(result: Result) -> str:
    about = (
        "Every example was predicted before its label was known. The strong line is the share of "
        "right answers so far, the thin one that of the examples since the record before."
    )
    if result.drifts:
        about += " Dashed lines are drifts."
    return section("How often it was right", figure(accuracy_chart(result.curve)), about=about)


def _labels(result: Result, cap: Cap | None) -> str:
    if asked_all(result) and cap is None:
        return section("What it asked for", about="Every label was learned; none had to be asked.")
    allowed = None if cap is None else cap.at(floats([*result.curve["i"], result.n_rows]))
    if cap is None:
        about = "No budget is known for this run."
    elif allowed is None:
        about = f"The budget was {escaped(cap.words)}."
    else:
        left = float(allowed[-1]) - result.labels
        about = f"The budget was {escaped(cap.words)}: {whole(float(allowed[-1]))} for this run."
        if left >= 1:
            share = percent(left / float(allowed[-1]))
            over = counted(left, "label")
            about += f" The shaded part was not spent: {over} at the end, {share} of the budget."
        elif left <= -1:
            over = counted(-left, "label")
            about += f" At the end it was exceeded by {over}."
        else:
            about += " At the end all of it was spent."
            behind = allowed[:-1] - floats(result.curve["labels"])
            if np.nanmax(behind, initial=0.0) > 0.01 * float(allowed[-1]):
                about += " The shaded part was held back on the way."
    return section("What it asked for", figure(labels_chart(result.curve, cap)), about=about)


def _growth(result: Result) -> str:
    """Return the growth of the model, of what the curve knows."""
    charts = []
    for column, chart in (("leaves", leaves_chart), ("bytes", bytes_chart)):
        values = floats(result.curve[column])
        if (values > 0).any():
            charts.append(chart(result.curve))
    return section("How it grew", figure(*charts)) if charts else ""
