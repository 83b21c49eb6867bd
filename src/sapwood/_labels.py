"""Class labels: any column of labels as codes into a list of values."""

from __future__ import annotations

import difflib
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._intake import as_array, is_missing, is_number, library_of
from ._sklearn import data_conversion_warning

WHOLE_LIMIT = 2.0**53  # below, no two whole numbers have the same float64

_MOST_CODES = 2**16
_SHOWN = 10  # classes in a message
_FEW = 16  # labels that plain Python goes through faster than NumPy


class Labels:
    """Labels of a batch: ``values[codes[i]]`` is the label of row i."""

    def __init__(self, codes: NDArray[np.int32], values: list[Any]) -> None:
        self.codes = codes
        self.values = values

    def present(self) -> list[Any]:
        """Return the distinct labels that occur, sorted."""
        counts = np.bincount(self.codes, minlength=len(self.values))
        return sorted(value for value, n in zip(self.values, counts, strict=True) if n)


def read_labels(y: Any, n_rows: int) -> Labels:
    """Encode the labels of ``n_rows`` rows; refuse what is not a class."""
    return encode(label_vector(y, n_rows))


def label_vector(y: Any, n_rows: int) -> NDArray[Any]:
    """Return the labels of ``n_rows`` rows as a vector, of whatever they are."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    array = label_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. "
            "Please change the shape of y to (n_samples,), for example using ravel().",
            data_conversion_warning(),
            stacklevel=4,
        )
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if len(array) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {len(array)}]"
        )
    return array


def _encode_text(array: NDArray[Any]) -> Labels:
    """Encode text of a fixed width, which sorting would take long for."""
    items = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
    codes, first = _core.number_items(items, 2**31 - 1)
    values = array[first]
    order = np.argsort(values)
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return Labels(ranks[codes], values[order].tolist())


def label_array(y: Any) -> NDArray[Any]:
    """Return labels as an array; whole numbers stay exact, whatever stands among them."""
    array = _as_found(y)
    if array.dtype.kind == "f" and array is not y and (np.abs(array) >= WHOLE_LIMIT).any():
        # A float beside a whole number, or a missing one, makes floats of all.
        return np.array(y.to_pylist() if hasattr(y, "to_pylist") else list(y), dtype=object)
    return array


def _as_found(y: Any) -> NDArray[Any]:
    if library_of(y) in ("polars", "pyarrow") and hasattr(y, "to_numpy"):
        try:
            return np.asarray(y.to_numpy())
        except ValueError:  # an Arrow array that cannot be had without a copy
            return np.asarray(y.to_numpy(zero_copy_only=False))
    return as_array(y)


def encode(array: NDArray[Any]) -> Labels:
    """Encode a vector of labels; refuse what is not a class."""
    kind = array.dtype.kind
    if array.dtype == np.int64 and len(array) > _FEW and array.flags.c_contiguous:
        bits = _core.zeros_and_ones(array)  # what labels mostly are, in one pass instead of three
        if bits is not None:
            return Labels(bits, [0, 1])
    if kind in "bui" and len(array):
        low, high = _ends(array)
        if high - low < _MOST_CODES and high < 2**63:
            shifted = array if low == 0 else array.astype(np.int64, copy=False) - low
            codes = np.ascontiguousarray(shifted, dtype=np.int32)
            values: list[Any] = list(range(low, high + 1))
            return Labels(codes, [bool(v) for v in values] if kind == "b" else values)
    if kind == "c":
        raise ValueError("Complex data not supported in y: class labels are numbers or text.")
    if kind == "f":
        array = array.astype(np.float64, copy=False)
        _require_whole(array)
    if kind == "O":
        return _encode_objects(array)
    if kind not in "buifUST":
        raise TypeError(f"y has dtype {array.dtype}; class labels are numbers or text.")
    if kind == "U" and len(array):
        return _encode_text(array)
    values_array, inverse = np.unique(array, return_inverse=True)
    return Labels(np.ascontiguousarray(inverse, dtype=np.int32), values_array.tolist())


def _ends(array: NDArray[Any]) -> tuple[int, int]:
    """Return the least and the greatest of some whole numbers."""
    few = array.tolist() if len(array) <= _FEW else (array.min(), array.max())
    return int(min(few)), int(max(few))


def _require_whole(numbers: NDArray[np.float64]) -> None:
    if np.isnan(numbers).any():
        raise ValueError("Input y contains NaN. Leave rows without a label out.")
    if not np.isfinite(numbers).all():
        raise ValueError("Input y contains infinity. Class labels must be finite.")
    if (numbers != np.floor(numbers)).any():
        raise ValueError(
            "Unknown label type: continuous. Class labels must be whole numbers, booleans or "
            "text; this looks like a regression target."
        )


def _encode_objects(array: NDArray[Any]) -> Labels:
    codes = np.empty(len(array), dtype=np.int32)
    ranks: dict[Any, int] = {}
    for i, value in enumerate(array):
        if is_missing(value):
            raise ValueError(f"Input y contains NaN or None (row {i}). Leave such rows out.")
        if not (isinstance(value, str) or is_number(value)):
            raise TypeError(
                f"y holds a {type(value).__name__} in row {i}; class labels are numbers or text. "
                "Unknown label type: unknown."
            )
        codes[i] = ranks.setdefault(value, len(ranks))
    if len({isinstance(value, str) for value in ranks}) > 1:
        raise TypeError("y mixes numbers and text; class labels must be of one kind.")
    fractions = [v for v in ranks if not isinstance(v, (str, int, np.integer, np.bool_))]
    _require_whole(np.array(fractions, dtype=np.float64))
    return Labels(codes, [v.item() if isinstance(v, np.generic) else v for v in ranks])


def undeclared(label: Any, classes: list[Any]) -> ValueError:
    """Return the error for a label that is not among the classes that were declared."""
    shown = ", ".join(map(repr, classes[:_SHOWN]))
    more = f", and {len(classes) - _SHOWN} more" if len(classes) > _SHOWN else ""
    texts = [known for known in classes if isinstance(known, str)]
    likely = difflib.get_close_matches(label, texts, 1) if isinstance(label, str) else []
    asks = f" Did you mean {likely[0]!r}?" if likely else ""
    return ValueError(
        f"y contains the label {label!r}, which is not among the classes [{shown}{more}] that were "
        f"declared.{asks} "
        "Beside those that fit or classes= declared none is learned; where none were declared, "
        "classes are learned as they appear."
    )


def declared_labels(classes: Any) -> list[Any]:
    """Return the classes that a user declares, in the given order."""
    labels = read_labels(classes, len(classes))
    if not labels.values:
        raise ValueError(
            "A label is not among the classes []: give all classes, or leave classes= out."
        )
    return [labels.values[code] for code in dict.fromkeys(labels.codes.tolist())]


def class_order(classes: list[Any]) -> list[int]:
    """Return the positions of classes in sorted order, which is the public one.

    A mixture that cannot be sorted, such as text and numbers, goes by the type's name, then the
    value. The core's models hold no such mixture.
    """
    positions = range(len(classes))
    try:
        return sorted(positions, key=classes.__getitem__)
    except TypeError:
        return sorted(positions, key=lambda k: (type(classes[k]).__name__, classes[k]))


def as_class_array(values: list[Any]) -> NDArray[Any]:
    """Class labels as the array that ``classes_`` is."""
    if not values:
        return np.empty(0, dtype=np.int64)
    array = np.array(values)
    if array.dtype.kind == "f" and any(type(v) is int and abs(v) >= WHOLE_LIMIT for v in values):
        array = np.array([int(value) for value in values])
    return array
