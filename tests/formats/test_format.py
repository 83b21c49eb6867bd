"""A model becomes bytes and the bytes the same model; any other bytes give a ValueError that says
what is wrong, or a model that works; a file is written as a whole or not at all."""

import builtins
import copy
import io
import json
import marshal
import math
import os
import pickle
import random
import stat
import sys
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

import sapwood
import sapwood.river
from sapwood import ConfidenceTreeClassifier
from sapwood._learner_file import to_bytes as learner_to_bytes
from sapwood._params import of_model
from sapwood.persist import from_bytes, to_bytes

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import make_golden  # noqa: E402

HEADER, CHECKSUM = 24, 8
BROKEN = "Not a readable sapwood model"


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def sealed(body):
    """The bytes with the checksum that fits them."""
    return bytes(body) + fnv1a(body).to_bytes(8, "little")


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 5, n).astype(float),
            "c": rng.choice(["x", "y", "z"], n),
        }
    )
    y = np.where(frame["c"] == "x", "p", np.where(frame["a"] > 0, "q", "r"))
    return frame.mask(rng.random(frame.shape) < 0.05), y


EAGER = {"c": 0.005, "grace_period": 20}


def grown(**params):
    return ConfidenceTreeClassifier(**{**EAGER, **params}).partial_fit(*rows())


def clocked():
    tree = ConfidenceTreeClassifier()
    tree.advance(12345)
    return tree


def weighted():
    X, y = rows()
    w = np.linspace(0, 2, len(y))
    return ConfidenceTreeClassifier(**EAGER).partial_fit(X, y, sample_weight=w)


def odd_names():
    tree = ConfidenceTreeClassifier()
    tree.learn_one({"": 1.0, "häuser 🏠": "", 5: "quote'\"\n\0", -(2**63): True}, "naïve\0")
    tree.learn_one({"": 1e308, "häuser 🏠": "long " * 50}, "")
    return tree


def river():
    tree = sapwood.river.ConfidenceTreeClassifier(**EAGER)
    tree.learn_many(*rows())
    return tree


def learned_then_told():
    tree = grown()
    return tree.set_params(max_depth=3, delta=0.1)


MODELS = {
    "new": ConfidenceTreeClassifier,
    "clocked": clocked,
    "default": grown,
    "entropy": lambda: grown(criterion="entropy", bound="hoeffding", delta=1e-3),
    "kearns-mansour": lambda: grown(criterion="kearns-mansour", bound="theorem", delta=0.5),
    "error": lambda: grown(criterion="error", bound="hoeffding-corrected", delta=0.1),
    "mcdiarmid": lambda: grown(bound="mcdiarmid", delta=0.5),
    "ties": lambda: grown(tie_threshold=0.5),
    "naive-bayes": lambda: grown(leaf_prediction="naive-bayes"),
    "adaptive": lambda: grown(leaf_prediction="adaptive", n_bins=4),
    "gaussian": lambda: grown(numeric_splits="gaussian"),
    "exact": lambda: grown(numeric_splits="exact"),
    "categorical numbers": lambda: grown(categorical_features=["b"]),
    "categorical mask": lambda: grown(categorical_features=np.array([False, True, False])),
    "categorical positions": lambda: grown(categorical_features=(np.int64(1),)),
    "max_leaves": lambda: grown(max_leaves=3, leaf_prediction="adaptive"),
    "max_depth": lambda: grown(max_depth=1),
    "max_bytes": lambda: grown(max_bytes=12_000),
    "moa": lambda: ConfidenceTreeClassifier.moa(grace_period=20).partial_fit(*rows()),
    "weighted": weighted,
    "declared classes": lambda: ConfidenceTreeClassifier().partial_fit(
        np.zeros((2, 2)), [1, 2], classes=[1, 2, 3]
    ),
    "declared classes, nothing learned": lambda: ConfidenceTreeClassifier().partial_fit(
        np.zeros((2, 2)), [1, 2], classes=[1, 2, 3], sample_weight=0
    ),
    "fitted": lambda: ConfidenceTreeClassifier(**EAGER).fit(*rows()),
    "bool classes": lambda: ConfidenceTreeClassifier().fit(np.zeros((2, 1)), [True, False]),
    "large classes": lambda: ConfidenceTreeClassifier().fit(
        np.zeros((2, 1)), [2**63 - 1, -(2**63)]
    ),
    "float classes": lambda: ConfidenceTreeClassifier().fit(np.zeros((2, 1)), [1e300, -2.0]),
    "one column without values": lambda: ConfidenceTreeClassifier().fit(
        pd.DataFrame({"a": [1.0, 2.0], "b": [None, None]}), [0, 1]
    ),
    "odd names": odd_names,
    "huge numbers": lambda: ConfidenceTreeClassifier(leaf_prediction="adaptive", **EAGER).fit(
        1.7e308 * np.linspace(-1, 1, 200).reshape(-1, 1), np.arange(200) % 2
    ),
    "tiny numbers": lambda: grown().partial_fit(rows()[0].assign(a=5e-324), rows()[1]),
    "river": river,
    "learned, then told otherwise": learned_then_told,
}


