"""Small shapes: type, the paths of lines, and dots."""

from __future__ import annotations

from .words import escaped

TYPE = 12.5  # size of type
LINE = 17.0  # least distance between two lines of type

Point = tuple[float, float]


def typed(x: float, y: float, text: str, anchor: str, size: float | None = None) -> str:
    """Return a line of type; y is that of its baseline."""
    if not text:
        return ""
    look = f' font-size="{size:g}"' if size else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place}{look}>{escaped(text)}</text>"


def joined(points: list[Point]) -> str:
    """Return the path of a line through points, after its "M"."""
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def stepped(points: list[Point]) -> str:
    """Return the path of steps through points, after its "M"."""
    first, *rest = points
    return f"{first[0]:.1f} {first[1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)


def apart(places: list[float], top: float, bottom: float) -> list[float]:
    """Return places, given in order, moved as little as needed to be a line of type apart."""
    groups: list[tuple[float, int]] = []  # middle and number of labels that stand together
    for place in places:
        group = (place, 1)
        while groups and group[0] - groups[-1][0] < LINE * (group[1] + groups[-1][1]) / 2:
            (m, n), (k, j) = groups.pop(), group
            group = ((m * n + k * j) / (n + j), n + j)
        groups.append(group)
    moved = [m + LINE * (k - (n - 1) / 2) for m, n in groups for k in range(n)]
    least = top
    for k, place in enumerate(moved):
        moved[k] = max(place, least)
        least = moved[k] + LINE
    most = bottom
    for k in range(len(moved) - 1, -1, -1):
        moved[k] = min(moved[k], most)
        most = moved[k] - LINE
    return moved


def marker(kind: int, x: float, y: float) -> str:
    """Return a dot of one of five shapes: colours alone are not for everyone."""
    shapes = (
        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
        "m-3.5-3.5h7v7h-7z",
        "m0-5l5 5l-5 5l-5-5z",
        "m0-4.8l4.6 8h-9.2z",
        "m0 4.8l4.6-8h-9.2z",
    )
    return f'<path stroke="none" d="M{x:.1f} {y:.1f}{shapes[kind % len(shapes)]}"/>'
