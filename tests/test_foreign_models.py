"""Models of river, of scikit-learn and of the user's own are asked and taught like ours."""

import copy
import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from asking import name_of
from river import compose, ensemble, naive_bayes, preprocessing
from river.tree import HoeffdingTreeClassifier
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sapwood import ActiveLearner, ConfidenceTreeClassifier, evaluate
from sapwood._learners import RiverLearner, SklearnLearner
from sapwood.drift import DDM, Drift
from sapwood.strategies import Verdict

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # GaussianNB's, of one example


class Doubtful:
    """A user's strategy that moves."""

    asked = 0

    def decide(self, evidence, rate, rng):
        ask = evidence.confidence < 0.9 or rng.uniform() < 0.1
        self.asked += ask
        return Verdict(ask, feeds=self.asked % 2 == 0)


MODELS = {
    "hoeffding": HoeffdingTreeClassifier(grace_period=20),
    "bayes": naive_bayes.GaussianNB(),
    "pipeline": compose.Pipeline(preprocessing.StandardScaler(), naive_bayes.GaussianNB()),
    "sklearn bayes": GaussianNB(),
    "sgd": SGDClassifier(loss="log_loss", random_state=1),
}


def rows(n, seed=0, turn=None):
    rng = np.random.default_rng(seed)
    for i in range(n):
        a, b = rng.normal(size=2).tolist()
        yes = (a + 0.2 * b > 0) != (turn is not None and i >= turn)
        yield {"a": a, "b": b}, int(yes)


def run(learner, pairs):
    predictions = []
    for x, y in pairs:
        d = learner.decide(x)
        predictions.append(d.prediction)
        if d.ask:
            assert learner.label(d.id, y) == "learned"
    return predictions


@pytest.mark.parametrize("strategy", ["random", "split", "selective-sampling", "mine"])
@pytest.mark.parametrize("name", MODELS)
def test_foreign_models_are_taught_and_pickled(name, strategy):
    chosen = Doubtful() if strategy == "mine" else strategy
    model = copy.deepcopy(MODELS[name])
    learner = ActiveLearner(model, chosen, 0.5, "ddm", random_state=3, classes=[0, 1])
    pairs = list(rows(400))
    run(learner, pairs[:200])
    assert learner.model is model
    learner.decide(pairs[0][0])
    again = pickle.loads(pickle.dumps(learner))
    told = [run(one, pairs[200:]) for one in (learner, again)]
    assert told[0] == told[1]
    assert np.mean([p == y for p, (_, y) in zip(told[0], pairs[200:], strict=True)]) > 0.8
    assert again.budget._core.state() == learner.budget._core.state()
    assert list(again.questions) == list(learner.questions)
    with pytest.raises(TypeError, match="pickle it"):
        learner.save(Path("nowhere"))


def test_the_names_of_columns_outlive_a_pickle():
    learner = ActiveLearner(GaussianNB(), "all", 1.0, classes=[0, 1], random_state=1)
    rng = np.random.default_rng(0)
    for y in [0, 1] * 20:
        d = learner.decide({"a": 10 * y + rng.normal(), "b": -10 * y + rng.normal()})
        learner.label(d.id, y)
    other_order = {"b": -10.0, "a": 10.0}
    assert learner.decide(other_order).prediction == 1
    assert pickle.loads(pickle.dumps(learner)).decide(other_order).prediction == 1


