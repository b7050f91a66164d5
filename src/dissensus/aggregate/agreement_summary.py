"""How much people agree: every measure with its interval and its meaning in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.aggregate.agreement import AGREEMENTS, resample_agreement
from dissensus.aggregate.agreement_by_class import ClassAgreement, class_agreement
from dissensus.aggregate.agreement_words import (
    comparable_votes,
    few_annotators,
    few_items_apart,
    one_class_only,
    repeated_answers,
    without_variation,
    word_agreement,
)
from dissensus.aggregate.pairwise import PairwiseAgreement, pairwise_agreement
from dissensus.aggregate.scale import Scale, scale_of
from dissensus.aggregate.vote_pairs import Over, cells_of, count_pairs
from dissensus.labels.as_json import as_json
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.intervals import Interval
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

MOST_PEOPLE = 5_000  # with more, comparing the pairs of annotators takes minutes
SHARED = 5  # items that two annotators both answered, from which their kappa is summarised


@dataclass(frozen=True)
class AgreementReport:
    """The result of `dissensus agreement`.

    items, answers  items with two or more votes, and the votes on them
    measures        name of AGREEMENTS -> its value and interval; levels that do not fit the classes are absent
    classes         agreement on each class
    scale           which levels of measurement the classes have, and why
    pairs           every two annotators; None if they are not known or too many
    notices         what was done to the labels or left out
    over            what was resampled for the intervals: items or annotators
    """

    items: int
    answers: int
    measures: dict[str, Interval]
    classes: ClassAgreement
    scale: Scale
    pairs: PairwiseAgreement | None
    notices: tuple[str, ...]
    over: Over

    def readings(self) -> dict[str, str]:
        """Return the meaning of each measure in a sentence."""
        return {name: word_agreement(name, interval.value) for name, interval in self.measures.items()}

    def class_reading(self) -> str:
        """Return the classes on which people agree least and most, in a sentence."""
        agreed = np.array([interval.value for interval in self.classes.specific])
        if np.isnan(agreed).all():
            return "no class was chosen"
        low, high = int(np.nanargmin(agreed)), int(np.nanargmax(agreed))
        names = self.classes.classes
        return (
            f"if one person answers {names[low]!r}, another does {agreed[low]:.0%} of the time, the least of all "
            f"classes; the most is {agreed[high]:.0%}, on {names[high]!r}"
        )

    def pair_facts(self) -> dict[str, Any] | None:
        """Summarise Cohen's kappa of pairs who share at least 5 items; None without such pairs."""
        if self.pairs is None or not (enough := self.pairs.shared >= SHARED).any():
            return None
        kappa = self.pairs.kappa[enough]
        names = self.pairs.annotators
        first, second = self.pairs.first[enough], self.pairs.second[enough]
        low, high = int(kappa.argmin()), int(kappa.argmax())
        return {
            "pairs": int(enough.sum()),
            "with_fewer_shared_items": int((~enough).sum()),
            "shared_at_least": SHARED,
            "median_kappa": float(np.median(kappa)),
            "lowest": {"pair": [str(names[first[low]]), str(names[second[low]])], "kappa": float(kappa[low])},
            "highest": {"pair": [str(names[first[high]]), str(names[second[high]])], "kappa": float(kappa[high])},
        }

    def as_json(self) -> dict[str, Any]:
        by_class = self.classes
        readings = self.readings()
        return {
            "items": self.items,
            "answers": self.answers,
            "resampled": self.over,
            "scale": str(self.scale),
            "measures": {
                name: as_json(measure) | {"reading": readings[name]} for name, measure in self.measures.items()
            },
            "classes": [
                {
                    "class": name,
                    "share": by_class.share[c],
                    "specific_agreement": as_json(by_class.specific[c]),
                    "kappa": as_json(by_class.kappa[c]),
                }
                for c, name in enumerate(by_class.classes)
            ],
            "reading_of_classes": self.class_reading(),
            "pairs_of_annotators": self.pair_facts(),
            "notices": list(self.notices),
        }


