"""The tree as text, as SVG and as a plot."""

import itertools
import random
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from sapwood import ConfidenceTreeClassifier, drawing
from sapwood.datasets import rand_cbt

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<b>&\"'</b>", "two\nlines\x00\x1b", "]]> $x^{$ 价", "", "a" * 300]


class Shape:
    """Stands in for a model with a tree of any shape."""

    def __init__(self, order, classes=("a", "b", "c")):
        """`order` says which of the leaves, in the order made, each split replaces."""
        self.classes, self.n_classes_learned = list(classes), len(classes)
        self._nodes, self._splits, leaves = [self._leaf(0, None, 0)], [], [0]
        for k, choice in enumerate(order):
            at = leaves.pop(choice)
            parent = self._nodes[at]
            left = len(self._nodes)
            children = {"left": left, "right": left + 1, "split": k}
            self._nodes[at] = {**parent, "is_leaf": False, **children}
            self._nodes += (self._leaf(i, at, parent["depth"] + 1) for i in (left, left + 1))
            leaves += (left, left + 1)
            self._splits.append(self._split(k, parent["depth"]))

    def _leaf(self, node, parent, depth):
        votes = [(node * 7 + y) % 5 for y in range(len(self.classes))]
        place = {"node": node, "parent": parent, "depth": depth, "is_leaf": True}
        return {**place, "votes": votes, "learned": sum(votes), "collecting": "yes"}

    def _split(self, k, depth):
        asked = {"feature": f"f{k}", "threshold": k / 8, "category": None, "missing_side": "right"}
        seen = {"m": 100, "t": 100, "depth": depth, "d": 5, "gap": 0.5, "epsilon": 0.125}
        rule = {"bound": "c-tree", "delta": None, "c": 0.1, "reason": "confident"}
        return {**asked, **seen, **rule}

    def nodes(self):
        return self._nodes

    def splits(self):
        return self._splits


def random_shape(n_splits, seed):
    rng = random.Random(seed)
    return Shape([rng.randrange(k + 1) for k in range(n_splits)])


def learned(names=("x", "colour"), classes=("no", "yes", "maybe"), n=6000):
    """Return a tree over a number and a category, with three classes."""
    rng = np.random.default_rng(1)
    x, colour = rng.random(n), rng.choice(["red", "green"], n)
    y = np.where(colour == "red", 0, np.where(x < 0.5, 1, 2))
    tree = ConfidenceTreeClassifier(c=0.02)
    for row in zip(x.tolist(), colour.tolist(), y.tolist(), strict=True):
        tree.learn_one(dict(zip(names, row[:2], strict=True)), classes[row[2]])
    assert tree.n_leaves_ >= 3
    return tree


