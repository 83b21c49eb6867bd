"""A child process has a whole model, whatever the threads of its parent were doing; and a model
goes to processes of every kind."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from joblib import Parallel, delayed

import sapwood
from sapwood import ActiveLearner, ConfidenceTreeClassifier, _forks
from sapwood.persist import from_bytes, to_bytes

RNG = np.random.default_rng(3)
X = RNG.random((60_000, 8))
Y = ((X * 4).astype(int).sum(axis=1) % 2).astype(np.int64)
FORKS = 30

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def in_child(task):
    """Run the task in a forked child; False if it raises, and if it hangs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            task()
            code = 0
        finally:
            os._exit(code)
    late = time.monotonic() + 8
    while time.monotonic() < late:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def while_another_thread(works, check):
    """Fork again and again while a thread works; return what became of each child."""
    ended = threading.Event()

    def go_on():
        while not ended.is_set():
            works()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        children = []
        for _ in range(FORKS):
            time.sleep(RNG.random() * 0.004)
            children.append(in_child(check))
    finally:
        ended.set()
        thread.join(timeout=60)
    assert not thread.is_alive()
    return children


def check_tree(tree):
    """It is whole, and can be read, saved and taught; what it then is, is what its bytes say."""
    before = from_bytes(to_bytes(tree))
    rows = int(tree.t_)
    assert rows == before.t_
    assert (tree.predict(X[:500]) == before.predict(X[:500])).all()
    for model in (tree, before):
        model.learn_one(dict(enumerate(X[0].tolist())), 1)
        model.partial_fit(X[:300], Y[:300])
    assert tree.t_ == rows + 301
    assert to_bytes(pickle.loads(pickle.dumps(tree))) == to_bytes(tree) == to_bytes(before)


WORK = {
    "batches": lambda tree: tree.partial_fit(X, Y),
    "rows": lambda tree: [tree.learn_one(dict(enumerate(x)), 1) for x in X[:200].tolist()],
    "predictions": lambda tree: tree.predict_proba(X),
    "a crew": lambda tree: tree.set_params(n_jobs=3).predict(X),
    "bytes": to_bytes,
}


@needs_fork
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("params", [{}, {"max_bytes": 200_000}], ids=["free", "bounded"])
def test_a_child_has_a_whole_model(work, params):
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=50, **params)
    tree.partial_fit(X[:1000], Y[:1000])
    children = while_another_thread(lambda: WORK[work](tree), lambda: check_tree(tree))
    assert all(children), children
    check_tree(tree)  # the parent's, too


@needs_fork
def test_a_child_may_begin_a_model_that_another_thread_begins():
    tree = ConfidenceTreeClassifier(c=0.01)

    def begin():
        tree._model = None
        tree.partial_fit(X, Y)

    def check():
        tree._model = None
        tree.partial_fit(X[:100], Y[:100])
        assert tree.t_ == 100

    children = while_another_thread(begin, check)
    assert all(children), children


@needs_fork
def test_a_child_has_a_whole_learner():
    learner = ActiveLearner(ConfidenceTreeClassifier(), "random", 0.5, "ddm", random_state=1)
    rows = [dict(enumerate(x)) for x in X[:500].tolist()]

    def ask():
        for x in rows:
            d = learner.decide(x)
            if d.ask:
                learner.label(d.id, 1)

    def check():
        seen = learner.budget.seen
        assert learner.model.t_ == seen
        assert len(learner.questions) == learner.budget.open == 0
        d = learner.decide(rows[0])
        assert learner.budget.seen == seen + 1
        if d.ask:
            learner.label(d.id, 0)
        assert pickle.loads(pickle.dumps(learner)).budget.seen == seen + 1

    # A question that is open at the fork is that of the thread between its two calls.
    def check_but_for_one():
        if len(learner.questions) == 1:
            learner.expire(next(iter(learner.questions)))
        check()

    children = while_another_thread(ask, check_but_for_one)
    assert all(children), children


@needs_fork
def test_runs_side_by_side_with_forks():
    """The native loops hold nothing that a child would miss."""
    tree = ConfidenceTreeClassifier(c=0.01)

    def check():
        result = sapwood.evaluate((X[:2000], Y[:2000]), tree)
        assert result.n_rows == 2000
        assert len(sapwood.sweep((X[:2000], Y[:2000]), [tree, tree])) == 2

    children = while_another_thread(
        lambda: (sapwood.evaluate((X, Y), tree), sapwood.sweep((X[:9000], Y[:9000]), [tree])),
        check,
    )
    assert all(children), children


IMPORTS = """
import sys
import numpy as np
import sapwood
X = np.random.default_rng(1).random((500, 2))
y = (X[:, 0] > 0.5).astype(int)
before = set(sys.modules)
sapwood.evaluate((X, y), sapwood.ConfidenceTreeClassifier(), drift="ddm").to_dict()
sapwood.sweep((X, y), [sapwood.ConfidenceTreeClassifier()])
tree = sapwood.ConfidenceTreeClassifier().partial_fit(X, y)
tree.predict_proba(X)
learner = sapwood.ActiveLearner(tree, "all", 1.0)
learner.label(learner.decide(X[0]).id, 1)
print(sorted(set(sys.modules) - before))
"""


def test_nothing_is_imported_while_one_works():
    """A module that another thread is amid importing at a fork stays locked in the child."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def digest(tree):
    """What another process makes of a tree."""
    tree.partial_fit(X[1000:3000], Y[1000:3000])
    return to_bytes(tree)


@pytest.fixture(scope="module")
def taught():
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=50).partial_fit(X[:1000], Y[:1000])
    return to_bytes(tree), digest(from_bytes(to_bytes(tree)))


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_processes_that_are_started_in_any_way(start, taught):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {start} on this system")
    before, after = taught
    with multiprocessing.get_context(start).Pool(2) as pool:
        assert pool.map(digest, [from_bytes(before)] * 3) == [after] * 3


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib_in_every_way(backend, taught):
    before, after = taught
    trees = [from_bytes(before) for _ in range(4)]
    jobs = Parallel(n_jobs=2, backend=backend)(delayed(digest)(tree) for tree in trees)
    assert jobs == [after] * 4


@needs_fork
def test_a_fork_does_not_wait_for_a_call_that_waits_for_it(monkeypatch):
    monkeypatch.setattr(_forks, "_PATIENCE", 0.05)
    lock = _forks.new_lock()
    held, ends = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            ends.wait(20)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(20)
    try:
        assert in_child(lambda: lock.acquire(timeout=5) or os._exit(1))  # free in the child
        assert not lock.acquire(timeout=0.01)
    finally:
        ends.set()
        other.join()
    assert lock.acquire(timeout=5)
