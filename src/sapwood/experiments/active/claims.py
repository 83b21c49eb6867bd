"""What came of the paper's claims on selective sampling: each verdict by a rule over the results.

The rules speak of the leaves that the paper's text names, of c tuned as the paper tunes it, and of
the datasets in the order of their files.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...report.words import counted, decimal, percent
from .. import paper
from ..claims import Claim, Evidence, Verdict
from ..ranks import Ranks, rank
from ..real import length
from ..tasks import Found
from .means import NAMES, OURS, WITHOUT_CHANCE, Means, Stream, paper_ranks

__all__ = ["RULES", "judge"]

#: The share of full labelling's performance that we call close to it.
CLOSE = 0.95
#: The mean distance between curves of ours and the paper's points that we call close.
NEAR = 0.03
#: The share of the budget below which we say that less than the budget was asked for.
SPENT = 0.95

#: How the verdicts are made, in words.
RULES = f"""The verdicts are computed, by these rules, for tuned c and the order of the files.

- *Saves labels:* with the smallest budget ConfTree reaches {percent(CLOSE, 0)} of full labelling's
  performance on all datasets; partly: on half of them.
- *Robust:* ConfTree and SplitConfTree have the two best mean ranks and fall least behind the best
  strategy where they do worst, and the test that these two rank before the others has p < 0.05;
  partly: the same without the test, or one of them is first by one of these two measures.
- *Rises:* the line of least squares rises for all curves; partly: for three quarters of them.
- *Changing order:* not the same baseline is best on all datasets.
- *Asks less:* most pairs of strategy and budget ask for less than {percent(SPENT, 0)} of the
  budget, on average over all runs; partly: some do.
- *The points:* the mean distance to the paper's points is at most {NEAR:g} on all datasets; partly:
  on half of them.
