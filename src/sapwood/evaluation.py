"""One run of the test-then-train protocol, fed chunk by chunk: it can be stopped and resumed."""

from __future__ import annotations

import copy
import os
import secrets
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, strategies
from . import drift as drifts
from ._clock import require_times
from ._container import reading, write_whole
from ._intake import read_table
from ._labels import read_labels
from ._learners import SklearnLearner, TreeLearner
from ._params import of_model, whole_number
from ._rows import dict_rows, matrix_rows
from ._scores import Scores
from ._sources import seconds_of, take_column
from ._trained import for_run, has_learned, state_of
from .active import ActiveLearner
from .budget import Budget
from .results import Curve, Result, columns_of, plain
from .streams import Stream
from .tree import ConfidenceTreeClassifier

_RECORD = ("leaves", "bytes", "labels", "drifts", "seconds")


class Evaluation:
    """A run that is fed with :meth:`feed` and gives its :meth:`result` at any time.

    :func:`sapwood.evaluate` does both for a whole stream; its parameters are described there.
    A run that fails amid a chunk is not in one piece, and takes no more rows.

    Attributes
    ----------
    n_rows, labels : int
        Rows run, and labels asked for, so far.
    accuracy : float
        Share of these rows that were predicted right.
    learner : ActiveLearner
        Model, strategy, budget and detector. A native run of all labels keeps no ledger in it, and
        none keeps the latest examples.

    Examples
    --------
    >>> import sapwood
    >>> from sapwood.datasets import rand_cbt
    >>> X, y = rand_cbt(n_leaves=4, per_leaf=5000, seed=2)
    >>> run = sapwood.Evaluation(sapwood.ConfidenceTreeClassifier())
    >>> run.feed(X[:9000], y[:9000])
    >>> run.feed(X[9000:], y[9000:])
    >>> round(run.result().accuracy, 2)
    0.69
    """

    def __init__(
        self,
        model: Any,
        *,
        strategy: Any = None,
        budget: Any = None,
        drift: Any = None,
        delay: int = 0,
        every: int = 1000,
        random_state: int | None = None,
        positive: Any = None,
        classes: Any = None,
        times: Any = None,
        name: str = "stream",
        trained: str = "refuse",
    ) -> None:
        self.every = whole_number("every", every, 1)
        self.delay = whole_number("delay", delay, 0)
        self.positive = positive
        self.times = times
        self.name = name
        self.label: Any = None  # the column that the labels came from, where it has a name
        self.fingerprint = ""  # of the first rows, where the run may be resumed
        self.n_rows = 0
        self.seconds = 0.0
        self.skipped = self.mended = 0
        self.seeded = random_state is not None
        self._full = strategy is None
        given = for_run(model, trained)
        self._begun_from = _told_apart(given) if has_learned(given) else None
        self.learner = ActiveLearner(
            given,
            "all" if strategy is None else copy.deepcopy(strategy),
            _budget_for(strategy, budget),
            drifts.make(drift),
            random_state,
            classes=classes,
        )
        self._scores = Scores()
        self._records: list[tuple[float, ...]] = []
        self._native = False
        self._broken = False
        self._trial: _core.Trial | None = None
        self._due: deque[tuple[int, int, Any]] = deque()  # (example, question, label)

    # --- feeding ----------------------------------------------------------------------------------

    def feed(
        self, X: Any, y: Any, times: Any = None, *, stop: Callable[[], bool] | None = None
    ) -> None:
        """Run the next rows of the stream.

        Where the core's own loop is interrupted, the run is in one piece all the same, and
        ``n_rows`` says how far it went.

        Parameters
        ----------
        X : array, DataFrame, Arrow table, or list of dicts
            The rows.
        y : array of labels
            All labels; only those that are asked for are learned.
        times : array, optional
            The time of each row in seconds, for a budget per time.
        stop : callable, optional
            Asked now and then, between two rows: to return True leaves the remaining rows out.
        """
        self._require_one_piece()
        if not len(y):
            return
        self._origin = time.perf_counter() - self.seconds
        try:
            self._feed(X, y, times, stop)
        finally:
            self._tick()

    def _require_one_piece(self) -> None:
        if self._broken:
            raise RuntimeError("The run failed amid a chunk and is not in one piece: begin anew.")

    def _tick(self) -> None:
        self.seconds = time.perf_counter() - self._origin

    def _feed(self, X: Any, y: Any, times: Any, stop: Callable[[], bool] | None) -> None:
        if self.times is not None and times is None:
            X, times = take_column(X, self.times, self.n_rows + 1)
        if self.learner.budget._core.cap == "period" and times is None:
            raise ValueError("A budget per time needs the time of each row: pass times=.")
        clock = None if times is None else seconds_of(times, self.n_rows + 1)
        if clock is not None and len(clock) != len(y):
            raise ValueError(f"times has {len(clock)} entries for {len(y)} rows.")
        if clock is not None:
            require_times(self.learner.budget._core, clock, self.n_rows + 1)
        by_name = isinstance(X, list) and all(isinstance(x, dict) for x in X)
        native = isinstance(self.learner.strategy, strategies.Strategy) and not by_name
        native = native and isinstance(self.learner._learner, TreeLearner)
        if self.n_rows and native != self._native:
            raise ValueError("Feed all rows of a run in one form: tables, or dicts.")
        self._native = native
        if native:
            self._feed_natively(self.learner.model, X, y, clock, stop)
            return
        labels = read_labels(y, len(X))
        rows = X if by_name else self._rows(X)
        truth = [labels.values[code] for code in labels.codes.tolist()]
        for i, (x, label) in enumerate(zip(rows, truth, strict=True)):
            self._feed_one(x, label, None if clock is None else float(clock[i]))
            if stop is not None and stop():
                return

    def _feed_natively(
        self,
        tree: ConfidenceTreeClassifier,
        X: Any,
        y: Any,
        times: NDArray[np.float64] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        table = tree._read(X)
        labels = read_labels(y, table.n_rows)
        if table.n_rows == 0:
            return
        core = tree._start(table)
        if self.n_rows == 0 and self.learner._classes:
            core.declare_classes(self.learner._classes)
        names = tree._names_in_batch(table, learns=True)
        if self._trial is None and not self._is_plain():
            self._trial = self._new_trial()
        start = self.n_rows
        first = min(self.every - start % self.every, table.n_rows + 1)
        rows = (table.columns, names, table.n_rows, labels.codes, labels.values)
        self._tick()
        before, every = core.t, min(self.every, table.n_rows + 1)
        self._broken = True  # where it is left before its end
        try:
            predicted, _, records, end = core.run(self._trial, *rows, times, first, every, stop)
        except Exception:
            self._broken = core.t != before
            raise
        tree._fix_columns(names)
        done = len(predicted)
        code_of, present = self._scores.code_of, _core.present(labels.codes, len(labels.values))
        truth = [code_of(v) if p else -1 for v, p in zip(labels.values, present, strict=True)]
        guess = [code_of(label) for label in core.classes]
        ends, early = [at for at, *_ in records], max(0, self.delay - start)
        self._scores.add_coded(labels.codes[:done], predicted, truth, guess, ends, early)
        for at, leaves, size, asked, found, seconds in records:
            asked = asked if self._trial else start + at
            self._records.append((leaves, size, asked, found, self.seconds + seconds))
        self.n_rows += done
        self._broken = core.t != before + done  # a copy of the model was not kept
        if end is not None:
            raise end

    @cached_property
    def _weighs(self) -> bool:
        """Whether probabilities are looked at; else a model is called as in a plain loop."""
        chosen = self.learner.strategy
        return not isinstance(chosen, strategies.Strategy) or (
            chosen._core.needs_confidence or chosen._core.needs_leaf
        )

    def _is_plain(self) -> bool:
        """Every label is learned at once, and nothing watches for drift: the tree's own loop."""
        return self._full and self.delay == 0 and self.learner._guard is None

    def _new_trial(self) -> _core.Trial:
        learner = self.learner
        assert isinstance(learner.strategy, strategies.Strategy)
        parts = (learner.strategy._core, learner.budget._core, learner._guard, learner._rng)
        return _core.Trial(*parts, self.delay)

    def _trial_state(self) -> bytes | None:
        return None if self._trial is None else self.learner.model._model.trial_state(self._trial)

    def _restore_trial(self, state: bytes) -> None:
        self._trial = self._new_trial()
        self.learner.model._model.restore_trial(self._trial, state)

    def _rows(self, X: Any) -> Iterator[Any]:
        """Return the rows of a table as the model takes them."""
        learner = self.learner._learner
        if isinstance(learner, SklearnLearner):
            if hasattr(X, "iloc"):
                return (X.iloc[[i]] for i in range(len(X)))
            return matrix_rows(X)
        if isinstance(learner, TreeLearner):
            tree = learner.model
            table = tree._read(X)
            names = tree._names_in_batch(table, learns=True)
            tree._start(table).declare(table.columns, names, table.n_rows)
            tree._fix_columns(names)
            return dict_rows(table)
        return dict_rows(read_table(X), drop_missing=True)

    def _feed_one(self, x: Any, y: Any, now: float | None) -> None:
        """Do what the native loop does, for one row and any model."""
        learner = self.learner
        with learner._turn:
            decision = learner._decide(x, now, self._weighs)
        self.n_rows += 1
        if decision.ask:
            self._due.append((self.n_rows + self.delay, decision.id, y))
        while self._due and self._due[0][0] <= self.n_rows:
            _, question, label = self._due.popleft()
            learner.label(question, label)
        scores = self._scores
        true = scores.code_of(y)
        guess = -1 if decision.prediction is None else scores.code_of(decision.prediction)
        scores.add_one(true, guess, self.n_rows <= self.delay)
        if self.n_rows % self.every == 0:
            scores.note()
            self._tick()
            self._records.append(self._record())

    def _record(self) -> tuple[float, ...]:
        learner = self.learner
        background = learner._background
        size = learner._learner.nbytes + (0 if background is None else background.nbytes)
        if self._trial is not None:
            size += self._trial.background_nbytes
        return learner._learner.n_leaves, size, self.labels, learner.drifts, self.seconds

    def note_faults(self, source: Stream) -> None:
        """Take over what a stream counts of its bad rows and values."""
        self.skipped, self.mended = source.skipped, source.mended

    # --- what came of it --------------------------------------------------------------------------

    @property
    def labels(self) -> int:
        """Labels asked for so far."""
        plain_run = self._full and self._trial is None and not self.learner.budget.seen
        return self.n_rows if plain_run else self.learner.budget.asked

    @property
    def accuracy(self) -> float:
        """Share of the scored rows so far that were predicted right."""
        return self._scores.accuracy

    def result(self) -> Result:
        """Return what the run gave so far."""
        if self.n_rows == 0:
            raise ValueError("The stream has no rows: there is nothing to evaluate.")
        began = time.perf_counter()
        scores, records = self._scores.copy(), list(self._records)
        if self.n_rows % self.every:
            scores.note()
            records.append(self._record())
        positive = scores.rarest() if self.positive is None else self.positive
        order = scores.order()
        classes = [scores.classes[k] for k in order]
        if positive not in classes:  # its F-measure is 0, and perhaps it is a slip
            warnings.warn(
                f"positive={positive!r} has not occurred: the labels were {classes!r}.",
                stacklevel=2,
            )

        def curve() -> dict[str, NDArray[Any]]:
            columns = scores.curve(positive) | columns_of(records, _RECORD)
            columns["query_rate"] = columns["labels"] / columns["i"]
            return columns

        accuracy, f_measure, kappa = scores.measures(positive)
        pairs, labels = scores.confusion().in_order(order), self.labels
        return Result(
            accuracy=accuracy,
            f_measure=f_measure,
            kappa=kappa,
            query_rate=labels / self.n_rows,
            n_rows=self.n_rows,
            labels=labels,
            drifts=self.learner.drifts,
            n_leaves=self.learner._learner.n_leaves,
            seconds=self.seconds + time.perf_counter() - began,
            positive=positive,
            classes=classes,
            pairs=pairs,
            curve=Curve(curve),
            model=self.learner.model,
            settings=self.settings(),
            skipped=self.skipped,
            unscored=scores.unscored,
            mended=self.mended,
        )

    def settings(self) -> dict[str, Any]:
        """Return what is needed to repeat the run, as plain values."""
        learner, model = self.learner, self.learner.model
        chosen = learner.strategy
        asks = chosen.settings if isinstance(chosen, strategies.Strategy) else _described(chosen)
        params: Any = getattr(model, "get_params", getattr(model, "_get_params", dict))()
        if isinstance(model, ConfidenceTreeClassifier):
            params = of_model(params)
        settings: dict[str, Any] = {
            "stream": self.name,
            "label": self.label,
            "model": None,
            "strategy": None if self._full else asks,
            "budget": None if self._full else str(learner.budget),
            "drift": None if learner.drift is None else learner.drift.settings,
            "delay": self.delay,
            "every": self.every,
            "random_state": learner.random_state,
            "positive": self.positive,
            "times": self.times,
            "classes": learner._classes,
        }
        plain_settings: dict[str, Any] = plain(settings)
        plain_settings["model"] = {"class": type(model).__name__, **_printable(params)}
        if self._begun_from is not None:
            plain_settings["model"]["state"] = self._begun_from
            plain_settings["trained"] = "continue"
        return plain_settings

    # --- stopping and going on --------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run's state to a file, from which :meth:`load` goes on exactly.

        A model of another library, or a strategy of your own, is pickled into the file: load such
        a file only if you trust where it comes from.
        """
        from ._run_file import to_bytes

        self._require_one_piece()
        write_whole(path, to_bytes(self))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_trial": self._trial_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_trial"] is not None:
            self._restore_trial(state["_trial"])

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trusted: bool = False) -> Evaluation:
        """Return the run that was saved; ``trusted`` allows a file with pickled parts."""
        from ._run_file import from_bytes

        data = Path(path).read_bytes()
        with reading(path):
            return from_bytes(data, trusted=trusted)


def _told_apart(model: Any) -> str:
    """Return what tells a model from others: where it cannot be looked into, from all others."""
    try:
        return state_of(model)
    except Exception:  # whatever the model's own code raises
        return secrets.token_hex(8)


def _budget_for(strategy: Any, budget: Any) -> Budget:
    if strategy is None:
        if budget is not None:
            raise ValueError("A budget needs a strategy that spends it: pass strategy=, too.")
        return Budget.unlimited()
    if budget is not None:
        return Budget.make(budget)
    name = strategy if isinstance(strategy, str) else getattr(strategy, "name", "all")
    if name in strategies.NAMES and name not in ("all", "none"):
        raise ValueError(f"The strategy {name!r} needs a budget, for example budget=0.1.")
    return Budget.unlimited()


def _printable(params: dict[str, Any]) -> dict[str, Any]:
    return {name: _simple(value) for name, value in params.items()}


def _simple(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, list):
        return [_simple(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else _described(value)


def _described(thing: Any) -> str:
    """Return the repr of an object, or its type's name where that would tell an address."""
    kind: Any = type(thing)
    has_own = kind.__repr__ is not object.__repr__
    return repr(thing) if has_own else f"{kind.__module__}.{kind.__qualname__}"
