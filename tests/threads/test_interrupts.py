"""Ctrl-C is heard amid a long call, and what the call learned until then is said and kept."""

import json
import signal
import subprocess
import sys

import pytest

import sapwood

# Rows so slow that nobody waits for all of them: with every row each leaf is looked at, all of its
# distinct values are candidates, and no split is ever good enough.
BEGIN = """
import json, os, sys, threading
import numpy as np
import sapwood
from sapwood.persist import to_bytes

SLOW = {"grace_period": 1, "numeric_splits": "exact", "c": 100.0}
rng = np.random.default_rng(4)
N = 100_000
X, y = rng.random((N, 20)), rng.integers(0, 2, N)
tree = sapwood.ConfidenceTreeClassifier(**SLOW)
short = sapwood.ConfidenceTreeClassifier(c=0.01).partial_fit(X[:2000], y[:2000])
endless = np.broadcast_to(X[0], (2 * 10**8, 20))  # takes no room

def told(error, **more):
    if error is None:
        more = {}
    print(json.dumps({"raised": type(error).__name__, "words": str(error), **more}), flush=True)
"""


def interrupted(call, then):
    """Run the call in a child and interrupt it; return what the child says then."""
    code = f"{BEGIN}\n{call}"
    code += "\nerror = None\nprint('begun', flush=True)\ntry:\n    go()\n"
    code += f"except BaseException as raised:\n    error = raised\n{then}\n"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0.4)  # it is amid the call
            child.send_signal(signal.SIGINT)
            said, _ = child.communicate(timeout=120)
        finally:
            child.kill()
    return json.loads(said)


LEARNS = {
    "partial_fit": "tree.partial_fit(X[s], y[s])",
    "learn_many": "tree.learn_many(X[s], y[s])",
}


@pytest.mark.parametrize("how", LEARNS)
def test_what_is_learned_is_said(how):
    call = f"""
def learn(tree, s):
    {LEARNS[how]}
learn(tree, slice(0, 100))
go = lambda: learn(tree, slice(100, N))
"""
    then = """
again = sapwood.ConfidenceTreeClassifier(**SLOW)
learn(again, slice(0, 100 + error.rows))
same = [to_bytes(again) == to_bytes(tree)]
for s in (slice(100 + error.rows, 200 + error.rows), slice(200 + error.rows, 300 + error.rows)):
    learn(tree, s)
learn(again, slice(100 + error.rows, 300 + error.rows))
same.append(to_bytes(again) == to_bytes(tree))
told(error, rows=error.rows, n_rows=error.n_rows, same=same)
"""
    said = interrupted(call, then)
    assert said["raised"] == "Interrupted"
    assert 0 < said["rows"] < said["n_rows"] == 99_900
    assert said["same"] == [True, True]
    assert said["words"] == (
        f"after {said['rows']:,} of 99,900 rows, which are learned: go on with row {said['rows']:,}"
    )


BEGINS = [("fit", False), ("fit", True), ("partial_fit", False), ("learn_many", False)]


@pytest.mark.parametrize(("how", "before"), BEGINS)
def test_a_model_that_begins_has_learned_nothing(how, before):
    call = "tree.fit(X[:50], y[:50])\n" if before else "tree.advance(7)\n"
    call += f"kept = to_bytes(tree)\ngo = lambda: tree.{how}(X, y)\n"
    said = interrupted(call, "told(error, same=to_bytes(tree) == kept)")
    assert said == {"raised": "KeyboardInterrupt", "words": "", "same": True}


PREDICTIONS = [(call, jobs) for call in ("predict", "apply", "predict_many") for jobs in (1, 2)]


@pytest.mark.parametrize(("call", "jobs"), PREDICTIONS)
def test_a_prediction_ends(call, jobs):
    begin = f"short.set_params(n_jobs={jobs})\ngo = lambda: short.{call}(endless)\n"
    said = interrupted(begin, "told(error, threads=threading.active_count())")
    assert said == {"raised": "KeyboardInterrupt", "words": "", "threads": 1}


def test_a_check_of_values_ends():
    """A batch is looked at before any of it is learned."""
    begin = "kept = to_bytes(short)\ngo = lambda: short.partial_fit(endless, ones)\n"
    begin = "ones = np.broadcast_to(np.int64(1), len(endless)).astype(np.int8)\n" + begin
    said = interrupted(begin, "told(error, same=to_bytes(short) == kept)")
    assert said == {"raised": "KeyboardInterrupt", "words": "", "same": True}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sweep_ends(jobs):
    call = f"""
trees = [sapwood.ConfidenceTreeClassifier(**SLOW | {{"c": c}}) for c in (50.0, 100.0)]
trees.append(sapwood.ConfidenceTreeClassifier(**SLOW, max_leaves=9))
go = lambda: sapwood.sweep((X, y), trees, n_jobs={jobs})
"""
    said = interrupted(call, "told(error, threads=threading.active_count())")
    assert said == {"raised": "KeyboardInterrupt", "words": "", "threads": 1}


