"""Single calls with dicts: `predict_one` and `learn_one` of sapwood and of river."""

from __future__ import annotations

import functools
import time
from typing import Any

import sapwood
from benchmarks import peers, streams
from benchmarks.measure import Rate, Work, in_turns
from benchmarks.part import Data, Setting, Target, say, table

TITLE = "Single calls"
ROWS = 50_000
GOAL = 25


class Caller:
    """Learns rows one by one, then predicts them one by one; each half is timed by itself."""

    def __init__(self, make: Any, rows: list[dict[str, float]], labels: list[int]) -> None:
        self.make, self.rows, self.labels = make, rows, labels
        self._model: Any = None

    def learn(self) -> float:
        """Learn all rows with a fresh model; returns calls per CPU second."""
        self._model = self.make()
        learn_one = self._model.learn_one
        start = time.process_time()
        for x, label in zip(self.rows, self.labels, strict=True):
            learn_one(x, label)
        return len(self.rows) / (time.process_time() - start)

    def predict(self) -> float:
        """Predict all rows; returns calls per CPU second."""
        predict_one = self._model.predict_one
        start = time.process_time()
        for x in self.rows:
            predict_one(x)
        return len(self.rows) / (time.process_time() - start)


def measure(setting: Setting) -> Data:
    """Measure both in turns."""
    from river import tree

    say("calls")
    stream = streams.rand_cbt(setting)
    n = setting.rows(ROWS)
    names = [f"x{j}" for j in range(stream.matrix.shape[1])]
    rows = [dict(zip(names, row, strict=True)) for row in stream.matrix[:n].tolist()]
    labels = stream.y[:n].tolist()
    makers = {
        "sapwood": functools.partial(sapwood.ConfidenceTreeClassifier, c=0.02),
        "river": functools.partial(tree.HoeffdingTreeClassifier, **peers.RIVER_MAJORITY),
    }
    works = {}
    for name, make in makers.items():
        caller = Caller(make, rows, labels)
        works[f"{name} learn"] = Work(caller.learn)
        works[f"{name} predict"] = Work(caller.predict)
    rates = in_turns(works)
    return {"rows": n, "rates": {name: rate.values for name, rate in rates.items()}}


def _micros(data: Data, name: str, call: str) -> float:
    """Return microseconds of one call, or of one of each for "both"."""
    if call == "both":
        return _micros(data, name, "learn") + _micros(data, name, "predict")
    return 1e6 / Rate.of(data["rates"][f"{name} {call}"]).median


def page(data: Data) -> list[str]:
    """Return the table."""
    rows: list[list[Any]] = []
    shown = {"sapwood": "sapwood, c=0.02", "river": "river, leaf_prediction=mc, grace_period=100"}
    for key, name in shown.items():
        cells: list[Any] = [name]
        for call in ("learn", "predict"):
            values = sorted(1e6 / rate for rate in data["rates"][f"{key} {call}"])
            middle = _micros(data, key, call)
            cells.append(f"{middle:.2f} ({values[0]:.2f}–{values[-1]:.2f})")
        rows.append([*cells, f"{_micros(data, key, 'both'):.2f}"])
    head = ["µs per call, median (range)", "`learn_one`", "`predict_one`", "sum"]
    return [
        f"The first {data['rows']:,} rows of RandCBT as dicts of five values, made beforehand.",
        "",
        *table(head, rows),
    ]


def targets(data: Data) -> list[Target]:
    """Return the target."""
    ratio = _micros(data, "river", "both") / _micros(data, "sapwood", "both")
    return [Target("against river, sum of both calls", ratio, GOAL)]
