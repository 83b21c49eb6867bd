"""Verdicts on trees with all labels follow the rows, on random trees and on real data."""

from itertools import product

import numpy as np
import pytest

from sapwood.experiments import full, paper, synthetic
from sapwood.experiments.full.runs import MAIN
from sapwood.experiments.settings import Full, Synthetic
from sapwood.experiments.synthetic.results import peak
from sapwood.experiments.tasks import Found

pa = pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

SIZES = (1, 3, 5, 10, 15, 20, 30, 40, 50, 60, 75, 90, 110, 140, 180, 220)


def random_trees(lead, seeds=12, noise=0.001, top=50, at=0.6):
    """Runs whose accuracy is best at a size, with a lead for C-Tree at every size."""
    rng = np.random.default_rng(0)
    rows = []
    for seed, order, grid, name in product(
        range(seeds), ("by-leaf", "shuffled"), ("linear", "logarithmic"), paper.LEARNERS
    ):
        for n in SIZES:
            bent = at - 0.05 * np.log(n / (top if name == "c-tree" else 3 * top)) ** 2
            score = bent + lead * (name == "c-tree") + rng.normal(0, noise)
            rows.append(
                {"seed": seed, "order": order, "grid": grid, "learner": name, "what": "end"}
                | {"value": 0.1, "leaves": n, "accuracy": score, "records": 1}
            )
    about = {"settings": vars(Synthetic()), "done": 2 * seeds, "seconds": 1.0}
    return Found(pa.Table.from_pylist(rows), about)


def real_data(lead, seeds=10, noise=0.001, of=lambda name, n: 0.7):
    rng = np.random.default_rng(0)
    rows = []
    for seed, dataset, name in product(
        range(seeds), ("airlines", "covertype"), (*paper.LEARNERS, "mcdiarmid")
    ):
        for n in (1,) if name == "mcdiarmid" else SIZES:
            score = of(name, n) + lead(n) * (name == "c-tree") + rng.normal(0, noise)
            rows.append(
                {"dataset": dataset, "permutation": seed, "learner": name, **MAIN}
                | {"value": 1 / n, "leaves": n, "accuracy": score, "f_measure": score}
            )
    return Found(pa.Table.from_pylist(rows), {"settings": vars(Full())})


def verdicts(part, found):
    return [claim.verdict for claim in part.judge(found)]


def test_a_lead_everywhere_and_a_peak_at_the_truth():
    found = random_trees(0.2)
    assert verdicts(synthetic, found)[:2] == ["reproduced", "reproduced"]
    assert peak(found, "by-leaf", "c-tree", np.arange(25, 201, 5.0)) == (50, 50, 50)


def test_no_lead_and_a_peak_elsewhere():
    found = random_trees(-0.2, top=150)
    assert verdicts(synthetic, found)[:2] == ["not", "not"]
    assert synthetic.judge(found)[0].why


def test_few_streams_leave_it_open():
    found = random_trees(0.0, seeds=3, noise=0.1)
    assert verdicts(synthetic, found)[0] == "open"
    one = random_trees(0.0, seeds=1)
    assert verdicts(synthetic, one)[:2] == ["open", "open"]


def test_the_figure_is_near_or_not_or_not_reached():
    assert verdicts(synthetic, random_trees(0.2, noise=0.0))[2] == "not"
    found = random_trees(0.0, noise=0.0)
    leaves = pa.array([1] * len(found), pa.int64())
    none = found.table.set_column(found.table.schema.get_field_index("leaves"), "leaves", leaves)
    claim = synthetic.judge(Found(none, found.about))[2]
    assert claim.verdict == "open"


def test_leads_on_real_data():
    assert verdicts(full, real_data(lambda n: 0.05 / n**0.2))[:2] == ["reproduced", "reproduced"]
    assert verdicts(full, real_data(lambda n: 0.02))[:2] == ["reproduced", "not"]  # not only early
    assert verdicts(full, real_data(lambda n: 0.0))[:2] == ["not", "not"]
    assert verdicts(full, real_data(lambda n: 0.0, seeds=2, noise=0.1))[:2] == ["open", "open"]
    behind = real_data(lambda n: -0.05 * n**0.2)  # ever more, but never ahead
    assert verdicts(full, behind)[:2] == ["not", "not"]


def test_no_lead_is_not_called_behind():
    measured = full.judge(real_data(lambda n: 0.0))[1].measured
    assert "ahead for sure in 0, behind in 0, level in 4" in measured


def test_the_papers_points_on_real_data():
    near = real_data(lambda n: 0.0, of=lambda name, n: 0.63 + 0.12 * (n > 12))
    assert full.judge(near)[2].verdict in ("reproduced", "partly")
    assert full.judge(real_data(lambda n: 0.0, of=lambda name, n: 0.2))[2].verdict == "not"


def test_one_node_and_other_criteria():
    found = real_data(lambda n: 0.0)
    one, compact = full.judge(found)[3:]
    assert (one.verdict, compact.verdict) == ("reproduced", "open")  # nothing but gini was run
    rows = found.table.to_pylist()
    for row in rows:
        row["leaves"] += row["learner"] == "mcdiarmid"
    assert full.judge(Found(pa.Table.from_pylist(rows), found.about))[3].verdict == "not"
    others = [
        row | {"criterion": name, "leaves": 2 * row["leaves"]}
        for row in found.table.to_pylist()
        for name in ("entropy", "kearns-mansour")
    ]
    every = Found(pa.Table.from_pylist(found.table.to_pylist() + others), found.about)
    assert full.judge(every)[4].verdict == "reproduced"


@pytest.mark.parametrize("part", [synthetic, full])
def test_the_rules_are_told(part):
    found = random_trees(0.0) if part is synthetic else real_data(lambda n: 0.0)
    text = part.tell(found)
    assert "judged at once" in text
    assert "nan" not in text
