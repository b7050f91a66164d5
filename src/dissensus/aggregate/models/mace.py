"""MACE: on each item an annotator either knows the class or guesses by a habit of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
)
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.names import positions_of
from dissensus.labels.refusals import one_of
from dissensus.labels.votes import Votes

Learning = Literal["variational", "em"]
ClassPrior = Literal["learned", "even"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MaceFit(Fit):
    """The fields of Fit, and

    skill  (a,) probability that an annotator knows the class: 0 is one who always guesses
    guess  (a, k) probability of each answer when guessing
    """

    skill: np.ndarray
    guess: np.ndarray


@takes(votes=Votes)
def mace(
    votes: Votes,
    *,
    learning: Learning = "variational",
    skill_prior: tuple[float, float] = (0.5, 0.5),
    guess_prior: float = 1.0,
    class_prior: ClassPrior = "learned",
    tolerance: float = 1e-5,
    most_iterations: int = 200,
    start: MaceFit | None = None,
    progress: Progress | None = None,
) -> MaceFit:
    """Estimate each item's class and each annotator's competence.

        P(class t) = class_prior_t,   P(vote c | class t) = skill_j [c = t] + (1 - skill_j) guess_jc
        skill_j ~ Beta(skill_prior),   guess_j ~ Dirichlet(guess_prior, ..., guess_prior)

    Hovy, Berg-Kirkpatrick, Vaswani, Hovy (2013), Learning Whom to Trust with MACE, NAACL. Two defaults are not theirs.
    They take classes as equally likely, class_prior="even"; a class of most items then looks like everybody's habit
    when guessing. "learned" is the mean of P(t | i), as in Dawid-Skene. Their guess_prior is 10, nearly even guesses; 1
    takes every habit as equally likely. With counts known_j and guessed_jc expected from the current posterior,

        variational  parameters are exp E[log .] under the Dirichlet of prior + counts (mean-field); the objective is
        the
                     evidence lower bound
        em           parameters are their share of prior + counts; the objective is the log-likelihood plus
                     sum prior * log parameter

    A vote only changes the odds of its own class, so an iteration is one pass over the votes whatever k. The fit starts
    with everyone knowing half the time and guessing evenly, without random restarts. Items without votes get the class
    prior, annotators without votes the mean of theirs.

    Parameters
    ----------
    votes : votes with their annotators
    learning : "variational" or "em"
    skill_prior : parameters of the Beta prior of each skill
    guess_prior : parameter of the Dirichlet prior of each annotator's guesses
    class_prior : "learned" or "even"
    tolerance : stop if an iteration gains at most this many nats per vote
    most_iterations : maximum iterations
    start : an earlier fit to start from; items and annotators are matched by name and may be new
    progress : called after each iteration

    Returns
    -------
    the distributions, skills, guesses, class prior and course of the fit

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> mace(votes).skill.shape
    (3,)
    """
    _check_settings(learning, class_prior, skill_prior, guess_prior)
    ballots = Ballots.of(votes, "MACE")
    _, a, k = ballots.shape
    cast = ballots.of_annotators(np.ones(votes.n_answers))  # (a, k)
    prior_known, prior_guessed = skill_prior
    answered = (votes.per_item > 0).astype(np.float64)
    even = np.full(k, 1 / k)

    def maximise(posterior: np.ndarray, parameters: _Parameters) -> _Parameters:
        right = ballots.of_annotators(ballots.belief_in(posterior))  # (a, k)
        known = right * parameters.known_if_right()  # (a, k)
        guessed = np.maximum(cast - known, 0.0)
        coin = np.stack([known.sum(axis=1) + prior_known, guessed.sum(axis=1) + prior_guessed], axis=1)  # (a, 2)
        habit = guessed + guess_prior  # (a, k)
        learn = _expected_log if learning == "variational" else _log_share
        log_coin, coin_height = learn(coin, np.array([prior_known, prior_guessed]))
        log_guess, habit_height = learn(habit, np.full(k, guess_prior))
        mean = even_where_empty(coin)[:, 0], even_where_empty(habit)
        prior = even_where_empty(np.einsum("i,ik->k", answered, posterior)) if class_prior == "learned" else even
        return _Parameters(log_coin, log_guess, prior, coin_height + habit_height, *mean)

    def expect(parameters: _Parameters) -> tuple[np.ndarray, float]:
        log_guessing = parameters.log_coin[:, 1:] + parameters.log_guess  # (a, k), of guessing this answer
        gain = np.logaddexp(parameters.log_coin[:, :1], log_guessing) - log_guessing
        scores = ballots.for_classes(gain.reshape(-1)[ballots.annotator_cell])
        scores += np.log(np.maximum(parameters.class_prior, TINY))
        posterior, mass = normalised(scores)
        height = (mass * answered).sum() + (cast * log_guessing).sum() + parameters.prior_height
        return posterior, float(height)

    prior = even
    if start is None:
        skill, guess = np.full(a, 0.5), np.full((a, k), 1 / k)
    else:
        where = positions_of(ballots.annotators, start.annotators)
        order = matched_classes(votes.classes, start.distributions.classes)
        skill = carried_over(start.skill, where, prior_known / (prior_known + prior_guessed))
        guess = carried_over(start.guess[:, order], where, 1 / k)
        prior = off_the_edge(start.class_prior[order], 1 / k) if class_prior == "learned" else even
    begun = np.log(np.maximum(np.stack([skill, 1 - skill], axis=1), TINY)), np.log(np.maximum(guess, TINY))
    parameters = _Parameters(*begun, prior, 0.0, skill, guess)
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
    return MaceFit(
        distributions=Distributions(ascent.posterior, votes.items, votes.classes),
        annotators=ballots.annotators,
        class_prior=ascent.parameters.class_prior,
        log_likelihood=ascent.log_likelihood,
        converged=ascent.converged,
        skill=ascent.parameters.skill,
        guess=ascent.parameters.guess,
    )


@dataclass(frozen=True)
class _Parameters:
    """What the next expectation uses, the height of the priors under it, and the means to report.

    log_coin (a, 2) knowing, guessing | log_guess (a, k) | class_prior (k,) | skill (a,) | guess (a, k)
    """

    log_coin: np.ndarray
    log_guess: np.ndarray
    class_prior: np.ndarray
    prior_height: float
    skill: np.ndarray
    guess: np.ndarray

    def known_if_right(self) -> np.ndarray:
        """The probability that an annotator who gave the right answer knew it, by answer.  (a, k)"""
        from scipy.special import expit

        return expit(self.log_coin[:, :1] - self.log_coin[:, 1:] - self.log_guess)


def _log_share(mass: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, float]:
    """Logarithm of each row's shares, and prior * log share summed.  mass: (a, r), prior: (r,) -> (a, r), height"""
    log_share = np.log(np.maximum(even_where_empty(mass), TINY))
    return log_share, float((prior * log_share).sum())


