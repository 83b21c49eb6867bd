"""Which c should be the default? Accuracy against leaves on the five datasets of the paper.

Run ``python -m sapwood.experiments.default_c docs/default_c.md`` (about five minutes on one core).
Every dataset is run by test-then-train in its own order and in three random orders; tables go to
the end of the page that is named.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sapwood

from .real import stream

GRID = (0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)
SEEDS = (1, 2, 3)
NAMES = ("electricity", "airlines", "covertype", "codrna", "a9a")


def run(name: str, seed: int | None) -> list[tuple[float, int]]:
    """Return (accuracy, leaves) for every c; seed None keeps the order of the file."""
    pair = stream(name, seed)
    out = []
    for c in GRID:
        result = sapwood.evaluate(pair, sapwood.ConfidenceTreeClassifier(c=c), every=len(pair[1]))
        out.append((result.accuracy, result.n_leaves))
    return out


def table(title: str, cells: dict[str, list[list[tuple[float, int]]]]) -> str:
    """Format mean accuracy and leaves per dataset and c, and the mean loss against the best."""
    lines = [f"## {title}", "", "| c | " + " | ".join(cells) + " | mean loss |"]
    lines.append("|---" * (len(cells) + 2) + "|")
    accuracy = np.array([np.mean([[a for a, _ in r] for r in runs], 0) for runs in cells.values()])
    leaves = np.array([np.mean([[n for _, n in r] for r in runs], 0) for runs in cells.values()])
    loss = 100 * (accuracy.max(1, keepdims=True) - accuracy).mean(0)
    for i, c in enumerate(GRID):
        shown = [f"{100 * accuracy[k, i]:.2f} ({leaves[k, i]:.0f})" for k in range(len(cells))]
        lines.append(f"| {c:g} | " + " | ".join(shown) + f" | {loss[i]:.2f} |")
    return "\n".join(lines) + "\n"


def noise_table() -> str:
    """Count the streams of pure noise, 100,000 rows each, on which a tree splits at all."""
    n, streams = 100_000, 20
    shapes = [(d, p) for d in (2, 5, 20) for p in (0.5, 0.2)]
    title = f"## Pure noise: streams with a split, of {streams} (mean leaves)"
    lines = [title, "", "| c | " + " | ".join(f"d={d}, P(Y=1)={p}" for d, p in shapes) + " |"]
    lines.append("|---" * (len(shapes) + 1) + "|")
    for c in GRID:
        cells = []
        for d, p in shapes:
            leaves = []
            for seed in range(streams):
                rng = np.random.default_rng(seed)
                stream = rng.random((n, d)), (rng.random(n) < p).astype(int)
                tree = sapwood.ConfidenceTreeClassifier(c=c)
                leaves.append(sapwood.evaluate(stream, tree, every=n).n_leaves)
            cells.append(f"{np.count_nonzero(np.array(leaves) > 1)} ({np.mean(leaves):.1f})")
        lines.append(f"| {c:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(page: Path) -> None:
    """Run all, and write the tables below the text of a page."""
    in_order: dict[str, list[list[tuple[float, int]]]] = {}
    shuffled: dict[str, list[list[tuple[float, int]]]] = {}
    for name in NAMES:
        sys.stderr.write(f"{name}\n")
        in_order[name] = [run(name, None)]
        shuffled[name] = [run(name, seed) for seed in SEEDS]
    tables = noise_table() + "\n" + table("In the order of the file", in_order)
    tables += "\n" + table(f"Shuffled, mean of {len(SEEDS)} orders (seeds {SEEDS})", shuffled)
    marker = "<!-- tables: written by sapwood/experiments/default_c.py -->\n"
    text = page.read_text(encoding="utf-8") if page.exists() else marker
    page.write_text(text.split(marker)[0] + marker + "\n" + tables, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
