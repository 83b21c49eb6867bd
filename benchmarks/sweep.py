"""Two hundred values of c on one stream: `sapwood.sweep` beside as many runs of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

import sapwood
from benchmarks import streams
from benchmarks.measure import Rate, Work, in_turns, timed
from benchmarks.part import Data, LeftOut, Setting, Target, bold, say, table, times

TITLE = "A sweep of settings"
ROWS, SETTINGS, RUNS = 200_000, 200, 3
GOAL = 1.5


def measure(setting: Setting) -> Data:
    """Measure both in turns, and compare what they give."""
    sweep: Any = getattr(sapwood, "sweep", None)
    if not callable(sweep):
        raise LeftOut("this sapwood has no `sapwood.sweep`.")
    stream = streams.rand_cbt(setting, ROWS)
    n = len(stream)
    values = np.geomspace(0.005, 0.1, SETTINGS)
    trees = [sapwood.ConfidenceTreeClassifier(c=float(c)) for c in values]
    together: list[Any] = []
    alone: list[Any] = []

    def run_together() -> None:
        together[:] = sweep(stream.pair, trees, n_jobs=1)

    def run_alone() -> None:
        alone[:] = [sapwood.evaluate(stream.pair, tree) for tree in trees]

    say(f"sweep: {SETTINGS} settings")
    works = {
        "sweep": Work(timed(n * SETTINGS, run_together), RUNS, warm_up=0),
        "alone": Work(timed(n * SETTINGS, run_alone), RUNS, warm_up=0),
    }
    rates = in_turns(works)
    return {
        "rows": n,
        "settings": SETTINGS,
        "rates": {name: rate.values for name, rate in rates.items()},
        "equal": sum(_same(a, b) for a, b in zip(together, alone, strict=True)),
        "leaves": [alone[0].n_leaves, alone[-1].n_leaves],
        "accuracy": max(result.accuracy for result in alone),
    }


def _same(a: Any, b: Any) -> bool:
    return (a.accuracy, a.n_leaves, a.kappa) == (b.accuracy, b.n_leaves, b.kappa)


def page(data: Data) -> list[str]:
    """Return the table."""
    ours, other = (Rate.of(data["rates"][name]) for name in ("sweep", "alone"))
    total = data["rows"] * data["settings"]
    rows = [
        bold(["`sapwood.sweep`, n_jobs=1", ours, f"{total / ours.median:.1f}", ""]),
        [
            f"{data['settings']} calls of `sapwood.evaluate`",
            other,
            f"{total / other.median:.1f}",
            times(ours.median, other.median),
        ],
    ]
    head = ["way", "rows × settings per CPU second, median (range)", "CPU seconds", "the sweep is"]
    return [
        f"RandCBT, {data['rows']:,} rows, {data['settings']} values of c from 0.005 to 0.1: from",
        f"{data['leaves'][0]} to {data['leaves'][1]} leaves, accuracy up to",
        f"{data['accuracy']:.4f}. Of the results, {data['equal']} of {data['settings']} are equal.",
        "",
        *table(head, rows),
    ]


def targets(data: Data) -> list[Target]:
    """Return the targets."""
    ours, other = (Rate.of(data["rates"][name]).median for name in ("sweep", "alone"))
    equal = data["equal"] / data["settings"]
    return [
        Target("against runs of their own", ours / other, GOAL),
        Target("equal results", equal, 1.0, "%"),
    ]
