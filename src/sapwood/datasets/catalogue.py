"""The real datasets of the paper: what each holds, where it comes from, and its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["CATALOGUE", "LABEL", "WHEEL", "Dataset", "find"]

LABEL = "class"
NOMINAL = "nominal"
WHEEL = "scikit_multiflow-0.4.1-cp37-cp37m-manylinux1_x86_64.whl"

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
_OPENML = "https://data.openml.org/datasets/0000/"


@dataclass(frozen=True)
class Dataset:
    """One dataset: its columns, and how to have it from its source.

    Parameters
    ----------
    name : str
        Its name here, and that of its Parquet file.
    rows : int
        Number of examples.
    columns : mapping of str to str
        The attributes and their types in the cache: an Arrow type or "nominal".
    labels : mapping of str to str
        The source's labels, as text, to the classes here, in the order of the categories.
    sha256 : str
        `sapwood.datasets.digest` of the whole table.
    form : {"libsvm", "openml", "wheel"}
        What the source's files are.
    urls : tuple of str
        The source's files, one after the other. For a wheel: the name of the file on PyPI.
    member : str
        The CSV file inside the wheel.
    taken : tuple of str
        The source's names of the attributes and of the label, where they are other names.
    decimals : int or None
        Places that the source's values have: wipes off the noise of its own arithmetic.
    stand_ins : tuple of tuple of str
        Other Parquet files that hold this dataset: attributes in the first, classes in the last.
    complete : bool
        Whether these are all rows and all attributes of the original.
    source, citation, note : str
        For the reader of `sapwood.datasets.available`.
    """

    name: str
    rows: int
    columns: Mapping[str, str]
    labels: Mapping[str, str]
    sha256: str
    form: str
    urls: tuple[str, ...]
    source: str
    citation: str
    member: str = ""
    taken: tuple[str, ...] = ()
    decimals: int | None = None
    stand_ins: tuple[tuple[str, ...], ...] = ()
    complete: bool = True
    note: str = ""
    classes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(dict.fromkeys(self.labels.values())))


_SIX = dict.fromkeys(
    ["period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"], "float64"
)
_COVER = (
    dict.fromkeys(
        [
            "Elevation",
            "Aspect",
            "Slope",
            "Horizontal_Distance_To_Hydrology",
            "Vertical_Distance_To_Hydrology",
            "Horizontal_Distance_To_Roadways",
            "Hillshade_9am",
            "Hillshade_Noon",
            "Hillshade_3pm",
            "Horizontal_Distance_To_Fire_Points",
        ],
        "int16",
    )
    | {f"Wilderness_Area{i}": "uint8" for i in range(1, 5)}
    | {f"Soil_Type{i}": "uint8" for i in range(1, 41)}
)
_MULTIFLOW = "PyPI, inside the wheel scikit-multiflow 0.4.1 (not installed)"
_HARRIES = "Harries (1999), Splice-2 comparative evaluation: electricity pricing, UNSW. "
_BLACKARD = (
    "Blackard and Dean (1999), Computers and Electronics in Agriculture 24. Copyright Jock A. "
    "Blackard and Colorado State University; CC BY 4.0 at UCI."
)

_ALL = [
    Dataset(
        name="electricity",
        rows=45_312,
        columns={"date": "float64", "day": NOMINAL} | _SIX,
        labels={"UP": "UP", "DOWN": "DOWN"},
        sha256="efdc963dc42b035b22b9ca2918b5fda118073fd1ae6b5bda7a0c879f127b6290",
        form="openml",
        urls=(_OPENML + "0151/dataset_151.pq",),
        decimals=6,
        source="OpenML 151",
        citation=_HARRIES + "OpenML: public.",
        note="In time order; MOA's normalised form. PyPI has six attributes: electricity6.",
    ),
    Dataset(
        name="electricity6",
        rows=45_312,
        columns=_SIX,
        labels={"1": "UP", "0": "DOWN"},
        sha256="272f417642c1fa85488e725fe2c9c359bbc7458a6bff6140cbd9c33c27e598c3",
        form="wheel",
        urls=(WHEEL,),
        member="skmultiflow/data/datasets/elec.csv",
        taken=(*(f"feat_{i}" for i in range(1, 7)), "target"),
        decimals=6,
        stand_ins=(("electricity.parquet",),),
        complete=False,
        source=_MULTIFLOW,
        citation=_HARRIES + "The wheel: BSD-3-Clause.",
        note="Electricity without date and day: the same rows, six of the eight attributes.",
    ),
    Dataset(
        name="airlines",
        rows=539_383,
        columns={
            "Airline": NOMINAL,
            "Flight": "int16",
            "AirportFrom": NOMINAL,
            "AirportTo": NOMINAL,
            "DayOfWeek": NOMINAL,
            "Time": "int16",
            "Length": "int16",
        },
        labels={"0": "0", "1": "1"},
        sha256="0348214d00924d491a454801a4566bad1aff3be275487233c835801814a08010",
        form="openml",
        urls=(_OPENML + "1169/dataset_1169.pq",),
        taken=(
            *("Airline", "Flight", "AirportFrom", "AirportTo", "DayOfWeek", "Time", "Length"),
            "Delay",
        ),
        source="OpenML 1169",
        citation="Ikonomovska, from the Data Expo 2009 (US flights). OpenML: public.",
        note="In the original order.",
    ),
    Dataset(
        name="covertype",
        rows=581_012,
        columns=_COVER,
        labels={"1": "1", "2": "2"} | dict.fromkeys("34567", "1"),
        sha256="99a6c9c4ebb7fd035d82f163a7a51ed245008b5154a502a98d204818fd3ca52c",
        form="wheel",
        urls=(WHEEL,),
        member="skmultiflow/data/datasets/covtype.csv",
        taken=(*_COVER, "Cover_Type"),
        source=_MULTIFLOW,
        citation=_BLACKARD,
        note="In UCI's order; class 2 against the rest, which is 1.",
    ),
    Dataset(
        name="covertype7",
        rows=581_012,
        columns=_COVER,
        labels={label: label for label in "1234567"},
        sha256="cf74b17c7eca270afe303e56b100c3de52b09aeed59ac107e86acae0619b15d6",
        form="wheel",
        urls=(WHEEL,),
        member="skmultiflow/data/datasets/covtype.csv",
        taken=(*_COVER, "Cover_Type"),
        stand_ins=(("covertype.parquet", "covertype_labels7.parquet"),),
        source=_MULTIFLOW,
        citation=_BLACKARD,
        note="Covertype with its seven classes.",
    ),
    Dataset(
        name="codrna",
        rows=331_152,
        columns=dict.fromkeys(["deltaG_total_x10", "length_shorter"], "int32")
        | {f"freq{base}_seq{i}": "float64" for i in (1, 2) for base in "AUC"},
        labels={"-1": "-1", "1": "1"},
        sha256="677605dfba7a091b72ab4caace05401ab511512e16113a279887464e4f6e428d",
        form="libsvm",
        urls=(_LIBSVM + "cod-rna", _LIBSVM + "cod-rna.t"),
        complete=False,
        source="LIBSVM binary collection: cod-rna, cod-rna.t",
        citation="Uzilov, Keegan and Mathews (2006), BMC Bioinformatics 7:173.",
        note="Without cod-rna.r (157,413 rows). Nearly sorted by class: shuffle it.",
    ),
    Dataset(
        name="a9a",
        rows=48_842,
        columns={f"f{i}": "uint8" for i in range(1, 124)},
        labels={"-1": "-1", "1": "+1"},
        sha256="56fc21f2231b82a08eb26172315df88ec893ee96d151e5720e89202e9474e2df",
        form="libsvm",
        urls=(_LIBSVM + "a9a", _LIBSVM + "a9a.t"),
        source="LIBSVM binary collection: a9a, a9a.t",
        citation="Kohavi (1996), Adult, CC BY 4.0 at UCI; made binary by Platt (1998).",
        note="a9a, then a9a.t.",
    ),
]
CATALOGUE: dict[str, Dataset] = {dataset.name: dataset for dataset in _ALL}
_ALIASES = {
    "elec": "electricity",
    "elec2": "electricity",
    "elec6": "electricity6",
    "covtype": "covertype",
    "covtype7": "covertype7",
}


def find(name: str) -> Dataset:
    """Return the dataset of that name; capitals, hyphens and underscores do not matter.

    Examples
    --------
    >>> from sapwood.datasets.catalogue import find
    >>> find("COD-RNA").name
    'codrna'
    """
    plain = str(name).lower().replace("-", "").replace("_", "")
    plain = _ALIASES.get(plain, plain)
    if plain not in CATALOGUE:
        known = ", ".join(CATALOGUE)
        raise ValueError(f"There is no dataset {name!r}; there are {known}.")
    return CATALOGUE[plain]
