"""The confidence tree in plain Python, in the notation of its paper: what the native core must do.

De Rosa, "Confidence Decision Trees via Online and Active Learning for Streaming (BIG) Data", 2016:
Algorithm 1 (C-Tree), for any number of classes, with categories, missing values and weights.

    symbol  in the code     what it is
    m       m               examples learned at the leaf
    t       t               examples of the stream so far, learned or not: the clock
    d       d               attributes: the columns that have had a value so far
    h       h               depth of the leaf, 0 at the root (the c-tree bound counts from 1)
    K       K               classes: labels learned so far, at least 2
    n_y     n, left, right  examples of each class: at the leaf, or on a side of a split
    F       Split           a split: "value <= threshold", or "value is category", goes left
    Φ̂       phi             the impurity that a split leaves over; its argmin is the best split
    ε       epsilon         how far Φ̂ may lie from what it estimates
    δ       delta           the probability with which that may fail
    τ       tie_threshold   the ε at which it is no longer worth waiting for a clear winner
    c       c               the factor of the c-tree bound

Classes, columns and the categories of a column are ranked by their first learned appearance. The
order of arithmetic is part of the specification: on one platform the core agrees to the last bit.
Input is taken to be valid: a column is numbers or text, numbers are finite, no weight is negative.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate, product
from operator import add, attrgetter

Row = Mapping[Hashable, float | str | None]  # as users give it; NaN, None or no entry: missing
Encoded = dict[Hashable, float]  # a category is its rank; no entry: missing
Tally = defaultdict[int, float]  # examples by the rank of their class
Counts = list[float]  # the same as a list with an entry for every class

SCALES = {"gini": 1.0, "entropy": 0.5, "kearns-mansour": 0.5, "error": 1.0}
BOUNDS = ("c-tree", "theorem", "hoeffding", "hoeffding-corrected", "mcdiarmid")
UNDEFINED = {("theorem", "error"), ("mcdiarmid", "error"), ("mcdiarmid", "kearns-mansour")}
LN_2, LOG2_E = 0.6931471805599453, 1.4426950408889634


def total(n: Counts) -> float:
    """Sum in order, rounding at every step (the built-in sum compensates from Python 3.12 on)."""
    return reduce(add, n, 0.0)


def plus(a: Counts, b: Counts) -> Counts:
    """Add class by class."""
    return list(map(add, a, b))


def g(criterion: str, n: Counts) -> float:
    """Give what one side leaves over: Φ̂ = scale * (g(left) + g(right)) / m (Section III)."""
    s = total(n)
    if criterion == "gini":  # for K = 2, Φ̂ = Σ_k hm(p̂_k, q̂_k)
        return total([n_y * (s - n_y) for n_y in n]) / s
    if criterion == "entropy":  # Φ̂ = ½ [H(Y,F) - H(F)]
        return s * math.log(s) - total([n_y * math.log(n_y) for n_y in n if n_y > 0.0])
    if criterion == "kearns-mansour":  # for K = 2, Φ̂ = Σ_k √(p̂_k q̂_k)
        return total([math.sqrt(n_y * (s - n_y)) for n_y in n])
    return s - max(n)  # error: what the majority gets wrong


def epsilon(
    bound: str, criterion: str, m: float, t: float, d: int, h: int, K: int, delta: float, c: float
) -> float:
    """Give ε of the bound for the criterion."""
    if bound == "c-tree":  # Section VII's heuristic form, in which the root has h = 1
        h += 1
        eps = c * math.sqrt(max(0.0, math.log(m * m * h * h * t * d)) / m)
        return eps * max(0.0, math.log(m)) if criterion == "entropy" else eps
    if bound == "theorem":  # Theorem 4 with Theorem 1, 2 or 3; for K = 2 the paper's constants
        delta /= (h + 1) * (h + 2) * t * d * m
        if criterion == "entropy":
            return math.log(m) * math.sqrt(2.0 / m * math.log(4.0 / delta)) + K / m
        if criterion == "gini":
            return math.sqrt(8.0 / m * math.log(2.0 / delta)) + 4.0 * math.sqrt(1.0 / m)
        if K == 2:
            return 4.0 * math.sqrt(math.log(8.0 / delta) / m)
        return 2.0 * K * math.sqrt(math.log(8.0 * K / delta) / m)
    deviation = math.sqrt(math.log(1.0 / delta) / (2.0 * m))
    if bound == "mcdiarmid" and criterion == "gini":
        return 8.0 * deviation
    if bound == "mcdiarmid":  # entropy: equation 2, from bits of gain to the units of Φ̂
        C = 6.0 * (K * LOG2_E + math.log2(2.0 * m)) + 2.0 * math.log2(K)
        return C * deviation * 0.5 * LN_2
    ranges = {"entropy": 0.5 * math.log(K), "kearns-mansour": 0.5 * math.sqrt(K - 1)}
    return ranges.get(criterion, 1.0) * deviation  # equation 1: R √(ln(1/δ) / 2m)


@dataclass
class Attribute:
    """The examples of one leaf by their value of one attribute, and by class.

    rows[i] counts keys[i-1] < value <= keys[i]; the last row counts what is above every key. Each
    new value becomes a key while there are fewer than `limit`, so "value <= key" is always exact.
    """

    name: Hashable
    categorical: bool
    limit: float
    missing: Tally
    keys: list[float] = field(default_factory=list)
    rows: list[Tally] = field(default_factory=lambda: [defaultdict(float)])

    def count(self, value: float | None, y: int, w: float) -> None:
        """Count w examples of class y that have this value."""
        if value is None:
            self.missing[y] += w
            return
        i = bisect_left(self.keys, value)
        if value not in self.keys and len(self.keys) < self.limit:
            self.keys.insert(i, value)
            self.rows.insert(i, defaultdict(float))
        self.rows[i][y] += w

    def splits(self, criterion: str, K: int) -> Iterator[Split]:
        """Yield all F with two non-empty sides; of equal ones the first is to be preferred."""
        rows = [[row[y] for y in range(K)] for row in self.rows]
        missing = [self.missing[y] for y in range(K)]
        below = list(accumulate(rows, plus, initial=[0.0] * K))  # below[i]: all rows before i
        above = list(accumulate(reversed(rows), plus, initial=[0.0] * K))[-2::-1]  # and after i
        for i, key in enumerate(self.keys):
            left, right = below[i + 1], above[i]
            if self.categorical:
                left, right = rows[i], plus(below[i], above[i])
            ways = [(left, right, total(left) >= total(right))]
            if total(missing) > 0.0:
                ways = [(plus(left, missing), right, True), (left, plus(right, missing), False)]
            for n_0, n_1, missing_left in ways:
                if total(n_0) > 0.0 and total(n_1) > 0.0:
                    yield Split(g(criterion, n_0) + g(criterion, n_1), self, key, missing_left)


@dataclass(frozen=True)
class Split:
    """F: value <= key, or category == key, goes left."""

    left_over: float  # g(left) + g(right): Φ̂ before it is scaled, and compared in this form
    attribute: Attribute
    key: float
    missing_left: bool

    def side(self, value: float | None) -> int:
        """Tell where a value goes: 0 is left, 1 is right."""
        if value is None:
            return 0 if self.missing_left else 1
        left = value == self.key if self.attribute.categorical else value <= self.key
        return 0 if left else 1


@dataclass
class Node:
    """A leaf, until it has a split. Votes are inherited and learned; n and m were learned here."""

    h: int
    votes: Tally = field(default_factory=lambda: defaultdict(float))
    n: Tally = field(default_factory=lambda: defaultdict(float))
    m: float = 0.0
    m_at_last_look: float = 0.0
    attributes: list[Attribute] = field(default_factory=list)
    split: Split | None = None
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Certificate:
    """Why a leaf was split."""

    feature: Hashable
    threshold: float | None
    category: str | None
    missing_side: str  # "left" or "right"
    m: float
    t: float
    depth: int
    d: int
    gap: float
    epsilon: float
    reason: str  # "confident" or "tie"


@dataclass
class ReferenceTree:
    """Algorithm 1. The parameters are those of the classifier of the same names."""

    criterion: str = "gini"
    bound: str = "c-tree"
    c: float = 0.02
    delta: float | str = "1/t"
    tie_threshold: float = 0.0
    grace_period: float = 100.0
    numeric_splits: str = "histogram"  # or "exact", with no limit to the keys
    n_bins: int = 32
    max_leaves: int | None = None
    max_depth: int | None = None

    def __post_init__(self) -> None:
        if (self.bound, self.criterion) not in {*product(BOUNDS, SCALES)} - UNDEFINED:
            raise ValueError(f"bound={self.bound!r} is not defined for {self.criterion!r}")
        self.t, self.n_leaves, self.root = 0.0, 1, Node(h=0)  # line 1: a tree of one node
        self.splits: list[Certificate] = []
        self.classes: dict[Hashable, int] = {}  # the rank of each label
        self.columns: dict[Hashable, dict[str, int]] = {}  # the rank of each category, if any

    def advance(self, n: float) -> None:
        """Count n examples that were seen and not learned."""
        self.t += n

    def predict(self, x: Row) -> Hashable | None:
        """Give the class with most votes, the first learned of equals; None before any label."""
        votes = self.route(self.encode(x, learning=False)).votes
        return max(self.classes, key=lambda y: votes.get(self.classes[y], 0.0), default=None)

    def learn(self, x: Row, y: Hashable, w: float = 1) -> None:
        """Learn one example: a whole weight as that many copies, a fractional one in one step."""
        if w != 0:
            row = self.encode(x, learning=True)
            self.classes.setdefault(y, len(self.classes))
            for weight in [1.0] * int(w) if w == int(w) else [w]:
                self.learn_copy(row, self.classes[y], weight)

    def encode(self, x: Row, *, learning: bool) -> Encoded:
        """Rank the categories; one that was never learned is -1, which no split asks for."""
        row: Encoded = {}
        for name, value in x.items():
            if value is None or value != value:
                continue
            ranks = self.columns.setdefault(name, {}) if learning else self.columns.get(name, {})
            if learning and isinstance(value, str):
                ranks.setdefault(value, len(ranks))
            row[name] = float(ranks.get(value, -1) if isinstance(value, str) else value)
        return row

    def route(self, row: Encoded) -> Node:
        """Follow the splits to a leaf (line 3)."""
        node = self.root
        while node.split:
            node = node.children[node.split.side(row.get(node.split.attribute.name))]
        return node

    def learn_copy(self, row: Encoded, y: int, w: float) -> None:
        """Count the example at its leaf, and look for a split every grace period."""
        self.t += w
        leaf = self.route(row)
        leaf.votes[y] += w
        if self.n_leaves == self.max_leaves or leaf.h == self.max_depth:
            return  # it will never be split
        for name, ranks in list(self.columns.items())[len(leaf.attributes) :]:  # missing until now
            limit = math.inf if ranks or self.numeric_splits == "exact" else self.n_bins
            leaf.attributes.append(Attribute(name, bool(ranks), limit, missing=leaf.n.copy()))
        for attribute in leaf.attributes:
            attribute.count(row.get(attribute.name), y, w)
        leaf.n[y] += w
        leaf.m += w
        if leaf.m - leaf.m_at_last_look >= self.grace_period:
            leaf.m_at_last_look = leaf.m
            if sum(n_y > 0.0 for n_y in leaf.n.values()) > 1:  # line 4: not pure
                self.look(leaf)

    def look(self, leaf: Node) -> None:
        """Split if the best attribute beats the others and "no split" by enough (lines 5 to 7)."""
        m, t, d, h, K = leaf.m, self.t, len(self.columns), leaf.h, max(2, len(self.classes))
        left_over = attrgetter("left_over")  # of equals, both min and sorted prefer the first
        of_each = [list(attribute.splits(self.criterion, K)) for attribute in leaf.attributes]
        best = sorted((min(splits, key=left_over) for splits in of_each if splits), key=left_over)
        if not best:
            return
        scale, no_split = SCALES[self.criterion], g(self.criterion, [leaf.n[y] for y in range(K)])
        second = min([no_split, *(F.left_over for F in best[1:])])
        phi_1, phi_2, phi_none = (scale * x / m for x in (best[0].left_over, second, no_split))
        gap = phi_2 - phi_1

        either_way = any(w > 0.0 for a in leaf.attributes for w in a.missing.values())
        d_tried = 2 * d if self.bound == "theorem" and either_way else d  # 2dm candidates, not dm
        delta = 1.0 / t if self.delta == "1/t" else float(self.delta)
        eps = epsilon(self.bound, self.criterion, m, t, d_tried, h, K, delta, self.c)
        factor = 1.0 if self.bound in ("hoeffding", "mcdiarmid") else 2.0  # 1: as VFDT tests
        confident = gap > factor * eps
        if confident or (eps <= self.tie_threshold and phi_1 < phi_none):
            F = best[0]
            self.expand(leaf, F)
            name, categories = F.attribute.name, list(self.columns[F.attribute.name])
            threshold, category = (None, categories[int(F.key)]) if categories else (F.key, None)
            side, why = ("left", "right")[F.side(None)], "confident" if confident else "tie"
            self.splits += [Certificate(name, threshold, category, side, m, t, h, d, gap, eps, why)]

    def expand(self, leaf: Node, F: Split) -> None:
        """Give the leaf two children, which inherit the votes of their sides (line 7)."""
        leaf.split, leaf.children = F, (Node(leaf.h + 1), Node(leaf.h + 1))
        self.n_leaves += 1
        values = [*F.attribute.keys, math.inf, None]
        for value, row in zip(values, [*F.attribute.rows, F.attribute.missing], strict=True):
            for y, w in row.items():
                leaf.children[F.side(value)].votes[y] += w
