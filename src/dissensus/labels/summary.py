"""Summary of a set of labels: its size, its annotators, and how much people disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, is_completable, usual_completion
from dissensus.labels.display import list_classes
from dissensus.labels.distances import normalised_entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.others import agreement_and_compared
from dissensus.labels.shares import Labels, as_distributions
from dissensus.labels.votes import Votes

RANKED_FROM = 5  # comparable answers; an annotator with fewer may agree with nobody by chance alone
SAME_ENTROPY = 9  # decimals to which equal entropies come out equal, whatever the order of the classes


@dataclass(frozen=True, repr=False)
class Summary:
    """The facts `describe` prints; entropies are normalised by log k, so 0 is consensus and 1 an even split.

    per_item     (n,) answers of each item, or None if not known
    entropy      (n,) of each item's distribution
    top_two      (n,) mass on its two largest classes
    shares       (k,) mean distribution over items
    annotator    one row per annotator: answers, how many of them others answered too (compared), agreement with the
                 others, median seconds; or None
    within       (m,) entropy inside each completed belief; None for votes and distributions
    first        (n,) entropy of the first choices; None for votes and distributions
    unanswered   items without an answer
    incomplete   answers that could not be completed and are left out
    """

    kind: str
    distributions: Distributions
    answers: int | None
    per_item: np.ndarray | None
    entropy: np.ndarray
    top_two: np.ndarray
    shares: np.ndarray
    unanswered: int
    incomplete: int
    annotators: np.ndarray | None
    annotator_answers: np.ndarray | None
    annotator_compared: np.ndarray | None
    annotator_agreement: np.ndarray | None
    annotator_seconds: np.ndarray | None
    median_seconds: float | None
    within: np.ndarray | None
    first: np.ndarray | None

    def most_disputed(self, count: int) -> np.ndarray:
        """The items with the highest entropy, most disputed first, those alike in their order.  (count,) positions"""
        return np.argsort(-self.entropy.round(SAME_ENTROPY), kind="stable")[:count]

    def count_ties(self, count: int) -> int:
        """Count further items that are exactly as disputed as the last of `most_disputed(count)`."""
        last = self.most_disputed(count)[-1:]
        alike = self.entropy.round(SAME_ENTROPY) >= self.entropy[last].round(SAME_ENTROPY)
        return max(int(alike.sum()) - count, 0) if last.size else 0

    def rank_annotators(self, at_least: int = RANKED_FROM) -> np.ndarray:
        """Annotators with at least this many comparable answers, least agreement first.  positions"""
        if self.annotator_compared is None or self.annotator_agreement is None:
            return np.empty(0, dtype=np.int64)
        enough = np.flatnonzero(self.annotator_compared >= max(at_least, 1))
        return enough[np.argsort(self.annotator_agreement[enough], kind="stable")]

    def between_people(self) -> np.ndarray:
        """When one person answers a for an item, how often another answers b: rows a, columns b.  (k, k)

            C_ab = sum_i p_ia o_ib / sum_i p_ia,   o = the item's other answers where they can be told apart

        From votes the own vote is taken out of o; from beliefs and predictions it cannot be, and o = p.
        0 in the row of a class nobody answered.
        """
        p = self.distributions.probs
        pairs = p.T @ p  # (k, k)
        if self.kind == "votes" and self.per_item is not None:
            many = self.per_item > 1
            votes = self.per_item[many, None]
            own = p[many]
            pairs = own.T @ (own * votes / (votes - 1)) - np.diag((own / (votes - 1)).sum(axis=0))
        total = pairs.sum(axis=1, keepdims=True)
        return np.divide(pairs, total, out=np.zeros_like(pairs), where=total > 0)

    def headline(self) -> list[tuple[str, str]]:
        """Sizes of the set: names and numbers as text."""
        facts = [("items", f"{self.distributions.n_items:,}")]
        if self.answers is not None:
            facts.insert(0, ("answers", f"{self.answers:,}"))
        if self.annotators is not None:
            facts.append(("annotators", f"{self.annotators.size:,}"))
        facts.append(("classes", f"{self.distributions.n_classes:,}"))
        if self.per_item is not None and self.per_item.size:
            low, mean, high = self.per_item.min(), self.per_item.mean(), self.per_item.max()
            several = ("per item (min / mean / max)", f"{low} / {mean:.2f} / {high}")
            facts.append(("per item", f"{low}") if low == high else several)
        return facts

    def disagreement(self) -> str:
        """How much people disagree, in one line."""
        if not self.entropy.size:
            return "no item has an answer"
        text = f"mean entropy {self.entropy.mean():.3f} ± {self.entropy.std():.3f} of 1"
        if self.distributions.n_classes > 2:
            text += f", {self.top_two.mean():.1%} of the mass on each item's two largest classes"
        if self.unanswered:
            text += f", {self.unanswered:,} items without answers"
        if self.incomplete:
            text += f", {self.incomplete:,} answers left out because they cannot be completed"
        return text

    def __repr__(self) -> str:
        facts = " · ".join(f"{value} {name}" for name, value in self.headline())
        classes = list_classes(self.distributions.classes)
        return f"Summary of {self.kind}: {facts}\n  classes: {classes}\n  {self.disagreement()}"

    def as_json(self, disputed: int = 10) -> dict[str, Any]:
        if not self.entropy.size:
            raise ValueError("no item has an answer, so there is nothing to describe")
        facts: dict[str, Any] = {
            "kind": self.kind,
            "items": self.distributions.n_items,
            "annotators": None if self.annotators is None else int(self.annotators.size),
            "answers": self.answers,
            "classes": list(self.distributions.classes),
            "answers_per_item": None
            if self.per_item is None
            else {
                "min": int(self.per_item.min()),
                "mean": float(self.per_item.mean()),
                "max": int(self.per_item.max()),
            },
            "entropy": {"mean": float(self.entropy.mean()), "sd": float(self.entropy.std())},
            "top_two_mass": {"mean": float(self.top_two.mean())},
            "class_share": {name: float(p) for name, p in zip(self.distributions.classes, self.shares, strict=True)},
            "items_without_answers": self.unanswered,
            "answers_not_completed": self.incomplete,
            "median_seconds": self.median_seconds,
            "most_disputed": [
                {
                    "item": self.distributions.items[i].item()
                    if hasattr(self.distributions.items[i], "item")
                    else self.distributions.items[i],
                    "entropy": float(self.entropy[i]),
                    "distribution": self.distributions.probs[i].tolist(),
                }
                for i in self.most_disputed(disputed)
            ],
            "equally_disputed_not_listed": self.count_ties(disputed),
        }
        if self.within is not None and self.first is not None:
            facts["entropy_of_first_choices"] = {"mean": float(self.first.mean()), "sd": float(self.first.std())}
            facts["entropy_within_answers"] = {"mean": float(self.within.mean()), "sd": float(self.within.std())}
        if self.annotator_answers is not None and self.annotator_agreement is not None:
            ranked = self.rank_annotators()
            agreement = self.annotator_agreement[ranked]
            facts["per_annotator"] = {
                "answers": _range_and_middle(self.annotator_answers),
                "agreement_with_others": _range_and_middle(agreement) if agreement.size else None,
                "with_too_few_answers": int(self.annotator_answers.size - ranked.size),
            }
        return facts


@takes(labels=ANY_LABELS)
def summarise(labels: Labels, *, annotators: bool = True) -> Summary:
    """Summarise any labels: how many, by whom, and how much people disagree.

    Beliefs are completed first: as they are if dense, otherwise top two with clamp and gamma 0.1 (Collins 2022).
    Answers that cannot be completed (a first choice without a probability) are counted in `incomplete` and left out.
    Items without an answer are counted but have no entropy.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    annotators : bool
        Whether to compare the annotators, which takes longest.

    Returns
    -------
    Summary

    Examples
    --------
    >>> summarise(Votes.of(["a", "a", "b"], ["cat", "dog", "cat"])).entropy.round(3)
    array([1., 0.])
    """
    within = first = None
    incomplete = 0
    if isinstance(labels, Votes):
        votes: Votes | None = labels
        distributions = as_distributions(labels, unanswered="leave out")
    elif isinstance(labels, Beliefs):
        votes = labels.first_choices()
        fine = is_completable(labels)
        incomplete = int((~fine).sum())
        labels = labels if fine.all() else labels.select(answers=fine)
        full = COMPLETIONS[usual_completion(labels)](labels)
        within = normalised_entropy(full.stated)
        first = normalised_entropy(as_distributions(votes, unanswered="leave out").probs)
        distributions = as_distributions(full, unanswered="leave out")
    else:
        votes, distributions = None, labels
    per_item = distributions.votes if isinstance(labels, Distributions) else labels.per_item[labels.per_item > 0]
    largest = np.sort(distributions.probs, axis=1)[:, -2:]
    identified = annotators and votes is not None and votes.annotator is not None
    agreement, compared = agreement_and_compared(votes) if votes is not None and identified else (None, None)
    seconds = None if isinstance(labels, Distributions) else labels.seconds
    timed = seconds is not None and not np.isnan(seconds).all()
    return Summary(
        kind=type(labels).__name__.lower(),
        distributions=distributions,
        answers=None if per_item is None else int(per_item.sum()),
        per_item=per_item,
        entropy=normalised_entropy(distributions.probs),
        top_two=largest.sum(axis=1),
        shares=distributions.probs.sum(axis=0) / max(distributions.n_items, 1),
        unanswered=labels.n_items - distributions.n_items,
        incomplete=incomplete,
        annotators=votes.annotators if votes is not None else None,
        annotator_answers=votes.per_annotator if votes is not None and identified else None,
        annotator_compared=compared,
        annotator_agreement=agreement,
        annotator_seconds=median_seconds(labels) if timed and identified else None,
        median_seconds=float(np.nanmedian(seconds)) if timed and seconds is not None else None,
        within=within,
        first=first,
    )


def median_seconds(answers: Any) -> np.ndarray:
    """The median time of each annotator's answers; NaN if none was timed.  (a,)"""
    annotator, annotators = answers.require_annotators("time per annotator")
    if answers.seconds is None:
        raise ValueError("these answers carry no times; read them with a seconds column")
    order = np.lexsort((answers.seconds, annotator))
    order = order[~np.isnan(answers.seconds[order])]
    count = np.bincount(annotator[order], minlength=annotators.size)
    start = np.cumsum(count) - count
    ordered = np.append(answers.seconds[order], np.nan)  # the last place stands for annotators without a time
    low = np.where(count > 0, start + (count - 1) // 2, -1)
    high = np.where(count > 0, start + count // 2, -1)
    return (ordered[low] + ordered[high]) / 2


def _range_and_middle(values: np.ndarray) -> dict[str, float]:
    return {
        "min": float(values.min()),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
        "max": float(values.max()),
    }
