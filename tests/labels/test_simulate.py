"""Simulated annotators: what is known about them must come out of their answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.labels.distances import entropy, total_variation
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_beliefs, simulate_one_coin, simulate_truth, simulate_votes
from dissensus.labels.transforms import one_hot
from tests.facts import refuses

CLASSES = ("cat", "dog", "cow")


def rng(seed=0):
    return np.random.default_rng(seed)


def certain(n):
    return one_hot(np.arange(n) % 3, np.arange(n), CLASSES)


def tallied(crowd):
    """How often each annotator answered c on items certain to be t, as a share.  (a, k, k)"""
    table = np.zeros(crowd.confusion.shape)
    seen = crowd.truth.probs.argmax(axis=1)[crowd.votes.item]
    np.add.at(table, (crowd.votes.annotator, seen, crowd.votes.choice), 1)
    return table / table.sum(axis=2, keepdims=True)


@given(st.data())
def test_no_one_answers_an_item_twice_and_all_answer_equally_often(data):
    annotators = data.draw(st.integers(1, 12))
    wanted = data.draw(st.lists(st.integers(0, annotators), min_size=1, max_size=30))
    seed = data.draw(st.integers(0, 99))
    truth = certain(len(wanted))
    for answers in (
        simulate_votes(truth, np.array(wanted), annotators, rng(seed)).votes,
        simulate_beliefs(truth, np.array(wanted), annotators, rng(seed)),
    ):
        assert answers.per_item.tolist() == wanted and (np.diff(answers.item) >= 0).all()
        assert np.unique(np.stack([answers.item, answers.annotator]), axis=1).shape[1] == sum(wanted)
        assert np.ptp(answers.per_annotator) <= 1


def test_every_annotator_meets_every_other():
    votes = simulate_votes(certain(400), 3, 9, rng()).votes
    who = np.zeros((400, 9))
    who[votes.item, votes.annotator] = 1
    together = (who.T @ who)[~np.eye(9, dtype=bool)]
    assert together.min() > 0.5 * together.mean() and together.max() < 1.5 * together.mean()


def test_perfect_annotators_vote_in_the_shares_of_the_truth():
    truth = simulate_truth(20, 4, rng())
    votes = simulate_votes(truth, 5000, 5000, rng(1)).votes
    share = votes.counts() / 5000
    assert total_variation(share, truth.probs).max() < 0.03
    assert (share[truth.probs == 0] == 0).all()


def test_perfect_annotators_never_err_on_certain_items():
    crowd = simulate_votes(certain(99), 4, 10, rng())
    assert (crowd.truth.probs[crowd.votes.item, crowd.votes.choice] == 1).all()
    assert crowd.confusion.tolist() == [np.eye(3).tolist()] * 10


def test_each_annotator_answers_through_their_own_confusion():
    confusion = rng(5).dirichlet(np.ones(3), size=(4, 3))
    confusion[0, 0] = [0, 1, 0]
    crowd = simulate_votes(certain(15_000), 4, 4, rng(), confusion=confusion)
    assert np.array_equal(crowd.confusion, confusion)
    np.testing.assert_allclose(tallied(crowd), confusion, atol=0.03)
    assert tallied(crowd)[0, 0].tolist() == [0, 1, 0]


def test_a_vote_passes_through_truth_and_confusion():
    truth = Distributions(np.array([[0.6, 0.3, 0.1]]), ["x"], CLASSES)
    confusion = np.tile(rng(5).dirichlet(np.ones(3), size=3), (20_000, 1, 1))
    votes = simulate_votes(truth, 20_000, 20_000, rng(), confusion=confusion).votes
    np.testing.assert_allclose(votes.counts()[0] / 20_000, truth.probs[0] @ confusion[0], atol=0.015)


def test_skill_is_how_often_an_annotator_is_right_and_errors_are_even():
    skill = np.array([0.9, 0.6, 0.2])
    crowd = simulate_votes(certain(15_000), 3, 3, rng(), skill=skill)
    np.testing.assert_allclose(tallied(crowd), simulate_one_coin(skill, 3), atol=0.03)
    np.testing.assert_allclose(crowd.confusion.diagonal(axis1=1, axis2=2), np.repeat(skill, 3).reshape(3, 3))


def test_spammers_answer_blindly_and_adversaries_avoid_the_truth():
    crowd = simulate_votes(certain(9000), 4, 4, rng(), skill=0.8, spammers=1, adversaries=2)
    right = tallied(crowd).diagonal(axis1=1, axis2=2)
    np.testing.assert_allclose(right, np.array([0.8, 1 / 3, 0, 0])[:, None] * np.ones(3), atol=0.03)
    np.testing.assert_allclose(crowd.confusion.sum(axis=2), 1)


@given(st.floats(0, 1), st.integers(1, 6))
def test_one_coin_rows_sum_to_one(skill, k):
    table = simulate_one_coin(skill, k)
    assert table.shape == (1, k, k) and (table >= 0).all()
    np.testing.assert_allclose(table.sum(axis=2), 1)


def test_times_are_positive_around_their_median():
    votes = simulate_votes(certain(3000), 3, 30, rng(), seconds=4.0).votes
    assert np.median(votes.seconds) == pytest.approx(4, rel=0.05) and votes.seconds.min() > 0
    assert simulate_votes(certain(3), 3, 30, rng()).votes.seconds is None
    assert simulate_beliefs(certain(3), 3, 30, rng(), seconds=4.0).seconds.shape == (9,)


def test_the_same_seed_gives_the_same_crowd_and_another_a_different_one():
    truth = simulate_truth(30, 3, rng())
    assert truth == simulate_truth(30, 3, rng()) and truth != simulate_truth(30, 3, rng(1))
    for seed in (0, 1):
        crowd = simulate_votes(truth, 4, 9, rng(seed), skill=0.7, seconds=2.0)
        assert (crowd.votes == simulate_votes(truth, 4, 9, rng(0), skill=0.7, seconds=2.0).votes) == (seed == 0)
        beliefs = simulate_beliefs(truth, 4, 9, rng(seed))
        assert (beliefs == simulate_beliefs(truth, 4, 9, rng(0))) == (seed == 0)


@pytest.mark.parametrize("annotators", [40, 2500])
def test_a_million_votes_are_assigned_to_few_or_many_people(annotators):
    truth = simulate_truth(25_000, 10, rng())
    assert simulate_votes(truth, 40, annotators, rng(), skill=0.9).votes.n_answers == 1_000_000


def test_concentration_makes_the_truth_vaguer():
    spread = [entropy(simulate_truth(2000, 4, rng(), c).probs).mean() for c in (1e-4, 0.5, 4, 100)]
    assert spread == sorted(spread) and spread[0] < 0.01 and spread[-1] > 0.97 * np.log(4)
    even = simulate_truth(40_000, 4, rng(), 4).probs  # Dirichlet(1, 1, 1, 1): mean 1/4, variance 3/80
    np.testing.assert_allclose(even.mean(axis=0), 1 / 4, atol=0.01)
    np.testing.assert_allclose(even.var(axis=0), 3 / 80, rtol=0.05)


def test_sliders_state_everything_and_average_to_the_truth():
    truth = Distributions(np.array([[0.6, 0.3, 0.1], [0.0, 0.0, 1.0]]), ["x", "y"], CLASSES)
    beliefs = simulate_beliefs(truth, 20_000, 20_000, rng(), concentration=5, top=None)
    assert beliefs.named.shape == (40_000, 0) and not beliefs.ruled_out.any()
    np.testing.assert_allclose(beliefs.stated.sum(axis=1), 1)
    of_x = beliefs.stated[beliefs.item == 0]
    p = truth.probs[0]
    np.testing.assert_allclose(of_x.mean(axis=0), p, atol=0.01)
    np.testing.assert_allclose(of_x.var(axis=0), p * (1 - p) / 6, rtol=0.05)  # Dirichlet: p (1 - p) / (1 + 5)
    assert (beliefs.stated[beliefs.item == 1] == truth.probs[1]).all()


@given(st.integers(0, 99), st.sampled_from([0.001, 0.5, 10, 1000]), st.integers(1, 4))
def test_top_answers_name_the_largest_in_whole_percents_and_rule_out_only_others(seed, concentration, top):
    truth = simulate_truth(15, 4, rng(seed))
    asked = {"per_item": 3, "annotators": 5, "concentration": concentration}
    answers = simulate_beliefs(truth, rng=rng(seed), **asked, top=top, rule_out_below=0.05)
    held = simulate_beliefs(truth, rng=rng(seed), **asked, top=None).stated  # the same seed has the same beliefs
    said = ~np.isnan(answers.stated)
    assert answers.named.shape == (45, top) and (answers.named[:, 0] == held.argmax(axis=1)).all()
    assert (said.sum(axis=1) == (answers.named >= 0).sum(axis=1)).all() and not (said & answers.ruled_out).any()
    np.testing.assert_allclose(answers.stated[said], held[said], atol=0.005 + 1e-12)
    np.testing.assert_allclose(100 * answers.stated[said], np.rint(100 * answers.stated[said]), atol=1e-9)
    assert np.array_equal(answers.ruled_out, (held < 0.05) & ~said)
    assert (answers.first == answers.named[:, 0]).all()


def test_a_certain_annotator_names_no_second_class():
    beliefs = simulate_beliefs(certain(3), 2, 2, rng())
    assert (beliefs.named[:, 1] == -1).all() and (np.nanmax(beliefs.stated, axis=1) == 1).all()
    assert (beliefs.ruled_out.sum(axis=1) == 2).all()


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (lambda t: simulate_votes(t, 3, 2, rng()), ["item 0", "3 answers", "2 annotators", "0 to 2", "3 of 3"]),
        (lambda t: simulate_beliefs(t, np.array([1, 1]), 2, rng()), ["per_item", "int64", "(2,)", "3 items"]),
        (lambda t: simulate_votes(t, 1.5, 2, rng()), ["per_item", "float64", "whole number"]),
        (lambda t: simulate_votes(t, 1, 2, rng(), skill=1.5), ["annotator 0", "skill 1.5", "0 to 1", "2 of 2"]),
        (lambda t: simulate_votes(t, 1, 2, rng(), skill=np.ones(3)), ["skill", "(3,)", "each of 2"]),
        (lambda t: simulate_votes(t, 1, 2, rng(), spammers=3), ["3 spammers", "0 adversaries", "2 annotators"]),
        (lambda t: simulate_votes(t, 1, 2, rng(), confusion=np.eye(3)), ["confusion", "(3, 3)", "(2, 3, 3)"]),
        (
            lambda t: simulate_votes(t, 1, 1, rng(), confusion=np.full((1, 3, 3), 0.5)),
            ["annotator 0", "class 0", [0.5, 0.5, 0.5], "sum to 1", "3 of 3"],
        ),
        (
            lambda t: simulate_votes(t, 1, 1, rng(), confusion=simulate_one_coin(1, 3), skill=1),
            ["skill", "confusion", "not both", "simulate_one_coin(skill, k)"],
        ),
        (lambda t: simulate_beliefs(t, 1, 1, rng(), concentration=0), ["concentration is 0", "finite", "above 0"]),
        (lambda t: simulate_beliefs(t, 1, 1, rng(), top=4), ["top 4", "3 classes", "1 to 3"]),
    ],
)
def test_refusals_name_the_value_and_the_way_out(call, facts):
    with refuses(*facts):
        call(certain(3))
