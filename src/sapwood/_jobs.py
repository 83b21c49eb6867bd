"""How many things to do at once, in scikit-learn's words."""

from __future__ import annotations

import os

from ._params import PARAMETERS


def n_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(n_jobs: int | None) -> int:
    """Return what ``n_jobs`` stands for: None for 1, -1 for one per core, -2 for all but one."""
    if n_jobs is None:
        return 1
    parameter = PARAMETERS["n_jobs"]
    if not parameter.accepts(n_jobs):
        raise ValueError(f"n_jobs must be {parameter.takes}; got {n_jobs!r}.")
    return min(int(n_jobs), 2**31 - 1) if n_jobs > 0 else max(1, n_cores() + 1 + int(n_jobs))
