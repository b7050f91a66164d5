"""GLAD: hard items look hard, the trace is what it says, and the end is a maximum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dissensus.aggregate.models.glad import glad
from dissensus.labels.simulate import simulate_truth, simulate_votes


def crowd(seed=0, n=300, k=3, a=10, per_item=5, **kinds):
    rng = np.random.default_rng(seed)
    return simulate_votes(simulate_truth(n, k, rng, 0.01), per_item, a, rng, **kinds)


def slow_height(skill, ease, votes):
    """The log-likelihood of the votes and the logarithm of both priors, up to a constant, vote by vote."""
    k = votes.n_classes
    total = -0.5 * ((skill - 1) ** 2).sum() - 0.5 * ((np.log(ease) - 1) ** 2).sum()
    for i in range(votes.n_items):
        mass = np.full(k, 1 / k)
        for j, c in zip(votes.annotator[votes.item == i], votes.choice[votes.item == i], strict=True):
            right = 1 / (1 + np.exp(-skill[j] * ease[i]))
            mass *= np.where(np.arange(k) == c, right, (1 - right) / (k - 1))
        total += np.log(mass.sum())
    return total


def test_the_trace_is_the_likelihood_plus_the_priors():
    votes = crowd(1, n=30, skill=0.7).votes
    fit = glad(votes, most_iterations=3)
    assert fit.log_likelihood[-1] == pytest.approx(slow_height(fit.skill, fit.ease, votes))


def test_it_ends_where_no_skill_and_no_ease_can_be_improved():
    votes = crowd(2, n=25, a=6, skill=0.7).votes
    fit = glad(votes, tolerance=1e-13, most_iterations=2000)
    for name in ("skill", "ease"):
        for which in range(3):
            for factor in (0.99, 1.01):
                moved = {"skill": fit.skill.copy(), "ease": fit.ease.copy()}
                moved[name][which] *= factor
                assert slow_height(**moved, votes=votes) < fit.log_likelihood[-1]


def test_items_answered_blindly_look_harder_than_the_others():
    votes = crowd(3, n=400, skill=0.85).votes
    blind = votes.item >= 200
    choice = np.where(blind, np.random.default_rng(0).integers(0, 3, votes.n_answers), votes.choice)
    fit = glad(replace(votes, choice=choice))
    assert np.median(fit.ease[200:]) < 0.6 * np.median(fit.ease[:200])


def test_spammers_have_no_skill_and_adversaries_less():
    fit = glad(crowd(4, n=800, k=2, skill=0.9, spammers=2, adversaries=2).votes)
    assert fit.skill[:6].min() > 0.5 and np.abs(fit.skill[6:8]).max() < 0.3 and fit.skill[8:].max() < -0.5


def test_without_votes_there_are_only_the_priors():
    votes = crowd(5, n=20).votes
    wider = replace(votes, items=np.arange(21), annotators=np.arange(11))
    fit = glad(wider, prior_mean=(0.7, 0.3))
    assert fit.skill[10] == pytest.approx(0.7) and fit.ease[20] == pytest.approx(np.exp(0.3))


def test_priors_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match=r"means \(1.0, 1.0\) and deviations \(1.0, 0.0\)"):
        glad(crowd(6, n=5).votes, prior_deviation=(1.0, 0.0))
