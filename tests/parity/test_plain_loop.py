"""Models of river and scikit-learn predict in our loops, row by row, what they do in plain ones."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from river import (
    base,
    compose,
    drift,
    dummy,
    ensemble,
    facto,
    forest,
    imblearn,
    linear_model,
    multiclass,
    naive_bayes,
    neighbors,
    preprocessing,
    tree,
)
from sklearn.base import clone
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier

from sapwood import ActiveLearner, evaluate
from sapwood._learners import RiverLearner, SklearnLearner
from sapwood.compare import compare

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::FutureWarning")

logistic, scaled = linear_model.LogisticRegression, preprocessing.StandardScaler
SHARES = {"a": 0.4, "b": 0.3, "c": 0.3}


def small_tree():
    return tree.HoeffdingTreeClassifier(grace_period=20)


def numbers():
    return compose.SelectType(float) | scaled()


def words():
    return compose.SelectType(str) | preprocessing.OneHotEncoder()


#: Of numbers and text, of three classes.
OF_RIVER = {
    "Hoeffding tree": small_tree(),
    "Hoeffding adaptive tree": tree.HoeffdingAdaptiveTreeClassifier(grace_period=20, seed=1),
    "extremely fast tree": tree.ExtremelyFastDecisionTreeClassifier(grace_period=20),
    "last tree": tree.LASTClassifier(),
    "adaptive random forest": forest.ARFClassifier(n_models=5, grace_period=20, seed=1),
    "streaming random patches": ensemble.SRPClassifier(small_tree(), 4, seed=1),
    "random subspaces": ensemble.SRPClassifier(
        small_tree(), 4, training_method="subspaces", seed=1
    ),
    "bagging": ensemble.BaggingClassifier(small_tree(), 3, seed=1),
    "ADWIN bagging": ensemble.ADWINBaggingClassifier(small_tree(), 3, seed=1),
    "leveraging bagging": ensemble.LeveragingBaggingClassifier(small_tree(), 3, seed=1),
    "AdaBoost": ensemble.AdaBoostClassifier(small_tree(), 3, seed=1),
    "ADWIN boosting": ensemble.ADWINBoostingClassifier(small_tree(), 3, seed=1),
    "BOLE": ensemble.BOLEClassifier(small_tree(), 3, seed=1),
    "voting": ensemble.VotingClassifier(
        [small_tree(), dummy.PriorClassifier()], use_probabilities=False
    ),
    "drift retraining": drift.DriftRetrainingClassifier(small_tree()),
    "no change": dummy.NoChangeClassifier(),
    "prior": dummy.PriorClassifier(),
    "Gaussian Bayes": numbers() | naive_bayes.GaussianNB(),
    "multinomial Bayes": words() | naive_bayes.MultinomialNB(),
    "Bernoulli Bayes": words() | naive_bayes.BernoulliNB(),
    "complement Bayes": words() | naive_bayes.ComplementNB(),
    "softmax": numbers() | linear_model.SoftmaxRegression(),
    "one against the rest": numbers() | multiclass.OneVsRestClassifier(logistic()),
    "one against one": numbers() | multiclass.OneVsOneClassifier(logistic()),
    "output code": numbers()
    | multiclass.OutputCodeClassifier(logistic(), code_size=10, coding_method="random", seed=1),
    "nearest neighbours": numbers() | neighbors.KNNClassifier(3),
    "Mondrian forest": numbers() | forest.AMFClassifier(4, seed=1),
    "both kinds": numbers() + words() | multiclass.OneVsRestClassifier(logistic()),
    "over-sampled": imblearn.RandomOverSampler(small_tree(), SHARES, seed=1),
    "under-sampled": imblearn.RandomUnderSampler(small_tree(), SHARES, seed=1),
}
#: Of numbers, of two classes.
OF_TWO_CLASSES = {
    "logistic": scaled() | logistic(),
    "ALMA": scaled() | linear_model.ALMAClassifier(),
    "passive-aggressive": scaled() | linear_model.PAClassifier(),
    "perceptron": scaled() | linear_model.Perceptron(),
    "hard sampling": scaled() | imblearn.HardSamplingClassifier(logistic(), 20, 0.2, seed=1),
    "factorisation machine": scaled() | facto.FMClassifier(3, seed=1),
    "stacking": scaled() | ensemble.StackingClassifier([logistic(), small_tree()], logistic()),
}
OF_SCIKIT_LEARN = {
    "SGD": SGDClassifier(random_state=1),
    "logistic SGD": SGDClassifier(loss="log_loss", random_state=1),
    "Perceptron": Perceptron(random_state=1),
    "passive-aggressive": SGDClassifier(
        penalty=None, learning_rate="pa1", eta0=1.0, random_state=1
    ),
    "GaussianNB": GaussianNB(),
    "MultinomialNB": MultinomialNB(),
    "BernoulliNB": BernoulliNB(binarize=0.5),
    "ComplementNB": ComplementNB(),
    "CategoricalNB": CategoricalNB(min_categories=4),
    "MLP": MLPClassifier((5,), learning_rate_init=0.05, random_state=1),
}


def stream(n_classes, words):
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(200):
        a, b, c = rng.normal(size=3).tolist()
        word = "xyz"[rng.integers(3)]
        score = a + 0.5 * (word == "x") + 0.3 * rng.normal()
        y = "abc"[min(n_classes - 1, int(score > 0) + int(score > 0.8))]
        rows.append(({"n": a, "m": b, "k": c} | ({"w": word} if words else {}), y))
    return rows if words else [(x, y == "b") for x, y in rows]


def plain_loop(model, rows):
    told = []
    for x, y in rows:
        told.append(model.predict_one(x))
        model.learn_one(x, y)
    return told


def by_hand(learner, rows):
    told = []
    for x, y in rows:
        decision = learner.decide(x)
        told.append(decision.prediction)
        learner.label(decision.id, y)
    return told


@pytest.fixture
def told(monkeypatch):
    """What was predicted in a run."""
    kept = []
    for face in (RiverLearner, SklearnLearner):

        def noted(self, *given, consider=face.consider, **more):
            said = consider(self, *given, **more)
            kept.append(said.prediction)
            return said

        monkeypatch.setattr(face, "consider", noted)
    return kept


CASES = [(model, stream(3, True)) for model in OF_RIVER.values()]
CASES += [(model, stream(2, False)) for model in OF_TWO_CLASSES.values()]


@pytest.mark.parametrize(("model", "rows"), CASES, ids=[*OF_RIVER, *OF_TWO_CLASSES])
def test_rivers_models_predict_as_in_a_plain_loop(told, model, rows):
    expected = plain_loop(model.clone(), rows)
    assert len({*expected[50:]}) > 1 or isinstance(model, dummy.PriorClassifier)
    table = pd.DataFrame([x for x, _ in rows]), [y for _, y in rows]
    for run in (
        lambda: evaluate(iter(rows), model),
        lambda: evaluate(table, model),
        lambda: compare({"s": table}, {"m": model}, ["full"], seeds=1),
        lambda: by_hand(ActiveLearner(model.clone(), "all", 1.0), rows),
    ):
        told.clear()
        run()
        assert told == expected


@pytest.mark.parametrize("kind", ["float64", "float32", "frame"])
@pytest.mark.parametrize("model", OF_SCIKIT_LEARN.values(), ids=OF_SCIKIT_LEARN)
def test_scikit_learns_models_predict_as_in_a_plain_loop(told, model, kind):
    pairs = stream(2, False)
    X = np.array([[*x.values()] for x, _ in pairs])
    if isinstance(model, (CategoricalNB, MultinomialNB, ComplementNB)):
        X = np.clip(X + 2, 0, 3).round()
    X = pd.DataFrame(X, columns=["a", "b", "c"]) if kind == "frame" else X.astype(kind)
    y = np.array(["no", "yes"])[[int(y) for _, y in pairs]]
    plain, expected = clone(model), [None]
    for i in range(len(y)):
        row = X.iloc[[i]] if kind == "frame" else X[i : i + 1]
        if i:
            expected.append(plain.predict(row)[0])
        plain.partial_fit(row, y[i : i + 1], classes=["no", "yes"])
    assert len({*expected[50:]}) > 1
    for run in (
        lambda: evaluate((X, y), model),
        lambda: compare({"s": (X, y)}, {"m": model}, ["full"], seeds=1, classes=["no", "yes"]),
        lambda: by_hand(
            ActiveLearner(clone(model), "all", 1.0, classes=["no", "yes"]),
            [(X.iloc[[i]] if kind == "frame" else X[i : i + 1], y[i]) for i in range(len(y))],
        ),
    ):
        told.clear()
        run()
        assert told == expected


class Diary(base.Classifier):
    """A model that notes how it is called."""

    pages: ClassVar = []

    def learn_one(self, x, y):
        self.pages.append((id(self), "learn", y))

    def predict_one(self, x):
        self.pages.append((id(self), "predict", x))

    def predict_proba_one(self, x):
        self.pages.append((id(self), "weigh", x))
        return {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("strategy", [None, "all", "variable-uncertainty"])
def test_a_model_is_called_as_in_a_plain_loop(strategy):
    """Nothing comes before its first row; probabilities are asked for where they are wanted."""
    Diary.pages.clear()
    rows = stream(3, True)[:20]
    budget = None if strategy is None else 1.0
    model = evaluate(iter(rows), Diary(), strategy=strategy, budget=budget, random_state=1).model
    called = [page[1:] for page in Diary.pages if page[0] == id(model)]
    weighs = strategy == "variable-uncertainty"
    expected = []
    for x, y in rows:
        expected += [("predict", x), ("weigh", x), ("learn", y)][:: 1 if weighs else 2]
    assert called == expected


def test_a_models_own_first_row_forms_it():
    """A river's forest draws its subsets from the first row that it meets."""
    model = forest.ARFClassifier(n_models=5, seed=1)
    learner = ActiveLearner(model, "variable-uncertainty", 1.0, random_state=1)
    assert len(model) == 0
    learner.decide({"a": 1.0, "b": 2.0})
    assert len(model) == 5
