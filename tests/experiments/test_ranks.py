"""Ranks over datasets against textbook numbers, and against SciPy's test."""

import math

import numpy as np
import pytest

from sapwood.experiments.ranks import rank

stats = pytest.importorskip("scipy.stats")


def test_the_best_score_has_rank_one_and_equals_share():
    found = rank([[0.9, 0.5, 0.7], [0.4, 0.4, 0.1]], ["a", "b", "c"])
    assert found.each.tolist() == [[1, 3, 2], [1.5, 1.5, 3]]
    assert found.mean == {"a": 1.25, "b": 2.25, "c": 2.5}
    assert found.first() == ["a", "a"]


@pytest.mark.parametrize(("k", "n", "q"), [(2, 10, 1.960), (5, 10, 2.728), (7, 5, 2.949)])
def test_the_critical_difference_is_that_of_the_table(k, n, q):
    # q at 5 % of Demšar, "Statistical comparisons of classifiers over multiple data sets", Table 5.
    scores = np.random.default_rng(0).uniform(size=(n, k))
    found = rank(scores, [str(j) for j in range(k)])
    assert found.critical == pytest.approx(q * math.sqrt(k * (k + 1) / (6 * n)), rel=1e-3)


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
def test_with_many_blocks_p_is_that_of_the_chi_squared_test(shift):
    scores = np.random.default_rng(1).normal(size=(60, 4))
    scores[:, 3] += shift
    found = rank(scores, ["a", "b", "c", "d"])
    assert found.p == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue, abs=0.02)
    chi_squared = stats.friedmanchisquare(*scores.T).statistic
    assert found.agreement == pytest.approx(chi_squared / (60 * 3))


def test_agreement_knows_ties():
    scores = np.random.default_rng(2).integers(0, 3, size=(12, 5))
    found = rank(scores, list("abcde"))
    assert found.agreement == pytest.approx(stats.friedmanchisquare(*scores.T).statistic / (12 * 4))


def test_few_blocks_are_tested_exactly():
    # That the second block has the order of the first is one case of six.
    found = rank([[3.0, 2.0, 1.0], [30.0, 20.0, 10.0]], ["a", "b", "c"])
    assert found.agreement == pytest.approx(1)
    assert found.p == pytest.approx(1 / 6, abs=0.01)


def test_methods_named_in_advance_are_tested_exactly():
    found = rank([[3.0, 2.0, 1.0], [30.0, 20.0, 10.0]], ["a", "b", "c"])
    assert found.foremost(["a"]) == pytest.approx(1 / 9, abs=0.01)  # first in both
    assert found.foremost(["b", "a"]) == pytest.approx(1 / 9, abs=0.01)  # before c in both
    assert found.foremost(["c"]) == 1
    five = rank([[7.0, 6.0, 3.0, 2.0, 1.0, 4.0, 5.0]] * 5, list("abcdefg"))
    assert five.foremost(["a", "b"]) < 0.001  # which no pair of them could show by itself
    assert five.mean["e"] - five.mean["a"] > five.critical > five.mean["g"] - five.mean["b"]


def test_one_block_allows_no_test():
    found = rank([[3.0, 2.0, 1.0]], ["a", "b", "c"])
    assert math.isnan(found.foremost(["a"]))
    assert math.isnan(found.p)
    assert math.isnan(found.critical)
    assert found.mean == {"a": 1.0, "b": 2.0, "c": 3.0}


def test_the_same_scores_give_the_same_p():
    scores = np.random.default_rng(3).normal(size=(5, 7))
    assert rank(scores, list("abcdefg")).p == rank(scores, list("abcdefg")).p
