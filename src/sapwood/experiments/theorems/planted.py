"""The first split on planted streams: how long each bound waits, and how often it takes noise.

One attribute of five tells the class, with a strength that we set: a split by another is wrong at
every node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...report.words import percent, whole
from ...tree import ConfidenceTreeClassifier
from ..claims import Claim, Verdict
from ..drawing import legend, panels
from ..settings import Theorems
from ..tables import markdown
from ..tasks import Found, Row, Task
from .growing import LEARNERS, grown, leaves, line_of, long_runs, possible, until
from .impurity import CRITERIA, phi
from .intervals import median, share_limits

__all__ = ["STRENGTHS", "gap", "planted"]

COLUMNS = 5
STRENGTHS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.0)


def planted(strength: float, rows: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Draw a stream in which P(y = 1) is (1 ± strength)/2 as one attribute is above or below ½.

    Returns
    -------
    X, y
        The stream.
    attribute : int
        The one that tells.
    """
    rng = np.random.default_rng([seed, round(1000 * strength)])
    attribute = int(rng.integers(COLUMNS))
    X = rng.random((rows, COLUMNS))
    chance = np.where(X[:, attribute] > 0.5, 1 + strength, 1 - strength) / 2
    return X, (rng.random(rows) < chance).astype(int), attribute


def gap(criterion: str, strength: float) -> float:
    """Return how much impurity the planted split removes, in truth."""
    high, low = (1 + strength) / 4, (1 - strength) / 4
    split, none = np.array([[low, high], [high, low]]), np.array([[0.5], [0.5]])
    return float(phi(criterion, none) - phi(criterion, split))


# --- the tasks -----------------------------------------------------------------------------------


def plan(settings: Theorems) -> list[Task]:
    """Return a task per stream: all strengths for a seed, then the next seed."""
    cost = 0.05 + 1.2e-6 * settings.rows
    return [
        Task({"strength": strength, "rows": settings.rows, "seed": seed}, cost)
        for seed in range(settings.streams)
        for strength in STRENGTHS
    ]


def run(strength: float, rows: int, seed: int) -> list[Row]:
    """Grow all trees on one stream."""
    X, y, attribute = planted(strength, rows, seed)
    found = []
    for criterion in CRITERIA:
        for learner, params in LEARNERS.items():
            if possible(params, criterion):
                tree = ConfidenceTreeClassifier(criterion, **params)
                row, splits = grown((X, y), tree)
                wrong = [strength == 0 or split.feature != attribute for split in splits]
                row |= {"criterion": criterion, "learner": learner}
                row |= {"strength": strength, "seed": seed, "wrong": sum(wrong)}
                found.append(row)
    return found


# --- what came of it -----------------------------------------------------------------------------


FIGURES = {
    "first-split": "Examples until the first split, against what the planted split removes in "
    "truth: medians over streams with their 95 % intervals. A line ends where more than half of "
    "the streams were never split."
}


def draw(found: Found) -> dict[str, Any]:
    """Return the figure of the first split."""
    return {"first-split": _draw_first(found)}


def _draw_first(found: Found) -> Any:
    figure, axes = panels(1, 3, width=3.4, height=3.4)
    for axis, criterion in zip(axes[0], CRITERIA, strict=True):
        for learner in LEARNERS:
            here = found.where(criterion=criterion, learner=learner)
            x, middle, low, high = [], [], [], []
            for strength in here.values("strength") if len(here) else ():
                first, least, most = median(here.where(strength=strength)["first"])
                if strength > 0 and math.isfinite(first):
                    x.append(gap(criterion, strength))
                    middle.append(first)
                    low.append(first if math.isnan(least) else least)
                    high.append(min(first if math.isnan(most) else most, here["rows"].max()))
            style = line_of(learner)
            axis.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)
            axis.plot(x, middle, marker=".", label=learner, **style)
        axis.set(xscale="log", yscale="log", title=criterion, xlabel="true gap")
    axes[0, 0].set_ylabel("examples until the first split")
    legend(figure, axes[0, 0], 4)
    return figure


