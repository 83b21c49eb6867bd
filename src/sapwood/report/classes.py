"""Which classes were told apart: the confusion matrix and the scores of each class."""

from __future__ import annotations

from ..results import Result
from .page import name_cell, section, table
from .words import escaped, percent, whole

MAX_MATRIX = 12  # classes; a larger matrix says less than the table
MAX_SCORES = 100  # classes in the table


def classes_section(result: Result) -> str:
    """Return the section of a report about the classes."""
    if not result.classes:
        return ""
    about = (
        "Precision: of the examples that were called so, the share that are. Recall: of the "
        "examples that are so, the share that were called so. F is their harmonic mean."
    )
    if len(result.classes) > MAX_SCORES:
        about += (
            f" These are the {MAX_SCORES} most frequent of {whole(len(result.classes))} classes."
        )
    parts = ["<h3>Each class</h3>", f'<p class="about">{about}</p>', _scores(result)]
    if len(result.classes) <= MAX_MATRIX:
        told = "Rows are the true classes, columns the predicted ones; shares are those of a row."
        parts = [f'<p class="about">{told}</p>', _matrix(result), *parts]
    return section("Which classes were told apart", *parts)


def _matrix(result: Result) -> str:
    """Return the confusion matrix, shaded by the share of each cell in its row."""
    confusion = result.confusion
    columns = [escaped(label, 40) for label in result.classes]
    titles = [escaped(label, 2000) for label in result.classes]
    shown = len(columns)
    if confusion[:, -1].any():
        shown += 1
        columns.append("none yet")
        titles.append("before the first label nothing can be predicted")
    head = ["<th></th>"]
    head += (f'<th title="{t}">{c}</th>' for t, c in zip(titles, columns, strict=True))
    rows = []
    for k, label in enumerate(result.classes):
        total = int(confusion[k].sum())
        row = [name_cell(label, "th")]
        for j in range(shown):
            n = int(confusion[k, j])
            share = n / total if total else 0.0
            kind = "right" if j == k else "wrong"
            note = f"<small>{percent(share)}</small>" if n else ""
            row.append(f'<td class="{kind}" style="--a:{share:.3f}">{whole(n)}{note}</td>')
        rows.append(row)
    return table(head, rows, "matrix")


def _scores(result: Result) -> str:
    """Return precision, recall, F-measure and support of each class."""
    head = ['<th class="name">class</th>', "<th>examples</th>", "<th>share</th>"]
    head += ["<th>precision</th>", "<th>recall</th>", "<th>F</th>"]
    rows = []
    every = result.per_class()
    by_support = sorted(range(len(every)), key=lambda k: every[k]["support"], reverse=True)
    for scores in (every[k] for k in sorted(by_support[:MAX_SCORES])):
        share = scores["support"] / max(1, result.n_rows - result.unscored)
        row = [name_cell(scores["class"]), f"<td>{whole(scores['support'])}</td>"]
        row.append(f"<td>{percent(share)}</td>")
        for name in ("precision", "recall", "f_measure"):
            value = scores[name]
            row.append(f'<td class="bar" style="--a:{value:.3f}">{percent(value)}</td>')
        rows.append(row)
    return table(head, rows, "full")
