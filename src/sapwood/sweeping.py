"""Many settings of the tree over one stream, with what they have in common done once.

>>> import sapwood
>>> from sapwood.datasets import rand_cbt
>>> stream = rand_cbt(n_leaves=4, per_leaf=5000, seed=2)
>>> trees = [sapwood.ConfidenceTreeClassifier(c=c) for c in (0.01, 0.05, 0.5)]
>>> [result.n_leaves for result in sapwood.sweep(stream, trees)]
[22, 7, 1]
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, streams
from ._jobs import n_threads
from ._labels import Labels, read_labels
from ._params import for_core, kept
from ._sources import classes_declared
from .evaluation import Evaluation
from .results import Result
from .tree import ConfidenceTreeClassifier

__all__ = ["sweep"]

_ROWS = 65536
_ROWS_IN_MEMORY = 2**20


def sweep(
    stream: Any,
    trees: Iterable[ConfidenceTreeClassifier],
    *,
    label: Any = None,
    every: int = 1000,
    positive: Any = None,
    n_jobs: int | None = None,
    trained: str = "refuse",
) -> list[Result]:
    """Test-then-train many trees on one stream, and return what :func:`evaluate` gives for each.

    The stream is read once. Trees that differ in ``c`` or ``delta`` alone share their leaves as
    long as they have made the same splits, so most of their work is done once for all of them.

    Parameters
    ----------
    stream : tuple (X, y), Stream or path
        As for :func:`evaluate`.
    trees : iterable of ConfidenceTreeClassifier
        The settings. The trees themselves are not trained.
    label : name, optional
        The column of the labels.
    every : int
        Rows between two records of the curves.
    positive : label, optional
        The class of the F-measure; the rarer one if not given.
    n_jobs : int, optional
        Threads; None means 1, -1 one per core. The results do not depend on it.
    trained : {"refuse", "fresh"}
        What to do with a tree that has learned before: raise ValueError, or sweep an untrained one
        with its parameters. To go on from trained trees is for :func:`evaluate`.

    Returns
    -------
    list of Result
        In the order of the trees; ``model`` is None, and the curves' ``seconds`` are those of all
        trees that were grown together.

    Examples
    --------
    >>> import sapwood
    >>> from sapwood.datasets import rand_cbt
    >>> trees = [sapwood.ConfidenceTreeClassifier(c=c) for c in (0.02, 0.2)]
    >>> both = sapwood.sweep(rand_cbt(n_leaves=4, per_leaf=500, seed=2), trees)
    >>> [result.n_rows for result in both]
    [2000, 2000]
    """
    models = list(trees)
    for tree in models:
        if not isinstance(tree, ConfidenceTreeClassifier):
            raise TypeError(f"A sweep takes trees of sapwood, not {type(tree).__name__}.")
    if trained == "continue":
        raise ValueError(
            "Trees that have learned share no leaves, so a sweep cannot go on from them: pass "
            "trained='fresh' for untrained ones, or call sapwood.evaluate(..., trained='continue') "
            "for each."
        )
    source = streams.open(stream, label=label)
    jobs = n_threads(n_jobs)
    about = {"every": every, "positive": positive, "name": source.name, "trained": trained}
    runs = [
        _Share(tree, **about, classes=classes_declared(source, tree, trained)) for tree in models
    ]
    groups = _groups(runs, jobs)
    with ThreadPoolExecutor(jobs) as pool:
        in_memory = source.n_rows is not None and source.n_bytes is None
        ended = threading.Event()  # only this thread hears signals, and must tell the others
        try:
            for X, y in source.chunks(_ROWS_IN_MEMORY if in_memory else _ROWS):
                if isinstance(X, list) and all(isinstance(x, dict) for x in X):
                    raise TypeError(
                        "A sweep takes tables, not rows by name: pass a table, or call "
                        "sapwood.evaluate for each tree."
                    )
                labels = read_labels(y, len(y))
                tasks = [pool.submit(group.feed, X, labels, ended.is_set) for group in groups]
                for done in tasks:
                    done.result()
        except BaseException:
            ended.set()
            raise
    for group in groups:
        group.settle()
    if runs and not runs[0].n_rows:
        raise source.empty()
    for run in runs:
        run.label = source.label
        run.note_faults(source)
    return [run.result() for run in runs]


class _Share(Evaluation):
    """One tree's share of a sweep: an evaluation that is told what came of it."""

    _latest: tuple[float, ...] = (1, 0, 0, 0, 0.0)

    def _record(self) -> tuple[float, ...]:
        return self._latest

    def result(self) -> Result:
        """Return what the tree gave, without the tree."""
        return replace(super().result(), n_leaves=int(self._latest[0]), model=None)


