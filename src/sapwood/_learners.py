"""One face for every model that is asked, taught and begun anew: ours, river's, scikit-learn's."""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from . import _core
from ._labels import read_labels, undeclared
from ._times import second_of
from .strategies import KnowsItsLeaf
from .tree import ConfidenceTreeClassifier


class Considered(NamedTuple):
    """What a model says of an example; ``learned`` is None if it cannot tell."""

    prediction: Any
    probabilities: dict[Any, float]
    learned: list[float] | None


class Learner(Protocol):
    """What the loop of asking needs of a model."""

    model: Any
    knows_leaf: bool  # it can tell what was learned at an example's leaf

    @property
    def can_weigh(self) -> bool:
        """Whether it gives class probabilities."""
        ...

    def freeze(self, x: Any) -> tuple[Any, str]:
        """Return the example in a form that outlives the caller's, and why to pass it over."""
        ...

    def consider(self, x: Any, weigh: bool = True) -> Considered:
        """Predict, and change nothing; not to weigh is to leave probabilities alone."""
        ...

    def see(self, x: Any) -> None:
        """Count an example of the stream."""
        ...

    def require_label(self, y: Any) -> None:
        """Raise if y cannot be a class."""
        ...

    def learn(self, x: Any, y: Any) -> None:
        """Learn an example that was counted before."""
        ...

    def fresh(self) -> Learner:
        """Return a learner of the same kind and time that has learned nothing."""
        ...

    def copied(self) -> Any:
        """Return the model as it is now, which learning on does not change."""
        ...

    def time(self, seen: int) -> float:
        """Return t, where ``seen`` examples were counted by the caller."""
        ...

    @property
    def memory(self) -> Any:
        """What it knows beside the model, as JSON knows it; can be put back."""
        ...

    @memory.setter
    def memory(self, kept: Any) -> None: ...

    @property
    def n_leaves(self) -> int:
        """Leaves, 0 if the model has none."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes that the model holds, 0 if it cannot tell."""
        ...


def learner_for(model: Any, classes: list[Any] | None = None) -> Learner:
    """Return the face of a model."""
    if isinstance(model, ConfidenceTreeClassifier):
        return TreeLearner(model, classes)
    require_model(model)
    return (RiverLearner if _is_rivers(model) else SklearnLearner)(model, classes)


def require_model(model: Any) -> None:
    """Raise unless it is a model that can be taught row by row."""
    by_batch = hasattr(model, "partial_fit") and hasattr(model, "predict")
    if isinstance(model, type) or not (_is_rivers(model) or by_batch):
        what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(
            "model must be a ConfidenceTreeClassifier, a river classifier (learn_one, predict_one) "
            f"or a scikit-learn classifier with partial_fit; got {what}."
        )


def _is_rivers(model: Any) -> bool:
    return hasattr(model, "learn_one") and hasattr(model, "predict_one")


def untrained(model: Any) -> Any:
    """Return a model with the same parameters that has learned nothing."""
    require_model(model)
    if isinstance(model, ConfidenceTreeClassifier):
        return type(model)(**model.get_params())
    if hasattr(model, "clone"):
        return model.clone()
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        return clone(model)
    raise TypeError(
        f"There is no way to begin a {type(model).__name__} anew: give it a method clone() that "
        "returns one with the same parameters that has learned nothing."
    )


def require_class(y: Any, classes: list[Any] | None = None) -> None:
    """Raise unless y is one class label, and one of the classes where they are declared."""
    if isinstance(y, (list, tuple, set, dict, np.ndarray)):
        raise TypeError(f"A class label is one number or text; got a {type(y).__name__}.")
    read_labels([y], 1)
    if classes and y not in classes:
        raise undeclared(y, classes)


def _gives_probabilities(model: Any) -> bool:
    """Say whether river's model does, by a copy: a first row, even an empty one, forms a forest."""
    if not hasattr(model, "predict_proba_one"):
        return False
    try:
        probe = untrained(model)
    except TypeError:
        probe = copy.deepcopy(model)
    try:
        probe.predict_proba_one({})
    except NotImplementedError:
        return False
    except Exception:  # it does, but not of an empty example
        return True
    return True


