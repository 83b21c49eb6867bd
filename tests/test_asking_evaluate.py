"""`evaluate` with budgets, delays and other libraries' models, and what it gives."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from asking import told
from pyarrow import csv, parquet
from river import datasets, naive_bayes
from river.tree import HoeffdingTreeClassifier
from sklearn import metrics
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from sapwood import Budget, ConfidenceTreeClassifier, Evaluation, evaluate
from sapwood.drift import DDM, Drift
from sapwood.report import report_html
from sapwood.results import CURVE_COLUMNS
from sapwood.strategies import Strategy

ACTIVE = {"strategy": "conf-tree", "budget": 0.3, "random_state": 4}


def tree():
    return ConfidenceTreeClassifier(c=0.01, grace_period=20)


def stream(n=600, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.digitize(X[:, 0] + 0.3 * X[:, 1], [0.0, 1.0][: classes - 1])
    return X, y


def dicts(X):
    return [dict(enumerate(row)) for row in X.tolist()]


def scores(result):
    table = result.to_dict()
    del table["seconds"], table["curve"]["seconds"], table["settings"]["random_state"]
    return table


# --- the same as a loop by hand -------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [HoeffdingTreeClassifier(grace_period=20), naive_bayes.GaussianNB()]
)
def test_river_by_hand(model):
    X, y = stream(classes=3)
    hand, right = model.clone(), []
    for x, label in zip(dicts(X), y.tolist(), strict=True):
        right.append(hand.predict_one(x) == label)
        hand.learn_one(x, label)
    result = evaluate((X, y), model)
    assert result.accuracy == np.mean(right)
    assert result.model.predict_one({0: 0.1, 1: 0.0, 2: 0.0}) == hand.predict_one(
        {0: 0.1, 1: 0.0, 2: 0.0}
    )
    assert result.labels == 600
    assert result.n_leaves == getattr(hand, "n_leaves", 0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("model", [SGDClassifier(loss="log_loss", random_state=1), GaussianNB()])
@pytest.mark.parametrize("table", [np.asarray, lambda X: pd.DataFrame(X, columns=list("abc"))])
def test_scikit_learn_by_hand(model, table):
    X, y = stream(classes=3)
    X = table(X)
    hand, right = type(model)(**model.get_params()), [False]
    rows = [X.iloc[[i]] if hasattr(X, "iloc") else X[[i]] for i in range(len(X))]
    hand.partial_fit(rows[0], y[:1], classes=[0, 1, 2])
    for i in range(1, len(rows)):
        right.append(hand.predict(rows[i])[0] == y[i])
        hand.partial_fit(rows[i], y[i : i + 1])
    result = evaluate((X, y), model)
    assert result.accuracy == np.mean(right)
    assert not hasattr(model, "classes_")
    assert hasattr(result.model, "feature_names_in_") == hasattr(X, "iloc")


# --- scores ---------------------------------------------------------------------------------------


class Remembers:
    """A strategy that asks for all."""

    def decide(self, evidence, rate, rng):
        return True

    def __repr__(self):
        return "Remembers()"


@pytest.mark.parametrize("names", [None, ["low", "mid", "high"], [True, False]])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("strategy", [None, Remembers()])
def test_scores_are_those_of_scikit_learn(strategy, classes, names):
    X, y = stream(classes=classes)
    if names is not None:
        y = np.array(names)[y % len(names)]
    model, said = tree(), []
    for x, label in zip(dicts(X), y.tolist(), strict=True):
        said.append(model.predict_one(x))
        model.learn_one(x, label)
    assert said[0] is None
    result = evaluate((X, y), tree(), strategy=strategy, every=100)
    labels = sorted(set(y.tolist()))
    assert result.classes == labels
    expected = metrics.confusion_matrix(y[1:], said[1:], labels=labels)
    assert (result.confusion[:, :-1] == expected).all()
    first = [int(label == y[0]) for label in labels]  # "no prediction" is the last column
    assert result.confusion[:, -1].tolist() == first

    guess = ["none", *map(str, said[1:])]
    options = {"labels": [str(label) for label in labels], "zero_division": 0.0}
    scores = metrics.precision_recall_fscore_support([str(v) for v in y], guess, **options)
    for row, precision, recall, f, support in zip(result.per_class(), *scores, strict=True):
        assert row["precision"] == pytest.approx(precision)
        assert row["recall"] == pytest.approx(recall)
        assert row["f_measure"] == pytest.approx(f)
        assert row["support"] == support
    kappa = metrics.cohen_kappa_score([str(v) for v in y], guess)
    assert result.kappa == pytest.approx(kappa)
    rarest = min(labels, key=lambda label: ((y == label).sum(), label))
    assert result.positive == rarest
    assert result.f_measure == pytest.approx(scores[2][labels.index(rarest)])
    for label in labels:
        other = evaluate((X, y), tree(), strategy=strategy, positive=label)
        assert other.positive == label
        assert other.f_measure == pytest.approx(scores[2][labels.index(label)])
    for i, f, k in zip(*(result.curve[c] for c in ("i", "f_measure", "kappa")), strict=True):
        part = [str(v) for v in y[:i]], guess[:i]
        each = metrics.f1_score(*part, **options, average=None)
        assert f == pytest.approx(each[labels.index(rarest)])
        assert k == pytest.approx(metrics.cohen_kappa_score(*part))


def test_the_positive_class_occurs():
    """A class that is only predicted is not the rarest class of the stream."""

    class Wrong:
        def learn_one(self, x, y):
            pass

        def predict_one(self, x):
            return 7

        def clone(self):
            return Wrong()

    result = evaluate((np.zeros((5, 1)), [0, 0, 0, 1, 1]), Wrong())
    assert result.positive == 1
    assert result.accuracy == result.f_measure == 0.0
    with pytest.raises(ValueError, match=r"positive=9 is not a class: \[0, 1\] occurred"):
        evaluate((np.zeros((5, 1)), [0, 0, 0, 1, 1]), tree(), positive=9)


def test_the_columns_of_the_curve():
    columns = (
        "i accuracy window_accuracy f_measure kappa leaves labels query_rate drifts bytes seconds"
    )
    assert tuple(columns.split()) == CURVE_COLUMNS
    for model in (tree(), naive_bayes.GaussianNB()):
        more = {"strategy": "random", "budget": 0.3, "random_state": 1, "every": 150}
        curve = evaluate(stream(), model, **more).curve
        assert list(curve.to_pandas().columns) == columns.split()
        assert curve["i"].tolist() == [150, 300, 450, 600]
        assert (np.diff(curve["labels"]) >= 0).all()
        assert curve["query_rate"].tolist() == (curve["labels"] / curve["i"]).tolist()


# --- delay, time and seeds ------------------------------------------------------------------------


@pytest.mark.parametrize("rows", ["array", "dicts"])
@pytest.mark.parametrize("delay", [0, 1, 7, 599, 600, 10**9])
def test_labels_due_after_the_end_are_not_learned(delay, rows):
    X, y = stream()
    source = (X, y) if rows == "array" else list(zip(dicts(X), y.tolist(), strict=True))
    model, said, waiting = ConfidenceTreeClassifier(c=0.01, grace_period=20), [], []
    for i, (x, label) in enumerate(zip(dicts(X), y.tolist(), strict=True)):
        said.append(model.predict_one(x))
        waiting.append((x, label))
        if i >= delay:
            model.advance()
            model._learn_seen(*waiting[i - delay])
        else:
            model.advance()
    for strategy in (None, "all"):
        result = evaluate(source, tree(), delay=delay, strategy=strategy)
        learned = sum(result.model.learned_at(dict.fromkeys(range(3), 0.0)).values())
        assert result.labels == 600
        assert learned <= max(0, 600 - delay)
        if delay == 599:
            assert learned == 1
        # Before any label is due nothing can be predicted, and nothing is scored; the row after is
        # the one without a prediction that every run begins with.
        scored = [a == b for a, b in zip(said, y.tolist(), strict=True)][delay:]
        assert result.unscored == min(600, delay)
        assert result.accuracy == (np.mean(scored) if scored else 0.0)
        assert result.confusion.sum() == len(scored)
        assert result.confusion[:, -1].sum() == min(1, len(scored))
        assert result.curve["i"][-1] == result.n_rows == 600
        assert result.curve["accuracy"][-1] == result.accuracy
        guess = ["none" if a is None else str(a) for a in said[delay:]]
        if len(scored) > 1:
            kappa = metrics.cohen_kappa_score([str(b) for b in y[delay:]], guess)
            assert result.kappa == pytest.approx(kappa, nan_ok=True)
        assert set(result.classes) == {0, 1}
        assert np.isfinite(list(result.curve.to_pandas().max())).all()


@pytest.mark.parametrize("rows", ["array", "dicts"])
def test_what_is_left_out_is_said(rows):
    """Constant labels, so that only rows without a prediction can be wrong."""
    X, y = np.zeros((500, 1)), np.ones(500, dtype=int)
    source = (X, y) if rows == "array" else list(zip(dicts(X), y.tolist(), strict=True))
    for delay, every in ((0, 100), (99, 100), (100, 100), (101, 100), (250, 70)):
        result = evaluate(source, tree(), delay=delay, every=every)
        assert result.unscored == result.metrics()["unscored"] == delay
        assert result.accuracy == (499 - delay) / (500 - delay)
        i = result.curve["i"]
        scored = np.maximum(i - delay, 0)
        right = np.maximum(scored - 1, 0)
        assert result.curve["accuracy"].tolist() == (right / np.maximum(scored, 1)).tolist()
        assert ("came before any label could" in report_html(result)) == (delay > 0)
    # What predicts from the start is scored from the start.
    trained = evaluate(source, tree()).model
    result = evaluate(source, trained, delay=100, trained="continue")
    assert (result.unscored, result.accuracy) == (0, 1.0)
    result = evaluate(source, Always(), delay=100)
    assert (result.unscored, result.accuracy) == (0, 1.0)


class Always:
    """A model of a user's that predicts before it has learned."""

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return 1

    def clone(self):
        return Always()


