"""Files of learners and runs that were made to deceive, checksums and all: each is refused by a
ValueError, or goes on, is saved and loads again. (core/fuzz does this to each part by itself.)"""

import copy
import os
import struct
import warnings
from random import Random

import numpy as np
import pytest
from hypothesis import settings

import sapwood
from sapwood import ActiveLearner, ConfidenceTreeClassifier, Evaluation
from sapwood._container import pack, unpack

INPUTS = int(os.environ.get("SAPWOOD_FUZZ", 2 * settings().max_examples))
ODD = [None, True, False, -1, 0, 1, 2, 1.5, -0.0, 1e-300, 1e308, float("nan"), float("inf"), 2**31]
ODD += [2**53, 2**63, 2**64, -(2**70), "", "x", "a", "yes", "ddm", "rate:0.1", [], {}, [[]], [1, 2]]
DRIFTS = [None, "ddm", "adwin", "page-hinkley"]
BUDGETS = ["rate:0.5", "strict:0.5", "window:0.5:10", "estimated-window:0.5:10", "count:40:0.5"]


def table(seed, n):
    rng = Random(seed)
    rows = [{"a": rng.random(), "b": rng.choice("uvw")} for _ in range(n)]
    return rows, ["yes" if (x["a"] > 0.5) ^ (rng.random() < 0.3) else "no" for x in rows]


def tree(**params):
    return ConfidenceTreeClassifier(c=0.01, grace_period=10, n_bins=3, **params)


def a_learner(i):
    drift = sapwood.drift.Drift("ddm", swap_after=500) if i % 4 == 1 else DRIFTS[i % 4]
    strategy = ["conf-tree", "random", "variable-uncertainty"][i % 3]
    learner = ActiveLearner(tree(), strategy, BUDGETS[i % 5], drift, i, recent=5)
    for j, (x, y) in enumerate(zip(*table(i, 60), strict=True)):
        decision = learner.decide(x)
        if decision.ask and j % 7 == 1:
            learner.expire(decision.id, refund=j % 2 == 0)
        elif decision.ask and j % 7 != 2:
            learner.label(decision.id, y if j < 30 else "no")
    return learner


def a_run(i):
    asked = {"budget": 0.5, "drift": DRIFTS[i % 4], "random_state": i, "delay": [0, 3][i % 2]}
    run = Evaluation(tree(), every=20, strategy="random", **asked)
    X = np.random.default_rng(i).random((50, 2))
    run.feed(X, np.where(X[:, 0] > 0.5, "yes", "no"))
    return run


def file_of(thing, path):
    thing.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    path = tmp_path_factory.mktemp("seeds") / "seed"
    learners = [file_of(a_learner(i), path) for i in range(12)]
    runs = [file_of(a_run(i), path) for i in range(8)]
    return {"learner": learners, "run": runs}


def places(value, found=None, path=()):
    """Return the path to every value inside a description."""
    found = [] if found is None else found
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((*path, key))
        if isinstance(inner, (dict, list)):
            places(inner, found, (*path, key))
    return found


def with_odd_values(header, rng):
    for _ in range(rng.randrange(1, 3)):
        *outer, key = rng.choice(places(header))
        inner = header
        for step in outer:
            inner = inner[step]
        choice = rng.random()
        if choice < 0.1:
            del inner[key]
        elif choice < 0.3 and isinstance(inner[key], (int, float)):
            inner[key] = inner[key] + rng.choice([-1, 1, 0.5])
        else:
            inner[key] = copy.deepcopy(rng.choice(ODD))


def repaired(model):
    """Give a model's file the checksum that it should have."""
    hashed = 14695981039346656037
    for byte in model[:-8]:
        hashed = (hashed ^ byte) * 1099511628211 % 2**64
    return model[:-8] + struct.pack("<Q", hashed)


