"""The real datasets of the paper: from your folder, from the cache, or from their public homes."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .catalogue import CATALOGUE, LABEL, NOMINAL, Dataset, find
from .conversion import convert, nominal
from .download import FetchError, Progress, check_wheel, download, download_wheel
from .fingerprint import arrow, codes_of, digest

__all__ = ["Entry", "available", "cache_folder", "fetch", "load"]


@dataclass(frozen=True)
class Entry:
    """What `available` tells of one dataset.

    Parameters
    ----------
    name : str
        What `load` and `fetch` take.
    rows, features : int
        The size of the data that `fetch` gives.
    classes : tuple of str
        The labels.
    complete : bool
        Whether that is all of the original: all rows and all attributes.
    where : {"folder", "cache", "not here"}
        Where `load` would read it now; "not here" means that it would be fetched.
    path : Path or None
        The file that it would read.
    source, citation, note : str
        Where it comes from, whom to cite and under which terms, and what to know of it.
    """

    name: str
    rows: int
    features: int
    classes: tuple[str, ...]
    complete: bool
    where: str
    path: Path | None
    source: str
    citation: str
    note: str


def available(*, folder: str | os.PathLike[str] | None = None) -> list[Entry]:
    """List the datasets, and where each is now.

    Parameters
    ----------
    folder : path, optional
        As in `load`.

    Returns
    -------
    list of Entry

    Examples
    --------
    >>> from sapwood import datasets
    >>> for entry in datasets.available()[:3]:
    ...     print(entry.name, entry.rows, entry.features, entry.complete)
    electricity 45312 8 True
    electricity6 45312 6 False
    airlines 539383 7 True
    """
    given = _data_folder(folder)
    entries = []
    for dataset in CATALOGUE.values():
        where, files = _locate(dataset, given)
        entries.append(
            Entry(
                name=dataset.name,
                rows=dataset.rows,
                features=len(dataset.columns),
                classes=dataset.classes,
                complete=dataset.complete,
                where=where,
                path=files[0] if files else None,
                source=dataset.source,
                citation=dataset.citation,
                note=dataset.note,
            )
        )
    return entries


def load(
    name: str, *, folder: str | os.PathLike[str] | None = None
) -> tuple[Any, NDArray[np.str_]]:
    """Return a dataset of the paper: a stream for `sapwood.evaluate`.

    It is read from the folder, else from the cache, else it is fetched. A file in the folder is
    yours: its columns are checked, its rows are not. What `fetch` put into the cache was checked
    to the last value.

    Parameters
    ----------
    name : str
        One of `available`, such as "electricity"; "cod-rna" and "covtype" are understood too.
    folder : path, optional
        A folder with Parquet files such as ``electricity.parquet``, the label last in the column
        ``class``. By default the one that the environment variable SAPWOOD_DATA names, if any.

    Returns
    -------
    X : pyarrow.Table
        The attributes; nominal ones are dictionary-encoded.
    y : ndarray of str
        The labels.
    """
    dataset = find(name)
    arrow()
    _, files = _locate(dataset, _data_folder(folder))
    return _read(dataset, files or (fetch(name, folder=folder),))


def fetch(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Download a dataset, check that it is the right one, and keep it in the cache as Parquet.

    What is checked is the content: `digest` of the table. A file that fails is not kept.

    Parameters
    ----------
    name : str
        As in `load`.
    folder : path, optional
        As in `load`. The source's own files, if they lie there, are taken instead of a download.
    force : bool
        Do it even if the cache has it.
    progress : callable, optional
        Called as ``progress(done, total)`` with the bytes of the present file; total may be None.

    Returns
    -------
    Path
        The Parquet file.
    """
    dataset = find(name)
    arrow()
    from pyarrow import parquet

    cache = cache_folder()
    target = cache / f"{dataset.name}.parquet"
    if target.is_file() and not force:
        return target
    given = _data_folder(folder)
    cache.mkdir(parents=True, exist_ok=True)
    # Inside the cache, so that the last step is a rename; it goes with all in it, come what may.
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache) as made:
        try:
            files = [_obtain(dataset, url, Path(made), given, progress) for url in dataset.urls]
            table = _convert(dataset, files)
        except FetchError as error:
            raise FetchError(f"{str(error).rstrip('.')}. {_by_hand(dataset)}") from error
        ready = Path(made) / target.name
        parquet.write_table(table, ready, compression="zstd")
        ready.replace(target)
    return target


