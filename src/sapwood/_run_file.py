"""The file of a run that was stopped: its scores as JSON, its learner as it is saved."""

from __future__ import annotations

import json
import pickle
from collections import deque

import numpy as np

from . import _learner_file
from ._container import pack, unpack
from ._scores import Scores
from .evaluation import Evaluation
from .results import plain


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
    if run._trial is not None:
        parts["trial"] = run.learner.model._model.trial_state(run._trial)
    return pack("run", json.loads(json.dumps(header)), parts)


def from_bytes(data: bytes, *, trusted: bool) -> Evaluation:
    """Return the run of which these are the bytes."""
    header, parts = unpack("run", data)
    settings = header["settings"]
    run = Evaluation.__new__(Evaluation)
    if "pickle" not in parts:
        run.learner = _learner_file.from_bytes(parts["learner"])
    elif trusted:
        run.learner = pickle.loads(parts["pickle"])
    else:
        raise ValueError(
            "The file holds a pickled model, and loading it can run code: pass trusted=True if you "
            "made the file yourself."
        )
    run.every, run.delay = settings["every"], settings["delay"]
    run.positive, run.name, run.times = settings["positive"], settings["stream"], settings["times"]
    run.n_rows, run.seconds, run.skipped = header["n_rows"], header["seconds"], header["skipped"]
    run.seeded, run._full, run._native = header["seeded"], header["full"], header["native"]
    run.label, run.fingerprint, run._broken = settings["label"], header["fingerprint"], False
    run._scores = scores = Scores()
    for label in header["classes"]:
        scores.code_of(label)
    table = (np.array(part, dtype=np.int64) for part in header["counts"])
    scores.add_pairs(*table, finished=header["stretches"])
    run._records = [tuple(record) for record in header["records"]]
    run._due = deque((at, question, label) for at, question, label in header["due"])
    run._trial = None
    if "trial" in parts:
        run._trial = run._new_trial()
        run.learner.model._model.restore_trial(run._trial, parts["trial"])
    return run
