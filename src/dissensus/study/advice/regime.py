"""The regime of a set of labels: number of answers, annotators, completeness, and disagreement."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import posterior_sample
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import normalised_entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

Kind = Literal["votes", "counts of votes", "probabilities", "full beliefs", "partial beliefs"]
DRAWS = 10  # distributions drawn for each item, by which the entropy is corrected for few votes


@dataclass(frozen=True)
class LabelRegime:
    """The facts that decide which methods fit a set of labels.

    kind            votes; counts of votes without annotators; probabilities without a number of votes; beliefs that
                    state every class, or not
    items           with an answer; `unanswered` have none
    answers         None for probabilities
    per_item        least, median and most answers of an item; None where not known
    single          share of the items with one answer only
    annotators      None if the annotators are unknown
    per_annotator   least, median and most answers of an annotator
    repeats         answers of an annotator to an item that they had answered already
    unanimous       share of the items with two answers or more whose (first) choices are all the same
    disagreement    chance that two people choose different classes for an item, 0 to 1: right however few they are
    entropy         mean over items of the entropy of what was answered, 0 is consensus and 1 an even split. Few votes
                    look more alike than people are
    entropy_corrected  the same for the distributions that the votes leave possible; None without two votes on any item
    unsaid          share of the probabilities that beliefs leave open; None for others
    """

    kind: Kind
    items: int
    unanswered: int
    classes: int
    answers: int | None
    per_item: tuple[int, float, int] | None
    single: float | None
    annotators: int | None
    per_annotator: tuple[int, float, int] | None
    repeats: int
    unanimous: float | None
    disagreement: float | None
    entropy: float
    entropy_corrected: float | None
    unsaid: float | None

    @property
    def comparable(self) -> bool:
        """Whether any item has two answers, so that they can be compared."""
        return self.disagreement is not None

    def as_json(self) -> dict[str, Any]:
        facts = asdict(self)
        for name in ("per_item", "per_annotator"):
            if facts[name] is not None:
                facts[name] = dict(zip(("min", "median", "max"), facts[name], strict=True))
        return facts

    def facts(self) -> list[tuple[str, str]]:
        """Names and numbers as text."""
        facts = [("labels", self.kind), ("items", f"{self.items:,}"), ("classes", f"{self.classes:,}")]
        if self.answers is not None and self.per_item is not None:
            facts.append(("answers", f"{self.answers:,}"))
            facts.append(("per item (min / median / max)", _spread(self.per_item)))
        if self.annotators is not None and self.per_annotator is not None:
            facts.append(("annotators", f"{self.annotators:,}"))
            facts.append(("answers of each (min / median / max)", _spread(self.per_annotator)))
        if self.unanimous is not None and self.disagreement is not None:
            facts.append(("unanimous items", f"{self.unanimous:.0%}"))
            facts.append(("two people differ", f"{self.disagreement:.0%}"))
        corrected = "" if self.entropy_corrected is None else f", {self.entropy_corrected:.3f} corrected for few votes"
        facts.append(("mean entropy", f"{self.entropy:.3f} of 1{corrected}"))
        if self.unsaid is not None:
            facts.append(("probabilities left unsaid", f"{self.unsaid:.0%}"))
        if self.repeats:
            facts.append(("second answers", f"{self.repeats:,}"))
        return facts


@takes(labels=ANY_LABELS)
def regime_of(labels: Labels, rng: np.random.Generator) -> LabelRegime:
    """The regime of any labels.

        disagreement = mean over items of 1 - sum_c v_c (v_c - 1) / (v (v - 1)),   v votes, v_c of them for class c

    which counts pairs of answers and so is right on average whatever v. The corrected entropy is that of distributions
    drawn from the posterior of `shrinkage`, as `human_ceiling` does.

    rng  for these draws
    """
    if isinstance(labels, Distributions):
        return _of_counts(labels, rng) if labels.votes is not None else _of_probabilities(labels)
    answered = labels if labels.per_item.all() else labels.select(items=np.flatnonzero(labels.per_item))
    if not answered.n_items:
        raise ValueError("no item has an answer, so there is nothing to give advice on")
    votes = answered.first_choices() if isinstance(answered, Beliefs) else answered
    kind: Kind = "votes" if votes.annotator is not None else "counts of votes"
    unsaid = None
    if isinstance(answered, Beliefs):
        unsaid = float(np.isnan(answered.stated).mean())
        kind = "partial beliefs" if unsaid else "full beliefs"
    return LabelRegime(
        kind=kind,
        items=answered.n_items,
        unanswered=labels.n_items - answered.n_items,
        classes=labels.n_classes,
        unsaid=unsaid,
        **_answers(answered.per_item),
        **_annotators(answered),
        **_dispute(votes.counts(), rng),
    )


def _of_counts(shares: Distributions, rng: np.random.Generator) -> LabelRegime:
    counts = shares.counts()
    return LabelRegime(
        kind="counts of votes",
        items=shares.n_items,
        unanswered=0,
        classes=shares.n_classes,
        **_answers(counts.sum(axis=1)),
        unsaid=None,
        repeats=0,
        annotators=None,
        per_annotator=None,
        **_dispute(counts, rng),
    )


def _of_probabilities(shares: Distributions) -> LabelRegime:
    return LabelRegime(
        kind="probabilities",
        items=shares.n_items,
        unanswered=0,
        classes=shares.n_classes,
        answers=None,
        per_item=None,
        single=None,
        unsaid=None,
        repeats=0,
        annotators=None,
        per_annotator=None,
        unanimous=None,
        disagreement=None,
        entropy=float(normalised_entropy(shares.probs).mean()),
        entropy_corrected=None,
    )


def _answers(per_item: np.ndarray) -> dict[str, Any]:
    return {"answers": int(per_item.sum()), "per_item": _range(per_item), "single": float((per_item == 1).mean())}


def _dispute(counts: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """counts: (n, k) votes, or first choices"""
    total = counts.sum(axis=1)
    asked, several = counts[total > 0], counts[total > 1]
    entropy = float(normalised_entropy(asked / asked.sum(axis=1, keepdims=True)).mean()) if asked.size else float("nan")
    if not several.size:
        return {"unanimous": None, "disagreement": None, "entropy": entropy, "entropy_corrected": None}
    votes = several.sum(axis=1)
    agree = (several * (several - 1)).sum(axis=1) / (votes * (votes - 1))  # (n,)
    posterior = shrinkage(Distributions.from_counts(asked)).posterior
    drawn = [normalised_entropy(posterior_sample(posterior, rng)).mean() for _ in range(DRAWS)]
    return {
        "unanimous": float((several.max(axis=1) == votes).mean()),
        "disagreement": float(1 - agree.mean()),
        "entropy": entropy,
        "entropy_corrected": float(np.mean(drawn)),
    }


def _annotators(answers: Votes | Beliefs) -> dict[str, Any]:
    if answers.annotator is None:
        return {"annotators": None, "per_annotator": None, "repeats": 0}
    each = np.bincount(answers.annotator)
    pair = answers.item.astype(np.int64) * each.size + answers.annotator
    return {
        "annotators": int(np.count_nonzero(each)),
        "per_annotator": _range(each[each > 0]),
        "repeats": int(pair.size - np.unique(pair).size),
    }


def _range(counts: np.ndarray) -> tuple[int, float, int]:
    return int(counts.min()), float(np.median(counts)), int(counts.max())


def _spread(numbers: tuple[int, float, int]) -> str:
    low, middle, high = numbers
    return f"{low:,} / {middle:,g} / {high:,}"
