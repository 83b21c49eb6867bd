"""The moa() preset makes the predictions of the real MOA (its jar, from CapyMOA's wheel)."""

import numpy as np
import pytest
import real_data

import sapwood
from benchmarks import moa

MOA_CRITERION = {"entropy": "InfoGainSplitCriterion", "gini": "GiniSplitCriterion"}
INEXACT = ("airlines", "gini", "adaptive")
MOA_LEAF = {"majority": "MC", "naive-bayes": "NB", "adaptive": "NBAdaptive"}


@pytest.fixture(scope="session")
def real_moa():
    if not moa.java_available():
        pytest.skip("MOA parity needs a Java development kit (17 or newer)")
    try:
        return moa.find_jar()
    except moa.MoaUnavailable as error:
        pytest.skip(f"MOA's jar cannot be had here: {error}")


def dataset(name):
    table, labels = sapwood.datasets.load(name, folder=real_data.need())
    y = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    columns, nominal = [], {}
    for j, column in enumerate(table.columns):
        column = column.combine_chunks()
        if hasattr(column, "dictionary"):
            nominal[j] = len(column.dictionary)
            column = column.indices
        columns.append(np.asarray(column, dtype=float))
    return table, np.column_stack(columns), y, nominal


def synthetic():
    X, y = sapwood.datasets.rand_cbt(n_leaves=20, per_leaf=5000, seed=4)
    return X, X, y.astype(np.int32), {}


def missing():
    X, y = sapwood.datasets.rand_cbt(n_leaves=10, per_leaf=5000, seed=5)
    X[np.random.default_rng(6).random(X.shape) < 0.05] = np.nan
    return X, X, y.astype(np.int32), {}


def predictions_of_sapwood(tree, table, y):
    """Test-then-train; MOA's empty vote, before the first label, is class 0."""
    read = tree._read(table)
    core = tree._start(read)
    core.declare_classes([0, 1])
    names = tree._names_in_batch(read)
    predicted, *_ = core.run(None, read.columns, names, read.n_rows, y, [0, 1], None, 0, 0)
    return np.where(predicted > 1, 0, predicted), core.n_leaves


@pytest.mark.parametrize("leaf_prediction", MOA_LEAF)
@pytest.mark.parametrize("criterion", MOA_CRITERION)
@pytest.mark.parametrize("name", ["electricity", "airlines", "synthetic", "missing"])
def test_same_predictions_as_moa(name, criterion, leaf_prediction, real_moa, tmp_path):
    makers = {"synthetic": synthetic, "missing": missing}
    table, X, y, nominal = makers[name]() if name in makers else dataset(name)
    moa.write_stream(tmp_path / "stream", X, y, nominal, 2)
    options = f"-b -l {MOA_LEAF[leaf_prediction]} -s {MOA_CRITERION[criterion]}"
    theirs = moa.run(tmp_path / "stream", f"trees.HoeffdingTree {options}", predictions=True)[-1]

    tree = sapwood.ConfidenceTreeClassifier.moa(
        criterion=criterion, leaf_prediction=leaf_prediction
    )
    ours, n_leaves = predictions_of_sapwood(tree, table, y)
    differing = int((ours != theirs["predictions"]).sum())
    print(f"{name} {options}: accuracy {np.mean(ours == y):.5f}, {n_leaves} leaves, {differing=}")
    assert n_leaves == theirs["leaves"]
    assert abs(np.mean(ours == y) - theirs["accuracy"]) < 0.001
    # One case of the twenty-four is not exact, and why is not known: see docs/moa.md.
    assert differing <= (100 if (name, criterion, leaf_prediction) == INEXACT else 0)
