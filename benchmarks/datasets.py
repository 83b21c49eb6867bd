"""Test-then-train on the paper's datasets, majority leaves: sapwood beside MOA and the floors."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from benchmarks import moa, peers, streams
from benchmarks.floors import PASSES, Floors
from benchmarks.measure import MOST_PASSES, Rate, Work, in_turns
from benchmarks.moa.turns import Turns
from benchmarks.part import Data, LeftOut, Setting, Target, left_out, say, table, times
from benchmarks.streams import Stream

TITLE = "The paper's datasets"
NAMES = ("electricity", "covertype", "airlines", "a9a", "codrna", "covertype7")
SHUFFLED = ("codrna",)  # it lies nearly sorted by class
MOA_WARM_UP, MOA_COUNTED = 2, 5
GOAL = 10


def measure(setting: Setting) -> Data:
    """Measure every dataset that is to be had."""
    if not moa.available():
        raise LeftOut("MOA needs a Java development kit, and PyPI for its jar.")
    data: Data = {"sets": {}, "left_out": []}
    for name in NAMES:
        try:
            stream = streams.real(setting, name, shuffle=name in SHUFFLED)
        except LeftOut as error:
            say(f"datasets: left out {error}")
            data["left_out"].append(str(error))
            continue
        data["sets"][name] = _measure(setting, stream)
    if not data["sets"]:
        raise LeftOut("no dataset was found: " + "; ".join(data["left_out"]))
    return data


def _measure(setting: Setting, stream: Stream) -> Data:
    learner = f"{peers.MOA_TREE} {peers.MOA_MAJORITY}"
    binary = _binary_columns(stream)
    kinds = {"": stream.nominal}
    if binary:
        kinds[", 0/1 columns nominal"] = {**stream.nominal, **binary}
    with ExitStack() as stack:
        variants: dict[str, Turns] = {}
        speeds: dict[str, float] = {}
        outcomes: dict[str, Data] = {}
        for words, nominal in kinds.items():
            say(f"datasets: {stream.name}, MOA{words}")
            path = stack.enter_context(stream.file(nominal))
            turns = Turns(path, learner, MOA_WARM_UP + MOA_COUNTED * MOST_PASSES, core=setting.core)
            variants[words] = stack.enter_context(turns)
            for _ in range(MOA_WARM_UP):
                speeds[words] = turns.next()
            outcomes[words] = {key: turns.last[key] for key in ("accuracy", "leaves")}
        words = max(speeds, key=lambda key: speeds[key])  # the faster of MOA's ways is compared
        fastest = variants[words]
        say(f"datasets: {stream.name}, c for {fastest.last['leaves']} leaves")
        tree = peers.tree_as_good(stream, fastest.last["leaves"], fastest.last["accuracy"])
        result = peers.evaluate(stream, tree)
        works: dict[str, Work] = {"sapwood": peers.sapwood_work(stream, tree)}
        works["moa"] = Work(fastest.next, MOA_COUNTED, 0)
        floors = Floors(path, stream, result.model)
        works |= stack.enter_context(floors).works(*PASSES)
        say(f"datasets: {stream.name}, sapwood, floors, MOA")
        rates = in_turns(works)
        their = fastest.last
    return {
        "rows": len(stream),
        "columns": stream.matrix.shape[1],
        "classes": stream.n_classes,
        "c": tree.c,
        "rate": rates["sapwood"].values,
        "accuracy": result.accuracy,
        "leaves": result.n_leaves,
        "moa": {
            "options": peers.MOA_MAJORITY + words,
            "rate": rates["moa"].values,
            "accuracy": their["accuracy"],
            "leaves": their["leaves"],
            "other": {
                peers.MOA_MAJORITY + other: {"rate": [speeds[other]], **outcomes[other]}
                for other in kinds
                if other != words
            },
        },
        "floors": {name: rates[f"floor {name}"].values for name in PASSES},
    }


def _binary_columns(stream: Stream) -> dict[int, int]:
    """Return the numeric columns that hold 0 and 1 only, as nominal ones of two values."""
    X = stream.matrix
    return {
        j: 2
        for j in range(X.shape[1])
        if j not in stream.nominal and bool(np.all((X[:, j] == 0) | (X[:, j] == 1)))
    }


def page(data: Data) -> list[str]:
    """Return the table."""
    head = ["dataset", "learner", "rows per CPU second, median (range)", "sapwood is"]
    head += ["accuracy", "leaves"]
    rows: list[list[object]] = []
    for name, of in data["sets"].items():
        ours, theirs = Rate.of(of["rate"]), Rate.of(of["moa"]["rate"])
        title = f"{name.upper()}, {of['rows']:,} × {of['columns']}, {of['classes']} classes"
        accuracy = [f"**{of['accuracy']:.4f}**", of["leaves"]]
        rows.append([title, f"**sapwood, c={of['c']:.3g}**", f"**{ours}**", "", *accuracy])
        faster = times(ours.median, theirs.median)
        outcome = [f"{of['moa']['accuracy']:.4f}", of["moa"]["leaves"]]
        rows.append(["", f"MOA {of['moa']['options']}", theirs, faster, *outcome])
        for options, other in of["moa"].get("other", {}).items():
            rate = Rate.of(other["rate"])
            outcome = [f"{other['accuracy']:.4f}", other["leaves"]]
            rows.append(["", f"MOA {options}", rate, times(ours.median, rate.median), *outcome])
        for floor, values in of["floors"].items():
            rate = Rate.of(values)
            share = f"{100 * ours.median / rate.median:.0f} % of it"
            rows.append(["", f"floor: {floor.replace('count', 'route and count')}", rate, share])
            rows[-1] += ["", ""]
    return [
        "In the order of the source, COD-RNA shuffled (it lies nearly sorted by class). Rows are",
        "in memory: an Arrow table where there are nominal columns, else a matrix of doubles;",
        "MOA's instances are made beforehand. Where columns hold 0 and 1 only, MOA was tried with",
        "them as numbers and as nominal values; the faster one is compared, the other one was run",
        "once after a warm-up. Sapwood's c is that whose tree is nearest MOA's in leaves among 60",
        "values that give no lower accuracy, or among all of them where none does.",
        "",
        *table(head, rows),
        *left_out(data),
    ]


def targets(data: Data) -> list[Target]:
    """Return two targets per dataset."""
    found = []
    for name, of in data["sets"].items():
        ratio = Rate.of(of["rate"]).median / Rate.of(of["moa"]["rate"]).median
        found.append(Target(f"{name.upper()}, against MOA", ratio, GOAL))
        points = 100 * (of["accuracy"] - of["moa"]["accuracy"])
        found.append(Target(f"{name.upper()}, accuracy minus MOA's", points, 0, "points"))
    return found
