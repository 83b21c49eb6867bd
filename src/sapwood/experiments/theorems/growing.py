"""Trees by different bounds on one stream: when they first split, and how large they become."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from ...compare import half_width
from ...protocol import evaluate
from ...report.words import whole
from ...tree import ConfidenceTreeClassifier
from ..claims import Evidence
from ..drawing import COLOURS
from ..tasks import Found, Row
from .intervals import median

__all__ = ["LEARNERS", "grown", "leaves", "line_of", "long_runs", "possible", "until"]

LEARNERS: dict[str, dict[str, Any]] = {
    "theorem, δ = 0.05": {"bound": "theorem", "delta": 0.05},
    "mcdiarmid, δ = 0.05": {"bound": "mcdiarmid", "delta": 0.05},
    "mcdiarmid, δ = 0.99": {"bound": "mcdiarmid", "delta": 0.99},
    "hoeffding, δ = 1e-7": {"bound": "hoeffding", "delta": 1e-7},
    "hoeffding, δ = 0.05": {"bound": "hoeffding", "delta": 0.05},
    "c-tree, c = 0.05": {"bound": "c-tree", "c": 0.05},
    "c-tree, c = 0.02": {"bound": "c-tree", "c": 0.02},
}
RECORDS = 20  # of a curve


def possible(params: dict[str, Any], criterion: str) -> bool:
    """Return whether there is such a bound for the criterion."""
    return params["bound"] != "mcdiarmid" or criterion != "kearns-mansour"


def grown(
    stream: tuple[NDArray[Any], NDArray[Any]], tree: ConfidenceTreeClassifier
) -> tuple[Row, list[Any]]:
    """Return what became of a tree on a stream, and the certificates of its splits."""
    rows = len(stream[1])
    result = evaluate(stream, tree, every=max(1, rows // RECORDS))
    splits = result.model.splits()
    row = {
        "rows": rows,
        "first": float(splits[0].t) if splits else math.inf,
        "splits": len(splits),
        "ties": sum(split.reason == "tie" for split in splits),
        "sizes": [float(n) for n in result.curve["leaves"][:RECORDS]],
    }
    return row, splits


def long_runs(found: Found, papers: int) -> Evidence:
    """Return what verdicts on these trees rest on, where the paper's streams have so many rows."""
    streams = found.fewest("seed", "criterion", "learner")
    return Evidence(streams, "stream", float(found["rows"].min()) / papers)


def line_of(learner: str) -> dict[str, Any]:
    """Return how a learner's line looks: a colour per bound, dashes for its second setting."""
    bound = learner.split(",")[0]
    dashed = learner in ("mcdiarmid, δ = 0.99", "hoeffding, δ = 0.05", "c-tree, c = 0.05")
    return {"color": COLOURS[bound], "linestyle": "--" if dashed else "-"}


def until(found: Found, briefly: bool = False) -> str:
    """Return the median of the first split in words."""
    middle, low, high = median(found["first"])
    shown = ["never" if math.isinf(n) else whole(n) for n in (middle, low, high)]
    alone = briefly or math.isnan(low) or len(set(shown)) == 1
    return shown[0] if alone else f"{shown[0]} ({shown[1]} to {shown[2]})"


def leaves(found: Found) -> str:
    """Return the mean number of leaves in words, with its interval."""
    sizes = found["splits"] + 1
    half = half_width(sizes.tolist())
    return f"{sizes.mean():.1f}" + ("" if math.isnan(half) else f" ± {half:.1f}")
