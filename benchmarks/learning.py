"""Test-then-train on RandCBT: sapwood beside its peers and its floors, at about equal leaves."""

from __future__ import annotations

import statistics
from contextlib import ExitStack
from typing import Any

import sapwood
from benchmarks import capymoa, moa, peers, streams
from benchmarks.floors import PASSES, Floors
from benchmarks.measure import MOST_PASSES, Rate, Work, in_turns
from benchmarks.moa.turns import Turns
from benchmarks.part import Data, Setting, Target, bold, left_out, say, table, times
from benchmarks.streams import Stream

TITLE = "Learning"
MOA_WARM_UP, MOA_COUNTED = 4, 5
FLOOR_NAMES = {"read": "read", "route": "route", "count": "route and count"}
LIKE = 175  # leaves, where there is no MOA to be like


def measure(setting: Setting) -> Data:
    """Measure majority and adaptive leaves."""
    stream = streams.rand_cbt(setting)
    data: Data = {"rows": len(stream), "left_out": []}
    for kind, options in (("majority", peers.MOA_MAJORITY), ("adaptive", peers.MOA_ADAPTIVE)):
        data[kind] = _measure_leaves(setting, stream, kind, options, data["left_out"])
    return data


def _measure_leaves(
    setting: Setting, stream: Stream, kind: str, options: str, omitted: list[str]
) -> Data:
    learner = f"{peers.MOA_TREE} {options}"
    with ExitStack() as stack:
        path = stack.enter_context(stream.file())
        orders: list[Data] = []
        if moa.available():
            say(f"learning, {kind}: {streams.ORDERS} orders of the rows")
            shuffles = streams.orders(len(stream))
            theirs = moa.run(path, learner, core=setting.core, orders=shuffles)[-1]["orders"]
            orders = _compare_orders(stream, kind, theirs)
            tree = sapwood.ConfidenceTreeClassifier(c=orders[0]["c"], leaf_prediction=kind)
        else:
            omitted.append("MOA and CapyMOA, which need a Java development kit and PyPI.")
            tree = peers.tree_like(stream, LIKE, kind)
        result = peers.evaluate(stream, tree)
        lines: dict[str, Data] = {
            "sapwood": _line(
                f"sapwood, c={tree.c:.3g}, {kind} leaves", result.accuracy, result.n_leaves
            )
        }
        works: dict[str, Work] = {"sapwood": peers.sapwood_work(stream, tree)}
        floors = stack.enter_context(Floors(path, stream, result.model))
        works |= floors.works(*PASSES)
        turns = None
        if orders:
            turns = Turns(path, learner, MOA_WARM_UP + MOA_COUNTED * MOST_PASSES, core=setting.core)
            stack.enter_context(turns)
            works["moa"] = Work(turns.next, MOA_COUNTED, MOA_WARM_UP)
        say(f"learning, {kind}: sapwood, floors, MOA, river")
        river = peers.River(stream, **(peers.RIVER_MAJORITY if kind == "majority" else {}))
        works["river"] = river.work(5 if kind == "majority" else 2)
        rates = in_turns(works)
        if turns is not None:
            last = turns.last
            lines["moa"] = _line(f"MOA HoeffdingTree {options}", last["accuracy"], last["leaves"])
        lines["river"] = _line(river.name, river.accuracy, river.leaves)
    for name, line in lines.items():
        line["rate"] = rates[name].values
    if kind == "majority" and orders:
        _add_capymoa(setting, stream, lines, omitted)
    return {
        "lines": lines,
        "floors": {name: rates[f"floor {name}"].values for name in PASSES},
        "orders": orders,
    }


def _line(name: str, accuracy: float, leaves: int) -> Data:
    return {"name": name, "accuracy": accuracy, "leaves": leaves}


def _compare_orders(stream: Stream, kind: str, theirs: list[Any]) -> list[Data]:
    """Our tree beside theirs on each order, with the c that makes it about as large there."""
    found = []
    for order, their in zip(streams.orders(len(stream)), theirs, strict=True):
        rows = streams.of_matrix(stream.name, stream.matrix[order], stream.y[order])
        tree = peers.tree_like(rows, their["leaves"], kind)
        result = peers.evaluate(rows, tree)
        found.append(
            {
                "c": tree.c,
                "ours": {"accuracy": result.accuracy, "leaves": result.n_leaves},
                "theirs": {"accuracy": their["accuracy"], "leaves": their["leaves"]},
            }
        )
    return found


def _add_capymoa(
    setting: Setting, stream: Stream, lines: dict[str, Data], omitted: list[str]
) -> None:
    for form, name, counted, warm_up in (
        ("arff", "CapyMOA HoeffdingTree, the same, ARFFStream, optimise=True", 5, 2),
        ("numpy", "CapyMOA HoeffdingTree, the same, NumpyStream, optimise=True", 1, 0),
    ):
        say(f"learning: CapyMOA, {form}")
        try:
            runs = capymoa.run(
                stream, form, counted, warm_up, setting.core, **peers.CAPYMOA_MAJORITY
            )
        except (capymoa.CapyMoaUnavailable, moa.MoaUnavailable) as error:
            omitted.append(f"CapyMOA ({form}): {error}")
            continue
        lines[f"capymoa {form}"] = _line(name, runs[-1]["accuracy"], runs[-1]["leaves"]) | {
            "rate": [run["rows_per_second"] for run in runs],
            "process": [run["rows_per_process_second"] for run in runs],
        }


