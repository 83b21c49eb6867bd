"""``n_jobs`` belongs to the process: it acts at once, is copied with the object, and is no part of
the model."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import sapwood
from sapwood import ConfidenceTreeClassifier, _jobs
from sapwood._jobs import n_cores, n_threads
from sapwood.datasets import rand_cbt
from sapwood.persist import from_bytes, to_bytes

X, Y = rand_cbt(n_leaves=8, per_leaf=2500, seed=1)  # enough rows for two threads


def fitted(**params):
    return ConfidenceTreeClassifier(c=0.01, **params).fit(X, Y)


class Watched:
    """A model that keeps how many threads it was asked to use."""

    def __init__(self, model):
        self._model, self.threads = model, []

    def __getattr__(self, name):
        found = getattr(self._model, name)
        if name not in ("predict", "predict_proba", "apply"):
            return found

        def ask(columns, names, n_rows, threads):
            self.threads.append(threads)
            return found(columns, names, n_rows, threads)

        return ask


def test_what_it_stands_for(monkeypatch):
    monkeypatch.setattr(_jobs, "n_cores", lambda: 8)
    wanted = {None: 1, 1: 1, 5: 5, -1: 8, -2: 7, -8: 1, -100: 1, 10**30: 2**31 - 1}
    assert {n_jobs: n_threads(n_jobs) for n_jobs in wanted} == wanted
    assert n_threads(np.int64(3)) == 3


def test_cores_are_those_that_the_process_may_use():
    assert n_cores() >= 1


def test_every_method_on_batches_uses_it():
    tree = fitted()
    tree._model = Watched(tree._model)
    tree.set_params(n_jobs=3)
    tree.predict(X)
    tree.predict_proba(X)
    tree.apply(X)
    tree.predict_many(X)
    tree.predict_proba_many(X)
    tree.score(X, Y)
    tree.n_jobs = None
    tree.predict(X)
    assert tree._model.threads == [3] * 6 + [1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True, float("nan"), [1]])
def test_absurd_numbers_are_refused_at_once(n_jobs):
    tree = fitted().set_params(n_jobs=n_jobs)
    for ask in (tree.predict, tree.predict_proba, tree.apply, tree.predict_many):
        with pytest.raises(ValueError, match="n_jobs must be a whole number other than 0"):
            ask(X)


def test_it_is_no_part_of_the_model():
    one, two = fitted(), fitted(n_jobs=2)
    assert to_bytes(one) == to_bytes(two)
    assert b"n_jobs" not in to_bytes(two)
    assert from_bytes(to_bytes(two)).n_jobs is None


def test_it_is_copied_with_the_object():
    tree = fitted(n_jobs=2)
    for again in (
        clone(tree),
        copy.copy(tree),
        copy.deepcopy(tree),
        pickle.loads(pickle.dumps(tree)),
        pickle.loads(pickle.dumps(ConfidenceTreeClassifier(n_jobs=2))),
    ):
        assert again.n_jobs == 2
    assert repr(clone(tree)) == "ConfidenceTreeClassifier(c=0.01, n_jobs=2)"


def test_river_keeps_it():
    river = pytest.importorskip("sapwood.river")
    tree = river.ConfidenceTreeClassifier(n_jobs=2)
    tree.learn_many(X, Y)
    assert tree.clone().n_jobs == 2
    whole = tree.clone({"n_jobs": 3}, include_attributes=True)
    assert whole.n_jobs == 3
    assert whole.predict_many(X).tolist() == tree.predict_many(X).tolist()


def test_a_refusal_is_that_of_one_thread():
    bad = X.copy()
    bad[-1, 2] = np.inf
    bad[5, 4] = np.inf
    said = []
    for n_jobs in (1, 2):
        with pytest.raises(ValueError, match="infinity: column 2, row 19999") as raised:
            fitted(n_jobs=n_jobs).predict(bad)
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_runs_of_other_numbers_are_the_same_run():
    one = sapwood.Evaluation(ConfidenceTreeClassifier(), random_state=0)
    two = sapwood.Evaluation(ConfidenceTreeClassifier(n_jobs=2), random_state=0)
    assert one.settings() == two.settings()
    assert "n_jobs" not in one.settings()["model"]


def test_under_processes_of_scikit_learn():
    scores = [cross_val_score(fitted(n_jobs=2), X, Y, cv=2, n_jobs=n).tolist() for n in (1, 2)]
    assert scores[0] == scores[1]
