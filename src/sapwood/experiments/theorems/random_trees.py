"""The size of the trees on RandCBT, and the paper's remarks on McDiarmid's bounds and on ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compare import half_width
from ...datasets import rand_cbt
from ...report.words import percent, whole
from ...tree import ConfidenceTreeClassifier
from ..claims import Claim, Verdict
from ..drawing import band, legend, panels
from ..settings import Theorems
from ..tables import markdown
from ..tasks import Found, Row, Task
from .growing import LEARNERS, grown, leaves, line_of, long_runs, possible, until
from .impurity import CRITERIA

__all__ = ["MCDIARMID", "MOA", "TIES"]

#: Of the bounds of Rutkowski et al., down to next to no confidence.
MCDIARMID: dict[str, dict[str, Any]] = {
    f"mcdiarmid, δ = {delta}": {"bound": "mcdiarmid", "delta": float(delta)}
    for delta in ("1e-7", "0.05", "0.5", "0.9", "0.99")
}
#: With the tie threshold that VFDT and MOA have by default.
TIES: dict[str, dict[str, Any]] = {
    "H-Tree, δ = 1e-7, τ = 0.05": {"bound": "hoeffding", "delta": 1e-7, "tie_threshold": 0.05},
    "C-Tree, c = 0.02, τ = 0.05": {"bound": "c-tree", "c": 0.02, "tie_threshold": 0.05},
}
MOA = "MOA's defaults (entropy)"


# --- the tasks -----------------------------------------------------------------------------------


def plan(settings: Theorems) -> list[Task]:
    """Return a task per stream."""
    size = {"n_leaves": settings.n_leaves, "per_leaf": settings.per_leaf}
    cost = 0.1 + 2.5e-6 * settings.n_leaves * settings.per_leaf
    return [Task({**size, "seed": seed}, cost) for seed in range(settings.streams)]


def run(n_leaves: int, per_leaf: int, seed: int) -> list[Row]:
    """Grow all trees on one stream."""
    stream = rand_cbt(n_leaves=n_leaves, per_leaf=per_leaf, seed=seed)
    trees = {
        (criterion, learner): ConfidenceTreeClassifier(criterion, **params)
        for criterion in CRITERIA
        for learner, params in (LEARNERS | MCDIARMID | TIES).items()
        if possible(params, criterion) and (learner not in TIES or criterion == "gini")
    }
    trees["entropy", MOA] = ConfidenceTreeClassifier.moa()
    found = []
    for (criterion, learner), tree in trees.items():
        row, _ = grown(stream, tree)
        row |= {"criterion": criterion, "learner": learner, "seed": seed}
        found.append(row)
    return found


# --- what came of it -----------------------------------------------------------------------------


FIGURES = {
    "tree-size": "Leaves against examples on RandCBT: means over streams with 95 % intervals. "
    "The trees that made the streams have as many leaves as the dotted line says. The lines of "
    "trees that never split lie on each other, at 1."
}


def draw(found: Found) -> dict[str, Any]:
    """Return the figure of the size."""
    return {"tree-size": _draw_sizes(found)}


def _draw_sizes(found: Found) -> Any:
    figure, axes = panels(1, 3, width=3.4, height=3.4)
    for axis, criterion in zip(axes[0], CRITERIA, strict=True):
        for learner in LEARNERS:
            here = found.where(criterion=criterion, learner=learner)
            if len(here):
                sizes = np.stack(list(here["sizes"]))
                rows = np.linspace(0, here["rows"].max(), sizes.shape[1] + 1)[1:]
                half = [half_width(column) for column in sizes.T]
                style = line_of(learner)
                colour = style.pop("color")
                band(axis, rows, sizes.mean(axis=0), half, colour=colour, label=learner, **style)
        axis.axhline(found.about["settings"]["n_leaves"], color="black", lw=0.8, ls=":")
        axis.set(yscale="log", title=criterion, xlabel="examples")
        axis.ticklabel_format(axis="x", style="sci", scilimits=(0, 3))
    axes[0, 0].set_ylabel("leaves")
    legend(figure, axes[0, 0], 4)
    return figure


def tell(found: Found) -> str:
    """Return the tables of sizes and of ties."""
    return "\n".join(
        [
            f"RandCBT, {whole(found['rows'].max())} examples, shuffled: leaves at the end, and the "
            "first split (the median).\n",
            _sizes(found),
            "Ties on RandCBT, with the tie threshold of VFDT and MOA: the share of splits that the "
            "tie rule made.\n",
            _ties(found),
        ]
    )


def _sizes(found: Found) -> str:
    lines = []
    for learner in dict.fromkeys([*LEARNERS, *MCDIARMID]):
        cells = []
        for criterion in CRITERIA:
            here = found.where(learner=learner, criterion=criterion)
            cells += [leaves(here), until(here, briefly=True)] if len(here) else ["–", "–"]
        lines.append([learner, *cells])
    head = [text for name in CRITERIA for text in (f"{name}: leaves", "first split")]
    return markdown(["", *head], lines)


def _tied(found: Found) -> dict[str, tuple[int, int]]:
    """Return how many splits were ties, and how many there were, by learner."""
    counted = {}
    for learner in (*TIES, MOA):
        here = found.where(learner=learner)
        if len(here):
            counted[learner] = int(here["ties"].sum()), int(here["splits"].sum())
    return counted


def _ties(found: Found) -> str:
    lines = []
    for learner, (ties, splits) in _tied(found).items():
        share = percent(ties / splits) if splits else "–"
        size = leaves(found.where(learner=learner))
        lines.append([learner, f"{whole(ties)} of {whole(splits)}", share, size])
    return markdown(["", "ties", "share", "leaves"], lines)


def judge(found: Found) -> list[Claim]:
    """Judge the paper's remarks on the bounds of Rutkowski et al. and on ties."""
    papers = Theorems()
    evidence = long_runs(found, papers.n_leaves * papers.per_leaf)
    return evidence.under([_one_node(found), _mostly_ties(found)])