@pytest.mark.parametrize("asks", [False, True], ids=["all", "asking"])
def test_a_run_stays_in_one_piece(asks):
    settings = 'strategy="random", budget=0.5, random_state=1' if asks else ""
    call = f"""
def begun():
    run = sapwood.Evaluation(sapwood.ConfidenceTreeClassifier(**SLOW), every=100, {settings})
    run.feed(X[:100], y[:100])
    return run
run = begun()
go = lambda: run.feed(X[100:], y[100:])
"""
    then = """
again, n = begun(), run.n_rows
again.feed(X[100:n + 50], y[100:n + 50])
run.feed(X[n:n + 50], y[n:n + 50])
one, other = run.result(), again.result()
told(error, n=n, rows=error.rows, same=[
    one.accuracy == other.accuracy, one.labels == other.labels, one.n_rows == other.n_rows,
    (one.confusion == other.confusion).all().item(),
    to_bytes(one.model) == to_bytes(other.model),
    one.curve["accuracy"].tolist() == other.curve["accuracy"].tolist(),
])
"""
    said = interrupted(call, then)
    assert said["raised"] == "Interrupted"
    assert 0 < said["rows"] == said["n"] - 100 < 99_900
    assert all(said["same"])


def test_what_another_handler_raises_says_it_too():
    call = """
import signal
class TooLong(Exception):
    pass
def late(*_):
    raise TooLong("two seconds")
signal.signal(signal.SIGINT, late)
tree.partial_fit(X[:100], y[:100])
go = lambda: tree.partial_fit(X[100:], y[100:])
"""
    said = interrupted(call, "told(error, notes=error.__notes__, rows=int(tree.t_) - 100)")
    assert said["raised"] == "TooLong"
    rows = f"{said['rows']:,}"
    assert said["notes"] == [
        f"It came after {rows} of 99,900 rows, which are learned: go on with row {rows}."
    ]


def test_another_thread_learns_on():
    """Signals are the main thread's."""
    call = """
ended = threading.Event()
def learn():
    tree.partial_fit(X[:40_000], y[:40_000])
    ended.set()
threading.Thread(target=learn).start()
go = ended.wait
"""
    said = interrupted(call, "ended.wait()\ntold(error, t=tree.t_)")
    assert said == {"raised": "KeyboardInterrupt", "words": "", "t": 40_000}


@pytest.mark.parametrize("amid", ["learning", "predicting"])
def test_a_handler_may_save_and_not_learn_amid_a_call(amid, tmp_path):
    """It runs in the thread of the call, which would wait for itself for ever."""
    learns = amid == "learning"
    call = f"""
import signal
tree.partial_fit(X[:100], y[:100])
one, heard = dict(enumerate(X[0])), []
learner = sapwood.ActiveLearner(tree, "all", 1.0, random_state=1)
other = sapwood.ConfidenceTreeClassifier().partial_fit(X[:9], y[:9])
def handle(*_):
    for change in (
        lambda: tree.learn_one(one, 1),
        lambda: tree.partial_fit(X[:5], y[:5]),
        lambda: tree.learn_many(X[:5], y[:5]),
        lambda: tree.advance(3),
        lambda: learner.decide(one),
    ):
        try:
            change()
        except RuntimeError as error:
            heard.append("handler" in str(error))
    tree.save({str(tmp_path / "tree")!r})
    heard.append(tree.predict_one(one) in (0, 1))
    heard.append(other.partial_fit(X[:5], y[:5]).t_ == 14)
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, handle)
go = lambda: {"tree.partial_fit(X[100:], y[100:])" if learns else "tree.predict(endless)"}
"""
    then = "told(error, heard=heard, t=tree.t_, rows=100 + getattr(error, 'rows', 0))"
    said = interrupted(call, then)
    assert said["raised"] == ("Interrupted" if learns else "KeyboardInterrupt")
    assert said["heard"] == [True] * 7
    assert said["t"] == said["rows"]
    assert 100 <= sapwood.load(tmp_path / "tree").t_ <= said["t"]
