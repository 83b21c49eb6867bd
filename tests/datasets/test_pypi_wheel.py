"""The datasets inside a wheel on PyPI, downloaded by the real pip from the real index."""

import os
import shutil
import zipfile

import pytest

pytest.importorskip("pyarrow")
from pyarrow import parquet

from sapwood import datasets
from sapwood.datasets import FetchError
from sapwood.datasets.catalogue import CATALOGUE, WHEEL
from sapwood.datasets.download import download_wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    try:
        return download_wheel(tmp_path_factory.mktemp("wheel"))
    except FetchError as error:
        if "SHA-256" in str(error):
            raise
        pytest.skip(f"pip can reach no index with the wheel: {error}")


@pytest.fixture
def only_links(tmp_path, monkeypatch):
    """Let pip look into one folder and nowhere else."""
    links = tmp_path / "links"
    links.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return links


@pytest.mark.parametrize("name", ["covertype", "covertype7", "electricity6"])
def test_fetch(wheel, only_links, cache, name):
    shutil.copy(wheel, only_links)
    told = []
    path = datasets.fetch(name, progress=lambda done, total: told.append((done, total)))
    assert told == [(wheel.stat().st_size, wheel.stat().st_size)]
    assert [file.name for file in cache.iterdir()] == [f"{name}.parquet"]
    assert datasets.digest(parquet.read_table(path)) == CATALOGUE[name].sha256
    X, y = datasets.load(name)
    assert X.num_rows == len(y) == CATALOGUE[name].rows
    assert X.column_names == list(CATALOGUE[name].columns)


def test_the_wheel_has_the_rows_of_the_folder(wheel, real_folder):
    fetched = parquet.read_table(datasets.fetch("covertype", folder=wheel.parent))
    assert fetched.equals(parquet.read_table(real_folder / "covertype.parquet"))


def test_another_wheel_of_that_name_is_refused(only_links, cache):
    info = "scikit_multiflow-0.4.1.dist-info/"
    with zipfile.ZipFile(only_links / WHEEL, "w") as archive:
        archive.writestr("skmultiflow/data/datasets/elec.csv", "feat_1,target\n1,1\n")
        archive.writestr(info + "RECORD", "")
        archive.writestr(
            info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp37-cp37m-any\n"
        )
        archive.writestr(
            info + "METADATA", "Metadata-Version: 2.1\nName: scikit-multiflow\nVersion: 0.4.1\n"
        )
    with pytest.raises(FetchError, match="its SHA-256 is"):
        datasets.fetch("electricity6")
    assert list(cache.iterdir()) == []
    with pytest.raises(FetchError, match="its SHA-256 is"):
        datasets.fetch("electricity6", folder=only_links)


def test_no_index(only_links, cache):
    with pytest.raises(FetchError, match=r"No matching distribution .* By hand: save ") as caught:
        datasets.load("covertype")
    assert WHEEL in str(caught.value)
    assert "https://pypi.org/project/scikit-multiflow/0.4.1/#files" in str(caught.value)
    assert list(cache.iterdir()) == []
