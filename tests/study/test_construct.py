"""Labels to learn from: answers drawn, completed, aggregated and transformed, of the items handed over alone."""

import numpy as np

from dissensus.aggregate import dawid_skene
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import share
from dissensus.labels.transforms import temper
from dissensus.study.construct import make_labels
from dissensus.study.spec import LabelRecipe
from tests.facts import refuses
from tests.study.world import ANSWERS, answers

VOTES, _ = answers()


def test_without_a_recipe_answers_stay_answers():
    assert make_labels(VOTES, LabelRecipe(), 0) is VOTES


def test_so_many_answers_are_drawn_for_each_item_others_for_another_seed():
    drawn, again, other = (make_labels(VOTES, LabelRecipe(votes=2), seed) for seed in (0, 0, 1))
    assert (drawn.per_item == 2).all()
    assert np.array_equal(drawn.choice, again.choice)
    assert not np.array_equal(drawn.annotator, other.annotator)
    assert (drawn.counts() <= VOTES.counts()).all()


def test_counts_are_drawn_from_without_replacement():
    counted = share(VOTES)
    assert isinstance(counted, Distributions)
    drawn = make_labels(counted, LabelRecipe(votes=ANSWERS), 0)
    assert np.array_equal(drawn.counts(), VOTES.counts())


def test_steps_follow_each_other():
    made = make_labels(VOTES, LabelRecipe(aggregation="dawid-skene", transforms="tempered=2"), 0)
    assert np.allclose(made.probs, temper(dawid_skene(VOTES).distributions, 2).probs)


def test_a_completion_is_for_beliefs():
    with refuses("completion t2-clamp", "beliefs", "Votes"):
        make_labels(VOTES, LabelRecipe(completion="t2-clamp"), 0)
