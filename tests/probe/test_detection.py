"""How well scores tell two sets apart: ties exact, and the positive class named."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from dissensus.probe import separation
from dissensus.probe.detection import aupr, auroc_interval, fpr_at_tpr
from tests.facts import refuses

scores = st.lists(st.integers(-4, 4) | st.sampled_from([-np.inf, np.inf, 0.5]), min_size=1, max_size=30)


def plainly(inside, outside):
    """Every threshold, every item, one after the other."""
    levels = sorted({*inside, *outside})
    pairs = [(o > i) + (o == i) / 2 for i in inside for o in outside]
    flagged = [(sum(o >= t for o in outside), sum(i >= t for i in inside)) for t in reversed(levels)]
    passed = [(sum(i <= t for i in inside), sum(o <= t for o in outside)) for t in levels]

    def area(points):
        total, before = 0.0, 0
        for right, wrong in points:
            total += (right - before) / points[-1][0] * right / (right + wrong)
            before = right
        return total

    def false(points):
        return next(wrong / points[-1][1] for right, wrong in points if right / points[-1][0] >= 0.95)

    return sum(pairs) / len(pairs), area(passed), area(flagged), false(passed), false(flagged)


def numbers(result):
    return result.auroc, result.aupr_in, result.aupr_out, result.fpr95_in, result.fpr95_out


@given(scores, scores)
def test_all_numbers_equal_those_of_a_slow_loop(inside, outside):
    assert np.allclose(numbers(separation(inside, outside)), plainly(inside, outside))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=40), st.lists(st.integers(-4, 4), min_size=1, max_size=40))
def test_all_numbers_equal_those_of_scikit_learn(inside, outside):
    result = separation(inside, outside)
    score = np.array([*inside, *outside], dtype=float)
    out = np.arange(score.size) >= len(inside)
    assert np.isclose(result.auroc, roc_auc_score(out, score))
    for positive, signed, area, false in (
        (out, score, result.aupr_out, result.fpr95_out),
        (~out, -score, result.aupr_in, result.fpr95_in),
    ):
        assert np.isclose(area, average_precision_score(positive, signed))
        fpr, tpr, _ = roc_curve(positive, signed, drop_intermediate=False)
        assert np.isclose(false, fpr[np.argmax(tpr >= 0.95)])
        precision, recall, _ = precision_recall_curve(positive, signed)
        assert np.isclose(aupr(signed, positive, trapezoid=True), auc(recall, precision))


@given(scores, scores)
def test_swapping_the_sides_and_the_sign_swaps_in_and_out(inside, outside):
    one = separation(inside, outside)
    other = separation(-np.array(outside), -np.array(inside))
    assert np.isclose(one.auroc, other.auroc)
    assert np.isclose(one.aupr_in, other.aupr_out) and np.isclose(one.fpr95_in, other.fpr95_out)


def test_sets_that_do_not_overlap_are_told_apart_and_equal_scores_are_a_guess():
    assert numbers(separation([1, 2, 3], [4, 5])) == (1, 1, 1, 0, 0)
    assert numbers(separation([1, 1, 1], [1])) == (0.5, 0.75, 0.25, 1, 1)
    assert (separation([1, 1, 1], [1]).inside, separation([1, 1, 1], [1]).outside) == (3, 1)


def test_the_two_meanings_of_fpr95_differ():
    """20 inside at 1..20, 20 outside at 11..30, and two outside far too low: which side must be 95 % decides."""
    inside, outside = np.arange(1, 21), np.r_[np.arange(11, 29), 0, 0]
    result = separation(inside, outside)
    assert result.fpr95_in == (2 + 9) / 20  # 19 of 20 inside pass up to 19, and so do 11..19 and the two
    assert result.fpr95_out == 1  # 19 of 20 outside are flagged from 0 on only, and so is everything inside


def test_a_constant_score_has_the_area_of_a_guess_unless_joined_by_lines():
    positive = np.arange(40) >= 30
    assert aupr(np.ones(40), positive) == 0.25 and aupr(np.ones(40), positive, trapezoid=True) == (1 + 0.25) / 2


def test_marks_may_be_zeros_and_ones():
    score, marks = np.array([1.0, 3.0, 2.0]), np.array([0, 1, 1])
    assert aupr(score, marks) == aupr(score, marks == 1) and fpr_at_tpr(score, marks) == 0


def test_the_standard_error_of_auroc_is_that_of_delong():
    """By hand: for each item the share of the other side it is on the right side of, and the variances of these."""
    rng = np.random.default_rng(0)
    inside, outside = rng.integers(0, 9, 40), rng.integers(3, 12, 25)
    right = np.array([[(o > i) + (o == i) / 2 for i in inside] for o in outside])  # (25, 40)
    error = np.sqrt(right.mean(axis=1).var(ddof=1) / 25 + right.mean(axis=0).var(ddof=1) / 40)
    interval = auroc_interval(inside, outside)
    assert np.isclose(interval.value, right.mean()) and np.isclose(interval.sd, error)
    assert 0 < interval.low < interval.value < interval.high < 1
    assert auroc_interval(inside, outside, 0.5).low > interval.low


@pytest.mark.parametrize("shape", ["alike", "narrow inside", "ties"])
def test_95_of_100_intervals_hold_the_auroc(shape):
    """Normal scores, for which it is known: Phi(d / sqrt(s^2 + 1)); with ties, by the chances of the whole numbers."""
    rng = np.random.default_rng(3)
    spread = 0.3 if shape == "narrow inside" else 1.0
    truth = norm.cdf(1.2 / np.hypot(spread, 1))
    if shape == "ties":
        at = np.arange(-9, 12)
        inside, outside = (norm.cdf(at + 0.5 - middle) - norm.cdf(at - 0.5 - middle) for middle in (0, 1.2))
        truth = outside @ (np.cumsum(inside) - inside / 2)
    held = 0
    for _ in range(400):
        low, high = spread * rng.normal(size=200), rng.normal(1.2, 1, size=100)
        interval = auroc_interval(*(low.round(), high.round()) if shape == "ties" else (low, high))
        held += interval.low <= truth <= interval.high
    assert 0.92 <= held / 400 <= 0.98


def test_intervals_of_five_items_outside_hold_the_auroc():
    """With the normal quantile in place of Student's 88 of 100 did; three standard errors of 94 % are 2.3 points."""
    rng = np.random.default_rng(4)
    intervals = [auroc_interval(rng.normal(size=200), rng.normal(0.7416, 1, size=5)) for _ in range(1000)]
    assert np.mean([interval.low <= 0.7 <= interval.high for interval in intervals]) > 0.915


