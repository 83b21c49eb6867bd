"""A tree as text, as an SVG picture and as a matplotlib plot."""

# The two pictures are one: `_layout` places the boxes, `_picture` makes them SVG elements, `as_svg`
# writes these down, and `plot` draws the same elements with matplotlib. Nothing recurses, and time
# grows linearly with the number of nodes, so that a tree of any depth can be shown.

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from . import _core
from .explain import Certificate

_EMPTY = "an empty tree"
_ANSWERS = {"left": "yes", "right": "no"}
_MAX_BARS = 24  # levels that text indents by bars; deeper ones are numbered
_MAX_DETAILED = 500  # nodes up to which a picture shows the evidence
_MAX_LEGEND = 40  # classes that the legend names
_MAX_INCHES = 100.0  # sides of a figure that we make

# The colours of Okabe and Ito, which stay apart for colour-blind eyes; grey in place of black.
_PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f")
_INK, _FAINT, _LINE, _PAPER = "#1f2933", "#52606d", "#b4bcc8", "#f7f8fa"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_LARGE, _SMALL = 12.0, 9.5  # sizes of type
_MARGIN, _GAP, _PAD = 20.0, 18.0, 12.0  # around everything, between boxes, inside boxes
_LEAF_HEIGHT, _LAYER = 54.0, 102.0

_Line = tuple[str, float]  # of type: the text and its size


@dataclass(frozen=True, slots=True)
class _Tree:
    """A model's nodes, splits and classes at one moment."""

    nodes: list[dict[str, Any]]
    splits: list[Certificate]
    classes: list[Any]

    @classmethod
    def of(cls, model: _core.Model | None) -> _Tree | None:
        """Read a model; None if it has learned nothing."""
        if model is None or model.n_classes_learned == 0:
            return None
        nodes = model.nodes()  # first: a thread that learns meanwhile only adds splits and classes
        return cls(nodes, [Certificate.of(record) for record in model.splits()], model.classes)

    @property
    def detailed(self) -> bool:
        return len(self.nodes) <= _MAX_DETAILED

    def shares(self, node: dict[str, Any]) -> list[float]:
        """Share of each class in the votes; equal ones before the first vote."""
        votes, total = node["votes"], float(sum(node["votes"]))
        return [n / total for n in votes] if total > 0 else [1 / len(votes)] * len(votes)

    def verdict(self, node: dict[str, Any]) -> tuple[int, float]:
        """Position and share of the class with most votes, the lowest of equals."""
        shares = self.shares(node)
        best = max(range(len(shares)), key=shares.__getitem__)
        return best, shares[best]

    def words(self, node: dict[str, Any]) -> str:
        """Say what a leaf predicts, or what a split asks."""
        if not node["is_leaf"]:
            split = self.splits[node["split"]]
            return f"{_plain(split.test)}? (missing: {_ANSWERS[split.missing_side]})"
        best, share = self.verdict(node)
        votes = (f"{self.classes[y]!r}: {n:.10g}" for y, n in enumerate(node["votes"]) if n > 0)
        state = "" if node["collecting"] == "yes" else f", collecting: {node['collecting']}"
        return _plain(
            f"predicts {self.classes[best]!r} (p = {share:.3f}), votes {{{', '.join(votes)}}}, "
            f"{node['learned']:.10g} learned{state}"
        )

    def lines(self, node: dict[str, Any]) -> list[_Line]:
        """Return the lines of type in a node's box."""
        if node["is_leaf"]:
            best, share = self.verdict(node)
            small = f"{share:.0%} · {node['learned']:.10g} learned"
            return [(_name(self.classes[best], 20), _LARGE), (small, _SMALL)]
        split = self.splits[node["split"]]
        lines = [(_name(split.test, 34), _LARGE), (split.evidence, _SMALL)]
        return lines if self.detailed else lines[:1]


def _plain(text: str) -> str:
    """Write characters that do not print, such as line breaks, as escapes."""
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if text.isprintable() else "".join(shown)


