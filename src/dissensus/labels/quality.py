"""Screening of annotators and answers: rules that report what they keep, what they drop, and why.

No rule removes anything by itself: each returns a Screening, and `keep_answers` applies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.answers import Answers
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.doors import takes
from dissensus.labels.names import positions_of
from dissensus.labels.summary import median_seconds
from dissensus.labels.votes import Votes


@dataclass(frozen=True)
class Screening:
    """One row per annotator: how many answers, how many of each fault, kept or not, and the reason in words.

    annotators (a,) names | answers (a,) | faults: name -> (a,) counts or shares | kept (a,) bool | reason (a,) str
    """

    rule: str
    annotators: np.ndarray
    answers: np.ndarray
    faults: dict[str, np.ndarray]
    kept: np.ndarray
    reason: np.ndarray

    __repr__ = shapes

    def __str__(self) -> str:
        dropped = np.flatnonzero(~self.kept)
        lost = int(self.answers[dropped].sum())
        lines = [
            f"{self.rule}: {self.kept.sum():,} of {self.kept.size:,} annotators kept, {dropped.size:,} dropped "
            f"with {lost:,} of {int(self.answers.sum()):,} answers"
        ]
        lines += [f"  {self.annotators[a]}: {self.reason[a]}" for a in dropped]
        return "\n".join(lines)

    def as_rows(self) -> list[dict[str, Any]]:
        """The table, one record per annotator."""
        return [
            {
                "annotator": self.annotators[a],
                "answers": int(self.answers[a]),
                **{name: float(count[a]) for name, count in self.faults.items()},
                "kept": bool(self.kept[a]),
                "reason": str(self.reason[a]),
            }
            for a in range(self.kept.size)
        ]


def keep_answers(answers: Any, screening: Screening) -> Any:
    """Keep the answers of the annotators that a screening keeps; every item stays, even without an answer.

    Parameters
    ----------
    answers : Votes or Beliefs
    screening : Screening
        Made by `attention_checks`, `exclusions` or `too_fast`.

    Returns
    -------
    Votes or Beliefs
        Of the same type as the answers.

    Examples
    --------
    >>> votes = Votes.of(["a", "a"], ["cat", "dog"], annotator=["ann", "bo"])
    >>> checks = Votes.of(["check", "check"], ["cat", "dog"], annotator=["ann", "bo"])
    >>> keep_answers(votes, attention_checks(votes, checks, np.array([0]))).annotators.tolist()
    ['ann']
    """
    _, annotators = answers.require_annotators("screening")
    if not np.array_equal(annotators, screening.annotators):
        raise ValueError(
            "the screening is about other annotators than these answers; screen the answers that you filter"
        )
    return answers.select(annotators=screening.kept)


@takes(votes=Votes, checks=Votes)
def attention_checks(votes: Votes, checks: Votes, gold: np.ndarray, *, threshold: float = 0.75) -> Screening:
    """Screen annotators by their accuracy on attention checks: below the threshold they are excluded.

    An annotator without a check is kept, and the reason says so. Peterson et al. (2019), sec. 4.2, exclude below 75%.

    Parameters
    ----------
    votes : Votes
        The answers to screen.
    checks : Votes
        Answers to the attention checks, by annotators of the same names.
    gold : (items of checks,)
        Class code of the right answer to each check item.
    threshold : float
        Least share of right answers.

    Returns
    -------
    Screening
        One row per annotator; `keep_answers` applies it.

    Examples
    --------
    >>> votes = Votes.of(["a", "a"], ["cat", "dog"], annotator=["ann", "bo"])
    >>> checks = Votes.of(["check", "check"], ["cat", "dog"], annotator=["ann", "bo"])
    >>> attention_checks(votes, checks, np.array([0])).kept
    array([ True, False])
    """
    _, annotators = votes.require_annotators("attention checks")
    who, names = checks.require_annotators("attention checks")
    right = checks.choice == _gold_of(checks, gold)
    place = positions_of(names, annotators)
    unknown = names[place < 0].tolist()
    if unknown:
        raise ValueError(f"annotator {unknown[0]!r} answered attention checks but none of the items to be screened")
    position = place[who]
    seen = np.bincount(position, minlength=annotators.size)
    passed = np.bincount(position, weights=right, minlength=annotators.size)
    share = np.where(seen > 0, passed / np.maximum(seen, 1), np.nan)
    fine = ~(share < threshold)
    reason = [
        "saw no attention check"
        if not seen[a]
        else f"{passed[a]:g} of {seen[a]} attention checks right ({share[a]:.0%}); at least {threshold:.0%} needed"
        for a in range(annotators.size)
    ]
    return Screening(
        "attention checks", annotators, votes.per_annotator, {"checks": seen, "right": share}, fine, np.array(reason)
    )


def _gold_of(answers: Answers, gold: np.ndarray) -> np.ndarray:
    """The gold class of each answer's item.  (m,)"""
    codes = np.asarray(gold)
    if codes.shape != (answers.n_items,) or codes.dtype.kind not in "iu":
        raise ValueError(
            f"gold has {codes.dtype} of shape {codes.shape}; expected one class code for each "
            f"of {answers.n_items} items"
        )
    return codes[answers.item]


@takes(beliefs=Beliefs)
def answer_faults(beliefs: Beliefs) -> dict[str, np.ndarray]:
    """Collins' three faults, answer by answer.  -> name: (m,) bool

    out of range   a probability above 1 (100%)
    contradiction  the first or second choice is also ruled out
    no probability the first choice has none
    """
    rows = np.arange(beliefs.n_answers)
    contradiction = np.zeros(beliefs.n_answers, dtype=bool)
    for place in range(min(2, beliefs.named.shape[1])):
        named = beliefs.named[:, place]
        contradiction |= (named >= 0) & beliefs.ruled_out[rows, np.maximum(named, 0)]
    first = beliefs.named[:, 0] if beliefs.named.shape[1] else np.full(beliefs.n_answers, -1)
    silent = (first >= 0) & np.isnan(beliefs.stated[rows, np.maximum(first, 0)])
    return {
        "out of range": (np.nan_to_num(beliefs.stated) > 1 + 1e-9).any(axis=1),
        "contradiction": contradiction,
        "no probability": silent,
    }


