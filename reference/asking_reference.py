"""Asking for labels in plain Python, in the notation of the paper: what the native core must do.

De Rosa, "Confidence Decision Trees via Online and Active Learning for Streaming (BIG) Data", 2016:
the "Online Stream Validation Protocol" in its ACTIVE setting, the "Confidence Tree Strategy" and
the strategies that it is compared with, for any number of classes, with budgets and drift.

    symbol    in the code  what it is
    B         B            the share of labels that may be asked for
    t         t            examples of the stream so far, with this one: the clock
    m         m            examples learned at the leaf, without what it inherited
    |Ŷ - ½|   margin       half of the lead of the leaf's first class over its second
    ε_lc      epsilon      the margin above which the leaf is δ-consistent (Theorem 5)
    K         K            classes known to the model, at least 2
    Θ, s      theta, s     the threshold of variable uncertainty, and its step
    ν         nu           the share of examples that a split strategy leaves to chance
    δ         delta        the probability with which Theorem 5 may fail

The order of arithmetic, and of the random numbers drawn, is part of the specification: given the
same seed the core makes the same decisions. Input is taken to be valid.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass
class Rng:
    """SplitMix64; the seed is the state."""

    state: int

    def next(self) -> int:
        """Draw 64 bits."""
        self.state = z = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """Draw from [0, 1): 53 bits."""
        return (self.next() >> 11) * 2.0**-53

    def normal(self) -> float:
        """Draw from N(0, 1); always two numbers, as nothing is kept for the next call."""
        u1, u2 = self.uniform(), self.uniform()
        return math.sqrt(-2.0 * math.log(1.0 - u1)) * math.cos(6.283185307179586 * u2)


@dataclass(frozen=True)
class Evidence:
    """What a strategy may know about an example: nothing of x but its leaf and the confidence."""

    confidence: float  # the largest class probability that the model gives; 0 if it gives none
    margin: float
    m: float
    K: int
    t: int


def half_margin(n: Iterable[float], m: float) -> float:
    """Give |Ŷ - ½| for any number of classes; n are the examples learned of each."""
    n_1, n_2 = sorted([0.0, 0.0, *n], reverse=True)[:2]
    return (n_1 - n_2) / m / 2.0 if m > 0.0 else 0.0


def epsilon(m: float, t: int, K: int, delta: float | str = "1/t") -> float:
    """Give ε_lc, for K = 2 the paper's √(ln(2t/δ) / 2m); δ = 1/t unless it is a number."""
    odds = 2.0 * (K - 1) * t
    odds = odds * t if delta == "1/t" else odds / float(delta)
    return math.sqrt(math.log(odds) / (2.0 * m))


def moderated(rate: float, margin: float) -> float:
    """Give the probability of asking at a leaf that is sure of its class by this margin."""
    return rate / (rate + margin) if rate > 0.0 else 0.0


@dataclass(frozen=True)
class Verdict:
    """What a strategy wants. The labels of random ones may feed the drift detector."""

    ask: bool
    random: bool = True


@dataclass
class Strategy:
    """When to ask. Only theta remembers what came before."""

    name: str  # one of those in decide(), or "split", or "split-conf-tree"
    B: float = 0.1
    s: float = 0.01
    nu: float = 0.2
    delta: float | str = "1/t"
    theta: float = 1.0

    def consult(self, e: Evidence, rng: Rng) -> Verdict:
        """Decide on one example; a split strategy draws first for the part that is to decide."""
        if not self.name.startswith("split"):
            return Verdict(self.decide(self.name, e, rng))
        if rng.uniform() <= self.nu:
            return Verdict(self.decide("random", e, rng))
        part = "variable-uncertainty" if self.name == "split" else "conf-tree"
        return Verdict(self.decide(part, e, rng), random=False)

    def decide(self, name: str, e: Evidence, rng: Rng) -> bool:
        """Decide by a strategy that is not split; what is certain draws no number."""
        if name in ("all", "none"):
            return name == "all"
        if name == "random":
            return rng.uniform() <= self.B
        if name == "selective-sampling":
            return rng.uniform() <= moderated(self.B, e.margin)
        if name == "conf-tree":
            eps = epsilon(e.m, e.t, e.K, self.delta) if e.m > 0.0 else math.inf
            return e.margin <= eps or rng.uniform() <= moderated(self.B + eps, e.margin)
        eta = 1.0 + rng.normal() if name == "randomized-variable-uncertainty" else 1.0
        ask = e.confidence < self.theta * eta
        moved = self.theta * (1.0 - self.s if ask else 1.0 + self.s)
        self.theta = min(max(moved, sys.float_info.min), sys.float_info.max)
        return ask


