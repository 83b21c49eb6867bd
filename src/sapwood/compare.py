"""Many runs side by side: learners, strategies, budgets and seeds on one or more streams.

>>> from sapwood.compare import compare, summary
>>> stream = "rand-cbt:leaves=4,per_leaf=500,seed=2"
>>> rows = compare([stream], strategies=["full", "random"], seeds=2)
>>> [(row["strategy"], row["seed"], row["labels"]) for row in rows]
[('full', None, 2000), ('random', 0, 194), ('random', 1, 200)]
>>> [row["seeds"] for row in summary(rows)]
[1, 2]
"""

from __future__ import annotations

import json
import math
import os
import secrets
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from . import strategies as asking
from . import streams
from ._jobs import n_cores
from ._learners import untrained
from ._params import whole_number
from ._pool import finished
from ._sources import as_label, classes_declared, limited, open_named, read_for
from ._trained import state_of
from .budget import Budget
from .evaluation import Evaluation
from .protocol import asks_for_classes, classes_in
from .results import plain
from .tree import ConfidenceTreeClassifier
from .version import __version__

__all__ = ["LEARNERS", "compare", "half_width", "summary"]

#: The presets of the tree by name.
LEARNERS: dict[str, Callable[..., ConfidenceTreeClassifier]] = {
    "c-tree": ConfidenceTreeClassifier.c_tree,
    "h-tree": ConfidenceTreeClassifier.h_tree,
    "corrh-tree": ConfidenceTreeClassifier.corrh_tree,
    "moa": ConfidenceTreeClassifier.moa,
}
#: What a summary gives the mean and the interval of.
MEASURES = ("accuracy", "f_measure", "query_rate", "n_leaves")

_GROUP = ("stream", "learner", "strategy", "budget")
# Quantiles of Student's t for 95 %, by degrees of freedom from 1; beyond, a series is exact enough.
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622)
_NORMAL = 1.959964

Progress = Callable[[int, int, dict[str, Any]], None]


def compare(
    streams: Sequence[Any] | Mapping[str, Any],
    learners: Sequence[str] | Mapping[str, Any] = ("c-tree",),
    strategies: Sequence[str] = ("full", "random", "conf-tree"),
    budgets: Sequence[float | str] = (0.1,),
    seeds: int | Sequence[int] = 5,
    jobs: int | None = 1,
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    reading: Mapping[str, Any] | None = None,
    limit: int | None = None,
    trained: str = "refuse",
    **settings: Any,
) -> list[dict[str, Any]]:
    """Run every learner with every strategy, budget and seed on every stream.

    Parameters
    ----------
    streams : list of paths or names, or mapping of name to stream
        Paths, names of datasets, or random trees such as
        "rand-cbt:leaves=8,per_leaf=2000,seed=1".
    learners : list of names, or mapping of name to model
        Names of :data:`LEARNERS`, or models of your own.
    strategies : list of str
        Names of :data:`sapwood.strategies.NAMES`; "full" learns every label, once per learner.
    budgets : list of float or str
        As for :meth:`sapwood.Budget.parse`.
    seeds : int or list of int
        Seeds of the strategies' draws; a number n means 0 to n - 1.
    jobs : int, optional
        Processes at a time, at least 1; None means one per core that this process may use. The
        results do not depend on it. In a script, more than one needs the usual
        ``if __name__ == "__main__":`` around the call.
    out : path, optional
        A file of JSON lines that gets a line for each finished run. Runs that it already holds are
        not done again. A model of your own is known by what it holds before it learns; where that
        cannot be pickled, or differs from copy to copy, its runs are done again, with a warning.
    progress : callable, optional
        Called as ``progress(done, total, row)`` after each run.
    params : mapping, optional
        Parameters of the tree, for learners by name.
    reading : mapping, optional
        Options of :func:`sapwood.streams.open`.
    limit : int, optional
        Rows of each stream to use.
    trained : {"refuse", "continue", "fresh"}
        What to do with a model that has learned before, as for :func:`sapwood.evaluate`.
    **settings
        ``drift``, ``delay``, ``every``, ``positive``, and ``times`` as the name of a column, as for
        :func:`sapwood.evaluate`.

    Returns
    -------
    list of dict
        A row for each run, in the order of the arguments.
    """
    at_once = n_cores() if jobs is None else whole_number("jobs", jobs, 1)
    models = _models(learners, dict(params or {}))
    wanted = list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds]
    caps = [_short(Budget.parse(budget)) for budget in budgets]
    shared = {
        "reading": dict(reading or {}),
        "limit": limit,
        "settings": settings,
        "trained": trained,
    }
    work: list[dict[str, Any]] = []
    for stream, source in _named(streams).items():
        for learner, model in models.items():
            what = {"source": source, "model": model, **shared}
            what["classes"] = _classes(what)
            for cell in _cells(strategies, caps, wanted):
                work.append({"cell": {"stream": stream, "learner": learner, **cell}, **what})
    _check(work)
    if out is not None and any(not isinstance(task["source"], (str, os.PathLike)) for task in work):
        raise ValueError(
            "out= needs streams by name or path: of rows in memory it cannot be known whether a "
            "finished run was on the same ones."
        )
    kept = _Kept(None if out is None else Path(out))
    known = {} if out is None else {name: _known_by(name, model) for name, model in models.items()}
    keys = [_key(task, known.get(task["cell"]["learner"])) for task in work]
    missing = {key: task for key, task in zip(keys, work, strict=True) if key not in kept.rows}
    done = len(set(keys)) - len(missing)
    _check_streams(list(missing.values()), at_once)
    # Closed by name: what is interrupted here must not go on in the workers.
    with closing(finished(_run, missing, at_once)) as results:
        for key, row in results:
            kept.add(key, row)
            done += 1
            if progress is not None:
                progress(done, len(set(keys)), row)
    return [kept.rows[key] for key in dict.fromkeys(keys)]


