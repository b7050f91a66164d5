"""SoftLabelClassifier: logistic regression where labels are hard, its soft optimum where they are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from dissensus import Beliefs, Distributions, Votes
from dissensus.train.estimator_inputs import as_targets
from dissensus.train.estimator_scores import soft_log_likelihood
from dissensus.train.estimators import SoftLabelClassifier
from dissensus.train.heads.logistic import soft_logistic
from dissensus.train.model import log_softmax
from tests.facts import refuses


def crowd(n=300, d=6, k=4, votes=10, seed=0):
    """Features, the true distributions of a linear model, and counts of votes drawn from them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    probs = np.exp(log_softmax(x @ rng.normal(size=(d, k))))
    return x, probs, rng.multinomial(votes, probs)


def failed(estimator, expected=()):
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    return {
        f"{one['check_name']}: {one['exception']!r}"
        for one in found
        if one["status"] == "failed" and one["check_name"] not in expected
    }


@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
def test_linear_passes_scikit_learns_checks():
    assert failed(SoftLabelClassifier()) == set()


@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
def test_mlp_passes_scikit_learns_checks():
    """But one: mini-batches make a weight of 2 another thing than a row that comes twice."""
    weights = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}
    estimator = SoftLabelClassifier("mlp", hidden=16, batch_size=8, learning_rate=0.02, epochs=20)
    assert failed(estimator, weights) == set()


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("strength", [0.01, 1.0, 30.0])
def test_on_hard_labels_it_is_logistic_regression(k, strength):
    x, probs, _ = crowd(k=k)
    y = probs.argmax(axis=1)
    ours = SoftLabelClassifier(C=strength, tol=1e-9, max_iter=5000).fit(x, y)
    theirs = LogisticRegression(C=strength, tol=1e-9, max_iter=5000).fit(x, y)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-5)
    assert ours.coef_.shape == theirs.coef_.shape and np.allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert np.allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-3)


def test_the_soft_optimum_is_that_of_plain_pytorch():
    """The same penalised loss, minimised by torch's own L-BFGS in double precision."""
    x, _, counts = crowd()
    probs = counts / counts.sum(axis=1, keepdims=True)
    ours = SoftLabelClassifier(C=2.0, tol=1e-10).fit(x, probs)
    weight, bias = (torch.zeros(shape, dtype=torch.double, requires_grad=True) for shape in ((4, 6), (4,)))
    optimiser = torch.optim.LBFGS(
        [weight, bias], max_iter=500, tolerance_grad=1e-10, tolerance_change=1e-15, line_search_fn="strong_wolfe"
    )
    inputs, targets = torch.from_numpy(x), torch.from_numpy(probs)

    def loss():
        optimiser.zero_grad()
        found = torch.nn.functional.cross_entropy(inputs @ weight.T + bias, targets)
        total = found + (weight**2).sum() / (2 * 2.0 * len(x))
        total.backward()
        return total

    optimiser.step(loss)
    assert np.allclose(ours.coef_, weight.detach().numpy(), atol=1e-5)
    assert ours.loss_ == pytest.approx(float(loss().detach()), abs=1e-9)


def test_the_slope_vanishes_at_the_optimum():
    x, _, counts = crowd()
    probs = counts / counts.sum(axis=1, keepdims=True)
    found = soft_logistic(x, probs, np.ones(len(x)), penalty=0.5, tolerance=1e-9)
    gap = np.exp(log_softmax(x @ found.coef.T + found.intercept)) - probs
    assert np.abs(gap.T @ x + 0.5 * found.coef).max() < 1e-5 and np.abs(gap.sum(axis=0)).max() < 1e-5
    assert found.converged


def test_counts_shares_votes_and_distributions_teach_the_same():
    x, _, counts = crowd(k=3)
    shares = Distributions.from_counts(counts, classes=("a", "b", "c"))
    votes = Votes.of_counts(shares)
    beliefs = Beliefs(
        item=np.arange(len(x)),
        items=np.arange(len(x)),
        classes=("a", "b", "c"),
        stated=shares.probs,
        ruled_out=np.zeros(shares.probs.shape, dtype=bool),
        named=shares.probs.argmax(axis=1)[:, None],
    )
    frame = pd.DataFrame(counts, columns=["a", "b", "c"])
    fits = [SoftLabelClassifier().fit(x, y) for y in (counts, shares.probs, shares, votes, beliefs, frame)]
    for fit in fits[1:]:
        assert np.allclose(fit.predict_proba(x), fits[0].predict_proba(x), atol=1e-6)
    assert fits[0].classes_.tolist() == [0, 1, 2]
    assert all(fit.classes_.tolist() == ["a", "b", "c"] for fit in fits[2:])
    assert set(fits[3].predict(x)) <= {"a", "b", "c"}