"""

_BOTH, _HERE = "abstract, Section VIII", "Section VIII"


def judge(found: Found) -> list[Claim]:
    """Judge the claims of the abstract, of Section VIII and of its figure."""
    means = Means(found)
    leaves = means.leaves[0]
    streams = means.streams(leaves, "original")
    claims = [
        _saves(means, leaves, streams),
        _robust(means, leaves, streams),
        _rises(means, leaves, streams),
        _alternates(means, leaves, streams),
        _asks_less(means, found),
        _near_the_paper(means, leaves, streams),
    ]
    drawing = found.without(strategy=WITHOUT_CHANCE).where(leaves=leaves)
    seeds = drawing.fewest("seed", "dataset", "order", "c", "strategy", "budget")
    return Evidence(seeds, "seed", length(found)).under(claims)


def _graded(held: int, of: int) -> Verdict:
    """All, at least half, or less."""
    if held == of:
        return "reproduced"
    return "partly" if 2 * held >= of else "not"


def _saves(means: Means, leaves: str, streams: list[Stream]) -> Claim:
    least = means.budgets[0]
    near: dict[str, list[tuple[float, float]]] = {"conf-tree": [], "random": []}
    for stream in streams:
        full = means.full(stream, leaves, "tuned")
        for name, found in near.items():
            mean = means.at(stream, leaves, name, least, "tuned")
            found.append(means.nearness(stream, mean, full))
    held = {name: sum(share >= CLOSE for share, _ in found) for name, found in near.items()}
    gains = {name: _mean([gain for _, gain in found]) for name, found in near.items()}
    listed = _listed(
        f"{stream.title} {percent(share)}"
        for stream, (share, _) in zip(streams, near["conf-tree"], strict=True)
    )
    return Claim(
        _BOTH,
        "Selective sampling saves labels: a small fraction of them comes close to full sampling.",
        _graded(held["conf-tree"], len(streams)),
        f"With B = {least:g}, ConfTree reached {percent(CLOSE, 0)} of full labelling's performance "
        f"on {held['conf-tree']} of {counted(len(streams), 'dataset')} ({listed}); Rnd did so on "
        f"{held['random']}. Of the gain over always naming the most frequent class, ConfTree kept "
        f"{percent(gains['conf-tree'], 0)} on average and Rnd {percent(gains['random'], 0)}.",
        "What Rnd reaches with the same budget is no merit of a strategy. And the share of an "
        "accuracy flatters: always naming the most frequent class has a good part of it.",
    )


def _robust(means: Means, leaves: str, streams: list[Stream]) -> Claim:
    ranks = means.ranks(leaves, "tuned", streams, by_budget=False)
    behind = means.shortfalls(leaves, "tuned", streams)
    by_rank, by_loss = list(ranks.mean), sorted(behind, key=behind.__getitem__)
    both = set(by_rank[:2]) == set(by_loss[:2]) == set(OURS)
    verdict: Verdict = "not"
    if ranks.n < 2:
        verdict = "open"
    elif both and ranks.foremost(OURS) < 0.05:
        verdict = "reproduced"
    elif both or by_rank[0] in OURS or by_loss[0] in OURS:
        verdict = "partly"
    theirs = paper_ranks(means.strategies, [stream.dataset for stream in streams])
    worst = _listed(f"{NAMES[name]} {decimal(behind[name])}" for name in by_loss)
    return Claim(
        "abstract, Sections VI and VIII",
        "ConfTree and SplitConfTree are more robust and consistent over the datasets than all "
        "other strategies.",
        verdict,
        f"Mean ranks over {counted(ranks.n, 'dataset')}: {_order(ranks)}; {_test(ranks)}"
        f"{_before(ranks)}. Furthest behind the best strategy of a dataset: {worst}. The paper's "
        f"own points: {_order(theirs)}; {_test(theirs)}{_before(theirs)}.",
        f"Ranks over {counted(ranks.n, 'dataset')} tell little: only those that differ by more "
        f"than the critical difference, of at most {len(ranks.names) - 1}, differ significantly."
        if ranks.n > 1
        else "",
    )


def _rises(means: Means, leaves: str, streams: list[Stream]) -> Claim:
    ours: list[tuple[Stream, bool]] = []
    theirs: list[bool] = []
    for stream in streams:
        for name in means.strategies:
            curve = means.curve(stream, leaves, name, "tuned")
            drawn = [
                point for point in paper.active(stream.dataset, name) if point[0] in means.budgets
            ]
            up = _slopes_up([(b, m.performance) for b, m in zip(means.budgets, curve, strict=True)])
            ours.append((stream, up))
            theirs.append(_slopes_up(drawn))
    n = sum(up for _, up in ours)
    falling = Counter(stream.title for stream, up in ours if not up)
    where = _listed(f"{many} on {title}" for title, many in falling.items())
    better = sum(
        means.full(s, leaves, "tuned", "none").performance
        > means.full(s, leaves, "tuned").performance
        for s in streams
    )
    return Claim(
        _HERE,
        "All plots rise with the budget.",
        "reproduced" if n == len(ours) else "partly" if n >= 0.75 * len(ours) else "not",
        f"{n} of {counted(len(ours), 'curve')} rise"
        + (f"; of the others there are {where}" if falling else "")
        + f". Of the paper's, {sum(theirs)} do.",
        "Labels also feed DDM, which throws the tree away: without DDM, full labelling is better "
        f"on {better} of {counted(len(streams), 'dataset')}."
        if falling
        else "",
    )


def _alternates(means: Means, leaves: str, streams: list[Stream]) -> Claim:
    baselines = [name for name in means.strategies if name not in OURS]
    scores = [
        [means.level(stream, leaves, name, "tuned") for name in baselines] for stream in streams
    ]
    ranks = rank(scores, baselines)
    best = ranks.first()
    listed = _listed(
        f"{NAMES[name]} on {stream.title}" for stream, name in zip(streams, best, strict=True)
    )
    return Claim(
        _HERE,
        "The other strategies change their order from dataset to dataset.",
        "open" if ranks.n < 2 else "reproduced" if len(set(best)) > 1 else "not",
        f"The best of the others: {listed}. Agreement of the datasets on their order: Kendall's W "
        f"= {ranks.agreement:.2f} (1 would be one order for all); {_test(ranks)}.",
        "Strategies that differ by chance only would do so, too." if len(set(best)) > 1 else "",
    )


def _asks_less(means: Means, found: Found) -> Claim:
    asking = found["budget"] < 1
    names = ("budget", "labels", "n_rows", "strategy", "query_rate")
    budget, labels, rows, strategy, rate = (found[name][asking] for name in names)
    used = {
        (name, b): float(np.mean(rate[(strategy == name) & (budget == b)])) / b
        for name in means.strategies
        for b in means.budgets
    }
    less = [pair for pair, share in used.items() if share < SPENT]
    over = int(np.sum(labels >= budget * rows + 1))
    shares = _listed(
        f"{NAMES[name]} {percent(_mean([used[name, b] for b in means.budgets]))}"
        for name in means.strategies
    )
    return Claim(
        _HERE,
        "The budget is only an upper limit: the algorithms generally ask for fewer labels.",
        "reproduced" if 2 * len(less) > len(used) else "partly" if less else "not",
        f"Less than {percent(SPENT, 0)} of the budget was asked for by {len(less)} of the "
        f"{len(used)} pairs of strategy and budget"
        + (f", all of them with B ≥ {min(b for _, b in less):g}" if less else "")
        + f". Share of the budget over all: {shares}. {counted(over, 'run')} of {len(labels):,} "
        "asked for more than ⌈B·n⌉.",
        "For B ≤ ½ ConfTree and Sel-Samp never want less than B (`docs/theory.md`, section 9), "
        "so the cap decides how much they ask. VarUn's threshold falls and rises by 1 %, so it "
        "settles where nearly half of the examples are asked about, and wants less only beyond.",
    )


def _near_the_paper(means: Means, leaves: str, streams: list[Stream]) -> Claim:
    gaps = {
        kind: {stream: _gap(means, stream, kind) for stream in means.streams(kind)}
        for kind in means.leaves
    }
    held = sum(gaps[leaves][stream][0] <= NEAR for stream in streams)
    told = "; ".join(
        f"{kind} leaves: "
        + _listed(f"{s.title} {far:.3f} ({signed:+.3f})" for s, (far, signed) in found.items())
        for kind, found in gaps.items()
    )
    nearer = [
        stream.title
        for stream in means.streams(leaves, "shuffled")
        if 2 * gaps[leaves][stream][0] < gaps[leaves][Stream(stream.dataset, "original")][0]
    ]
    return Claim(
        _HERE,
        "The points of its figure.",
        _graded(held, len(streams)),
        f"Mean distance to the paper's points (in parentheses the mean of ours less theirs): "
        f"{told}. At most {NEAR:g} on {held} of {counted(len(streams), 'dataset')} with {leaves} "
        "leaves.",
        "The paper leaves open how leaves predict, which c were tried and which thresholds compete."
        + (
            f" {' and '.join(nearer)}, is less than half as far from its points as the order of "
            "our files is: the paper's may have had another."
            if nearer
            else ""
        ),
    )


def _gap(means: Means, stream: Stream, leaves: str) -> tuple[float, float]:
    """Return the mean distance to the paper's points, and the mean difference."""
    gaps = [
        means.at(stream, leaves, name, budget, "tuned").performance - y
        for name in means.strategies
        for budget, y in paper.active(stream.dataset, name)
        if budget in means.budgets
    ]
    return _mean([abs(gap) for gap in gaps]), _mean(gaps)


def _slopes_up(points: list[tuple[float, float]]) -> bool:
    x, y = np.array(points).T
    return bool(np.sum((x - x.mean()) * y) > 0)


def _mean(values: list[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return float(np.mean(known)) if known else math.nan


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)


def _order(ranks: Ranks) -> str:
    return _listed(f"{NAMES[name]} {mean:.1f}" for name, mean in ranks.mean.items())


def _before(ranks: Ranks) -> str:
    p = ranks.foremost(OURS)
    return "" if math.isnan(p) else f"; that the paper's two rank before the others: p = {p:.2g}"


def _test(ranks: Ranks) -> str:
    if math.isnan(ranks.p):
        return "one dataset allows no test"
    return f"Friedman p = {ranks.p:.2g}, critical difference {ranks.critical:.1f}"
