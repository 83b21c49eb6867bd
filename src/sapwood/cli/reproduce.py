"""``sapwood reproduce``: the paper's experiments, repeated and judged."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from ..experiments import PARTS, SCALES
from ..experiments import reproduce as reproduce_parts
from . import options as o
from .exits import EXITS, INTERRUPTED, note, told
from .helping import helped
from .screen import Progress, is_human, print_json


def reproduce(
    part: Annotated[str, typer.Argument(metavar="PART", help=f"{', '.join(PARTS)}, or all.")],
    scale: Annotated[str, typer.Option(help=f"How much of it: {', '.join(SCALES)}.")] = "quick",
    out: Annotated[Path, typer.Option(help="Folder for page, figures and results.")] = Path(
        "sapwood-reproduction"
    ),
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Begin no run of a part after so many minutes; the page says what was done.",
        ),
    ] = None,
    data: Annotated[
        list[str] | None, typer.Option(help="Only these of the five datasets. Repeatable.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at a time (default: one per core).")
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Repeat the paper's experiments."""
    with told():
        _check_extras()
        chosen = list(PARTS) if part == "all" else [part]
        shown = is_human(as_json, quiet)
        bar = Progress(False, None, "")
        of = ""
        with ExitStack() as bars:

            def update(name: str, share: float, words: str) -> None:
                nonlocal bar, of
                if name != of:  # the next part begins, with a bar of its own
                    bars.close()
                    bar, of = Progress(shown, 1.0, f"{name} ({scale})"), name
                    bar.begin_at(share)
                    bars.enter_context(bar.running())
                bar.update(share, words)

            try:
                page = reproduce_parts(
                    chosen,
                    scale,
                    out,
                    jobs=jobs,
                    minutes=minutes,
                    data=o.split_lists(data) if data else None,
                    progress=update,
                )
            except KeyboardInterrupt:
                bars.close()
                note(
                    f"Interrupted. What was done is kept in {out}; the same command does the rest, "
                    "and with --minutes 0 it writes the page of what is done."
                )
                raise typer.Exit(INTERRUPTED) from None
        if shown:
            typer.echo(f"Page: {page}")
        elif as_json or not quiet:
            print_json({"page": str(page), "parts": chosen, "scale": scale})


def _check_extras() -> None:
    try:
        import matplotlib  # noqa: F401
        import scipy  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"Reproducing needs {error.name}: pip install 'sapwood[reproduce]'"
        ) from None


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    text = helped(
        "Repeat the paper's experiments and set every figure, theorem and claim beside ours.",
        "sapwood reproduce all --scale smoke",
        "sapwood reproduce synthetic --scale paper --minutes 30",
        "sapwood reproduce active --data electricity --out elec",
        more="Every finished run is kept in the folder: after Ctrl-C, or with more minutes, the "
        "same command does only what is missing. The parts full and active need the paper's "
        f"datasets: see sapwood data.\n\n{EXITS}",
    )
    app.command("reproduce", help=text)(reproduce)
