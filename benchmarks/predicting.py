"""Prediction only, on a tree of about MOA's size: sapwood, scikit-learn, MOA and the floor."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from benchmarks import moa, peers, streams
from benchmarks.floors import Floors
from benchmarks.measure import MOST_PASSES, Rate, Work, in_turns, timed
from benchmarks.moa.turns import Turns
from benchmarks.part import Data, Setting, Target, bold, left_out, say, table, times

TITLE = "Predicting"
LIKE = 175
MOA_LEARNS, MOA_WARM_UP, MOA_COUNTED = 3, 2, 5


def measure(setting: Setting) -> Data:
    """Measure passes over all rows."""
    from sklearn.tree import DecisionTreeClassifier

    stream = streams.rand_cbt(setting)
    X, y, n = stream.matrix, stream.y, len(stream)
    omitted = []
    with ExitStack() as stack:
        path = stack.enter_context(stream.file())
        works: dict[str, Work] = {}
        like = LIKE
        if moa.available():
            say("predicting: MOA learns")
            learner = f"{peers.MOA_TREE} {peers.MOA_MAJORITY}"
            passes = MOA_WARM_UP + MOA_COUNTED * MOST_PASSES
            turns = stack.enter_context(Turns(path, learner, MOA_LEARNS, passes, setting.core))
            for _ in range(MOA_LEARNS):
                turns.next()
            like = turns.last["leaves"]
            works["moa"] = Work(turns.next, MOA_COUNTED, MOA_WARM_UP)
        else:
            omitted.append("MOA, which needs a Java development kit and PyPI.")
        say(f"predicting: trees of {like} leaves")
        tree = peers.evaluate(stream, peers.tree_like(stream, like)).model
        batch = DecisionTreeClassifier(max_leaf_nodes=like, random_state=0).fit(X, y)
        X32 = np.ascontiguousarray(X, dtype=np.float32)
        works |= {
            "sapwood": Work(timed(n, lambda: tree.predict(X))),
            "sapwood float32": Work(timed(n, lambda: tree.predict(X32))),
            "sapwood apply": Work(timed(n, lambda: tree.apply(X))),
            "sklearn": Work(timed(n, lambda: batch.predict(X32))),
            "apply": Work(timed(n, lambda: batch.tree_.apply(X32))),
        }
        floors = stack.enter_context(Floors(path, stream, tree))
        works |= floors.works("read", "route")
        rates = in_turns(works)
    leaves = {"moa": like, "sklearn": batch.get_n_leaves(), "apply": batch.get_n_leaves()}
    return {
        "rows": n,
        "lines": {
            name: {"rate": rate.values, "leaves": int(leaves.get(name, tree.n_leaves_))}
            for name, rate in rates.items()
        },
        "left_out": omitted,
    }


NAMES = {
    "sapwood": "sapwood `predict`, float64",
    "sapwood float32": "sapwood `predict`, float32",
    "sapwood apply": "sapwood `apply`, float64",
    "sklearn": "scikit-learn `DecisionTreeClassifier.predict`, float32",
    "apply": "scikit-learn `tree_.apply`, float32",
    "moa": f"MOA HoeffdingTree {peers.MOA_MAJORITY}",
    "floor read": "floor: read",
    "floor route": "floor: route",
}


def page(data: Data) -> list[str]:
    """Return the table."""
    ours = Rate.of(data["lines"]["sapwood"]["rate"]).median
    rows = []
    for key, name in NAMES.items():
        if key not in data["lines"]:
            continue
        rate = Rate.of(data["lines"][key]["rate"])
        cells = [name, rate, data["lines"][key]["leaves"]]
        if key.startswith("sapwood"):
            rows.append(bold([*cells, ""]))
        elif key.startswith("floor"):
            rows.append([*cells, f"{100 * ours / rate.median:.0f} % of it"])
        else:
            rows.append([*cells, times(ours, rate.median)])
    return [
        f"All {data['rows']:,} rows of RandCBT in one call, with the trees that were grown on it.",
        "scikit-learn's tree is one of as many leaves; its own input is float32.",
        "",
        *table(["predictor", "rows per CPU second, median (range)", "leaves", "sapwood is"], rows),
        *left_out(data),
    ]


def targets(data: Data) -> list[Target]:
    """Return the targets."""
    medians = {key: Rate.of(line["rate"]).median for key, line in data["lines"].items()}
    goals = {"apply": ("scikit-learn's `tree_.apply`", 2), "moa": ("MOA", 8)}
    return [
        Target(f"against {name}", medians["sapwood"] / medians[key], goal)
        for key, (name, goal) in goals.items()
        if key in medians
    ]
