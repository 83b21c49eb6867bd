"""A run that is interrupted goes on from its checkpoint, and gives what it would have given."""

import copy
import os
import pickle
import signal
import threading
import time
from typing import ClassVar

import numpy as np
import pytest
from river import naive_bayes
from river.tree import HoeffdingTreeClassifier
from sklearn.linear_model import SGDClassifier

from sapwood import ConfidenceTreeClassifier, Evaluation, evaluate, protocol
from sapwood._container import pack, unpack

ACTIVE = {"strategy": "conf-tree", "budget": 0.3, "random_state": 4}


def tree():
    return ConfidenceTreeClassifier(c=0.01, grace_period=20)


def stream(n=600):
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X, (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


def dicts(X):
    return [dict(enumerate(row)) for row in X.tolist()]


def scores(result):
    table = result.to_dict()
    del table["seconds"], table["curve"]["seconds"], table["settings"]["random_state"]
    return table


class Interrupts:
    """Rows that come with an interrupt before one of them."""

    def __init__(self, pairs, at):
        self.pairs, self.at = pairs, at

    def __iter__(self):
        for i, pair in enumerate(self.pairs):
            if i == self.at:
                signal.raise_signal(signal.SIGINT)
            yield pair


@pytest.mark.parametrize("settings", [{}, ACTIVE, {**ACTIVE, "delay": 9, "drift": "ddm"}])
@pytest.mark.parametrize("kind", ["tree", "river", "sklearn"])
def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, kind, settings):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 70)
    model = {"tree": tree, "river": naive_bayes.GaussianNB, "sklearn": SGDClassifier}[kind]()
    if kind != "tree" and settings:
        settings = {**settings, "strategy": "random"}
    if kind == "sklearn":
        model.set_params(random_state=1)
        settings = {**settings, "classes": [0, 1]}
    X, y = stream()
    pairs = list(zip(dicts(X), y.tolist(), strict=True))
    path = tmp_path / "run"
    never = evaluate(Interrupts(pairs, None), model, every=90, **settings)
    settings = {**settings, "trusted": kind != "tree"}
    for at in (200, 299, 300, 550):
        with pytest.raises(KeyboardInterrupt):
            evaluate(Interrupts(pairs, at), model, every=90, checkpoint=path, **settings)
        assert path.exists()
        if at == 299:
            changed = {"every": 91, "delay": 3, "drift": "adwin"}
            for name, value in changed.items():
                other = {"every": 90, **settings, name: value}
                with pytest.raises(ValueError, match=f"another .*{name}"):
                    evaluate(Interrupts(pairs, None), model, checkpoint=path, **other)
    again = evaluate(Interrupts(pairs, None), model, every=90, checkpoint=path, **settings)
    assert list(tmp_path.iterdir()) == []
    assert scores(again) == scores(never)
    assert again.settings["model"] == never.settings["model"]


class Breaks(naive_bayes.GaussianNB):
    """A model during whose learning, or predicting, the user loses patience."""

    left: ClassVar = {"learn": None, "predict": None, "decide": None}

    @classmethod
    def count(cls, what):
        if cls.left[what] is not None:
            cls.left[what] -= 1
            if not cls.left[what]:
                cls.left[what] = None
                signal.raise_signal(signal.SIGINT)

    def learn_one(self, x, y):
        self.count("learn")
        super().learn_one(x, y)

    def predict_one(self, x):
        self.count("predict")
        return super().predict_one(x)


class Half:
    """A strategy that is interrupted in its turn."""

    def decide(self, evidence, rate, rng):
        Breaks.count("decide")
        return rng.uniform() < 0.5

    def __repr__(self):
        return "Half()"