def same_params(a, b):
    listed = {"categorical_features"}
    for name, value in a.get_params().items():
        other = b.get_params()[name]
        if name in listed and value is not None:
            assert list(value) == list(other)
        else:
            assert value == other, name


@pytest.mark.parametrize("name", [name for name in MODELS if "told otherwise" not in name])
def test_round_trip(name, tmp_path):
    tree = MODELS[name]()
    data = to_bytes(tree)
    tree.save(tmp_path / "tree.sapwood")
    assert (tmp_path / "tree.sapwood").read_bytes() == data
    for again in (from_bytes(data), sapwood.load(tmp_path / "tree.sapwood")):
        assert type(again) is type(tree)
        same_params(tree, again)
        assert to_bytes(again) == data
        assert again.splits() == tree.splits()
        assert (again.t_, again.n_leaves_, again.depth_) == (tree.t_, tree.n_leaves_, tree.depth_)
        assert again._model is None or again._model.classes_declared == tree._model.classes_declared
        if tree._model is not None and tree._model.classes:
            assert again.classes_.tolist() == tree.classes_.tolist()
            assert again.classes_.dtype == tree.classes_.dtype
            assert again.nbytes_ == tree.nbytes_


@pytest.mark.parametrize("name", MODELS)
def test_pickle_copy_and_joblib_use_the_same_bytes(name):
    tree = MODELS[name]()
    file = io.BytesIO()
    joblib.dump(tree, file)
    file.seek(0)
    pickled = [pickle.loads(pickle.dumps(tree, protocol)) for protocol in range(2, 6)]
    for again in (*pickled, joblib.load(file), copy.copy(tree), copy.deepcopy(tree)):
        assert type(again) is type(tree)
        same_params(tree, again)
        assert to_bytes(again) == to_bytes(tree)
    state = tree.__getstate__()
    assert state["model"] == (None if name == "new" else to_bytes(tree))


def test_copies_are_independent():
    tree = grown()
    before = to_bytes(tree)
    for again in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        again.partial_fit(*rows(seed=1))
        assert again.t_ == 2 * tree.t_
    assert to_bytes(tree) == before


def test_the_loaded_model_goes_on_as_if_nothing_had_happened():
    for name, make in MODELS.items():
        if name in ("default", "exact", "gaussian", "adaptive", "moa", "max_bytes", "river"):
            stayed, went = make(), from_bytes(to_bytes(make()))
            X, y = rows(seed=3)
            for tree in (stayed, went):
                tree.learn_many(X, y)
            assert to_bytes(stayed) == to_bytes(went), name


