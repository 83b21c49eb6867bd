"""The wheel needs NumPy alone, imports nothing else, works there, and declares its extras."""

import json
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WHEELS = sorted((ROOT / "build" / "wheel").glob("sapwood-*.whl"), key=lambda p: p.stat().st_mtime)
EXTRAS = {"sklearn", "river", "arrow", "plot", "cli", "reproduce", "all"}

IMPORTED = """
import json, sys
before = set(sys.modules)
import sapwood
brought = {name.partition(".")[0] for name in set(sys.modules) - before}
files = {name: getattr(sys.modules.get(name), "__file__", None) or "" for name in brought}
print(json.dumps(sorted(name for name, file in files.items() if "site-packages" in file)))
"""

METADATA = """
import importlib.metadata as metadata, json
about = metadata.metadata("sapwood")
print(json.dumps({
    "extras": about.get_all("Provides-Extra"),
    "requires": metadata.requires("sapwood"),
    "version": about["Version"],
    "python": about["Requires-Python"],
}))
"""


def pip(interpreter, *arguments):
    """Let the pip that we run under act on the other environment."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", interpreter]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The interpreter of a new environment that has the wheel and what it asks for."""
    if not WHEELS:
        pytest.skip("there is no wheel in build/wheel; `make wheel` builds one")
    folder = tmp_path_factory.mktemp("isolated") / "venv"
    venv.create(folder)
    interpreter = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    installed = pip(interpreter, "install", WHEELS[-1])
    unreachable = "No matching distribution found for numpy" in installed.stderr
    if unreachable or "Failed to establish a new connection" in installed.stderr:
        pytest.skip("pip can reach no index to take NumPy from")
    assert installed.returncode == 0, installed.stderr
    return interpreter


def run(python, *arguments, cwd):
    command = [python, "-I", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_but_numpy_is_installed(python):
    listed = json.loads(pip(python, "list", "--format", "json").stdout)
    names = {package["name"] for package in listed}
    assert names - {"pip", "setuptools"} == {"numpy", "sapwood"}


def test_nothing_but_numpy_is_imported(python, tmp_path):
    assert json.loads(run(python, "-c", IMPORTED, cwd=tmp_path)) == ["numpy", "sapwood"]


def test_it_works_there(python, tmp_path):
    said = run(python, str(ROOT / "tests" / "smoke.py"), cwd=tmp_path)
    assert re.search(r"sapwood \S+ works: \d+ leaves", said)


def test_the_command_says_which_extra_it_needs(python, tmp_path):
    done = subprocess.run(
        [python, "-m", "sapwood"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'sapwood[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_extras_are_declared(python, tmp_path):
    about = json.loads(run(python, "-c", METADATA, cwd=tmp_path))
    assert set(about["extras"]) == EXTRAS
    always = [r for r in about["requires"] if "extra ==" not in r]
    assert len(always) == 1
    assert always[0].startswith("numpy")
    requires = [r.replace("'", '"') for r in about["requires"]]
    for extra in EXTRAS - {"all"}:
        assert any(f'extra == "{extra}"' in r for r in requires)
    whole = next(r for r in requires if r.startswith("sapwood[") and 'extra == "all"' in r)
    assert set(re.search(r"\[(.*)\]", whole)[1].split(",")) == EXTRAS - {"all"}


def test_what_needs_an_extra_says_so(python, tmp_path):
    code = """
import sapwood
tree = sapwood.ConfidenceTreeClassifier().fit([[0.0], [1.0]], [0, 1])
for attempt in ("import sapwood.river", "tree.to_dataframe()", "tree.plot()"):
    try:
        exec(attempt)
    except ImportError as error:
        print(str(error).replace("\\n", " "))
"""
    said = run(python, "-c", code, cwd=tmp_path).splitlines()
    assert len(said) == 3
    for words, name in zip(said, ["river", "pandas", "matplotlib"], strict=True):
        assert name in words
