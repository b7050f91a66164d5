"""What kind of labels these are, in numbers that few votes do not distort."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dissensus.labels import Distributions, Votes, simulate_truth, simulate_votes
from dissensus.labels.simulate import simulate_beliefs
from dissensus.study.advice.regime import regime_of
from tests.facts import refuses


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_facts_of_votes_are_those_counted_by_hand():
    votes = Votes.of(
        ["a", "a", "a", "b", "b", "c"], ["x", "x", "y", "x", "x", "y"], ["ann", "bo", "ann", "ann", "bo", "cy"]
    )
    facts = regime_of(votes, rng())
    assert (facts.kind, facts.items, facts.classes, facts.answers) == ("votes", 3, 2, 6)
    assert facts.per_item == (1, 2, 3) and facts.per_annotator == (1, 2, 3)
    assert (facts.annotators, facts.repeats) == (3, 1)
    assert facts.single == pytest.approx(1 / 3) and facts.unanimous == 0.5


def test_disagreement_is_the_share_of_pairs_that_differ():
    votes = simulate_votes(simulate_truth(40, 3, rng(), 3.0), 4, 10, rng()).votes
    shares = [
        np.mean([first != second for first, second in combinations(votes.choice[votes.item == item], 2)])
        for item in range(40)
    ]
    assert regime_of(votes, rng()).disagreement == pytest.approx(np.mean(shares))


def test_disagreement_and_corrected_entropy_do_not_depend_on_how_many_were_asked():
    """Three votes and fifty of the same people: the plain entropy is far apart, the others are not."""
    truth = simulate_truth(1500, 3, rng(), 3.0)
    few, many = (regime_of(simulate_votes(truth, m, 60, np.random.default_rng(m)).votes, rng()) for m in (3, 50))
    assert few.disagreement == pytest.approx(many.disagreement, abs=0.03)
    assert many.entropy - few.entropy > 0.15
    assert few.entropy_corrected == pytest.approx(many.entropy_corrected, abs=0.05)


def test_kinds_are_told_apart():
    truth = simulate_truth(30, 3, rng())
    partial = simulate_beliefs(truth, 3, 6, rng(), top=2)
    full = simulate_beliefs(truth, 3, 6, rng(), top=None)
    counts = Distributions.from_counts([[2, 1], [0, 3]])
    kinds = [regime_of(labels, rng()).kind for labels in (partial, full, counts, truth)]
    assert kinds == ["partial beliefs", "full beliefs", "counts of votes", "probabilities"]
    assert regime_of(partial, rng()).unsaid == pytest.approx(np.isnan(partial.stated).mean())


def test_single_answers_cannot_be_compared():
    facts = regime_of(Votes.of(["a", "b"], ["x", "y"]), rng())
    assert not facts.comparable and facts.unanimous is None and facts.entropy_corrected is None
    assert regime_of(simulate_truth(5, 3, rng()), rng()).per_item is None


def test_labels_without_an_answer_are_refused():
    nobody = Votes(item=np.zeros(0, int), items=["a"], choice=np.zeros(0, int), classes=("x", "y"))
    with refuses("no item", "answer"):
        regime_of(nobody, rng())
