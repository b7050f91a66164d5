"""Recalibration: calibrate stated probabilities by gold answers, or by an annotator's repeated answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dissensus.aggregate.models.em import TINY
from dissensus.aggregate.pooling import complete_rows
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.doors import takes
from dissensus.labels.names import item_positions, positions_of
from dissensus.labels.votes import Votes

Recalibration = Literal["repeats"] | Votes  # reference: repeated answers, or gold with a vote per item
# Logarithms of temperatures: those at which likelihoods are computed, and those between which they are interpolated.
COARSE, FINE = np.linspace(-3.0, 3.0, 61), np.linspace(-3.0, 3.0, 241)
SPREADS = np.geomspace(0.05, 1.0, 8)


@dataclass(frozen=True, eq=False)
class Temperatures:
    """The temperature that calibrates stated probabilities: above 1 for overconfident people.

    annotators   (a,) names
    temperature  (a,) drawn towards the crowd's; exactly the crowd's for one without a known answer
    answers      (a,) known answers behind each
    crowd        the center of the people's temperatures
    floor        the least probability a class is taken to have been given
    """

    annotators: np.ndarray
    temperature: np.ndarray
    answers: np.ndarray
    crowd: float
    floor: float

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("annotators", "temperature", "answers"):
            hold(self, name, np.asarray(getattr(self, name)))


@takes(beliefs=Beliefs)
def fit_temperatures(
    beliefs: Beliefs,
    gold: np.ndarray | None = None,
    *,
    crowd_deviation: float = 0.35,
    people_deviation: float = 0.25,
    floor: float = 1e-4,
) -> Temperatures:
    """Fit a temperature per annotator: how overconfident their stated probabilities are.

        P(right class c | belief b, temperature T) ~ max(b_c, floor)^(1 / T)
        ln T_a ~ Normal(crowd, spread),   crowd ~ Normal(0, crowd_deviation),   spread ~ |Normal(0, people_deviation)|

    Temperatures are posterior means of ln T_a and of the crowd, by integration over a grid: with few answers they stay
    near the crowd's, and the crowd's near 1. Guo et al. (2017), On calibration of modern neural networks, sec. 4.2, for
    a single temperature by maximum likelihood.

    Parameters
    ----------
    beliefs : complete beliefs with their annotators
    gold : (n,) class codes, -1 if unknown. Without gold, an answer repeated by its annotator is judged by the first
        choice of the other answer, which measures how sure people are of their own answer, not of the truth
    crowd_deviation : standard deviation of the crowd's ln T; 0.35 expects 19 crowds of 20 between 1/2 and 2
    people_deviation : scale of the spread within a crowd; 0.25 expects two people to differ by a factor of about 1.3
    floor : probability that a class called impossible still gets

    Returns
    -------
    the temperatures, above 1 for overconfident annotators, and the number of known answers of each

    Examples
    --------
    >>> from dissensus import Beliefs, Votes
    >>> from dissensus.labels import COMPLETIONS
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> fitted = fit_temperatures(COMPLETIONS["dense"](Beliefs.of_votes(votes)), np.array([0, 1]))
    >>> fitted.answers.tolist(), bool(fitted.temperature[2] > fitted.temperature[0])
    ([2, 2, 2], True)
    """
    who, annotators = beliefs.require_annotators("recalibration")
    if not (0 < crowd_deviation < np.inf and 0 < people_deviation < np.inf):
        raise ValueError(
            f"crowd_deviation is {crowd_deviation} and people_deviation {people_deviation}; expected finite numbers "
            "above 0"
        )
    log_rows = _log_rows(beliefs, floor)
    answer, right = _find_repeats(beliefs, who) if gold is None else _find_known(beliefs, gold)
    answers = np.bincount(who[answer], minlength=annotators.size)
    known, owner = np.unique(who[answer], return_inverse=True)  # those of whom something is known
    heights = _log_likelihoods(log_rows[answer], right, owner.reshape(-1), known.size)
    crowd, own = _integrate(heights, crowd_deviation, people_deviation)
    temperature = np.full(annotators.size, np.exp(crowd))
    temperature[known] = np.exp(own)
    return Temperatures(annotators, temperature, answers, float(np.exp(crowd)), floor)


def temperatures_by(known: Recalibration | Any, beliefs: Beliefs) -> Temperatures:
    """Fit temperatures by repeated answers ("repeats"), or by gold matched by the names of items and classes."""
    if isinstance(known, Votes):
        return fit_temperatures(beliefs, gold_codes(known, beliefs))
    if not (isinstance(known, str) and known == "repeats"):
        shown = repr(known) if isinstance(known, str) else type(known).__name__
        raise ValueError(f'recalibrate is {shown}; expected "repeats", or Votes with the right class of each item')
    return fit_temperatures(beliefs)


@takes(beliefs=Beliefs)
def recalibrate(beliefs: Beliefs, fitted: Temperatures) -> Beliefs:
    """Temper each belief by the temperature of its annotator.

        q_c ~ max(b_c, floor)^(1 / temperature)

    Named classes and classes ruled out stay as they are.

    Parameters
    ----------
    beliefs : complete beliefs with their annotators
    fitted : temperatures of the same annotators, from `recalibration.fit_temperatures`

    Returns
    -------
    the recalibrated beliefs

    Examples
    --------
    >>> from dissensus import Beliefs, Votes
    >>> from dissensus.labels import COMPLETIONS
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> beliefs = COMPLETIONS["dense"](Beliefs.of_votes(votes))
    >>> from dissensus.aggregate.recalibration import fit_temperatures
    >>> fitted = fit_temperatures(beliefs, np.array([0, 1]))
    >>> recalibrate(beliefs, fitted).stated.shape
    (6, 2)
    """
    who, annotators = beliefs.require_annotators("recalibration")
    if not np.array_equal(annotators, fitted.annotators):
        raise ValueError(
            f"the temperatures are of {fitted.annotators.size} annotators, the beliefs of {annotators.size}; expected "
            "the same annotators in the same order"
        )
    log_rows = _log_rows(beliefs, fitted.floor)
    mass = np.exp((log_rows - log_rows.max(axis=1, keepdims=True)) / fitted.temperature[who][:, None])
    return replace(beliefs, stated=mass / mass.sum(axis=1, keepdims=True))


@takes(gold=Votes, beliefs=Beliefs)
def gold_codes(gold: Votes, beliefs: Beliefs) -> np.ndarray:
    """Return the gold class of each item of the beliefs, matched by name; -1 if gold does not have the item.

    gold: one vote per item, of the same classes; other items are ignored.  -> (n,)
    """
    code = positions_of(gold.classes, beliefs.classes)
    if (code < 0).any():
        raise ValueError(
            f"gold knows the classes {list(gold.classes)}, the beliefs {list(beliefs.classes)}; expected the same names"
        )
    counts = gold.counts()
    torn = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    if torn.size:
        classes = [name for name, count in zip(gold.classes, counts[torn[0]], strict=True) if count]
        raise ValueError(
            f"item {gold.items[torn[0]]} has the gold classes {classes}; expected one; {torn.size} of {gold.n_items} "
            "items have several: aggregate them first, or leave them out"
        )
    of_gold = np.where(counts.any(axis=1), code[counts.argmax(axis=1)], -1)
    where = item_positions(beliefs.items, gold.items)
    if not (where >= 0).any():
        raise ValueError(
            f"gold names {gold.n_items} items and the beliefs {beliefs.n_items}, but none of the same name (gold "
            f"begins with {gold.items[0]}, the beliefs with {beliefs.items[0]}); expected items in common"
        )
    return np.where(where >= 0, of_gold[where], -1)


def _find_known(beliefs: Beliefs, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    codes = np.asarray(gold)
    if codes.shape != (beliefs.n_items,) or codes.dtype.kind not in "iu":
        raise ValueError(
            f"gold holds {codes.dtype} of shape {codes.shape}; expected one class code, or -1 where unknown, for each "
            f"of {beliefs.n_items} items"
        )
    bad = np.flatnonzero((codes < -1) | (codes >= beliefs.n_classes))
    if bad.size:
        raise ValueError(
            f"item {beliefs.items[bad[0]]} has gold class {codes[bad[0]]}, but there are {beliefs.n_classes} classes, "
            f"0..{beliefs.n_classes - 1} (-1 for unknown); {bad.size} of {codes.size} are out of range"
        )
    answer = np.flatnonzero(codes[beliefs.item] >= 0)
    if not answer.size:
        raise ValueError("no belief is about an item whose gold class is known; recalibration needs some")
    return answer, codes[beliefs.item[answer]]


def _find_repeats(beliefs: Beliefs, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find answers with another answer of the same annotator to the same item, and the first choice of the other."""
    pair = beliefs.item.astype(np.int64) * (int(who.max(initial=0)) + 1) + who
    order = np.argsort(pair, kind="stable")
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if not again.size:
        raise ValueError(
            "no annotator answered an item twice, so nothing tells how far to trust stated probabilities; give gold"
        )
    before, after = order[again], order[again + 1]
    first = beliefs.first
    return np.concatenate([before, after]), np.concatenate([first[after], first[before]]).astype(np.int64)


