"""Leaves against online performance on the real datasets, with every label."""

from __future__ import annotations

from .claims import judge
from .figures import FIGURES, draw
from .runs import plan, run
from .tables import tell

__all__ = ["FIGURES", "TITLE", "draw", "judge", "plan", "run", "tell"]

TITLE = "Real data, all labels: leaves against performance"