def difference(orders: list[Data]) -> tuple[float, float, list[float]]:
    """Mean difference of accuracy, ours minus theirs; its standard error; all of them."""
    gaps = [order["ours"]["accuracy"] - order["theirs"]["accuracy"] for order in orders]
    error = statistics.stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else 0.0
    return statistics.mean(gaps), error, gaps


def page(data: Data) -> list[str]:
    """Return the tables."""
    lines = [
        f"RandCBT with 50 leaves and 5 attributes, {data['rows']:,} rows in memory, shuffled",
        "(seed 8). Sapwood's c is the one whose tree is nearest MOA's in leaves. MOA is warmed up;",
        "its CPU seconds, and CapyMOA's, are those of the learning thread, without Java's compiler",
        "and collector (which would be to their disadvantage: CapyMOA's are given in the last",
        "column). Floors are passes over the same rows in C++ that only read, only route through",
        "sapwood's finished tree, or route and add one to a counter for each attribute.",
    ]
    for kind in ("majority", "adaptive"):
        lines += ["", f"### {kind.capitalize()} leaves", "", *_table(data[kind])]
        lines += ["", *_orders(data[kind]["orders"])]
    return lines + left_out(data)


def _table(data: Data) -> list[str]:
    lines, floors = data["lines"], data["floors"]
    ours = Rate.of(lines["sapwood"]["rate"])
    head = ["learner", "rows per CPU second, median (range)", "accuracy", "leaves", "sapwood is"]
    rows = []
    for key, line in lines.items():
        rate = Rate.of(line["rate"])
        cells = [line["name"], rate, f"{line['accuracy']:.4f}", line["leaves"]]
        is_ours = key == "sapwood"
        whole = f", by process time {Rate.of(line['process'])}" if "process" in line else ""
        cells.append("" if is_ours else times(ours.median, rate.median) + whole)
        rows.append(bold(cells) if is_ours else cells)
    for name, values in floors.items():
        rate = Rate.of(values)
        share = f"{100 * ours.median / rate.median:.0f} % of it"
        rows.append([f"floor: {FLOOR_NAMES[name]}", rate, "", lines["sapwood"]["leaves"], share])
    return table(head, rows)


def _orders(orders: list[Data]) -> list[str]:
    if not orders:
        return []
    mean, error, gaps = difference(orders)
    rows = [
        [
            i + 1,
            f"{order['c']:.4g}",
            *(f"{order[who]['accuracy']:.4f}" for who in ("ours", "theirs")),
            *(order[who]["leaves"] for who in ("ours", "theirs")),
        ]
        for i, order in enumerate(orders)
    ]
    head = ["order", "c", "accuracy", "MOA's", "leaves", "MOA's"]
    return [
        f"Accuracy on {len(orders)} orders of the same rows, c chosen for each: sapwood minus MOA",
        f"is {100 * mean:+.2f} points in the mean (standard error {100 * error:.2f}; from",
        f"{100 * min(gaps):+.2f} to {100 * max(gaps):+.2f}): {_verdict(mean, error)}.",
        "",
        *table(head, rows),
    ]


def _verdict(mean: float, error: float) -> str:
    if mean >= 0:
        return "no lower"
    return "lower, within two standard errors" if mean + 2 * error >= 0 else "lower"


def targets(data: Data) -> list[Target]:
    """Return the targets of both kinds of leaves."""
    found = []
    goals = {
        "majority": {"moa": 10, "river": 450, "capymoa arff": 100},
        "adaptive": {"moa": 4},
    }
    for kind, of in goals.items():
        lines = data[kind]["lines"]
        ours = Rate.of(lines["sapwood"]["rate"]).median
        if kind == "majority":
            floor = Rate.of(data[kind]["floors"]["count"]).median
            found.append(Target("majority, share of route and count", ours / floor, 0.5, "%"))
        for peer, goal in of.items():
            if peer in lines:
                theirs = Rate.of(lines[peer]["rate"]).median
                name = lines[peer]["name"].split(",")[0].split(" -")[0]
                found.append(Target(f"{kind}, against {name}", ours / theirs, goal))
        if data[kind]["orders"]:
            mean, error, _ = difference(data[kind]["orders"])
            found.append(
                Target(
                    f"{kind}, accuracy minus MOA's, mean plus two standard errors",
                    100 * (mean + 2 * error),
                    0,
                    "points",
                    note=f"mean {100 * mean:+.2f}: {_verdict(mean, error)}",
                )
            )
    return found
