"""The tree is a scikit-learn estimator: all checks of scikit-learn pass, and its tools work."""

import copy
import io
import pickle
import warnings
from unittest import SkipTest

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted

import sapwood
from sapwood import EXPECTED_FAILED_CHECKS, ConfidenceTreeClassifier
from sapwood.datasets import rand_cbt
from sapwood.persist import to_bytes

VARIANTS = {
    "default": ConfidenceTreeClassifier(),
    "h-tree": ConfidenceTreeClassifier.h_tree(grace_period=20),
    "naive-bayes": ConfidenceTreeClassifier(leaf_prediction="naive-bayes"),
    "adaptive, eager": ConfidenceTreeClassifier(
        c=0.01, grace_period=10, leaf_prediction="adaptive"
    ),
    "exact": ConfidenceTreeClassifier(numeric_splits="exact", c=0.01, grace_period=10),
    "gaussian, theorem": ConfidenceTreeClassifier(
        numeric_splits="gaussian", bound="theorem", criterion="kearns-mansour"
    ),
    "moa": ConfidenceTreeClassifier.moa(),
    "max_bytes": ConfidenceTreeClassifier(max_bytes=2**16, c=0.01, grace_period=10),
    "max_leaves, max_depth": ConfidenceTreeClassifier(max_leaves=3, max_depth=2, c=0.01),
}
# We use the conventions of scikit-learn, and not its base class: it is not needed to install us.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*does not inherit from .sklearn.base.BaseEstimator"
)


def checks_of(tree):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(estimator_checks_generator(tree))


def name_of(check):
    return getattr(check, "func", check).__name__


CASES = [
    pytest.param(
        estimator,
        check,
        id=f"{variant}-{name_of(check)}-{i}",
        marks=[pytest.mark.xfail(reason=EXPECTED_FAILED_CHECKS[name_of(check)])]
        if name_of(check) in EXPECTED_FAILED_CHECKS
        else [],
    )
    for variant, tree in VARIANTS.items()
    for i, (estimator, check) in enumerate(checks_of(tree))
    if name_of(check) != "check_array_api_input"  # scikit-learn itself skips it: SCIPY_ARRAY_API
]


@pytest.mark.parametrize(("estimator", "check"), CASES)
def test_check_of_scikit_learn(estimator, check):
    check(estimator)


def test_there_are_checks():
    assert len(CASES) > 40 * len(VARIANTS)


def test_every_excused_check_exists_and_fails():
    checks = checks_of(ConfidenceTreeClassifier())
    for name, reason in EXPECTED_FAILED_CHECKS.items():
        assert reason.strip()
        mine = [(estimator, check) for estimator, check in checks if name_of(check) == name]
        assert mine, f"scikit-learn has no check {name}"
        for estimator, check in mine:
            with pytest.raises((AssertionError, ValueError, TypeError)) as failure:
                check(estimator)
            assert not isinstance(failure.value, SkipTest)


@pytest.fixture(scope="module")
def stream():
    return rand_cbt(n_leaves=6, n_features=3, q=0.95, per_leaf=400, seed=3)


EAGER = {"c": 0.02, "grace_period": 50}


def test_it_is_a_classifier():
    assert is_classifier(ConfidenceTreeClassifier())


@pytest.mark.parametrize("variant", VARIANTS)
def test_clone_keeps_parameters_and_forgets_the_rest(variant, stream):
    tree = VARIANTS[variant]
    fitted = clone(tree).fit(*stream)
    fresh = clone(fitted)
    assert fresh.get_params() == tree.get_params()
    with pytest.raises(sapwood.NotFittedError):
        fresh.predict(stream[0])


