"""The section of selective sampling, in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

import numpy as np

from ...report.words import NONE, counted, decimal, percent
from ..tables import markdown
from ..tasks import Found
from .claims import RULES
from .figures import analyses
from .means import NAMES, OURS, WAYS, Mean, Means

__all__ = ["tell"]


def tell(found: Found) -> str:
    """Return the text and the tables."""
    means = Means(found)
    leaves = means.leaves[0]
    rows = found.about["settings"]["rows"]
    size = "all rows" if rows is None else f"{rows:,} rows at equal distances"
    factors = ", ".join(f"{c:g}" for c in sorted(found.values("c")))
    apart = ", ".join(stream.title for stream in means.streams(leaves, "shuffled"))
    again = f"""
{apart}: the same rows once more, as in its files they are sorted by class and the class hardly ever
changes. There the seed shuffles them, too.
"""
    parts = [
        f"""C-Tree (Gini, grace period 100, no ties) with DDM, on {size} of each dataset, in the
order of its file. {_seeds(found)} of the strategies' draws. VarUn and full labelling draw
nothing: in a fixed order they were run once, as every seed gives the same, and have no interval.
F is that of the smaller class, which the paper reports on A9A and COD-RNA.
{again * bool(apart)}
"We tuned the tree learning parameters", says the paper. Tuned here means: of c = {factors}, the
one with the best mean for each dataset, strategy and budget. That is optimistic, as the same runs
choose and are reported, and no stream allows it. So we also give {WAYS["default"]} for all, and the
c that is best with full labels on the dataset.
""",
        f"### Performance, {leaves} leaves, {WAYS['tuned']}\n",
        _performance(means, leaves),
        "### Full labelling\n",
        _full(means),
        "### What tuning gives\n",
        "The mean over strategies and budgets.\n",
        _tuning(means),
        "### How near each budget comes to full labelling\n",
        """Share of full labelling's performance (both tuned), and in parentheses the share of its
gain over always naming the most frequent class.
""",
        _nearness(means),
        "### Labels asked for\n",
        f"""Share of the examples, mean over the streams ({leaves} leaves, tuned); in parentheses
the lowest and the highest.
""",
        _rates(means, leaves),
        "### Drifts\n",
        f"Found by DDM, mean over budgets and seeds ({leaves} leaves, tuned).\n",
        _drifts(means, leaves),
        "### Ranks over the datasets\n",
        """Each strategy's mean over the budgets is ranked on each dataset; 1 is the best. p is that
of Friedman's test, by permutation, against "all are alike"; mean ranks that differ by less than the
critical difference (Nemenyi, 5 %) do not differ significantly. A test of one question instead of
all pairs is whether ConfTree and SplitConfTree, together, rank before the others. The last column
is Friedman's p if every budget of a dataset is a case of its own; as these are not independent, it
is too small.
""",
        _ranks(means),
        f"""Against each other strategy, over all streams and budgets ({leaves} leaves, tuned): in
