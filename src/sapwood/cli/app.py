"""The verbs put together."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from . import compare, data, demo, generate, inspect, predict, reproduce, run
from .exits import EXITS
from .helping import helped

COMMAND = "sapwood.command"


class _Group(TyperGroup):
    """A group that keeps the words of the command line for the settings of a run."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        words = ["sapwood", *args]
        context = super().make_context(info_name, args, *more, **extra)
        context.meta[COMMAND] = words
        return context


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    help=helped(
        "Decision trees for data streams that ask for labels under a budget.",
        "sapwood demo",
        "sapwood run stream.csv --strategy conf-tree --budget 0.1",
        "sapwood inspect sapwood-run/model.sapwood",
        more=EXITS,
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sapwood {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hold the options before the verb."""


run.add_to(app)
compare.add_to(app)
reproduce.add_to(app)
generate.add_to(app)
data.add_to(app)
inspect.add_to(app)
predict.add_to(app)
demo.add_to(app)
