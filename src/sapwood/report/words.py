"""Numbers and names as people read them, and as HTML and SVG may hold them."""

from __future__ import annotations

import html
import math
from typing import Any

NONE = "–"
_SPACE = "\u00a0"  # a number is not parted from its unit


def printable(value: Any) -> str:
    """Return a value as text; characters that do not print, such as line breaks, as escapes."""
    text = str(value)
    if not text.strip():
        return repr(text)
    return "".join(c if _prints(c) else c.encode("unicode_escape").decode() for c in text)


def _prints(c: str) -> bool:
    return c.isprintable() or c == _SPACE


def escaped(value: Any, limit: int | None = None) -> str:
    """Return a value as text for HTML or SVG, also inside quotes.

    Parameters
    ----------
    value : object
        Anything with a ``str``.
    limit : int, optional
        The most characters before escaping; longer text is shortened in its middle.
    """
    text = printable(value)
    return html.escape(text if limit is None else shortened(text, limit), quote=True)


def shortened(text: str, limit: int) -> str:
    """Return text of at most ``limit`` characters; what differs often stands last, so keep both."""
    if len(text) <= limit:
        return text
    return f"{text[: limit - limit // 2 - 1]}…{text[-(limit // 2) :]}"


def whole(n: float) -> str:
    """Return a count with its thousands parted: 45,312."""
    return f"{n:,.0f}" if math.isfinite(n) else NONE


def brief(n: float) -> str:
    """Return a count for an axis: 45,000 but 1.5 M."""
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if abs(n) >= size:
            return f"{n / size:,.10g}{_SPACE}{unit}"
    return f"{n:,.10g}" if math.isfinite(n) else NONE


def decimal(x: float) -> str:
    """Return a score between -1 and 1: 0.563."""
    return f"{x:.3f}".replace("-", "−") if math.isfinite(x) else NONE


def percent(share: float, digits: int = 1) -> str:
    """Return a share as a percentage; what is not all or nothing is never rounded to that."""
    if not math.isfinite(share):
        return NONE
    for more in range(digits, 9):
        shown = f"{100 * share:.{more}f}"
        if float(shown) not in (0.0, 100.0) or share in (0.0, 1.0):
            return f"{shown}{_SPACE}%".replace("-", "−")
    return f"{100 * share:.3g}{_SPACE}%"


def size(n: float) -> str:
    """Return a number of bytes: 12.4 MB."""
    if not math.isfinite(n):
        return NONE
    if n < 1000:
        return f"{n:.0f}{_SPACE}bytes"
    k = min(int(math.log10(n * 1.0005) / 3), 3)
    scaled = n / 1000**k
    shown = f"{scaled:.3g}" if scaled < 999.5 else f"{scaled:,.0f}"
    return f"{shown}{_SPACE}{('kB', 'MB', 'GB')[k - 1]}"


def duration(seconds: float) -> str:
    """Return a time: 340 ms, 12.4 s, 3 min 20 s, 2 h 05 min."""
    if not math.isfinite(seconds):
        return NONE
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g}{_SPACE}ms"
    if seconds < 99.5:
        return f"{seconds:.3g}{_SPACE}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}{_SPACE}min {rest}{_SPACE}s"
    return f"{minutes // 60:,}{_SPACE}h {minutes % 60:02d}{_SPACE}min"


def counted(n: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun: 1 label, 4,531 labels."""
    return f"{whole(n)}{_SPACE}{one if n == 1 else many or one + 's'}"
