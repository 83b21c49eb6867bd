"""The speed and the outcome of asking for labels under a budget, and of watching for drift."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import statistics
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sapwood
from benchmarks import moa
from benchmarks.measure import Rate, rate, rates
from benchmarks.peers import Stream

BUDGETS = (0.1, 0.3)
MOA_TREE = "trees.HoeffdingTree -b -l MC -g 100 -t 0.05"
MOA_STRATEGIES = {  # its name -> our strategy of the same idea
    "ALRandom": "random",
    "VarUncertainty": "variable-uncertainty",
    "RandVarUncertainty": "randomized-variable-uncertainty",
    "SelSampling": "selective-sampling",
    "FixedUncertainty": None,
}
MOA_WARM_UP, MOA_COUNTED = 4, 5
ACTIVEML_STRATEGIES = {
    "StreamRandomSampling": "random",
    "VariableUncertainty": "variable-uncertainty",
    "RandomVariableUncertainty": "randomized-variable-uncertainty",
    "Split": "split",
    "FixedUncertainty": None,
}
ACTIVEML_ROWS = 10_000
TARGET = 0.6  # of the speed of FULL, for every strategy
SEED = 1
ORDERS = 5  # of the rows, the given one first: what comes of a run depends much on it


@dataclass(frozen=True)
class Spread:
    """A number over several runs, or the only one that there is."""

    values: tuple[float, ...]
    digits: int = 4

    def __str__(self) -> str:
        mean, low, high = (
            f"{v:.{self.digits}f}"
            for v in (statistics.mean(self.values), min(self.values), max(self.values))
        )
        return mean if len(self.values) == 1 else f"{mean} ({low}–{high})"


@dataclass(frozen=True)
class Asked:
    """One line of a table; `labels` is a share of the rows, `leaves` None for no tree."""

    name: str
    rate: Rate
    accuracy: Spread
    labels: float
    leaves: Spread | None
    drifts: Spread = Spread((0,), 0)

    def cells(self, *ratios: str, bold: bool = False) -> str:
        """Format the line of a table."""
        mark = "**" if bold else ""
        leaves = "–" if self.leaves is None else str(self.leaves)
        outcome = (str(self.accuracy), f"{100 * self.labels:.2f} %", leaves)
        cells = (f"{mark}{self.name}{mark}", f"{mark}{self.rate}{mark}", *ratios, *outcome)
        return "| " + " | ".join(cells) + " |"


Say = Callable[[str], None]
Runs = dict[str, dict[str, Any]]  # name of a line -> arguments of sapwood.evaluate


def orders(n: int) -> NDArray[np.int32]:
    """Return orders of n rows: as they are, and shuffled."""
    rng = np.random.default_rng(SEED)
    rows = np.arange(n, dtype=np.int32)
    return np.stack([rows, *(rng.permutation(rows) for _ in range(ORDERS - 1))])


def run_sapwood(
    stream: Stream, tree: sapwood.ConfidenceTreeClassifier, runs: Runs
) -> dict[str, Asked]:
    """Measure some ways to run the stream in turns, so that all meet the same machine.

    Speeds are those of the stream as it is; the outcome is told over several orders of its rows,
    each with a seed of its own.
    """
    X, y = stream
    n = len(y)

    def work(name: str, rows: Stream = stream, seed: int = SEED) -> sapwood.Result:
        result: sapwood.Result = sapwood.evaluate(
            rows, tree, every=n, random_state=seed, **runs[name]
        )
        return result

    speeds = rates(n, {name: functools.partial(work, name) for name in runs})
    results: dict[str, list[sapwood.Result]] = {name: [] for name in runs}
    for seed, order in enumerate(orders(n), start=SEED):
        rows = (X[order], y[order])
        for name in runs:
            results[name].append(work(name, rows, seed))
    return {
        name: Asked(
            name,
            speeds[name],
            Spread(tuple(r.accuracy for r in of)),
            statistics.mean(r.query_rate for r in of),
            Spread(tuple(r.n_leaves for r in of), 0),
            Spread(tuple(r.drifts for r in of), 0),
        )
        for name, of in results.items()
    }


@contextmanager
def moa_stream(stream: Stream) -> Iterator[Path]:
    """Write the rows where MOA finds them."""
    X, y = stream
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream"
        moa.write_stream(path, X, y.astype(np.int32), {}, 2)
        yield path


def run_moa(path: Path, n: int, name: str, learner: str, core: int | None) -> Asked:
    """Test-then-train in a warm JVM; CPU seconds are those of the learning thread."""
    repetitions = MOA_WARM_UP + MOA_COUNTED
    runs = moa.run(path, learner, repetitions, core=core, orders=orders(n))
    speed = Rate(tuple(r["examples_per_cpu_second"] for r in runs[MOA_WARM_UP:]))
    of = runs[-1]["orders"]
    asked = [r["examples"] if r["labels"] is None else r["labels"] for r in of]
    return Asked(
        name,
        speed,
        Spread(tuple(r["accuracy"] for r in of)),
        statistics.mean(asked) / n,
        Spread(tuple(r["leaves"] or 0 for r in of), 0),
        Spread(tuple(r["measurements"].get("Change detected") or 0 for r in of), 0),
    )


def moa_learner(strategy: str, budget: float) -> str:
    """Return an active learner over the Hoeffding tree, in MOA's notation."""
    if strategy == "ALRandom":
        return f"active.ALRandom -l ({MOA_TREE}) -b (FixedBM -b {budget})"
    return f"active.ALUncertainty -l ({MOA_TREE}) -d {strategy} -b {budget}"


