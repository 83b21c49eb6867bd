"""Models that have learned before a run: refused, begun anew, or gone on with."""

from __future__ import annotations

import copy
import hashlib
import io
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import persist
from ._learners import untrained
from .tree import ConfidenceTreeClassifier

_WAYS = ("refuse", "continue", "fresh")


def for_run(model: Any, trained: str) -> Any:
    """Return the model that a run teaches; the given one stays as it is.

    Parameters
    ----------
    model : model
        The user's.
    trained : {"refuse", "continue", "fresh"}
        What to do if it has learned: raise, go on from a copy of it, or take an untrained one.
    """
    if trained not in _WAYS:
        raise ValueError(f"trained must be one of {', '.join(map(repr, _WAYS))}; got {trained!r}.")
    fresh = untrained(model)
    if trained == "fresh" or not has_learned(model):
        return fresh
    if trained == "refuse":
        raise ValueError(
            f"This {type(model).__name__} has learned before, and a run measures a model from its "
            "first row on. Pass trained='fresh' to measure an untrained one with its parameters, "
            "or trained='continue' to go on from a copy of it."
        )
    if isinstance(model, ConfidenceTreeClassifier):
        persist.require_in_force(model)
    return copy.deepcopy(model)


def has_learned(model: Any) -> bool:
    """Whether a model has learned; of other libraries' only where it shows."""
    if isinstance(model, ConfidenceTreeClassifier):
        return model.t_ > 0
    if not hasattr(model, "learn_one"):  # scikit-learn's own rule
        told = getattr(model, "__sklearn_is_fitted__", None)
        params: dict[str, Any] = getattr(model, "get_params", dict)()
        return bool(told()) if told else any(map(_is_learned, vars(model).keys() - params))
    # river has no rule: a model has learned if it is not as its clones are, which are all the same.
    first = untrained(model)
    return _differ(model, first, set()) and not _differ(first, untrained(first), set())


def state_of(model: Any) -> str:
    """Return a text that tells what a model has learned from what another has.

    In another process, too. A model of another library that cannot be pickled is refused.
    """
    ours = isinstance(model, ConfidenceTreeClassifier)
    return (hashlib.sha256(persist.to_bytes(model)).digest() if ours else _digest(model)).hex()[:16]


class _SamePickler(pickle.Pickler):
    """Gives the same bytes in every process, where a pickle has sets in any order."""

    def persistent_id(self, value: Any) -> bytes | None:
        if type(value) is str:  # which of its copies it is does not matter
            return value.encode("utf-8", "surrogatepass")
        if type(value) in (set, frozenset):
            return b"".join(sorted(map(_digest, value)))
        return None


def _digest(value: Any) -> bytes:
    out = io.BytesIO()
    _SamePickler(out).dump(value)
    return hashlib.sha256(out.getvalue()).digest()


def _is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("__")


def _differ(a: Any, b: Any, seen: set[int]) -> bool:
    """Whether two values are seen to differ; what cannot be looked into does not."""
    if a is b or id(a) in seen:
        return False
    if type(a) is not type(b):
        return True
    seen.add(id(a))
    if isinstance(a, (str, bytes, int, float, complex)):
        return bool(a != b) and not (a != a and b != b)
    if isinstance(a, np.ndarray):
        return a.shape != b.shape or (a.dtype.kind in "biuf" and a.tobytes() != b.tobytes())
    if isinstance(a, Mapping):
        return list(a) != list(b) or any(_differ(a[key], b[key], seen) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) != len(b) or any(_differ(x, y, seen) for x, y in zip(a, b, strict=True))
    if isinstance(a, (set, frozenset)):
        return len(a) != len(b)
    return _differ(getattr(a, "__dict__", {}), getattr(b, "__dict__", {}), seen)
