"""Generalised non-metric MDS: items and classes as points whose distances agree with labels or comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.plan.constraints import label_matrix

# Widths over which the hinge is rounded off, one descent each from the end of the one before; the last is as good as
# the true hinge. Starting with the true one ends the descent early, at a kink.
WIDTHS = (1.0, 0.1, 0.01, 0.001)
START_NOISE = 0.01  # against the size of the spectral start: dimensions that it leaves at 0 could never be entered
# Small problems get noise before every later descent, too: a dimension that an earlier descent left at 0 has no slope,
# so a saddle point looks like a minimum. No larger problem was seen to end there, and noise doubles the time.
NOISE, SMALL = 0.05, 20


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points that agree with comparisons as far as they can.

    points      (N, r) the factor Z of the Gram matrix Z Z^T; with labels the n items come first, then the k classes
    n_items     how many of the points are items
    objective   hinge + trace_weight tr(Z Z^T), with the true hinge
    hinge       sum over all comparisons of max(0, 1 + d(a, b)^2 - d(a, c)^2)
    calls       evaluations of the objective
    converged   whether the last descent reached its tolerance within its iterations
    """

    points: np.ndarray
    n_items: int
    objective: float
    hinge: float
    calls: int
    converged: bool

    __repr__ = shapes

    def __post_init__(self) -> None:
        hold(self, "points", np.asarray(self.points, dtype=np.float64))

    @property
    def gram(self) -> np.ndarray:
        """Inner products of all points, the unscaled cosine similarities of Sucholutsky 2023, sec. 4.  (N, N)"""
        return self.points @ self.points.T


def embed_labels(
    labels: np.ndarray,
    rng: np.random.Generator,
    *,
    trace_weight: float = 1.0,
    rank: int | None = None,
    widths: Sequence[float] = WIDTHS,
    noise: float | None = None,
    tolerance: float = 1e-7,
    iterations: int = 5_000,
) -> Embedding:
    """Embed items and classes as points: an item near its likely classes, a class near its likely items.

        minimise over G = Z Z^T    sum over comparisons of max(0, 1 + d(a, b)^2 - d(a, c)^2) + trace_weight tr(G)
        d(a, b)^2 = G_aa + G_bb - 2 G_ab;  a is closer to b than to c wherever its label for b is higher

    Agarwal et al. (2007), Generalized non-metric multidimensional scaling, with margin 1: convex in G. No comparison
    is listed; the hinges of a row or column run along its order. Solved in the factor Z (Burer and Monteiro 2003).

    Parameters
    ----------
    labels : (n, k), higher is closer; equal numbers and NaN compare nothing
    rng : disturbs the spectral start, the singular vectors of the centred ranks, and draws the noise
    trace_weight : weight of the trace of the Gram matrix
    rank : columns of Z; min(n, k) + 1 by default, which loses nothing. Labels depend only on distances between items
        and classes, so what items have outside the span of the classes matters by its length alone
    widths : over which the hinge is rounded off, one descent each
    noise : standard deviation of the noise added before every descent after the first, as a share of the largest
        coordinate; 0.05 up to 20 points and 0 for more by default
    tolerance : the last descent stops when ten steps lower the objective by less than this share
    iterations : maximum per descent

    Returns
    -------
    Embedding : `points` (n + k, rank), items first, `gram`, `objective`, `converged`

    Examples
    --------
    >>> embed_labels(np.array([[0.9, 0.1], [0.2, 0.8]]), np.random.default_rng(0)).points.shape
    (4, 3)
    """
    matrix = label_matrix(labels)
    n, k = matrix.shape
    columns = min(n, k) + 1 if rank is None else _check_rank(rank)
    no_triplets = np.empty((0, 3), dtype=np.int32)
    start = _label_start(matrix, columns)
    return _minimise(
        start,
        n,
        _orders(matrix),
        _orders(matrix.T),
        no_triplets,
        rng,
        trace_weight,
        widths,
        noise,
        tolerance,
        iterations,
    )