def tell(found: Found) -> str:
    """Return the tables of first splits, sizes and wrong splits."""
    rows = whole(found["rows"].max())
    return "\n".join(
        [
            f"Planted streams of {rows} examples: one of {COLUMNS} attributes makes the chance of "
            "class 1 (1 ± s)/2. Examples until the first split with gini, the median over streams "
            "and its 95 % interval; *never* means not in these examples. A leaf looks every "
            "100.\n",
            _by_strength(found.where(criterion="gini"), until),
            "Leaves at the end, the mean over streams. The truth has 2, and 1 for s = 0; a "
            "threshold beside ½ leaves a slice that is worth another split.\n",
            _by_strength(found.where(criterion="gini"), leaves),
            "The first split by the other criteria, medians only.\n",
            _briefly(found),
            "Splits by an attribute of pure noise, of all splits, by the end of the streams; and "
            "the share of streams without any signal (s = 0) that were split at all.\n",
            _wrongs(found),
        ]
    )


def _by_strength(found: Found, shown: Callable[[Found], str]) -> str:
    strengths = [s for s in STRENGTHS if s in found.values("strength")]
    lines = []
    for learner in LEARNERS:
        here = [found.where(learner=learner, strength=s) for s in strengths]
        lines.append([learner, *[shown(part) if len(part) else "–" for part in here]])
    return markdown(["", *[f"s = {s:g}" for s in strengths]], lines)


def _briefly(found: Found) -> str:
    lines = []
    strengths = [s for s in STRENGTHS if s in found.values("strength")]
    for criterion in ("entropy", "kearns-mansour"):
        for learner in LEARNERS:
            here = [
                found.where(criterion=criterion, learner=learner, strength=s) for s in strengths
            ]
            if any(len(part) for part in here):
                shown = [until(part, briefly=True) if len(part) else "–" for part in here]
                lines.append([criterion, learner, *shown])
    return markdown(["criterion", "", *[f"s = {s:g}" for s in strengths]], lines)


def _wrongs(found: Found) -> str:
    lines = []
    for learner in LEARNERS:
        cells = []
        for criterion in CRITERIA:
            here = found.where(learner=learner, criterion=criterion)
            if not len(here):
                cells += ["–", "–"]
                continue
            splits, wrong = int(here["splits"].sum()), int(here["wrong"].sum())
            cells.append(f"{whole(wrong)} of {whole(splits)}")
            noise = here.where(strength=0.0)
            if len(noise):
                split = int((noise["splits"] > 0).sum())
                low, high = share_limits(split, len(noise))
                share = percent(split / len(noise), 0)
                cells.append(f"{share} ({percent(low, 0)} to {percent(high, 0)})")
            else:
                cells.append("–")
        lines.append([learner, *cells])
    head = [text for name in CRITERIA for text in (f"{name}: noise", "s = 0 split")]
    return markdown(["", *head], lines)


def judge(found: Found) -> list[Claim]:
    """Judge the bounds of Rutkowski et al. by how long they wait, against both of the paper's."""
    waited = partial(_waited, found)
    pairs = [
        ("mcdiarmid, δ = 0.05", "c-tree, c = 0.02"),
        ("mcdiarmid, δ = 0.05", "theorem, δ = 0.05"),
    ]
    longer, shown = [], []
    for slow, fast in pairs:
        for criterion in ("entropy", "gini"):
            ours, theirs = waited(criterion, fast), waited(criterion, slow)
            if math.isfinite(ours + theirs):
                longer.append(theirs > ours)
                shown.append(f"{_times(theirs / ours)} those of {fast} ({criterion})")
            elif math.isinf(ours) != math.isinf(theirs):
                longer.append(math.isinf(theirs))
                last = "they" if math.isinf(theirs) else fast
                shown.append(f"{last} did not split ({criterion})")
    if not longer:
        return []
    verdict: Verdict = "partly" if any(longer) else "not"
    claim = Claim(
        "Section VII",
        "The bounds of Rutkowski et al. are too conservative to be considered.",
        "reproduced" if all(longer) else verdict,
        "Examples that `mcdiarmid`, δ = 0.05, needs for a planted split of full strength: "
        f"{'; '.join(shown)}.",
        "The paper's trees use the heuristic `c-tree`, which no theorem covers; its theorems pay "
        "for all candidates and all looks (`docs/theory.md`, sections 5 and 6).",
    )
    return long_runs(found, Theorems().rows).under([claim])


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{whole(ratio)} times"


def _waited(found: Found, criterion: str, learner: str) -> float:
    here = found.where(criterion=criterion, learner=learner, strength=1.0)
    return median(here["first"])[0] if len(here) else math.nan
