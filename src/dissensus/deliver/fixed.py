"""The same target in every epoch: distributions, majorities, and controls without information."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from dissensus.deliver.delivery import Delivery, checked_seed
from dissensus.labels import transforms
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import one_of
from dissensus.labels.shares import Labels, as_distributions


@takes(labels=ANY_LABELS)
def soft(labels: Labels) -> Delivery:
    """Deliver the whole distribution of each item in every epoch: vote shares, mean beliefs, or distributions as given.

    Peterson 2019, sec. 3; Gheibi 2026, eq. 1 and 2.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions

    Returns
    -------
    Delivery of probabilities

    Examples
    --------
    >>> soft(Votes.of(["a", "a", "b"], ["cat", "dog", "dog"])).targets(epoch=0)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    return always("soft", as_distributions(labels))


@takes(labels=ANY_LABELS)
def majority(labels: Labels, *, ties: Literal["first", "frequent"] = "first") -> Delivery:
    """Deliver the class with most mass in every epoch; the disagreement is lost.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    ties : "first" or "frequent"
        How ties are broken: by the order of `classes`, or by the frequency of the classes over all items.

    Returns
    -------
    Delivery of classes

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "b"], ["cat", "dog", "dog"])
    >>> majority(votes).targets(epoch=0)
    array([0, 1])
    >>> majority(votes, ties="frequent").targets(epoch=0)
    array([1, 1])
    """
    one_of("rule for ties", ties, ("first", "frequent"))
    d = as_distributions(labels)
    order = np.arange(d.n_classes)
    if ties == "frequent":
        order = np.argsort(-(d.counts() if d.votes is not None else d.probs).sum(axis=0), kind="stable")
    # Shares of the same count are the same float, so ties in votes are ties here.
    return always("majority", d, order[d.probs[:, order].argmax(axis=1)])


@takes(labels=ANY_LABELS)
def class_means(labels: Labels, *, gold: np.ndarray | None = None) -> Delivery:
    """Deliver the mean distribution of the item's class: which classes are confused, but not on which items.

    Peterson 2019, sec. 6.2, "class-level penalty".

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    gold : (n,) class codes
        The class of each item; by default the class with most mass, or the first of equal ones.

    Returns
    -------
    Delivery of probabilities

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "b", "b"], ["cat", "dog", "cat", "cat"])
    >>> class_means(votes).targets(epoch=0)
    array([[0.75, 0.25],
           [0.75, 0.25]])
    """
    d = as_distributions(labels)
    return always("class_means", transforms.class_means(d, d.probs.argmax(axis=1) if gold is None else gold))


@takes(labels=ANY_LABELS)
def random(labels: Labels, seed: int) -> Delivery:
    """Deliver a control: one distribution per item, drawn once from Dirichlet(1, ..., 1), whatever people answered.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
        Only their items and classes are used.
    seed : int

    Returns
    -------
    Delivery of probabilities

    Examples
    --------
    >>> delivery = random(Votes.of(["a", "b"], ["cat", "dog"]), seed=0)
    >>> delivery.targets(epoch=0).sum(axis=1)
    array([1., 1.])
    """
    rng = np.random.default_rng(checked_seed(seed))
    return always("random", transforms.random_labels(as_distributions(labels), rng))


@takes(labels=ANY_LABELS)
def uniform(labels: Labels) -> Delivery:
    """Deliver a control: every class equally likely for every item.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
        Only their items and classes are used.

    Returns
    -------
    Delivery of probabilities

    Examples
    --------
    >>> uniform(Votes.of(["a", "b"], ["cat", "dog"])).targets(epoch=0)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    d = as_distributions(labels)
    return always("uniform", d, np.broadcast_to(1 / d.n_classes, d.probs.shape))


def always(name: str, d: Distributions, targets: np.ndarray | None = None) -> Delivery:
    """The same targets in every epoch: those given, (n,) classes or (n, k) probabilities, or the distributions."""
    held = d.probs if targets is None else targets
    if held.flags.writeable:
        held.flags.writeable = False
    return Delivery(
        name=name, items=d.items, classes=d.classes, hard=held.ndim == 1, fixed=True, rule=partial(_held, held)
    )


def _held(targets: np.ndarray, epoch: int, items: np.ndarray | None) -> np.ndarray:
    return targets if items is None else targets[items]