def _told(probabilities: dict[Any, float]) -> dict[Any, float]:
    """Return probabilities; none if one is no number, for such a model cannot tell yet."""
    return probabilities if all(map(math.isfinite, probabilities.values())) else {}


def _finite(value: Any, name: Any) -> float:
    """Return a value as scikit-learn's models take it: a number, NaN if it is missing."""
    try:
        second = None if isinstance(value, (int, float)) else second_of(value)
        number = math.nan if value is None else float(value) if second is None else second
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if math.isinf(number):
        kind = ValueError if isinstance(value, numbers.Number) else TypeError
        raise kind(
            f"scikit-learn models take finite numbers, and the value of {name!r} is {value!r:.60}. "
            "Encode text first."
        )
    return number


def as_row(x: Any, columns: list[Any] | None = None) -> dict[Any, Any]:
    """Return one example as a new dict; a sequence is named by its positions, or by ``columns``."""
    if isinstance(x, Mapping):
        return dict(x)
    if hasattr(x, "keys"):  # a row of a dataframe
        return {name: x[name] for name in x.keys()}  # noqa: SIM118
    values = x.tolist() if isinstance(x, np.ndarray) else list(x) if _is_sequence(x) else None
    if values is None or any(isinstance(value, list) for value in values):
        raise TypeError(
            "An example must be a mapping from names to values, or a one-dimensional sequence of "
            f"values; got {type(x).__name__}."
        )
    if columns and len(columns) != len(values):
        raise ValueError(
            f"The example has {len(values)} values, and the model knows {len(columns)} columns."
        )
    return dict(zip(columns or range(len(values)), values, strict=True))


def _is_sequence(x: Any) -> bool:
    return hasattr(x, "__iter__") and hasattr(x, "__len__") and not isinstance(x, (str, bytes))


class TreeLearner:
    """A confidence tree."""

    can_weigh = knows_leaf = True
    _by_position = _named = False

    def __init__(self, model: ConfidenceTreeClassifier, classes: list[Any] | None = None) -> None:
        self.model = model
        self._classes = classes or []

    def declare(self) -> None:
        """Tell a tree that has begun all its classes; any other is told with its first row."""
        core = self.model._model
        if core is not None and self._classes:
            self.model._require_agreement(self._classes)
            core.declare_classes(self._classes)

    def freeze(self, x: Any) -> tuple[dict[Any, Any], str]:
        core = self.model._model
        self._by_position = not isinstance(x, Mapping)
        columns = None
        if core is not None and self._by_position:
            columns = list(self.model._first_columns) or core.columns
        row = as_row(x, columns)
        try:  # else its label could never be learned
            _core.Model.check_row(row) if core is None else core.require_suits(row)
        except (TypeError, ValueError) as error:
            mended = self.model._mended(row, error)
            self.model._count(mended)
            return mended.row, mended.fault
        return row, ""

    def consider(self, x: dict[Any, Any], weigh: bool = True) -> Considered:
        if self.model._model is None:
            return Considered(None, {}, [])
        if not weigh:  # of many classes, to tell a count of each takes longest
            return Considered(self.model._model.predict_one(x), {}, None)
        prediction, probabilities, learned = self.model._model.consider(x)
        return Considered(prediction, probabilities, learned)

    def see(self, x: dict[Any, Any]) -> None:
        # The first example that comes as a sequence names all its columns, with a value or not.
        begins = self._by_position and not self._named
        core = self.model._start()
        if self._classes and not core.classes:
            core.declare_classes(self._classes)
        is_first = not self.model._first_columns and not core.columns
        core.see_row(x, begins)
        if is_first:
            self.model._fix_columns(core.columns)
        self._named = self._named or begins

    def require_label(self, y: Any) -> None:
        require_class(y)
        if self.model._model is not None:
            self.model._model.require_label(y)

    def learn(self, x: dict[Any, Any], y: Any) -> None:
        self.model._learn_seen(x, y)

    def fresh(self) -> TreeLearner:
        return TreeLearner(self.model._fresh())

    def copied(self) -> ConfidenceTreeClassifier:
        return self.model._copied()

    @property
    def memory(self) -> Any:
        return self._named

    @memory.setter
    def memory(self, kept: Any) -> None:
        self._named = bool(kept)

    def time(self, seen: int) -> float:
        return self.model.t_

    @property
    def n_leaves(self) -> int:
        return self.model._model.n_leaves if self.model._model else 1

    @property
    def nbytes(self) -> int:
        return self.model._model.nbytes if self.model._model else 0