def embed_triplets(
    triplets: np.ndarray,
    rng: np.random.Generator,
    *,
    n_points: int | None = None,
    trace_weight: float = 1.0,
    rank: int | None = None,
    widths: Sequence[float] = WIDTHS,
    noise: float | None = None,
    tolerance: float = 1e-7,
    iterations: int = 5_000,
) -> Embedding:
    """Embed points from listed comparisons, with the objective of `embed_labels`.

    Parameters
    ----------
    triplets : (t, 3) points a, b, c with a closer to b than to c
    rng : disturbs the start, and draws the noise
    n_points : number of points; the largest that occurs, plus 1, by default
    trace_weight : weight of the trace of the Gram matrix
    rank : dimensions; n_points by default, which loses nothing. Two or three for a picture
    widths : over which the hinge is rounded off, one descent each
    noise : standard deviation of the noise added before every descent after the first, as a share of the largest
        coordinate; 0.05 up to 20 points and 0 for more by default
    tolerance : the last descent stops when ten steps lower the objective by less than this share
    iterations : maximum per descent

    Returns
    -------
    Embedding : `points` (n_points, rank), `gram`, `objective`, `converged`

    Examples
    --------
    >>> embed_triplets(np.array([[0, 1, 2], [1, 0, 2]]), np.random.default_rng(0), rank=2).points.shape
    (3, 2)
    """
    asked = np.asarray(triplets)
    size = _check_triplets(asked, n_points)
    columns = size if rank is None else _check_rank(rank)
    listed = np.ascontiguousarray(asked, dtype=np.int32).reshape(-1, 3)
    nothing = _orders(np.empty((0, 0)))
    start = _triplet_start(listed, size, columns)
    return _minimise(start, size, nothing, nothing, listed, rng, trace_weight, widths, noise, tolerance, iterations)


def triplet_error(points: np.ndarray, triplets: np.ndarray) -> float:
    """The share of comparisons that points contradict, also by equal distances.  points: (N, r), triplets: (t, 3)"""
    _check_triplets(np.asarray(triplets), len(points))
    if not len(triplets):
        raise ValueError("no triplets given; expected one or more rows a, b, c")
    norms = (points**2).sum(axis=1)
    squared = norms[:, None] + norms - 2 * points @ points.T
    a, b, c = np.asarray(triplets).T
    return float((squared[a, b] >= squared[a, c]).mean())


def _minimise(
    start: np.ndarray,
    n: int,
    rows: tuple[np.ndarray, ...],
    columns: tuple[np.ndarray, ...],
    triplets: np.ndarray,
    rng: np.random.Generator,
    trace_weight: float,
    widths: Sequence[float],
    noise: float | None,
    tolerance: float,
    iterations: int,
) -> Embedding:
    from dissensus.plan.gnmds.kernels import descend, objective

    share = (NOISE if len(start) <= SMALL else 0.0) if noise is None else noise
    _check_options(trace_weight, widths, share, tolerance, iterations)
    problem = (n, rows, columns, triplets)
    weight, slope = float(trace_weight), np.empty(start.shape)
    points = _disturb(start, START_NOISE, rng)
    sizes = np.geomspace(0.1, 10, 13)
    width = float(widths[0])
    points *= min(sizes, key=lambda size: float(objective(size * points, *problem, width, weight, slope)))
    calls, converged = sizes.size, False
    for stage, width in enumerate(widths):
        enough = max(tolerance, 1e-4 * 0.1**stage)
        if stage > 0 and share > 0:
            points = _disturb(points, share, rng)
        points, _, used, converged = descend(points, *problem, float(width), weight, iterations, enough)
        calls += used
    # A width of 1e-12 is the true hinge to the last digit.
    value = float(objective(points, *problem, 1e-12, weight, slope))
    hinge = value - weight * float((points**2).sum())
    return Embedding(points, n, value, max(hinge, 0.0), calls, bool(converged))