def activeml_available() -> bool:
    """Whether scikit-activeml is installed (the dependency group `bench`)."""
    return importlib.util.find_spec("skactiveml") is not None


def run_activeml(stream: Stream, strategy: str, budget: float) -> Asked:
    """scikit-activeml with naive Bayes, test-then-train, row by row as its strategies are used."""
    from sklearn.naive_bayes import GaussianNB

    strategies = importlib.import_module("skactiveml.stream")
    classifiers = importlib.import_module("skactiveml.classifier")
    X, y = stream
    n = len(y)
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
        speed = rate(n, work, repetitions=1, warm_up=False)
    return Asked(f"scikit-activeml {strategy}", speed, Spread((right / n,)), asked / n, None)


def asking(
    stream: Stream, tree: sapwood.ConfidenceTreeClassifier, core: int | None, say: Say
) -> list[str]:
    """Return a table for each budget: our strategies beside FULL and MOA's."""
    lines: list[str] = []
    slowest: tuple[float, str] = (np.inf, "")
    with moa_stream(stream) as path:
        for budget in BUDGETS:
            say(f"asking, sapwood, budget {budget}")
            runs: Runs = {"FULL": {}}
            runs |= {s: {"strategy": s, "budget": budget} for s in sapwood.strategies.NAMES}
            ours = run_sapwood(stream, tree, runs)
            lines += ["", f"Budget {budget}:", "", *_head("of FULL", "sapwood is")]
            full = ours["FULL"]
            for name, one in ours.items():
                share = one.rate.median / full.rate.median
                of_full = "" if one is full else f"{100 * share:.0f} %"
                lines.append(one.cells(of_full, "", bold=True))
                if one is not full:
                    slowest = min(slowest, (share, f"{name} at {budget}"))
            if not moa.java_available():
                continue
            for strategy, like in MOA_STRATEGIES.items():
                say(f"asking, MOA, {strategy}, budget {budget}")
                learner = moa_learner(strategy, budget)
                other = run_moa(path, len(stream[1]), f"MOA {strategy}", learner, core)
                lines.append(other.cells("", _times(ours, like, other)))
    share, where = slowest
    lines += [
        "",
        f"The slowest of our strategies has {100 * share:.0f} % of the speed of FULL ({where}); "
        f"the aim is {100 * TARGET:.0f} %: {'met' if share >= TARGET else 'missed'}.",
    ]
    return lines


def asking_a_short_stream(
    stream: Stream, tree: sapwood.ConfidenceTreeClassifier, say: Say
) -> list[str]:
    """Return the table beside scikit-activeml, on the first rows only: it is slow."""
    if not activeml_available():
        return ["scikit-activeml is not installed: left out."]
    short = (stream[0][:ACTIVEML_ROWS], stream[1][:ACTIVEML_ROWS])
    lines: list[str] = []
    for budget in BUDGETS:
        names = [*dict.fromkeys(filter(None, ACTIVEML_STRATEGIES.values())), "conf-tree"]
        ours = run_sapwood(short, tree, {s: {"strategy": s, "budget": budget} for s in names})
        lines += ["", f"Budget {budget}:", "", *_head("sapwood is")]
        lines += [one.cells("", bold=True) for one in ours.values()]
        for strategy, like in ACTIVEML_STRATEGIES.items():
            say(f"asking, scikit-activeml, {strategy}, budget {budget}")
            other = run_activeml(short, strategy, budget)
            lines.append(other.cells(_times(ours, like, other)))
    return lines[1:]


def drift(
    stream: Stream, tree: sapwood.ConfidenceTreeClassifier, core: int | None, say: Say
) -> list[str]:
    """Return the cost of DDM where every label is learned, and the same of MOA."""
    say("drift")
    lines = [
        "| learner | rows per CPU second, median (range) | of FULL | accuracy | leaves | drifts |",
        "|---|---|---|---|---|---|",
    ]
    runs: Runs = {
        "sapwood, FULL": {},
        "sapwood, `all` without a cap": {"strategy": "all"},
        "sapwood, FULL, DDM": {"drift": "ddm"},
    }
    n = len(stream[1])
    groups = [list(run_sapwood(stream, tree, runs).values())]
    if moa.java_available():
        with moa_stream(stream) as path:
            watched = f"drift.SingleClassifierDrift -l ({MOA_TREE}) -d DDM"
            groups.append(
                [
                    run_moa(path, n, "MOA HoeffdingTree", MOA_TREE, core),
                    run_moa(path, n, "MOA SingleClassifierDrift, DDM", watched, core),
                ]
            )
    for full, *others in groups:
        for one in (full, *others):
            share = "" if one is full else f"{100 * one.rate.median / full.rate.median:.0f} %"
            cells = (one.name, one.rate, share, one.accuracy, one.leaves, one.drifts)
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def _head(*ratios: str) -> list[str]:
    names = ("learner", "rows per CPU second, median (range)", *ratios)
    names += ("accuracy", "labels", "leaves")
    return ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]


def _times(ours: dict[str, Asked], like: str | None, other: Asked) -> str:
    """How many times as fast our strategy of the same idea is; empty if there is none."""
    return "" if like is None else f"{ours[like].rate.median / other.rate.median:.3g}×"
