"""Known points, the labels they would get, and how well the points' similarities are recovered from the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.refusals import one_of
from dissensus.plan.gnmds.embedding import embed_labels
from dissensus.plan.label_kinds import WHOLE_KINDS, WholeKind

# Settings of every simulated embedding. Fitted to 1e-6 instead, rho of soft labels moves by 0.004 on average (27 cells;
# by up to 0.06 at n = k = 3, where there are 15 similarities), at twenty times the cost. Noise between descents is off,
# as it was for the shipped grid.
TRACE_WEIGHT, WIDTHS, NOISE, TOLERANCE = 1.0, (0.3, 0.03), 0.0, 1e-3


@dataclass(frozen=True, eq=False)
class Scene:
    """Items around class centroids in a hidden space.

    items      (n, d)
    centroids  (k, d)
    """

    items: np.ndarray
    centroids: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("items", "centroids"):
            hold(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    @property
    def similarity(self) -> np.ndarray:
        """Cosines between all n + k points, items first.  (N, N)"""
        every = np.concatenate([self.items, self.centroids])
        scaled = every / np.linalg.norm(every, axis=1, keepdims=True)
        return scaled @ scaled.T

    @property
    def distance(self) -> np.ndarray:
        """Distances of items to centroids.  (n, k)"""
        return np.linalg.norm(self.items[:, None, :] - self.centroids, axis=2)

    @property
    def soft(self) -> np.ndarray:
        """Soft labels.   l_c = exp(-|x - C_c|) / sum_j exp(-|x - C_j|)   (n, k)"""
        away = self.distance
        mass = np.exp(away.min(axis=1, keepdims=True) - away)
        return mass / mass.sum(axis=1, keepdims=True)

    @property
    def hard(self) -> np.ndarray:
        """Hard labels: 1 for the nearest centroid, which need not be the one the item was drawn around.  (n, k)"""
        return np.eye(len(self.centroids))[self.distance.argmin(axis=1)]


def simulate_scene(n: int, k: int, d: int, rng: np.random.Generator, *, spread: float = 1.0) -> Scene:
    """Draw n items around k random centroids in d dimensions.

        C_c ~ Normal(0, I_d),   x_i ~ Normal(C_(i mod k), spread^2 I_d)

    Sucholutsky 2023, sec. 4, uses Gaussians around random locations without their scales: here all scales are 1, and
    classes have equally many items, as the paper's formulas assume. With n < k the first n classes have an item each.

    Parameters
    ----------
    n, k, d : items, classes and dimensions
    rng : draws the points
    spread : standard deviation of items around their centroid

    Returns
    -------
    Scene : `hard` and `soft` labels (n, k), and the true `similarity` (n + k, n + k)

    Examples
    --------
    >>> simulate_scene(6, 3, 2, np.random.default_rng(0)).soft.shape
    (6, 3)
    """
    for name, value in (("n", n), ("k", k), ("d", d)):
        if value < 1:
            raise ValueError(f"{name} is {value}; expected 1 or more items (n), classes (k) and dimensions (d)")
    if not spread >= 0:
        raise ValueError(f"spread is {spread}; expected a standard deviation of 0 or more")
    centroids = rng.standard_normal((k, d))
    items = centroids[np.arange(n) % k] + spread * rng.standard_normal((n, d))
    return Scene(items, centroids)


def recovery(gram: np.ndarray, similarity: np.ndarray) -> float:
    """Compute Spearman's rho between the upper triangles of two similarity matrices, -1 to 1.

    0 if all numbers of one of them are equal. Without the diagonal, since everything is most like itself.
    gram, similarity: (N, N)
    """
    if gram.shape != similarity.shape or gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.shape[0] < 3:
        raise ValueError(
            f"matrices have the shapes {gram.shape} and {similarity.shape}; expected two square ones of the same size, "
            "3 or more"
        )
    from scipy.stats import rankdata

    upper = np.triu_indices(gram.shape[0], k=1)
    recovered, true = (rankdata(matrix[upper]) for matrix in (gram, similarity))
    if np.ptp(recovered) == 0 or np.ptp(true) == 0:
        return 0.0
    return float(np.corrcoef(recovered, true)[0, 1])


def label_recovery(labels: np.ndarray, similarity: np.ndarray, rng: np.random.Generator, *, starts: int = 1) -> float:
    """Compute Spearman's rho between true similarities and those embedded from labels.

    Labels are embedded with trace weight 1 and margin 1 from a disturbed spectral start. Soft labels determine rho.
    Hard labels do not: most similarities appear in no comparison and stay where the start and the trace weight leave
    them.

    Parameters
    ----------
    labels : (n, k), higher is closer
    similarity : (n + k, n + k), items first, then classes
    rng : disturbs the start
    starts : number of disturbed starts; rho is their mean

    Returns
    -------
    float : -1 to 1, higher is better

    Examples
    --------
    >>> scene = simulate_scene(12, 4, 2, np.random.default_rng(0))
    >>> label_recovery(scene.soft, scene.similarity, np.random.default_rng(0)) > 0.5
    True
    """
    if starts < 1:
        raise ValueError(f"starts is {starts}; expected 1 or more")
    rhos = []
    for stream in rng.spawn(starts):
        embedding = embed_labels(
            labels, stream, trace_weight=TRACE_WEIGHT, widths=WIDTHS, noise=NOISE, tolerance=TOLERANCE
        )
        rhos.append(recovery(embedding.gram, similarity))
    return float(np.mean(rhos))


def simulate_recovery(
    kind: WholeKind, n: int, k: int, d: int, rng: np.random.Generator, *, starts: int = 1, spread: float = 1.0
) -> float:
    """Simulate one scene and compute rho of its labels of this kind."""
    one_of("kind of label to simulate", kind, WHOLE_KINDS)
    scene_rng, start_rng = rng.spawn(2)
    scene = simulate_scene(n, k, d, scene_rng, spread=spread)
    labels = scene.soft if kind == "soft" else scene.hard
    return label_recovery(labels, scene.similarity, start_rng, starts=starts)