def with_other_bytes(parts, others, rng):
    name = rng.choice(sorted(parts))
    part = bytearray(parts[name])
    if rng.random() < 0.3:
        part = bytearray(rng.choice(others).get(name, part))
    elif part:
        at = rng.randrange(len(part))
        odd = bytes([0]) + struct.pack("<d", rng.choice([x for x in ODD if type(x) is float]))
        part[at : at + rng.choice([1, 1, 1, 0, 2])] = rng.choice(
            [bytes([rng.randrange(256)]), bytes([part[at] + 1 & 255]), b"", odd]
        )
    is_model = name in ("model", "background") and len(part) > 32
    parts[name] = repaired(bytes(part)) if is_model else bytes(part)


def tampered(kind, data, seeds, rng):
    header, parts = unpack(kind, data)
    if kind == "run" and rng.random() < 0.4:
        parts["learner"] = tampered("learner", parts["learner"], seeds, rng)
    elif rng.random() < 0.5:
        with_odd_values({k: v for k, v in header.items() if k not in ("kind", "parts")}, rng)
    else:
        with_other_bytes(parts, [unpack(kind, other)[1] for other in seeds[kind]], rng)
    rest = {k: v for k, v in header.items() if k not in ("kind", "parts")}
    return pack(kind, rest, parts)


def live(kind, path):
    """Load a file and go on; only our two errors may come out."""
    thing = sapwood.load(path) if kind == "learner" else Evaluation.load(path)
    learner = thing if kind == "learner" else thing.learner
    try:
        if kind == "run":
            X = np.random.default_rng(1).random((30, 2))
            thing.feed(X, np.where(X[:, 0] > 0.5, "yes", "no"))
            thing.result().to_dict()
        else:
            for number in list(learner.questions)[:5]:
                learner.label(number, "yes")
            for x, y in zip(*table(99, 25), strict=True):
                decision = learner.decide(x)
                shares = decision.probabilities.values()
                assert all(0 <= share <= 1 for share in shares)
                assert not shares or sum(shares) == pytest.approx(1)
                if decision.ask:
                    learner.label(decision.id, y)
            assert 0 <= learner.uncertain_share() <= 1
    except (ValueError, TypeError):
        if kind == "run":
            return  # a run that failed is at its end
    thing.save(path)
    kept = path.read_bytes()
    again = sapwood.load(path) if kind == "learner" else Evaluation.load(path)
    assert file_of(again, path) == kept


@pytest.mark.parametrize("kind", ["learner", "run"])
def test_a_file_made_to_deceive_is_refused_or_works(kind, seeds, tmp_path):
    accepted = 0
    for number in range(INPUTS):
        rng = Random(f"{kind} {number}")  # names the input
        path = tmp_path / "kept"
        path.write_bytes(tampered(kind, rng.choice(seeds[kind]), seeds, rng))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                live(kind, path)
            accepted += 1
            continue
        except ValueError as error:
            said = str(error)
        except BaseException as error:
            error.add_note(f"of input {number}")
            raise
        assert "kept" in said, f"input {number} is refused without its name: {said}"
    print(f"\n{INPUTS} files of a {kind}, {accepted} accepted")
    assert accepted > INPUTS // 20


@pytest.mark.parametrize("part", ["guard_state", "budget_state", "strategy_state"])
def test_a_state_of_other_settings_is_refused(part, tmp_path):
    path = tmp_path / "kept"
    given = {
        "guard_state": {"drift": sapwood.drift.ADWIN(max_buckets=9)},
        "budget_state": {"budget": "rate:0.6"},
        "strategy_state": {"strategy": sapwood.strategies.Strategy("random", nu=0.3)},
    }[part]
    usual = {"strategy": "random", "budget": "rate:0.5", "drift": "adwin", "random_state": 1}
    files = [file_of(ActiveLearner(tree(), **{**usual, **new}), path) for new in ({}, given)]
    (header, parts), (_, others) = (unpack("learner", data) for data in files)
    rest = {k: v for k, v in header.items() if k not in ("kind", "parts")}
    path.write_bytes(pack("learner", rest, {**parts, part: others[part]}))
    with pytest.raises(ValueError, match=r"kept: .*other settings"):
        sapwood.load(path)
