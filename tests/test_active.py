"""ActiveLearner: what it answers, what it refuses, and what it keeps."""

import copy
import datetime as dt
import json
import sys
import threading
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from asking import name_of
from river import naive_bayes

import sapwood
from sapwood import (
    ActiveLearner,
    Answer,
    Budget,
    ConfidenceTreeClassifier,
    _container,
    _learner_file,
    _questions,
)
from sapwood._learner_file import from_bytes, to_bytes
from sapwood.drift import DDM, Drift


def new(strategy="all", budget=1.0, **more):
    return ActiveLearner(ConfidenceTreeClassifier(), strategy, budget, **{"random_state": 5} | more)


def taught(n=40, **more):
    """A learner that knows a number, a text and two classes, and watches for drift."""
    learner = new(**{"drift": "ddm"} | more)
    for i in range(n):
        d = learner.decide({"a": float(i % 7), "b": "xyz"[i % 3]})
        learner.label(d.id, i % 2)
    return learner


# --- ids and answers ------------------------------------------------------------------------------


def test_ids_count_examples_from_one_whether_asked_or_not():
    learner = new("random", 0.3)
    decisions = [learner.decide({"a": i}) for i in range(50)]
    assert [d.id for d in decisions] == list(range(1, 51))
    assert 0 < sum(d.ask for d in decisions) < 50
    assert list(learner.questions) == [d.id for d in decisions if d.ask]
    for d in decisions:
        assert learner.label(d.id, 1) == (Answer.LEARNED if d.ask else Answer.UNASKED)
    assert learner.questions == {}


def test_every_answer():
    learner = new()
    one, two, three, four = (learner.decide({"a": i}).id for i in range(4))
    assert learner.label(one, "x") == "learned"
    assert learner.label(one, "y") == "repeated"
    assert learner.expire(one) == "repeated"
    assert learner.expire(two) == learner.expire(two) == "expired"
    assert learner.label(two, "x") == "late"
    assert learner.label(two, "x") == "repeated"
    assert learner.expire(three, refund=True) == "refunded"
    assert learner.label(three, "x") == learner.expire(three, refund=True) == "refused"
    assert learner.expire(four) == "expired"
    assert learner.expire(four, refund=True) == "refunded"
    ledger = learner.budget
    assert (ledger.asked, ledger.answered, ledger.refunded, ledger.expired) == (4, 2, 2, 0)
    assert (ledger.spent, ledger.open) == (2, 0)
    assert sum(learner.model.learned_at({"a": 0}).values()) == 2


@pytest.mark.parametrize(
    "odd", [0, -1, -(2**70), 4, 10**30, "1", "", None, 2.5, (1,), np.int64(0), np.float64("nan")]
)
def test_an_odd_id_is_unknown_and_changes_nothing(odd):
    learner = new()
    for i in range(3):
        learner.decide({"a": i})
    before = to_bytes(learner)
    assert learner.label(odd, 1) == "unknown"
    assert learner.expire(odd) == learner.expire(odd, refund=True) == "unknown"
    assert to_bytes(learner) == before


@pytest.mark.parametrize("flag", [True, np.True_])
def test_a_truth_value_is_no_id(flag):
    learner = new()
    learner.decide({"a": 1})
    assert learner.label(flag, "x") == "unknown"
    assert list(learner.questions) == [1]


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_an_id_of_numpy_is_an_id(kind):
    learner = new()
    for i in range(3):
        learner.decide({"a": i})
    assert learner.label(kind(2), "x") == "learned"
    assert learner.label(2, "x") == from_bytes(to_bytes(learner)).label(2, "x") == "repeated"
    assert learner.expire(kind(1)) == "expired"
    assert from_bytes(to_bytes(learner)).label(1, "x") == "late"