def _name(value: Any, n: int) -> str:
    """Return a value in at most n characters, shortened in the middle: thresholds stand last."""
    text = _plain(str(value))
    text = text if text.strip() else repr(text)
    return text if len(text) <= n else f"{text[: n - n // 2 - 1]}…{text[-(n // 2) :]}"


def as_text(model: _core.Model | None, *, certificates: bool) -> str:
    """Return the tree as indented text, root first, "yes" before "no".

    Parameters
    ----------
    model : Model or None
        The model; None, or one that has learned nothing, is "an empty tree".
    certificates : bool
        Whether each split is followed by its evidence.

    Returns
    -------
    str
        A line per node. Deeper than 24 levels a line starts with its depth, and only its innermost
        bars are drawn.
    """
    tree = _Tree.of(model)
    if tree is None:
        return _EMPTY
    lines, stack = [], [(0, 0, "", "", "")]
    while stack:
        at, depth, bars, branch, below = stack.pop()
        node = tree.nodes[at]
        line = f"{bars}{branch}{tree.words(node)}"
        if not node["is_leaf"]:
            line += f"  [{tree.splits[node['split']].evidence}]" if certificates else ""
            below = below[-4 * (_MAX_BARS - 1) :]
            stack.append((node["right"], depth + 1, below, "└── no: ", f"{below}    "))
            stack.append((node["left"], depth + 1, below, "├── yes: ", f"{below}│   "))
        lines.append(line if depth <= _MAX_BARS else f"[{depth}] {line}")
    return "\n".join(lines)


class _Box(NamedTuple):
    """The place of a node: the middle of its upper edge, and its size."""

    x: float
    y: float
    width: float
    height: float


def _layout(tree: _Tree) -> list[_Box]:
    """Place leaves evenly from left to right, and parents midway above their children.

    A split then lies at least half a step inside the span of its leaves. So, in a layer, two leaves
    are at least 1 step apart, a leaf and a split 1.5, and two splits 2; the step is the smallest
    that keeps such boxes apart.
    """
    widths = {True: 0.0, False: 0.0}
    for node in tree.nodes:
        width = max(text_width(*line) for line in tree.lines(node)) + 2 * _PAD
        widths[node["is_leaf"]] = max(width, widths[node["is_leaf"]])
    leaf, split = widths[True], widths[False]
    step = max(leaf + _GAP, (leaf + split + 2 * _GAP) / 3, (split + _GAP) / 2)
    x, n_leaves, stack = [0.0] * len(tree.nodes), 0, [0]
    while stack:
        node = tree.nodes[stack.pop()]
        if node["is_leaf"]:
            x[node["node"]] = n_leaves * step
            n_leaves += 1
        else:
            stack += (node["right"], node["left"])
    for node in reversed(tree.nodes):  # children stand after their parent
        if not node["is_leaf"]:
            x[node["node"]] = (x[node["left"]] + x[node["right"]]) / 2
    heights = {True: _LEAF_HEIGHT, False: 44.0 if tree.detailed else 30.0}
    return [
        _Box(at, node["depth"] * _LAYER, widths[node["is_leaf"]], heights[node["is_leaf"]])
        for node, at in zip(tree.nodes, x, strict=True)
    ]


def text_width(text: str, size: float) -> float:
    """Estimate the width of a line of type, rather too wide than too narrow."""
    ems = 0.0
    for c in text:
        if c in " .,:;'|!iljtfI()[]/·":
            ems += 0.4
        elif c in "mwMW@%—…" or unicodedata.east_asian_width(c) in "WF":
            ems += 1.1
        else:
            ems += 0.82 if c in "<>=+~" or c.isupper() else 0.64
    return ems * size


