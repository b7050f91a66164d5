"""Agreement: how much more alike the votes on an item are than votes drawn from all items at random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dissensus.aggregate.agreement_of_cells import ON_CELLS, Level, alpha_of_cells, fleiss_of_cells, observed_of_cells
from dissensus.aggregate.vote_pairs import (
    Cells,
    Over,
    cells_of,
    interval_if_defined,
    resample_cells,
    with_unseen_items,
)
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.intervals import Interval, check_resampling
from dissensus.labels.refusals import one_of
from dissensus.labels.votes import Votes

LEAST = {"observed agreement": 0.0}  # smallest possible value, -1 for the others


@takes(votes=(Votes, Distributions))
def krippendorff_alpha(
    votes: Votes | Distributions, level: Level = "nominal", values: np.ndarray | None = None
) -> float:
    """Compute Krippendorff's alpha of votes: 1 is full agreement, 0 chance, below 0 systematic disagreement.

        alpha = 1 - D_o / D_e
        D_o = 1/N sum_i 1/(m_i - 1) sum over ordered pairs of votes on i of d(vote, vote')
        D_e = 1/(N (N - 1)) sum over ordered pairs of all N votes of d(vote, vote')
        nominal: d = 1 for different classes; interval: (difference of values)^2; ordinal: (difference of mid-ranks)^2

    Only items with two or more votes count. By convention 1 if no two votes differ (for "interval": in value).
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Parameters
    ----------
    votes : votes, or the distributions of their shares
    level : "nominal"; "ordinal", with the classes in their order; "interval"
    values : (k,) values of the classes for "interval"; by default their names, read as numbers

    Returns
    -------
    at most 1

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> round(krippendorff_alpha(votes), 3)
    -0.111
    """
    return _or_one(alpha_of_cells(cells_of(votes, _values(votes.classes, level, values)), level))


def alpha_of_values(item: np.ndarray, value: np.ndarray, level: Level = "interval") -> float:
    """Compute Krippendorff's alpha of numbers, for ratings too fine to be classes: see `krippendorff_alpha`.

    Parameters
    ----------
    item : (m,) codes of 0 or more
    value : (m,) finite numbers; leave missing ones out
    level : "interval", "ordinal" or "nominal"

    Returns
    -------
    at most 1

    Examples
    --------
    >>> round(alpha_of_values(np.array([0, 0, 1, 1, 2, 2]), np.array([1.0, 1.2, 3.0, 2.9, 5.1, 5.0])), 3)
    0.997
    """
    items, numbers = np.asarray(item), np.asarray(value, dtype=np.float64)
    if items.shape != numbers.shape or items.ndim != 1 or items.dtype.kind not in "iu":
        raise ValueError(
            f"item holds {items.dtype} of shape {items.shape}, value has shape {numbers.shape}; expected one integer "
            "item code and one number for each rating"
        )
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise ValueError(
            f"rating {bad[0]} (item {items[bad[0]]}) is {numbers[bad[0]]}; expected a finite number; {bad.size} of "
            f"{numbers.size} are not: leave them out"
        )
    different, code = np.unique(numbers, return_inverse=True)
    cell, which = np.unique(items.astype(np.int64) * different.size + code.reshape(-1), return_inverse=True)
    count = np.bincount(which.reshape(-1), minlength=cell.size)
    place = cell // different.size
    n = int(place.max(initial=-1)) + 1
    return _or_one(alpha_of_cells(Cells(place, cell % different.size, count, count, np.ones(n), different), level))


@takes(votes=(Votes, Distributions))
def fleiss_kappa(votes: Votes | Distributions) -> float:
    """Compute Fleiss' kappa: agreement beyond chance of votes whose annotators may differ from item to item.

        kappa = (P - P_e) / (1 - P_e)
        P = mean over items of the share of pairs that agree,   P_e = sum_c (share of all votes for c)^2

    1 is full agreement, 0 chance. Items with fewer than two votes are left out. Items count equally in P and by their
    votes in P_e. By convention 1 if all votes are the same. Fleiss (1971), Measuring nominal scale agreement among many
    raters.

    Parameters
    ----------
    votes : votes, or the distributions of their shares

    Returns
    -------
    at most 1

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> round(fleiss_kappa(votes), 3)
    -0.333
    """
    return _or_one(fleiss_of_cells(cells_of(votes)))


@takes(votes=(Votes, Distributions))
def observed_agreement(votes: Votes | Distributions) -> float:
    """Compute the probability that two votes on the same item are the same, averaged over items.

    Parameters
    ----------
    votes : votes, or the distributions of their shares

    Returns
    -------
    0 to 1

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> round(observed_agreement(votes), 3)
    0.333
    """
    return observed_of_cells(cells_of(votes))


@takes(votes=(Votes, Distributions))
def agreement_interval(
    votes: Votes | Distributions,
    measure: str,
    rng: np.random.Generator,
    *,
    over: Over = "items",
    values: np.ndarray | None = None,
    replicates: int = 1000,
    coverage: float = 0.95,
) -> Interval:
    """Compute a measure of AGREEMENTS with its bootstrap interval, over other items or other annotators.

    Intervals are bias-corrected and accelerated (`bca_interval`). Over items an interval reaches at least as far as 3.7
    unseen items would move the measure: items whose votes are split, and items that all answer by the second most
    common class (`with_unseen_items`). An annotator drawn twice is not compared with themselves. Resamples without any
    difference between votes are left out; with fewer than two others the interval is NaN. With fewer than 10 annotators
    each is left out in turn, for Student's interval.

    Parameters
    ----------
    votes : votes, or the distributions of their shares
    measure : a name of AGREEMENTS
    rng : random generator of the bootstrap
    over : what is resampled: "items" or "annotators"
    values : (k,) values of the classes, as for `krippendorff_alpha`
    replicates : bootstrap resamples
    coverage : of the interval

    Returns
    -------
    the measure with its interval

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> round(agreement_interval(votes, "fleiss kappa", np.random.default_rng(0), replicates=50).value, 3)
    -0.333
    """
    options: dict[str, Any] = {"over": over, "values": values, "replicates": replicates, "coverage": coverage}
    return agreement_intervals(votes, [measure], rng, **options)[measure]


@takes(votes=(Votes, Distributions))
def agreement_intervals(
    votes: Votes | Distributions,
    measures: Sequence[str],
    rng: np.random.Generator,
    *,
    over: Over = "items",
    values: np.ndarray | None = None,
    replicates: int = 1000,
    coverage: float = 0.95,
) -> dict[str, Interval]:
    """Compute several measures of AGREEMENTS with their intervals, from the same resamples: see `agreement_interval`.

    Parameters
    ----------
    measures : names of AGREEMENTS
    votes, rng, over, values, replicates, coverage : as for `agreement_interval`

    Returns
    -------
    name: the measure with its interval

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> measures = ["nominal alpha", "fleiss kappa"]
    >>> list(agreement_intervals(votes, measures, np.random.default_rng(0), replicates=50))
    ['nominal alpha', 'fleiss kappa']
    """
    options: dict[str, Any] = {"over": over, "values": values, "replicates": replicates, "coverage": coverage}
    return resample_agreement(votes, measures, rng, **options)[0]


def resample_agreement(
    votes: Votes | Distributions,
    measures: Sequence[str],
    rng: np.random.Generator,
    *,
    over: Over,
    values: np.ndarray | None = None,
    replicates: int,
    coverage: float = 0.95,
) -> tuple[dict[str, Interval], dict[str, np.ndarray]]:
    """Return measures by name, and each in resampled crowds, (b,): NaN if it is not defined there."""
    check_resampling(replicates, coverage)
    for measure in measures:
        one_of("measure of agreement", measure, AGREEMENTS)
    cells = cells_of(votes, _values(votes.classes, "interval" if "interval alpha" in measures else "nominal", values))
    value = {name: _or_one(ON_CELLS[name](cells)) for name in measures}  # first: raises if nothing compares
    crowds = resample_cells(votes, cells, rng, over, replicates)
    drawn = _measure(measures, crowds.drawn)  # (measures, b)
    parts = list(crowds.without)
    without, times = _measure(measures, (crowd for crowd, _ in parts)), np.array([times for _, times in parts])
    unseen = _measure(measures, with_unseen_items(cells, coverage) if over == "items" else ())
    intervals = {
        name: interval_if_defined(
            value[name], drawn[i], without[i], times, crowds.units, unseen[i], coverage, least=LEAST.get(name, -1.0)
        )
        for i, name in enumerate(measures)
    }
    return intervals, dict(zip(measures, drawn, strict=True))


def _measure(measures: Sequence[str], crowds: Iterable[Cells]) -> np.ndarray:
    """Compute measures of crowds.  (measures, crowds)"""
    values = [[ON_CELLS[name](crowd) for name in measures] for crowd in crowds]
    return np.array(values).reshape(-1, len(measures)).T


def _or_one(value: float) -> float:
    """Return full agreement, by convention, if no two votes differ; for the votes themselves, never for a resample."""
    return 1.0 if np.isnan(value) else value


AGREEMENTS: dict[str, Callable[[Votes | Distributions], float]] = {
    "nominal alpha": partial(krippendorff_alpha, level="nominal"),
    "ordinal alpha": partial(krippendorff_alpha, level="ordinal"),
    "interval alpha": partial(krippendorff_alpha, level="interval"),
    "fleiss kappa": fleiss_kappa,
    "observed agreement": observed_agreement,
}
"""Measures of agreement by name, for `agreement_interval`."""


def _values(classes: tuple[str, ...], level: Level, values: np.ndarray | None) -> np.ndarray | None:
    if values is not None:
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape != (len(classes),) or not np.isfinite(numbers).all():
            raise ValueError(
                f"values are {numbers.tolist()}; expected one finite number for each of the classes {list(classes)}"
            )
        return numbers
    if level != "interval":
        return None
    try:
        return _values(classes, level, np.array([float(name) for name in classes]))
    except ValueError:
        raise ValueError(
            f"the classes {list(classes)} are not all numbers, so their differences mean nothing; give values, one "
            "number for each class, or use the ordinal or nominal level"
        ) from None
