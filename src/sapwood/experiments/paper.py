"""The numbers that the paper's figures plot: facts, kept to be drawn beside ours."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["LEARNERS", "STRATEGIES", "active", "full", "source"]

Points = list[tuple[float, float]]

#: The learners of the full-sampling figures, as the paper and as we name them.
LEARNERS = {"c-tree": "C-Tree", "h-tree": "H-Tree", "corrh-tree": "CorrH-Tree"}

#: The strategies of the selective-sampling figure: our name, the paper's, and a plot's colour.
#: The figure's legend is lost. The colours are taken in the order of the text; that the last two
#: are the paper's own fits with their being the best on average. It is an inference.
STRATEGIES = {
    "random": ("Rnd", "blue"),
    "variable-uncertainty": ("VarUn", "red"),
    "randomized-variable-uncertainty": ("RndVar", "green"),
    "selective-sampling": ("Sel-Samp", "navy"),
    "split": ("Split", "pink"),
    "conf-tree": ("ConfTree", "darkgreen"),
    "split-conf-tree": ("SplitConfTree", "brown"),
}


@cache
def _numbers() -> dict[str, Any]:
    text = files(__package__).joinpath("paper.json").read_text(encoding="utf-8")
    numbers: dict[str, Any] = json.loads(text)
    return numbers


def source() -> str:
    """Return where the numbers come from."""
    return str(_numbers()["source"])


def full(dataset: str, learner: str) -> Points:
    """Return (leaves, performance) of a learner on "rand-cbt" or on one of the real datasets."""
    return [(x, y) for x, y in _numbers()["full"][dataset][learner]]


def active(dataset: str, strategy: str) -> Points:
    """Return (budget, performance) of a strategy on one of the real datasets."""
    return [(x, y) for x, y in _numbers()["active"][dataset][STRATEGIES[strategy][1]]]
