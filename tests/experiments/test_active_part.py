"""The selective-sampling part, on small streams in the place of the datasets."""

import dataclasses
import math

import numpy as np
import pytest

from sapwood import datasets
from sapwood._params import DEFAULT_C
from sapwood.experiments import active, paper
from sapwood.experiments.active import runs
from sapwood.experiments.active.means import WITHOUT_CHANCE, Mean, Means, Stream
from sapwood.experiments.settings import SCALES, Active
from sapwood.experiments.tasks import perform

pa = pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

SMALL = Active(
    datasets=("codrna", "electricity"), seeds=3, budgets=(0.1, 0.4), factors=(0.01, DEFAULT_C)
)


@pytest.fixture(scope="module")
def instead():
    """Streams with drift in the place of the datasets."""

    def load(name):
        seed = sum(map(ord, name))
        X, y = datasets.rand_cbt_drift(
            n_leaves=4, n_features=3, q=0.9, per_leaf=300, concepts=2, seed=seed
        )
        table = pa.table({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])})
        return table, np.where(y == 1, "yes", "no")

    runs._stream.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs.datasets, "load", load)
        yield
    runs._stream.cache_clear()


def found_of(tasks, folder, settings=SMALL):
    found = perform(active, tasks, folder, jobs=1)
    found.about.update(scale="smoke", settings=dataclasses.asdict(settings), sapwood="0")
    return found


@pytest.fixture(scope="module")
def found(instead, tmp_path_factory):
    return found_of(active.plan(SMALL), tmp_path_factory.mktemp("found"))


def test_every_scale_has_the_default_c_and_the_paper_scale_ten_seeds():
    for scale in SCALES.values():
        assert DEFAULT_C in scale.active.factors
        assert scale.active.seeds >= 2
    full = SCALES["paper"].active
    assert full.seeds >= 10
    assert full.budgets == tuple(b for b, _ in paper.active("a9a", "random"))


def test_a_beginning_of_the_plan_has_something_of_everything():
    tasks = active.plan(Active())
    beginning = [task.what for task in tasks[:6]]
    assert {(w["dataset"], w["order"]) for w in beginning} == {
        *((name, "original") for name in Active().datasets),
        ("codrna", "shuffled"),
    }
    assert {w["c"] for w in beginning} == {DEFAULT_C}
    seeds = [task.what["seed"] for task in tasks]
    assert seeds == sorted(seeds)
    assert len({task.key for task in tasks}) == len(tasks)
    assert all(task.cost > 0 for task in tasks)


def test_the_budget_is_a_law(found):
    asking = found["budget"] < 1
    labels, most = found["labels"][asking], (found["budget"] * found["n_rows"])[asking]
    assert np.all(labels <= np.ceil(most - 1e-9))
    full = found.where(strategy="full")
    assert np.all(full["labels"] == full["n_rows"])


def test_what_draws_nothing_is_run_once_in_a_fixed_order(found):
    for name in WITHOUT_CHANCE:
        fixed = found.where(strategy=name, dataset="electricity")
        assert fixed.values("seed") == [0]
        assert found.where(strategy=name, order="shuffled").values("seed") == [0, 1, 2]
    assert found.where(strategy="random", dataset="electricity").values("seed") == [0, 1, 2]


@pytest.mark.parametrize("leaves", ["majority", "adaptive"])
def test_every_seed_would_give_it_the_same(instead, leaves):
    what = {"dataset": "electricity", "order": "original", "leaves": leaves, "c": DEFAULT_C}
    what |= {"strategies": list(WITHOUT_CHANCE), "budgets": [0.1, 0.6], "rows": None}
    first, *others = (active.run(**what, seed=seed) for seed in range(3))
    for rows in others:
        assert [{**row, "seed": 0} for row in rows] == first


def test_rows_at_equal_distances_keep_the_order_and_the_rarer_class(instead):
    _, y, rarer = runs._stream("codrna", None)
    assert np.sum(y == rarer) <= len(y) / 2
    _, few, _ = runs._stream("codrna", 100)
    assert few.tolist() == y[np.arange(100) * len(y) // 100].tolist()


def test_tuned_is_the_best_mean_and_never_below_the_default(found):
    means = Means(found)
    stream = Stream("electricity", "original")
    for strategy in means.strategies:
        tuned = means.at(stream, "majority", strategy, 0.4, "tuned")
        default = means.at(stream, "majority", strategy, 0.4, "default")
        assert default.c == DEFAULT_C
        assert tuned.performance >= default.performance
    rows = found.where(dataset="electricity", strategy="random", budget=0.4, c=0.01)
    rows = rows.where(leaves="majority")
    by_c = means._cells[stream, "majority", "random", 0.4, "ddm"]
    assert by_c[0.01].performance == pytest.approx(rows["accuracy"].mean())
    assert by_c[0.01].seeds == 3


def test_without_an_interval_nothing_beats():
    sure, unsure = Mean(0.8, 0.0, 0.1, 0, 1, 0.02, 1), Mean(0.9, math.nan, 0.1, 0, 1, 0.02, 1)
    assert not unsure.beats(sure)
    assert dataclasses.replace(unsure, half=0.05).beats(sure)
    assert not dataclasses.replace(unsure, half=0.2).beats(sure)


def test_it_is_drawn_told_and_judged(found):
    pytest.importorskip("matplotlib")
    figures = active.draw(found)
    assert {"active", "active-default", "active-adaptive", "active-ranks"} == set(figures)
    text = active.tell(found)
    for name, _ in paper.STRATEGIES.values():
        assert name in text
    assert "nan" not in text
    assert "3\N{NO-BREAK SPACE}seeds of the strategies' draws" in text
    claims = active.judge(found)
    assert len(claims) == 6
    assert all(claim.verdict in ("reproduced", "partly", "not") for claim in claims)
    one = active.judge(found.where(dataset="electricity"))
    assert [one[1].verdict, one[3].verdict] == ["open", "open"]  # ranks of a single dataset
    assert not any("nan" in claim.measured + claim.why for claim in claims)


def test_the_seeds_that_were_run_are_told_not_those_of_the_settings(instead, tmp_path):
    tasks = active.plan(SMALL)
    first = [task for task in tasks if task.what["seed"] == 0]
    assert ". 1\N{NO-BREAK SPACE}seed of" in active.tell(found_of(first, tmp_path))
    second = next(task for task in tasks if task.what["seed"] == 1)
    assert "1 to 2\N{NO-BREAK SPACE}seeds of" in active.tell(found_of([*first, second], tmp_path))


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_every_beginning_can_be_told(instead, tmp_path, n):
    pytest.importorskip("matplotlib")
    found = found_of(active.plan(SMALL)[:n], tmp_path)
    assert active.draw(found)
    assert active.tell(found)
    assert active.judge(found)
