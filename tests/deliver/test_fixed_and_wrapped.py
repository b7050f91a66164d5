"""Fixed targets, wrappers and the posterior: what each makes of votes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from dissensus.aggregate.priors.dirichlet_mixture import posterior_mean, posterior_variance
from dissensus.deliver import (
    class_means,
    majority,
    mixup,
    multipass,
    posterior,
    random,
    shuffled,
    sls,
    smoothed,
    soft,
    stale,
    tempered,
    uniform,
)
from dissensus.labels import transforms
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from tests.facts import refuses


def counts_of(*rows):
    return Distributions.from_counts(np.array(rows))


def test_soft_targets_are_the_shares(votes):
    counts = votes.counts()
    assert np.array_equal(soft(votes).targets(3), counts / counts.sum(axis=1, keepdims=True))


def test_ties_go_by_the_stated_rule():
    labels = counts_of([2, 2, 0], [0, 1, 1], [0, 0, 5], [1, 0, 1])
    assert majority(labels).targets(0).tolist() == [0, 1, 2, 0]
    assert majority(labels, ties="frequent").targets(0).tolist() == [0, 2, 2, 2]
    with refuses("rule for ties", "'share'", "first, frequent"):
        majority(labels, ties="share")


def test_class_means_are_those_of_the_gold_class_or_of_the_majority():
    labels = counts_of([4, 0], [2, 2], [0, 4])
    assert class_means(labels).targets(0).tolist() == [[0.75, 0.25], [0.75, 0.25], [0, 1]]
    assert class_means(labels, gold=np.array([0, 1, 1])).targets(0).tolist() == [[1, 0], [0.25, 0.75], [0.25, 0.75]]


def test_controls_carry_nothing_of_what_people_said(votes):
    assert (uniform(votes).targets(9) == 0.25).all()
    drawn = random(votes, 0).targets(0)
    assert np.array_equal(drawn, random(counts_of(*np.ones((60, 4), dtype=int)), 0).targets(0))
    assert kstest(drawn[:, 0], "beta", args=(1, 3)).pvalue > 1e-3  # a coordinate of Dirichlet(1, 1, 1, 1)


def test_shuffling_deals_the_same_targets_to_other_items(votes):
    dealt, plain = shuffled(soft(votes), 0), soft(votes).targets(0)
    assert sorted(map(tuple, dealt.targets(0))) == sorted(map(tuple, plain))
    assert not np.array_equal(dealt.targets(0), plain)
    drawn = shuffled(sls(votes, 1), 0)
    place = [int(np.flatnonzero((plain == row).all(axis=1))[0]) for row in dealt.targets(0)]
    for epoch in range(20):  # one permutation for all epochs: a class is always possible for the row that was dealt
        assert (plain[place, drawn.targets(epoch)] > 0).all()


def test_shuffling_within_classes_keeps_the_class():
    gold = np.array([0, 1, 2] * 20)
    labels = transforms.one_hot(gold, np.arange(60), ("a", "b", "c"))
    assert np.array_equal(shuffled(majority(labels), 0, gold=gold).targets(0), gold)
    assert not np.array_equal(shuffled(majority(labels), 0).targets(0), gold)
    with refuses("gold", "int64", "(3,)", "integer", 60):
        shuffled(majority(labels), 0, gold=np.zeros(3, dtype=int))


@given(st.integers(1, 9), st.integers(0, 50))
def test_stale_targets_change_every_so_many_epochs(every, block):
    votes = Votes(item=np.repeat(np.arange(30), 5), items=np.arange(30), classes=("a", "b"), choice=np.arange(150) % 2)
    for plain in (sls(votes, 0), multipass(votes, 0)):
        held = stale(plain, every)
        for epoch in range(block * every, (block + 1) * every):
            assert np.array_equal(held.targets(epoch), plain.targets(block))


@given(st.floats(0, 1))
def test_smoothing_mixes_with_the_uniform_distribution(amount):
    labels = counts_of([3, 1, 0], [0, 0, 2])
    expected = transforms.smooth(labels, amount).probs
    assert np.allclose(smoothed(soft(labels), amount).targets(0), expected)
    hard = smoothed(majority(labels), amount).targets(0)
    assert np.allclose(hard, (1 - amount) * np.eye(3)[[0, 2]] + amount / 3)


def test_tempering_is_that_of_the_labels(votes, fit):
    assert np.allclose(
        tempered(soft(votes), 0.5).targets(0),
        transforms.temper(Distributions(soft(votes).targets(0), votes.items, votes.classes), 0.5).probs,
    )
    moving = tempered(posterior(fit, 0, draw="distribution"), 2.0)
    raw = posterior(fit, 0, draw="distribution").targets(3)
    assert np.allclose(moving.targets(3), np.sqrt(raw) / np.sqrt(raw).sum(axis=1, keepdims=True))


def test_mixed_targets_go_with_mixed_inputs(votes):
    for plain in (soft(votes), sls(votes, 0)):
        delivery = mixup(plain, 0, alpha=0.4)
        assert delivery.mixes and not delivery.hard and not plain.mixes
        pairs, targets = delivery.mixing(5), delivery.targets(5)
        rows = plain.targets(5) if not plain.hard else np.eye(4)[plain.targets(5)]
        for item in range(60):
            weight, partner = pairs.weight[item], pairs.partner[item]
            assert np.allclose(targets[item], weight * rows[item] + (1 - weight) * rows[partner])
        assert not np.array_equal(pairs.partner, delivery.mixing(6).partner)
    held = smoothed(stale(mixup(soft(votes), 0, alpha=0.4), 5), 0.1)
    assert np.array_equal(held.mixing(9).partner, mixup(soft(votes), 0, alpha=0.4).mixing(1).partner)


def test_partners_do_not_depend_on_the_votes_drawn_under_the_same_seed():
    votes = Votes(
        item=np.repeat(np.arange(4000), 2), items=np.arange(4000), classes=("a", "b"), choice=np.arange(8000) % 2
    )
    delivery = mixup(sls(votes, 3), 3, alpha=1.0)
    drawn, pairs = sls(votes, 3).targets(0), delivery.mixing(0)
    for other in (pairs.partner, pairs.weight):
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 4 / np.sqrt(4000)


def test_wrappers_refuse_invalid_settings_and_combinations(votes):
    mixing = mixup(soft(votes), 0, alpha=0.2)
    for facts, make in (
        (("mixup(soft, 0.2)", "shuffle first", "mixup(shuffled(...), ...)"), lambda: shuffled(mixing, 0)),
        (("mixup(soft, 0.2)", "mixes already"), lambda: mixup(mixing, 0, alpha=0.2)),
        (("alpha is 0", "above 0"), lambda: mixup(soft(votes), 0, alpha=0)),
        (("alpha is nan", "above 0"), lambda: mixup(soft(votes), 0, alpha=float("nan"))),
        (("sls", "delivers classes", "dissensus.labels.temper"), lambda: tempered(sls(votes, 0), 2.0)),
        (("temperature is -1.0", "0 or more"), lambda: tempered(soft(votes), -1.0)),
        (("every is 0", "number of epochs", "1 (unchanged)"), lambda: stale(sls(votes, 0), 0)),
        (("every is 2.5", "number of epochs", "1 (unchanged)"), lambda: stale(sls(votes, 0), 2.5)),
        (("amount is 1.5", "0 (unchanged)", "1 (uniform)"), lambda: smoothed(soft(votes), 1.5)),
        (("draw is 'row'", "class or distribution"), lambda: posterior(votes, 0, draw="row")),
    ):
        with refuses(*facts):
            make()


def test_posterior_draws_have_the_moments_of_the_posterior(fit):
    delivery = posterior(fit, 0, draw="distribution")
    draws = np.array([delivery.targets(epoch) for epoch in range(3000)])
    mean, variance = posterior_mean(fit.posterior), posterior_variance(fit.posterior)
    assert np.allclose(mean, fit.distributions.probs)
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(variance / 3000) + 1e-9).all()
    assert np.allclose(draws.var(axis=0), variance, rtol=0.25, atol=1e-3)


def test_posterior_classes_have_the_chances_of_the_mean(votes, fit):
    delivery = posterior(votes, 0)
    seen = np.zeros((60, 4))
    for epoch in range(3000):
        seen[np.arange(60), delivery.targets(epoch)] += 1 / 3000
    assert np.abs(seen - fit.distributions.probs).max() < 5 * np.sqrt(0.25 / 3000)
    assert (fit.distributions.probs > 0).all()  # no class is impossible after a few votes


def test_a_models_predictions_enter_the_posterior(votes, fit):
    sure = Distributions(np.tile([0.97, 0.01, 0.01, 0.01], (60, 1)), votes.items, votes.classes)
    assert posterior(votes, 0, prior=sure).name == "posterior"
    with refuses("fit", "prior already", "votes"):
        posterior(fit, 0, prior=sure)
