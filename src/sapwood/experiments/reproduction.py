"""The parts of the reproduction put together: done, drawn, and told on one page."""

from __future__ import annotations

import dataclasses
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .. import datasets
from .._jobs import n_cores
from .._params import whole_number
from ..version import __version__
from .settings import SCALES
from .tasks import Found, Part, perform

__all__ = ["PARTS", "reproduce"]

#: The parts, in the order of the page.
PARTS = ("synthetic", "full", "active", "theorems")

#: Called as ``progress(part, share of its work that is done, words)``.
Progress = Callable[[str, float, str], None]


def reproduce(
    parts: str | Sequence[str] = PARTS,
    scale: str = "quick",
    out: str | os.PathLike[str] = "sapwood-reproduction",
    *,
    jobs: int | None = None,
    minutes: float | None = None,
    data: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Repeat the paper's experiments, and write the page that sets ours beside the paper's.

    Every finished run is kept: after an interruption, or with more time, the same call does only
    what is missing.

    Parameters
    ----------
    parts : str or list of str
        Of :data:`PARTS`.
    scale : {"smoke", "quick", "paper"}
        How much of it: less than a minute, some minutes, or the size of the paper.
    out : path
        The folder that gets ``reproduction.md``, and beside it ``reproduction/`` with the results
        (Parquet) and the figures (SVG and PNG).
    jobs : int, optional
        Processes at a time; one per core if not given. The results do not depend on it.
    minutes : float, optional
        No run of a part is begun after so many minutes; the page says which share was done.
    data : list of str, optional
        The real datasets to use, instead of all five.
    progress : callable, optional
        Told how far each part is.

    Returns
    -------
    Path
        The page.
    """
    chosen = [parts] if isinstance(parts, str) else list(parts)
    for name in chosen:
        if name not in PARTS:
            raise ValueError(f"A part is one of {', '.join(PARTS)}; got {name!r}.")
    if scale not in SCALES:
        raise ValueError(f"A scale is one of {', '.join(SCALES)}; got {scale!r}.")
    at_once = n_cores() if jobs is None else whole_number("jobs", jobs, 1)
    settings = {name: getattr(SCALES[scale], name) for name in chosen}
    if data is not None:
        for name in settings.keys() & {"full", "active"}:
            settings[name] = settings[name].only(data)
    _check_data(settings)
    folder = Path(out)
    for name in chosen:
        part: Part = import_module(f"{__package__}.{name}")
        until = None if minutes is None else time.monotonic() + 60 * minutes

        def update(share: float, words: str, name: str = name) -> None:
            if progress is not None:
                progress(name, share, words)

        found = perform(
            part,
            part.plan(settings[name]),
            folder / "tasks" / name,
            jobs=at_once,
            until=until,
            progress=update,
        )
        found.about.update(
            scale=scale,
            settings=dataclasses.asdict(settings[name]),
            sapwood=__version__,
            machine=f"{platform.machine()}, {at_once} processes",
        )
        found.write(folder / "reproduction" / f"{name}.parquet")
    from .page import write

    return write(folder, {name: found_in(folder, name) for name in PARTS})


def found_in(folder: Path, name: str) -> Found | None:
    """Return what a part has given in a folder; None if it was not done there."""
    path = folder / "reproduction" / f"{name}.parquet"
    return Found.read(path) if path.exists() else None


def _check_data(settings: dict[str, Any]) -> None:
    """Refuse to begin what would end for want of a dataset."""
    wanted = {name for chosen in settings.values() for name in getattr(chosen, "datasets", ())}
    lacking = sorted(
        e.name for e in datasets.available() if e.where == "not here" and e.name in wanted
    )
    if lacking:
        names = " ".join(lacking)
        raise datasets.FetchError(
            f"The datasets {', '.join(lacking)} are not on this machine. Get them with `sapwood "
            f"data fetch {names}`, or let SAPWOOD_DATA name a folder that holds them as Parquet "
            "files, or choose others with --data. The parts synthetic and theorems need none."
        )
