"""The paper's "Online Stream Validation": predict each example, then learn it if it is labelled."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from . import streams
from .evaluation import Evaluation
from .results import Result, plain

_SECONDS_BETWEEN_SAVES = 5.0


def evaluate(
    stream: Any,
    model: Any,
    *,
    strategy: Any = None,
    budget: Any = None,
    drift: Any = None,
    delay: int = 0,
    every: int = 1000,
    random_state: Any = None,
    positive: Any = None,
    classes: Any = None,
    times: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Any:
    """Run a stream through a fresh copy of a model, and score what it predicts before it learns.

    Without a strategy every label is learned (the paper's FULL setting); with one, only the labels
    that it asks for within the budget (ACTIVE). A ConfidenceTreeClassifier runs natively; any other
    model, and a strategy of your own, runs in Python to the same meaning.

    Parameters
    ----------
    stream : pair (X, y), table with a label column, path, iterable of (x, y), or Stream
        See :func:`sapwood.streams.open`.
    model : ConfidenceTreeClassifier, or a classifier of river or scikit-learn with partial_fit
        Its parameters are used; the object itself is left as it is.
    strategy, budget, drift
        See :class:`sapwood.ActiveLearner`.
    delay : int
        Examples that pass between a question and its answer. 0: it is learned before the next
        example. Answers still due when the stream ends are not learned.
    every : int
        Rows between two records of the curve.
    random_state : int, list of int, or None
        Seed of the strategy's draws; a list gives one run and result for each.
    positive : label, optional
        The class of the F-measure; the rarer one over the run if not given.
    classes : list, optional
        All classes, for scikit-learn models; those of y if the stream is a pair.
    times : array, optional
        The time of each row in seconds, for a budget per time; the stream must be a pair then.
    checkpoint : path, optional
        The run's state is kept in this file, now and then and when it is interrupted; if the file
        is there, the run goes on from it. It is removed when the run is complete.

    Returns
    -------
    Result, or list of Result
        Scores, curve and the trained model.

    Examples
    --------
    >>> import sapwood
    >>> from sapwood.datasets import rand_cbt
    >>> stream = rand_cbt(n_leaves=4, per_leaf=5000, seed=2)
    >>> tree = sapwood.ConfidenceTreeClassifier()
    >>> result = sapwood.evaluate(stream, tree)
    >>> round(result.accuracy, 2), result.n_leaves
    (0.69, 9)
    >>> result = sapwood.evaluate(stream, tree, strategy="conf-tree", budget=0.1, random_state=7)
    >>> round(result.accuracy, 2), result.labels
    (0.69, 2000)
    """
    source = streams.open(stream)
    settings = {
        "strategy": strategy,
        "budget": budget,
        "drift": drift,
        "delay": delay,
        "every": every,
        "positive": positive,
        "name": source.name,
    }
    if isinstance(random_state, (list, tuple, range, np.ndarray)):
        if checkpoint is not None:
            raise ValueError("A checkpoint keeps one run: pass one random_state, not a list.")
        return [
            _run(source, model, {**settings, "random_state": seed}, classes, times, None)
            for seed in random_state
        ]
    settings["random_state"] = random_state
    return _run(source, model, settings, classes, times, checkpoint)


def _run(
    source: streams.Stream,
    model: Any,
    settings: dict[str, Any],
    classes: Any,
    times: Any,
    checkpoint: str | os.PathLike[str] | None,
) -> Result:
    if times is not None:
        times = np.asarray(times, dtype=np.float64)
        if source.n_rows is not None and len(times) != source.n_rows:
            raise ValueError(f"times has {len(times)} entries for {source.n_rows} rows.")
    chunks = source.chunks(_rows_at_once(source))
    first = next(chunks, None)
    if first is None:
        raise ValueError(f"The stream {source.name} has no rows: there is nothing to evaluate.")
    if classes is None and not hasattr(model, "learn_one"):
        classes = sorted(set(plain(np.unique(np.asarray(first[1])))))
    run = Evaluation(model, classes=classes, **settings)
    if checkpoint is not None and Path(checkpoint).exists():
        run = resumed(run, checkpoint)
    kept_at = time.monotonic()
    try:
        for X, y, at in _rest(first, chunks, run.n_rows):
            run.feed(X, y, None if times is None else times[at : at + len(y)])
            run.skipped = source.skipped
            if checkpoint is not None and time.monotonic() - kept_at > _SECONDS_BETWEEN_SAVES:
                run.save(checkpoint)
                kept_at = time.monotonic()
    except KeyboardInterrupt:
        if checkpoint is not None:
            run.save(checkpoint)
        raise
    result = run.result()
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)
    return result


def resumed(run: Evaluation, checkpoint: str | os.PathLike[str]) -> Evaluation:
    """Return the run of a checkpoint; ValueError if it was one with other settings."""
    kept = Evaluation.load(checkpoint, trusted=True)
    ours, theirs = plain(run.settings()), plain(kept.settings())
    ours["random_state"] = ours["random_state"] if run.seeded else theirs["random_state"]
    different = [name for name in ours if ours[name] != theirs[name]]
    if different:
        raise ValueError(
            f"{checkpoint} was left by a run with another {', '.join(different)}: remove it to "
            "begin anew, or repeat that run."
        )
    return kept


def _rows_at_once(source: streams.Stream) -> int:
    """What is in memory is fed whole; files in chunks that an interrupt need not wait for."""
    in_memory = source.n_rows is not None and source.n_bytes is None
    return max(1, source.n_rows or 0) if in_memory else 65536


def _rest(
    first: tuple[Any, Any], others: Iterator[tuple[Any, Any]], done: int
) -> Iterator[tuple[Any, Any, int]]:
    """Yield the chunks that are not done, with the number of rows before each."""
    at = 0
    chunk: tuple[Any, Any] | None = first
    while chunk is not None:
        X, y = chunk
        n = len(y)
        if at >= done:
            yield X, y, at
        elif at + n > done:
            yield _slice(X, done - at), _slice(y, done - at), done
        at += n
        chunk = next(others, None)


def _slice(rows: Any, start: int) -> Any:
    if hasattr(rows, "iloc"):
        return rows.iloc[start:]
    return rows.slice(start) if hasattr(rows, "slice") else rows[start:]
