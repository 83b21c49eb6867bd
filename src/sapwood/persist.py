"""Saving and loading: one format, written and checked by the core.

The file holds the constructor's parameters, the names and the tree, with a version and a checksum;
no clock and no code. ARCHITECTURE.md describes it. Pickle and copy use the same bytes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._container import MAGIC, reading, write_whole
from ._params import MODEL_PARAMETERS, PARAMETERS, for_core, kept, of_model, to_json, validate

if TYPE_CHECKING:
    from .tree import ConfidenceTreeClassifier

_BEGINNING = b"\x89SAP"  # of models, and of learners and runs

_FACES = ("sapwood", "sapwood.river")


def _face_of(tree: ConfidenceTreeClassifier) -> str:
    """Which public class a model belongs to; a subclass is saved as the public class it extends."""
    for cls in type(tree).__mro__:
        if cls.__module__ == "sapwood.river":
            return "sapwood.river"
    return "sapwood"


def _has_begun(model: _core.Model) -> bool:
    """Whether it knows more than its parameters and the time."""
    return bool(model.classes or model.columns)


def to_bytes(tree: ConfidenceTreeClassifier) -> bytes:
    """Return the file's bytes."""
    params = tree.get_params()
    validate(params)
    model, waiting, in_force = tree._model, tree._waiting, tree._in_force
    if model is None or not _has_begun(model):
        in_force = None  # it begins with what the parameters are by then
        waiting = waiting if model is None else model.t
        model = _core.Model(for_core(params))
        model.advance(waiting)
    owner: dict[str, Any] = {
        "class": _face_of(tree),
        "classes_fixed": model.classes_declared,
        "params": to_json(of_model(params)) | (in_force or {}),
    }
    known = model.columns
    if list(tree._first_columns) != known:  # else there is nothing to tell
        owner["first_columns"] = [known.index(name) for name in tree._first_columns]
    return model.to_bytes(json.dumps(owner, sort_keys=True, separators=(",", ":")))


def save(tree: ConfidenceTreeClassifier, path: str | os.PathLike[str]) -> None:
    """Write the file as a whole or not at all: a crash leaves what was there before."""
    require_in_force(tree)
    write_whole(path, to_bytes(tree))


def require_in_force(tree: ConfidenceTreeClassifier) -> None:
    """Raise ValueError if a parameter was changed that a model which has begun does not heed."""
    wanted = kept(tree.get_params())
    for name, used in (tree._in_force or {}).items():
        if tree._model is not None and wanted[name] != used:
            raise ValueError(
                f"{name} was changed to {wanted[name]!r}, but the model learns with {used!r} until "
                f"it is fitted anew: call fit, or set_params({name}={used!r}) to keep it as it is."
            )


def _read(data: bytes) -> tuple[dict[str, Any], dict[str, Any], _core.Model]:
    """Return what is written around a model, its parameters, and the model."""
    model, text = _core.Model.from_bytes(data)
    try:
        owner = json.loads(text)
        params = {name: parameter.default for name, parameter in PARAMETERS.items()}
        params.update(owner["params"])
        known = owner["class"] in _FACES and isinstance(owner["classes_fixed"], bool)
        places = owner.setdefault("first_columns", list(range(len(model.columns))))
        known = known and set(map(type, places)) <= {int} and len(set(places)) == len(places)
        known = known and set(places) <= set(range(len(model.columns)))
        known = known and set(owner["params"]) <= set(MODEL_PARAMETERS)
        validate(params)
    except (ValueError, TypeError, KeyError, RecursionError):
        known = False
    if not known:
        raise ValueError("Not a readable sapwood model: its parameters are broken.")
    return owner, params, model


def _give(tree: ConfidenceTreeClassifier, owner: dict[str, Any], model: _core.Model) -> None:
    if owner["classes_fixed"]:
        model.declare_classes(model.classes)
    tree._in_force = kept(tree.get_params())
    columns = model.columns
    tree._first_columns = tuple(columns[place] for place in owner["first_columns"])
    if _has_begun(model):
        tree._model = model
    else:
        tree._waiting = model.t


def restore(tree: ConfidenceTreeClassifier, data: bytes) -> None:
    """Put the bytes' model and parameters into an object that was just made."""
    owner, params, model = _read(data)
    for name, value in params.items():
        setattr(tree, name, value)
    _give(tree, owner, model)


def from_bytes(data: bytes) -> ConfidenceTreeClassifier:
    """Return the model of which these are the bytes."""
    from .tree import ConfidenceTreeClassifier

    owner, params, model = _read(bytes(memoryview(data)))
    cls = ConfidenceTreeClassifier
    if owner["class"] == "sapwood.river":
        from . import river

        cls = river.ConfidenceTreeClassifier
    tree = cls(**params)
    _give(tree, owner, model)
    return tree


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as one of ours does, be it whole or not."""
    with Path(path).open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model or a learner that its ``save`` wrote.

    Returns
    -------
    ConfidenceTreeClassifier or ActiveLearner
        Whichever was saved.

    Raises
    ------
    ValueError
        If the file is not a model, is damaged, or comes from a newer version; nothing in it is run.
    """
    data = Path(path).read_bytes()
    with reading(path):
        if data.startswith(MAGIC):
            from ._learner_file import from_bytes as learner_from_bytes

            return learner_from_bytes(data)
        return from_bytes(data)
