"""Budgets as they are written and refunded, and what is done when a stream changes."""

import copy
import pickle

import numpy as np
import pytest
from asking import name_of

import sapwood
from sapwood import ActiveLearner, Budget, ConfidenceTreeClassifier, evaluate
from sapwood._learner_file import from_bytes, to_bytes
from sapwood._learners import TreeLearner
from sapwood.drift import ADWIN, DDM, Detector, Drift, PageHinkley
from sapwood.strategies import Strategy, Verdict


class All:
    def decide(self, evidence, rate, rng):
        return True


def tree():
    return ConfidenceTreeClassifier(c=0.01, grace_period=20)


def turning(n=3000, at=1500, seed=0, noise=0.0):
    """A stream whose classes change their names at some row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] > 0) != (np.arange(n) >= at)
    return X, (y ^ (rng.random(n) < noise)).astype(int)


# --- budgets --------------------------------------------------------------------------------------

TEXTS = ["rate:0.1", "strict:0.25", "window:0.1:1000", "estimated-window:0.2:100", "count:500:0.05"]
TEXTS += ["100/hour:0.05", "3/2 days:0.1", "7/0.5 seconds:1.0", "unlimited:1.0", "0/week:0.0"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_budget_is_what_it_is_written_as(text):
    budget = Budget.parse(text)
    assert str(budget) == text
    assert repr(budget) == f"Budget({text!r})"
    assert str(pickle.loads(pickle.dumps(budget))) == str(copy.deepcopy(budget)) == text


@pytest.mark.parametrize("seconds", [0.37, 1e-5, 90.0, 100000.55, 1234567.89, 86400 * 3, 1 / 3])
def test_every_period_survives_being_written(seconds):
    budget = Budget.per_time(5, seconds=seconds, rate=0.1)
    assert Budget.parse(str(budget))._core.seconds == seconds
    assert pickle.loads(pickle.dumps(budget))._core.seconds == seconds


@pytest.mark.parametrize("rate", [0.1, 1 / 3, 1e-12, 0.0, 1])
def test_every_rate_survives_being_written(rate):
    for budget in (Budget.rate(rate), Budget.window(rate, 10**15), Budget.count(10**15, rate=rate)):
        again = Budget.parse(str(budget))._core
        assert (again.rate, again.window, again.count) == (
            *(rate, budget._core.window, budget._core.count),
        )


@pytest.mark.parametrize("text", ["", "x", "1.1", "-0.1", "nan", "window:0.1", "window:0.1:0"])
def test_what_is_no_budget_is_said(text):
    with pytest.raises(ValueError, match=r"Cannot read the budget .* Write for example 0\.1"):
        Budget.parse(text)


@pytest.mark.parametrize("text", ["5/fortnight:0.1", "5/day", "count:0.5:0.1", "5/0 days:0.1"])
def test_nor_is_this_one(text):
    with pytest.raises(ValueError, match=r"Cannot read the budget .* Write for example 0\.1"):
        Budget.parse(text)


@pytest.mark.parametrize("bad", [None, True, [0.1], {}])
def test_a_budget_is_a_number_a_text_or_a_budget(bad):
    with pytest.raises(TypeError, match=r"budget must be a share such as 0\.1"):
        ActiveLearner(tree(), "all", bad)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_a_number_of_numpy_is_a_budget(kind):
    assert Budget.make(kind(0.5)).B == 0.5
    assert Budget.rate(kind(0.5)).B == 0.5


@pytest.mark.parametrize("size", [float("inf"), float("nan"), None, "many", 0, 2.5])
def test_a_size_that_is_no_whole_number_is_said(size):
    with pytest.raises((TypeError, ValueError), match="size"):
        Budget.window(0.1, size)


@pytest.mark.parametrize(
    "budget",
    ["count:5:0.5", "rate:0.1", "strict:0.1", "window:0.5:40", "5/hour:0.5"],
)
@pytest.mark.parametrize("expired", [False, True])
def test_a_refund_frees_exactly_one_question(budget, expired):
    learner = ActiveLearner(tree(), "all", budget)

    def ask(n):
        return [d.id for d in (learner.decide({"a": 1}, now=5.0) for _ in range(n)) if d.ask]

    asked = ask(20)
    while learner.decide({"a": 1}, now=5.0).ask:  # until it is spent
        asked.append(learner.budget.seen)
    before = learner.budget.spent
    if expired:
        learner.expire(asked[-1])
    assert learner.expire(asked[-1], refund=True) == "refunded"
    assert learner.expire(asked[-1], refund=True) == "refused"
    assert learner.budget.spent == before - 1
    assert len(ask(2)) == 1
    assert learner.budget.spent == before
    ledger = learner.budget
    assert ledger.asked == ledger.open + ledger.answered + ledger.expired + ledger.refunded


def test_evaluate_spends_a_copy_of_the_budget():
    budget, strategy = Budget.count(10, rate=0.5), Strategy("variable-uncertainty")
    for _ in range(2):
        result = evaluate(turning(200), tree(), strategy=strategy, budget=budget, random_state=1)
        assert result.labels == 10
    assert budget.seen == budget.asked == 0
    assert strategy.theta == 1.0


# --- drift ----------------------------------------------------------------------------------------


def lessons_of(monkeypatch):
    """Count how many examples each tree learns."""
    taught, learn = [], TreeLearner.learn

    def counted(self, x, y):
        learn(self, x, y)
        taught.append(self.model)

    monkeypatch.setattr(TreeLearner, "learn", counted)
    return lambda model: sum(one is model for one in taught)


@pytest.mark.parametrize("strategy", ["random", "conf-tree", "split-conf-tree"])
def test_with_a_detector_the_learner_recovers(strategy):
    X, y = turning(8000, 4000, noise=0.05)
    settings = {"strategy": strategy, "budget": 0.3, "random_state": 1, "every": 2000}
    without = evaluate((X, y), tree(), **settings)
    watched = evaluate((X, y), tree(), drift="ddm", **settings)
    assert watched.drifts >= 1
    assert watched.curve["drifts"].tolist()[:2] == [0, 0]
    assert watched.curve["window_accuracy"][-1] > without.curve["window_accuracy"][-1] + 0.02
    assert watched.curve["window_accuracy"][-1] > 0.93
    assert watched.query_rate <= 0.3 + 1 / 8000


@pytest.mark.parametrize("detector", [DDM(), ADWIN(), PageHinkley(threshold=10.0)], ids=name_of)
@pytest.mark.parametrize("least", [1, 40, 150])
def test_what_takes_over_has_learned_enough(monkeypatch, detector, least):
    lessons = lessons_of(monkeypatch)
    first = tree()
    learner = ActiveLearner(first, "all", 1.0, Drift(detector, swap_after=least))
    X, y = turning()
    swaps = []
    for i, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        before = learner.model
        d = learner.decide(row)
        assert learner.model is before  # decide never swaps
        learner.label(d.id, label)
        assert learner.model.t_ == i + 1
        if learner.model is not before:
            swaps.append((i, lessons(learner.model)))
    assert swaps
    assert learner.drifts == len(swaps)
    assert first.t_ < 3000
    assert learner.model is not first
    for at, learned in swaps:
        assert at >= 1500
        assert learned >= least


def test_until_the_background_is_ready_the_old_one_answers_and_goes_on_learning():
    first = tree()
    learner = ActiveLearner(first, "all", 1.0, Drift(DDM(), swap_after=500))
    X, y = turning()
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        learner.label(learner.decide(row).id, label)
        if learner.drifts:
            break
    assert learner.model is first
    assert learner._background is not None
    again = from_bytes(to_bytes(learner))
    assert again.drifts == 1
    for one in (learner, again):
        for row, label in zip(X[:600].tolist(), (1 - y[:600]).tolist(), strict=True):
            one.label(one.decide(row).id, label)
    assert learner.model is not first
    assert to_bytes(again) == to_bytes(learner)


class Feeds:
    """Asks for all; only every other label feeds the detector."""

    def __init__(self, which):
        self.n, self.which = 0, which

    def decide(self, evidence, rate, rng):
        self.n += 1
        return Verdict(True, feeds=self.which(self.n))


def run(learner, X, y):
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        d = learner.decide(row)
        if d.ask:
            learner.label(d.id, label)
    return learner


def test_only_what_feeds_is_fed():
    X, y = turning()
    assert run(ActiveLearner(tree(), Feeds(lambda n: False), 1.0, "ddm"), X, y).drifts == 0
    assert run(ActiveLearner(tree(), Feeds(lambda n: True), 1.0, "ddm"), X, y).drifts > 0
    # Errors that do not feed do not count, however many: here all errors are among those.
    X = np.zeros((2000, 1))
    y = np.where(np.arange(2000) < 1000, 0, np.arange(2000) % 2)
    quiet = ActiveLearner(tree(), Feeds(lambda n: n % 2 == 1), 1.0, "ddm")
    assert run(quiet, X, y).drifts == 0
    assert run(ActiveLearner(tree(), Feeds(lambda n: n % 2 == 0), 1.0, "ddm"), X, y).drifts > 0


class Spy:
    """A strategy of ours, watched."""

    def __init__(self, name):
        self.inner, self.said = Strategy(name), []

    def decide(self, evidence, rate, rng):
        verdict = self.inner.decide(evidence, rate, rng)
        self.said.append(verdict)
        return verdict


@pytest.mark.parametrize(
    ("name", "grounds"), [("split", "confidence"), ("split-conf-tree", "margin")]
)
def test_split_strategies_feed_what_they_asked_at_random(name, grounds):
    spy = Spy(name)
    X, y = turning(2000)
    learner = run(ActiveLearner(tree(), spy, Budget.unlimited(0.3), "ddm", 2), X, y)
    fed = [v for v in spy.said if v.feeds]
    assert {v.ground for v in fed} == {"draw"}
    assert grounds in {v.ground for v in spy.said if not v.feeds}
    assert 0.15 < len(fed) / len(spy.said) < 0.25
    assert {v.limit for v in fed} == {0.3}
    assert learner.budget.asked == sum(v.ask for v in spy.said)
    plain = Spy(name.removeprefix("split-") if "-" in name else "variable-uncertainty")
    run(ActiveLearner(tree(), plain, Budget.unlimited(0.3), "ddm", 2), X, y)
    assert all(v.feeds for v in plain.said)


def test_moas_rule_swaps_at_once_and_ours_when_it_is_ready(monkeypatch):
    lessons = lessons_of(monkeypatch)
    X, y = turning()
    detector = DDM(min_examples=30, warning_level=3.0, drift_level=3.0)  # no warning before a drift
    at = {}
    for compat in (None, "moa"):
        learner = ActiveLearner(tree(), "all", 1.0, Drift(detector, compat=compat))
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            before = learner.model
            learner.label(learner.decide(row).id, label)
            if learner.model is not before:
                at[compat] = (learner.budget.seen, lessons(learner.model))
                break
    assert at["moa"][1] == 1  # only the label that made the detector fire
    assert at[None][1] == 30
    assert at[None][0] == at["moa"][0] + 29


def test_adwin_does_not_drop_a_learner_that_is_getting_better():
    rng = np.random.default_rng(1)
    right = np.r_[rng.random(1000) < 0.5, np.ones(3000, bool)]  # chance at first, then never wrong
    X = np.zeros((4000, 1))
    y = right.astype(int)

    class Same:
        def learn_one(self, x, y):
            pass

        def predict_one(self, x):
            return 1

        def clone(self):
            return Same()

    detector = ADWIN()
    levels = [detector.update(float(not r)) for r in right]
    assert "drift" in levels  # the window is cut all the same
    learner = run(ActiveLearner(Same(), "all", 1.0, "adwin"), X, y)
    assert learner.drifts == 0
    worse = run(ActiveLearner(Same(), "all", 1.0, "adwin"), X, y[::-1])
    assert worse.drifts > 0


def test_detectors_begin_anew():
    for detector in (DDM(), ADWIN(), PageHinkley(threshold=5.0)):
        errors = [0.0] * 300 + [1.0] * 300
        fired = [detector.update(e) for e in errors].index("drift")
        again = pickle.loads(pickle.dumps(detector))
        assert again.level == detector.level
        assert [again.update(e) for e in errors] == [detector.update(e) for e in errors]
        fresh = detector.fresh()
        assert type(fresh) is type(detector)
        assert fresh.level == "in control"
        assert [fresh.update(e) for e in errors].index("drift") == fired
        learner = ActiveLearner(tree(), "all", 1.0, detector)
        assert learner.drift.detector is detector
        assert isinstance(detector, Detector)


def test_a_detector_that_is_given_is_not_used_up():
    detector = DDM()
    X, y = turning()
    results = [evaluate((X, y), tree(), drift=detector).drifts for _ in range(2)]
    assert results[0] == results[1] > 0
    assert detector.level == "in control"


def test_a_budget_with_a_past_is_continued_and_a_learner_with_one_too():
    learner = ActiveLearner(tree(), All(), Budget.count(3, rate=0.5), random_state=1)
    for _ in range(5):
        learner.decide({"a": 1})
    other = pickle.loads(pickle.dumps(learner))
    assert isinstance(other.strategy, All)
    assert other.budget.spent == 3
    assert not other.decide({"a": 1}).ask
    assert learner.budget.seen == 5
    assert sapwood.Budget.make(learner.budget) is learner.budget
