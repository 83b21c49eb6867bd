"""Leaves against online accuracy on random trees: the paper's controlled experiments."""

from __future__ import annotations

from .claims import judge
from .figures import FIGURES, draw
from .runs import plan, run
from .tables import tell

__all__ = ["FIGURES", "TITLE", "draw", "judge", "plan", "run", "tell"]

TITLE = "Random trees: leaves against accuracy"
