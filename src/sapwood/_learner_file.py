"""The file of an active learner: settings and questions as JSON, models as they are saved."""

from __future__ import annotations

import decimal
import numbers
from typing import Any

import numpy as np

from . import persist, strategies
from ._container import pack, unpack
from ._learners import TreeLearner
from ._questions import Question
from .active import ActiveLearner

_STATES = ("rng_state", "budget_state", "strategy_state", "guard_state")


def to_bytes(learner: ActiveLearner) -> bytes:
    """Return the file's bytes; TypeError if the learner has parts that only pickle can keep."""
    if not isinstance(learner._learner, TreeLearner):
        who = type(learner.model).__name__
        raise TypeError(f"A learner with a {who} has no file format of ours: pickle it.")
    if not isinstance(learner.strategy, strategies.Strategy):
        raise TypeError("A learner with a strategy of your own has no file format: pickle it.")
    with learner._turn:
        state = learner._state()
    return _pack(state)


def _pack(state: dict[str, Any]) -> bytes:
    parts = {name: state.pop(name) for name in _STATES if name in state}
    parts["model"] = persist.to_bytes(state.pop("model"))
    background = state.pop("background")
    if background is not None:
        parts["background"] = persist.to_bytes(background)
    state["closed"] = state["closed"].items()
    for kept in ("open", "expired"):
        state[kept] = (
            [id, _pairs(q.x), q.prediction, q.feeds, q.mark] for id, q in state[kept].items()
        )
    state["recent"] = map(_pairs, state["recent"])
    return pack("learner", state, parts, _plain)


def from_bytes(data: bytes) -> ActiveLearner:
    """Return the learner of which these are the bytes."""
    state, parts = unpack("learner", data)
    state.update({name: parts[name] for name in _STATES if name in parts})
    state["model"] = persist.from_bytes(parts["model"])
    state["background"] = None
    if "background" in parts:
        state["background"] = persist.from_bytes(parts["background"])
    state["closed"] = {int(id): how for id, how in state["closed"]}
    for kept in ("open", "expired"):
        state[kept] = {q[0]: Question(_row(q[1]), *q[2:]) for q in state[kept]}
    state["recent"] = [_row(x) for x in state["recent"]]
    learner = ActiveLearner.__new__(ActiveLearner)
    learner.__setstate__(state)
    return learner


def _pairs(row: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Return a row as pairs: names may be numbers, which are no keys in JSON."""
    return list(row.items())


def _row(pairs: Any) -> dict[Any, Any]:
    return dict(pairs)


def _plain(value: Any) -> Any:
    """Return what JSON does not know as what it does: NumPy's numbers, and missing values."""
    if isinstance(value, np.generic):
        return value.item()
    return float(value) if isinstance(value, (numbers.Real, decimal.Decimal)) else None  # missing
