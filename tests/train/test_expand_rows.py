"""ExpandRows: repeated rows with weights are the soft loss, for any estimator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

from dissensus.labels.distances import kl
from dissensus.train.estimator_scores import soft_log_likelihood
from dissensus.train.estimators import SoftLabelClassifier
from dissensus.train.expand_rows import ExpandRows, expand_rows
from dissensus.train.model import log_softmax
from tests.facts import refuses


def crowd(n=400, d=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    return x, np.exp(log_softmax(1.5 * x @ rng.normal(size=(d, k))))


@given(arrays(float, (5, 3), elements=st.floats(0, 1)), arrays(float, 5, elements=st.floats(0, 3)))
def test_expanded_rows_carry_the_whole_loss(mass, weights):
    probs = (mass + 1e-9) / (mass + 1e-9).sum(axis=1, keepdims=True) * (mass.sum(axis=1) > 0)[:, None]
    logs = np.log(np.random.default_rng(0).dirichlet(np.ones(3), 5))
    row, code, weight = expand_rows(probs, weights)
    assert weight @ -logs[row, code] == pytest.approx(-(weights[:, None] * probs * logs).sum())
    assert (weight > 0).all()


@pytest.mark.parametrize("k", [2, 3])
def test_logistic_regression_reaches_the_exact_soft_optimum(k):
    x, probs = crowd(k=k)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(x))
    ours = SoftLabelClassifier(C=0.7, tol=1e-9).fit(x, probs, sample_weight=weights)
    theirs = ExpandRows(LogisticRegression(C=0.7, tol=1e-9, max_iter=5000)).fit(x, probs, sample_weight=weights)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-5)
    assert np.array_equal(ours.predict(x), theirs.predict(x))


def boosted(name):
    if name == "LightGBM":
        lightgbm = pytest.importorskip("lightgbm")
        return lightgbm.LGBMClassifier(n_estimators=40, n_jobs=1, verbose=-1, random_state=0)
    if name == "XGBoost":
        xgboost = pytest.importorskip("xgboost")
        return xgboost.XGBClassifier(n_estimators=40, n_jobs=1, max_depth=4, random_state=0)
    return HistGradientBoostingClassifier(max_iter=40, early_stopping=False, random_state=0)


@pytest.mark.parametrize("name", ["scikit-learn", "LightGBM", "XGBoost"])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_boosted_trees_come_closer_to_people_by_distributions_than_by_majorities(name):
    x, probs = crowd(n=1200)
    estimator = boosted(name)
    soft = ExpandRows(estimator).fit(x[:800], probs[:800]).predict_proba(x[800:])
    hard = ExpandRows(estimator).fit(x[:800], probs[:800].argmax(axis=1)).predict_proba(x[800:])
    assert kl(probs[800:], soft).mean() < 0.5 * kl(probs[800:], hard).mean()


@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
def test_it_passes_scikit_learns_checks():
    found = check_estimator(ExpandRows(LogisticRegression()), on_fail=None, on_skip=None)
    assert [one for one in found if one["status"] == "failed"] == []


def test_a_class_that_a_fold_never_saw_gets_no_probability_and_codes_stay_without_gaps():
    xgboost = pytest.importorskip("xgboost")
    x, probs = crowd()
    probs = np.insert(probs, 1, 0.0, axis=1)
    fit = ExpandRows(xgboost.XGBClassifier(n_estimators=5, n_jobs=1), classes=["a", "never", "b", "c"]).fit(x, probs)
    found = fit.predict_proba(x)
    assert found.shape == probs.shape and (found[:, 1] == 0).all() and np.allclose(found.sum(axis=1), 1, atol=1e-6)
    assert set(fit.predict(x)) <= {"a", "b", "c"} and fit.classes_.tolist() == ["a", "never", "b", "c"]
    hard = np.repeat([0, 1, 2], [60, 60, 2])
    scores = cross_val_score(ExpandRows(LogisticRegression()), x[:122], np.eye(3)[hard], cv=[(range(120), [120, 121])])
    assert scores.tolist() == [0.0]


def test_sparse_features_stay_sparse():
    x, probs = crowd()
    dense = ExpandRows(LogisticRegression()).fit(x, probs)
    thin = ExpandRows(LogisticRegression()).fit(sparse.csr_matrix(x), probs)
    assert np.allclose(dense.predict_proba(x), thin.predict_proba(sparse.csr_matrix(x)), atol=1e-3)
    assert soft_log_likelihood(dense, x, probs) == pytest.approx(soft_log_likelihood(thin, x, probs), abs=1e-3)


def test_what_cannot_work_is_refused():
    x, probs = crowd(n=10)
    with refuses("KNeighborsClassifier", "sample_weight", "SoftLabelClassifier"):
        ExpandRows(KNeighborsClassifier()).fit(x, probs)
    with refuses("one class, 1", "at least two"):
        ExpandRows(LogisticRegression()).fit(x, np.tile([0.0, 1.0], (10, 1)))
    with refuses("X has 10 rows", "Y has 9"):
        ExpandRows(LogisticRegression()).fit(x, probs[:9])
