"""Counting votes: shares, majorities and smoothed shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.aggregate.counting import dirichlet, majority_vote
from dissensus.labels.shares import share
from dissensus.labels.votes import Votes
from tests.facts import refuses

CLASSES = ("cat", "dog", "cow")


def votes_of(rows):
    """Votes from one string of class digits for each item."""
    item = [i for i, row in enumerate(rows) for _ in row]
    return Votes(
        item=np.array(item, dtype=np.int32),
        items=np.arange(len(rows)),
        classes=CLASSES,
        choice=np.array([int(c) for row in rows for c in row], dtype=np.int32),
    )


def test_the_class_with_most_votes_gets_everything():
    found = majority_vote(votes_of(["001", "1", "22110"][:2]))
    assert found.probs.tolist() == [[1, 0, 0], [0, 1, 0]] and found.votes is None


def test_ties_are_shared_or_broken_by_the_stated_rule():
    votes = votes_of(["21", "0012", "012", "22"])  # over all items: cat 3, dog 3, cow 5
    assert majority_vote(votes).probs.tolist() == [[0, 0.5, 0.5], [1, 0, 0], [1 / 3] * 3, [0, 0, 1]]
    assert majority_vote(votes, ties="first").probs.argmax(axis=1).tolist() == [1, 0, 0, 2]
    assert majority_vote(votes, ties="frequent").probs.argmax(axis=1).tolist() == [2, 0, 2, 2]


def test_equally_frequent_classes_fall_back_on_the_first():
    assert majority_vote(votes_of(["12", "00", "1", "2"]), ties="frequent").probs[0].tolist() == [0, 1, 0]


def test_an_unknown_rule_for_ties_names_those_there_are():
    with refuses("'coin'", "share, first, frequent"):
        majority_vote(votes_of(["0"]), ties="coin")


def test_an_item_without_votes_has_no_majority():
    with refuses("item 1", "no votes", "1 of 3 items"):
        majority_vote(votes_of(["0", "", "1"]))


@given(st.lists(st.text("012", min_size=1, max_size=6), min_size=1, max_size=8), st.permutations(range(3)))
def test_a_shared_majority_does_not_know_the_names_of_classes(rows, order):
    relabelled = votes_of(["".join(str(order[int(c)]) for c in row) for row in rows])
    assert np.allclose(majority_vote(relabelled).probs[:, order], majority_vote(votes_of(rows)).probs)


@given(st.lists(st.text("012", max_size=6), min_size=1, max_size=8), st.floats(0.01, 10))
def test_a_smoothed_share_lies_between_the_share_and_the_prior(rows, prior):
    votes = votes_of(rows)
    found = dirichlet(votes, prior)
    asked = votes.per_item > 0
    weight = (votes.per_item / (votes.per_item + 3 * prior))[asked, None]
    known = share(votes.select(items=asked)).probs if asked.any() else np.zeros((0, 3))
    assert np.allclose(found.probs[asked], weight * known + (1 - weight) / 3)
    assert np.allclose(found.probs[~asked], 1 / 3) and found.votes is None


def test_a_prior_of_its_own_for_each_class():
    found = dirichlet(votes_of(["0", ""]), [1, 2, 0])
    assert found.probs.tolist() == [[0.5, 0.5, 0], [1 / 3, 2 / 3, 0]]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([1, 2], r"prior has shape \(2,\); expected one number, or one for each of 3 classes"),
        ([1, -1, 1], r"the prior of class 'dog' is -1; expected a finite number of 0 or more"),
        (0, r"prior is 0.* method share"),
        (float("nan"), r"the prior of class 'cat' is nan"),
    ],
)
def test_a_prior_that_is_none_is_refused(prior, message):
    with pytest.raises(ValueError, match=message):
        dirichlet(votes_of(["0"]), prior)
