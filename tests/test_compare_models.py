"""`compare` with models of one's own and of other libraries: which runs are kept, and classes."""

import random
import warnings

import numpy as np
import pytest
from river import naive_bayes
from sklearn.linear_model import SGDClassifier

from sapwood import evaluate
from sapwood.compare import compare
from sapwood.datasets import rand_cbt

STREAM = "rand-cbt:leaves=4,per_leaf=100,seed=2"


class Says:
    """A model of a user's: its state is told by no parameter, and copied by its clone."""

    def __init__(self, answer, extra=None):
        self.answer, self.extra = answer, extra

    def clone(self):
        return Says(self.answer, self.extra)

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return self.answer


class Random(Says):
    """No two of its clones are the same."""

    def clone(self):
        return Random(self.answer, random.random())


def done(model, out):
    """Return the accuracy, and how many runs were done for it."""
    calls = []
    more = {"out": out, "progress": lambda *row: calls.append(row)}
    rows = compare([STREAM], {"mine": model}, ["full"], [], 1, **more)
    return rows[0]["accuracy"], len(calls)


def test_a_models_runs_are_its_own(tmp_path):
    out = tmp_path / "rows.jsonl"
    _, y = rand_cbt(n_leaves=4, per_leaf=100, seed=2)
    shares = [float((y == answer).mean()) for answer in (0, 1)]
    assert shares[0] != shares[1]
    assert done(Says(1), out) == (shares[1], 1)
    assert done(Says(0), out) == (shares[0], 1)
    assert done(Says(1), out) == (shares[1], 0)
    bayes = done(naive_bayes.GaussianNB(), out)
    assert bayes[1] == 1
    assert done(naive_bayes.GaussianNB(), out) == (bayes[0], 0)


@pytest.mark.parametrize(
    ("model", "why"),
    [(Random(1), "are not the same"), (Says(1, lambda: 0), "cannot be pickled")],
    ids=["random", "unpicklable"],
)
def test_what_cannot_be_told_is_done_again_and_said(tmp_path, model, why):
    out = tmp_path / "rows.jsonl"
    for _ in range(2):
        with pytest.warns(UserWarning, match=rf"cannot tell the learner 'mine'.*{why}"):
            assert done(model, out)[1] == 1
    with warnings.catch_warnings():
        warnings.simplefilter(
            "error"
        )  # without a file nothing is kept, and there is nothing to say
        assert done(model, None)[1] == 1


def test_a_damaged_line_of_a_file_of_runs_is_done_again(tmp_path):
    out = tmp_path / "rows.jsonl"
    assert done(Says(1), out)[1] == 1
    line = out.read_text()
    key = line[: line.index('"row"')]
    for broken in (
        "[" * 100_000,
        "5",
        "[]",
        '{"key": [], "row": {}}',
        key + '"row": 5}',
        line[:-9],
    ):
        out.write_text(broken)
        assert done(Says(1), out)[1] == 1
        assert done(Says(1), out)[1] == 0


@pytest.mark.parametrize("kind", ["pair", "named", "file"])
def test_the_classes_of_scikit_learns_models_are_found(tmp_path, kind):
    X, y = rand_cbt(n_leaves=4, per_leaf=100, seed=2)
    path = tmp_path / "rows.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,c,d,e,y", comments="")
    stream = {"pair": {"s": (X, y)}, "named": [STREAM], "file": [path]}[kind]
    model = SGDClassifier(random_state=1)
    models = {"sgd": model, "bayes": naive_bayes.GaussianNB()}
    more = {}
    if kind == "file":
        with pytest.raises(ValueError, match="pass classes="):
            compare(stream, models, ["full"], [], 1)
        more["classes"] = [0, 1]
    rows = compare(stream, models, ["full", "random"], [0.3], 2, **more)
    assert len(rows) == 6
    assert rows[0]["accuracy"] == evaluate((X, y), model).accuracy
