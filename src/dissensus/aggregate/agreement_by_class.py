"""Agreement class by class: on which answers people agree, and on which they do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.vote_pairs import (
    Cells,
    Over,
    cells_of,
    count_pairs,
    interval_if_defined,
    resample_cells,
    unseen_items,
    usual_votes,
)
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.intervals import Interval, check_resampling
from dissensus.labels.votes import Votes


@dataclass(frozen=True)
class ClassAgreement:
    """One entry per class; NaN for a class that nobody chose.

    classes   k names
    share     of the votes on items with two or more: how often another vote would be the class by chance
    specific  how often another vote on the item is the class, where one is: 0 to 1
    kappa     specific agreement beyond chance: 1 is full agreement, 0 chance, below 0 is systematic disagreement
    """

    classes: tuple[str, ...]
    share: tuple[float, ...]
    specific: tuple[Interval, ...]
    kappa: tuple[Interval, ...]


@takes(votes=(Votes, Distributions))
def specific_agreement(votes: Votes | Distributions) -> np.ndarray:
    """Compute how often another vote on the same item is for c, given a vote for c.  -> (k,), 0 to 1

        P_c = sum_i n_ic (n_ic - 1) / (m_i - 1)  /  sum_i n_ic,    n_ic votes for c and m_i votes in all on item i

    Every vote counts equally. For two annotators it is 2a / (2a + b + c), the positive specific agreement of Dice.
    Items with fewer than two votes are left out; NaN for a class that nobody chose. Fleiss (1971), Measuring nominal
    scale agreement among many raters; Spitzer and Fleiss (1974), A re-analysis of the reliability of psychiatric
    diagnosis.
    """
    return _specific(cells_of(votes))[0]


@takes(votes=(Votes, Distributions))
def class_kappa(votes: Votes | Distributions) -> np.ndarray:
    """Compute Fleiss' kappa of each class: specific agreement beyond chance.  -> (k,)

        kappa_c = (P_c - p_c) / (1 - p_c),   P_c as in specific_agreement,   p_c = share of all votes for c

    Equal to Fleiss' kappa of "c or not" if all items have equally many votes. By convention 1 if every vote is for c.
    Fleiss (1971).
    """
    return _with_convention(_specific(cells_of(votes)))[1]


@takes(votes=(Votes, Distributions))
def class_agreement(
    votes: Votes | Distributions,
    rng: np.random.Generator,
    *,
    over: Over = "items",
    replicates: int = 1000,
    coverage: float = 0.95,
) -> ClassAgreement:
    """Compute specific agreement and kappa of every class, with bootstrap intervals.

    Intervals are those of `agreement_interval`; the unseen items are items that all answer by the class, and items that
    half of the votes do. A resample without the class has no agreement on it, and one with this class alone no kappa;
    such resamples are left out.

    Parameters
    ----------
    votes : votes, or the distributions of their shares
    rng : random generator of the bootstrap
    over : what is resampled: "items" or "annotators"
    replicates : bootstrap resamples
    coverage : of the interval

    Returns
    -------
    share, specific agreement and kappa of each class

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> [round(each.value, 2) for each in class_agreement(votes, np.random.default_rng(0), replicates=50).specific]
    [0.33, 0.33]
    """
    check_resampling(replicates, coverage)
    cells = cells_of(votes)
    value = _with_convention(_specific(cells))  # (2, k)
    crowds = resample_cells(votes, cells, rng, over, replicates)
    drawn = np.array([_specific(other) for other in crowds.drawn])  # (b, 2, k)
    parts = [(_specific(other), times) for other, times in crowds.without]
    without = np.array([part for part, _ in parts]).reshape(-1, *value.shape)  # (g, 2, k)
    times = np.array([times for _, times in parts])
    unseen = _with_unseen_items(cells, coverage) if over == "items" else np.empty((0, *value.shape))  # (u, 2, k)
    specific, kappa = (
        tuple(
            interval_if_defined(
                value[row, c],
                drawn[:, row, c],
                without[:, row, c],
                times,
                crowds.units,
                unseen[:, row, c],
                coverage,
                least=(0.0, -1.0)[row],
            )
            for c in range(len(votes.classes))
        )
        for row in (0, 1)
    )
    rows = count_pairs(cells)
    return ClassAgreement(votes.classes, tuple((rows.by_code / rows.votes).tolist()), specific, kappa)


def _with_unseen_items(cells: Cells, coverage: float) -> np.ndarray:
    """Compute both measures with more items that answer by the class alone, or by it and another in halves.  (2, 2, k)

    Each class has items of its own.
    """
    rows = count_pairs(cells)
    votes, items = usual_votes(rows), unseen_items(coverage)
    specific, measured = _specific(cells)[0], []
    for chosen in (votes, votes // 2):
        same = specific * rows.by_code + items * chosen * (chosen - 1) / (votes - 1)
        by_code = rows.by_code + items * chosen
        share = by_code / (rows.votes + items * votes)
        measured.append(_with_kappa(same / by_code, share))
    return np.stack(measured)


def _specific(cells: Cells) -> np.ndarray:
    """Compute specific agreement and kappa of each class.  (2, k), kappa NaN if there is only one class"""
    rows = count_pairs(cells)
    met = rows.times * rows.size / rows.pairs  # (r,), so that every vote meets one other on average
    same = np.bincount(
        cells.code, weights=met[cells.place] * (cells.weight**2 - cells.square), minlength=cells.values.size
    )  # (k,)
    specific = np.divide(same, rows.by_code, out=np.full(same.size, np.nan), where=rows.by_code > 0)
    return _with_kappa(specific, rows.by_code / rows.votes)


def _with_kappa(specific: np.ndarray, share: np.ndarray) -> np.ndarray:
    kappa = np.divide(specific - share, 1 - share, out=np.full(specific.size, np.nan), where=share < 1)
    return np.stack([specific, kappa])


def _with_convention(measured: np.ndarray) -> np.ndarray:
    """Set kappa to 1 if every vote is for the class; for the votes themselves, never for a resample.  (2, k)"""
    specific, kappa = measured
    return np.stack([specific, np.where(np.isnan(kappa) & ~np.isnan(specific), 1.0, kappa)])
