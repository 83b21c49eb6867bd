"""Loading from a folder and from the cache: look-up order, names, and what is refused."""

import sys
from pathlib import Path

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

import sapwood  # noqa: E402
from sapwood import datasets  # noqa: E402
from sapwood.datasets.catalogue import CATALOGUE  # noqa: E402


def tiny(name, rows=6):
    """A table with the columns of a dataset, and few rows."""
    dataset = CATALOGUE[name]
    texts = pa.array([f"v{i % 2}" for i in range(rows)]).dictionary_encode()
    columns = {
        column: texts if kind == "nominal" else pa.array(range(rows)).cast(kind)
        for column, kind in dataset.columns.items()
    }
    classes = [dataset.classes[i % len(dataset.classes)] for i in range(rows)]
    return pa.table(columns | {"class": pa.array(classes).dictionary_encode()})


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    return made


def test_load_from_a_folder(folder):
    parquet.write_table(tiny("electricity"), folder / "electricity.parquet")
    X, y = datasets.load("electricity", folder=folder)
    assert X.column_names == list(CATALOGUE["electricity"].columns)
    assert pa.types.is_dictionary(X.schema.field("day").type)
    assert isinstance(y, np.ndarray)
    assert y.tolist() == ["UP", "DOWN"] * 3
    result = sapwood.evaluate((X, y), sapwood.ConfidenceTreeClassifier())
    assert result.curve["i"][-1] == 6


def test_the_folder_comes_before_the_cache(folder, cache, monkeypatch):
    cache.mkdir()
    parquet.write_table(tiny("codrna", 4), cache / "codrna.parquet")
    assert len(datasets.load("cod-rna")[1]) == 4
    assert len(datasets.load("codrna", folder=folder)[1]) == 4
    parquet.write_table(tiny("codrna", 3), folder / "codrna.parquet")
    monkeypatch.setenv("SAPWOOD_DATA", str(folder))
    assert len(datasets.load("CodRNA")[1]) == 3
    assert datasets.fetch("cod_rna") == cache / "codrna.parquet"


def test_available_says_where(folder, cache):
    cache.mkdir()
    parquet.write_table(tiny("a9a"), cache / "a9a.parquet")
    parquet.write_table(tiny("electricity"), folder / "electricity.parquet")
    entries = {entry.name: entry for entry in datasets.available(folder=folder)}
    assert entries["a9a"].where == "cache"
    assert entries["a9a"].path == cache / "a9a.parquet"
    assert entries["electricity"].where == entries["electricity6"].where == "folder"
    assert entries["airlines"].where == "not here"
    assert entries["airlines"].path is None
    assert {name for name, entry in entries.items() if not entry.complete} == {
        "codrna",
        "electricity6",
    }
    assert all(entry.source and entry.citation and entry.note for entry in entries.values())


def test_electricity6_is_a_part_of_electricity(folder):
    parquet.write_table(tiny("electricity"), folder / "electricity.parquet")
    X, y = datasets.load("electricity6", folder=folder)
    assert X.column_names == [
        *("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")
    ]
    assert y.tolist() == ["UP", "DOWN"] * 3


def test_covertype7_takes_its_labels_from_their_own_file(folder):
    parquet.write_table(tiny("covertype"), folder / "covertype.parquet")
    labels = pa.table({"class": ["5", "5", "2", "2", "7", "1"]})
    parquet.write_table(labels, folder / "covertype_labels7.parquet")
    X, y = datasets.load("covertype7", folder=folder)
    assert X.num_columns == 54
    assert y.tolist() == labels["class"].to_pylist()
    assert datasets.load("covtype", folder=folder)[1].tolist() == ["1", "2"] * 3
    parquet.write_table(labels.slice(1), folder / "covertype_labels7.parquet")
    with pytest.raises(ValueError, match="same number of rows"):
        datasets.load("covertype7", folder=folder)


def test_row_groups_with_dictionaries_of_their_own(folder):
    table = tiny("electricity")
    days = pa.array(["7", "2", "5", "1", "2", "6"]).dictionary_encode()
    whole = table.set_column(1, "day", days)
    parquet.write_table(whole, folder / "electricity.parquet", row_group_size=2)
    X, y = datasets.load("electricity", folder=folder)
    assert X["day"].cast(pa.string()).to_pylist() == days.cast(pa.string()).to_pylist()
    assert X["day"].num_chunks == 1
    assert y.tolist() == ["UP", "DOWN"] * 3


def test_texts_become_categories(folder):
    table = tiny("electricity")
    plain = table.set_column(1, "day", pa.array(["7", "2", "7", "1", "2", "7"]))
    parquet.write_table(plain, folder / "electricity.parquet")
    X, _ = datasets.load("electricity", folder=folder)
    assert X["day"].combine_chunks().dictionary.to_pylist() == ["1", "2", "7"]
    assert X["day"].cast(pa.string()).to_pylist() == plain["day"].to_pylist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.drop_columns(["period"]), r"missing \['period'\]"),
        (lambda t: t.drop_columns(["class"]), r"missing \['class'\]"),
        (lambda t: t.append_column("extra", t["date"]), r"not known \['extra'\]"),
        (lambda t: t.set_column(0, "date", t["day"]), "date should be a numeric column"),
        (lambda t: t.set_column(1, "day", t["date"]), "day should be a nominal column"),
    ],
)
def test_other_columns_are_refused(folder, change, words):
    parquet.write_table(change(tiny("electricity")), folder / "electricity.parquet")
    with pytest.raises(ValueError, match=words):
        datasets.load("electricity", folder=folder)


def test_a_file_that_is_not_parquet_is_named(folder):
    (folder / "a9a.parquet").write_text("not this")
    with pytest.raises(ValueError, match=r"a9a\.parquet cannot be read as Parquet"):
        datasets.load("a9a", folder=folder)


def test_names_and_folders_that_are_not_there(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"no dataset 'iris'; there are electricity, "):
        datasets.load("iris")
    with pytest.raises(FileNotFoundError, match=r"folder is .*nowhere.* not a folder"):
        datasets.load("a9a", folder=tmp_path / "nowhere")
    monkeypatch.setenv("SAPWOOD_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="SAPWOOD_DATA is"):
        datasets.load("a9a")


def test_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert len(datasets.available()) == 7
    for call in (datasets.load, datasets.fetch):
        with pytest.raises(ImportError, match=r"pip install sapwood\[arrow\]"):
            call("electricity")


def test_cache_folder_by_platform(monkeypatch, tmp_path):
    assert datasets.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("SAPWOOD_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert datasets.cache_folder() == tmp_path / "xdg" / "sapwood"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert datasets.cache_folder() == Path.home() / ".cache" / "sapwood"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert datasets.cache_folder() == Path.home() / "Library" / "Caches" / "sapwood"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert datasets.cache_folder() == tmp_path / "local" / "sapwood"
