"""What others said: nobody is compared with themselves, however often they answered."""

from __future__ import annotations

import numpy as np

from dissensus import Votes
from dissensus.datasets import load
from dissensus.labels.others import agreement_with_others, count_compared_answers, count_others

VOTES = Votes.of(
    ["a", "a", "a", "b", "b", "c"], ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy", "ann", "bo", "cy"]
)


def by_loop(votes: Votes) -> list[tuple[float, int]]:
    """Agreement and number of compared answers of each annotator, answer by answer."""
    rows = list(zip(votes.item, votes.annotator, votes.choice, strict=True))
    facts = []
    for person in range(votes.n_annotators):
        shares = []
        for item, who, choice in rows:
            others = [c for i, j, c in rows if i == item and j != person]
            if who == person and others:
                shares.append(others.count(choice) / len(others))
        facts.append((np.mean(shares) if shares else np.nan, len(shares)))
    return facts


def test_agreement_is_the_chance_that_another_vote_on_the_item_is_the_same():
    assert agreement_with_others(VOTES).tolist() == [0.75, 0.75, 0.0]
    alone = Votes.of(["x", "y"], ["cat", "dog"], ["ann", "bo"])
    assert np.isnan(agreement_with_others(alone)).all()


def test_ones_own_repeated_answers_are_nobody_elses():
    """Ann says cat twice; only bo, who says dog, is another. What cy repeats alone compares with nothing."""
    votes = Votes.of(["x", "x", "x", "y", "y"], ["cat", "cat", "dog", "cat", "cat"], ["ann", "ann", "bo", "cy", "cy"])
    assert agreement_with_others(votes)[:2].tolist() == [0.0, 0.0] and np.isnan(agreement_with_others(votes)[2])
    assert count_compared_answers(votes).tolist() == [2, 1, 0]


def test_the_anaesthetist_who_graded_three_times_is_compared_by_a_loop_over_answers():
    votes = load("anesthesia").labels
    agreement, compared = zip(*by_loop(votes), strict=True)
    np.testing.assert_allclose(agreement_with_others(votes), agreement)
    assert count_compared_answers(votes).tolist() == list(compared)


def test_where_nobody_knows_who_answered_the_others_are_all_other_answers():
    votes = Votes.of(["x", "x", "x"], ["cat", "cat", "dog"])
    same, others = count_others(votes, np.arange(3), votes.choice)
    assert same.tolist() == [1, 1, 0] and others.tolist() == [2, 2, 2]
