"""The speed and the outcome of asking for labels under a budget, and of watching for drift."""

from __future__ import annotations

import sapwood
from benchmarks import asked, moa, peers, streams
from benchmarks.asked import Runs, cells, median, spread
from benchmarks.measure import Rate
from benchmarks.part import Data, Setting, Target, left_out, say, table, times
from benchmarks.streams import Stream

TITLE = "Asking under a budget"
BUDGETS = (0.1, 0.3)
LIKE = 175  # leaves of the tree that learns every label
MOA_STRATEGIES = {  # its name -> our strategy of the same idea
    "ALRandom": "random",
    "VarUncertainty": "variable-uncertainty",
    "RandVarUncertainty": "randomized-variable-uncertainty",
    "SelSampling": "selective-sampling",
    "FixedUncertainty": None,
}
ACTIVEML_STRATEGIES = {
    "StreamRandomSampling": "random",
    "VariableUncertainty": "variable-uncertainty",
    "RandomVariableUncertainty": "randomized-variable-uncertainty",
    "Split": "split",
    "FixedUncertainty": None,
}
ACTIVEML_ROWS = 5_000
GOAL = 0.6  # of the speed of FULL, for every strategy
RATE = "rows per CPU second, median (range)"


def measure(setting: Setting) -> Data:
    """Measure strategies at each budget, then scikit-activeml's on few rows, then drift."""
    stream = streams.rand_cbt(setting)
    tree = peers.tree_like(stream, LIKE)
    data: Data = {"c": tree.c, "left_out": []}
    if not moa.available():
        data["left_out"].append("MOA, which needs a Java development kit and PyPI.")
    data["budgets"] = _budgets(setting, stream, tree)
    data["short"] = None
    if asked.activeml_available():
        data["short"] = _short(setting, stream, tree)
    else:
        data["left_out"].append("scikit-activeml, which is not installed (group `bench`).")
    data["drift"] = _drift(setting, stream, tree)
    return data


def _budgets(
    setting: Setting, stream: Stream, tree: sapwood.ConfidenceTreeClassifier
) -> dict[str, Data]:
    found: dict[str, Data] = {}
    with stream.file() as path:
        for budget in BUDGETS:
            say(f"asking: sapwood, budget {budget}")
            runs: Runs = {"FULL": {}}
            runs |= {s: {"strategy": s, "budget": budget} for s in sapwood.strategies.NAMES}
            theirs = {}
            for strategy in MOA_STRATEGIES if moa.available() else ():
                say(f"asking: MOA, {strategy}, budget {budget}")
                learner = asked.moa_learner(strategy, budget)
                theirs[strategy] = asked.run_moa(path, len(stream), learner, setting.core)
            ours = asked.run_sapwood(stream, tree, runs)
            found[str(budget)] = {"ours": ours, "moa": theirs}
    return found


def _short(setting: Setting, stream: Stream, tree: sapwood.ConfidenceTreeClassifier) -> Data:
    n = setting.rows(ACTIVEML_ROWS)
    short = streams.of_matrix(stream.name, stream.matrix[:n], stream.y[:n])
    names = [*dict.fromkeys(filter(None, ACTIVEML_STRATEGIES.values())), "conf-tree"]
    found: Data = {"rows": n, "budgets": {}}
    for budget in BUDGETS:
        ours = asked.run_sapwood(short, tree, {s: {"strategy": s, "budget": budget} for s in names})
        theirs = {}
        for strategy in ACTIVEML_STRATEGIES:
            say(f"asking: scikit-activeml, {strategy}, budget {budget}")
            theirs[strategy] = asked.run_activeml(short, strategy, budget)
        found["budgets"][str(budget)] = {"ours": ours, "theirs": theirs}
    return found


def _drift(
    setting: Setting, stream: Stream, tree: sapwood.ConfidenceTreeClassifier
) -> list[dict[str, Data]]:
    say("asking: drift")
    runs: Runs = {
        "sapwood, FULL": {},
        "sapwood, `all` without a cap": {"strategy": "all"},
        "sapwood, FULL, DDM": {"drift": "ddm"},
    }
    groups = [asked.run_sapwood(stream, tree, runs)]
    if moa.available():
        watched = f"drift.SingleClassifierDrift -l ({asked.MOA_TREE}) -d DDM"
        learners = {
            "MOA HoeffdingTree": asked.MOA_TREE,
            "MOA SingleClassifierDrift, DDM": watched,
        }
        with stream.file() as path:
            groups.append(
                {
                    name: asked.run_moa(path, len(stream), learner, setting.core)
                    for name, learner in learners.items()
                }
            )
    return groups