@takes(beliefs=Beliefs)
def exclusions(
    beliefs: Beliefs,
    gold: np.ndarray | None = None,
    *,
    more_than: int = 2,
    accuracy: float = 0.75,
    out_of_range: np.ndarray | None = None,
) -> Screening:
    """Screen annotators by faults in their beliefs: more than two of a kind exclude, fewer only with low accuracy.

    Collins, Bhatt and Weller (2022), sec. 4.1. The paper states the accuracy rule for "such errors only once"; an
    annotator with exactly `more_than` faults is left open there and falls under the accuracy rule here.

    Parameters
    ----------
    beliefs : Beliefs
    gold : (n,) or None
        Class codes, -1 if unknown; without them the accuracy rule is not applied, and the reason says so.
    more_than : int
        Faults of one kind that are tolerated.
    accuracy : float
        Least accuracy of an annotator with a tolerated fault.
    out_of_range : (m,) bool or None
        Answers that were out of range before they were cleaned; None: judged from the stated probabilities.

    Returns
    -------
    Screening
        One row per annotator; `keep_answers` applies it.

    Examples
    --------
    >>> from dissensus.labels.simulate import simulate_beliefs
    >>> truth = simulate_truth(4, 3, np.random.default_rng(0))
    >>> beliefs = simulate_beliefs(truth, per_item=2, annotators=2, rng=np.random.default_rng(0))
    >>> exclusions(beliefs).kept
    array([ True,  True])
    """
    who, annotators = beliefs.require_annotators("exclusion rules")
    faults = answer_faults(beliefs)
    if out_of_range is not None:
        faults["out of range"] = np.asarray(out_of_range, dtype=bool)
    counts = {name: np.bincount(who[flag], minlength=annotators.size) for name, flag in faults.items()}
    right = np.full(annotators.size, np.nan)
    if gold is not None:
        truth = _gold_of(beliefs, gold)
        known = truth >= 0
        hits = np.bincount(who[known], weights=beliefs.first[known] == truth[known], minlength=annotators.size)
        seen = np.bincount(who[known], minlength=annotators.size)
        right = np.where(seen > 0, hits / np.maximum(seen, 1), np.nan)
    most = np.maximum.reduce(list(counts.values()))  # (a,) of the fault each annotator made most
    often, some = most > more_than, most > 0
    poor = some & ~often & (right < accuracy)
    reasons = []
    for a in range(annotators.size):
        made = ", ".join(f"{count[a]} x {name}" for name, count in counts.items() if count[a])
        if often[a]:
            reasons.append(f"{made}: more than {more_than} of one kind")
        elif not some[a]:
            reasons.append("no faults")
        elif np.isnan(right[a]):
            reasons.append(f"{made}; accuracy not known, so kept")
        else:
            reasons.append(f"{made}; accuracy {right[a]:.0%}, {'below' if poor[a] else 'not below'} {accuracy:.0%}")
    table = {**counts, "accuracy": right}
    return Screening("exclusion rules", annotators, beliefs.per_annotator, table, ~(often | poor), np.array(reasons))


@dataclass(frozen=True)
class Consistency:
    """Answers given twice by one annotator to one item, first against second.

    pairs    number of repeated answers compared
    changed  share whose first choice differs
    change   mean |difference| of the first choice's probability among those that kept it; NaN if there are none
    """

    pairs: int
    changed: float
    change: float


@takes(answers=(Votes, Beliefs))
def repeat_consistency(answers: Votes | Beliefs) -> Consistency:
    """How stable people are: each annotator's second answer to an item against the first.

    Answers to one (item, annotator) are paired in file order: first with second, second with third.
    Collins, Bhatt and Weller (2022), footnote 4: about 7% changed their choice; the others changed it by 6 points.
    """
    who, annotators = answers.require_annotators("repeat consistency")
    pair = answers.item.astype(np.int64) * annotators.size + who
    order = np.argsort(pair, kind="stable")
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    before, after = order[again], order[again + 1]
    if not before.size:
        return Consistency(0, float("nan"), float("nan"))
    if isinstance(answers, Votes):
        return Consistency(before.size, float((answers.choice[before] != answers.choice[after]).mean()), float("nan"))
    first = answers.first
    same = first[before] == first[after]
    shift = np.abs(answers.stated[before[same], first[before[same]]] - answers.stated[after[same], first[after[same]]])
    known = shift[~np.isnan(shift)]
    return Consistency(before.size, float((~same).mean()), float(known.mean()) if known.size else float("nan"))


def too_fast(answers: Answers, *, fraction: float = 1 / 3) -> Screening:
    """Annotators whose median time is below a fraction of the median annotator's: a flag, not a verdict."""
    _, annotators = answers.require_annotators("speed flags")
    typical = median_seconds(answers)
    if np.isnan(typical).all():
        raise ValueError(
            "no answer has a time, so no annotator can be called fast; read the answers with a seconds column"
        )
    limit = fraction * float(np.nanmedian(typical))
    slow_enough = ~(typical < limit)
    reason = np.array([f"median {t:.2f} s per answer; the limit is {limit:.2f} s" for t in typical])
    return Screening("speed", annotators, answers.per_annotator, {"median seconds": typical}, slow_enough, reason)
