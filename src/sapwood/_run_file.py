"""The file of a run that was stopped: its scores as JSON, its learner as it is saved."""

from __future__ import annotations

import json
import pickle
from collections import deque
from typing import Any

import numpy as np

from . import _fields as f
from . import _learner_file
from ._container import pack, reading, unpack
from ._fields import require, require_fields
from ._scores import Scores
from .active import ActiveLearner
from .evaluation import Evaluation
from .results import plain

_FIELDS = {
    "settings": f.of(dict),
    "seeded": f.flag,
    "fingerprint": f.text,
    "full": f.flag,
    "native": f.flag,
    "n_rows": f.count,
    "seconds": f.number,
    "skipped": f.count,
    "mended": f.count,
    "classes": f.each(f.label),
    "stretches": f.count,
    "counts": f.record(f.each(f.count), f.each(f.count), f.each(f.count)),
    "records": f.each(f.record(f.count, f.count, f.count, f.count, f.number)),
    "due": f.each(f.record(f.count, f.count, f.label)),
}
_SETTINGS = {
    "model": f.of(dict),
    "stream": f.text,
    "label": f.cell,
    "delay": f.count,
    "every": lambda value: f.count(value) and value > 0,
    "positive": f.cell,
    "times": f.cell,
}


def to_bytes(run: Evaluation) -> bytes:
    """Return the file's bytes."""
    scores = run._scores
    header = {
        "settings": plain(run.settings()),
        "seeded": run.seeded,
        "fingerprint": run.fingerprint,
        "full": run._full,
        "native": run._native,
        "n_rows": run.n_rows,
        "seconds": run.seconds,
        "skipped": run.skipped,
        **({"mended": run.mended} if run.mended else {}),  # files were written without it before
        "classes": plain(scores.classes),
        "stretches": scores.stretches,
        "counts": [part.tolist() for part in scores.table()],
        "records": plain(run._records),
        "due": plain(list(run._due)),
    }
    parts = {}
    try:
        parts["learner"] = _learner_file.to_bytes(run.learner)
    except TypeError:
        parts["pickle"] = pickle.dumps(run.learner)
    trial = run._trial_state()
    if trial is not None:
        parts["trial"] = trial
    return pack("run", json.loads(json.dumps(header)), parts)


class Kept:
    """A run as its file keeps it; its model is not looked at before it is asked for.

    Parameters
    ----------
    data : bytes
        The file; ValueError if it is not that of a run.
    """

    def __init__(self, data: bytes) -> None:
        with reading():
            self._header, self._parts = unpack("run", data)
            require_fields({"mended": 0, **self._header}, _FIELDS)
            self.settings: dict[str, Any] = self._header["settings"]
            self.fingerprint: str = self._header["fingerprint"]
            require_fields(self.settings, _SETTINGS)

    @property
    def is_pickled(self) -> bool:
        """Whether loading it can run code."""
        return "pickle" in self._parts

    def run(self, *, trusted: bool) -> Evaluation:
        """Return the run; ``trusted`` allows to unpickle its model."""
        if not self.is_pickled:
            with reading():
                return self._run(_learner_file.from_bytes(self._parts["learner"]))
        if not trusted:
            raise ValueError(
                "The file holds a pickled model, and loading it can run code: pass trusted=True if "
                "you made the file yourself."
            )
        try:
            learner = pickle.loads(self._parts["pickle"])
        except Exception as error:  # whatever the model's own code raises
            raise ValueError(f"Its model cannot be unpickled: {error!r}.") from error
        with reading():
            require(isinstance(learner, ActiveLearner), "its pickle is no learner")
            return self._run(learner)

    def _run(self, learner: ActiveLearner) -> Evaluation:
        header, settings = self._header, self.settings
        run = Evaluation.__new__(Evaluation)
        run.learner = learner
        run.every, run.delay, run.positive = (settings[n] for n in ("every", "delay", "positive"))
        run.name, run.times, run.label = (settings[n] for n in ("stream", "times", "label"))
        run.n_rows, run.seconds, run.skipped = (header[n] for n in ("n_rows", "seconds", "skipped"))
        run.mended = header.get("mended", 0)
        require(f.count(run.mended), "its field 'mended' is not what it should be")
        run.seeded, run._full, run._native = (header[n] for n in ("seeded", "full", "native"))
        run.fingerprint, run._broken = self.fingerprint, False
        run._begun_from = settings["model"].get("state")
        run._scores = self._scores()
        run._records = [tuple(record) for record in header["records"]]
        run._due = deque((at, question, label) for at, question, label in header["due"])
        run._trial = None
        if "trial" in self._parts:
            run._restore_trial(self._parts["trial"])
        return run

    def _scores(self) -> Scores:
        header, scores = self._header, Scores()
        for label in header["classes"]:
            scores.code_of(label)
        k, finished = len(header["classes"]), header["stretches"]
        require(len(scores.classes) == k, "it lists a class twice")
        stretches, pairs, rows = (np.array(part, dtype=np.int64) for part in header["counts"])
        require(len(stretches) == len(pairs) == len(rows), "its counts are cut short")
        scores.add_pairs(stretches, pairs, rows, finished=finished)
        confusion = scores.confusion()
        sound = bool((confusion.predicted < k).all() and (pairs >> 32 < k).all())
        sound = sound and bool((rows > 0).all() and (np.diff(stretches) >= 0).all())
        sound = sound and bool((stretches <= finished).all()) and scores.rows == header["n_rows"]
        sound = sound and finished == len(header["records"])
        require(
            sound and finished == header["n_rows"] // header["settings"]["every"],
            "its scores do not add up",
        )
        return scores


def from_bytes(data: bytes, *, trusted: bool) -> Evaluation:
    """Return the run of which these are the bytes."""
    return Kept(data).run(trusted=trusted)
