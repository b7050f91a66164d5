"""MACE: the evidence by enumeration, spammers with habits, and both ways of learning."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import betaln, gammaln

from dissensus.aggregate.models.mace import mace
from dissensus.labels.simulate import one_coin, random_truth, simulated_votes
from dissensus.labels.votes import Votes


def crowd_with_habits(n=600):
    """Eight annotators who know, and four who mostly say class 0 whatever they see."""
    rng = np.random.default_rng(0)
    habit = np.tile([0.8, 0.1, 0.1], (4, 3, 1))
    confusion = np.concatenate([one_coin(np.full(8, 0.8), 3), habit])
    return simulated_votes(random_truth(n, 3, rng, 0.01), 6, 12, rng, confusion=confusion)


def test_the_em_trace_is_the_likelihood_plus_the_priors():
    votes = crowd_with_habits(50).votes
    fit = mace(votes, learning="em")
    total = 0.0
    for i in range(votes.n_items):
        mass = np.full(3, 1 / 3)
        for j, c in zip(votes.annotator[votes.item == i], votes.choice[votes.item == i], strict=True):
            mass *= fit.skill[j] * (np.arange(3) == c) + (1 - fit.skill[j]) * fit.guess[j, c]
        total += np.log(mass.sum())
    priors = 0.5 * (np.log(fit.skill) + np.log(1 - fit.skill)).sum() + np.log(fit.guess).sum()
    assert fit.log_likelihood[-1] == pytest.approx(total + priors)


@pytest.mark.parametrize("choices", [(0,), (0, 0, 1), (0, 1, 1, 1, 0)])
def test_the_variational_trace_is_a_bound_on_the_evidence(choices):
    """One annotator, one vote an item: sum over which votes were known, both priors integrated out exactly."""
    k, prior = 2, np.array([0.5, 0.5])
    terms = []
    for known in product([False, True], repeat=len(choices)):
        guessed = np.bincount([c for c, knew in zip(choices, known, strict=True) if not knew], minlength=k)
        coin = betaln(prior[0] + sum(known), prior[1] + len(choices) - sum(known)) - betaln(*prior)
        habit = gammaln(1.0 + guessed).sum() - gammaln(k + guessed.sum()) + gammaln(k)
        terms.append(coin + habit - sum(known) * np.log(k))
    evidence = np.logaddexp.reduce(terms)
    fit = mace(Votes.of(range(len(choices)), choices, ["ann"] * len(choices), classes="01"), tolerance=1e-12)
    assert evidence - 1.5 < fit.log_likelihood[-1] <= evidence + 1e-9


@pytest.mark.parametrize("learning", ["variational", "em"])
def test_habits_of_spammers_are_found(learning):
    made = crowd_with_habits()
    fit = mace(made.votes, learning=learning)
    assert fit.skill[:8].min() > 0.55 and fit.skill[8:].max() < 0.2
    np.testing.assert_allclose(fit.guess[8:], np.tile([0.8, 0.1, 0.1], (4, 1)), atol=0.12)
    truth = made.truth.probs.argmax(axis=1)
    counted = (made.votes.counts().argmax(axis=1) == truth).mean()
    assert (fit.distributions.probs.argmax(axis=1) == truth).mean() > counted + 0.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning": "gibbs"}, r"no way of learning 'gibbs'; there are variational and em"),
        ({"skill_prior": (0.5, 0.0)}, r"skill_prior is \(0.5, 0.0\); expected two finite numbers above 0"),
        ({"guess_prior": -1.0}, r"guess_prior is -1.0; expected a finite number above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mace(crowd_with_habits(5).votes, **options)
