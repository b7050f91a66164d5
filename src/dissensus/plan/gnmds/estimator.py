"""Generalised non-metric MDS with the interface of scikit-learn."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from dissensus.labels.refusals import one_of
from dissensus.plan.constraints import label_triplets
from dissensus.plan.gnmds.embedding import embed_labels, embed_triplets, triplet_error


class GNMDS(BaseEstimator):  # type: ignore[misc]
    """Generalised non-metric MDS for scikit-learn: points from comparisons or from labels over classes.

    Wraps `embed_labels` and `embed_triplets`. Fitted attributes: embedding_ (N, r), gram_ (N, N), objective_, n_calls_,
    converged_; with labels the n items come first, then the k classes.

    Parameters
    ----------
    n_components : dimensions of the embedding; None for as many as lose nothing
    trace_weight : weight of the trace of the Gram matrix
    source : "triplets" if X has (t, 3) points a, b, c with a closer to b than to c; "labels" if X is (n, k)
    tolerance, max_iter : when a descent stops
    random_state : an integer, or a np.random.Generator

    Examples
    --------
    >>> triplets = np.array([[0, 1, 2], [1, 0, 2]])
    >>> GNMDS(2).fit(triplets).score(triplets)
    1.0
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        trace_weight: float = 1.0,
        source: Literal["triplets", "labels"] = "triplets",
        tolerance: float = 1e-7,
        max_iter: int = 5_000,
        random_state: int | np.random.Generator = 0,
    ) -> None:
        self.n_components = n_components
        self.trace_weight = trace_weight
        self.source = source
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, n_points: int | None = None) -> Self:  # noqa: N803
        """Embed X; y is ignored.  n_points: number of points, if triplets do not name the last ones"""
        rng = np.random.default_rng(self.random_state)
        options: dict[str, Any] = {
            "trace_weight": self.trace_weight,
            "rank": self.n_components,
            "tolerance": self.tolerance,
            "iterations": self.max_iter,
        }
        self._check_source()
        if self.source == "labels":
            fitted = embed_labels(np.asarray(X), rng, **options)
        else:
            fitted = embed_triplets(np.asarray(X), rng, n_points=n_points, **options)
        self.embedding_ = fitted.points
        self.gram_ = fitted.gram
        self.objective_, self.n_calls_, self.converged_ = fitted.objective, fitted.calls, fitted.converged
        self.n_features_in_ = int(np.shape(X)[1])
        return self

    def fit_transform(self, X: Any, y: Any = None, *, n_points: int | None = None) -> np.ndarray:  # noqa: N803
        return self.fit(X, y, n_points=n_points).embedding_

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """The share of comparisons in X that the embedding agrees with, 0 to 1."""
        self._check_source()
        triplets = label_triplets(np.asarray(X)) if self.source == "labels" else np.asarray(X)
        return 1 - triplet_error(self.embedding_, triplets)

    def _check_source(self) -> None:
        one_of("source", self.source, ("triplets", "labels"))
