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

from ._scores import Confusion, f_measure

_PLAIN = frozenset({str, int, float, bool, type(None)})
MOST_IN_TABLE = 100  # classes; of more, most cells of a table are empty
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
        The time that the run took: reading the stream, predicting, learning and scoring.
    classes : list
        The classes that occurred, in the order of the confusion matrix.
    confusion : ndarray of shape (n_classes, n_classes + 1)
        Rows: the true class. Columns: the predicted class, and last "no prediction".
    pairs : Confusion
        The same as the pairs of classes that occurred: arrays ``true``, ``predicted`` and ``rows``.
    settings : dict
        What is needed to repeat the run.
    unscored : int
        Of the first ``delay`` rows, before any label could be due, those for which the model had no
        prediction. They are left out of the scores and the confusion.
    skipped, mended : int
        Rows that the stream's reader left out, and values that it took as missing.
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
    pairs: Confusion
    curve: Curve
    model: Any
    settings: dict[str, Any] = field(default_factory=dict)
    unscored: int = 0
    skipped: int = 0
    mended: int = 0

    @functools.cached_property
    def confusion(self) -> NDArray[np.int64]:
        """The confusion matrix, made when it is first asked for."""
        return self.pairs.table()

    def per_class(self) -> list[dict[str, Any]]:
        """Return precision, recall, F-measure and support of each class; 0 where undefined."""
        right, true, predicted = self.pairs.sums()
        return [
            {
                "class": label,
                "precision": right[k] / predicted[k] if predicted[k] else 0.0,
                "recall": right[k] / true[k] if true[k] else 0.0,
                "f_measure": f_measure(right[k], true[k], predicted[k]),
                "support": true[k],
                "predicted": predicted[k],
            }
            for k, label in enumerate(self.classes)
        ]

    def metrics(self) -> dict[str, Any]:
        """Return the numbers of the run, without curve and model."""
        names = "accuracy f_measure kappa query_rate n_rows labels drifts n_leaves seconds skipped "
        names += "mended unscored positive"
        return {name: plain(getattr(self, name)) for name in names.split()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model, ready for JSON.

        The confusion of more than 100 classes is given as ``confusion_pairs``: true class,
        predicted class and rows of each pair that occurred. Classes are counted from 0; -1 is "no
        prediction".
        """
        return {
            **self.metrics(),
            "settings": plain(self.settings),
            "classes": plain(self.classes),
            "per_class": plain(self.per_class()),
            **self._confusion(),
            "curve": {column: self.curve[column].tolist() for column in CURVE_COLUMNS},
        }

    def _confusion(self) -> dict[str, Any]:
        if len(self.classes) <= MOST_IN_TABLE:
            return {"confusion": self.confusion.tolist()}
        pairs = (self.pairs.true, self.pairs.predicted, self.pairs.rows)
        return {"confusion_pairs": np.column_stack(pairs).tolist()}

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