def test_a_budget_per_time_needs_times_and_keeps_them():
    X, y = stream()
    slow = {"strategy": "all", "budget": Budget.per_time(3, seconds=10, rate=0.5)}
    with pytest.raises(ValueError, match="needs the time of each row: pass times="):
        evaluate((X, y), tree(), **slow)
    for base in (0.0, 1e9, -1e6):
        assert evaluate((X, y), tree(), times=base + np.arange(600.0), **slow).labels == 180
    with pytest.raises(ValueError, match="times has 5 entries for 600 rows"):
        evaluate((X, y), tree(), times=np.arange(5.0), **slow)
    pairs = list(zip(dicts(X), y.tolist(), strict=True))
    assert evaluate(pairs, tree(), times=np.arange(600.0), **slow).labels == 180
    with pytest.raises(ValueError, match="times"):
        evaluate(pairs, tree(), times=np.arange(5.0), **slow)


@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
def test_times_are_seconds_whatever_their_unit_or_are_refused(unit):
    X, y = stream(60)
    times = (np.datetime64("2020-01-01", "s") + np.arange(60)).astype(f"datetime64[{unit}]")
    slow = {"strategy": "all", "budget": Budget.per_time(3, seconds=10, rate=0.5)}
    try:
        result = evaluate((X, y), tree(), times=times, **slow)
    except (TypeError, ValueError):
        return
    assert result.labels == 18


