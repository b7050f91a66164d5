"""Labels with fewer numbers, and the principal components that bound them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from dissensus.plan.constraints import count_constraints
from dissensus.plan.information import sparse_constraints, top_class_constraints
from dissensus.plan.simulation import recovery, simulate_scene
from dissensus.plan.sparsity import (
    effective_dimensionality,
    pca_recovery,
    sparse_labels,
    sparsity_curves,
    top_class_labels,
)
from tests.facts import refuses

SCENE = simulate_scene(18, 12, 6, np.random.default_rng(1))
AMONG_ITEMS = SCENE.similarity[:18, :18]


def test_sparse_labels_keep_the_largest_numbers_as_they_are():
    kept = sparse_labels(SCENE.soft, 3)
    for row, full in zip(kept, SCENE.soft, strict=True):
        assert sorted(row[row > 0]) == sorted(full)[-3:]
    scaled = sparse_labels(SCENE.soft, 3, scaled=True)
    assert np.allclose(scaled, kept / kept.sum(axis=1, keepdims=True))
    assert np.array_equal(sparse_labels(SCENE.soft, 1, scaled=True), SCENE.hard)


def test_top_class_labels_keep_whole_columns():
    zero = top_class_labels(SCENE.soft, 4, AMONG_ITEMS)
    silent = top_class_labels(SCENE.soft, 4, AMONG_ITEMS, unasked_as_zero=False)
    kept = zero.any(axis=0)
    assert kept.sum() == 4 and np.array_equal(zero[:, kept], SCENE.soft[:, kept])
    assert np.isnan(silent[:, ~kept]).all() and np.array_equal(silent[:, kept], zero[:, kept])
    scaled = top_class_labels(SCENE.soft, 4, AMONG_ITEMS, scaled=True)
    assert np.allclose(scaled.sum(axis=1), 1)


def test_comparisons_of_real_columns_equal_the_formula():
    for k_hat in (1, 5, 12):
        zero = top_class_labels(SCENE.soft, k_hat, AMONG_ITEMS)
        assert count_constraints(zero).total == top_class_constraints(18, 12, k_hat, scaled=False)
        # Classes are not kept equally often here, and the columns' comparisons are most when they are.
        assert count_constraints(sparse_labels(SCENE.soft, k_hat)).total <= sparse_constraints(
            18, 12, k_hat, scaled=False
        )


def test_components_are_those_of_scikit_learn_and_all_of_them_tell_everything():
    rhos = pca_recovery(SCENE)
    points = np.concatenate([SCENE.items, SCENE.centroids])
    for count in (1, 3):
        fit = PCA(count).fit(points)
        rebuilt = fit.inverse_transform(fit.transform(points))
        rebuilt /= np.linalg.norm(rebuilt, axis=1, keepdims=True)
        assert rhos[count - 1] == pytest.approx(recovery(rebuilt @ rebuilt.T, SCENE.similarity))
    assert rhos.shape == (6,) and rhos[-1] == pytest.approx(1) and rhos[0] < 0.7


def test_effective_dimensionality_is_the_first_count_that_suffices():
    curve = pca_recovery(SCENE)
    assert effective_dimensionality(SCENE, curve[2] - 1e-9) == 3
    assert effective_dimensionality(SCENE, curve[2] + 1e-9) == 4
    assert effective_dimensionality(SCENE, -1.0) == 1 and effective_dimensionality(SCENE, 1.0) == 6


def test_a_line_or_a_handful_of_points_has_components_too():
    assert pca_recovery(simulate_scene(2, 1, 1, np.random.default_rng(0))).shape == (1,)
    assert pca_recovery(simulate_scene(2, 2, 9, np.random.default_rng(0))).shape == (3,)


def test_sparse_labels_tell_more_than_top_class_ones():
    """Sucholutsky 2023, figure 3: sparse above top-class, both end at the soft labels, all below the components."""
    curves = sparsity_curves(SCENE, [3, 6, 9, 12], np.random.default_rng(0))
    assert (curves.sparse[:3] > curves.top_class[:3]).all()
    assert np.allclose([curves.sparse[-1], curves.top_class[-1]], curves.soft, atol=0.02)
    assert (curves.pca[1:] >= curves.sparse[1:]).all() and curves.hard < curves.soft


def test_more_classes_than_there_are_cannot_be_kept():
    with refuses("k_hats are [13]", "1 to 12"):
        sparsity_curves(SCENE, [13], np.random.default_rng(0))
    with refuses("13 classes", "of 12"):
        sparse_labels(SCENE.soft, 13)
    with refuses("13 classes", "of 12"):
        top_class_labels(SCENE.soft, 13, AMONG_ITEMS)
