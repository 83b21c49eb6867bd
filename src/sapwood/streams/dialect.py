"""How a delimited file is written: its delimiter, header, and what its columns hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from .errors import StreamError
from .header import tell_header
from .labels import check_types, label_kind, listed
from .lines import RECORD_LIMIT, SAMPLE_BYTES, Lines
from .records import Records
from .texts import MISSING, doubt, kind_of

DELIMITERS = (",", ";", "\t", "|", " ")
SAMPLE_ROWS = 5000
_TRIED_ROWS = 50

_SAID = 5  # columns that are warned of one by one


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
    kinds : list of str
        What each column holds: "number", "truth", "time" or "text".
    label : int or None
        Place of the label column.
    label_kind : str
        "int", "whole", "truth" or "text".
    sampled : int
        Rows that were looked at.
    """

    records: Records
    names: list[str]
    start: int
    kinds: list[str]
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
    values = _columns(rows, len(first))
    kinds = list(map(kind_of, values))
    if header is None:
        numeric = [kind != "text" for kind in kinds]
        header, said = tell_header(first, values, numeric, named)
        if header and final and not sample[ends[0] :].strip():
            said = None
        if said:
            warn(said)
    if header:
        try:
            names = [field.decode() for field in first]
        except UnicodeDecodeError as error:
            raise StreamError(f"{file}, line 1: the header is not valid UTF-8: {error}") from None
        if final and not sample[ends[0] :].strip():
            raise StreamError(
                f"{file} has a header and no rows. Pass header=False if its one row is data."
            )
    else:
        names = [str(j) for j in range(len(first))]
        rows.insert(0, first)
        values = _columns(rows, len(first))
        kinds = list(map(kind_of, values))
    place = find_label(names)
    check_types(file, names, types)
    for j, name in enumerate(names):
        if name in types:
            kinds[j] = kind_of(values[j], types[name])
    doubtful = {
        name: said
        for j, (name, kind, column) in enumerate(zip(names, kinds, values, strict=True))
        if kind == "text" and j != place and name not in types and (said := doubt(name, column))
    }
    _warn_of(doubtful, warn)
    kind = "text"
    if place is not None:
        kind = label_kind(file, names[place], values[place], types.get(names[place]))
    return Dialect(records, names, ends[0] if header else 0, kinds, place, kind, len(rows))


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


def _columns(rows: list[list[bytes]], width: int) -> list[list[bytes]]:
    """Return the values of each column that are not missing."""
    columns = list(zip(*rows, strict=True)) or [()] * width
    return [[field for field in column if field not in MISSING] for column in columns]


def _warn_of(doubtful: dict[str, str], warn: Callable[[str], None]) -> None:
    """Say of which columns one may doubt that they are text, and why."""
    for name, said in list(doubtful.items())[:_SAID]:
        warn(
            f"the column {name!r} is taken for text: {said}; or pass "
            f"types={{{name!r}: 'categorical'}} to say that it is text."
        )
    if rest := list(doubtful)[_SAID:]:
        warn(f"so are {len(rest)} more columns, for such reasons: {listed(rest)}.")