def _disturb(points: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Add normal noise with this share of the largest coordinate as its standard deviation.  (N, r)"""
    spread = max(float(np.abs(points).max(initial=0.0)), 1e-3)
    return points + share * spread * rng.standard_normal(points.shape)


def _orders(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of each row from highest to lowest, the position from which they are lower, how many are not NaN."""
    order = np.argsort(-matrix, axis=1, kind="stable")  # NaN come last
    ordered = np.take_along_axis(matrix, order, axis=1)
    labelled = (~np.isnan(matrix)).sum(axis=1)
    after = np.empty(order.shape, dtype=np.int32)
    following = labelled.copy()
    for p in range(order.shape[1] - 1, -1, -1):
        if p + 1 < order.shape[1]:
            following = np.where(ordered[:, p] > ordered[:, p + 1], p + 1, following)
        after[:, p] = following
    return order.astype(np.int32), after, labelled.astype(np.int32)


def _label_start(matrix: np.ndarray, rank: int) -> np.ndarray:
    """Singular vectors of the ranks along rows and columns, centred: inner products that follow the labels.  (N, r)"""
    from scipy.stats import rankdata

    n, k = matrix.shape
    missing = np.isnan(matrix)
    ranks = np.zeros((n, k))
    for axis in (0, 1):
        place = rankdata(matrix, axis=axis, nan_policy="omit") / matrix.shape[axis]
        ranks += np.where(missing, 0.5, place)
    ranks = ranks - ranks.mean(axis=0) - ranks.mean(axis=1, keepdims=True) + ranks.mean()
    left, size, right = np.linalg.svd(ranks, full_matrices=False)
    return _pad(np.concatenate([left, right.T]) * np.sqrt(size), rank)


def _triplet_start(triplets: np.ndarray, size: int, rank: int) -> np.ndarray:
    """Leading eigenvectors of how often two points were near rather than far.  (N, r)"""
    near = np.zeros((size, size))
    np.add.at(near, (triplets[:, 0], triplets[:, 1]), 1.0)
    np.add.at(near, (triplets[:, 0], triplets[:, 2]), -1.0)
    near = near + near.T
    values, vectors = np.linalg.eigh(near / max(float(np.abs(near).max(initial=0.0)), 1.0))
    largest = np.argsort(-values)
    return _pad(vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0)), rank)


def _pad(factor: np.ndarray, rank: int) -> np.ndarray:
    wide = np.zeros((factor.shape[0], rank))
    shared = min(rank, factor.shape[1])
    wide[:, :shared] = factor[:, :shared]
    return wide


def _check_rank(rank: int) -> int:
    if rank < 1:
        raise ValueError(f"rank is {rank}; expected the number of dimensions of the embedding, 1 or more")
    return rank


def _check_triplets(triplets: np.ndarray, n_points: int | None) -> int:
    if triplets.ndim != 2 or triplets.shape[1] != 3 or triplets.dtype.kind not in "iu":
        raise ValueError(
            f"triplets are {triplets.dtype} of shape {triplets.shape}; expected whole numbers, one row a, b, c per "
            "comparison"
        )
    size = int(triplets.max(initial=-1)) + 1 if n_points is None else n_points
    if size < 1:
        raise ValueError("no triplets and no n_points given; expected one of them")
    bad = np.flatnonzero(((triplets < 0) | (triplets >= size)).any(axis=1))
    if bad.size:
        raise ValueError(
            f"triplet {bad[0]} is {triplets[bad[0]].tolist()}, but there are {size} points, 0..{size - 1}; {bad.size} "
            f"of {len(triplets)} are out of range"
        )
    return size


def _check_options(trace_weight: Any, widths: Sequence[float], noise: float, tolerance: float, iterations: int) -> None:
    if not 0 <= trace_weight < np.inf:
        raise ValueError(f"trace_weight is {trace_weight}; expected 0 or more")
    if not len(widths) or not all(width > 0 for width in widths):
        raise ValueError(f"widths are {list(widths)}; expected one or more numbers above 0, from wide to narrow")
    if not 0 <= noise < np.inf:
        raise ValueError(f"noise is {noise}; expected 0 or more")
    if not tolerance > 0 or iterations < 1:
        raise ValueError(f"tolerance is {tolerance}, iterations {iterations}; expected both to be above 0")
