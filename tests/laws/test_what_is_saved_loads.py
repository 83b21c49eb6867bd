"""Law: what is saved loads. Whatever was learned of legal input, its file, pickle and copy load,
have the same bytes and go on alike; and probabilities are numbers that sum to 1."""

import math
import pickle
from random import Random

import pandas as pd
from asking import asking
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import bytes_of, new_tree, tree_params

from sapwood import ActiveLearner, persist
from sapwood._learner_file import from_bytes, to_bytes

MORE = settings(max_examples=3 * settings().max_examples)
EXTREME = [0.0, -0.0, 5e-324, 1e-300, 1e-160, 1e-16, 0.1, 1e16, 1e150, 1.7e308]
NUMBERS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*EXTREME, *(-x for x in EXTREME)]),
)
# Whole weights are as many copies of a row: large ones are right, but not quick.
WEIGHTS = st.one_of(
    st.sampled_from([1.0, 1.0, 0.0, 3.0, 5e-324, 1e-300, 1e-16, 0.5, 2147483646.5]),
    st.floats(0, 2147483646.5, exclude_min=True).filter(lambda w: w < 100 or w != int(w)),
)
TEXTS = st.one_of(st.sampled_from(["a", "b", "c"]), st.text(max_size=20))
NAMES = st.one_of(st.text(max_size=3), st.integers(-(2**63), 2**63 - 1))
WHOLE_LABELS = st.one_of(
    st.integers(0, 3), st.integers(-(2**63), 2**63 - 1), st.booleans(), st.just(-0.0), st.just(7.0)
)
MISSING = st.sampled_from([None, math.nan, -math.nan])


@st.composite
def learned(draw, *, max_rows=60):
    """Draw a tree's parameters, and rows with labels and weights that are legal."""
    params = draw(tree_params())
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    kinds = [draw(st.sampled_from(["number", "text", "code"])) for _ in names]
    params["categorical_features"] = [n for n, k in zip(names, kinds, strict=True) if k == "code"]
    values = {"number": NUMBERS, "text": TEXTS, "code": st.integers(-2, 2) | st.just(-0.0)}
    labels = draw(st.lists(draw(st.sampled_from([WHOLE_LABELS, TEXTS])), min_size=1, max_size=12))
    pools = [draw(st.lists(values[kind] | MISSING, min_size=1, max_size=6)) for kind in kinds]
    weights = draw(st.lists(WEIGHTS, min_size=1, max_size=4))
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    rows = []
    for _ in range(draw(st.integers(1, max_rows))):
        x = {n: rng.choice(pool) for n, pool in zip(names, pools, strict=True)}
        rows.append((x, rng.choice(labels), rng.choice(weights)))
    return params, rows


def learn(tree, rows) -> None:
    for x, y, w in rows:
        before = bytes_of(tree)
        try:
            tree.learn_one(x, y, w)
        except ValueError as error:
            if "max_bytes" not in str(error):
                raise
            assert bytes_of(tree) == before


def check_probabilities(tree, rows) -> None:
    for x, _, _ in rows:
        shares = tree.predict_proba_one(x)
        assert all(0.0 <= share <= 1.0 for share in shares.values()), shares
        assert not shares or math.isclose(sum(shares.values()), 1.0)


@given(learned(), st.floats(0, 1))
@MORE
def test_a_tree(drawn, share):
    params, rows = drawn
    half = round(share * len(rows))
    tree = new_tree(params)
    learn(tree, rows[:half])
    again = persist.from_bytes(bytes_of(tree))
    pickled = pickle.loads(pickle.dumps(tree))
    for one in (again, pickled):
        assert bytes_of(one) == bytes_of(tree)
        assert one.nbytes_ == tree.nbytes_
    for one in (tree, again, pickled):
        learn(one, rows[half:])
        check_probabilities(one, rows)
    assert bytes_of(again) == bytes_of(pickled) == bytes_of(tree)
    assert bytes_of(persist.from_bytes(bytes_of(tree))) == bytes_of(tree)


@given(learned(), st.floats(0, 1))
def test_a_tree_that_learns_tables(drawn, share):
    params, rows = drawn
    half = round(share * len(rows))
    tree = new_tree(params)
    for part in (rows[:half], rows[half:]):
        if part:
            xs, labels, weights = zip(*part, strict=True)
            table = pd.DataFrame(list(xs), dtype=object)
            try:
                tree.learn_many(table, list(labels), list(weights))
            except ValueError as error:
                if "max_bytes" not in str(error):
                    raise
        assert bytes_of(persist.from_bytes(bytes_of(tree))) == bytes_of(tree)
        check_probabilities(tree, rows)


@given(learned(), asking(), st.floats(0, 1))
def test_an_active_learner(drawn, settings, share):
    params, rows = drawn
    del settings["delay"]
    learner = ActiveLearner(new_tree(params), **settings)
    half = round(share * len(rows))
    ask(learner, rows[:half])
    again = from_bytes(to_bytes(learner))
    pickled = pickle.loads(pickle.dumps(learner))
    for one in (learner, again, pickled):
        ask(one, rows[half:])
    assert to_bytes(again) == to_bytes(pickled) == to_bytes(learner)
    assert to_bytes(from_bytes(to_bytes(learner))) == to_bytes(learner)


def ask(learner, rows) -> None:
    for i, (x, y, _) in enumerate(rows):
        try:
            decision = learner.decide(x)
            if decision.ask and i % 5 == 1:
                learner.expire(decision.id, refund=i % 2 == 0)
            elif decision.ask and i % 5 != 2:
                learner.label(decision.id, y)
        except ValueError as error:
            if "max_bytes" not in str(error):
                raise
            continue
        shares = list(decision.probabilities.values())
        assert not shares or math.isclose(sum(shares), 1.0)


def test_a_learner_that_saw_a_row_without_a_value():
    learner = ActiveLearner(new_tree({"categorical_features": ["c"]}), "all", "unlimited", None, 0)
    learner.decide({"c": None})
    saved = to_bytes(learner)
    assert to_bytes(from_bytes(saved)) == saved
    again = from_bytes(saved)
    for one in (learner, again):
        one.label(one.decide({"c": 1}).id, "yes")
    assert to_bytes(again) == to_bytes(learner)
