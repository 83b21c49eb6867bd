"""The runs of a part: planned, done by all cores, and each kept as soon as it is done."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from .._pool import finished
from ..report.words import duration
from ..version import __version__
from .claims import Claim

__all__ = ["Found", "Part", "Progress", "Row", "Task", "perform"]

#: Called as ``progress(share of the work done, words)``.
Progress = Callable[[float, str], None]
Row = dict[str, Any]


class Part(Protocol):
    """A module with one part of the reproduction."""

    __name__: str
    TITLE: str
    FIGURES: dict[str, str]  # file names, each with a description

    def plan(self, settings: Any) -> list[Task]:
        """Return the part's tasks, in an order of which every beginning is a fair part."""
        ...

    def run(self, **what: Any) -> list[Row]:
        """Do one task, and return its rows."""
        ...

    def draw(self, found: Found) -> dict[str, Any]:
        """Return the part's figures by file name."""
        ...

    def tell(self, found: Found) -> str:
        """Return the part's section of the page, without its heading and its figures."""
        ...

    def judge(self, found: Found) -> list[Claim]:
        """Return what came of the paper's claims."""
        ...


@dataclass(frozen=True)
class Task:
    """A piece of work that is done in one go, and kept.

    Parameters
    ----------
    what : dict
        The arguments of the part's ``run``: all that its rows depend on, as plain values.
    cost : float
        How long it takes against the part's other tasks.
    """

    what: dict[str, Any]
    cost: float

    @property
    def key(self) -> str:
        """Return a name for the file that keeps its rows."""
        text = json.dumps({"sapwood": __version__, **self.what}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Found:
    """What the finished tasks of a part have given.

    Parameters
    ----------
    table : pyarrow.Table
        The rows of all finished tasks.
    about : dict
        "scale", "done" and "planned" tasks, "share" of the work, CPU "seconds", "sapwood" (the
        version) and "settings".
    """

    table: Any
    about: dict[str, Any]

    def where(self, **equal: Any) -> Found:
        """Return the rows in which columns have these values."""
        import pyarrow.compute as pc

        kept = self.table
        for name, value in equal.items():
            kept = kept.filter(pc.equal(kept[name], value))
        return replace(self, table=kept)

    def without(self, **among: Any) -> Found:
        """Return the rows in which columns have none of some values."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = self.table
        for name, values in among.items():
            kept = kept.filter(pc.invert(pc.is_in(kept[name], pa.array([*values]))))
        return replace(self, table=kept)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Return a column as an array."""
        found: NDArray[Any] = self.table[column].to_numpy()
        return found

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def values(self, column: str) -> list[Any]:
        """Return the distinct values of a column, sorted."""
        return sorted(self.table[column].unique().to_pylist())

    def fewest(self, column: str, *cases: str) -> int:
        """Return how many distinct values a column has in the case that has fewest of them."""
        counts = self.table.group_by([*cases]).aggregate([(column, "count_distinct")])
        return min(counts[f"{column}_count_distinct"].to_pylist(), default=0)

    def write(self, path: Path) -> None:
        """Keep it as a Parquet file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        table = self.table.replace_schema_metadata({"about": json.dumps(self.about)})
        _write(table, path, compression="zstd", compression_level=19)

    @classmethod
    def read(cls, path: Path) -> Found:
        """Return what a Parquet file keeps."""
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        return cls(table, json.loads(table.schema.metadata[b"about"]))


def perform(
    part: Part,
    tasks: list[Task],
    folder: Path,
    *,
    jobs: int,
    until: float | None = None,
    progress: Progress | None = None,
) -> Found:
    """Do the tasks whose rows the folder does not hold yet, and return the rows of all.

    Parameters
    ----------
    part : Part
        Whose tasks they are.
    tasks : list of Task
        In an order of which every beginning is a fair part of the whole.
    folder : path
        Where each task's rows are kept.
    jobs : int
        Processes at a time.
    until : float, optional
        A time of ``time.monotonic`` after which no task is begun.
    progress : callable, optional
        Told how far it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = {task.key: folder / f"{task.key}.parquet" for task in tasks}
    missing = {task.key: task for task in tasks if not _whole(files[task.key])}
    total = sum(task.cost for task in tasks)
    done = total - sum(task.cost for task in missing.values())
    left = len(missing)

    def told() -> str:
        words = f"{len(tasks) - left} of {len(tasks)} runs"
        if until is None:
            return words
        return f"{words}, none is begun after {duration(max(0.0, until - time.monotonic()))}"

    if progress is not None:
        progress(done / total, told())
    work = partial(_do, part.__name__, folder)
    with closing(finished(work, missing, jobs, until)) as results:
        for key, _ in results:
            done += missing[key].cost
            left -= 1
            if progress is not None:
                progress(done / total, told())
    ready = [task for task in tasks if _whole(files[task.key])]
    share = sum(task.cost for task in ready) / total
    return _joined([files[task.key] for task in ready], len(tasks), share)


def _do(module: str, folder: Path, task: Task) -> None:
    """Do one task, in a process of its own if there are several, and keep its rows."""
    import importlib

    import pyarrow as pa

    began = time.process_time()
    rows: list[Row] = importlib.import_module(module).run(**task.what)
    seconds = time.process_time() - began
    table = pa.Table.from_pylist(rows).replace_schema_metadata({"seconds": repr(seconds)})
    _write(table, folder / f"{task.key}.parquet")


def _write(table: Any, path: Path, **how: Any) -> None:
    """Write a Parquet file whole or not at all: an interrupted run leaves no half of one."""
    import pyarrow.parquet as pq

    fresh = path.with_suffix(f".{os.getpid()}.new")
    pq.write_table(table, fresh, **how)
    fresh.replace(path)


def _whole(path: Path) -> bool:
    """Whether a file of rows is there, and not damaged: such a task is done again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return b"seconds" in (pq.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException):
        return False


def _joined(files: Iterable[Path], planned: int, share: float) -> Found:
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = []
    for file in files:
        try:
            tables.append(pq.read_table(file))
        except (OSError, pa.ArrowException) as error:
            raise ValueError(f"{file} is damaged: remove it, and its run is done again.") from error
    if not tables:
        raise ValueError("No run was finished in the time given: give it more.")
    seconds = sum(float(table.schema.metadata[b"seconds"]) for table in tables)
    bare = [table.replace_schema_metadata() for table in tables]
    whole = pa.concat_tables(bare, promote_options="default").combine_chunks()
    about = {"done": len(tables), "planned": planned, "share": share, "seconds": seconds}
    return Found(whole, about)
