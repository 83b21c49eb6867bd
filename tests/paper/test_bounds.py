"""Every bound: a number worked by hand, how it moves with each argument, and what it refuses.

Theorems 1 to 4 of the paper, its c-tree bound and its equations 1 and 2; docs/theory.md, section 3.
"""

import inspect
import math
from math import log, log2, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import CRITERIA, PAIRS, UNDEFINED

from sapwood.bounds import epsilon

# All worked with m = 1000, t = 5000, d = 6, at depth 2, with δ = 0.05 and c = 0.1.
ARGUMENTS = {"m": 1000, "t": 5000, "d": 6, "depth": 2, "delta": 0.05, "c": 0.1}

# c-tree: h = depth + 1 = 3, so ln(m² h² t d) = ln(10⁶ · 9 · 5000 · 6) = ln(2.7·10¹¹) = 26.3217,
# and 0.1 · √(26.3217 / 1000) = 0.0162240. Entropy: times ln 1000 = 6.90776.
C_TREE = 0.1 * sqrt(log(2.7e11) / 1000)

# theorem: δ_t = 0.05 / ((2+1)(2+2) · 5000 · 6 · 1000) = 0.05 / 3.6·10⁸ = 1.38889·10⁻¹⁰.
DELTA_T = 0.05 / 3.6e8

# Hoeffding: √(ln 20 / 2000) = √(2.995732 / 2000) = 0.0387023.
S = sqrt(log(20) / 2000)

WORKED = [
    # bound, criterion, K, the formula with its numbers, the same to 15 digits
    ("c-tree", "gini", 2, C_TREE, 0.0162239599962354),
    ("c-tree", "kearns-mansour", 4, C_TREE, 0.0162239599962354),
    ("c-tree", "error", 2, C_TREE, 0.0162239599962354),
    ("c-tree", "entropy", 2, C_TREE * log(1000), 0.112071145309990),
    # Theorem 1: ln m √((2/m) ln(4/δ_t)) + K/m
    ("theorem", "entropy", 2, log(1000) * sqrt(0.002 * log(4 / DELTA_T)) + 0.002, 1.51804822291041),
    ("theorem", "entropy", 5, log(1000) * sqrt(0.002 * log(4 / DELTA_T)) + 0.005, 1.52104822291041),
    # Theorem 2: √((8/m) ln(2/δ_t)) + 4/√m, for every K
    ("theorem", "gini", 2, sqrt(0.008 * log(2 / DELTA_T)) + 4 / sqrt(1000), 0.559069367936631),
    ("theorem", "gini", 7, sqrt(0.008 * log(2 / DELTA_T)) + 4 / sqrt(1000), 0.559069367936631),
    # Theorem 3: 4 √(ln(8/δ_t)/m); for K > 2 it is 2K √(ln(8K/δ_t)/m)
    ("theorem", "kearns-mansour", 2, 4 * sqrt(log(8 / DELTA_T) / 1000), 0.629625773356183),
    ("theorem", "kearns-mansour", 3, 6 * sqrt(log(24 / DELTA_T) / 1000), 0.965149949468677),
    # Equation 1: R √(ln(1/δ)/(2m)); R is 1, 1, ½ ln K and ½ √(K-1)
    ("hoeffding", "gini", 2, S, 0.0387022756020495),
    ("hoeffding", "error", 5, S, 0.0387022756020495),
    ("hoeffding", "entropy", 2, 0.5 * log(2) * S, 0.0134131866074073),
    ("hoeffding", "entropy", 5, 0.5 * log(5) * S, 0.0311444548257059),
    ("hoeffding", "kearns-mansour", 2, 0.5 * S, 0.0193511378010247),
    ("hoeffding", "kearns-mansour", 5, 0.5 * sqrt(4) * S, 0.0387022756020495),
    ("hoeffding-corrected", "gini", 2, S, 0.0387022756020495),
    ("hoeffding-corrected", "error", 2, S, 0.0387022756020495),
    ("hoeffding-corrected", "entropy", 5, 0.5 * log(5) * S, 0.0311444548257059),
    ("hoeffding-corrected", "kearns-mansour", 2, 0.5 * S, 0.0193511378010247),
    # Rutkowski et al.: 8 √(ln(1/δ)/(2m)) for gini
    ("mcdiarmid", "gini", 3, 8 * S, 0.309618204816396),
    # Equation 2, from bits to half nats: (6 (K log₂e + log₂ 2m) + 2 log₂K) · S · ½ ln 2. K = 2:
    # 6 · (2 · 1.442695 + 10.965784) + 2 = 85.107 and 85.107 · 0.0387023 · 0.346574 = 1.14156.
    (
        "mcdiarmid",
        "entropy",
        2,
        (6 * (2 / log(2) + log2(2000)) + 2 * log2(2)) * S * 0.5 * log(2),
        1.14155669226759,
    ),
    (
        "mcdiarmid",
        "entropy",
        5,
        (6 * (5 / log(2) + log2(2000)) + 2 * log2(5)) * S * 0.5 * log(2),
        1.52533970912263,
    ),
]