def test_several_seeds_and_no_seed():
    ours = {**ACTIVE, "strategy": "random"}
    seeds = [1, np.int64(2), 2**64 - 1]
    results = evaluate(stream(), tree(), **{**ours, "random_state": seeds})
    for seed, result in zip(seeds, results, strict=True):
        assert told(result) == told(evaluate(stream(), tree(), **{**ours, "random_state": seed}))
    assert len({r.accuracy for r in results}) == 3
    assert evaluate(stream(), tree(), **{**ours, "random_state": range(2)})[1].n_rows == 600
    unseeded = [evaluate(stream(), tree(), **{**ours, "random_state": None}) for _ in range(2)]
    noted = [result.settings["random_state"] for result in unseeded]
    assert noted[0] != noted[1]
    again = evaluate(stream(), tree(), **{**ours, "random_state": noted})
    assert list(map(told, again)) == list(map(told, unseeded))


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": 0.1}, "needs a strategy"),
        ({"strategy": "conf-tree"}, "needs a budget"),
        ({"strategy": Strategy("split")}, "needs a budget"),
        ({"strategy": "guess", "budget": 0.1}, "strategy must be one of"),
        ({"strategy": "random", "budget": "lots"}, "Cannot read the budget 'lots'"),
        ({"strategy": "random", "budget": 1.5}, "between 0 and 1"),
        ({"drift": "hearsay"}, "drift must be one of"),
        *(({"every": bad}, "every must be a whole number") for bad in (0, -1, 2.5, True, "1")),
        *(({"delay": bad}, "delay must be a whole number") for bad in (-1, 0.5, None, False)),
        *(({"random_state": bad}, "random_state must") for bad in (-1, 0.5, "1", [1, "x"])),
        ({"random_state": [1], "checkpoint": "x"}, "one random_state"),
    ],
)
def test_errors_are_clear(settings, message):
    with pytest.raises(ValueError, match=message):
        evaluate(stream(), tree(), **settings)


