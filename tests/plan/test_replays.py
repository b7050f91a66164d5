"""Replays on simulated crowds with known truth, and on the real votes of CIFAR-10H."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.aggregate.priors.vote_prior import VotePrior
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.plan.answer_worth import Worth, worth_by_answers, worth_by_votes
from dissensus.plan.question_mix import QuestionAnswers, replay_seconds
from dissensus.plan.replays import ReplayCurve, _depths, _spend_budget, oracle, replay, smooth_share, vote_sequences
from tests.facts import refuses

rng = np.random.default_rng


def crowd_votes(n: int = 300, people: int = 20, seed: int = 0) -> Votes:
    """Four fifths clear items, one fifth split in two."""
    draw = rng(seed)
    truth = np.where(draw.random((n, 1)) < 0.8, [0.96, 0.02, 0.02], [0.5, 0.45, 0.05])
    truth = np.array([row[draw.permutation(3)] for row in truth])
    return Votes.of_counts(Distributions.from_counts(draw.multinomial(people, truth)))


def test_sequences_hold_every_vote_once():
    votes = crowd_votes(20)
    sequence, size = vote_sequences(votes, rng(1))
    for item in range(20):
        assert np.array_equal(np.bincount(sequence[item, : size[item]], minlength=3), votes.counts()[item])


def test_a_replay_of_all_votes_by_share_has_no_error_left():
    curve = replay(crowd_votes(20), (5, 20), rng(0), estimate=smooth_share(1e-12))
    assert curve.error[1] < 1e-9 < curve.error[0] and curve.spent.tolist() == [5, 20]


def test_uniform_replay_equals_the_first_votes_of_each_item():
    votes = crowd_votes()
    curve = replay(votes, (4,), rng(7), rule="uniform", estimate=smooth_share(0.3))
    sequence, size = vote_sequences(votes, rng(7).spawn(2)[0])
    counts = np.stack([np.bincount(row[:4], minlength=3) for row in sequence])
    truth = votes.counts() / size[:, None]
    assert np.isclose(curve.error[0], kl(truth, smooth_share(0.3)(counts)).mean())


def test_the_clairvoyant_is_below_the_oracle_and_the_rules():
    votes = crowd_votes(100)
    budgets = (2, 4)
    bound = oracle(votes, budgets, rng(0), clairvoyant=True)
    known = oracle(votes, budgets, rng(0), orders=16)
    adaptive = replay(votes, budgets, rng(0))
    assert (bound.error < known.error).all() and (bound.error < adaptive.error).all()
    assert (bound.spent <= np.array(budgets) + 1e-9).all()


def test_the_oracle_divides_a_budget_as_well_as_trying_everything():
    errors = np.array([[1.0, 0.5, 0.3, 0.25], [0.4, 0.38, 0.1, 0.05], [0.9, 0.2, 0.15, 0.14]])
    depths = np.arange(4)
    for budget in range(8):
        chosen = _spend_budget(errors, depths, budget)
        spent = int(depths[chosen].sum())
        assert spent <= budget
        best = min(
            sum(errors[i, m] for i, m in enumerate(way))
            for way in itertools.product(range(4), repeat=3)
            if sum(way) <= spent
        )
        assert np.isclose(errors[np.arange(3), chosen].sum(), best)


def test_depths_rise_to_the_last_vote():
    for most in (0, 3, 8, 50):
        depths = _depths(most)
        assert depths[0] == 0 and depths[-1] == most and (np.diff(depths) > 0).all()


def test_what_must_be_spent_is_read_off_the_curve():
    curve = ReplayCurve(np.array([1, 2, 4]), np.array([1.0, 0.1, 0.01]), np.array([1, 2, 4]))
    assert np.isclose(curve.reaches(0.1), 2) and np.isclose(curve.reaches(10**-1.5), 3)
    assert curve.reaches(2.0) == 1 and curve.reaches(0.001) == np.inf


@pytest.mark.parametrize("budgets", [(), (0,), (3, 2), (-1,)])
def test_budgets_must_rise_from_above_zero(budgets):
    with pytest.raises(ValueError, match=r"budgets are .*above 0"):
        replay(crowd_votes(20), budgets, rng(0))


def test_more_votes_than_were_cast_cannot_be_replayed():
    with refuses("21 votes", "most 20"):
        replay(crowd_votes(20), (21,), rng(0))


def test_items_without_votes_cannot_be_replayed():
    votes = Votes(item=np.array([0]), items=np.array(["a", "b"]), choice=np.array([0]), classes=("x", "y"))
    with pytest.raises(ValueError, match=r"item b .*1 of 2"):
        vote_sequences(votes, rng(0))


def test_expected_error_is_closer_to_the_crowd_than_uniform_for_as_many_real_votes(loaded):
    """500 images of CIFAR-10H, where the prior has little to learn from; all of them in benchmarks/allocation.py."""
    votes = loaded("cifar10h-annotators").labels
    votes = votes.select(items=np.arange(0, 10_000, 20))
    uniform = replay(votes, (5,), rng(0), rule="uniform")
    adaptive = replay(votes, (5,), rng(0))
    assert adaptive.error[0] < uniform.error[0]


def answers(votes: Votes, seconds: float) -> QuestionAnswers:
    return QuestionAnswers.of(votes, seconds)


def test_the_cheaper_of_two_equal_questions_is_asked():
    votes = crowd_votes(40, seed=4)
    truth = votes.counts() / votes.per_item[:, None]
    kinds = {"quick": answers(votes, 1.0), "slow": answers(votes, 10.0)}
    curve, used = replay_seconds(kinds, truth, (3, 6), rng(0))
    assert (used["slow"] == 0).all() and used["quick"][1] > 200 and curve.error[1] < curve.error[0]
    assert (curve.spent <= [3, 6]).all()


def test_a_replay_in_seconds_tells_the_deepest_item_at_each_budget():
    votes = crowd_votes(10, seed=5)
    truth = votes.counts() / votes.per_item[:, None]
    curve, _ = replay_seconds({"quick": answers(votes, 1.0)}, truth, (1, 20), rng(0))
    assert curve.deepest.tolist() == [1, 20]


def test_items_without_answers_of_a_kind_do_not_end_a_replay():
    """Only the first of 40 items has slow answers, so most of those that the plan asks about first have none."""
    votes = crowd_votes(40, seed=6)
    truth = votes.counts() / votes.per_item[:, None]
    every = answers(votes, 10.0)
    kinds = {"quick": answers(votes, 1.0), "slow": QuestionAnswers(10.0, every.item[:20], every.probs[:20])}
    curve, used = replay_seconds(kinds, truth, (5,), rng(1))
    assert used["slow"][0] <= 20 and curve.spent[0] > 4.8


def test_fuller_answers_are_learned_to_be_worth_more_than_a_vote():
    """Everybody states the true distribution: such an answer tells more than naming one class."""
    draw = rng(8)
    truth = draw.dirichlet([0.6, 0.6, 0.6], size=150)
    item = np.repeat(np.arange(150), 6)
    full = QuestionAnswers(2.0, item, truth[item])
    votes = QuestionAnswers(
        1.0, item, np.eye(3)[(draw.random((item.size, 1)) > np.cumsum(truth[item], axis=1)[:, :-1]).sum(1)]
    )
    alone, _ = replay_seconds({"vote": votes}, truth, (4,), rng(0))
    mixed, used = replay_seconds({"vote": votes, "belief": full}, truth, (4,), rng(0))
    assert used["belief"][0] > 75 and mixed.error[0] < alone.error[0]


def doubtful_crowd(n: int, seed: int, people: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True distributions over three classes, many of them in doubt; who is asked about which item; and their votes."""
    draw = rng(seed)
    truth = draw.dirichlet([0.6, 0.6, 0.6], size=n)
    item = np.repeat(np.arange(n), people)
    votes = np.eye(3)[(draw.random((item.size, 1)) > np.cumsum(truth[item], axis=1)[:, :-1]).sum(axis=1)]
    return truth, item, votes


