"""How a delimited file is written: its delimiter, header, and what its columns hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from .errors import StreamError
from .header import MISSING, numberlike, tell_header
from .labels import NUMBER, check_types, label_kind
from .lines import RECORD_LIMIT, SAMPLE_BYTES, Lines
from .records import Records

DELIMITERS = (",", ";", "\t", "|", " ")
SAMPLE_ROWS = 5000
_TRIED_ROWS = 50

_NUMBERS = re.compile(rb"(?:%s\n)*+" % NUMBER.pattern)


@dataclass(frozen=True)
class Dialect:
    """What was found out about a delimited file.

    Attributes
    ----------
    records : Records
        Rules of its delimiter.
    names : list of str
        Names of all columns, in the file's order.
    start : int
        Bytes before the first row, taken by the header.
    numeric : list of bool
        Whether each column holds numbers.
    label : int or None
        Place of the label column.
    label_kind : str
        "int", "whole" or "text".
    sampled : int
        Rows that were looked at.
    """

    records: Records
    names: list[str]
    start: int
    numeric: list[bool]
    label: int | None
    label_kind: str
    sampled: int


def inspect(
    file: str,
    lines: Lines,
    *,
    find_label: Callable[[Sequence[str]], int | None],
    warn: Callable[[str], None],
    named: Collection[str],
    types: Mapping[str, str],
    delimiter: str | None,
    header: bool | None,
) -> Dialect:
    """Look at the beginning of a file, which is not advanced.

    Parameters
    ----------
    file : str
        For messages.
    lines : Lines
        The file from its beginning.
    find_label : callable
        Tells the place of the label among the columns' names.
    warn : callable
        Takes what one should know.
    named : collection of str
        Columns that the caller named.
    types : mapping
        Kinds of columns, by name.
    delimiter : str or None
        The delimiter; None: find it.
    header : bool or None
        Whether the first row names the columns; None: find out.
    """
    size = SAMPLE_BYTES
    while True:
        final = lines.fill(size + 1) <= size
        sample = lines.data[lines.at : lines.at + size]
        if not sample.strip():
            raise StreamError(f"{file} is empty.")
        if b"\r" in sample and b"\n" not in sample:
            raise StreamError(
                f"{file} has lines that end with a carriage return alone. Convert it."
            )
        records = Records(delimiter or _find_delimiter(sample, final))
        ends, rows = _rows(records, sample, final, SAMPLE_ROWS + 1)
        if len(rows) > 1 or final or size >= RECORD_LIMIT:
            break
        size *= 2  # very long rows: there must be one besides the header
    if not rows:
        raise StreamError(
            f"{file}: the first line has no end. A quote in it is opened and never closed, or it "
            "is too long."
        )
    first, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    values, numeric = _columns(rows, len(first))
    if header is None:
        header, said = tell_header(first, values, numeric, named)
        if header and final and not sample[ends[0] :].strip():
            said = None
        if said:
            warn(said)
    if header:
        names = _names(file, first)
        if final and not sample[ends[0] :].strip():
            raise StreamError(
                f"{file} has a header and no rows. Pass header=False if its one row is data."
            )
    else:
        names = [str(j) for j in range(len(first))]
        rows.insert(0, first)
        values, numeric = _columns(rows, len(first))
    place = find_label(names)
    if place is not None and len(names) == 1:
        raise StreamError(
            f"{file} has a single column, {names[0]!r}. Pass delimiter= if its columns are "
            "separated in another way, or label=False if it has no labels."
        )
    check_types(file, names, types)
    numeric = [
        types[name] == "numeric" if name in types else found
        for name, found in zip(names, numeric, strict=True)
    ]
    kind = "text"
    if place is not None:
        kind = label_kind(file, names[place], values[place], types.get(names[place]))
    return Dialect(records, names, ends[0] if header else 0, numeric, place, kind, len(rows))


def _find_delimiter(sample: bytes, final: bool) -> str:
    """Return the delimiter by which most records have the same number of fields, above one."""
    best, best_score = DELIMITERS[0], (0.0, 0)
    for delimiter in DELIMITERS:
        records = Records(delimiter)
        counts = Counter(len(row) for row in _rows(records, sample, final, _TRIED_ROWS)[1])
        if not counts:
            continue
        fields, rows = counts.most_common(1)[0]
        score = rows / counts.total(), fields
        if fields > 1 and score > best_score:
            if delimiter == " " and best_score[0] > 0.5:
                continue  # text has spaces
            best, best_score = delimiter, score
    return best


def _rows(
    records: Records, sample: bytes, final: bool, most: int
) -> tuple[list[int], list[list[bytes]]]:
    """Return the ends and fields of the first records.

    Later lines whose quotes are wrong are passed over.
    """
    ends: list[int] = []
    rows: list[list[bytes]] = []
    at = 0
    while at < len(sample) and len(rows) < most:
        end = records.end(sample, at, len(sample), final)
        if end is None or not records.is_strict(sample, at, end):
            at = sample.find(b"\n", at) + 1
            if not at or not rows:
                break
            continue
        if sample[at:end].strip(b" \t\r\n"):
            ends.append(end)
            rows.append(records.split(sample, at, end))
        at = end
    return ends, rows


def _columns(rows: list[list[bytes]], width: int) -> tuple[list[list[bytes]], list[bool]]:
    """Return the values of each column that are not missing, and whether they are numbers."""
    columns = list(zip(*rows, strict=True)) or [()] * width
    values = [[field for field in column if field not in MISSING] for column in columns]
    return values, list(map(_is_numeric, values))


def _is_numeric(values: list[bytes]) -> bool:
    """Tell a column of numbers; one odd value in fifty is a slip, to be named, and no category."""
    joined = b"\n".join([*values, b""])
    if _NUMBERS.fullmatch(joined) and joined.count(b"\n") == len(
        values
    ):  # in quotes there may be more
        return True
    odd = sum(not numberlike(value) for value in values)
    return odd * 50 <= len(values)


def _names(file: str, fields: list[bytes]) -> list[str]:
    try:
        names = [field.decode() for field in fields]
    except UnicodeDecodeError as error:
        raise StreamError(f"{file}, line 1: the header is not valid UTF-8: {error}") from None
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise StreamError(
            f"{file}: the column name {twice[0]!r} appears {names.count(twice[0])} times in the "
            "header. Column names must be unique."
        )
    return names
