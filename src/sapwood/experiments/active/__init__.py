"""Budget against performance: seven strategies that ask for labels (Section VIII)."""

from __future__ import annotations

from .claims import judge
from .figures import FIGURES, draw
from .runs import plan, run
from .tables import tell

__all__ = ["FIGURES", "TITLE", "draw", "judge", "plan", "run", "tell"]

TITLE = "Selective sampling: budget against performance"
