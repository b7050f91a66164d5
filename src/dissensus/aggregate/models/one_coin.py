"""One-coin: each annotator is right equally often whatever the class, and errs evenly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.models.em import (
    TINY,
    Ballots,
    Fit,
    Progress,
    ascend,
    carried_over,
    even_where_empty,
    matched_classes,
    normalised,
    off_the_edge,
    summed,
)
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.names import positions_of
from dissensus.labels.votes import Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OneCoinFit(Fit):
    """The fields of Fit, and

    skill  (a,) probability that an annotator is right: 1 is perfect, 1/k blind, below it misleading
    crowd  skill of all annotators together against the share of votes, towards which each is drawn
    """

    skill: np.ndarray
    crowd: float


@takes(votes=Votes)
def one_coin(
    votes: Votes,
    *,
    smoothing: float = 5.0,
    tolerance: float = 1e-5,
    most_iterations: int = 200,
    start: OneCoinFit | None = None,
    progress: Progress | None = None,
) -> OneCoinFit:
    """Estimate each item's class and each annotator's skill by expectation-maximisation.

        P(vote c | class t) = skill_j if c = t, else (1 - skill_j) / (k - 1)
        M  skill_j = (sum over votes of P(right) + smoothing * crowd) / (votes of j + smoothing)

    The objective is the log-likelihood of the votes plus a Beta prior on every skill, worth `smoothing` votes, around
    the skill of the whole crowd. 0 gives maximum likelihood. The one-coin model of Dawid and Skene (1979) as in Zhang,
    Chen, Zhou, Jordan (2016), Spectral methods meet EM, JMLR 17.

    A vote only changes the odds of its own class, by (k - 1) skill / (1 - skill), so an iteration is one pass over the
    votes whatever k. The fit starts from the share of votes. Items without votes get the class prior, annotators
    without votes the crowd's skill.

    Parameters
    ----------
    votes : votes with their annotators
    smoothing : votes that the prior of each skill is worth
    tolerance : stop if an iteration gains at most this many nats per vote
    most_iterations : maximum iterations
    start : an earlier fit to start from; items and annotators are matched by name and may be new
    progress : called after each iteration

    Returns
    -------
    the distributions, skills, class prior and course of the fit

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> one_coin(votes).skill.shape
    (3,)
    """
    if not 0 <= smoothing < np.inf:
        raise ValueError(f"smoothing is {smoothing} votes; expected a finite number of 0 or more")
    ballots = Ballots.of(votes, "one-coin")
    k = votes.n_classes
    per_item, per_annotator = votes.per_item, votes.per_annotator
    votes_of = per_annotator + smoothing  # (a,)
    answered = (per_item > 0).astype(np.float64)

    def maximise(posterior: np.ndarray, _: _Parameters) -> _Parameters:
        right = summed(ballots.belief_in(posterior), ballots.annotator, votes_of.size) + smoothing * crowd
        skill = np.where(votes_of > 0, right / np.maximum(votes_of, TINY), crowd)
        return _Parameters(np.clip(skill, 0.0, 1.0), even_where_empty(np.einsum("i,ik->k", answered, posterior)))

    def expect(parameters: _Parameters) -> tuple[np.ndarray, float]:
        log_right = np.log(np.maximum(parameters.skill, TINY))
        log_wrong = np.log(np.maximum((1 - parameters.skill) / max(k - 1, 1), TINY))  # of one wrong class
        scores = ballots.for_classes((log_right - log_wrong)[ballots.annotator])
        scores += np.log(np.maximum(parameters.class_prior, TINY))
        posterior, mass = normalised(scores)
        prior = smoothing * (crowd * log_right + (1 - crowd) * log_wrong).sum()
        return posterior, float((mass * answered).sum() + (per_annotator * log_wrong).sum() + prior)

    posterior = ballots.start()
    # One vote more, right by chance, keeps the crowd's skill off 0 and 1. It is of these votes even after an earlier
    # fit: the crowd is part of what is climbed, and has to be the same for both.
    crowd = float((ballots.belief_in(posterior).sum() + 1 / k) / (votes.n_answers + 1))
    parameters = _Parameters(np.empty(0), np.empty(0))
    if start is not None:
        order = matched_classes(votes.classes, start.distributions.classes)
        skill = carried_over(start.skill, positions_of(ballots.annotators, start.annotators), crowd)
        parameters = _Parameters(off_the_edge(skill, crowd), off_the_edge(start.class_prior[order], 1 / k))
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
    return OneCoinFit(
        distributions=Distributions(ascent.posterior, votes.items, votes.classes),
        annotators=ballots.annotators,
        class_prior=ascent.parameters.class_prior,
        log_likelihood=ascent.log_likelihood,
        converged=ascent.converged,
        skill=ascent.parameters.skill,
        crowd=crowd,
    )


@dataclass(frozen=True)
class _Parameters:
    """skill (a,) | class_prior (k,)"""

    skill: np.ndarray
    class_prior: np.ndarray
