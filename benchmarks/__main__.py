"""Measure sapwood beside its peers in one run, and write benchmarks/RESULTS.md.

`python -m benchmarks` takes about eight minutes, half of them for scikit-activeml. The absolute
numbers belong to the machine; the ratios are what to look at. Needs river, scikit-learn and, for
MOA, a Java development kit; scikit-activeml (the dependency group `bench`) is left out if missing.
"""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import sapwood
from benchmarks import asking, moa, peers
from benchmarks.measure import Rate, machine, pin_to_one_core, rate

RESULTS = Path(__file__).parent / "RESULTS.md"
MOA_MAJORITY = "-b -l MC -g 100 -t 0.05"
MOA_ADAPTIVE = "-b -l NBAdaptive -g 200 -t 0.05"


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def learning(stream: peers.Stream, core: int | None) -> tuple[list[str], Rate | None, int]:
    """Test-then-train: the table, MOA's predict-only rate, and the number of leaves compared at."""
    lines = ["| learner | rows per CPU second, median (range) | accuracy | leaves | sapwood is |"]
    lines.append("|---|---|---|---|---|")
    predict_only, like = None, 175
    for leaf_prediction, options, river in (
        ("majority", MOA_MAJORITY, {"leaf_prediction": "mc", "grace_period": 100}),
        ("adaptive", MOA_ADAPTIVE, {}),
    ):
        others = []
        if moa.java_available():
            say(f"MOA, {options}")
            measured, passes = peers.run_moa(stream, options, core)
            others.append(measured)
            like = measured.leaves
            predict_only = predict_only or passes
        say(f"river, {leaf_prediction}")
        others.append(peers.run_river(stream, **river))
        say(f"sapwood, {leaf_prediction}")
        ours = peers.run_sapwood(stream, peers.sapwood_tree(stream, leaf_prediction, like))
        lines.append(
            f"| **{ours.name}** | **{ours.rate}** | {ours.accuracy:.4f} | {ours.leaves} | |"
        )
        for other in others:
            ratio = ours.rate.median / other.rate.median
            cells = (other.name, other.rate, f"{other.accuracy:.4f}", other.leaves, f"{ratio:.3g}×")
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines, predict_only, like


def predicting(stream: peers.Stream, theirs: Rate | None, like: int) -> list[str]:
    """Predict-only on a tree of about the same size."""
    from sklearn.tree import DecisionTreeClassifier

    say("predicting")
    X, y = stream
    tree = peers.sapwood_tree(stream, "majority", like).fit(X, y)
    batch = DecisionTreeClassifier(max_leaf_nodes=like, random_state=0).fit(X, y)
    X32 = np.ascontiguousarray(X, dtype=np.float32)
    ours = rate(len(y), lambda: tree.predict(X))
    lines = [
        "| predictor | rows per CPU second, median (range) | leaves | sapwood is |",
        "|---|---|---|---|",
    ]
    lines.append(f"| **sapwood `predict`** | **{ours}** | {tree.n_leaves_} | |")
    rows = [
        (
            "scikit-learn `DecisionTreeClassifier.predict`, float32",
            rate(len(y), lambda: batch.predict(X32)),
            batch.get_n_leaves(),
        ),
        (
            "scikit-learn `tree_.apply`, float32",
            rate(len(y), lambda: batch.tree_.apply(X32)),
            batch.get_n_leaves(),
        ),
    ]
    if theirs is not None:
        rows.append((f"MOA HoeffdingTree {MOA_MAJORITY}", theirs, like))
    for name, speed, leaves in rows:
        lines.append(f"| {name} | {speed} | {leaves} | {ours.median / speed.median:.3g}× |")
    return lines


def calls_and_files(stream: peers.Stream, like: int) -> list[str]:
    """Latency of single calls; size of a model in memory and on disk, and time to load it."""
    say("single calls, files")
    lines = ["| per call, µs | `learn_one` | `predict_one` |", "|---|---|---|"]
    for name, learn, predict in peers.latencies(stream):
        lines.append(f"| {name} | {learn:.2f} | {predict:.2f} |")
    tree = peers.sapwood_tree(stream, "majority", like).fit(*stream)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.sapwood"
        tree.save(path)
        start = time.process_time()
        sapwood.load(path)
        seconds = time.process_time() - start
        size = path.stat().st_size
    lines += [
        "",
        f"A tree of {tree.n_leaves_} leaves holds {tree.nbytes_:,} bytes in memory and "
        f"{size:,} in a file, and loads in {1000 * seconds:.1f} ms.",
    ]
    return lines


def main() -> None:
    """Run all and write the page."""
    core = pin_to_one_core()
    stream = sapwood.datasets.rand_cbt(n_leaves=50, n_features=5, per_leaf=10_000, seed=8)
    table, predict_only, like = learning(stream, core)
    tree = peers.sapwood_tree(stream, "majority", like)
    packages = ["sapwood", "river", "scikit-learn", "numpy"]
    packages += ["scikit-activeml"] if asking.activeml_available() else []
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in packages)
    page = [
        "# Results",
        "",
        "Written by `make bench`; one core, in one run. Rates are rows per CPU second of the",
        "learning thread, median of five repetitions with their range (river, scikit-activeml:",
        "once). On a shared machine the ratios move between runs: that against MOA with majority",
        "leaves was seen from 5.2 to 8.5.",
        "",
        f"- machine: {machine()}",
        f"- versions: {versions}, MOA from CapyMOA 0.15.1 (without Java: left out)",
        "- stream: RandCBT, 50 leaves, 5 attributes, 500,000 rows, shuffled (seed 8), in memory",
        "- sapwood's c is set so that its tree is about as large as MOA's",
        "",
        "## Test-then-train",
        "",
        *table,
        "",
        "## Predict only",
        "",
        *predicting(stream, predict_only, like),
        "",
        "## Single calls, memory and files",
        "",
        *calls_and_files(stream, like),
        "",
        "## Asking under a budget",
        "",
        f"The same stream and c={tree.c:.3g}, majority leaves. FULL learns every label; it and the",
        "strategies are measured in turns. MOA's are ALRandom and ALUncertainty over",
        f"`{asking.MOA_TREE}`, each compared with our strategy of the same idea;",
        "ALUncertainty routes a row again to decide about it. Labels: asked for, of all rows.",
        f"Accuracy and leaves are means (ranges) over the same {asking.ORDERS} orders of the rows;",
        "ours with a new seed each, MOA's with seed 1. Differences within the ranges may be luck.",
        *asking.asking(stream, tree, core, say),
        "",
        f"### The first {asking.ACTIVEML_ROWS:,} rows",
        "",
        "scikit-activeml's strategies with its `SklearnClassifier(GaussianNB())`, and ours with",
        "our tree, on the same rows. They are other learners, and accuracies after different",
        "numbers of rows cannot be compared. Theirs are of one order and one seed.",
        "",
        *asking.asking_a_short_stream(stream, tree, say),
        "",
        "## Watching for drift",
        "",
        "The same stream, which has no drift: the cost of the watch. Asking for `all` does what",
        "FULL does, in the loop that asks.",
        "",
        *asking.drift(stream, tree, core, say),
        "",
    ]
    RESULTS.write_text("\n".join(page))
    print("\n".join(page))


if __name__ == "__main__":
    main()
