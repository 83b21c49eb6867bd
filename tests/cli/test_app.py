"""The command line as a whole: help, version, the demo, and what is said without the extra."""

import json
import os
import subprocess
import sys

import pytest
from cli_tools import SOURCE, call, process

import sapwood

MODEL = "--criterion --bound --c --delta --leaf-prediction --grace-period --param"
READING = "--label --format --types --no-header --on-error"
ASKING = "--strategy --budget --drift --delay --limit --positive --out --force --json --quiet"
OPTIONS = {
    "run": f"{READING} {MODEL} {ASKING} --learner --model --every --seed --resume",
    "compare": f"{READING} {MODEL} {ASKING} --learner --seeds --jobs",
    "generate rand-cbt": "--leaves --features --q --per-leaf --order --seed --concepts --width",
    "data list": "--json",
    "data fetch": "--force --json",
    "inspect": "--splits --svg --json",
    "predict": f"{READING} --out --proba",
    "demo": "--out --seed",
}


@pytest.mark.parametrize("verb", OPTIONS)
def test_help_has_every_option_and_examples(verb):
    text = call(*verb.split(), "--help").stdout
    words = text.replace(",", " ").split()
    assert [option for option in OPTIONS[verb].split() if option not in words] == []
    assert "Examples:" in text
    assert f"sapwood {verb}" in text.split("Examples:")[1]


def test_help_lists_the_verbs_and_exit_codes():
    text = call("--help").stdout
    for verb in ("run", "compare", "generate", "data", "inspect", "predict", "demo"):
        assert verb in text.split("Commands")[1]
    for code in ("0 ", "1 ", "2 ", "3 ", "130 ", "143 "):
        assert f"\n   {code}" in text


def test_the_version_and_unknown_verbs():
    with process("--version") as started:
        out, _ = started.communicate(timeout=60)
    assert out.decode().split() == ["sapwood", sapwood.__version__]
    assert started.returncode == 0
    assert "grow" in call("grow", code=2).stderr
    assert "--depth" in call("run", "x.csv", "--depth", "3", code=2).stderr


BLOCKED = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
sys.argv = ["sapwood", {verb!r}]
import runpy
runpy.run_module("sapwood", run_name="__main__", alter_sys=False)
"""


@pytest.mark.parametrize("name", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(name, tmp_path):
    code = BLOCKED.format(name=name, verb="--help")
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr.strip().endswith("pip install 'sapwood[cli]'")
    assert done.stderr.count("\n") == 1


def test_help_does_not_wait_for_arrow():
    code = "import sys; from sapwood.cli.app import app; print('pyarrow' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}
    )
    assert done.stdout.strip() == "False", done.stderr


def test_the_demo_prints_what_it_measured(here):
    text = call("demo", "--per-leaf", "300", "--out", "seen").stdout
    assert "7,200 rows" in text
    for strategy in ("full", "conf-tree", "random"):
        kept = json.loads((here / "seen" / strategy / "metrics.json").read_text())
        line = next(row for row in text.splitlines() if row.strip().startswith(strategy))
        assert f"{100 * kept['accuracy']:.2f}" in line
        assert f"{kept['labels']:,}" in line.split()
        assert (here / "seen" / strategy / "report.html").exists()
    assert sapwood.load(here / "seen/conf-tree/model.sapwood").export_text() in text
    call("demo", "--per-leaf", "300", "--out", "seen")  # a second look is fine


@pytest.mark.parametrize("width", ["1", "20", "80", "300"])
def test_a_table_loses_nothing_on_a_narrow_screen(width):
    code = "from sapwood.cli.screen import print_table as t; "
    code += "t(['stream', 'kind', '>mean ± half', '>labels %'], "
    code += (
        "[['rand-cbt:leaves=3,per_leaf=1000', 'conf-tree', '57.53 ± 1.63', '10.00 ± 0.00']] * 2)"
    )
    env = {"PYTHONPATH": SOURCE, "COLUMNS": width, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
    lines = done.stdout.decode().splitlines()
    for whole in ("57.53 ± 1.63", "10.00 ± 0.00", "conf-tree"):
        assert sum(whole in line for line in lines) == 2
    assert "".join(line[:31].strip() for line in lines).count("rand-cbt") == 2
    if width == "80":
        assert max(map(len, lines)) <= 80


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be started so there")
def test_a_closed_output_is_no_crash(tmp_path):
    with process("data", "list", "--json", preexec_fn=lambda: os.close(1), stdout=None) as started:
        _, said = started.communicate(timeout=60)
    assert (started.returncode, said) == (0, b"")