class _Together:
    """Trees that share their leaves."""

    def __init__(self, runs: list[_Share]) -> None:
        self.runs = runs
        self.reader = runs[0].learner.model
        self.core: _core.Sweep | None = None
        self.n_rows = 0
        self.seconds = 0.0
        # Pairs of classes, and per tree how often they came, by the stretch of the curve.
        self._counted: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = []
        self._stretches = 0

    def feed(self, X: Any, labels: Labels, stop: Callable[[], bool]) -> None:
        """Learn the next rows of the stream with every tree."""
        began = time.perf_counter()
        table = self.reader._read(X)
        names = self.reader._names_in_batch(table, learns=True)
        if self.core is None:
            params = [for_core(run.learner.model.get_params(deep=False)) for run in self.runs]
            self.core = _core.Sweep(params, self.reader._declared(names))
        self.reader._start(table).declare(table.columns, names, table.n_rows)
        for run in self.runs:
            run.learner.model._fix_columns(names)
        every = self.runs[0].every
        first = every - self.n_rows % every
        rows = (table.columns, names, table.n_rows, labels.codes, labels.values)
        for at, leaves, sizes, pairs, counts, seconds in self.core.run(*rows, first, every, stop):
            self._counted.append((self._stretches, pairs, counts))
            total, now = self.n_rows + at, self.seconds + seconds
            for run, n, size in zip(self.runs, leaves.tolist(), sizes.tolist(), strict=True):
                run._latest, run.n_rows = (n, size, total, 0, now), total
                if total % every == 0:
                    run._records.append(run._latest)
            self._stretches += total % every == 0
        self.n_rows += table.n_rows
        self.seconds += time.perf_counter() - began

    def settle(self) -> None:
        """Give each run what was counted for its tree."""
        if self.core is None:
            return
        began = time.perf_counter()
        parts = [(np.full(len(pairs), at), pairs, counts.T) for at, pairs, counts in self._counted]
        stretches, pairs, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        for k, run in enumerate(self.runs):
            for label in self.core.classes:
                run._scores.code_of(label)
            came = counts[:, k] > 0
            table = stretches[came], pairs[came], counts[came, k]
            run._scores.add_pairs(*table, finished=self._stretches)
            run.seconds = self.seconds + time.perf_counter() - began


class _Alone:
    """A tree that can share nothing but the reading."""

    def __init__(self, run: _Share) -> None:
        self.run = run
        settings = {"every": run.every, "positive": run.positive, "name": run.name}
        classes = run.learner._classes
        self.evaluation = Evaluation(run.learner.model, **settings, classes=classes)

    def feed(self, X: Any, labels: Labels, stop: Callable[[], bool]) -> None:
        """Learn the next rows of the stream."""
        self.evaluation.feed(X, np.array(labels.values, dtype=object)[labels.codes], stop=stop)

    def settle(self) -> None:
        """Give the run what came of it."""
        run, evaluation = self.run, self.evaluation
        run._scores, run._records = evaluation._scores, evaluation._records
        run.n_rows, run.seconds = evaluation.n_rows, evaluation.seconds
        if run.n_rows:
            run._latest = evaluation._record()


def _groups(runs: Sequence[_Share], jobs: int) -> list[_Together | _Alone]:
    """Divide the runs into groups that can go on side by side, at least one per job."""
    families: dict[str, list[_Share]] = {}
    alone: list[_Together | _Alone] = []
    for run in runs:
        params = for_core(run.learner.model.get_params(deep=False))
        if params["max_leaves"] or params["max_bytes"] or params["compat"] != "none":
            alone.append(_Alone(run))
            continue
        varies = "c" if params["bound"] == "c-tree" else "delta"
        fixed_delta = varies == "delta" and params["delta"] == 0.0
        key = {k: v for k, v in params.items() if fixed_delta or k != varies}
        key["categorical_features"] = kept(run.learner.model.get_params())["categorical_features"]
        families.setdefault(repr(sorted(key.items())), []).append(run)
    together: list[_Together | _Alone] = []
    parts = -(-jobs // max(1, len(families) + len(alone)))
    for family in families.values():
        family.sort(key=_caution)
        size = -(-len(family) // parts)
        together += [_Together(family[i : i + size]) for i in range(0, len(family), size)]
    return together + alone


def _caution(run: _Share) -> float:
    """Return how unwilling to split a tree is, among those that are otherwise equal."""
    params = for_core(run.learner.model.get_params(deep=False))
    return float(params["c"] if params["bound"] == "c-tree" else -params["delta"])
