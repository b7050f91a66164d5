"""One label per item: the most probable class, its confidence, and the share of people who chose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import SAME_MASS, Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.frames import pandas_frame, polars_frame
from dissensus.labels.names import item_positions
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes


@dataclass(frozen=True, eq=False)
class ItemLabels:
    """The label of each item.

    items       (n,) names
    classes     k names
    label       (n,) position in `classes`; of classes that tie, the one named first
    confidence  (n,) its probability in the distribution that it comes from: 0 to 1
    tied        (n,) whether another class is as probable
    agreement   (n,) share of the item's answers that are the label; NaN if there are none. None if not known
    answers     (n,) number of answers; None if not known
    """

    items: np.ndarray
    classes: tuple[str, ...]
    label: np.ndarray
    confidence: np.ndarray
    tied: np.ndarray
    agreement: np.ndarray | None
    answers: np.ndarray | None

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("items", "label", "confidence", "tied", "agreement", "answers"):
            hold(self, name, getattr(self, name))

    def least_sure(self) -> np.ndarray:
        """Sort items by lowest confidence, then lowest agreement.  (n,) positions"""
        by_answers = np.zeros(self.items.size) if self.agreement is None else np.nan_to_num(self.agreement, nan=-1.0)
        return np.lexsort((by_answers, self.confidence.round(12)))

    def to_arrow(self) -> pa.Table:
        """Return one row per item: item, label, confidence, tied, and agreement and answers if they are known."""
        return self.as_votes().to_arrow()

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with the columns of `to_arrow`."""
        return pandas_frame(self.to_arrow())

    def to_polars(self) -> Any:
        """Return a polars DataFrame with the columns of `to_arrow`."""
        return polars_frame(self.to_arrow())

    def as_rows(self, items: np.ndarray | None = None) -> list[dict[str, Any]]:
        """Return one record per item, or for some of them in their order; None if there is no agreement."""
        table = self.to_arrow()
        rows: list[dict[str, Any]] = (table if items is None else table.take(pa.array(items))).to_pylist()
        return rows

    def as_votes(self) -> Votes:
        """Return the labels as votes without annotators, with the numbers as extra columns, as files hold them."""
        columns: dict[str, Any] = {"confidence": self.confidence, "tied": self.tied}
        if self.agreement is not None and self.answers is not None:
            columns |= {"agreement": pa.array(self.agreement, from_pandas=True), "answers": self.answers}
        return Votes(
            item=np.arange(self.items.size),
            items=self.items,
            choice=self.label,
            classes=self.classes,
            extra=pa.table(columns),
        )


@takes(distributions=Distributions, labels=ANY_LABELS)
def item_labels(distributions: Distributions, labels: Labels | None = None) -> ItemLabels:
    """Choose the most probable class of each item, with its probability and the share of people who chose it.

        label_i = argmax_k p_ik,   confidence_i = max_k p_ik,   agreement_i = answers for label_i / answers to item i

    Confidence is as well calibrated as the method behind the distributions: the share of votes is the agreement itself,
    and models of annotators tend to be overconfident.

    Parameters
    ----------
    distributions : one per item
    labels : what people said about these items, for the agreement: votes, first choices of beliefs, or counts. By
        default the counts behind the distributions, if these are shares of votes

    Returns
    -------
    label, confidence, ties, agreement and number of answers per item

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> from dissensus import share
    >>> item_labels(share(votes)).as_rows()[0]["label"]
    'cat'
    """
    probs = distributions.probs
    top = probs.max(axis=1)
    label = distributions.argmax()  # the first of those that tie
    tied = (probs >= top[:, None] - SAME_MASS).sum(axis=1) > 1
    counts = _counts(distributions, labels)
    agreement = answers = None
    if counts is not None:
        answers = counts.sum(axis=1)
        chosen = counts[np.arange(label.size), label]
        agreement = np.divide(chosen, answers, out=np.full(label.size, np.nan), where=answers > 0)
    return ItemLabels(distributions.items, distributions.classes, label, top, tied, agreement, answers)


def _counts(distributions: Distributions, labels: Labels | None) -> np.ndarray | None:
    """Return the answers by class for each item of the distributions.  (n, k), or None if they are not known"""
    answers: Votes | Distributions
    if labels is None or isinstance(labels, Distributions):
        answers = distributions if labels is None else labels
        if answers.votes is None:
            return None
    else:
        answers = labels.first_choices() if isinstance(labels, Beliefs) else labels
    where = item_positions(distributions.items, answers.items)
    missing = np.flatnonzero(where < 0)
    if missing.size:
        raise ValueError(
            f"item {distributions.items[missing[0]]} has a distribution but is not among the labels; {missing.size} of "
            f"{where.size} items are not: give the labels that the distributions were made of"
        )
    if answers.classes != distributions.classes:
        raise ValueError(
            f"the distributions are over {list(distributions.classes)}, the labels over {list(answers.classes)}; "
            "expected the same classes in the same order"
        )
    return answers.counts()[where]
