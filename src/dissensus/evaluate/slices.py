"""Parts of an item set, and a score on each: where people agree, where they do not, by any column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.bootstrap import over_items
from dissensus.labels.display import shapes
from dissensus.labels.distances import normalised_entropy
from dissensus.labels.intervals import Interval
from dissensus.labels.names import positions_of
from dissensus.labels.refusals import one_of

HIGH_DISAGREEMENT = 0.1  # share of items


@dataclass(frozen=True)
class Slices:
    """A division of n items into named parts.

    by     what divides them
    names  of the parts, in order
    code   (n,) which part each item is in, -1 for none
    """

    by: str
    names: tuple[str, ...]
    code: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        code = np.asarray(self.code)
        bad = np.flatnonzero((code < -1) | (code >= len(self.names)))
        if code.ndim != 1 or bad.size:
            raise ValueError(
                f"slices by {self.by}: codes of shape {code.shape}, {bad.size} of them not from -1 to "
                f"{len(self.names) - 1}; expected one part per item"
            )

    @property
    def sizes(self) -> np.ndarray:
        """Items in each part.  (parts,)"""
        return np.bincount(self.code[self.code >= 0], minlength=len(self.names))


@dataclass(frozen=True)
class SliceScore:
    """The mean of a score over one part: its name, how many items it has, and the interval over these."""

    name: str
    items: int
    score: Interval


def entropy_bins(p_people: np.ndarray, bins: int = 5, by: Literal["width", "mass"] = "width") -> Slices:
    """Divide items by how much people disagree: by H(p) / ln k.

    Parameters
    ----------
    p_people : (n, k), rows sum to 1
    bins : number of bins
    by : "width": bins of equal width from 0 to 1, the last with its upper end; a bin may be empty. "mass": bins of
        nearly equal numbers of items, cut at quantiles; items of equal entropy stay together

    Returns
    -------
    the part of each item

    Examples
    --------
    >>> entropy_bins(np.array([[1.0, 0.0], [0.5, 0.5], [0.9, 0.1]]), bins=2).code.tolist()
    [0, 1, 0]
    """
    if bins < 1:
        raise ValueError(f"{bins} bins were asked for; expected 1 or more")
    spread = np.clip(normalised_entropy(p_people), 0.0, 1.0)
    if by == "width":
        code = np.minimum((spread * bins).astype(np.int64), bins - 1)
        names = tuple(f"{i / bins:.2g}–{(i + 1) / bins:.2g}" for i in range(bins))
        return Slices("entropy", names, code)
    one_of("kind of bins", by, ("width", "mass"))
    return value_bins(spread, bins, "entropy")


def value_bins(values: np.ndarray, bins: int, by: str) -> Slices:
    """Divide items into bins of nearly equal numbers; equal values stay together.  values: (n,) finite"""
    inner = np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf")
    cuts = np.unique(inner[inner < values.max(initial=-np.inf)])
    code = np.searchsorted(cuts, values, side="left")  # a value equal to a cut belongs below it
    names = []
    for part in range(cuts.size + 1):
        inside = values[code == part]
        low, high = inside.min(initial=np.inf), inside.max(initial=-np.inf)
        names.append(f"{low:.3g}" if low == high else f"{low:.3g}–{high:.3g}")
    return Slices(by, tuple(names), code)


def high_disagreement(p_people: np.ndarray, share: float = HIGH_DISAGREEMENT) -> Slices:
    """Separate the items people disagree about most from the others.

    The slice has the `share` of items with the largest entropy among people, and any others that tie with the last of
    them. Unanimous items are never in it. Gheibi 2026 reports such a slice without its rule.

    Parameters
    ----------
    p_people : (n, k), rows sum to 1
    share : share of the items, above 0 and below 1

    Returns
    -------
    two parts: "others" and the most disputed items

    Examples
    --------
    >>> high_disagreement(np.array([[1.0, 0.0], [0.5, 0.5], [0.9, 0.1]]), share=0.3).code.tolist()
    [0, 1, 0]
    """
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; expected a number between 0 and 1, such as 0.1")
    spread = normalised_entropy(p_people)
    wanted = max(1, round(share * spread.size))
    cut = np.partition(spread, spread.size - wanted)[spread.size - wanted]
    # Shares of as many votes in another order may differ in the last digit of their entropy.
    inside = (spread >= cut - 1e-12) & (spread > 1e-12)
    return Slices("disagreement", ("others", f"most disputed {share:.0%}"), inside.astype(np.int64))


def column_slices(values: Any, by: str, most: int = 50) -> Slices:
    """Divide items by a column: a demographic, a source, the majority class, the gold class.

    Parts are in numeric order if all are numbers, else in alphabetical order. None and NaN are in no part.

    Parameters
    ----------
    values : (n,)
    by : the name of the column
    most : the largest number of different values; a column with more is refused

    Returns
    -------
    the part of each item

    Examples
    --------
    >>> column_slices(["web", "news", "web"], by="source").names
    ('news', 'web')
    """
    listed = list(np.asarray(values, dtype=object))
    has_value = [not (value is None or value != value) for value in listed]
    texts = [str(value) if known else "" for value, known in zip(listed, has_value, strict=True)]
    names = tuple(in_order(sorted({text for text, known in zip(texts, has_value, strict=True) if known})))
    if not names:
        raise ValueError(f"column {by!r} is empty for all {len(listed)} items")
    if len(names) > most:
        raise ValueError(
            f"column {by!r} has {len(names)} different values ({', '.join(names[:3])}, …); expected at most {most}: "
            "put numbers into bins first, with value_bins"
        )
    return Slices(by, names, np.where(has_value, positions_of(texts, names), -1))


def in_order(names: Iterable[str]) -> list[str]:
    """Sort parts by their number, or the lower end of their bin ("2–10"), if all have one; else keep their order."""
    listed = list(names)
    numbers = [_lower_end(name) for name in listed]
    if any(math.isnan(number) for number in numbers):
        return listed
    return [name for _, name in sorted(zip(numbers, listed, strict=True))]


def _lower_end(name: str) -> float:
    try:
        return float(name.partition("–")[0])
    except ValueError:
        return math.nan


def slice_scores(
    values: np.ndarray, slices: Slices, rng: np.random.Generator, *, replicates: int = 1000, coverage: float = 0.95
) -> list[SliceScore]:
    """Average a score over each part that has items, with its interval over these items.

    Parameters
    ----------
    values : (n,) one score per item, NaN if it has none
    slices : the parts
    rng : random generator of the bootstrap
    replicates : bootstrap resamples
    coverage : of the intervals

    Returns
    -------
    name, number of items and score of each part

    Examples
    --------
    >>> from dissensus.evaluate.slices import column_slices
    >>> parts = column_slices(["web", "news", "web", "news"], by="source")
    >>> scores = slice_scores(np.array([0.2, 0.5, 0.4, 0.7]), parts, np.random.default_rng(0))
    >>> [(part.name, part.items, round(part.score.value, 2)) for part in scores]
    [('news', 2, 0.6), ('web', 2, 0.3)]
    """
    return slice_table({"score": values}, slices, rng, replicates=replicates, coverage=coverage)["score"]


def slice_table(
    values: Mapping[str, np.ndarray],
    slices: Slices,
    rng: np.random.Generator,
    *,
    clusters: np.ndarray | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    replicates: int = 1000,
    coverage: float = 0.95,
) -> dict[str, list[SliceScore]]:
    """Average several scores over each part, on the same resampled items or clusters.

    A part within one cluster has no interval: NaN.  values: name: (n,); clusters, bounds: see `over_items`
    """
    columns = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    for column in columns.values():
        if column.shape != slices.code.shape:
            raise ValueError(
                f"{column.size} values for {slices.code.size} items in slices by {slices.by}; expected as many"
            )
    table: dict[str, list[SliceScore]] = {name: [] for name in columns}
    for part, title in enumerate(slices.names):
        inside = slices.code == part
        known = {name: column[inside] for name, column in columns.items() if not np.isnan(column[inside]).all()}
        if inside.any() and known:
            groups = None if clusters is None else clusters[inside]
            if groups is not None and np.unique(groups).size < 2:
                means = {name: float(np.nanmean(column)) for name, column in known.items()}
                drawn = {name: Interval(mean, math.nan, math.nan, math.nan, coverage) for name, mean in means.items()}
            else:
                drawn = over_items(known, rng, clusters=groups, bounds=bounds, replicates=replicates, coverage=coverage)
            for name, score in drawn.items():
                table[name].append(SliceScore(title, int(inside.sum()), score))
    return table
