"""The paper's numbers that the package carries."""

import pytest

from sapwood.experiments import paper
from sapwood.experiments.learners import LEARNERS, grid, trees
from sapwood.experiments.settings import DATASETS
from sapwood.strategies import NAMES


def test_some_points_as_the_paper_has_them():
    assert paper.full("rand-cbt", "c-tree")[1] == (50.0, 0.660672)
    assert paper.full("electricity", "corrh-tree")[0] == (1.0, 0.734542)
    assert paper.active("covertype", "conf-tree")[3] == (0.4, 0.7803)
    assert "1604.03278" in paper.source()


def test_every_series_is_there():
    assert set(paper.STRATEGIES) <= set(NAMES)
    for dataset in DATASETS:
        sizes = {tuple(x for x, _ in paper.full(dataset, learner)) for learner in LEARNERS}
        assert len(sizes) == 1  # the three learners are drawn at the same numbers of leaves
        for strategy in paper.STRATEGIES:
            assert [x for x, _ in paper.active(dataset, strategy)] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
            assert all(0 < y < 1 for _, y in paper.active(dataset, strategy))


def test_the_grids_are_those_of_the_text():
    linear = grid("linear", "c-tree", 200)
    assert (len(linear), linear.min() > 0, linear.max() < 2) == (200, True, True)
    assert linear[1] - linear[0] == pytest.approx(linear[-1] - linear[-2])
    assert grid("linear", "h-tree", 200).max() < 1
    factors = grid("logarithmic", "c-tree", 200)
    assert (factors[0], factors[-1]) == pytest.approx((1e-4, 2.0))
    deltas = grid("logarithmic", "corrh-tree", 200)
    assert 0 < deltas.min() < 1e-300
    assert 0.9999 < deltas.max() < 1


def test_the_learners_are_the_papers():
    for learner in LEARNERS:
        (tree,) = trees(learner, grid("linear", learner, 1))
        params = tree.get_params()
        assert (params["grace_period"], params["tie_threshold"]) == (100, 0.0)
        assert params["leaf_prediction"] == "majority"
        assert params["criterion"] == ("error" if learner == "corrh-tree" else "gini")
