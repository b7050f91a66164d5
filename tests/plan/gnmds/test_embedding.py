"""Embeddings from labels and from listed comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as limited
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from dissensus.plan.constraints import label_triplets
from dissensus.plan.gnmds.embedding import SMALL, _orders, embed_labels, embed_triplets, triplet_error
from dissensus.plan.gnmds.estimator import GNMDS
from dissensus.plan.gnmds.kernels import SORTED_FROM, objective, ordered_hinges, triplet_hinges
from dissensus.plan.gnmds.sorted_hinges import sorted_hinges
from dissensus.plan.simulation import recovery, simulate_scene

NO_TRIPLETS = np.empty((0, 3), dtype=np.int32)
NO_LABELS = _orders(np.empty((0, 0)))


def rounded_hinge(gap, width):
    if gap <= 0:
        return 0.0, 0.0
    return (gap**2 / (2 * width), gap / width) if gap < width else (gap - width / 2, 1.0)


def slow_hinges(squared, labels, width):
    total, slope = 0.0, np.zeros(squared.shape)
    for i, row in enumerate(labels):
        for b in range(row.size):
            for c in range(row.size):
                if row[b] > row[c]:
                    loss, pull = rounded_hinge(1 + squared[i, b] - squared[i, c], width)
                    total += loss
                    slope[i, b] += pull
                    slope[i, c] -= pull
    return total, slope


@given(
    arrays(np.float64, (4, 6), elements=st.sampled_from([0.0, 0.2, 0.3, 0.7, np.nan])),
    st.sampled_from([1e-9, 0.1, 1.0, 5.0]),
    st.integers(0, 2**32 - 1),
)
def test_hinges_along_rows_equal_a_slow_loop(labels, width, seed):
    squared = 3 * np.random.default_rng(seed).random((4, 6))
    slope = np.zeros((4, 6))
    total = ordered_hinges(squared, *_orders(labels), width, slope)
    expected, expected_slope = slow_hinges(squared, labels, width)
    assert total == pytest.approx(expected) and np.allclose(slope, expected_slope)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=30),
    st.sampled_from([1e-3, 0.1, 1.0, 5.0]),
    st.integers(0, 2**32 - 1),
)
def test_sorted_hinges_equal_those_of_all_pairs(labels, width, seed):
    matrix = np.array([labels], dtype=np.float64)
    order, after, labelled = _orders(matrix)
    squared = 6 * np.random.default_rng(seed).random(matrix.shape)
    slope, pull = np.zeros(matrix.shape), np.zeros(matrix.size)
    total = ordered_hinges(squared, order, after, labelled, width, slope)
    assert sorted_hinges(squared[0, order[0]], after[0], width, pull) == pytest.approx(total, abs=1e-8)
    assert np.allclose(pull, slope[0, order[0]])


def test_a_row_long_enough_to_be_sorted_equals_a_slow_loop():
    rng = np.random.default_rng(0)
    labels, squared = rng.random((1, SORTED_FROM + 50)), 9 * rng.random((1, SORTED_FROM + 50))
    order, after, labelled = _orders(labels)
    far = squared[0, order[0]]
    expected = sum(np.maximum(1 + far[p] - far[p + 1 :], 0).sum() for p in range(far.size))
    assert ordered_hinges(squared, order, after, labelled, 1e-9, np.zeros(labels.shape)) == pytest.approx(expected)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-9, 0.5, 3.0]))
def test_hinges_of_listed_comparisons_equal_a_slow_loop(seed, width):
    rng = np.random.default_rng(seed)
    triplets = rng.integers(5, size=(20, 3), dtype=np.int32)
    squared, slope, expected_slope = rng.random((5, 5)), np.zeros((5, 5)), np.zeros((5, 5))
    expected = 0.0
    for a, b, c in triplets.tolist():
        loss, pull = rounded_hinge(1 + squared[a, b] - squared[a, c], width)
        expected += loss
        expected_slope[a, b] += pull
        expected_slope[a, c] -= pull
    assert triplet_hinges(squared, triplets, width, slope) == pytest.approx(expected)
    assert np.allclose(slope, expected_slope)


@pytest.mark.parametrize("listed", [False, True])
def test_the_gradient_is_that_of_the_objective(listed):
    rng = np.random.default_rng(3)
    labels, points = rng.random((4, 3)), rng.standard_normal((7, 2))
    triplets = label_triplets(labels).astype(np.int32) if listed else NO_TRIPLETS
    rows, columns = (NO_LABELS, NO_LABELS) if listed else (_orders(labels), _orders(labels.T))

    def value(place, slope):
        return objective(place, 4, rows, columns, triplets, 0.5, 0.7, slope)

    gradient, unused = np.empty(points.shape), np.empty(points.shape)
    value(points, gradient)
    for i, j in np.ndindex(points.shape):
        step = np.zeros(points.shape)
        step[i, j] = 1e-6
        slope = (value(points + step, unused) - value(points - step, unused)) / 2e-6
        assert gradient[i, j] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_labels_and_their_listed_comparisons_have_one_solution():
    """The problem is convex in the Gram matrix: two roads and two starts must meet."""
    labels = simulate_scene(8, 6, 3, np.random.default_rng(0)).soft
    by_labels = embed_labels(labels, np.random.default_rng(1))
    listed = embed_triplets(label_triplets(labels), np.random.default_rng(2), n_points=14)
    assert by_labels.converged and listed.converged
    assert by_labels.objective == pytest.approx(listed.objective, rel=1e-3)
    assert by_labels.hinge == pytest.approx(slow_total(by_labels.points, label_triplets(labels)), rel=1e-9)


def slow_total(points, triplets):
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    return sum(max(0.0, 1 + squared[a, b] - squared[a, c]) for a, b, c in triplets.tolist())


def test_a_rank_above_the_smaller_side_gains_nothing():
    labels = simulate_scene(12, 5, 4, np.random.default_rng(1)).soft
    small = embed_labels(labels, np.random.default_rng(0))
    full = embed_labels(labels, np.random.default_rng(0), rank=17)
    assert small.points.shape == (17, 6)
    assert small.objective == pytest.approx(full.objective, rel=1e-3)


def test_the_semidefinite_optimum_is_reached():
    """The convex problem solved by CVXPY with SCS."""
    pytest.importorskip("cvxpy")
    labels = simulate_scene(9, 8, 5, np.random.default_rng(4)).soft
    assert embed_labels(labels, np.random.default_rng(0)).objective == pytest.approx(solved(labels), rel=5e-4)


def solved(labels):
    import cvxpy as cp

    triplets = label_triplets(labels)
    size = sum(labels.shape)
    gram = cp.Variable((size, size), PSD=True)
    a, b, c = triplets.T
    near = cp.diag(gram)[b] - 2 * gram[a, b]
    far = cp.diag(gram)[c] - 2 * gram[a, c]
    problem = cp.Problem(cp.Minimize(cp.sum(cp.pos(1 + near - far)) + cp.trace(gram)))
    problem.solve(solver=cp.SCS, eps=1e-6)
    return problem.value


def test_points_that_satisfy_all_comparisons_are_found():
    scene = simulate_scene(20, 15, 3, np.random.default_rng(0))
    embedded = embed_labels(scene.soft, np.random.default_rng(0), trace_weight=1e-3)
    assert triplet_error(embedded.points, label_triplets(scene.soft)) < 0.01
    assert recovery(embedded.gram, scene.similarity) > 0.8


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
@example(4, 2, 741595990)  # ends at a saddle point without noise between descents
@limited(max_examples=25)
def test_order_of_items_and_classes_does_not_matter(n, k, seed):
    rng = np.random.default_rng(seed)
    labels = rng.random((n, k))
    swapped = labels[rng.permutation(n)][:, rng.permutation(k)]
    values = [embed_labels(matrix, np.random.default_rng(0)).objective for matrix in (labels, swapped, labels.T)]
    assert np.allclose(values, values[0], rtol=5e-3, atol=1e-3)


def test_noise_is_drawn_for_small_problems_and_from_the_given_stream():
    labels = np.random.default_rng(0).random((4, 3))
    first, again = (embed_labels(labels, np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(first.points, again.points)
    assert not np.array_equal(first.points, embed_labels(labels, np.random.default_rng(1), noise=0.0).points)
    large = np.random.default_rng(0).random((SMALL, 3))
    plain, silent = (embed_labels(large, np.random.default_rng(1), noise=noise) for noise in (None, 0.0))
    assert np.array_equal(plain.points, silent.points)


@pytest.mark.parametrize("labels", [np.ones((1, 1)), np.full((4, 3), 0.25), np.full((3, 3), np.nan)])
def test_labels_that_compare_nothing_put_everything_in_one_place(labels):
    embedded = embed_labels(labels, np.random.default_rng(0))
    assert embedded.objective == pytest.approx(0, abs=1e-6) and np.allclose(embedded.points, 0, atol=1e-3)


def test_one_item_or_one_class_is_embedded():
    for labels in (np.array([[0.5, 0.3, 0.2]]), np.array([[0.5], [0.3], [0.2]])):
        embedded = embed_labels(labels, np.random.default_rng(0), trace_weight=0.01)
        assert triplet_error(embedded.points, label_triplets(labels)) == 0


def test_the_estimator_wraps_the_functions():
    labels = simulate_scene(6, 4, 2, np.random.default_rng(0)).soft
    by_labels = clone(GNMDS(source="labels", random_state=5)).fit(labels)
    assert np.array_equal(by_labels.gram_, embed_labels(labels, np.random.default_rng(5)).gram)
    triplets = label_triplets(labels)
    flat = GNMDS(2, trace_weight=0.1)
    assert flat.fit_transform(triplets, n_points=10).shape == (10, 2)
    assert flat.score(triplets) == 1 - triplet_error(flat.embedding_, triplets) > 0.9
    assert by_labels.score(labels) > 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: embed_labels(np.ones(3), rng), r"expected \(n, k\)"),
        (lambda rng: embed_labels(np.eye(3), rng, rank=0), "rank is 0"),
        (lambda rng: embed_labels(np.eye(3), rng, trace_weight=-1), "trace_weight is -1"),
        (lambda rng: embed_labels(np.eye(3), rng, widths=(1.0, 0.0)), r"widths are \[1.0, 0.0\]"),
        (lambda rng: embed_labels(np.eye(3), rng, noise=-1), "noise is -1"),
        (lambda rng: embed_labels(np.eye(3), rng, tolerance=0), "tolerance is 0"),
        (lambda rng: embed_triplets(np.array([[0, 1, 5]]), rng, n_points=3), r"triplet 0 is \[0, 1, 5\].*1 of 1"),
        (lambda rng: embed_triplets(np.eye(3), rng), "whole numbers, one row"),
        (lambda rng: embed_triplets(NO_TRIPLETS, rng), "no n_points"),
        (lambda rng: triplet_error(np.ones((3, 2)), NO_TRIPLETS), "no triplets"),
        (lambda rng: GNMDS(source="votes").fit(np.eye(3)), r"unknown source 'votes'\. Choose from: triplets, labels"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