@pytest.mark.parametrize(
    "bad", [{"a": np.inf}, {"a": "text"}, {"a": [1.0, 2.0]}, {"a": {}}, {"a": 10**400}], ids=name_of
)
@pytest.mark.parametrize("after", [0, 4])
def test_a_bad_example_changes_nothing_with_scikit_learn(after, bad):
    learner = ActiveLearner(GaussianNB(), "all", 1.0, classes=[0, 1], random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for i in range(after):
            learner.label(learner.decide({"a": float(i)}).id, i % 2)
        with pytest.raises((TypeError, ValueError), match=r"finite numbers.*'a' is "):
            learner.decide(bad)
    assert learner.budget.seen == after
    assert learner.questions == {}


def test_dates_are_seconds_for_scikit_learn_in_dicts_as_in_tables():
    days = pd.to_datetime([f"2026-03-{1 + i % 9:02}" for i in range(60)])
    table, y = pa.table({"day": days}), [i % 9 // 5 for i in range(60)]
    wanted = evaluate((table, y), GaussianNB()).to_dict()["confusion"]
    for values in (days, days.date, days.to_numpy()):
        rows = [({"day": day}, label) for day, label in zip(values, y, strict=True)]
        assert evaluate(rows, GaussianNB(), classes=[0, 1]).to_dict()["confusion"] == wanted


@pytest.mark.parametrize("bad", [None, float("nan"), [1], (1,), np.array([1]), np.array(1), 1.5])
@pytest.mark.parametrize("name", ["bayes", "sklearn bayes"])
def test_a_label_that_is_no_class_is_no_class_for_them_either(name, bad):
    model = copy.deepcopy(MODELS[name])
    learner = ActiveLearner(model, "all", 1.0, random_state=1, classes=[0, 1])
    learner.decide({"a": 1.0})
    with pytest.raises((TypeError, ValueError)):
        learner.label(1, bad)
    assert list(learner.questions) == [1]
    assert learner.label(1, 1) == "learned"


class Counter:
    """A user's model of one leaf, that can tell what it has learned and gives no probabilities."""

    def __init__(self):
        self.counts = {}

    def learn_one(self, x, y):
        self.counts[y] = self.counts.get(y, 0) + 1

    def predict_one(self, x):
        return max(self.counts, key=self.counts.get, default=None)

    def learned_at(self, x):
        return self.counts


def test_a_model_that_knows_its_leaf_works_with_conf_tree():
    learner = ActiveLearner(Counter(), "conf-tree", 1.0, random_state=1)
    tree = ActiveLearner(ConfidenceTreeClassifier(), "conf-tree", 1.0, random_state=1)
    for i in range(300):
        one, other = learner.decide({"a": 1}), tree.decide({"a": 1})
        assert (one.ask, one.reason, one.interval) == (other.ask, other.reason, other.interval)
        if one.ask:
            learner.label(one.id, "abc"[max(0, i % 8 - 5)])
            tree.label(other.id, "abc"[max(0, i % 8 - 5)])
    with pytest.raises(TypeError, match="probabilities"):
        ActiveLearner(Counter(), "variable-uncertainty", 1.0)


def test_what_a_model_cannot_do_is_said_at_once():
    with pytest.raises(TypeError, match=r"learned_at.*GaussianNB cannot"):
        ActiveLearner(naive_bayes.GaussianNB(), "conf-tree")
    with pytest.raises(TypeError, match=r"learned_at.*Perceptron cannot"):
        ActiveLearner(Perceptron(), "split-conf-tree", classes=[0, 1])
    for name in ("variable-uncertainty", "split", "selective-sampling"):
        with pytest.raises(TypeError, match="needs class probabilities, and Perceptron gives none"):
            ActiveLearner(Perceptron(), name, classes=[0, 1])
    for none in (None, []):
        with pytest.raises(ValueError, match="told all classes before it learns: pass classes="):
            ActiveLearner(GaussianNB(), "random", classes=none)
    with pytest.raises(TypeError, match="got Pipeline"):  # it has no partial_fit
        ActiveLearner(make_pipeline(StandardScaler(), GaussianNB()), "random", classes=[0, 1])
    with pytest.raises(TypeError, match="got int"):
        ActiveLearner(3, "random")
    learner = ActiveLearner(Perceptron(), "random", 1.0, classes=[0, 1])
    assert learner.label(learner.decide({"a": 1.0}).id, 1) == "learned"
    assert learner.decide({"a": 1.0}).probabilities == {}


def test_a_classifier_of_river_without_probabilities_can_be_asked_at_random():
    model = ensemble.VotingClassifier([naive_bayes.GaussianNB(), naive_bayes.GaussianNB()])
    learner = ActiveLearner(model, "random", 1.0, random_state=1)
    pairs = list(rows(200))
    assert np.mean([p == y for p, (_, y) in zip(run(learner, pairs), pairs, strict=True)]) > 0.8
    with pytest.raises(TypeError, match="probabilities"):
        ActiveLearner(model, "variable-uncertainty", 1.0)


# --- drift ----------------------------------------------------------------------------------------


class Plain(Counter):
    """A model that tells how to begin anew."""

    def clone(self):
        return Plain()


@pytest.mark.parametrize("name", [*MODELS, "plain"])
def test_the_model_that_takes_over_is_fresh(monkeypatch, name):
    """It equals a new one that was taught what came since the warning, and nothing else."""
    model = Plain() if name == "plain" else copy.deepcopy(MODELS[name])
    face = SklearnLearner if name in ("sgd", "sklearn bayes") else RiverLearner
    taught, learn = [], face.learn

    def noted(self, x, y):
        learn(self, x, y)
        taught.append((self.model, x, y))

    monkeypatch.setattr(face, "learn", noted)
    drift = Drift(DDM(min_examples=30), swap_after=25)
    learner = ActiveLearner(model, "all", 1.0, drift, random_state=1, classes=[0, 1])
    pairs = list(rows(900, turn=500))
    if name == "plain":
        pairs = [(x, int(i >= 500)) for i, (x, _) in enumerate(pairs)]
    for x, y in pairs:
        learner.label(learner.decide(x).id, y)
        if learner.model is not model:
            break
    assert learner.drifts == 1
    lessons = [(x, y) for one, x, y in taught if one is learner.model]
    assert 25 <= len(lessons) < len(taught) - 25
    twin = Plain() if name == "plain" else copy.deepcopy(MODELS[name])
    twin = ActiveLearner(twin, "all", 1.0, classes=[0, 1])
    for x, y in lessons:
        twin._learner.learn(x, y)
    for x, _ in pairs[:50]:
        one, other = (
            inner.consider(inner.freeze(x)[0]) for inner in (learner._learner, twin._learner)
        )
        assert one == other


def test_a_model_that_cannot_begin_anew_is_refused_at_once():
    with pytest.raises(TypeError, match="give it a method clone"):
        ActiveLearner(Counter(), "all", 1.0, drift="ddm")
    with pytest.raises(TypeError, match="give it a method clone"):
        evaluate((np.zeros((5, 1)), [0] * 5), Counter())


def test_evaluate_begins_a_users_model_anew():
    trained = Plain()
    for _ in range(1000):
        trained.learn_one({}, 1)
    result = evaluate((np.zeros((20, 1)), [0] * 20), trained, trained="fresh")
    assert result.accuracy == 0.95  # all but the first, which has no prediction
    assert trained.counts == {1: 1000}


@pytest.mark.parametrize("strategy", ["variable-uncertainty", "randomized-variable-uncertainty"])
def test_a_model_that_gives_no_numbers_yet_is_asked_about(strategy):
    """GaussianNB says NaN of every class until it knows two, and NaN is below no threshold."""
    rng = np.random.default_rng(3)
    learner = ActiveLearner(GaussianNB(), strategy, 0.5, classes=[0, 1], random_state=1)
    for x in rng.normal(size=(200, 2)):
        d = learner.decide(x)
        assert all(map(math.isfinite, d.probabilities.values()))
        if d.ask:
            learner.label(d.id, int(x[0] > 0))
    assert learner.budget.asked > 50
    assert set(d.probabilities) == {0, 1}
