"""The datasets of the paper, if they are here."""

import pytest
import real_data


@pytest.fixture
def data(monkeypatch):
    """Let SAPWOOD_DATA name the folder with the datasets, or skip."""
    monkeypatch.setenv("SAPWOOD_DATA", str(real_data.need()))
