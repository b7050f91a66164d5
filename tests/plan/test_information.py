"""Closed formulas against labels whose comparisons are counted one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.plan.information import (
    hard_constraints,
    information_ratio,
    noisy_constraints,
    pairwise_constraints,
    regime,
    soft_constraints,
    sparse_constraints,
    top_class_constraints,
    total_queries,
)

few = st.integers(1, 6)


def enumerated(labels):
    """Every question about items and centroids, asked one by one; NaN and ties leave it unanswered."""
    n, k = labels.shape
    closeness = np.full((n + k, n + k), np.nan)
    closeness[:n, n:], closeness[n:, :n] = labels, labels.T
    return sum(
        bool(closeness[a, b] > closeness[a, c] or closeness[a, b] < closeness[a, c])
        for a in range(n + k)
        for b, c in itertools.combinations([p for p in range(n + k) if p != a], 2)
    )


@given(few, few, st.integers(0, 2**32 - 1))
def test_soft_labels_answer_what_the_formula_says(n, k, seed):
    assert soft_constraints(n, k) == enumerated(np.random.default_rng(seed).random((n, k)))


@given(st.integers(1, 3), st.integers(1, 4))
def test_hard_labels_of_equally_frequent_classes_answer_what_the_formula_says(each, k):
    assert hard_constraints(each * k, k) == pytest.approx(enumerated(np.eye(k)[np.arange(each * k) % k]))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7))
def test_hard_labels_of_unequal_classes_answer_fewer(choices):
    assert enumerated(np.eye(4)[choices]) <= hard_constraints(len(choices), 4) + 1e-9


def every_class_kept_equally_often(n, k, k_hat, seed):
    """Item i keeps the k_hat classes from i k_hat on (mod k): each is kept n k_hat / k times, rounded up or down."""
    kept = (np.arange(k) - k_hat * np.arange(n)[:, None]) % k < k_hat
    return np.where(kept, np.random.default_rng(seed).random((n, k)) + 0.1, 0.0)


@given(st.integers(1, 8), st.integers(1, 5), st.data())
def test_sparse_labels_answer_what_the_formula_says(n, k, data):
    k_hat = data.draw(st.integers(1, k))
    labels = every_class_kept_equally_often(n, k, k_hat, seed=n)
    assert sparse_constraints(n, k, k_hat, scaled=False) == pytest.approx(enumerated(labels))
    if k > 1 and (k_hat > 1 or n % k == 0):  # hard labels are the paper's formula, exact where k divides n
        scaled = labels / labels.sum(axis=1, keepdims=True)
        assert sparse_constraints(n, k, k_hat) == pytest.approx(enumerated(scaled))


@given(few, few, st.data())
def test_top_class_labels_answer_what_the_formula_says(n, k, data):
    k_hat = data.draw(st.integers(1, k))
    labels = np.random.default_rng(n).random((n, k)) + 0.1
    zero, silent = labels.copy(), labels.copy()
    zero[:, k_hat:], silent[:, k_hat:] = 0, np.nan
    assert top_class_constraints(n, k, k_hat, scaled=False) == enumerated(zero)
    assert top_class_constraints(n, k, k_hat, scaled=False, unasked_as_zero=False) == enumerated(silent)
    if k > 1:
        scaled = zero / zero.sum(axis=1, keepdims=True)
        assert top_class_constraints(n, k, k_hat) == enumerated(scaled)


@given(st.integers(1, 60), st.integers(2, 40))
def test_no_label_tells_more_than_a_soft_one(n, k):
    asked = np.arange(1, k + 1)
    assert hard_constraints(n, k) <= soft_constraints(n, k) + 1e-9
    assert sparse_constraints(n, k, asked).max() <= soft_constraints(n, k) + 1e-9
    assert np.all(np.diff(sparse_constraints(n, k, asked[1:])) >= 0)


@given(few, st.integers(2, 6))
def test_sparse_and_top_class_labels_answer_more_than_hard_and_less_than_soft_ones(n, k):
    for k_hat in range(1, k + 1):
        sparse = sparse_constraints(n * k, k, k_hat)
        assert hard_constraints(n * k, k) <= sparse + 1e-9 and sparse <= soft_constraints(n * k, k) + 1e-9
        assert top_class_constraints(n * k, k, k_hat) <= sparse + 1e-9
    assert sparse_constraints(n * k, k, 1) == pytest.approx(hard_constraints(n * k, k))
    for end in (sparse_constraints, top_class_constraints):
        assert end(n * k, k, k) == pytest.approx(soft_constraints(n * k, k))


@given(st.integers(0, 7))
def test_pairwise_similarities_answer_every_question_about_items(n):
    alike = np.random.default_rng(n).random((n, n))
    alike = alike + alike.T
    count = sum(
        alike[a, b] != alike[a, c]
        for a in range(n)
        for b, c in itertools.combinations([p for p in range(n) if p != a], 2)
    )
    assert pairwise_constraints(n) == count == 3 * math.comb(n, 3) == total_queries(n)


def test_the_example_of_figure_1():
    """80 images, 20 classes: 3 C(100, 3) = 485,100 questions, of which 78,400 and 7,600 are answered."""
    assert total_queries(80, 20) == 485_100
    assert soft_constraints(80, 20) == 78_400 and hard_constraints(80, 20) == pytest.approx(7_600)
    assert information_ratio(soft_constraints(80, 20), 80, 20) == pytest.approx(78_400 / 485_100)


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [
        (1, 2, "less-than-one-shot"),
        (20, 20, "one-shot"),
        (39, 20, "one-shot"),
        (40, 20, "many-shot"),
        (1, 1, "one-shot"),
    ],
)
def test_regimes(n, k, expected):
    assert regime(n, k) == expected


@pytest.mark.parametrize(
    ("n", "k", "soft", "hard"),
    [
        (10**7, 100, 100 / 10**7, 2 * (1 - 1 / 100) / 10**7),
        (10**5, 10**5, 1 / 4, 1 / (2 * 10**5)),
        (100, 10**7, 100 / 10**7, 2 * 100 / 10**14),
    ],
)
def test_ratios_tend_to_their_limits(n, k, soft, hard):
    """Sucholutsky 2023, sec. 3: k/n, 1/4 and n/k for soft labels; 2 (1 - 1/k)/n, 1/(2n) and 2n/k^2 for hard ones."""
    assert information_ratio(soft_constraints(n, k), n, k) == pytest.approx(soft, rel=1e-3)
    assert information_ratio(hard_constraints(n, k), n, k) == pytest.approx(hard, rel=1e-3)


def test_soft_labels_have_three_phases_and_hard_ones_two():
    sizes = np.array([1_000, 10_000, 100_000])

    def slope(constraints, n, k):
        return np.diff(np.log(information_ratio(constraints(n, k), n, k))) / np.diff(np.log(sizes))

    assert np.allclose(slope(soft_constraints, sizes, 10), -1, atol=0.02)
    assert np.allclose(slope(soft_constraints, sizes, sizes), 0, atol=0.02)
    assert np.allclose(slope(soft_constraints, 10, sizes), -1, atol=0.02)
    assert np.allclose(slope(hard_constraints, sizes, 10), -1, atol=0.02)
    assert np.allclose(slope(hard_constraints, sizes, sizes), -1, atol=0.02)
    assert np.allclose(slope(hard_constraints, 10, sizes), -2, atol=0.05)


def test_noise_flips_answers():
    assert noisy_constraints(200, 0.25) == 150


def test_arrays_broadcast():
    items, classes = np.arange(1, 5)[:, None], np.arange(1, 4)
    assert soft_constraints(items, classes).shape == (4, 3)
    assert soft_constraints(items, classes)[2, 1] == soft_constraints(3, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: soft_constraints(0, 3), "0 items; expected"),
        (lambda: hard_constraints(3, [2, 1.5]), "there are 1.5 classes"),
        (lambda: sparse_constraints(5, 3, 4), "k_hat is 4 of 3"),
        (lambda: top_class_constraints(5, 3, 0), "there are 0 kept classes"),
        (lambda: information_ratio(0, 1, 1), "no three points to compare"),
        (lambda: noisy_constraints(5, 1.5), "flip rate is 1.5"),
    ],
)
def test_impossible_numbers_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
