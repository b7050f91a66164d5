"""One row per annotator: number of answers, skill, agreement, bias, time and confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.aggregate.models.dawid_skene import dawid_skene
from dissensus.labels.as_json import as_json
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.doors import takes
from dissensus.labels.others import agreement_and_compared, count_others
from dissensus.labels.summary import RANKED_FROM, median_seconds
from dissensus.labels.votes import Votes


@dataclass(frozen=True, repr=False)
class AnnotatorReport:
    """One entry per annotator; NaN if unknown.

    annotators     (a,) names
    answers        (a,)
    compared       (a,) answers to items that others answered too
    skill          (a,) probability of a right answer under Dawid-Skene, averaged over the classes as they occur
    agreement      (a,) how often a random other vote on the same item is the same
    bias           (a, k) share of the annotator's answers on a class minus what the consensus expects of their items;
                   rows sum to 0, so a positive entry is a class they lean to
    seconds        (a,) median time of an answer
    overconfidence (a,) mean stated probability of the first choice minus the share of the others who chose it;
                   None for votes, which state nothing
    """

    classes: tuple[str, ...]
    annotators: np.ndarray
    answers: np.ndarray
    compared: np.ndarray
    skill: np.ndarray
    agreement: np.ndarray
    bias: np.ndarray
    seconds: np.ndarray
    overconfidence: np.ndarray | None

    def __repr__(self) -> str:
        return f"AnnotatorReport: {self.annotators.size:,} annotators · {len(self.classes)} classes"

    def leaning(self, a: int) -> tuple[str, float]:
        """Return the class that an annotator prefers most, and by how much."""
        code = int(self.bias[a].argmax())
        return self.classes[code], float(self.bias[a, code])

    def rank(self, at_least: int = RANKED_FROM) -> np.ndarray:
        """Sort annotators with at least this many comparable answers by skill, lowest first.  positions"""
        enough = np.flatnonzero(self.compared >= max(at_least, 1))
        return enough[np.argsort(self.skill[enough], kind="stable")]

    def as_rows(self) -> list[dict[str, Any]]:
        """Return one record per annotator; None for what is not known."""
        rows = []
        ranked = np.isin(np.arange(self.annotators.size), self.rank())
        for a in range(self.annotators.size):
            lean, amount = self.leaning(a)
            row = {
                "annotator": self.annotators[a],
                "answers": int(self.answers[a]),
                "skill": as_json(self.skill[a]),
                "agreement": as_json(self.agreement[a]),
                "leans_to": lean,
                "bias": amount,
                "seconds": as_json(self.seconds[a]),
                "ranked": bool(ranked[a]),
            }
            if self.overconfidence is not None:
                row["overconfidence"] = as_json(self.overconfidence[a])
            rows.append(row)
        return rows


@takes(answers=(Votes, Beliefs))
def annotator_report(answers: Votes | Beliefs) -> AnnotatorReport:
    """Describe annotators by their answers, with the consensus of Dawid-Skene as the reference.

    Beliefs are judged by their first choices, and their stated probabilities as overconfidence. Low skill or agreement
    can mean carelessness or a different view; the numbers cannot distinguish the two.

    Parameters
    ----------
    answers : votes or beliefs with their annotators

    Returns
    -------
    answers, skill, agreement, bias, median seconds and overconfidence per annotator

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> annotator_report(votes).agreement.tolist()
    [0.5, 0.5, 0.0]
    """
    _, annotators = answers.require_annotators("an annotator report")
    votes = answers if isinstance(answers, Votes) else answers.first_choices()
    fit = dawid_skene(votes)
    right = np.diagonal(fit.confusion, axis1=1, axis2=2)  # (a, k)
    agreement, compared = agreement_and_compared(votes)
    timed = answers.seconds is not None
    return AnnotatorReport(
        classes=answers.classes,
        annotators=annotators,
        answers=answers.per_annotator,
        compared=compared,
        skill=right @ fit.class_prior,
        agreement=agreement,
        bias=_bias(votes, fit.distributions.probs),
        seconds=median_seconds(answers) if timed else np.full(annotators.size, np.nan),
        overconfidence=_overconfidence(answers, votes) if isinstance(answers, Beliefs) else None,
    )


def _bias(votes: Votes, consensus: np.ndarray) -> np.ndarray:
    """Subtract the expected from the chosen share, per annotator and class.  (a, k)"""
    who, annotators = votes.require_annotators("bias")
    a, k = annotators.size, votes.n_classes
    chosen = np.bincount(who.astype(np.int64) * k + votes.choice, minlength=a * k).reshape(a, k)
    expected = np.column_stack([np.bincount(who, weights=consensus[votes.item, c], minlength=a) for c in range(k)])
    return (chosen - expected) / np.maximum(chosen.sum(axis=1, keepdims=True), 1)


def _overconfidence(beliefs: Beliefs, votes: Votes) -> np.ndarray:
    """Subtract the share of the others with the same first choice from its stated probability.  (a,)"""
    who, annotators = beliefs.require_annotators("calibration")
    rows = np.flatnonzero(beliefs.first >= 0)  # each is a vote, in this order
    stated = beliefs.stated[rows, votes.choice]
    same, others = count_others(votes, np.arange(votes.n_answers), votes.choice)
    usable = ~np.isnan(stated) & (others > 0)
    rows, shared = rows[usable], same[usable] / others[usable]
    total = np.bincount(who[rows], weights=np.minimum(stated[usable], 1.0) - shared, minlength=annotators.size)
    count = np.bincount(who[rows], minlength=annotators.size)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
