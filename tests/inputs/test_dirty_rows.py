"""A value that its column cannot take stops a live stream, is missing, or costs its row."""

import datetime
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sapwood
from sapwood import ActiveLearner, ConfidenceTreeClassifier, evaluate, persist

DIRT = {
    "a": ["?", "2.0", "", "NaN", "1,5"],  # a column of numbers
    "b": [3, 2.5, True, datetime.datetime(2026, 3, 1), np.int64(7)],  # of text
    "either": [
        [1],
        {},
        b"x",
        1j,
        object(),
        math.inf,
        -math.inf,
        10**400,
        (1, 2),
        np.array([1]),
        "\ud800",
    ],
}
CASES = [("a", v) for v in DIRT["a"] + DIRT["either"]]
CASES += [("b", v) for v in DIRT["b"] + DIRT["either"]]
CASES += [("new", v) for v in DIRT["either"]]
IDS = [f"{name} {type(value).__name__} {i}" for i, (name, value) in enumerate(CASES)]


def clean(n, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        a, b = rng.normal(), "xyz"[rng.integers(3)]
        yield {"a": a, "b": b}, int(a > 0) ^ (b == "x")


def taught(**params):
    tree = ConfidenceTreeClassifier(grace_period=20, c=0.05, **params)
    for x, y in clean(200):
        tree.learn_one(x, y)
    return tree


@pytest.mark.parametrize(("name", "value"), CASES, ids=IDS)
def test_stop_names_the_field_the_value_and_what_was_expected(name, value):
    tree = taught()
    before = persist.to_bytes(tree)
    row = {"a": 1.0, "b": "y"} | {name: value}
    learner = ActiveLearner(tree, "all", 1.0, random_state=1)
    calls = [lambda: tree.learn_one(row, 1), lambda: learner.decide(row)]
    if name != "new":
        calls += [lambda: tree.predict_one(row), lambda: tree.predict_proba_one(row)]
        calls += [lambda: tree.explain_one(row), lambda: tree.learned_at(row)]
    shown = repr(value)[:40]
    for call in calls:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        told = str(caught.value)
        assert repr(name) in told
        assert f"The value was {shown}" in told
        assert "on_error='missing'" in told
        assert any(word in told for word in ("number", "text", "None"))
    assert persist.to_bytes(tree) == before
    assert learner.budget.seen == 0


@pytest.mark.parametrize(("name", "value"), CASES, ids=IDS)
def test_missing_and_skip_go_on(name, value):
    row = {"a": 0.5, "b": "y"} | {name: value}
    rest = {k: v for k, v in row.items() if k != name}
    for on_error in ("missing", "skip"):
        tree, twin = taught(on_error=on_error), taught(on_error=on_error)
        for ask in ("predict_one", "predict_proba_one", "learned_at", "explain_one"):
            assert str(getattr(tree, ask)(row)) == str(getattr(twin, ask)(rest))
        assert persist.to_bytes(tree) == persist.to_bytes(twin)
        assert (tree.n_mended_, tree.n_skipped_) == (0, 0)
        tree.learn_one(row, 1)
        if on_error == "missing":
            twin.learn_one(rest, 1)
        assert persist.to_bytes(tree) == persist.to_bytes(twin)
        assert (tree.n_mended_, tree.n_skipped_) == ((1, 0) if on_error == "missing" else (0, 1))


def test_the_first_row_may_be_dirty():
    tree = ConfidenceTreeClassifier(on_error="missing")
    tree.learn_one({"a": [1], "b": "x"}, 1)
    assert [*tree.feature_names_in_] == ["b"]
    tree = ConfidenceTreeClassifier(on_error="skip")
    tree.learn_one({"a": [1], "b": "x"}, 1)
    assert tree.predict_one({"b": "x"}) is None


def test_a_sequence_whose_first_is_dirty_keeps_its_places():
    learner = ActiveLearner(ConfidenceTreeClassifier(on_error="missing"), "all", 1.0)
    for x in ([math.inf, 1.0, "x"], [2.0, 3.0, "y"], [2.0, "?", "y"]):
        learner.label(learner.decide(x).id, 1)
    assert learner.model._model.columns == [0, 1, 2]
    assert learner.model.n_mended_ == 2


def test_a_name_that_is_none_is_left_out():
    tree = taught(on_error="missing")
    tree.learn_one({"a": 1.0, 1.5: 2.0, (1,): 3.0}, 1)
    assert tree.n_mended_ == 2


def test_half_a_surrogate_pair_is_no_text():
    tree = taught()
    before = persist.to_bytes(tree)
    words = "has half of a surrogate pair, which is no text"
    for row, label, what in (
        ({"\ud800": 1.0}, 1, "A column name"),
        ({"b": "\ud800"}, 1, "The value of 'b'"),
        ({"b": "x"}, "\ud800", "A class label"),
    ):
        with pytest.raises(ValueError, match=f"{what} {words}"):
            tree.learn_one(row, label)
    with pytest.raises(ValueError, match=words):
        tree.predict_one({"\ud800": 1.0})
    assert persist.to_bytes(tree) == before


def test_other_errors_are_not_about_values():
    tree = taught(on_error="missing")
    for bad in ("text", None, 1.5, [1]):
        with pytest.raises((TypeError, ValueError), match=r"(?i)label"):
            tree.learn_one({"a": "?"}, bad)
    with pytest.raises(ValueError, match="weight"):
        tree.learn_one({"a": "?"}, 1, w=-1.0)
    assert (tree.n_mended_, tree.n_skipped_) == (0, 0)  # nothing of them was learned
    with pytest.raises(TypeError, match="must be a mapping"):
        tree.learn_one([1.0], 1)
    with pytest.raises(ValueError, match="weight"):
        tree.learn_one({"a": 1.0}, 1, w=-1.0)
    with pytest.raises(ValueError, match="on_error must be one of 'stop', 'missing', 'skip'"):
        ConfidenceTreeClassifier(on_error="pass").learn_one({"a": 1.0}, 1)


def test_a_tree_can_be_told_at_any_time_and_its_file_keeps_it(tmp_path):
    tree = taught()
    plain = persist.to_bytes(tree)
    assert b"on_error" not in plain  # as files were before there was a choice
    tree.set_params(on_error="missing")
    tree.learn_one({"a": "?", "b": "x"}, 1)
    tree.save(tmp_path / "tree.sapwood")
    for again in (sapwood.load(tmp_path / "tree.sapwood"), pickle.loads(pickle.dumps(tree))):
        assert again.on_error == "missing"
        assert again.predict_one({"a": "?", "b": "x"}) in (0, 1)
    assert sapwood.load(_written(tmp_path, plain)).on_error == "stop"


def _written(folder, data):
    (folder / "plain.sapwood").write_bytes(data)
    return folder / "plain.sapwood"


fields = st.fixed_dictionaries(
    {},
    optional={
        "a": st.one_of(st.floats(-3, 3), st.sampled_from(DIRT["a"]), st.none()),
        "b": st.one_of(st.sampled_from("xyz"), st.sampled_from([1.5, math.inf, 3])),
        "c": st.one_of(st.floats(-3, 3), st.just([1]), st.just(math.inf)),
    },
)


def tidy(row):
    """Return what is left of a row, by the kinds of its columns."""
    kinds = {"a": float, "b": str, "c": float}
    return {
        k: v for k, v in row.items() if v is None or (isinstance(v, kinds[k]) and v != math.inf)
    }


@given(st.lists(st.tuples(fields, st.integers(0, 1)), max_size=60), st.sampled_from([0, 3]))
def test_decisions_on_dirty_rows_are_those_on_clean_ones(rows, delay):
    def run(on_error, rows, passed=()):
        tree = ConfidenceTreeClassifier(grace_period=5, c=0.1, on_error=on_error)
        for x in ({"a": 1.0, "b": "x", "c": 1.0}, {"a": -1.0, "b": "y", "c": 0.0}):
            tree.learn_one(x, int(x["a"] > 0))
        learner = ActiveLearner(tree, "conf-tree", 0.5, random_state=3)
        told, due = [], []
        for i, (x, y) in enumerate(rows):
            d = learner.decide(x)
            told.append((d.prediction, d.probabilities, d.ask))
            if d.ask:
                due.append((i + delay, d.id, y))
            while due and due[0][0] <= i:
                assert learner.label(due[0][1], due.pop(0)[2]) == "learned"
            assert i not in passed or (not d.ask and "passed over" in d.reason)
        return learner, told

    dirty = [i for i, (x, _) in enumerate(rows) if tidy(x) != x]
    clean_rows = [(tidy(x), y) for x, y in rows]
    (mended, told), (twin, expected) = run("missing", rows), run("missing", clean_rows)
    assert told == expected
    assert persist.to_bytes(mended.model) == persist.to_bytes(twin.model)
    assert mended.model.n_mended_ == sum(len(x) - len(tidy(x)) for x, _ in rows)
    skipping, _ = run("skip", rows, dirty)
    assert skipping.model.n_skipped_ == len(dirty)
    assert skipping.budget.seen == len(rows)


def test_a_label_is_learned_though_a_column_found_its_kind_meanwhile():
    # Both suit a column of categories of which none is learned; then it has text.
    rows = [{"k": "x", "a": 1.0}, {"k": 3, "a": 2.0}]
    for on_error in ("stop", "missing", "skip"):
        tree = ConfidenceTreeClassifier(categorical_features=["k"], on_error=on_error)
        learner = ActiveLearner(tree, "all", 1.0, random_state=1)
        first, second = (learner.decide(row).id for row in rows)
        assert learner.label(first, 0) == "learned"
        if on_error == "stop":
            with pytest.raises(TypeError, match=r"'k'.*value was 3"):
                learner.label(second, 1)
            continue
        assert learner.label(second, 1) == "learned"  # it was paid for
        assert tree.learned_at({"a": 2.0}) == {0: 1, 1: 1}


def test_a_run_of_dicts_goes_on():
    rows = list(clean(300))
    rows[100][0]["a"] = "?"
    with pytest.raises(TypeError, match=r"'a'.*value was '\?'"):
        evaluate(iter(rows), ConfidenceTreeClassifier())
    result = evaluate(iter(rows), ConfidenceTreeClassifier(on_error="skip"))
    assert (result.n_rows, result.model.n_skipped_, result.model.t_) == (300, 1, 300)
    assert json.dumps(result.settings)  # it names the choice
    assert result.settings["model"]["on_error"] == "skip"
