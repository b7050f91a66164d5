"""MACE: the evidence by enumeration, spammers with habits, and both ways of learning."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import betaln, gammaln

from dissensus.aggregate.models.mace import mace
from dissensus.labels.simulate import simulate_one_coin, simulate_truth, simulate_votes
from dissensus.labels.transforms import one_hot
from dissensus.labels.votes import Votes


def crowd_with_habits(n=600):
    """Eight annotators who know, and four who mostly say class 0 whatever they see."""
    rng = np.random.default_rng(0)
    habit = np.tile([0.8, 0.1, 0.1], (4, 3, 1))
    confusion = np.concatenate([simulate_one_coin(np.full(8, 0.8), 3), habit])
    return simulate_votes(simulate_truth(n, 3, rng, 0.01), 6, 12, rng, confusion=confusion)


def test_the_em_trace_is_the_likelihood_plus_the_priors():
    votes = crowd_with_habits(50).votes
    fit = mace(votes, learning="em")
    total = 0.0
    for i in range(votes.n_items):
        mass = fit.class_prior.copy()
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
    votes = Votes.of(range(len(choices)), choices, ["ann"] * len(choices), classes="01")
    fit = mace(votes, class_prior="even", tolerance=1e-12)
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


def imbalanced_crowd(seed, kind, n=600):
    """Nine items in ten are of one class; 30 people with a coin, a habit or a confusion each, three votes an item."""
    rng = np.random.default_rng(seed)
    gold = (rng.random(n) < 0.1).astype(int)
    confusion = {
        "coin": simulate_one_coin(rng.uniform(0.55, 0.95, 30), 2),
        "habit": rng.beta(2, 1, (30, 1, 1)) * np.eye(2),
        "confusion": np.stack([[rng.dirichlet(1 + 6 * row) for row in np.eye(2)] for _ in range(30)]),
    }[kind]
    left = 1 - confusion.sum(axis=2, keepdims=True)  # of those who know sometimes: a guess by their habit
    confusion = confusion + left * rng.dirichlet(np.ones(2), 30)[:, None]
    return simulate_votes(one_hot(gold, np.arange(n), ("a", "b")), 3, 30, rng, confusion=confusion).votes, gold


@pytest.mark.parametrize("learning", ["variational", "em"])
@pytest.mark.parametrize("kind", ["coin", "habit", "confusion"])
def test_imbalanced_classes_leave_it_above_the_majority(kind, learning):
    def right(probs, gold):
        return (probs.argmax(axis=1) == gold).mean()

    drawn = [imbalanced_crowd(seed, kind) for seed in range(3)]
    counted = np.mean([right(votes.counts(), gold) for votes, gold in drawn])
    fits = [mace(votes, learning=learning) for votes, _ in drawn]
    learned = np.mean([right(fit.distributions.probs, gold) for fit, (_, gold) in zip(fits, drawn, strict=True)])
    flat = [mace(votes, learning=learning, class_prior="even").distributions.probs for votes, _ in drawn]
    assert learned > counted and np.mean([fit.class_prior[0] for fit in fits]) == pytest.approx(0.9, abs=0.06)
    assert np.mean([right(probs, gold) for probs, (_, gold) in zip(flat, drawn, strict=True)]) < counted - 0.05


def test_with_even_classes_it_is_the_model_of_the_paper():
    fit = mace(crowd_with_habits(50).votes, class_prior="even")
    assert fit.class_prior.tolist() == [1 / 3] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning": "gibbs"}, r"unknown way of learning 'gibbs'.*variational, em"),
        ({"skill_prior": (0.5, 0.0)}, r"skill_prior is \(0.5, 0.0\); expected two finite numbers above 0"),
        ({"class_prior": "flat"}, r"unknown class prior 'flat'.*learned, even"),
        ({"guess_prior": -1.0}, r"guess_prior is -1.0; expected a finite number above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mace(crowd_with_habits(5).votes, **options)
