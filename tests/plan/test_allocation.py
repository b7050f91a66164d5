"""Allocation against slow roads: lookahead over every outcome, fits by brute force, simulated crowds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import gammaln

from dissensus.aggregate.agreement import krippendorff_alpha
from dissensus.aggregate.priors.dirichlet_mixture import (
    expected_kl,
    log_evidence,
    mixture_posterior,
    posterior_mean,
    posterior_sample,
    vote_terms,
)
from dissensus.aggregate.priors.vote_prior import VotePrior, vote_prior
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.plan.allocation import allocate, spend
from dissensus.plan.allocation_rules import RULES, Stop, expected_drop, interval_width
from tests.facts import refuses

ALPHA = np.array([[5.0, 0.3, 0.2], [0.4, 3.0, 0.6], [0.9, 0.8, 1.1]])
WEIGHTS = np.array([0.5, 0.3, 0.2])
few_votes = arrays(np.int64, (4, 3), elements=st.integers(0, 8))


def crowd(n: int, rng: np.random.Generator) -> np.ndarray:
    """Distributions of n items drawn from the mixture above.  (n, 3)"""
    return posterior_sample(mixture_posterior(np.zeros((n, 3)), ALPHA, WEIGHTS), rng)


@given(few_votes)
def test_the_expected_drop_is_the_lookahead_over_all_outcomes(counts):
    posterior = mixture_posterior(counts, ALPHA, WEIGHTS)
    chance = posterior_mean(posterior)
    after = sum(
        chance[:, code] * expected_kl(mixture_posterior(counts + np.eye(3, dtype=int)[code], ALPHA, WEIGHTS))
        for code in range(3)
    )
    assert np.allclose(expected_drop(posterior), expected_kl(posterior) - after, atol=1e-10)


@given(few_votes)
def test_another_vote_never_hurts_on_average_and_class_names_do_not_matter(counts):
    drop = expected_drop(mixture_posterior(counts, ALPHA, WEIGHTS))
    assert (drop >= 0).all()
    turned = [2, 0, 1]
    assert np.allclose(drop, expected_drop(mixture_posterior(counts[:, turned], ALPHA[:, turned], WEIGHTS)))


def test_every_row_is_looked_at_for_itself():
    counts = np.random.default_rng(0).integers(0, 5, (50, 3))
    posterior = mixture_posterior(counts, ALPHA, WEIGHTS)
    one_by_one = np.concatenate([expected_drop(mixture_posterior(row[None], ALPHA, WEIGHTS)) for row in counts])
    assert np.allclose(expected_drop(posterior), one_by_one)


def test_whole_rows_have_the_likelihood_of_the_dirichlet_multinomial():
    rows = np.array([[2, 1, 0], [0, 4, 1], [0, 0, 0], [1, 0, 0]])
    times = np.array([3.0, 1.0, 5.0, 0.5])
    value, _, _ = log_evidence(vote_terms(rows, times), ALPHA, np.log(WEIGHTS))
    beta = gammaln(ALPHA[None] + rows[:, None]).sum(2) - gammaln((ALPHA[None] + rows[:, None]).sum(2))
    none = gammaln(ALPHA).sum(1) - gammaln(ALPHA.sum(1))
    expected = times @ np.log((WEIGHTS * np.exp(beta - none)).sum(1))
    assert np.isclose(value, expected)


def test_the_prior_of_adaptive_votes_is_nearly_as_good_as_the_true_one():
    """Doubtful items with many votes must not make every item look doubtful."""
    rng = np.random.default_rng(3)
    truth = crowd(800, rng)
    answers = (rng.random((800, 40, 1)) > np.cumsum(truth, axis=1)[:, None, :-1]).sum(axis=2)
    counts = spend(
        np.zeros((800, 3), dtype=np.int64),
        2400,
        lambda who, now: answers[who, now[who].sum(axis=1)],
        rng,
        rule="entropy",
        most=np.full(800, 40),
    )
    ours = kl(truth, vote_prior(counts).estimate(counts)).mean()
    best = kl(truth, VotePrior(ALPHA, WEIGHTS).estimate(counts)).mean()
    assert ours < 1.25 * best


def test_expected_error_beats_uniform_on_a_crowd_that_follows_the_model():
    rng = np.random.default_rng(5)
    truth = crowd(2000, rng)
    answers = (rng.random((2000, 60, 1)) > np.cumsum(truth, axis=1)[:, None, :-1]).sum(axis=2)
    prior = VotePrior(ALPHA, WEIGHTS)
    errors = {}
    for rule in RULES:
        counts = spend(
            np.zeros((2000, 3), dtype=np.int64),
            8000,
            lambda who, now: answers[who, now[who].sum(axis=1)],
            rng,
            rule=rule,
            prior=prior,
            most=np.full(2000, 60),
        )
        assert counts.sum() == 8000
        errors[rule] = kl(truth, prior.estimate(counts)).mean()
    assert errors["expected-error"] < errors["uniform"] < errors["entropy"]


def votes_of(counts: np.ndarray) -> Votes:
    return Votes.of_counts(Distributions.from_counts(counts))


def test_uniform_evens_out_the_votes():
    votes = votes_of(np.array([[3, 0], [1, 0], [0, 1]]))
    plan = allocate(votes, 4, np.random.default_rng(0), rule="uniform")
    assert plan.votes.tolist() == [0, 2, 2]


def test_disputed_items_come_before_settled_ones():
    counts = np.array([[30, 0]] * 20 + [[3, 3]] * 2)
    plan = allocate(votes_of(counts), 2, np.random.default_rng(0))
    assert sorted(plan.order.tolist()) == [20, 21] and plan.votes.sum() == 2
    assert plan.error[20] > plan.error[0] and plan.expected_error < plan.error.mean()


def test_the_estimate_has_no_number_of_votes():
    votes = votes_of(np.array([[3, 1], [1, 0], [2, 2]]))
    estimate = allocate(votes, 1, np.random.default_rng(0)).estimate
    assert estimate.votes is None and np.all((estimate.probs > 0) & (estimate.probs < 1))
    with pytest.raises(ValueError, match="number of votes"):
        krippendorff_alpha(estimate)


def test_an_empty_budget_asks_nothing():
    plan = allocate(votes_of(np.array([[3, 1], [1, 0]])), 0, np.random.default_rng(0))
    assert plan.votes.tolist() == [0, 0] and plan.order.size == 0


@pytest.mark.parametrize("answers", [-1, 2.5])
def test_invalid_numbers_of_answers_are_refused(answers):
    with refuses(f"answers is {answers}", "0 or more"):
        allocate(votes_of(np.array([[3, 1]])), answers, np.random.default_rng(0))


def test_an_unknown_rule_is_named_with_those_there_are():
    with refuses("'greedy'", "expected-error, entropy, uniform"):
        allocate(votes_of(np.array([[3, 1]])), 1, np.random.default_rng(0), rule="greedy")


def test_a_single_class_leaves_nothing_to_learn():
    plan = allocate(votes_of(np.array([[3], [1]])), 3, np.random.default_rng(0))
    assert plan.votes.sum() == 3 and np.allclose(plan.error, 0)


def test_asking_stops_when_every_interval_is_narrow():
    rng = np.random.default_rng(2)
    prior = VotePrior(ALPHA, WEIGHTS)
    truth = crowd(200, rng)

    def ask(who: np.ndarray, now: np.ndarray) -> np.ndarray:
        return (rng.random((who.size, 1)) > np.cumsum(truth[who], axis=1)[:, :-1]).sum(axis=1)

    stop = Stop(width=0.35)
    counts = spend(np.zeros((200, 3), dtype=np.int64), 100_000, ask, rng, stop=stop, prior=prior, portion=20)
    posterior = prior.posterior(counts)
    assert counts.sum() < 100_000 and stop.is_reached(posterior).all()
    inside = np.abs(prior.estimate(counts) - truth) <= interval_width(posterior)[:, None] / 2
    assert inside.all(axis=1).mean() > 0.9
    limited = spend(np.zeros((200, 3), dtype=np.int64), 100_000, ask, rng, stop=Stop(width=0.05, most=4), prior=prior)
    assert limited.sum(axis=1).max() == 4


@pytest.mark.parametrize(("limit", "value"), [("width", 0.0), ("error", -1.0), ("most", 0)])
def test_a_limit_that_can_never_be_met_is_refused(limit, value):
    with refuses(f"{limit} is {value}", "above 0", None):
        Stop(**{limit: value})


def test_the_interval_of_a_single_dirichlet_is_that_of_a_beta():
    """Beta(a, b): variance a b / ((a + b)^2 (a + b + 1))."""
    posterior = mixture_posterior(np.array([[6, 2]]), np.array([[1.0, 1.0]]), np.ones(1))
    sd = np.sqrt(7 * 3 / (10**2 * 11))
    assert np.isclose(interval_width(posterior)[0], 2 * 1.959964 * sd)
