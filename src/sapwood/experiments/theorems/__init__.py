"""The theorems by simulation: what they promise, what happens, and what the caution costs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..claims import Claim
from ..settings import Theorems
from ..tasks import Found, Row, Task
from . import consistency, coverage, details, planted, promises, random_trees
from .intervals import MANY

__all__ = ["FIGURES", "TITLE", "draw", "judge", "plan", "run", "tell"]

TITLE = "The theorems"
FIGURES = coverage.FIGURES | planted.FIGURES | random_trees.FIGURES

#: Heading and module of each topic; each has a plan, its runs, its figures and its words.
TOPICS: dict[str, tuple[str, ModuleType]] = {
    "coverage": ("Theorems 1 to 3: the confidence intervals", coverage),
    "promises": ("Theorem 4: suboptimal splits", promises),
    "planted": ("The first split", planted),
    "random-trees": ("The size of the tree", random_trees),
    "consistency": ("Theorem 5: consistent leaves", consistency),
}

#: How the verdicts are made, in words.
RULES = f"""The verdicts are computed, by these rules. Limits are Clopper and Pearson's, of
{100 * MANY:g} %, as many cases are looked at.

- *More detailed:* the paper's bounds widen with the attributes, the depth and the time, and the
  others do not; partly: some of it.
- *Theorems 1 to 3:* not: a case's lower limit is above its δ; reproduced: no upper limit is; else
  open.
- *Accurate:* by the case that needs most of ε; reproduced: ε is at most twice the observed quantile
  for all criteria; not: more than ten times for all; open: fewer than {coverage.BEYOND} samples
  lie beyond one of these quantiles.
- *Hoeffding's bound:* a criterion fails if a case's lower limit is above its δ. Reproduced: all
  fail; partly: some; open: one does not, but has an upper limit above δ.
- *Theorem 4:* not: a scenario's lower limit is above δ; reproduced: the upper limit of all streams
  together is not; else open.
- *Theorem 5:* not: a case's lower limit is above what is allowed; reproduced: no upper limit is;
  else open. So for the logarithmic number, with the limits added up over time.
- *Too conservative:* McDiarmid's bound waits longer than `c-tree` and `theorem`, by the medians,
  for entropy and gini. Reproduced: in all pairs; partly: in some.
- *One node:* reproduced: no tree splits; partly: less than half do.
- *Ties:* reproduced: they make most splits of every learner; partly: of some.
"""


def plan(settings: Theorems) -> list[Task]:
    """Return the tasks of all topics, each topic's spread evenly over the whole."""
    spread = []
    for topic, (_, module) in TOPICS.items():
        tasks = module.plan(settings)
        for i, task in enumerate(tasks):
            placed = Task({"topic": topic, **task.what}, task.cost)
            spread.append(((i + 0.5) / len(tasks), placed))
    return [task for _, task in sorted(spread, key=lambda entry: entry[0])]


def run(topic: str, **what: Any) -> list[Row]:
    """Do a task of a topic."""
    rows: list[Row] = TOPICS[topic][1].run(**what)
    return [{"topic": topic, **row} for row in rows]


def draw(found: Found) -> dict[str, Any]:
    """Return the figures of all topics."""
    figures: dict[str, Any] = {}
    for _, module, part in _done(found):
        if hasattr(module, "draw"):  # of the others the tables say it all
            figures |= module.draw(part)
    return figures


def tell(found: Found) -> str:
    """Return the words of all topics."""
    told = [f"### {title}\n\n{module.tell(part)}" for title, module, part in _done(found)]
    return "\n".join([*told, f"### The rules of these verdicts\n\n{RULES}"])


def judge(found: Found) -> list[Claim]:
    """Return the claims of all topics."""
    claims = [claim for _, module, part in _done(found) for claim in module.judge(part)]
    return [*details.judge(), *claims]


def _done(found: Found) -> list[tuple[str, ModuleType, Found]]:
    """Return the topics of which something is done, with their rows."""
    parts = [(title, module, found.where(topic=name)) for name, (title, module) in TOPICS.items()]
    return [entry for entry in parts if len(entry[2])]
