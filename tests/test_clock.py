"""One wrong time is refused by name; it neither ends asking nor gives labels away."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sapwood
from sapwood import ActiveLearner, Budget, ConfidenceTreeClassifier, evaluate
from sapwood._learner_file import from_bytes, to_bytes
from sapwood.strategies import Strategy

TODAY = 1_781_000_000.0  # 9 June 2026


class InPython:
    """A strategy that runs the loop in Python."""

    def decide(self, evidence, rate, rng):
        return True


def learner_of(count=2, seconds=3600.0):
    budget = Budget.per_time(count, seconds=seconds, rate=0.5)
    return ActiveLearner(ConfidenceTreeClassifier(), "all", budget, random_state=1)


def state(learner):
    return learner.budget._core.state(), learner._rng.state(), list(learner.questions)


@pytest.mark.parametrize(
    ("factor", "unit"), [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")]
)
@pytest.mark.parametrize("after", [0, 1])
def test_a_time_in_another_unit_is_refused_and_asking_goes_on(factor, unit, after):
    learner = learner_of()
    for _ in range(after):
        assert learner.decide({"a": 1.0}, now=TODAY).ask
    before = state(learner)
    named = rf"time 1\.?781000001.* is no time in seconds.*looks like {unit}"
    if after:
        named = r"latest was 1781000000 \(2026-06-09 10:13:20 UTC\).*" + unit
    with pytest.raises(ValueError, match=named):
        learner.decide({"a": 1.0}, now=(TODAY + 1) * factor)
    assert state(learner) == before
    asked = [learner.decide({"a": 1.0}, now=TODAY + i).ask for i in (1, 2, 3600, 3601)]
    assert asked == ([True, False, True, True] if after else [True, True, False, True])


def test_a_clock_that_runs_backwards_is_refused_with_both_times():
    learner = learner_of()
    learner.decide({"a": 1.0}, now=TODAY)
    before = state(learner)
    with pytest.raises(
        ValueError, match=r"1780990000 \(2026-.*10000 seconds before the latest, 17"
    ):
        learner.decide({"a": 1.0}, now=TODAY - 10_000)
    assert state(learner) == before
    assert learner.decide({"a": 1.0}, now=TODAY - 3600).ask  # late by a period: it counts as now
    assert learner.budget.clock == TODAY
    assert not learner.decide({"a": 1.0}, now=TODAY + 3599).ask
    assert learner.decide({"a": 1.0}, now=TODAY + 3600).ask


def test_a_short_period_lets_machines_differ_by_a_minute():
    learner = learner_of(1, seconds=1.0)
    learner.decide({"a": 1.0}, now=TODAY)
    assert not learner.decide({"a": 1.0}, now=TODAY - 60).ask
    with pytest.raises(ValueError, match="61 seconds before"):
        learner.decide({"a": 1.0}, now=TODAY - 61)


def test_the_reason_tells_when_it_may_ask_again():
    learner = learner_of()
    for _ in range(2):
        learner.decide({"a": 1.0}, now=TODAY)
    assert learner.decide({"a": 1.0}, now=TODAY + 600).reason == (
        "the budget is spent (2 of 3 examples asked about, 2/hour:0.5; the next in 3,000 seconds)"
    )


def test_a_wrong_time_that_was_taken_can_be_set_right():
    learner = learner_of()
    for now in (TODAY, TODAY + 1, TODAY + 365 * 86400):  # the year was mistyped
        assert learner.decide({"a": 1.0}, now=now).ask
    with pytest.raises(ValueError, match="set_clock"):
        learner.decide({"a": 1.0}, now=TODAY + 2)
    learner.budget.set_clock(TODAY + 2)
    # What was asked in the hour before is not known any more, and counts as its whole budget.
    asked = [now for now in range(2, 9000, 300) if learner.decide({"a": 1}, now=TODAY + now).ask]
    assert asked == [3602, 3902, 7202, 7502]
    assert learner.budget.clock == TODAY + 8702
    with pytest.raises(ValueError, match="milliseconds"):
        learner.budget.set_clock(TODAY * 1000)
    with pytest.raises(ValueError, match="Only a budget per time has a clock"):
        Budget.rate(0.1).set_clock(TODAY)
    assert Budget.rate(0.1).clock is None
    assert learner_of().budget.clock is None


@pytest.mark.parametrize("to", [TODAY + 9e6, TODAY + 1, TODAY - 9e6])
@pytest.mark.parametrize("refund", [(), (0,), (1,), (0, 1)])
def test_a_clock_that_was_set_is_saved(to, refund):
    learner = learner_of()
    asked = [learner.decide({"a": 1.0}, now=TODAY + i).id for i in range(2)]
    learner.budget.set_clock(to)
    assert to_bytes(from_bytes(to_bytes(learner))) == to_bytes(learner)
    for i in refund:
        learner.expire(asked[i], refund=True)
        assert to_bytes(from_bytes(to_bytes(learner))) == to_bytes(learner)
    assert learner.decide({"a": 1.0}, now=to).ask == (to > TODAY + 1 or len(refund) > 0)


@pytest.mark.parametrize("strategy", [Strategy("all"), InPython()], ids=["native", "in Python"])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (TODAY * 1000, "Row 18: The time 1781000000000 is no time in seconds.*it looks like milli"),
        (TODAY - 5000, "Row 18: The time 17809.* before the latest, 1781000016"),
        (np.nan, "time of row 18 is missing"),
    ],
)
def test_a_run_names_the_row_whose_time_is_wrong(strategy, wrong, told):
    rng = np.random.default_rng(0)
    X, y, times = rng.normal(size=(40, 2)), rng.integers(0, 2, 40), TODAY + np.arange(40.0)
    times[17] = wrong
    budget = Budget.per_time(3, seconds=10, rate=0.5)
    run = sapwood.Evaluation(ConfidenceTreeClassifier(), strategy=strategy, budget=budget)
    run.feed(X[:10], y[:10], times[:10])
    with pytest.raises(ValueError, match=f"(?i){told}"):
        run.feed(X[10:], y[10:], times[10:])
    assert run.n_rows == run.learner.budget.seen == 10  # nothing of that chunk was taken
    run.feed(X[10:17], y[10:17], times[10:17])
    with pytest.raises(ValueError, match=f"(?i){told}"):
        evaluate((X, y), ConfidenceTreeClassifier(), strategy=strategy, budget=budget, times=times)


moments = st.one_of(
    st.floats(0, 300), st.floats(-1e10, 1e10), st.floats(1e11, 1e19), st.sampled_from([0.0, 1e4])
)


@given(st.integers(0, 4), st.sampled_from([0.5, 30.0, 3600.0]), st.lists(moments, max_size=60))
def test_whatever_times_come_the_budget_is_exact(count, seconds, steps):
    """Refused times change nothing; by the clock of the others, no period holds more."""
    budget = Budget.per_time(count, seconds=seconds, rate=0.5)
    learner = ActiveLearner(ConfidenceTreeClassifier(), "all", budget, random_state=1)
    latest, asked, seen = -np.inf, [], 0
    for step in steps:
        now = step if latest == -np.inf or abs(step) > 300 else latest + step - 90
        before = state(learner)
        wrong = abs(now) >= 1e11 or now < latest - max(seconds, 60)
        if wrong:
            with pytest.raises(ValueError, match="time"):
                learner.decide({"a": 1.0}, now=now)
            assert state(learner) == before
            continue
        latest, seen = max(latest, now), seen + 1
        due = sum(latest - at < seconds for at in asked) < count
        assert learner.decide({"a": 1.0}, now=now).ask == due
        asked += [latest] * due
        assert learner.budget.clock == latest
        assert learner.budget.seen == seen
