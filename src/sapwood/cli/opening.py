"""Streams opened for a verb: a guessed label is said, one that cannot be guessed is asked for."""

from __future__ import annotations

import sys
from typing import Any

import typer

from .._sources import open_named
from ..streams import LabelError, Stream
from ..streams.labels import listed
from .exits import note


def opened(stream: str, how: dict[str, Any], *, quiet: bool = False) -> Stream:
    """Open a stream as :func:`options.reading` says, which gets the label that a person chose."""
    try:
        source = open_named(stream, **how)
    except LabelError as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        question = f"Which column of {stream} is the label: {listed(error.candidates)}?"
        while how["label"] not in error.candidates:
            how["label"] = typer.prompt(question, err=True)
        source = open_named(stream, **how)
    if source.label_guess == "name" and not quiet:
        note(f"{source.name}: the label is the column {source.label!r}, by its name.")
    return source
