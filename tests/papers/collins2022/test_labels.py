"""What is learned from and judged by: 900 images with labels of people, all others with their CIFAR-10 class."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.deliver import deaggregated
from dissensus.labels.completion import COMPLETIONS
from dissensus.papers.collins2022 import arms
from dissensus.papers.collins2022.images import shrink_images
from dissensus.papers.collins2022.labels import beliefs_of, make_fixed_labels, pool, votes_of


@pytest.fixture(scope="module")
def whole(loaded):
    loaded("cifar10s"), loaded("cifar10h")
    return pool()


def test_the_split_is_the_papers_and_no_image_is_learned_from_and_judged_on(whole):
    assert whole.items.size == 10_000 and np.unique(whole.items).size == 10_000
    judged = {name: (whole.part == "test") & (whole.set_ == name) for name in ("10h", "10s")}
    assert (judged["10h"].sum(), judged["10s"].sum(), (whole.part == "train").sum()) == (3_000, 100, 6_900)
    assert whole.own.sum() == 900 and set(whole.part[whole.own]) == {"train"}
    stated = np.isin(whole.items, whole.beliefs.items)
    assert stated[judged["10s"]].all() and not stated[judged["10h"]].any()


def test_images_are_judged_by_shares_of_votes_or_by_means_of_stated_labels(whole, loaded):
    """The second road to a stated label: the mean of the released labels of the trials that are no repeats."""
    row = int(np.flatnonzero(whole.set_ == "10s")[7])
    answers = loaded("cifar10s").labels
    own = (answers.items[answers.item] == whole.items[row]) & ~np.asarray(answers.column("is_repeat"), dtype=bool)
    released = np.stack(list(answers.column("t2clamp")))[own]
    assert released.shape[0] >= 6 and np.allclose(whole.people[row], released.mean(axis=0))
    votes = loaded("cifar10h").labels
    row = int(np.flatnonzero(whole.set_ == "10h")[7])
    assert np.allclose(whole.people[row], votes.probs[whole.items[row]])


@pytest.mark.parametrize("completion", arms.COMPLETIONS)
def test_an_image_that_is_not_varied_has_its_cifar10_class_however_beliefs_are_completed(whole, completion):
    targets = deaggregated(COMPLETIONS[completion](beliefs_of(whole)), seed=1).targets(3)
    assert np.array_equal(targets[~whole.own], np.eye(10)[whole.gold[~whole.own]])
    assert (targets[whole.own].max(axis=1) < 1).any()


def test_any_number_of_annotators_of_the_paper_can_be_drawn_for_every_image(whole):
    assert votes_of(whole).per_item.min() >= max(arms.VOTES)
    assert beliefs_of(whole).per_item.min() > max(arms.BELIEFS)
    votes = votes_of(whole)
    assert np.array_equal(votes.choice[~whole.own[votes.item]], whole.gold[votes.item][~whole.own[votes.item]])


def test_controls_change_the_900_images_and_no_other(whole):
    made = make_fixed_labels(whole)
    for name in ("random", "uniform"):
        changed = np.abs(made[name].probs - made["hard"].probs).max(axis=1) > 1e-12
        assert np.array_equal(changed, whole.own), name


def test_gamma_and_beta_are_chosen_by_other_images_than_those_judged_on(whole):
    chosen = pool(500, validation=True)
    held = chosen.items[chosen.part == "test"]
    assert held.size == 1_000 and not np.isin(held, whole.items[whole.part == "test"]).any()
    assert not np.isin(held, chosen.beliefs.items).any() and (chosen.part == "train").sum() == 1_400
    rows = chosen.part == "test"
    assert np.array_equal(chosen.people[rows], np.eye(10)[chosen.gold[rows]])


def test_smaller_images_are_means_of_squares_of_pixels():
    pixels = np.arange(2 * 4 * 4 * 3, dtype=np.uint8).reshape(2, 4, 4, 3)
    small = shrink_images(pixels, 2)
    assert small.shape == (2, 2, 2, 3) and small[1, 0, 1, 2] == round(pixels[1, :2, 2:, 2].mean())
    with pytest.raises(ValueError, match=r"4 pixels.* 3"):
        shrink_images(pixels, 3)