@pytest.mark.parametrize("during", ["learn", "predict", "decide"])
def test_an_interrupt_between_two_steps_loses_nothing(tmp_path, monkeypatch, during):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 70)
    settings = {"strategy": Half(), "budget": 0.5, "random_state": 1}
    never = evaluate(stream(), Breaks(), **settings)
    Breaks.left[during] = 150
    with pytest.raises(KeyboardInterrupt):
        evaluate(stream(), Breaks(), checkpoint=tmp_path / "run", **settings)
    again = evaluate(stream(), Breaks(), checkpoint=tmp_path / "run", trusted=True, **settings)
    assert again.confusion.sum() == 600
    assert scores(again) == scores(never)


def test_an_interrupt_of_the_native_loop_loses_nothing(tmp_path):
    X, y = stream(300_000)
    began = time.perf_counter()
    never = evaluate((X, y), tree(), **ACTIVE)
    third = (time.perf_counter() - began) / 3
    timer = threading.Timer(third, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        again = evaluate((X, y), tree(), checkpoint=tmp_path / "run", **ACTIVE)
    except KeyboardInterrupt:
        again = evaluate((X, y), tree(), checkpoint=tmp_path / "run", **ACTIVE)
    timer.join()
    assert again.model.t_ == 300_000
    assert scores(again) == scores(never)


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.default_int_handler])
def test_a_run_with_a_checkpoint_leaves_ctrl_c_as_it_was(tmp_path, handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        Breaks.left["learn"] = 150
        try:
            evaluate(stream(), Breaks(), checkpoint=tmp_path / "run")
            heard = False
        except KeyboardInterrupt:
            heard = True
        assert heard == (handler is not signal.SIG_IGN)  # a job in the background ignores it
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_checkpoint_in_another_thread(tmp_path):
    results = []
    thread = threading.Thread(
        target=lambda: results.append(evaluate(stream(), tree(), checkpoint=tmp_path / "run"))
    )
    thread.start()
    thread.join()
    assert scores(results[0]) == scores(evaluate(stream(), tree()))


class Unsure:
    """A strategy with no repr of its own."""

    def decide(self, evidence, rate, rng):
        return evidence.confidence < 0.9 or rng.uniform() < 0.1


def test_a_run_with_a_users_strategy_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 70)
    X, y = stream()
    pairs, settings = list(zip(dicts(X), y.tolist(), strict=True)), {**ACTIVE, "every": 50}
    kept = {"checkpoint": tmp_path / "run", "trusted": True}
    never = evaluate(Interrupts(pairs, None), tree(), **{**settings, "strategy": Unsure()})
    for at in (300, None):
        try:
            again = evaluate(
                Interrupts(pairs, at),
                tree(),
                **{**settings, "strategy": Unsure(), **kept},
            )
        except KeyboardInterrupt:
            assert at is not None
    assert scores(again)["curve"] == scores(never)["curve"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tree(), ConfidenceTreeClassifier(c=0.02, grace_period=20)),
        (HoeffdingTreeClassifier(grace_period=20), HoeffdingTreeClassifier(grace_period=200)),
        (SGDClassifier(alpha=0.1), SGDClassifier(alpha=0.01)),
        (naive_bayes.GaussianNB(), HoeffdingTreeClassifier()),
    ],
)
def test_a_checkpoint_of_another_model_is_refused(tmp_path, monkeypatch, one, other):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 70)
    pairs = list(zip(dicts(stream()[0]), stream()[1].tolist(), strict=True))
    more = {"classes": [0, 1], "checkpoint": tmp_path / "run"}
    with pytest.raises(KeyboardInterrupt):
        evaluate(Interrupts(pairs, 300), one, **more)
    with pytest.raises(ValueError, match="another model"):
        evaluate(Interrupts(pairs, None), other, **more)


def test_a_checkpoint_of_other_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 70)
    pairs = list(zip(dicts(stream()[0]), stream()[1].tolist(), strict=True))
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        evaluate(Interrupts(pairs, 300), tree(), checkpoint=path)
    with pytest.raises(ValueError, match="its first rows are others"):
        evaluate(Interrupts(pairs[1:], None), tree(), checkpoint=path)
    with pytest.raises(ValueError, match="ends before the row at which the run stopped"):
        evaluate(Interrupts(pairs[:200], None), tree(), checkpoint=path)
    assert path.exists()


