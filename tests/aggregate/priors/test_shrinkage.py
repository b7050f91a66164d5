"""Shrinkage: the likelihood and the posterior against slow roads, and what it gains on real votes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import gammaln

from dissensus.aggregate.priors.dirichlet_mixture import (
    MixturePosterior,
    distinct_rows,
    expected_kl,
    leave_one_out,
    log_evidence,
    mixture_posterior,
    posterior_mean,
    posterior_sample,
    posterior_variance,
    vote_terms,
)
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth
from dissensus.labels.transforms import temper
from dissensus.labels.votes import Votes
from tests.facts import refuses, states

ALPHA = np.array([[3.0, 0.4, 0.1], [0.2, 1.5, 0.3]])
WEIGHTS = np.array([0.7, 0.3])


def drawn(probs: np.ndarray, m: int, seed: int = 0) -> Distributions:
    """Shares of m votes per item, drawn with replacement as in Gheibi (2026), A.1."""
    return Distributions.from_counts(np.random.default_rng(seed).multinomial(m, probs))


def log_f(x: np.ndarray) -> float:
    parts = gammaln(ALPHA.sum(1)) - gammaln(ALPHA.sum(1) + x.sum()) + (gammaln(ALPHA + x) - gammaln(ALPHA)).sum(1)
    return float(np.log(WEIGHTS @ np.exp(parts)))


def test_the_evidence_and_what_is_left_out_against_slow_sums():
    counts = np.array([[2, 1, 0], [0, 0, 3], [1, 1, 1], [0, 0, 0], [1, 0, 0]])
    times = np.array([2, 1, 3, 4, 1])
    slow = 0.0
    for row, often in zip(counts, times, strict=True):
        for code in np.flatnonzero(row):
            others = row - np.eye(3, dtype=int)[code]
            mean = posterior_mean(mixture_posterior(others[None, :], ALPHA, WEIGHTS))[0, code]
            assert np.log(mean) == pytest.approx(log_f(row) - log_f(others))
            slow += often * row[code] * np.log(mean)
    votes = times @ counts.sum(axis=1)
    assert leave_one_out(np.repeat(counts, times, axis=0), ALPHA, WEIGHTS) == pytest.approx(slow / votes)
    whole = sum(often * log_f(row) for row, often in zip(counts, times, strict=True))
    assert log_evidence(vote_terms(counts, times), ALPHA, np.log(WEIGHTS))[0] == pytest.approx(whole)


def test_slopes_of_the_likelihood_are_right():
    counts = np.random.default_rng(0).multinomial(5, [0.6, 0.3, 0.1], size=20)
    terms = vote_terms(*_different(counts))

    def value(place: np.ndarray) -> float:
        return log_evidence(terms, place[:6].reshape(2, 3), place[6:])[0]

    place = np.concatenate([ALPHA.reshape(-1), np.log(WEIGHTS)])
    _, by_alpha, by_weight = log_evidence(terms, ALPHA, np.log(WEIGHTS))
    assert np.allclose(approx_fprime(place, value), np.concatenate([by_alpha.reshape(-1), by_weight]), atol=1e-4)


def _different(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, which = distinct_rows(counts)
    assert np.array_equal(rows[which], counts)
    return rows, np.bincount(which).astype(float)


def test_distinct_rows_of_large_counts_take_the_slow_road():
    counts = np.random.default_rng(0).integers(0, 3, (50, 4))
    large = counts * 10**9
    assert np.array_equal(distinct_rows(counts)[0].shape, distinct_rows(large)[0].shape)
    rows, which = distinct_rows(large)
    assert np.array_equal(rows[which], large)


def test_posterior_moments_equal_those_of_samples():
    counts = np.array([[0, 0, 0], [2, 1, 0], [0, 5, 1]])
    posterior = mixture_posterior(counts, ALPHA, WEIGHTS)
    rng = np.random.default_rng(1)
    samples = np.stack([posterior_sample(posterior, rng) for _ in range(8_000)])  # (s, n, k)
    mean = posterior_mean(posterior)
    assert np.allclose(samples.mean(axis=0), mean, atol=0.01)
    assert np.allclose(samples.var(axis=0), posterior_variance(posterior), atol=0.006)
    each = np.stack([kl(sample, mean) for sample in samples[:3000]])
    assert np.allclose(each.mean(axis=0), expected_kl(posterior), atol=0.02)


def test_more_votes_leave_less_to_be_expected():
    expected = [expected_kl(mixture_posterior(np.array([[3 * m, m, 0]]), ALPHA, WEIGHTS))[0] for m in (0, 1, 5, 50)]
    assert expected == sorted(expected, reverse=True) and expected[-1] < 0.02


def test_a_posterior_too_sharp_for_floats_still_samples():
    posterior = MixturePosterior(np.ones((5, 1)), np.full((1, 3), 1e-300), np.zeros((5, 3)))
    rows = posterior_sample(posterior, np.random.default_rng(0))
    assert np.allclose(rows.sum(axis=1), 1) and not np.isnan(rows).any()


@pytest.mark.parametrize("m", [1, 2, 5, 20])
def test_little_is_lost_where_a_fixed_smoothing_is_the_best_there_is(m):
    """The truth is drawn from one symmetric Dirichlet, whose own constant no estimate can beat."""
    truth = simulate_truth(1500, 4, np.random.default_rng(0), concentration=1.0).probs
    votes = drawn(truth, m)
    fit = shrinkage(votes)
    found = kl(truth, fit.distributions.probs).mean()
    assert found <= 1.05 * kl(truth, (votes.counts() + 0.25) / (m + 1)).mean()
    if m > 1:
        assert expected_kl(fit.posterior).mean() == pytest.approx(found, rel=0.15)


def test_a_class_lends_its_neighbours_to_items_with_one_vote():
    """Class 0 is taken for 1 by a third of people, class 2 by nobody: a single vote is read accordingly."""
    truth = np.repeat([[0.65, 0.35, 0.0], [0.35, 0.65, 0.0], [0.0, 0.0, 1.0]], 300, axis=0)
    counts = np.concatenate([np.random.default_rng(0).multinomial(4, truth), np.eye(3, dtype=int)])
    probs = shrinkage(Distributions.from_counts(counts)).distributions.probs[-3:]
    assert probs[0, 1] > 0.25 and probs[0, 2] < 0.02
    assert probs[2, 2] > 0.95


def test_renaming_classes_and_reordering_items_changes_nothing():
    votes = drawn(simulate_truth(300, 3, np.random.default_rng(1)).probs, 4)
    base = shrinkage(votes).distributions.probs
    order, names = np.random.default_rng(2).permutation(300), np.array([2, 0, 1])
    other = shrinkage(Distributions.from_counts(votes.counts()[order][:, names])).distributions.probs
    assert np.allclose(other, base[order][:, names], atol=2e-3)


def test_an_item_without_votes_gets_the_mean_of_the_others():
    votes = Votes(
        item=np.repeat(np.arange(90), 3),
        items=np.arange(91),
        choice=np.tile([0, 0, 1, 0, 0, 0, 1, 1, 1], 30),
        classes=("a", "b", "nobody's"),
    )
    fit = shrinkage(votes)
    assert fit.distributions.votes is None
    assert 0.4 < fit.distributions.probs[-1, 0] < 0.6
    assert (fit.distributions.probs[:, 2] > 0).all() and fit.distributions.probs[-1, 2] < 0.1


@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((3, 2), dtype=int),
        np.array([[4, 0], [4, 0], [4, 0]]),
        np.array([[1, 0, 0]]),
        np.array([[5], [2]]),
        np.array([[3, 3], [3, 3]]),
        np.array([[1000, 0], [0, 1]]),
    ],
    ids=["no votes", "all identical", "one vote", "one class", "all torn", "very uneven"],
)
def test_odd_crowds_have_defined_results(counts):
    item, choice = np.nonzero(counts)
    times = counts[item, choice]
    votes = Votes(
        item=np.repeat(item, times),
        items=np.arange(counts.shape[0]),
        choice=np.repeat(choice, times),
        classes=tuple(map(str, range(counts.shape[1]))),
    )
    fit = shrinkage(votes)
    assert np.isfinite(fit.distributions.probs).all() and (fit.distributions.probs > 0).all()
    assert np.isfinite(expected_kl(fit.posterior)).all()
    assert np.isnan(fit.log_likelihood) == (times.sum() == 0)


def test_shapes_of_the_fit():
    """From so many votes the kinds are sure, one for each class, and nothing else is left in the mixture."""
    truth = np.repeat([[0.9, 0.1, 0.0], [0.3, 0.6, 0.1], [0.0, 0.0, 1.0]], 200, axis=0)
    fit = shrinkage(drawn(truth, 9), levels=1)
    assert fit.alpha.shape == (3, 3) and fit.weights.shape == (3,) and fit.weights.sum() == pytest.approx(1)
    assert fit.posterior.weights.shape == (600, 3) and fit.model_votes == 0
    assert fit.converged and states(repr(fit), "Shrinkage", "600 items", "3 classes", "3 Dirichlets", "converged")
    assert (fit.alpha.argmax(axis=1) == np.arange(3)).all()
    with pytest.raises(ValueError, match="read-only"):
        fit.alpha[0, 0] = 1


def test_a_good_model_is_worth_votes_and_a_blind_one_few():
    rng = np.random.default_rng(0)
    truth = simulate_truth(500, 4, rng, concentration=2.0)
    votes = drawn(truth.probs, 3)
    good = temper(truth, 0.5)  # knows the truth, but is too sure of it
    blind = Distributions(rng.dirichlet(np.ones(4), size=500), truth.items, truth.classes)
    alone = kl(truth.probs, shrinkage(votes).distributions.probs).mean()
    with_good, with_blind = shrinkage(votes, good), shrinkage(votes, blind)
    assert kl(truth.probs, with_good.distributions.probs).mean() < 0.5 * alone
    assert with_good.model_votes > 3 and with_good.temperature > 1
    assert kl(truth.probs, with_blind.distributions.probs).mean() < 1.05 * alone and with_blind.model_votes < 1


def test_a_prior_about_other_items_is_refused():
    votes = drawn(simulate_truth(5, 3, np.random.default_rng(0)).probs, 3)
    with refuses("same items"):
        shrinkage(votes, simulate_truth(4, 3, np.random.default_rng(0)))


@pytest.mark.parametrize("wrong", [{"levels": 0}, {"spread": 0}, {"agreement": 1}, {"pairs": 0}])
def test_options_out_of_range_are_refused(wrong):
    name = next(iter(wrong))
    with pytest.raises(ValueError, match=f"{name} is {wrong[name]}; expected"):
        shrinkage(drawn(np.array([[0.5, 0.5]]), 3), **wrong)


@pytest.mark.parametrize(("name", "gain"), [("cifar10h-annotators", 0.55), ("chaosnli-mnli", 0.2), ("popquorn", 0.2)])
def test_real_crowds_of_five(loaded, name, gain):
    """KL from the full share at 5 votes, against smoothing with 1/k, with 1, and the best constant."""
    truth = loaded(name).labels.counts()
    truth = truth / truth.sum(axis=1, keepdims=True)
    k = truth.shape[1]
    votes = drawn(truth, 5)
    found = kl(truth, shrinkage(votes).distributions.probs).mean()
    fixed = {a: kl(truth, (votes.counts() + a) / (5 + k * a)).mean() for a in (1 / k, 1.0, *np.geomspace(0.005, 2, 20))}
    assert found < (1 - gain) * fixed[1 / k] and found < fixed[1.0] and found < 0.9 * min(fixed.values())
