"""Whether choosing pays: against a loop over every pair of votes, and on crowds of which it is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.aggregate.priors.dirichlet_mixture import expected_kl, mixture_posterior, posterior_sample
from dissensus.aggregate.priors.vote_prior import VotePrior
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions
from dissensus.plan.allocation import allocate, spend
from dissensus.plan.allocation_gain import SURE, _hold_back, _thin, _tilts, gain_evidence

ALPHA = np.array([[5.0, 0.3, 0.2], [0.4, 3.0, 0.6], [0.9, 0.8, 1.1]])
WEIGHTS = np.array([0.5, 0.3, 0.2])
PRIOR = VotePrior(ALPHA, WEIGHTS)
rng = np.random.default_rng


def drop_by_lookahead(h: np.ndarray) -> float:
    eye = np.eye(3, dtype=np.int64)
    after = [expected_kl(mixture_posterior((h + vote)[None], ALPHA, WEIGHTS))[0] for vote in eye]
    now = expected_kl(mixture_posterior(h[None], ALPHA, WEIGHTS))[0]
    return float(now - PRIOR.estimate(h[None])[0] @ after)


def test_every_pair_of_votes_is_kept_back_once():
    """A loop over the votes themselves, with the drop from looking ahead over all outcomes."""
    counts = np.array([[2, 1, 0], [0, 3, 1], [1, 1, 1], [2, 1, 0], [0, 2, 0], [1, 0, 0]])
    eye = np.eye(3, dtype=np.int64)
    kept = []  # (item, votes left, drop, what a vote told about another)
    for item, row in enumerate(counts):
        for c, d in itertools.permutations(np.repeat(np.arange(3), row), 2):
            h = row - eye[c] - eye[d]
            realised = np.log(PRIOR.estimate((h + eye[c])[None])[0, d] / PRIOR.estimate(h[None])[0, d])
            kept.append((item, h.sum(), drop_by_lookahead(h), realised, 1 / (row.sum() * (row.sum() - 1))))
    item, depth, drop, realised, weight = map(np.array, zip(*kept, strict=True))
    slow = np.zeros(5)
    for m in set(depth.tolist()):
        at = np.flatnonzero(depth == m)
        share = weight[at] / weight[at].sum()
        mean = share @ realised[at]
        for i in at:
            lower, equal = drop[at] < drop[i] - 1e-9, np.abs(drop[at] - drop[i]) < 1e-9
            slow[item[i]] += weight[i] * (share @ (lower + equal / 2) - 0.5) * (realised[i] - mean)
    tilt, times = _tilts(PRIOR, counts)
    assert times.sum() == 5
    assert np.allclose(np.sort(np.repeat(tilt, times.astype(int))), np.sort(slow))


def test_what_votes_told_is_the_real_drop_of_kl_even_by_a_wrong_prior():
    """The truth is far from what the prior expects; its mean over votes is KL before less KL after."""
    truth, h = np.array([0.1, 0.2, 0.7]), np.array([2, 1, 0])
    wrong = VotePrior(np.array([[8.0, 1.0, 0.1]]), np.ones(1))
    eye = np.eye(3, dtype=np.int64)
    real = 0.0
    for c, d in itertools.product(range(3), repeat=2):
        row = (h + eye[c] + eye[d])[None]
        _, weight, _, _, realised = _hold_back(wrong, row, 0)
        assert np.isclose(weight.sum(), 1)
        real += truth[c] * truth[d] * realised[_pairs(row[0]).index((c, d))]
    after = sum(truth[c] * kl(truth[None], wrong.estimate((h + eye[c])[None]))[0] for c in range(3))
    assert np.isclose(real, kl(truth[None], wrong.estimate(h[None]))[0] - after)


def _pairs(row: np.ndarray) -> list[tuple[int, int]]:
    """Ordered pairs of classes that can be kept back, in the order of the table."""
    return [(c, d) for c in range(3) for d in range(3) if row[c] and row[d] - (c == d) > 0]


def votes_of_each(truth: np.ndarray, votes: int, seed: int) -> np.ndarray:
    return rng(seed).multinomial(votes, truth)


@pytest.mark.parametrize(("n", "k"), [(60, 3), (200, 10)])
def test_where_all_items_are_alike_nothing_is_sure(n, k):
    """Ten classes and few items: a prior that judged its own votes would see structure in them."""
    evidence = [gain_evidence(votes_of_each(np.full((n, k), 1 / k), 4, seed), rng(seed)) for seed in range(6)]
    assert max(evidence) < SURE and abs(np.mean(evidence)) < 1.5


def test_where_some_items_are_clear_and_some_are_not_the_gain_is_sure():
    truth = posterior_sample(mixture_posterior(np.zeros((3000, 3)), ALPHA, WEIGHTS), rng(1))
    assert gain_evidence(votes_of_each(truth, 6, 2), rng(0)) > SURE


def test_two_votes_per_item_prove_nothing_and_everybody_gets_a_third():
    """The third vote's value rests on how four votes hang together, which nobody has seen."""
    truth = posterior_sample(mixture_posterior(np.zeros((300, 3)), ALPHA, WEIGHTS), rng(1))
    counts = votes_of_each(truth, 2, 3)
    assert gain_evidence(counts, rng(0)) == 0
    plan = allocate(Distributions.from_counts(counts), 300, rng(0))
    assert plan.rule == "uniform" and (plan.votes == 1).all()
    trusting = allocate(Distributions.from_counts(counts), 300, rng(0), sure=-np.inf)
    assert trusting.rule == "expected-error" and trusting.votes.max() > 1


def test_a_sure_gain_sends_answers_where_the_drop_is_largest():
    truth = posterior_sample(mixture_posterior(np.zeros((3000, 3)), ALPHA, WEIGHTS), rng(1))
    plan = allocate(Distributions.from_counts(votes_of_each(truth, 6, 2)), 300, rng(0))
    assert plan.rule == "expected-error"
    assert plan.error[plan.votes > 0].mean() > 1.5 * plan.error.mean()


def test_as_long_as_nothing_is_sure_asking_is_uniform_to_the_last_vote():
    answers = (rng(4).random((80, 30, 1)) > np.cumsum(np.full((80, 3), 1 / 3), axis=1)[:, None, :-1]).sum(axis=2)

    def ask(who: np.ndarray, now: np.ndarray) -> np.ndarray:
        return answers[who, now[who].sum(axis=1)]

    none = np.zeros((80, 3), dtype=np.int64)
    ways = [spend(none, 500, ask, rng(9), rule=rule, portion=20) for rule in ("uniform", "expected-error")]
    assert np.array_equal(*ways) and np.ptp(ways[0].sum(axis=1)) <= 1


def test_items_that_were_chosen_before_are_thinned_to_what_half_of_the_others_have():
    counts = np.array([[2, 1, 0]] * 20 + [[10, 15, 5]] * 10)
    thin = np.mean([_thin(counts, rng(seed)) for seed in range(200)], axis=0)
    assert np.array_equal(thin[:20], counts[:20]) and np.allclose(thin[20:].sum(axis=1), 3)
    assert np.allclose(thin[20:].mean(axis=0), [1.0, 1.5, 0.5], atol=0.05)


def test_looking_does_not_disturb_the_draws_that_follow():
    counts = votes_of_each(np.full((50, 3), 1 / 3), 4, 0)
    looked, not_looked = rng(0), rng(0)
    gain_evidence(counts, looked)
    assert looked.random() == not_looked.random()