@pytest.mark.parametrize(("bound", "criterion", "n_classes", "formula", "digits"), WORKED)
def test_worked_by_hand(bound, criterion, n_classes, formula, digits):
    value = epsilon(bound, criterion=criterion, n_classes=n_classes, **ARGUMENTS)
    print(f"\n{bound}, {criterion}, K={n_classes}: {value!r}")
    assert formula == pytest.approx(digits, rel=1e-14)
    assert value == pytest.approx(formula, rel=1e-14)


def test_every_pair_was_worked():
    assert {(bound, criterion) for bound, criterion, *_ in WORKED} == set(PAIRS)


def test_one_over_t_is_the_default_delta():
    # √(ln 5000 / 2000) = √(8.517193 / 2000) = 0.0652579
    assert epsilon("hoeffding", criterion="gini", m=1000, t=5000) == pytest.approx(
        0.065257923623941
    )
    # δ_t = (1/5000) / 3.6·10⁸ = 5.5556·10⁻¹³ gives √(0.008 · 28.9121) + 0.126491 = 0.607423
    value = epsilon("theorem", criterion="gini", m=1000, t=5000, d=6, depth=2)
    assert value == pytest.approx(0.607423159498567, rel=1e-14)
    for bound, criterion in PAIRS:
        given_t = {"criterion": criterion, "m": 300, "t": 400, "c": 0.1}
        default = epsilon(bound, **given_t)
        assert default == epsilon(bound, delta="1/t", **given_t)
        assert default == epsilon(bound, delta=1 / 400, **given_t)
    defaults = inspect.signature(epsilon).parameters
    expected = {"t": 1, "d": 1, "depth": 0, "delta": "1/t", "c": None, "n_classes": 2}
    assert {name: defaults[name].default for name in expected} == expected


# --- how each bound moves with its arguments ----------------------------------------------------

USES = {
    "c-tree": {"t", "d", "depth", "c"},
    "theorem": {"t", "d", "depth", "delta"},
    "hoeffding": {"delta"},
    "hoeffding-corrected": {"delta"},
    "mcdiarmid": {"delta"},
}
USES_K = {("theorem", c) for c in ("entropy", "kearns-mansour")} | {("mcdiarmid", "entropy")}
USES_K |= {(b, c) for b in USES if "hoeffding" in b for c in ("entropy", "kearns-mansour")}

POINTS = st.fixed_dictionaries(
    {
        "m": st.floats(30, 1e7),  # ln m √(ln m / m) falls from m = e³ on
        "t": st.floats(2, 1e9),
        "d": st.integers(1, 1000),
        "depth": st.integers(0, 50),
        "delta": st.floats(1e-9, 0.9),
        "c": st.floats(1e-3, 10),
        "n_classes": st.integers(2, 50),
    }
)
LARGER = {
    "t": lambda x: 1.5 * x,
    "d": lambda x: x + 1,
    "depth": lambda x: x + 1,
    "delta": lambda x: x / 1.5,  # more demanding
    "c": lambda x: 1.5 * x,
    "n_classes": lambda x: x + 1,
}