def _slowest(data: Data) -> tuple[float, str]:
    """Return the smallest share of FULL's speed, and whose it is."""
    return min(
        (median(line) / median(of["ours"]["FULL"]), f"{name} at {budget}")
        for budget, of in data["budgets"].items()
        for name, line in of["ours"].items()
        if name != "FULL"
    )


def page(data: Data) -> list[str]:
    """Return the tables."""
    lines = [
        f"RandCBT and c={data['c']:.3g}, majority leaves. FULL learns every label; it and the",
        "strategies are measured in turns. MOA's are ALRandom and ALUncertainty over",
        f"`{asked.MOA_TREE}`, each compared with our strategy of the same idea;",
        "ALUncertainty routes a row again to decide about it. Labels: asked for, of all rows.",
        f"Accuracy and leaves are means (ranges) over {streams.ORDERS} orders of the same rows;",
        "ours with a new seed each, MOA's with seed 1. Differences within the ranges may be luck.",
    ]
    outcome = ["accuracy", "labels", "leaves"]
    for budget, of in data["budgets"].items():
        ours = of["ours"]
        rows = [
            cells(
                name,
                line,
                "" if name == "FULL" else f"{100 * median(line) / median(ours['FULL']):.0f} %",
                "",
                ours=True,
            )
            for name, line in ours.items()
        ]
        rows += [
            cells(f"MOA {name}", line, "", _times(ours, MOA_STRATEGIES[name], line))
            for name, line in of["moa"].items()
        ]
        head = ["learner", RATE, "of FULL", "sapwood is", *outcome]
        lines += ["", f"Budget {budget}:", "", *table(head, rows)]
    if data["short"] is not None:
        lines += _short_page(data["short"])
    lines += [
        "",
        "### Watching for drift",
        "",
        "The same stream, which has no drift: the cost of the watch. Asking for `all` does what",
        "FULL does, in the loop that asks.",
        "",
        *_drift_table(data["drift"]),
    ]
    return lines + left_out(data)


def _short_page(short: Data) -> list[str]:
    lines = [
        "",
        f"### The first {short['rows']:,} rows",
        "",
        "scikit-activeml's strategies with its `SklearnClassifier(GaussianNB())`, and ours with",
        "our tree, on the same rows. They are other learners, and accuracies after different",
        "numbers of rows cannot be compared. Theirs are of one order and one seed.",
    ]
    for budget, of in short["budgets"].items():
        ours = of["ours"]
        rows = [cells(name, line, "", ours=True) for name, line in ours.items()]
        rows += [
            cells(f"scikit-activeml {name}", line, _times(ours, ACTIVEML_STRATEGIES[name], line))
            for name, line in of["theirs"].items()
        ]
        head = ["learner", RATE, "sapwood is", "accuracy", "labels", "leaves"]
        lines += ["", f"Budget {budget}:", "", *table(head, rows)]
    return lines


def _drift_table(groups: list[dict[str, Data]]) -> list[str]:
    rows = []
    for group in groups:
        full = median(next(iter(group.values())))
        for i, (name, line) in enumerate(group.items()):
            share = "" if i == 0 else f"{100 * median(line) / full:.0f} %"
            outcome = [spread(line[key], digits) for key, digits in _OUTCOME.items()]
            rows.append([name, Rate.of(line["rate"]), share, *outcome])
    return table(["learner", RATE, "of FULL", *_OUTCOME], rows)


_OUTCOME = {"accuracy": 4, "leaves": 0, "drifts": 0}  # with the digits to show


def _times(ours: dict[str, Data], like: str | None, line: Data) -> str:
    """How many times as fast our strategy of the same idea is; empty if there is none."""
    return "" if like is None else times(median(ours[like]), median(line))


def targets(data: Data) -> list[Target]:
    """Return the target of the slowest strategy."""
    share, where = _slowest(data)
    return [Target(f"slowest strategy ({where}), share of FULL", share, GOAL, "%")]
