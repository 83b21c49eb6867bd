"""Fetching over real HTTP: what arrives whole and right is cached, and nothing else is."""

import dataclasses
import socket

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

from sapwood import datasets  # noqa: E402
from sapwood.datasets import FetchError  # noqa: E402
from sapwood.datasets.catalogue import CATALOGUE  # noqa: E402
from sapwood.datasets.download import download  # noqa: E402

FIRST = b"+1 1:3 2:0.5\n-1 2:-1e-3 # a remark\n\n"
SECOND = b"-1 1:7\n"
EXPECTED = pa.table(
    {
        "n": pa.array([3, 0, 7], "int32"),
        "x": [0.5, -1e-3, 0.0],
        "class": pa.array(["+1", "-1", "-1"]).dictionary_encode(),
    }
)


@pytest.fixture
def tiny(server, monkeypatch):
    """A dataset of two small LIBSVM files on the server, in the place of a9a."""
    urls = (server.put("tiny", FIRST), server.put("tiny.t", SECOND))
    dataset = dataclasses.replace(
        CATALOGUE["a9a"],
        rows=3,
        columns={"n": "int32", "x": "float64"},
        urls=urls,
        sha256=datasets.digest(EXPECTED),
    )
    monkeypatch.setitem(CATALOGUE, "a9a", dataset)
    return dataset


def left_in(cache):
    return sorted(file.name for file in cache.rglob("*")) if cache.exists() else []


def test_fetch_then_load(tiny, server, cache):
    told = []
    path = datasets.fetch("a9a", progress=lambda done, total: told.append((done, total)))
    assert path == cache / "a9a.parquet"
    assert left_in(cache) == ["a9a.parquet"]
    assert told == [(len(FIRST), len(FIRST)), (len(SECOND), len(SECOND))]
    table = parquet.read_table(path)
    assert table.column_names == ["n", "x", "class"]
    assert table["n"].type == pa.int32()
    assert datasets.digest(table) == tiny.sha256
    X, y = datasets.load("a9a")
    assert X["x"].to_pylist() == [0.5, -1e-3, 0.0]
    assert y.tolist() == ["+1", "-1", "-1"]
    assert server.asked == ["/tiny", "/tiny.t"], "the cache is used"
    datasets.fetch("a9a")
    assert len(server.asked) == 2
    datasets.fetch("a9a", force=True)
    assert len(server.asked) == 4


def test_load_fetches(tiny):
    assert datasets.load("a9a")[1].tolist() == ["+1", "-1", "-1"]


def test_a_length_that_the_server_does_not_tell(tiny, server):
    server.put("tiny", FIRST, "no-length")
    told = []
    datasets.fetch("a9a", progress=lambda done, total: told.append((done, total)))
    assert told[0] == (len(FIRST), None)


@pytest.mark.parametrize(
    ("content", "how", "words"),
    [
        (b"-1 1:8\n", "whole", "digest is [0-9a-f]{64}, not"),
        (SECOND + SECOND, "whole", r"4 rows; 3 expected"),
        (b"<html>Log in, please</html>", "whole", "not the file that was expected"),
        (b"-1 1:0.5\n", "whole", "not the file that was expected"),
        (b"-1 3:1\n", "whole", "indices outside 1 to 2"),
        (b"2 1:7\n", "whole", "labels that a9a does not have: 2"),
        (SECOND * 1000, "truncated", r"tiny\.t: the transfer ended after 3500 of 7000 bytes"),
        (SECOND, "broken-chunk", r"tiny\.t: IncompleteRead"),
    ],
)
def test_what_is_wrong_is_not_kept(tiny, server, cache, content, how, words):
    server.put("tiny.t", content, how)
    with pytest.raises(FetchError, match=words) as caught:
        datasets.fetch("a9a")
    assert left_in(cache) == []
    assert tiny.urls[1] in str(caught.value)
    assert "SAPWOOD_DATA" in str(caught.value)


