"""Partial beliefs -> full ones: rules for the mass that an annotator did not state.

Every function takes Beliefs and returns Beliefs of the same answers whose stated rows have no gaps and sum to 1.
Collins, Bhatt and Weller (2022), Eliciting and Learning with Soft Labels from Every Annotator, sec. 4.2 and 5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.doors import takes
from dissensus.labels.refusals import PythonWay, Refusal, Way, one_of

ROUNDING = 1e-9  # 0.7 + 0.2 + 0.1 is everything, whatever the order in which floats add it
Spread = Literal["uniform", "clamp"]
Contradictions = Literal["released", "mass", "error"]


@takes(beliefs=Beliefs)
def complete(
    beliefs: Beliefs,
    *,
    top: int = 2,
    spread: Spread = "clamp",
    gamma: float = 0.1,
    contradictions: Contradictions = "released",
) -> Beliefs:
    """Complete partial beliefs: keep the probabilities of the `top` named classes and spread the remaining mass.

        used   = the first `top` named classes with a probability above 0 (largest stated, if none was named)
        open   = the classes not used; under "clamp" also not ruled out
        slots  = the number of open classes
        used classes keep p, or (1 - gamma) p / sum p  if sum p >= 1 and slots > 0 (clamp only);
        open classes get (1 - sum p) / slots, or gamma / slots  in that case;   then the row is scaled to sum to 1

    A second class without a probability, or with 0, counts as not used. A class named twice has the probability stated
    last. Collins, Bhatt and Weller (2022), sec. 4.2 and 5.3.

    Parameters
    ----------
    beliefs : Beliefs
    top : int
        Number of named classes whose probability is used.
    spread : "uniform" or "clamp"
        "clamp" gives nothing to classes that were ruled out; "uniform" ignores what was ruled out.
    gamma : float
        Share of the mass for open classes if an answer spends all of it; used by "clamp" only.
    contradictions : "released", "mass" or "error"
        What to do with a class both used and ruled out. "mass" uses the probability, as the formulas above do; "error"
        raises. "released" is "mass" unless top = 2, where such a class is subtracted twice from k to give `slots`, as
        in the labels released with CIFAR-10S.

    Returns
    -------
    Beliefs
        Stated rows have no gaps and sum to 1.

    Examples
    --------
    >>> from dissensus.labels.simulate import simulate_beliefs
    >>> truth = simulate_truth(2, 3, np.random.default_rng(0))
    >>> beliefs = simulate_beliefs(truth, per_item=2, annotators=3, rng=np.random.default_rng(0))
    >>> complete(beliefs, spread="uniform").stated.sum(axis=1)
    array([1., 1., 1., 1.])
    """
    for name, given, known in (
        ("spread", spread, get_args(Spread)),
        ("rule for contradictions", contradictions, get_args(Contradictions)),
    ):
        one_of(name, given, known)
    if not 0 <= gamma < 1:
        raise ValueError(f"gamma is {gamma}; expected a share of the mass, from 0 up to but not including 1")
    if top < 1:
        raise ValueError(f"top is {top}; expected the number of named classes to use, 1 or more")
    used = _find_used(beliefs, top)  # (m, k)
    _check_first(beliefs, used)
    mass = np.where(used, np.nan_to_num(beliefs.stated), 0.0)  # (m, k)
    total = mass.sum(axis=1)  # (m,)
    k = beliefs.n_classes
    if spread == "uniform":
        open_ = ~used
        slots = k - used.sum(axis=1)
        spent = np.zeros(total.shape, dtype=bool)
    else:
        ruled_out = beliefs.ruled_out
        both = used & ruled_out
        if both.any() and contradictions == "error":
            raise _contradiction(beliefs, both)
        if contradictions == "mass" or top != 2:  # only labels of the top two were released
            ruled_out = ruled_out & ~used
        open_ = ~used & ~ruled_out
        slots = np.where(open_.any(axis=1), k - used.sum(axis=1) - ruled_out.sum(axis=1), 0)
        spent = (total >= 1 - ROUNDING) & (slots > 0)
    kept = np.where(spent, (1 - gamma) / np.where(spent, total, 1), 1.0)
    left = np.where(spent, gamma, np.maximum(1 - total, 0))
    share = np.where(slots > 0, left / np.maximum(slots, 1), 0.0)
    return _full(beliefs, mass * kept[:, None] + np.where(open_, share[:, None], 0.0))


@takes(beliefs=Beliefs)
def top_two_only(beliefs: Beliefs) -> Beliefs:
    """Equal mass on the first and second class named, as if no probabilities had been asked (Collins, sec. 5.3).

    All mass on the first if no second was named.
    """
    if beliefs.named.shape[1] < 1:
        raise ValueError(
            "these beliefs name no classes (they are sliders): top-two-only needs answers that name classes"
        )
    chosen = np.zeros(beliefs.stated.shape)
    for place in range(min(2, beliefs.named.shape[1])):
        rows = np.flatnonzero(beliefs.named[:, place] >= 0)
        chosen[rows, beliefs.named[rows, place]] = 1.0
    return _full(beliefs, chosen)


@takes(beliefs=Beliefs)
def dense(beliefs: Beliefs) -> Beliefs:
    """Sliders as a distribution: each stated value over their sum, 0 if nothing was said or it was ruled out."""
    return _full(beliefs, np.where(beliefs.ruled_out, 0.0, np.nan_to_num(beliefs.stated)))


@takes(beliefs=Beliefs)
def typicality(beliefs: Beliefs) -> Beliefs:
    """A typicality rating of one class as its probability, the rest spread evenly over the other classes.

        p = rating,   (1 - p) / (k - 1) for every other class

    Sucholutsky et al. (2023), On the Informativeness of Supervision Signals, sec. 7.1 (CIFAR-10T).
    """
    said = ~np.isnan(beliefs.stated)
    rating = np.nan_to_num(beliefs.stated).sum(axis=1)
    bad = np.flatnonzero((said.sum(axis=1) != 1) | (rating > 1))
    if bad.size:
        raise ValueError(
            f"belief {bad[0]} states {beliefs.stated[bad[0]].tolist()}; a typicality rating is one number from 0 to 1 "
            f"for one class; {bad.size} of {beliefs.n_answers} answers are not"
        )
    others = (1 - rating) / max(beliefs.n_classes - 1, 1)
    return _full(beliefs, np.where(said, rating[:, None], others[:, None]))


LEAVE_OUT_ANSWERS = (
    Way("leave these answers out"),
    PythonWay("select the others with beliefs.select(answers=...)"),
)

COMPLETIONS: dict[str, Callable[..., Beliefs]] = {
    "t1-uniform": partial(complete, top=1, spread="uniform"),
    "t1-clamp": partial(complete, top=1, spread="clamp"),
    "t2-uniform": partial(complete, top=2, spread="uniform"),
    "t2-clamp": partial(complete, top=2, spread="clamp"),
    "top-two-only": top_two_only,
    "dense": dense,
    "typicality": typicality,
}


@takes(beliefs=Beliefs)
def is_completable(beliefs: Beliefs, completion: str | None = None) -> np.ndarray:
    """Answers that every completion can complete: a first choice with mass, or else some class left.  (m,) bool

    completion  "dense" if only that one matters, which needs mass on some class that was not ruled out
    """
    rows = np.arange(beliefs.n_answers)
    positive = np.nan_to_num(beliefs.stated) > 0  # (m, k)
    some = positive.any(axis=1)
    if completion == "dense" or not beliefs.named.shape[1]:
        return (positive & ~beliefs.ruled_out).any(axis=1)
    first = beliefs.named[:, 0]
    sure = np.nan_to_num(beliefs.stated[rows, np.maximum(first, 0)]) > 0
    return np.where(first >= 0, sure, some | ~beliefs.ruled_out.all(axis=1))


@takes(beliefs=Beliefs)
def usual_completion(beliefs: Beliefs) -> str:
    """The default completion: dense for sliders and full rows, else t2-clamp."""
    return completion_for(named=beliefs.named.shape[1] > 0, gaps=bool(np.isnan(beliefs.stated).any()))


def completion_for(*, named: bool, gaps: bool) -> str:
    """The rule of `usual_completion`, for answers that are not in memory all at once.

    named  whether answers name classes; gaps  whether any of them leaves the probability of a class unsaid
    """
    return "t2-clamp" if named and gaps else "dense"


def _find_used(beliefs: Beliefs, top: int) -> np.ndarray:
    """The classes whose probability is taken: the first `top` named, else the `top` largest stated.  (m, k) bool"""
    m = beliefs.n_answers
    used = np.zeros(beliefs.stated.shape, dtype=bool)
    for place in range(min(top, beliefs.named.shape[1])):
        rows = np.flatnonzero(beliefs.named[:, place] >= 0)
        used[rows, beliefs.named[rows, place]] = True
    unnamed = np.flatnonzero(~(beliefs.named >= 0).any(axis=1))
    if unnamed.size:
        falling = np.argsort(-np.nan_to_num(beliefs.stated[unnamed]), axis=1, kind="stable")[:, :top]
        used[unnamed[:, None], falling] = True
    positive = np.nan_to_num(beliefs.stated) > 0
    return used & positive if m else used


def _check_first(beliefs: Beliefs, used: np.ndarray) -> None:
    """Refuse a first choice without a probability, since no completion of it is safe."""
    if not beliefs.named.shape[1]:
        return
    first = beliefs.named[:, 0]
    rows = np.flatnonzero(first >= 0)
    bad = rows[~used[rows, first[rows]]]
    if bad.size:
        row = bad[0]
        raise Refusal(
            f"belief {row} (item {beliefs.items[beliefs.item[row]]}) names {beliefs.classes[first[row]]!r} first but "
            f"gives it the probability {beliefs.stated[row, first[row]]:g}; expected a number above 0; {bad.size} of "
            f"{beliefs.n_answers} answers do so",
            ways=[*LEAVE_OUT_ANSWERS, Way("choose the completion top-two-only")],
        )


def _contradiction(beliefs: Beliefs, both: np.ndarray) -> Refusal:
    row, code = np.argwhere(both)[0]
    return Refusal(
        f"belief {row} (item {beliefs.items[beliefs.item[row]]}) puts {beliefs.stated[row, code]:g} on "
        f"{beliefs.classes[code]!r} and rules it out; {both.any(axis=1).sum()} of {beliefs.n_answers} answers "
        "contradict themselves",
        ways=[
            *LEAVE_OUT_ANSWERS,
            Way("choose {contradictions}", contradictions="mass"),
            Way("choose {contradictions}", contradictions="released"),
        ],
    )


def _full(beliefs: Beliefs, mass: np.ndarray) -> Beliefs:
    total = mass.sum(axis=1, keepdims=True)  # (m, 1)
    empty = np.flatnonzero(total[:, 0] <= 0)
    if empty.size:
        row = empty[0]
        raise Refusal(
            f"belief {row} (item {beliefs.items[beliefs.item[row]]}) leaves no class any mass; {empty.size} of "
            f"{beliefs.n_answers} answers do",
            ways=LEAVE_OUT_ANSWERS,
        )
    return replace(beliefs, stated=mass / total)
