"""Ways that make sense for the labels at hand, as far as the code accepts them."""

from __future__ import annotations

import numpy as np

from dissensus.labels import Distributions, Votes, simulate_truth
from dissensus.labels.simulate import simulate_beliefs
from dissensus.study.advice.candidates import arms, estimators, usable
from tests.facts import states
from tests.study.world import answers


def test_votes_have_annotator_models_only_where_annotators_are_known():
    votes, _ = answers()
    assert list(estimators(votes)) == ["share", "majority", "dirichlet", "shrinkage", "one-coin", "mace", "dawid-skene"]
    nobody = Votes(item=votes.item, items=votes.items, choice=votes.choice, classes=votes.classes)
    assert list(estimators(nobody)) == ["share", "majority", "dirichlet", "shrinkage"]


def test_partial_beliefs_are_completed_and_the_usual_completion_stands_first():
    partial = simulate_beliefs(simulate_truth(20, 4, np.random.default_rng(0)), 3, 6, np.random.default_rng(0))
    ways = list(estimators(partial))
    assert ways[0] == "t2-clamp" and "typicality" not in ways
    assert [way for way in ways if way.startswith("shrinkage of ")] and "soft of t1-clamp" in arms(partial)


def test_probabilities_without_answers_cannot_be_passed_one_answer_at_a_time():
    probabilities = simulate_truth(20, 4, np.random.default_rng(0))
    ways = arms(probabilities)
    assert next(iter(ways)) == "soft" and not {"multipass", "posterior"} & set(ways)


def test_the_same_targets_are_not_tried_twice():
    """With one vote each, soft labels, the majority and every draw are the vote itself."""
    single = Votes.of([f"i{i}" for i in range(30)], ["x", "y", "z"] * 10)
    assert {"soft", "sls", "majority"} & set(arms(single)) == {"soft"}
    votes, _ = answers()
    assert "sls" in arms(votes) and "deaggregated" not in arms(votes)


def test_counts_are_votes_and_what_is_left_out_is_said():
    counts, said = usable(Distributions.from_counts([[2, 1], [0, 3]]))
    assert isinstance(counts, Votes) and counts.n_answers == 6 and not said
    votes = Votes(item=[0, 0], items=["a", "b"], choice=[0, 1], classes=("x", "y"))
    some, said = usable(votes)
    (notice,) = said
    assert some.n_items == 1 and states(notice, "1 of 2 items", "no answer")
