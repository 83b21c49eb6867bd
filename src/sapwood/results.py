"""What a run gives: its scores, its curve, and the forms in which they are kept."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._labels import class_order

_PLAIN = frozenset({str, int, float, bool, type(None)})
CURVE_COLUMNS = (
    "i",
    "accuracy",
    "window_accuracy",
    "f_measure",
    "kappa",
    "leaves",
    "labels",
    "query_rate",
    "drifts",
    "bytes",
    "seconds",
)


_Columns: TypeAlias = dict[str, NDArray[Any]]


class Curve:
    """Columns of numbers, recorded as the stream went by: ``curve["accuracy"]``.

    They may be given as a function, which is called when they are first asked for.
    """

    columns = CURVE_COLUMNS

    def __init__(self, values: _Columns | Callable[[], _Columns]) -> None:
        self._given = values

    @functools.cached_property
    def _values(self) -> _Columns:
        values = self._given() if callable(self._given) else self._given
        return {column: values[column] for column in self.columns}

    def __getstate__(self) -> dict[str, Any]:
        return {"_values": self._values}

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

        return pandas.DataFrame(self._values)

    def __repr__(self) -> str:
        return f"<Curve of {len(self)} records: {', '.join(self.columns)}>"


class Scores:
    """How often each class was predicted as each, with a note at every record of the curve.

    An example that came before the first label has no prediction, which counts as an error.
    """

    def __init__(self) -> None:
        self.classes: list[Any] = []
        self.counts = np.zeros((0, 1), dtype=np.int64)  # true x predicted, "no prediction" first
        self.notes: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []

    def copy(self) -> Scores:
        """Return scores that can go on by themselves."""
        scores = Scores()
        scores.classes, scores.notes = list(self.classes), list(self.notes)
        scores.counts = self.counts.copy()
        return scores

    def code_of(self, label: Any) -> int:
        """Return the number of a class; a new one is added."""
        try:
            return self.classes.index(label)
        except ValueError:
            self.classes.append(label)
            k = len(self.classes)
            counts = np.zeros((k, k + 1), dtype=np.int64)
            counts[:-1, :-1] = self.counts
            self.counts = counts
            return k - 1

    def add(self, truth: NDArray[Any], predicted: NDArray[Any]) -> None:
        """Count examples: numbers of classes, and -1 where there was no prediction."""
        k = len(self.classes)
        pairs = truth.astype(np.int64) * (k + 1) + (predicted.astype(np.int64) + 1)
        self.counts += np.bincount(pairs, minlength=k * (k + 1)).reshape(k, k + 1)

    def add_coded(
        self,
        codes: NDArray[np.int32],
        predicted: NDArray[np.uint32],
        truth: list[int],
        guess: list[int],
        begin: int,
        end: int,
    ) -> None:
        """Count rows [begin, end) of codes and the model's classes, with the number of each."""
        _core.count_pairs(codes, predicted, truth, guess, begin, end, self.counts)

    def note(self) -> None:
        """Remember the scores of this moment for the curve."""
        right = np.diagonal(self.counts[:, 1:]).copy()
        self.notes.append((right, self.counts.sum(axis=1), self.counts[:, 1:].sum(axis=0)))

    def rarest(self) -> Any:
        """Return the class with the fewest examples; the first of equals in sorted order."""
        support = dict(zip(self.order(), self.counts.sum(axis=1)[self.order()], strict=True))
        return self.classes[min((k for k in support if support[k]), key=support.__getitem__)]

    def order(self) -> list[int]:
        """Return the numbers of the classes in sorted order."""
        return class_order(self.classes)

    def measures(self, positive: Any) -> tuple[float, float, float]:
        """Return accuracy, F-measure and kappa of all examples so far."""
        counts: list[list[int]] = self.counts.tolist()
        right = [row[1 + k] for k, row in enumerate(counts)]
        true = [sum(row) for row in counts]
        predicted = [sum(column) for column in zip(*counts, strict=True)][1:]
        which = self.classes.index(positive) if positive in self.classes else len(counts)
        rows, hits = sum(true), sum(right)
        chance = sum(t * p for t, p in zip(true, predicted, strict=True))
        kappa = _kappa(rows * hits - chance, rows * rows - chance)
        return hits / rows, _f_measure(right, true, predicted, which), kappa

    def curve(self, positive: Any) -> dict[str, NDArray[Any]]:
        """Return the columns of the curve that are scores."""
        k = len(self.classes)
        which = self.classes.index(positive) if positive in self.classes else k
        right, true, predicted = (
            np.array([np.pad(note[part], (0, k - len(note[part]))) for note in self.notes])
            if any(len(note[part]) < k for note in self.notes)
            else np.array([note[part] for note in self.notes])
            for part in range(3)
        )
        rows, hits = true.sum(axis=1), right.sum(axis=1)
        return {
            "accuracy": hits / rows,
            "f_measure": _f_measures(right, true, predicted, which),
            "kappa": _kappas(rows, hits, true, predicted),
            "i": rows,
            "window_accuracy": _steps(hits) / _steps(rows),
        }


