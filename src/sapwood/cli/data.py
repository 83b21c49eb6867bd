"""``sapwood data``: the real datasets of the paper."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from .. import datasets
from ..report.words import size, whole
from . import options as o
from .exits import DATA, DONE, USAGE, exit_codes, note, told
from .helping import helped
from .screen import Progress, is_human, print_json, print_table


def list_(as_json: o.Json = False) -> None:
    """List the datasets, and where each is now."""
    with told():
        entries = datasets.available()
        if not is_human(as_json):
            print_json([dataclasses.asdict(entry) for entry in entries])
            return
        rows = [
            (e.name, whole(e.rows), e.features, len(e.classes), e.where, e.source) for e in entries
        ]
        columns = ["name", ">rows", ">features", ">classes", "where", "source"]
        print_table(columns, rows)
        for entry in entries:
            if entry.note:
                typer.echo(f"{entry.name}: {entry.note}")


def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Datasets to download.")],
    force: Annotated[bool, typer.Option("--force", help="Download again what is here.")] = False,
    as_json: o.Json = False,
) -> None:
    """Download datasets, check them, and keep them in the cache."""
    with told():
        paths = {}
        for name in names:
            progress = Progress(is_human(as_json), None, f"Fetching {name}")
            with progress.running():

                def update(done: int, total: int | None, bar: Progress = progress) -> None:
                    bar.aim_at(total)
                    bar.update(
                        done, size(done) if total is None else f"{size(done)} of {size(total)}"
                    )

                paths[name] = str(datasets.fetch(name, force=force, progress=update))
            note(f"{name}: {paths[name]}")
        if not is_human(as_json):
            print_json(paths)


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    group = typer.Typer(no_args_is_help=True, help="List and download the paper's datasets.")
    listing = helped(
        "List the datasets of the paper, and where each is now.",
        "sapwood data list",
        "sapwood data list --json",
        more="A folder of your own is looked into if SAPWOOD_DATA names it; the cache is at "
        "SAPWOOD_CACHE, or where your system keeps caches.",
    )
    fetching = helped(
        "Download datasets, check their content, and keep them in the cache.",
        "sapwood data fetch electricity",
        "sapwood data fetch airlines covertype --force",
        more=exit_codes(DONE, DATA, USAGE),
    )
    group.command("list", help=listing)(list_)
    group.command("fetch", help=fetching)(fetch)
    app.add_typer(group, name="data")
