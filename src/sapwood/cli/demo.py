"""``sapwood demo``: the whole of it in half a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import datasets
from .._sources import open_named
from ..compare import LEARNERS
from ..report.words import duration, percent, whole
from ..results import Result
from . import options as o
from .exits import told
from .folder import RunFolder
from .helping import helped
from .running import go
from .screen import is_human, print_table
from .writers import write

_RUNS = (("full", None), ("conf-tree", 0.1), ("random", 0.1))
_LEAVES, _CONCEPTS, _Q = 8, 3, 0.9


def demo(
    out: Annotated[Path, typer.Option(help="Folder for all that it writes.")] = Path(
        "sapwood-demo"
    ),
    per_leaf: Annotated[int, typer.Option(min=10, help="Rows for each leaf of a concept.")] = 5000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the stream and of the draws.")] = 5,
) -> None:
    """Show what the package does, on a stream that it generates."""
    with told():
        out.mkdir(parents=True, exist_ok=True)
        path = out / "stream.csv"
        X, y, changes = datasets.rand_cbt_drift(
            _LEAVES, q=_Q, per_leaf=per_leaf, concepts=_CONCEPTS, seed=seed, return_changes=True
        )
        write(path, X, y, lambda done: None)
        typer.echo(
            f"{path}: {whole(len(y))} rows from {_CONCEPTS} random trees of {_LEAVES} leaves, one "
            f"after the other (seed {seed});\nthe concept changes at rows "
            f"{' and '.join(map(whole, changes))}. Labels are noise for {percent(1 - _Q, 0)} of "
            f"the rows, so {percent(_Q, 0)}\nis the "
            "most that any learner can reach. Each row is predicted first and learned after,\n"
            "if its label is asked for.\n"
        )
        results = {}
        for strategy, budget in _RUNS:
            results[strategy] = _run(path, strategy, budget, seed, out / strategy)
        print_table(*_table(results))
        tree = results["conf-tree"].model
        typer.echo("The tree of conf-tree since the last drift; each split with its evidence, the")
        typer.echo("gap to the runner-up against what the bound asks for:\n")
        typer.echo(tree.export_text())
        typer.echo("")
        for strategy in results:
            typer.echo(f"Report of {strategy + ':':11}{out / strategy / 'report.html'}")
        typer.echo(f"\nGo on: sapwood inspect {out / 'conf-tree' / 'model.sapwood'} --splits")
        typer.echo(f"       sapwood compare {path} --drift ddm --out {out / 'compare'}")


def _run(path: Path, strategy: str, budget: float | None, seed: int, out: Path) -> Result:
    settings: dict[str, Any] = {
        "strategy": None if strategy == "full" else strategy,
        "budget": budget,
        "drift": "ddm",
        "random_state": seed,
        "positive": None,
    }
    folder = RunFolder(out)
    words = ["sapwood", "run", str(path), "--strategy", strategy, "--drift", "ddm"]
    words += [] if budget is None else ["--budget", str(budget), "--seed", str(seed)]
    about = {"source": str(path), **o.reading(None, None, None, "stop"), "limit": None}
    with folder.taken(about, words, force=True):
        source, shown = open_named(str(path)), is_human(False)
        outcome = go(
            source, LEARNERS["c-tree"](), settings, folder, limit=None, resume=False, shown=shown
        )
        if outcome.evaluation is None or not outcome.complete:
            raise KeyboardInterrupt
        result = outcome.evaluation.result()
        folder.write(result, about, words, complete=True)
    return result


def _table(results: dict[str, Result]) -> tuple[list[str], list[list[str]]]:
    columns = ["strategy", ">budget", ">accuracy", ">labels", ">drifts found", ">leaves", ">time"]
    rows = [
        [
            strategy,
            "" if strategy == "full" else percent(dict(_RUNS)[strategy] or 0, 0),
            percent(result.accuracy, 2),
            whole(result.labels),
            whole(result.drifts),
            whole(result.n_leaves),
            duration(result.seconds),
        ]
        for strategy, result in results.items()
    ]
    return columns, rows


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    text = helped(
        "Generate a drifting stream, run it with all labels and with a tenth of them, and show "
        "what came of it.",
        "sapwood demo",
        "sapwood demo --per-leaf 20000 --out somewhere",
    )
    app.command("demo", help=text)(demo)
