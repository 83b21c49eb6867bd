"""What a tree may be told: one table that validates, documents and presets its parameters."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

CRITERIA = ("gini", "entropy", "kearns-mansour", "error")
BOUNDS = ("c-tree", "theorem", "hoeffding", "hoeffding-corrected", "mcdiarmid")
LEAF_PREDICTIONS = ("majority", "naive-bayes", "adaptive")
NUMERIC_SPLITS = ("histogram", "gaussian", "exact")
ON_ERROR = ("stop", "missing", "skip")

#: Chosen by experiment: see docs/default_c.md.
DEFAULT_C = 0.02


@dataclass(frozen=True)
class Parameter:
    """One parameter: its default, what it takes in words, and the test of that.

    A parameter that is not of the model says how a process works: no file keeps it, and no result
    depends on it. One that is later than the first files is left out of them at its default, which
    is what a file without it means.
    """

    default: Any
    takes: str
    accepts: Callable[[Any], bool]
    of_model: bool = True
    of_core: bool = True
    later: bool = False


def _is_real(value: Any) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def whole_number(name: str, value: Any, least: int) -> int:
    """Return a whole number of at least ``least``, or say what the argument takes."""
    if not _is_whole(value) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def _is_whole(value: Any) -> bool:
    if type(value) is int:
        return True
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _one_of(*names: str) -> tuple[str, Callable[[Any], bool]]:
    listed = ", ".join(repr(name) for name in names)
    return f"one of {listed}", lambda value: isinstance(value, str) and value in names


def _whole_from(least: int, *, most: int = 2**31 - 1) -> tuple[str, Callable[[Any], bool]]:
    return (
        f"a whole number from {least} to {most}",
        lambda value: _is_whole(value) and least <= int(value) <= most,
    )


def _or_none(takes: str, accepts: Callable[[Any], bool]) -> tuple[str, Callable[[Any], bool]]:
    return f"{takes}, or None", lambda value: value is None or accepts(value)


def _is_column_list(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
        return False
    try:
        entries = [e.item() if hasattr(e, "item") else e for e in value]
    except (TypeError, ValueError):  # not a list, or a list of arrays
        return False
    masks = {isinstance(e, bool) for e in entries}
    return len(masks) < 2 and all(isinstance(e, (str, int)) for e in entries)


PARAMETERS: dict[str, Parameter] = {
    "criterion": Parameter("gini", *_one_of(*CRITERIA)),
    "bound": Parameter("c-tree", *_one_of(*BOUNDS)),
    "c": Parameter(DEFAULT_C, "a positive number", lambda v: _is_real(v) and v > 0),
    "delta": Parameter(
        "1/t",
        "a number strictly between 0 and 1, or '1/t'",
        lambda v: (isinstance(v, str) and v == "1/t") or (_is_real(v) and 0 < v < 1),
    ),
    "tie_threshold": Parameter(0.0, "0 or a positive number", lambda v: _is_real(v) and v >= 0),
    "grace_period": Parameter(100, *_whole_from(1)),
    "leaf_prediction": Parameter("majority", *_one_of(*LEAF_PREDICTIONS)),
    "numeric_splits": Parameter("histogram", *_one_of(*NUMERIC_SPLITS)),
    "n_bins": Parameter(32, *_whole_from(2, most=2**20)),
    "categorical_features": Parameter(
        None, "a list of column names or positions, or None", _is_column_list, of_core=False
    ),
    "max_leaves": Parameter(None, *_or_none(*_whole_from(1))),
    "max_depth": Parameter(None, *_or_none(*_whole_from(0))),
    "max_bytes": Parameter(None, *_or_none(*_whole_from(1, most=2**62))),
    "compat": Parameter(None, *_or_none(*_one_of("moa"))),
    "on_error": Parameter("stop", *_one_of(*ON_ERROR), of_core=False, later=True),
    "columns": Parameter("strict", *_one_of("strict", "by-name"), of_core=False, later=True),
    "n_jobs": Parameter(
        None,
        "a whole number other than 0 (-1: one per core), or None",
        lambda v: v is None or (_is_whole(v) and v != 0),
        of_model=False,
    ),
}
#: Those on which the model depends.
MODEL_PARAMETERS = tuple(name for name, parameter in PARAMETERS.items() if parameter.of_model)

#: Those that say how rows are taken, and act at once.
AT_ONCE = ("on_error", "columns")


def validate(params: Mapping[str, Any]) -> None:
    """Raise ValueError for the first parameter that is not what it takes."""
    for name, parameter in PARAMETERS.items():
        if not parameter.accepts(params[name]):
            raise ValueError(f"{name} must be {parameter.takes}; got {params[name]!r}.")


def of_model(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters on which the model depends."""
    return {
        name: params[name]
        for name in MODEL_PARAMETERS
        if not PARAMETERS[name].later or params[name] != PARAMETERS[name].default
    }


def kept(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a model keeps from its beginning, as plain JSON values."""
    return {name: v for name, v in to_json(of_model(params)).items() if name not in AT_ONCE}


def for_core(params: Mapping[str, Any]) -> dict[str, Any]:
    """Validate, and give the parameters as the core takes them."""
    validate(params)
    core = {name: params[name] for name in MODEL_PARAMETERS if PARAMETERS[name].of_core}
    core["delta"] = 0.0 if params["delta"] == "1/t" else float(params["delta"])
    core["compat"] = params["compat"] or "none"
    for name in ("grace_period", "n_bins", "max_leaves", "max_depth", "max_bytes"):
        if core[name] is not None:
            core[name] = int(core[name])
    for name in ("c", "tie_threshold"):
        core[name] = float(core[name])
    return core


def to_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Constructor parameters as plain JSON values."""
    plain = dict(params)
    for name, value in plain.items():
        if value is None or isinstance(value, (str, bool)):
            continue
        if name == "categorical_features":
            plain[name] = [v.item() if hasattr(v, "item") else v for v in value]
        elif _is_whole(value):
            plain[name] = int(value)
        else:
            plain[name] = float(value)
    return plain
