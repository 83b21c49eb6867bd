"""Where the datasets of the paper are, for the tests that need them."""

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
FOLDER = Path(os.environ.get("SAPWOOD_DATA") or _BESIDE)


def need():
    """Return the folder, or skip the test."""
    if not (FOLDER / "electricity.parquet").is_file():
        pytest.skip("the paper's datasets are not here: set SAPWOOD_DATA to their folder")
    return FOLDER
