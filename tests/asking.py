"""Random settings of asking, and the same run done in three ways."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

import sapwood
from sapwood import ActiveLearner, Budget, persist
from sapwood.drift import ADWIN, DDM, Drift, PageHinkley
from sapwood.strategies import NAMES, Strategy

BUDGETS = ["rate:0.1", "rate:0.37", "strict:0.2", "window:0.3:20", "estimated-window:0.2:30"]
BUDGETS += ["count:40:0.3", "unlimited:0.5", "rate:1"]

DRIFTS = {
    "none": None,
    "ddm": Drift(DDM(warning_level=0.5, drift_level=1.0), swap_after=10),
    "ddm, moa": Drift(DDM(warning_level=0.5, drift_level=1.0), compat="moa"),
    "adwin": Drift(ADWIN(delta=0.5, clock=4), swap_after=5),
    "page-hinkley": Drift(PageHinkley(threshold=2.0), swap_after=5),
}


class InPython:
    """A strategy of ours in the dress of a user's: it runs the loop in Python."""

    def __init__(self, name: str) -> None:
        self.inner = Strategy(name)

    def decide(self, evidence: Any, rate: float, rng: Any) -> Any:
        return self.inner.decide(evidence, rate, rng)


@st.composite
def asking(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the settings of an ACTIVE run."""
    return {
        "strategy": draw(st.sampled_from(NAMES)),
        "budget": draw(st.sampled_from(BUDGETS)),
        "drift": DRIFTS[draw(st.sampled_from(sorted(DRIFTS)))],
        "delay": draw(st.sampled_from([0, 0, 1, 17])),
        "random_state": draw(st.integers(0, 2**64 - 1)),
    }


def turned(labels: list[Any], at: int) -> list[Any]:
    """Labels that mean something else from some row on: each becomes the next class."""
    classes = sorted(set(labels))
    following = dict(zip(classes, classes[1:] + classes[:1], strict=True))
    return labels[:at] + [following[y] for y in labels[at:]]


def by_hand(rows: list[Any], labels: list[Any], tree: Any, settings: dict[str, Any]) -> Any:
    """Run with ``decide`` and ``label``; return the learner, its predictions and questions."""
    delay = settings["delay"]
    learner = ActiveLearner(
        tree,
        settings["strategy"],
        Budget.parse(settings["budget"]),
        copy.copy(settings["drift"]),
        settings["random_state"],
    )
    predictions, asked, waiting = [], [], []
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        decision = learner.decide(x)
        predictions.append(decision.prediction)
        asked.append(decision.ask)
        if decision.ask:
            waiting.append((i + delay, decision.id, y))
        while waiting and waiting[0][0] <= i:
            _, number, label = waiting.pop(0)
            assert learner.label(number, label) == sapwood.Answer.LEARNED
    return learner, predictions, asked


def accuracy(predictions: list[Any], labels: list[Any], delay: int) -> float:
    """Return the share of right predictions, without those that no label could have come before."""
    pairs = list(zip(predictions, labels, strict=True))
    scored = [p == y for i, (p, y) in enumerate(pairs) if i >= delay or p is not None]
    return sum(scored) / max(1, len(scored))


def told(result: sapwood.Result) -> dict[str, Any]:
    """Everything that a result tells, but for the time that it took."""
    table = result.to_dict()
    del table["seconds"], table["curve"]["seconds"]
    table["settings"] = None
    return table | {"model": persist.to_bytes(result.model)}


def name_of(value: Any) -> str:
    """Return a name without an address, so that every process has the same."""
    return repr(value)[:40].split(" at 0x")[0]
