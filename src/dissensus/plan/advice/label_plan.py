"""Which labels to collect: everything that is known about a data set and a pilot, as one recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.refusals import Refusal
from dissensus.plan.advice.options import LabelOption, find_cheaper, label_options, lowest_loss
from dissensus.plan.advice.words import (
    describe_budget,
    describe_cheaper,
    describe_hard_seconds,
    describe_pairs,
    describe_pilot,
    describe_regime,
    describe_scale,
    describe_soft_cost,
    describe_turning_point,
    describe_untried,
    describe_worth,
)
from dissensus.plan.information import Regime, regime
from dissensus.plan.label_kinds import PARTIAL_KINDS, LabelKind
from dissensus.plan.measured import apply_measurements
from dissensus.plan.pilot import PilotAnswers, PilotOption, nearest_to_hard, rank_options
from dissensus.plan.tradeoff import Preferences, turning_point


@dataclass(frozen=True)
class LabelPlan:
    """A recommendation, the options it was chosen from, and what would change it.

    assumed      the preferences as given
    preferences  the same with the costs and errors that a pilot measured
    options      hard, sparse and top-class with their best k_hat, soft, and pairwise similarities for comparison; with
                 a pilot, sparse and top-class labels as it tried them
    recommended  kind and k_hat
    pilot        the kinds of the pilot, lowest measured loss first; empty without one
    cheaper      a smaller label of the same kind with most of the gain; None if there is none, and with a pilot
    untried      a kind that the pilot left out and that is expected to be better; None if there is none
    """

    n: int
    k: int
    regime: Regime
    assumed: Preferences
    preferences: Preferences
    budget: float | None
    options: tuple[LabelOption, ...]
    recommended: tuple[LabelKind, int]
    pilot: tuple[PilotOption, ...]
    cheaper: LabelOption | None = None
    untried: LabelOption | None = None

    @property
    def best(self) -> LabelOption:
        """The recommended option."""
        return next(option for option in self.options if (option.kind, option.k_hat) == self.recommended)

    def option(self, kind: LabelKind) -> LabelOption | None:
        """The option of a kind; the one with the lowest loss if a pilot tried several."""
        return min((option for option in self.options if option.kind == kind), key=lambda o: o.loss, default=None)

    def is_measured(self, option: LabelOption) -> bool:
        """Whether cost and errors of an option are those of the pilot; otherwise they are assumed."""
        return (option.kind, option.k_hat) in _list_tried(self.pilot, self.k)

    @property
    def hard_seconds(self) -> tuple[PilotOption, float, float] | None:
        """The substitute for hard labels if the pilot has none: the kind, its cost in hard labels, seconds of one."""
        if not self.pilot:
            return None
        kinds = [(option.kind, option.k_hat) for option in self.pilot]
        place, cost = nearest_to_hard(kinds, self.k, self.assumed.costs)
        nearest = self.pilot[place]
        return None if nearest.kind == "hard" else (nearest, cost, nearest.seconds.value / cost)

    @property
    def soft_cost(self) -> tuple[float, float] | None:
        """Cost of a soft label in hard ones, as given and as the pilot suggests; None if it tried or changed none."""
        costs = (self.assumed.costs, self.preferences.costs)
        given, scaled = (float(cost.total("soft", 1, self.k)) / cost.hard for cost in costs)
        tried = not self.pilot or any(option.kind == "soft" for option in self.pilot)
        return None if tried or given == scaled else (given, scaled)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why these labels are recommended, in sentences."""
        return (
            *describe_worth(self.best, self.option("hard"), self.n, self.k, self.preferences, self.pilot),
            *describe_pilot(self.pilot),
            describe_regime(self.n, self.k, self.regime),
            *describe_hard_seconds(self.hard_seconds),
            *describe_soft_cost(self.soft_cost),
            *describe_budget(self.best, self.budget, self.n),
        )

    @property
    def alternatives(self) -> tuple[str, ...]:
        """When to choose other labels, in sentences."""
        pairs = None if self.best.kind == "pairwise" else self.option("pairwise")
        return (
            *describe_untried(self.untried),
            *describe_cheaper(self.cheaper, self.best),
            *describe_turning_point(turning_point(self.n, self.k, self.preferences), self.k, self.preferences.beta),
            *describe_pairs(pairs, self.best),
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values; `information_ratio`, `constraints`, `regime` and `recommendation` are a fixed interface."""
        utility = self.preferences.utility
        options = [self.option(kind) for kind in dict.fromkeys(option.kind for option in self.options)]
        listed = [option for option in options if option is not None]
        cost, whole = map(float, self.preferences.scale(self.n, self.k))
        return {
            "items": self.n,
            "classes": self.k,
            "cost_ratio": self.k if self.preferences.costs.ratio is None else self.preferences.costs.ratio,
            "utility": utility if isinstance(utility, str) else getattr(utility, "__name__", "own"),
            "beta": self.preferences.beta,
            "reference": self.preferences.reference,
            "scale": {"cost": cost, "utility": whole, "about": describe_scale(self.n, self.k, self.preferences)},
            "budget": self.budget,
            "regime": self.regime,
            "information_ratio": {option.kind: option.information_ratio for option in listed},
            "constraints": {option.kind: option.constraints for option in listed},
            "cost": {option.kind: option.cost for option in listed},
            "loss": {option.kind: option.loss for option in listed},
            "k_hat": {option.kind: option.k_hat for option in listed if option.kind in PARTIAL_KINDS},
            "items_labelled": {option.kind: option.items for option in listed},
            "basis": {option.kind: "pilot" if self.is_measured(option) else "assumed" for option in listed},
            "recommendation": {
                "kind": self.recommended[0],
                "k_hat": self.recommended[1],
                "why": " ".join(self.reasons),
            },
            "alternatives": list(self.alternatives),
            "pilot": [
                {
                    "kind": option.kind,
                    "k_hat": option.k_hat,
                    "answers": option.answers,
                    "people": option.people,
                    "items": option.items,
                    "probability_best": option.best,
                    "seconds": as_json(option.seconds),
                    "hard_labels": as_json(option.each),
                    "flip_rate": as_json(option.flip_rate),
                    "information_ratio": as_json(option.ratio),
                    "loss": as_json(option.loss),
                }
                for option in self.pilot
            ],
        }


def plan_labels(
    n: int,
    k: int,
    preferences: Preferences,
    rng: np.random.Generator,
    *,
    pilot: Sequence[PilotAnswers] = (),
    budget: float | None = None,
) -> LabelPlan:
    """Recommend which labels to collect for n items over k classes.

    Without a pilot, the kind with the lowest loss among hard, sparse, top-class and soft labels is recommended. Sparse
    and top-class labels may choose how many classes they ask for. With a pilot, the tried kind with the lowest measured
    loss is recommended, and all options are charged what it measured. Pairwise similarities are listed for comparison
    and recommended only if a pilot tried them, since they contain nothing about the classes.

    Parameters
    ----------
    n, k : items to label, and classes
    preferences : what labels cost and how cost is weighed against information
    rng : resamples the people of the pilot
    pilot : answers of each kind of label that was tried, as `read_pilot` returns them
    budget : what may be spent, in hard labels. A kind too expensive for all items is judged by the items it can pay
        for, and not recommended if these contain less information than hard labels for the same budget

    Returns
    -------
    LabelPlan : `recommended` is the kind and the number of classes to ask for; `describe_plan` makes a page of it

    Examples
    --------
    >>> plan_labels(80, 20, Preferences(Costs(ratio=10)), np.random.default_rng(0)).recommended
    ('sparse', 15)
    """
    if budget is not None and not (budget > 0 and np.isfinite(budget)):
        raise Refusal(f"the budget is {budget} hard labels; expected a number above 0")
    shots = regime(n, k)
    ranked = tuple(rank_options(pilot, n, k, preferences, rng, budget=budget)) if pilot else ()
    measured = apply_measurements(preferences, ranked, k)
    labels, pairs = label_options(n, k, measured, budget, _list_tried(ranked, k))
    hard = [option for option in labels if option.kind == "hard"]
    cheaper = untried = None
    if ranked:
        recommended = _list_tried(ranked[:1], k)[0]
        listed = [option for option in (*labels, *pairs) if (option.kind, option.k_hat) == recommended]
        if not listed:
            limit = "" if budget is None else f" and a budget of {budget:g} hard labels"
            names = ", ".join(option.name for option in ranked)
            raise Refusal(f"no kind of the pilot is possible with {n} items{limit}: {names}")
        promising = lowest_loss(label_options(n, k, measured, budget)[0], n, hard)
        is_better = promising.name not in {option.name for option in ranked} and promising.loss < listed[0].loss
        untried = promising if is_better else None
    else:
        best = lowest_loss(labels, n, hard)
        recommended = (best.kind, best.k_hat)
        cheaper = find_cheaper(best, n, k, measured, budget)
    return LabelPlan(
        n=n,
        k=k,
        regime=shots,
        assumed=preferences,
        preferences=measured,
        budget=budget,
        options=(*labels, *pairs),
        recommended=recommended,
        pilot=ranked,
        cheaper=cheaper,
        untried=untried,
    )


def _list_tried(ranked: Sequence[PilotOption], k: int) -> list[tuple[LabelKind, int]]:
    """Kinds of a pilot with k_hat as options have it."""
    shown = {"hard": 1, "soft": k, "pairwise": 0}
    return [(option.kind, shown.get(option.kind, option.k_hat)) for option in ranked]
