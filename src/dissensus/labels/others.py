"""Answers of other people to the same item: all but the annotator, however often the annotator answered it."""

from __future__ import annotations

import numpy as np

from dissensus.labels.doors import takes
from dissensus.labels.votes import Votes


@takes(votes=Votes)
def agreement_with_others(votes: Votes) -> np.ndarray:
    """How often a random vote of another person on the same item is the annotator's own; NaN without any.  (a,)

    mean over the annotator's votes of  others' votes for the chosen class / others' votes on the item
    """
    return agreement_and_compared(votes)[0]


@takes(votes=Votes)
def count_compared_answers(votes: Votes) -> np.ndarray:
    """How many of each annotator's answers are to items that others answered too, and so can be compared.  (a,)"""
    return agreement_and_compared(votes)[1]


def agreement_and_compared(votes: Votes) -> tuple[np.ndarray, np.ndarray]:
    """Both of the above from one pass.  (a,), (a,)"""
    annotator, annotators = votes.require_annotators("agreement with others")
    same, others = count_others(votes, np.arange(votes.n_answers), votes.choice)
    shared = others > 0
    total = np.bincount(annotator[shared], weights=same[shared] / others[shared], minlength=annotators.size)
    count = np.bincount(annotator[shared], minlength=annotators.size)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan), count


def count_others(votes: Votes, answers: np.ndarray, choices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the answers of others to the item of an answer: those with this class, and all of them.

    The others are all answers to the item but those of the annotator, who may have answered it several times. If the
    annotator is unknown, they are all but the answer itself.

    answers, choices: (r,) positions of answers, and a class for each -> (r,), (r,)
    """
    item = votes.item.astype(np.int64)[answers]
    own_same, own = _count_own(votes, answers, choices)
    return votes.counts()[item, choices] - own_same, votes.per_item[item] - own


def _count_own(votes: Votes, answers: np.ndarray, choices: np.ndarray) -> tuple[np.ndarray, np.ndarray | int]:
    """How often the annotator of an answer chose this class for its item, and answered it at all.  (r,), (r,) or 1"""
    once = (votes.choice[answers] == choices).astype(np.int64), 1
    if votes.annotator is None:
        return once
    pair = votes.item.astype(np.int64) * (int(votes.annotator.max(initial=0)) + 1) + votes.annotator
    ordered = np.sort(pair, kind="stable")
    if not (ordered[1:] == ordered[:-1]).any():  # nearly always, and much sooner known than counted
        return once
    own = np.unique(pair, return_inverse=True)[1].reshape(-1)  # (m,) which answers are to one item by one person
    cells, repeats = np.unique(own * votes.n_classes + votes.choice, return_counts=True)
    wanted = own[answers] * votes.n_classes + choices
    place = np.minimum(np.searchsorted(cells, wanted), cells.size - 1)
    return np.where(cells[place] == wanted, repeats[place], 0), np.bincount(own)[own[answers]]
