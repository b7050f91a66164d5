"""Agreement in words: what a measure says, and what its reader should know about the answers behind it."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.vote_pairs import ENOUGH_TO_RESAMPLE, Cells, Over, paired
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

# Items with a vote outside the commonest class, where one class dominates. With fewer, alpha's intervals are 0.2 to 0.8
# wide, however many items there are.
ENOUGH_ITEMS = 40


def comparable_votes(labels: Labels) -> tuple[Votes | Distributions, tuple[str, ...]]:
    """Labels as votes that can be compared, and what was done to them."""
    if isinstance(labels, Beliefs):
        return labels.first_choices(), ("agreement is that of the first choices of the beliefs",)
    return labels, ()


def one_class_only(by_code: np.ndarray, classes: tuple[str, ...]) -> tuple[str, ...]:
    if np.count_nonzero(by_code) != 1:
        return ()
    only = classes[int(by_code.argmax())]
    return (f"every answer that can be compared is {only!r}: agreement beyond chance is then 1 by convention only",)


def without_variation(drawn: np.ndarray) -> tuple[str, ...]:
    """drawn: (b,) agreement beyond chance in resampled crowds, NaN where all answers are the same"""
    same = np.count_nonzero(np.isnan(drawn))
    if same in (0, drawn.size):  # where it is all of them, there is only one class: see one_class_only
        return ()
    return (
        f"in {same:,} of {drawn.size:,} resampled crowds every answer is the same, so agreement beyond chance is not "
        "defined there: its intervals rest on the others",
    )


def repeated_answers(votes: Votes | Distributions) -> tuple[str, ...]:
    if not isinstance(votes, Votes) or votes.annotator is None or votes.annotators is None:
        return ()
    again = votes.n_answers - np.unique(votes.item.astype(np.int64) * votes.annotators.size + votes.annotator).size
    if not again:
        return ()
    return (f"{again:,} answers repeat an annotator's own to the same item, and are compared with it like any other",)


def few_annotators(votes: Votes | Distributions, over: Over) -> tuple[str, ...]:
    if over != "annotators" or not isinstance(votes, Votes) or votes.annotator is None:
        return ()
    people = np.unique(votes.annotator).size  # those listed may be more
    if people >= ENOUGH_TO_RESAMPLE:
        return ()
    return (
        f"{people} annotators are too few to be resampled: each was left out in turn, which gives wide intervals; "
        f"{ENOUGH_TO_RESAMPLE} or more are enough",
    )


def few_items_apart(cells: Cells, classes: tuple[str, ...], over: Over = "items") -> tuple[str, ...]:
    """Where one class dominates: fewer than half of the items hold a vote outside it, and fewer than ENOUGH_ITEMS."""
    rows = paired(cells)
    common = int(rows.by_code.argmax())
    outside = cells.per_row(cells.weight * (cells.code != common)) > 0  # (r,)
    apart, items = int(rows.times @ outside), int(rows.times.sum())
    if over != "items" or apart == 0 or apart >= ENOUGH_ITEMS or 2 * apart >= items:  # 0: see one_class_only
        return ()
    return (
        f"only {apart} of {items:,} items {'hold' if apart > 1 else 'holds'} an answer other than {classes[common]!r}, "
        "so agreement beyond chance rests on these and has wide intervals",
    )


def reading(measure: str, value: float) -> str:
    """What a measure of AGREEMENTS says, in a sentence."""
    if measure == "observed agreement":
        return f"two people who answer the same item say the same {value:.0%} of the time"
    if measure == "fleiss kappa":
        return f"{_of_the_way(value)}; items count alike, whatever their number of answers"
    apart = {
        "nominal alpha": "disagree {} as often as",
        "ordinal alpha": "differ in rank {} as much (squared) as",
        "interval alpha": "differ in value {} as much (squared) as",
    }[measure]
    return f"people {apart.format(f'{1 - value:.0%}')} answers dealt out at random would; {_verdict(value)}"


def _of_the_way(value: float) -> str:
    if value < 0:
        return "people agree less than chance would make them"
    return f"agreement goes {value:.0%} of the way from chance to full"


def _verdict(value: float) -> str:
    """Krippendorff (2004), Reliability in content analysis: rely on 0.8 and more, be tentative from 0.667."""
    if value >= 0.8:
        return "0.8 or more: the usual bar for relying on single answers"
    if value >= 0.667:
        return "from 0.667 to 0.8: the usual range for tentative conclusions"
    return "below 0.667: one answer does not stand for another, so keep several per item"