def test_more_answers_of_people_who_state_the_truth_are_never_worse():
    """Their likeliest class is the same every time: taken for votes, it made the error grow from 0.14 to 1.4 nats."""
    truth, item, votes = doubtful_crowd(60, seed=2)
    alone, _ = replay_seconds({"belief": QuestionAnswers(1.0, item, truth[item])}, truth, (1, 2, 4), rng(0))
    assert (np.diff(alone.error) < 0.004).all() and alone.error[1] < 0.01
    kinds = {"vote": QuestionAnswers(1.0, item, votes), "belief": QuestionAnswers(2.0, item, truth[item])}
    mixed, used = replay_seconds(kinds, truth, (1, 3, 7), rng(2))
    assert (np.diff(mixed.error) < 0.004).all() and mixed.error[2] < 0.05 and used["belief"][2] > 60


def test_answers_at_random_are_left_alone_after_a_few():
    """For as many seconds as a vote; they were asked for up to three times as often as votes."""
    truth, item, votes = doubtful_crowd(60, seed=1)
    noise = rng([1, 9]).dirichlet([0.6, 0.6, 0.6], item.size)
    kinds = {"vote": QuestionAnswers(1.0, item, votes), "noise": QuestionAnswers(1.0, item, noise)}
    mixed, used = replay_seconds(kinds, truth, (2, 3), rng(1))
    assert (used["noise"] == 10).all() and used["vote"].tolist() == [110, 170] and mixed.error[1] < mixed.error[0]


