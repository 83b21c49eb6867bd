"""The confidence bounds by themselves.

A bound says how far the estimated impurity left over by a split may lie from the true one. These
are the functions that the trees use, not copies of them.
"""

from __future__ import annotations

import math
import numbers

from . import _core
from ._params import BOUNDS, CRITERIA

__all__ = ["BOUNDS", "CRITERIA", "epsilon"]


def epsilon(
    bound: str,
    *,
    criterion: str,
    m: float,
    t: float = 1,
    d: float = 1,
    depth: int = 0,
    delta: float | str | None = "1/t",
    c: float | None = None,
    n_classes: int = 2,
) -> float:
    """Half-width of a confidence bound for the impurity that a split leaves over.

    Parameters
    ----------
    bound : {"c-tree", "theorem", "hoeffding", "hoeffding-corrected", "mcdiarmid"}
        The bound.
    criterion : {"gini", "entropy", "kearns-mansour", "error"}
        The impurity.
    m : float
        Examples at the leaf, more than 0.
    t : float
        Examples of the stream so far, at least 1 (used by "c-tree", "theorem", and by delta "1/t").
    d : float
        Attributes, at least 1 (used by "c-tree" and "theorem").
    depth : int
        Depth of the leaf, 0 at the root (used by "c-tree" and "theorem").
    delta : float or "1/t"
        Allowed probability of failure (not used by "c-tree").
    c : float, optional
        The factor of "c-tree"; needed there and ignored elsewhere.
    n_classes : int
        Number of classes, at least 2.

    Returns
    -------
    float
        The bound's epsilon. "c-tree", "theorem" and "hoeffding-corrected" split when the gap
        exceeds twice that, "hoeffding" and "mcdiarmid" when it exceeds it once.

    Raises
    ------
    ValueError
        For a value out of range, or a criterion for which the bound is not defined.

    Examples
    --------
    >>> from sapwood.bounds import epsilon
    >>> round(epsilon("hoeffding", criterion="gini", m=1000, delta=0.05), 5)
    0.0387
    >>> round(epsilon("theorem", criterion="gini", m=1000, t=1000, d=5), 5)
    0.5621
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion must be one of {CRITERIA}; got {criterion!r}.")
    if bound not in BOUNDS:
        raise ValueError(f"bound must be one of {BOUNDS}; got {bound!r}.")
    if _core.uses_c(bound) and not (c is not None and c > 0 and math.isfinite(c)):
        raise ValueError(f"bound={bound!r} needs a positive c; got {c!r}.")
    if not _core.uses_delta(bound) or (isinstance(delta, str) and delta == "1/t"):
        number = 0.0
    elif isinstance(delta, numbers.Real) and 0 < delta < 1:
        number = float(delta)
    else:
        raise ValueError(f"delta must lie strictly between 0 and 1, or be '1/t'; got {delta!r}.")
    # What a bound does not use is ignored, whatever it is.
    whole_stream = _core.uses_stream(bound)
    used = {
        "t": (t, 1, whole_stream or number == 0.0),
        "d": (d, 1, whole_stream),
        "depth": (depth, 0, whole_stream),
        "n_classes": (n_classes, 2, _core.uses_delta(bound)),
    }
    for name, (value, least, matters) in used.items():
        if matters and not (math.isfinite(value) and value >= least):
            raise ValueError(f"{name} must be at least {least}; got {value!r}.")
    if not (math.isfinite(m) and m > 0):
        raise ValueError(f"m must be a positive number; got {m!r}.")
    return _core.epsilon(
        bound=bound,
        criterion=criterion,
        m=float(m),
        t=float(t),
        d=float(d),
        depth=float(depth),
        delta=number,
        c=float(c) if c is not None else 0.0,
        n_classes=float(n_classes),
    )
