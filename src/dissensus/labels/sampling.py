"""Fewer answers or fewer items, drawn at random: what a smaller study would have seen."""

from __future__ import annotations

from typing import Literal, TypeVar

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import normalised_entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.votes import Votes

VotesOrBeliefs = TypeVar("VotesOrBeliefs", Votes, Beliefs)


@takes(answers=(Votes, Beliefs))
def subsample(
    answers: VotesOrBeliefs, m: int, rng: np.random.Generator, short: Literal["refuse", "keep"] = "refuse"
) -> VotesOrBeliefs:
    """Draw m real answers per item without replacement; items and annotators keep their codes.

    Parameters
    ----------
    answers : Votes or Beliefs
    m : int
        Answers per item.
    rng : numpy Generator
    short : "refuse" or "keep"
        What to do with items that have fewer than m answers: raise, or keep all they have.

    Returns
    -------
    Votes or Beliefs
        Of the same type as the answers.

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "a"], ["cat", "dog", "cat"])
    >>> subsample(votes, 2, np.random.default_rng(0)).n_answers
    2
    """
    _check_draws(m)
    have = answers.per_item  # (n,)
    few = np.flatnonzero(have < m)
    if few.size and short != "keep":
        raise Refusal(
            f"item {answers.items[few[0]]} has {have[few[0]]} {answers.noun}s, but {m} per item were asked for; "
            f"{few.size} of {have.size} items have fewer",
            ways=[Way("ask for fewer"), Way("leave these items out"), Way("pass {short}", short="keep")],
        )
    order = np.lexsort((rng.random(answers.n_answers), answers.item))  # by item, at random within
    place = np.arange(order.size) - np.repeat(np.cumsum(have) - have, have)  # 0, 1, ... within each item
    return answers.select(answers=np.sort(order[place < m]))


@takes(d=Distributions)
def resample(d: Distributions, m: int, rng: np.random.Generator) -> Distributions:
    """Draw m votes per item with replacement from its distribution: Multinomial(m, p) / m (Gheibi 2026, A.1).

    Parameters
    ----------
    d : Distributions
    m : int
        Votes per item.
    rng : numpy Generator

    Returns
    -------
    Distributions
        Shares of m votes.

    Examples
    --------
    >>> d = Distributions([[0.5, 0.5]], ["a"], ("cat", "dog"))
    >>> resample(d, 4, np.random.default_rng(0)).votes
    array([4])
    """
    _check_draws(m)
    probs = d.probs / d.probs.sum(axis=1, keepdims=True)  # multinomial tolerates less rounding than Distributions
    return Distributions.from_counts(rng.multinomial(m, probs), items=d.items, classes=d.classes)


@takes(d=Distributions)
def spread_over_entropy(
    d: Distributions, rng: np.random.Generator, *, bins: int = 10, at_most: int = 200
) -> np.ndarray:
    """Items from all levels of disagreement: at most `at_most` in each of equal ranges of entropy.  (r,) sorted

    The bins divide 0 up to the largest entropy; what a bin has beyond `at_most` is left out at random.
    On CIFAR-10H the defaults choose 1,104 images; Singh 2025, sec. 3, reports 1,103 for CIFAR-10H-Hard.
    """
    if bins < 1 or at_most < 1:
        raise ValueError(f"{bins} bins with at most {at_most} items were asked for; expected 1 or more of both")
    entropy = normalised_entropy(d.probs)
    edges = np.linspace(0, max(float(entropy.max(initial=0)), np.finfo(float).tiny), bins + 1)
    bin_of = np.clip(np.searchsorted(edges, entropy, side="right") - 1, 0, bins - 1)
    order = np.lexsort((rng.random(d.n_items), bin_of))
    have = np.bincount(bin_of, minlength=bins)
    place = np.arange(d.n_items) - np.repeat(np.cumsum(have) - have, have)
    return np.sort(order[place < at_most])


def evenly_spaced(n: int, count: int | None) -> np.ndarray:
    """Return at most `count` evenly spaced positions out of n, first and last included; None: all of them.

    Examples
    --------
    >>> evenly_spaced(10, 4)
    array([0, 3, 6, 9])
    """
    wanted = n if count is None else min(n, count)
    return np.unique(np.linspace(0, n - 1, wanted).astype(np.int64))


def _check_draws(m: int) -> None:
    if m < 1:
        raise ValueError(f"{m} answers per item were asked for; expected 1 or more")
