"""DDM, and the swap of learners at a drift, are those of the real MOA (its jar)."""

import numpy as np
import pytest
import test_moa

import sapwood
from benchmarks import moa
from sapwood.drift import DDM, Drift

real_moa = test_moa.real_moa
LEVELS = ("in control", "warning", "drift")
N = 300_000


def random_errors(rng):
    """Errors at one rate after the other, for 3000 inputs each."""
    return rng.random(N) < np.repeat(rng.random(N // 3000) * rng.choice([0.1, 0.5, 1.0]), 3000)


def rising_errors(rng):
    """A learner that gets better by and by, then breaks: twenty times, at once or gradually."""
    length = N // 20
    rates = []
    for _ in range(20):
        low, high = np.sort(rng.random(2) * 0.6)
        broken = np.clip((np.arange(length) - length * 0.6) / rng.choice([1, 500, 3000]), 0, 1)
        better = low + 0.3 / np.sqrt(1 + np.arange(length))
        rates.append((1 - broken) * better + broken * high)
    return rng.random(N) < np.concatenate(rates)


def no_errors_at_first(rng):
    """Runs without any error, of 1 to 60,000 inputs, and after each some inputs with errors."""
    parts = []
    for length in [60_000, 40_000, 28, 29, 30, 31, *rng.integers(1, 5000, 200)]:
        parts += [np.zeros(length), np.ones(rng.integers(1, 4)), rng.random(200) < rng.random()]
    return np.concatenate(parts)


def errors_in_order(_):
    """Every k-th is an error, more and more often; nothing but errors for long; then none."""
    periodic = [np.arange(5000) % k == k - 1 for k in (100, 30, 7, 3, 2)]
    return np.concatenate([*periodic, np.ones(50_000), np.zeros(50_000), *periodic])


SEQUENCES = {
    "random": random_errors,
    "rising": rising_errors,
    "none at first": no_errors_at_first,
    "in order": errors_in_order,
}
SETTINGS = {
    "DDM": {},
    "DDM -n 10 -w 1.0 -o 1.5": {"min_examples": 10, "warning_level": 1.0, "drift_level": 1.5},
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", SEQUENCES)
def test_ddm_level_by_level(name, settings, real_moa):
    errors = SEQUENCES[name](np.random.default_rng(7)).astype(float)
    theirs = moa.detect(errors, settings)
    detector = DDM(**SETTINGS[settings])
    ours = np.array([LEVELS.index(detector.update(e)) for e in errors.tolist()])
    counts = dict(zip(LEVELS, np.bincount(theirs, minlength=3).tolist(), strict=True))
    print(f"{name}, {settings}: {len(errors)} inputs, {counts}")
    assert counts["drift"] > 0
    assert (ours == theirs).all()


def drifting(width):
    X, y = sapwood.datasets.rand_cbt_drift(
        n_leaves=8, q=0.9, per_leaf=2500, concepts=4, width=width, seed=3
    )
    return X, X, y.astype(np.int32), {}


STREAMS = {
    "electricity": lambda: test_moa.dataset("electricity"),
    "abrupt": lambda: drifting(0),
    "gradual": lambda: drifting(5000),
}


@pytest.mark.parametrize("leaf_prediction", test_moa.MOA_LEAF)
@pytest.mark.parametrize("name", STREAMS)
def test_single_classifier_drift(name, leaf_prediction, real_moa, tmp_path):
    table, X, y, nominal = STREAMS[name]()
    # Before the first label MOA says class 0, and we say nothing, which is an error. For the two
    # detectors to be fed the same, the first row must be an error of MOA's, too: name the class of
    # the first row 1.
    if y[0] == 0:
        y = 1 - y
    moa.write_stream(tmp_path / "stream", X, y, nominal, 2)
    learner = f"trees.HoeffdingTree -b -l {test_moa.MOA_LEAF[leaf_prediction]}"
    learner = f"drift.SingleClassifierDrift -l ({learner}) -d DDM"
    theirs = moa.run(tmp_path / "stream", learner, predictions=True)[-1]

    # Both classes are known beforehand in MOA's order: else the first to come would win the ties
    # that a tree of few examples often has.
    model = sapwood.ConfidenceTreeClassifier.moa(leaf_prediction=leaf_prediction)
    drift = Drift("ddm", compat="moa")
    run = sapwood.Evaluation(model, drift=drift, every=1, classes=[0, 1])
    run.feed(table, y)
    ours = run.result()

    right = ours.curve["window_accuracy"] == 1.0  # row by row: of two classes, this is the guess
    differing = int((right != (theirs["predictions"] == y)).sum())
    changes = theirs["measurements"]["Change detected"]
    warnings = theirs["measurements"]["Warning detected"]
    print(
        f"{name}, {leaf_prediction}: {len(y)} rows, accuracy {ours.accuracy:.4f}, "
        f"{changes:.0f} changes, {warnings:.0f} warnings, {differing=}"
    )
    assert differing == 0
    assert ours.drifts == changes > 0
    assert run.learner._guard.warnings == warnings
    assert ours.n_leaves == theirs["leaves"]
