"""The prior behind shrinkage: which of its models the votes choose, and what it does where they say little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from dissensus.aggregate.priors.dirichlet_mixture import component_evidence, mixture_posterior
from dissensus.aggregate.priors.kinds import free_parameters, with_pairs
from dissensus.aggregate.priors.vote_prior import vote_prior
from dissensus.labels.distances import kl


def over_crowds(truth: np.ndarray, n: int, votes: int, crowds: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean KL of the estimate and of the share smoothed with 1/k, for so many crowds of n items.  both (crowds,)"""
    k = truth.shape[1]
    ours, even = np.empty(crowds), np.empty(crowds)
    for crowd in range(crowds):
        rng = np.random.default_rng(crowd)
        some = truth[rng.choice(truth.shape[0], n, replace=False)]
        counts = rng.multinomial(votes, some)
        ours[crowd] = kl(some, vote_prior(counts).estimate(counts)).mean()
        even[crowd] = kl(some, (counts + 1 / k) / (votes + 1)).mean()
    return ours, even


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("kappa", [0.15, 0.5, 0.9])
@pytest.mark.parametrize(("n", "votes"), [(10, 1), (10, 3), (40, 1), (40, 5)])
def test_few_items_are_estimated_no_worse_than_with_one_over_k(k, kappa, n, votes):
    """By more than half a percent. At kappa = 1/2, or with one vote and even classes, 1/k is the truth."""
    truth = np.random.default_rng(k).dirichlet(np.full(k, (1 / kappa - 1) / k), size=400)
    truth = np.maximum(truth, 1e-12) / np.maximum(truth, 1e-12).sum(axis=1, keepdims=True)
    ours, even = over_crowds(truth, n, votes, crowds=16)
    assert ours.mean() < 1.005 * even.mean()


def test_ten_items_without_a_clear_message_are_smoothed_with_one_over_k():
    """Three agree on four of ten, all differ on one: Dirichlet(1/3, 1/3, 1/3) foresees 5.2 and 0.4."""
    alike, split = [[3, 0, 0], [0, 3, 0], [0, 0, 3], [3, 0, 0]], [[2, 1, 0], [0, 2, 1], [1, 0, 2], [2, 0, 1], [1, 2, 0]]
    counts = np.array([*alike, *split, [1, 1, 1]])
    assert vote_prior(counts).estimate(counts) == pytest.approx((counts + 1 / 3) / 4, abs=2e-3)


def test_ten_items_on_which_all_agree_are_learned_from():
    """Five of five votes on each of ten items: with 1/k the class they name has 0.85, and they show more than that."""
    counts = 5 * np.eye(10, dtype=int)
    assert vote_prior(counts).estimate(counts).diagonal() == pytest.approx(0.97, abs=0.015)


def test_one_vote_counts_as_much_as_the_share_of_the_classes():
    """The hyperprior of the agreement beyond chance has mean 1/2: (vote + share) / 2, where the share is well known."""
    counts = np.repeat(np.eye(2, dtype=int), [900, 100], axis=0)
    assert vote_prior(counts).estimate(counts)[[0, -1]] == pytest.approx(
        np.array([[0.95, 0.05], [0.45, 0.55]]), abs=0.01
    )
    sure = vote_prior(counts, agreement=0.9, pairs=100).estimate(counts)
    assert sure[0, 0] > 0.97 and sure[-1, 1] > 0.85


def test_evenly_common_classes_and_one_vote_are_smoothed_with_one_over_k():
    counts = np.repeat(np.eye(4, dtype=int), 5, axis=0)
    assert vote_prior(counts).estimate(counts) == pytest.approx((counts + 0.25) / 2, abs=1e-3)


def test_who_knows_that_people_agree_is_believed_where_votes_cannot_tell():
    """One vote per item says nothing of agreement: kappa is the hyperprior's mean, and 1/k has to yield to it."""
    counts = np.repeat(np.eye(4, dtype=int), 5, axis=0)
    sure = vote_prior(counts, agreement=0.9, pairs=100).estimate(counts)
    assert sure == pytest.approx(0.9 * counts + 0.1 / 4, abs=0.01)
    hardly = vote_prior(counts, agreement=0.55, pairs=4).estimate(counts)
    assert hardly == pytest.approx((counts + 0.25) / 2, abs=0.01)


