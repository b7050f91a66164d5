"""Annotators with known truth, for tests, planning and rehearsal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.assignment import assign_items
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_sums import SUM_TOLERANCE
from dissensus.labels.votes import Votes

SECONDS_SPREAD = 0.5  # standard deviation of log seconds: two answers in three within a factor of 1.6 of the median


@dataclass(frozen=True, eq=False)
class Crowd:
    """Simulated votes, with the truth and the confusion behind them.

    votes      m simulated votes
    truth      the distribution each item was given
    confusion  (a, k, k) probability that an annotator who sees class t answers c, at [annotator, t, c]
    """

    votes: Votes
    truth: Distributions
    confusion: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        hold(self, "confusion", np.asarray(self.confusion, dtype=np.float64))


def simulate_truth(n: int, k: int, rng: np.random.Generator, concentration: float = 1.0) -> Distributions:
    """Draw a distribution for each of n items from Dirichlet(concentration/k, ..., concentration/k).

    Parameters
    ----------
    n, k : int
        Number of items and of classes.
    rng : numpy Generator
    concentration : float
        Near 0 every item is clear, 1 leaves most clear, k draws evenly from all distributions, more makes all vague.

    Returns
    -------
    Distributions

    Examples
    --------
    >>> simulate_truth(2, 3, np.random.default_rng(0)).probs.sum(axis=1)
    array([1., 1.])
    """
    _check_concentration(concentration)
    probs = _dirichlet(np.full((n, k), concentration / k), rng)
    return Distributions(probs, np.arange(n), tuple(map(str, range(k))))


def simulate_one_coin(skill: np.ndarray | float, k: int) -> np.ndarray:
    """Confusion of annotators who are right with probability `skill` and otherwise pick any other class evenly.

    1 is perfect, 1/k a spammer who answers blindly, 0 an adversary who avoids what it sees. With one class
    there is only one answer, whatever the skill.  skill: (a,) or a number -> (a, k, k)
    """
    right = np.atleast_1d(np.asarray(skill, dtype=np.float64))[:, None, None]
    bad = np.flatnonzero(~((right >= 0) & (right <= 1)))
    if bad.size:
        raise ValueError(
            f"annotator {bad[0]} has skill {right.ravel()[bad[0]]:g}; expected a probability from 0 to 1; "
            f"{bad.size} of {right.size} are wrong"
        )
    if k == 1:
        return np.ones((right.shape[0], 1, 1))
    return np.where(np.eye(k, dtype=bool), right, (1 - right) / (k - 1))


@takes(truth=Distributions)
def simulate_votes(
    truth: Distributions,
    per_item: int | np.ndarray,
    annotators: int,
    rng: np.random.Generator,
    *,
    skill: np.ndarray | float | None = None,
    confusion: np.ndarray | None = None,
    spammers: int = 0,
    adversaries: int = 0,
    seconds: float | None = None,
) -> Crowd:
    """Simulate votes of annotators who see a class, drawn from the item's truth, and answer through their confusion.

        seen ~ truth[item],   choice ~ confusion[annotator, seen]

    For certain items this is the model of Dawid and Skene (1979); the shares of perfect annotators tend to the truth.
    Each annotator answers an item at most once, and all give equally many votes, to within one.

    Parameters
    ----------
    truth : Distributions
    per_item : int or (n,)
        Votes per item, at most `annotators`.
    annotators : int
    rng : numpy Generator
    skill : float, (a,) or None
        Probability of one-coin annotators to answer what they see; perfect if neither this nor `confusion` is given.
    confusion : (a, k, k) or None
        Instead of `skill`; rows sum to 1.
    spammers : int
        Annotators who answer blindly: those just before the adversaries.
    adversaries : int
        Annotators who avoid the class they see: the last ones.
    seconds : float or None
        Median time of an answer, lognormal; None for no times.

    Returns
    -------
    Crowd
        The votes, the truth and the confusion behind them.

    Examples
    --------
    >>> truth = simulate_truth(4, 3, np.random.default_rng(0))
    >>> simulate_votes(truth, per_item=2, annotators=5, rng=np.random.default_rng(0), skill=0.8).votes.n_answers
    8
    """
    table = _confusion_of(annotators, truth.n_classes, skill, confusion, spammers, adversaries)
    item, annotator = assign_items(truth, per_item, annotators, rng)
    seen = _draw(truth.probs, item, rng)
    # One row for each annotator and class seen, so that both draws are the same operation.
    rows = table.reshape(annotators * truth.n_classes, truth.n_classes)
    choice = _draw(rows, annotator * truth.n_classes + seen, rng)
    votes = Votes(
        item=item,
        items=truth.items,
        annotator=annotator,
        annotators=np.arange(annotators),
        choice=choice,
        classes=truth.classes,
        seconds=_lognormal(seconds, item.size, rng),
    )
    return Crowd(votes, truth, table)


@takes(truth=Distributions)
def simulate_beliefs(
    truth: Distributions,
    per_item: int | np.ndarray,
    annotators: int,
    rng: np.random.Generator,
    *,
    concentration: float = 10.0,
    top: int | None = 2,
    rule_out_below: float = 0.01,
    seconds: float | None = None,
) -> Beliefs:
    """Simulate beliefs of annotators who each have their own distribution around the truth and state part of it.

        held ~ Dirichlet(concentration * truth[item]),   so that the mean of what is held is the truth

    Annotators are assigned to items as in `simulate_votes`.

    Parameters
    ----------
    truth : Distributions
    per_item : int or (n,)
        Answers per item, at most `annotators`.
    annotators : int
    rng : numpy Generator
    concentration : float
        Similarity of annotators: near 0 each is certain of one class, with large values all have the truth.
    top : int or None
        Number of classes that they name, largest first, in whole percents (2 as in Collins 2022, sec. 4; a class that
        rounds to 0 percent goes unnamed after the first). None for sliders, which state all k classes unrounded and
        rule none out.
    rule_out_below : float
        Unnamed classes with a smaller probability are called "definitely not".
    seconds : float or None
        Median time of an answer, lognormal; None for no times.

    Returns
    -------
    Beliefs

    Examples
    --------
    >>> truth = simulate_truth(4, 3, np.random.default_rng(0))
    >>> simulate_beliefs(truth, per_item=2, annotators=5, rng=np.random.default_rng(0)).named.shape
    (8, 2)
    """
    _check_concentration(concentration)
    item, annotator = assign_items(truth, per_item, annotators, rng)
    held = _dirichlet(concentration * truth.probs[item], rng)  # (m, k)
    if top is None:
        stated, ruled_out, named = held, np.zeros(held.shape, dtype=bool), np.empty((item.size, 0), dtype=np.int32)
    else:
        stated, ruled_out, named = _top_answer(held, top, rule_out_below)
    return Beliefs(
        item=item,
        items=truth.items,
        annotator=annotator,
        annotators=np.arange(annotators),
        classes=truth.classes,
        stated=stated,
        ruled_out=ruled_out,
        named=named,
        seconds=_lognormal(seconds, item.size, rng),
    )


def _top_answer(held: np.ndarray, top: int, rule_out_below: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = held.shape[1]
    if not 1 <= top <= k:
        raise ValueError(f"annotators cannot name their top {top} of {k} classes; expected 1 to {k}, or None")
    named = np.argsort(-held, axis=1, kind="stable")[:, :top]  # (m, top)
    percent = np.rint(100 * np.take_along_axis(held, named, axis=1))
    unnamed = (percent == 0) & (np.arange(top) > 0)
    stated = np.full(held.shape, np.nan)
    np.put_along_axis(stated, named, np.where(unnamed, np.nan, percent / 100), axis=1)
    return stated, (held < rule_out_below) & np.isnan(stated), np.where(unnamed, -1, named)


def _draw(probs: np.ndarray, row: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One class from probs[row] for each entry of row.  probs: (r, k), row: (m,) -> (m,)"""
    upto = np.cumsum(probs, axis=1)
    upto = np.ascontiguousarray((upto / upto[:, -1:]).T)  # (k, r); exactly 1 from the last class with mass on
    chance = rng.random(row.size)
    drawn = np.zeros(row.size, dtype=np.int64)
    for edge in upto[:-1]:  # a class at a time: a table (m, k) would cost k times the memory
        drawn += chance >= edge[row]
    return drawn


