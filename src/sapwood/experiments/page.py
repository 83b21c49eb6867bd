"""The page: what the paper claims, what we found, and the figures side by side."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from ..report.words import duration, percent
from .claims import ENOUGH, Claim
from .drawing import save, style
from .paper import source
from .settings import DATASETS
from .tasks import Found, Part

_HEAD = """# The paper, reproduced

Every figure and theorem of the paper beside ours, and a verdict on every claim. The paper's numbers
are those that its figures plot ({source}).
All of this is made by one command, which can be interrupted and goes on where it was:

```
sapwood reproduce all --scale paper
```

`--scale quick` takes minutes, `--scale smoke` less than one; `--minutes` stops a part after a
while, and each part begins with what of it was run. Intervals are of 95 %, over independent
streams, orders or seeds. A verdict is computed from the results, by a rule that stands at the end
of the part: a claim is *reproduced*, *partly* so, or *not*; *open* means that the runs are too few
to tell.
{enough}
"""


def write(folder: Path, parts: dict[str, Found | None]) -> Path:
    """Draw and tell the parts that were done; returns the page's path."""
    drawn: set[str] = set()
    for name, found in parts.items():
        if found is None:
            continue
        with style():
            figures = _part(name).draw(found)
        for file, figure in figures.items():
            save(figure, folder / "reproduction", file)
        drawn |= figures.keys()
    page = folder / "reproduction.md"
    page.write_text(text(parts, drawn), encoding="utf-8")
    return page


def text(parts: dict[str, Found | None], drawn: Collection[str]) -> str:
    """Return the page that tells the parts that were done, with the figures that were drawn."""
    claims: list[Claim] = []
    sections: list[str] = []
    for name, found in parts.items():
        if found is None:
            continue
        part = _part(name)
        pictures = [
            f"![{words}](reproduction/{file}.svg)\n\n*{words}*\n"
            for file, words in part.FIGURES.items()
            if file in drawn
        ]
        words = [f"## {part.TITLE}\n", _size(name, found), *pictures, part.tell(found)]
        sections.append("\n".join(words).rstrip() + "\n")
        claims += [claim.settled() for claim in part.judge(found)]
    head = _HEAD.format(source=source(), enough=ENOUGH)
    return "\n".join([head, _table(claims), *sections])


def _part(name: str) -> Part:
    part: Part = import_module(f"{__package__}.{name}")
    return part


def _table(claims: list[Claim]) -> str:
    lines = ["## The claims\n", "| where | the paper says | verdict | we measured | why |"]
    lines.append("|---|---|---|---|---|")
    for claim in claims:
        cells = (claim.where, claim.says, f"**{claim.verdict}**", claim.measured, claim.why)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _size(name: str, found: Found) -> str:
    about = found.about
    chosen = about["settings"].get("datasets", DATASETS)
    data = "".join(f" --data {dataset}" for dataset in chosen if len(chosen) < len(DATASETS))
    part = f"`sapwood reproduce {name} --scale {about['scale']}{data}`"
    if about["done"] == about["planned"]:
        much = f"All {about['planned']} runs of {part}"
    else:
        whole = duration(about["seconds"] / about["share"])
        much = (
            f"{about['done']} of the {about['planned']} runs of {part} ({percent(about['share'])} "
            f"of the work; at this speed the whole would take {whole} on one core)"
        )
    spent = f"{duration(about['seconds'])} of CPU time"
    return f"*{much}; {spent} ({about['machine']}, sapwood {about['sapwood']}).*\n"
