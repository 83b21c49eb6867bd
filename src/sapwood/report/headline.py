"""The first lines of a report: what came of the run, in a sentence and in figures."""

from __future__ import annotations

import re
from typing import Any

from ..results import Result
from .cap import Cap
from .words import counted, decimal, duration, escaped, percent, shortened, whole

_NAMELESS = ("", "stream", "table", "iterable", "rows")  # of streams that came without a name


def stream_name(settings: dict[str, Any]) -> str:
    """Return the name of a stream, without its folders; empty if it has none."""
    stream = settings.get("stream")
    if isinstance(stream, dict):
        stream = stream.get("name") or stream.get("path")
    name = re.split(r"[\\/]", str(stream if stream is not None else "").rstrip("\\/"))[-1]
    return "" if name in _NAMELESS else name


def asked_all(result: Result) -> bool:
    """Tell whether every label was learned, because nothing said otherwise."""
    return result.labels >= result.n_rows and result.settings.get("strategy") is None


def headline(result: Result, cap: Cap | None) -> list[str]:
    """Return the sentence, what there is to add to it, and the row of key figures."""
    name = stream_name(result.settings)
    of = f" of <span>{escaped(name, 60)}</span>" if name else ""
    kind = "tree" if hasattr(result.model, "to_svg") else "model"
    if asked_all(result) and cap is None:
        asked = "learned from every label"
    else:
        asked = f"asked for <b>{counted(result.labels, 'label')}</b>, "
        asked += f"<b>{percent(result.query_rate)}</b> of the stream"
    lede = (
        f"On {counted(result.n_rows, 'example')}{of} the {kind} was right "
        f"<b>{percent(result.accuracy)}</b> of the time and {asked}."
    )
    return [f'<p class="lede">{lede}</p>', _then(result, cap), _figures(result)]


def _then(result: Result, cap: Cap | None) -> str:
    said = []
    _, support, _ = result.pairs.sums()
    if sum(support):
        label = result.classes[support.index(max(support))]
        said.append(
            f"Always answering <q>{escaped(label, 40)}</q>, the most frequent class, would have "
            f"been right {percent(max(support) / sum(support))} of the time."
        )
    if cap is not None:
        said.append(f"The budget was {escaped(cap.words)}.")
    if result.drifts:
        said.append(f"It noticed {counted(result.drifts, 'drift')}.")
    if result.unscored:
        early = counted(result.unscored, "example")
        were = "was" if result.unscored == 1 else "were"
        said.append(f"{early} came before any label could and {were} left out of the scores.")
    if result.skipped:
        skipped = counted(result.skipped, "row")
        were = "was" if result.skipped == 1 else "were"
        said.append(f"{skipped} could not be read and {were} left out.")
    if result.mended:
        mended = counted(result.mended, "value")
        were = "was" if result.mended == 1 else "were"
        said.append(f"{mended} could not be read and {were} taken as missing.")
    return f'<p class="then">{" ".join(said)}</p>' if said else ""


def _figures(result: Result) -> str:
    speed = result.n_rows / result.seconds if result.seconds > 0 else 0.0
    time = "in all"
    if speed >= 1:
        time += f", {whole(float(f'{speed:.3g}'))} examples a second"
    positive = shortened(str(result.positive), 24)
    figures = [
        (percent(result.accuracy), "accuracy"),
        (decimal(result.kappa), "kappa: 0 is chance, 1 is perfect"),
        (decimal(result.f_measure), f"F-measure of “{positive}”"),
        (whole(result.labels), f"labels, {percent(result.query_rate)} of the stream"),
        (whole(result.drifts), "drift" if result.drifts == 1 else "drifts"),
    ]
    if result.n_leaves:
        figures.append((whole(result.n_leaves), "leaf" if result.n_leaves == 1 else "leaves"))
    figures.append((duration(result.seconds), time))
    boxes = (f"<div><dt>{escaped(what)}</dt><dd>{value}</dd></div>" for value, what in figures)
    return f'<dl class="figures">{"".join(boxes)}</dl>'
