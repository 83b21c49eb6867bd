"""How speed and memory change with the number of columns, leaves, classes, categories and so on."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sapwood
from benchmarks.measure import Rate, Work, in_turns, shown, timed
from benchmarks.part import Data, Setting, Target, left_out, say, table

TITLE = "Growth"
RUNS = 3
VALUES = 4_000_000  # about so many numbers per point, so that each takes about as long
TINY_C = 1e-9  # splits whenever it looks


@dataclass
class Point:
    """One run: its rows, and the learner that goes through them."""

    x: float
    rows: int
    learn: Callable[[], Any]  # returns the fitted tree


def _rows(setting: Setting, n: float, low: int = 10_000, high: int = 400_000) -> int:
    return setting.rows(int(np.clip(n, low, high)))


def _noisy(X: NDArray[np.float64], classes: int = 2) -> NDArray[np.int64]:
    """Label rows by a sum of two columns; a quarter of the labels is noise."""
    rng = np.random.default_rng(2)
    mixed = 0.7 * X[:, 0] + 0.3 * X[:, 1]
    y = np.minimum((mixed * classes).astype(np.int64), classes - 1)
    noise = rng.random(len(y)) < 0.25
    y[noise] = rng.integers(classes, size=int(noise.sum()))
    return y


def _evaluated(X: Any, y: NDArray[np.int64], **params: Any) -> Callable[[], Any]:
    """Return a test-then-train run over rows in memory."""
    params.setdefault("c", 0.02)
    tree = sapwood.ConfidenceTreeClassifier(**params)
    return lambda: sapwood.evaluate((X, y), tree, every=len(y)).model


def _uniform(n: int, d: int = 5) -> NDArray[np.float64]:
    return np.random.default_rng(1).random((n, d))


def columns(setting: Setting) -> Iterator[Point]:
    """Numeric columns."""
    for d in (2, 5, 10, 20, 50, 100, 200, 500, 1000):
        n = _rows(setting, VALUES / d)
        X = _uniform(n, d)
        yield Point(d, n, _evaluated(X, _noisy(X)))


def leaves(setting: Setting) -> Iterator[Point]:
    """Leaves at the end of the run: a leaf splits whenever it looks, the grace period is set."""
    for wanted in (1, 10, 100, 1000, 10_000, 100_000):
        n = _rows(setting, 30 * wanted, 200_000, 3_000_000)
        X = _uniform(n)
        grace = n + 1 if wanted == 1 else max(10, round(n / (1.5 * wanted)))
        yield Point(wanted, n, _evaluated(X, _noisy(X), c=TINY_C, grace_period=grace))


def classes(setting: Setting) -> Iterator[Point]:
    """Classes."""
    X = _uniform(_rows(setting, 200_000))
    for k in (2, 3, 5, 10, 20, 50, 100):
        yield Point(k, len(X), _evaluated(X, _noisy(X, k)))


def categories(setting: Setting) -> Iterator[Point]:
    """Categories of one column, beside a numeric one."""
    import pyarrow as pa

    rng = np.random.default_rng(3)
    for k in (2, 10, 100, 1000, 10_000, 100_000):
        n = _rows(setting, 200_000)
        codes = rng.integers(k, size=n)
        coded = pa.DictionaryArray.from_arrays(
            pa.array(codes.astype(np.int32)), pa.array([f"c{i}" for i in range(k)])
        )
        number = rng.random(n)
        y = ((codes % 2 == 0) ^ (rng.random(n) < 0.25)).astype(np.int64)
        yield Point(k, n, _evaluated(pa.table({"category": coded, "number": number}), y))


def bins(setting: Setting) -> Iterator[Point]:
    """Bins of a histogram (n_bins)."""
    X = _uniform(_rows(setting, 200_000))
    y = _noisy(X)
    for n_bins in (4, 8, 16, 32, 64, 128, 256, 512):
        yield Point(n_bins, len(X), _evaluated(X, y, n_bins=n_bins))


def missing(setting: Setting) -> Iterator[Point]:
    """Share of values that are missing."""
    X = _uniform(_rows(setting, 200_000))
    y = _noisy(X)
    for share in (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9):
        holes = X.copy()
        holes[np.random.default_rng(4).random(X.shape) < share] = np.nan
        yield Point(share, len(X), _evaluated(holes, y))


def batch(setting: Setting) -> Iterator[Point]:
    """Rows per call of `partial_fit`."""
    for size in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000):
        n = max(size, 20_000 if size == 1 else _rows(setting, 400_000))
        X = _uniform(n)
        y = _noisy(X)

        def learn(X: Any = X, y: Any = y, size: int = size) -> Any:
            tree = sapwood.ConfidenceTreeClassifier(c=0.02)
            for start in range(0, len(y), size):
                tree.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
            return tree

        yield Point(size, n, learn)


def density(setting: Setting) -> Iterator[Point]:
    """Share of values that are not zero, of 1,000 columns of a sparse matrix."""
    from scipy import sparse

    for share in (0.001, 0.01, 0.1, 0.5):
        n, d = _rows(setting, 8000), 1000
        rows = _uniform(n, d)
        rows[rows > share] = 0.0
        X = rows / share
        y = _noisy(X)
        yield Point(share, n, _evaluated(sparse.csr_matrix(X), y))


AXES: dict[str, tuple[str, Callable[[Setting], Iterator[Point]]]] = {
    "columns": ("columns", columns),
    "leaves": ("leaves", leaves),
    "classes": ("classes", classes),
    "categories": ("categories", categories),
    "bins": ("bins (n_bins)", bins),
    "missing": ("share of missing values", missing),
    "batch": ("rows per call of partial_fit", batch),
    "density": ("density of a CSR matrix, 1,000 columns", density),
}


def measure(setting: Setting) -> Data:
    """Measure along every axis, the points of one in turns."""
    data: Data = {"axes": {}, "left_out": []}
    for name, (_, points) in AXES.items():
        say(f"growth: {name}")
        try:
            data["axes"][name] = _measure(list(points(setting)))
        except (TypeError, ValueError, ImportError) as error:
            if name != "density":
                raise
            data["left_out"].append(f"sparse matrices: {str(error).splitlines()[0]}")
    return data


def _measure(points: list[Point]) -> list[Data]:
    trees: dict[str, Any] = {}

    def work(key: str, point: Point) -> Work:
        def learn() -> None:
            trees[key] = point.learn()

        return Work(timed(point.rows, learn), RUNS)

    rates = in_turns({str(i): work(str(i), point) for i, point in enumerate(points)})
    return [
        {
            "x": point.x,
            "rows": point.rows,
            "rate": rates[str(i)].values,
            "bytes": trees[str(i)].nbytes_,
            "leaves": trees[str(i)].n_leaves_,
        }
        for i, point in enumerate(points)
    ]


def cliff(points: list[Data]) -> tuple[float, Data, Data]:
    """Return the largest factor between the rates of two neighbours, and these."""
    medians = [statistics.median(point["rate"]) for point in points]
    steps = [
        (max(before / after, after / before), points[i], points[i + 1])
        for i, (before, after) in enumerate(itertools.pairwise(medians))
    ]
    return max(steps, key=lambda step: step[0])


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 1 else f"{x:g}"


def page(data: Data) -> list[str]:
    """Return the tables."""
    lines = [
        "Test-then-train on uniform numbers in five columns (or as the axis says), two classes by",
        f"a sum of two columns, with noise, c=0.02; median of {RUNS}. The number of rows is set so",
        "that each point takes about as long; so memory is that of trees of different ages. Along",
        "the axis of leaves every look splits, and the grace period is set to give so many.",
    ]
    steps: list[list[Any]] = []
    for name, points in data["axes"].items():
        factor, before, after = cliff(points)
        slower = statistics.median(after["rate"]) < statistics.median(before["rate"])
        change = f"{factor:.2f}× {'slower' if slower else 'faster'}"
        steps.append([AXES[name][0], change, f"{_number(before['x'])} to {_number(after['x'])}"])
    lines += [
        "",
        "The largest step of the rate between neighbours, to look for cliffs:",
        "",
    ]
    lines += table(["axis", "largest step", "from"], steps)
    for name, points in data["axes"].items():
        rows = [
            [
                _number(point["x"]),
                Rate.of(point["rate"]),
                f"{shown(point['bytes'])}B" if point["bytes"] >= 1000 else f"{point['bytes']} B",
                point["leaves"],
                f"{point['rows']:,}",
            ]
            for point in points
        ]
        head = [AXES[name][0], "rows per CPU second, median (range)", "bytes", "leaves", "rows"]
        lines += ["", *table(head, rows)]
    return lines + left_out(data)


def targets(data: Data) -> list[Target]:
    """Return none: the page states the largest step on each axis."""
    return []
