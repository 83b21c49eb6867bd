"""Law: results do not depend on threads. However many cores predict, they say what one would."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import bytes_of, grown, streams, tree_params

LEAST = 2 * 8192  # rows that more than one thread takes


def asked(tree, X, n_jobs):
    """Return all that a batch can be asked."""
    tree.set_params(n_jobs=n_jobs)
    answers = [tree.predict_many(X).tolist(), tree.predict_proba_many(X).tobytes()]
    if list(tree._model.columns) == list(range(X.shape[1])):
        answers += [f(X).tobytes() for f in (tree.predict_proba, tree.apply)]
        answers += [tree.predict(X).tolist()]
    return answers


@settings(max_examples=20)
@given(
    streams(min_rows=50, max_rows=400),
    tree_params(),
    st.integers(2, 9) | st.just(-1),
    st.integers(0, 5000),
)
def test_results_do_not_depend_on_threads(stream, params, n_jobs, more):
    tree = grown(params, stream)
    rows = np.arange(LEAST + more) * 7919 % len(stream)
    X = stream.array()[rows]
    before = bytes_of(tree)
    assert asked(tree, X, n_jobs) == asked(tree, X, None)
    assert bytes_of(tree) == before
