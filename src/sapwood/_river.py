"""What river expects of a classifier, without importing it.

Its metrics and wrappers ask ``isinstance(model, river.base.Classifier)``. That is an abstract base
class, so a tree can be registered there as soon as river is loaded, and none is before.
"""

from __future__ import annotations

import sys
from typing import Any, Self


def _register(cls: type) -> bool:
    """Let river count a class among its classifiers; False if river is not loaded."""
    rivers = getattr(sys.modules.get("river.base"), "MiniBatchClassifier", None)
    if rivers is None:
        return False
    if not issubclass(cls, rivers):
        rivers.register(cls)
    return True


class _Classifier:
    """Of river's kinds it is what a tree is."""


class RiverFace:
    """The methods that river's evaluation, pipelines and ensembles call beside the public ones."""

    __slots__ = ()
    _multiclass = _supervised = True

    def __new__(cls, *_: object, **__: object) -> Self:
        """Make a tree, which river knows from now on if it is loaded."""
        _register(cls)
        return super().__new__(cls)

    @property
    def _last_step(self) -> _Classifier:
        """What river looks at instead of a model that is not of the kind that it asked for.

        Meant for pipelines. It lets a tree be known that was made before river was loaded.
        """
        if _register(type(self)) and _register(_Classifier):
            return _Classifier()
        raise AttributeError(f"A {type(self).__name__} has no steps.")

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Any:
        """Return a fresh model with the same parameters, some of them changed.

        Parameters
        ----------
        new_params : dict, optional
            Parameters that shall differ.
        include_attributes : bool
            Return a copy of all that was learned, too.
        """
        fresh = type(self)(**{**self._get_params(), **(new_params or {})})
        if include_attributes:
            fresh.__setstate__({**self.__getstate__(), "params": fresh._get_params()})  # type: ignore
        return fresh

    def _get_params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params()  # type: ignore[attr-defined]
        return params

    @property
    def _raw_memory_usage(self) -> int:
        n: int = self.nbytes_  # type: ignore[attr-defined]
        return n

    @property
    def _tags(self) -> set[str]:
        return set()

    def __ror__(self, other: Any) -> Any:
        """Return river's pipeline of a step and this tree."""
        base = sys.modules.get("river.base")
        return NotImplemented if base is None else base.Estimator.__ror__(self, other)
