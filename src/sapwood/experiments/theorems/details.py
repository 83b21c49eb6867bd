"""How much the bounds depend on the tree: on its attributes, a leaf's depth, and the time."""

from __future__ import annotations

from typing import Any

from ...bounds import epsilon
from ...report.words import percent
from ..claims import Claim, Verdict
from .impurity import C

__all__ = ["judge"]

#: A leaf with so many examples, and what of the tree around it is changed.
BASE: dict[str, Any] = {"m": 1000, "t": 100_000, "d": 5, "depth": 2}
CHANGES: dict[str, dict[str, Any]] = {
    "50 attributes for 5": {"d": 50},
    "depth 20 for 2": {"depth": 20},
    "ten times the stream": {"t": 1_000_000},
}
OURS = {"c-tree": {"c": C}, "theorem": {"delta": 0.05}}
THEIRS = {"hoeffding": {"delta": 0.05}, "mcdiarmid": {"delta": 0.05}}


def grows(bound: str, params: dict[str, Any], change: dict[str, Any]) -> float:
    """Return by which share a bound for gini is wider after a change of the tree."""
    wide, base = (
        epsilon(bound, criterion="gini", **params, **tree) for tree in (BASE | change, BASE)
    )
    return wide / base - 1


def judge() -> list[Claim]:
    """Judge it by the bounds themselves: there is no chance in them."""
    found = {
        bound: {name: grows(bound, params, change) for name, change in CHANGES.items()}
        for bound, params in (OURS | THEIRS).items()
    }
    ours = [share > 0 for bound in OURS for share in found[bound].values()]
    theirs = [share > 0 for bound in THEIRS for share in found[bound].values()]
    verdict: Verdict = "partly" if any(ours) else "not"
    if all(ours) and not any(theirs):
        verdict = "reproduced"
    told = "; ".join(
        f"`{bound}` " + ", ".join(f"{percent(share)} ({name})" for name, share in shares.items())
        for bound, shares in found.items()
    )
    return [
        Claim(
            "abstract",
            "The confidence intervals depend in a more detailed way on the tree's parameters.",
            verdict,
            f"How much wider ε is for gini at a leaf of {BASE['m']:,} examples: {told}.",
            "All of it stands in a logarithm under a root, so it changes ε little: c or δ does "
            "much more.",
        )
    ]
