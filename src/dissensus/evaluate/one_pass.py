"""The sweep: every score of a model against people in one pass, for millions of items.

The scores that `kernels` has are computed in compiled loops, the others of METRICS by their own functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dissensus.evaluate.brier import parts_of_bins, parts_of_sums
from dissensus.evaluate.calibration import BIN_SIZE, bins_of_sums, edges_of_size, equal_mass_edges
from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.people import as_numbers, as_people
from dissensus.evaluate.predictions import as_predictions
from dissensus.evaluate.scores import confidence_columns, metrics_of
from dissensus.evaluate.smooth_calibration import smooth_ece_of_groups
from dissensus.labels.distances import entropy
from dissensus.labels.row_sums import SUM_TOLERANCE

GRID = (1 << 15) + 1  # places that confidences are put on for the smooth calibration error
BLOCK = 1 << 16  # rows handed at once to a score that has no compiled loop
SAMPLE = 1 << 14  # rows from which the bins of the Brier score's parts are cut


def sweep(p_model: Any, p_people: Any, *, bins: int = 15, bin_size: int = BIN_SIZE) -> dict[str, float]:
    """Compute all scores of METRICS that are not against gold, in one pass.

    One pass over the rows and three sorts of n 64-bit words; arrays are read in place, in single or double precision,
    with 16 bytes of memory per item. Differences from the functions of the metrics:
        scores, F1, Pearson   rounding of sums only
        Spearman              exact: ranks of entropies in single precision, as in entropy_spearman
        calibration, Brier    confidence to 6e-8 of its distance from 1, shares of people in steps of 2.4e-7:
                              within 1e-6; the smooth error within 1e-5. Against the majority, an item whose
                              chance of being right is not a multiple of 1/840, as with 3 equal classes on both
                              sides or 9 on one, is off by up to 6e-4
        parts of soft Brier   rounding only up to 16,384 items; of more, bins are cut at the quantiles of 16,384
                              of them and hold a few hundredths more or less: within 5e-4, and their sum is exact

    A mean is infinite if the model gives probability 0 to a class that people chose: see `infinite_items`.
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
    totals, overlap, mass = sweep_rows(model, people, entropies, confidences, near, SUM_TOLERANCE)
    sums = dict(zip(SUMS, totals.tolist(), strict=True))
    if sums["bad_rows"]:
        as_predictions(model)
        as_people(people)
    scores = _means(sums, n, near)
    used = mass > 0
    scores["soft_macro_f1"] = float((2 * overlap[used] / mass[used]).mean())
    scores["soft_micro_f1"] = float(2 * overlap.sum() / mass.sum())
    scores |= _brier_parts(model, people, bins, scores["brier"])
    scores |= {"entropy_pearson": _pearson(sums, n), "entropy_spearman": _spearman(entropies)}
    del entropies
    scores |= _calibration(confidences, bins, bin_size)
    del confidences
    scores |= _without_loops(model, people, None, scores)
    return {name: float(scores[name]) for name in (*METRICS, "infinite_items") if name in scores}


def score_many(p_model: np.ndarray, p_people: np.ndarray, gold: np.ndarray | None) -> dict[str, float]:
    """Run the sweep, and score against gold if there is any.  p_model, p_people: (n, k), gold: (n,) or None"""
    scores = sweep(p_model, p_people)
    scores |= _without_loops(p_model, p_people, gold, scores)
    return {name: float(scores[name]) for name in (*METRICS, "infinite_items") if name in scores}


def _means(sums: dict[str, float], n: int, near: tuple[float, float]) -> dict[str, float]:
    """Return means of the metrics that the kernel sums, by the names of its totals."""
    scores = {}
    for name in (name for name in METRICS if name in sums):
        mean = _ratio(sums[name], sums.get(f"{name}_items", n))
        scores[name] = np.inf if sums.get(f"{name}_infinite") else mean
    scores["entropy"] += near[0]
    scores["people_entropy"] += near[1]
    scores["kl"] = max(scores["soft_nll"] - scores["people_entropy"], 0.0)
    return scores | {"infinite_items": sums["soft_nll_infinite"]}


def _without_loops(
    model: np.ndarray, people: np.ndarray, gold: np.ndarray | None, known: dict[str, float]
) -> dict[str, float]:
    """Compute the scores that are not yet known by their own functions: per item in blocks of rows."""
    scores = {}
    for name, metric in metrics_of("items", gold):
        if name not in known:
            truth = people if metric.against != "gold" else np.asarray(gold)
            used = slice(None) if metric.against != "gold" else truth >= 0
            scores[name] = _mean_in_blocks(metric.function, model[used], truth[used])
    scores |= {name: float(m.function(model, people)) for name, m in metrics_of("set", gold) if name not in known}
    left = {name: metric for name, metric in metrics_of("confidence", gold) if name not in known}
    for against in dict.fromkeys(metric.against for metric in left.values()):
        columns = confidence_columns(model, people, gold, against)
        scores |= {name: float(m.function(*columns)) for name, m in left.items() if m.against == against}
    return scores


def _mean_in_blocks(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], model: np.ndarray, truth: np.ndarray
) -> float:
    """Average over items that have a value.  model: (n, k), truth: (n, k) or (n,)"""
    total, items = 0.0, 0
    for start in range(0, model.shape[0], BLOCK):
        values = function(model[start : start + BLOCK], truth[start : start + BLOCK])
        has_value = ~np.isnan(values)
        total, items = total + float(values[has_value].sum()), items + int(has_value.sum())
    return _ratio(total, items)


def _ratio(total: float, count: float) -> float:
    return total / count if count else float("nan")


