"""The confidence tree as a real subclass of ``river.base.Classifier``.

:class:`sapwood.ConfidenceTreeClassifier` works in river, too, which takes it for a classifier once
both are loaded; this one inherits the rest of river's base class, and passes all of river's checks.
Import this module only where river is installed: ``pip install sapwood[river]``.
"""

from __future__ import annotations

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
