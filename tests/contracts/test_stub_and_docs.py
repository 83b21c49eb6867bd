"""What the constructor takes, what its docstring says and what is validated are the same thing, and
every public name is documented."""

import ast
import dataclasses
import inspect
import re
from pathlib import Path

import pytest

import sapwood
from sapwood import Certificate, ConfidenceTreeClassifier, _core
from sapwood._params import PARAMETERS

SIGNATURE = inspect.signature(ConfidenceTreeClassifier.__init__)


def sections(docstring):
    """Parts of a numpydoc docstring, by title."""
    parts, title = {}, ""
    lines = inspect.cleandoc(docstring).splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if after and set(after) == {"-"} and len(after) == len(line):
            title = line
            parts[title] = []
        elif title and set(line) != {"-"}:
            parts[title].append(line)
    return parts


def described(docstring, section):
    """Names that a section describes; "a, b : int" describes two."""
    names = []
    for line in sections(docstring)[section]:
        if line and not line.startswith(" "):
            names += [name.strip() for name in line.partition(" : ")[0].split(",")]
    return names


def test_constructor_docstring_and_table_agree():
    parameters = [name for name in SIGNATURE.parameters if name != "self"]
    assert described(ConfidenceTreeClassifier.__doc__, "Parameters") == parameters
    assert list(PARAMETERS) == parameters
    for name in parameters:
        assert SIGNATURE.parameters[name].default == PARAMETERS[name].default, name
        assert PARAMETERS[name].accepts(PARAMETERS[name].default), name


def test_get_params_gives_the_constructor_back():
    tree = ConfidenceTreeClassifier()
    assert tree.get_params() == {name: p.default for name, p in PARAMETERS.items()}
    assert vars(tree) == tree.get_params()  # nothing else is set before learning


def test_choices_in_the_docstring_are_those_that_are_accepted():
    lines = sections(ConfidenceTreeClassifier.__doc__)["Parameters"]
    listed = 0
    for line in lines:
        if choices := re.match(r"(\w+) : \{(.*)\}", line):
            name, values = choices[1], ast.literal_eval(f"[{choices[2]}]")
            assert all(PARAMETERS[name].accepts(value) for value in values)
            assert all(repr(value) in PARAMETERS[name].takes for value in values)
            assert PARAMETERS[name].takes.count("'") == 2 * len(values)
            listed += 1
    assert listed == 7


def test_documented_attributes_exist_after_fit():
    tree = ConfidenceTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    names = described(ConfidenceTreeClassifier.__doc__, "Attributes")
    assert "feature_names_in_" in names
    for name in names:
        if name != "feature_names_in_":
            assert getattr(tree, name) is not None
    with pytest.raises(AttributeError, match="no names"):
        _ = tree.feature_names_in_


@pytest.mark.parametrize("name", sapwood.__all__)
def test_public_names_are_documented(name):
    thing = getattr(sapwood, name)
    if name == "EXPECTED_FAILED_CHECKS":
        assert isinstance(thing, dict)
    else:
        assert inspect.getdoc(thing)
    if inspect.isclass(thing) and thing.__module__.startswith("sapwood"):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"


def test_all_is_sorted_and_complete():
    assert set(sapwood.__all__) <= set(dir(sapwood))
    assert len(set(sapwood.__all__)) == len(sapwood.__all__)


FIELDS = (
    "feature, threshold, category, missing_side, m, t, depth, d, gap, epsilon, "
    "bound, delta, c, reason"
)


def test_fields_of_a_certificate():
    assert [f.name for f in dataclasses.fields(Certificate)] == FIELDS.split(", ")
    assert described(Certificate.__doc__, "Attributes") == FIELDS.split(", ")


def test_stub_names_what_the_module_has():
    stub = Path(inspect.getfile(sapwood)).with_name("_core.pyi")
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert functions | set(classes) == public
    methods = {n.name for n in classes["Model"].body if isinstance(n, ast.FunctionDef)}
    assert methods - {"__init__"} == {n for n in dir(_core.Model) if not n.startswith("_")}


def test_the_package_is_typed():
    assert Path(inspect.getfile(sapwood)).with_name("py.typed").exists()
