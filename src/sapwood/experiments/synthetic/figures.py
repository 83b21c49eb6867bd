"""The paper's figure for both orders and grids, and the paired differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import paper
from ..drawing import COLOURS, band, frame, legend, panels, points
from ..tasks import Found
from .results import BASELINES, paired, pooled

FIGURES = {
    "synthetic": "Online accuracy against leaves on random trees: lines are ours with 95 % "
    "intervals, circles are the paper's points. Left and middle: all runs of about a size thrown "
    "together, as the paper seems to do. Right: C-Tree minus H-Tree and minus CorrH-Tree, in their "
    "colours, on the same streams at the same size."
}


def draw(found: Found) -> dict[str, Any]:
    """Draw the paper's figure for both orders and grids, and the paired differences."""
    orders, kinds = found.values("order"), found.values("grid")
    figure, axes = panels(len(orders), len(kinds) + 1)
    for row, order in zip(axes, orders, strict=True):
        for ax, kind in zip(row, kinds, strict=False):
            ax.set_title(f"{order}, {kind} grid")
            for learner, name in paper.LEARNERS.items():
                here = pooled(found, order, kind, learner)
                colour = COLOURS[learner]
                band(ax, here.leaves, here.mean, here.half, colour=colour, label=name)
                points(ax, paper.full("rand-cbt", learner), colour=colour)
            ax.set_xlabel("leaves")
            frame(ax)
        row[0].set_ylabel("online accuracy")
        ax = row[-1]
        ax.set_title(f"{order}: C-Tree minus the others")
        ax.axhline(0, color="black", linewidth=0.8)
        for baseline in BASELINES:
            here = paired(found, order, baseline, np.arange(5, 151, 5.0))
            points_ = 100 * here.mean, 100 * here.half
            band(ax, here.leaves, *points_, colour=COLOURS[baseline])
        ax.set_xlabel("leaves")
        ax.set_ylabel("points of accuracy")
        frame(ax)
    first = axes[0][0]
    first.plot([], [], "o", markerfacecolor="none", color="black", label="the paper's points")
    legend(figure, first, 4)
    return {"synthetic": figure}