def test_files_are_small():
    assert len(to_bytes(ConfidenceTreeClassifier())) < 600
    tree = grown()
    assert len(to_bytes(tree)) < tree.nbytes_ / 2


# --- no code, no clock ----------------------------------------------------------------------------


def test_no_code_runs_on_load(monkeypatch, tmp_path):
    grown().save(tmp_path / "tree.sapwood")

    def forbidden(*_, **__):
        raise AssertionError("code was run")

    with monkeypatch.context() as patch:
        for module, name in (
            (builtins, "eval"),
            (builtins, "exec"),
            (pickle, "loads"),
            (pickle, "load"),
            (pickle, "Unpickler"),
            (marshal, "loads"),
            (os, "system"),
        ):
            patch.setattr(module, name, forbidden)
        tree = sapwood.load(tmp_path / "tree.sapwood")
    assert tree.n_leaves_ > 1


def test_a_pickle_is_no_model():
    class Evil:
        def __reduce__(self):
            return (os.system, ("echo evil",))

    for data in (pickle.dumps(Evil()), pickle.dumps(grown()), b"PK\x03\x04", b""):
        with pytest.raises(ValueError, match="it does not begin as one does"):
            from_bytes(data)


def test_no_wall_clock_is_in_the_bytes(monkeypatch):
    tree = grown()
    before = to_bytes(tree)
    monkeypatch.setattr(time, "time", lambda: 4e9)
    assert to_bytes(tree) == to_bytes(grown()) == before


def owner_replaced(data, owner):
    """The file with another owner's text."""
    payload = data[HEADER:-CHECKSUM]
    length, at = 0, 0
    while True:
        length |= (payload[at] & 0x7F) << (7 * at)
        at += 1
        if payload[at - 1] < 0x80:
            break
    text = owner if isinstance(owner, bytes) else owner.encode()
    size, n = b"", len(text)
    while n >= 0x80:
        size += bytes([n & 0x7F | 0x80])
        n >>= 7
    payload = size + bytes([n]) + text + payload[at + length :]
    return sealed(data[:16] + len(payload).to_bytes(8, "little") + payload)


def owner_of(data):
    tree = from_bytes(data)
    params = of_model(tree.get_params())
    state = {"class": "sapwood", "classes_fixed": tree._model.classes_declared, "params": params}
    return json.loads(json.dumps(state))


def test_the_owner_can_be_replaced():
    data = to_bytes(grown())
    owner = json.dumps(owner_of(data), sort_keys=True, separators=(",", ":"))
    assert owner_replaced(data, owner) == data


@pytest.mark.parametrize(
    "change",
    [
        lambda o: o.update({"class": "os.system"}),
        lambda o: o.update({"class": "sapwood.evil"}),
        lambda o: o.update({"class": ["sapwood"]}),
        lambda o: o.update({"classes_fixed": "yes"}),
        lambda o: o.update({"params": ["c"]}),
        lambda o: o.update({"params": None}),
        lambda o: o["params"].update({"__class__": "evil"}),
        lambda o: o["params"].update({"c": "large"}),
        lambda o: o["params"].update({"c": [1]}),
        lambda o: o["params"].update({"grace_period": 0}),
        lambda o: o["params"].update({"categorical_features": {"a": 1}}),
        lambda o: o["params"].update({"categorical_features": [None]}),
        lambda o: o["params"].update({"n_jobs": 2}),  # which is no part of a model
        lambda o: o.pop("class"),
        lambda o: o.pop("params"),
        lambda o: o.pop("classes_fixed"),
    ],
)
def test_a_broken_owner(change):
    data = to_bytes(grown())
    owner = owner_of(data)
    change(owner)
    with pytest.raises(ValueError, match="its parameters are broken"):
        from_bytes(owner_replaced(data, json.dumps(owner)))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "3", '"sapwood"', "[" * 100_000, b"\xff\xfe"]
)
def test_an_owner_that_is_no_owner(text):
    with pytest.raises(ValueError, match=f"{BROKEN}|codec can't decode"):
        from_bytes(owner_replaced(to_bytes(grown()), text))