def _steps(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what each adds to the one before."""
    steps = sums.copy()
    steps[1:] -= sums[:-1]
    return steps


def _f_measures(
    right: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any], which: int
) -> NDArray[np.float64]:
    if which >= right.shape[1]:  # the class has not come
        return np.zeros(len(right))
    total = true[:, which] + predicted[:, which]
    measures: NDArray[np.float64] = 2.0 * right[:, which] / np.maximum(total, 1)
    return measures


def _kappas(
    rows: NDArray[Any], hits: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any]
) -> NDArray[np.float64]:
    # In whole numbers, so that the order of the classes cannot change the last digit.
    if rows.max() ** 2 >= 2**53:
        rows, hits, true, predicted = (a.astype(object) for a in (rows, hits, true, predicted))
    chance = (true * predicted).sum(axis=1)
    above, below = rows * hits - chance, rows * rows - chance
    return np.array([_kappa(a, b) for a, b in zip(above.tolist(), below.tolist(), strict=True)])


def _kappa(above: int, below: int) -> float:
    return above / below if below > 0 else 0.0


def _f_measure(right: list[int], true: list[int], predicted: list[int], which: int) -> float:
    if which >= len(right):  # the class had not come yet
        return 0.0
    total = true[which] + predicted[which]
    return 2.0 * right[which] / total if total else 0.0


@dataclass(frozen=True)
class Result:
    """What a run gave.

    Attributes
    ----------
    accuracy, kappa : float
        Of the predictions that were given before each label was known. Kappa is 0 where chance
        alone would be always right.
    f_measure : float
        Of the class ``positive``.
    n_rows, labels, drifts, n_leaves : int
        Examples seen, labels asked for, drifts found, leaves at the end (0 if the model has none).
    query_rate : float
        Labels asked for, as a share of the examples.
    curve : Curve
        The run in records.
    model : object
        The trained model.
    seconds : float
        Time in the learning loop.
    classes : list
        The classes that occurred, in the order of the confusion matrix.
    confusion : ndarray of shape (n_classes, n_classes + 1)
        Rows: the true class. Columns: the predicted class, and last "no prediction".
    settings : dict
        What is needed to repeat the run.
    skipped : int
        Rows that the stream's reader left out.
    """

    accuracy: float
    f_measure: float
    kappa: float
    query_rate: float
    n_rows: int
    labels: int
    drifts: int
    n_leaves: int
    seconds: float
    positive: Any
    classes: list[Any]
    confusion: NDArray[np.int64]
    curve: Curve
    model: Any
    settings: dict[str, Any] = field(default_factory=dict)
    skipped: int = 0

    def per_class(self) -> list[dict[str, Any]]:
        """Return precision, recall, F-measure and support of each class; 0 where undefined."""
        square = self.confusion[:, :-1]
        sums = (np.diagonal(square), self.confusion.sum(axis=1), square.sum(axis=0))
        right, true, predicted = (counts.tolist() for counts in sums)
        return [
            {
                "class": label,
                "precision": right[k] / predicted[k] if predicted[k] else 0.0,
                "recall": right[k] / true[k] if true[k] else 0.0,
                "f_measure": _f_measure(right, true, predicted, k),
                "support": true[k],
                "predicted": predicted[k],
            }
            for k, label in enumerate(self.classes)
        ]

    def metrics(self) -> dict[str, Any]:
        """Return the numbers of the run, without curve and model."""
        names = "accuracy f_measure kappa query_rate n_rows labels drifts n_leaves seconds skipped"
        return {name: plain(getattr(self, name)) for name in [*names.split(), "positive"]}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model, ready for JSON."""
        return {
            **self.metrics(),
            "settings": plain(self.settings),
            "classes": plain(self.classes),
            "per_class": plain(self.per_class()),
            "confusion": self.confusion.tolist(),
            "curve": {column: self.curve[column].tolist() for column in CURVE_COLUMNS},
        }

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return everything but the model as JSON text, and write it to a file if one is given."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def to_pandas(self) -> Any:
        """Return the curve as a pandas DataFrame."""
        return self.curve.to_pandas()

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the curve to a Parquet file; the metrics are in its metadata as JSON."""
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            message = "Parquet needs pyarrow: pip install 'sapwood[arrow]'."
            raise ImportError(message) from None
        # From a NumPy array itself pyarrow would import pandas, to ask whether it is one of its.
        columns = {name: np.ascontiguousarray(self.curve[name]) for name in CURVE_COLUMNS}
        arrays = {
            name: pyarrow.Array.from_buffers(
                pyarrow.from_numpy_dtype(x.dtype), len(x), [None, pyarrow.py_buffer(x)]
            )
            for name, x in columns.items()
        }
        table = pyarrow.table(arrays)
        note = {"sapwood": json.dumps({**self.metrics(), "settings": plain(self.settings)})}
        parquet.write_table(table.replace_schema_metadata(note), os.fspath(path))

    def __repr__(self) -> str:
        return (
            f"<Result: accuracy {self.accuracy:.4f} over {self.n_rows} rows, "
            f"{self.labels} labels ({self.query_rate:.1%}), {self.n_leaves} leaves, "
            f"{self.drifts} drifts>"
        )


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: NumPy's scalars and arrays become Python's."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return value


def columns_of(records: Sequence[tuple[float, ...]], names: Sequence[str]) -> dict[str, Any]:
    """Turn records into columns of the curve."""
    if not records:
        return {name: np.zeros(0) for name in names}
    return {name: np.array(c) for name, c in zip(names, zip(*records, strict=True), strict=True)}
