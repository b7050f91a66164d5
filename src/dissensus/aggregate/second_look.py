"""Items with the least certain labels, and answers that are least likely to be right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.aggregate.consensus import ItemLabels, item_labels
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.others import count_others
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes


@dataclass(frozen=True, eq=False)
class Review:
    """The result of `review`.

    items    the label of each item, with its confidence; `items.least_sure()` ranks them
    votes    the answers, as votes
    quality  (m,) how likely each answer is right: 0 to 1
    method   the name of the method behind both
    notices  conversions of the labels
    """

    items: ItemLabels
    votes: Votes
    quality: np.ndarray
    method: str
    notices: tuple[str, ...]

    __repr__ = shapes

    def __post_init__(self) -> None:
        hold(self, "quality", self.quality)

    def least_likely(self) -> np.ndarray:
        """Sort answers by lowest quality, then by how many others contradict them.  (m,) positions"""
        same, others = self.same_and_others()
        return np.lexsort((same / np.maximum(others, 1), self.quality))

    def ranked_votes(self) -> Votes:
        """Return the answers in that order, with quality, consensus, confidence, others and others_same.

        consensus and confidence are the item's label; others is how many answers other people gave to the item,
        others_same how many of them are the same.
        """
        order = self.least_likely()
        same, others = self.same_and_others()
        item = self.votes.item[order]
        names = np.array(self.items.classes, dtype=object)
        columns = pa.table(
            {
                "quality": self.quality[order],
                "consensus": pa.array(names[self.items.label[item]], pa.string()),
                "confidence": self.items.confidence[item],
                "others": others[order],
                "others_same": same[order],
            }
        )
        return replace(replace(self.votes, extra=None).select(answers=order), extra=columns)

    def ranked_items(self) -> Votes:
        """Return the labels of the items, lowest confidence first: see ItemLabels.as_votes."""
        return self.items.as_votes().select(answers=self.items.least_sure())

    def as_json(self, count: int) -> dict[str, Any]:
        """Return the first `count` of both lists."""
        return {
            "method": self.method,
            "items": self.items.as_rows(self.items.least_sure()[:count]),
            "votes": self.ranked_votes().to_arrow().slice(0, count).to_pylist(),
            "notices": list(self.notices),
        }

    def same_and_others(self) -> tuple[np.ndarray, np.ndarray]:
        """Count the answers of others to the item that are the same as this one, and all of them.  (m,), (m,)"""
        return count_others(self.votes, np.arange(self.votes.n_answers), self.votes.choice)


@takes(labels=ANY_LABELS)
def review(labels: Labels, method: str | None = None, **options: Any) -> Review:
    """Rank items and answers by how much they deserve a second look.

        quality of an answer c to item i by annotator j = P(class of i is c | all answers to i, reliability of people)
        quality of an item                              = P(class of i is its label), the confidence

    Under Dawid-Skene, with confusion_jtc the probability that annotator j answers c if the class is t,

        P(c | all answers)  ~  P(c | the others' answers) * confusion_jcc

    so an answer ranks low if the others make its class unlikely, and lower if its annotator is unreliable. This is the
    self-confidence of Northcutt, Jiang, Chuang (2021), Confident learning, with people in place of a model. A different
    view looks the same as a mistake, so the ranking shows where to look, not what is wrong.

    Parameters
    ----------
    labels : votes, beliefs or distributions with their number of votes
    method : a name of AGGREGATIONS; by default dawid-skene, or shrinkage if the annotators are not known
    options : those of the method

    Returns
    -------
    the label of each item, the quality of each vote and notices

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> review(votes).items.as_rows()[0]["label"]
    'cat'
    """
    votes, notices = _votes(labels)
    if method is None:
        method = "dawid-skene" if votes.annotator is not None else "shrinkage"
        if method == "shrinkage":
            notices += ("the annotators are not known, so all count as equally reliable (shrinkage)",)
    result = aggregate_labels(votes, method, **options)
    distributions = result.distributions
    return Review(
        item_labels(distributions, votes),
        votes,
        distributions.probs[votes.item, votes.choice],
        method,
        (*notices, *result.notices),
    )


def _votes(labels: Labels) -> tuple[Votes, tuple[str, ...]]:
    if isinstance(labels, Beliefs):
        return labels.first_choices(), ("beliefs are reviewed by their first choices",)
    if isinstance(labels, Distributions):
        return Votes.of_counts(labels), ()
    return labels, ()
