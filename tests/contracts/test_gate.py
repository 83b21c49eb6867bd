"""The gate on instructions lets through what costs no more, and stops what does."""

import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "core" / "gate"
OUTCOME = {"rows": 10, "leaves": 3, "errors": 1}


@pytest.fixture(scope="module")
def gate():
    spec = importlib.util.spec_from_file_location("gate", FOLDER / "gate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("cost", "outcome", "well", "better", "said"),
    [
        (100.0, OUTCOME, True, False, "+0.0%"),
        (102.9, OUTCOME, True, False, "+2.9%"),
        (103.1, OUTCOME, False, False, "DEARER"),
        (97.1, OUTCOME, True, False, "-2.9%"),
        (90.0, OUTCOME, True, True, "cheaper"),
        (90.0, {**OUTCOME, "errors": 2}, False, True, "OTHER RESULT"),
    ],
)
def test_what_passes(gate, capsys, cost, outcome, well, better, said):
    found = {"numbers": (cost, outcome)}
    assert gate.compare(found, {"numbers": 100.0}, {"numbers": OUTCOME}) == (well, better)
    assert said in capsys.readouterr().out


def test_a_stream_without_a_number_does_not_pass(gate, capsys):
    well, _ = gate.compare({"new": (1.0, OUTCOME)}, {"old": 1.0}, {"new": OUTCOME})
    assert not well
    assert "NOT KEPT" in capsys.readouterr().out


def test_without_valgrind_it_is_skipped(gate, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["gate.py"])
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert gate.main() == 0
    assert "skipped, since valgrind is not installed" in capsys.readouterr().out


def test_each_compiler_keeps_every_stream(gate):
    kept = json.loads(gate.KEPT.read_text())
    for numbers in kept["instructions_per_row"].values():
        assert set(numbers) == set(kept["outcomes"])
