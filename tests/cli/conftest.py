"""Streams for the command line."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")
sys.path.insert(0, str(Path(__file__).resolve().parent))

from sapwood.cli.writers import write
from sapwood.datasets import rand_cbt, rand_cbt_drift


@pytest.fixture(scope="session")
def stream(tmp_path_factory):
    """A small CSV file."""
    path = tmp_path_factory.mktemp("streams") / "small.csv"
    write(path, *rand_cbt(n_leaves=4, per_leaf=1000, q=0.9, seed=2), lambda done: None)
    return path


@pytest.fixture(scope="session")
def drifting(tmp_path_factory):
    """A CSV file whose concept changes."""
    path = tmp_path_factory.mktemp("streams") / "drifting.csv"
    X, y = rand_cbt_drift(n_leaves=4, per_leaf=1000, q=0.9, concepts=2, seed=2)
    write(path, X, y, lambda done: None)
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
