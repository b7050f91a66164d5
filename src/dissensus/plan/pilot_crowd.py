"""Seconds and errors among people like those of a pilot, drawn jointly for several kinds of label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

FURTHEST = 30.0  # ln seconds from the measured value, so that draws for two people stay finite


@dataclass(frozen=True, eq=False)
class KindByPerson:
    """The answers of one kind, by person.

    person   (m,) position of the annotator among those of all kinds
    seconds  (m,)
    wrong    (m,) share of wrong comparisons, NaN if unknown
    """

    person: np.ndarray
    seconds: np.ndarray
    wrong: np.ndarray


def draw_crowds(
    kinds: Sequence[KindByPerson], people: int, replicates: int, coverage: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw typical seconds and flip rates of each kind among people like those who answered.

        seconds = exp(mean over people of ln of each one's median)
        ln seconds ~ t(G - 1) around ln of that,  scale^2 = s^2 / G,   s^2 of people's ln medians, or that
            of their own answers if it is larger: the medians of two people may be alike by chance
        flip rate r = mean over people of each one's share of wrong comparisons
        flip rate ~ Beta(r n*, (1 - r) n* + 1) below its middle, Beta(r n* + 1, (1 - r) n*) above
        n* = r (1 - r) / variance of r * [t(m - 1) / t(G - 1)]^2,   the t of the coverage

    People are a sample, so G of them have G - 1 degrees of freedom, however many answers each gave. The geometric mean
    is the median if ln seconds are normal, and the ratio of two kinds is then that of a typical person. The variance of
    r is that between people, or that of independent answers if it is larger:
    Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive counts. For
    independent answers that are right or wrong it is the Clopper-Pearson interval. Each replicate draws one deviation
    per person, which moves the seconds and errors of all kinds that they tried.

    -> seconds, flips: (kinds, replicates + 1), the first as measured; a kind without known errors has rate 0
    """
    from scipy.special import chdtri

    person_rng, tail_rng, own_rng = rng.spawn(3)
    deviation = person_rng.standard_normal((replicates, people))
    tail = tail_rng.random(replicates)
    seconds, flips = (np.zeros((len(kinds), replicates + 1)) for _ in range(2))
    for at, (kind, stream) in enumerate(zip(kinds, own_rng.spawn(len(kinds)), strict=True)):
        who, medians = _by_person(kind.person, kind.seconds, np.median)
        seconds[at] = np.exp(np.log(medians).mean())
        time_rng, error_rng = stream.spawn(2)
        if who.size > 1:
            freedom = who.size - 1
            between = float(np.log(medians).var(ddof=1)) / who.size
            apart = max(_within(kind, who, medians) - between, 0.0)
            away = np.sqrt(between) * deviation[:, who] @ _standardise(np.log(medians))
            away += np.sqrt(apart) * time_rng.standard_normal(replicates)
            away /= np.sqrt(chdtri(freedom, tail) / freedom)
            seconds[at, 1:] *= np.exp(np.clip(away, -FURTHEST, FURTHEST))
        known = np.isfinite(kind.wrong)
        if known.any():
            flips[at] = _flip_rates(kind.person[known], kind.wrong[known], deviation, coverage, error_rng)
    return seconds, flips


def _within(kind: KindByPerson, who: np.ndarray, medians: np.ndarray) -> float:
    """The variance of mean ln seconds if people differed by chance alone, from the variance of their own answers."""
    m = kind.seconds.size
    if m == who.size:
        return 0.0
    away = np.log(kind.seconds) - np.log(medians)[np.searchsorted(who, kind.person)]
    size = np.bincount(kind.person)[who]
    return float((away**2).sum() / (m - who.size) * (1 / size).sum() / who.size**2)


def _flip_rates(
    person: np.ndarray, wrong: np.ndarray, deviation: np.ndarray, coverage: float, rng: np.random.Generator
) -> np.ndarray:
    """The rate as measured and as drawn.  (m,), (m,), (b, people) -> (b + 1,)"""
    from scipy.special import betaincinv, ndtr, stdtrit

    who, rates = _by_person(person, wrong, np.mean)
    rate = float(rates.mean())
    if who.size < 2:  # nothing is known about other people
        return np.concatenate([[rate], rng.random(deviation.shape[0])])
    trials = who.size**2 / float((1 / np.bincount(person)[who]).sum())  # m, if all gave as many answers
    drawn = rng.standard_normal(deviation.shape[0])
    if 0 < rate < 1:
        between = float(rates.var(ddof=1)) / who.size
        # One pseudo-answer, so that equal answers do not have a variance of 0.
        within = (((wrong - rate) ** 2).sum() + rate * (1 - rate)) / wrong.size / trials
        trials = rate * (1 - rate) / max(within, between)
        of_people = between / (between + within)
        drawn = np.sqrt(of_people) * deviation[:, who] @ _standardise(rates) + np.sqrt(1 - of_people) * drawn
    upper = (1 + coverage) / 2
    trials *= float(stdtrit(wrong.size - 1, upper) / stdtrit(who.size - 1, upper)) ** 2
    place, below = ndtr(drawn), ndtr(drawn) < 0.5
    flips = np.where(below, 0.0, 1.0)  # if no answer is wrong, or none is right
    if rate > 0:
        flips[below] = betaincinv(rate * trials, (1 - rate) * trials + 1, place[below])
    if rate < 1:
        flips[~below] = betaincinv(rate * trials + 1, (1 - rate) * trials, place[~below])
    return np.concatenate([[rate], flips])


def _by_person(
    person: np.ndarray, values: np.ndarray, typical: Callable[[np.ndarray], np.floating]
) -> tuple[np.ndarray, np.ndarray]:
    """People who answered, and the typical value of each.  (m,), (m,) -> (g,), (g,)"""
    order = np.argsort(person, kind="stable")
    who, first = np.unique(person[order], return_index=True)
    if who.size == person.size:
        return who, values[order]
    return who, np.array([float(typical(part)) for part in np.split(values[order], first[1:])])


def _standardise(values: np.ndarray) -> np.ndarray:
    """Deviations from the mean whose squares sum to 1, or all 0.  (g,)"""
    away = values - values.mean()
    length = float(np.sqrt((away**2).sum()))
    return away / length if length > 0 else away
