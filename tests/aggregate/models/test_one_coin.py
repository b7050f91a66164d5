"""One-coin: a slow second road, skills that are known, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.aggregate.models.one_coin import one_coin
from dissensus.labels.simulate import simulate_truth, simulate_votes
from dissensus.labels.votes import Votes


def crowd(seed=0, n=300, k=3, a=10, per_item=5, **kinds):
    rng = np.random.default_rng(seed)
    return simulate_votes(simulate_truth(n, k, rng, 0.01), per_item, a, rng, **kinds)


def slow_em(votes, iterations):
    """Zhang et al. (2016), section 3.2, with loops."""
    n, k = votes.n_items, votes.n_classes
    posterior = votes.counts() / votes.per_item[:, None]
    for _ in range(iterations):
        prior = posterior.mean(axis=0)
        skill = np.zeros(votes.n_annotators)
        for i, j, c in zip(votes.item, votes.annotator, votes.choice, strict=True):
            skill[j] += posterior[i, c] / votes.per_annotator[j]
        posterior = np.tile(prior, (n, 1))
        for i, j, c in zip(votes.item, votes.annotator, votes.choice, strict=True):
            posterior[i] *= np.where(np.arange(k) == c, skill[j], (1 - skill[j]) / (k - 1))
        height = np.log(posterior.sum(axis=1)).sum()
        posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, skill, height


def test_unsmoothed_it_is_the_published_algorithm():
    votes = crowd(1, n=80, skill=0.7).votes
    posterior, skill, height = slow_em(votes, 6)
    fit = one_coin(votes, smoothing=0.0, tolerance=0.0, most_iterations=6)
    np.testing.assert_allclose(fit.distributions.probs, posterior, atol=1e-9)
    np.testing.assert_allclose(fit.skill, skill, atol=1e-9)
    assert fit.log_likelihood[-1] == pytest.approx(height)


def test_skills_are_recovered_from_spammers_to_experts():
    skill = np.linspace(1 / 3, 0.95, 10)
    made = crowd(2, n=4000, skill=skill)
    np.testing.assert_allclose(one_coin(made.votes).skill, skill, atol=0.04)


def test_an_adversary_is_known_and_their_votes_count_against_their_class():
    made = crowd(3, n=1500, adversaries=2, skill=0.8)
    fit = one_coin(made.votes)
    assert fit.skill[-2:].max() < 0.05
    assert (fit.distributions.probs.argmax(axis=1) == made.truth.probs.argmax(axis=1)).mean() > 0.93


def test_few_votes_are_drawn_to_the_crowd():
    votes = Votes.of(["x", "y", "y", "z"], ["a", "a", "b", "b"], ["ann", "ann", "bo", "bo"])
    free, drawn, held = (one_coin(votes, smoothing=s, most_iterations=1) for s in (0.0, 5.0, 1e9))
    assert np.ptp(free.skill) >= np.ptp(drawn.skill) >= np.ptp(held.skill)
    np.testing.assert_allclose(held.skill, held.crowd)


def test_smoothing_below_nothing_is_refused():
    with pytest.raises(ValueError, match=r"smoothing is nan "):
        one_coin(crowd(4, n=5).votes, smoothing=float("nan"))
