"""A run on its way through a stream: kept now and then, interrupted in one piece, resumed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._container import reading
from ._interrupts import Interrupts
from ._learners import TreeLearner
from ._run_file import Kept
from ._sources import fingerprint, limited
from .evaluation import Evaluation
from .results import plain
from .strategies import Strategy
from .streams import Stream, StreamError

_SECONDS_BETWEEN_SAVES = 5.0

Chunk = tuple[Any, Any]


def go_through(
    source: Stream,
    begin: Callable[[Chunk], Evaluation],
    *,
    rows: int,
    tables: bool = False,
    limit: int | None = None,
    times: NDArray[np.float64] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    trusted: bool = False,
    each: Callable[[Evaluation], None] = lambda run: None,
) -> tuple[Evaluation | None, bool]:
    """Feed a stream to a run.

    Parameters
    ----------
    source : Stream
        The rows.
    begin : callable
        Makes the run, given the first chunk.
    rows : int
        Rows at a time: with a checkpoint, an interrupt is heard between two rows, or two chunks.
    tables : bool
        Whether the run is a tree's of ours, by no column of times, and so takes rows in any form.
    limit : int, optional
        Rows after which to end.
    times : array, optional
        The time of each row.
    checkpoint : path, optional
        File that gets the state of the run now and then, and when it is interrupted.
    resume : bool
        Go on from the checkpoint.
    trusted : bool
        Whether the checkpoint may be unpickled.
    each : callable
        Told of the run after each chunk.

    Returns
    -------
    run : Evaluation or None
        As far as it went; None if it was interrupted before it began.
    complete : bool
        Whether the stream was read to its end.
    """
    run: Evaluation | None = None
    interrupts = Interrupts()
    since = time.perf_counter()
    try:
        with nullcontext() if checkpoint is None else interrupts:
            chunks = (source._quick_chunks if tables else source.chunks)(rows)
            first = next(chunks, None)
            if first is None:
                raise source.empty()
            run = begin(first)
            run.label = source.label
            if checkpoint is not None:
                run.fingerprint = fingerprint(*first)
            if resume and checkpoint is not None:
                run = resumed(run, checkpoint, trusted=trusted)
            before, kept_at, passed = run.n_rows, time.monotonic(), [0]
            for X, y in limited(_counted(chain([first], chunks), passed), limit, before):
                here = slice(run.n_rows, run.n_rows + len(y))
                run.seconds += time.perf_counter() - since  # reading and the like
                interrupts.feed(run, X, y, None if times is None else times[here])
                since = time.perf_counter()
                each(run)
                if checkpoint is not None and time.monotonic() - kept_at > _SECONDS_BETWEEN_SAVES:
                    run.note_faults(source)
                    run.save(checkpoint)
                    kept_at = time.monotonic()
            if passed[0] < min(before, limit or before):
                raise StreamError(f"{source.name} ends before the row at which the run stopped.")
    except KeyboardInterrupt:
        if run is None or not run.n_rows:
            return None, False
        run.note_faults(source)
        if checkpoint is not None:
            run.save(checkpoint)
        return run, False
    run.note_faults(source)
    run.seconds += time.perf_counter() - since
    return run, True


def resumed(
    run: Evaluation, checkpoint: str | os.PathLike[str], *, trusted: bool = False
) -> Evaluation:
    """Return the run of a checkpoint; ValueError if it was one with other settings or rows.

    Its settings are compared first, so that nothing of another run is unpickled, and nothing at all
    unless it is ``trusted``.
    """
    data, path = Path(checkpoint).read_bytes(), os.fspath(checkpoint)
    with reading(checkpoint):
        kept = Kept(data)
    free = {"positive"} if run.seeded else {"positive", "random_state"}
    ours = run.settings()
    different = [name for name in ours if name not in free and _differs(name, ours, kept.settings)]
    if not different and kept.fingerprint != run.fingerprint:
        different = ["stream: its first rows are others"]
    if different:
        raise ValueError(
            f"{path} was left by a run with another {', '.join(different)}: "
            "remove it to begin anew, or repeat that run."
        )
    # Only what cannot be kept otherwise is pickled, so only then may the file hold a pickle.
    learner = run.learner
    ours_alone = isinstance(learner._learner, TreeLearner)
    ours_alone = ours_alone and isinstance(learner.strategy, Strategy)
    if kept.is_pickled and not (trusted or ours_alone):
        raise ValueError(
            f"{path} holds a pickled {type(learner.model).__name__}, and loading it can run code. "
            "If you made the file yourself, say so: "
            f"evaluate(..., checkpoint={path!r}, trusted=True)"
        )
    with reading(checkpoint):
        again = kept.run(trusted=trusted and not ours_alone)
    again.positive = plain(run.positive)
    return again


def _differs(name: str, ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether a setting is another than a file's, which has gone through JSON."""
    return json.dumps(ours[name], sort_keys=True) != json.dumps(theirs.get(name), sort_keys=True)


def _counted(chunks: Iterator[Chunk], passed: list[int]) -> Iterator[Chunk]:
    """Yield the chunks, and add up their rows."""
    for chunk in chunks:
        passed[0] += len(chunk[1])
        yield chunk
