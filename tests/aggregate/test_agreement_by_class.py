"""Agreement class by class: published kappas, slow loops over pairs, and intervals that hold what they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.aggregate.agreement import agreement_interval, fleiss_kappa, krippendorff_alpha
from dissensus.aggregate.agreement_by_class import class_agreement, class_kappa, specific_agreement
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth, simulate_votes
from dissensus.labels.summary import summarise
from dissensus.labels.votes import Votes
from tests.aggregate.test_agreement import FLEISS

PSYCHIATRISTS = Distributions.from_counts(np.array(FLEISS.split(), dtype=int).reshape(30, 5))


def crowd(seed: int, n: int = 40, k: int = 4) -> Votes:
    rng = np.random.default_rng(seed)
    return simulate_votes(simulate_truth(n, k, rng), 4, 12, rng).votes


def test_kappa_of_each_diagnosis_as_another_package_has_it():
    """irr 0.84 of R, kappam.fleiss(diagnoses, detail=TRUE): the example of Fleiss (1971)."""
    assert class_kappa(PSYCHIATRISTS).round(3).tolist() == [0.245, 0.245, 0.520, 0.471, 0.566]


def test_kappa_of_all_classes_is_the_mean_of_theirs_weighted_by_p_and_one_minus_p():
    """Fleiss (1971): with equally many votes per item, kappa = sum p (1 - p) kappa_c / sum p (1 - p)."""
    counts = PSYCHIATRISTS.counts()
    share = counts.sum(axis=0) / counts.sum()
    weight = share * (1 - share)
    assert weight @ class_kappa(PSYCHIATRISTS) / weight.sum() == pytest.approx(fleiss_kappa(PSYCHIATRISTS))


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_specific_agreement_equals_a_loop_over_pairs_of_votes(seed):
    votes = crowd(seed, n=12, k=3)
    votes = votes.select(answers=np.random.default_rng(seed).random(votes.n_answers) < 0.7)
    same, met = np.zeros(3), np.zeros(3)
    for item in range(votes.n_items):
        said = votes.choice[votes.item == item]
        for i, choice in enumerate(said):
            others = np.delete(said, i)
            if others.size:
                met[choice] += 1
                same[choice] += (others == choice).mean()
    if not met.any():
        return
    slow = np.divide(same, met, out=np.full(3, np.nan), where=met > 0)
    assert np.allclose(specific_agreement(votes), slow, equal_nan=True)


def test_two_people_give_twice_the_common_over_all_uses():
    """Dice (1945): 2a / (2a + b + c), with a = 3 common uses of yes, b = 1 and c = 2 single ones."""
    left, right = [1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 1, 1, 0]
    votes = Votes.of([*range(7)] * 2, [*left, *right], ["ann"] * 7 + ["bo"] * 7)
    assert specific_agreement(votes)[1] == pytest.approx(6 / 9)


def test_it_is_the_diagonal_of_which_answers_go_together():
    """`between_people` of the summary counts pairs; with equally many votes per item both count alike."""
    votes = crowd(3)
    assert np.allclose(specific_agreement(votes), np.diag(summarise(votes).between_people()))


def test_a_class_nobody_chose_has_no_agreement_and_one_that_all_chose_has_full():
    votes = Votes.of([0, 0, 1, 1], ["a"] * 4, classes=["a", "b"])
    assert np.array_equal(specific_agreement(votes), [1, np.nan], equal_nan=True)
    found = class_agreement(votes, np.random.default_rng(0), replicates=10)
    assert found.kappa[0].value == 1 and np.isnan(found.specific[1].value) and np.isnan(found.specific[1].low)
    assert found.share == (1.0, 0.0)


def test_a_class_alone_in_a_resampled_crowd_has_no_kappa_there():
    votes = Distributions.from_counts([[2, 0]] * 99 + [[1, 1]], classes=("a", "b"))
    found = class_agreement(votes, np.random.default_rng(0))
    assert all(kappa.value == pytest.approx(-1 / 199) and kappa.high < 1 for kappa in found.kappa)
    # Had 3.7 items more been answered (b, b), all but one vote of 8.4 for b would meet another one.
    b, total = 1 + 2 * np.log(40), 200 + 2 * np.log(40)
    assert found.specific[1].high == pytest.approx(1 - 1 / b)
    assert found.kappa[1].high == pytest.approx((1 - 1 / b - b / total) / (1 - b / total))
    alone = class_agreement(Votes.of([0, 0], ["a", "a"], classes=["a", "b"]), np.random.default_rng(0))
    assert alone.kappa[0].value == 1 and np.isnan(alone.kappa[0].high)


@pytest.mark.parametrize("over", ["items", "annotators"])
def test_intervals_hold_the_values_and_repeat_by_seed(over):
    votes = crowd(1, n=100)
    found = class_agreement(votes, np.random.default_rng(1), over=over, replicates=100)
    assert [interval.value for interval in found.specific] == specific_agreement(votes).tolist()
    assert all(i.low < i.value < i.high for i in (*found.specific, *found.kappa))
    assert found == class_agreement(votes, np.random.default_rng(1), over=over, replicates=100)


def test_95_percent_intervals_over_items_hold_the_truth_in_about_95_percent_of_crowds():
    """The truth is that of a crowd of 40,000 items; 120 crowds of 150 items are drawn from the same world."""
    rng = np.random.default_rng(11)
    world = simulate_votes(simulate_truth(40_000, 3, rng), 4, 40, rng).votes
    truth, alpha = specific_agreement(world), krippendorff_alpha(world)
    held, of_alpha = [], []
    for _ in range(120):
        votes = simulate_votes(simulate_truth(150, 3, rng), 4, 40, rng).votes
        found = class_agreement(votes, rng, replicates=200)
        held.append([i.low <= value <= i.high for i, value in zip(found.specific, truth, strict=True)])
        overall = agreement_interval(votes, "nominal alpha", rng, replicates=200)
        of_alpha.append(overall.low <= alpha <= overall.high)
    assert 0.90 <= np.mean(held) <= 0.99 and 0.88 <= np.mean(of_alpha) <= 1
