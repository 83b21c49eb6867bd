"""The confidence tree, with the methods of scikit-learn and of river on one class."""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core, persist
from ._columns import batch_names, declared_columns, names_in_row, names_of
from ._dirt import Mended, faults, named, refusal, without
from ._intake import Name, Table, is_dataframe, like_frame, like_series, read_table, read_weights
from ._jobs import n_threads
from ._labels import Labels, as_class_array, declared_labels, read_labels
from ._params import DEFAULT_C, PARAMETERS, for_core, kept, validate
from ._river import RiverFace
from ._sklearn import classifier_tags, not_fitted_error
from .explain import Certificate, Explanation
from .inspection import Inspection

_T = TypeVar("_T")
_NO_CLASS = 0xFFFFFFFF  # what the core predicts before the first label


class ConfidenceTreeClassifier(Inspection, RiverFace):
    """A decision tree that learns from a stream and splits a leaf only when it is sure.

    A leaf keeps counts of what it has seen. Every ``grace_period`` examples it compares the best
    split of its best attribute with the best of any other attribute, and with not splitting at all;
    it splits when the gap between the two is larger than a confidence bound allows for chance. With
    the defaults this is the C-Tree of De Rosa (2016) with the Gini index.

    The class speaks scikit-learn (``fit``, ``partial_fit``, ``predict``, …) and river
    (``learn_one``, ``predict_one``, ``learn_many``, …). Many threads may read it while one learns.

    Parameters
    ----------
    criterion : {"gini", "entropy", "kearns-mansour", "error"}
        The impurity that splits should reduce.
    bound : {"c-tree", "theorem", "hoeffding", "hoeffding-corrected", "mcdiarmid"}
        The confidence bound; see :func:`sapwood.bounds.epsilon`.
    c : float
        Factor of the "c-tree" bound. A smaller c splits earlier and gives a larger tree.
    delta : float or "1/t"
        Probability of failure for the other bounds; "1/t" shrinks it with the stream.
    tie_threshold : float
        Split also when the bound's epsilon is at most this, and the best split beats no split.
        0 means never.
    grace_period : int
        Examples that a leaf learns between two looks for a split.
    leaf_prediction : {"majority", "naive-bayes", "adaptive"}
        How a leaf predicts; "adaptive" uses whichever of the two was right more often there.
    numeric_splits : {"histogram", "gaussian", "exact"}
        How numbers are summarised: the leaf's first ``n_bins`` distinct values as bin edges, a
        normal distribution per class, or every value.
    n_bins : int
        Number of bin edges of a histogram.
    categorical_features : list of names or positions, optional
        Columns whose numbers are categories. Text and categorical columns need not be named.
    max_leaves, max_depth : int, optional
        Limits of the tree. A leaf at the limit keeps no split statistics.
    max_bytes : int, optional
        Limit of ``nbytes_``. When it is reached, the least promising leaves stop collecting.
    compat : {"moa"}, optional
        Follow the rules of MOA's HoeffdingTree; see :meth:`moa`.
    on_error : {"stop", "missing", "skip"}
        What happens at a value of a row, given as a mapping, that its column cannot take: text
        among numbers, an infinite number, a list. "stop" raises an error, and changes nothing;
        with "missing" the value counts as missing; with "skip" the row is not learned. To predict,
        such a value is missing in both. ``set_params(on_error=...)`` acts at once.
    columns : {"strict", "by-name"}
        Which columns a batch must have. "strict": those of the first batch or row that was
        learned; one that came later, in a row given as a mapping, may be absent, and is missing
        then. "by-name": any, as for ``learn_many``. ``set_params(columns=...)`` acts at once.
    n_jobs : int, optional
        Threads that ``predict``, ``predict_proba`` and ``apply`` use for a large batch. None means
        1, -1 one per core, -2 all but one. The results do not depend on it, and a saved model does
        not keep it; ``set_params(n_jobs=...)`` acts at once.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted: the order of the columns of ``predict_proba``. A class that comes
        later is put in its place.
    n_features_in_ : int
        Number of columns known.
    feature_names_in_ : ndarray of str
        Names of the columns, if they have names.
    feature_importances_ : ndarray
        Share of each column in the impurity that the splits removed, weighted by traffic.
    n_leaves_, depth_ : int
        Size of the tree.
    t_ : int or float
        The clock: rows learned, and rows counted by :meth:`advance`.
    nbytes_ : int
        Bytes that the model holds.
    n_unmatched_ : int
        Rows asked about by name with values, but none in a column that is known, since the object
        was made or loaded. The first brings a warning; no file keeps the count.
    n_mended_, n_skipped_ : int
        Values taken as missing in rows that were learned, and rows not learned, by ``on_error``
        since the object was made or loaded.

    References
    ----------
    R. De Rosa, "Confidence Decision Trees via Online and Active Learning for Streaming (BIG) Data",
    2016.

    Examples
    --------
    >>> from sapwood import ConfidenceTreeClassifier
    >>> from sapwood.datasets import rand_cbt
    >>> X, y = rand_cbt(n_leaves=4, per_leaf=5000, seed=2)
    >>> tree = ConfidenceTreeClassifier().fit(X, y)
    >>> round(tree.score(X, y), 2)
    0.7
    """

    n_mended_ = n_skipped_ = 0
    _in_force: dict[str, Any] | None = None  # the parameters with which the model began
    _first_columns: tuple[Name, ...] = ()  # which a batch must have: of the first batch or row

    def __init__(
        self,
        criterion: str = "gini",
        bound: str = "c-tree",
        c: float = DEFAULT_C,
        delta: float | str = "1/t",
        tie_threshold: float = 0.0,
        grace_period: int = 100,
        leaf_prediction: str = "majority",
        numeric_splits: str = "histogram",
        n_bins: int = 32,
        categorical_features: Any = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_bytes: int | None = None,
        compat: str | None = None,
        on_error: str = "stop",
        columns: str = "strict",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.bound = bound
        self.c = c
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.grace_period = grace_period
        self.leaf_prediction = leaf_prediction
        self.numeric_splits = numeric_splits
        self.n_bins = n_bins
        self.categorical_features = categorical_features
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.max_bytes = max_bytes
        self.compat = compat
        self.on_error = on_error
        self.columns = columns
        self.n_jobs = n_jobs

    # --- presets: constructor parameters and nothing else -----------------------------------------

    @classmethod
    def c_tree(cls, **params: Any) -> Self:
        """Return the paper's C-Tree: Gini, the c-tree bound, no ties."""
        return cls(**{"criterion": "gini", "bound": "c-tree", **params})

    @classmethod
    def h_tree(cls, **params: Any) -> Self:
        """Return the paper's H-Tree: Gini with Hoeffding's bound, tested as VFDT does."""
        return cls(**{"criterion": "gini", "bound": "hoeffding", "delta": 1e-7, **params})

    @classmethod
    def corrh_tree(cls, **params: Any) -> Self:
        """Return the paper's CorrH-Tree: the classification error with Hoeffding's bound."""
        return cls(**{"criterion": "error", "bound": "hoeffding", "delta": 1e-7, **params})

    @classmethod
    def moa(cls, **params: Any) -> Self:
        """Return MOA's HoeffdingTree with binary splits (its option ``-b``), by MOA's rules.

        The defaults are MOA's: information gain, delta 1e-7, grace period 200, adaptive leaves, and
        a tie threshold of 0.05, which for information gain is in bits and becomes
        0.05 · ½ ln 2 in our units.
        """
        bits = params.get("criterion", "entropy") == "entropy"
        preset = {
            "criterion": "entropy",
            "bound": "hoeffding",
            "delta": 1e-7,
            "tie_threshold": 0.05 * (0.5 * math.log(2.0) if bits else 1.0),
            "grace_period": 200,
            "leaf_prediction": "adaptive",
            "numeric_splits": "gaussian",
            "compat": "moa",
        }
        return cls(**{**preset, **params})

    # --- scikit-learn -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn the rows in one pass, in the given order.

        Parameters
        ----------
        X : array, DataFrame or Arrow table of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Class labels: whole numbers, booleans or text.
        sample_weight : array of shape (n_samples,), optional
            Weights of 0 or more. A whole number w means w copies of the row.

        Returns
        -------
        self
        """
        fresh = type(self)(**self.get_params(deep=False))
        table = fresh._read(X)
        labels = read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        if weights is not None and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        fresh._start(table)
        fresh._learn_fixed(table, labels, weights, labels.present())
        self._model, self._waiting = fresh._model, 0
        self._first_columns, self._in_force = fresh._first_columns, fresh._in_force
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn the rows in the given order, after all that was learned before.

        The first call fixes the number, names and order of the columns, unless ``columns`` says
        otherwise. Classes are added as they appear, until ``classes`` declares them: from then on,
        and after :meth:`fit`, no method learns any other.

        Parameters
        ----------
        X, y, sample_weight
            As for :meth:`fit`.
        classes : array, optional
            All classes that will ever occur, those learned before among them.

        Returns
        -------
        self
        """
        declared = [] if classes is None else sorted(declared_labels(classes))
        with self._first_use():
            if self._model is None:
                fresh = type(self)(**self.get_params(deep=False))
                fresh._waiting = self._waiting
                table = fresh._read(X)
                labels = read_labels(y, table.n_rows)
                fresh._start(table)
                fresh._learn_fixed(table, labels, sample_weight, declared)
                if fresh.t_ > self._waiting or declared:  # else all weights were 0
                    self._model, self._first_columns = fresh._model, fresh._first_columns
                    self._in_force = fresh._in_force
                return self
        if declared:
            self._require_agreement(declared)
        table = self._read(X)
        self._learn_fixed(table, read_labels(y, table.n_rows), sample_weight, declared)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class of each row."""
        model = self._fitted()
        table = self._read(X)
        has_learned = model.n_classes_learned > 0
        codes = model.predict(
            table.columns, self._names_in_batch(table), table.n_rows, n_threads(self.n_jobs)
        )
        if not has_learned:
            codes[codes == _NO_CLASS] = 0  # classes are declared, and none is learned yet
        result: NDArray[Any] = as_class_array(model.classes)[codes]
        return result

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, of shape (n_samples, n_classes), in ``classes_``' order.

        Of classes that are equally likely, :meth:`predict` says the one that appeared first.
        """
        model = self._fitted()
        table = self._read(X)
        return model.predict_proba(
            table.columns, self._names_in_batch(table), table.n_rows, n_threads(self.n_jobs)
        )

    def apply(self, X: Any) -> NDArray[np.uint32]:
        """Return the number of the node in which each row ends."""
        model = self._fitted()
        table = self._read(X)
        return model.apply(
            table.columns, self._names_in_batch(table), table.n_rows, n_threads(self.n_jobs)
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that are predicted right."""
        predicted = self.predict(X)
        labels = read_labels(y, len(predicted))
        weights = read_weights(sample_weight, len(predicted))
        if weights is not None and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        right = predicted == as_class_array(labels.values)[labels.codes]
        return float(np.average(right, weights=weights))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **params: Any) -> Self:
        """Change constructor parameters; a model that has learned keeps its own until ``fit``.

        Until then :meth:`save` refuses, and a pickle or a copy keeps both: a file would otherwise
        say what is not so.

        ``columns``, ``on_error`` and ``n_jobs`` say how rows are taken, and act at once.
        """
        for name, value in params.items():
            if name not in PARAMETERS:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}. "
                    f"Valid parameters are: {list(PARAMETERS)}."
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        return classifier_tags()

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None and len(self._model.classes) > 0

    def __repr__(self) -> str:
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not (
                value is PARAMETERS[name].default or repr(value) == repr(PARAMETERS[name].default)
            )
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    # --- river ------------------------------------------------------------------------------------

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn one row given by name.

        Parameters
        ----------
        x : mapping
            Values by column name. An absent name, None and NaN are missing; a new name is a new
            attribute.
        y : bool, int, str
            The class label.
        w : float
            The weight; a whole number w means w copies of the row.
        """
        model = self._model
        try:
            if model is None or type(x) is not dict:
                self._learn_row(_row(x), y, w)
            else:
                model.learn_one(x, y, w)
        except (TypeError, ValueError) as error:
            mended = self._mended(x, error)
            if not mended.fault:
                self._learn_row(mended.row, y, w)
            self._count(mended)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the predicted class of one row, or None before the first label."""
        model = self._model
        if model is None:
            return None
        try:  # what _ask() does, without its calls
            return model.predict_one(x if type(x) is dict else _row(x))
        except (TypeError, ValueError) as error:
            return model.predict_one(self._mended(x, error).row)

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each class known, sorted; empty before the first label."""
        model = self._model
        if model is None:
            return {}
        try:  # what _ask() does, without its calls
            return model.predict_proba_one(x if type(x) is dict else _row(x))
        except (TypeError, ValueError) as error:
            return model.predict_proba_one(self._mended(x, error).row)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn a table by column names: what :meth:`learn_one` does, row after row."""
        table = self._read(X, by_name=True)
        labels = read_labels(y, table.n_rows)
        weights = read_weights(w, table.n_rows)
        if table.n_rows == 0:
            return

        def learn(model: _core.Model) -> None:
            rows = (table.columns, names_of(table), table.n_rows)
            model.learn(*rows, False, labels.codes, labels.values, weights)

        if self._model is None:
            first = 0 if weights is None else int(np.argmax(weights > 0))
            self._learn_first(learn, table, names_in_row(table, first))
        else:
            learn(self._model)

    def predict_many(self, X: Any) -> Any:
        """Return the predicted class of each row of a table, by column names."""
        table = self._read(X, by_name=True)
        if self._model is None or self._model.n_classes_learned == 0:
            result = np.full(table.n_rows, None, dtype=object)
        else:
            codes = self._model.predict(
                table.columns, names_of(table), table.n_rows, n_threads(self.n_jobs)
            )
            result = as_class_array(self._model.classes)[codes]
        return like_series(X, result)

    def predict_proba_many(self, X: Any) -> Any:
        """Return class probabilities of each row of a table, by column names."""
        table = self._read(X, by_name=True)
        if self._model is None or self._model.n_classes_learned == 0:
            return like_frame(X, np.empty((table.n_rows, 0)), [])
        rows = (table.columns, names_of(table), table.n_rows, n_threads(self.n_jobs))
        while True:  # again if another thread has learned a class meanwhile
            result, classes = self._model.predict_proba(*rows), self._model.sorted_classes
            if len(classes) == result.shape[1]:
                return like_frame(X, result, classes)

    # --- the clock --------------------------------------------------------------------------------

    def advance(self, n: int = 1) -> None:
        """Count n rows that were seen and not learned: they advance the clock ``t_``."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= 2**53:
            raise ValueError(f"n must be a whole number of 0 or more, up to 2**53; got {n!r}.")
        self._advance(int(n))

    def _advance(self, n: float) -> None:
        if self._model is None:
            with self._first_use():
                if self._model is None:
                    validate(self.get_params(deep=False))
                    self._waiting += n
                    return
        self._model.advance(float(n))

    # --- files ------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`sapwood.load` reads.

        Raises
        ------
        ValueError
            If parameters were changed after the model had begun to learn, which keeps its own.
        """
        persist.save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "params": self.get_params(),
            "model": persist.to_bytes(self) if self._model or self._waiting else None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["model"] is not None:
            persist.restore(self, state["model"])
        for name, parameter in PARAMETERS.items():  # which a later version may have added
            setattr(self, name, state["params"].get(name, parameter.default))

    # --- how inputs meet the model ----------------------------------------------------------------

    def _fitted(self) -> _core.Model:
        if self._model is None or not self._model.classes:
            raise not_fitted_error(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit', 'partial_fit' "
                "or 'learn_one' with appropriate arguments before using this estimator."
            )
        return self._model

    def _first_use(self) -> threading.Lock:
        """Return the lock under which the model begins, so that many threads begin one model.

        A child of a fork has its own: the thread that held the parent's is not there.
        """
        name = f"_beginning_in_{os.getpid()}"
        lock: threading.Lock = self.__dict__.setdefault(name, threading.Lock())
        return lock

    def _start(self, table: Table | None = None) -> _core.Model:
        """Make an empty model, once."""
        with self._first_use():
            if self._model is None:
                self._model = self._empty(table)
            return self._model

    def _empty(self, table: Table | None, *, strict: bool = True) -> _core.Model:
        params = self.get_params(deep=False)
        model, self._in_force = _core.Model(for_core(params)), kept(params)
        names = None if table is None else names_of(table)
        model.declare_categorical(self._declared(names, strict=strict))
        model.advance(self._waiting)
        return model

    def _learn_first(
        self,
        learn: Callable[[_core.Model], None],
        table: Table | None = None,
        first: set[Name] | None = None,
    ) -> None:
        """Learn rows by name on a new model, and keep it if they could be learned.

        The columns with a value in the first row, all if it is the only one, are fixed for batches.
        """
        with self._first_use():
            model = self._model
            if model is None:
                model = self._empty(table, strict=False)
                learn(model)
                if model.classes:
                    columns = model.columns
                    self._fix_columns([c for c in columns if first is None or c in first])
                    self._model = model
                return
        learn(model)

    def _learn_seen(self, row: dict[Any, Any], y: Any) -> None:
        """Learn a row that :meth:`advance` has counted."""
        self._ask(lambda row: self._learn_row(row, y, 1.0, seen=True), row)

    def _learn_row(self, row: dict[Any, Any], y: Any, w: float, *, seen: bool = False) -> None:
        if self._model is None:
            self._learn_first(lambda model: model.learn_one(row, y, w, seen))
        else:
            self._model.learn_one(row, y, w, seen)

    def _ask(self, about: Callable[[dict[Any, Any]], _T], x: Any) -> _T:
        """Call with a row, and again without what is wrong with it, if ``on_error`` allows."""
        try:
            return about(x if type(x) is dict else _row(x))
        except (TypeError, ValueError) as error:
            return about(self._mended(x, error).row)

    def _mended(self, x: Any, error: Exception) -> Mended:
        """Return a refused row without what is wrong with it.

        Raises
        ------
        TypeError or ValueError
            As ``on_error`` says, or because the row's values were not what was wrong.
        """
        row = _row(x)
        found = faults(self._model, row)
        if not found:
            raise error
        if self.on_error == "stop":
            raise refusal(row, found) from None
        fault = named(row, found) if self.on_error == "skip" else ""
        return Mended(without(row, found), fault, len(found))

    def _count(self, mended: Mended) -> None:
        """Count a row that was refused as it came."""
        with self._first_use():
            self.n_skipped_ += bool(mended.fault)
            self.n_mended_ += 0 if mended.fault else mended.n_values

    def _fresh(self) -> Self:
        """Return a tree with the same parameters, names and clock that has learned nothing."""
        return self._around(None if self._model is None else self._model.fresh())

    def _copied(self) -> Self:
        """Return the tree as it is now, sooner than by its bytes."""
        return self._around(None if self._model is None else self._model.copy())

    def _around(self, model: _core.Model | None) -> Self:
        tree = type(self)(**self.get_params(deep=False))
        tree._waiting, tree._model = self._waiting, model
        tree._first_columns, tree._in_force = self._first_columns, self._in_force
        return tree

    def _declared(self, names: list[Name] | None, *, strict: bool = True) -> list[Name]:
        """Names of the columns that the user calls categorical; positions become names."""
        return declared_columns(self.categorical_features, names, strict=strict)

    def _read(self, X: Any, *, by_name: bool = False) -> Table:
        """Read a table; numbers in columns that are categorical become categories."""
        # MOA ranks categories as their dictionary lists them.
        read = functools.partial(read_table, unused=self.compat == "moa")
        model = self._model
        if model is None:
            validate(self.get_params(deep=False))
            if self.categorical_features is None:
                return read(X)
            names = names_of(read(X))
            return read(X, self._declared(names, strict=not by_name))
        kinds = model.kinds
        if by_name or is_dataframe(X):
            known = dict(zip(model.columns, kinds, strict=False))
            declared = {name for name, kind in known.items() if kind == "categorical"}
            if by_name and self.categorical_features is not None:
                named = (e for e in self.categorical_features if isinstance(e, str))
                declared.update(name for name in named if name not in known)
            return read(X, declared)
        if "categorical" not in kinds:
            return read(X)
        known = dict(zip(model.columns, kinds, strict=False))
        texts = tuple(name for name in known if isinstance(name, str))
        listed = self._first_columns or texts
        places = {j for j, name in enumerate(listed) if known[name] == "categorical"}
        beside = {name for name in known if not isinstance(name, str) and name >= len(listed)}
        return read(X, places | {name for name in beside if known[name] == "categorical"})

    def _kinds(self) -> dict[Name, str]:
        """Return what its columns hold, where it is known: "numeric", or "categorical" text."""
        model = self._model
        if model is None:
            return {}
        found = dict(zip(model.columns, model.kinds, strict=True))
        text = {n for n, kind in found.items() if kind == "categorical" and _suits(model, {n: ""})}
        return {n: kind for n, kind in found.items() if kind == "numeric" or n in text}

    def _names_in_batch(self, table: Table, *, learns: bool = False) -> list[Name]:
        """Names under which the model knows a batch's columns."""
        given = names_of(table)
        if table.n_rows and given and tuple(given) == self._first_columns:  # nearly always
            return given
        known, fixed = self._model.columns if self._model else [], list(self._first_columns)
        by_name, who = self.columns == "by-name", type(self).__name__
        return batch_names(table, known, fixed, who, by_name=by_name, learns=learns)

    def _fix_columns(self, names: list[Name]) -> None:
        """Remember the columns of a batch or row that was learned, if it is the first."""
        self._first_columns = self._first_columns or tuple(names)

    def _learn_fixed(
        self, table: Table, labels: Labels, sample_weight: Any, declared: list[Any]
    ) -> None:
        assert self._model is not None
        names = self._names_in_batch(table, learns=True)
        rows = (table.columns, names, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        self._model.learn(*rows, True, labels.codes, labels.values, weights, declared)
        self._fix_columns(names)

    def _require_agreement(self, declared: list[Any]) -> None:
        """Raise unless the classes known are among those now declared, or are the same again."""
        model = self._model
        known = [] if model is None else model.sorted_classes
        if model is not None and model.classes_declared and set(declared) != set(known):
            raise ValueError(
                f"`classes={declared!r}` is not the same as on last call to partial_fit, "
                f"was: {known!r}"
            )
        left_out = [label for label in known if label not in set(declared)]
        if left_out:
            raise ValueError(
                f"The tree has learned the class {left_out[0]!r}, which is not among "
                f"`classes={declared!r}`. Declare all its classes, or none."
            )

    # --- what it has learned ----------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, sorted: the order of the columns of ``predict_proba``."""
        return as_class_array(self._fitted().sorted_classes)

    @property
    def n_features_in_(self) -> int:
        """Number of columns known."""
        return len(self._fitted().columns)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if all are text."""
        columns = self._fitted().columns
        if not all(isinstance(name, str) for name in columns):
            raise AttributeError("The columns have no names: feature_names_in_ is not defined.")
        return np.array(columns, dtype=object)

    def splits(self) -> list[Certificate]:
        """Return the certificate of every split, in the order in which they were made."""
        return [] if self._model is None else [Certificate.of(r) for r in self._model.splits()]

    def learned_at(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return how many examples of each class were learned at the leaf of a row.

        Learned there, not inherited from its parent: what the strategy "conf-tree" rests on.
        """
        model = self._model
        if model is None:
            return {}
        counts = self._ask(model.consider, x)[2]
        learned = dict(zip(model.classes, counts, strict=False))
        return {label: learned[label] for label in model.sorted_classes if label in learned}

    def explain_one(self, x: Mapping[Any, Any]) -> Explanation:
        """Say in words how one row is classified, with the certificate of each split it passes."""
        model = self._fitted()
        return self._ask(lambda row: Explanation.of(model, row), x)


def _row(x: Any) -> dict[Any, Any]:
    if not hasattr(x, "keys"):
        raise TypeError(f"A row must be a mapping from names to values; got {type(x).__name__}.")
    return dict(x)


def _suits(model: _core.Model, row: dict[Any, Any]) -> bool:
    try:
        model.require_suits(row)
    except (TypeError, ValueError):
        return False
    return True