class Trap:
    """What must not be unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("it was unpickled",))


def forged(path, **changes):
    """Put a trap where a file has its pickle, and change its description."""
    header, _ = unpack("run", path.read_bytes())
    header["settings"] |= changes
    del header["kind"], header["parts"]
    path.write_bytes(pack("run", header, {"pickle": pickle.dumps(Trap())}))


def test_nothing_is_unpickled_before_it_is_known_and_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "_rows_at_once", lambda *_: 70)
    pairs = list(zip(dicts(stream()[0]), stream()[1].tolist(), strict=True))
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        evaluate(Interrupts(pairs, 300), naive_bayes.GaussianNB(), checkpoint=path)
    data = path.read_bytes()
    forged(path)
    other = {"checkpoint": path, "trusted": True}
    with pytest.raises(ValueError, match="another delay"):
        evaluate(Interrupts(pairs, None), naive_bayes.GaussianNB(), delay=1, **other)
    with pytest.raises(ValueError, match="its first rows are others"):
        evaluate(Interrupts(pairs[1:], None), naive_bayes.GaussianNB(), **other)
    message = r"pickled GaussianNB.*: evaluate\(..., checkpoint='.*run', trusted=True\)"
    with pytest.raises(ValueError, match=message):
        evaluate(Interrupts(pairs, None), naive_bayes.GaussianNB(), checkpoint=path)
    forged(path, model=Evaluation(tree()).settings()["model"])
    with pytest.raises(ValueError, match="run: The file holds a pickled model"):
        evaluate(Interrupts(pairs, None), tree(), **other)  # ours needs no pickle
    path.write_bytes(data)
    again = evaluate(Interrupts(pairs, None), naive_bayes.GaussianNB(), **other)
    never = evaluate(Interrupts(pairs, None), naive_bayes.GaussianNB())
    assert scores(again) == scores(never)


@pytest.mark.parametrize("table", [dicts, np.asarray])
def test_a_run_can_be_told_to_stop_between_two_rows(table):
    """However slow its model is: an interrupt need not wait for the end of a chunk."""
    X, y = stream(40)
    whole, cut = (Evaluation(naive_bayes.GaussianNB(), every=10) for _ in range(2))
    whole.feed(table(X), y)
    asked = []
    cut.feed(table(X), y, stop=lambda: asked.append(cut.n_rows) or cut.n_rows == 7)
    assert asked == list(range(1, 8))
    assert cut.n_rows == 7
    cut.feed(table(X[7:]), y[7:])
    assert scores(cut.result()) == scores(whole.result())


@pytest.mark.parametrize("form", ["table", "dicts"])
@pytest.mark.parametrize("settings", [{}, ACTIVE, {**ACTIVE, "delay": 9, "drift": "adwin"}])
def test_a_run_is_pickled_and_copied_as_it_is(settings, form):
    X, y = stream()
    rows = X if form == "table" else dicts(X)
    whole, run = Evaluation(tree(), **settings), Evaluation(tree(), **settings)
    whole.feed(rows, y)
    for at in range(0, len(y), 150):
        run.feed(rows[at : at + 150], y[at : at + 150])
        kept = run
        run = copy.deepcopy(run) if at % 300 else pickle.loads(pickle.dumps(run))
        kept.feed(rows[:50], y[:50])  # which the copy does not feel
    assert scores(run.result()) == scores(whole.result())


def test_a_run_that_is_not_in_one_piece_is_not_saved(tmp_path):
    X, y = stream()
    run = Evaluation(tree(), **ACTIVE)
    run.feed(X[:100], y[:100])
    run._broken = True
    for call in (lambda: run.feed(X[:9], y[:9]), lambda: run.save(tmp_path / "run")):
        with pytest.raises(RuntimeError, match="not in one piece"):
            call()
    assert list(tmp_path.iterdir()) == []
