"""Test-then-train: every row is predicted first and learned afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._labels import read_labels
from .tree import ConfidenceTreeClassifier


class Curve:
    """Columns of numbers, recorded as the stream went by: ``curve["accuracy"]``."""

    columns = ("i", "accuracy", "window_accuracy", "leaves", "bytes", "seconds")

    def __init__(self, values: dict[str, NDArray[Any]]) -> None:
        self._values = values

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._values[column]

    def __len__(self) -> int:
        return len(self._values["i"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in zip(*(self._values[c].tolist() for c in self.columns), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def to_pandas(self) -> Any:
        """Return the curve as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame({column: self._values[column] for column in self.columns})

    def __repr__(self) -> str:
        return f"<Curve of {len(self)} records: {', '.join(self.columns)}>"


@dataclass(frozen=True)
class Result:
    """What a run gave.

    Attributes
    ----------
    accuracy : float
        Share of all rows that were predicted right before they were learned.
    n_leaves : int
        Leaves of the tree at the end.
    curve : Curve
        The run in records of ``every`` rows.
    model : ConfidenceTreeClassifier
        The trained model.
    seconds : float
        Time in the learning loop.
    """

    accuracy: float
    n_leaves: int
    curve: Curve
    model: ConfidenceTreeClassifier
    seconds: float

    def __repr__(self) -> str:
        n = int(self.curve["i"][-1])
        return f"<Result: accuracy {self.accuracy:.4f} over {n} rows, {self.n_leaves} leaves>"


def evaluate(
    stream: tuple[Any, Any], model: ConfidenceTreeClassifier, *, every: int = 1000
) -> Result:
    """Run a stream through a fresh copy of a model: predict each row, then learn it.

    The loop is native. Before the first label the prediction is None, which counts as an error.

    Parameters
    ----------
    stream : pair (X, y)
        The rows and their labels, in the stream's order.
    model : ConfidenceTreeClassifier
        Its parameters are used; the object itself is left as it is.
    every : int
        Rows between two records of the curve.

    Returns
    -------
    Result
        Accuracy, leaves, curve and the trained model.

    Examples
    --------
    >>> import sapwood
    >>> from sapwood.datasets import rand_cbt
    >>> stream = rand_cbt(n_leaves=4, per_leaf=5000, seed=2)
    >>> result = sapwood.evaluate(stream, sapwood.ConfidenceTreeClassifier())
    >>> round(result.accuracy, 2), result.n_leaves
    (0.69, 9)
    """
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
        raise ValueError(f"every must be a whole number of at least 1; got {every!r}.")
    if not (isinstance(stream, tuple) and len(stream) == 2):
        raise TypeError("stream must be a pair (X, y) of rows and labels.")
    if not isinstance(model, ConfidenceTreeClassifier):
        raise TypeError(f"model must be a ConfidenceTreeClassifier; got {type(model).__name__}.")
    X, y = stream
    learner = type(model)(**model.get_params())
    table = learner._read(X)
    labels = read_labels(y, table.n_rows)
    core = learner._start(table)
    names = learner._fixed_names(table)
    every = min(int(every), table.n_rows)
    _, records = core.evaluate(
        table.columns, names, table.n_rows, labels.codes, labels.values, int(every)
    )
    i, right, leaves, size, seconds = (np.array(column) for column in zip(*records, strict=True))
    window = np.diff(i, prepend=0)
    curve = Curve(
        {
            "i": i,
            "accuracy": right / i,
            "window_accuracy": np.diff(right, prepend=0) / window,
            "leaves": leaves,
            "bytes": size,
            "seconds": seconds,
        }
    )
    return Result(float(curve["accuracy"][-1]), core.n_leaves, curve, learner, float(seconds[-1]))