@takes(labels=ANY_LABELS)
def agreement_report(
    labels: Labels,
    rng: np.random.Generator,
    *,
    ordered: bool | None = None,
    over: Over = "items",
    replicates: int = 1000,
    coverage: float = 0.95,
) -> AgreementReport:
    """Compute every measure of agreement that fits the labels: alpha, Fleiss' kappa, pairwise and by class.

    Beliefs are compared by their first choices. Counts are enough for everything but pairs of annotators.

    Parameters
    ----------
    labels : votes, beliefs or distributions with their number of votes
    rng : random generator of the bootstrap
    ordered : whether the classes are ordered; by default they are if their names are rising numbers
    over : what is resampled: "items" or "annotators"
    replicates : bootstrap resamples
    coverage : of the intervals

    Returns
    -------
    the measures with their intervals, the pairs of annotators and notices

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> round(agreement_report(votes, np.random.default_rng(0), replicates=50).measures["fleiss kappa"].value, 3)
    -0.333
    """
    votes, notices = comparable_votes(labels)
    scale = scale_of(votes.classes, ordered)
    names = [*(f"{level} alpha" for level in scale.levels), "fleiss kappa", "observed agreement"]
    options: dict[str, Any] = {"over": over, "replicates": replicates, "coverage": coverage}
    measures, drawn = resample_agreement(votes, names, rng, **options)
    pairs = None
    if isinstance(votes, Votes) and votes.annotators is not None:
        if votes.annotators.size <= MOST_PEOPLE:
            pairs = pairwise_agreement(votes)
        else:
            notices += (
                f"pairs of annotators are left out: there are {votes.annotators.size:,} annotators, more than "
                f"{MOST_PEOPLE:,}; pairwise_agreement(votes) compares them",
            )
    cells = cells_of(votes)
    rows = count_pairs(cells)
    notices += (
        *one_class_only(rows.by_code, votes.classes),
        *without_variation(drawn["nominal alpha"]),
        *few_items_apart(cells, votes.classes, over),
        *repeated_answers(votes),
        *few_annotators(votes, over),
    )
    return AgreementReport(
        items=int(rows.times.sum()),
        answers=round(rows.votes),
        measures=measures,
        classes=class_agreement(votes, rng, **options),
        scale=scale,
        pairs=pairs,
        notices=notices,
        over=over,
    )


@dataclass(frozen=True)
class AlphaSummary:
    """Krippendorff's alpha, nominal and for ordered classes also ordinal, for `describe`.

    alphas    level -> alpha; with its interval, or without (NaN) if that would take long
    scale     which levels of measurement the classes have, and why
    notices   what was done to the labels or left out, in words
    observed  how often two people who answer the same item say the same; NaN if not known
    """

    alphas: dict[str, Interval]
    scale: Scale
    notices: tuple[str, ...]
    observed: float = math.nan

    def as_json(self) -> dict[str, Any]:
        return as_json(self.alphas) | {"scale": str(self.scale), "notices": list(self.notices)}


@takes(labels=ANY_LABELS)
def alpha_summary(
    labels: Labels,
    rng: np.random.Generator,
    *,
    ordered: bool | None = None,
    replicates: int = 400,
    most_patterns: int = 50_000,
) -> AlphaSummary | None:
    """Compute Krippendorff's alpha quickly; None if no item has two known answers.

    most_patterns  with more different rows of counts the interval is left out, with a notice
    """
    if isinstance(labels, Distributions) and labels.votes is None:
        return None
    votes, notices = comparable_votes(labels)
    scale = scale_of(votes.classes, ordered)
    try:
        counts = votes.counts()
    except ValueError as problem:  # distributions that are not shares of their number of votes
        return AlphaSummary({}, scale, (*notices, f"left out: {problem}"))
    if not (counts.sum(axis=1) > 1).any():
        return None
    levels = [level for level in scale.levels if level != "interval"]
    cells = cells_of(votes)
    notices += one_class_only(count_pairs(cells).by_code, votes.classes)
    patterns, observed = cells.times.size, AGREEMENTS["observed agreement"](votes)
    if patterns <= most_patterns:
        names = [f"{level} alpha" for level in levels]
        measures, drawn = resample_agreement(votes, names, rng, over="items", replicates=replicates)
        alphas = {level: measures[name] for level, name in zip(levels, names, strict=True)}
        notices += (*without_variation(drawn["nominal alpha"]), *few_items_apart(cells, votes.classes))
        return AlphaSummary(alphas, scale, notices, observed)
    alone = {
        level: Interval(AGREEMENTS[f"{level} alpha"](votes), np.nan, np.nan, np.nan, coverage=0.95) for level in levels
    }
    notice = f"no interval of alpha with {patterns:,} different patterns of answers; `agreement` computes it"
    return AlphaSummary(alone, scale, (*notices, notice), observed)
