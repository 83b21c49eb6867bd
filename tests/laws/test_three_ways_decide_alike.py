"""Law: the native loop, the loop in Python, and decide/label by hand give identical results."""

import pickle

import pytest
from asking import DRIFTS, InPython, accuracy, asking, by_hand, told, turned
from hypothesis import given
from hypothesis import strategies as st
from streams import Column, make_stream, new_tree, streams, tree_params

import sapwood
from sapwood import Evaluation, evaluate, persist
from sapwood.strategies import NAMES

kept_first_row = streams(weights=("none",), max_rows=500, whole_first_row=True)


@given(kept_first_row, tree_params(moa=False), asking(), st.floats(0, 1))
def test_native_equals_python(stream, params, settings, share):
    labels = turned(stream.labels, round(share * len(stream)))
    whole = (stream.array(), labels)
    native = evaluate(whole, new_tree(params), every=100, **settings)
    settings["strategy"] = InPython(settings["strategy"])
    assert told(evaluate(whole, new_tree(params), every=100, **settings)) == told(native)


@given(kept_first_row, tree_params(moa=False), asking(), st.floats(0, 1))
def test_native_equals_decide_and_label(stream, params, settings, share):
    labels = turned(stream.labels, round(share * len(stream)))
    run = Evaluation(new_tree(params), **settings)
    run.feed(stream.array(), labels)
    learner, predictions, asked = by_hand(stream.rows, labels, new_tree(params), settings)
    result = run.result()
    assert result.accuracy == accuracy(predictions, labels, settings["delay"])
    assert result.labels == sum(asked) == learner.budget.asked
    assert result.drifts == learner.drifts
    assert persist.to_bytes(result.model) == persist.to_bytes(learner.model)
    assert run.learner.budget._core.state() == learner.budget._core.state()
    assert run.learner._rng.state() == learner._rng.state()
    assert run.learner.strategy._core.state() == learner.strategy._core.state()


@given(kept_first_row, tree_params(), asking(), st.lists(st.integers(1, 200), max_size=5))
def test_the_size_of_chunks_changes_nothing(stream, params, settings, sizes):
    X, y = stream.array(), stream.labels
    whole = evaluate((X, y), new_tree(params), every=64, **settings)
    run = Evaluation(new_tree(params), every=64, **settings)
    at = 0
    for size in [*sizes, len(stream)]:
        if at < len(stream):
            run.feed(X[at : at + size], y[at : at + size])
            at += size
    if params.get("compat") != "moa":  # by MOA's rules a table's categories are known at once
        assert told(run.result()) == told(whole)


@given(streams(weights=("none",), max_rows=400), tree_params())
def test_full_is_asking_for_all(stream, params):
    whole = (stream.array(), stream.labels)
    full = told(evaluate(whole, new_tree(params)))
    assert told(evaluate(whole, new_tree(params), strategy="all")) == full
    assert told(evaluate(whole, new_tree(params), strategy="all", budget=1.0)) == full


@pytest.mark.parametrize("delay", [0, 1])
@pytest.mark.parametrize("max_bytes", range(16_000, 24_000, 500))
def test_names_that_are_short_of_room_come_in_the_same_order(max_bytes, delay):
    columns = (
        Column("continuous"),
        Column("text", 8),
        Column("text", 8),
        *[Column("sparse", 2)] * 37,
    )
    stream = make_stream(1, 60, columns, n_classes=5, whole_first_row=True)
    params = {"grace_period": 5, "n_bins": 2, "max_bytes": max_bytes}
    whole = (stream.array(), stream.labels)
    settings = {"strategy": "all", "budget": "unlimited", "drift": None, "delay": delay}
    settings["random_state"] = 1
    run = Evaluation(new_tree(params), **settings)
    run.feed(*whole)
    learner, _, _ = by_hand(stream.rows, stream.labels, new_tree(params), settings)
    assert persist.to_bytes(run.result().model) == persist.to_bytes(learner.model)
    if delay == 0:
        full = evaluate(whole, new_tree(params)).model
        assert persist.to_bytes(full) == persist.to_bytes(learner.model)


