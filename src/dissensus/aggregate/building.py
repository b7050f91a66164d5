"""From what people said to one distribution per item, by the name of the method."""

from __future__ import annotations

from typing import Any

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, usual_completion
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import mean_belief, share
from dissensus.labels.votes import Votes


def build(
    labels: Votes | Beliefs | Distributions, method: str | None = None, **options: Any
) -> tuple[str, Distributions]:
    """The method used and the distributions it gives: the share of votes, or the mean of completed beliefs.

    Without a method: share for votes, t2-clamp for beliefs that name classes, dense for sliders and full rows.
    options: gamma and contradictions, for the clamp completions.
    """
    if isinstance(labels, Distributions):
        if method is not None or options:
            asked = ", ".join([*(() if method is None else (f"method {method!r}",)), *options])
            raise ValueError(
                f"these are distributions already, so {asked} would build nothing; leave it out, or convert"
            )
        return "none", labels
    if method is None:
        method = "share" if isinstance(labels, Votes) else usual_completion(labels)
    if options and not method.endswith("-clamp"):
        raise ValueError(f"{', '.join(options)} only matters to t1-clamp and t2-clamp, not to {method!r}; leave it out")
    if method == "share":
        return method, share(labels if isinstance(labels, Votes) else labels.first_choices())
    if method not in COMPLETIONS:
        raise ValueError(f"no method {method!r}; there are share, {', '.join(COMPLETIONS)}")
    beliefs = Beliefs.of_votes(labels) if isinstance(labels, Votes) else labels
    return method, mean_belief(COMPLETIONS[method](beliefs, **options))