def summary(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean over the seeds, and half the width of its 95 % interval.

    The interval is that of Student's t; NaN for a single run.

    Returns
    -------
    list of dict
        With the keys "stream", "learner", "strategy", "budget", "B", "seeds", and for each of
        :data:`MEASURES` its mean and, with "_half" appended, half of the interval.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _GROUP), []).append(row)
    found = []
    for group, members in groups.items():
        entry = dict(zip(_GROUP, group, strict=True)) | {
            "B": members[0]["B"],
            "seeds": len(members),
        }
        for measure in MEASURES:
            values = [float(member[measure]) for member in members]
            entry[measure] = float(np.mean(values))
            entry[f"{measure}_half"] = half_width(values)
        found.append(entry)
    return found


def half_width(values: Sequence[float]) -> float:
    """Return half the width of the 95 % interval of the mean; NaN for fewer than two values."""
    free = len(values) - 1
    if free < 1:
        return math.nan
    z = _NORMAL
    far = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    far += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    t = _STUDENT[free - 1] if free <= len(_STUDENT) else far
    return float(t * np.std(values, ddof=1) / math.sqrt(len(values)))


# --- what is to be done -----------------------------------------------------------------------


def _named(sources: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(sources, Mapping):
        return dict(sources)
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    named = {os.fspath(source): os.fspath(source) for source in sources}
    if "-" in named:
        raise ValueError("Standard input can be read once only: save it to a file to compare.")
    return named


def _models(learners: Sequence[str] | Mapping[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    if isinstance(learners, Mapping):
        return dict(learners)
    for name in learners:
        if name not in LEARNERS:
            raise ValueError(f"A learner is one of {', '.join(LEARNERS)}; got {name!r}.")
    return {name: LEARNERS[name](**params) for name in learners}


def _cells(names: Sequence[str], caps: list[str], seeds: list[int]) -> Iterator[dict[str, Any]]:
    for strategy in names:
        if strategy == "full":
            yield {"strategy": "full", "budget": None, "seed": None}
            continue
        for cap in caps:
            yield from ({"strategy": strategy, "budget": cap, "seed": seed} for seed in seeds)


def _short(budget: Budget) -> str:
    return str(budget).removeprefix("rate:")


def _check(work: list[dict[str, Any]]) -> None:
    """Refuse what cannot run before the first run begins."""
    if not work:
        raise ValueError("There is nothing to compare: each list needs at least one entry.")
    for task in work:
        strategy = task["cell"]["strategy"]
        if strategy != "full" and strategy not in asking.NAMES:
            listed = ", ".join(["full", *asking.NAMES])
            raise ValueError(f"A strategy is one of {listed}; got {strategy!r}.")
        if "/" in str(task["cell"]["budget"]) and task["settings"].get("times") is None:
            raise ValueError("A budget per time needs the column of the rows' times: pass times=.")
    for task in {(t["cell"]["learner"], t["cell"]["strategy"]): t for t in work}.values():
        _evaluation(task)


def _check_streams(work: list[dict[str, Any]], at_once: int) -> None:
    """Refuse a stream that cannot be opened, or read as often as there are runs on it."""
    runs = Counter(task["cell"]["stream"] for task in work)
    for name, task in {t["cell"]["stream"]: t for t in work}.items():
        if _is_by_name(task["source"]):  # a dataset takes long to load
            continue
        stream = open_named(task["source"], **task["reading"])
        stream.require_passes(runs[name])
        if stream.once:
            if min(at_once, len(work)) > 1:
                raise ValueError(f"{stream.name} cannot be read by another process: pass jobs=1.")
            task["source"] = stream  # to open it again might pass rows over


def _is_by_name(source: Any) -> bool:
    return isinstance(source, str) and not Path(source).exists()


def _evaluation(task: dict[str, Any], **more: Any) -> Evaluation:
    cell = task["cell"]
    full = cell["strategy"] == "full"
    chosen = {"strategy": None if full else cell["strategy"], "budget": cell["budget"]}
    name = {"name": cell["stream"], "random_state": 0 if full else cell["seed"]}
    given = {**task["settings"], "classes": task["classes"], "trained": task["trained"]}
    return Evaluation(task["model"], **{**given, **chosen, **name, **more})


def _classes(task: dict[str, Any]) -> list[Any] | None:
    """Return the classes of a stream for a model that must be told them, as evaluate finds them."""
    given: list[Any] | None = task["settings"].get("classes")
    if given is not None or not asks_for_classes(task["model"]):
        return given
    if task["trained"] == "continue" and hasattr(task["model"], "classes_"):
        known: list[Any] = task["model"].classes_.tolist()
        return known
    return classes_in(open_named(task["source"], **task["reading"]))


def _known_by(name: str, model: Any) -> str | None:
    """Return a text that tells a model of a user's from others of its class; ours need none.

    It is made of what a copy that has learned nothing holds. Where two copies differ, no text tells
    the model, and its runs are done again.
    """
    if isinstance(model, ConfidenceTreeClassifier):
        return None
    try:
        copies = untrained(model)
        text = state_of(copies)
        if text == state_of(untrained(copies)):
            return text
        why = "two copies that have learned nothing are not the same"
    except Exception as error:  # whatever the model's own code raises
        why = f"it cannot be pickled: {error}"
    warnings.warn(
        f"out= cannot tell the learner {name!r} from others of its kind, as {why}. Its runs are "
        "done again each time.",
        stacklevel=3,
    )
    return secrets.token_hex(8)


def _key(task: dict[str, Any], known: str | None) -> str:
    """Return all that a run depends on, as text; a file that changed makes another run."""
    source = task["source"]
    state = None
    if isinstance(source, (str, os.PathLike)) and Path(source).is_file():
        found = Path(source).stat()
        state = [found.st_size, found.st_mtime_ns]
    rest = {"reading": task["reading"], "limit": task["limit"], "settings": task["settings"]}
    about = _evaluation(task).settings()["model"]
    parts = {**task["cell"], "model": about, "file": state, "sapwood": __version__, **rest}
    if known is not None:
        parts |= {"known_by": known, "classes": task["classes"]}
    return json.dumps(plain(parts), sort_keys=True, default=repr)


# --- doing it ---------------------------------------------------------------------------------


class _Kept:
    """Rows by key, and the file of JSON lines that they are kept in."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {}
        if path is None or not path.exists():
            return
        text = path.read_text(encoding="utf-8")
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                key, row = entry["key"], entry["row"]
                if {*_GROUP, *MEASURES} <= row.keys():
                    self.rows[key] = row
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                continue  # a line that was cut short; its run is done again
        if text and not text.endswith("\n"):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def add(self, key: str, row: dict[str, Any]) -> None:
        self.rows[key] = row
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "row": row}) + "\n")


@lru_cache(maxsize=1)
def _opened(source: str, options: str) -> streams.Stream:
    """Keep the last dataset: the next run is often on the same one."""
    return open_named(source, **json.loads(options))


def _run(task: dict[str, Any]) -> dict[str, Any]:
    """Do one run; in a process of its own, if there are several."""
    source, cell = task["source"], task["cell"]
    if _is_by_name(source):
        stream = _opened(source, json.dumps(task["reading"], sort_keys=True))
    else:
        with warnings.catch_warnings():  # said before the first run
            warnings.simplefilter("ignore", streams.StreamWarning)
            stream = open_named(source, **task["reading"])
    run: Evaluation | None = None
    with read_for(stream, task["model"], task["trained"]):
        for X, y in limited(stream.chunks(), task["limit"]):
            if run is None:
                known = {"positive": as_label(task["settings"].get("positive"), y)}
                if task["classes"] is None:
                    known["classes"] = classes_declared(stream, task["model"], task["trained"])
                run = _evaluation(task, **known)
            run.feed(X, y)
    if run is None:
        raise stream.empty()
    run.note_faults(stream)
    rate = None if cell["budget"] is None else Budget.parse(cell["budget"]).B
    return {**cell, "B": rate, **run.result().metrics()}
