"""What a model is worth beside votes: some of them where it helps, nothing where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.aggregate.priors.model_worth import model_worth, with_model
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.aggregate.priors.vote_prior import VotePrior, vote_prior
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth

PURE = 0.9 * np.eye(4) + 0.025  # most items are clear, as in CIFAR-10H


def crowd(n: int, votes: int, seed: int = 0) -> tuple[np.ndarray, Distributions, np.random.Generator]:
    rng = np.random.default_rng(seed)
    truth = PURE[rng.integers(0, 4, n)]
    return truth, Distributions.from_counts(rng.multinomial(votes, truth)), rng


def good_guess(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    mass = rng.standard_gamma(10 * truth) + 1e-9
    return mass / mass.sum(axis=1, keepdims=True)


def helped(votes: Distributions, guess: np.ndarray) -> tuple[float, np.ndarray]:
    fit = shrinkage(votes, Distributions(guess, votes.items, votes.classes))
    return fit.model_votes, fit.distributions.probs


@pytest.mark.parametrize(("n", "m"), [(20, 1), (20, 3), (300, 1), (300, 3)])
@pytest.mark.parametrize("useless", ["uniform", "of other items", "noise", "wrong classes"])
def test_a_useless_model_counts_nothing(n, m, useless):
    truth, votes, rng = crowd(n, m)
    guess = {
        "uniform": np.full((n, 4), 0.25),
        "of other items": rng.permutation(good_guess(truth, rng)),
        "noise": rng.dirichlet(np.ones(4), size=n),
        "wrong classes": np.roll(good_guess(truth, rng), 1, axis=1),
    }[useless]
    worth, probs = helped(votes, guess)
    assert worth == 0 and np.array_equal(probs, shrinkage(votes).distributions.probs)


@pytest.mark.parametrize("sharpened", [1, 4])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_a_good_model_helps_however_sure_it_is(m, sharpened):
    truth, votes, rng = crowd(300, m)
    guess = good_guess(truth, rng) ** sharpened
    worth, probs = helped(votes, guess / guess.sum(axis=1, keepdims=True))
    assert worth > 0
    assert kl(truth, probs).mean() < 0.9 * kl(truth, shrinkage(votes).distributions.probs).mean()


def test_one_vote_per_item_makes_a_model_worth_one_vote_at_most():
    """It cannot be seen how a prediction compares with a second vote, so no data ask for dozens."""
    truth, votes, _ = crowd(2000, 1)
    worth, _ = helped(votes, truth)
    assert 0.3 < worth <= 1


def test_a_model_is_worth_the_votes_that_it_was_made_from():
    """Shares of 12 votes beside 4 votes are 12 votes, whoever counted them; the truth follows the prior."""
    rng = np.random.default_rng(1)
    prior = VotePrior(np.full((1, 3), 0.7), np.ones(1))
    truth = rng.dirichlet(np.full(3, 0.7), size=1500)
    counts, seen = rng.multinomial(4, truth), rng.multinomial(12, truth)
    worth, temperature = model_worth(counts, np.log(seen / 12 + 1e-9), prior)
    assert worth == pytest.approx(12, rel=0.35) and temperature == pytest.approx(1, rel=0.2)
    mean = prior.estimate(with_model(counts, np.log(seen / 12 + 1e-300), 12.0, 1.0))
    assert np.allclose(mean, (counts + seen + 0.7) / 18.1)


def test_where_nobody_voted_a_model_is_one_vote():
    nothing = np.zeros((3, 2), dtype=int)
    guess = simulate_truth(3, 2, np.random.default_rng(0)).probs
    assert model_worth(nothing, np.log(guess), vote_prior(nothing)) == (1.0, 1.0)