@pytest.mark.parametrize("drift", sorted(DRIFTS))
@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_with_every_detector_finds_planted_drift_alike(name, drift):
    columns = (Column("continuous"), Column("text", missing=0.1), Column("discrete"))
    stream = make_stream(5, 3000, columns, n_classes=3, noise=0.05, whole_first_row=True)
    labels = turned(stream.labels, 1500)
    settings = {"strategy": name, "budget": "rate:0.4", "drift": DRIFTS[drift], "delay": 3}
    settings["random_state"] = 11
    tree = {"c": 0.01, "grace_period": 20, "leaf_prediction": "adaptive"}
    run = Evaluation(new_tree(tree), **settings)
    run.feed(stream.array(), labels)
    learner, predictions, _ = by_hand(stream.rows, labels, new_tree(tree), settings)
    result = run.result()
    assert result.accuracy == accuracy(predictions, labels, 3)
    assert persist.to_bytes(result.model) == persist.to_bytes(learner.model)
    assert result.drifts == learner.drifts
    if name not in ("none", "split", "split-conf-tree") and drift in ("ddm", "ddm, moa"):
        assert result.drifts > 0
    if name != "none":
        assert result.model.t_ == 3000  # the clock is the stream's, whichever tree took over


@given(kept_first_row, tree_params(moa=False), asking(), st.floats(0, 1))
def test_a_saved_learner_goes_on_as_if_it_had_never_stopped(stream, params, settings, share):
    moment = round(share * len(stream))
    labels = turned(stream.labels, len(stream) // 2)
    settings["delay"] = 0
    never, *_ = by_hand(stream.rows, labels, new_tree(params), settings)
    for way in (through_a_file, lambda learner: pickle.loads(pickle.dumps(learner))):
        first, *_ = by_hand(stream.rows[:moment], labels[:moment], new_tree(params), settings)
        again = way(first)
        for x, y in zip(stream.rows[moment:], labels[moment:], strict=True):
            decision = again.decide(x)
            if decision.ask:
                again.label(decision.id, y)
        assert state(again) == state(never)


def through_a_file(learner):
    from sapwood._learner_file import from_bytes, to_bytes

    return from_bytes(to_bytes(learner))


def state(learner):
    from sapwood._learner_file import to_bytes

    return to_bytes(learner)


@given(kept_first_row, tree_params(), asking(), st.floats(0, 1), st.booleans())
def test_a_run_that_is_stopped_and_resumed_gives_the_same(
    tmp_path_factory, stream, params, settings, share, in_python
):
    moment = round(share * len(stream))
    X, y = stream.array(), turned(stream.labels, len(stream) // 2)
    if in_python:
        settings["strategy"] = InPython(settings["strategy"])
    never = evaluate((X, y), new_tree(params), every=64, **settings)
    run = Evaluation(new_tree(params), every=64, name=never.settings["stream"], **settings)
    if moment:
        run.feed(X[:moment], y[:moment])
    path = tmp_path_factory.mktemp("run") / "run.sapwood"
    run.save(path)
    again = Evaluation.load(path, trusted=True)
    if moment < len(stream):
        again.feed(X[moment:], y[moment:])
    if params.get("compat") != "moa":
        assert told(again.result()) == told(never)


def test_open_questions_are_saved(tmp_path):
    tree = sapwood.ConfidenceTreeClassifier()
    learner = sapwood.ActiveLearner(tree, "all", "rate:1", drift="ddm", random_state=3)
    ids = [learner.decide({"a": float(i), "b": "x"}).id for i in range(5)]
    learner.expire(ids[1])
    learner.expire(ids[2], refund=True)
    learner.label(ids[0], "yes")
    learner.save(tmp_path / "learner.sapwood")
    again = sapwood.load(tmp_path / "learner.sapwood")
    assert (
        again.questions == learner.questions == {4: {"a": 3.0, "b": "x"}, 5: {"a": 4.0, "b": "x"}}
    )
    for one in (learner, again):
        assert one.label(ids[0], "yes") == "repeated"
        assert one.label(ids[1], "no") == "late"
        assert one.label(ids[2], "no") == "refused"
        assert one.label(ids[4], "yes") == "learned"
        assert one.budget.open == 1
    assert state(again) == state(learner)
