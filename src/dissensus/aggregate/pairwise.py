"""Pairwise agreement: how alike two annotators answer the items both have seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.doors import takes
from dissensus.labels.votes import Votes

BLOCK = 5_000_000  # entries of a table of pairs held at once


@dataclass(frozen=True, eq=False)
class PairwiseAgreement:
    """The p pairs of annotators who share an item, first before second; pairs that share none are absent.

    annotators     (a,) names
    first, second  (p,) positions in `annotators`
    shared         (p,) items both answered; pairs of votes where someone answered twice
    agreement      (p,) share of them with the same class: 0 to 1
    kappa          (p,) Cohen's: agreement beyond what the two annotators' own class shares would give; 1 is full
                   agreement, 0 chance. 1 where both only ever used one and the same class, which is 0/0 by formula
    """

    annotators: np.ndarray
    first: np.ndarray
    second: np.ndarray
    shared: np.ndarray
    agreement: np.ndarray
    kappa: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("annotators", "first", "second", "shared", "agreement", "kappa"):
            hold(self, name, np.asarray(getattr(self, name)))


@takes(votes=Votes)
def pairwise_agreement(votes: Votes) -> PairwiseAgreement:
    """Compute raw agreement and Cohen's kappa of every two annotators who share an item.

        kappa = (P - P_e) / (1 - P_e),   P_e = sum_c share of c in the first's votes * share of c in the second's

    with all shares over the items that both answered. Memory grows with the pairs that share an item. Cohen (1960), A
    coefficient of agreement for nominal scales.

    Parameters
    ----------
    votes : votes with their annotators

    Returns
    -------
    the pairs with their shared items, agreement and kappa

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> pairwise_agreement(votes).agreement.tolist()
    [1.0, 0.0, 0.0]
    """
    who, annotators = votes.require_annotators("pairwise agreement")
    answered = _items_by_annotators(votes, who, annotators.size, np.ones(votes.n_answers, dtype=bool))
    by_class = [_items_by_annotators(votes, who, annotators.size, votes.choice == c) for c in range(votes.n_classes)]
    step = max(1, BLOCK // max(annotators.size, 1))
    parts = [
        _block(answered, by_class, slice(start, min(start + step, annotators.size)))
        for start in range(0, annotators.size, step)
    ]
    first, second, shared, agreement, kappa = (np.concatenate(column) for column in zip(*parts, strict=True))
    return PairwiseAgreement(annotators, first, second, shared, agreement, kappa)


def _items_by_annotators(votes: Votes, who: np.ndarray, size: int, chosen: np.ndarray) -> csc_array:
    ones = np.ones(np.count_nonzero(chosen))
    return csc_array((ones, (votes.item[chosen], who[chosen])), shape=(votes.n_items, size))


def _block(answered: csc_array, by_class: list[csc_array], block: slice) -> tuple[np.ndarray, ...]:
    """The pairs whose first annotator is in the block: first, second, shared, agreement, kappa, each (p,)"""
    met = (answered[:, block].T @ answered).toarray()  # (b, a)
    row, second = np.nonzero(met)
    later = second > row + block.start
    row, second = row[later], second[later]
    shared = met[row, second]
    same, chance = np.zeros(shared.size), np.zeros(shared.size)
    for votes_for in by_class:
        mine, theirs = votes_for[:, block].T, answered[:, block].T
        same += (mine @ votes_for).toarray()[row, second]
        chance += (mine @ answered).toarray()[row, second] * (theirs @ votes_for).toarray()[row, second]
    agreement, chance = same / shared, chance / shared**2
    kappa = np.divide(agreement - chance, 1 - chance, out=np.ones(shared.size), where=chance < 1 - 1e-12)
    return row + block.start, second, shared.astype(np.int64), agreement, kappa