@dataclass
class Budget:
    """How many labels may be asked for. Refunds are left out of what is spent in all."""

    cap: str  # "none", "rate", "strict", "window", "estimated-window", "count" or "period"
    B: float = 0.1
    w: int = 100  # examples in a window
    n: int = 0  # labels in all, or in a period
    seconds: float = 1.0  # in a period
    seen: int = 0
    asked: int = 0
    refunded: int = 0
    u: float = 0.0  # the estimate of what was asked in the window
    marks: list[tuple[int, float]] = field(default_factory=list)  # t and time of what was asked
    latest: float = -math.inf  # time: an earlier one, that comes late, counts as this

    def allows(self, now: float) -> bool:
        """Tell if a label may be asked for; `seen` has counted this example already."""
        spent = self.asked - self.refunded
        if self.cap == "rate":
            return spent / self.seen < self.B
        if self.cap == "strict":
            return (spent + 1) / self.seen <= self.B
        if self.cap == "window":
            most = next(c for c in range(self.w + 1) if c / self.w >= self.B)
            return sum(self.seen - t < self.w for t, _ in self.marks) < most
        if self.cap == "estimated-window":  # Žliobaitė et al. 2014
            return self.u / self.w < self.B
        if self.cap == "count":
            return spent < self.n
        now = max(self.latest, now)
        return self.cap == "none" or sum(now - at < self.seconds for _, at in self.marks) < self.n

    def count(self, ask: bool, now: float) -> None:
        """Note what became of the example, whether or not the strategy was consulted."""
        self.asked += ask
        self.u = self.u * ((self.w - 1) / self.w) + ask
        self.latest = max(self.latest, now)
        self.marks += [(self.seen, self.latest)] * ask


class DDM:
    """Gama et al. 2004 as MOA does it: a drift can be found from the 30th outcome on."""

    restart = True

    def update(self, error: bool) -> str:
        """Take one outcome; give "in-control", "warning" or "drift"."""
        if self.restart:
            self.n, self.p = 1, 1.0
            self.p_min = self.s_min = self.sum_min = math.inf
        self.p += (error - self.p) / self.n
        s = math.sqrt(self.p * (1.0 - self.p) / self.n)
        self.n += 1
        level = "in-control"
        if self.n >= 30:
            if self.p + s <= self.sum_min:
                self.p_min, self.s_min, self.sum_min = self.p, s, self.p + s
            if self.n > 30 and self.p + s > self.p_min + 3.0 * self.s_min:
                level = "drift"
            elif self.p + s > self.p_min + 2.0 * self.s_min:
                level = "warning"
        self.restart = level == "drift"
        return level


class Learner(Protocol):
    """What is asked of a model. It learns at time t of the stream, whatever it has seen itself."""

    def predict(self, x: Any) -> Hashable | None: ...  # noqa: D102
    def evidence(self, x: Any, t: int) -> Evidence: ...  # noqa: D102
    def learn(self, x: Any, y: Hashable, t: int) -> None: ...  # noqa: D102
    def fresh(self) -> Learner: ...  # noqa: D102


@dataclass
class Guard:
    """The learner in use, and one that learns in the background from the first warning on."""

    current: Learner
    detector: DDM | None = None  # None: every label trains the current learner, and that is all
    moa: bool = False  # do as MOA's SingleClassifierDrift: a background may be stale or untrained
    min_examples: int = 30
    state: str = "in-control"  # or "warning", "replacing"; with moa the level that was given last
    b: int = 0  # examples that the background has learned
    drifts: int = 0
    armed: bool = False  # of moa: the next warning begins the background anew

    def __post_init__(self) -> None:
        self.background = self.current.fresh()

    def on_label(self, x: Any, y: Hashable, error: bool, feeds: bool, t: int) -> None:
        """Take a label; the detector learns of the error only if the label feeds it."""
        heeds = feeds and (self.moa or self.state != "replacing")
        level = self.detector.update(error) if self.detector and heeds else None
        if self.moa:
            self.as_moa(x, y, level, t)
            return
        if level:
            self.drifts += level == "drift"
            if self.state == "in-control" and level != "in-control":
                self.background, self.b = self.current.fresh(), 0
            self.state = "replacing" if level == "drift" else level
        if self.state != "in-control":
            self.background.learn(x, y, t)
            self.b += 1
        if self.state == "replacing" and self.b >= self.min_examples:
            self.current, self.state = self.background, "in-control"  # it has just learned x
        else:
            self.current.learn(x, y, t)

    def as_moa(self, x: Any, y: Hashable, level: str | None, t: int) -> None:
        """Take a label by MOA's rule."""
        self.state = level or self.state
        if level == "drift":
            self.current, self.background = self.background, self.current.fresh()
            self.drifts += 1
        elif level == "warning" and self.armed:
            self.background, self.armed = self.current.fresh(), False
        elif level == "in-control":
            self.armed = True
        if self.state == "warning":
            self.background.learn(x, y, t)
        self.current.learn(x, y, t)


def run(
    stream: Iterable[tuple[Any, Hashable]],
    guard: Guard,
    strategy: Strategy,
    budget: Budget,
    rng: Rng,
    delay: int = 0,
    clock: Callable[[int], float] = float,  # the time at which the t-th example comes
) -> list[tuple[Hashable | None, Verdict]]:
    """Do the protocol; give each prediction and verdict. Labels late at the end stay out."""
    decisions: list[tuple[Hashable | None, Verdict]] = []
    waiting: deque[tuple[int, Any, Hashable, bool, bool]] = deque()
    for x, y in stream:
        budget.seen += 1
        t, now, verdict = budget.seen, clock(budget.seen), Verdict(False)
        prediction = guard.current.predict(x)
        if budget.allows(now):
            verdict = strategy.consult(guard.current.evidence(x, t), rng)
        budget.count(verdict.ask, now)
        decisions.append((prediction, verdict))
        if verdict.ask:
            waiting.append((t, x, y, prediction != y, verdict.random))
        while waiting and waiting[0][0] + delay <= t:  # after the decisions on `delay` more
            guard.on_label(*waiting.popleft()[1:], t)
    return decisions
