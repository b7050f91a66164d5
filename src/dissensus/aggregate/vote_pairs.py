"""Votes as cells of equal answers, so that agreement needs no list of pairs; and resampled crowds like them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal, get_args

import numpy as np
from scipy.sparse import csr_array

from dissensus.aggregate.priors.dirichlet_mixture import distinct_rows
from dissensus.labels.answers import hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.intervals import Interval, bca_interval, jackknife_interval
from dissensus.labels.refusals import one_of
from dissensus.labels.votes import Votes

Over = Literal["items", "annotators"]
MOST_DRAWS = 1_000_000  # of annotators, before giving up on finding two who share an item
# Few people make few different crowds: intervals over 3 resampled annotators are far too narrow. The jackknife is not.
ENOUGH_TO_RESAMPLE = 10


@dataclass(frozen=True, eq=False)
class Cells:
    """Votes gathered into c cells of equal (row, code); several items with the same votes may share a row.

    place   (c,) row of each cell
    code    (c,) position in `values`
    weight  (c,) votes in the cell, or the sum of their weights
    square  (c,) ordered pairs within the cell that are not compared: each vote with itself, and with a copy of its own
    times   (r,) how often each row occurs
    values  (v,) a number for each code
    copies  (q, 3) row, code and other code of someone who gave several answers and was drawn several times
    apart   (q,) ordered pairs of these two codes that are not compared, being of two draws of the same annotator
    """

    place: np.ndarray
    code: np.ndarray
    weight: np.ndarray
    square: np.ndarray
    times: np.ndarray
    values: np.ndarray
    copies: np.ndarray = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    apart: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        for name in ("place", "code", "weight", "square", "times", "values", "copies", "apart"):
            hold(self, name, np.asarray(getattr(self, name)))

    def per_row(self, amount: np.ndarray) -> np.ndarray:
        return np.bincount(self.place, weights=amount, minlength=self.times.size)  # (r,)

    def copies_per_row(self, amount: np.ndarray) -> np.ndarray:
        return np.bincount(self.copies[:, 0], weights=amount, minlength=self.times.size)  # (r,)

    def pairs(self) -> np.ndarray:
        """Ordered pairs of votes that are compared.  (r,)"""
        return self.per_row(self.weight) ** 2 - self.per_row(self.square) - self.copies_per_row(self.apart)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows whose votes can be paired: size and ordered pairs of each, how often it counts, votes by code."""

    size: np.ndarray
    pairs: np.ndarray
    times: np.ndarray
    by_code: np.ndarray

    @property
    def votes(self) -> float:
        return float(self.times @ self.size)


def count_pairs(cells: Cells) -> Pairs:
    size = cells.per_row(cells.weight)  # (r,)
    pairs = cells.pairs()
    times = np.where(pairs > 0.5, cells.times, 0)
    if not times.any():
        raise ValueError(
            f"none of {int(cells.times.sum())} items has two votes, so no two votes can be compared; agreement needs "
            "items that several annotators answered"
        )
    by_code = np.bincount(cells.code, weights=cells.weight * times[cells.place], minlength=cells.values.size)
    return Pairs(size, np.maximum(pairs, 1.0), times, by_code)


def cells_of(votes: Votes | Distributions, values: np.ndarray | None = None) -> Cells:
    rows, which = distinct_rows(votes.counts())
    place, code = np.nonzero(rows)
    count = rows[place, code]
    times = np.bincount(which, minlength=rows.shape[0])
    return Cells(place, code, count, count, times, np.arange(rows.shape[1]) if values is None else values)


@dataclass(frozen=True, eq=False)
class Crowds:
    """Resampled crowds, with other items or other annotators.

    drawn    resampled
    without  as it was, without each item or annotator in turn, or without each group of them; to be iterated last
    units    items or annotators
    """

    drawn: Iterator[Cells]
    without: Iterator[tuple[Cells, int]]  # and how many units are alike in this
    units: int


