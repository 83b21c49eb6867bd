"""Runs that ask for labels under a budget, or watch for drift: ours and others'."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import statistics
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sapwood
from benchmarks import moa, peers, streams
from benchmarks.measure import Rate, Work, in_turns, timed
from benchmarks.part import Data
from benchmarks.streams import SEED, Stream

MOA_TREE = f"{peers.MOA_TREE} {peers.MOA_MAJORITY}"
MOA_WARM_UP, MOA_COUNTED = 4, 5
Runs = dict[str, dict[str, Any]]  # name of a line -> arguments of sapwood.evaluate


def run_sapwood(
    stream: Stream, tree: sapwood.ConfidenceTreeClassifier, runs: Runs
) -> dict[str, Data]:
    """Measure some ways to run the stream in turns.

    Speeds are those of the stream as it is; the outcome is told over several orders of its rows,
    each with a seed of its own.
    """
    n = len(stream)

    def work(name: str, rows: Stream = stream, seed: int = SEED) -> sapwood.Result:
        result: sapwood.Result = sapwood.evaluate(
            rows.pair, tree, every=n, random_state=seed, **runs[name]
        )
        return result

    speeds = in_turns({name: Work(timed(n, functools.partial(work, name))) for name in runs})
    results: dict[str, list[sapwood.Result]] = {name: [] for name in runs}
    for seed, order in enumerate(streams.orders(n), start=SEED):
        rows = streams.of_matrix(stream.name, stream.matrix[order], stream.y[order])
        for name in runs:
            results[name].append(work(name, rows, seed))
    return {
        name: {
            "rate": speeds[name].values,
            "accuracy": [r.accuracy for r in of],
            "labels": statistics.mean(r.query_rate for r in of),
            "leaves": [r.n_leaves for r in of],
            "drifts": [r.drifts for r in of],
        }
        for name, of in results.items()
    }


def run_moa(path: Path, n: int, learner: str, core: int | None) -> Data:
    """Test-then-train in a warm JVM; CPU seconds are those of the learning thread."""
    repetitions = MOA_WARM_UP + MOA_COUNTED
    runs = moa.run(path, learner, repetitions, core=core, orders=streams.orders(n))
    of = runs[-1]["orders"]
    asked = [r["examples"] if r["labels"] is None else r["labels"] for r in of]
    return {
        "rate": [r["examples_per_cpu_second"] for r in runs[MOA_WARM_UP:]],
        "accuracy": [r["accuracy"] for r in of],
        "labels": statistics.mean(asked) / n,
        "leaves": [r["leaves"] or 0 for r in of],
        "drifts": [r["measurements"].get("Change detected") or 0 for r in of],
    }


def moa_learner(strategy: str, budget: float) -> str:
    """Return an active learner over the Hoeffding tree, in MOA's notation."""
    if strategy == "ALRandom":
        return f"active.ALRandom -l ({MOA_TREE}) -b (FixedBM -b {budget})"
    return f"active.ALUncertainty -l ({MOA_TREE}) -d {strategy} -b {budget}"


def activeml_available() -> bool:
    """Whether scikit-activeml is installed (the dependency group `bench`)."""
    return importlib.util.find_spec("skactiveml") is not None


def run_activeml(stream: Stream, strategy: str, budget: float) -> Data:
    """scikit-activeml with naive Bayes, test-then-train, row by row as its strategies are used."""
    from sklearn.naive_bayes import GaussianNB

    strategies = importlib.import_module("skactiveml.stream")
    classifiers = importlib.import_module("skactiveml.classifier")
    X, y, n = stream.matrix, stream.y, len(stream)
    right = asked = 0

    def work() -> None:
        nonlocal right, asked
        right = asked = 0
        more = {"classes": [0, 1]} if strategy == "FixedUncertainty" else {}
        chooser = getattr(strategies, strategy)(budget=budget, random_state=SEED, **more)
        model = classifiers.SklearnClassifier(GaussianNB(), classes=[0, 1], random_state=SEED)
        model.fit([], [])
        at_random = strategy == "StreamRandomSampling"
        sees = {} if at_random else {"clf": model}
        for i in range(n):
            x, label = X[i : i + 1], y[i : i + 1]
            right += int(model.predict(x)[0] == label[0])
            chosen, utilities = chooser.query(candidates=x, return_utilities=True, **sees)
            told = {} if at_random else {"budget_manager_param_dict": {"utilities": utilities}}
            chooser.update(candidates=x, queried_indices=chosen, **told)
            if len(chosen):
                asked += 1
                model.partial_fit(x, label)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not been fitted yet, for one
        rate = timed(n, work)()
    return {"rate": [rate], "accuracy": [right / n], "labels": asked / n, "leaves": None}


def spread(values: Sequence[float] | None, digits: int) -> str:
    """Format a number over several runs, or the only one that there is."""
    if values is None:
        return "–"
    mean, low, high = (
        f"{v:.{digits}f}" for v in (statistics.mean(values), min(values), max(values))
    )
    return mean if len(values) == 1 else f"{mean} ({low}–{high})"


def median(line: Data) -> float:
    """Return the median rate of a line."""
    return Rate.of(line["rate"]).median


def cells(name: str, line: Data, *ratios: str, ours: bool = False) -> list[str]:
    """Return the cells of a line: its name, its rate, ratios, accuracy, labels and leaves."""
    mark = "**" if ours else ""
    outcome = [
        spread(line["accuracy"], 4),
        f"{100 * line['labels']:.2f} %",
        spread(line["leaves"], 0),
    ]
    return [f"{mark}{name}{mark}", f"{mark}{Rate.of(line['rate'])}{mark}", *ratios, *outcome]
