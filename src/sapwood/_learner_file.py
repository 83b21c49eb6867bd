"""The file of an active learner: settings and questions as JSON, models as they are saved."""

from __future__ import annotations

import decimal
import math
import numbers
from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from . import _core, persist, strategies
from . import _fields as f
from ._container import pack, reading, unpack
from ._fields import require, require_fields
from ._learners import TreeLearner
from ._questions import Question
from ._times import second_of
from .active import ActiveLearner

_ROW = f.each(f.record(f.label, f.cell))
_QUESTIONS = f.each(f.record(f.count, _ROW, f.maybe(f.label), f.flag, f.number))
_FIELDS = {
    "strategy": f.of(dict),
    "budget": f.text,
    "drift": f.maybe(f.of(dict)),
    "random_state": f.of(int),
    "classes": f.maybe(f.each(f.label)),
    "memory": f.cell,
    "forgotten": f.count,
    "open": _QUESTIONS,
    "expired": _QUESTIONS,
    "closed": f.each(f.record(f.count, {"answered", "refunded", "forgotten"}.__contains__)),
    "recent": f.each(_ROW),
    "n_recent": f.maybe(f.count),
}
_STATES = ("rng_state", "budget_state", "strategy_state", "guard_state")


def to_bytes(learner: ActiveLearner) -> bytes:
    """Return the file's bytes; TypeError if the learner has parts that only pickle can keep."""
    if not isinstance(learner._learner, TreeLearner):
        who = type(learner.model).__name__
        raise TypeError(f"A learner with a {who} has no file format of ours: pickle it.")
    if not isinstance(learner.strategy, strategies.Strategy):
        raise TypeError("A learner with a strategy of your own has no file format: pickle it.")
    with learner._turn:
        persist.require_in_force(learner.model)
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
    """Return the learner of which these are the bytes; ValueError if they are not those of one."""
    with reading():
        return _unpacked(data)


def _unpacked(data: bytes) -> ActiveLearner:
    state, parts = unpack("learner", data)
    require_fields(state, _FIELDS)
    state.update({name: parts[name] for name in _STATES if name in parts})
    state["model"] = persist.from_bytes(parts["model"])
    state["background"] = None
    if "background" in parts:
        state["background"] = persist.from_bytes(parts["background"])
    ids = [id for kept in ("open", "expired", "closed") for id, *_ in state[kept]]
    require(len(set(ids)) == len(ids), "a question is listed twice")
    state["closed"] = dict(state["closed"])
    for kept in ("open", "expired"):
        state[kept] = {q[0]: Question(dict(q[1]), *q[2:]) for q in state[kept]}
    state["recent"] = [dict(x) for x in state["recent"]]
    learner = ActiveLearner.__new__(ActiveLearner)
    learner.__setstate__(state)
    _require_sound(learner, ids)
    require(len(state["recent"]) == len(learner._recent), "it keeps too many recent examples")
    return learner


def _require_sound(learner: ActiveLearner, ids: list[int]) -> None:
    """Raise ValueError if questions are listed that the budget's ledger knows nothing of."""
    questions, budget = learner._questions, learner.budget
    require(all(1 <= id <= budget.seen for id in ids), "a question is about no example")
    require(questions.forgotten <= budget.seen, "it has forgotten questions that were never asked")
    became = Counter(how for _, how in questions.closed.items())
    listed = {
        "open": (len(questions.open), budget.open),
        "expired": (len(questions.expired) + became["forgotten"], budget.expired),
        "answered": (became["answered"], budget.answered),
        "refunded": (became["refunded"], budget.refunded),
    }
    for name, (here, counted) in listed.items():
        require(here <= counted, f"it lists {here} {name} questions, and its ledger {counted}")
    for row in chain(learner._recent, (q.x for q in questions.open.values())):
        _core.Model.check_row(row)


def _pairs(row: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Return a row as pairs: names may be numbers, which are no keys in JSON."""
    return list(row.items())


def _plain(value: Any) -> Any:
    """Return what JSON does not know as what it does: times, NumPy's numbers, missing values."""
    second = second_of(value)
    if second is not None and not math.isnan(second):
        return second
    if isinstance(value, np.generic) and second is None:
        return value.item()
    return float(value) if isinstance(value, (numbers.Real, decimal.Decimal)) else None  # missing