def test_a_class_that_ten_items_did_not_show_stays_possible():
    counts = np.array([[3, 0, 0]] * 7 + [[0, 3, 0]] * 3)
    nobody = vote_prior(counts).estimate(np.zeros((1, 3), dtype=int))[0]
    assert 0.1 < nobody[2] < 1 / 3 < nobody[0]


def test_kinds_are_learned_where_votes_show_them():
    """Class 0 is taken for 1, class 2 for nothing: with many items the prior has both, with ten it has neither."""
    truth = np.repeat([[0.65, 0.35, 0.0], [0.35, 0.65, 0.0], [0.0, 0.0, 1.0]], 200, axis=0)
    counts = np.random.default_rng(0).multinomial(4, truth)
    many, few = vote_prior(counts), vote_prior(counts[::60])
    one = np.array([[1, 0, 0]])
    assert many.estimate(one)[0, 2] < 0.02 < 0.1 < few.estimate(one)[0, 2]


def test_the_evidence_of_each_dirichlet_against_the_formula():
    alpha = np.array([[3.0, 0.4, 0.1], [0.2, 1.5, 0.3]])
    rows = np.array([[2, 1, 0], [0, 0, 0], [0, 4, 1]])
    both = alpha + rows[:, None]  # (u, j, k)
    beta = gammaln(both).sum(2) - gammaln(both.sum(2)) - gammaln(alpha).sum(1) + gammaln(alpha.sum(1))
    assert component_evidence(rows, alpha) == pytest.approx(beta)


def test_parameters_set_free_are_counted_by_the_squared_slopes_of_each_item():
    alpha, weights = np.array([[3.0, 0.4, 0.1], [0.2, 1.5, 0.3]]), np.array([0.7, 0.3])
    rows, times = np.array([[2, 1, 0], [0, 4, 1], [1, 1, 1]]), np.array([3.0, 1.0, 2.0])

    def log_f(row: np.ndarray, log_alpha: np.ndarray) -> float:
        return float(np.log(weights @ np.exp(component_evidence(row[None], np.exp(log_alpha))[0])))

    fisher, step = np.zeros((2, 3)), 1e-5
    for place in np.ndindex(2, 3):
        bump = np.zeros((2, 3))
        bump[place] = step
        slopes = [(log_f(row, np.log(alpha) + bump) - log_f(row, np.log(alpha) - bump)) / (2 * step) for row in rows]
        fisher[place] = times @ np.square(slopes)
    slow = (fisher / (fisher + 1 / 0.5**2)).sum()
    assert free_parameters(rows, times, alpha, weights, 0.5) == pytest.approx(slow, rel=1e-5)
    assert free_parameters(rows, 1e9 * times, alpha, weights, 0.5) == pytest.approx(6, rel=1e-3)


def test_imagined_pairs_agree_as_often_as_assumed():
    """Half of the way from chance to always: with shares 0.9 and 0.1 chance is 0.82, so 0.91."""
    share = np.array([0.9, 0.1])
    terms = with_pairs(np.zeros((0, 2), dtype=int), np.zeros(0), share, 0.5, 10.0)
    assert terms.weight.sum() == pytest.approx(10)
    same = np.asarray(terms.pick.sum(axis=1)).ravel() == 2  # one slot for the class, one for the total
    assert terms.weight[same].sum() == pytest.approx(9.1)


def test_averaged_models_are_one_mixture():
    counts = np.random.default_rng(0).multinomial(3, [0.5, 0.3, 0.2], size=25)
    prior = vote_prior(counts)
    assert prior.weights.sum() == pytest.approx(1) and (prior.weights > 0).all()
    assert np.allclose(prior.posterior(counts).weights, mixture_posterior(counts, prior.alpha, prior.weights).weights)
