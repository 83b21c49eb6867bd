"""Averages by hand: the paper's way of throwing runs together, and pairs on the same streams."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sapwood.experiments.curves import Curve, Leads, at_leaves, averages, paired, pooled


def curve(*points):
    leaves, score = zip(*points, strict=True)
    return Curve(np.array(leaves), np.array(score))


def test_pooled_counts_runs_and_not_streams():
    # The first stream has three runs of about ten leaves, the second one.
    one = curve((9, 0.6), (10, 0.6), (11, 0.6), (40, 0.9))
    two = curve((10, 0.8))
    here = pooled([one, two], [10, 40, 70], 2)
    assert here.mean[:2] == pytest.approx([0.65, 0.9])
    assert np.isnan(here.mean[2])
    assert here.n.tolist() == [4, 1, 0]
    # The interval is over the two streams' means, 0.6 and 0.8.
    assert here.half[0] == pytest.approx(stats.t.ppf(0.975, 1) * 0.1, rel=1e-4)


def test_between_two_sizes_a_line_and_beyond_them_nothing():
    line = curve((2, 0.5), (4, 0.7), (4, 0.9), (8, 0.4), (30, 0.4))
    found = at_leaves(line, np.array([1.0, 2, np.sqrt(8), 4, np.sqrt(32), 8, 20, 30, 31]))
    expected = [np.nan, 0.5, 0.65, 0.8, 0.6, 0.4, np.nan, 0.4, np.nan]
    assert found == pytest.approx(expected, nan_ok=True)  # from 8 to 30 is too far for a line
    assert np.isnan(at_leaves(Curve(np.empty(0), np.empty(0)), np.array([3.0]))).all()


def test_pairs_are_on_the_same_streams():
    ours = [curve((2, 0.6), (4, 0.7)), curve((2, 0.5), (4, 0.5)), curve((2, 0.9))]
    theirs = [curve((2, 0.5), (4, 0.6)), curve((2, 0.3), (4, 0.1)), curve((4, 0.9))]
    here = paired(ours, theirs, np.array([2.0, 4.0]))
    assert here.mean == pytest.approx([0.15, 0.25])
    assert here.n.tolist() == [2, 2]
    assert Leads.count(here, 1) == Leads(0, 0, 0)  # two streams are few


def test_many_comparisons_ask_for_more():
    values = np.random.default_rng(0).normal(0, 0.004, size=(20, 1))
    values += 0.0025 - values.mean()
    here = averages(values, np.array([5.0]))
    t = stats.t.ppf(1 - 0.025 / 40, 19)
    assert here.among(40).half == pytest.approx(t * stats.sem(values), rel=1e-3)
    assert Leads.count(here, 1) == Leads(1, 0, 0)
    assert Leads.count(here, 40) == Leads(0, 0, 1)  # may be nothing, and is no lead that matters
    assert Leads.count(averages(10 * values, np.array([5.0])), 40) == Leads(0, 0, 0)  # too wide
    assert Leads.count(averages(-values, np.array([5.0])), 1) == Leads(0, 1, 0)


@pytest.mark.parametrize(
    ("leads", "verdict"),
    [
        (Leads(19, 0, 1), "reproduced"),
        (Leads(10, 0, 10), "partly"),
        (Leads(10, 10, 0), "not"),
        (Leads(1, 0, 19), "not"),
        (Leads(9, 0, 0), "open"),
    ],
)
def test_leads_are_judged_by_the_rule(leads, verdict):
    assert leads.verdict(20) == verdict


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_intervals_are_students(values):
    here = averages(np.array(values).reshape(-1, 1), np.array([1.0]))
    expected = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    assert here.mean[0] == pytest.approx(np.mean(values), abs=1e-12)
    assert here.half[0] == pytest.approx(expected, rel=1e-4, abs=1e-12)
