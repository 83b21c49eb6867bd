"""``sapwood inspect``: look into a saved model, or at a stream's columns."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import ActiveLearner
from .._container import write_whole
from .._params import of_model
from ..report.words import size, whole
from ..results import plain
from . import options as o
from .columns import look_at, print_look
from .exits import told
from .helping import helped
from .saved import is_stream, loaded
from .screen import print_json, print_table

_LEDGER = ("seen", "asked", "open", "answered", "expired", "refunded", "spent")


def inspect(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A saved model or learner, or the folder of a run. Of a stream it shows the "
            "columns.",
        ),
    ],
    splits: Annotated[
        bool, typer.Option("--splits", help="A table of the splits and their certificates.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Also write the tree as a picture to this file.")
    ] = None,
    label: o.Label = None,
    format: o.Format = None,
    types: o.Types = None,
    header: o.Header = None,
    force: o.Force = False,
    as_json: o.Json = False,
) -> None:
    """Show a saved model, or the columns of a stream."""
    with told():
        if is_stream(model, format):
            if splits or svg is not None:
                raise ValueError(f"{model} is a stream, not a model: it has no tree to show.")
            look = look_at(model, o.reading(label, format, types, "skip", header))
            if as_json:
                print_json(look)
            else:
                print_look(look)
            return
        found = loaded(model)
        tree = found.model if isinstance(found, ActiveLearner) else found
        if svg is not None:
            write_whole(o.out_file(svg, force), tree.to_svg().encode())
        if as_json:
            print_json(about(found, tree) | ({} if svg is None else {"svg": str(svg)}))
            return
        for line in head(found, tree):
            typer.echo(line)
        if splits:
            print_splits(tree)
        else:
            typer.echo(f"\n{tree.export_text()}")
        if svg is not None:
            typer.echo(f"Picture: {svg}")


def about(found: Any, tree: Any) -> dict[str, Any]:
    """Return what there is to know, for JSON."""
    core = tree._model
    told_of = {
        "model": type(tree).__name__,
        "params": plain(of_model(tree.get_params())),
        "leaves": tree.n_leaves_,
        "depth": tree.depth_,
        "bytes": tree.nbytes_,
        "t": tree.t_,
        "columns": [] if core is None else list(core.columns),
        "classes": [] if core is None else plain(core.sorted_classes),
        "splits": [plain(dataclasses.asdict(split)) for split in tree.splits()],
    }
    if isinstance(found, ActiveLearner):
        told_of["learner"] = {
            "strategy": getattr(found.strategy, "name", repr(found.strategy)),
            "budget": str(found.budget),
            "drift": None if found.drift is None else plain(found.drift.settings),
            "drifts": found.drifts,
            **{name: getattr(found.budget, name) for name in _LEDGER},
            "questions": list(found.questions),
        }
    return told_of


def head(found: Any, tree: Any) -> list[str]:
    """Return the lines before the tree."""
    lines = [repr(tree)]
    lines.append(
        f"{whole(tree.n_leaves_)} leaves, depth {tree.depth_}, {size(tree.nbytes_)}, "
        f"{whole(tree.t_)} rows seen"
    )
    if isinstance(found, ActiveLearner):
        ledger = ", ".join(f"{whole(getattr(found.budget, name))} {name}" for name in _LEDGER)
        strategy = getattr(found.strategy, "name", repr(found.strategy))
        lines.append(f"strategy {strategy}, budget {found.budget}: {ledger}")
        if found.drift is not None:
            lines.append(f"{whole(found.drifts)} drifts found by {found.drift!r}")
    return lines


def print_splits(tree: Any) -> None:
    """Print the certificates as a table."""
    rows = [
        (k, s.test, f"{s.m:.10g}", f"{s.gap:.4g}", f"{s.epsilon:.4g}", s.bound, s.reason)
        for k, s in enumerate(tree.splits(), 1)
    ]
    print_table([">#", "split", ">m", ">gap", ">epsilon", "bound", "reason"], rows)


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    text = helped(
        "Show a saved model: the tree, each split with its evidence, and what a learner has spent.",
        "sapwood inspect sapwood-run/model.sapwood",
        "sapwood inspect sapwood-run/model.sapwood --splits",
        "sapwood inspect sapwood-run --svg tree.svg --json",
        "sapwood inspect stream.csv",
        more="Of a stream it shows the columns as a model would take them, and the classes, in "
        "its first rows.",
    )
    app.command("inspect", help=text)(inspect)
