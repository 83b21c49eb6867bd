"""Parameters accept what they say they take, and reach the core and the file as plain values."""

import fractions
import json
import math

import numpy as np
import pytest

from sapwood import ConfidenceTreeClassifier
from sapwood._params import DEFAULT_C, MODEL_PARAMETERS, PARAMETERS, for_core, to_json, validate

DEFAULTS = {name: parameter.default for name, parameter in PARAMETERS.items()}
GOOD = {
    "criterion": ["gini", "entropy", "kearns-mansour", "error", np.str_("gini")],
    "bound": ["c-tree", "theorem", "hoeffding", "hoeffding-corrected", "mcdiarmid"],
    "c": [1e-300, 1, 0.5, np.float32(0.5), np.int64(2), fractions.Fraction(1, 3), 1e300],
    "delta": ["1/t", 0.5, 1e-300, np.float64(0.1), fractions.Fraction(1, 7)],
    "tie_threshold": [0, 0.0, 0.05, 1e9, np.float32(0.5)],
    "grace_period": [1, 200, np.int8(5), 2**31 - 1],
    "leaf_prediction": ["majority", "naive-bayes", "adaptive"],
    "numeric_splits": ["histogram", "gaussian", "exact"],
    "n_bins": [2, 64, np.uint8(8), 2**20],
    "categorical_features": [
        None,
        [],
        [0],
        ["a", 1],
        ("a",),
        {"a"},
        [True, False],
        np.array([0, 1]),
        np.array([True]),
        np.array(["a", "b"]),
        range(3),
    ],
    "max_leaves": [None, 1, 100, np.int64(7)],
    "max_depth": [None, 0, 5, np.int64(7)],
    "max_bytes": [None, 1, 2**40, np.int64(7)],
    "compat": [None, "moa"],
    "n_jobs": [None, 1, -1, np.int64(7)],
}
CASES = [(name, i) for name, values in GOOD.items() for i in range(len(values))]


def test_defaults():
    assert ConfidenceTreeClassifier().get_params() == DEFAULTS
    promised = {
        "criterion": "gini",
        "bound": "c-tree",
        "c": DEFAULT_C,
        "delta": "1/t",
        "tie_threshold": 0.0,
        "grace_period": 100,
        "leaf_prediction": "majority",
        "numeric_splits": "histogram",
        "categorical_features": None,
        "on_error": "stop",
        "columns": "strict",
        "max_leaves": None,
        "max_depth": None,
        "max_bytes": None,
        "compat": None,
        "n_jobs": None,
    }
    assert {name: DEFAULTS[name] for name in promised} == promised
    assert set(DEFAULTS) - set(promised) == {"n_bins"}
    validate(DEFAULTS)


@pytest.mark.parametrize(("name", "i"), CASES)
def test_good_values_are_accepted_and_become_plain(name, i):
    value = GOOD[name][i]
    params = {**DEFAULTS, name: value}
    validate(params)
    plain = to_json(params)
    assert json.loads(json.dumps(plain)) == plain
    validate(plain)
    assert for_core(plain) == for_core(params)
    if name == "categorical_features":
        assert value is None or sorted(plain[name], key=str) == sorted(value, key=str)
    else:
        fraction = isinstance(value, fractions.Fraction)
        assert plain[name] == (float(value) if fraction else value)
        core = for_core(params)
        assert (name in core) == (name in MODEL_PARAMETERS)
        for known in (core.get(name), plain[name]):
            assert isinstance(known, (str, int, float, type(None)))
            assert not isinstance(known, np.number)


def test_for_core_speaks_the_language_of_the_core():
    core = for_core(DEFAULTS)
    assert core["delta"] == 0.0  # which stands for 1/t
    assert core["compat"] == "none"
    assert "categorical_features" not in core
    assert for_core({**DEFAULTS, "delta": 0.25})["delta"] == 0.25


def test_validate_names_the_parameter_what_it_takes_and_what_it_got():
    with pytest.raises(ValueError, match=r"^c must be a positive number; got -1\.$"):
        validate({**DEFAULTS, "c": -1})
    with pytest.raises(
        ValueError, match=r"^grace_period must be a whole number from 1 to 2147483647; got 0"
    ):
        validate({**DEFAULTS, "grace_period": 0})
    with pytest.raises(
        ValueError, match=r"^criterion must be one of 'gini', 'entropy', .*; got 'Gini'"
    ):
        validate({**DEFAULTS, "criterion": "Gini"})
    with pytest.raises(
        ValueError, match=r"^max_depth must be a whole number .*, or None; got 1\.5"
    ):
        validate({**DEFAULTS, "max_depth": 1.5})


def test_presets_say_what_the_paper_and_moa_say():
    def changed(tree):
        return {k: v for k, v in tree.get_params().items() if v != DEFAULTS[k]}

    assert changed(ConfidenceTreeClassifier.c_tree()) == {}
    assert changed(ConfidenceTreeClassifier.h_tree()) == {"bound": "hoeffding", "delta": 1e-7}
    assert changed(ConfidenceTreeClassifier.corrh_tree()) == {
        "criterion": "error",
        "bound": "hoeffding",
        "delta": 1e-7,
    }
    assert changed(ConfidenceTreeClassifier.moa()) == {
        "criterion": "entropy",
        "bound": "hoeffding",
        "delta": 1e-7,
        "tie_threshold": 0.05 * 0.5 * math.log(2),
        "grace_period": 200,
        "leaf_prediction": "adaptive",
        "numeric_splits": "gaussian",
        "compat": "moa",
    }
    assert ConfidenceTreeClassifier.moa(criterion="gini").tie_threshold == 0.05
    assert ConfidenceTreeClassifier.moa(tie_threshold=0.1).tie_threshold == 0.1
    assert ConfidenceTreeClassifier.h_tree(delta=0.5, c=3.0).get_params()["delta"] == 0.5


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(ConfidenceTreeClassifier()) == "ConfidenceTreeClassifier()"
    tree = ConfidenceTreeClassifier(c=0.3, max_depth=4, delta="1/t")
    assert repr(tree) == "ConfidenceTreeClassifier(c=0.3, max_depth=4)"
    assert repr(ConfidenceTreeClassifier(categorical_features=np.array([1]))).startswith("Conf")


@pytest.mark.parametrize("learned", [False, True])
def test_a_pickle_made_before_a_parameter_was_added_has_its_default(learned):
    tree = ConfidenceTreeClassifier(c=0.3)
    if learned:
        tree.learn_one({"a": 1.0}, 1)
    state = tree.__getstate__()
    for name in ("columns", "on_error"):
        del state["params"][name]
    again = ConfidenceTreeClassifier.__new__(ConfidenceTreeClassifier)
    again.__setstate__(state)
    assert again.get_params() == tree.get_params()
    assert again.learn_one({"a": 1.0}, 1) is None
