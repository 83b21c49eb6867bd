"""The paper's datasets, read from a folder of Parquet files (SAPWOOD_DATA)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

NAMES = ("electricity", "airlines", "covertype", "codrna", "a9a")


def folder() -> Path | None:
    """Return the folder that SAPWOOD_DATA names, or a `shared/data` beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    found = Path(os.environ["SAPWOOD_DATA"]) if "SAPWOOD_DATA" in os.environ else beside
    return found if found.is_dir() else None


def load(name: str) -> tuple[Any, Any]:
    """Return the attributes as an Arrow table, and the labels."""
    import pyarrow.parquet as parquet

    where = folder()
    if where is None:
        raise FileNotFoundError(
            "Set SAPWOOD_DATA to the folder with the datasets as Parquet files."
        )
    table = parquet.read_table(where / f"{name}.parquet").combine_chunks()
    labels = table.column("class").to_numpy()
    return table.drop_columns(["class"]), labels
