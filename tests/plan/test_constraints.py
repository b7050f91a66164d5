"""Counting and listing comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dissensus.plan.constraints import count_constraints, label_triplets

# Few different values, so that ties and gaps occur everywhere.
matrices = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.sampled_from([0.0, 0.5, 1.0, np.nan])
)


def counted_one_by_one(labels):
    by_item = sum(a != b for row in labels for i, a in enumerate(row) for b in row[:i] if a == a and b == b)
    by_class = sum(a != b for row in labels.T for i, a in enumerate(row) for b in row[:i] if a == a and b == b)
    return by_item, by_class


@given(matrices)
def test_counts_equal_a_slow_loop_and_the_length_of_the_list(labels):
    counted = count_constraints(labels)
    assert (counted.by_item, counted.by_class) == counted_one_by_one(labels)
    assert counted.total == len(label_triplets(labels)) and (counted.n, counted.k) == labels.shape


@given(matrices)
def test_listed_comparisons_agree_with_the_labels(labels):
    n = labels.shape[0]
    for a, b, c in label_triplets(labels).tolist():
        assert labels[a, b - n] > labels[a, c - n] if a < n else labels[b, a - n] > labels[c, a - n]


def test_ties_everywhere_answer_nothing():
    assert count_constraints(np.full((4, 5), 0.2)).total == 0
    assert label_triplets(np.full((4, 5), 0.2)).shape == (0, 3)


def test_the_ratio_is_a_share_of_all_questions():
    assert count_constraints(np.random.default_rng(0).random((80, 20))).ratio == pytest.approx(78_400 / 485_100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: count_constraints(np.ones(3)), r"shape \(3,\); expected \(n, k\)"),
        (lambda: count_constraints(np.ones((0, 3))), r"shape \(0, 3\)"),
        (lambda: count_constraints(np.array([[0.1, np.inf]])), "item 0 has label inf for class 1.*1 of 2 entries"),
    ],
)
def test_invalid_matrices_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