def _log_rows(beliefs: Beliefs, floor: float) -> np.ndarray:
    """Return logarithms of the stated probabilities, at least `floor`.  (m, k)"""
    k = beliefs.n_classes
    if not 0 < floor * k < 1:
        raise ValueError(f"the floor is {floor} for each of {k} classes; expected a number above 0 and below 1/{k}")
    return np.log(np.maximum(complete_rows(beliefs), floor))


def _log_likelihoods(log_rows: np.ndarray, right: np.ndarray, owner: np.ndarray, people: int) -> np.ndarray:
    """Compute the log-likelihood of each person's known answers at each temperature of FINE.

    log_rows: (r, k), right: (r,) classes, owner: (r,) 0..people-1 -> (people, FINE)
    """
    from scipy.interpolate import CubicSpline

    relative = np.ascontiguousarray((log_rows - log_rows.max(axis=1, keepdims=True)).T)  # (k, r)
    of_right = relative[right, np.arange(right.size)]
    heights = np.empty((people, COARSE.size))
    for place, beta in enumerate(np.exp(-COARSE)):
        log_chance = beta * of_right - np.log(np.exp(beta * relative).sum(axis=0))
        heights[:, place] = np.bincount(owner, weights=log_chance, minlength=people)
    return np.asarray(CubicSpline(COARSE, heights, axis=1)(FINE))


