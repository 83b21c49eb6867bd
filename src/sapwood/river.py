"""The confidence tree as a ``river.base.Classifier``, for river's pipelines and checks.

Import this module only where river is installed: ``pip install sapwood[river]``.
"""

from __future__ import annotations

from typing import Any

from river import base

from .tree import ConfidenceTreeClassifier as _Tree

__all__ = ["ConfidenceTreeClassifier"]


class ConfidenceTreeClassifier(_Tree, base.MiniBatchClassifier):  # type: ignore[misc]
    """:class:`sapwood.ConfidenceTreeClassifier` that river recognises as one of its classifiers.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sapwood.river import ConfidenceTreeClassifier
    >>> model = ConfidenceTreeClassifier(c=0.02, grace_period=50)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.83%
    """

    @property
    def _multiclass(self) -> bool:
        return True

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Any:
        """Return a fresh model with the same parameters, some of them changed."""
        fresh = type(self)(**{**self.get_params(), **(new_params or {})})
        if include_attributes:
            state = self.__getstate__()
            state["params"] = fresh.get_params()
            fresh.__setstate__(state)
        return fresh
