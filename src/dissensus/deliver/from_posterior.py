"""Delivery from the posterior: few votes are uncertain, so plausible distributions of a large crowd are drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from dissensus.deliver.delivery import Delivery, checked_seed
from dissensus.deliver.one_answer import sls
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, refusal, takes
from dissensus.labels.shares import Labels

if TYPE_CHECKING:
    from dissensus.aggregate.priors.dirichlet_mixture import MixturePosterior
    from dissensus.aggregate.priors.shrinkage import Shrinkage


@takes(prior=Distributions)
def posterior(
    labels: Labels | Shrinkage,
    seed: int,
    *,
    draw: Literal["class", "distribution"] = "class",
    prior: Distributions | None = None,
) -> Delivery:
    """Draw a class or a whole distribution every epoch from the posterior of each item's votes.

        p_i ~ posterior of shrinkage(votes),   then y_i ~ Categorical(p_i) for classes

    The probability of a class is the posterior mean, so a class that no annotator chose among few votes stays possible.
    An item without votes is drawn from the prior.

    Parameters
    ----------
    labels : Votes, Distributions with a number of votes, or Shrinkage
        A fitted Shrinkage is used as it is.
    seed : int
    draw : "class" or "distribution"
    prior : Distributions
        A model's predictions for the same items; see `aggregate.shrinkage`.

    Returns
    -------
    Delivery of classes or of probabilities

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "a", "b"], ["cat", "cat", "dog", "dog"])
    >>> posterior(votes, seed=0)
    <Delivery posterior: classes for 2 items over 2 classes>
    >>> bool(posterior(votes, seed=0, draw="distribution").targets(epoch=0).min() > 0)
    True
    """
    from dissensus.aggregate.priors.shrinkage import Shrinkage, shrinkage

    if draw not in ("class", "distribution"):
        raise ValueError(f"draw is {draw!r}; expected class or distribution")
    if not isinstance(labels, (*ANY_LABELS, Shrinkage)):
        raise ValueError(refusal("posterior", "labels", (*ANY_LABELS, Shrinkage), labels))
    if isinstance(labels, Shrinkage) and prior is not None:
        raise ValueError("this fit has its prior already; pass the votes to use another prior")
    if isinstance(labels, Beliefs):
        raise ValueError(
            "posterior delivery counts votes, but these are beliefs; pass beliefs.first_choices(), or draw classes "
            "from the beliefs with sls"
        )
    if isinstance(labels, Distributions) and labels.votes is None:
        raise ValueError(
            "posterior delivery counts votes, but these distributions carry no number of votes, as majorities, "
            "estimates, mean beliefs and predictions do not: pass the Votes, or draw classes from the "
            "distributions with sls"
        )
    fit = labels if isinstance(labels, Shrinkage) else shrinkage(labels, prior)
    if draw == "class":  # drawing p and then y is drawing y by the mean of p
        return replace(sls(fit.distributions, seed), name="posterior")
    return Delivery(
        name="posterior",
        items=fit.distributions.items,
        classes=fit.distributions.classes,
        hard=False,
        fixed=False,
        rule=partial(_possible, checked_seed(seed), fit.posterior),
    )


def _possible(seed: int, known: MixturePosterior, epoch: int, items: np.ndarray | None) -> np.ndarray:
    from dissensus.deliver.gammas import posterior_rows
    from dissensus.deliver.keyed import NO_ITEMS, key

    asked = NO_ITEMS if items is None else items
    start = key(seed, "posterior", epoch)
    return posterior_rows(start, known.weights, known.alpha, known.counts, asked, items is None)
