"""Wawa: a slow loop, crowd-kit's numbers, and what it does with ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.aggregate.counting import majority_vote, share
from dissensus.aggregate.weighted_votes import wawa
from dissensus.labels.simulate import simulate_one_coin, simulate_truth, simulate_votes
from dissensus.labels.transforms import one_hot
from dissensus.labels.votes import Votes
from tests.facts import refuses


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), ties=st.sampled_from(["share", "first"]))
def test_it_is_a_majority_a_share_of_right_answers_and_a_weighted_majority(seed, ties):
    rng = np.random.default_rng(seed)
    votes = simulate_votes(simulate_truth(12, 3, rng), 4, 6, rng).votes
    skill, mass = {}, np.zeros((12, 3))
    for who in range(6):
        right = []
        for item, choice in zip(votes.item[votes.annotator == who], votes.choice[votes.annotator == who], strict=True):
            said = [int((votes.choice[votes.item == item] == c).sum()) for c in range(3)]
            winners = [c for c in range(3) if said[c] == max(said)]
            winners = winners[:1] if ties == "first" else winners
            right.append((choice in winners) / len(winners))
        skill[who] = np.mean(right) if right else np.nan
    for item, who, choice in zip(votes.item, votes.annotator, votes.choice, strict=True):
        mass[item, choice] += skill[who]
    fit = wawa(votes, ties)
    assert np.allclose(fit.skill, list(skill.values()), equal_nan=True)
    assert np.allclose(fit.distributions.probs, mass / mass.sum(axis=1, keepdims=True))


# crowd-kit 1.4.2: accuracy to gold of Wawa, and the skill of the first four workers; these sets have no ties.
CROWD_KIT = {
    "crowd-bluebird": (0.7592592592592593, [0.87037037, 0.66666667, 0.49074074, 0.40740741]),
    "crowd-tweet-sentiment": (0.951, [0.95, 0.85, 0.65, 0.9]),
    "crowd-trec": (0.6457142857142857, [0.83128583, 0.78930818, 0.69513798, 0.84428224]),
}


@pytest.mark.parametrize("name", CROWD_KIT)
def test_on_classic_crowd_sets_it_is_that_of_crowd_kit(name, loaded):
    """python benchmarks/second_look.py wawa compares all probabilities of nine sets: equal to 2e-16."""
    data = loaded(name)
    accuracy, skill = CROWD_KIT[name]
    fit = wawa(data.labels, ties="first")
    known = data.gold >= 0
    assert (fit.distributions.probs.argmax(axis=1) == data.gold)[known].mean() == pytest.approx(accuracy)
    assert fit.skill[:4] == pytest.approx(skill, abs=1e-8)


def test_a_good_annotator_outvotes_two_poor_ones():
    """Ten items on which ann, bo and cy are the majority, then one on which ann stands against dee and eve."""
    majority_of = [(i, who, "cat") for i in range(10) for who in ("ann", "bo", "cy")]
    poor = [(i, who, "dog") for i in range(10) for who in ("dee", "eve")][:-1]
    item, who, label = zip(*majority_of, *poor, (10, "ann", "cat"), (10, "dee", "dog"), (10, "eve", "dog"), strict=True)
    votes = Votes.of(item, label, who)
    fit = wawa(votes)
    assert majority_vote(votes).probs[10].tolist() == [0, 1] and fit.distributions.probs[10].argmax() == 0
    assert "11 items, 5 annotators, 2 classes" in repr(fit) and fit.distributions.votes is None


def test_skill_ranks_people_as_they_are_and_helps_over_the_share_of_votes():
    rng = np.random.default_rng(0)
    gold, skills = rng.integers(0, 3, 600), np.linspace(0.35, 0.95, 12)
    votes = simulate_votes(
        one_hot(gold, np.arange(600), tuple("abc")), 5, 12, rng, confusion=simulate_one_coin(skills, 3)
    ).votes
    fit = wawa(votes)
    assert np.corrcoef(fit.skill, skills)[0, 1] > 0.95
    right = [(found.probs.argmax(axis=1) == gold).mean() for found in (fit.distributions, share(votes))]
    assert right[0] > right[1]


def test_someone_without_votes_has_no_skill_and_nobody_known_is_refused():
    votes = Votes.of(["x", "x"], ["a", "b"], ["ann", "bo"]).select(answers=[0])
    assert np.array_equal(wawa(votes).skill, [1, np.nan], equal_nan=True)
    with refuses("Wawa", "annotator"):
        wawa(Votes.of(["x"], ["a"]))
