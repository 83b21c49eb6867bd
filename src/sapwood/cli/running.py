"""One run, fed chunk by chunk: shown while it goes on, interrupted safely, resumed exactly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from .._interrupts import Interrupts
from .._sources import as_label, limited
from ..evaluation import Evaluation
from ..protocol import resumed
from ..report.words import whole
from ..streams import BadRow, Stream, StreamError
from .folder import RunFolder
from .screen import Progress, counts

Chunk: TypeAlias = tuple[Any, Any]

_ROWS = 16384  # at a time: a moment's work, so that the picture moves and Ctrl-C is heard
_SECONDS_BETWEEN_SAVES = 5.0


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
    run: Evaluation | None = None
    total, in_bytes = _total(source, limit)
    progress = Progress(shown, total, source.name)
    interrupts = Interrupts()
    try:
        with interrupts, progress.running():
            chunks = source.chunks(_ROWS)
            first = next(chunks, None)
            if first is None:
                raise StreamError(f"{source.name} has no rows: there is nothing to run.")
            positive = as_label(settings["positive"], first[1])
            run = Evaluation(model, **{**settings, "positive": positive, "name": source.name})
            if resume:
                run = resumed(run, folder.checkpoint)
            before = run.n_rows
            progress.begin_at(0 if in_bytes else before)
            kept_at = time.monotonic()
            seen: list[int] = []
            for X, y in limited(_counted(first, chunks, seen), limit, run.n_rows):
                interrupts.feed(run, X, y)
                done = source.bytes_read if in_bytes else run.n_rows
                progress.update(done, _words(run, run.n_rows - before, progress.seconds))
                if time.monotonic() - kept_at > _SECONDS_BETWEEN_SAVES:
                    run.save(folder.checkpoint)
                    kept_at = time.monotonic()
            if sum(seen) < min(before, limit or before):
                raise StreamError(f"{source.name} ends before the row at which the run stopped.")
    except KeyboardInterrupt:
        if run is None or not run.n_rows:
            return Outcome(None, complete=False)
        run.skipped = source.skipped
        run.save(folder.checkpoint)
        return Outcome(run, complete=False, errors=source.errors)
    run.skipped = source.skipped
    return Outcome(run, complete=True, errors=source.errors)


def _counted(first: Chunk, rest: Iterator[Chunk], seen: list[int]) -> Iterator[Chunk]:
    """Yield the chunks, and note how many rows each has."""
    for chunk in chain([first], rest):
        seen.append(len(chunk[1]))
        yield chunk


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
