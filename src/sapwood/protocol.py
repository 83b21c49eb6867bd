"""The paper's "Online Stream Validation": predict each example, then learn it if it is labelled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import streams
from ._labels import encode, label_vector, read_labels
from ._learners import require_model
from ._runner import go_through
from ._sources import classes_declared, read_for, seconds_of
from .evaluation import Evaluation
from .results import Result
from .strategies import Strategy
from .streams.memory import n_rows
from .tree import ConfidenceTreeClassifier


def evaluate(
    stream: Any,
    model: Any,
    *,
    label: Any = None,
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
    trusted: bool = False,
    trained: str = "refuse",
) -> Any:
    """Run a stream through a copy of a model, and score what it predicts before it learns.

    Without a strategy every label is learned (the paper's FULL setting); with one, only the labels
    that it asks for within the budget (ACTIVE). A ConfidenceTreeClassifier on tables runs natively;
    any other model, a strategy of your own, and rows that come as dicts run in Python to the same
    meaning.

    Parameters
    ----------
    stream : pair (X, y), table with a label column, path, iterable of (x, y), or Stream
        See :func:`sapwood.streams.open`.
    model : ConfidenceTreeClassifier, or a classifier of river or scikit-learn with partial_fit
        A copy is taught; the object itself is left as it is.
    label : name, optional
        The label column of a table or file; see :func:`sapwood.streams.open` for how it is found
        otherwise, and for more options.
    strategy, budget, drift
        See :class:`sapwood.ActiveLearner`.
    delay : int
        Examples that pass between a question and its answer. 0: it is learned before the next
        example. Answers still due when the stream ends are not learned. The first ``delay``
        examples come before any answer can: those without a prediction are left out of the scores,
        and counted by ``unscored``.
    every : int
        Rows between two records of the curve.
    random_state : int, list of int, or None
        Seed of the strategy's draws; a list gives one run and result for each.
    positive : label, optional
        The class of the F-measure; the rarer one over the run if not given.
    classes : list, optional
        All classes. scikit-learn's models need them, and get those that occur if the stream is in
        memory; a tree then knows them from the start, in this order. By MOA's rules their order
        matters, so such a tree gets those that an ARFF file declares.
    times : array, or name of a column, optional
        The time of each row in seconds, for a budget per time. A column of times is not learned.
    checkpoint : path, optional
        The run's state is kept in this file, now and then and when it is interrupted; if the file
        is there, the run goes on from it. It is removed when the run is complete. For a model of
        another library, or a strategy of your own, the file holds a pickle, and going on from it
        can run code.
    trusted : bool
        Go on from a checkpoint that holds a pickle: only for files that you made. Its settings and
        first rows are compared before.
    trained : {"refuse", "continue", "fresh"}
        What to do with a model that has learned before: raise ValueError; go on from what it knows,
        by its clock and with its classes; or measure an untrained one with its parameters. Whether
        a model of another library has learned is only known where it shows in its attributes.

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
    require_model(model)
    occurring = None
    unknown = classes is None and asks_for_classes(model)
    in_memory = isinstance(stream, tuple) and len(stream) == 2
    if in_memory:  # bad labels are refused before anything is learned
        y = label_vector(stream[1], n_rows(stream[0]))
        if unknown or positive is not None:
            occurring = encode(y).present()
        elif y.dtype.kind not in "bui":  # whole numbers are no bad labels
            encode(y)
        if occurring is not None and positive is not None and positive not in occurring:
            raise ValueError(f"positive={positive!r} is not a class: {occurring!r} occurred.")
    source = streams.open(stream, label=label)
    if unknown and trained == "continue" and hasattr(model, "classes_"):
        classes = model.classes_.tolist()
    elif unknown:
        classes = classes_in(source) if occurring is None else occurring
    elif classes is None:
        classes = classes_declared(source, model, trained)
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
        "trained": trained,
        "name": source.name,
    }
    clock = None if by_column else times
    if isinstance(random_state, (list, tuple, range, np.ndarray)):
        if checkpoint is not None:
            raise ValueError("A checkpoint keeps one run: pass one random_state, not a list.")
        source.require_passes(len(random_state))
        return [
            _run(source, model, {**settings, "random_state": seed}, classes, clock, None)
            for seed in random_state
        ]
    settings["random_state"] = random_state
    return _run(source, model, settings, classes, clock, checkpoint, trusted)


def _run(
    source: streams.Stream,
    model: Any,
    settings: dict[str, Any],
    classes: Any,
    times: NDArray[np.float64] | None,
    checkpoint: str | os.PathLike[str] | None,
    trusted: bool = False,
) -> Result:
    def begin(_: Any) -> Evaluation:
        return Evaluation(model, classes=classes, **settings)

    native = _is_native(model, settings["strategy"])
    with read_for(source, model, settings["trained"]):
        run, complete = go_through(
            source,
            begin,
            rows=_rows_at_once(source, model, native, checkpoint is not None),
            tables=native and settings["times"] is None,
            times=times,
            checkpoint=checkpoint,
            resume=checkpoint is not None and Path(checkpoint).exists(),
            trusted=trusted,
        )
    if run is None or not complete:
        raise KeyboardInterrupt
    result = run.result()
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)
    return result


def asks_for_classes(model: Any) -> bool:
    """Whether a model must be told all classes before it learns, as those of scikit-learn must."""
    return not hasattr(model, "learn_one")


def classes_in(source: streams.Stream) -> list[Any]:
    """Return the classes of a stream that declares them, or may be read before it is learned."""
    if source.classes is not None:
        return source.classes
    if source.n_rows is None or source.n_bytes is not None:
        raise ValueError(
            f"A scikit-learn model must be told all classes of {source.name} before it learns: "
            "pass classes=."
        )
    found: set[Any] = set()
    for _, y in source.chunks():
        found.update(read_labels(y, len(y)).present())
    return sorted(found)


def _is_native(model: Any, strategy: Any) -> bool:
    """Whether a run on tables is the core's own."""
    known = isinstance(strategy, str | Strategy | None)
    return known and isinstance(model, ConfidenceTreeClassifier)


def _rows_at_once(source: streams.Stream, model: Any, native: bool, may_stop: bool) -> int:
    """Rows to feed at a time: what an interrupt can wait for."""
    in_memory = source.n_rows is not None and source.n_bytes is None
    if native and getattr(model, "compat", None) == "moa" and in_memory:
        return max(1, source.n_rows or 0)  # by MOA's rules a table's categories are known at once
    if native and in_memory and not may_stop:
        return 2**20
    return 65536 if native else 1000
