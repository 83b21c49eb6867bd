"""Broken files of learners and runs: a ValueError that names the file, and nothing else."""

import hashlib
import pickle
import struct

import numpy as np
import pytest
from river import naive_bayes

import sapwood
from sapwood import ActiveLearner, ConfidenceTreeClassifier, Evaluation
from sapwood._container import MAGIC, pack, unpack

WRONG = [None, True, -1, 0, 1.5, float("nan"), 2**70, "x", "", [], {}, [[1]], [["x", 1]], {"a": 1}]


def rows(n=400):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(n, 2))
    return X, np.where((X[:, 0] > 0) ^ (rng.random(n) < 0.2), "yes", "no")


def tree():
    return ConfidenceTreeClassifier(c=0.01, grace_period=20)


def a_learner(path):
    learner = ActiveLearner(tree(), "random", "window:0.5:20", "ddm", 3, classes=["no", "yes"])
    for i, (x, y) in enumerate(zip(*rows(), strict=True)):
        decision = learner.decide({"a": x[0], "b": x[1]})
        if decision.ask and i % 9 == 1:
            learner.expire(decision.id, refund=i % 2 == 0)
        elif decision.ask and i % 9 != 2:
            learner.label(decision.id, str(y))
    learner.save(path)


def a_run(path, model, kind, **settings):
    run = Evaluation(model, every=70, **settings)
    X, y = rows()
    run.feed(X if kind == "table" else [dict(enumerate(x)) for x in X.tolist()], y)
    run.save(path)


ACTIVE = {"strategy": "random", "budget": 0.3, "random_state": 1, "delay": 5, "drift": "ddm"}
FILES = {
    "learner": a_learner,
    "native run": lambda path: a_run(path, tree(), "table", **ACTIVE),
    "run of dicts": lambda path: a_run(path, tree(), "dicts", **ACTIVE),
    "foreign run": lambda path: a_run(path, naive_bayes.GaussianNB(), "dicts", **ACTIVE),
}


def load(path, kind):
    if kind == "learner":
        return sapwood.load(path)
    return Evaluation.load(path, trusted=kind == "foreign run")


def go_on(thing):
    """Use what was accepted; it may refuse, but not break."""
    if isinstance(thing, ActiveLearner):
        for number in list(thing.questions):
            thing.label(number, "yes")
        for i in range(40):
            decision = thing.decide({"a": i, "b": 0.5})
            if decision.ask:
                thing.label(decision.id, "no")
        thing.uncertain_share()
    else:
        thing.result().to_dict()


@pytest.fixture(params=FILES)
def kept(request, tmp_path):
    path = tmp_path / "kept"
    FILES[request.param](path)
    go_on(load(path, request.param))  # whole, it loads
    data = path.read_bytes()
    header, parts = unpack("learner" if request.param == "learner" else "run", data)
    return request.param, path, header, parts


def write(path, header, parts):
    rest = {name: value for name, value in header.items() if name not in ("kind", "parts")}
    path.write_bytes(pack(header["kind"], rest, parts))


def must_name_the_file(path, kind):
    with pytest.raises(ValueError, match=path.name) as caught:
        load(path, kind)
    return str(caught.value)


def load_or_say(path, kind):
    """Return what a file holds, or None if it is refused in words that name it."""
    said = None
    try:
        return load(path, kind)
    except ValueError as error:
        said = str(error)
    assert path.name in said
    return None


def test_a_field_that_is_missing_or_of_another_kind(kept):
    kind, path, header, parts = kept
    for name in set(header) - {"kind", "parts"}:
        write(path, {k: v for k, v in header.items() if k != name}, parts)
        assert repr(name) in must_name_the_file(path, kind)
        for wrong in WRONG:
            write(path, {**header, name: wrong}, parts)
            thing = load_or_say(path, kind)
            if thing is not None:
                go_on(thing)


def test_a_setting_that_is_missing_or_of_another_kind(kept):
    kind, path, header, parts = kept
    group = "strategy" if kind == "learner" else "settings"
    for name in header[group]:
        for wrong in WRONG:
            write(path, {**header, group: {**header[group], name: wrong}}, parts)
            load_or_say(path, kind)


def test_a_part_that_is_missing_or_cut(kept):
    kind, path, header, parts = kept
    for name in parts:
        write(path, header, {k: v for k, v in parts.items() if k != name})
        if name != "trial":  # of a run that has fed nothing natively, it is not there
            must_name_the_file(path, kind)
        write(path, header, {**parts, name: bytes(len(parts[name]))})
        load_or_say(path, kind)
        for cut in (b"", parts[name][:-1]):
            write(path, header, {**parts, name: cut})
            must_name_the_file(path, kind)


def sealed(text, rest=b""):
    body = MAGIC + struct.pack("<QQ", 1, len(text)) + text + rest
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"kind":"learner","parts":{},"recent":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b"",
        b"[]",
        b"1",
        b'"x"',
        b"\xff",
        b"{",
        b"{}",
        b'{"kind":"learner"}',
        b'{"kind":"learner","parts":[]}',
        b'{"kind":"learner","parts":{"model":-1}}',
        b'{"kind":"learner","parts":{"model":1e9}}',
        b'{"kind":"learner","parts":{"model":99999999999999999999}}',
        b'{"kind":"learner","parts":{}}',
    ],
)
def test_a_description_that_is_none(tmp_path, text):
    path = tmp_path / "kept"
    for kind in ("learner", "run"):
        path.write_bytes(sealed(text.replace(b"learner", kind.encode())))
        must_name_the_file(path, kind)
    path.write_bytes(sealed(text)[:-1])
    assert "truncated" in must_name_the_file(path, "learner")


