"""The header of an ARFF file, and how its values are quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .._times import from_text
from . import dateformat
from .errors import StreamError
from .lines import SAMPLE_BYTES, Lines

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE | re.DOTALL)
COMMENT_HINT = " (without quotes, % begins a comment)"
_CODE = re.compile(rf"""(?:[^%'"]++|(?<![^,{{\s])(?:{_QUOTED})|['"])*+""", re.DOTALL)
_FIELD = re.compile(rf"\s*(?:({_QUOTED})\s*(?=,|\Z)|([^,]*))")
_DATA = re.compile(rb"^[ \t]*@data\b[^\n]*(?:\n|\Z)", re.IGNORECASE | re.MULTILINE)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """A column of an ARFF file.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"numeric", "nominal", "string", "date"}
        What it holds.
    values : dict
        The declared values of a nominal one, in order, and their ranks.
    read : callable
        Returns the seconds of a date that is written, None if none is.
    """

    name: str
    kind: str
    values: dict[str, int] = field(default_factory=dict)
    read: Callable[[str], float | None] = from_text


class Value(NamedTuple):
    """A field of a row; what is in quotes is never missing."""

    text: str
    quoted: bool

    @property
    def missing(self) -> bool:
        """Whether the field stands for a missing value."""
        return self.text == "?" and not self.quoted


def unquote(text: str) -> str:
    """Return the text in quotes, with its escapes undone; ValueError if they write no text."""

    def undone(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)

    plain = _ESCAPE.sub(undone, text[1:-1])
    if "\\u" not in text:
        return plain
    try:  # what is beyond 16 bits is written as two escapes
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ValueError(f"{text} has half of a surrogate pair, which is no text") from None


def without_comment(text: str) -> str:
    """Return a line up to the first % that is not in quotes."""
    if "%" not in text:
        return text
    match = _CODE.match(text)
    assert match is not None  # it may be empty
    return match.group()


def split_values(text: str) -> list[Value]:
    """Return the fields of a row, separated by commas.

    Raises
    ------
    ValueError
        If a quote is opened and not closed, or text follows a quote that is.
    """
    if "'" not in text and '"' not in text:
        return [Value(field.strip(), False) for field in text.split(",")]
    values = []
    at = 0
    while True:
        match = _FIELD.match(text, at)
        assert match is not None  # it may be empty
        quoted, plain = match.groups()
        if quoted is not None:
            values.append(Value(unquote(quoted), True))
        elif plain.startswith(("'", '"')):
            raise ValueError("a quote is opened and never closed, or text follows it")
        else:
            values.append(Value(plain.strip(), False))
        at = match.end() + 1
        if at > len(text):
            return values


def read_header(file: str, lines: Lines, types: Mapping[str, str]) -> tuple[list[Attribute], int]:
    """Return the attributes and the header's length in bytes; nothing is advanced.

    Parameters
    ----------
    file : str
        For messages.
    lines : Lines
        The file from its beginning.
    types : mapping
        Kinds to use instead of the declared ones.
    """
    held = lines.fill(SAMPLE_BYTES)
    while (end := _DATA.search(lines.data, lines.at)) is None and not lines.ended:
        held = lines.fill(2 * held)
    if not lines.data[lines.at :].strip():
        raise StreamError(f"{file} is empty.")
    if end is None:
        raise StreamError(f"{file} has no @data line: it is cut short or no ARFF file.")
    attributes: list[Attribute] = []
    text = lines.data[lines.at : end.start()]
    try:
        header = text.decode()
    except UnicodeDecodeError as error:
        raise StreamError(f"{file}: the header is not valid UTF-8: {error}") from None
    for number, whole in enumerate(header.split("\n"), 1):
        line = without_comment(whole).strip()
        if not line or line.lower().startswith("@relation"):
            continue
        try:
            attributes.append(_attribute(line, types))
        except ValueError as error:
            hint = COMMENT_HINT if "%" in whole else ""
            raise StreamError(f"{file}, line {number}: {error}{hint}") from None
    if not attributes:
        raise StreamError(f"{file} declares no attributes.")
    return attributes, end.end() - lines.at


def _attribute(line: str, types: Mapping[str, str]) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise ValueError(f"{line[:60]!r} is no @relation, @attribute or @data")
    name, kind = match.groups()
    name = unquote(name) if name[0] in "'\"" else name
    declared = types.get(name)
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise ValueError(f"the values of {name!r} do not end with a brace")
        if declared == "numeric":
            return Attribute(name, "numeric")
        values = tuple(value.text for value in split_values(kind[1:-1]))
        if len(set(values)) < len(values):
            raise ValueError(f"the values of {name!r} must differ; some appear twice")
        return Attribute(name, "nominal", {value: rank for rank, value in enumerate(values)})
    word = kind.split()[0].lower() if kind else ""
    if word in _NUMERIC:
        return Attribute(name, "string" if declared == "categorical" else "numeric")
    if word == "string":
        return Attribute(name, "numeric" if declared == "numeric" else "string")
    if word == "date":
        return _date(name, kind[len(word) :].strip(), declared)
    if word == "relational":
        raise ValueError(
            f"the attribute {name!r} is of type relational, which is not supported; make it "
            "numeric or nominal"
        )
    raise ValueError(f"the attribute {name!r} has the unknown type {kind!r}")


def _date(name: str, pattern: str, declared: str | None) -> Attribute:
    if declared == "categorical":
        return Attribute(name, "string")
    pattern = unquote(pattern) if pattern[:1] in ("'", '"') else pattern
    try:
        return Attribute(name, "date", read=dateformat.reader_of(pattern or dateformat.DEFAULT))
    except ValueError as error:
        raise ValueError(
            f"the attribute {name!r}: {error}; pass types={{{name!r}: 'categorical'}} to take it "
            "as text"
        ) from None
