"""The frame that all models of annotators share: votes as positions, EM steps that never lose, and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from dissensus.aggregate.fit_card import fit_card
from dissensus.labels.answers import hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import positions_of
from dissensus.labels.votes import Votes

Parameters = TypeVar("Parameters")
Progress = Callable[[int, float], None]
TINY = np.finfo(np.float64).tiny  # least probability whose logarithm is taken


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit:
    """What a model of annotators found.

    distributions   posterior probability of each item's class
    annotators      (a,) names
    class_prior     (k,) probability of each class before any answer
    log_likelihood  (iterations,) what the fit climbs, in nats, after each iteration: the log-likelihood of the answers
                    plus the logarithm of the model's priors; it never falls
    converged       whether the last rise was within the tolerance
    """

    distributions: Distributions
    annotators: np.ndarray
    class_prior: np.ndarray
    log_likelihood: np.ndarray
    converged: bool

    def __post_init__(self) -> None:
        for name, content in vars(self).copy().items():
            hold(self, name, content)

    @property
    def iterations(self) -> int:
        return int(self.log_likelihood.size)

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return (
            f"{type(self).__name__}({self.distributions.n_items} items, {self.annotators.size} annotators, "
            f"{self.distributions.n_classes} classes; {state} after {self.iterations} iterations)"
        )

    def _repr_html_(self) -> str:
        converged = f"{'yes' if self.converged else 'no'}, after {self.iterations:,} iterations"
        facts = [("annotators", f"{self.annotators.size:,}"), ("converged", converged)]
        return fit_card(type(self).__name__, facts, self.distributions)


@dataclass(frozen=True, eq=False)
class Ballots:
    """Votes as positions in flat tables, so that sums over votes are one pass each.

    item_cell       (m,) int64, position of (item, choice) in an (n, k) table
    annotator       (m,) int64
    annotator_cell  (m,) int64, position of (annotator, choice) in an (a, k) table
    """

    votes: Votes
    annotators: np.ndarray
    item_cell: np.ndarray
    annotator: np.ndarray
    annotator_cell: np.ndarray

    @classmethod
    def of(cls, votes: Votes, model: str) -> Ballots:
        # int64 throughout: NumPy converts any other integers anew in every bincount and every lookup.
        codes, names = votes.require_annotators(model)
        annotator, choice = codes.astype(np.int64), votes.choice.astype(np.int64)
        k = votes.n_classes
        return cls(votes, names, votes.item.astype(np.int64) * k + choice, annotator, annotator * k + choice)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Items, annotators, classes."""
        return self.votes.n_items, int(self.annotators.size), self.votes.n_classes

    def for_classes(self, weight: np.ndarray) -> np.ndarray:
        """Sum over each item's votes of their weight, by the class voted for.  weight: (m,) -> (n, k)"""
        n, _, k = self.shape
        return summed(weight, self.item_cell, n * k).reshape(n, k)

    def of_annotators(self, weight: np.ndarray) -> np.ndarray:
        """Sum over each annotator's votes of their weight, by the class voted for.  weight: (m,) -> (a, k)"""
        _, a, k = self.shape
        return summed(weight, self.annotator_cell, a * k).reshape(a, k)

    def belief_in(self, posterior: np.ndarray) -> np.ndarray:
        """The probability that each vote is right.  posterior: (n, k) -> (m,)"""
        return posterior.reshape(-1)[self.item_cell]

    def start(self) -> np.ndarray:
        """The share of votes, even where an item has none: where EM begins.  (n, k)"""
        return even_where_empty(self.votes.counts().astype(np.float64))


@dataclass(frozen=True)
class Ascent(Generic[Parameters]):
    """Where an ascent ended: the parameters, the posterior under them, and the heights on the way."""

    posterior: np.ndarray
    parameters: Parameters
    log_likelihood: np.ndarray
    converged: bool