@pytest.mark.parametrize(("worth", "temperature"), [(0.0, 1.0), (8.0, 1.0), (32.0, 2.0)])
def test_what_an_answer_is_worth_comes_back(worth, temperature):
    """An answer is what `worth` people voted, told too surely at a temperature above 1; a worth of 0 is any answer."""
    draw = rng(3)
    n = 400
    prior = VotePrior(np.full((1, 3), 0.7), np.ones(1))
    truth = draw.dirichlet([0.7, 0.7, 0.7], n)
    asked = np.array([draw.dirichlet(worth * row + 0.02) for row in truth]) if worth else draw.dirichlet([0.7] * 3, n)
    sharp = np.maximum(asked, 1e-6) ** temperature
    votes = np.array([draw.multinomial(4, row) for row in truth])
    estimate = worth_by_votes(np.arange(n), sharp / sharp.sum(axis=1, keepdims=True), votes, np.zeros((n, 3)), prior)
    assert worth / 3 <= estimate.votes <= 3 * worth
    assert worth == 0 or abs(np.log(estimate.temperature / temperature)) < 0.4


def test_without_evidence_fuller_answers_count_nothing_beside_votes_and_one_without_them():
    prior = VotePrior(np.full((1, 3), 0.7), np.ones(1))
    item, probs = np.arange(5), np.full((5, 3), 1 / 3)
    nothing = np.zeros((5, 3), dtype=np.int64)
    assert worth_by_votes(item, probs, nothing, np.zeros((5, 3)), prior).votes == 0
    assert worth_by_answers(item, probs, 5, prior) == Worth(1.0, pytest.approx(1.0, abs=0.1))


def test_worth_spreads_a_vote_and_keeps_certainty():
    mass = Worth(3.0, 2.0).mass(np.array([[1.0, 0.0], [0.8, 0.2]]))
    assert mass[0].tolist() == [3.0, 0.0] and np.isclose(mass[1].sum(), 3) and np.isclose(mass[1, 0] / mass[1, 1], 2)


def test_seconds_and_beliefs_are_checked():
    with pytest.raises(ValueError, match="costs 0"):
        answers(crowd_votes(10), 0)
    beliefs = Beliefs.of_votes(crowd_votes(10))
    with pytest.raises(ValueError, match=r"200 of 200 .*dissensus.complete"):
        QuestionAnswers.of(beliefs, 1.0)