def _class_cuts(model: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Between which two numbers each bin of a class's probability ends.  -> (k, b - 1) lower, (k, b - 1) upper

    Upper is the largest probability of the bin. Lower is the next number below it where the next bin has items of that
    probability too, which the two then share; else it is upper itself.
    """
    n = model.shape[0]
    size = min(n, SAMPLE)
    # One row somewhere in each of `size` even parts: rows at even steps would all be alike where classes take turns.
    places = ((np.arange(size) + np.random.default_rng(0).random(size)) * (n / size)).astype(np.int64)
    sample = np.sort(np.ascontiguousarray(model[np.minimum(places, n - 1)].T, dtype=np.float64), axis=1)  # (k, s)
    ends = equal_mass_edges(sample.shape[1], bins)[1:-1]
    upper = sample[:, ends - 1]
    return np.where(sample[:, ends] == upper, np.nextafter(upper, -1.0), upper), upper


def _brier_parts(model: np.ndarray, people: np.ndarray, bins: int, score: float) -> dict[str, float]:
    """Compute the parts of the soft Brier score without a sort: bins are differences of sums above thresholds."""
    from dissensus.evaluate.class_kernels import sums_above

    cuts = _class_cuts(model, bins)
    marks = [np.unique([*lower, *upper]) for lower, upper in zip(*cuts, strict=True)]
    thresholds = np.full((len(marks), max(row.size for row in marks)), np.inf)
    for row, values in zip(thresholds, marks, strict=True):
        row[: values.size] = values
    above, totals = sums_above(model, people, thresholds)
    everything = np.column_stack([np.full(len(marks), model.shape[0]), totals[:, :2]])  # (k, 3)
    places = equal_mass_edges(model.shape[0], cuts[0].shape[1] + 1)[1:-1]
    binned = []
    for total, sums, row, lower, upper in zip(everything, above, thresholds, *cuts, strict=True):
        until = total - sums  # (t, 3) sums over what is not above each threshold
        before = until[np.searchsorted(row, lower)]  # (b - 1, 3)
        shared = until[np.searchsorted(row, upper)] - before
        part = np.clip((places - before[:, 0]) / np.maximum(shared[:, 0], 1.0), 0.0, 1.0)
        ends = before + part[:, None] * shared
        binned.append(np.diff(ends, axis=0, prepend=np.zeros((1, 3)), append=total[None]))  # (b, 3)
    parts = parts_of_sums(np.stack(binned), totals[:, 2], score)
    return {f"brier_{name}": getattr(parts, name) for name in ("reliability", "resolution", "uncertainty", "inside")}


def _pearson(sums: dict[str, float], n: int) -> float:
    x, y = sums["entropy"] / n, sums["people_entropy"] / n
    spread = (sums["entropy_squared"] / n - x * x) * (sums["people_entropy_squared"] / n - y * y)
    both = sums["entropy_product"] / n - x * y
    return float(np.clip(both / np.sqrt(spread), -1.0, 1.0)) if spread > 1e-28 else float("nan")


def _spearman(entropies: np.ndarray) -> float:
    """Compute Spearman's correlation of packed pairs of keys, which are overwritten.  (n,) uint64"""
    from dissensus.evaluate.sorted_kernels import rank_correlation, rank_upper

    entropies.sort()
    rank_upper(entropies)
    entropies.sort()
    return float(rank_correlation(entropies))


def _calibration(confidences: np.ndarray, bins: int, bin_size: int) -> dict[str, float]:
    """Compute everything that needs items in order of confidence.  confidences: (n,) packed, sorted in place"""
    from dissensus.evaluate.sorted_kernels import COLUMN, sums_of_bins, sums_on_grid

    confidences.sort()
    n = confidences.size
    equal = sums_of_bins(confidences, equal_mass_edges(n, bins))
    sized = sums_of_bins(confidences, edges_of_size(n, bin_size))
    grid = sums_on_grid(confidences, GRID)
    places = np.linspace(0, 1, GRID)
    scores: dict[str, float] = {}
    outcomes = {
        "": (COLUMN.share, COLUMN.share_squared, COLUMN.f_share),
        "_majority": (COLUMN.credit, COLUMN.credit_squared, COLUMN.f_credit),
    }
    for row, (suffix, (outcome, squared, product)) in enumerate(outcomes.items(), start=1):
        columns = [COLUMN.mass, COLUMN.f, outcome, COLUMN.f_squared, squared, product]
        of_mass, of_size = (bins_of_sums(table[:, columns]) for table in (equal, sized))
        parts = parts_of_bins(of_mass)
        scores |= {
            f"ece_equal_mass{suffix}": float(of_mass.weight @ np.abs(of_mass.gap)),
            f"rmse_calibration{suffix}": float(np.sqrt(of_size.weight @ of_size.gap**2)),
            f"smooth_ece{suffix}": smooth_ece_of_groups(places, grid[row], grid[0]),
            f"confidence_brier{suffix}": parts.score,
            f"confidence_brier_reliability{suffix}": parts.reliability,
            f"confidence_brier_resolution{suffix}": parts.resolution,
            f"confidence_brier_uncertainty{suffix}": parts.uncertainty,
            f"confidence_brier_inside{suffix}": parts.inside,
        }
    return scores


def _rows(values: Any, name: str) -> np.ndarray:
    array = as_numbers(values)
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}; expected (n, k): one row per item, one column per class")
    if array.dtype not in (np.float32, np.float64):
        raise ValueError(f"{name} holds {array.dtype}; expected probabilities in float32 or float64")
    rows = np.ascontiguousarray(array).view()
    rows.flags.writeable = False  # arrays that may be written to would be compiled for a second time
    return rows
