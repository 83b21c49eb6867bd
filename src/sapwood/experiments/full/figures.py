"""The paper's figure, and what each choice changes for C-Tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import paper
from ..drawing import COLOURS, band, frame, legend, panels, points
from ..real import NAMES, measure
from ..tasks import Found
from .results import mean, named, variants
from .runs import MAIN

FIGURES = {
    "full": "Performance against leaves on the real datasets (majority leaves, histogram splits, "
    "Gini): lines are ours with 95 % intervals over the orders, circles are the paper's points.",
    "full-variants": "C-Tree with each kind of leaf and of numeric split; circles are the paper's "
    "C-Tree. Its program was built on MOA, whose defaults are adaptive leaves and Gaussian splits.",
}


def draw(found: Found) -> dict[str, Any]:
    """Draw the paper's figure, and what each choice changes for C-Tree."""
    names = found.values("dataset")
    leaves = np.unique(np.geomspace(1, 2000, 80).round())
    figure, axes = _six(names)
    for ax, dataset in zip(axes, names, strict=False):
        for learner, name in paper.LEARNERS.items():
            here = mean(found, dataset, learner, leaves, **MAIN)
            band(ax, leaves, here.mean, here.half, colour=COLOURS[learner], label=name)
            points(ax, paper.full(dataset, learner), colour=COLOURS[learner])
        frame(ax)
    axes[0].plot([], [], "o", markerfacecolor="none", color="black", label="the paper's points")
    legend(figure, axes[0], 4)
    figures = {"full": figure}
    figure, axes = _six(names)
    lines = zip(variants(found), ("c-tree", "h-tree", "corrh-tree", "theorem"), strict=False)
    for variant, colour in lines:
        for ax, dataset in zip(axes, names, strict=False):
            here = mean(found, dataset, "c-tree", leaves, **variant)
            band(ax, leaves, here.mean, here.half, colour=COLOURS[colour], label=named(variant))
    for ax, dataset in zip(axes, names, strict=False):
        points(ax, paper.full(dataset, "c-tree"), colour="black", label="the paper")
        frame(ax)
    legend(figure, axes[0], 3)
    figures["full-variants"] = figure
    return figures


def _six(names: list[str]) -> tuple[Any, list[Any]]:
    """Return a figure with a panel per dataset."""
    figure, matrix = panels(2, 3)
    axes = list(matrix.flat)
    for ax, dataset in zip(axes, names, strict=False):
        ax.set_title(NAMES[dataset])
        ax.set_xscale("log")
        ax.set_xlabel("leaves")
        ax.set_ylabel("F-measure" if measure(dataset) == "f_measure" else "accuracy")
    for ax in axes[len(names) :]:
        ax.set_axis_off()
    return figure, axes
