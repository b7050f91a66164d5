"""Dawid-Skene: each annotator has a confusion matrix, learnt together with the classes of the items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.aggregate.models.em import (
    TINY,
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
from dissensus.aggregate.pooling import complete_rows
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.names import positions_of
from dissensus.labels.votes import Votes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Answers look up confusion in random order. While all of it stays near the processor one pass over the answers for all
# classes is fastest; beyond that one pass per class, each in a table k times smaller: 0.6 of the time for 20 million.
CACHE = 4 * 2**20  # bytes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DawidSkeneFit(Fit):
    """The fields of Fit, and

    confusion  (a, k, k) probability that an annotator answers c where the class is t, at [annotator, t, c]
    crowd      (k, k) the confusion of all annotators together against the share of answers, towards which each is drawn
    """

    confusion: np.ndarray
    crowd: np.ndarray


@takes(answers=(Votes, Beliefs))
def dawid_skene(
    answers: Votes | Beliefs,
    *,
    smoothing: float = 10.0,
    tolerance: float = 1e-5,
    most_iterations: int = 200,
    start: DawidSkeneFit | None = None,
    progress: Progress | None = None,
) -> DawidSkeneFit:
    """Estimate each item's class and each annotator's confusion matrix by expectation-maximisation.

        E  P(t | i) ~ prior_t  prod over answers (annotator j, class c) to i of confusion_jtc ^ weight
        M  confusion_jtc ~ sum over answers of weight * P(t | i) + smoothing * crowd_tc,   prior_t = mean of P(t | i)

    The objective is the log-likelihood sum_i log sum_t prior_t prod confusion_jtc ^ weight, plus smoothing * sum_jtc
    crowd_tc log confusion_jtc: a Dirichlet prior on every row, worth `smoothing` answers, around the confusion of the
    whole crowd. 0 gives the maximum likelihood of Dawid and Skene (1979), Applied Statistics 28.

    A vote has weight 1. A belief is a fractional vote: each class has the weight of its stated probability, so that the
    exponent is the expected log-probability of a vote drawn from the belief. Beliefs with 1 on one class give exactly
    what votes give. The fit starts from the share of answers. Items without answers get the class prior, annotators
    without answers the crowd's confusion, and a class that nobody chose gets no mass.

    Parameters
    ----------
    answers : votes, or beliefs whose rows state every class and sum to 1
    smoothing : answers that the prior of each row of a confusion matrix is worth
    tolerance : stop if an iteration gains at most this many nats per answer
    most_iterations : maximum iterations
    start : an earlier fit to start from; items and annotators are matched by name and may be new
    progress : called after each iteration

    Returns
    -------
    the distributions, confusion matrices, class prior and course of the fit

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> dawid_skene(votes).confusion.shape
    (3, 2, 2)
    """
    if not 0 <= smoothing < np.inf:
        raise ValueError(f"smoothing is {smoothing} answers; expected a finite number of 0 or more")
    _, names = answers.require_annotators("Dawid-Skene")
    a, k = names.size, answers.n_classes
    per_item = answers.per_item
    cast, shares = _answer_matrix(answers, a)  # (n, a k), (n, k)
    by_class = 8 * a * k * k > CACHE
    answered = (per_item > 0).astype(np.float64)

    def maximise(posterior: np.ndarray, _: _Parameters) -> _Parameters:
        mass = _times(cast.T, posterior, by_class).reshape(a, k, k)  # [annotator, c, t]
        mass += drawn
        total = np.einsum("jct->jt", mass)[:, None]
        mass += total == 0  # an empty row becomes an even one: any row is as likely
        mass /= np.where(total == 0, k, total)
        return _Parameters(mass, even_where_empty(np.einsum("i,ik->k", answered, posterior)))

    def expect(parameters: _Parameters) -> tuple[np.ndarray, float]:
        log_confusion = np.maximum(parameters.confusion, TINY)
        np.log(log_confusion, out=log_confusion)
        scores = _times(cast, log_confusion.reshape(a * k, k), by_class)  # (n, k)
        scores += np.log(np.maximum(parameters.class_prior, TINY))
        posterior, mass = normalised(scores)
        return posterior, float((mass * answered).sum() + (drawn * log_confusion.sum(axis=0)).sum())

    posterior = even_where_empty(shares)
    # Of these answers even after an earlier fit: the crowd is part of what is climbed, and has to be the same for both.
    crowd = even_where_empty(np.einsum("it,ic->tc", posterior, shares) + 1 / k**2)  # one answer more, spread evenly
    drawn = smoothing * crowd.T  # (k, k) [c, t]
    parameters = _Parameters(np.empty((a, k, k)), np.empty(k))
    if start is not None:
        parameters = _from_earlier(start, names, answers.classes, crowd)
        posterior, _ = expect(parameters)
    ascent = ascend(
        posterior,
        parameters,
        maximise,
        expect,
        answers=answers.n_answers,
        tolerance=tolerance,
        most_iterations=most_iterations,
        progress=progress,
    )
    return DawidSkeneFit(
        distributions=Distributions(np.ascontiguousarray(ascent.posterior), answers.items, answers.classes),
        annotators=names,
        class_prior=ascent.parameters.class_prior,
        log_likelihood=ascent.log_likelihood,
        converged=ascent.converged,
        confusion=ascent.parameters.confusion.transpose(0, 2, 1),
        crowd=crowd,
    )


@dataclass(frozen=True)
class _Parameters:
    """confusion (a, k, k) at [annotator, c, t], the order in which answers look it up | class_prior (k,)"""

    confusion: np.ndarray
    class_prior: np.ndarray


def _from_earlier(
    start: DawidSkeneFit, annotators: np.ndarray, classes: tuple[str, ...], crowd: np.ndarray
) -> _Parameters:
    order = matched_classes(classes, start.distributions.classes)
    known = start.confusion[:, order][:, :, order]
    confusion = carried_over(known, positions_of(annotators, start.annotators), crowd)
    moved = off_the_edge(confusion, crowd).transpose(0, 2, 1)
    return _Parameters(np.ascontiguousarray(moved), off_the_edge(start.class_prior[order], 1 / order.size))


def _times(matrix: Any, table: np.ndarray, by_class: bool) -> np.ndarray:
    """matrix @ table, at once or a column at a time; then columns are contiguous.  (r, s), (s, k) -> (r, k)"""
    if not by_class:
        return matrix @ table
    columns = np.empty((table.shape[1], matrix.shape[0]))
    for code, column in enumerate(table.T):
        columns[code] = matrix @ column
    return columns.T


def _answer_matrix(answers: Votes | Beliefs, a: int) -> tuple[csr_array, np.ndarray]:
    """The weight of each answer, items by (annotator, class), and summed over annotators.  (n, a k), (n, k)"""
    from scipy.sparse import csr_array

    n, k = answers.n_items, answers.n_classes
    codes, _ = answers.require_annotators("Dawid-Skene")
    wide = np.dtype(np.int64 if max(a, answers.n_answers) * k >= 2**31 else np.int32)
    if isinstance(answers, Votes):
        row, code, weight = answers.item, answers.choice, np.ones(answers.n_answers)
        column = np.multiply(codes, k, dtype=wide) + code
    else:
        stated = complete_rows(answers)
        belief, code = np.nonzero(stated)
        row, weight = answers.item[belief], stated[belief, code]
        column = np.multiply(codes[belief], k, dtype=wide) + code.astype(wide)
    shares = summed(weight, np.multiply(row, k, dtype=np.int64) + code, n * k).reshape(n, k)
    if row.size and (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        column, weight = column[order], weight[order]
    pointers = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]).astype(wide)
    return csr_array((weight, column, pointers), shape=(n, a * k)), shares
