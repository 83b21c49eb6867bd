"""Scores: what they cost with many classes, and the time that a run says it took."""

import time
import tracemalloc

import numpy as np
import pytest
from river.naive_bayes import GaussianNB
from sklearn import metrics

from sapwood import ConfidenceTreeClassifier, Evaluation, evaluate
from sapwood._learners import TreeLearner
from sapwood._scores import Scores
from sapwood.datasets import rand_cbt
from sapwood.report import report_html
from sapwood.report.classes import MAX_SCORES


def many_classes(n_rows, n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows, 1))
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def peak(function):
    """Return what a call gives, and the bytes that it held at most."""
    tracemalloc.start()
    try:
        return function(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class Constant:
    """A model of a user's that costs nothing, whatever the number of classes."""

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return 1

    def clone(self):
        return Constant()


@pytest.mark.parametrize("kind", ["tables", "dicts"])
def test_scoring_grows_with_the_classes_and_not_with_their_square(kind):
    model = ConfidenceTreeClassifier() if kind == "tables" else Constant()

    def run(n_classes):
        X, y = many_classes(6000, n_classes)
        stream = (X, y) if kind == "tables" else [({"x": 1.0}, int(label)) for label in y]
        return evaluate(stream, model, every=100)

    few, held_by_few = peak(lambda: run(60))
    many, held_by_many = peak(lambda: run(6000))
    assert max(len(few.pairs.rows), len(many.pairs.rows)) <= 6000
    assert many.pairs.rows.sum() == 6000
    assert len(many.curve["kappa"]) == 60
    assert held_by_many - held_by_few < 6000 * 6000  # bytes: a table of numbers is eight times that


@pytest.mark.parametrize("n_classes", [1, 2, 40, 1500])
def test_scores_of_many_classes_are_those_of_scikit_learn(n_classes):
    """Natively and in Python, in stretches that a feed may cut."""
    rng = np.random.default_rng(n_classes)
    truth, said = rng.integers(0, n_classes, (2, 4000))
    said = np.where(rng.random(4000) < 0.6, truth, said)
    missing = rng.random(4000) < 0.01
    one_by_one, coded = Scores(), Scores()
    for i, (t, p, none) in enumerate(zip(truth.tolist(), said.tolist(), missing, strict=True), 1):
        t, p = one_by_one.code_of(t), -1 if none else one_by_one.code_of(p)
        one_by_one.add_one(t, p)
        if i % 700 == 0:
            one_by_one.note()
    one_by_one.note()
    numbers = [coded.code_of(k) for k in range(n_classes)]
    predicted = np.where(missing, 2**32 - 1, said).astype(np.uint32)
    for begin, end in ((0, 1), (1, 650), (650, 2900), (2900, 4000)):
        part = slice(begin, end)
        ends = [at - begin for at in range(700, 4000, 700) if begin < at <= end]
        coded.add_coded(truth[part].astype(np.int32), predicted[part], numbers, numbers, ends)
    coded.note()
    text = (
        [str(t) for t in truth],
        ["none" if m else str(p) for p, m in zip(said, missing, strict=True)],
    )
    positive = int(truth[0])
    for scores in (one_by_one, coded):
        curve = scores.curve(positive)
        assert curve["i"].tolist() == [700, 1400, 2100, 2800, 3500, 4000]
        for k, end in enumerate(curve["i"]):
            true, guess = (part[:end] for part in text)
            assert curve["accuracy"][k] == pytest.approx(metrics.accuracy_score(true, guess))
            assert curve["kappa"][k] == pytest.approx(metrics.cohen_kappa_score(true, guess))
            f = metrics.f1_score(true, guess, labels=[str(positive)], average=None)
            assert curve["f_measure"][k] == pytest.approx(f[0])
        last = tuple(curve[c][-1] for c in ("accuracy", "f_measure", "kappa"))
        assert scores.measures(positive) == last
        table = scores.confusion().in_order(scores.order()).table()
        labels = sorted({*text[0], *text[1]} - {"none"}, key=int)
        expected = metrics.confusion_matrix(*text, labels=[*labels, "none"])
        assert (table == expected[:-1]).all()


def test_a_tree_tells_of_no_class_to_a_run_that_does_not_look(monkeypatch):
    """Of dicts, with all labels learned: to tell of each class at each row costs rows x classes."""
    told, consider = [], TreeLearner.consider

    def spied(self, x, weigh=True):
        said = consider(self, x, weigh)
        told.append(len(said.probabilities))
        return said

    monkeypatch.setattr(TreeLearner, "consider", spied)
    rows = [({"x": float(i % 7)}, i % 3) for i in range(200)]
    plain = evaluate(rows, ConfidenceTreeClassifier(grace_period=20))
    assert set(told) == {0}
    how = {"strategy": "conf-tree", "budget": 1.0}
    evaluate(rows, ConfidenceTreeClassifier(grace_period=20), **how)
    assert max(told) == 3
    table = [[x["x"]] for x, _ in rows], [y for _, y in rows]
    native = evaluate(table, ConfidenceTreeClassifier(grace_period=20))
    assert (plain.confusion == native.confusion).all()


def test_a_result_of_many_classes_is_written_without_a_table():
    X, y = many_classes(900, 300)
    result = evaluate((X, y), ConfidenceTreeClassifier())
    kept = result.to_dict()
    assert "confusion" not in kept
    table = np.zeros((300, 301), dtype=int)
    for true, predicted, rows in kept["confusion_pairs"]:
        table[true, predicted] = rows
    assert (table == result.confusion).all()
    page = report_html(result)
    assert f"the {MAX_SCORES} most frequent of 300 classes" in page
    assert page.count('<td class="bar"') == 3 * MAX_SCORES


@pytest.mark.parametrize("rows", ["tables", "dicts"])
def test_seconds_are_what_the_user_waits(monkeypatch, rows):
    """The clock goes on by what each part of a run takes, and nothing else."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def spend(seconds, what):
        def after(*args, **how):
            now[0] += seconds
            return what(*args, **how)

        return after

    def stream():
        for i in range(50):
            now[0] += 1.0  # reading
            yield {"x": float(i)}, i % 2

    monkeypatch.setattr(Scores, "note", spend(100.0, Scores.note))
    monkeypatch.setattr(Scores, "measures", spend(1000.0, Scores.measures))
    slow = GaussianNB()
    if rows == "dicts":
        monkeypatch.setattr(GaussianNB, "learn_one", spend(10.0, GaussianNB.learn_one))
        result = evaluate(stream(), slow, every=20)
        assert result.seconds == 50 + 500 + 300 + 1000
        # 1000 rows are read at a time; the scores at a record are made before the next one.
        assert result.curve["seconds"].tolist() == [50 + 200 + 100, 50 + 400 + 200, 750]
    else:
        pairs = [[x["x"]] for x, _ in stream()], [y for _, y in stream()]
        monkeypatch.setattr(Scores, "add_coded", spend(7.0, Scores.add_coded))
        before = now[0]
        result = evaluate(pairs, ConfidenceTreeClassifier(), every=50)
        assert result.seconds == now[0] - before == 1007


def test_classes_that_never_came_are_in_no_result():
    X, y = rand_cbt(n_leaves=3, per_leaf=50, seed=1)
    dicts = [(dict(enumerate(x)), label) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    for stream in ((X, y), dicts):
        result = evaluate(stream, ConfidenceTreeClassifier(), classes=[0, 1, 2])
        assert result.classes == [0, 1]
        assert result.confusion.shape == (2, 3)
    run = Evaluation(ConfidenceTreeClassifier(), classes=[0, 1, 2], positive=2)
    run.feed(X, y)
    with pytest.warns(UserWarning, match=r"positive=2 has not occurred: the labels were \[0, 1\]"):
        run.result()