def test_decide_learns_nothing_and_label_decides_nothing():
    learner = taught()
    learned, rng = learner.model.learned_at({"a": 1.0, "b": "x"}), learner._rng.state()
    ids = [learner.decide({"a": 1.0, "b": "x"}).id for _ in range(5)]
    assert learner.model.learned_at({"a": 1.0, "b": "x"}) == learned
    assert learner.model.t_ == learner.budget.seen == 45
    for number in reversed(ids):
        learner.label(number, 1)
    assert learner.budget.seen == learner.model.t_ == 45
    assert learner._rng.state() == rng


def test_expired_questions_are_kept_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(_questions, "_KEPT_EXPIRED", 3)
    learner = new()
    for i in range(5):
        assert learner.expire(learner.decide({"a": i}).id) == "expired"
    assert [learner.label(i, 1) for i in range(1, 6)] == ["unknown"] * 2 + ["late"] * 3
    assert learner.expire(1, refund=True) == "unknown"
    ledger = learner.budget
    assert (ledger.asked, ledger.answered, ledger.expired, ledger.open) == (5, 3, 2, 0)


def test_a_question_closed_too_long_ago_is_unknown_and_not_unasked(monkeypatch):
    monkeypatch.setattr(_questions, "_REMEMBERED", 3)
    learner = new()
    for i in range(6):
        learner.decide({"a": i})
    for number in (2, 3, 4, 1):  # 1 is closed last: the smallest number is not the oldest
        learner.label(number, 1)
    assert learner.label(1, 1) == learner.label(4, 1) == "repeated"
    assert learner.label(2, 1) == "unknown"


def test_closed_questions_are_remembered_as_a_dict_would(monkeypatch):
    """Copies, too, whatever comes after them."""
    monkeypatch.setattr(_questions, "_BLOCK", 4)
    rng = np.random.default_rng(2)
    closed, plain, copies = _questions.Closed(), {}, []
    for number in rng.permutation(300).tolist():
        closed.add(number, "answered")
        plain[number] = "answered"
        if len(closed) > 20:
            assert closed.forget_oldest() == next(iter(plain))
            del plain[next(iter(plain))]
        copies.append((closed.copy(), dict(plain)))
    for same, then in copies:
        assert list(same.items()) == list(then.items())
        assert len(same) == len(then)
        assert [same.get(i) for i in range(300)] == [then.get(i) for i in range(300)]
    same = closed.copy()
    shared = [a is b for a, b in zip(closed._blocks, same._blocks, strict=True)]
    assert shared == [False, *[True] * (len(shared) - 2), False]
    assert len(shared) > 4


def test_others_decide_while_a_learner_is_written(monkeypatch):
    learner = taught()
    before = to_bytes(learner)
    pack, decided = _learner_file.pack, []

    def packed(*what):
        asker = threading.Thread(
            target=lambda: decided.append(learner.decide({"a": 1.0}).id), daemon=True
        )
        asker.start()
        asker.join(timeout=60)
        learner.label(decided[0], 1)
        return pack(*what)

    monkeypatch.setattr(_learner_file, "pack", packed)
    assert to_bytes(learner) == before  # as it was when it was asked
    assert decided == [41]


def test_a_header_in_pieces_is_json(monkeypatch):
    monkeypatch.setattr(_container, "_PIECE", 100)
    rows = [[i, {"b": "é" * i, "a": None}] for i in range(60)]
    header = {"rows": rows, "none": [], "one": {"z": 1, "a": [1.5, float("inf")]}, "a": "x"}
    plain = json.dumps(header, sort_keys=True, separators=(",", ":"))
    assert _container._json(header, None) == plain
    assert _container._json(header | {"rows": iter(rows)}, None) == plain


# --- what is refused ------------------------------------------------------------------------------

NO_CLASS = [None, float("nan"), float("inf"), 1.5, [1], (1,), [], np.array([1]), np.array(1)]
NO_CLASS += [{"a": 1}, {1}, b"x", 1j, object(), 10**400, Decimal("NaN"), pd.NA]