@pytest.mark.parametrize("none", [(np.zeros((0, 2)), []), [], iter([])])
def test_an_empty_stream_is_an_error(none):
    with pytest.raises(ValueError, match="has no rows: there is nothing to evaluate"):
        evaluate(none, tree())


# --- sources --------------------------------------------------------------------------------------


def test_all_sources_of_the_same_rows_give_the_same(tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=400).round(3), "b": rng.choice(["x", "y"], 400)})
    y = np.where((X["a"] > 0) & (X["b"] == "x"), "yes", "no")
    frame = X.assign(label=y)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    records = frame.to_dict("records")
    csv.write_csv(table, tmp_path / "s.csv")
    parquet.write_table(table, tmp_path / "s.parquet")
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    sources = {
        "pair": (X, y),
        "pair of lists": (X.to_dict("records"), y.tolist()),
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "polars pair": (pl.from_pandas(X), pl.Series(y)),
        "arrow": table,
        "csv": tmp_path / "s.csv",
        "csv as text": str(tmp_path / "s.csv"),
        "parquet": tmp_path / "s.parquet",
        "jsonl": tmp_path / "s.jsonl",
        "pairs": [({k: r[k] for k in "ab"}, r["label"]) for r in records],
        "generator": (({k: r[k] for k in "ab"}, r["label"]) for r in records),
    }
    for model in (tree(), HoeffdingTreeClassifier(grace_period=20)):
        more = {**ACTIVE, "strategy": "variable-uncertainty", "every": 100, "drift": "ddm"}
        generator = [({k: r[k] for k in "ab"}, r["label"]) for r in records]
        results = {
            name: scores(evaluate(iter(generator) if name == "generator" else s, model, **more))
            for name, s in sources.items()
        }
        for result in results.values():
            result["settings"].pop("stream")
            result["settings"].pop("label")
        assert [name for name, r in results.items() if r != results["pair"]] == []


def test_a_data_set_of_river():
    result = evaluate(datasets.Phishing(), tree(), **ACTIVE)
    pairs = list(datasets.Phishing())
    assert told(result) == told(evaluate(pairs, tree(), **ACTIVE))
    assert result.n_rows == 1250
    assert result.settings["stream"] == "Phishing"
    assert result.classes == [False, True]


# --- results --------------------------------------------------------------------------------------


def test_results_can_be_kept(tmp_path):
    result = evaluate(stream(), tree(), every=100, positive=np.int64(1), **ACTIVE)
    kept = json.loads(result.to_json(tmp_path / "r.json"))
    assert kept == json.loads((tmp_path / "r.json").read_text()) == result.to_dict()
    assert kept["curve"] == {c: result.curve[c].tolist() for c in CURVE_COLUMNS}
    assert kept["confusion"] == result.confusion.tolist()
    result.to_parquet(tmp_path / "r.parquet")
    table = parquet.read_table(tmp_path / "r.parquet")
    pd.testing.assert_frame_equal(table.to_pandas(), result.to_pandas())
    note = json.loads(table.schema.metadata[b"sapwood"])
    assert note["accuracy"] == result.accuracy
    assert note["settings"] == kept["settings"]


@pytest.mark.parametrize(
    "params",
    [
        {"c": 0.05},
        {"grace_period": np.int64(30), "c": np.float64(0.1)},
        {"categorical_features": [2]},
    ],
)
def test_settings_are_json_and_enough_to_repeat_the_run(params):
    X, y = stream()
    X[:, 2] = np.arange(600) % 4
    drift = Drift(DDM(warning_level=1.0), swap_after=9)
    given = {"strategy": Strategy("split", nu=0.4), "budget": "count:90:0.3", "drift": drift}
    first = evaluate((X, y), ConfidenceTreeClassifier(**params), delay=2, every=70, **given)
    settings = json.loads(json.dumps(first.settings))
    model = settings.pop("model")
    assert model.pop("class") == "ConfidenceTreeClassifier"
    assert settings.pop("stream") == "table"
    settings["strategy"] = Strategy(**settings["strategy"])
    settings["drift"] = Drift.of(settings["drift"])
    assert told(evaluate((X, y), ConfidenceTreeClassifier(**model), **settings)) == told(first)


def test_chunks_of_arrays_and_of_dicts_may_not_be_mixed():
    X, y = stream()
    run = Evaluation(tree())
    run.feed(X[:300], y[:300])
    with pytest.raises(ValueError, match="in one form"):
        run.feed(dicts(X[300:]), y[300:])
    assert run.result().n_rows == 300
