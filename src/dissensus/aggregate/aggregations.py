"""Aggregation by the name of the method, for the command line and for study files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from dissensus.aggregate.counting import dirichlet, majority
from dissensus.aggregate.models.dawid_skene import dawid_skene
from dissensus.aggregate.models.em import Fit
from dissensus.aggregate.models.glad import glad
from dissensus.aggregate.models.mace import mace
from dissensus.aggregate.models.one_coin import one_coin
from dissensus.aggregate.pooling import linear_pool, log_pool
from dissensus.aggregate.priors.shrinkage import Shrinkage, shrinkage
from dissensus.aggregate.recalibration import gold_codes, recalibrated, temperatures
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, usual_completion
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import Labels, share
from dissensus.labels.votes import Votes

Recalibration = Literal["repeats"] | Votes
FROM_VOTES: dict[str, Callable[..., Any]] = {
    "share": share,
    "majority": majority,
    "dirichlet": dirichlet,
    "one-coin": one_coin,
    "mace": mace,
    "glad": glad,
    "shrinkage": shrinkage,
}
FROM_BELIEFS: dict[str, Callable[..., Any]] = {"linear-pool": linear_pool, "log-pool": log_pool}
AGGREGATIONS: dict[str, Callable[..., Any]] = FROM_VOTES | {"dawid-skene": dawid_skene} | FROM_BELIEFS


def aggregate(
    labels: Labels,
    method: str,
    say: Callable[[str], None],
    *,
    recalibrate: Recalibration | None = None,
    **options: Any,
) -> Any:
    """What a method makes of votes or beliefs: Distributions, or a fit that holds them.

    Methods for votes take the first choices of beliefs; pools take votes as certain beliefs; dawid-skene takes both.
    Partial beliefs are completed first. Counts without annotators do for share, majority, dirichlet and shrinkage.

    recalibrate  temper each annotator's beliefs first, by their second answers ("repeats") or by gold, a vote per item
    """
    if method not in AGGREGATIONS:
        raise ValueError(f"no method {method!r}; there are {', '.join(AGGREGATIONS)}")
    if recalibrate is not None and (method in FROM_VOTES or not isinstance(labels, Beliefs)):
        raise ValueError(
            f"recalibration changes how sure beliefs are, and {method} of {type(labels).__name__} does not look at "
            f"that; expected Beliefs and one of dawid-skene, {', '.join(FROM_BELIEFS)}; leave it out"
        )
    if isinstance(labels, Distributions):
        labels = Votes.of_counts(labels)
    if method in FROM_VOTES and isinstance(labels, Beliefs):
        say(f"{method} takes votes: the first choice of each belief is used")
        labels = labels.first_choices()
    elif method in FROM_BELIEFS and isinstance(labels, Votes):
        say(f"{method} takes beliefs: each vote is one that is certain")
        labels = COMPLETIONS["dense"](Beliefs.of_votes(labels))
    elif isinstance(labels, Beliefs):
        completion = usual_completion(labels)
        say(f"beliefs completed by {completion}")
        labels = COMPLETIONS[completion](labels)
        if recalibrate is not None:
            labels = _tempered(labels, recalibrate, say)
    return AGGREGATIONS[method](labels, **options)


def _tempered(beliefs: Beliefs, by: Recalibration, say: Callable[[str], None]) -> Beliefs:
    found = temperatures(beliefs, gold_codes(by, beliefs) if isinstance(by, Votes) else None)
    say(
        f"beliefs recalibrated by {'gold' if isinstance(by, Votes) else by}: {found.answers.sum()} known answers, the "
        f"crowd's temperature {found.crowd:.2f} (above 1: too sure), annotators' from {found.temperature.min():.2f} to "
        f"{found.temperature.max():.2f}"
    )
    return recalibrated(beliefs, found)


def distributions_of(result: Any) -> Distributions:
    """The distributions of whatever `aggregate` returned."""
    return result.distributions if isinstance(result, Fit | Shrinkage) else result