@given(st.integers(0, 10_000))
def test_a_weight_is_a_repeated_row_and_mass_is_shared(seed):
    x, _, counts = crowd(n=30, d=3, k=3, seed=seed)
    counts = counts + 1
    times = np.random.default_rng(seed).integers(1, 4, 30)
    weighted = SoftLabelClassifier(tol=1e-9).fit(x, counts, sample_weight=times)
    repeated = SoftLabelClassifier(tol=1e-9).fit(np.repeat(x, times, axis=0), np.repeat(counts, times, axis=0))
    assert np.allclose(weighted.predict_proba(x), repeated.predict_proba(x), atol=1e-5)


def test_renaming_classes_and_reordering_items_changes_nothing_else():
    x, probs, _ = crowd()
    order, items = np.array([2, 0, 3, 1]), np.random.default_rng(1).permutation(len(x))
    one = SoftLabelClassifier(tol=1e-9).fit(x, probs).predict_proba(x)
    other = SoftLabelClassifier(tol=1e-9).fit(x[items], probs[items][:, order]).predict_proba(x)
    assert np.allclose(one[:, order], other, atol=1e-6)


@pytest.mark.parametrize("head", ["linear", "mlp"])
def test_sparse_features_are_the_same_features(head):
    x, probs, _ = crowd()
    x = np.where(np.abs(x) < 0.5, 0.0, x)
    dense = SoftLabelClassifier(head, tol=1e-9, epochs=3, random_state=0).fit(x, probs)
    thin = SoftLabelClassifier(head, tol=1e-9, epochs=3, random_state=0).fit(sparse.csr_matrix(x), probs)
    assert np.allclose(dense.predict_proba(x), thin.predict_proba(sparse.csc_matrix(x)), atol=1e-5)


def test_a_warm_start_goes_on_where_the_last_fit_ended():
    x, probs, _ = crowd()
    linear = SoftLabelClassifier(warm_start=True, tol=1e-8).fit(x, probs)
    first = linear.n_iter_[0]
    assert linear.fit(x, probs).n_iter_[0] < first / 4
    mlp = SoftLabelClassifier("mlp", epochs=5, warm_start=True, random_state=0).fit(x, probs)
    early = soft_log_likelihood(mlp, x, probs)
    for _ in range(5):
        mlp.fit(x, probs)
    assert soft_log_likelihood(mlp, x, probs) > early
    with refuses("[0, 1, 2, 3]", "cannot learn [0, 1]"):
        mlp.fit(x, (probs[:, 0] > 0.3).astype(int))


def test_it_selects_settings_in_a_pipeline_by_the_whole_distribution():
    x, _, counts = crowd(votes=3)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SoftLabelClassifier()),
        {"softlabelclassifier__C": [1e-4, 0.1, 1.0]},
        scoring=soft_log_likelihood,
        cv=3,
    ).fit(x, counts)
    assert search.best_params_["softlabelclassifier__C"] > 1e-4
    assert search.best_score_ == pytest.approx(search.cv_results_["mean_test_score"].max())
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_score_is_the_mass_of_the_predicted_class_and_accuracy_for_labels():
    x, probs, _ = crowd()
    fit = SoftLabelClassifier().fit(x, probs)
    most = fit.predict(x)
    assert fit.score(x, probs) == pytest.approx(np.mean([row[code] for row, code in zip(probs, most, strict=True)]))
    assert fit.score(x, probs.argmax(axis=1)) == pytest.approx((most == probs.argmax(axis=1)).mean())
    nll = -np.mean(np.sum(probs * np.log(fit.predict_proba(x)), axis=1))
    assert soft_log_likelihood(fit, x, probs) == pytest.approx(-nll)


def test_score_takes_votes_and_distributions_as_fit_does():
    x, _, counts = crowd(k=3)
    shares = Distributions.from_counts(counts, classes=("a", "b", "c"))
    fit = SoftLabelClassifier().fit(x, Votes.of_counts(shares))
    mass = np.mean(shares.probs[np.arange(len(x)), [("a", "b", "c").index(name) for name in fit.predict(x)]])
    assert fit.score(x, Votes.of_counts(shares)) == pytest.approx(mass)
    assert fit.score(x, shares) == pytest.approx(mass)
    assert soft_log_likelihood(fit, x, shares) == pytest.approx(soft_log_likelihood(fit, x, shares.probs))
    with refuses("['c', 'b', 'a']", "['a', 'b', 'c']", "in order"):
        fit.score(x, Distributions(shares.probs, shares.items, ("c", "b", "a")))