def test_parameters_that_a_later_version_adds_are_not_guessed():
    data = to_bytes(grown())
    owner = owner_of(data)
    owner["params"]["drift"] = True
    with pytest.raises(ValueError, match="its parameters are broken"):
        from_bytes(owner_replaced(data, json.dumps(owner)))
    del owner["params"]["drift"], owner["params"]["max_bytes"]
    assert from_bytes(owner_replaced(data, json.dumps(owner))).max_bytes is None


# --- damage ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    """A file of a few hundred bytes with a split of each kind, and all that leaves may hold."""
    tree = ConfidenceTreeClassifier(
        c=0.001, grace_period=8, leaf_prediction="adaptive", n_bins=3, max_leaves=4, max_bytes=10**6
    )
    X, y = rows(60)
    tree.partial_fit(X, y)
    assert {s.category is None for s in tree.splits()} == {True, False}
    return to_bytes(tree)


def test_truncated_at_every_length(small):
    for length in range(len(small)):
        with pytest.raises(ValueError, match=BROKEN) as caught:
            from_bytes(small[:length])
        words = "does not begin" if length < 8 else "truncated"
        assert words in str(caught.value)


def test_truncated_inside_and_sealed_again(small):
    payload = small[HEADER:-CHECKSUM]
    for length in range(len(payload)):
        head = small[:16] + length.to_bytes(8, "little")
        with pytest.raises(ValueError, match=f"{BROKEN}|parameters are broken"):
            from_bytes(sealed(head + payload[:length]))


def test_bytes_after_the_end(small):
    with pytest.raises(ValueError, match="it has bytes after its end"):
        from_bytes(small + b"\0")
    payload = small[HEADER:-CHECKSUM] + b"\0"
    head = small[:16] + len(payload).to_bytes(8, "little")
    with pytest.raises(ValueError, match="there is more than a model in it"):
        from_bytes(sealed(head + payload))


def test_every_byte_flipped(small):
    for i in range(len(small)):
        for flip in (0x01, 0x80, 0xFF):
            data = bytearray(small)
            data[i] ^= flip
            with pytest.raises(ValueError, match=BROKEN) as caught:
                from_bytes(bytes(data))
            if i >= HEADER:
                assert "its checksum does not match, so some byte was changed" in str(caught.value)


@pytest.mark.parametrize("version", [3, 4, 255, 2**32, 2**64 - 1])
def test_a_newer_version_says_so(small, version):
    data = small[:8] + version.to_bytes(8, "little") + small[16:-CHECKSUM]
    with pytest.raises(
        ValueError, match=f"it has format {version}, and this version.*upgrade sapwood"
    ):
        from_bytes(sealed(data))


def test_version_zero_is_broken(small):
    with pytest.raises(ValueError, match="its format number is broken"):
        from_bytes(sealed(small[:8] + bytes(8) + small[16:-CHECKSUM]))


@pytest.mark.parametrize("length", [0, 1, 2**31, 2**63, 2**64 - 1])
def test_a_false_length(small, length):
    with pytest.raises(ValueError, match=f"{BROKEN}: it (is truncated|has bytes after its end)"):
        from_bytes(sealed(small[:16] + length.to_bytes(8, "little") + small[HEADER:-CHECKSUM]))


def test_random_bytes():
    rng = random.Random(7)
    for _ in range(2000):
        noise = rng.randbytes(rng.randrange(300))
        head = b"\x89SAPWOOD" + (1).to_bytes(8, "little") + len(noise).to_bytes(8, "little")
        for data in (noise, b"\x89SAPWOOD" + noise, sealed(head + noise)):
            with pytest.raises(ValueError, match=BROKEN):
                from_bytes(data)


PROBE, PROBE_LABELS = rows(30, seed=9)


