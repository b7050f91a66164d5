"""GLAD: annotators differ in skill and items in how easy they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dissensus.aggregate.models.em import (
    TINY,
    Ballots,
    Fit,
    Progress,
    ascend,
    carried_over,
    matched_classes,
    normalised,
    summed,
)
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.names import item_positions, positions_of
from dissensus.labels.votes import Votes

SWEEPS = 2  # Newton steps for skills, then for ease, in each maximisation


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GladFit(Fit):
    """The fields of Fit, and

    skill  (a,) log-odds of being right on an item of ease 1, against evenly spread errors: 0 is a coin, below it
           misleading
    ease   (n,) above 0; near 0 nobody is better than a coin, large ones everyone with skill gets right
    """

    skill: np.ndarray
    ease: np.ndarray


@takes(votes=Votes)
def glad(
    votes: Votes,
    *,
    prior_mean: tuple[float, float] = (1.0, 1.0),
    prior_deviation: tuple[float, float] = (1.0, 1.0),
    tolerance: float = 1e-5,
    most_iterations: int = 200,
    start: GladFit | None = None,
    progress: Progress | None = None,
) -> GladFit:
    """Estimate each item's class and ease, and each annotator's skill; classes are equally likely a priori.

        P(vote c | class t) = right if c = t, else (1 - right) / (k - 1),   right = 1 / (1 + exp(-skill_j ease_i))
        skill_j ~ Normal,   log ease_i ~ Normal

    Whitehill, Ruvolo, Wu, Bergsma, Movellan (2009), Whose Vote Should Count More, NeurIPS. The objective is the
    log-likelihood of the votes plus the logarithm of both priors. The maximisation is not exact (generalised EM): it
    takes Newton steps, first for all skills at once, then for the ease of all items, and accepts a step only if it does
    not lower its own part of the expected log-likelihood.

    The fit starts at the means of the priors. Items without votes get even shares and the prior's ease, annotators
    without votes the prior's skill.

    Parameters
    ----------
    votes : votes with their annotators
    prior_mean : means of the skill and of the logarithm of the ease
    prior_deviation : their standard deviations
    tolerance : stop if an iteration gains at most this many nats per vote
    most_iterations : maximum iterations
    start : an earlier fit to start from; items and annotators are matched by name and may be new
    progress : called after each iteration

    Returns
    -------
    the distributions, skills, ease of each item and course of the fit

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> glad(votes).skill.shape
    (3,)
    """
    if not (np.isfinite([*prior_mean, *prior_deviation]).all() and min(prior_deviation) > 0):
        raise ValueError(
            f"the priors of skill and log ease have means {prior_mean} and deviations {prior_deviation}; expected "
            "finite numbers, deviations above 0"
        )
    ballots = Ballots.of(votes, "GLAD")
    n, a, k = ballots.shape
    item = votes.item.astype(np.int64)
    log_others = np.log(max(k - 1, 1))
    (skill_mean, ease_mean), (skill_scale, ease_scale) = prior_mean, 1 / np.square(prior_deviation)

    def logits(skill: np.ndarray, log_ease: np.ndarray) -> np.ndarray:
        return skill[ballots.annotator] * np.exp(log_ease)[item]  # (m,)

    def maximise(posterior: np.ndarray, parameters: _Parameters) -> _Parameters:
        right = ballots.belief_in(posterior)  # (m,)
        skill, log_ease, point = parameters.skill, parameters.log_ease, parameters.point
        for _ in range(SWEEPS):
            skill, point = _climbed(
                skill,
                point,
                right,
                np.exp(log_ease)[item],
                partial(logits, log_ease=log_ease),
                partial(summed, position=ballots.annotator, size=a),
                skill_mean,
                skill_scale,
            )
            log_ease, point = _climbed(
                log_ease,
                point,
                right,
                point.logit,
                partial(logits, skill),
                partial(summed, position=item, size=n),
                ease_mean,
                ease_scale,
            )
        return _Parameters(skill, log_ease, point)

    def expect(parameters: _Parameters) -> tuple[np.ndarray, float]:
        posterior, mass = normalised(ballots.for_classes(parameters.point.logit + log_others))
        wrong = parameters.point.log_wrong.sum() - log_others * votes.n_answers
        prior = _log_normal(parameters.skill, skill_mean, skill_scale).sum()
        prior += _log_normal(parameters.log_ease, ease_mean, ease_scale).sum()
        return posterior, float(mass.sum() - n * np.log(k) + wrong + prior)

    skill, log_ease = np.full(a, skill_mean), np.full(n, ease_mean)
    if start is not None:
        matched_classes(votes.classes, start.distributions.classes)
        skill = carried_over(start.skill, positions_of(ballots.annotators, start.annotators), skill_mean)
        earlier = np.log(np.maximum(start.ease, TINY))
        log_ease = carried_over(earlier, item_positions(votes.items, start.distributions.items), ease_mean)
    parameters = _Parameters(skill, log_ease, _Point.at(logits(skill, log_ease)))
    posterior, _ = expect(parameters)
    ascent = ascend(
        posterior,
        parameters,
        maximise,
        expect,
        answers=votes.n_answers,
        tolerance=tolerance,
        most_iterations=most_iterations,
        progress=progress,
    )
    return GladFit(
        distributions=Distributions(ascent.posterior, votes.items, votes.classes),
        annotators=ballots.annotators,
        class_prior=np.full(k, 1 / k),
        log_likelihood=ascent.log_likelihood,
        converged=ascent.converged,
        skill=ascent.parameters.skill,
        ease=np.exp(ascent.parameters.log_ease),
    )


@dataclass(frozen=True)
class _Point:
    """The votes at some skills and ease: logit of being right, its probability, log-probability of being wrong. (m,)"""

    logit: np.ndarray
    chance: np.ndarray
    log_wrong: np.ndarray

    @classmethod
    def at(cls, logit: np.ndarray) -> _Point:
        small = np.abs(logit)
        np.negative(small, out=small)
        np.exp(small, out=small)  # at most 1, so nothing overflows
        whole = 1 + small
        chance = np.where(logit >= 0, 1.0, small)
        chance /= whole
        log_wrong = np.log(whole, out=whole)
        log_wrong += np.maximum(logit, 0.0)
        return cls(logit, chance, np.negative(log_wrong, out=log_wrong))


@dataclass(frozen=True)
class _Parameters:
    """skill (a,) | log_ease (n,) | the votes under them"""

    skill: np.ndarray
    log_ease: np.ndarray
    point: _Point


def _climbed(
    values: np.ndarray,
    point: _Point,
    right: np.ndarray,
    slope: np.ndarray,
    logits: Callable[[np.ndarray], np.ndarray],
    total: Callable[[np.ndarray], np.ndarray],
    mean: float,
    scale: float,
) -> tuple[np.ndarray, _Point]:
    """One Newton step for each value on its own, shortened or left out where it would lower

        sum over its votes of right * logit + log(1 - sigmoid(logit)) - scale/2 (value - mean)^2

    The curvature is the Fisher information, so it is never negative.

    values  (r,) skills, or logarithms of ease | point  the votes at them
    right   (m,) probability that each vote is right | slope  (m,) d logit / d value
    logits  (r,) -> (m,) | total  (m,) -> (r,), over the votes of each value
    """
    gradient = total((right - point.chance) * slope) - scale * (values - mean)
    curvature = total(point.chance * (1 - point.chance) * slope * slope) + scale
    step = gradient / curvature
    height = total(right * point.logit + point.log_wrong) + _log_normal(values, mean, scale)
    for shortened in (1.0, 0.25, 0.0625, 0.0):
        tried = values + shortened * step
        reached_point = _Point.at(logits(tried))
        reached = total(right * reached_point.logit + reached_point.log_wrong) + _log_normal(tried, mean, scale)
        lower = reached < height
        if not lower.any():
            break
        # Those that rose keep what they have; only the others take a shorter step.
        values = np.where(lower, values, tried)
        height, step = np.where(lower, height, reached), np.where(lower, step, 0.0)
    return tried, reached_point


def _log_normal(values: np.ndarray, mean: float, scale: float) -> np.ndarray:
    return -0.5 * scale * (values - mean) ** 2
