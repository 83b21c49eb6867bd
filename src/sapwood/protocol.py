"""The paper's "Online Stream Validation": predict each example, then learn it if it is labelled."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import streams
from ._interrupts import Interrupts
from ._labels import read_labels
from ._sources import limited, seconds_of
from .evaluation import Evaluation
from .results import Result, plain
from .strategies import Strategy
from .tree import ConfidenceTreeClassifier

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
        All classes. scikit-learn's models need them, and get those of y if the stream is a pair; a
        tree then knows them from the start, in this order.
    times : array, or name of a column, optional
        The time of each row in seconds, for a budget per time. A column of times is not learned.
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
    (0.63, 2000)
    """
    source = streams.open(stream)
    if classes is None and isinstance(stream, tuple) and not hasattr(model, "learn_one"):
        classes = read_labels(stream[1], len(stream[1])).present()
    by_column = isinstance(times, (str, int))
    if times is not None and not by_column:
        times = seconds_of(times)
        if source.n_rows is not None and len(times) != source.n_rows:
            raise ValueError(f"times has {len(times)} entries for {source.n_rows} rows.")
    settings = {
        "strategy": strategy,
        "budget": budget,
        "drift": drift,
        "delay": delay,
        "every": every,
        "positive": positive,
        "times": times if by_column else None,
        "name": source.name,
    }
    clock = None if by_column else times
    if isinstance(random_state, (list, tuple, range, np.ndarray)):
        if checkpoint is not None:
            raise ValueError("A checkpoint keeps one run: pass one random_state, not a list.")
        return [
            _run(source, model, {**settings, "random_state": seed}, classes, clock, None)
            for seed in random_state
        ]
    settings["random_state"] = random_state
    return _run(source, model, settings, classes, clock, checkpoint)


def _run(
    source: streams.Stream,
    model: Any,
    settings: dict[str, Any],
    classes: Any,
    times: NDArray[np.float64] | None,
    checkpoint: str | os.PathLike[str] | None,
) -> Result:
    chunks = source.chunks(
        _rows_at_once(source, model, settings["strategy"], checkpoint is not None)
    )
    first = next(chunks, None)
    if first is None:
        raise ValueError(f"The stream {source.name} has no rows: there is nothing to evaluate.")
    if classes is None and not hasattr(model, "learn_one"):
        classes = read_labels(first[1], len(first[1])).present()
    run = Evaluation(model, classes=classes, **settings)
    if checkpoint is not None and Path(checkpoint).exists():
        run = resumed(run, checkpoint)
    kept_at = time.monotonic()
    interrupts = Interrupts()
    with interrupts if checkpoint is not None else nullcontext():
        try:
            for X, y in limited(chain([first], chunks), None, run.n_rows):
                here = slice(run.n_rows, run.n_rows + len(y))
                interrupts.feed(run, X, y, None if times is None else times[here])
                if checkpoint is not None and time.monotonic() - kept_at > _SECONDS_BETWEEN_SAVES:
                    run.skipped = source.skipped
                    run.save(checkpoint)
                    kept_at = time.monotonic()
        except KeyboardInterrupt:
            run.skipped = source.skipped
            if checkpoint is not None:
                run.save(checkpoint)
            raise
    run.skipped = source.skipped
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


def _rows_at_once(source: streams.Stream, model: Any, strategy: Any, may_stop: bool) -> int:
    """Rows to feed at a time: what an interrupt can wait for."""
    native = isinstance(model, ConfidenceTreeClassifier) and isinstance(
        strategy, str | Strategy | None
    )
    in_memory = source.n_rows is not None and source.n_bytes is None
    if native and in_memory and not may_stop:
        return max(1, source.n_rows or 0)
    return 65536 if native else 1000
