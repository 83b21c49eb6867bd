"""Many threads may read while one learns; learners take turns, a batch at a time; and the
interpreter runs on while the core works."""

import itertools
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from sapwood import ConfidenceTreeClassifier, evaluate
from sapwood.datasets import rand_cbt
from sapwood.persist import from_bytes, to_bytes

EAGER = {"c": 0.01, "grace_period": 50}


@pytest.fixture(autouse=True)
def frequent_switches():
    """Let the interpreter change threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def stream(n, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.random(n), "b": rng.random(n), "c": rng.choice(["x", "y", "z"], n)}
    )
    y = ((frame["a"] > 0.5) ^ (frame["c"] == "x")).astype(int)
    return frame, y.to_numpy()


def run_together(*tasks):
    """Start all tasks at one moment; give back what they return, or raise what they raise."""
    barrier = threading.Barrier(len(tasks))

    def begin(task):
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        futures = [pool.submit(begin, task) for task in tasks]
        return [future.result(timeout=120) for future in futures]


def test_many_read_while_one_learns():
    X, y = stream(20_000)
    probe = X[:64]
    rows = probe.to_dict("records")
    tree = ConfidenceTreeClassifier(**EAGER, leaf_prediction="adaptive")
    tree.partial_fit(X[:64], y[:64], classes=[0, 1])
    done = threading.Event()

    def learn():
        try:
            for at in range(64, len(y), 4_000):
                tree.partial_fit(X[at : at + 4_000], y[at : at + 4_000])
            for row, label in zip(rows, y[:64].tolist(), strict=True):
                tree.learn_one(row, label)
        finally:
            done.set()

    def look(call):
        def task():
            n = 0
            while n == 0 or not done.is_set():
                call()
                n += 1
            return n

        return task

    def batch():
        p = tree.predict_proba(probe)
        assert p.shape == (64, 2)
        assert np.allclose(p.sum(axis=1), 1.0)

    def one():
        for row in rows:
            assert sum(tree.predict_proba_one(row).values()) == pytest.approx(1.0)
            assert tree.predict_one(row) in (0, 1)

    def inside():
        assert len(tree.splits()) < 20_000
        assert 0 <= tree.feature_importances_.sum() <= 1.0 + 1e-9
        assert len(tree.to_dataframe()) % 2 == 1
        assert str(tree.explain_one(rows[0]))
        assert tree.export_text()

    def saved():
        again = from_bytes(to_bytes(tree))
        assert again.predict(probe).shape == (64,)
        assert again.t_ >= 64

    readers = [look(batch), look(one), look(one), look(inside), look(saved)]
    run_together(learn, *readers)
    alone = ConfidenceTreeClassifier(**EAGER, leaf_prediction="adaptive")
    alone.partial_fit(X, y, classes=[0, 1])
    alone.learn_many(probe, y[:64])
    assert to_bytes(tree) == to_bytes(alone)  # nobody's looking has changed anything


def test_a_batch_is_atomic_among_learners():
    parts = [stream(6_000, seed) for seed in (1, 2)]
    serial = []
    for order in itertools.permutations(parts):
        tree = ConfidenceTreeClassifier(**EAGER)
        tree.partial_fit(parts[0][0][:1], parts[0][1][:1], classes=[0, 1])
        for X, y in order:
            tree.partial_fit(X, y)
        serial.append(to_bytes(tree))
    assert serial[0] != serial[1]
    for _ in range(5):
        tree = ConfidenceTreeClassifier(**EAGER)
        tree.partial_fit(parts[0][0][:1], parts[0][1][:1], classes=[0, 1])
        run_together(*(lambda t=tree, part=part: t.partial_fit(*part) for part in parts))
        assert to_bytes(tree) in serial


@pytest.mark.parametrize("first", ["partial_fit", "learn_many", "classes"])
def test_a_batch_is_atomic_from_the_first_call(first):
    """Both batches meet a model that has not begun; neither may be lost."""
    parts = [stream(3_000, seed) for seed in (1, 2)]

    def learn(tree, part):
        X, y = part
        if first == "learn_many":
            tree.learn_many(X, y)
        else:
            tree.partial_fit(X, y, classes=[0, 1] if first == "classes" else None)

    serial = []
    for order in itertools.permutations(parts):
        tree = ConfidenceTreeClassifier(**EAGER)
        for part in order:
            learn(tree, part)
        serial.append(to_bytes(tree))
    for _ in range(10):
        tree = ConfidenceTreeClassifier(**EAGER)
        run_together(*(lambda t=tree, part=part: learn(t, part) for part in parts))
        assert tree.t_ == 6_000
        assert to_bytes(tree) in serial


def test_what_many_learners_learn_adds_up():
    tree = ConfidenceTreeClassifier(max_depth=0)
    parts = [stream(500, seed) for seed in range(8)]

    def by_rows(part):
        for row, label in zip(part[0].to_dict("records"), part[1].tolist(), strict=True):
            tree.learn_one(row, label)

    def by_batches(part):
        for at in range(0, 500, 50):
            tree.learn_many(part[0][at : at + 50], part[1][at : at + 50])

    tasks = [
        lambda part=part, learn=learn: learn(part)
        for part, learn in zip(parts, [by_rows, by_batches] * 4, strict=True)
    ]
    run_together(*tasks, lambda: [tree.advance(1) for _ in range(300)])
    assert tree.t_ == 8 * 500 + 300
    votes = dict(zip(tree._model.classes, tree._model.nodes()[0]["votes"], strict=True))
    labels = np.concatenate([y for _, y in parts])
    assert votes == {0: int((labels == 0).sum()), 1: int((labels == 1).sum())}
    assert sorted(tree.feature_names_in_) == ["a", "b", "c"]


@pytest.mark.parametrize("way", ["learn_one", "learn_many", "partial_fit", "advance", "mixed"])
def test_first_use_from_many_threads_makes_one_model(way):
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    ways = {
        "learn_one": lambda tree: [tree.learn_one({"a": 1.0}, k) for k in (0, 1)],
        "learn_many": lambda tree: tree.learn_many(frame, [0, 1]),
        "partial_fit": lambda tree: tree.partial_fit(frame, [0, 1]),
        "advance": lambda tree: tree.advance(2),
    }
    for _ in range(40):
        tree = ConfidenceTreeClassifier()
        calls = list(ways.values()) * 2 if way == "mixed" else [ways[way]] * 8
        run_together(*(lambda t=tree, call=call: call(t) for call in calls))
        assert tree.t_ == 2 * len(calls)
        if way not in ("advance", "mixed"):
            assert sum(tree._model.nodes()[0]["votes"]) == 2 * len(calls)


def test_labels_that_appear_while_others_predict():
    """The k-th label is itself whoever asks, however many came in between."""
    tree = ConfidenceTreeClassifier(max_depth=0)
    n = 200
    done = threading.Event()

    def learn():
        try:
            for k in range(n):
                for _ in range(k + 1):
                    tree.learn_one({"a": 1.0}, f"label {k}")
        finally:
            done.set()

    def look():
        best = -1
        while not done.is_set():
            said = tree.predict_one({"a": 1.0})
            if said is not None:
                k = int(said.split()[1])
                assert k >= best, "the majority only moves on"
                best = k
            known = list(tree.predict_proba_one({"a": 1.0}))
            assert known == sorted(f"label {k}" for k in range(len(known)))
            if known:
                shares = tree.predict_proba_many(pd.DataFrame({"a": [1.0]}))
                assert list(shares.columns) == sorted(shares.columns)
                assert shares.to_numpy().sum() == pytest.approx(1.0)
        return best

    run_together(learn, look, look, look)
    assert tree.classes_.tolist() == sorted(f"label {k}" for k in range(n))
    assert tree.predict_one({}) == f"label {n - 1}"


def test_columns_that_appear_while_others_look():
    tree = ConfidenceTreeClassifier()
    done = threading.Event()

    def learn(offset):
        def task():
            try:
                for j in range(150):
                    name = f"column {(j + offset) % 150}"
                    kind = "text" if (j + offset) % 2 else 1.0
                    tree.learn_one({name: kind}, 0)
            finally:
                done.set()

        return task

    def look():
        while not done.is_set():
            tree.predict_one({"column 0": 1.0, "column 149": "text"})
            tree.predict_many(pd.DataFrame({"column 0": [1.0] * 9, "column 149": ["text"] * 9}))

    run_together(learn(0), learn(75), look, look)
    assert tree.n_features_in_ == 150
    kinds = dict(zip(tree._model.columns, tree._model.kinds, strict=True))
    assert all(
        kind == ("categorical" if int(name.split()[1]) % 2 else "numeric")
        for name, kind in kinds.items()
    )


def test_a_refused_batch_disturbs_no_other():
    X, y = stream(2_000)
    bad = X.assign(a=np.inf)
    tree = ConfidenceTreeClassifier(**EAGER)
    tree.partial_fit(X[:1], y[:1], classes=[0, 1])

    def refused():
        for _ in range(30):
            with pytest.raises(ValueError, match="infinity"):
                tree.partial_fit(bad, y)

    run_together(lambda: tree.partial_fit(X, y), refused, refused)
    alone = ConfidenceTreeClassifier(**EAGER)
    alone.partial_fit(X[:1], y[:1], classes=[0, 1]).partial_fit(X, y)
    assert to_bytes(tree) == to_bytes(alone)


def test_fit_while_others_predict():
    X, y = stream(2_000)
    tree = ConfidenceTreeClassifier(**EAGER).fit(X, y)
    done = threading.Event()

    def learn():
        try:
            for i in range(20):
                labels = y if i % 2 else np.where(y == 1, "yes", "no")
                tree.fit(X, labels)
        finally:
            done.set()

    def look():
        while not done.is_set():
            kinds = {type(label) for label in tree.predict(X[:50]).tolist()}
            assert kinds in ({int}, {str})

    run_together(learn, look, look)


def test_copies_while_it_learns():
    X, y = stream(4_000)
    tree = ConfidenceTreeClassifier(**EAGER)
    tree.partial_fit(X[:100], y[:100], classes=[0, 1])
    done = threading.Event()

    def learn():
        try:
            for at in range(100, 4_000, 100):
                tree.partial_fit(X[at : at + 100], y[at : at + 100])
        finally:
            done.set()

    def save():
        seen = []
        while not done.is_set():
            again = from_bytes(to_bytes(tree))
            seen.append(again.t_)
            again.partial_fit(X[:10], y[:10])
        return seen

    _, *seen = run_together(learn, save, save)
    for clock in seen:
        assert clock == sorted(clock)
        assert all(t % 100 == 0 for t in clock)  # batches shorter than a block are seen whole


@pytest.mark.parametrize("way", ["learn", "evaluate", "predict_proba", "to_bytes", "from_bytes"])
def test_the_interpreter_runs_on_while_the_core_works(way):
    """Another thread counts its turns while the core is inside one single call."""
    X, y = rand_cbt(n_leaves=20, n_features=4, per_leaf=20_000, seed=1)
    tree = ConfidenceTreeClassifier(leaf_prediction="adaptive", **EAGER)
    model = tree._start()
    batch = (X, [0, 1, 2, 3], len(y))
    labels = (y.astype(np.int32), [0, 1])
    if way == "predict_proba":
        model.learn(*batch, True, *labels, None)
    if way in ("to_bytes", "from_bytes"):
        wide = np.random.default_rng(0).random((1000, 500))
        tree = ConfidenceTreeClassifier(numeric_splits="exact", grace_period=10**6)
        model, data = tree.fit(wide, y[:1000])._model, to_bytes(tree)
    calls = {
        "learn": lambda: model.learn(*batch, True, *labels, None),
        "evaluate": lambda: model.run(None, *batch, *labels, None, 1000, 1000),
        "predict_proba": lambda: model.predict_proba(*batch),
        "to_bytes": lambda: model.to_bytes(""),
        "from_bytes": lambda: type(model).from_bytes(data),
    }
    ready, inside = threading.Event(), threading.Event()

    def count():
        turns = 0
        ready.set()
        inside.wait()
        while inside.is_set():
            turns += 1
            time.sleep(1e-4)  # to go on, it must get the interpreter's lock again
        return turns

    with ThreadPoolExecutor(1) as pool:
        counter = pool.submit(count)
        ready.wait()
        inside.set()
        try:
            calls[way]()
        finally:
            inside.clear()  # else the counter would count for ever
        assert counter.result(timeout=60) > 10


def test_evaluate_many_at_once():
    streams = [stream(3_000, seed) for seed in range(4)]
    model = ConfidenceTreeClassifier(**EAGER)
    together = run_together(*(lambda s=s: evaluate(s, model).accuracy for s in streams))
    assert together == [evaluate(s, model).accuracy for s in streams]
