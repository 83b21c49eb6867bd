"""What a file's JSON must hold: its fields by name, each with a test of its value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Test: TypeAlias = Callable[[Any], bool]


def require(holds: bool, what: str) -> None:
    """Raise ValueError unless something holds that is so in every file of ours."""
    if not holds:
        raise ValueError(f"Not a readable sapwood file: {what}.")


def require_fields(values: Mapping[str, Any], fields: Mapping[str, Test]) -> None:
    """Raise ValueError that names the first field that is missing or of another kind."""
    for name, fits in fields.items():
        require(name in values, f"it lacks the field {name!r}")
        require(fits(values[name]), f"its field {name!r} is not what it should be")


def of(*kinds: type) -> Test:
    """Of one of these types of JSON; a truth value is no number."""
    return lambda value: type(value) in kinds


def maybe(fits: Test) -> Test:
    """None, or what fits."""
    return lambda value: value is None or fits(value)


def each(fits: Test) -> Test:
    """A list of what fits."""
    return lambda value: type(value) is list and all(map(fits, value))


def record(*tests: Test) -> Test:
    """A list with a value for each test."""

    def fits(value: Any) -> bool:
        if type(value) is not list or len(value) != len(tests):
            return False
        return all(test(item) for test, item in zip(tests, value, strict=True))

    return fits


def count(value: Any) -> bool:
    """Whether a value is a whole number of 0 or more."""
    return type(value) is int and 0 <= value < 2**63


def number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


text = of(str)
flag = of(bool)
#: A class, and the name of a column.
label = of(str, int, float, bool)
#: A value in a row.
cell = of(str, int, float, bool, type(None))
