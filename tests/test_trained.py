"""A model that has learned before a run: refused by default, begun anew, or gone on with."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from river import compose, forest, naive_bayes
from river.tree import HoeffdingTreeClassifier
from sklearn.linear_model import SGDClassifier

import sapwood
from sapwood import ConfidenceTreeClassifier, Evaluation, evaluate, protocol
from sapwood._trained import state_of
from sapwood.compare import compare
from sapwood.persist import to_bytes

ACTIVE = {"strategy": "random", "budget": 0.4, "random_state": 5}


def rows(n=1200):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 2))
    return X, np.digitize(X[:, 0] + 0.2 * X[:, 1], [-0.5, 0.5])


def told(result):
    """Everything but times and seeds."""
    table = result.to_dict()
    del table["seconds"], table["curve"]["seconds"], table["settings"]["random_state"]
    return table


def dicts(X, y):
    return [(dict(enumerate(x)), int(k)) for x, k in zip(X.tolist(), y, strict=True)]


def tree():
    return ConfidenceTreeClassifier(c=0.01, grace_period=20)


X, Y = rows()
MODELS = {
    "tree": tree(),
    "river": HoeffdingTreeClassifier(grace_period=20),
    "forest": forest.ARFClassifier(n_models=2, seed=3),
    "sklearn": SGDClassifier(random_state=1),
}


def taught(kind, n=600):
    """Return a model of a kind that has learned the first rows, one after the other."""
    model = evaluate((X[:n], Y[:n]), MODELS[kind], classes=[0, 1, 2]).model
    return model


@pytest.mark.parametrize("kind", MODELS)
def test_it_is_refused_and_both_ways_out_are_named(kind):
    model = taught(kind)
    for call in (evaluate, lambda s, m: compare({"s": s}, {"m": m}, ["full"], [], 1)):
        with pytest.raises(ValueError, match=r"has learned before.*trained='fresh'.*'continue'"):
            call((X, Y), model)
        call((X[:50], Y[:50]), MODELS[kind])
    with pytest.raises(ValueError, match="trained='fresh'"):
        Evaluation(model, classes=[0, 1, 2])
    for call in (evaluate, Evaluation):
        arguments = [(X, Y)] if call is evaluate else []
        with pytest.raises(
            ValueError, match="trained must be one of 'refuse', 'continue', 'fresh'"
        ):
            call(*arguments, model, trained="again")
    if kind == "tree":
        with pytest.raises(ValueError, match="trained='fresh'"):
            sapwood.sweep((X, Y), [tree(), model])
        with pytest.raises(ValueError, match=r"share no leaves.*trained='continue'"):
            sapwood.sweep((X, Y), [model], trained="continue")


@pytest.mark.parametrize("kind", MODELS)
def test_a_fresh_one_is_as_new(kind):
    model = taught(kind)
    new = evaluate((X, Y), MODELS[kind])
    again = evaluate((X, Y), model, trained="fresh")
    assert told(again) == told(new)
    if kind == "tree":
        assert to_bytes(again.model) == to_bytes(new.model)
        (swept,) = sapwood.sweep((X, Y), [model], trained="fresh")
        assert (swept.accuracy, swept.n_leaves) == (new.accuracy, new.n_leaves)


@pytest.mark.parametrize("settings", [{}, ACTIVE], ids=["full", "active"])
@pytest.mark.parametrize("form", ["table", "dicts"])
@pytest.mark.parametrize("kind", ["tree", "river", "sklearn"])
def test_to_continue_is_to_go_on(kind, form, settings):
    """Two runs after each other are one: the model knows no difference."""
    whole = Evaluation(MODELS[kind], classes=[0, 1, 2], every=600)
    for part in (slice(0, 600), slice(600, 1200)):
        whole.feed(X[part] if form == "table" else [x for x, _ in dicts(X[part], Y[part])], Y[part])
    model = taught(kind)
    before = pickle.dumps(model)
    source = (X[600:], Y[600:]) if form == "table" else dicts(X[600:], Y[600:])
    rest = evaluate(source, model, trained="continue", **settings)
    assert pickle.dumps(model) == before
    assert rest.confusion[:, -1].sum() == 0  # it predicts from the first row on
    assert rest.settings["trained"] == "continue"
    if settings:
        assert rest.labels < 300
        return
    both = whole.result()
    assert rest.accuracy == both.curve["window_accuracy"][1]
    if kind == "tree":
        assert rest.model.t_ == 1200
        assert to_bytes(rest.model) == to_bytes(both.model)


def test_an_untrained_model_may_continue_too():
    result = evaluate((X, Y), tree(), trained="continue")
    assert told(result) == told(evaluate((X, Y), tree()))
    assert "trained" not in result.settings


def test_a_run_that_continued_is_resumed_with_the_same_model_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 100)
    path, model = tmp_path / "run", taught("tree")
    how = {"trained": "continue", **ACTIVE}
    never = evaluate((X[600:], Y[600:]), model, **how)
    run = Evaluation(model, name="table", **how)
    run.feed(X[600:900], Y[600:900])
    run.fingerprint = sapwood._sources.fingerprint(X[600:700], Y[600:700])
    run.save(path)
    assert Evaluation.load(path).settings() == run.settings()
    for other in (taught("tree", 500), tree()):
        with pytest.raises(ValueError, match="another model"):
            evaluate((X[600:], Y[600:]), other, checkpoint=path, **how)
    assert told(evaluate((X[600:], Y[600:]), model, checkpoint=path, **how)) == told(never)


def test_compare_tells_models_by_what_they_have_learned(tmp_path):
    streams = ["rand-cbt:leaves=4,per_leaf=200,seed=2"]
    more = {"strategies": ["full"], "trained": "continue", "out": tmp_path / "rows"}
    stream = sapwood.datasets.rand_cbt(n_leaves=4, per_leaf=200, seed=2)
    done = []
    for n in (100, 700, 100):
        model = ConfidenceTreeClassifier(c=0.05).fit(stream[0][:n], stream[1][:n])
        rows = compare(streams, {"m": model}, progress=lambda *row: done.append(row), **more)
        assert rows[0]["n_rows"] == 800
    assert len(done) == 2


def test_compare_goes_on_with_a_model_that_knows_its_classes():
    stream = "rand-cbt:leaves=4,per_leaf=200,seed=2"
    X, y = sapwood.datasets.rand_cbt(n_leaves=4, per_leaf=200, seed=2)
    model = SGDClassifier(random_state=0).partial_fit(X[:50], y[:50], classes=[0, 1])
    (row,) = compare([stream], {"linear": model}, ["full"], trained="continue")
    assert row["accuracy"] == evaluate((X, y), model, trained="continue").accuracy


def test_what_never_learned_is_not_taken_for_trained():
    class Noisy(naive_bayes.GaussianNB):
        """Its clones are never the same."""

        def __init__(self):
            super().__init__()
            self.weights = np.random.default_rng().normal(size=3)

    class Odd:
        """A user's, with an attribute that ends like those of scikit-learn's trained models."""

        def __init__(self, lambda_=1.0):
            self.lambda_ = lambda_

        def get_params(self):
            return {"lambda_": self.lambda_}

        def partial_fit(self, X, y, classes=None):
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

        def clone(self):
            return Odd(self.lambda_)

    for model in (Noisy(), Odd(), *MODELS.values()):
        assert evaluate((X[:60], Y[:60]), model).n_rows == 60


def test_what_a_model_has_learned_is_told_alike_in_every_process(tmp_path):
    """Sets, of which river's trees hold some, have another order in each."""
    model = HoeffdingTreeClassifier(grace_period=20)
    for i in range(400):
        model.learn_one({c: "xyz"[(i >> k) % 3] for k, c in enumerate("abcdef")}, "pq"[i % 2])
    (tmp_path / "model").write_bytes(pickle.dumps(model))
    code = (
        "import pickle, sys; from sapwood._trained import for_run, state_of\n"
        "model = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(state_of(for_run(model, 'continue')))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model")]
    texts = {
        subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": str(seed)})
        for seed in (1, 2, 3)
    }
    assert texts == {f"{state_of(model)}\n".encode()}
    model.learn_one({"a": "x"}, "p")
    assert texts != {f"{state_of(model)}\n".encode()}


def test_a_model_that_cannot_be_pickled_is_gone_on_with():
    model = compose.FuncTransformer(lambda x: {"a": x[0]}) | naive_bayes.GaussianNB()
    model = evaluate(dicts(X[:600], Y[:600]), model).model
    rest = evaluate(dicts(X[600:], Y[600:]), model, trained="continue")
    assert rest.n_rows == 600
    assert rest.confusion[:, -1].sum() == 0
