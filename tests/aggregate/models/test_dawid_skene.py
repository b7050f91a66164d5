"""Dawid-Skene: the published example, a slow second road, fractional votes and the pull of the crowd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.aggregate.models.dawid_skene import CACHE, dawid_skene
from dissensus.datasets import load
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.simulate import simulate_beliefs, simulate_truth, simulate_votes
from dissensus.labels.votes import Votes
from tests.facts import refuses


def slow_likelihood(fit, votes):
    """The log-likelihood of the votes under a fit, vote by vote."""
    total = 0.0
    for i in range(votes.n_items):
        mass = fit.class_prior.copy()
        for j, c in zip(votes.annotator[votes.item == i], votes.choice[votes.item == i], strict=True):
            mass *= fit.confusion[j, :, c]
        total += np.log(mass.sum())
    return total


def slow_em(votes, iterations):
    """Dawid and Skene (1979), equations 2.3 to 2.5, with loops."""
    n, a, k = votes.n_items, votes.n_annotators, votes.n_classes
    cast = np.zeros((n, a, k))
    for i, j, c in zip(votes.item, votes.annotator, votes.choice, strict=True):
        cast[i, j, c] += 1
    posterior = cast.sum(axis=1) / cast.sum(axis=(1, 2))[:, None]
    for _ in range(iterations):
        prior = posterior.mean(axis=0)
        confusion = np.einsum("it,ijc->jtc", posterior, cast)
        confusion /= confusion.sum(axis=2, keepdims=True)
        for i in range(n):
            posterior[i] = prior * np.prod(confusion.transpose(1, 0, 2) ** cast[i], axis=(1, 2))
        posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, prior, confusion


def as_full_beliefs(votes):
    return Beliefs(
        item=votes.item,
        items=votes.items,
        annotator=votes.annotator,
        annotators=votes.annotators,
        classes=votes.classes,
        stated=np.eye(votes.n_classes)[votes.choice],
        named=votes.choice[:, None],
        ruled_out=np.zeros((votes.n_answers, votes.n_classes), dtype=bool),
    )


def crowd(seed=0, n=300, k=3, a=10, per_item=5, **kinds):
    rng = np.random.default_rng(seed)
    return simulate_votes(simulate_truth(n, k, rng, 0.01), per_item, a, rng, **kinds)


def test_the_anaesthetists():
    """Dawid and Skene (1979), Applied Statistics 28, 20-28: class probabilities 0.40, 0.42, 0.11, 0.07."""
    votes = load("anesthesia").labels
    fit = dawid_skene(votes, smoothing=0.0, tolerance=1e-12, most_iterations=1000)
    assert fit.class_prior.round(2).tolist() == [0.40, 0.42, 0.11, 0.07] and fit.converged
    assert (fit.distributions.probs.max(axis=1) > 0.99).sum() >= 42  # nearly every patient's grade is settled
    assert (fit.confusion[1:, 0, 0] > 0.8).all() and fit.confusion[1, 3, 3] == pytest.approx(1)


def test_the_anaesthetists_by_the_published_equations_with_loops():
    votes = load("anesthesia").labels
    posterior, prior, confusion = slow_em(votes, 25)
    fit = dawid_skene(votes, smoothing=0.0, tolerance=0.0, most_iterations=25)
    np.testing.assert_allclose(fit.distributions.probs, posterior, atol=1e-9)
    np.testing.assert_allclose(fit.class_prior, prior, atol=1e-9)
    np.testing.assert_allclose(fit.confusion, confusion, atol=1e-9)


def test_the_trace_is_the_likelihood_plus_the_pull_of_the_crowd():
    votes = crowd(1, n=40).votes
    plain, drawn = dawid_skene(votes, smoothing=0.0, most_iterations=4), dawid_skene(votes, smoothing=3.0)
    assert plain.log_likelihood[-1] == pytest.approx(slow_likelihood(plain, votes))
    pull = 3.0 * (drawn.crowd * np.log(drawn.confusion)).sum()
    assert drawn.log_likelihood[-1] == pytest.approx(slow_likelihood(drawn, votes) + pull)


def test_confusion_matrices_are_recovered():
    confusion = np.random.default_rng(2).dirichlet(np.ones(3), size=(5, 3)) * 0.3 + 0.7 * np.eye(3)
    made = crowd(2, n=6000, a=5, confusion=confusion)
    np.testing.assert_allclose(dawid_skene(made.votes).confusion, made.confusion, atol=0.04)


def test_crowds_too_large_for_the_cache_are_fitted_to_the_same_end():
    """900 confusion matrices of 25 classes go class by class; a loop over the votes gives the same likelihood."""
    votes = crowd(9, n=400, k=25, a=900, per_item=12, skill=0.7).votes
    assert CACHE < 8 * 900 * 25**2
    fit = dawid_skene(votes, most_iterations=5)
    pull = 10.0 * (fit.crowd * np.log(fit.confusion)).sum()
    assert fit.log_likelihood[-1] == pytest.approx(slow_likelihood(fit, votes) + pull)
    np.testing.assert_allclose(fit.confusion.sum(axis=2), 1)


def test_few_votes_are_drawn_to_the_crowd_and_many_are_not():
    votes = crowd(3, n=400, skill=0.8).votes
    rare = replace(
        votes,
        item=np.append(votes.item, 0),
        choice=np.append(votes.choice, 0),
        annotator=np.append(votes.annotator, 10),
        annotators=np.arange(12),
    )
    fit = dawid_skene(rare)
    assert np.abs(fit.confusion[10] - fit.crowd).max() < 0.1
    np.testing.assert_allclose(fit.confusion[11], fit.crowd)  # annotator 11 said nothing at all
    assert np.abs(dawid_skene(votes, smoothing=1e9).confusion - fit.crowd).max() < 0.01
    own = np.einsum("jtt->j", dawid_skene(votes, smoothing=0.0).confusion)
    assert np.abs(np.einsum("jtt->j", fit.confusion)[:10] - own).max() < 0.2


@pytest.mark.parametrize("smoothing", [0.0, 10.0])
def test_certain_beliefs_give_exactly_what_votes_give(smoothing):
    votes = crowd(4, skill=0.7).votes
    votes = votes.select(answers=np.random.default_rng(0).permutation(votes.n_answers))
    hard, soft = dawid_skene(votes, smoothing=smoothing), dawid_skene(as_full_beliefs(votes), smoothing=smoothing)
    assert hard.distributions == soft.distributions
    for name in ("confusion", "class_prior", "log_likelihood", "crowd"):
        assert np.array_equal(getattr(hard, name), getattr(soft, name))


def test_a_belief_is_a_fractional_vote():
    """Stating a quarter and three quarters, four times over, is one vote and three."""
    votes = crowd(5, n=60, k=2, skill=0.8).votes
    stated = np.where(np.eye(2, dtype=bool)[votes.choice], 0.75, 0.25)
    four_times = replace(
        as_full_beliefs(votes),
        item=np.tile(votes.item, 4),
        annotator=np.tile(votes.annotator, 4),
        stated=np.tile(stated, (4, 1)),
        named=np.tile(votes.choice[:, None], (4, 1)),
        ruled_out=np.zeros((4 * votes.n_answers, 2), dtype=bool),
    )
    split = Votes(
        item=np.tile(votes.item, 4),
        items=votes.items,
        annotator=np.tile(votes.annotator, 4),
        annotators=votes.annotators,
        classes=votes.classes,
        choice=np.concatenate([votes.choice, votes.choice, votes.choice, 1 - votes.choice]),
    )
    soft, hard = (dawid_skene(some, tolerance=0.0, most_iterations=10) for some in (four_times, split))
    np.testing.assert_allclose(soft.distributions.probs, hard.distributions.probs, atol=1e-9)
    np.testing.assert_allclose(soft.log_likelihood, hard.log_likelihood)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 10.0]))
def test_the_likelihood_never_falls_for_beliefs(seed, smoothing):
    rng = np.random.default_rng(seed)
    beliefs = simulate_beliefs(simulate_truth(12, 3, rng), 4, 6, rng, top=None, concentration=2.0)
    heights = dawid_skene(beliefs, smoothing=smoothing, tolerance=0.0, most_iterations=30).log_likelihood
    assert (np.diff(heights) >= -1e-9 * (1 + np.abs(heights[1:]))).all()


def test_stated_doubt_helps_against_votes():
    rng = np.random.default_rng(6)
    truth = simulate_truth(500, 4, rng, 2.0)
    beliefs = simulate_beliefs(truth, 3, 15, rng, top=None, concentration=3.0)
    best = truth.probs.argmax(axis=1)
    soft, hard = (dawid_skene(some).distributions.probs.argmax(axis=1) for some in (beliefs, beliefs.first_choices()))
    assert (soft == best).mean() > (hard == best).mean()


def test_incomplete_beliefs_are_refused_with_the_way_out():
    beliefs = as_full_beliefs(crowd(7, n=5).votes)
    stated = beliefs.stated.copy()
    stated[3] = [0.5, np.nan, 0.2]
    with refuses("belief 3", "item 0", "'1'", "complete", "1 of 25"):
        dawid_skene(replace(beliefs, stated=stated))


def test_smoothing_below_nothing_is_refused():
    with refuses("smoothing is -1"):
        dawid_skene(crowd(8, n=5).votes, smoothing=-1)
