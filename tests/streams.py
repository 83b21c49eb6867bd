"""Random streams and random trees for the tests.

A few drawn numbers describe a stream and a seed makes its rows, so that hundreds of rows cost
little and a failure shrinks to a short description. Labels follow the first two columns, with
noise, so that trees do split.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

import sapwood
from sapwood import persist

CRITERIA = sapwood.bounds.CRITERIA
BOUNDS = sapwood.bounds.BOUNDS
UNDEFINED = {("theorem", "error"), ("mcdiarmid", "error"), ("mcdiarmid", "kearns-mansour")}
PAIRS = [(b, c) for b in BOUNDS for c in CRITERIA if (b, c) not in UNDEFINED]

Row = dict[Any, Any]


@dataclass(frozen=True)
class Column:
    """A column: its kind, how many values it has, how often they are missing, when it begins."""

    kind: str  # "continuous", "discrete", "text", or "sparse": a number that is mostly 0
    levels: int = 4
    missing: float = 0.0
    starts: int = 0

    def value(self, rng: Random, i: int) -> tuple[Any, int]:
        """Return a value, and the half (0 or 1) of the column in which it lies."""
        if self.kind == "continuous":
            x = rng.random()
            return x, int(2 * x)
        v = rng.randrange(self.levels)
        if self.kind == "sparse":
            return (float(v), 1) if rng.random() < 0.1 else (rng.choice([0.0, -0.0]), 0)
        if self.kind == "text":  # categories appear over time
            v = min(v, 1 + i * self.levels // 100)
            return f"v{v}", v % 2
        return (v - self.levels // 2) * 0.3, 2 * v // self.levels


@dataclass(frozen=True, repr=False)
class Stream:
    """Rows by name (a missing value has no entry), labels and weights."""

    columns: tuple[Column, ...]
    rows: list[Row]
    labels: list[Any]
    weights: list[float]
    recipe: str = "Stream"

    def __repr__(self) -> str:
        return self.recipe

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # how hypothesis prints it
        printer.text(self.recipe)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def numeric(self) -> bool:
        return all(column.kind != "text" for column in self.columns)

    def array(self) -> np.ndarray:
        """Return the rows as one array: of doubles if all are numbers, else of objects."""
        d = range(len(self.columns))
        if self.numeric and self.rows:
            return np.array([[row.get(j, math.nan) for j in d] for row in self.rows])
        table = np.full((len(self.rows), len(d)), None, dtype=object)
        for i, row in enumerate(self.rows):
            for j, value in row.items():
                table[i, j] = value
        return table


def make_stream(
    seed: int,
    n_rows: int,
    columns: tuple[Column, ...],
    n_classes: int = 2,
    noise: float = 0.1,
    weights: str = "none",
    text_labels: bool = False,
    whole_first_row: bool = False,
    table: list[list[int]] | None = None,
) -> Stream:
    """Make the rows. The first column has a value in row 0; with whole_first_row, all have.

    Without noise, table[a][b] is the label where columns 0 and 1 lie in their halves a and b.
    """
    rng = Random(seed)
    if table is None:
        table = [[rng.randrange(n_classes) for _ in range(2)] for _ in range(2)]
        table[1][0] = (table[0][0] + 1) % n_classes
    choices = {
        "none": [1.0],
        "whole": [0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 7.0],
        "fractional": [0.0, 0.1, 0.3, 0.5, 1.0, 1.7, 2.0, 2.5],
    }[weights]
    rows, labels, w = [], [], []
    for i in range(n_rows):
        halves = [0, 0]
        row: Row = {}
        for j, column in enumerate(columns):
            value, half = column.value(rng, i)
            if j < 2:
                halves[j] = half
            hidden = rng.random() < column.missing * (0.5 + half) or i < column.starts
            if not hidden or (i == 0 and (j == 0 or whole_first_row)):
                row[j] = value
        y = table[halves[0]][halves[1]]
        if rng.random() < noise:
            y = rng.randrange(n_classes)
        rows.append(row)
        labels.append("abcdefgh"[y] if text_labels else y)
        w.append(1.0 if i == 0 else rng.choice(choices))
    given = (seed, n_rows, columns, n_classes, noise, weights, text_labels, whole_first_row)
    recipe = f"make_stream{given}"
    return Stream(columns, rows, labels, w, recipe)


@st.composite
def streams(
    draw: st.DrawFn,
    *,
    kinds: tuple[str, ...] = ("continuous", "discrete", "text"),
    weights: tuple[str, ...] = ("none", "whole", "fractional"),
    min_rows: int = 1,
    max_rows: int = 800,
    max_columns: int = 4,
    whole_first_row: bool = False,
) -> Stream:
    """Draw a stream of up to max_rows rows; some are wide, and shorter."""
    n_rows = draw(st.integers(min_rows, max_rows))
    column = st.builds(
        Column,
        st.sampled_from(kinds),
        st.integers(2, 8) | st.just(20),
        st.sampled_from([0.0, 0.0, 0.1, 0.5]),
        st.sampled_from([0, 0, 0, 30, 200]),
    )
    columns = tuple(draw(st.lists(column, min_size=1, max_size=max_columns)))
    width = draw(st.sampled_from([0, 0, 0, 0, 0, 32, 33, 40]))  # leaves keep up to 32 columns whole
    if width > len(columns):
        n_rows = max(min_rows, min(n_rows, 200))
        columns += tuple(replace(draw(column), kind="sparse") for _ in range(2)) * width
        columns = columns[:width]
    return make_stream(
        draw(st.integers(0, 2**32 - 1)),
        n_rows,
        columns,
        n_classes=draw(st.integers(2, 5)),
        noise=draw(st.sampled_from([0.0, 0.05, 0.2, 0.5])),
        weights=draw(st.sampled_from(weights)),
        text_labels=draw(st.booleans()),
        whole_first_row=whole_first_row,
    )


@st.composite
def tree_params(draw: st.DrawFn, *, moa: bool = True) -> dict[str, Any]:
    """Draw constructor parameters of a tree that looks often and splits readily."""
    leaf_prediction = draw(st.sampled_from(["majority", "naive-bayes", "adaptive"]))
    grace_period = draw(st.integers(5, 50))
    if moa and draw(st.integers(0, 7)) == 7:
        tree = sapwood.ConfidenceTreeClassifier.moa(
            criterion=draw(st.sampled_from(["entropy", "gini"])),
            delta=0.1,
            leaf_prediction=leaf_prediction,
            grace_period=grace_period,
        )
        return tree.get_params()
    bound, criterion = draw(st.sampled_from(PAIRS))
    params = {
        "criterion": criterion,
        "bound": bound,
        "c": draw(st.sampled_from([0.005, 0.02, 0.1])),
        "delta": draw(st.sampled_from(["1/t", 0.1, 0.5])),
        "tie_threshold": draw(st.sampled_from([0.0, 0.2, 2.0])),
        "grace_period": grace_period,
        "leaf_prediction": leaf_prediction,
        "numeric_splits": draw(st.sampled_from(["histogram", "gaussian", "exact"])),
        "n_bins": draw(st.sampled_from([2, 5, 8, 16, 64])),
    }
    params["max_leaves"] = draw(st.sampled_from([None, None, 1, 2, 6]))
    params["max_depth"] = draw(st.sampled_from([None, None, 0, 1, 3]))
    if params["numeric_splits"] != "exact":
        params["max_bytes"] = draw(st.sampled_from([None, None, 16_000, 20_000, 40_000]))
    return params


def new_tree(params: dict[str, Any]) -> sapwood.ConfidenceTreeClassifier:
    return sapwood.ConfidenceTreeClassifier(**params)


def learn_each(tree: Any, stream: Stream, begin: int = 0, end: int | None = None) -> Any:
    """Learn rows [begin, end) by learn_one."""
    for i in range(begin, len(stream) if end is None else end):
        tree.learn_one(stream.rows[i], stream.labels[i], stream.weights[i])
    return tree


def grown(params: dict[str, Any], stream: Stream) -> Any:
    """Return a new tree that has learned the stream row by row."""
    return learn_each(new_tree(params), stream)


def bytes_of(tree: Any) -> bytes:
    return persist.to_bytes(tree)