def test_a_length_beyond_the_file(tmp_path):
    path = tmp_path / "kept"
    body = MAGIC + struct.pack("<QQ", 1, 2**64 - 1) + b"{}"
    path.write_bytes(body + hashlib.sha256(body).digest())
    must_name_the_file(path, "learner")


def test_a_file_that_is_cut_short(kept):
    kind, path, *_ = kept
    data = path.read_bytes()
    for length in [*range(40), *np.linspace(40, len(data) - 1, 30).astype(int).tolist()]:
        path.write_bytes(data[:length])
        must_name_the_file(path, kind)
    path.write_bytes(data + b"\0")
    must_name_the_file(path, kind)


def test_questions_that_the_ledger_knows_nothing_of(tmp_path):
    path = tmp_path / "kept"
    a_learner(path)
    header, parts = unpack("learner", path.read_bytes())
    lists = {name: header[name] for name in ("open", "expired", "closed")}
    assert all(lists.values())
    first = lists["open"][0]
    beyond = [[10**6, *first[1:]]]
    unasked = next(i for i in range(1, 400) if i not in {q[0] for k in lists.values() for q in k})
    broken = {
        "twice": {"open": [first, *lists["open"]]},
        "open and expired": {"expired": [first, *lists["expired"]]},
        "open and closed": {"closed": [[first[0], "answered"], *lists["closed"]]},
        "of no example": {"open": [*lists["open"][1:], *beyond]},
        "of the example before the first": {"open": [[0, *first[1:]], *lists["open"][1:]]},
        "more open": {"open": [[unasked, *first[1:]], *lists["open"]]},
        "more expired": {"expired": [[unasked, *first[1:]], *lists["expired"]]},
        "more answered": {"closed": [[unasked, "answered"], *lists["closed"]]},
        "more refunded": {"closed": [[unasked, "refunded"], *lists["closed"]]},
        "another end": {"closed": [[first[0], "lost"]], "open": []},
        "forgotten": {"forgotten": 401},
        "more than recent": {"n_recent": len(header["recent"]) - 1},
    }
    for changes in broken.values():
        write(path, {**header, **changes}, parts)
        must_name_the_file(path, "learner")


def test_scores_that_do_not_add_up(tmp_path):
    path = tmp_path / "kept"
    FILES["native run"](path)
    header, parts = unpack("run", path.read_bytes())
    stretches, pairs, counted = header["counts"]
    broken = [
        {"n_rows": header["n_rows"] + 1},
        {"n_rows": 0},
        {"classes": header["classes"][:1]},
        {"classes": [header["classes"][0]] * 2},
        {"stretches": header["stretches"] + 1},
        {"stretches": 2**62},
        {"records": header["records"][1:]},
        {"records": [record[1:] for record in header["records"]]},
        {"counts": [stretches[::-1], pairs, counted]},
        {"counts": [stretches, [2**40, *pairs[1:]], counted]},
        {"counts": [stretches, [7, *pairs[1:]], counted]},
        {"counts": [stretches, pairs, [0, *counted[1:]]]},
        {"counts": [stretches, pairs, [2**63 - 1] * len(pairs)]},
        {"counts": [stretches[1:], pairs, counted]},
        {"counts": [[], [], []]},
        {"settings": {**header["settings"], "every": 99}},
    ]
    for changes in broken:
        write(path, {**header, **changes}, parts)
        must_name_the_file(path, "run")


def test_a_pickle_that_cannot_be_loaded_is_the_files_error(tmp_path):
    path = tmp_path / "kept"
    FILES["foreign run"](path)
    header, _ = unpack("run", path.read_bytes())
    for broken in (b"", b"cno_such_module\nX\n.", pickle.dumps([1]), pickle.dumps(None)[:-1]):
        write(path, header, {"pickle": broken})
        must_name_the_file(path, "foreign run")


def test_a_models_file_that_is_no_model(tmp_path):
    path = tmp_path / "model"
    tree().fit(*rows()).save(path)
    data = path.read_bytes()
    for broken in (b"", b"x", data[:-1], data[:20], data[:100] + b"\0" + data[101:], b"{}"):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="model"):
            sapwood.load(path)


def test_a_run_keeps_how_many_values_it_took_as_missing(tmp_path):
    run = Evaluation(ConfidenceTreeClassifier())
    run.feed(np.zeros((5, 2)), [0, 1] * 2 + [0])
    run.save(tmp_path / "run")
    header, parts = unpack("run", (tmp_path / "run").read_bytes())
    assert "mended" not in header  # files before it was counted had none
    run.mended = 3
    run.save(tmp_path / "run")
    assert Evaluation.load(tmp_path / "run").result().mended == 3
    for wrong in (-1, "3", 1.5, None, [3]):
        write(tmp_path / "run", {**header, "mended": wrong}, parts)
        assert "'mended'" in must_name_the_file(tmp_path / "run", "native run")
