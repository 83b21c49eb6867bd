"""The streams that are run, and their rows where other programs find them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sapwood
from benchmarks import moa
from benchmarks.part import LeftOut, Setting

ORDERS = 5
SEED = 1


@dataclass(frozen=True)
class Stream:
    """Rows in memory, in the form that each learner likes best.

    Attributes
    ----------
    X, y
        What sapwood gets: a matrix of doubles, or an Arrow table where there are nominal columns;
        class numbers.
    matrix
        The rows as doubles, a category as its number: what MOA and the floors get.
    nominal
        Column -> number of categories.
    names
        The columns as a tree names them.
    codes
        Column -> category -> its number, by names.
    """

    name: str
    X: Any
    y: NDArray[np.int64]
    matrix: NDArray[np.float64]
    n_classes: int = 2
    nominal: dict[int, int] = field(default_factory=dict)
    names: list[Any] = field(default_factory=list)
    codes: dict[Any, dict[Any, int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def pair(self) -> tuple[Any, NDArray[np.int64]]:
        """What `sapwood.evaluate` takes."""
        return self.X, self.y

    @contextmanager
    def file(self, nominal: dict[int, int] | None = None) -> Iterator[Path]:
        """Write the rows as `benchmarks.moa` describes; `nominal` overrides the columns' kinds."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stream"
            kinds = self.nominal if nominal is None else nominal
            moa.write_stream(path, self.matrix, self.y.astype(np.int32), kinds, self.n_classes)
            yield path


def of_matrix(name: str, X: NDArray[np.float64], y: NDArray[np.int64]) -> Stream:
    """Make a stream of numbers."""
    return Stream(name, X, y, X, int(y.max()) + 1, names=list(range(X.shape[1])))


def rand_cbt(setting: Setting, rows: int = 500_000, seed: int = 8) -> Stream:
    """RandCBT with five attributes and 50 leaves, shuffled."""
    per_leaf = setting.rows(rows) // 50
    X, y = sapwood.datasets.rand_cbt(n_leaves=50, n_features=5, per_leaf=per_leaf, seed=seed)
    return of_matrix("RandCBT", np.ascontiguousarray(X), y)


def orders(n: int) -> NDArray[np.int32]:
    """Return orders of n rows: as they are, and shuffled."""
    rng = np.random.default_rng(SEED)
    rows = np.arange(n, dtype=np.int32)
    return np.stack([rows, *(rng.permutation(rows) for _ in range(ORDERS - 1))])


def real(setting: Setting, name: str, *, shuffle: bool = False) -> Stream:
    """Load a dataset of the paper; raises LeftOut, with the reason, if it is not to be had."""
    import pyarrow as pa

    try:
        X, y = sapwood.datasets.load(name)
    except (sapwood.datasets.FetchError, OSError, ImportError) as error:
        raise LeftOut(f"{name}: {str(error).splitlines()[0]}") from error
    n = min(len(y), max(20_000, setting.rows(len(y))))
    take = np.random.default_rng(SEED).permutation(len(y))[:n] if shuffle else np.arange(n)
    X = X.take(take) if shuffle else X.slice(0, n)
    columns, nominal, codes = [], {}, {}
    for j, column in enumerate(X.columns):
        whole = column.combine_chunks()
        if pa.types.is_dictionary(whole.type):
            categories = whole.dictionary.to_pylist()
            nominal[j] = len(categories)
            codes[X.column_names[j]] = {category: i for i, category in enumerate(categories)}
            whole = whole.indices
        columns.append(whole.to_numpy(zero_copy_only=False).astype(np.float64))
    matrix = np.ascontiguousarray(np.column_stack(columns))
    classes, labels = np.unique(y, return_inverse=True)
    rows: Any = X.combine_chunks() if nominal else matrix
    names = X.column_names if nominal else list(range(matrix.shape[1]))
    labels = np.ascontiguousarray(labels[take], dtype=np.int64)
    return Stream(name, rows, labels, matrix, len(classes), nominal, names, codes)


def nearest_c(leaves: Callable[[float], int], like: int, fine: int = 41) -> float:
    """Return the c whose tree is nearest in size: by halving first, then on a fine grid around."""
    low, high = 1e-4, 3.0  # a larger c asks for more evidence and gives fewer leaves
    for _ in range(7):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if leaves(middle) > like else (low, middle)
    around = float(np.sqrt(low * high))
    grid = np.geomspace(around / 1.3, around * 1.3, fine)
    return float(min(grid, key=lambda c: abs(leaves(float(c)) - like)))
