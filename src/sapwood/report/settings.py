"""What repeats a run: a table of its settings, and what to type."""

from __future__ import annotations

import ast
import contextlib
import html
import inspect
import re
import shlex
from collections.abc import Iterator
from typing import Any

from ..results import plain
from .page import name_cell, section, table
from .words import escaped, printable

_FILE = re.compile(r"[^<>|\"\n]+\.[A-Za-z0-9]{1,8}")
_DEFAULTS = {
    "budget": None,
    "delay": 0,
    "every": 1000,
    "random_state": None,
    "positive": None,
    "times": None,
    "classes": None,
}


def settings_section(settings: dict[str, Any]) -> str:
    """Return the section of a report about how to repeat the run; empty without settings."""
    if not settings:
        return ""
    values = plain(settings)
    rows = [
        [name_cell(name), f'<td class="long"><code>{escaped(shown, 1000)}</code></td>']
        for name, shown in flattened(values)
        if name != "command"
    ]
    parts = []
    command, code = values.get("command"), snippet(values)
    if isinstance(command, (str, list)):
        text = command if isinstance(command, str) else shlex.join(map(str, command))
        parts.append(_pre(text))
    if code is not None:
        parts.append(_pre(code))
    if rows:
        parts.append(table([], rows, "full"))
    return section("To repeat it", *parts)


def flattened(values: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every setting, those of a part as ``model.c``."""
    if isinstance(values, dict) and (values or not name):
        for key, value in values.items():
            yield from flattened(value, f"{name}.{key}" if name else str(key))
    else:
        yield name, values if isinstance(values, str) and values.strip() else repr(values)


def snippet(settings: dict[str, Any]) -> str | None:
    """Return Python that repeats a run; None if the settings do not tell all of it.

    Parameters
    ----------
    settings : dict
        Those of a result, as plain values.
    """
    import sapwood

    model, strategy = settings.get("model"), settings.get("strategy")
    stream, drift = settings.get("stream"), settings.get("drift")
    if not isinstance(model, dict) or not isinstance(model.get("class"), str):
        return None
    kind = model["class"]
    if kind not in sapwood.__all__ or "state" in model:  # what it had learned is told nowhere
        return None
    imports, arguments = ["import sapwood"], []
    if isinstance(strategy, dict) and "name" in strategy:
        imports.append("from sapwood.strategies import Strategy")
        rest = _keywords({k: v for k, v in strategy.items() if k != "name"})
        inside = ", ".join([repr(strategy["name"]), *rest])
        arguments.append(f"strategy=Strategy({inside})")
    elif isinstance(strategy, str) and re.fullmatch(r"[a-z-]+", strategy):
        arguments.append(f"strategy={strategy!r}")
    elif strategy is not None:  # an object of the user's own
        return None
    if isinstance(drift, dict):
        imports.append("from sapwood.drift import Drift")
        arguments.append(f"drift=Drift.of({drift!r})")
    elif drift is not None:
        arguments.append(f"drift={drift!r}")
    for key in _DEFAULTS:
        if settings.get(key, _DEFAULTS[key]) != _DEFAULTS[key]:
            arguments.append(f"{key}={settings[key]!r}")
    params = _keywords(_chosen(getattr(sapwood, kind), model))
    source = _source(stream, settings.get("reading"))
    if source is None:
        return None
    lines = [*sorted(imports, key=lambda line: line.split()[1]), ""]
    if source == "stream":
        lines.append("stream = (X, y)  # the rows and their labels, in the order of the run")
    lines.append(f"model = {_call(f'sapwood.{kind}', params)}")
    lines.append(f"result = {_call('sapwood.evaluate', [source, 'model', *arguments])}")
    return "\n".join(lines)


def _source(stream: Any, reading: Any) -> str | None:
    """Return the stream as code; None if that is not known."""
    if not isinstance(reading, dict):  # not from the command line: a bare file name, or a table
        return repr(stream) if isinstance(stream, str) and _FILE.fullmatch(stream) else "stream"
    name = str(reading.get("source"))
    if reading.get("limit") or name == "-" or name.startswith("rand-cbt"):
        return None
    if not _FILE.fullmatch(name):
        return f"sapwood.datasets.load({name!r})"
    usual = {"on_error": "stop", "source": name}
    given = {k: v for k, v in reading.items() if v is not None and v != usual.get(k)}
    options = _keywords({k: v for k, v in given.items() if k != "limit"})
    return f"sapwood.streams.open({', '.join([repr(name), *options])})" if options else repr(name)


def _chosen(kind: Any, model: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a model that are not its defaults."""
    known = inspect.signature(kind).parameters
    return {
        name: value
        for name, value in model.items()
        if name != "class" and (name not in known or value != known[name].default)
    }


def _keywords(values: dict[str, Any]) -> list[str]:
    return [f"{name}={_literal(value)}" for name, value in values.items()]


def _literal(value: Any) -> str:
    """Return a value as code; settings hold lists as the text of their code."""
    if isinstance(value, str) and value[:1] in ("[", "(", "{"):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return repr(ast.literal_eval(value))
    return repr(value)


def _call(name: str, arguments: list[str]) -> str:
    """Return a call, an argument a line where it would be long."""
    short = f"{name}({', '.join(arguments)})"
    if len(short) <= 88:
        return short
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def _pre(text: str) -> str:
    lines = (html.escape(printable(line), quote=True) if line else "" for line in text.split("\n"))
    return "<pre><code>" + "\n".join(lines) + "</code></pre>"
