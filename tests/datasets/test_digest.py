"""The digest: blind to how a table is stored, not to what it says."""

import hashlib
import struct

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from sapwood.datasets import digest  # noqa: E402
from sapwood.datasets.catalogue import CATALOGUE  # noqa: E402

COLUMNS = {"a": [1.0, 2.5, 0.0], "b": ["x", "y", "x"], "class": ["-1", "+1", "-1"]}
TABLE = pa.table(COLUMNS)


def test_the_bytes_are_those_of_the_docstring():
    said = b"sapwood table 1\n" + struct.pack("<QQ", 3, 2)
    said += struct.pack("<I", 2) + "ä".encode() + b"#" + struct.pack("<3d", 1, 2.5, 0)
    said += struct.pack("<I", 5) + b"class" + b"$" + struct.pack("<3I", 2, 0, 1) + b"upd"
    table = pa.table({"ä": [1.0, 2.5, -0.0], "class": ["up", "", "d"]})
    assert digest(table) == hashlib.sha256(said).hexdigest()


def test_any_value_changes_it():
    seen = {digest(TABLE)}
    for name, other in (("a", 7.0), ("b", "z"), ("class", "0")):
        for row in range(3):
            values = list(COLUMNS[name])
            values[row] = other
            seen.add(digest(pa.table(COLUMNS | {name: values})))
    assert len(seen) == 10


@pytest.mark.parametrize(
    "other",
    [
        TABLE.rename_columns(["a", "c", "class"]),
        TABLE.select(["b", "a", "class"]),
        TABLE.select(["a", "class"]),
        TABLE.slice(0, 2),
        TABLE.take([1, 0, 2]),
        pa.table(COLUMNS | {"b": ["xy", "", "x"]}),  # the same letters, cut elsewhere
        pa.table(COLUMNS | {"a": ["1.0", "2.5", "0.0"]}),
        pa.table(COLUMNS | {"a": [1.0, np.nextafter(2.5, 3), 0.0]}),
    ],
)
def test_any_other_table_has_another(other):
    assert digest(other) != digest(TABLE)


def test_the_storage_leaves_no_trace():
    two = pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1)])
    encoded = two.set_column(1, "b", two["b"].dictionary_encode())
    turned = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], "int8"), ["y", "x", "unused"])
    ints = pa.table({"a": pa.array([1, 2, 0], "int8")})
    assert digest(two) == digest(encoded) == digest(TABLE)
    assert digest(TABLE.set_column(1, "b", turned)) == digest(TABLE)
    assert digest(ints) == digest(pa.table({"a": pa.array([1, 2, 0], "float32")}))
    assert digest(pa.table({"a": [0.0]})) == digest(pa.table({"a": [-0.0]}))
    assert digest(TABLE.slice(0, 0)) != digest(TABLE)


@pytest.mark.parametrize("column", [[1.0, None], ["x", None]])
def test_missing_values_are_refused(column):
    with pytest.raises(ValueError, match="missing values"):
        digest(pa.table({"a": column}))


def test_each_dataset_has_its_own():
    assert len({dataset.sha256 for dataset in CATALOGUE.values()}) == len(CATALOGUE)
    assert all(len(dataset.sha256) == 64 for dataset in CATALOGUE.values())


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_the_real_data_have_the_digest_of_the_catalogue(name, real_folder):
    from sapwood.datasets import load

    dataset = CATALOGUE[name]
    X, y = load(name, folder=real_folder)
    assert X.num_rows == len(y) == dataset.rows
    assert set(y) == set(dataset.classes)
    assert digest(X.append_column("class", pa.array(y))) == dataset.sha256
