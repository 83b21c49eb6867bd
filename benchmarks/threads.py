"""Prediction with one thread and with two."""

from __future__ import annotations

import functools
import inspect
import time
from typing import Any

import numpy as np

import sapwood
from benchmarks import streams
from benchmarks.measure import Rate, Work, in_turns, timed
from benchmarks.part import Data, LeftOut, Setting, Target, bold, say, table, times

TITLE = "Threads"
C = 0.0185
JOBS = (1, 2)
REPEATS = 4  # of the rows, so that a call takes long enough


def measure(setting: Setting) -> Data:
    """Measure by the clock on the wall: CPU seconds would not show that there are two."""
    if "n_jobs" not in inspect.signature(sapwood.ConfidenceTreeClassifier).parameters:
        raise LeftOut("this sapwood's trees have no parameter `n_jobs`.")
    if setting.core is not None and len(setting.cores) < max(JOBS):
        raise LeftOut(f"there is only {len(setting.cores)} core.")
    stream = streams.rand_cbt(setting)
    X = np.ascontiguousarray(np.tile(stream.matrix, (REPEATS, 1)))
    say("threads")
    works: dict[str, Work] = {}
    predicted: dict[int, Any] = {}
    make: Any = sapwood.ConfidenceTreeClassifier
    with setting.all_cores():
        for jobs in JOBS:
            tree = make(c=C, n_jobs=jobs).fit(*stream.pair)
            predicted[jobs] = tree.predict(X)
            predict = functools.partial(tree.predict, X)
            works[str(jobs)] = Work(timed(len(X), predict, time.perf_counter))
        rates = in_turns(works)
    return {
        "rows": len(X),
        "leaves": tree.n_leaves_,
        "rates": {name: rate.values for name, rate in rates.items()},
        "equal": bool(np.array_equal(predicted[1], predicted[2])),
    }


def page(data: Data) -> list[str]:
    """Return the table."""
    one = Rate.of(data["rates"]["1"])
    rows = []
    for jobs, values in data["rates"].items():
        rate = Rate.of(values)
        rows.append(bold([f"n_jobs={jobs}", rate, times(rate.median, one.median)]))
    same = "the same" if data["equal"] else "NOT the same"
    return [
        f"`predict` on {data['rows']:,} rows with a tree of {data['leaves']} leaves, by the clock",
        f"on the wall and on all cores. Predictions are {same}.",
        "",
        *table(["threads", "rows per second, median (range)", "of one thread"], rows),
    ]


def targets(data: Data) -> list[Target]:
    """Return none: what two threads gain depends on what else the machine does."""
    return []
