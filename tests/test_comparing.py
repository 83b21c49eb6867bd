"""`compare` in Python: what it takes, and what it refuses before the first run."""

import warnings

import pytest

import sapwood
from sapwood import ConfidenceTreeClassifier, streams
from sapwood.compare import compare
from sapwood.streams import LabelError, StreamError, StreamWarning

ROWS = [({"a": i % 7, "b": i % 5}, i % 7 > 3) for i in range(400)]


def pairs(taken=None):
    for row in ROWS:
        if taken is not None:
            taken.append(row)
        yield row


def test_a_generator_is_refused_before_it_is_used_up():
    taken = []
    for source in (pairs(taken), streams.open(pairs(taken)), map(tuple, ROWS)):
        with pytest.raises(ValueError, match=r"once only, and 3 runs need it.*in a list"):
            compare({"live": source}, strategies=["full", "random"], seeds=2)
    assert taken == []
    rows = compare({"live": list(pairs())}, strategies=["full", "random"], seeds=2)
    assert [row["n_rows"] for row in rows] == [400, 400, 400]


def test_a_generator_is_enough_for_one_run():
    for source in (pairs(), streams.open(pairs())):
        (row,) = compare({"live": source}, strategies=["full"])
        assert row["n_rows"] == 400
    with pytest.raises(ValueError, match="cannot be read by another process: pass jobs=1"):
        compare({"live": pairs(), "kept": ROWS}, strategies=["full"], jobs=2)


def test_a_generator_that_is_used_up_is_said_to_be():
    tree = ConfidenceTreeClassifier()
    generator = pairs()
    sapwood.evaluate(generator, tree)
    for again in (
        lambda: sapwood.evaluate(generator, tree),
        lambda: compare({"live": generator}, strategies=["full"]),
        lambda: sapwood.sweep(generator, [tree]),
    ):
        with pytest.raises(StreamError, match=r"generator has no rows.* It can be .* is used up"):
            again()
    with pytest.raises(StreamError, match=r"nothing to evaluate\.$"):
        sapwood.evaluate([], tree)


def test_several_seeds_need_several_passes():
    taken = []
    tree = ConfidenceTreeClassifier()
    settings = {"strategy": "random", "budget": 0.1}
    with pytest.raises(ValueError, match="once only, and 2 runs need it"):
        sapwood.evaluate(pairs(taken), tree, random_state=[1, 2], **settings)
    assert taken == []
    assert len(sapwood.evaluate(pairs(), tree, random_state=[1], **settings)) == 1


def test_streams_are_looked_at_before_the_first_run(tmp_path):
    (tmp_path / "good.csv").write_text("a,class\n" + "1,x\n2,y\n" * 50)
    (tmp_path / "two.csv").write_text("class,a,target\n" + "0,1,x\n1,2,y\n" * 50)
    (tmp_path / "last.csv").write_text("a,b\n" + "1,x\n2,y\n" * 50)
    done = []

    def count(n, total, row):
        done.append(row["stream"])

    with pytest.raises(LabelError, match="'class', 'target'"):
        compare([tmp_path / "good.csv", tmp_path / "two.csv"], strategies=["full"], progress=count)
    assert done == []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        compare([tmp_path / "last.csv"], strategies=["full", "random"], seeds=3, progress=count)
    assert len(done) == 4
    assert [warning.category for warning in said] == [StreamWarning]
