"""Fewer numbers per label: sparse and top-class labels, with principal components as the bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.informative_classes import class_information, top_classes
from dissensus.labels.transforms import class_count, sparsify
from dissensus.plan.simulation import Scene, label_recovery, recovery


@dataclass(frozen=True, eq=False)
class SparsityCurves:
    """rho over the number of kept numbers per label, all of one scene.

    k_hat      (c,) numbers kept
    pca        (c,) rho from that many principal components of the points, a bound for any choice of numbers
    sparse     (c,) each item's k_hat largest classes
    top_class  (c,) the k_hat classes most informative about similarity, the same for all items
    soft, hard the full labels
    """

    k_hat: np.ndarray
    pca: np.ndarray
    sparse: np.ndarray
    top_class: np.ndarray
    soft: float
    hard: float

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("k_hat", "pca", "sparse", "top_class"):
            hold(self, name, np.asarray(getattr(self, name)))


def sparse_labels(soft: np.ndarray, k_hat: int, *, scaled: bool = False) -> np.ndarray:
    """Keep each row's k_hat largest classes and set the others to 0.  (n, k)

    Sucholutsky 2023, sec. 6, keeps the numbers unscaled. scaled makes rows sum to 1, as answers of people do.
    """
    kept = sparsify(Distributions.from_mass(soft), k_hat).probs
    return kept if scaled else np.where(kept > 0, soft, 0.0)


def top_class_labels(
    soft: np.ndarray, k_hat: int, similarity: np.ndarray, *, scaled: bool = False, unasked_as_zero: bool = True
) -> np.ndarray:
    """Keep the k_hat columns with most mutual information about similarity and set the others to 0.  (n, k)

    Sucholutsky 2023, sec. 6. With unasked_as_zero=False the others are NaN: an embedding then treats a class that
    nobody was asked about as unknown and not as furthest.  similarity: (n, n) of the items
    """
    labels = Distributions.from_mass(soft)
    kept = np.argsort(-class_information(labels, similarity), kind="stable")[: class_count(k_hat, labels)]
    asked = np.zeros(soft.shape, dtype=bool)
    asked[:, kept] = True
    values = top_classes(labels, k_hat, similarity).probs if scaled else soft
    return np.where(asked, values, 0.0 if unasked_as_zero else np.nan)


def pca_recovery(scene: Scene) -> np.ndarray:
    """Compute rho of points rebuilt from their first 1, 2, ... principal components.  (min(d, n + k - 1),)

    The cosines of the rebuilt points are compared with the true ones. All components give 1.
    """
    return np.array(list(_rho_by_components(scene)))


def effective_dimensionality(scene: Scene, rho: float) -> int:
    """Find the fewest principal components that reach the rho of some labels.

        min { c : rho of c components >= rho }

    Sucholutsky 2023, sec. 6. Compare with k, the numbers in a soft label.
    """
    count = 0
    for count, reached in enumerate(_rho_by_components(scene), start=1):  # noqa: B007
        if reached >= rho:
            break
    return count


def sparsity_curves(
    scene: Scene,
    k_hats: Sequence[int],
    rng: np.random.Generator,
    *,
    starts: int = 1,
    scaled: bool = False,
    unasked_as_zero: bool = True,
) -> SparsityCurves:
    """Compute the curves of Sucholutsky 2023, figure 3 (right), for one scene.

    starts  embeddings averaged per point
    """
    n, k = scene.soft.shape
    kept = np.asarray(k_hats, dtype=np.int64)
    bad = kept[(kept < 1) | (kept > k)]
    if bad.size or not kept.size:
        raise ValueError(f"k_hats are {kept.tolist()}; expected one or more numbers of classes, from 1 to {k}")
    alike = scene.similarity
    among_items = alike[:n, :n]
    components = pca_recovery(scene)

    def rho(labels: np.ndarray) -> float:
        return label_recovery(labels, alike, rng, starts=starts)

    sparse = [rho(sparse_labels(scene.soft, count, scaled=scaled)) for count in kept.tolist()]
    top = [
        rho(top_class_labels(scene.soft, count, among_items, scaled=scaled, unasked_as_zero=unasked_as_zero))
        for count in kept.tolist()
    ]
    return SparsityCurves(
        k_hat=kept,
        pca=components[np.minimum(kept, components.size) - 1],
        sparse=np.array(sparse),
        top_class=np.array(top),
        soft=rho(scene.soft),
        hard=rho(scene.hard),
    )


def _rho_by_components(scene: Scene) -> Iterator[float]:
    points = np.concatenate([scene.items, scene.centroids])  # (N, d)
    mean, alike = points.mean(axis=0), scene.similarity
    left, size, axes = np.linalg.svd(points - mean, full_matrices=False)
    for count in range(1, min(points.shape[1], points.shape[0] - 1) + 1):
        rebuilt = mean + (left[:, :count] * size[:count]) @ axes[:count]
        rebuilt = rebuilt / np.linalg.norm(rebuilt, axis=1, keepdims=True)
        yield recovery(rebuilt @ rebuilt.T, alike)
