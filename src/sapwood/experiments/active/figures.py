"""The figures of selective sampling."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .. import paper
from ..drawing import COLOURS, band, frame, legend, panels, points
from ..ranks import Ranks
from ..tasks import Found
from .means import NAMES, WAYS, Means, Stream, paper_ranks

__all__ = ["FIGURES", "analyses", "draw"]

_GREY = "#7a7a7a"
_LOST = (
    "The paper's points are hollow. Its legend is lost: which colour is which strategy is inferred "
    "from the order of the text."
)


_CURVES = (
    f"the mean over the seeds, and its 95 % interval. {_LOST} Dashed: every label is learned; "
    "dotted: the same without DDM."
)
FIGURES = {
    "active": f"Budget against performance with majority leaves, {WAYS['tuned']}: {_CURVES}",
    "active-default": f"The same with {WAYS['default']} for all.",
    "active-adaptive": f"The same with adaptive leaves, {WAYS['tuned']}.",
    "active-ranks": "Mean ranks of the strategies over the datasets; 1 is the best. The bar is "
    "Nemenyi's critical difference: ranks that lie closer do not differ significantly.",
}


def draw(found: Found) -> dict[str, Any]:
    """Return the curves for each kind of leaves, those without tuning, and the ranks."""
    means = Means(found)
    return {
        "active": _curves(means, "majority", "tuned"),
        "active-default": _curves(means, "majority", "default"),
        "active-adaptive": _curves(means, "adaptive", "tuned"),
        "active-ranks": _ranks(analyses(means)),
    }


def analyses(means: Means) -> dict[str, Ranks]:
    """Return the ranks over the datasets for each kind of leaves and each way to choose c.

    The last are those of the paper's points; before them, those with shuffled rows where there are
    such.
    """
    found = {
        f"{leaves} leaves, {words}": means.ranks(
            leaves, way, means.streams(leaves, "original"), by_budget=False
        )
        for leaves in means.leaves
        for way, words in WAYS.items()
    }
    first = means.leaves[0]
    shuffled = means.streams(first, "shuffled")
    if shuffled:
        instead = {stream.dataset for stream in shuffled}
        kept = [s for s in means.streams(first, "original") if s.dataset not in instead] + shuffled
        names = " and ".join(stream.title for stream in shuffled)
        found[f"{first} leaves, tuned, {names}"] = means.ranks(
            first, "tuned", kept, by_budget=False
        )
    datasets = [stream.dataset for stream in means.streams(first, "original")]
    found["the paper's points"] = paper_ranks(means.strategies, datasets)
    return found


def _curves(means: Means, leaves: str, way: str) -> Any:
    """Draw a panel for each stream."""
    streams = means.streams(leaves)
    columns = max(1, min(3, len(streams)))
    figure, axes = panels(max(1, -(-len(streams) // columns)), columns)
    for panel, stream in zip(axes.flat, streams, strict=False):
        _panel(panel, means, stream, leaves, way)
    for panel in axes.flat[len(streams) :]:
        panel.set_axis_off()
    for panel in axes[-1]:
        panel.set_xlabel("budget")
    legend(figure, axes.flat[0], 2 * columns - 1)
    return figure


def _panel(panel: Any, means: Means, stream: Stream, leaves: str, way: str) -> None:
    for name in means.strategies:
        curve = means.curve(stream, leaves, name, way)
        y, half = [mean.performance for mean in curve], [mean.half for mean in curve]
        band(panel, means.budgets, y, half, colour=COLOURS[name], label=NAMES[name])
        drawn = [(b, y) for b, y in paper.active(stream.dataset, name) if b in means.budgets]
        points(panel, drawn, colour=COLOURS[name])
    for drift, style, label in (("ddm", "--", NAMES["full"]), ("none", ":", "the same, no DDM")):
        height = means.full(stream, leaves, way, drift).performance
        panel.axhline(height, color=_GREY, linestyle=style, linewidth=1.2, label=label)
    panel.plot([], [], "o", markerfacecolor="none", color=_GREY, label="the paper's points")
    frame(panel)
    panel.set_title(stream.title)
    panel.set_ylabel("F of the smaller class" if stream.measure == "F" else "accuracy")
    panel.set_xticks(means.budgets)


def _ranks(found: dict[str, Ranks]) -> Any:
    figure, axes = panels(1, 1, width=8.0, height=1.2 + 0.42 * len(found))
    panel = axes[0, 0]
    names: list[str] = []
    for y, ranks in enumerate(found.values()):
        names = ranks.names
        equals: Counter[float] = Counter()
        for name in names:
            at = round(ranks.mean[name], 3)
            label = None if y else NAMES[name]
            panel.plot(at, y - 0.13 * equals[at], "o", color=COLOURS[name], label=label)
            equals[at] += 1  # the next one stands above it
        best = min(ranks.mean.values())
        panel.plot([best, best + ranks.critical], [y + 0.28] * 2, color=_GREY, linewidth=2)
    panel.set_yticks(range(len(found)), list(found))
    panel.invert_yaxis()
    panel.set_xlim(0.8, len(names) + 0.2)
    panel.set_xlabel("mean rank")
    figure.legend(loc="outside lower center", ncols=4)
    return figure
