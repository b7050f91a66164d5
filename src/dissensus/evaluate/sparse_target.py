"""The gain of a training method against the error of its sparse targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.evaluate.bootstrap import over_items
from dissensus.evaluate.drawn_correlations import rank_correlation
from dissensus.evaluate.slices import SliceScore, slice_scores, value_bins
from dissensus.labels.display import shapes
from dissensus.labels.distances import jensen_shannon
from dissensus.labels.intervals import Interval


@dataclass(frozen=True)
class SparseTarget:
    """The gain of one model over another, item by item, against the error of the target it was trained on.

    error        (n,) distance of the sparse target to the full one
    improvement  (n,) loss of the reference - loss of the other: above 0 if the other is better
    bins         mean improvement in bins of equal numbers of items, from the least error to the largest
    spearman     rank correlation of error and improvement, with its interval over items
    """

    error: np.ndarray
    improvement: np.ndarray
    bins: list[SliceScore]
    spearman: Interval

    __repr__ = shapes

    def __str__(self) -> str:
        lines = [f"Spearman correlation of target error and improvement: {self.spearman} (n = {self.error.size:,})"]
        lines += [f"  error {part.name:>16}  {part.items:>6,} items  {part.score}" for part in self.bins]
        return "\n".join(lines)


def sparse_target_diagnostic(
    reference_loss: np.ndarray,
    loss: np.ndarray,
    sparse: np.ndarray,
    full: np.ndarray,
    rng: np.random.Generator,
    *,
    bins: int = 5,
    distance: Callable[[np.ndarray, np.ndarray], np.ndarray] = jensen_shannon,
    replicates: int = 1000,
) -> SparseTarget:
    """Bin the improvement of one model over another by the error of the sparse target it was trained on.

        error_i = JS(sparse_i, full_i),   improvement_i = reference loss_i - loss_i

    Is the gain largest where few votes were misleading? Gheibi 2026, fig. 2 (losses: soft NLL to the full distribution)
    and fig. 5, which uses `distance=manhattan`. Ranks, and so bins and correlation, are the same for the divergence and
    its root.

    Parameters
    ----------
    reference_loss, loss : (n,) losses of two models on the same items
    sparse, full : (n, k) targets, rows sum to 1
    rng : random generator of the bootstrap
    bins : number of bins of the error
    distance : of the sparse to the full target, (n, k), (n, k) -> (n,)
    replicates : bootstrap resamples

    Returns
    -------
    error and improvement per item, the mean improvement per bin and the rank correlation
    """
    before, after = (np.asarray(value, dtype=np.float64) for value in (reference_loss, loss))
    error = distance(sparse, full)  # (n,)
    if before.shape != error.shape or after.shape != error.shape:
        raise ValueError(
            f"losses of {before.size} and {after.size} items against targets of {error.size}; expected the same items"
        )
    improvement = before - after
    bad = np.flatnonzero(~np.isfinite(improvement))
    if bad.size:
        raise ValueError(
            f"item {bad[0]} has losses {before[bad[0]]} and {after[bad[0]]}; {bad.size} of {error.size} differences "
            "are not finite: smooth the predictions, or take a loss that stays finite"
        )
    measures = {"spearman": rank_correlation(error, improvement)}
    drawn = over_items({"mean": improvement}, rng, measures=measures, replicates=replicates)
    parts = slice_scores(improvement, value_bins(error, bins, "target error"), rng, replicates=replicates)
    return SparseTarget(error, improvement, parts, drawn["spearman"])