@pytest.mark.parametrize(("bound", "criterion"), PAIRS)
@given(at=POINTS)
def test_more_examples_narrow_it(bound, criterion, at):
    now = epsilon(bound, criterion=criterion, **at)
    later = epsilon(bound, criterion=criterion, **{**at, "m": 1.1 * at["m"]})
    assert 0 < later < now < math.inf


@pytest.mark.parametrize(("bound", "criterion"), PAIRS)
@given(at=POINTS)
def test_it_widens_with_what_it_uses_and_ignores_the_rest(bound, criterion, at):
    now = epsilon(bound, criterion=criterion, **at)
    used = USES[bound] | ({"n_classes"} if (bound, criterion) in USES_K else set())
    for name, larger in LARGER.items():
        wider = epsilon(bound, criterion=criterion, **{**at, name: larger(at[name])})
        assert wider > now if name in used else wider == now


@pytest.mark.parametrize(("bound", "criterion"), PAIRS)
@given(at=POINTS)
def test_a_later_clock_never_narrows_delta_one_over_t(bound, criterion, at):
    at = {**at, "delta": "1/t"}
    later = {**at, "t": 2 * at["t"]}
    assert epsilon(bound, criterion=criterion, **later) > epsilon(bound, criterion=criterion, **at)


# --- what is refused, and what is ignored -------------------------------------------------------


@pytest.mark.parametrize(("bound", "criterion"), sorted(UNDEFINED))
def test_no_such_theorem(bound, criterion):
    with pytest.raises(ValueError, match=f"bound='{bound}' is (not )?defined for"):
        epsilon(bound, criterion=criterion, m=100, delta=0.1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bound": "bernstein"}, "bound must be one of .*'bernstein'"),
        ({"criterion": "accuracy"}, "criterion must be one of .*'accuracy'"),
        ({"m": 0}, "m must be a positive number"),
        ({"m": -5}, "m must be a positive number"),
        ({"m": math.nan}, "m must be a positive number"),
        ({"m": math.inf}, "m must be a positive number"),
        ({"t": 0}, "t must be at least 1"),
        ({"t": math.nan}, "t must be at least 1"),
        ({"d": 0}, "d must be at least 1"),
        ({"depth": -1}, "depth must be at least 0"),
        ({"delta": 0}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1}, "delta must lie strictly between 0 and 1"),
        ({"delta": -0.1}, "delta must lie strictly between 0 and 1"),
        ({"delta": math.nan}, "delta must lie strictly between 0 and 1"),
        ({"delta": "1/m"}, "delta must lie strictly between 0 and 1"),
        ({"delta": None}, "delta must lie strictly between 0 and 1"),
        ({"n_classes": 1, "criterion": "entropy"}, "n_classes must be at least 2"),
    ],
)
def test_wrong_arguments(wrong, message):
    arguments = {"bound": "theorem", "criterion": "gini", **ARGUMENTS, **wrong}
    with pytest.raises(ValueError, match=message):
        epsilon(arguments.pop("bound"), **arguments)


@pytest.mark.parametrize("c", [None, 0, -1.0, math.nan, math.inf])
def test_c_tree_needs_a_positive_c(c):
    with pytest.raises(ValueError, match="needs a positive c"):
        epsilon("c-tree", criterion="gini", m=100, c=c)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_delta_and_c_are_ignored_where_they_are_not_used(criterion):
    plain = epsilon("c-tree", criterion=criterion, m=100, c=0.1)
    for delta in (None, 0, 7, "nonsense"):
        assert epsilon("c-tree", criterion=criterion, m=100, c=0.1, delta=delta) == plain
    plain = epsilon("hoeffding", criterion=criterion, m=100, delta=0.1)
    for c in (0, -1, math.nan):
        assert epsilon("hoeffding", criterion=criterion, m=100, delta=0.1, c=c) == plain


def test_the_smallest_leaf():
    # One example, t = 1: all logarithms are 0 or positive, and nothing is NaN.
    for bound, criterion in PAIRS:
        value = epsilon(bound, criterion=criterion, m=1, c=0.1, delta=0.5)
        assert 0 <= value < math.inf
