"""The sweep: every score of a model against people in one pass, for millions of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.evaluate.brier import parts_of_bins
from dissensus.evaluate.calibration import bins_of_sums, equal_mass_edges, sized_edges
from dissensus.evaluate.people import as_array, as_people, as_predictions
from dissensus.evaluate.smooth_calibration import smooth_ece_of_groups
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import SUM_TOLERANCE

GRID = (1 << 15) + 1  # places that confidences are put on for the smooth calibration error
OUTCOMES = {"people": (3, 4, 5), "majority": (6, 7, 8)}  # columns of sums_of_bins


def sweep(p_model: Any, p_people: Any, *, bins: int = 15, bin_size: int = 100) -> dict[str, float]:
    """All scores of METRICS as means over items, calibration, Brier parts and entropy correlations.

    The same numbers as the functions one by one, in one pass over the rows and three sorts of n 64-bit words. Arrays
    are read as they stand, in single or double precision; beside them it holds 16 bytes an item. Differences:
        scores, F1, Pearson   rounding of sums only
        Spearman              exact: ranks of entropies in single precision, as in entropy_spearman
        calibration, Brier    confidence to 6e-8 of its distance from 1, shares of people in steps of 2.4e-7:
                              within 1e-6; the smooth error within 1e-5. Against the majority, an item whose
                              chance of being right is no multiple of 1/840, as with 3 equal classes on both
                              sides or 9 on one, is off by up to 6e-4

    A mean is infinite where the model excludes a class that people chose: `infinite_items` says for how many.
    Calibration is against the share of people who made the model's choice and, in names that end on "_majority",
    against their most frequent class.

    p_model, p_people: (n, k) probabilities, rows sum to 1
    """
    from dissensus.evaluate.kernels import SUMS, sweep_rows

    model, people = _rows(p_model, "p_model"), _rows(p_people, "p_people")
    n, k = model.shape
    if people.shape != model.shape:
        raise ValueError(
            f"p_model has shape {model.shape}, p_people {people.shape}; expected the same items and classes"
        )
    if n < 2 or n >= 1 << 31 or k < 2:
        raise ValueError(f"a sweep needs 2 to 2^31 items and 2 classes or more; there are {n} items, {k} classes")
    entropies, confidences = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    # Entropies are summed less those of the first row: squares of numbers far from 0 would lose digits.
    near = entropy(model[:1])[0], entropy(people[:1])[0]
    found, overlap, mass = sweep_rows(model, people, entropies, confidences, near, SUM_TOLERANCE)
    sums = dict(zip(SUMS, found.tolist(), strict=True))
    if sums["bad_rows"]:
        as_predictions(model)
        as_people(people)
    scores = _means(sums, n, near)
    used = mass > 0
    scores["soft_macro_f1"] = float((2 * overlap[used] / mass[used]).mean())
    scores["soft_micro_f1"] = float(2 * overlap.sum() / mass.sum())
    scores |= {"entropy_pearson": _pearson(sums, n), "entropy_spearman": _spearman(entropies)}
    del entropies
    return scores | _calibration(confidences, bins, bin_size)


def _means(sums: dict[str, float], n: int, near: tuple[float, float]) -> dict[str, float]:
    people_entropy = sums["people_entropy"] / n + near[1]
    infinite, hard = sums["infinite_items"], sums["infinite_hard"]
    nll = np.inf if infinite else sums["soft_nll"] / n
    scores = {"soft_nll": nll, "kl": max(nll - people_entropy, 0.0)}
    scores |= {name: sums[name] / n for name in ("js", "brier")}
    scores["cross_entropy_hard"] = np.inf if hard else sums["cross_entropy_hard"] / n
    scores |= {name: sums[name] / n for name in ("accuracy", "vote_accuracy")}
    scores["second_best_accuracy"] = _ratio(sums["second_best"], sums["second_items"])
    scores |= {name: sums[name] / n for name in ("top_2_accuracy", "soft_accuracy", "manhattan", "wasserstein")}
    return scores | {
        "entropy": sums["entropy"] / n + near[0],
        "people_entropy": people_entropy,
        "confidence_right": _ratio(sums["confidence_right"], sums["right_items"]),
        "confidence_wrong": _ratio(sums["confidence_wrong"], n - sums["right_items"]),
        "infinite_items": infinite,
    }


def _ratio(total: float, count: float) -> float:
    return total / count if count else float("nan")


def _pearson(sums: dict[str, float], n: int) -> float:
    x, y = sums["entropy"] / n, sums["people_entropy"] / n
    spread = (sums["entropy_squared"] / n - x * x) * (sums["people_squared"] / n - y * y)
    both = sums["entropy_product"] / n - x * y
    return float(np.clip(both / np.sqrt(spread), -1.0, 1.0)) if spread > 1e-28 else float("nan")


def _spearman(entropies: np.ndarray) -> float:
    """Spearman's correlation of packed pairs of keys, which are overwritten.  (n,) uint64"""
    from dissensus.evaluate.sorted_kernels import rank_correlation, rank_upper

    entropies.sort()
    rank_upper(entropies)
    entropies.sort()
    return float(rank_correlation(entropies))


def _calibration(confidences: np.ndarray, bins: int, bin_size: int) -> dict[str, float]:
    """Everything that needs items in order of confidence.  confidences: (n,) packed, sorted in place"""
    from dissensus.evaluate.sorted_kernels import sums_of_bins, sums_on_grid

    confidences.sort()
    n = confidences.size
    equal = sums_of_bins(confidences, equal_mass_edges(n, bins))
    sized = sums_of_bins(confidences, sized_edges(n, bin_size))
    grid = sums_on_grid(confidences, GRID)
    places = np.linspace(0, 1, GRID)
    scores: dict[str, float] = {}
    for row, (against, (o, oo, fo)) in enumerate(OUTCOMES.items(), start=1):
        suffix = "" if against == "people" else f"_{against}"
        of_mass, of_size = (bins_of_sums(table[:, [0, 1, o, 2, oo, fo]]) for table in (equal, sized))
        parts = parts_of_bins(of_mass)
        scores |= {
            f"ece_equal_mass{suffix}": float(of_mass.weight @ np.abs(of_mass.gap)),
            f"rmse_calibration{suffix}": float(np.sqrt(of_size.weight @ of_size.gap**2)),
            f"smooth_ece{suffix}": smooth_ece_of_groups(places, grid[row], grid[0]),
            f"brier_reliability{suffix}": parts.reliability,
            f"brier_resolution{suffix}": parts.resolution,
            f"brier_uncertainty{suffix}": parts.uncertainty,
            f"brier_inside{suffix}": parts.inside,
        }
    return scores


def _rows(values: Any, name: str) -> np.ndarray:
    array = as_array(values)
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}; expected (n, k): one row per item, one column per class")
    if array.dtype not in (np.float32, np.float64):
        raise ValueError(f"{name} holds {array.dtype}; expected probabilities in float32 or float64")
    return np.ascontiguousarray(array)