class RiverLearner:
    """A classifier of river, or any with its methods."""

    def __init__(self, model: Any, classes: list[Any] | None = None) -> None:
        self.model = model
        self.classes = classes
        self.knows_leaf = isinstance(model, KnowsItsLeaf)

    @cached_property
    def can_weigh(self) -> bool:
        return _gives_probabilities(self.model)

    def freeze(self, x: Any) -> tuple[dict[Any, Any], str]:
        return as_row(x), ""

    def consider(self, x: dict[Any, Any], weigh: bool = True) -> Considered:
        prediction = self.model.predict_one(x)
        weighs = weigh and self.can_weigh
        probabilities = _told(dict(self.model.predict_proba_one(x) or {})) if weighs else {}
        learned = [float(n) for n in self.model.learned_at(x).values()] if self.knows_leaf else None
        return Considered(prediction, probabilities, learned)

    def see(self, x: Any) -> None:
        pass

    def require_label(self, y: Any) -> None:
        require_class(y, self.classes)

    def learn(self, x: dict[Any, Any], y: Any) -> None:
        self.model.learn_one(x, y)

    def fresh(self) -> RiverLearner:
        return RiverLearner(untrained(self.model), self.classes)

    def copied(self) -> Any:
        return copy.deepcopy(self.model)

    memory = None

    def time(self, seen: int) -> float:
        return seen

    @property
    def n_leaves(self) -> int:
        return int(getattr(self.model, "n_leaves", 0) or 0)

    @property
    def nbytes(self) -> int:
        return 0


class SklearnLearner:
    """A classifier of scikit-learn with ``partial_fit``. It must be told the classes beforehand."""

    knows_leaf = False

    def __init__(self, model: Any, classes: list[Any] | None) -> None:
        if not classes:
            raise ValueError(
                f"{type(model).__name__} must be told all classes before it learns: pass classes=."
            )
        self.model = model
        self.classes = list(classes)
        self.can_weigh = hasattr(model, "predict_proba")
        self._fitted = hasattr(model, "classes_")
        self._names: list[Any] | None = None

    def freeze(self, x: Any) -> tuple[Any, str]:
        if getattr(x, "ndim", 1) == 2:  # one row, as an array or as a dataframe with its names
            return x.copy(), ""
        row = as_row(x)
        names = list(row) if self._names is None else self._names
        if set(row) != set(names):
            raise ValueError("scikit-learn models need the same columns in every example.")
        values = np.array([[_finite(row[name], name) for name in names]])
        self._names = names
        return values, ""

    def consider(self, x: Any, weigh: bool = True) -> Considered:
        if not self._fitted:
            return Considered(None, {}, None)
        prediction = self.model.predict(x)[0]
        probabilities: dict[Any, float] = {}
        if weigh and self.can_weigh:
            shares = self.model.predict_proba(x)[0].tolist()
            probabilities = _told(dict(zip(self.model.classes_.tolist(), shares, strict=True)))
        return Considered(getattr(prediction, "item", lambda: prediction)(), probabilities, None)

    def see(self, x: Any) -> None:
        pass

    def require_label(self, y: Any) -> None:
        require_class(y, self.classes)

    def learn(self, x: Any, y: Any) -> None:
        self.model.partial_fit(x, [y], classes=np.array(self.classes))
        self._fitted = True

    def fresh(self) -> SklearnLearner:
        learner = SklearnLearner(untrained(self.model), self.classes)
        learner._names = self._names
        return learner

    def copied(self) -> Any:
        return copy.deepcopy(self.model)

    @property
    def memory(self) -> Any:
        return self._names

    @memory.setter
    def memory(self, kept: Any) -> None:
        self._names = kept

    def time(self, seen: int) -> float:
        return seen

    @property
    def n_leaves(self) -> int:
        return 0

    @property
    def nbytes(self) -> int:
        return 0
