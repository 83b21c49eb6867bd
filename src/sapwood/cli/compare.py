"""``sapwood compare``: learners, strategies, budgets and seeds side by side."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from ..compare import LEARNERS, summary
from ..compare import compare as compare_runs
from ..report.words import counted, percent
from . import options as o
from .aside import Aside
from .compared import made_in, table_of, write_files
from .exits import EXITS, INTERRUPTED, SKIPPED, note, told
from .helping import helped
from .opening import opened
from .screen import Progress, is_human, print_json, print_table


def compare(
    streams: Annotated[
        list[str],
        typer.Argument(metavar="STREAM...", help="Files, datasets, or random trees, as for run."),
    ],
    learner: Annotated[
        list[str],
        typer.Option(help=f"{', '.join(LEARNERS)}. Repeatable.", rich_help_panel="Compared"),
    ] = ["c-tree"],  # noqa: B006 - typer copies it
    strategy: Annotated[
        list[str], typer.Option(help=f"{o.STRATEGIES}. Repeatable.", rich_help_panel="Compared")
    ] = ["full", "random", "conf-tree"],  # noqa: B006
    budget: Annotated[
        list[str],
        typer.Option(help="As for run. Repeatable.", rich_help_panel="Compared"),
    ] = ["0.05", "0.1", "0.2"],  # noqa: B006
    seeds: Annotated[
        str,
        typer.Option(help="How many seeds, or a list such as 3,5,8.", rich_help_panel="Compared"),
    ] = "5",
    label: o.Label = None,
    format: o.Format = None,
    types: o.Types = None,
    header: o.Header = None,
    on_error: o.OnError = "stop",
    limit: o.Limit = None,
    criterion: o.Criterion = None,
    bound: o.Bound = None,
    c: o.Factor = None,
    delta: o.Delta = None,
    leaf_prediction: o.LeafPrediction = None,
    grace_period: o.GracePeriod = None,
    param: o.Param = None,
    drift: o.Drift = None,
    delay: o.Delay = 0,
    times: o.Times = None,
    positive: o.Positive = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at a time (default: one per core).")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("sapwood-compare"),
    force: Annotated[
        bool, typer.Option("--force", help="Do all runs anew, also those in the folder.")
    ] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Compare learners, strategies and budgets."""
    with told():
        given = {"criterion": criterion, "bound": bound, "c": c, "delta": delta}
        given |= {"leaf_prediction": leaf_prediction, "grace_period": grace_period}
        params = o.model_params(given, param)
        if out.exists() and not out.is_dir():
            raise ValueError(f"{out} is a file; --out takes a folder.")
        lines = out / "cells.jsonl"
        aside = Aside(out, [lines, *made_in(out)])
        how = o.reading(label, format, types, on_error, header)
        for path in filter(os.path.isfile, streams):
            opened(path, how, quiet=quiet)
        human = is_human(as_json, quiet)
        progress = Progress(human, None, "Comparing")
        begun = False

        def update(done: int, total: int, row: dict[str, Any]) -> None:
            nonlocal begun
            if not begun:  # what the folder held already took no time
                progress.begin_at(done - 1)
                progress.aim_at(total)
                begun = True
            who = " ".join(str(row[name]) for name in ("strategy", "budget") if row[name])
            last = f"{row['stream']} {row['learner']} {who}: {percent(row['accuracy'])}"
            progress.update(done, f"{done} of {total} runs · {last}")

        rows: list[dict[str, Any]] = []
        with aside.taken() if force else nullcontext():
            try:
                with progress.running():
                    rows = compare_runs(
                        streams,
                        o.split_lists(learner),
                        o.split_lists(strategy),
                        [*o.split_lists(budget)],
                        _seeds(seeds),
                        jobs,
                        lines,
                        update,
                        params=params,
                        reading=how,
                        limit=limit,
                        drift=drift,
                        delay=delay,
                        times=times,
                        positive=positive,
                    )
            except KeyboardInterrupt:
                if not lines.exists():
                    raise  # and what --force put aside comes back
            found = summary(rows)
            files = {"cells": str(lines), **(write_files(rows, found, out) if rows else {})}
        if not rows:
            n = lines.read_bytes().count(b"\n")
            again = "the same command" + (" without --force" if force else "")
            note(f"Interrupted. {counted(n, 'run')} kept in {lines}; {again} does the rest.")
            if aside.path is not None:
                note(f"What was there before lies in {aside.path}.")
            raise typer.Exit(INTERRUPTED)
        aside.drop()
        used = [*dict.fromkeys(row["seed"] for row in rows if row["seed"] is not None)]
        if human:
            print_table(*table_of(found))
            which = f" {', '.join(map(str, used))}" if used else ""
            typer.echo(f"Means over the seeds{which} ± half of their 95 % intervals.")
            typer.echo(f"Page: {files['page']}")
        elif as_json or not quiet:
            print_json({"runs": len(rows), "seeds": used, "summary": found, "files": files})
        skipped = max(row["skipped"] for row in rows)
        mended = max(row.get("mended", 0) for row in rows)
        if skipped or mended:
            lost = f"{counted(skipped, 'row')} of a stream skipped"
            lost += f" and {counted(mended, 'value')} taken as missing" if mended else ""
            note(f"Up to {lost}; `sapwood run` names them.")
            raise typer.Exit(SKIPPED)


def _seeds(text: str) -> int | list[int]:
    try:
        numbers = [int(part) for part in o.split_lists([text])]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 0 or text.strip() == "0":
        raise ValueError(f"--seeds is a number of at least 1, or a list like 3,5,8; got {text!r}.")
    return numbers[0] if len(numbers) == 1 and "," not in text else numbers


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    text = helped(
        "Run learners with strategies, budgets and seeds on streams, on all cores, and compare.",
        "sapwood compare stream.csv --strategy random,conf-tree --budget 0.05,0.1 --seeds 10",
        "sapwood compare electricity airlines --learner c-tree --learner moa --drift ddm",
        "sapwood compare rand-cbt:leaves=8,per_leaf=2000 --jobs 2 --json",
        more="Every finished run is a line of cells.jsonl in the folder: after Ctrl-C, or with "
        "more seeds, the same command does only what is missing. The strategy full learns every "
        f"label and is run once.\n\n{EXITS}",
    )
    app.command("compare", help=text)(compare)
