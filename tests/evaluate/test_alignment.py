"""Entropy correlations and AUROC against scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import roc_auc_score

from dissensus.evaluate.alignment import auroc, entropy_pearson, entropy_spearman, pearson, spearman
from dissensus.labels.distances import entropy
from tests.facts import refuses


def test_correlations_are_scipys():
    rng = np.random.default_rng(0)
    people = rng.dirichlet(np.ones(4), 300)
    model = 0.5 * people + 0.5 * rng.dirichlet(np.ones(4), 300)
    x, y = entropy(model), entropy(people)
    assert entropy_pearson(model, people) == pytest.approx(pearsonr(x, y).statistic)
    assert entropy_spearman(model, people) == pytest.approx(spearmanr(x, y).statistic)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_ties_share_their_ranks(items):
    x, y = np.array(items, dtype=float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(spearman(x, y)) and np.isnan(pearson(x, y))
    else:
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)


def test_the_same_votes_for_other_classes_are_tied():
    """In double precision the entropies of such rows differ in the last digit, and scipy ranks them apart."""
    votes = np.array([47, 2, 1, 0, 0]) / 50
    people = np.array([np.roll(votes, shift) for shift in range(5)] + [[0.2] * 5])
    model = np.random.default_rng(0).dirichlet(np.ones(5), 6)
    exact = np.array([0.0] * 5 + [1.0])
    assert entropy_spearman(model, people) == pytest.approx(spearmanr(entropy(model), exact).statistic)


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40))
def test_auroc_is_scikit_learns_with_any_ties(items):
    score, positive = np.array([s for s, _ in items], dtype=float), np.array([b for _, b in items])
    if positive.all() or not positive.any():
        with refuses("some of both"):
            auroc(score, positive)
    else:
        assert auroc(score, positive) == pytest.approx(roc_auc_score(positive, score))
        pairs = [(s > t) + (s == t) / 2 for s in score[positive] for t in score[~positive]]
        assert auroc(score.astype(np.float32), positive.astype(int)) == pytest.approx(np.mean(pairs))


def test_bad_columns_are_refused():
    with refuses("1 of 2 scores", "NaN"):
        auroc(np.array([np.nan, 1.0]), np.array([True, False]))
    with refuses("item 1", "0.5"):
        auroc(np.array([0.0, 1.0]), np.array([0, 0.5]))
    with refuses("score has shape (1,)", "positive (2,)"):
        auroc(np.array([0.0]), np.array([0, 1]))
    with refuses("two items"):
        pearson(np.array([1.0]), np.array([1.0]))
