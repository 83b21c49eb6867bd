"""Values of a row that a model cannot take: named, left out, or a reason to pass the row over."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core

_SHOWN = 60  # characters of a value


class Mended(NamedTuple):
    """A row without the values that a model cannot take, and why to pass it over, if it is."""

    row: dict[Any, Any]
    fault: str
    n_values: int


def faults(core: _core.Model | None, row: dict[Any, Any]) -> dict[Any, Exception]:
    """Return what is wrong with a row's values, by the name of the column."""
    check = _core.Model.check_row if core is None else core.require_suits
    found: dict[Any, Exception] = {}
    for name, value in row.items():
        try:
            check({name: value})
        except (TypeError, ValueError) as error:
            found[name] = error
    return found


def named(row: dict[Any, Any], found: dict[Any, Exception]) -> str:
    """Return the first fault in words: the column, what was expected, and the value."""
    name, error = next(iter(found.items()))
    value = repr(row[name])
    shown = value if len(value) <= _SHOWN else f"{value[: _SHOWN - 1]}…"
    return f"{error} The value was {shown}."


def refusal(row: dict[Any, Any], found: dict[Any, Exception]) -> Exception:
    """Return the error for a row that is to stop its caller."""
    kind = TypeError if isinstance(next(iter(found.values())), TypeError) else ValueError
    return kind(
        f"{named(row, found)} To go on, on_error='missing' leaves such values out, and 'skip' "
        "their rows."
    )


def without(row: dict[Any, Any], found: dict[Any, Exception]) -> dict[Any, Any]:
    """Return the row with those values missing; a place in a sequence stays."""
    return {
        name: None if name in found else value
        for name, value in row.items()
        if name not in found or isinstance(name, (str, int))
    }