@pytest.mark.parametrize("bad", [*NO_CLASS, "text", np.str_("text")], ids=name_of)
def test_a_label_that_is_no_class_changes_nothing(bad):
    learner = taught()
    asked = learner.decide({"a": 2.0, "b": "new"}).id
    late = learner.decide({"a": 3.0, "b": "x"}).id
    learner.expire(late)
    before = to_bytes(learner)
    for number in (asked, late):
        with pytest.raises((TypeError, ValueError)):
            learner.label(number, bad)
        assert to_bytes(learner) == before
    assert learner.label(asked, 1) == "learned"
    assert learner.label(late, 1) == "late"


@pytest.mark.parametrize("bad", NO_CLASS, ids=name_of)
def test_nor_does_it_as_the_first_label(bad):
    learner = new(drift="ddm")
    number = learner.decide({"a": 2.0}).id
    before = to_bytes(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.label(number, bad)
    assert to_bytes(learner) == before


BAD_EXAMPLES = [{"a": float("inf")}, {"a": -np.inf}, {"a": [1]}, {"a": {"b": 1}}, {"a": 1j}]
BAD_EXAMPLES += [{"a": b"x"}, {"a": 10**400}, {1.5: 2}, {None: 2}, {"new": np.inf}, "abc", b"abc"]
BAD_EXAMPLES += [5, None, [[1, 2]], np.zeros((1, 2)), iter([1])]


@pytest.mark.parametrize("bad", BAD_EXAMPLES, ids=name_of)
@pytest.mark.parametrize("make", [new, taught])
def test_a_bad_example_changes_nothing(make, bad):
    learner = make()
    before = to_bytes(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.decide(bad)
    assert to_bytes(learner) == before


@pytest.mark.parametrize("bad", [{"a": "text"}, {"b": 3.0}, {"c": 1, "a": "text"}], ids=name_of)
def test_nor_does_one_of_the_wrong_kind_for_a_known_column(bad):
    learner = taught()
    before = to_bytes(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.decide(bad)
    assert to_bytes(learner) == before


@pytest.mark.parametrize("bad", ["noon", [1.0], {}, float("nan"), float("inf")])
def test_nor_does_a_time_that_is_none(bad):
    learner = new(budget="5/second:0.5")
    before = to_bytes(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.decide({"a": 1}, now=bad)
    assert to_bytes(learner) == before


def test_an_error_of_max_bytes_leaves_question_and_background_as_they_were():
    """The tree is full with its splits, and a background learner would still have room."""
    tree = ConfidenceTreeClassifier(c=0.001, grace_period=10, max_bytes=9_000)
    drift = Drift(DDM(warning_level=1.0, drift_level=1e9), swap_after=10**6)
    learner = ActiveLearner(tree, "all", 1.0, drift, random_state=1)
    for i in range(2000):
        learner.label(learner.decide({"a": float(i % 16)}).id, i % 16 // 4)
    refused = 0
    for i in range(1000):
        number = learner.decide({"a": 1.0}).id
        before = to_bytes(learner)
        try:
            learner.label(number, 10 + i)  # ever more classes, all of them errors
        except ValueError:
            refused += 1
            assert learner._background is not None
            assert to_bytes(learner) == before
            learner.expire(number)
        if refused == 3:
            break
    assert refused == 3


def test_the_caller_may_change_the_example_afterwards():
    plain = {"a": 1.0, "b": "x"}
    learner, never = new(), new()
    learner.decide(plain)
    never.decide(dict(plain))
    plain["a"] = "ruined"
    plain.clear()
    assert learner.label(1, "yes") == never.label(1, "yes") == "learned"
    assert to_bytes(learner) == to_bytes(never)


def test_the_list_of_questions_is_the_callers_own():
    learner = new()
    learner.decide({"a": 1.0})
    learner.questions[1]["a"] = "ruined"
    learner.questions.clear()
    assert learner.questions == {1: {"a": 1.0}}
    assert learner.label(1, 0) == "learned"


# --- what it says ---------------------------------------------------------------------------------


def test_reasons_in_words():
    def reason(learner):
        return learner.decide({"a": 1}).reason

    conf = new("conf-tree", 1.0)
    assert reason(conf) == "its leaf has learned no label yet"
    conf.label(1, "x")
    assert reason(conf).startswith("its leaf has learned 1 labels, and its majority may be chance")
    for _ in range(300):
        conf.label(conf.decide({"a": 1}).id, "x")
    assert "a draw of 0." in reason(conf)
    assert reason(new("random", 1.0)).endswith("a probability of 1.000: asked by chance")
    assert reason(new("random", Budget.unlimited(0.0))).endswith("passed over by chance")
    unsure = new("variable-uncertainty", 1.0)
    assert reason(unsure) == "the model's confidence 0.000 is below the threshold 1.000"
    unsure.label(1, "x")
    assert "1.000 is not below the threshold 0.990" in reason(unsure)
    assert reason(new("all")) == "the strategy asks"
    assert reason(new("none")) == "the strategy does not ask"
    spent = new("all", Budget.count(1, rate=0.5))
    spent.decide({"a": 1})
    assert reason(spent) == "the budget is spent (1 of 2 examples asked about, count:1:0.5)"
    assert repr(spent.decide({"a": 1})).startswith("<Decision 3: None, do not ask: the budget")


def test_the_interval_holds_the_share_that_was_learned():
    learner = new()
    assert learner.decide({"a": 1}).interval == (0.0, 1.0)
    widths = []
    for i in range(400):
        d = learner.decide({"a": 1})
        low, high = d.interval
        counts = learner.model.learned_at({"a": 1}).values()
        if sum(counts):
            assert 0.0 <= low <= max(counts) / sum(counts) <= high <= 1.0
        else:
            assert d.interval == (0.0, 1.0)
        widths.append(high - low)
        learner.label(d.id, "abc"[i % 5 % 3])
    assert widths[-1] < 0.5 < widths[1]
    other = ActiveLearner(naive_bayes.GaussianNB(), "all", 1.0)
    assert other.decide({"a": 1}).interval is None


@pytest.mark.parametrize("strategy", ["conf-tree", "split-conf-tree"])
def test_the_uncertain_share_falls_on_an_easy_stream_and_moves_nothing(strategy):
    learner = new(strategy, 1.0)
    assert learner.uncertain_share() == 1.0
    for i in range(1500):
        d = learner.decide({"a": float(i % 2)})
        if d.ask:
            learner.label(d.id, i % 2)
        if i == 2:
            assert learner.uncertain_share() == 1.0
    before = to_bytes(learner)
    share = learner.uncertain_share()
    assert share == learner.uncertain_share() < 0.1
    assert to_bytes(learner) == before


def test_the_uncertain_share_moves_no_strategy_of_the_users():
    class Once:
        left = 1

        def decide(self, evidence, rate, rng):
            rng.uniform()
            self.left -= 1
            return self.left >= 0

    learner = new(Once())
    learner.decide({"a": 1})
    rng = learner._rng.state()
    assert learner.uncertain_share() == learner.uncertain_share() == 0.0
    assert learner.strategy.left == 0
    assert learner._rng.state() == rng


# --- files ----------------------------------------------------------------------------------------


def test_a_fresh_learner_is_saved(tmp_path):
    learner = new("conf-tree", "5/hour:0.1", drift="adwin")
    learner.save(tmp_path / "l")
    again = sapwood.load(tmp_path / "l")
    assert to_bytes(again) == to_bytes(learner)
    assert repr(again) == repr(learner)
    one, other = (learner.decide({"a": 1}, now=3.0) for learner in (again, learner))
    assert (one.id, one.ask, one.reason) == (other.id, other.ask, other.reason)
    assert to_bytes(again) == to_bytes(learner)


VALUES = ["text", "", "ü\n\0", None, float("nan"), 3, -(2**62), 2**63, True, 1.5, 1e300, np.int8(3)]
VALUES += [np.float32(1.5), np.float64(0.1), np.bool_(True), np.str_("s"), Decimal("1.5"), pd.NA]
VALUES += [dt.datetime(2026, 3, 1, 12, 30), dt.date(2026, 3, 1), dt.time(12, 30), pd.NaT]
VALUES += [np.datetime64("2026-03-01T12:30:00.1", "ns"), np.timedelta64(90, "s"), pd.Timestamp(1.5)]


@pytest.mark.parametrize("value", VALUES, ids=name_of)
@pytest.mark.parametrize("name", ["a", "", 0, np.int64(7)], ids=name_of)
def test_pending_questions_are_saved_with_their_values(tmp_path, name, value):
    learner = new()
    learner.decide({"always": 1.0, name: value})
    learner.save(tmp_path / "l")
    again = sapwood.load(tmp_path / "l")
    for one in (learner, again):
        assert one.label(1, "yes") == "learned"
    assert sapwood.persist.to_bytes(again.model) == sapwood.persist.to_bytes(learner.model)


def test_examples_by_position_go_on_after_a_file():
    learner = new()
    learner.decide([1.0, None, 3.0])
    again = from_bytes(to_bytes(learner))
    for one in (learner, again):
        one.decide([1.0, 2.0, 3.0])
    assert to_bytes(again) == to_bytes(learner)
    with pytest.raises(ValueError, match="4 values, and the model knows 3 columns"):
        again.decide([1.0, 2.0, 3.0, None])
    assert to_bytes(again) == to_bytes(learner)


def test_damaged_files_are_refused(tmp_path):
    learner = taught(drift=None, n=5)
    learner.decide({"a": 1.0, "b": "x"})
    data, path = to_bytes(learner), tmp_path / "l"
    rng = np.random.default_rng(1)
    places = {*range(60), *range(len(data) - 40, len(data)), *rng.integers(0, len(data), 300)}
    damaged = [data[:at] + bytes([data[at] ^ int(1 << at % 8)]) + data[at + 1 :] for at in places]
    damaged += [data[:at] for at in places] + [data + b"\0", b""]
    for bad in damaged:
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"sapwood|format"):
            sapwood.load(path)
    path.write_bytes(data)
    assert to_bytes(sapwood.load(path)) == data
    run = sapwood.Evaluation(ConfidenceTreeClassifier())
    run.feed(np.zeros((3, 1)), [0, 1, 0])
    run.save(path)
    with pytest.raises(ValueError, match="run"):
        sapwood.load(path)
    assert list(tmp_path.iterdir()) == [path]


# --- threads --------------------------------------------------------------------------------------


def test_threads_keep_the_ledger():
    learner, wrong, stop = new("random", 0.5, drift="ddm"), [], threading.Event()

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(300):
            d = learner.decide({"a": float(rng.integers(9))})
            fate = int(rng.integers(4))
            if d.ask and fate < 2:
                wrong.extend([] if learner.label(d.id, fate) == "learned" else [d])
            elif d.ask and fate == 2:
                learner.expire(d.id, refund=bool(rng.integers(2)))

    def watch():
        while not stop.is_set():
            try:
                seen = [copy.deepcopy(learner), from_bytes(to_bytes(learner))]
                wrong.extend(one for one in seen if one.model.t_ != one.budget.seen)
                repr(learner), learner.questions, learner.uncertain_share()
            except Exception as error:
                wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        watcher = threading.Thread(target=watch)
        workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in [watcher, *workers]:
            thread.start()
        for thread in workers:
            thread.join()
        stop.set()
        watcher.join()
    finally:
        sys.setswitchinterval(interval)
    ledger = learner.budget
    assert wrong == []
    assert ledger.seen == learner.model.t_ == 1200
    assert ledger.asked == ledger.open + ledger.answered + ledger.expired + ledger.refunded
    assert ledger.open == len(learner.questions)
    assert ledger.spent <= 600
