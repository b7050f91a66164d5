"""Votes weighted by how often their annotators agree with the majority."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.counting import Ties, majority_vote
from dissensus.aggregate.fit_card import fit_card
from dissensus.labels.answers import hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.votes import Votes


@dataclass(frozen=True, eq=False, repr=False)
class WawaFit:
    """The result of Wawa.

    distributions  share of each item's votes, each weighed by the skill of its annotator
    annotators     (a,) names
    skill          (a,) share of an annotator's votes that are the majority's; NaN for one without votes
    """

    distributions: Distributions
    annotators: np.ndarray
    skill: np.ndarray

    def __post_init__(self) -> None:
        for name in ("annotators", "skill"):
            hold(self, name, getattr(self, name))

    def __repr__(self) -> str:
        sizes = f"{self.distributions.n_items} items, {self.annotators.size} annotators"
        return f"WawaFit({sizes}, {self.distributions.n_classes} classes)"

    def _repr_html_(self) -> str:
        return fit_card("WawaFit", [("annotators", f"{self.annotators.size:,}")], self.distributions)


@takes(votes=Votes)
def wawa(votes: Votes, ties: Ties = "share") -> WawaFit:
    """Weight votes by their annotators' agreement with the majority ("worker agreement with aggregate").

        skill_j = mean over the votes of j of the majority's mass on the class voted for
        p_ik = sum of skill over the votes for k of item i / sum of skill over all votes of item i

    One step, without iterations or randomness. The measure is that of the crowdsourcing platform CrowdFlower, later
    Appen. The weighted vote is Wawa of crowd-kit (Ustalov, Pavlichenko, Tseitlin 2024, Learning from crowds with
    Crowd-Kit), whose numbers ties="first" gives.

    Parameters
    ----------
    votes : votes with their annotators
    ties : the rule for ties in the first majority, see `majority_vote`; with "share" a vote for one of t tied classes
        is right by 1/t

    Returns
    -------
    the distributions and the skill of each annotator

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> wawa(votes).skill.tolist()
    [1.0, 1.0, 0.0]
    """
    who, annotators = votes.require_annotators("Wawa")
    won = majority_vote(votes, ties).probs[votes.item, votes.choice]  # (m,)
    given = np.bincount(who, minlength=annotators.size)
    right = np.bincount(who, weights=won, minlength=annotators.size)
    skill = np.divide(right, given, out=np.full(annotators.size, np.nan), where=given > 0)
    # The voters of a majority have skill, so every item keeps some mass.
    cell = votes.item.astype(np.int64) * votes.n_classes + votes.choice
    mass = np.bincount(cell, weights=skill[who], minlength=votes.n_items * votes.n_classes)
    distributions = Distributions.from_mass(
        mass.reshape(votes.n_items, votes.n_classes), items=votes.items, classes=votes.classes
    )
    return WawaFit(distributions, annotators, skill)