how many cases its mean is higher / lower by more than √(h₁² + h₂²), h being half an interval: case
by case, with no allowance for how many there are.
""",
        _duels(means, leaves),
        "### The rules of these verdicts\n",
        RULES,
    ]
    return "\n".join(parts)


def _seeds(found: Found) -> str:
    """Return with how many seeds each cell was run; a part of the runs may have more in some."""
    drawn = found.where(strategy="random", drift="ddm").table
    each = drawn.group_by(["dataset", "order", "leaves", "c", "budget"]).aggregate(
        [("seed", "count_distinct")]
    )["seed_count_distinct"]
    least, most = min(each.to_pylist()), max(each.to_pylist())
    return counted(most, "seed") if least == most else f"{least} to {counted(most, 'seed')}"


def _performance(means: Means, leaves: str) -> str:
    lines = []
    for stream in means.streams(leaves):
        for name in means.strategies:
            curve = means.curve(stream, leaves, name, "tuned")
            lines.append([stream.title, NAMES[name], *[_with_interval(mean) for mean in curve]])
    return markdown(["stream", "strategy", *_budgets(means)], lines)


def _full(means: Means) -> str:
    lines = []
    for leaves in means.leaves:
        for stream in means.streams(leaves):
            line = [stream.title, leaves]
            for way in ("tuned", "default"):
                for drift in ("ddm", "none"):
                    mean = means.full(stream, leaves, way, drift)
                    drifts = f", {counted(round(mean.drifts), 'drift')}" if drift == "ddm" else ""
                    line.append(f"{_with_interval(mean)} (c {mean.c:g}{drifts})")
            lines.append(line)
    head = ["tuned, DDM", "tuned, no DDM", f"{WAYS['default']}, DDM", f"{WAYS['default']}, no DDM"]
    return markdown(["stream", "leaves", *head], lines)


def _tuning(means: Means) -> str:
    lines = []
    for leaves in means.leaves:
        for stream in means.streams(leaves):
            line = [stream.title, leaves]
            for way in WAYS:
                curves = [means.curve(stream, leaves, name, way) for name in means.strategies]
                line.append(decimal(_over(curves, "performance")))
            lines.append([*line, f"{means.full(stream, leaves, 'tuned').c:g}"])
    return markdown(["stream", "leaves", *WAYS.values(), "that c"], lines)


def _nearness(means: Means) -> str:
    lines = []
    for leaves in means.leaves:
        for stream in means.streams(leaves):
            full = means.full(stream, leaves, "tuned")
            for name in (*OURS, "random"):
                cells = []
                for mean in means.curve(stream, leaves, name, "tuned"):
                    share, gain = means.nearness(stream, mean, full)
                    cells.append(f"{percent(share)} ({percent(gain, 0)})")
                lines.append([stream.title, leaves, NAMES[name], *cells])
    return markdown(["stream", "leaves", "strategy", *_budgets(means)], lines)


def _rates(means: Means, leaves: str) -> str:
    lines = []
    for name in means.strategies:
        cells = []
        for budget in means.budgets:
            streams = means.streams(leaves)
            used = [means.at(s, leaves, name, budget, "tuned").query_rate for s in streams]
            cells.append(f"{np.mean(used):.3f} ({min(used):.3f}–{max(used):.3f})")
        lines.append([NAMES[name], *cells])
    return markdown(["strategy", *_budgets(means)], lines)


def _drifts(means: Means, leaves: str) -> str:
    lines = []
    for stream in means.streams(leaves):
        curves = [means.curve(stream, leaves, name, "tuned") for name in means.strategies]
        full = means.full(stream, leaves, "tuned").drifts
        lines.append(
            [stream.title, *[f"{_over([c], 'drifts'):.1f}" for c in curves], f"{full:.1f}"]
        )
    return markdown(["stream", *[NAMES[name] for name in means.strategies], NAMES["full"]], lines)


def _ranks(means: Means) -> str:
    lines = []
    for words, ranks in analyses(means).items():
        each = [f"{ranks.mean[name]:.2f}" for name in means.strategies]
        lines.append([words, *each, _number(ranks.p), _number(ranks.critical, 3)])
        lines[-1] += [_number(ranks.foremost(OURS)), NONE]
    # The first lines of the analyses are those of all leaves and ways.
    for line, (leaves, way) in zip(lines, product(means.leaves, WAYS), strict=False):
        streams = means.streams(leaves, "original")
        line[-1] = _number(means.ranks(leaves, way, streams, by_budget=True).p)
    head = [NAMES[name] for name in means.strategies]
    return markdown(
        ["", *head, "p", "critical difference", "p, ours before", "p, each budget"], lines
    )


def _duels(means: Means, leaves: str) -> str:
    lines = []
    for ours in OURS:
        line = [NAMES[ours]]
        for name in means.strategies:
            pairs = [
                (means.at(s, leaves, ours, b, "tuned"), means.at(s, leaves, name, b, "tuned"))
                for s in means.streams(leaves)
                for b in means.budgets
            ]
            better = sum(mine.beats(other) for mine, other in pairs)
            worse = sum(other.beats(mine) for mine, other in pairs)
            line.append(NONE if name == ours else f"{better} / {worse} of {len(pairs)}")
        lines.append(line)
    return markdown(["", *[NAMES[name] for name in means.strategies]], lines)


def _over(curves: Iterable[Iterable[Mean]], what: str) -> float:
    return float(np.mean([getattr(mean, what) for curve in curves for mean in curve]))


def _with_interval(mean: Mean) -> str:
    half = f" ± {decimal(mean.half)}" if mean.seeds > 1 else ""
    return decimal(mean.performance) + half


def _number(value: float, digits: int = 2) -> str:
    return NONE if math.isnan(value) else f"{value:.{digits}g}"


def _budgets(means: Means) -> list[str]:
    return [f"B = {budget:g}" for budget in means.budgets]
