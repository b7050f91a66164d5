"""The Brier score decomposed into reliability, resolution and uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.evaluate.calibration import Bins, equal_mass_bins
from dissensus.labels import distances


@dataclass(frozen=True)
class BrierParts:
    """A Brier score and its parts: score = reliability - resolution + uncertainty + inside, exactly.

    reliability  squared distance of confidence from outcome in each bin; 0 is perfectly calibrated
    resolution   how different the outcomes of the bins are; higher is better
    uncertainty  variance of the outcomes, which no model can change
    inside       what bins hide: variance of confidence inside them, less twice its covariance with the outcome
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    inside: float


def brier_decomposition(confidence: np.ndarray, outcome: np.ndarray, bins: int = 15) -> BrierParts:
    """Split the mean squared distance between confidence and outcome into its parts.

        mean (f - o)^2 = sum_b w_b (f_b - o_b)^2 - sum_b w_b (o_b - o)^2 + mean (o_i - o)^2
                         + sum_b w_b (var_b(f) - 2 cov_b(f, o))

    with w_b the share of items in bin b, f_b and o_b their means. On outcomes of 0 and 1 the third term is o (1 - o);
    against people it is the variance of the shares. Murphy (1973), A new vector partition of the probability score; the
    terms inside bins: Stephenson, Coelho and Jolliffe (2008), Two extra components in the Brier score decomposition.

    Parameters
    ----------
    confidence, outcome : (n,), each 0 to 1; see `calibration.confidence_and_outcome`
    bins : number of bins with equally many items

    Returns
    -------
    score, reliability, resolution, uncertainty and inside, with score = reliability - resolution + uncertainty + inside

    Examples
    --------
    >>> parts = brier_decomposition(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1]), bins=2)
    >>> round(parts.score, 3), round(parts.uncertainty, 4)
    (0.175, 0.1875)
    """
    return parts_of_bins(equal_mass_bins(confidence, outcome, bins))


def brier_part(part: str, p_model: np.ndarray, p_people: np.ndarray) -> float:
    """Return one part of `brier_decomposition_of_classes` by its name.  p_model, p_people: (n, k)"""
    return float(getattr(brier_decomposition_of_classes(p_model, p_people), part))


def confidence_brier_part(part: str, confidence: np.ndarray, outcome: np.ndarray) -> float:
    """Return one part of `brier_decomposition` by its name.  confidence, outcome: (n,)"""
    return float(getattr(brier_decomposition(confidence, outcome), part))


def brier_decomposition_of_classes(p_model: np.ndarray, p_people: np.ndarray, bins: int = 15) -> BrierParts:
    """Split the soft Brier score: the parts of every class's probability, summed.

    p_model, p_people: (n, k)
    """
    model, people = distances.checked_pair(p_model, p_people)
    parts = [brier_decomposition(model[:, c], people[:, c], bins) for c in range(model.shape[1])]
    return BrierParts(*(float(sum(getattr(part, name) for part in parts)) for name in BrierParts.__dataclass_fields__))


def parts_of_bins(bins: Bins) -> BrierParts:
    """Compute the parts from bins with the spread inside them."""
    weight = bins.weight
    mean = weight @ bins.outcome
    reliability = weight @ bins.gap**2
    resolution = weight @ (bins.outcome - mean) ** 2
    uncertainty = resolution + weight @ bins.outcome_spread
    inside = weight @ (bins.confidence_spread - 2 * bins.joint_spread)
    score = reliability - resolution + uncertainty + inside
    return BrierParts(*(float(part) for part in (score, reliability, resolution, uncertainty, inside)))


def parts_of_sums(sums: np.ndarray, squares: np.ndarray, score: float) -> BrierParts:
    """Compute the parts of a soft Brier score from sums over the bins of each class; `inside` is the remainder.

    sums: (k, b, 3) of 1, q and p over each bin, squares: (k,) of p^2 over all items
    """
    n = sums[0, :, 0].sum()
    weight = sums[:, :, 0] / n  # (k, b)
    q, p = np.moveaxis(sums[:, :, 1:] / np.maximum(sums[:, :, :1], 1e-300), 2, 0)
    mean = sums[:, :, 2].sum(axis=1) / n  # (k,)
    reliability = (weight * (q - p) ** 2).sum()
    resolution = (weight * (p - mean[:, None]) ** 2).sum()
    uncertainty = (squares / n - mean**2).sum()
    inside = score - reliability + resolution - uncertainty
    return BrierParts(*(float(part) for part in (score, reliability, resolution, uncertainty, inside)))