class _Element(NamedTuple):
    """An SVG element."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""

    def __str__(self) -> str:
        attributes = " ".join(f'{name}="{value}"' for name, value in self.attributes.items())
        return f"<{self.tag} {attributes}>{html.escape(self.text, quote=False)}</{self.tag}>"


def _rect(box: _Box, fill: str, stroke: str = "none", rx: float = 0.0) -> _Element:
    x, y, width, height = (round(n, 2) for n in (box.x - box.width / 2, *box[1:]))
    place = {"x": x, "y": y, "width": width, "height": height, "rx": rx}
    return _Element("rect", {**place, "fill": fill, "stroke": stroke})


def _text(
    x: float, y: float, line: _Line, fill: str, anchor: str = "middle", bold: bool = False
) -> _Element:
    """Return a line of type; y is that of its baseline."""
    place = {"x": round(x, 2), "y": round(y, 2), "font-size": line[1], "text-anchor": anchor}
    weight = "bold" if bold else "normal"
    return _Element("text", {**place, "font-weight": weight, "fill": fill}, line[0])


def _picture(model: _core.Model | None) -> tuple[float, float, list[tuple[str, list[_Element]]]]:
    """Return width, height, and groups of elements with their tooltips, the hindmost first."""
    tree = _Tree.of(model)
    if tree is None:
        return 180.0, 60.0, [("", [_text(90, 34, (_EMPTY, _LARGE), _FAINT)])]
    boxes = _layout(tree)
    left = min(box.x - box.width / 2 for box in boxes)
    breadth = max(box.x + box.width / 2 for box in boxes) - left
    legend, legend_breadth, top = _legend(tree.classes, max(breadth, 420.0))
    width = max(breadth, legend_breadth) + 2 * _MARGIN
    shift = (width - breadth) / 2 - left
    boxes = [box._replace(x=box.x + shift, y=box.y + top) for box in boxes]
    groups = [("", legend)]
    groups += [("", _edges(node, boxes)) for node in tree.nodes if not node["is_leaf"]]
    for node, box in zip(tree.nodes, boxes, strict=True):
        groups.append((_leaf if node["is_leaf"] else _split)(tree, node, box))
    return width, max(box.y + box.height for box in boxes) + _MARGIN, groups


def _legend(classes: list[Any], room: float) -> tuple[list[_Element], float, float]:
    """Return the legend, its width, and where the tree below it begins."""
    names = [_name(label, 32) for label in classes[:_MAX_LEGEND]]
    if len(classes) > _MAX_LEGEND:
        names.append(f"and {len(classes) - _MAX_LEGEND} more")
    legend, x, y, breadth = [], 0.0, _MARGIN, 0.0
    for i, name in enumerate(names):
        width = 18 + text_width(name, 11)
        if x > 0 and x + width > room:
            x, y = 0.0, y + 20
        at = _MARGIN + x
        if i < _MAX_LEGEND:
            legend.append(_rect(_Box(at + 6, y, 12, 12), _colour(i), rx=3))
        legend.append(_text(at + 18, y + 10, (name, 11), _INK, "start"))
        breadth, x = max(breadth, x + width), x + width + 16
    return legend, breadth, y + 36


def _edges(node: dict[str, Any], boxes: list[_Box]) -> list[_Element]:
    """Return the edges below a split, with the answers on their outer sides."""
    edges, (x, y, _, height) = [], boxes[node["node"]]
    for side, anchor, away in (("left", "end", -6), ("right", "start", 6)):
        child, low = boxes[node[side]], y + height
        bend = (low + child.y) / 2
        ends = (x, low, x, bend, child.x, bend, child.x, child.y)
        d = "M {:.2f} {:.2f} C {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f}".format(*ends)
        edges.append(_Element("path", {"d": d, "fill": "none", "stroke": _LINE}))
        answer = (_ANSWERS[side], _SMALL)
        edges.append(_text(child.x + away, child.y - 7, answer, _FAINT, anchor))
    return edges


def _split(tree: _Tree, node: dict[str, Any], box: _Box) -> tuple[str, list[_Element]]:
    """Return the certificate and the box of a split."""
    split = tree.splits[node["split"]]
    record = (f"{f.name}: {_plain(str(getattr(split, f.name)))}" for f in fields(split))
    elements = [_rect(box, _PAPER, _LINE, 7)]
    for line, base, ink in zip(tree.lines(node), (19.5, 34.5), (_INK, _FAINT), strict=False):
        elements.append(_text(box.x, box.y + base, line, ink))
    return "\n".join([tree.words(node), split.evidence, *record]), elements


def _leaf(tree: _Tree, node: dict[str, Any], box: _Box) -> tuple[str, list[_Element]]:
    """Return the words and the box of a leaf, tinted by its class, with a bar of all classes."""
    (best, share), (name, small) = tree.verdict(node), tree.lines(node)
    elements = [
        _rect(box, _colour(best, 0.05 + 0.35 * share * share), _colour(best), 7),
        _text(box.x, box.y + 18.5, name, _INK, bold=True),
        _text(box.x, box.y + 33, small, _INK),
    ]
    x, full = box.x - box.width / 2 + _PAD, box.width - 2 * _PAD
    for y, width in ((y, part * full) for y, part in enumerate(tree.shares(node)) if part > 0):
        elements.append(_rect(_Box(x + width / 2, box.y + 41, width, 5), _colour(y)))
        x += width
    return f"leaf {node['node']}, depth {node['depth']}\n{tree.words(node)}", elements


def _colour(y: int, strength: float = 1.0) -> str:
    """Return the colour of a class, mixed with white."""
    colour = _PALETTE[y % len(_PALETTE)]
    parts = (255 - int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{255 - round(part * strength):02x}" for part in parts)


def as_svg(model: _core.Model | None) -> str:
    """Return the tree as an SVG document that needs nothing else.

    The left branch is "yes", a leaf shows the share of its class in its votes, and a tooltip tells
    all about a node. Trees of more than 500 nodes leave the evidence to the tooltips.

    Parameters
    ----------
    model : Model or None
        The model.

    Returns
    -------
    str
        The document.
    """
    width, height, groups = _picture(model)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for words, elements in groups:
        title = f"<title>{html.escape(words, quote=False)}</title>" if words else ""
        lines.append(f"<g>{title}{''.join(map(str, elements))}</g>")
    return "\n".join([*lines, "</svg>", ""])


def plot(model: _core.Model | None, ax: Any = None) -> Any:
    """Draw the picture of :func:`as_svg` with matplotlib.

    Parameters
    ----------
    model : Model or None
        The model.
    ax : matplotlib Axes, optional
        Where to draw; if None, a new figure with the size of the tree.

    Returns
    -------
    matplotlib Axes
    """
    try:
        from matplotlib import pyplot
        from matplotlib.collections import PatchCollection
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install sapwood[plot]") from error
    width, height, groups = _picture(model)
    if ax is None:
        inch = max(72.0, width / _MAX_INCHES, height / _MAX_INCHES)
        ax = pyplot.figure(figsize=(width / inch, height / inch)).add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(-height, 0), aspect="equal")
    ax.set_axis_off()
    room = ax.get_window_extent()
    pen = min(room.width / width, room.height / height) * 72 / ax.figure.dpi
    patches = [_patch(element, pen) for _, elements in groups for element in elements]
    ax.add_collection(PatchCollection(patches, match_original=True), autolim=False)
    return ax


def _patch(element: _Element, pen: float) -> Any:
    """Return an element as a matplotlib patch; type as outlines, so that it always fits its box."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path
    from matplotlib.textpath import text_to_path

    tag, its, text = element
    if tag == "rect":
        x, y, width, height, radius, fill, stroke = its.values()
        style = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        return FancyBboxPatch((x, -y - height), width, height, style, fc=fill, ec=stroke, lw=pen)
    if tag == "path":
        points = np.array([float(n) for n in its["d"].split() if n not in "MC"]).reshape(4, 2)
        path = Path(points * (1, -1), [Path.MOVETO, *[Path.CURVE4] * 3])
        return PathPatch(path, fc="none", ec=its["stroke"], lw=pen)
    font = FontProperties(size=its["font-size"], weight=its["font-weight"])
    outline, codes = text_to_path.get_text_path(font, text)
    width = text_to_path.get_text_width_height_descent(text, font, False)[0]
    start = its["x"] - {"start": 0.0, "middle": width / 2, "end": width}[its["text-anchor"]]
    scale = its["font-size"] / text_to_path.FONT_SCALE
    path = Path(np.reshape(outline, (-1, 2)) * scale + np.array([start, -its["y"]]), codes)
    return PathPatch(path, fc=its["fill"], ec="none")
