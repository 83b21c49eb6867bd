"""The section of the page: what was run, and the tables."""

from __future__ import annotations

from itertools import product

import numpy as np

from .. import paper
from ..learners import LEARNERS
from ..real import NAMES
from ..tables import NONE, markdown, plus_minus, signed
from ..tasks import Found
from .claims import RULES
from .results import BASELINES, best, criteria, mean, named, paired, papers_leaves, variants


def tell(found: Found) -> str:
    """Return the tables."""
    about = found.about["settings"]
    rows = "all rows" if about["rows"] is None else f"the first {about['rows']:,} rows"
    counts = [
        f"{named(variant)}: {len(found.where(learner='c-tree', **variant).values('permutation'))}"
        for variant in variants(found)
    ]
    return "\n".join(
        [
            f"Test-then-train on {rows} of each dataset, in random orders (seeds from 0; orders "
            f"with at least one dataset done: {'; '.join(counts)}), each learner with "
            f"{about['values']} values of c, from 10⁻⁴ to 2, or of ln(1/δ), from 10⁻⁵ to 700, "
            "evenly in logarithms; grace period 100, no ties. The measure is the accuracy, on A9A "
            "and COD-RNA the F-measure of the smaller class. COD-RNA has here the 331,152 rows of "
            "its first two parts, not the paper's 488,565.\n",
            "### At the paper's numbers of leaves\n",
            _points_table(found),
            "### C-Tree minus the others, on the same orders at the same size\n",
            "In points; mean ± half of the 95 % interval over the orders, in bold where zero is "
            "outside. Sizes are those of the paper's points.\n",
            _paired_table(found),
            "### Each learner at its best\n",
            "The best value of c or δ for the mean over the orders, and the leaves it gives.\n",
            _best_table(found),
            "### Gini, entropy and Kearns-Mansour\n",
            "At the best c or δ, and how many leaves a criterion grows for each of Gini's with the "
            "same c or δ (geometric mean over the values at which both have split).\n",
            _criteria_table(found),
            "### The rules of these verdicts\n",
            RULES,
        ]
    )


def _points_table(found: Found) -> str:
    rows = []
    for dataset, learner in product(found.values("dataset"), LEARNERS):
        leaves = papers_leaves(dataset)
        theirs = [f"{y:.3f}" for _, y in paper.full(dataset, learner)]
        rows.append([NAMES[dataset], paper.LEARNERS[learner], "the paper", *theirs])
        for variant in variants(found):
            here = mean(found, dataset, learner, leaves, **variant)
            cells = map(plus_minus, here.mean, here.half)
            rows.append(["", "", named(variant), *cells])
        for row in rows:
            row += [""] * (7 - len(row))
    sizes = {
        name: ", ".join(f"{x:g}" for x in papers_leaves(name)) for name in found.values("dataset")
    }
    told = "; ".join(f"{NAMES[name]} {text}" for name, text in sizes.items())
    head = ["dataset", "learner", "", ">1st size", ">2nd", ">3rd", ">4th"]
    return f"Sizes: {told}.\n\n" + markdown(head, rows)


def _paired_table(found: Found) -> str:
    rows = []
    for dataset, variant, other in product(found.values("dataset"), variants(found), BASELINES):
        here = paired(found, dataset, other, papers_leaves(dataset), **variant)
        cells = [
            signed(100 * mean, 100 * half) for mean, half in zip(here.mean, here.half, strict=True)
        ]
        cells += [""] * (4 - len(cells))
        rows.append([NAMES[dataset], named(variant), paper.LEARNERS[other], *cells])
    head = ["dataset", "variant", "minus", ">1st size", ">2nd", ">3rd", ">4th"]
    return markdown(head, rows)


def _best_table(found: Found) -> str:
    rows = []
    for dataset, variant in product(found.values("dataset"), variants(found)):
        cells = []
        for learner in LEARNERS:
            score, leaves = best(found, dataset, learner, **variant)
            cells.append(f"{score:.4f} ({leaves:,.0f})" if np.isfinite(score) else NONE)
        rows.append([NAMES[dataset], named(variant), *cells])
    names = [f">{name} (leaves)" for name in paper.LEARNERS.values()]
    return markdown(["dataset", "variant", *names], rows)


def _criteria_table(found: Found) -> str:
    rows = []
    others = [name for name in found.values("criterion") if name != "gini"]
    for dataset, learner in product(found.values("dataset"), ("c-tree", "h-tree")):
        row = [NAMES[dataset], paper.LEARNERS[learner]]
        for criterion in others:
            gap, ratio = criteria(found, dataset, learner, criterion)
            row += [signed(100 * gap, np.nan), f"{ratio:.2f}" if np.isfinite(ratio) else NONE]
        rows.append(row)
    head = [
        f">{name}, {what}"
        for name in others
        for what in ("points against Gini", "leaves per Gini's")
    ]
    return markdown(["dataset", "learner", *head], rows)