def test_an_mlp_learns_what_a_line_cannot():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (600, 2))
    p = np.where(x[:, 0] * x[:, 1] > 0, 0.9, 0.1)
    y = np.stack([p, 1 - p], axis=1)
    line = SoftLabelClassifier().fit(x, y)
    mlp = SoftLabelClassifier("mlp", hidden=32, epochs=60, learning_rate=0.01, random_state=0).fit(x, y)
    assert soft_log_likelihood(mlp, x, y) > soft_log_likelihood(line, x, y) + 0.1
    again = SoftLabelClassifier("mlp", hidden=32, epochs=60, learning_rate=0.01, random_state=0).fit(x, y)
    assert np.array_equal(again.predict_proba(x), mlp.predict_proba(x))


def test_a_class_without_mass_is_refused_or_gets_nothing():
    x, _, _ = crowd()
    probs = np.tile([0.5, 0.5, 0.0], (len(x), 1))
    with refuses("class 2", "no mass", "300 training rows", "1 of 3 classes", ways={"missing_classes": "zero"}):
        SoftLabelClassifier().fit(x, probs)
    fit = SoftLabelClassifier(missing_classes="zero").fit(x, probs)
    assert fit.predict_proba(x).shape == (300, 3) and (fit.predict_proba(x)[:, 2] == 0).all()
    with refuses("one class", "'yes'", "two classes"):
        SoftLabelClassifier(missing_classes="zero").fit(x, ["yes"] * len(x))
    assert soft_log_likelihood(fit, x, np.tile([0.0, 0.0, 1.0], (len(x), 1))) < -1e100


BAD = [
    (np.array([[1, 2], [0, 0], [3, 1]]), ("Y: row 1", "item 1", "no votes", "1 of 3 rows", "read as counts")),
    (
        np.array([[0.5, 0.5], [0.2, 0.2], [1, 0]]),
        ("Y: row 1", "item 1", "sums to 0.4", "1 of 3 rows", "Distributions.from_mass", "rescale=True"),
    ),
    (
        np.array([[0.5, 0.5], [np.nan, 1], [1, 0]]),
        ("Y: row 1", "item 1", "class '0'", "no probability", "0 to 1", "1 entries"),
    ),
    (
        np.array([[1.5, -0.5], [0.5, 0.5], [1, 0]]),
        ("Y: row 0", "item 0", "class '0'", "probability 1.5", "0 to 1", "2 entries", "softmax"),
    ),
    (np.array([["a", "b"]] * 3), ("Y: ndarray", "(3, 2)", "<U1", "Votes", "(n,) classes", "counts or probabilities")),
    (np.array([[1, 2], [2, 1]]), ("X has 3 rows", "Y has 2")),
]


@pytest.mark.parametrize(("y", "facts"), BAD)
def test_invalid_labels_are_refused_with_the_row(y, facts):
    with refuses(*facts):
        SoftLabelClassifier().fit(np.arange(6.0).reshape(3, 2), y)


def test_other_bad_input_is_refused():
    x, probs, _ = crowd(n=20)
    with pytest.raises(ValueError, match=r"contains NaN"):
        SoftLabelClassifier().fit(np.where(x > 1, np.nan, x), probs)
    with pytest.raises(ValueError, match=r"1 sample"):
        SoftLabelClassifier().fit(x[:1], probs[:1])
    with refuses("item 1", "no votes", "1 of 3 items"):
        SoftLabelClassifier().fit(x[:3], Votes(item=[0, 2], items=[0, 1, 2], choice=[0, 1], classes=("a", "b")))
    with pytest.raises(ValueError, match=r"weights .*non-zero"):
        SoftLabelClassifier().fit(x, probs, sample_weight=np.zeros(20))
    with refuses("head 'tree'", "linear, mlp"):
        SoftLabelClassifier("tree").fit(x, probs)
    with refuses("C is 0", "above 0"):
        SoftLabelClassifier(C=0).fit(x, probs)
    with refuses("Y", "4 columns", "['a', 'b']", "4 different names"):
        SoftLabelClassifier(classes=["a", "b"]).fit(x, probs)
    with refuses("3 classes", "4 were learned", "[0, 1, 2, 3]"):
        SoftLabelClassifier().fit(x, probs).score(x, np.tile([0.5, 0.25, 0.25], (20, 1)))
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 steps"):
        SoftLabelClassifier(max_iter=2).fit(x, probs)


def test_labels_must_be_among_named_classes():
    found = as_targets(["dog", "cat"], classes=["dog", "bird", "cat"])
    assert found.probs.tolist() == [[1, 0, 0], [0, 0, 1]]
    with refuses("row 1", "'cow'", "['dog', 'bird', 'cat']", "1 of 2 rows"):
        as_targets(["dog", "cow"], classes=["dog", "bird", "cat"])


def test_a_warm_start_with_other_classes_missing_is_refused():
    x = np.random.default_rng(0).normal(size=(6, 2))
    model = SoftLabelClassifier(warm_start=True, missing_classes="zero").fit(x, [[1, 1, 0]] * 6)
    with refuses("[0, 1]", "cannot learn [0, 1, 2]"):
        model.fit(x, [[1, 1, 1]] * 6)