def _expected_log(mass: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, float]:
    """E[log x] for x ~ Dirichlet(row), and minus the sum of KL(Dirichlet(row) || Dirichlet(prior)).

    KL = log B(prior) - log B(row) + sum (row - prior) E[log x],   B the multivariate beta function

    mass: (a, r), prior: (r,) -> (a, r), height
    """
    from scipy.special import digamma, gammaln

    total = mass.sum(axis=1)
    expected = digamma(mass) - digamma(total)[:, None]
    log_beta = gammaln(mass).sum(axis=1) - gammaln(total)
    log_beta_prior = gammaln(prior).sum() - gammaln(prior.sum())
    divergence = log_beta_prior - log_beta + ((mass - prior) * expected).sum(axis=1)
    return expected, -float(divergence.sum())


def _check_settings(learning: str, class_prior: str, skill_prior: tuple[float, float], guess_prior: float) -> None:
    one_of("way of learning", learning, ("variational", "em"))
    one_of("class prior", class_prior, ("learned", "even"))
    if len(skill_prior) != 2 or not all(0 < value < np.inf for value in skill_prior):
        raise ValueError(f"skill_prior is {skill_prior}; expected two finite numbers above 0, for knowing and guessing")
    if not 0 < guess_prior < np.inf:
        raise ValueError(f"guess_prior is {guess_prior}; expected a finite number above 0")
