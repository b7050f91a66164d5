"""A model that turns the majority round in one direction says so; one that corrects here and there does not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from dissensus import Votes
from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.aggregate.overturned import departure
from dissensus.labels.simulate import simulate_truth, simulate_votes
from dissensus.labels.transforms import one_hot
from tests.facts import missing_facts, states


def test_a_crowd_that_is_turned_round_to_the_rarer_class_is_named():
    """Flat classes read the common class as everybody's habit: a quarter of the items go to the rare one."""
    rng = np.random.default_rng(2)
    gold = (rng.random(1000) < 0.1).astype(int)
    truth = one_hot(gold, np.arange(1000), ("no", "yes"))
    votes = simulate_votes(truth, 3, 30, rng, skill=rng.uniform(0.55, 0.95, 30)).votes
    made = aggregate_labels(votes, "mace", class_prior="even")
    departing = (made.distributions.probs.argmax(axis=1) != votes.counts().argmax(axis=1)).sum()
    share = (votes.choice == 1).mean()
    facts = ("mace", "majority", f"{departing} of 1,000 items", "100%", "to 'yes'", f"{share:.0%} of the answers")
    assert states(made.notices[0], *facts, "answers you trust")


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "mace", "glad"])
def test_corrections_in_all_directions_are_counted_without_a_warning(method):
    rng = np.random.default_rng(1)
    votes = simulate_votes(simulate_truth(400, 3, rng, 0.01), 5, 12, rng, skill=np.linspace(0.4, 0.95, 12)).votes
    (notice,) = aggregate_labels(votes, method).notices
    departing = int(re.search(r"(\d+) of 400 items", notice)[1])
    assert states(notice, method, "majority") and departing > 0 and missing_facts(notice, "answers you trust")


def test_a_model_that_sides_with_the_majority_everywhere_says_nothing():
    votes = Votes.of(np.repeat(np.arange(8), 3), np.repeat(list("abababab"), 3), ["ann", "bo", "cy"] * 8)
    assert all(aggregate_labels(votes, method).notices == () for method in ("dawid-skene", "one-coin", "mace", "glad"))


def test_ties_and_items_without_votes_are_no_departure():
    votes = Votes.of(np.repeat(np.arange(20), 2), ["a", "b"] * 20, ["ann", "bo"] * 20)
    votes = replace(votes, items=np.arange(50))
    assert departure(one_hot(np.ones(50, dtype=int), votes.items, votes.classes), votes, "mace") is None


def test_a_crowd_set_that_is_turned_round_is_named(loaded):
    data = loaded("crowd-bluebird")
    (notice,) = aggregate_labels(data.labels, "dawid-skene").notices
    assert states(notice, "dawid-skene", "majority", "14 of 108 items", "100%", "answers you trust")


def test_mace_says_so_where_it_is_below_the_majority(loaded):
    """The two sets with uneven classes on which MACE stays more than two points below the majority."""
    for name in ("hs-brexit", "crowd-fact-eval"):
        assert "votes alone" in aggregate_labels(loaded(name).labels, "mace").notices[0]