def test_a_failure_keeps_what_was_cached(tiny, server, cache):
    path = datasets.fetch("a9a")
    before = path.read_bytes()
    server.put("tiny.t", b"-1 1:8\n")
    with pytest.raises(FetchError):
        datasets.fetch("a9a", force=True)
    assert path.read_bytes() == before
    assert left_in(cache) == ["a9a.parquet"]


def test_not_found(tiny, server, cache):
    del server.files["/tiny.t"]
    with pytest.raises(FetchError, match=r"/tiny\.t: the server answered 404 Not Found"):
        datasets.fetch("a9a")
    assert left_in(cache) == []


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_unreachable(tiny, cache, monkeypatch, host):
    url = f"http://{host}:{unused_port()}/tiny"
    monkeypatch.setitem(CATALOGUE, "a9a", dataclasses.replace(tiny, urls=(url,)))
    with pytest.raises(FetchError, match=r"By hand: save .* set SAPWOOD_DATA") as caught:
        datasets.load("a9a")
    assert str(caught.value).startswith(url + ": ")
    assert left_in(cache) == []


def test_a_server_that_does_not_answer(tmp_path):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/tiny"
        with pytest.raises(FetchError, match="timed out"):
            download(url, tmp_path / "tiny", timeout=0.2)
    assert list(tmp_path.iterdir()) == []


def test_interrupted(tiny, server, cache):
    server.put("tiny", FIRST * 100_000)
    seen = []

    def interrupt(done, total):
        seen.append((done, total, left_in(cache)))
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        datasets.fetch("a9a", progress=interrupt)
    assert 0 < seen[-1][0] < seen[-1][1]
    assert "tiny.part" in seen[-1][2], "it was under way"
    assert left_in(cache) == []


def test_the_sources_files_by_hand(tiny, server, cache, tmp_path, monkeypatch):
    server.files.clear()
    monkeypatch.setenv("SAPWOOD_DATA", str(tmp_path / "by-hand"))
    (tmp_path / "by-hand").mkdir()
    (tmp_path / "by-hand" / "tiny").write_bytes(FIRST)
    (tmp_path / "by-hand" / "tiny.t").write_bytes(SECOND)
    assert datasets.load("a9a")[1].tolist() == ["+1", "-1", "-1"]
    assert server.asked == []
    assert left_in(cache) == ["a9a.parquet"]


def as_libsvm(table):
    """Write a table as LIBSVM does: no zeros, and whole numbers without a point."""
    columns = [table[name].to_pylist() for name in table.column_names[:-1]]
    lines = []
    for label, *row in zip(table["class"].to_pylist(), *columns, strict=True):
        pairs = [f"{j}:{value}" for j, value in enumerate(row, 1) if value]
        lines.append(" ".join([label, *pairs]))
    return "\n".join([*lines, ""]).encode()


def as_openml(table, dataset):
    """Write a table as a Parquet file with OpenML's names, and wide types."""
    names = dataset.taken or table.column_names
    columns = []
    for column in table.columns:
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.float64())
        elif len(column.chunk(0).dictionary) == 7:
            column = column.cast(pa.string()).cast(pa.uint8())
        columns.append(column)
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns, names=list(names)), sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "cut"), [("electricity", 0), ("airlines", 0), ("a9a", 32_561), ("codrna", 59_535)]
)
def test_the_real_data_in_their_sources_form(name, cut, real_folder, server, monkeypatch):
    """The whole way with the true digest; only the far server is played by a near one."""
    dataset = CATALOGUE[name]
    table = parquet.read_table(real_folder / f"{name}.parquet")
    if cut:
        parts = [as_libsvm(table.slice(0, cut)), as_libsvm(table.slice(cut))]
    else:
        parts = [as_openml(table, dataset)]
    urls = [
        server.put(url.rpartition("/")[2], part)
        for url, part in zip(dataset.urls, parts, strict=True)
    ]
    monkeypatch.setitem(CATALOGUE, name, dataclasses.replace(dataset, urls=tuple(urls)))
    fetched = parquet.read_table(datasets.fetch(name))
    assert fetched.equals(table)
    X, y = datasets.load(name)
    assert X.num_rows == dataset.rows
    assert set(np.unique(y)) == set(dataset.classes)