def texts(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def titles(svg):
    return [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def unfitted():
    counted = ConfidenceTreeClassifier()
    counted.advance(5)
    return [ConfidenceTreeClassifier(), counted]


@pytest.mark.parametrize("tree", unfitted())
def test_an_empty_tree(tree):
    assert tree.export_text() == "an empty tree"
    assert texts(tree.to_svg()) == ["an empty tree"]


def test_one_leaf():
    tree = ConfidenceTreeClassifier()
    for label in ("b", "a", "b", "b"):
        tree.learn_one({"x": 1.0}, label)
    assert tree.export_text() == "predicts 'b' (p = 0.750), votes {'b': 3, 'a': 1}, 4 learned"
    assert texts(tree.to_svg()) == ["b", "a", "b", "75% · 4 learned"]


def test_text_of_a_small_tree():
    shape = Shape([0, 1])
    assert drawing.as_text(shape, certificates=True).splitlines() == [
        "f0 <= 0? (missing: no)  [gap 0.5 > 2ε = 0.25, m = 100]",
        "├── yes: predicts 'c' (p = 0.444), votes {'a': 2, 'b': 3, 'c': 4}, 9 learned",
        "└── no: f1 <= 0.125? (missing: no)  [gap 0.5 > 2ε = 0.25, m = 100]",
        "    ├── yes: predicts 'c' (p = 0.500), votes {'a': 1, 'b': 2, 'c': 3}, 6 learned",
        "    └── no: predicts 'b' (p = 0.571), votes {'a': 3, 'b': 4}, 7 learned",
    ]
    assert "gap" not in drawing.as_text(shape, certificates=False)


def test_a_leaf_that_does_not_collect_says_so():
    shape = Shape([])
    shape.nodes()[0]["collecting"] = "paused"
    assert drawing.as_text(shape, certificates=True).endswith("learned, collecting: paused")


def test_every_split_and_leaf_appears():
    X, y = rand_cbt(n_leaves=10, per_leaf=2000, q=0.9, seed=5)
    for tree in (learned(), ConfidenceTreeClassifier(c=0.02).fit(X, y)):
        text, svg = tree.export_text(), tree.to_svg()
        lines = text.splitlines()
        assert len(lines) == len(titles(svg)) == 2 * tree.n_leaves_ - 1
        assert sum("predicts" in line for line in lines) == tree.n_leaves_
        assert texts(svg).count("yes") + texts(svg).count("no") >= 2 * tree.n_leaves_ - 2
        for split in tree.splits():
            assert f"{split.test}? (missing: " in text
            assert f"[{split.evidence}]" in text
            assert split.test in texts(svg)
            assert split.evidence in texts(svg)
            assert any(title.startswith(f"{split.test}?") for title in titles(svg))
    assert "m: 100\nt: 100\ndepth: 0\nd: 5" in titles(svg)[0]


def test_predictions_are_those_of_the_tree():
    tree = learned()
    x = {"x": 0.25, "colour": "green"}
    leaf = tree.explain_one(x).leaf
    (title,) = [t for t in titles(tree.to_svg()) if t.startswith(f"leaf {leaf},")]
    assert f"predicts {tree.predict_one(x)!r}" in title


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names(hostile):
    tree = learned(names=(f"{hostile} x", hostile), classes=(hostile, "yes", "maybe"))
    assert len(tree.export_text().splitlines()) == 2 * tree.n_leaves_ - 1
    svg = tree.to_svg()
    shown = texts(svg) + titles(svg)
    assert len(titles(svg)) == 2 * tree.n_leaves_ - 1
    assert all(line.isprintable() and line for text in shown for line in text.split("\n"))
    assert max(len(text) for text in texts(svg)) <= 40  # the rest is for the tooltips


def test_hostile_name_is_shown_as_it_is():
    svg = learned(names=("<x>&'", "c"), classes=('<"&">', "yes", "maybe")).to_svg()
    assert any(text.startswith("<x>&' <= ") for text in texts(svg))
    assert '<"&">' in texts(svg)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_splits", [0, 1, 6, 40, 400])
def test_layout(n_splits, seed):
    tree = drawing._Tree.of(random_shape(n_splits, seed))
    boxes = drawing._layout(tree)
    layers, leaves = {}, []
    for node, box in zip(tree.nodes, boxes, strict=True):
        layers.setdefault(node["depth"], []).append(box)
        if node["is_leaf"]:
            leaves.append(box.x)
        else:
            left, right = boxes[node["left"]], boxes[node["right"]]
            assert left.x < box.x < right.x
            assert box.x == pytest.approx((left.x + right.x) / 2)
            assert box.y + box.height < left.y == right.y
    for layer in layers.values():
        for a, b in itertools.pairwise(sorted(layer)):
            assert a.x + a.width / 2 + drawing._GAP <= b.x - b.width / 2 + 1e-6
    steps = np.diff(sorted(leaves))
    assert np.allclose(steps, steps[:1])


def test_nothing_lies_outside_the_picture():
    for shape in (random_shape(30, 3), Shape([0]), Shape([], [f"class {y}" for y in range(90)])):
        root = ElementTree.fromstring(drawing.as_svg(shape))
        _, _, width, height = map(float, root.get("viewBox").split())
        for rect in root.iter(f"{SVG}rect"):
            if rect.get("x"):
                x, y, wide, high = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
                assert 0 <= x <= x + wide <= width
                assert 0 <= y <= y + high <= height


def test_large_trees_leave_out_the_evidence():
    small, large = random_shape(249, 1), random_shape(250, 1)
    assert sum("gap" in text for text in texts(drawing.as_svg(small))) == 249
    assert sum("gap" in text for text in texts(drawing.as_svg(large))) == 0
    assert sum("gap" in title for title in titles(drawing.as_svg(large))) == 250


def test_bars_add_up_and_colours_follow_the_legend():
    shape = Shape([0], classes=range(12))  # more classes than colours
    groups = list(ElementTree.fromstring(drawing.as_svg(shape)).iter(f"{SVG}g"))
    legend = [rect.get("fill") for rect in groups[0].iter(f"{SVG}rect")]
    assert len(legend) == 12
    for leaf, node in zip(groups[-2:], shape.nodes()[1:], strict=True):
        frame, *bars = leaf.iter(f"{SVG}rect")
        votes = node["votes"]
        assert frame.get("stroke") == legend[votes.index(max(votes))]
        assert [bar.get("fill") for bar in bars] == [legend[y] for y in range(12) if votes[y]]
        full = float(frame.get("width")) - 2 * drawing._PAD
        assert sum(float(bar.get("width")) for bar in bars) == pytest.approx(full, abs=0.1)


def test_a_chain_of_ten_thousand_levels():
    assert sys.getrecursionlimit() < 10_000
    shape = Shape([-1] * 10_000)
    lines = drawing.as_text(shape, certificates=True).splitlines()
    assert len(lines) == 20_001
    assert max(map(len, lines)) < 250
    assert lines[-1].startswith("[10000] ")
    assert len(titles(drawing.as_svg(shape))) == 20_001


def test_text_bars_at_the_limit():
    lines = drawing.as_text(Shape([0] + [-2] * 29), certificates=False).splitlines()
    starts = [line.partition("yes: ")[0] for line in lines[:31]]
    assert starts[24] == "│   " * 23 + "├── "
    assert starts[25] == "[25] " + "│   " * 23 + "├── "


class TestPlot:
    @pytest.fixture(autouse=True)
    def pyplot(self):
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
        pyplot = pytest.importorskip("matplotlib.pyplot")
        yield pyplot
        pyplot.close("all")

    @pytest.mark.parametrize("tree", [*unfitted(), learned()])
    def test_own_figure(self, tree):
        ax = tree.plot()
        ax.figure.canvas.draw()
        width, height = ax.figure.get_size_inches()
        assert f'width="{width * 72:.0f}" height="{height * 72:.0f}"' in tree.to_svg()

    def test_given_axes(self, pyplot):
        figure, axes = pyplot.subplots(1, 2)
        assert learned().plot(axes[1]) is axes[1]
        assert not axes[0].collections
        figure.canvas.draw()

    def test_draws_what_the_svg_shows(self):
        shape = random_shape(12, 1)
        elements = [e for _, group in drawing._picture(shape)[2] for e in group]
        (patches,) = drawing.plot(shape).collections
        assert len(patches.get_paths()) == len(elements)
        for path, element in zip(patches.get_paths(), elements, strict=True):
            if element.tag == "rect":
                x, y, width, height, *_ = element.attributes.values()
                box = path.get_extents()
                assert box.bounds == pytest.approx((x, -y - height, width, height))

    def test_words_fit_their_boxes(self):
        tree = learned(names=("WWWWmmmm", "colour"), classes=("MMMMMMMMMMMMMMMMMM", "iii", "Ab9"))
        (patches,) = tree.plot().collections
        paths = iter(patches.get_paths())
        for title, group in drawing._picture(tree._model)[2]:
            extents = [next(paths).get_extents() for _ in group]
            if title:
                frame = extents[0]
                assert all(frame.x0 < e.x0 and e.x1 < frame.x1 for e in extents[1:])
                assert all(frame.y0 < e.y0 and e.y1 < frame.y1 for e in extents[1:])

    def test_dollars_are_not_mathematics(self):
        learned(names=("$\\frac{$", "$a$"), classes=("$", "$$", "$\\x$")).plot()

    def test_figure_of_a_large_tree_has_a_limit(self):
        assert max(drawing.plot(random_shape(90, 1)).figure.get_size_inches()) <= 100

    def test_without_matplotlib(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ImportError, match=r"pip install sapwood\[plot\]"):
            learned().plot()
