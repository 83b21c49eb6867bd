"""``sapwood reproduce``: all of it at the smallest scale, kept, resumed, and refused where due."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow
import pyarrow.parquet as pq
import pytest

import sapwood
from sapwood.datasets import FetchError, rand_cbt
from sapwood.experiments import PARTS, SCALES, reproduce, theorems
from sapwood.experiments.claims import Claim, Evidence
from sapwood.experiments.page import text as told_of
from sapwood.experiments.page import write
from sapwood.experiments.synthetic import plan
from sapwood.experiments.tasks import Found, Task, perform


def test_all_of_it_at_the_smallest_scale(data, tmp_path):
    told = []
    found = reproduce(PARTS, "smoke", tmp_path, progress=lambda *words: told.append(words))
    text = found.read_text(encoding="utf-8")
    assert found == tmp_path / "reproduction.md"
    assert {part for part, _, _ in told} == set(PARTS)
    assert [share for part, share, _ in told if part == PARTS[-1]][-1] == pytest.approx(1.0)
    claims = re.findall(r"^\| (.*) \| \*\*(reproduced|partly|not|open)\*\* \| (.*)$", text, re.M)
    assert len(claims) >= 25
    # Firm on so little are only those without chance, and by limits that count their samples.
    firm = [f"{claim} {measured}" for claim, verdict, measured in claims if verdict != "open"]
    assert all("How much wider ε is" in words or " limit " in words for words in firm)
    assert len(firm) <= 5
    pictures = links(text)
    assert len(pictures) >= 10
    for picture in pictures:
        assert (tmp_path / picture).read_text(encoding="utf-8").startswith("<?xml")
        assert (tmp_path / picture).with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    for part in PARTS:
        about = json.loads(
            pq.read_schema(tmp_path / f"reproduction/{part}.parquet").metadata[b"about"]
        )
        assert about["done"] == about["planned"] > 0
        assert about["scale"] == "smoke"


def links(text):
    """Return what the page points at, but for other sites."""
    return [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]


def test_a_page_of_a_beginning_has_no_dead_links(tmp_path):
    tasks = theorems.plan(SCALES["smoke"].theorems)
    for first in {task.what["topic"]: task for task in tasks}.values():
        found = perform(theorems, [first], tmp_path / "tasks", jobs=1)
        settings = asdict(SCALES["smoke"].theorems)
        found.about.update(scale="smoke", settings=settings, sapwood="0", machine="any")
        folder = tmp_path / first.what["topic"]
        folder.mkdir()
        text = write(folder, {"theorems": found}).read_text(encoding="utf-8")
        assert all((folder / link).is_file() for link in links(text))


def test_the_page_in_the_docs_is_that_of_its_results():
    docs = Path(__file__).resolve().parents[2] / "docs"
    parts = {name: Found.read(docs / "reproduction" / f"{name}.parquet") for name in PARTS}
    drawn = {file.stem for file in (docs / "reproduction").glob("*.svg")}
    page = (docs / "reproduction.md").read_text(encoding="utf-8")
    assert page == told_of(parts, drawn)
    assert all((docs / link).is_file() for link in links(page))


@pytest.mark.parametrize(
    ("evidence", "verdict", "said"),
    [
        (Evidence(), "not", "as it is"),
        (Evidence(6, "seed", 0.1), "not", "as it is"),
        (Evidence(5, "seed", 1.0), "open", "5\N{NO-BREAK SPACE}seeds"),
        (Evidence(None, "seed", 0.09), "open", "9.0\N{NO-BREAK SPACE}% of the paper's length"),
    ],
)
def test_a_claim_that_rests_on_too_little_is_open(evidence, verdict, said):
    (claim,) = evidence.under([Claim("here", "it is so", "not", "0.3", "as it is")])
    settled = claim.settled()
    assert settled.verdict == verdict
    assert said in settled.why


def test_the_case_with_the_fewest_runs_counts():
    rows = [("a", 0), ("a", 1), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]
    table = pyarrow.table({"case": [c for c, _ in rows], "seed": [s for _, s in rows]})
    found = Found(table, {})
    assert found.fewest("seed", "case") == 2
    assert found.without(case=["a"]).fewest("seed", "case") == 3
    assert found.without(case=["a", "b"]).fewest("seed", "case") == 0


def test_results_do_not_depend_on_the_number_of_processes(tmp_path):
    tables = []
    for jobs in (1, 2):
        reproduce("synthetic", "smoke", tmp_path / str(jobs), jobs=jobs)
        tables.append(pq.read_table(tmp_path / str(jobs) / "reproduction" / "synthetic.parquet"))
    assert tables[0].equals(tables[1])


def test_a_row_is_what_evaluate_gives(tmp_path):
    reproduce("synthetic", "smoke", tmp_path, jobs=1)
    rows = pq.read_table(tmp_path / "reproduction" / "synthetic.parquet").to_pylist()
    chosen = [row for row in rows if row["what"] == "end" and row["grid"] == "logarithmic"][3::31]
    assert {row["learner"] for row in chosen} == {"c-tree", "h-tree", "corrh-tree"}
    for row in chosen:
        stream = rand_cbt(n_leaves=8, per_leaf=1000, order=row["order"], seed=row["seed"])
        name = "c" if row["learner"] == "c-tree" else "delta"
        make = getattr(sapwood.ConfidenceTreeClassifier, row["learner"].replace("-", "_"))
        result = sapwood.evaluate(stream, make(**{name: row["value"]}, grace_period=100))
        assert (result.n_leaves, result.accuracy) == (row["leaves"], row["accuracy"])


def test_what_was_done_is_not_done_again(tmp_path):
    from sapwood.experiments import synthetic

    tasks = plan(replace(SCALES["smoke"].synthetic, streams=2))
    some = perform(synthetic, tasks[:1], tmp_path, jobs=1)
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert (len(kept), some.about["share"]) == (1, 1.0)
    shares = []
    both = perform(
        synthetic, tasks, tmp_path, jobs=1, progress=lambda share, _: shares.append(share)
    )
    assert shares[0] == pytest.approx(1 / len(tasks))  # one was there
    assert all(file.stat().st_mtime_ns == time for file, time in kept.items())
    assert len(both) > len(some) > 0


def test_time_that_is_up_leaves_a_part_of_it(tmp_path):
    from sapwood.experiments import synthetic

    tasks = plan(SCALES["smoke"].synthetic)
    perform(synthetic, tasks[:2], tmp_path, jobs=1)
    told = []
    found = perform(
        synthetic, tasks, tmp_path, jobs=1, until=0.0, progress=lambda _, words: told.append(words)
    )
    assert [words.split(",")[0] for words in told] == [f"2 of {len(tasks)} runs"]
    assert "none is begun after" in told[0]
    assert (found.about["done"], found.about["planned"]) == (2, len(tasks))
    assert found.about["share"] == pytest.approx(2 / len(tasks))
    with pytest.raises(ValueError, match="No run was finished in the time given"):
        perform(synthetic, tasks, tmp_path / "empty", jobs=1, until=0.0)


def test_a_run_cut_short_leaves_no_file(tmp_path, monkeypatch):
    from sapwood.experiments import synthetic

    def stop(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(synthetic, "run", stop)
    with pytest.raises(KeyboardInterrupt):
        perform(synthetic, plan(SCALES["smoke"].synthetic), tmp_path, jobs=1)
    assert list(tmp_path.glob("*.parquet")) == []


def test_a_damaged_file_is_done_again(tmp_path):
    from sapwood.experiments import synthetic

    tasks = plan(SCALES["smoke"].synthetic)[:2]
    found = perform(synthetic, tasks, tmp_path, jobs=1)
    damaged, kept = (tmp_path / f"{task.key}.parquet" for task in tasks)
    damaged.write_bytes(damaged.read_bytes()[:-20])
    time = kept.stat().st_mtime_ns
    again = perform(synthetic, tasks, tmp_path, jobs=1)
    assert again.table.equals(found.table)
    assert kept.stat().st_mtime_ns == time
    damaged.write_bytes(b"PAR1")
    part = perform(synthetic, tasks, tmp_path, jobs=1, until=0.0)
    assert (part.about["done"], part.about["planned"]) == (1, 2)


def test_a_task_is_known_by_all_it_depends_on():
    one = Task({"seed": 1, "order": "shuffled"}, 1.0)
    assert one.key == Task({"order": "shuffled", "seed": 1}, 2.0).key
    assert one.key != Task({"seed": 2, "order": "shuffled"}, 1.0).key


def test_wrong_words_are_refused(tmp_path):
    with pytest.raises(ValueError, match="A part is one of synthetic, full"):
        reproduce("everything", "smoke", tmp_path)
    with pytest.raises(ValueError, match="A scale is one of smoke, quick, paper"):
        reproduce("synthetic", "huge", tmp_path)
    with pytest.raises(ValueError, match=r"datasets are a9a, .*; got 'iris'"):
        reproduce("full", "smoke", tmp_path, data=["iris"])
    assert list(tmp_path.iterdir()) == []


def test_datasets_that_are_not_here_are_named_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.setenv("SAPWOOD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SAPWOOD_DATA", raising=False)
    with pytest.raises(FetchError, match="sapwood data fetch a9a airlines codrna"):
        reproduce(PARTS, "smoke", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_some_of_the_datasets(data, tmp_path):
    reproduce("full", "smoke", tmp_path, data=["electricity"], jobs=1)
    table = pq.read_table(tmp_path / "reproduction" / "full.parquet")
    assert table["dataset"].unique().to_pylist() == ["electricity"]
    text = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    assert "`sapwood reproduce full --scale smoke --data electricity`" in text
