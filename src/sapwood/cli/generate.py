"""``sapwood generate``: streams of known truth, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import datasets
from ..report.words import whole
from . import options as o
from .exits import told
from .helping import helped
from .screen import Progress, is_human, print_json
from .writers import WRITERS, write


def rand_cbt(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help=f"File to write: {', '.join(WRITERS)}.")
    ],
    leaves: Annotated[int, typer.Option(min=1, help="Leaves of the tree.")] = 50,
    features: Annotated[int, typer.Option(min=1, help="Features, uniform on [0, 1].")] = 5,
    q: Annotated[
        float, typer.Option("--q", min=0.0, max=1.0, help="P(class 1) in left leaves; else 1 - q.")
    ] = 0.7,
    per_leaf: Annotated[int, typer.Option(min=1, help="Rows drawn from each leaf.")] = 10_000,
    order: Annotated[str, typer.Option(help="shuffled, or by-leaf.")] = "shuffled",
    concepts: Annotated[
        int, typer.Option(min=1, help="Trees one after the other: drift, if more than 1.")
    ] = 1,
    width: Annotated[
        int, typer.Option(min=0, help="Rows over which a drift goes on; 0 is abrupt.")
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0,
    force: o.Force = False,
    as_json: o.Json = False,
) -> None:
    """Draw a stream from a random tree and write it."""
    with told():
        if out.suffix.lower() not in WRITERS:
            raise ValueError(f"{out.name!r} must end with one of {', '.join(WRITERS)}.")
        o.out_file(out, force)
        changes: list[int] = []
        if concepts == 1:
            if width:
                raise ValueError("--width is for a drift: pass --concepts 2 or more, too.")
            X, y = datasets.rand_cbt(leaves, features, q, per_leaf, order, seed)
        else:
            if order != "shuffled":
                raise ValueError("--order is for a single concept; a drifting one is shuffled.")
            X, y, where = datasets.rand_cbt_drift(
                leaves, features, q, per_leaf, concepts, width, seed, return_changes=True
            )
            changes = where.tolist()
        human = is_human(as_json)
        progress = Progress(human, len(y), f"Writing {out.name}")
        with progress.running():
            write(out, X, y, lambda done: progress.update(done, f"{whole(done)} rows"))
        if human:
            drifts = f"; the concept changes at row {', '.join(map(whole, changes))}"
            typer.echo(f"{out}: {whole(len(y))} rows{drifts if changes else ''} (seed {seed}).")
        else:
            told_of = {"file": str(out), "rows": len(y), "label": "class", "seed": seed}
            print_json(told_of | {"changes": changes})


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    group = typer.Typer(no_args_is_help=True, help="Write a synthetic stream to a file.")
    text = helped(
        "Draw a stream from a random complete binary tree (RandCBT of De Rosa, 2016).",
        "sapwood generate rand-cbt stream.csv --leaves 8 --per-leaf 5000 --seed 1",
        "sapwood generate rand-cbt drifting.parquet --concepts 3 --width 1000",
        more="The label column is 'class'. With several concepts, each is a tree of its own.",
    )
    group.command("rand-cbt", help=text)(rand_cbt)
    app.add_typer(group, name="generate")
