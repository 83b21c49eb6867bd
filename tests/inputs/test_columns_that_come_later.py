"""Columns that came by name may be absent from batches; those of the first batch or row may not."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import sapwood
from sapwood import ActiveLearner, ConfidenceTreeClassifier
from sapwood.datasets import rand_cbt
from sapwood.persist import from_bytes, to_bytes

PARAMS = {"c": 0.01, "grace_period": 20}
X, Y = rand_cbt(n_leaves=4, n_features=3, per_leaf=150, seed=2)
NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(X, columns=NAMES)
FORMS = {"array": (X, [0, 1, 2]), "frame": (FRAME, NAMES)}
AGAIN = {
    "itself": lambda tree: tree,
    "loaded": lambda tree: from_bytes(to_bytes(tree)),
    "pickled": lambda tree: pickle.loads(pickle.dumps(tree)),
    "copied": copy.deepcopy,
}


def extra(names, i=0):
    return {**dict(zip(names, X[i].tolist(), strict=True)), "A": 5.0, "kind": "new"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("begin", ["fit", "partial_fit", "learn_one"])
def test_an_extra_key_in_one_row_breaks_no_batch(form, again, begin):
    given, names = FORMS[form]
    tree, twin = (ConfidenceTreeClassifier(**PARAMS) for _ in range(2))
    for t in (tree, twin):
        if begin == "learn_one":
            for x, y in zip(X.tolist(), Y.tolist(), strict=True):
                t.learn_one(dict(zip(names, x, strict=True)), y)
        else:
            getattr(t, begin)(given, Y)
        t.learn_one(extra(names), int(Y[0]))
    tree = AGAIN[again](tree)
    assert tree._model.columns == [*names, "A", "kind"]
    assert to_bytes(tree) == to_bytes(twin)
    tree.partial_fit(given, Y)
    for x, y in zip(X.tolist(), Y.tolist(), strict=True):  # where the batch lacks them, so do rows
        twin.learn_one(dict(zip(names, x, strict=True)), y)
    assert to_bytes(tree) == to_bytes(twin)
    rows = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    assert tree.predict(given).tolist() == [twin.predict_one(x) for x in rows]
    assert tree.predict_proba(given).shape == (len(X), 2)
    assert len(tree.apply(given)) == len(X)
    assert tree.score(given, Y) > 0.5


@pytest.mark.parametrize("again", AGAIN)
def test_what_the_first_batch_had_stays_strict(again):
    tree = ConfidenceTreeClassifier(**PARAMS).fit(FRAME, Y)
    tree.learn_one(extra(NAMES), int(Y[0]))
    tree = AGAIN[again](tree)
    before = to_bytes(tree)
    for wrong, words in (
        (FRAME[["a", "c"]], "yet now missing:\n- b\n.*columns='by-name'"),
        (FRAME[["b", "a", "c"]], "same order"),
        (FRAME.assign(z=1.0), "unseen at fit time:\n- z"),
    ):
        for call in (tree.predict, lambda wrong: tree.partial_fit(wrong, Y)):
            with pytest.raises(ValueError, match=f"(?s){words}"):
                call(wrong)
    assert to_bytes(tree) == before
    with_kind = FRAME.assign(kind="new", A=1.0)  # they may be there, and in any place
    assert (tree.predict(with_kind) == tree.predict(with_kind[["kind", *NAMES, "A"]])).all()


def test_a_text_column_that_came_later_may_be_in_a_batch():
    tree = ConfidenceTreeClassifier(**PARAMS, categorical_features=["code"])
    tree.learn_one({"b": 1.0, "code": 3}, 0)
    tree.learn_one({"b": 1.0, "code": 4, "later": "x"}, 1)
    tree.partial_fit(pd.DataFrame({"b": [1.0, 2.0], "code": [3, 4]}), [0, 1])
    tree.partial_fit(pd.DataFrame({"later": ["x", "y"], "b": [1.0, 2.0], "code": [3, 4]}), [0, 1])
    assert tree._model.kinds == ["numeric", "categorical", "categorical"]
    assert tree.t_ == 6


def test_by_name_any_columns_will_do():
    tree = ConfidenceTreeClassifier(**PARAMS, columns="by-name")
    twin = ConfidenceTreeClassifier(**PARAMS)
    for part in (FRAME, FRAME[["c", "a"]], FRAME.assign(z=1.0)[["z", "b"]]):
        tree.partial_fit(part, Y)
        twin.learn_many(part, Y)
        assert tree.predict(part).tolist() == twin.predict_many(part).tolist()
    assert tree._model.to_bytes("") == twin._model.to_bytes("")
    loaded = from_bytes(to_bytes(tree))
    assert loaded.columns == "by-name"
    assert (loaded.predict(FRAME[["a"]]) == tree.predict(FRAME[["a"]])).all()
    strict = ConfidenceTreeClassifier(**PARAMS).fit(FRAME, Y)
    with pytest.raises(ValueError, match="yet now missing"):
        strict.predict(FRAME[["a"]])
    assert len(strict.set_params(columns="by-name").predict(FRAME[["a"]])) == len(X)


def test_a_file_is_longer_only_where_a_column_came_later():
    batch = ConfidenceTreeClassifier(**PARAMS).partial_fit(X, Y)
    rows = ConfidenceTreeClassifier(**PARAMS)
    for x, y in zip(X.tolist(), Y.tolist(), strict=True):
        rows.learn_one(dict(enumerate(x)), y)
    assert to_bytes(batch) == to_bytes(rows)
    assert b"first_columns" not in to_bytes(rows)
    rows.learn_one({"A": 1.0}, 0)
    assert b'"first_columns":[0,1,2]' in to_bytes(rows)


@pytest.mark.parametrize("cut", [1, 2, 50])
def test_learn_many_fixes_what_its_first_row_has(cut):
    holes = FRAME.copy()
    holes.loc[0, "b"] = np.nan
    weights = np.ones(len(X))
    weights[0] = 0.0
    one, many = (ConfidenceTreeClassifier(**PARAMS) for _ in range(2))
    for x, y in zip(holes.to_dict("records"), Y.tolist(), strict=True):
        one.learn_one(x, y)
    many.learn_many(holes[:cut], Y[:cut])
    many.learn_many(holes[cut:], Y[cut:])
    assert to_bytes(one) == to_bytes(many)
    assert one._first_columns == ("a", "c")
    weighted = ConfidenceTreeClassifier(**PARAMS)
    weighted.learn_many(holes, Y, weights)
    assert weighted._first_columns == ("a", "b", "c")


def test_an_example_as_a_sequence_has_the_columns_of_the_first():
    learner = ActiveLearner(ConfidenceTreeClassifier(), "all", 1.0, random_state=1)
    learner.label(learner.decide([1.0, 2.0]).id, "x")
    learner.label(learner.decide({0: 1.0, "A": 2.0}).id, "y")
    assert learner.decide([1.0, 2.0]).prediction == "x"
    assert len(learner.model.predict([[1.0, 2.0]])) == 1


@pytest.mark.parametrize("places", ["[9]", "[0,0]", "[-1]", "3", "null", '["a"]', "[true]"])
def test_a_broken_note_of_columns_is_refused(places):
    tree = ConfidenceTreeClassifier().fit(FRAME, Y)
    owner = '{"class":"sapwood","classes_fixed":true,"first_columns":%s,"params":{}}'
    with pytest.raises(ValueError, match="its parameters are broken"):
        from_bytes(tree._model.to_bytes(owner % places))


def test_predicting_a_file_needs_only_the_first_columns(tmp_path):
    typer_testing = pytest.importorskip("typer.testing")
    from sapwood.cli.app import app

    tree = ConfidenceTreeClassifier(**PARAMS).fit(FRAME, Y)
    tree.learn_one(extra(NAMES), int(Y[0]))
    tree.save(tmp_path / "model.sapwood")
    FRAME[["c", "a", "b"]].to_csv(tmp_path / "new.csv", index=False)
    said = typer_testing.CliRunner().invoke(
        app, ["predict", str(tmp_path / "model.sapwood"), str(tmp_path / "new.csv")]
    )
    assert said.exit_code == 0, said.output
    assert said.stdout.splitlines()[1:] == [str(y) for y in tree.predict(FRAME)]
    assert sapwood.load(tmp_path / "model.sapwood")._first_columns == ("a", "b", "c")


ASKING = {
    "predict_one": lambda tree, x: tree.predict_one(x),
    "predict_proba_one": lambda tree, x: tree.predict_proba_one(x),
    "learned_at": lambda tree, x: tree.learned_at(x),
    "explain_one": lambda tree, x: tree.explain_one(x),
    "decide": lambda tree, x: ActiveLearner(tree, random_state=1).decide(x),
}


@pytest.mark.parametrize("how", ASKING)
@pytest.mark.parametrize("value", [1.0, "text", True])
def test_a_row_without_any_known_column_is_said_once_and_counted(how, value):
    tree = ConfidenceTreeClassifier(**PARAMS).fit(FRAME, Y)
    for known in (
        {"a": 1.0},
        {"a": 1.0, "d": value},
        {},
        {"a": None},
        {"d": None},
        {"d": value, "a": None},
    ):
        tree.predict_one(known)
    assert tree.n_unmatched_ == 0
    before = to_bytes(tree)
    with pytest.warns(UserWarning, match="none of the columns that the model knows"):
        ASKING[how](tree, {"d": value, "e": None})
    asked = tree.n_unmatched_
    assert asked >= 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree.predict_one({"f": value}) == tree.predict_one({})  # said once
    assert tree.n_unmatched_ == asked + 1
    if how != "decide":
        assert to_bytes(tree) == before
    tree.learn_one({"g": value}, int(Y[0]))  # a row that is learned brings its columns along
    assert tree.n_unmatched_ == asked + 1


def test_such_a_row_is_no_error_even_where_warnings_are():
    tree = ConfidenceTreeClassifier(**PARAMS).fit(FRAME, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree.predict_one({"d": 1.0}) == tree.predict_one({})
    assert tree.n_unmatched_ == 1
