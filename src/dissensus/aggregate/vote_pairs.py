"""Votes as cells of equal answers, so that agreement needs no list of pairs; and resampled crowds like them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal, get_args

import numpy as np
from scipy.sparse import csr_array

from dissensus.aggregate.priors.dirichlet_mixture import distinct_rows
from dissensus.labels.answers import hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.intervals import Interval, percentile_interval
from dissensus.labels.votes import Votes

Over = Literal["items", "annotators"]
MOST_DRAWS = 1_000_000  # of annotators, before giving up on finding two who share an item


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


def paired(cells: Cells) -> Pairs:
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


def resampled_cells(
    votes: Votes | Distributions, cells: Cells, rng: np.random.Generator, over: Over, replicates: int
) -> Iterator[Cells]:
    """Crowds like this one, with other items or with other annotators; `cells` are those of the votes."""
    if over not in get_args(Over):
        raise ValueError(f"no resampling over {over!r}; there are items and annotators")
    others = _other_items(cells, rng) if over == "items" else _other_annotators(votes, cells.values, rng)
    return islice(others, replicates)


def every_two(item: np.ndarray) -> np.ndarray:
    """Every two answers about one item, once.  (m,) codes -> (p, 2) positions"""
    order = np.argsort(item, kind="stable")
    size = np.bincount(item)[item[order]]  # (m,) of the item of each answer in order
    start = np.searchsorted(item[order], item[order])
    later = start + size - 1 - np.arange(order.size)  # answers about the same item that come after this one
    left = np.repeat(np.arange(order.size), later)
    step = np.arange(left.size) - np.repeat(np.cumsum(later) - later, later) + 1
    return np.column_stack([order[left], order[left + step]])


def defined_interval(value: float, drawn: np.ndarray, coverage: float) -> Interval:
    """A measure with its interval from the resampled crowds in which it is defined; NaN where fewer than two are.

    drawn: (b,) NaN where it is not
    """
    known = drawn[~np.isnan(drawn)]
    if np.isnan(value) or known.size < 2:
        return Interval(float(value), np.nan, np.nan, np.nan, coverage)
    return percentile_interval(value, known, coverage)


def _other_items(cells: Cells, rng: np.random.Generator) -> Iterator[Cells]:
    """Resampled items, of those with votes to compare; items with the same votes are interchangeable."""
    times = paired(cells).times
    n = int(times.sum())
    while True:
        yield replace(cells, times=rng.multinomial(n, times / n))


def _other_annotators(votes: Votes | Distributions, values: np.ndarray, rng: np.random.Generator) -> Iterator[Cells]:
    if not isinstance(votes, Votes):
        raise ValueError("an interval over annotators needs votes with their annotators, not shares of votes")
    people, who = np.unique(votes.identified("an interval over annotators")[0], return_inverse=True)
    if people.size < 3:
        raise ValueError(f"{people.size} of the annotators gave answers; resampling annotators needs 3 or more who did")
    cell, which = np.unique(votes.item.astype(np.int64) * votes.n_classes + votes.choice, return_inverse=True)
    place, code = cell // votes.n_classes, cell % votes.n_classes
    said, times = np.unique(which.reshape(-1) * people.size + who.reshape(-1), return_counts=True)
    at, by = said // people.size, said % people.size  # (s,) cell and annotator: who said what, `times` times
    answers, squared = (csr_array((n, (at, by)), shape=(cell.size, people.size)) for n in (times, times**2))
    left, right = every_two(np.unique(place[at] * people.size + by, return_inverse=True)[1].reshape(-1)).T
    copies = np.column_stack([place[at[left]], code[at[left]], code[at[right]]])  # (q, 3)
    for _ in range(MOST_DRAWS):
        drawn = rng.multinomial(people.size, np.full(people.size, 1 / people.size)).astype(np.float64)  # (a,)
        # Of the answers that one annotator repeats, those of one draw are compared, those of two draws are not.
        twice = drawn**2 - drawn
        weight = answers @ drawn
        square = squared @ twice + weight
        apart = 2 * twice[by[left]] * times[left] * times[right]
        crowd = Cells(place, code, weight, square, np.ones(votes.n_items), values, copies, apart)
        # Few annotators may leave a draw in which no two different ones share an item; it is drawn again.
        if (crowd.pairs() > 0.5).any():
            yield crowd
