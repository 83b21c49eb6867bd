"""The tree in a report: its picture, cut to a size that can be looked at, and its first splits."""

from __future__ import annotations

import re
from typing import Any, cast

from .. import _core, drawing
from .page import section
from .words import counted, escaped

MAX_LEAVES = 12  # in the picture
MAX_SPLITS = 8  # in words
_MIN_ZOOM = 0.62  # of the picture; below that its type cannot be read


class Top:
    """The upper levels of a model, as the drawing sees it.

    Where it is cut, a subtree becomes a leaf with the votes of all its leaves.

    Parameters
    ----------
    model : Model
        The core's model, or what looks like one.
    depth : int
        The deepest level that stays.
    """

    def __init__(self, model: Any, depth: int) -> None:
        nodes = model.nodes()
        self.classes: list[Any] = model.classes
        self.n_classes_learned: int = model.n_classes_learned
        self._splits = model.splits()
        sums = _sums(nodes, len(self.classes))
        places: dict[int, int] = {}
        for node in nodes:  # children stand after their parent, and stay so
            if node["depth"] <= depth:
                places[node["node"]] = len(places)
        self.cut: list[int] = []  # places of the leaves that stand for subtrees
        self._nodes = []
        for at, place in places.items():
            node = {**nodes[at], "node": place, "parent": places.get(nodes[at]["parent"])}
            if not node["is_leaf"] and node["depth"] == depth:
                votes, learned, n_leaves = sums[at]
                self.cut.append(place)
                below = f"in the {n_leaves} leaves of the subtree that stands here"
                node |= {"is_leaf": True, "votes": votes, "learned": learned, "collecting": below}
            elif not node["is_leaf"]:
                node |= {side: places[node[side]] for side in ("left", "right")}
            self._nodes.append(node)

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes that stay, renumbered."""
        return self._nodes

    def splits(self) -> list[dict[str, Any]]:
        """Return all splits, by the numbers that nodes hold."""
        return self._splits  # type: ignore[no-any-return]

    def svg(self) -> str:
        """Return the picture; the boxes of subtrees are dashed."""
        svg = drawing.as_svg(cast(_core.Model, self))
        for place in self.cut:
            start = svg.find("<rect ", svg.find(f"<title>leaf {place}, depth "))
            svg = f'{svg[:start]}<rect stroke-dasharray="4 3" {svg[start + 6 :]}'
        return svg


def _sums(nodes: list[dict[str, Any]], k: int) -> list[tuple[list[float], float, int]]:
    """Return votes, examples learned and leaves at or below each node."""
    sums: list[tuple[list[float], float, int]] = [([], 0.0, 0)] * len(nodes)
    for node in reversed(nodes):
        if node["is_leaf"]:
            votes = [float(n) for n in node["votes"]]
            sums[node["node"]] = (votes + [0.0] * (k - len(votes)), float(node["learned"]), 1)
        else:
            left, right = sums[node["left"]], sums[node["right"]]
            votes = [a + b for a, b in zip(left[0], right[0], strict=True)]
            sums[node["node"]] = (votes, left[1] + right[1], left[2] + right[2])
    return sums


def fitting_depth(nodes: list[dict[str, Any]], most: int = MAX_LEAVES) -> int:
    """Return the greatest depth at which at most ``most`` leaves and subtrees are drawn."""
    width, depth = 1, 0  # a level has a leaf more for every split in the level above
    while True:
        splits = sum(not node["is_leaf"] for node in nodes if node["depth"] == depth)
        if splits == 0 or (width + splits > most and depth > 0):
            return depth
        width, depth = width + splits, depth + 1


def tree_section(model: Any) -> str:
    """Return the section of a report about the tree; empty for a model that is none."""
    if not (hasattr(model, "to_svg") and hasattr(model, "splits")):
        return ""
    splits = list(model.splits())
    core = getattr(model, "_model", None)
    if not splits or core is None:
        return ""
    nodes = core.nodes()
    n_leaves = (len(nodes) + 1) // 2
    depth = fitting_depth(nodes)
    top = Top(core, depth)
    about = (
        f"It has {counted(n_leaves, 'leaf', 'leaves')}. A leaf shows the class with most votes "
        "and its share of them; the tooltip of a split holds its certificate."
    )
    if top.cut:
        inside = (n_leaves - sum(node["is_leaf"] for node in top.nodes())) + len(top.cut)
        boxes, leaves = len(top.cut), counted(inside, "leaf", "leaves")
        about += f" Drawn to depth {depth}: "
        if boxes == 1:
            about += f"the dashed box stands for a subtree with {leaves}."
        else:
            about += f"the {boxes} dashed boxes stand for subtrees with {leaves} together."
    picture = f'<figure class="tree">{_inline(top.svg())}</figure>'
    return section("The tree", picture, *_first_splits(splits), about=about)


def _inline(svg: str) -> str:
    """Return a picture as a page holds it: as wide as there is room, but never too small."""
    size = re.search(r'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"', svg)
    if size is None:
        return svg.strip()
    least = _MIN_ZOOM * float(size[1])
    style = f"width:clamp({least:.0f}px,100%,{size[1]}px);height:auto"
    return svg.strip().replace("<svg ", f'<svg style="{style}" ', 1)


def _first_splits(splits: list[Any]) -> list[str]:
    """Say what the first splits were and why they were made."""
    about = (
        "Each was made when the lead of its question over the next best one (the gap) was beyond "
        "what the bound asks for (ε) with the m examples that the leaf had seen."
    )
    items, first = [], splits[:MAX_SPLITS]
    for split in first:
        at = "at the root" if split.depth == 0 else f"at depth {split.depth}"
        side = "left (yes)" if split.missing_side == "left" else "right (no)"
        items.append(
            f"<li><code>{escaped(split.test, 160)}</code>, {at}, after "
            f"{counted(split.t, 'example')} of the stream.<small>{escaped(split.evidence, 200)}. "
            f"A row without a value goes {side}.</small></li>"
        )
    if any(split.reason == "tie" for split in first):
        about += " At a tie ε was so small that the next best would have been as good."
    heading, more = "Its splits", ""
    if len(splits) > len(first):
        heading = "Its first splits"
        left_out = counted(len(splits) - len(first), "later split")
        more = f'<p class="about">{left_out} not listed.</p>'
    said = f'<p class="about">{about}</p>'
    return [f"<h3>{heading}</h3>", said, f'<ol class="splits">{"".join(items)}</ol>', more]