@pytest.mark.parametrize("preset", ["c_tree", "h_tree", "corrh_tree", "moa"])
def test_presets_are_parameters_and_nothing_else(preset, stream):
    tree = getattr(ConfidenceTreeClassifier, preset)(grace_period=50)
    by_hand = ConfidenceTreeClassifier(**tree.get_params())
    for same in (clone(tree), by_hand, pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert same.get_params() == tree.get_params()
        assert repr(same) == repr(tree)
        assert to_bytes(same.fit(*stream)) == to_bytes(clone(tree).fit(*stream))


def test_grid_search_with_and_without_a_pipeline(stream):
    X, y = stream
    search = GridSearchCV(
        ConfidenceTreeClassifier(**EAGER),
        {"c": [0.01, 10.0], "criterion": ["gini", "entropy"], "max_depth": [None, 1]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_["c"] == 0.01
    assert search.best_score_ > 0.8
    assert search.best_estimator_.n_leaves_ > 1
    piped = GridSearchCV(
        make_pipeline(StandardScaler(), ConfidenceTreeClassifier(**EAGER)),
        {"confidencetreeclassifier__c": [0.01, 10.0]},
        cv=3,
    ).fit(X, y)
    assert piped.best_params_ == {"confidencetreeclassifier__c": 0.01}


def test_grid_search_over_processes(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER)
    two = GridSearchCV(tree, {"c": [0.01, 10.0]}, cv=2, n_jobs=2).fit(X, y)
    one = GridSearchCV(tree, {"c": [0.01, 10.0]}, cv=2).fit(X, y)
    assert to_bytes(two.best_estimator_) == to_bytes(one.best_estimator_)


def test_cross_validation(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER)
    assert cross_val_score(tree, X, y, cv=3).mean() > 0.8
    assert cross_val_predict(tree, X, y, cv=3, method="predict_proba").shape == (len(y), 2)


def test_pipeline_keeps_what_the_tree_says(stream):
    X, y = stream
    pipe = make_pipeline(StandardScaler(), ConfidenceTreeClassifier(**EAGER)).fit(X, y)
    alone = ConfidenceTreeClassifier(**EAGER).fit(StandardScaler().fit_transform(X), y)
    assert (pipe.predict(X) == alone.predict(StandardScaler().fit_transform(X))).all()
    assert pipe.score(X, y) == alone.score(StandardScaler().fit_transform(X), y)


def test_set_params_is_chained_and_acts_at_the_next_fit(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER).fit(X, y)
    leaves, bytes_before = tree.n_leaves_, tree.predict(X).tobytes()
    assert tree.set_params(max_leaves=2, c=0.03) is tree
    assert tree.get_params()["max_leaves"] == 2
    assert tree.n_leaves_ == leaves > 2
    assert tree.predict(X).tobytes() == bytes_before
    assert tree.fit(X, y).n_leaves_ == 2


def test_a_changed_parameter_is_not_saved_as_if_it_were_in_force(stream, tmp_path):
    X, y = stream
    for change in (
        lambda tree: tree.set_params(max_leaves=2),
        lambda tree: setattr(tree, "max_leaves", 2),
    ):
        tree = ConfidenceTreeClassifier(**EAGER).fit(X, y)
        before = to_bytes(tree)
        change(tree)
        with pytest.raises(
            ValueError, match=r"max_leaves was changed to 2.*set_params\(max_leaves="
        ):
            tree.save(tmp_path / "tree")
        with pytest.raises(ValueError, match="max_leaves was changed to 2"):
            sapwood.ActiveLearner(tree).save(tmp_path / "tree")
        with pytest.raises(ValueError, match="max_leaves was changed to 2"):
            sapwood.evaluate((X, y), tree, trained="continue")
        assert not (tmp_path / "tree").exists()
        assert to_bytes(tree) == before
        for again in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
            assert to_bytes(again) == before
            assert again.get_params() == tree.get_params()
            with pytest.raises(ValueError, match="max_leaves was changed"):
                again.save(tmp_path / "tree")
        tree.set_params(max_leaves=None).save(tmp_path / "tree")
        assert (tmp_path / "tree").read_bytes() == before
        assert sapwood.load(tmp_path / "tree").partial_fit(X, y).n_leaves_ > 2
        tree.set_params(max_leaves=2, n_jobs=2).fit(X, y).save(tmp_path / "tree")
        assert sapwood.load(tmp_path / "tree").max_leaves == 2
        tree.set_params(n_jobs=1, columns="by-name", on_error="skip").save(tmp_path / "tree")
        assert sapwood.load(tmp_path / "tree").columns == "by-name"
        (tmp_path / "tree").unlink()
    unfitted = ConfidenceTreeClassifier(**EAGER)
    unfitted.advance(3)
    unfitted.set_params(max_leaves=2).save(tmp_path / "tree")
    assert sapwood.load(tmp_path / "tree").set_params(max_leaves=3).fit(X, y).n_leaves_ <= 3
    for begun in (ConfidenceTreeClassifier(**EAGER), sapwood.load(tmp_path / "tree")):
        with pytest.raises(ValueError, match="finite"):
            begun.learn_one({"a": float("inf")}, 1)  # it has not begun
        begun.set_params(max_leaves=4).save(tmp_path / "tree")
        assert sapwood.load(tmp_path / "tree").max_leaves == 4


def test_set_params_refuses_an_unknown_name_and_changes_nothing():
    tree = ConfidenceTreeClassifier()
    before = tree.get_params()
    with pytest.raises(ValueError, match=r"Invalid parameter 'depth'.*max_depth"):
        tree.set_params(depth=3)
    assert tree.get_params() == before


def test_pickle_and_joblib(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER).fit(X, y)
    file = io.BytesIO()
    joblib.dump(tree, file)
    file.seek(0)
    for again in (pickle.loads(pickle.dumps(tree)), joblib.load(file), copy.copy(tree)):
        assert to_bytes(again) == to_bytes(tree)
        assert again.get_params() == tree.get_params()
        again.partial_fit(X, y)
        assert again.t_ == 2 * tree.t_


# --- before fit -----------------------------------------------------------------------------------

UNFITTED = {
    "predict": lambda tree, X: tree.predict(X),
    "predict_proba": lambda tree, X: tree.predict_proba(X),
    "apply": lambda tree, X: tree.apply(X),
    "score": lambda tree, X: tree.score(X, np.zeros(len(X), int)),
    "classes_": lambda tree, X: tree.classes_,
    "n_features_in_": lambda tree, X: tree.n_features_in_,
    "feature_names_in_": lambda tree, X: tree.feature_names_in_,
    "explain_one": lambda tree, X: tree.explain_one({}),
}


@pytest.mark.parametrize("call", UNFITTED)
@pytest.mark.parametrize("error", [sapwood.NotFittedError, SklearnNotFittedError, AttributeError])
def test_not_fitted_is_both_errors(call, error):
    with pytest.raises(error, match="not fitted yet"):
        UNFITTED[call](ConfidenceTreeClassifier(), np.zeros((2, 2)))


def test_not_fitted_error_travels_between_processes():
    with pytest.raises(sapwood.NotFittedError) as caught:
        ConfidenceTreeClassifier().predict(np.zeros((2, 2)))
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, SklearnNotFittedError)
    assert str(again) == str(caught.value)


def test_check_is_fitted():
    tree = ConfidenceTreeClassifier()
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(tree)
    check_is_fitted(tree.fit([[0.0], [1.0]], [0, 1]))


# --- classes --------------------------------------------------------------------------------------


def test_fit_sorts_its_classes_whatever_their_order():
    X = np.arange(6.0).reshape(-1, 1)
    assert ConfidenceTreeClassifier().fit(X, list("cbacba")).classes_.tolist() == ["a", "b", "c"]
    assert ConfidenceTreeClassifier().fit(X, [3, 1, 2, 3, 1, 2]).classes_.tolist() == [1, 2, 3]
    assert ConfidenceTreeClassifier().fit(X, [True, False] * 3).classes_.dtype == bool


def test_a_class_that_comes_later_is_put_in_its_place():
    X = np.arange(4.0).reshape(-1, 1)
    tree = ConfidenceTreeClassifier().partial_fit(X, ["z", "m", "m", "m"])
    assert tree.classes_.tolist() == ["m", "z"]
    assert tree.predict_proba(X).tolist() == [[0.75, 0.25]] * 4
    tree.partial_fit(X, ["b", "m", "a", "z"])
    assert tree.classes_.tolist() == ["a", "b", "m", "z"]
    assert tree.predict_proba(X).tolist() == [[0.125, 0.125, 0.5, 0.25]] * 4
    tree.learn_one({0: 1.0}, "0")
    assert tree.classes_.tolist() == ["0", "a", "b", "m", "z"]
    assert list(tree.predict_proba_one({0: 1.0})) == ["0", "a", "b", "m", "z"]
    assert list(tree.learned_at({0: 1.0}).items()) == [
        ("0", 1), ("a", 1), ("b", 1), ("m", 4), ("z", 2)
    ]  # fmt: skip


def test_of_equally_likely_classes_the_first_to_appear_is_predicted():
    tree = ConfidenceTreeClassifier().partial_fit([[0.0], [0.0]], ["z", "a"])
    assert tree.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]
    assert tree.predict([[0.0]]).tolist() == ["z"]


LEARNING = {
    "partial_fit": lambda tree, X, y: tree.partial_fit(X, y),
    "learn_many": lambda tree, X, y: tree.learn_many(X, y),
    "learn_one": lambda tree, X, y: [
        tree.learn_one(dict(enumerate(x)), label)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ],
}


@pytest.mark.parametrize("how", LEARNING)
def test_metrics_of_scikit_learn_agree_whatever_class_came_first(how, stream):
    X, y = stream
    names = np.array(["no", "yes"])[y]
    first = int(np.argmax(y == 1))
    order = np.r_[first, np.delete(np.arange(len(y)), first)]
    tree = ConfidenceTreeClassifier(**EAGER)
    LEARNING[how](tree, X[order], names[order])
    fitted = ConfidenceTreeClassifier(**EAGER).fit(X[order], names[order])
    assert tree._model.classes == ["yes", "no"]
    shares = tree.predict_proba(X)
    assert roc_auc_score(names, shares[:, 1]) > 0.8
    assert roc_auc_score(names, shares[:, 1]) == roc_auc_score(names, fitted.predict_proba(X)[:, 1])
    assert log_loss(names, shares) == log_loss(names, fitted.predict_proba(X)) < 0.6
    assert (tree.predict(X) == tree.classes_[shares.argmax(axis=1)]).mean() > 0.99


def test_calibration_and_voting_after_classes_in_odd_order(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER).partial_fit(X[y == 1][:1], [1]).partial_fit(X, y)
    assert tree._model.classes == [1, 0]
    calibrated = CalibratedClassifierCV(FrozenEstimator(tree)).fit(X, y)
    assert roc_auc_score(y, calibrated.predict_proba(X)[:, 1]) > 0.8
    voting = VotingClassifier([("tree", tree)], voting="soft")
    voting.estimators_, voting.le_ = [tree], LabelEncoder().fit(y)
    voting.classes_ = voting.le_.classes_
    assert voting.predict_proba(X).tolist() == tree.predict_proba(X).tolist()
    folds = cross_val_predict(tree, X, y, cv=3, method="predict_proba")
    assert roc_auc_score(y, folds[:, 1]) > 0.8


def test_declared_classes_have_columns_from_the_start():
    X = np.arange(4.0).reshape(-1, 1)
    tree = ConfidenceTreeClassifier().partial_fit(X, [2, 2, 2, 2], classes=[3, 1, 2])
    assert tree.classes_.tolist() == [1, 2, 3]
    assert tree.predict_proba(X).tolist() == [[0.0, 1.0, 0.0]] * 4
    assert tree.predict(X).tolist() == [2] * 4


def test_declared_classes_before_anything_is_learned_are_equally_likely():
    X = np.zeros((3, 1))
    tree = ConfidenceTreeClassifier()
    tree.partial_fit(X, ["b", "b", "b"], classes=["c", "b", "a"], sample_weight=[0, 0, 0])
    assert tree.predict_proba(X) == pytest.approx(np.full((3, 3), 1 / 3))
    assert tree.predict(X).tolist() == ["a"] * 3
    assert tree.predict_one({0: 0.0}) is None
    assert tree.predict_proba_one({0: 0.0}) == {}


def test_declared_classes_may_be_repeated_and_must_be_the_same():
    X = np.arange(4.0).reshape(-1, 1)
    tree = ConfidenceTreeClassifier().partial_fit(X, [0, 1, 0, 1], classes=[0, 1, 2])
    tree.partial_fit(X, [2, 1, 2, 1], classes=[2, 1, 0])
    tree.partial_fit(X, [2, 1, 2, 1], classes=np.array([0.0, 1.0, 2.0]))
    before = to_bytes(tree)
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        tree.partial_fit(X, [0, 1, 0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"label 3, which is not among the classes \[0, 1, 2\]"):
        tree.partial_fit(X, [0, 1, 3, 1])
    assert to_bytes(tree) == before


def test_declared_classes_may_follow_the_clock():
    tree = ConfidenceTreeClassifier()
    tree.advance(5)
    tree.partial_fit([[1.0], [2.0]], [0, 1], classes=[0, 1, 2])
    assert tree.t_ == 7
    assert tree.classes_.tolist() == [0, 1, 2]


def test_fit_fixes_its_classes_and_fit_again_forgets_them():
    X = np.arange(4.0).reshape(-1, 1)
    tree = ConfidenceTreeClassifier().fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="label 2"):
        tree.partial_fit(X, [0, 1, 2, 1])
    assert tree.fit(X, ["p", "q", "p", "q"]).classes_.tolist() == ["p", "q"]
    assert tree.t_ == 4


def test_fit_learns_in_one_pass_in_the_given_order(stream):
    X, y = stream
    fitted = ConfidenceTreeClassifier(**EAGER).fit(X, y)
    streamed = ConfidenceTreeClassifier(**EAGER)
    for at in range(0, len(y), 97):
        streamed.partial_fit(X[at : at + 97], y[at : at + 97], classes=[0, 1])
    assert to_bytes(fitted) == to_bytes(streamed)
    backwards = ConfidenceTreeClassifier(**EAGER).fit(X[::-1], y[::-1])
    assert to_bytes(backwards) != to_bytes(fitted)


def test_a_column_vector_y_is_taken_with_a_warning():
    X = np.arange(4.0).reshape(-1, 1)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        tree = ConfidenceTreeClassifier().fit(X, np.array([[0], [1], [0], [1]]))
    assert to_bytes(tree) == to_bytes(ConfidenceTreeClassifier().fit(X, [0, 1, 0, 1]))


def test_score_is_the_weighted_share_of_right_answers(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER).fit(X, y)
    right = tree.predict(X) == y
    w = np.arange(len(y), dtype=float)
    assert tree.score(X, y) == pytest.approx(right.mean())
    assert tree.score(X, y, sample_weight=w) == pytest.approx((right * w).sum() / w.sum())
    assert tree.score(X, np.array(["no"] * len(y))) == 0.0


def test_apply_names_the_leaf_of_each_row(stream):
    X, y = stream
    tree = ConfidenceTreeClassifier(**EAGER).fit(X, y)
    nodes = tree.apply(X)
    assert nodes.shape == (len(y),)
    assert len(set(nodes.tolist())) <= tree.n_leaves_
    leaves = {row["node"] for row in tree._model.nodes() if row["is_leaf"]}
    assert set(nodes.tolist()) <= leaves
    probabilities = tree.predict_proba(X)
    for node in set(nodes.tolist()):
        assert len(np.unique(probabilities[nodes == node], axis=0)) == 1