def _integrate(heights: np.ndarray, crowd_deviation: float, people_deviation: float) -> tuple[float, np.ndarray]:
    """Compute posterior means of the crowd's log temperature and of each person's, over a grid of crowds and spreads.

    heights: (a, FINE) -> number, (a,)
    """
    likelihood = np.exp(heights - heights.max(axis=1, keepdims=True))
    centres = np.linspace(-2.5, 2.5, 31)
    for _ in range(3):  # each round looks closer at where the round before left some probability
        centre, spread = (axis.ravel() for axis in np.meshgrid(centres, SPREADS))  # (cells,)
        people = np.exp(-0.5 * ((FINE - centre[:, None]) / spread[:, None]) ** 2)  # (cells, FINE)
        people /= people.sum(axis=1, keepdims=True)
        chance = np.maximum(likelihood @ people.T, TINY)  # (a, cells)
        # ln spread: the spreads stand at even steps of their logarithm.
        log_prior = -0.5 * ((centre / crowd_deviation) ** 2 + (spread / people_deviation) ** 2) + np.log(spread)
        height = np.log(chance).sum(axis=0) + log_prior
        weight = np.exp(height - height.max())
        weight /= weight.sum()
        crowd = float(weight @ centre)
        reach = 4 * max(float(np.sqrt(weight @ (centre - crowd) ** 2)), (centres[1] - centres[0]) / 2)
        centres = np.linspace(crowd - reach, crowd + reach, centres.size)
    return crowd, ((likelihood * FINE) @ people.T / chance) @ weight