def ascend(
    posterior: np.ndarray,
    parameters: Parameters,
    maximise: Callable[[np.ndarray, Parameters], Parameters],
    expect: Callable[[Parameters], tuple[np.ndarray, float]],
    *,
    answers: int,
    tolerance: float,
    most_iterations: int,
    progress: Progress | None,
) -> Ascent[Parameters]:
    """Expectation-maximisation from a posterior, until an iteration gains at most `tolerance` nats per answer.

        parameters <- maximise(posterior, parameters),   posterior, height <- expect(parameters)

    Dempster, Laird, Rubin (1977): the height never falls if `maximise` does not lower the expected log-likelihood.

    posterior  (n, k) where to begin
    answers    how many answers there are, the scale of the tolerance
    progress   called with the number of the iteration and its height
    """
    if not tolerance >= 0:
        raise ValueError(f"the tolerance is {tolerance} nats per answer; expected 0 or more")
    if most_iterations < 1:
        raise ValueError(f"most_iterations is {most_iterations}; expected 1 or more")
    heights: list[float] = []
    converged = False
    while not converged and len(heights) < most_iterations:
        parameters = maximise(posterior, parameters)
        posterior, height = expect(parameters)
        converged = bool(heights) and height - heights[-1] <= tolerance * answers
        heights.append(height)
        if progress is not None:
            progress(len(heights), height)
    return Ascent(posterior, parameters, np.array(heights), converged)


def normalised(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of log masses as probabilities, and the logarithm of each row's mass.  (n, k) -> (n, k), (n,)"""
    # A maximum down columns and einsum are several times as fast as reducing short rows, and unlike a product with ones
    # start no threads that wait for a busy processor.
    top = np.ascontiguousarray(scores.T).max(axis=0)[:, None]
    probs = scores - top
    np.exp(probs, out=probs)
    total = np.einsum("ik->i", probs)[:, None]
    probs /= total
    return probs, (top + np.log(total))[:, 0]


def summed(weight: np.ndarray, position: np.ndarray, size: int) -> np.ndarray:
    """The weights that fall on each position, added up.  weight, position: (m,) -> (size,) float64"""
    sums = np.bincount(position, weight, size)
    return sums.astype(np.float64, copy=False)  # without any weights NumPy counts in integers


def even_where_empty(mass: np.ndarray) -> np.ndarray:
    """Rows of mass scaled to sum to 1, even shares where a row has none.  (..., k) -> (..., k)"""
    total = mass.sum(axis=-1, keepdims=True)
    return np.where(total > 0, mass, 1.0) / np.where(total > 0, total, mass.shape[-1])


def carried_over(values: np.ndarray, where: np.ndarray, new: Any) -> np.ndarray:
    """Earlier values in the order of the names matched to them, `new` for the new names.  (r, ...) -> (s, ...)"""
    if not values.shape[0]:
        return np.broadcast_to(np.asarray(new, dtype=np.float64), (where.size, *values.shape[1:])).copy()
    known = (where >= 0).reshape(-1, *[1] * (values.ndim - 1))
    return np.where(known, values[where], new)


def off_the_edge(earlier: np.ndarray, towards: np.ndarray | float) -> np.ndarray:
    """Earlier probabilities moved by a hundredth: from exactly 0 EM never returns, whatever new votes say.  (..., k)"""
    return 0.99 * earlier + 0.01 * towards


def matched_classes(classes: tuple[str, ...], earlier: tuple[str, ...]) -> np.ndarray:
    """Where each class stood in an earlier fit; both must know the same classes.  -> (k,)"""
    if set(classes) != set(earlier):
        differing = sorted(set(classes) ^ set(earlier))
        raise ValueError(
            f"the earlier fit knows the classes {list(earlier)}, but these answers are about {list(classes)} "
            f"({', '.join(map(repr, differing))} only in one of them); fit afresh without start"
        )
    return positions_of(classes, earlier)