def cache_folder() -> Path:
    """Return where fetched datasets are kept: SAPWOOD_CACHE, or the platform's place for caches."""
    if chosen := os.environ.get("SAPWOOD_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "sapwood"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sapwood"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sapwood"


def _data_folder(folder: str | os.PathLike[str] | None) -> Path | None:
    named = os.environ.get("SAPWOOD_DATA") if folder is None else folder
    if not named:
        return None
    if not Path(named).is_dir():
        what = "SAPWOOD_DATA" if folder is None else "folder"
        raise FileNotFoundError(f"{what} is {str(named)!r}, which is not a folder.")
    return Path(named)


def _locate(dataset: Dataset, given: Path | None) -> tuple[str, tuple[Path, ...]]:
    """Say where a dataset is, and in which files: attributes in the first, classes in the last."""
    for where, place in (("folder", given), ("cache", cache_folder())):
        if place is None:
            continue
        for names in ((f"{dataset.name}.parquet",), *dataset.stand_ins):
            files = tuple(place / name for name in names)
            if all(file.is_file() for file in files):
                return where, files
    return "not here", ()


def _read(dataset: Dataset, files: tuple[Path, ...]) -> tuple[Any, NDArray[np.str_]]:
    """Read a dataset's Parquet files; refuse columns that are not its own."""
    pa = arrow()
    from pyarrow import parquet

    tables = []
    for file in files:
        try:
            tables.append(parquet.read_table(file).combine_chunks())
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{file} cannot be read as Parquet: {error}") from error
    first, last = tables[0], tables[-1]
    wanted, own = list(dataset.columns), files[0].name == f"{dataset.name}.parquet"
    missing = [column for column in wanted if column not in first.column_names]
    missing += [LABEL] * (LABEL not in last.column_names)
    surplus = sorted({*first.column_names} - {*wanted, LABEL}) if own else []
    if missing or surplus:
        raise ValueError(
            f"{files[0]} has not the columns of {dataset.name}: "
            f"missing {missing[:5]}, not known {surplus[:5]}."
        )
    if first.num_rows != last.num_rows:
        raise ValueError(f"{files[0]} and {files[-1]} have not the same number of rows.")
    X = first.select(wanted)
    for j, (column, kind) in enumerate(dataset.columns.items()):
        found = X.schema.field(column).type
        text = pa.types.is_string(found) or pa.types.is_large_string(found)
        if (kind == NOMINAL) != (text or pa.types.is_dictionary(found)):
            kind = "a nominal" if kind == NOMINAL else "a numeric"
            raise ValueError(f"{files[0]}: {column} should be {kind} column; it is {found}.")
        if text:
            X = X.set_column(j, column, nominal(X.column(column)))
    codes, classes = codes_of(last.column(LABEL).cast(pa.string()))
    return X, np.array(classes, dtype=np.str_)[codes]


def _obtain(
    dataset: Dataset, url: str, made: Path, given: Path | None, progress: Progress | None
) -> Path:
    """Return one file of the source: the one in the folder, else a download."""
    name = url.rpartition("/")[2]
    if given is not None and (given / name).is_file():
        if dataset.form == "wheel":
            check_wheel(given / name)
        return given / name
    if dataset.form == "wheel":
        return download_wheel(made, progress=progress)
    return download(url, made / name, progress=progress)


def _convert(dataset: Dataset, files: list[Path]) -> Any:
    """Convert the source's files, and check the content."""
    try:
        table = convert(dataset, files)
        found = digest(table)
    except (ValueError, LookupError, TypeError, NotImplementedError, OSError, BadZipFile) as error:
        # Such as a page of a login portal in the place of the file.
        names = ", ".join(file.name for file in files)
        raise FetchError(f"{names}: not the file that was expected ({error})") from error
    if found != dataset.sha256:
        raise FetchError(
            f"{dataset.name}: the content's digest is {found}, not {dataset.sha256} "
            f"({table.num_rows} rows; {dataset.rows} expected)"
        )
    return table


def _by_hand(dataset: Dataset) -> str:
    """Say how to do without the network of this machine."""
    files = " and ".join(dataset.urls)
    if dataset.form == "wheel":
        files += " from https://pypi.org/project/scikit-multiflow/0.4.1/#files"
    other = " PyPI has six of its attributes: electricity6." * (dataset.name == "electricity")
    return (
        f"By hand: save {files} into a folder, with the name unchanged, "
        f"and set SAPWOOD_DATA to that folder.{other}"
    )
