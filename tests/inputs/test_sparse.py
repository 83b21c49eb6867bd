"""SciPy's sparse matrices are read as they are, and give what dense ones give, to the byte."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import bytes_of, new_tree, tree_params

import sapwood
from sapwood import ConfidenceTreeClassifier

sparse = pytest.importorskip("scipy.sparse")


def rows(seed, n=600, d=40, density=0.2, missing=0.0, levels=3):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < density, rng.integers(-1, levels, (n, d)) + 0.5, 0.0)
    X[rng.random((n, d)) < missing] = np.nan
    y = (X[:, 0] > 0).astype(int) + (np.nan_to_num(X[:, 1]) > 1) + (rng.random(n) < 0.05)
    return X, y


@given(
    st.integers(0, 10**6),
    tree_params(moa=False),
    st.integers(1, 60),
    st.sampled_from([0.0, 0.02, 0.3, 1.0]),
    st.sampled_from([0.0, 0.05]),
    st.sampled_from([None, "whole", "fractions"]),
)
def test_sparse_is_dense(seed, params, d, density, missing, weights):
    X, y = rows(seed, 400, max(2, d), density, missing, levels=40)
    w = None
    if weights:
        w = np.random.default_rng(seed).integers(0, 3, len(y)) / (
            2 if weights == "fractions" else 1
        )
    trees = []
    for form in (np.asarray, sparse.csr_matrix):
        tree = new_tree(params)
        for begin, end in ((0, 150), (150, 151), (151, 400)):
            part = None if w is None else w[begin:end]
            tree.partial_fit(form(X[begin:end]), y[begin:end], [0, 1, 2, 3], sample_weight=part)
        trees.append(tree)
    assert bytes_of(trees[0]) == bytes_of(trees[1])
    stored = sparse.csr_matrix(X)
    assert (trees[1].predict(stored) == trees[0].predict(X)).all()
    assert (trees[1].apply(stored) == trees[0].apply(X)).all()
    assert (trees[1].predict_proba(stored) == trees[0].predict_proba(X)).all()


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive-bayes"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sparse_column_begins_with_its_first_value(leaf_prediction, weighted):
    X, y = rows(5)
    X[:300, 3] = X[0, [1, 7]] = np.nan
    w = np.where(np.arange(len(y)) < 2, 0.0, 1.0) if weighted else None  # not learned: no value yet
    trees = []
    for form in (np.asarray, sparse.csr_matrix):
        tree = ConfidenceTreeClassifier(c=0.01, grace_period=50, leaf_prediction=leaf_prediction)
        tree.learn_many(form(X), y.tolist(), w)
        trees.append(tree)
    assert bytes_of(trees[0]) == bytes_of(trees[1])
    assert trees[0].n_leaves_ > 1


@pytest.mark.parametrize("how", ["full", "all", "conf-tree", "late", "sweep"])
def test_runs_over_sparse_rows(how):
    X, y = rows(3, 3000, 50)
    tree = ConfidenceTreeClassifier(c=0.01)
    options = {"every": 1000, "random_state": 1}
    if how == "sweep":
        runs = [sapwood.sweep((form(X), y), [tree])[0] for form in (np.asarray, sparse.csr_array)]
    else:
        if how != "full":
            options |= {"strategy": "all" if how == "late" else how, "budget": 0.5}
        if how == "late":
            options["delay"] = 20
        runs = [
            sapwood.evaluate((form(X), y), tree, **options)
            for form in (np.asarray, sparse.csr_array, sparse.coo_matrix)
        ]
        assert all(bytes_of(run.model) == bytes_of(runs[0].model) for run in runs)
    assert len({(run.accuracy, run.n_leaves, run.labels) for run in runs}) == 1
    assert runs[0].n_leaves > 1


def test_places_stored_twice_are_summed_and_the_input_stays():
    X = sparse.csr_matrix(([1.0, 2.0, 5.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    before = X.nnz
    tree = ConfidenceTreeClassifier().fit(X, [0, 1])
    dense = ConfidenceTreeClassifier().fit(np.array([[3.0, 0.0], [0.0, 5.0]]), [0, 1])
    assert bytes_of(tree) == bytes_of(dense)
    assert X.nnz == before


def test_what_cannot_be_is_refused():
    X = sparse.csr_matrix(np.eye(3))
    with pytest.raises(TypeError, match=r"sparse matrix holds numbers only.*toarray"):
        ConfidenceTreeClassifier(categorical_features=[1]).fit(X, [0, 1, 0])
    with pytest.raises(TypeError, match="dtype complex"):
        ConfidenceTreeClassifier().fit(X.astype(complex), [0, 1, 0])
    infinite = sparse.csr_matrix(np.array([[0.0, 1.0], [np.inf, 0.0]]))
    with pytest.raises(ValueError, match="infinity: column 0, row 1"):
        ConfidenceTreeClassifier().fit(infinite, [0, 1])
    broken = sparse.csr_matrix(np.eye(3))
    broken.indices[0] = 7
    with pytest.raises(ValueError, match="sparse matrix is broken"):
        ConfidenceTreeClassifier().fit(broken, [0, 1, 0])


def test_indices_that_changed_after_they_were_checked_are_refused():
    for row in ([0] * 64, [1, 0, *range(2, 64)]):
        X = sparse.csr_matrix(np.ones((40, 64)))
        assert X.has_canonical_format  # SciPy remembers this
        X.indices[:64] = row
        with pytest.raises(ValueError, match="sparse matrix is broken"):
            ConfidenceTreeClassifier().fit(X, [0, 1] * 20)
