"""The section of the page: what was run, and the tables."""

from __future__ import annotations

from itertools import product

import numpy as np

from ...report.words import duration
from .. import paper
from ..learners import LEARNERS
from ..tables import markdown, plus_minus, powers, signed
from ..tasks import Found
from .claims import RULES
from .results import BASELINES, WIDTH, paired, pooled
from .runs import LEAVES, RECORDS


def tell(found: Found) -> str:
    """Return the tables."""
    shape = found.about["settings"]
    streams = len(found.values("seed"))
    orders, kinds = found.values("order"), found.values("grid")
    parts = [
        f"{streams} random trees of {shape['n_leaves']} leaves and {shape['n_features']} "
        f"attributes, q = {shape['q']}, {shape['per_leaf']:,} examples of each leaf (seeds 0 to "
        f"{streams - 1}); each learner with {shape['values']} values of c or δ on each grid. The "
        "paper does not say in which order the examples of a stream come: *by-leaf* gives the "
        "leaves of the random tree one after the other, depth first, as they are generated; "
        "*shuffled* mixes them. The linear grid is the paper's, c ∈ (0, 2) and δ ∈ (0, 1); the "
        "logarithmic one has c from 10⁻⁴ to 2 and ln(1/δ) from 10⁻⁵ to 700, evenly in logarithms, "
        "so that the bounds of all three go from almost nothing to almost never.\n",
        _speed(found),
        _settings_table(found),
        "### The paper's way\n",
        f"Mean accuracy of all runs that end with n ± {WIDTH // 2} leaves, whatever their stream "
        "(in brackets: how many runs; the interval is over the streams' means). The paper's means "
        "are, to their last printed digit, those of a few hundred accuracies of four decimals "
        "(463 for C-Tree at 75 leaves, 364 at 100, 353 at 125), so of the 200,000 runs of each "
        "learner few had these sizes.\n",
        *[_pooled_table(found, order, kinds) for order in orders],
        "The same from the running average that is logged while the stream goes by, at every "
        f"{100 // RECORDS} % of it, whenever the tree has that size:\n",
        _logged_table(found, orders, kinds),
        "### On the same streams, at the same size\n",
        "C-Tree minus the baseline, in points of accuracy: each stream gives one difference at "
        "each size, between the lines through its runs on the logarithmic grid; mean ± half of the "
        "95 % interval over the streams (in brackets: how many streams reach that size with "
        "both).\n",
        _paired_table(found, orders),
        "### The rules of these verdicts\n",
        RULES,
    ]
    return "\n".join(parts)


def _speed(found: Found) -> str:
    """Say what part of the paper's size it is, and how long all of that would take."""
    about, shape = found.about, found.about["settings"]
    settings = 3 * shape["values"] * len(shape["grids"])
    learned = about["done"] * settings * shape["n_leaves"] * shape["per_leaf"]
    speed = learned / about["seconds"]
    theirs = 1000 * 200 * 3 * 500_000  # streams, values, learners, examples
    return (
        f"That is {powers(learned)} learned examples, {speed / 1e6:.0f} million in a CPU second. "
        f"The paper's are {powers(theirs)}, in one order and on one grid: "
        f"{duration(theirs / speed)} on one core at this speed.\n"
    )


def _settings_table(found: Found) -> str:
    """Show how many settings give how large a tree."""
    rows = []
    for order, kind, learner in product(found.values("order"), found.values("grid"), LEARNERS):
        leaves = found.where(order=order, grid=kind, learner=learner, what="end")["leaves"]
        share = [
            np.mean(leaves == 1),
            np.mean((leaves > 1) & (leaves <= 150)),
            np.mean(leaves > 150),
        ]
        shown = [f"{100 * part:.1f} %" for part in share]
        rows.append([order, kind, paper.LEARNERS[learner], *shown, f"{leaves.max():,}"])
    head = ["order", "grid", "learner", ">1 leaf", ">2 to 150", ">more", ">largest"]
    return "How large the trees become:\n\n" + markdown(head, rows)


def _pooled_table(found: Found, order: str, kinds: list[str]) -> str:
    rows = [
        [
            paper.LEARNERS[learner],
            "the paper",
            *[f"{y:.3f}" for _, y in paper.full("rand-cbt", learner)],
        ]
        for learner in LEARNERS
    ]
    for kind, learner in product(kinds, LEARNERS):
        here = pooled(found, order, kind, learner)
        cells = zip(here.mean, here.half, here.n, strict=True)
        shown = [f"{plus_minus(mean, half)} ({n})" for mean, half, n in cells]
        rows.append([paper.LEARNERS[learner], f"ours, {kind}", *shown])
    head = ["learner", "grid", *[f">{n} leaves" for n in LEAVES]]
    return f"*{order}*\n\n" + markdown(head, rows)


def _logged_table(found: Found, orders: list[str], kinds: list[str]) -> str:
    rows = []
    for order, kind, learner in product(orders, kinds, LEARNERS):
        log = found.where(order=order, grid=kind, learner=learner, what="log")
        cells = []
        for size in LEAVES:
            near = log["leaves"] == size
            weights, scores = log["records"][near], log["accuracy"][near]
            cells.append(f"{np.average(scores, weights=weights):.3f}" if len(scores) else "–")
        rows.append([order, kind, paper.LEARNERS[learner], *cells])
    return markdown(["order", "grid", "learner", *[f">{n} leaves" for n in LEAVES]], rows)


def _paired_table(found: Found, orders: list[str]) -> str:
    sizes = np.array([5, 10, *LEAVES, 150, 200], float)
    rows = []
    for order, baseline in product(orders, BASELINES):
        here = paired(found, order, baseline, sizes)
        cells = zip(here.mean, here.half, here.n, strict=True)
        shown = [f"{signed(100 * mean, 100 * half)} ({n})" for mean, half, n in cells]
        rows.append([order, paper.LEARNERS[baseline], *shown])
    return markdown(["order", "baseline", *[f">{n:.0f} leaves" for n in sizes]], rows)
