"""One run, fed chunk by chunk: shown while it goes on, interrupted safely, resumed exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._runner import go_through
from .._sources import as_label, classes_declared, read_for
from ..evaluation import Evaluation
from ..report.words import whole
from ..streams import BadRow, Stream
from .folder import RunFolder
from .screen import Progress, counts

_ROWS = 16384  # at a time: mostly a moment's work, so that the picture moves


@dataclass
class Outcome:
    """How a run ended: the evaluation as it is, and whether the stream was read to its end."""

    evaluation: Evaluation | None
    complete: bool
    errors: list[BadRow] = field(default_factory=list)


def go(
    source: Stream,
    model: Any,
    settings: dict[str, Any],
    folder: RunFolder,
    *,
    limit: int | None,
    resume: bool,
    shown: bool,
) -> Outcome:
    """Run a stream; on Ctrl-C leave a checkpoint and return what was done."""
    trained = settings.get("trained", "refuse")
    total, in_bytes = _total(source, limit)
    progress = Progress(shown, total, source.name)
    before: list[int] = []

    def begin(first: tuple[Any, Any]) -> Evaluation:
        positive = as_label(settings["positive"], first[1])
        known = {"positive": positive, "name": source.name}
        known["classes"] = classes_declared(source, model, trained)
        return Evaluation(model, **{**settings, **known})

    def each(run: Evaluation) -> None:
        if not shown:
            return
        if not before:
            before.append(run.n_rows if resume else 0)
            progress.begin_at(0 if in_bytes else before[0])
        done = source.bytes_read if in_bytes else run.n_rows
        progress.update(done, _words(run, run.n_rows - before[0], progress.seconds))

    with progress.running(), read_for(source, model, trained):
        run, complete = go_through(
            source,
            begin,
            rows=_ROWS,
            tables=settings.get("times") is None,
            limit=limit,
            checkpoint=folder.checkpoint,
            resume=resume,
            trusted=True,  # the run's own folder
            each=each,
        )
    return Outcome(run, complete, source.errors)


def _total(source: Stream, limit: int | None) -> tuple[float | None, bool]:
    """Return what progress counts to, and whether that is bytes and not rows."""
    if source.n_rows is not None:
        return min(source.n_rows, limit or source.n_rows), False
    if limit is not None:
        return limit, False
    return source.n_bytes, source.n_bytes is not None


def _words(run: Evaluation, rows: int, seconds: float) -> str:
    leaves = getattr(run.learner.model, "n_leaves_", 1)
    spent = f"{whole(run.labels)} labels"
    if run.labels < run.n_rows:
        spent += f" of {run.learner.budget}"
    return counts(run.n_rows, seconds * run.n_rows / max(1, rows), run.accuracy, spent, leaves)
