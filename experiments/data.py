"""The paper's datasets for the experiments, from where a checkout finds them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sapwood import datasets

NAMES = ("electricity", "airlines", "covertype", "codrna", "a9a")


def folder() -> Path | None:
    """Return the folder that SAPWOOD_DATA names, or a `shared/data` beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    found = Path(os.environ["SAPWOOD_DATA"]) if "SAPWOOD_DATA" in os.environ else beside
    return found if found.is_dir() else None


def load(name: str) -> tuple[Any, Any]:
    """Return the attributes as an Arrow table, and the labels."""
    return datasets.load(name, folder=folder())