def _dirichlet(alpha: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One draw per row; classes with alpha 0 get none.  (m, k) -> (m, k)"""
    # Gamma(a) = Gamma(a + 1) U^(1/a), in logarithms: below a = 0.01 whole rows would otherwise underflow to 0.
    with np.errstate(divide="ignore", over="ignore"):
        log_mass = np.log(rng.standard_gamma(alpha + 1)) - rng.standard_exponential(alpha.shape) / alpha
    mass = np.exp(log_mass - log_mass.max(axis=1, keepdims=True))
    return mass / mass.sum(axis=1, keepdims=True)


def _lognormal(median: float | None, m: int, rng: np.random.Generator) -> np.ndarray | None:
    return None if median is None else median * np.exp(SECONDS_SPREAD * rng.standard_normal(m))


def _check_concentration(concentration: float) -> None:
    if not 0 < concentration < np.inf:
        raise ValueError(f"the concentration is {concentration}; expected a finite number above 0")


def _confusion_of(
    annotators: int,
    k: int,
    skill: np.ndarray | float | None,
    confusion: np.ndarray | None,
    spammers: int,
    adversaries: int,
) -> np.ndarray:
    if skill is not None and confusion is not None:
        raise Refusal(
            "annotators have a skill or a confusion, not both",
            ways=[Way("leave one out"), PythonWay("use simulate_one_coin(skill, k)")],
        )
    if spammers < 0 or adversaries < 0 or spammers + adversaries > annotators:
        raise ValueError(
            f"{spammers} spammers and {adversaries} adversaries cannot be among {annotators} annotators; "
            "expected numbers of 0 or more that fit in together"
        )
    if confusion is None:
        right = np.asarray(1.0 if skill is None else skill, dtype=np.float64)
        if right.shape not in ((), (annotators,)):
            raise ValueError(f"skill has shape {right.shape}; expected one number, or one for each of {annotators}")
        table = simulate_one_coin(np.broadcast_to(right, annotators), k)
    else:
        table = np.array(confusion, dtype=np.float64)
        if table.shape != (annotators, k, k):
            raise ValueError(f"confusion has shape {table.shape}; expected (annotators, k, k) = {(annotators, k, k)}")
        bad = np.argwhere((np.abs(table.sum(axis=2) - 1) > SUM_TOLERANCE) | (table < 0).any(axis=2))
        if bad.size:
            who, seen = bad[0]
            raise ValueError(
                f"annotator {who} who sees class {seen} answers with probabilities {table[who, seen].tolist()}; "
                f"expected numbers of 0 or more that sum to 1; {len(bad)} of {annotators * k} rows are wrong"
            )
    table[annotators - spammers - adversaries : annotators - adversaries] = simulate_one_coin(1 / k, k)
    table[annotators - adversaries :] = simulate_one_coin(0.0, k)
    return table