def works_or_is_refused(data):
    """Load bytes that nobody wrote. What loads must do all that a model does, and no harm."""
    try:
        tree = from_bytes(data)
    except ValueError:
        return False
    known = tree._model is not None and tree._model.classes
    from_bytes(to_bytes(tree))
    if data[-1] % 8 == 0:  # of the checksum: one in eight
        for look in (tree.export_text, tree.to_svg, tree.to_dataframe):
            look()
    assert tree.n_leaves_ == len(tree.splits()) + 1
    assert not math.isnan(tree.t_)
    for call in (
        lambda: tree.predict_many(PROBE),
        lambda: tree.predict_proba_many(PROBE).to_numpy(),
        lambda: tree.explain_one(PROBE.iloc[0].to_dict()),
        lambda: tree.learn_many(PROBE, PROBE_LABELS),
        lambda: tree.learn_one({"a": 1.0}, "p"),
        lambda: tree.predict_proba_many(PROBE).to_numpy(),
    ):
        try:
            answer = call()
        except (ValueError, TypeError):  # its columns may be of another kind now
            continue
        if isinstance(answer, np.ndarray) and known:
            assert np.isfinite(answer.astype(float)).all()
    return True


def test_changed_and_sealed_again(small):
    """The checksum is no lock: whoever can write it may write anything behind it."""
    body = small[:-CHECKSUM]
    rng = random.Random(1)
    loaded = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(HEADER, len(body)):
            for value in {0, 0x80, 0xFF, body[i] ^ 1} - {body[i]}:
                data = bytearray(body)
                data[i] = value
                loaded += works_or_is_refused(sealed(data))
        for _ in range(1000):
            data = bytearray(body[HEADER:])
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(data))
                what = rng.randrange(4)
                if what == 0:
                    del data[at : at + rng.randrange(1, 9)]
                elif what == 1:
                    data[at:at] = rng.randbytes(rng.randrange(1, 9))
                elif what == 2:
                    data[at : at + 8] = rng.choice(DOUBLES)
                else:
                    other = rng.randrange(len(data))
                    data[at : at + 8] = data[other : other + 8]
            head = body[:16] + len(data).to_bytes(8, "little")
            loaded += works_or_is_refused(sealed(head + bytes(data)))
    assert loaded > 100  # labels, names and counts may well be others


DOUBLES = [
    np.float64(x).tobytes()
    for x in (math.nan, math.inf, -math.inf, -1.0, -0.0, 5e-324, 1.7e308, 2.0**60)
]


# --- files ----------------------------------------------------------------------------------------


def test_save_leaves_the_old_file_when_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "tree.sapwood"
    grown().save(path)
    before = path.read_bytes()
    other = grown(max_depth=1)

    def fails(*_, **__):
        raise OSError("no space left on device")

    for module, name in ((os, "fsync"), (Path, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fails)
            with pytest.raises(OSError, match="no space left"):
                other.save(path)
        assert path.read_bytes() == before
        assert [p.name for p in tmp_path.iterdir()] == ["tree.sapwood"]
    other.save(path)
    assert path.read_bytes() == to_bytes(other) != before
    assert [p.name for p in tmp_path.iterdir()] == ["tree.sapwood"]


def test_a_reader_never_sees_half_a_file(tmp_path, monkeypatch):
    path = tmp_path / "tree.sapwood"
    grown().save(path)
    seen = []
    fsync = os.fsync

    def look(handle):
        seen.append(sapwood.load(path).t_)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", look)
    grown(max_depth=1).save(path)
    assert seen == [400]


@pytest.mark.skipif(os.name != "posix", reason="file modes are a matter of POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_mode_of_a_file_is_that_of_any_other(tmp_path, mask):
    before = os.umask(mask)
    try:
        grown().save(tmp_path / "tree.sapwood")
        (tmp_path / "other").write_bytes(b"")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("tree.sapwood", "other")]
    assert modes[0] == modes[1] == 0o666 & ~mask


def test_paths_of_any_kind(tmp_path, monkeypatch):
    tree = grown()
    monkeypatch.chdir(tmp_path)
    for path in ("plain.sapwood", str(tmp_path / "with space"), Path("häuser"), "x" * 200):
        tree.save(path)
        assert to_bytes(sapwood.load(path)) == to_bytes(tree)


def test_bytes_may_come_in_any_buffer():
    data = to_bytes(grown())
    for form in (bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8)):
        assert to_bytes(from_bytes(form(data))) == data


