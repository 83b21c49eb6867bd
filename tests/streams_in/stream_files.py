"""A small data set of all kinds of values, written in every format, and read back to plain rows."""

import csv
import io
import json
import math

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from sapwood._intake import read_table

NAMES = ["size", "city", "note", "count"]
ROWS = [
    (1.5, "Bari", "plain", 3.0),
    (None, "Roma", 'he said "no", twice', -4.0),
    (-2e-7, "São Paulo", "comma, inside", None),
    (0.0, None, "it's 100% {fine}", 7.0),
    (12345.678, "東京", None, 0.0),
    (3.0, "Bari", "back\\slash", 9e12),
    (None, None, "plain", 1.0),
]
LABELS = ["yes", "no", "so, so", "yes", "né", "no", "yes"]
EXPECTED = [dict(zip(NAMES, row, strict=True)) for row in ROWS]


def as_csv(delimiter=",", missing=""):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow([*NAMES, "class"])
    for row, label in zip(ROWS, LABELS, strict=True):
        writer.writerow([*(missing if v is None else v for v in row), label])
    return out.getvalue().encode()


def as_table():
    columns = {n: list(v) for n, v in zip(NAMES, zip(*ROWS, strict=True), strict=True)}
    return pa.table({**columns, "class": LABELS})


def as_parquet():
    out = io.BytesIO()
    pyarrow.parquet.write_table(as_table(), out, row_group_size=3)
    return out.getvalue()


def as_arrow(new=pyarrow.ipc.new_file):
    out = io.BytesIO()
    table = as_table()
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return out.getvalue()


def as_arrow_stream():
    return as_arrow(pyarrow.ipc.new_stream)


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def as_arff():
    cities = sorted({row[1] for row in ROWS if row[1]})
    lines = [
        "% a comment",
        "@RELATION 'all kinds'",
        "",
        "@attribute size REAL",
        f"@attribute city {{{', '.join(map(quoted, cities))}}}",
        "@Attribute 'note' string",
        "@attribute count integer",
        f"@attribute Class {{{','.join(map(quoted, sorted(set(LABELS))))}}}",
        "@DATA",
        "% another",
    ]
    for row, label in zip(ROWS, LABELS, strict=True):
        values = ["?" if v is None else quoted(v) if isinstance(v, str) else repr(v) for v in row]
        lines.append(", ".join([*values, quoted(label)]))
    return "\n".join(lines).encode()


def as_jsonl():
    rows = zip(EXPECTED, LABELS, strict=True)
    return "".join(json.dumps({**x, "class": y}) + "\n" for x, y in rows).encode()


WRITERS = {
    "a.csv": as_csv,
    "a.tsv": lambda: as_csv("\t", "NA"),
    "a.txt": lambda: as_csv("|", "?"),
    "semicolon.csv": lambda: as_csv(";", "null"),
    "a.parquet": as_parquet,
    "a.pq": as_parquet,
    "a.arrow": as_arrow,
    "a.feather": as_arrow,
    "stream.ipc": as_arrow_stream,
    "a.arff": as_arff,
    "a.jsonl": as_jsonl,
    "a.ndjson": as_jsonl,
}


def plain_rows(X):
    """Rows of a chunk as dicts, None where a value is missing, by way of what the core takes."""
    if isinstance(X, list) and isinstance(X[0], dict):
        return [{k: _plain(v) for k, v in row.items()} for row in X]
    table = read_table(X)
    columns = table.columns if isinstance(table.columns, list) else list(table.columns.T)
    names = table.names or range(len(columns))
    values = []
    for column in columns:
        if isinstance(column, tuple):
            codes, categories = column
            values.append([categories[code] if code >= 0 else None for code in codes.tolist()])
        else:
            values.append([_plain(v) for v in column.tolist()])
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _plain(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def drained(stream, rows=65536):
    """All rows and labels of a stream."""
    xs, ys = [], []
    for X, y in stream.chunks(rows):
        part = plain_rows(X)
        assert len(part) == len(y) > 0
        xs += part
        ys += list(y.tolist() if hasattr(y, "tolist") else y)
    return xs, ys
