"""Saved models and learners, told from streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import load
from ..persist import is_saved
from ..streams.opening import FORMATS
from .folder import FILES

_SUFFIXES = {suffix for suffixes in FORMATS.values() for suffix in suffixes}


def is_stream(name: str, format: str | None = None) -> bool:
    """Whether a name stands for rows, not for a saved model or the folder of a run."""
    path = Path(name)
    if path.is_dir():
        return False
    if not path.is_file():
        return name == "-" or not path.suffix or ":" in name
    known = format is not None or any(suffix.lower() in _SUFFIXES for suffix in path.suffixes)
    return known and not is_saved(path)


def loaded(name: str) -> Any:
    """Load a model or learner; the folder of a run stands for its model."""
    path = Path(name)
    if path.is_dir():
        path /= FILES["model"]
        if not path.exists():
            raise FileNotFoundError(f"The folder {name} holds no {path.name}.")
    elif path.is_file() and is_stream(name):
        raise ValueError(
            f"{name} is a stream, not a model: `sapwood inspect` shows its columns, and `sapwood "
            "run` learns a model from it."
        )
    return load(path)
