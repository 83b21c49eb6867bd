"""Asking in the core follows the plain-Python reference: the same seed, the same decisions."""

from __future__ import annotations

import math
from random import Random

import asking_reference as reference
import pytest
from asking import turned
from hypothesis import given
from hypothesis import strategies as st
from sapwood_reference import ReferenceTree
from streams import Column, make_stream

from sapwood import _core, evaluate
from sapwood.drift import DDM, Drift
from sapwood.strategies import NAMES, Strategy
from sapwood.tree import ConfidenceTreeClassifier

seeds = st.integers(0, 2**64 - 1)
rates = st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0])


@given(seeds)
def test_random_numbers(seed):
    ours, theirs = _core.Rng(seed), reference.Rng(seed)
    for i in range(50):
        if i % 3:
            assert ours.uniform() == theirs.uniform()
        else:
            assert ours.normal() == theirs.normal()


@st.composite
def evidences(draw):
    """Draw confidences, counts of each class at the leaf, and times; many are near a decision."""
    rng = Random(draw(st.integers(0, 2**32)))
    k = draw(st.integers(1, 6))
    made, t = [], 0
    for _ in range(draw(st.integers(1, 200))):
        t += rng.randrange(1, 50)
        m = rng.choice([0, 1, 5, 50, 500, 5000])
        lead = rng.random()
        counts = [float(int(m * lead * rng.random())) for _ in range(k)]
        made.append((rng.choice([0.0, 1.0, rng.random()]), counts, k, float(t)))
    return made


@given(st.sampled_from(NAMES), evidences(), rates, seeds, st.sampled_from(["1/t", 0.1, 1e-6]))
def test_strategies(name, given_evidence, rate, seed, delta):
    ours, theirs = Strategy(name, delta=delta), reference.Strategy(name, B=rate, delta=delta)
    our_rng, their_rng = _core.Rng(seed), reference.Rng(seed)
    for confidence, counts, k, t in given_evidence:
        m = sum(counts)
        evidence = reference.Evidence(
            confidence, reference.half_margin(counts, m), m, max(2, k), int(t)
        )
        native = _core.Evidence(confidence, counts, k, t)
        assert (native.margin, native.m) == (evidence.margin, evidence.m)
        if m:
            d = 0.0 if delta == "1/t" else delta
            assert native.epsilon(d) == reference.epsilon(m, int(t), max(2, k), delta)
        verdict, expected = ours.decide(native, rate, our_rng), theirs.consult(evidence, their_rng)
        assert (verdict.ask, verdict.feeds) == (expected.ask, expected.random)
        assert ours.theta == theirs.theta
    assert our_rng.uniform() == their_rng.uniform()  # as many numbers were drawn


CAPS = {
    "none": {},
    "rate": {},
    "strict": {},
    "window": {"w": 13},
    "estimated-window": {"w": 20},
    "count": {"n": 31},
    "period": {"n": 4, "seconds": 9.5},
}


def native_budget(cap, rate, w=0, n=0, seconds=0.0):
    name = "rate" if cap == "strict" else cap
    return _core.Budget(name, rate, cap == "strict", w, n, seconds)


@given(st.sampled_from(sorted(CAPS)), st.integers(0, 100), st.integers(0, 2**32))
def test_budgets(cap, percent, seed):
    rate, rng = percent / 100, Random(seed)
    ours = native_budget(cap, rate, **CAPS[cap])
    theirs = reference.Budget(cap, B=rate, **CAPS[cap])
    now = 0.0
    for _ in range(300):
        now += rng.random() if rng.random() < 0.9 else -3.0 * rng.random()
        ours.see(now)
        theirs.seen += 1
        assert ours.allows() == theirs.allows(now)
        ask = ours.allows() and rng.random() < 0.7
        if ask:
            ours.ask()
        theirs.count(ask, now)
        assert ours.asked == theirs.asked


@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.05, 0.3, 0.5, 1.0]))
def test_ddm(seed, share):
    rng, ours, theirs = Random(seed), DDM(), reference.DDM()
    for i in range(2000):
        error = rng.random() < (share if i % 700 < 400 else 1 - share)
        assert ours.update(error).replace(" ", "-") == theirs.update(error)


class Tree:
    """The reference's tree as a learner; a fresh one knows the same names."""

    def __init__(self, params, names=None):
        self.params, self.tree, self.learned = params, ReferenceTree(**params), {}
        if names is not None:
            for shared in ("classes", "columns", "categories"):
                if hasattr(names, shared):
                    setattr(self.tree, shared, getattr(names, shared))

    def leaf(self, x):
        return self.tree.route(self.tree.encode(x, learning=False))

    def predict(self, x):
        return self.tree.predict(x)

    def evidence(self, x, t):
        leaf, k = self.leaf(x), max(2, len(self.tree.classes))
        votes, n = leaf.votes.values(), self.learned.get(id(leaf), {}).values()
        confidence = max(votes) / sum(votes) if votes else 0.0
        if not votes and self.tree.classes and any(self.learned.values()):
            confidence = 1.0 / len(self.tree.classes)
        return reference.Evidence(confidence, reference.half_margin(n, sum(n)), sum(n), k, t)

    def learn(self, x, y, t):
        n = self.learned.setdefault(id(self.leaf(x)), {})
        n[y] = n.get(y, 0) + 1
        self.tree.advance(t - 1 - self.tree.t)
        self.tree.learn(x, y)

    def fresh(self):
        return Tree(self.params, self.tree)


BUDGETS = {"rate:0.3": ("rate", 0.3, {}), "window:0.4:25": ("window", 0.4, {"w": 25})}


@pytest.mark.parametrize("drift", [None, "ours", "moa"])
@pytest.mark.parametrize("budget", sorted(BUDGETS))
@pytest.mark.parametrize("name", NAMES)
def test_whole_runs(name, budget, drift):
    columns = (Column("continuous"), Column("text", 5), Column("discrete", 6))
    params = {"bound": "hoeffding", "delta": 0.2, "grace_period": 20, "tie_threshold": 0.1}
    params["numeric_splits"] = "exact"
    drifts = 0
    for seed, delay in ((1, 0), (2, 0), (3, 9)):
        stream = make_stream(seed, 900, columns, n_classes=3, noise=0.1)
        labels = turned(stream.labels, 450)
        cap, rate, settings = BUDGETS[budget]
        detector = None if drift is None else reference.DDM()
        guard = reference.Guard(Tree(params), detector, moa=drift == "moa")
        decided = reference.run(
            zip(stream.rows, labels, strict=True),
            guard,
            reference.Strategy(name, B=rate),
            reference.Budget(cap, B=rate, **settings),
            reference.Rng(seed),
            delay,
        )
        result = evaluate(
            (stream.array(), labels),
            ConfidenceTreeClassifier(**params),
            strategy=name,
            budget=budget,
            drift=None if drift is None else Drift(compat="moa" if drift == "moa" else None),
            delay=delay,
            random_state=seed,
            every=1,
        )
        right = [p == y for (p, _), y in zip(decided, labels, strict=True)]
        asked = [verdict.ask for _, verdict in decided]
        curve = result.curve
        assert curve["window_accuracy"].tolist() == [float(r) for r in right]
        assert curve["labels"].tolist() == [sum(asked[: i + 1]) for i in range(len(asked))]
        assert result.drifts == guard.drifts
        assert result.n_leaves == guard.current.tree.n_leaves
        assert not math.isnan(result.kappa)
        drifts += result.drifts
    if drift and name in ("all", "random", "conf-tree"):
        assert drifts > 0  # else nothing was compared
