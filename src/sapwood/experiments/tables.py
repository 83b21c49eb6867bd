"""Numbers and tables in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

__all__ = ["markdown", "plus_minus", "powers", "signed"]

NONE = "–"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; columns whose name begins with ">" are aligned to the right.

    Examples
    --------
    >>> print(markdown(["bound", ">leaves"], [["theorem", "1"]]))
    | bound | leaves |
    | --- | ---: |
    | theorem | 1 |
    <BLANKLINE>
    """
    rule = ["---:" if name.startswith(">") else "---" for name in head]
    lines = [[name.removeprefix(">") for name in head], rule, *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells) + "\n"


def plus_minus(mean: float, half: float, digits: int = 3) -> str:
    """Return a mean with half of its interval: 0.653 ± 0.002."""
    if not math.isfinite(mean):
        return NONE
    return f"{mean:.{digits}f}" + (f" ± {half:.{digits}f}" if math.isfinite(half) else "")


def signed(mean: float, half: float, digits: int = 2) -> str:
    """Return a difference with half of its interval: +0.31 ± 0.12; in bold if zero is outside."""
    if not math.isfinite(mean):
        return NONE
    shown = f"{mean:+.{digits}f}".replace("-", "−")
    if not math.isfinite(half):
        return shown
    text = f"{shown} ± {half:.{digits}f}"
    return f"**{text}**" if abs(mean) > half else text


def powers(x: float) -> str:
    """Return a large number by its power of ten: 3.0 · 10¹¹."""
    digits, exponent = f"{x:.1e}".split("e")
    return f"{digits} · 10{str(int(exponent)).translate(_RAISED)}"
