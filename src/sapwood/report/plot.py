"""A plot: lines, steps, areas and marks over two axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..drawing import text_width
from . import palette
from .sampling import Floats, floats, runs, thinned
from .scale import Scale, labels_of
from .shapes import TYPE, apart, joined, marker, stepped, typed
from .words import escaped, shortened

_LABEL_MAX = 34  # characters of a line's label
_MARKS_MAX = 120  # vertical marks; more of them become short ones


@dataclass
class _Layer:
    """A line, a step line or an area, in the colour of its part."""

    kind: Literal["line", "step", "area", "whisker"]
    part: str
    x: Floats
    y: Floats
    low: Floats | None = None
    name: str = ""
    stroke: float = 2.0
    opacity: float = 1.0
    dashes: str = ""
    marker: int | None = None
    shift: float = 0.0  # to the right, so that equal values stand beside each other


@dataclass
class Plot:
    """A picture over two axes.

    Add layers, hindmost first, then take :meth:`svg`. A line's name is written at its end.

    Parameters
    ----------
    x, y : Scale
        The axes; their places are set by the plot.
    x_label, y_label : str
        What the axes show.
    x_form, y_form : callable
        Make the labels of ticks.
    about : str
        The picture in words, for those who cannot see it.
    size : pair of float
        Width and height.
    inset : float
        Room between the ends of the horizontal axis and the first and last value.
    """

    x: Scale
    y: Scale
    x_label: str
    y_label: str
    x_form: Callable[[float], str]
    y_form: Callable[[float], str]
    about: str = ""
    size: tuple[float, float] = (880.0, 300.0)
    inset: float = 0.0
    _layers: list[_Layer] = field(default_factory=list, init=False)
    _marks: list[tuple[float, str, str]] = field(default_factory=list, init=False)
    _notes: list[tuple[float, str, list[float]]] = field(default_factory=list, init=False)

    def line(self, part: str, x: Any, y: Any, name: str = "", **look: Any) -> None:
        """Add a line; ``look`` may set stroke, opacity, dashes, marker and shift."""
        name = shortened(name, _LABEL_MAX)
        self._layers.append(_Layer("line", part, floats(x), floats(y), name=name, **look))

    def step(self, part: str, x: Any, y: Any, name: str = "", **look: Any) -> None:
        """Add a line that keeps each value until the next."""
        name = shortened(name, _LABEL_MAX)
        self._layers.append(_Layer("step", part, floats(x), floats(y), name=name, **look))

    def area(self, part: str, x: Any, low: Any, high: Any, opacity: float = 0.16) -> None:
        """Fill what lies between two lines."""
        layer = _Layer("area", part, floats(x), floats(high), floats(low), opacity=opacity)
        self._layers.append(layer)

    def whiskers(self, part: str, x: Any, low: Any, high: Any, shift: float = 0.0) -> None:
        """Add an interval at each x."""
        look = {"stroke": 1.3, "opacity": 0.75, "shift": shift}
        layer = _Layer("whisker", part, floats(x), floats(high), floats(low), **look)  # type: ignore[arg-type]
        self._layers.append(layer)

    def mark(self, x: float, label: str, note: str) -> None:
        """Add a vertical line; ``note`` is its tooltip."""
        self._marks.append((float(x), label, note))

    def note(self, x: float, text: str, values: Sequence[float]) -> None:
        """Add a tooltip for the surroundings of x, and dots at values that show under it."""
        self._notes.append((float(x), text, [float(v) for v in values]))

    def svg(self) -> str:
        """Return the picture as an SVG document."""
        full, height = self.size
        names = [layer.name for layer in self._layers if layer.name]
        right = max((text_width(name, TYPE) for name in names), default=0.0)
        right = right + (36 if any(la.marker is not None for la in self._layers) else 24)
        right = right if names else 24.0
        top = 46.0 if any(label for _, label, _ in self._marks) else 30.0
        self.y = self.y.over(height - 46.0, top)
        ticks = [self.y_form(tick) for tick in self.y.ticks]
        left = max((text_width(tick, TYPE) for tick in ticks), default=0.0) + 15
        self.x = self.x.over(left + self.inset, full - right - self.inset)
        body = [
            f'<g {palette.attributes("paper")}><rect width="100%" height="100%"/></g>',
            *self._axes(ticks, left, full - right),
            *(self._drawn(layer) for layer in self._layers),
            *self._end_labels(right),
            *self._hover(),
            *self._drawn_marks(),  # last, to have their own tooltips
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full:g} {height:g}" '
            f'role="img" aria-label="{escaped(self.about or self.y_label)}" '
            f'font-family="{palette.FONT}" font-size="{TYPE:g}">\n' + "\n".join(body) + "\n</svg>"
        )

    def _axes(self, ticks: list[str], left: float, right: float) -> list[str]:
        """Return grid, ticks and the names of the axes."""
        low = self.y.start
        rules = "".join(f"M{left:.1f} {self.y(t):.1f}H{right:.1f}" for t in self.y.ticks)
        shown = labels_of(self.x, self.x_form, 14.0, TYPE * 0.58)
        feet = "".join(
            f"M{self.x(t):.1f} {low:.1f}v5"
            for t, label in zip(self.x.ticks, shown, strict=True)
            if label
        )
        type_ = [
            typed(left - 8, self.y(t) + 4.3, label, "end")
            for t, label in zip(self.y.ticks, ticks, strict=True)
        ]
        for t, label in zip(self.x.ticks, shown, strict=True):
            half = text_width(label, TYPE) / 2
            at = min(self.x(t), self.size[0] - half - 2)
            type_.append(typed(max(at, half + 2), low + 19, label, "middle"))
        middle = (left + right) / 2
        type_.append(typed(middle, self.size[1] - 5, self.x_label, "middle"))
        type_.append(typed(1, 14, self.y_label, "start"))
        return [
            f'<g {palette.attributes("grid")}><path d="{rules}"/></g>',
            f'<g {palette.attributes("axis")}><path d="M{left:.1f} {low:.1f}H{right:.1f}{feet}"/>'
            "</g>",
            f"<g {palette.attributes('faint')}>{''.join(type_)}</g>",
        ]

    def _drawn_marks(self) -> list[str]:
        """Return the vertical lines, with the labels for which there is room."""
        if not self._marks:
            return []
        many = len(self._marks) > _MARKS_MAX
        foot = self.y.end + 4 if many else self.y.start
        dashes = "" if many else ' stroke-dasharray="4 3"'
        lines, labels, free = [], [], -math.inf
        for x, label, note in sorted(self._marks):
            at = self.x(x)
            line = f'd="M{at:.1f} {self.y.end - 4:.1f}V{foot:.1f}"'
            path = f"<path {line}{dashes}/>"
            if not many:  # a hair's breadth is hard to point at
                path += f'<path {line} stroke-width="7" stroke-opacity="0"/>'
            lines.append(f"<g><title>{escaped(note)}</title>{path}</g>")
            half = text_width(label, 11) / 2
            middle = min(max(at, half + 2), self.size[0] - half - 2)
            if label and middle - half > free:
                labels.append(typed(middle, self.y.end - 9, label, "middle", 11))
                free = middle + half + 10
        part = palette.attributes("alarm")
        return [
            f'<g {part} stroke-opacity="0.8">{"".join(lines)}</g>',
            f'<g {part}><g stroke="none">{"".join(labels)}</g></g>',
        ]

    def _drawn(self, layer: _Layer) -> str:
        """Return a layer as a group; it gives its colour to all inside."""
        paths = []
        if layer.kind == "area":
            assert layer.low is not None
            for x, low, high in runs(layer.x, layer.low, layer.y):
                there, back = self._points(x, high), self._points(x, low)[::-1]
                paths.append(f"M{joined(there + back)}Z")
            shape = f'<path stroke="none" fill-opacity="{layer.opacity:g}" d="{"".join(paths)}"/>'
            return f"<g {palette.attributes(layer.part)}>{shape}</g>"
        dots = []
        if layer.kind == "whisker":
            assert layer.low is not None
            for x, low, high in zip(layer.x, layer.low, layer.y, strict=True):
                if math.isfinite(x + low + high):
                    at, foot, head = self.x(x) + layer.shift, self.y(low), self.y(high)
                    paths.append(f"M{at:.1f} {foot:.1f}V{head:.1f}")
                    paths += (f"M{at - 3:.1f} {end:.1f}h6" for end in (foot, head))
        else:
            for x, y in runs(layer.x, layer.y):
                points = self._points(x, y, layer.shift)
                if len(points) == 1:  # a line of one point cannot be seen
                    dots.append(f'<circle stroke="none" cx="{points[0][0]:.1f}" ')
                    dots.append(f'cy="{points[0][1]:.1f}" r="3.5"/>')
                step = layer.kind == "step"
                paths.append(f"M{stepped(points) if step else joined(points)}")
                if layer.marker is not None:
                    dots += (marker(layer.marker, *point) for point in points)
        look = f'stroke-width="{layer.stroke:g}" stroke-opacity="{layer.opacity:g}"'
        look += f' stroke-dasharray="{layer.dashes}"' if layer.dashes else ""
        path = f'<path fill="none" stroke-linejoin="round" {look} d="{"".join(paths)}"/>'
        return f"<g {palette.attributes(layer.part)}>{path}{''.join(dots)}</g>"

    def _points(self, x: Floats, y: Floats, shift: float = 0.0) -> list[tuple[float, float]]:
        x, y = thinned(x, y)
        return [(self.x(a) + shift, self.y(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]

    def _end_labels(self, right: float) -> list[str]:
        """Return the names of lines at their ends, moved apart where they would touch."""
        ends = []
        for layer in self._layers:
            last = [(x[-1], y[-1]) for x, y in runs(layer.x, layer.y)]
            if layer.name and last:
                x, y = self.x(float(last[-1][0])) + layer.shift, self.y(float(last[-1][1]))
                ends.append((y, x, layer))
        ends.sort(key=lambda end: end[0])
        places = apart([y for y, _, _ in ends], self.y.end, self.y.start + 8)
        body, at = [], self.size[0] - right + 12 - self.inset / 2
        for place, (y, x, layer) in zip(places, ends, strict=True):
            leader = f'<path fill="none" d="M{x + 3:.1f} {y:.1f}L{at - 3:.1f} {place:.1f}"/>'
            leader = f'<g stroke-opacity="0.7" stroke-dasharray="2 2">{leader}</g>'
            indent = 0.0
            if layer.marker is not None:  # a name shows the dot of its line, as there may be many
                leader, indent = leader + marker(layer.marker, at + 2, place), 12.0
            body.append(f"<g {palette.attributes(layer.part)}>{leader}</g>")
            label = typed(at + indent, place + 4.3, layer.name, "start")
            body.append(f"<g {palette.attributes('ink')}>{label}</g>")
        return body

    def _hover(self) -> list[str]:
        """Return strips that show their note, a hair line and dots under the pointer."""
        notes = sorted(self._notes)
        places = [self.x(x) for x, _, _ in notes]
        body = []
        for k, (at, (_, text, values)) in enumerate(zip(places, notes, strict=True)):
            start = (places[k - 1] + at) / 2 if k else self.x.start
            end = (places[k + 1] + at) / 2 if k + 1 < len(places) else self.x.end
            title = "\n".join(escaped(line) for line in text.split("\n"))
            strip = f'x="{start:.1f}" y="{self.y.end:.1f}" width="{max(end - start, 0.1):.1f}"'
            strip += f' height="{self.y.start - self.y.end:.1f}"'
            dots = "".join(
                f'<circle cx="{at:.1f}" cy="{self.y(v):.1f}" r="3.5"/>'
                for v in values
                if math.isfinite(v)
            )
            hair = f'<path d="M{at:.1f} {self.y.end:.1f}V{self.y.start:.1f}"/>'
            body.append(
                f'<g class="hit"><title>{title}</title><rect {strip} stroke="none"'
                f' fill-opacity="0"/>'
                f'<g class="shown" opacity="0">{hair}{dots}</g></g>'
            )
        return [f"<g {palette.attributes('s0')}>{''.join(body)}</g>"] if body else []