def _one_node(found: Found) -> Claim:
    """Judge by the share of RandCBT trees with one node, over all δ."""
    split, trees, shown = 0, 0, []
    for criterion in ("entropy", "gini"):
        for learner in MCDIARMID:
            here = found.where(learner=learner, criterion=criterion)
            larger = int((here["splits"] > 0).sum())
            split, trees = split + larger, trees + len(here)
            if larger:
                shown.append(f"{criterion} at {learner.split(', ')[1]}: {larger} of {len(here)}")
    verdict: Verdict = "reproduced" if not split else "partly" if split < trees / 2 else "not"
    own = found.where(learner="theorem, δ = 0.05")
    words = "; ".join(shown) or "none"
    return Claim(
        "Section VII",
        "The bounds of Rutkowski et al. give 1-node trees in all experiments, even at very low "
        "confidence.",
        verdict,
        f"RandCBT, δ from 1e-7 to 0.99, entropy and gini: {trees - split} of {trees} trees have "
        f"one node. Split were: {words}.",
        "Their constants are large (`docs/theory.md`, section 6). So are those of the paper's "
        f"theorems: with `theorem`, δ = 0.05, {int((own['splits'] == 0).sum())} of {len(own)} "
        "trees on the same streams have one node.",
    )


def _mostly_ties(found: Found) -> Claim:
    """Judge by the number of learners most of whose splits are ties."""
    counted = {name: pair for name, pair in _tied(found).items() if pair[1]}
    mostly = sum(ties > splits / 2 for ties, splits in counted.values())
    verdict: Verdict = "not"
    if mostly:
        verdict = "reproduced" if mostly == len(counted) else "partly"
    shown = ", ".join(f"{name}: {percent(t / s)}" for name, (t, s) in counted.items())
    return Claim(
        "Section VII",
        "The tie-break parameter causes the majority of the splits.",
        verdict,
        f"RandCBT, share of splits by ties: {shown or 'no splits'}.",
        "Once ε is below τ, a leaf splits whatever the gap, so ties mostly tell how many examples "
        "a leaf has had.",
    )
