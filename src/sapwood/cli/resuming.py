"""``sapwood run FOLDER --resume``: the run that a folder keeps, by the command that began it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from .._sources import is_dataset
from .folder import FILES, RunFolder

# What may be another from here on, as where the command itself is repeated.
_FREE = ("on_error", "limit")
# What does not change the run.
_SHOWING = ("as_json", "quiet")


def is_folder(stream: str) -> bool:
    """Whether what stands in a stream's place is a folder, of a run or of something else."""
    path = Path(stream)
    return (
        stream != ""
        and path.is_dir()
        and ((path / FILES["settings"]).exists() or not is_dataset(stream))
    )


def go_on(context: typer.Context, path: Path) -> None:
    """Invoke the command that began the run in a folder, with the options given besides."""
    if not context.params["resume"]:
        raise ValueError(
            f"{path} is a folder, not a stream. To go on with a run that it holds: sapwood run "
            f"{path} --resume."
        )
    began = RunFolder(path).noted["command"]
    with context.command.make_context("run", began[2:], parent=context.parent) as kept:
        given = {
            name: value
            for name, value in context.params.items()
            if name != "stream" and _is_given(context, name)
        }
        changed = [
            name
            for name, value in given.items()
            if name not in (*_FREE, *_SHOWING, "resume") and value != kept.params[name]
        ]
        if changed:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in changed)
            raise ValueError(
                f"{path} says how its run goes on; {options} cannot be another. Leave it out, or "
                "begin anew in another folder."
            )
        kept.params |= given | {name: context.params[name] for name in _SHOWING}
        kept.params |= {"out": path, "resume": True, "force": False}
        context.meta["sapwood.command"] = began
        context.command.invoke(kept)


def _is_given(context: Any, name: str) -> bool:
    return bool(context.get_parameter_source(name).name == "COMMANDLINE")