def test_loading_damage_says_what_is_wrong(tmp_path):
    path = tmp_path / "tree.sapwood"
    path.write_bytes(to_bytes(grown())[:-1])
    with pytest.raises(ValueError, match="it is truncated"):
        sapwood.load(path)
    path.write_text("not a model")
    with pytest.raises(ValueError, match="it does not begin as one does"):
        sapwood.load(path)


# --- golden files ---------------------------------------------------------------------------------

GOLDEN = sorted(HERE.glob("golden-[0-9]*.sapwood"))


def test_there_is_a_golden_file_of_this_format():
    version = int.from_bytes(to_bytes(ConfidenceTreeClassifier())[8:16], "little")
    assert HERE / f"golden-{version}.sapwood" in GOLDEN


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_files_load_and_say_what_they_said(path):
    assert path.stat().st_size < 20_000
    tree = sapwood.load(path)
    said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    asked = [dict(row) for row in said["rows"]]
    assert [tree.predict_one(row) for row in asked] == said["predictions"]
    for row, probabilities in zip(asked, said["probabilities"], strict=True):
        assert tree.predict_proba_one(row) == pytest.approx(probabilities, rel=1e-9)
    assert tree.t_ == said["t"]
    assert tree.n_leaves_ == said["leaves"]
    splits = [[s.feature, s.threshold, s.category, s.reason] for s in tree.splits()]
    assert splits == said["splits"]
    kinds = {(s.category is None, s.reason) for s in tree.splits()}
    assert {True, False} == {numeric for numeric, _ in kinds}
    assert {"confident", "tie"} == {reason for _, reason in kinds}
    assert len(tree.classes_) == 3
    assert tree.leaf_prediction == "adaptive"
    tree.learn_one(asked[0], said["predictions"][0])
    assert tree.t_ == said["t"] + 1


def test_the_golden_file_of_this_format_is_written_the_same():
    path = GOLDEN[-1]
    data = path.read_bytes()
    assert to_bytes(sapwood.load(path)) == data


def test_the_golden_model_is_still_learned_so():
    tree, golden = make_golden.grown(), sapwood.load(GOLDEN[-1])
    assert [(s.feature, s.threshold, s.category, s.m, s.t) for s in tree.splits()] == [
        (s.feature, s.threshold, s.category, s.m, s.t) for s in golden.splits()
    ]
    said = make_golden.sayings(tree)
    assert said["predictions"] == make_golden.sayings(golden)["predictions"]


LEARNERS = sorted(HERE.glob("golden-learner-*.sapwood"))


@pytest.mark.parametrize("path", LEARNERS, ids=lambda path: path.stem)
def test_golden_learners_load_and_go_on(path):
    learner = sapwood.load(path)
    if path == LEARNERS[-1]:
        assert learner_to_bytes(learner) == path.read_bytes()
    assert path.stat().st_size < 40_000
    budget = learner.budget
    assert budget.seen == 1500
    assert min(budget.open, budget.expired, budget.refunded, learner.drifts) > 0
    for number in list(learner.questions):
        assert learner.label(number, "west") == "learned"
    assert budget.open == 0
    assert learner.decide({"height": 0.5}).id == 1501


def test_the_golden_learner_still_asks_so():
    assert learner_to_bytes(make_golden.asking()) == LEARNERS[-1].read_bytes()
