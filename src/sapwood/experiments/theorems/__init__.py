"""The theorems by simulation: what they promise, what happens, and what the caution costs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..claims import Claim
from ..settings import Theorems
from ..tasks import Found, Row, Task
from . import consistency, coverage, planted, promises, random_trees

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
    return "\n".join(f"### {title}\n\n{module.tell(part)}" for title, module, part in _done(found))


def judge(found: Found) -> list[Claim]:
    """Return the claims of all topics."""
    return [claim for _, module, part in _done(found) for claim in module.judge(part)]


def _done(found: Found) -> list[tuple[str, ModuleType, Found]]:
    """Return the topics of which something is done, with their rows."""
    parts = [(title, module, found.where(topic=name)) for name, (title, module) in TOPICS.items()]
    return [entry for entry in parts if len(entry[2])]
