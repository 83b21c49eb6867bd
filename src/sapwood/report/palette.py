"""The colours, by the part that they play, for light and for dark pages."""

# Pictures carry the light colours as attributes, so that they also stand alone; a page gives the
# groups of each part their colour by CSS, which goes before attributes, so that they follow it.

from __future__ import annotations

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2933",
    "faint": "#5f6c7b",
    "grid": "#e6e9ee",
    "axis": "#aab4c0",
    "alarm": "#c14600",
}
DARK = {
    "paper": "#14171b",
    "ink": "#e8ebee",
    "faint": "#9aa6b2",
    "grid": "#2a3038",
    "axis": "#55606c",
    "alarm": "#ff9a57",
}

# Okabe and Ito's colours, which stay apart for colour-blind eyes; the first is the accent. Yellow
# and black are left out: each vanishes on one of the two papers.
_SERIES = (
    ("#0072b2", "#5bb4ec"),
    ("#d55e00", "#f58a3c"),
    ("#009e73", "#2cc79b"),
    ("#b8578c", "#e29bc4"),
    ("#e69f00", "#f2bd4a"),
    ("#56b4e9", "#9ad4f5"),
    ("#737b85", "#a4adb7"),
)
N_SERIES = len(_SERIES)
LIGHT |= {f"s{k}": light for k, (light, _) in enumerate(_SERIES)}
DARK |= {f"s{k}": dark for k, (_, dark) in enumerate(_SERIES)}

STROKES = ("grid", "axis")  # parts that are only lines; type and paper are only surfaces


def attributes(part: str) -> str:
    """Return the class and the colours of an SVG group that plays a part."""
    colour = LIGHT[part]
    if part in STROKES:
        return f'class="{part}" stroke="{colour}" fill="none"'
    if part in ("paper", "ink", "faint"):
        return f'class="{part}" fill="{colour}"'
    return f'class="{part}" stroke="{colour}" fill="{colour}"'


def css() -> str:
    """Return the rules that give a page its colours and its pictures the page's."""
    light = "".join(f"--{part}:{colour};" for part, colour in LIGHT.items())
    dark = "".join(f"--{part}:{colour};" for part, colour in DARK.items())
    light += f"--accent-rgb:{_rgb(LIGHT['s0'])};--alarm-rgb:{_rgb(LIGHT['alarm'])};"
    dark += f"--accent-rgb:{_rgb(DARK['s0'])};--alarm-rgb:{_rgb(DARK['alarm'])};"
    rules = [
        f":root{{color-scheme:light dark;{light}}}",
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}",
        f"@media print{{:root{{color-scheme:light;{light}}}}}",
        ".chart .paper{fill:none}",
    ]
    for part in LIGHT:
        if part in STROKES:
            rules.append(f".chart .{part}{{stroke:var(--{part})}}")
        elif part in ("ink", "faint"):
            rules.append(f".chart .{part}{{fill:var(--{part})}}")
        elif part != "paper":
            rules.append(f".chart .{part}{{stroke:var(--{part});fill:var(--{part})}}")
    return "\n".join(rules)


def _rgb(colour: str) -> str:
    return " ".join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))