def resample_cells(
    votes: Votes | Distributions, cells: Cells, rng: np.random.Generator, over: Over, replicates: int
) -> Crowds:
    """Resample a crowd, with other items or with other annotators; `cells` are those of the votes."""
    one_of("unit of resampling", over, get_args(Over))
    groups = max(replicates // 10, 10)  # so that leaving out takes a tenth of the time of drawing
    if over == "items":
        units = int(count_pairs(cells).times.sum())
        return Crowds(islice(_other_items(cells, rng), replicates), _without_items(cells, rng, groups), units)
    people, crowd_of = _annotators(votes, cells.values)
    drawn = islice(_other_annotators(people, crowd_of, rng), replicates)
    return Crowds(drawn, _without_annotators(people, crowd_of, rng, groups), people)


def every_two(item: np.ndarray) -> np.ndarray:
    """List every two answers about one item, once.  (m,) codes -> (p, 2) positions"""
    order = np.argsort(item, kind="stable")
    size = np.bincount(item)[item[order]]  # (m,) of the item of each answer in order
    start = np.searchsorted(item[order], item[order])
    later = start + size - 1 - np.arange(order.size)  # answers about the same item that come after this one
    left = np.repeat(np.arange(order.size), later)
    step = np.arange(left.size) - np.repeat(np.cumsum(later) - later, later) + 1
    return np.column_stack([order[left], order[left + step]])


def interval_if_defined(
    value: float,
    drawn: np.ndarray,
    without: np.ndarray,
    times: np.ndarray,
    units: int,
    unseen: np.ndarray,
    coverage: float,
    *,
    least: float = -1.0,
) -> Interval:
    """Compute the interval of a measure from the crowds in which it is defined; NaN if fewer than two are.

    NaN also if it is the same in all of them and no unseen items change it. With fewer than ENOUGH_TO_RESAMPLE
    annotators each is left out in turn instead. Ends stay within `least` and 1.

    drawn    (b,) in resampled crowds; without, times: (g,) as of `Crowds.without`; NaN if it is not defined unseen
    (u,) with items of a kind that may have been missed, see `with_unseen_items`; the interval contains these too
    """
    known, left_out = ~np.isnan(drawn), ~np.isnan(without)
    if np.isnan(value) or np.count_nonzero(known) < 2 or (not unseen.size and np.ptp(drawn[known]) == 0):
        return Interval(float(value), np.nan, np.nan, np.nan, coverage)
    if unseen.size or units >= ENOUGH_TO_RESAMPLE:
        interval = bca_interval(value, drawn[known], without[left_out], times[left_out], units, coverage)
    elif np.count_nonzero(left_out) < 2:
        return Interval(float(value), np.nan, np.nan, np.nan, coverage)
    else:
        interval = jackknife_interval(value, without[left_out], coverage)
    low, high = np.nanmin([interval.low, *unseen]), np.nanmax([interval.high, *unseen])
    return replace(interval, low=max(float(low), least), high=min(float(high), 1.0))


def unseen_items(coverage: float) -> float:
    """Return the largest expected number of items of a kind that was never seen: 3.7 for 95%, 3 one-sided.

    P(none) = e^-x = (1 - coverage)/2.  Hanley and Lippman-Hand (1983), If nothing goes wrong, is everything all right?
    """
    return -float(np.log((1 - coverage) / 2))


def with_unseen_items(cells: Cells, coverage: float) -> tuple[Cells, ...]:
    """Add items that the crowd may have missed: split over its two most common classes, and all of the second.

    If one class dominates, few items have another answer, and resampling cannot draw what is not there. Empty for a
    single class.
    """
    rows = count_pairs(cells)
    if rows.by_code.size < 2:
        return ()
    first, second = np.argsort(-rows.by_code, kind="stable")[:2]
    votes = usual_votes(rows)
    half = votes // 2
    times = np.append(cells.times, unseen_items(coverage))
    return tuple(
        replace(
            cells,
            place=np.append(cells.place, [cells.times.size] * len(codes)),
            code=np.append(cells.code, codes),
            weight=np.append(cells.weight, counts),
            square=np.append(cells.square, counts),
            times=times,
        )
        for codes, counts in (([first, second], [votes - half, half]), ([second], [votes]))
    )


def usual_votes(rows: Pairs) -> int:
    """Return the median number of votes per item, 2 or more."""
    order = np.argsort(rows.size, kind="stable")
    middle = np.searchsorted(np.cumsum(rows.times[order]), rows.times.sum() / 2)
    return max(2, round(float(rows.size[order[middle]])))


def _other_items(cells: Cells, rng: np.random.Generator) -> Iterator[Cells]:
    """Resample items with votes to compare; items with the same votes are interchangeable."""
    times = count_pairs(cells).times
    n = int(times.sum())
    while True:
        yield replace(cells, times=rng.multinomial(n, times / n))


def _without_items(cells: Cells, rng: np.random.Generator, groups: int) -> Iterator[tuple[Cells, int]]:
    """Leave out one of each kind of item, or groups of items if there are many kinds."""
    times = count_pairs(cells).times.astype(np.int64)
    kinds = np.flatnonzero(times)
    if kinds.size <= groups:
        for kind in kinds:
            left = times.copy()
            left[kind] -= 1
            if left.any():
                yield replace(cells, times=left), int(times[kind])
        return
    for group in np.array_split(rng.permutation(np.repeat(kinds, times[kinds])), groups):
        yield replace(cells, times=times - np.bincount(group, minlength=times.size)), 1


def _annotators(votes: Votes | Distributions, values: np.ndarray) -> tuple[int, Callable[[np.ndarray], Cells]]:
    """Return the number of people, and the crowd in which each of them is present this many times, (a,)."""
    if not isinstance(votes, Votes):
        raise ValueError("an interval over annotators needs votes with their annotators, not shares of votes")
    people, who = np.unique(votes.require_annotators("an interval over annotators")[0], return_inverse=True)
    if people.size < 3:
        raise ValueError(f"{people.size} of the annotators gave answers; resampling annotators needs 3 or more who did")
    cell, which = np.unique(votes.item.astype(np.int64) * votes.n_classes + votes.choice, return_inverse=True)
    place, code = cell // votes.n_classes, cell % votes.n_classes
    answer_codes, times = np.unique(which.reshape(-1) * people.size + who.reshape(-1), return_counts=True)
    at, by = answer_codes // people.size, answer_codes % people.size  # (s,) cell and annotator, `times` times
    answers, squared = (csr_array((n, (at, by)), shape=(cell.size, people.size)) for n in (times, times**2))
    left, right = every_two(np.unique(place[at] * people.size + by, return_inverse=True)[1].reshape(-1)).T
    copies = np.column_stack([place[at[left]], code[at[left]], code[at[right]]])  # (q, 3)

    def crowd_of(drawn: np.ndarray) -> Cells:
        # Of the answers that one annotator repeats, those of one draw are compared, those of two draws are not.
        twice = drawn**2 - drawn
        weight = answers @ drawn
        square = squared @ twice + weight
        apart = 2 * twice[by[left]] * times[left] * times[right]
        return Cells(place, code, weight, square, np.ones(votes.n_items), values, copies, apart)

    return int(people.size), crowd_of


def _other_annotators(
    people: int, crowd_of: Callable[[np.ndarray], Cells], rng: np.random.Generator
) -> Iterator[Cells]:
    for _ in range(MOST_DRAWS):
        crowd = crowd_of(rng.multinomial(people, np.full(people, 1 / people)).astype(np.float64))
        # Few annotators may leave a draw in which no two different ones share an item; it is drawn again.
        if (crowd.pairs() > 0.5).any():
            yield crowd


def _without_annotators(
    people: int, crowd_of: Callable[[np.ndarray], Cells], rng: np.random.Generator, groups: int
) -> Iterator[tuple[Cells, int]]:
    for group in np.array_split(rng.permutation(people), min(groups, people)):
        left = np.ones(people)
        left[group] = 0.0
        if ((crowd := crowd_of(left)).pairs() > 0.5).any():
            yield crowd, 1
