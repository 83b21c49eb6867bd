"""The options that several verbs share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import drift as drifts
from .. import strategies
from .._params import MODEL_PARAMETERS, ON_ERROR, PARAMETERS
from ..streams.labels import LABEL_NAMES

_MODEL, _READING, _ASKING = "Model", "Reading", "Asking"


def _parameter(name: str) -> Any:
    """Return the option of a parameter of the tree, described by the table of parameters."""
    parameter = PARAMETERS[name]
    flag = "--" + name.replace("_", "-")
    words = f"{parameter.takes[0].upper()}{parameter.takes[1:]} (default: {parameter.default})."
    return typer.Option(flag, help=words, rich_help_panel=_MODEL)


Stream = Annotated[
    str,
    typer.Argument(
        metavar="STREAM",
        help="A file, '-' for standard input (with --format), a dataset such as electricity, or "
        "a random tree such as rand-cbt:leaves=8,per_leaf=2000.",
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        help=f"Name of the label column (default: the only one called {', '.join(LABEL_NAMES)}, "
        "else the last).",
        rich_help_panel=_READING,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        help="csv, parquet, arrow, arff, libsvm or jsonl (default: by the file's extension).",
        rich_help_panel=_READING,
    ),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--types",
        metavar="COLUMN=KIND",
        help="Take a column as numeric or categorical, such as code=categorical. Repeatable.",
        rich_help_panel=_READING,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of delimited text names the columns (default: found out).",
        rich_help_panel=_READING,
    ),
]
OnError = Annotated[
    str,
    typer.Option(
        help="At a bad row: stop; or take what is wrong as missing, else skip it; or skip and "
        "count it.",
        rich_help_panel=_READING,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(min=1, help="Use the first so many rows only.", rich_help_panel=_READING),
]
Criterion = Annotated[str | None, _parameter("criterion")]
Bound = Annotated[str | None, _parameter("bound")]
Factor = Annotated[str | None, _parameter("c")]
Delta = Annotated[str | None, _parameter("delta")]
LeafPrediction = Annotated[str | None, _parameter("leaf_prediction")]
GracePeriod = Annotated[str | None, _parameter("grace_period")]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help=f"Any parameter of the tree: {', '.join(MODEL_PARAMETERS)}. Repeatable.",
        rich_help_panel=_MODEL,
    ),
]
Drift = Annotated[
    str | None,
    typer.Option(help=f"Watch for drift: {', '.join(drifts.NAMES)}.", rich_help_panel=_ASKING),
]
Delay = Annotated[
    int,
    typer.Option(min=0, help="Rows between a question and its answer.", rich_help_panel=_ASKING),
]
Times = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the time of each row, in seconds or as dates, for a budget per time; it "
        "is not learned.",
        rich_help_panel=_ASKING,
    ),
]
Every = Annotated[int, typer.Option(min=1, help="Rows between two records of the curve.")]
Positive = Annotated[str | None, typer.Option(help="Class of the F-measure (default: the rarest).")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, whatever the output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]

STRATEGIES = ", ".join(["full", *strategies.NAMES])


def model_params(given: dict[str, str | None], pairs: list[str] | None) -> dict[str, Any]:
    """Return parameters of the tree from options, checked; only those that were given."""
    texts = {name: text for name, text in given.items() if text is not None}
    for name, text in split_pairs("--param", pairs).items():
        texts[name.replace("-", "_")] = text
    params = {}
    for name, text in texts.items():
        if name not in MODEL_PARAMETERS:
            listed = ", ".join(MODEL_PARAMETERS)
            raise ValueError(f"--param: there is no {name!r}; there are {listed}.")
        value = _value(name, text)
        if not PARAMETERS[name].accepts(value):
            raise ValueError(f"{name} must be {PARAMETERS[name].takes}; got {text!r}.")
        params[name] = value
    return params


def _value(name: str, text: str) -> Any:
    if name == "categorical_features":
        return [_value("", part) for part in text.split(",")]
    try:
        return None if text.lower() == "none" else json.loads(text)
    except ValueError:
        return text


def reading(
    label: str | None,
    format: str | None,
    types: list[str] | None,
    on_error: str,
    header: bool | None = None,
) -> dict[str, Any]:
    """Return the options of :func:`sapwood.streams.open`."""
    if on_error not in ON_ERROR:
        raise ValueError(
            f"--on-error is {', '.join(ON_ERROR[:-1])} or {ON_ERROR[-1]}; got {on_error!r}."
        )
    kinds = split_pairs("--types", types) or None
    how = {"label": label, "format": format, "types": kinds, "on_error": on_error}
    return how | {"header": header}


def split_pairs(option: str, pairs: list[str] | None) -> dict[str, str]:
    """Return a mapping from texts like name=value."""
    found = {}
    for pair in pairs or []:
        # A name may hold "=", a value not, so the last one parts them.
        name, equals, value = pair.rpartition("=")
        if not equals or not name:
            raise ValueError(f"{option} takes name=value; got {pair!r}.")
        found[name] = value
    return found


def split_lists(texts: list[str]) -> list[str]:
    """Return the entries of texts that may hold several, parted by commas."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def out_file(path: Path, force: bool) -> Path:
    """Refuse to replace a file unless told to."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file.")
    if path.exists() and not force:
        raise ValueError(f"{path} is there already. Pass --force to replace it.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}.")
    return path