def test_sets_that_say_nothing_about_the_next_have_no_interval():
    for inside, outside in (([1.0, 2.0], [3.0, 4.0]), ([3.0, 4.0], [1.0, 2.0]), ([1, 1], [1, 1]), ([1], [0, 2])):
        result = separation(inside, outside)
        assert np.isnan(result.auroc_low) and np.isnan(result.auroc_high) and 0 <= result.auroc <= 1


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (partial(separation, [1.0, np.nan], [1.0]), ("item 1 inside", "NaN", "1 of 2")),
        (partial(separation, [1.0], [np.nan]), ("item 0 outside", "NaN", "1 of 1")),
        (partial(separation, [], [1.0]), ("scores inside", "(0,)", "(n,)")),
        (partial(separation, [1.0], [[1.0]]), ("scores outside", "(1, 1)", "(n,)")),
        (partial(aupr, [1.0, 2.0], [True, True]), ("2 of 2 items", "positive and negative")),
        (partial(aupr, [1.0, 2.0], [0, 2]), ("item 1", "marked 2", "0 or 1", "1 are neither")),
        (partial(aupr, [1.0, 2.0], [True]), ("score has shape (2,)", "positive (1,)")),
        (partial(fpr_at_tpr, [1.0, np.nan], [True, False]), ("item 1 is NaN", "1 of 2")),
        (partial(fpr_at_tpr, [1.0, 2.0], [True, False], 0), ("tpr is 0", "above 0")),
        (partial(auroc_interval, [1.0, 2.0], [1.0, 2.0], 95), ("coverage is 95", "between 0 and 1")),
    ],
)
def test_invalid_scores_and_marks_are_refused(call, facts):
    with refuses(*facts):
        call()
