"""Agreement in words: the meaning of each measure, and what a reader should know about the answers behind it."""

from __future__ import annotations

import numpy as np

from dissensus.aggregate.vote_pairs import ENOUGH_TO_RESAMPLE, Cells, Over, count_pairs
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

# Items with a vote outside the most common class, if one class dominates. With fewer, alpha's intervals are 0.2 to 0.8
# wide for any number of items.
ENOUGH_ITEMS = 40
TENTATIVE = 0.667  # alpha below which even tentative conclusions need several answers per item


def comparable_votes(labels: Labels) -> tuple[Votes | Distributions, tuple[str, ...]]:
    """Labels as votes that can be compared, and notices of their conversion."""
    if isinstance(labels, Beliefs):
        return labels.first_choices(), ("agreement is that of the first choices of the beliefs",)
    return labels, ()


def one_class_only(by_code: np.ndarray, classes: tuple[str, ...]) -> tuple[str, ...]:
    if np.count_nonzero(by_code) != 1:
        return ()
    only = classes[int(by_code.argmax())]
    return (f"every answer that can be compared is {only!r}: agreement beyond chance is then 1 by convention only",)


def without_variation(drawn: np.ndarray) -> tuple[str, ...]:
    """drawn: (b,) agreement beyond chance in bootstrap resamples, NaN if all answers are the same"""
    same = np.count_nonzero(np.isnan(drawn))
    if same in (0, drawn.size):  # all of them: there is only one class, see one_class_only
        return ()
    return (
        f"in {same:,} of {drawn.size:,} bootstrap resamples all answers are the same, so agreement beyond chance is "
        "undefined there; the intervals come from the other resamples",
    )


def repeated_answers(votes: Votes | Distributions) -> tuple[str, ...]:
    if not isinstance(votes, Votes) or votes.annotator is None or votes.annotators is None:
        return ()
    again = votes.n_answers - np.unique(votes.item.astype(np.int64) * votes.annotators.size + votes.annotator).size
    if not again:
        return ()
    return (f"{again:,} answers repeat an annotator's own answer to the same item and count like any other answer",)


def few_annotators(votes: Votes | Distributions, over: Over) -> tuple[str, ...]:
    if over != "annotators" or not isinstance(votes, Votes) or votes.annotator is None:
        return ()
    people = np.unique(votes.annotator).size  # those listed may be more
    if people >= ENOUGH_TO_RESAMPLE:
        return ()
    return (
        f"{people} annotators are too few to resample, so the intervals are jackknife intervals, which are wide; "
        f"{ENOUGH_TO_RESAMPLE} or more annotators are enough",
    )


def few_items_apart(cells: Cells, classes: tuple[str, ...], over: Over = "items") -> tuple[str, ...]:
    """One class dominates: fewer than half of the items have a vote outside it, and fewer than ENOUGH_ITEMS."""
    rows = count_pairs(cells)
    common = int(rows.by_code.argmax())
    outside = cells.per_row(cells.weight * (cells.code != common)) > 0  # (r,)
    apart, items = int(rows.times @ outside), int(rows.times.sum())
    if over != "items" or apart == 0 or apart >= ENOUGH_ITEMS or 2 * apart >= items:  # 0: see one_class_only
        return ()
    return (
        f"only {apart} of {items:,} items {'have' if apart > 1 else 'has'} an answer other than {classes[common]!r}, "
        "so agreement beyond chance depends on these and has wide intervals",
    )


def word_agreement(measure: str, value: float) -> str:
    """Say what a measure of AGREEMENTS means, without a full stop."""
    if measure == "observed agreement":
        return f"two people who answer the same item say the same {value:.0%} of the time"
    if measure == "fleiss kappa":
        return f"{_beyond_chance(value)}; each item has the same weight, whatever its number of answers"
    apart = {
        "nominal alpha": "disagree {} as often as",
        "ordinal alpha": "differ in rank {} as much (squared) as",
        "interval alpha": "differ in value {} as much (squared) as",
    }[measure]
    return f"people {apart.format(f'{1 - value:.0%}')} randomly assigned answers would; alpha is {judge_alpha(value)}"


def _beyond_chance(value: float) -> str:
    if value < 0:
        return "people agree less often than by chance"
    return f"agreement is {value:.0%} of the way from chance to perfect"


def judge_alpha(value: float) -> str:
    """Compare alpha with the usual thresholds.

    Krippendorff (2004), Reliability in content analysis: rely on 0.8 and more, be tentative from 0.667.
    """
    if value >= 0.8:
        return "at least 0.8, the usual threshold for relying on single answers"
    if value >= TENTATIVE:
        return f"between {TENTATIVE} and 0.8, the usual range for tentative conclusions"
    return f"below {TENTATIVE}: single answers are unreliable, so keep several per item"
